//! Transcripts of Gemini CLI: `tmp/PROJECT/chats/session-….jsonl`, one for each session.
//!
//! The first line names the session; then messages come, and patches (`$set`) that may put in a
//! whole list of them. A message that is written again has the same name and says more.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::host::Folders;
use crate::json::{list, text};
use crate::transcript::{TranscriptLine, TranscriptMemory, entries, is_within};
use crate::{clean, tools};

pub(super) fn lines(memory: &mut TranscriptMemory, record: &Value) -> Vec<TranscriptLine> {
    if let Some(id) = text(record, "sessionId") {
        id.clone_into(&mut memory.session);
        memory.helper = text(record, "kind").is_some_and(|kind| kind == "subagent");
    }
    match record.get("$set") {
        Some(patch) => {
            let mut lines = Vec::new();
            for message in list(patch, "messages") {
                lines.extend(message_lines(memory, message));
            }
            lines
        }
        // A chat that was written as one object holds its messages inside.
        None if record.get("messages").is_some() => {
            list(record, "messages").iter().flat_map(|one| message_lines(memory, one)).collect()
        }
        None => message_lines(memory, record),
    }
}

fn message_lines(memory: &mut TranscriptMemory, message: &Value) -> Vec<TranscriptLine> {
    let Some(kind @ ("user" | "gemini")) = text(message, "type") else { return Vec::new() };
    let at = text(message, "timestamp").and_then(|at| at.parse().ok()).or(memory.at);
    memory.at = at;
    let content = spoken(message.get("content").unwrap_or(&Value::Null));
    if let Some(folder) = workspace(&content) {
        memory.folder = Some(folder);
    }
    let own = text(message, "id");
    let blank = memory.line(own, at);
    let words = clean::words(&content);
    let speaker = match kind {
        "gemini" => Some("assistant"),
        _ if memory.helper || clean::machine_text(&words).is_some() => None,
        _ => Some("user"),
    };
    let mut lines = Vec::new();
    if let Some(speaker) = speaker.filter(|_| !words.is_empty()) {
        lines.push(TranscriptLine { speaker, text: words, ..blank.clone() });
    }
    lines.extend(list(message, "toolCalls").iter().map(|call| ran(call, &blank)));
    lines
}

/// The text of a message: a text, or a list of parts. What a tool returned stands with its call.
fn spoken(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// The folder that Gemini names when it begins: it stands nowhere else in the file.
fn workspace(content: &str) -> Option<String> {
    let (_, after) = content.split_once("**Workspace Directories:**\n")?;
    let first = after.lines().next()?.trim_start().strip_prefix("- ")?;
    content.trim_start().starts_with("<session_context>").then(|| first.trim_end().to_owned())
}

fn ran(call: &Value, blank: &TranscriptLine) -> TranscriptLine {
    let name = text(call, "name").unwrap_or_default();
    let input = call.get("args").unwrap_or(&Value::Null);
    let result = list(call, "result").first().and_then(|one| one.get("functionResponse"));
    let response = result.and_then(|one| one.get("response")).unwrap_or(&Value::Null);
    let mut run = tools::ran(tools::call_of(name, input, None), response);
    run.failed |= matches!(text(call, "status"), Some("error" | "cancelled"));
    let at = text(call, "timestamp").and_then(|at| at.parse().ok());
    TranscriptLine {
        at: at.unwrap_or(blank.at),
        id: format!("{}:{}", blank.id, text(call, "id").unwrap_or(name)),
        text: run.output.clone(),
        tool: Some(run),
        ..blank.clone()
    }
}

/// How a line begins that holds all that is left of the conversation.
const WHOLE: &str = r#"{"$set":{"messages":["#;
/// What Gemini puts into the model's mouth after a summary.
const SUMMED_UP: &str = r#""Got it. Thanks for the additional context!""#;
/// A transcript that is longer is not looked at: whoever waits for its session waits for us.
const BYTES_MAX: u64 = 64 << 20;

/// Whether the conversation was made shorter and holds nothing of ours any more.
pub(super) fn lost(transcript: &Path) -> bool {
    let Ok(file) = File::open(transcript) else { return false };
    if !file.metadata().is_ok_and(|data| data.is_file() && data.len() <= BYTES_MAX) {
        return false;
    }
    let (mut summed_up, mut holds_ours) = (false, false);
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if line.starts_with(WHOLE) {
            (summed_up, holds_ours) = (line.contains(SUMMED_UP), false);
        }
        holds_ours |= clean::holds_fence(&line);
    }
    summed_up && !holds_ours
}

pub(super) fn files(folders: &Folders, project_root: &Path) -> Vec<PathBuf> {
    let root = project_root.to_string_lossy();
    let root = root.trim_end_matches(['/', '\\']);
    let mut found: Vec<PathBuf> = entries(&folders.config.join("tmp"))
        .into_iter()
        .filter(|folder| {
            let named = std::fs::read_to_string(folder.join(".project_root"));
            named.is_ok_and(|named| is_within(named.trim(), root))
        })
        .flat_map(|folder| entries(&folder.join("chats")))
        .filter(|file| file.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    found.sort();
    found
}
