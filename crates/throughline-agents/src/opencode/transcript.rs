//! Sessions of opencode: rows of its database, each written down as a line for us,
//! `{session, folder, parent, id, at, message, parts}`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_core::{SessionId, Timestamp};

use super::{run, said};
use crate::host::Folders;
use crate::json::{flag, list, text};
use crate::transcript::{TranscriptLine, TranscriptMemory};
use crate::{clean, tools};

pub(super) fn lines(memory: &mut TranscriptMemory, record: &Value) -> Vec<TranscriptLine> {
    let null = Value::Null;
    let message = record.get("message").unwrap_or(&null);
    let at = moment(record.get("at")).or(memory.at);
    memory.at = at;
    // A summary is the host's, and what a helper is asked its agent asks.
    if flag(message, "summary") || text(message, "mode") == Some("compaction") {
        return Vec::new();
    }
    let blank = TranscriptLine {
        session: SessionId(text(record, "session").unwrap_or_default().to_owned()),
        folder: text(record, "folder").map(str::to_owned),
        at: at.unwrap_or(Timestamp::EPOCH),
        id: text(record, "id").unwrap_or_default().to_owned(),
        speaker: "tool",
        text: String::new(),
        tool: None,
        end: 0,
    };
    let parts = list(record, "parts");
    let words = clean::words(&said(parts));
    let speaker = match text(message, "role") {
        Some("assistant") => Some("assistant"),
        Some("user") if text(record, "parent").is_none() => {
            clean::machine_text(&words).is_none().then_some("user")
        }
        Some(_) | None => None,
    };
    let ran: Vec<TranscriptLine> = parts.iter().filter_map(|part| tool(part, &blank)).collect();
    let mut lines: Vec<TranscriptLine> = match speaker {
        Some(speaker) if !words.is_empty() => {
            vec![TranscriptLine { speaker, text: words, ..blank }]
        }
        Some(_) | None => Vec::new(),
    };
    lines.extend(ran);
    lines
}

/// A tool that has run.
fn tool(part: &Value, blank: &TranscriptLine) -> Option<TranscriptLine> {
    if text(part, "type") != Some("tool") {
        return None;
    }
    let state = part.get("state")?;
    let failed = match text(state, "status") {
        Some("completed") => false,
        Some("error") => true,
        Some(_) | None => return None,
    };
    let input = state.get("input").unwrap_or(&Value::Null);
    let name = text(part, "tool").unwrap_or_default();
    let mut run = run(tools::call_of(name, input, text(part, "callID")), state);
    run.failed |= failed;
    let ended = state.get("time").and_then(|time| moment(time.get("end")));
    Some(TranscriptLine {
        at: ended.unwrap_or(blank.at),
        id: text(part, "id").unwrap_or(&blank.id).to_owned(),
        text: run.output.clone(),
        tool: Some(run),
        ..blank.clone()
    })
}

fn moment(millis: Option<&Value>) -> Option<Timestamp> {
    millis?.as_i64().map(Timestamp::from_millis)
}

/// All projects share one database.
pub(super) fn files(folders: &Folders, _: &Path) -> Vec<PathBuf> {
    [&folders.data, &folders.config]
        .into_iter()
        .map(|folder| folder.join("opencode.db"))
        .find(|file| file.is_file())
        .into_iter()
        .collect()
}
