//! The dialect of Claude Code: its hooks, its transcripts, its answers. Recorded from 2.1.325.

mod transcript;

use crate::hooks::{self, Hook};
use crate::host::Dialect;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "claude-code",
    called: "Claude Code",
    last_event: "SessionEnd",
    warns_late: false,
    read: |event, payload| hooks::read(hook, event, payload),
    knows: |event| hook(event).is_some(),
    can_inject,
    answer: hooks::answer,
    answer_units_max: 10_000,
    lines: transcript::lines,
    transcripts: transcript::files,
    lost: None,
};

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

/// The moment that an event of Claude Code is; those of Codex are among them.
pub(crate) fn hook(name: &str) -> Option<Hook> {
    Some(match name {
        "SessionStart" => Hook::SessionStart,
        "UserPromptSubmit" => Hook::Prompt,
        "PreToolUse" => Hook::BeforeTool,
        "PostToolUse" => Hook::AfterTool,
        "PostToolUseFailure" => Hook::ToolFailed,
        "PostToolBatch" => Hook::AfterTools,
        "PreCompact" => Hook::BeforeCompact,
        "PostCompact" => Hook::AfterCompact,
        "Stop" => Hook::Answer,
        "SubagentStart" => Hook::HelperStart,
        "SubagentStop" => Hook::HelperAnswer,
        "SessionEnd" => Hook::SessionEnd,
        other if OTHERS.contains(&other) => Hook::Other,
        _ => return None,
    })
}

/// What is said at `Stop` and `SubagentStop` makes the agent go on instead of stopping, so we stay
/// silent there.
fn can_inject(event: &str) -> bool {
    match hook(event) {
        Some(
            Hook::SessionStart
            | Hook::Prompt
            | Hook::BeforeTool
            | Hook::AfterTool
            | Hook::ToolFailed
            | Hook::AfterTools
            | Hook::HelperStart,
        ) => true,
        Some(
            Hook::BeforeCompact
            | Hook::AfterCompact
            | Hook::Answer
            | Hook::HelperAnswer
            | Hook::SessionEnd
            | Hook::Other,
        )
        | None => false,
    }
}
