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
fn every_host_is_answered_in_its_own_shape() {
    let said = |host, event| answer(host, event, "use tabs").unwrap_or_default();
    for host in [Host::ClaudeCode, Host::Codex] {
        for event in ["SessionStart", "UserPromptSubmit", "PreToolUse"] {
            let expected = format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"use tabs"}}}}"#
            );
            assert_eq!(said(host, event), expected);
        }
    }
    for event in ["SessionStart", "BeforeAgent", "AfterTool"] {
        let answer: Value = serde_json::from_str(&said(Host::Gemini, event)).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
        assert_eq!(answer["hookSpecificOutput"]["additionalContext"], "use tabs");
    }
    for event in ["event:session.created", "chat.message", "tool.execute.before"] {
        assert_eq!(said(Host::Opencode, event), r#"{"context":"use tabs"}"#);
    }
    for event in ["sessionStart", "postToolUse"] {
        assert_eq!(said(Host::Cursor, event), r#"{"additional_context":"use tabs"}"#);
    }
    for (host, event) in [
        (Host::Codex, "Stop"),
        (Host::Codex, "SessionEnd"),
        (Host::Codex, "PreCompact"),
        (Host::Gemini, "AfterAgent"),
        (Host::Gemini, "BeforeTool"),
        (Host::Gemini, "PreCompress"),
        (Host::Gemini, "SessionEnd"),
        (Host::Opencode, "event:session.idle"),
        (Host::Opencode, "tool.execute.after"),
        (Host::Opencode, "dispose"),
        (Host::Cursor, "beforeSubmitPrompt"),
        (Host::Cursor, "sessionEnd"),
    ] {
        assert_eq!(said(host, event), "", "{host} does not listen at {event}");
    }
}

#[test]
fn an_answer_to_codex_keeps_to_what_it_takes() {
    let long = "a line of words that goes on for a while\n".repeat(1_000);
    let answer: Value =
        serde_json::from_str(&answer(Host::Codex, "SessionStart", &long).unwrap()).unwrap();
    let said = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(said.len() <= 7_500 && said.len() > 7_000, "{}", said.len());
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
