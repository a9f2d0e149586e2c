//! What words say, by their form: plain data and pure functions.
//!
//! `throughline-core` holds the rules of memory and knows no language. This crate reads text: where a sentence ends,
//! who wrote which part of a prompt, what is asked, what is asked to be kept, which programs a command line runs,
//! which files a claim names. It decides by form alone (marks, fences, numbers, a small closed set of words) and does
//! no I/O, reads no clock and draws no random number. What people mean in free wording is judged by the trained model
//! of `throughline-reader`; [`probe`] decides what is kept of its judgement.
//!
//! In reading order:
//!
//! | what | where |
//! |---|---|
//! | sentences, quotes, pastes, code | [`speech`] |
//! | what a prompt asks | [`question`] |
//! | whether a turn is worth reading | [`gate`] |
//! | what of a turn is kept | [`probe`] |
//! | what a claim names, so that it can be tied to it | [`referent`] |
//! | the things that a claim speaks of, and which names are one | [`things`] |
//! | what gives orders and came from outside | [`instruction`] |
//! | the lesson that is kept when a claim turned out wrong | [`lesson`] |
//! | whether a text only repeats what we said | [`echo`] |
//! | when two alike texts are different claims | [`near`] |
//! | whether two statements of one build are about two matters | [`parallel`] |
//! | which memory is meant where something is said to be wrong | [`target`] |
//! | which rules are about what is about to be done | [`command`], [`occasion`], [`trigger`] |
//! | the steps of a procedure | [`procedure`] |
//! | what was asked and is not known | [`gap`] |
//! | what was measured or corrected against what was said | [`collision`] |
//! | what claims closeness with an agent | [`closeness`] |
//! | what a model is asked, and what is made of its answer | [`proposal`] |

pub mod closeness;
pub mod collision;
pub mod command;
pub mod echo;
pub mod flat;
pub mod gap;
pub mod gate;
pub mod instruction;
pub mod lesson;
pub mod near;
pub mod occasion;
pub mod parallel;
pub mod probe;
pub mod procedure;
pub mod promise;
pub mod proposal;
pub mod question;
pub mod referent;
pub mod speech;
pub mod target;
pub mod things;
pub mod trigger;
mod turn;

pub use turn::Turn;
