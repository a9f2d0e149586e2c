//! A payload with one field that is nested absurdly deep: the fields that matter are read all the same.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, PATIENT, call, failures};

/// A text that is nested so deep, as JSON.
fn nested(text: &str, depth: usize) -> String {
    format!("{}\"{text}\"{}", "[".repeat(depth), "]".repeat(depth))
}

/// A payload with one field as it is given, in JSON.
fn with(agent: &Agent<'_>, event: &str, fields: &Value, name: &str, json: &str) -> String {
    let payload = agent.payload(event, fields);
    format!("{},\"{name}\":{json}}}", payload.trim_end_matches('}'))
}

#[test]
fn a_prompt_is_kept_beside_a_field_that_is_nested_too_deep() {
    for depth in [200, 2_000_000] {
        let home = Home::new();
        let agent = Agent::new(&home, "one");
        let prompt = json!({"prompt": "We decided to keep marigold sessions in Postgres."});
        let payload =
            with(&agent, "UserPromptSubmit", &prompt, "attachments", &nested("odd", depth));
        call(home.command(), "UserPromptSubmit", payload.as_bytes(), &[PATIENT]);
        assert_eq!(failures(&home), "", "{depth}");
        assert!(!home.files_holding("marigold").is_empty(), "{depth}");
    }
}

#[test]
fn a_tool_result_that_is_nested_too_deep_is_kept_without_its_secrets() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let token = ["gh", "p_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat();
    let fields = json!({
        "tool_name": "mcp__shop__tree", "tool_use_id": "toolu_1", "tool_input": {"query": "x"},
    });
    let result = nested(&format!("zebrawood is the leaf, {token}"), 150);
    let result = format!("{{\"structuredContent\":{result}}}");
    let payload = with(&agent, "PostToolUse", &fields, "tool_response", &result);
    call(home.command(), "PostToolUse", payload.as_bytes(), &[PATIENT]);
    assert_eq!(failures(&home), "");
    assert!(!home.files_holding("zebrawood").is_empty(), "the result is kept");
    assert!(home.files_holding(&token).is_empty(), "the secret is not");
}

#[test]
fn brackets_that_nothing_closes_are_refused_and_nothing_breaks() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let prompt = json!({"prompt": "We use Redis."});
    let payload = with(&agent, "UserPromptSubmit", &prompt, "odd", &"[".repeat(16 << 20));
    let run = call(home.command(), "UserPromptSubmit", payload.as_bytes(), &[PATIENT]);
    assert_eq!(run.code, 0);
}
