//! Proposals: what a model is asked, and what is made of its answer.
//!
//! A model reads what was said and proposes. It decides nothing: who says so is who spoke, and what
//! it says must stand in their words. What does not hold up is handed back, for a person to look at.

mod judge;
mod prompt;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod wording;

use serde_json::Value;

use throughline_core::Speaker;
use throughline_core::patch::{Operation, Refused};

pub use judge::{Pair, PairVerdict, pairs, pairs_prompt, pairs_schema};
pub use judge::{fitting, fitting_prompt, fitting_schema};
pub use prompt::{FITTING, PAIRS, READING, reading_prompt};
pub use read::read;
pub use schema::schema;
pub use wording::{WORDING, wording, wording_prompt, wording_schema};

/// One turn that a model reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTurn {
    /// Who spoke.
    pub speaker: Speaker,
    /// What was said, cut.
    pub text: String,
    /// Whether it is read for the first time; otherwise it is only what came before.
    pub is_new: bool,
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// What was said, in order.
    pub turns: Vec<WindowTurn>,
    /// What is known: an id, which the model never sees, and the words.
    pub known: Vec<(String, String)>,
    /// What the session is about, in names.
    pub focus: Vec<String>,
}

/// An operation that holds up, and the weakest speaker that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sound {
    /// What to do.
    pub operation: Operation,
    /// Who says so: whoever was quoted, or somebody weaker whose words it takes to say it.
    pub speaker: Speaker,
}

/// A model's answer as far as it holds up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelProposal {
    /// What does.
    pub sound: Vec<Sound>,
    /// What does not, and why.
    pub refused: Vec<Refused>,
}

/// An enumeration's member, whatever its case: models are free with it.
fn member<'a>(value: &'a Value, field: &str) -> Option<String> {
    let text: &'a str = value.get(field)?.as_str()?;
    Some(text.trim().to_ascii_lowercase().replace([' ', '-'], "_"))
}
