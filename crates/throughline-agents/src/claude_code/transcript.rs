//! Transcripts of Claude Code: JSONL files, one for each session, in a folder for each project.
//!
//! Most lines are bookkeeping. Only `user` and `assistant` are looked at, and of them what a person
//! said, what the agent answered and what its tools returned.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_core::event::ToolRun;
use throughline_core::{SessionId, Timestamp};

use crate::host::Folders;
use crate::json::{self, flag, list, text};
use crate::transcript::{TranscriptLine, TranscriptMemory, entries, is_within};
use crate::{clean, tools};

/// A path longer than this is cut short and given a hash in the name of its folder.
const LONG_NAME: usize = 180;

/// How much of a transcript is looked at to find the folder that its session worked in.
const HEAD_BYTES: u64 = 4 << 20;

pub(super) fn lines(memory: &mut TranscriptMemory, record: &Value) -> Vec<TranscriptLine> {
    let at = text(record, "timestamp").and_then(|at| at.parse().ok()).or(memory.at);
    memory.at = at;
    let kind = text(record, "type").unwrap_or_default();
    if !matches!(kind, "user" | "assistant") || is_of_the_host(record) {
        return Vec::new();
    }
    let session = text(record, "sessionId").unwrap_or_default();
    let id = match text(record, "uuid") {
        Some(id) => id.to_owned(),
        None => format!("{session}:{}", memory.number),
    };
    let blank = TranscriptLine {
        session: SessionId(session.to_owned()),
        folder: text(record, "cwd").map(str::to_owned),
        at: at.unwrap_or(Timestamp::EPOCH),
        id,
        speaker: "tool",
        text: String::new(),
        tool: None,
        end: 0,
    };
    let said = said(kind, record);
    let runs = runs(memory, record);
    let spoken =
        said.into_iter().map(|(speaker, text)| TranscriptLine { speaker, text, ..blank.clone() });
    let done = runs.into_iter().map(|run| TranscriptLine {
        text: run.output.clone(),
        tool: Some(run),
        ..blank.clone()
    });
    let mut lines: Vec<TranscriptLine> = spoken.chain(done).collect();
    for (index, line) in lines.iter_mut().enumerate().skip(1) {
        line.id = format!("{}:{index}", line.id);
    }
    lines
}

/// Whether the host wrote a line by itself.
fn is_of_the_host(record: &Value) -> bool {
    let message = record.get("message").unwrap_or(&Value::Null);
    ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"]
        .iter()
        .any(|field| flag(record, field))
        || text(message, "model") == Some("<synthetic>")
}

/// What was said in a line, and by whom.
fn said(kind: &str, record: &Value) -> Option<(&'static str, String)> {
    let content = record.get("message")?.get("content")?;
    let words = match content {
        Value::String(words) => words.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| text(part, "type") == Some("text"));
            texts.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let words = clean::words(&words);
    if words.is_empty() {
        return None;
    }
    if kind == "assistant" {
        return Some(("assistant", words));
    }
    // What a helper is asked, its agent asks; it stands in the call already.
    let by_a_person =
        !flag(record, "isSidechain") && text(record, "promptSource") != Some("system");
    (by_a_person && clean::machine_text(&words).is_none()).then_some(("user", words))
}

/// Remembers the calls of a line, and returns the runs that its results complete.
fn runs(memory: &mut TranscriptMemory, record: &Value) -> Vec<ToolRun> {
    let message = record.get("message").unwrap_or(&Value::Null);
    let mut runs = Vec::new();
    for part in list(message, "content") {
        match text(part, "type") {
            Some("tool_use") => {
                let name = text(part, "name").unwrap_or_default();
                let input = part.get("input").unwrap_or(&Value::Null);
                memory.called(tools::call_of(name, input, text(part, "id")));
            }
            Some("tool_result") => {
                let call = memory.call(text(part, "tool_use_id").unwrap_or_default());
                let mut run = tools::ran(call, part.get("content").unwrap_or(&Value::Null));
                let result = record.get("toolUseResult").unwrap_or(&Value::Null);
                run.failed |= flag(part, "is_error") || flag(result, "interrupted");
                runs.push(run);
            }
            Some(_) | None => {}
        }
    }
    runs
}

pub(super) fn files(folders: &Folders, project_root: &Path) -> Vec<PathBuf> {
    let root = project_root.to_string_lossy();
    let root = root.trim_end_matches(['/', '\\']);
    let name = folder_name(root);
    let mut found = Vec::new();
    for folder in entries(&folders.config.join("projects")) {
        let Some(called) = folder.file_name().and_then(|called| called.to_str()) else { continue };
        if !may_be(called, &name) {
            continue;
        }
        let transcripts = entries(&folder)
            .into_iter()
            .filter(|file| file.extension().is_some_and(|end| end == "jsonl") && file.is_file());
        found.extend(transcripts.filter(|file| match cwd(file) {
            Some(cwd) => is_within(&cwd, root),
            None => called == name,
        }));
    }
    found.sort();
    found
}

fn folder_name(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Whether a folder of this name may hold sessions of the project, or of a folder in it.
fn may_be(called: &str, name: &str) -> bool {
    let below =
        called.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let is_long = called.len() >= LONG_NAME && name.len() >= LONG_NAME;
    below || (is_long && called.get(..LONG_NAME) == name.get(..LONG_NAME))
}

/// The first folder that a transcript speaks of.
fn cwd(file: &Path) -> Option<String> {
    let head = BufReader::new(File::open(file).ok()?.take(HEAD_BYTES));
    head.split(b'\n')
        .map_while(Result::ok)
        .filter_map(|line| json::parse(&line).ok())
        .find_map(|record| text(&record, "cwd").map(str::to_owned))
}
