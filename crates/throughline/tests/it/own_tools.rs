//! Our own tools, as hooks see them: an agent calls `recall`, and its host reports the call and the
//! answer back to us. That is no news, under whatever name a host has for our tools.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::PATIENT;

/// A claim that the rules take in when somebody else's tool reports it.
const CLAIM: &str = "The staging database runs on port 6543.";

/// A host's name, the names it has for our `recall`, and one for somebody else's.
const HOSTS: [(&str, &[&str], &str); 4] = [
    (
        "claude-code",
        &["mcp__throughline__recall", "mcp__plugin_throughline_throughline__recall"],
        "mcp__mem__recall",
    ),
    ("codex", &["mcp__throughline__recall"], "mcp__mem__recall"),
    ("gemini", &["mcp_throughline_recall"], "mcp_mem_recall"),
    ("opencode", &["throughline_recall"], "mem_recall"),
];

/// What a host reports before and after a call, in the shapes that were recorded of it.
fn reports(host: &str, home: &Home, tool: &str, answer: &str) -> Vec<(&'static str, Value)> {
    let folder = home.project();
    let input = json!({"query": CLAIM, "content": CLAIM});
    let returned = json!({"content": [{"type": "text", "text": answer}],
        "structuredContent": {"text": answer}, "isError": false});
    let hook = |event: &'static str, more: Value| {
        let mut payload = json!({"session_id": "s", "cwd": folder, "hook_event_name": event,
            "tool_name": tool, "tool_input": input, "tool_use_id": "call_1"});
        let fields = more.as_object().expect("fields are an object").clone();
        payload.as_object_mut().expect("a payload is an object").extend(fields);
        (event, payload)
    };
    match host {
        "claude-code" => {
            let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "call_1",
                "tool_response": answer});
            vec![
                hook("PreToolUse", json!({})),
                hook("PostToolUse", json!({"tool_response": answer})),
                hook("PostToolBatch", json!({"tool_calls": [call]})),
                hook("PostToolUseFailure", json!({"error": answer})),
            ]
        }
        "codex" => vec![
            hook("PreToolUse", json!({})),
            hook("PostToolUse", json!({"tool_response": returned})),
        ],
        "gemini" => {
            let wrapped = format!("<untrusted_context>\n{answer}\n</untrusted_context>");
            let response = json!({"llmContent": [{"text": wrapped}], "returnDisplay": answer});
            vec![hook("AfterTool", json!({"tool_response": response}))]
        }
        _ => {
            let about = json!({"tool": tool, "sessionID": "s", "callID": "c", "args": input});
            let say = |hook: &'static str, output: Value| {
                (hook, json!({"hook": hook, "directory": folder, "input": about, "output": output}))
            };
            vec![
                say("tool.execute.before", json!({"args": input})),
                say("tool.execute.after", returned),
            ]
        }
    }
}

fn last(host: &str) -> (&'static str, Value) {
    match host {
        "opencode" => ("dispose", json!({"hook": "dispose", "input": {"sessionID": "s"}})),
        _ => ("SessionEnd", json!({"session_id": "s"})),
    }
}

/// What is held, and on what grounds. How often it was used is another matter.
fn grounds(home: &Home) -> Vec<Value> {
    let held = home.everything();
    let items = held["items"].as_array().expect("a listing has items").iter();
    items.map(|one| json!([one["content"], one["evidence"], one["trust"], one["state"]])).collect()
}

/// Tells a session in which one tool was called; returns what is held then, and what was written
/// down about it.
fn told(host: &str, home: &Home, tool: &str, answer: &str) -> (Vec<Value>, String) {
    let mut events = reports(host, home, tool, answer);
    events.push(last(host));
    for (event, payload) in events {
        let mut command = home.command();
        command.args(["hook", event, "--agent", host]).envs([PATIENT]);
        let run: Run = crate::hooking::run(command, payload.to_string().as_bytes());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{host} {event}");
    }
    let failures = std::fs::read_to_string(home.path().join("hook-failures.jsonl"));
    assert_eq!(failures.unwrap_or_default(), "", "{host}");
    let mut kept = String::new();
    for entry in std::fs::read_dir(home.path().join("journal")).expect("it is kept") {
        let path = entry.expect("it can be listed").path();
        kept.push_str(&std::fs::read_to_string(path).unwrap_or_default());
    }
    (grounds(home), kept)
}

#[test]
fn what_our_own_tools_answer_is_no_news_under_any_hosts_name_for_them() {
    for (host, ours, foreign) in HOSTS {
        for tool in ours {
            let home = Home::new();
            let mut client = home.mcp();
            client.call("remember", json!({"content": CLAIM}));
            // Claude Code hands on the data of an answer, which has no fence to know it by.
            let query = json!({"query": "the staging database"});
            let answer = client.call("recall", query).to_string();
            assert!(answer.contains("6543"), "{answer}");
            client.leave();
            let before = grounds(&home);
            let (after, kept) = told(host, &home, tool, &answer);
            assert_eq!(after, before, "{host} {tool}");
            assert!(!kept.contains("6543"), "{host} {tool}: {kept}");
        }
        // The same words from somebody else's tool are heard, so the silence above says something.
        let home = Home::new();
        let (_, kept) = told(host, &home, foreign, CLAIM);
        assert!(kept.contains("6543"), "{host}: {kept}");
    }
}
