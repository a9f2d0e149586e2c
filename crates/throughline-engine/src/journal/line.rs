//! One line of a journal, as it may be found.

use std::io::{self, BufRead as _, BufReader, Read};

use serde::Deserialize;
use throughline_core::SessionId;

use super::{JournalEntry, VERSION};

/// What a line holds.
pub(super) enum EntryLine {
    /// Nothing.
    Blank,
    /// An entry.
    Whole(Box<JournalEntry>),
    /// The beginning of one.
    Torn,
    /// Something in a form that is not known yet.
    Newer,
    /// Anything else.
    Strange,
}

/// What every version of an entry begins with.
#[derive(Deserialize)]
struct EntryVersion {
    v: u8,
}

/// The part of an entry that says whose it is.
#[derive(Deserialize)]
struct Whose {
    event: WhoseEvent,
}

#[derive(Deserialize)]
struct WhoseEvent {
    session: SessionId,
}

impl EntryLine {
    pub(super) fn parse(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self::Blank;
        }
        match serde_json::from_slice::<JournalEntry>(line) {
            Ok(entry) if entry.v == VERSION => Self::Whole(Box::new(entry)),
            Ok(entry) if entry.v < VERSION => Self::Strange,
            Ok(_) => Self::Newer,
            Err(error) if error.is_eof() => Self::Torn,
            // A newer program may say more than this one knows.
            Err(_) => match serde_json::from_slice::<EntryVersion>(line) {
                Ok(EntryVersion { v }) if v > VERSION => Self::Newer,
                _ => Self::Strange,
            },
        }
    }
}

/// The session of the first line that tells one, among at most `bytes_max` bytes, and how many
/// whole lines were looked at for it.
pub(super) fn first_session(
    from: impl Read,
    bytes_max: usize,
) -> io::Result<(Option<SessionId>, usize)> {
    let mut reader = BufReader::new(from.take(bytes_max as u64));
    let mut lines = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Ok((None, lines));
        }
        lines += 1;
        if let Ok(whose) = serde_json::from_slice::<Whose>(&line) {
            return Ok((Some(whose.event.session), lines));
        }
    }
}
