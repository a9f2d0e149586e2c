//! Encoder: the layers of another file over the embedder's words, one state for each word piece.
//!
//! The words, their positions and the first norm are the embedder's and are not repeated in the
//! file of an encoder. What is made of the states is decided by the caller (`throughline-reader`).

use std::cell::RefCell;

use crate::DIMENSIONS;
use crate::forward::Scratch;
use crate::kernel::Kernel;
use crate::model::{Layer, Model, POSITIONS, Sections, Unusable};

thread_local! {
    /// Kept from text to text, because fresh memory is slow the first time it is touched.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Piece state: the output of the last layer for one word piece, not normalised.
pub type PieceState = [f32; DIMENSIONS];

/// Encoder: layers read from a file, and the kernel that runs them.
#[derive(Clone)]
pub struct Encoder {
    kernel: Kernel,
    layers: Vec<Layer>,
}

impl Encoder {
    /// Reads the layers of a file that begins with `magic`, and returns them with the numbers of
    /// the one section after them. Its kernel is the fastest of this machine.
    ///
    /// The weights are used where they lie; only small tables are copied.
    pub fn read(file: &'static [u8], magic: [u8; 8]) -> Result<(Self, Vec<f32>), Unusable> {
        let mut sections = Sections::open(file, magic)?;
        let layers = Layer::read_all(&mut sections)?;
        let after = sections.numbers()?;
        Ok((Self { kernel: Kernel::best(), layers }, after))
    }

    /// The same encoder with a given kernel; `None` where this machine lacks it.
    pub fn with_kernel(&self, kernel: Kernel) -> Option<Self> {
        kernel.is_available().then(|| Self { kernel, ..self.clone() })
    }

    /// Computes one state for each of at most [`POSITIONS`] word pieces; later ones are not read.
    ///
    /// # Panics
    ///
    /// For a number that is no word piece, which [`tokens`](crate::tokens) never gives.
    pub fn states(&self, ids: &[u16]) -> Vec<PieceState> {
        let ids = &ids[..ids.len().min(POSITIONS)];
        with_states(self.kernel, &self.layers, ids, <[PieceState]>::to_vec)
    }
}

/// Runs layers over pieces and hands the states to `take`.
pub(crate) fn with_states<T>(
    kernel: Kernel,
    layers: &[Layer],
    ids: &[u16],
    take: impl FnOnce(&[PieceState]) -> T,
) -> T {
    SCRATCH.with_borrow_mut(|scratch| {
        kernel.forward(Model::builtin(), layers, ids, scratch);
        take(scratch.states())
    })
}
