//! Payloads that nobody meant well: they are refused or passed over, and nothing falls over.

use proptest::prelude::*;
use serde_json::json;
use throughline_agents::{Host, PAYLOAD_BYTES_MAX, read, transcript};
use throughline_core::event::What;

const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "AfterTool",
    "PreCompress",
    "chat.message",
    "tool.execute.after",
    "event:session.idle",
    "session.resumed",
    "postToolUse",
    "beforeSubmitPrompt",
    "Odd",
    "",
];

#[test]
fn what_is_no_payload_is_refused_with_a_reason() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (what, payload) in [
        ("empty", &b""[..]),
        ("cut off", br#"{"session_id":"a","prom"#),
        ("binary", &[0, 159, 146, 150, 255]),
        ("a list", b"[]"),
        ("a text", b"\"x\""),
        ("null", b"null"),
        ("two values", b"{}{}"),
        ("deep", deep.as_bytes()),
    ] {
        for host in Host::ALL {
            for event in EVENTS {
                let error = read(*host, event, payload).unwrap_err();
                assert!(!error.why.is_empty(), "{what}");
            }
        }
    }
}

#[test]
fn a_field_that_is_nested_too_deep_leaves_the_others_as_they_are() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let payload = format!(r#"{{"session_id":"a","conversation_id":"a","odd":{deep},"cwd":"/x"}}"#);
    for host in Host::ALL {
        for event in EVENTS {
            let read = read(*host, event, payload.as_bytes()).unwrap();
            assert!(["a", ""].contains(&read.session.0.as_str()), "{event}");
        }
    }
    let prompt = format!(r#"{{"session_id":"a","odd":{deep},"prompt":"fix it"}}"#);
    let read = read(Host::ClaudeCode, "UserPromptSubmit", prompt.as_bytes()).unwrap();
    let said = matches!(&read.what, What::Prompted { text } if text == "fix it");
    assert!(said && read.session.0 == "a", "{read:?}");
}

#[test]
fn a_payload_without_anything_in_it_is_survived() {
    for host in Host::ALL {
        for event in EVENTS {
            let read = read(*host, event, b"{}").unwrap();
            assert_eq!(read.session.0, "", "{event}");
            assert_eq!(read.folder, None);
        }
    }
}

#[test]
fn fields_of_the_wrong_type_are_missing_fields() {
    let odd = json!({
        "session_id": 7, "cwd": [], "transcript_path": {}, "hook_event_name": null,
        "prompt": {"a": 1}, "source": 3, "tool_name": [], "tool_input": "x", "tool_use_id": {},
        "tool_calls": [1, null, "x", {}], "tool_response": true, "error": 12,
        "last_assistant_message": [], "agent_type": 0, "compact_summary": false,
    });
    for host in Host::ALL {
        for event in EVENTS {
            read(*host, event, odd.to_string().as_bytes()).unwrap();
        }
    }
}

#[test]
fn a_giant_payload_is_refused_or_shortened() {
    let giant = vec![b'x'; PAYLOAD_BYTES_MAX + 1];
    assert!(read(Host::ClaudeCode, "Stop", &giant).is_err());

    let large = json!({"tool_name": "Bash", "tool_response": {"stdout": "é".repeat(4 << 20)}});
    let event = read(Host::ClaudeCode, "PostToolUse", large.to_string().as_bytes()).unwrap();
    let What::ToolsRan(runs) = event.what else { panic!("tools ran") };
    assert!(runs[0].output.chars().count() <= 4_000);
}

#[test]
fn a_character_cut_in_half_does_not_cost_the_prompt() {
    let payload = br#"{"prompt":"use tabs \ud83d"}"#;
    let event = read(Host::ClaudeCode, "UserPromptSubmit", payload).unwrap();
    assert_eq!(event.what, What::Prompted { text: "use tabs \u{fffd}".into() });
}

/// JSON of any shape with the names that we look for.
fn shaped() -> impl Strategy<Value = serde_json::Value> {
    let name = prop_oneof![
        Just("tool_input"),
        Just("tool_response"),
        Just("tool_calls"),
        Just("tool_name"),
        Just("command"),
        Just("content"),
        Just("text"),
        Just("type"),
        Just("message"),
        Just("stdout"),
        Just("file"),
        Just("filePath"),
        Just("structuredPatch"),
        Just("lines"),
        Just("edits"),
        Just("paths"),
        Just("patch"),
        Just("prompt"),
        Just("error"),
        Just("timestamp"),
        Just("last_assistant_message"),
        Just("hook"),
        Just("input"),
        Just("output"),
        Just("parts"),
        Just("args"),
        Just("payload"),
        Just("arguments"),
        Just("role"),
        Just("$set"),
        Just("messages"),
        Just("toolCalls"),
        Just("result"),
        Just("state"),
    ];
    let word = prop_oneof![
        Just("tool_use".to_owned()),
        Just("tool_result".to_owned()),
        Just("user".to_owned()),
        Just("assistant".to_owned()),
        Just("Bash".to_owned()),
        Just("*** Begin Patch\n+++ b/x".to_owned()),
        Just("Exit code 999999999999999999999".to_owned()),
        "[<>/a-f0-9ä memory-]{0,30}",
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<i64>().prop_map(|number| json!(number)),
        word.prop_map(|word| json!(word)),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            proptest::collection::hash_map(name.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_bring_a_hook_down(bytes in any::<Vec<u8>>(), event in 0..EVENTS.len()) {
        for host in Host::ALL {
            drop(read(*host, EVENTS[event], &bytes));
        }
    }

    #[test]
    fn no_shape_of_json_brings_a_hook_down(payload in shaped(), event in 0..EVENTS.len()) {
        for host in Host::ALL {
            drop(read(*host, EVENTS[event], payload.to_string().as_bytes()));
        }
    }

    #[test]
    fn no_file_brings_the_reading_of_transcripts_down(
        bytes in any::<Vec<u8>>(),
        records in proptest::collection::vec(shaped(), 0..5),
    ) {
        let mut file = bytes;
        for record in records {
            file.extend(b"\n");
            file.extend(record.to_string().bytes());
        }
        for host in Host::ALL {
            prop_assert!(transcript::read(*host, file.as_slice()).count() <= file.len());
        }
    }
}
