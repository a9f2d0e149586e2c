//! When a summary may be made, and a text be kept word for word: by how sure it is, who says so, and what it rests on.
//! What may not waits for a person.

use crate::{Authority, Memory, Speaker};

/// Below this certainty it is a guess.
const SURE_FROM: f64 = 0.4;
/// From this certainty on a text matters word for word.
const SURELY_WHOLE: f64 = 0.75;
/// Memories that matter no more than this are there for others.
const IMPORTANCE_FROM: f64 = 0.3;

/// What an operation rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grounds<'a> {
    /// How sure whoever proposes it is.
    pub confidence: f64,
    /// Who says so.
    pub speaker: Speaker,
    /// The memories it is made of.
    pub of: &'a [Memory],
}

/// Says why memories are not summed up, if they are not.
pub fn fit_to_sum_up(grounds: &Grounds<'_>) -> Result<(), &'static str> {
    if grounds.speaker == Speaker::Tool {
        return Err("what a tool prints sums up no memories");
    }
    if grounds.confidence < SURE_FROM {
        return Err("it is too unsure to sum up memories");
    }
    if grounds.of.iter().any(|one| !one.state.is_active()) {
        return Err("it sums up something that no longer holds");
    }
    if grounds.of.iter().any(|one| one.authority == Authority::External) {
        return Err("it sums up something from outside, and would stand as our own");
    }
    if grounds.of.iter().all(|one| one.importance < IMPORTANCE_FROM) {
        return Err("nothing of what it sums up matters by itself");
    }
    Ok(())
}

/// Says why a text is not kept word for word, if it is not.
pub fn fit_to_keep_whole(grounds: &Grounds<'_>) -> Result<(), &'static str> {
    if grounds.confidence < SURELY_WHOLE {
        return Err("it is too unsure that the text matters word for word");
    }
    if grounds.speaker == Speaker::Tool {
        return Err("what a tool prints can be printed again");
    }
    Ok(())
}
