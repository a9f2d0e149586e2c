//! The dialect of Codex: the hooks of Claude Code, and transcripts of its own. Recorded from
//! 0.166.0.
//!
//! Its hooks say of a command what it printed, not how it ended; the transcript knows both. Context
//! is cut at 2,500 tokens, and `SessionEnd` gets three seconds.

mod transcript;

use crate::claude_code;
use crate::hooks::{self, Hook};
use crate::host::Dialect;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "codex",
    called: "Codex",
    last_event: "SessionEnd",
    warns_late: false,
    read: |event, payload| hooks::read(claude_code::hook, event, payload),
    knows: |event| claude_code::hook(event).is_some(),
    can_inject,
    answer: hooks::answer,
    // 2,500 tokens at three characters each, which is less than most texts have.
    answer_units_max: 7_500,
    lines: transcript::lines,
    transcripts: transcript::files,
    lost: None,
};

fn can_inject(event: &str) -> bool {
    matches!(
        claude_code::hook(event),
        Some(
            Hook::SessionStart
                | Hook::Prompt
                | Hook::BeforeTool
                | Hook::AfterTool
                | Hook::HelperStart
        )
    )
}
