//! Files of turns, as anybody may write them: one JSON object a line.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use throughline_core::{SessionId, Timestamp};
use throughline_engine::Turn;

use super::bad;

/// Bytes of one line at most: a turn of the largest size, escaped.
const LINE_BYTES_MAX: u64 = 8 << 20;
/// Lines that are looked at to find out what a file is.
const PEEKED: usize = 8;

/// A turn as a line of the file has it. Fields we never read are left out.
#[derive(Debug, Deserialize)]
struct WireTurn {
    session: String,
    at: Timestamp,
    speaker: String,
    text: String,
    #[serde(default)]
    id: Option<String>,
}

/// Whether a file is what an agent writes down of its sessions.
pub(super) fn is_transcript(path: &Path) -> anyhow::Result<bool> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut reader = BufReader::new(file);
    for _ in 0..PEEKED {
        let mut line = Vec::new();
        let read = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.with_context(|| path.display().to_string())? == 0 {
            break;
        }
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&line) else { continue };
        let has = |name: &str| value.get(name).is_some();
        if has("speaker") && has("text") {
            return Ok(false);
        }
        if has("sessionId") && (has("type") || has("uuid")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a file of turns; a bad line is named, and nothing of the file is taken in.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Turn>> {
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
        let turn: WireTurn =
            serde_json::from_str(&text).map_err(|error| bad(path, line, told(&error)))?;
        turns.push(Turn {
            session: SessionId(turn.session),
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
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match whole.strip_suffix(&place) {
        Some(what) => format!("{what}, at column {}", error.column()),
        None => whole,
    }
}
