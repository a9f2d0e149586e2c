//! The forward pass: word pieces in, one state per piece out, and their mean as a vector.
//!
//! Everything here is generic over [`Dot`], the whole-number sums, and is inlined into each kernel
//! so that it is compiled for that kernel's processor. The sums are exact and the rest is rounded
//! alike everywhere (see `math`), so all kernels give the same bits.

mod attention;

use crate::math::{gelu, range, sum, sum_of};
use crate::model::{Block, Layer, Linear, Model, Norm};
use crate::{DIMENSIONS, Embedding};

/// Four inputs of a row, which one dot product takes in at once.
pub(crate) type Group = [u8; 4];

/// Output channels that are computed together: four blocks of sixteen.
pub(crate) const PANEL: usize = 64;

/// The whole-number sums of a panel: one line of channels per row.
pub(crate) type Sums<const ROWS: usize> = [[i32; PANEL]; ROWS];

/// The part that every processor does in its own way.
pub(crate) trait Dot: Copy {
    /// How many rows at once suit the registers; at most six.
    const ROWS: usize;

    /// Sets the sums of rows of inputs times the weights of four blocks of channels.
    ///
    /// Each row has as many groups as each of the four has blocks.
    fn dot<const ROWS: usize>(
        self,
        rows: [&[Group]; ROWS],
        blocks: [&[Block]; 4],
        sums: &mut Sums<ROWS>,
    );
}

/// Room for one text at a time, kept between texts.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    states: Vec<f32>,
    attention_in: Vec<f32>,
    mixed: Vec<f32>,
    inner: Vec<f32>,
    change: Vec<f32>,
    quantised: Quantised,
    attention: attention::AttentionScratch,
}

impl Scratch {
    /// The states of the last forward pass, one per piece.
    pub(crate) fn states(&self) -> &[[f32; DIMENSIONS]] {
        self.states.as_chunks().0
    }
}

/// Rows as whole numbers from 0 to 255, each row with its own scale and lowest value.
#[derive(Debug, Default)]
struct Quantised {
    groups: Vec<Group>,
    steps: Vec<Step>,
}

/// A number `q` of a row stands for `low + q * size`.
#[derive(Debug, Clone, Copy)]
struct Step {
    size: f32,
    low: f32,
}

/// Runs layers over the pieces of one window. What comes out lies in [`Scratch::states`].
#[inline(always)]
pub(crate) fn forward<D: Dot>(
    dot: D,
    model: &Model,
    layers: &[Layer],
    ids: &[u16],
    scratch: &mut Scratch,
) {
    scratch.states.resize(ids.len() * DIMENSIONS, 0.0);
    let states = scratch.states.as_chunks_mut::<DIMENSIONS>().0.iter_mut();
    for (position, (state, piece)) in states.zip(ids).enumerate() {
        model.start(*piece, position, state);
        normalise(state, &model.norm);
    }
    for layer in layers {
        encode(dot, layer, scratch);
    }
}

/// One encoder layer, in place.
#[inline(always)]
fn encode<D: Dot>(dot: D, layer: &Layer, scratch: &mut Scratch) {
    let Scratch { states, attention_in, mixed, inner, change, quantised, attention } = scratch;

    quantised.set(states, DIMENSIONS);
    multiply(dot, &layer.attention_in, quantised, attention_in);
    attention::mix(attention_in, attention, mixed);
    quantised.set(mixed, DIMENSIONS);
    multiply(dot, &layer.attention_out, quantised, change);
    add_and_normalise(states, change, &layer.attention_norm);

    quantised.set(states, DIMENSIONS);
    multiply(dot, &layer.inner, quantised, inner);
    for value in inner.iter_mut() {
        *value = gelu(*value);
    }
    quantised.set(inner, layer.outer.inputs);
    multiply(dot, &layer.outer, quantised, change);
    add_and_normalise(states, change, &layer.norm);
}

/// Multiplies every row with a matrix: panel by panel, so that its weights stay in the cache.
#[inline(always)]
fn multiply<D: Dot>(dot: D, linear: &Linear, rows: &Quantised, out: &mut Vec<f32>) {
    let count = rows.steps.len();
    out.resize(count * linear.outputs, 0.0);
    for panel in 0..linear.outputs / PANEL {
        let mut at = 0;
        while at < count {
            match D::ROWS.min(count - at) {
                1 => tile::<D, 1>(dot, linear, rows, panel, at, out),
                2 => tile::<D, 2>(dot, linear, rows, panel, at, out),
                3 => tile::<D, 3>(dot, linear, rows, panel, at, out),
                4 => tile::<D, 4>(dot, linear, rows, panel, at, out),
                5 => tile::<D, 5>(dot, linear, rows, panel, at, out),
                _ => tile::<D, 6>(dot, linear, rows, panel, at, out),
            }
            at += D::ROWS;
        }
    }
}

/// A few rows of one panel: whole-number sums, then back to real numbers.
#[inline(always)]
fn tile<D: Dot, const ROWS: usize>(
    dot: D,
    linear: &Linear,
    rows: &Quantised,
    panel: usize,
    at: usize,
    out: &mut [f32],
) {
    let groups = linear.inputs / 4;
    let inputs: [&[Group]; ROWS] =
        std::array::from_fn(|row| &rows.groups[(at + row) * groups..][..groups]);
    let blocks: [&[Block]; 4] =
        std::array::from_fn(|block| &linear.blocks[(panel * 4 + block) * groups..][..groups]);
    let mut sums = [[0; PANEL]; ROWS];
    dot.dot(inputs, blocks, &mut sums);

    let channels = panel * PANEL..(panel + 1) * PANEL;
    let scales = &linear.scales[channels.clone()];
    let constants = &linear.sums[channels.clone()];
    let biases = &linear.biases[channels.clone()];
    for (row, sums) in sums.iter().enumerate() {
        let Step { size, low } = rows.steps[at + row];
        let out = &mut out[(at + row) * linear.outputs..][channels.clone()];
        for channel in 0..PANEL {
            let constant = low * constants[channel] + biases[channel];
            out[channel] = sums[channel] as f32 * (size * scales[channel]) + constant;
        }
    }
}

impl Quantised {
    /// Takes over rows of `width` real numbers.
    #[inline(always)]
    fn set(&mut self, numbers: &[f32], width: usize) {
        // Adding 2^23 leaves no room for a fraction, so the low byte is the rounded number.
        const ROUNDER: f32 = 8_388_608.0;
        self.groups.resize(numbers.len() / 4, [0; 4]);
        self.steps.clear();
        let rows = numbers.chunks_exact(width).zip(self.groups.chunks_exact_mut(width / 4));
        for (numbers, groups) in rows {
            let (low, high) = range(numbers);
            let spread = high - low;
            // A row of one value has no steps, and dividing by next to nothing is no number.
            let (size, per_number) =
                if spread > 1e-20 { (spread / 255.0, 255.0 / spread) } else { (0.0, 0.0) };
            for (number, byte) in numbers.iter().zip(groups.as_flattened_mut()) {
                *byte = ((number - low) * per_number + ROUNDER).to_bits().to_le_bytes()[0];
            }
            self.steps.push(Step { size, low });
        }
    }
}

/// Adds the change to each state and brings the sum back to mean zero and spread one.
#[inline(always)]
fn add_and_normalise(states: &mut [f32], change: &[f32], norm: &Norm) {
    let states = states.as_chunks_mut::<DIMENSIONS>().0.iter_mut();
    for (state, change) in states.zip(change.as_chunks::<DIMENSIONS>().0) {
        for (state, change) in state.iter_mut().zip(change) {
            *state += change;
        }
        normalise(state, norm);
    }
}

#[inline(always)]
fn normalise(state: &mut [f32; DIMENSIONS], norm: &Norm) {
    const COUNT: f32 = DIMENSIONS as f32;
    let mean = sum(state) / COUNT;
    let variance = sum_of(state, |value| (value - mean) * (value - mean)) / COUNT;
    let per_spread = 1.0 / (variance + 1e-12).sqrt();
    let channels = norm.gains.iter().zip(&norm.shifts);
    for (value, (gain, shift)) in state.iter_mut().zip(channels) {
        *value = (*value - mean) * per_spread * gain + shift;
    }
}

/// The mean over all pieces, scaled to length one.
pub(crate) fn pool(states: &[[f32; DIMENSIONS]]) -> Embedding {
    let mut total = [0.0; DIMENSIONS];
    for state in states {
        for (total, value) in total.iter_mut().zip(state) {
            *total += value;
        }
    }
    let length = sum_of(&total, |value| value * value).sqrt();
    total.map(|value| value / length)
}
