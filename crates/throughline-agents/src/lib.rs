//! Agent hosts: everything that differs from host to host, and nothing about memory.
//!
//! An agent (the *host*) calls us at certain moments with a payload in its own format. [`read`]
//! turns it into an [`Event`], [`answer()`] turns our text into what the host expects back,
//! [`transcript`] reads what the host wrote down about a session, and [`install`] adds us to its
//! settings and removes us again. A further host is a variant and a row in `host.rs`; ARCHITECTURE.md lists the other places.
//!
//! Payloads and transcripts may be cut off, wrong or hostile. Nothing here panics on them, and text
//! that we put before a model never comes back as somebody's words.

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

/// Unreadable payload or line. The caller notes it and goes on without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload cannot be read: {why}")]
pub struct Unreadable {
    /// The reason, for a log.
    pub why: String,
}

impl Unreadable {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

/// Size limit of a payload, in bytes; longer ones are refused.
pub const PAYLOAD_BYTES_MAX: usize = 64 << 20;

/// Reads one payload. `event` is the name that was given on the command line; a name in the payload
/// takes precedence.
///
/// A payload that is valid but of no use to memory becomes [`What::Nothing`], with the reason. A
/// payload that does not name its session belongs to the session without a name.
///
/// [`What::Nothing`]: throughline_core::event::What::Nothing
pub fn read(host: Host, event: &str, payload: &[u8]) -> Result<Event, Unreadable> {
    read_cleaned(host, event, payload, &mut |_, _| ())
}

/// Reads one payload as [`read`] does, but hands every text of it to `clean` first, with the name
/// of its field, before anything is cut, joined or left out.
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

/// Answer in the host's format: what to print so that the host puts `text` before its model. `None`
/// when there is nothing to say, or when the host ignores answers at this event.
///
/// A text that is too long for the host loses its last lines; a fence around it stays closed.
pub fn answer(host: Host, event: &str, text: &str) -> Option<String> {
    if text.trim().is_empty() || !can_inject(host, event) {
        return None;
    }
    Some((host.dialect().answer)(event, &fitting(host, text)))
}

/// The part of a text that fits a host's limit, which is nearly always all of it.
pub fn fitting(host: Host, text: &str) -> String {
    answer::cut(text, host.dialect().answer_units_max)
}

/// Whether the host has such an event, as far as we know.
pub fn knows(host: Host, event: &str) -> bool {
    (host.dialect().knows)(event)
}

/// Whether this event ends a session, so that nobody waits for an answer.
pub fn is_last(host: Host, event: &str) -> bool {
    host.dialect().last_event == event
}

/// Whether warnings about a tool come with its result, because the host ignores answers before a
/// tool runs.
pub fn warns_late(host: Host) -> bool {
    host.dialect().warns_late
}

/// Whether the host compacted the conversation without telling us, and nothing of what we said is
/// left in it.
pub fn has_lost(host: Host, event: &Event) -> bool {
    let transcript = event.transcript.as_ref().map(std::path::Path::new);
    match (host.dialect().lost, transcript) {
        (Some(lost), Some(transcript)) => lost(transcript),
        (Some(_) | None, _) => false,
    }
}

/// Whether text can be put before the model at this event without any other effect.
pub fn can_inject(host: Host, event: &str) -> bool {
    (host.dialect().can_inject)(event)
}
