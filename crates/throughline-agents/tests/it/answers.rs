//! What we say to a host: always JSON, never too long, and only where it does no harm.

use proptest::prelude::*;
use serde_json::Value;
use throughline_agents::{Host, answer, can_inject};

#[test]
fn an_answer_is_what_the_host_expects() {
    insta::assert_snapshot!(
        answer(Host::ClaudeCode, "SessionStart", "use \"tabs\"\n").unwrap(),
        @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"use \"tabs\"\n"}}"#
    );
}

#[test]
fn we_are_silent_where_the_host_does_not_listen_or_would_go_on_because_of_us() {
    for event in ["Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "Odd", ""] {
        assert!(!can_inject(Host::ClaudeCode, event), "{event}");
        assert_eq!(answer(Host::ClaudeCode, event, "text"), None, "{event}");
    }
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolBatch"] {
        assert!(can_inject(Host::ClaudeCode, event), "{event}");
        assert_eq!(answer(Host::ClaudeCode, event, " \n"), None, "nothing to say at {event}");
    }
}

proptest! {
    #[test]
    fn an_answer_is_json_within_the_limit(line in ".{0,400}", times in 1_usize..400) {
        let text = format!("{line}\n").repeat(times);
        let Some(answer) = answer(Host::ClaudeCode, "UserPromptSubmit", &text) else {
            prop_assert!(text.trim().is_empty());
            return Ok(());
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let said = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        prop_assert!(said.encode_utf16().count() <= 10_000);
        prop_assert!(text.starts_with(said));
    }
}
