//! The last step: from states to probabilities, in real numbers rounded alike everywhere.

use throughline_core::reading::{Bearing, Caution, Role};
use throughline_embed::{DIMENSIONS, PieceState, Unusable, exp};

/// Sums that run side by side, in an order that no compiler may change.
const LANES: usize = 16;

/// The five linears that read states.
#[derive(Clone)]
pub(crate) struct Heads {
    cut: Linear<1>,
    lasting: Linear<1>,
    role: Linear<{ Role::ALL.len() }>,
    caution: Linear<{ Caution::ALL.len() }>,
    bearing: Linear<{ Bearing::ALL.len() }>,
}

/// One line of weights and one bias per output.
#[derive(Clone)]
struct Linear<const OUTPUTS: usize> {
    weights: Vec<f32>,
    biases: Vec<f32>,
}

impl Heads {
    /// Takes the numbers of the section in the order they are written.
    pub(crate) fn read(numbers: &[f32]) -> Result<Self, Unusable> {
        let mut rest = numbers;
        let heads = Self {
            cut: Linear::split_off(&mut rest, DIMENSIONS)?,
            lasting: Linear::split_off(&mut rest, DIMENSIONS)?,
            role: Linear::split_off(&mut rest, DIMENSIONS)?,
            caution: Linear::split_off(&mut rest, DIMENSIONS)?,
            bearing: Linear::split_off(&mut rest, 3 * DIMENSIONS)?,
        };
        if rest.is_empty() { Ok(heads) } else { Err(Unusable::OtherShape) }
    }

    /// The probability that a piece begins at the word whose first state this is.
    pub(crate) fn cut(&self, state: &PieceState) -> f32 {
        let [cut] = self.cut.of(state);
        sigmoid(cut)
    }

    pub(crate) fn lasting(&self, mean: &PieceState) -> f32 {
        let [lasting] = self.lasting.of(mean);
        sigmoid(lasting)
    }

    pub(crate) fn roles(&self, mean: &PieceState) -> [f32; Role::ALL.len()] {
        softmax(self.role.of(mean))
    }

    pub(crate) fn cautions(&self, mean: &PieceState) -> [f32; Caution::ALL.len()] {
        softmax(self.caution.of(mean))
    }

    /// From the mean states of a memory and of a message.
    pub(crate) fn bearings(
        &self,
        held: &PieceState,
        said: &PieceState,
    ) -> [f32; Bearing::ALL.len()] {
        let product: PieceState = std::array::from_fn(|at| held[at] * said[at]);
        softmax(self.bearing.of([*held, *said, product].as_flattened()))
    }
}

impl<const OUTPUTS: usize> Linear<OUTPUTS> {
    fn split_off(numbers: &mut &[f32], inputs: usize) -> Result<Self, Unusable> {
        let (weights, rest) =
            numbers.split_at_checked(OUTPUTS * inputs).ok_or(Unusable::OtherShape)?;
        let (biases, rest) = rest.split_at_checked(OUTPUTS).ok_or(Unusable::OtherShape)?;
        *numbers = rest;
        Ok(Self { weights: weights.to_vec(), biases: biases.to_vec() })
    }

    fn of(&self, inputs: &[f32]) -> [f32; OUTPUTS] {
        std::array::from_fn(|output| {
            let weights = &self.weights[output * inputs.len()..][..inputs.len()];
            dot(weights, inputs) + self.biases[output]
        })
    }
}

/// The mean of states; zeros where there are none.
pub(crate) fn mean(states: &[PieceState]) -> PieceState {
    let mut mean = [0.0; DIMENSIONS];
    for state in states {
        for (mean, value) in mean.iter_mut().zip(state) {
            *mean += value;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a turn has a few thousand tokens at most")]
    let count = states.len().max(1) as f32;
    mean.map(|value| value / count)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}

fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

fn softmax<const COUNT: usize>(numbers: [f32; COUNT]) -> [f32; COUNT] {
    let highest = numbers.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let shares = numbers.map(|number| exp(number - highest));
    let total: f32 = shares.iter().sum();
    shares.map(|share| share / total)
}
