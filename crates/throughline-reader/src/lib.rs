//! A small trained reader: what a turn says piece by piece, and what a message does to a memory.
//!
//! Nothing is downloaded, nothing leaves the process, and the same words are always judged alike.
//! In reading order: [`TrainedReader`] is what callers use; what it answers with is `throughline_core::reading`; `turn`
//! takes a turn apart by form (words, blank lines, fenced blocks); `windows` says what is read at
//! once; `spans` puts words together into pieces; `heads` turns states into probabilities. The
//! states come from `throughline-embed`, whose words and forward pass are used. What follows from a
//! judgement is not decided here. `language` says whether a turn is in the one language that it knows.

mod fence;
mod heads;
mod language;
mod reader;
mod spans;
mod turn;
mod windows;

pub use language::is_english;
pub use reader::{CUT_FROM, TrainedReader, WEIGHTS_SHA256, name_of};
pub use spans::PIECES_MAX;
pub use throughline_core::Speaker;
pub use throughline_core::reading::{Bearing, Caution, Judged, Piece, Role};
pub use throughline_embed::{Kernel, Unusable};
pub use windows::{WINDOW_TOKENS, WINDOWS_MAX};
