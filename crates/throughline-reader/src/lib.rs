//! Trained reader: judges a turn piece by piece, and judges what a message does to a memory.
//!
//! Nothing is downloaded, nothing leaves the process, and the same words are always judged alike.
//! In reading order: [`TrainedReader`] is what callers use; its answers are types of
//! `throughline_core::reading`; `turn` takes a turn apart by form (words, blank lines, fenced
//! blocks); `windows` says what is read at once; `spans` puts words together into pieces; `heads`
//! turns states into probabilities. The states come from `throughline-embed`. What follows from a
//! judgement is not decided here. `language` says whether a turn is in English, the only language
//! that the reader knows.
//!
//! ```
//! use throughline_reader::{Speaker, TrainedReader};
//!
//! let reader = TrainedReader::builtin()?;
//! let turn = "Thanks! From now on the sessions are kept in Postgres.";
//! for piece in reader.read(Speaker::User, None, turn) {
//!     println!("{:?}: {}, lasting {}", &turn[piece.span.clone()], piece.role(), piece.lasting);
//! }
//! let judged = reader.relate("The sessions are kept in Redis.", None, turn);
//! println!("touches the memory: {}", judged.touches());
//! # Ok::<(), throughline_reader::Unusable>(())
//! ```
//!
//! # What the model is given
//!
//! Training (`tools/reader`) must give it the same.
//!
//! - **A turn**: `[CLS] SPEAKER : BEFORE [SEP] TURN [SEP]`. SPEAKER is `user`, `agent` or `tool`; BEFORE is the last 48
//!   tokens of the message before, if any; TURN is at most 200 tokens. A longer turn is read in windows that end between
//!   two words; each next one starts exactly 40 tokens before the end of the one before, and there are at most 8. A
//!   token's state is that of the window in which it is farther from the edge, of equal ones the earlier.
//! - **A fenced block** starts at a line that begins with three backticks (indented or not) and ends at the next line of
//!   nothing but backticks, or at the end of the turn. A single line between fences is one as well. It is read as one
//!   word; with more than 40 tokens, by its first 20 and last 10.
//! - **A piece** begins at a word where the cut head says at least 0.5 for the word's first token, or at least 0.05
//!   where a sentence begins with a capital letter; and always at the start, after a blank line, at a fenced block and
//!   after it. It is judged by the mean of the states of its tokens.
//! - **A pair**: `[CLS] HELD [SEP] BEFORE | SAID [SEP]`, of the first 64 tokens of the memory, the last 48 of the message
//!   before and the first 128 of what was said; without a message before, also without the bar.

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
