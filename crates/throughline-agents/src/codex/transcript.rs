//! Transcripts of Codex: `sessions/YYYY/MM/DD/rollout-….jsonl`, one for each session.
//!
//! Each line is `{timestamp, type, payload}`. Only what a person typed, what the agent answered and
//! what its tools returned is taken; what Codex puts in a person's place is marked as such.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_core::Timestamp;

use crate::host::Folders;
use crate::json::{self, list, text};
use crate::transcript::{TranscriptLine, TranscriptMemory, entries, is_within};
use crate::{clean, tools};

/// How deep transcripts lie: year, month, day.
const DEPTH: usize = 3;

/// How much of a transcript is looked at to find the folder that its session worked in.
const HEAD_BYTES: u64 = 1 << 20;

pub(super) fn lines(memory: &mut TranscriptMemory, record: &Value) -> Vec<TranscriptLine> {
    let at = text(record, "timestamp").and_then(|at| at.parse().ok()).or(memory.at);
    memory.at = at;
    let payload = record.get("payload").unwrap_or(&Value::Null);
    match text(record, "type") {
        Some("session_meta") => {
            begin(memory, payload);
            Vec::new()
        }
        Some("turn_context") => {
            memory.folder = text(payload, "cwd").map(str::to_owned).or(memory.folder.take());
            Vec::new()
        }
        Some("response_item") => item(memory, at, payload).into_iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

fn begin(memory: &mut TranscriptMemory, payload: &Value) {
    let id = text(payload, "session_id").or_else(|| text(payload, "id"));
    memory.session = id.unwrap_or_default().to_owned();
    memory.folder = text(payload, "cwd").map(str::to_owned);
    // What a helper is asked, its agent asks.
    memory.helper = payload.get("source").is_some_and(|source| source.get("subagent").is_some());
}

fn item(
    memory: &mut TranscriptMemory,
    at: Option<Timestamp>,
    payload: &Value,
) -> Option<TranscriptLine> {
    let own = text(payload, "id").or_else(|| text(payload, "call_id"));
    let blank = memory.line(own, at);
    match text(payload, "type")? {
        "message" => {
            let (speaker, text) = said(memory.helper, payload)?;
            Some(TranscriptLine { speaker, text, ..blank })
        }
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            memory.called(call(payload));
            None
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let call = memory.call(text(payload, "call_id").unwrap_or_default());
            let run = tools::ran(call, &unfolded(payload.get("output").unwrap_or(&Value::Null)));
            Some(TranscriptLine { text: run.output.clone(), tool: Some(run), ..blank })
        }
        _ => None,
    }
}

/// What was said in a message, and by whom.
fn said(helper: bool, payload: &Value) -> Option<(&'static str, String)> {
    let parts = list(payload, "content")
        .iter()
        .filter(|part| matches!(text(part, "type"), Some("input_text" | "output_text" | "text")));
    let words = parts.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n");
    let words = clean::words(&words);
    if words.is_empty() {
        return None;
    }
    match text(payload, "role")? {
        "assistant" => Some(("assistant", words)),
        "user" if !helper && !of_the_host(payload) && clean::machine_text(&words).is_none() => {
            Some(("user", words))
        }
        _ => None,
    }
}

/// Whether Codex marks a message of a person's as its own.
fn of_the_host(payload: &Value) -> bool {
    let marks = payload.get("internal_chat_message_metadata_passthrough").unwrap_or(&Value::Null);
    let mut origins = list(marks, "content_item_metadata")
        .iter()
        .filter_map(|one| text(one.get("provenance")?, "type"))
        .peekable();
    origins.peek().is_some() && origins.all(|origin| origin != "user")
}

/// A call, under the name that hooks have for it.
fn call(payload: &Value) -> throughline_core::event::ToolCall {
    let name = text(payload, "name").unwrap_or("shell");
    let name = match (text(payload, "namespace"), name) {
        (Some(server), name) => format!("{server}__{name}"),
        (None, "exec_command" | "shell" | "shell_command" | "local_shell") => "Bash".to_owned(),
        (None, name) => name.to_owned(),
    };
    let input = match payload.get("arguments").or_else(|| payload.get("input")) {
        Some(Value::String(inside)) => {
            serde_json::from_str(inside).unwrap_or_else(|_| serde_json::json!({ "input": inside }))
        }
        Some(other) => other.clone(),
        None => payload.get("action").cloned().unwrap_or(Value::Null),
    };
    tools::call_of(&name, &input, text(payload, "call_id"))
}

/// Some tools return JSON within a text: `{"output": …, "metadata": {"exit_code": 0}}`.
fn unfolded(output: &Value) -> Value {
    let Some(inside) = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok())
    else {
        return output.clone();
    };
    match (inside.get("output"), inside.get("metadata").and_then(|data| data.get("exit_code"))) {
        (Some(printed), Some(exit)) => {
            serde_json::json!({ "output": printed, "exit_code": exit })
        }
        _ => output.clone(),
    }
}

pub(super) fn files(folders: &Folders, project_root: &Path) -> Vec<PathBuf> {
    let root = project_root.to_string_lossy();
    let root = root.trim_end_matches(['/', '\\']);
    let mut found = vec![folders.config.join("sessions"), folders.config.join("archived_sessions")];
    for _ in 0..=DEPTH {
        found = found
            .into_iter()
            .flat_map(|path| if path.is_dir() { entries(&path) } else { vec![path] })
            .collect();
    }
    found.retain(|file| {
        file.extension().is_some_and(|end| end == "jsonl")
            && cwd(file).is_some_and(|cwd| is_within(&cwd, root))
    });
    found.sort();
    found
}

/// The folder that a session began in.
fn cwd(file: &Path) -> Option<String> {
    let head = BufReader::new(File::open(file).ok()?.take(HEAD_BYTES));
    let first = head.split(b'\n').map_while(Result::ok).find_map(|line| json::parse(&line).ok())?;
    text(first.get("payload")?, "cwd").map(str::to_owned)
}
