//! Questions: what a prompt asks for, read by rules.
//!
//! Knows no memory and decides nothing; whoever answers weighs what is found here.

mod ask;
pub(crate) mod name;
mod phrase;
mod voice;

use throughline_core::Timestamp;
use throughline_core::when::{self, TimeMention};

pub use voice::Voices;

/// What sort of answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AskKind {
    /// A time.
    When,
    /// Somebody.
    Who,
    /// A place: of the world, or of the code.
    Where,
    /// A count or an amount.
    HowMany,
    /// A stretch of time.
    HowLong,
    /// A reason.
    Why,
    /// A way of doing.
    How,
    /// One of several.
    Which,
    /// Anything else that can be named.
    What,
    /// Yes or no.
    YesNo,
    /// What came before what.
    Order,
    /// Everything, in short.
    Summary,
    /// Nothing: something is said, or told to be done.
    Statement,
}

/// What words point to without naming it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// "my project", "this repo", "the codebase".
    Project,
    /// "that decision", "what we decided".
    Decision,
    /// "my preference", "the way I like it".
    Preference,
    /// "the plan", "our roadmap".
    Plan,
    /// "last time", "where were we", "yesterday's work".
    LastSession,
}

/// A prompt, understood as far as rules go.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What sort of answer is asked for.
    pub ask: AskKind,
    /// The times it speaks of.
    pub times: Vec<TimeMention>,
    /// Names as they may be known: capitalised spans, handles, quoted and back-ticked text.
    pub names: Vec<String>,
    /// Things written as code: paths, `camelCase`, `snake_case`, flags, error codes, versions.
    pub identifiers: Vec<String>,
    /// What the words point to without naming it, each once, in the order met.
    pub references: Vec<Reference>,
    /// Something about the thing asked is denied: "not", "never", "without", "no longer".
    pub negated: bool,
    /// It asks nothing of memory: thanks, assent, a bare command.
    pub small_talk: bool,
    /// It speaks openly of past work.
    pub recalls: bool,
    /// Whose words it asks for.
    pub voices: Voices,
}

/// How much of a text is looked at.
const LOOK_BYTES_MAX: usize = 4096;

/// Whether all of a text asks about a statement that stands behind its colon.
pub fn asks_about_what_follows(text: &str) -> bool {
    ask::about_what_follows(text)
}

/// Reads a prompt. Only its first 4 KB and the last few sentences are looked at.
pub fn understand(text: &str, anchor: Timestamp) -> Question {
    let (ask, asking) = ask::of(text);
    let seen_whole = text.len() <= LOOK_BYTES_MAX;
    let text = &text[..text.floor_char_boundary(LOOK_BYTES_MAX)];
    let times = when::find(text, anchor);
    let spoken = phrase::Spoken::of(text);
    let (names, identifiers) = name::found(text, &times);
    let references = spoken.references();
    let recalls = spoken.recalls(ask);
    let topical = recalls
        || !(times.is_empty() && names.is_empty() && references.is_empty())
        || identifiers.iter().any(|one| !name::is_choice(one));
    Question {
        ask,
        times,
        names,
        identifiers,
        references,
        negated: phrase::Spoken::of(asking).negated(),
        small_talk: seen_whole && !topical && spoken.is_small_talk(),
        recalls,
        voices: voice::voices(text),
    }
}
