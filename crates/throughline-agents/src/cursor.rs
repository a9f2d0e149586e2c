//! The dialect of Cursor, by its documentation: **not tested with the real thing**.
//!
//! Text reaches the model at `sessionStart` and after a tool; at a prompt Cursor does not listen.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_core::SessionId;
use throughline_core::event::{Event, What};

use crate::hooks::{self, Hook};
use crate::host::{Dialect, Folders};
use crate::json::{list, text};
use crate::transcript::{TranscriptLine, TranscriptMemory};

pub(crate) const DIALECT: Dialect = Dialect {
    name: "cursor",
    called: "Cursor",
    last_event: "sessionEnd",
    warns_late: true,
    read,
    knows: |event| hook(event).is_some(),
    can_inject,
    answer: |_, text| json!({ "additional_context": text }).to_string(),
    answer_units_max: 10_000,
    lines,
    transcripts: files,
    lost: None,
};

fn hook(name: &str) -> Option<Hook> {
    Some(match name {
        "sessionStart" => Hook::SessionStart,
        "beforeSubmitPrompt" => Hook::Prompt,
        "preToolUse" => Hook::BeforeTool,
        "postToolUse" => Hook::AfterTool,
        "postToolUseFailure" => Hook::ToolFailed,
        "preCompact" => Hook::BeforeCompact,
        "afterAgentResponse" => Hook::Answer,
        "sessionEnd" => Hook::SessionEnd,
        "stop"
        | "afterAgentThought"
        | "afterFileEdit"
        | "beforeReadFile"
        | "subagentStart"
        | "subagentStop"
        | "beforeShellExecution"
        | "afterShellExecution"
        | "beforeMCPExecution"
        | "afterMCPExecution" => Hook::Other,
        _ => return None,
    })
}

/// The fields have other names than in the family, so the payload is put into its words first.
fn read(event: &str, payload: &Value) -> Event {
    let mut put = payload.clone();
    if let Some(fields) = put.as_object_mut() {
        for (theirs, ours) in [
            ("tool_output", "tool_response"),
            ("error_message", "error"),
            ("text", "last_assistant_message"),
        ] {
            if let Some(value) = fields.remove(theirs) {
                fields.entry(ours).or_insert(value);
            }
        }
        // What a tool returned comes as JSON within a text.
        if let Some(Value::String(inside)) = fields.get("tool_response")
            && let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(inside)
        {
            fields.insert("tool_response".to_owned(), value);
        }
    }
    let mut read = hooks::read(hook, event, &put);
    if read.session.0.is_empty() {
        read.session = SessionId(text(payload, "conversation_id").unwrap_or_default().to_owned());
    }
    if read.folder.is_none() {
        let root = list(payload, "workspace_roots").first().and_then(Value::as_str);
        read.folder = root.map(str::to_owned);
    }
    if let What::Started(_) = read.what
        && payload.get("is_background_agent") == Some(&json!(true))
    {
        read.what = hooks::nothing("an agent in the background");
    }
    read
}

fn can_inject(event: &str) -> bool {
    matches!(hook(event), Some(Hook::SessionStart | Hook::AfterTool))
}

/// Its transcripts are not documented.
fn lines(_: &mut TranscriptMemory, _: &Value) -> Vec<TranscriptLine> {
    Vec::new()
}

fn files(_: &Folders, _: &Path) -> Vec<PathBuf> {
    Vec::new()
}
