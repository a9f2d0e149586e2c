//! Texts as vectors of meaning, computed on this machine: all-MiniLM-L6-v2 in int8.
//!
//! Nothing is downloaded and nothing leaves the process. In reading order: [`Embedder`] is what
//! callers use; `tokenizer` turns a text into word pieces; `forward` turns pieces into a vector;
//! [`Kernel`] is the one part that differs between processors, the integer dot products; `model`
//! is the weights as they lie in the program. [`Encoder`] runs the layers of another file over the
//! same words, for `throughline-reader`.

mod embedder;
mod encoder;
mod forward;
mod kernel;
mod math;
mod model;
pub mod nearest;
mod tokenizer;
mod windows;

pub use embedder::Embedder;
pub use encoder::{Encoder, PieceState};
pub use kernel::Kernel;
pub use math::exp;
pub use model::{MODEL_SHA256, POSITIONS, Unusable};
pub use tokenizer::{CLOSING, OPENING, Tokens, tokens};
pub use windows::{WINDOW_TOKENS, WINDOWS_MAX};

/// Name of the model and of the way it is run. Vectors are stored under it, and vectors of
/// different names are never compared.
pub const MODEL: &str = "all-MiniLM-L6-v2/int8/1";

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 384;

/// Embedding: the meaning of a text as a vector of length one, so that a dot product is a cosine.
pub type Embedding = [f32; DIMENSIONS];
