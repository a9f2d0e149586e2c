//! The dialect of Gemini CLI: names and timeouts of its own. Recorded from 0.61.0.
//!
//! Without a terminal it puts what we said at the start before the prompt itself, in
//! `<hook_context>`; that is taken out again. `PreCompress` comes before every call of the model,
//! so only one that a person asked for counts; of the others its transcript tells. Nothing is heard before a tool runs, so warnings
//! come with its result.

mod transcript;

use serde_json::Value;
use throughline_core::event::{Event, Start, What};

use crate::hooks::{self, Hook};
use crate::host::Dialect;
use crate::json::text;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "gemini",
    called: "Gemini CLI",
    last_event: "SessionEnd",
    warns_late: true,
    read,
    knows: |event| hook(event).is_some(),
    can_inject,
    answer: hooks::answer,
    answer_units_max: 10_000,
    lines: transcript::lines,
    transcripts: transcript::files,
    lost: Some(transcript::lost),
};

fn hook(name: &str) -> Option<Hook> {
    Some(match name {
        "SessionStart" => Hook::SessionStart,
        "BeforeAgent" => Hook::Prompt,
        "AfterAgent" => Hook::Answer,
        "BeforeTool" => Hook::BeforeTool,
        "AfterTool" => Hook::AfterTool,
        "PreCompress" => Hook::BeforeCompact,
        "SessionEnd" => Hook::SessionEnd,
        "BeforeModel" | "AfterModel" | "BeforeToolSelection" | "Notification" => Hook::Other,
        _ => return None,
    })
}

fn read(event: &str, payload: &Value) -> Event {
    let mut event = hooks::read(hook, event, payload);
    if event.what == What::Compacting && text(payload, "trigger") != Some("manual") {
        event.what = hooks::nothing("it comes before every call of the model");
    }
    // What it was told when it began stands before a person's words, and it takes that for no part
    // of the conversation when it reads it in again.
    if event.what == What::Started(Start::Resume) {
        event.what = What::Started(Start::Reload);
    }
    event
}

fn can_inject(event: &str) -> bool {
    matches!(hook(event), Some(Hook::SessionStart | Hook::Prompt | Hook::AfterTool))
}
