//! The dialect of Claude Code: its hooks, its transcripts, its answers.
//!
//! Recorded from 2.1.325. Fields that are missing or of another type are survived, fields that are
//! not known are passed over.

mod tools;
mod transcript;

use serde_json::{Value, json};
use throughline_core::SessionId;
use throughline_core::event::{Event, Start, What};

use crate::host::Dialect;
use crate::json::{flag, list, text};
use crate::{clean, json as wire};

pub(crate) use transcript::config_dir;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "claude-code",
    read,
    can_inject,
    answer,
    answer_units_max: 10_000,
    lines: transcript::lines,
    transcripts: transcript::files,
};

/// The events of Claude Code that we make something of, or know to be of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hook {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    PreCompact,
    PostCompact,
    Stop,
    SubagentStart,
    SubagentStop,
    SessionEnd,
    Other,
}

/// Events of Claude Code that memory has no use for.
const OTHERS: &[&str] = &[
    "Notification",
    "UserPromptExpansion",
    "StopFailure",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

fn hook(name: &str) -> Option<Hook> {
    Some(match name {
        "SessionStart" => Hook::SessionStart,
        "UserPromptSubmit" => Hook::UserPromptSubmit,
        "PreToolUse" => Hook::PreToolUse,
        "PostToolUse" => Hook::PostToolUse,
        "PostToolUseFailure" => Hook::PostToolUseFailure,
        "PostToolBatch" => Hook::PostToolBatch,
        "PreCompact" => Hook::PreCompact,
        "PostCompact" => Hook::PostCompact,
        "Stop" => Hook::Stop,
        "SubagentStart" => Hook::SubagentStart,
        "SubagentStop" => Hook::SubagentStop,
        "SessionEnd" => Hook::SessionEnd,
        other if OTHERS.contains(&other) => Hook::Other,
        _ => return None,
    })
}

fn read(event: &str, payload: &Value) -> Event {
    let inside = text(payload, "hook_event_name").unwrap_or_default();
    let (name, hook) = match (hook(inside), hook(event)) {
        (Some(known), _) => (inside, Some(known)),
        (None, Some(known)) => (event, Some(known)),
        (None, None) => (if inside.is_empty() { event } else { inside }, None),
    };
    let owned = |field| text(payload, field).map(str::to_owned);
    Event {
        session: SessionId(owned("session_id").unwrap_or_default()),
        folder: owned("cwd"),
        transcript: owned("transcript_path"),
        what: match hook {
            Some(hook) => what(hook, name, payload),
            None => nothing(format!("an event that we do not know: {}", clean::shorten(name, 80))),
        },
    }
}

fn what(hook: Hook, name: &str, payload: &Value) -> What {
    match hook {
        Hook::SessionStart => What::Started(start(payload)),
        Hook::UserPromptSubmit => prompted(payload),
        Hook::PreToolUse => What::ToolStarts(tools::call(payload)),
        Hook::PostToolUse => What::ToolsRan(vec![tools::run(payload)]),
        Hook::PostToolUseFailure => What::ToolsRan(vec![tools::failure(payload)]),
        Hook::PostToolBatch => {
            let calls = list(payload, "tool_calls").iter().filter(|call| call.is_object());
            let runs: Vec<_> = calls.map(tools::run).collect();
            if runs.is_empty() { nothing("a batch without tools") } else { What::ToolsRan(runs) }
        }
        Hook::PreCompact => What::Compacting,
        Hook::PostCompact => What::Compacted { summary: words(payload, "compact_summary") },
        Hook::Stop => What::Answered { text: words(payload, "last_assistant_message") },
        // The helper that writes the summary of a compaction has a type without a name.
        Hook::SubagentStop if payload.get("agent_type") == Some(&json!("")) => {
            nothing("the host's own summariser")
        }
        Hook::SubagentStop => {
            What::HelperAnswered { text: words(payload, "last_assistant_message") }
        }
        Hook::SessionEnd => What::Ended,
        Hook::SubagentStart | Hook::Other => nothing(format!("of no use to memory: {name}")),
    }
}

fn nothing(why: impl Into<String>) -> What {
    What::Nothing { why: why.into() }
}

fn start(payload: &Value) -> Start {
    match text(payload, "source").unwrap_or_default() {
        // A fork goes on with what was said before it.
        "fork" => Start::Resume,
        source => source.parse().unwrap_or(Start::Startup),
    }
}

fn prompted(payload: &Value) -> What {
    if flag(payload, "isMeta") {
        return nothing("the host's own words");
    }
    if text(payload, "source") == Some("system") {
        return nothing("a prompt of the host");
    }
    let words = clean::words(text(payload, "prompt").unwrap_or_default());
    match clean::machine_text(&words) {
        Some(why) => nothing(why),
        None => What::Prompted { text: words },
    }
}

/// A field in somebody's words, if any are left without machine text.
fn words(payload: &Value, field: &str) -> Option<String> {
    Some(clean::words(wire::text(payload, field)?)).filter(|words| !words.is_empty())
}

/// What is said at `Stop` and `SubagentStop` makes the agent go on instead of stopping, so we stay
/// silent there.
fn can_inject(event: &str) -> bool {
    match hook(event) {
        Some(
            Hook::SessionStart
            | Hook::UserPromptSubmit
            | Hook::PreToolUse
            | Hook::PostToolUse
            | Hook::PostToolUseFailure
            | Hook::PostToolBatch
            | Hook::SubagentStart,
        ) => true,
        Some(
            Hook::PreCompact
            | Hook::PostCompact
            | Hook::Stop
            | Hook::SubagentStop
            | Hook::SessionEnd
            | Hook::Other,
        )
        | None => false,
    }
}

fn answer(event: &str, text: &str) -> String {
    // Written by hand so that the keys stand in the order of the host's documentation.
    let quoted = |text: &str| Value::from(text).to_string();
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":{},"additionalContext":{}}}}}"#,
        quoted(event),
        quoted(text)
    )
}
