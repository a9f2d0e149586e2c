//! Files of turns, as anybody may write them: one JSON object a line.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use throughline_agents::{Host, transcript};
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{PastTurn, clean_name};

use super::bad;

/// Bytes of one line at most: a turn of the largest size, escaped.
const LINE_BYTES_MAX: u64 = 8 << 20;
/// What is looked at to find out what a file is.
const HEAD_BYTES: u64 = 1 << 20;

/// A turn as a line of the file has it. Fields we never read are left out.
#[derive(Debug, Deserialize)]
struct GivenTurn {
    session: String,
    at: Timestamp,
    speaker: String,
    text: String,
    #[serde(default)]
    id: Option<String>,
}

/// Whose transcript a file is, if it is one.
pub(super) fn host_of(path: &Path) -> anyhow::Result<Option<Host>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut head = Vec::new();
    let read = file.take(HEAD_BYTES).read_to_end(&mut head);
    read.with_context(|| path.display().to_string())?;
    Ok(host_of_head(&head))
}

/// A file of turns may look like anything, but it names a speaker and a text.
fn host_of_head(head: &[u8]) -> Option<Host> {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_turn = serde_json::from_slice::<serde_json::Value>(first)
        .is_ok_and(|value| value.get("speaker").is_some() && value.get("text").is_some());
    if is_turn { None } else { transcript::host_of(head) }
}

/// Reads a file of turns; a bad line is named, and nothing of the file is taken in.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<PastTurn>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut reader = BufReader::new(file);
    let mut turns = Vec::new();
    for line in 1.. {
        let mut text = String::new();
        let read = match reader.by_ref().take(LINE_BYTES_MAX).read_line(&mut text) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(bad(path, line, error.to_string()).into());
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        if read == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let turn: GivenTurn =
            serde_json::from_str(&text).map_err(|error| bad(path, line, told(&error)))?;
        turns.push(PastTurn {
            session: SessionId(clean_name(&turn.session)),
            at: turn.at,
            speaker: turn.speaker,
            text: turn.text,
            id: turn.id,
        });
    }
    Ok(turns)
}

/// What is wrong with a line, without the line number that serde counts within it.
fn told(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    if let Category::Syntax | Category::Eof = error.classify() {
        return format!("not a JSON object: unexpected text at column {}", error.column());
    }
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match whole.strip_suffix(&place) {
        Some(what) => format!("{what}, at column {}", error.column()),
        None => whole,
    }
}
