//! The dialects of AI agents, and nothing about memory.
//!
//! An agent (the *host*) calls us at certain moments with a payload of its own making. [`read`]
//! turns it into an [`Event`], [`answer()`] turns text of ours into what the host expects back,
//! [`transcript`] reads what the host wrote down about a session, and [`install`] puts us into its
//! settings and takes us out again. A further host is one more row in the table of `host.rs`.
//!
//! Whatever comes in is somebody else's: it may be cut off, wrong or hostile. Nothing here panics
//! on it, and what we put before a model ourselves never comes back as somebody's words.

mod answer;
mod claude_code;
mod clean;
mod codex;
mod cursor;
mod gemini;
mod hooks;
mod host;
pub mod install;
mod json;
mod opencode;
mod shell;
mod tools;
pub mod transcript;

pub use host::{Folders, Host, Surroundings};
pub use shell::Shell;

use throughline_core::event::Event;

/// What a host sent that cannot be made sense of. There is nothing to do but to go on without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload cannot be read: {why}")]
pub struct Unreadable {
    /// Why, for a log.
    pub why: String,
}

impl Unreadable {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

/// The longest payload that is looked at, in bytes.
pub const PAYLOAD_BYTES_MAX: usize = 64 << 20;

/// Reads one payload. `event` is the name that was given on the command line; the payload's own
/// name goes before it.
///
/// What is valid but of no use to memory becomes [`What::Nothing`], with the reason. A payload that
/// does not name its session belongs to the session without a name.
///
/// [`What::Nothing`]: throughline_core::event::What::Nothing
pub fn read(host: Host, event: &str, payload: &[u8]) -> Result<Event, Unreadable> {
    read_cleaned(host, event, payload, &mut |_, _| ())
}

/// The same, with every text of the payload handed to `clean` first, under the name of its field:
/// before anything is cut, joined or passed over.
pub fn read_cleaned(
    host: Host,
    event: &str,
    payload: &[u8],
    clean: &mut dyn FnMut(&str, &mut String),
) -> Result<Event, Unreadable> {
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(Unreadable::new(format!("more than {PAYLOAD_BYTES_MAX} bytes")));
    }
    let mut payload = json::parse(payload)?;
    if !payload.is_object() {
        return Err(Unreadable::new("not a JSON object"));
    }
    json::clean(&mut payload, "", clean);
    Ok((host.dialect().read)(event, &payload))
}

/// What to print so that the host puts `text` before its model. `None` when there is nothing to
/// say, or when the host would not listen at this event.
///
/// A text that is too long for the host loses its last lines; a fence around it stays closed.
pub fn answer(host: Host, event: &str, text: &str) -> Option<String> {
    if text.trim().is_empty() || !can_inject(host, event) {
        return None;
    }
    Some((host.dialect().answer)(event, &fitting(host, text)))
}

/// As much of a text as a host takes, which is nearly always all of it.
pub fn fitting(host: Host, text: &str) -> String {
    answer::cut(text, host.dialect().answer_units_max)
}

/// Whether a host has such an event, as far as we know.
pub fn knows(host: Host, event: &str) -> bool {
    (host.dialect().knows)(event)
}

/// Whether this event ends a session, so that nobody waits for us.
pub fn is_last(host: Host, event: &str) -> bool {
    host.dialect().last_event == event
}

/// Whether a warning about a tool comes with its result, because the host does not listen before.
pub fn warns_late(host: Host) -> bool {
    host.dialect().warns_late
}

/// Whether the host has made a conversation shorter without saying so, and nothing of what we said
/// is left in it.
pub fn has_lost(host: Host, event: &Event) -> bool {
    let transcript = event.transcript.as_ref().map(std::path::Path::new);
    match (host.dialect().lost, transcript) {
        (Some(lost), Some(transcript)) => lost(transcript),
        (Some(_) | None, _) => false,
    }
}

/// Whether text can be put before the model at this event without changing the course of things.
pub fn can_inject(host: Host, event: &str) -> bool {
    (host.dialect().can_inject)(event)
}
