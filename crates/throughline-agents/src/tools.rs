//! Tools as hosts report them: what they were asked, and what came of it.

mod report;

use serde_json::Value;
use throughline_core::event::{ToolCall, ToolRun};

use crate::clean;
use crate::json::{flag, list, text};

/// Tools whose `command` is a command line.
const SHELLS: &[&str] =
    &["Bash", "bash", "PowerShell", "Shell", "shell", "exec_command", "run_shell_command"];

/// Where a tool names a file.
const FILE_FIELDS: &[&str] = &["file_path", "path", "notebook_path", "filePath"];
const FILES_FIELDS: &[&str] = &["paths", "files"];

/// Where a tool is handed a text. What is replaced (`old_string`) is not among them: it was
/// somebody else's, and is gone.
const TEXT_FIELDS: &[&str] =
    &["content", "new_string", "new_source", "prompt", "text", "query", "pattern", "url"];

/// Where a tool is handed what is to stand in a file.
const WRITTEN_FIELDS: &[&str] = &["content", "new_string", "new_source", "newString", "edits"];

/// Where a tool may be handed a patch.
const PATCH_FIELDS: &[&str] = &["patch", "diff", "input", "command"];

/// How the names of our own tools begin, host by host. What they return we know already.
const OURS: &[&str] =
    &["mcp__throughline__", "mcp__plugin_throughline_", "mcp_throughline_", "throughline_"];

/// Reads `tool_name`, `tool_input` and `tool_use_id`.
pub(crate) fn call(payload: &Value) -> ToolCall {
    let name = text(payload, "tool_name").unwrap_or_default();
    let id = text(payload, "tool_use_id");
    call_of(name, payload.get("tool_input").unwrap_or(&Value::Null), id)
}

pub(crate) fn call_of(tool: &str, input: &Value, id: Option<&str>) -> ToolCall {
    let id = id.map(str::to_owned);
    if is_ours(tool) {
        return ToolCall { tool: tool.to_owned(), id, ..ToolCall::default() };
    }
    let command = SHELLS.contains(&tool).then(|| command(input)).flatten();
    let (files, text) = (files(input), input_text(input));
    let writes = !files.is_empty() && writes(input);
    ToolCall { tool: tool.to_owned(), command, files, text, writes, id }
}

/// Reads a call with its `tool_response`.
pub(crate) fn run(payload: &Value) -> ToolRun {
    ran(call(payload), payload.get("tool_response").unwrap_or(&Value::Null))
}

/// Reads a call with its `error`.
pub(crate) fn failure(payload: &Value) -> ToolRun {
    let error = payload.get("error").unwrap_or(&Value::Null);
    ToolRun { failed: true, ..ran(call(payload), error) }
}

/// A call with what it returned.
pub(crate) fn ran(call: ToolCall, response: &Value) -> ToolRun {
    let (output, said) = report::read(output(response));
    let exit = said.or_else(|| exit(response, &output));
    let failed = says_it_failed(response, &output) || exit.is_some_and(|code| code != 0);
    let output = if is_ours(&call.tool) { String::new() } else { clean::tool_text(&output) };
    ToolRun { call, output, failed, exit }
}

fn is_ours(tool: &str) -> bool {
    OURS.iter().any(|start| tool.starts_with(start))
}

fn command(input: &Value) -> Option<String> {
    let line = match input.get("command").or_else(|| input.get("cmd"))? {
        Value::String(line) => line.clone(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    Some(clean::tool_text(&line)).filter(|line| !line.is_empty())
}

fn files(input: &Value) -> Vec<String> {
    let single = FILE_FIELDS.iter().filter_map(|field| text(input, field));
    let several = FILES_FIELDS
        .iter()
        .flat_map(|field| list(input, field))
        .filter_map(|one| one.as_str().or_else(|| text(one, "path")));
    let patched = PATCH_FIELDS
        .iter()
        .filter_map(|field| text(input, field))
        .filter(|text| is_patch(text))
        .flat_map(patched_files);
    let mut files: Vec<String> = Vec::new();
    for file in single.chain(several).chain(patched) {
        if !file.is_empty() && !files.iter().any(|known| known == file) {
            files.push(clean::shorten(file, clean::TOOL_CHARS_MAX));
        }
    }
    files
}

/// Whether a tool is handed what is to stand in a file.
fn writes(input: &Value) -> bool {
    WRITTEN_FIELDS.iter().any(|field| input.get(field).is_some())
        || PATCH_FIELDS.iter().filter_map(|field| text(input, field)).any(is_patch)
}

fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch") || (text.contains("\n+++ ") && text.contains("--- "))
}

fn patched_files(patch: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[&str] =
        &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ "];
    patch
        .lines()
        .filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
        .map(|name| name.split('\t').next().unwrap_or(name).trim())
        .map(|name| name.strip_prefix("b/").unwrap_or(name))
        .filter(|name| *name != "/dev/null")
}

fn input_text(input: &Value) -> Option<String> {
    let direct = TEXT_FIELDS.iter().filter_map(|field| text(input, field)).map(str::to_owned);
    let edits = list(input, "edits").iter().filter_map(|edit| text(edit, "new_string"));
    let patched = PATCH_FIELDS
        .iter()
        .filter(|field| **field != "command")
        .filter_map(|field| text(input, field))
        .filter(|text| is_patch(text))
        .map(added_lines);
    let parts: Vec<String> = direct.chain(edits.map(str::to_owned)).chain(patched).collect();
    Some(clean::tool_text(&parts.join("\n"))).filter(|text| !text.is_empty())
}

fn added_lines(patch: &str) -> String {
    let added = patch.lines().filter(|line| !line.starts_with("+++ "));
    added.filter_map(|line| line.strip_prefix('+')).collect::<Vec<_>>().join("\n")
}

/// What a tool printed or returned, in full.
fn output(response: &Value) -> String {
    match response {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => response.to_string(),
        Value::Array(parts) => joined(parts.iter().filter_map(part)),
        Value::Object(_) => object_output(response),
    }
}

/// The text of one part of a list. Pictures and the like have none.
fn part(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| text(part, "text"))
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn object_output(response: &Value) -> String {
    if response.get("stdout").is_some() || response.get("stderr").is_some() {
        let stdout = text(response, "stdout").filter(|_| !flag(response, "isImage"));
        return joined(stdout.into_iter().chain(text(response, "stderr")));
    }
    if let Some(content) = response.get("llmContent").filter(|content| !content.is_null()) {
        return output(content);
    }
    if let Some(file) = response.get("file").filter(|file| file.is_object()) {
        return text(file, "content").unwrap_or_default().to_owned();
    }
    if let Some(path) = text(response, "filePath") {
        return edited(path, response);
    }
    if let Some(content) = response.get("content").filter(|content| !content.is_null()) {
        return output(content);
    }
    if let Some(structured) = response.get("structuredContent") {
        return structured.to_string();
    }
    let plain = ["result", "output", "text", "message", "error"];
    match plain.iter().find_map(|field| text(response, field)) {
        Some(text) => text.to_owned(),
        None => response.to_string(),
    }
}

/// What became of a file, in a few words: the text itself stands in the call.
fn edited(path: &str, response: &Value) -> String {
    let lines = list(response, "structuredPatch").iter().flat_map(|hunk| list(hunk, "lines"));
    let (mut added, mut removed) = (0, 0);
    for line in lines.filter_map(Value::as_str) {
        added += usize::from(line.starts_with('+'));
        removed += usize::from(line.starts_with('-'));
    }
    match text(response, "type") {
        Some(kind) if added + removed == 0 => format!("{path}: {kind}"),
        _ => format!("{path}: +{added} -{removed} lines"),
    }
}

fn says_it_failed(response: &Value, output: &str) -> bool {
    ["isError", "is_error", "interrupted", "is_interrupt"].iter().any(|field| flag(response, field))
        || output.trim_start().starts_with("<tool_use_error>")
}

/// The exit code, from a field or from `Exit code 1` at the beginning of the text.
fn exit(response: &Value, output: &str) -> Option<i32> {
    let field = ["exitCode", "exit_code"]
        .iter()
        .find_map(|field| response.get(field).and_then(Value::as_i64));
    let said = || {
        let text = output.trim_start();
        let text = text.strip_prefix("Error: ").unwrap_or(text);
        let number = text.strip_prefix("Exit code ")?;
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(number.len());
        number[..end].parse::<i64>().ok()
    };
    field.or_else(said).and_then(|code| i32::try_from(code).ok())
}
