//! Hooks of the family that Claude Code began: one object a call, with the session, the folder and
//! what the event is about. Codex and Gemini speak it with names of their own.
//!
//! Fields that are missing or of another type are survived, fields that are not known are passed
//! over.

use serde_json::{Value, json};
use throughline_core::SessionId;
use throughline_core::event::{Event, Start, What};

use crate::json::{flag, list, text};
use crate::{clean, tools};

/// The moments of a session that hosts call us at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hook {
    SessionStart,
    Prompt,
    BeforeTool,
    AfterTool,
    ToolFailed,
    AfterTools,
    BeforeCompact,
    AfterCompact,
    Answer,
    HelperStart,
    HelperAnswer,
    SessionEnd,
    /// Known, and of no use to memory.
    Other,
}

/// Which moment a host means by a name.
pub(crate) type Names = fn(&str) -> Option<Hook>;

/// Makes an event of a payload. The name inside goes before the one on the command line.
pub(crate) fn read(names: Names, event: &str, payload: &Value) -> Event {
    let inside = text(payload, "hook_event_name").unwrap_or_default();
    let (name, hook) = match (names(inside), names(event)) {
        (Some(known), _) => (inside, Some(known)),
        (None, Some(known)) => (event, Some(known)),
        (None, None) => (if inside.is_empty() { event } else { inside }, None),
    };
    let owned = |field| text(payload, field).map(str::to_owned);
    Event {
        session: SessionId(owned("session_id").unwrap_or_default()),
        folder: owned("cwd"),
        transcript: owned("transcript_path"),
        helper: owned("agent_id").filter(|id| !id.is_empty()),
        what: match hook {
            Some(hook) => what(hook, name, payload),
            None => unknown(name),
        },
    }
}

/// An event that nobody told us about.
pub(crate) fn unknown(name: &str) -> What {
    nothing(format!("an unknown event: {}", clean::shorten(name, 80)))
}

fn what(hook: Hook, name: &str, payload: &Value) -> What {
    match hook {
        Hook::SessionStart => What::Started(start(payload)),
        Hook::Prompt => prompted(payload),
        Hook::BeforeTool => {
            asked_of_helper(payload).unwrap_or_else(|| What::ToolStarts(tools::call(payload)))
        }
        Hook::AfterTool => What::ToolsRan(vec![tools::run(payload)]),
        Hook::ToolFailed => What::ToolsRan(vec![tools::failure(payload)]),
        Hook::AfterTools => {
            let calls = list(payload, "tool_calls").iter().filter(|call| call.is_object());
            let runs: Vec<_> = calls.map(tools::run).collect();
            if runs.is_empty() { nothing("a batch without tools") } else { What::ToolsRan(runs) }
        }
        Hook::BeforeCompact => What::Compacting,
        Hook::AfterCompact => What::Compacted { summary: words(payload, "compact_summary") },
        Hook::Answer => What::Answered { text: answer_words(payload) },
        // The helper that writes the summary of a compaction has a type without a name.
        Hook::HelperAnswer if payload.get("agent_type") == Some(&json!("")) => {
            nothing("the host's own summariser")
        }
        Hook::HelperAnswer => What::HelperAnswered { text: answer_words(payload) },
        Hook::SessionEnd => What::Ended,
        Hook::HelperStart => What::HelperStarts { kind: kind(payload), task: None },
        Hook::Other => nothing(format!("of no use to memory: {name}")),
    }
}

pub(crate) fn nothing(why: impl Into<String>) -> What {
    What::Nothing { why: why.into() }
}

fn start(payload: &Value) -> Start {
    let source = text(payload, "source").unwrap_or_default();
    source.parse().unwrap_or(Start::Startup)
}

fn prompted(payload: &Value) -> What {
    if flag(payload, "isMeta") {
        return nothing("the host's own words");
    }
    if text(payload, "source") == Some("system") {
        return nothing("a prompt of the host");
    }
    let helper = ["agent_id", "parent_session_id"]
        .iter()
        .any(|field| text(payload, field).is_some_and(|id| !id.is_empty()));
    // A text, or a list of blocks, of which some are texts.
    let blocks: Vec<&str> =
        list(payload, "prompt").iter().filter_map(|block| text(block, "text")).collect();
    let blocks = blocks.join("\n");
    let said = prompt(text(payload, "prompt").unwrap_or(&blocks));
    // What is said to a helper its agent says.
    if let What::Prompted { text } = &said
        && (helper || flag(payload, "isSidechain"))
    {
        return What::HelperAsked { text: text.clone(), kind: kind(payload) };
    }
    said
}

/// Tools by which an agent gives a task to a helper.
const HELPER_TOOLS: &[&str] = &["Agent", "Task", "spawn_agent"];

/// The task that a call gives to a helper, in the agent's words.
fn asked_of_helper(payload: &Value) -> Option<What> {
    let tool = text(payload, "tool_name").filter(|tool| HELPER_TOOLS.contains(tool));
    let input = tool.and_then(|_| payload.get("tool_input"))?;
    let task = words(input, "prompt").or_else(|| words(input, "message"))?;
    let kind = text(input, "subagent_type").or_else(|| text(input, "agent_type"));
    Some(What::HelperAsked { text: task, kind: kind.map(str::to_owned) })
}

fn kind(payload: &Value) -> Option<String> {
    text(payload, "agent_type").filter(|kind| !kind.is_empty()).map(str::to_owned)
}

/// A prompt, unless nobody's words are left of it.
pub(crate) fn prompt(text: &str) -> What {
    let words = clean::words(text);
    match clean::machine_text(&words) {
        Some(why) => nothing(why),
        None => What::Prompted { text: words },
    }
}

/// A field in somebody's words, if any are left without machine text.
pub(crate) fn words(payload: &Value, field: &str) -> Option<String> {
    Some(clean::words(text(payload, field)?)).filter(|words| !words.is_empty())
}

fn answer_words(payload: &Value) -> Option<String> {
    words(payload, "last_assistant_message").or_else(|| words(payload, "prompt_response"))
}

/// What makes a host of this family put a text before its model. Nothing but what it must hold:
/// Codex refuses an answer with a field too many.
pub(crate) fn answer(event: &str, text: &str) -> String {
    // Written by hand so that the keys stand in the order of the hosts' documentation.
    let quoted = |text: &str| Value::from(text).to_string();
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":{},"additionalContext":{}}}}}"#,
        quoted(event),
        quoted(text)
    )
}
