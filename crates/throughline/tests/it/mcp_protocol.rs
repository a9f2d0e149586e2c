//! The server and the protocol: both eras, what real clients send, what nobody should send.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::mcp_client::{Client, Era};

const TOOLS: [&str; 10] = [
    "recall", "remember", "expand", "why", "relate", "correct", "verify", "feedback", "archive",
    "review",
];

fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().expect("a list");
    items.iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

#[test]
fn both_eras_see_the_same_tools_in_the_same_order() {
    let home = Home::new();
    let (mut early, mut late) = (home.mcp(), home.mcp_stateless());
    let old = early.get("tools/list", json!({}));
    let new = late.get("tools/list", json!({}));
    assert_eq!(names(&old["tools"]), TOOLS);
    assert_eq!(old["tools"], new["tools"]);
    assert_eq!(new["resultType"], "complete");
    assert!(new["ttlMs"].is_number() && old.get("ttlMs").is_none(), "{old}");
    assert_eq!(early.get("tools/list", json!({})), old, "and every time");
}

#[test]
fn the_list_of_tools_costs_little() {
    let home = Home::new();
    let list = home.mcp().get("tools/list", json!({}));
    let bytes = list.to_string().len();
    assert!(bytes <= 6 * 1024, "{bytes} bytes");
}

#[test]
fn annotations_say_what_a_tool_may_do() {
    let home = Home::new();
    let list = home.mcp().get("tools/list", json!({}));
    let of = |name: &str, hint: &str| {
        let tool = list["tools"].as_array().unwrap().iter().find(|one| one["name"] == name);
        tool.unwrap()["annotations"][hint].clone()
    };
    for name in TOOLS {
        let reads = ["recall", "expand", "why", "review"].contains(&name);
        assert_eq!(of(name, "readOnlyHint"), reads, "{name}");
        let takes_away = ["correct", "verify", "archive"].contains(&name);
        let expected = if reads { Value::Null } else { takes_away.into() };
        assert_eq!(of(name, "destructiveHint"), expected, "{name}");
        assert_eq!(of(name, "openWorldHint"), false, "{name}");
    }
    let always: Vec<&str> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["_meta"]["anthropic/alwaysLoad"] == true)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(always, ["recall", "remember"]);
}

#[test]
fn discovery_says_who_we_are_and_how_to_use_us() {
    let home = Home::new();
    let mut client = Client::start(home.command(), &["mcp"], Era::Stateless);
    let found = client.get("server/discover", json!({}));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "throughline", "{found}");
    let words = found["instructions"].as_str().unwrap();
    assert!(words.len() < 2_048 && words.contains("recall"), "{words}");
}

/// What real clients sent to a server of another name, with tools of the same names.
const RECORDED: [(&str, &str); 4] = [
    ("claude", include_str!("../fixtures/mcp/claude.in")),
    ("codex", include_str!("../fixtures/mcp/codex.in")),
    ("gemini", include_str!("../fixtures/mcp/gemini.in")),
    ("opencode", include_str!("../fixtures/mcp/opencode.in")),
];

#[test]
fn what_real_clients_send_is_answered() {
    for (client, recorded) in RECORDED {
        // A recording holds several connections, one after the other.
        let mut connections: Vec<Vec<&str>> = Vec::new();
        for line in recorded.lines().filter(|line| !line.trim().is_empty()) {
            let begins = line.contains("\"initialize\"") || line.contains("server/discover");
            if begins || connections.is_empty() {
                connections.push(Vec::new());
            }
            connections.last_mut().unwrap().push(line);
        }
        for lines in connections {
            let home = Home::new();
            let mut server = Client::start(home.command(), &["mcp"], Era::Handshake);
            let asked: Vec<Value> = lines
                .iter()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
                .filter(|id| !id.is_null())
                .collect();
            let mut answers = Vec::new();
            for line in &lines {
                server.send(line);
            }
            let (left, _) = server.leave();
            answers.extend(left);
            let cancelled = lines.iter().any(|line| line.contains("notifications/cancelled"));
            for id in &asked {
                let answer = answers.iter().find(|one| one["id"] == *id);
                let Some(answer) = answer else {
                    assert!(cancelled, "{client}: {id} was not answered");
                    continue;
                };
                assert!(answer.get("error").is_none(), "{client}: {answer}");
            }
        }
    }
}

#[test]
fn what_is_no_message_is_answered_and_the_server_lives_on() {
    let home = Home::new();
    let mut client = Client::start(home.command(), &["mcp"], Era::Handshake);
    // Before hello nobody waits for anything but requests.
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
    client.send("not json {");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.send("[]");
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#);
    assert_eq!(client.receive()["id"], 7);
    let who = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": who });
    let answer = client.ask("initialize", hello);
    assert!(answer["result"]["protocolVersion"].is_string(), "{answer}");
    for (line, code) in [
        (
            r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"recall","arguments":"x"}}"#,
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":21,"method":"tools/call"}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":22,"method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":"purge"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":24,"method":"prompts/get","params":{"name":"nope"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":25,"method":"prompts/get","params":{"name":"recap"}}"#, -32602),
        (r#"{"jsonrpc":"1.0","id":26,"method":"tools/list"}"#, -32600),
    ] {
        client.send(line);
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    assert_eq!(client.call("recall", json!({ "query": "anything" }))["items"], json!([]));
}

#[test]
fn who_speaks_the_later_protocol_shakes_no_hands() {
    let home = Home::new();
    let mut client = home.mcp_stateless();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        assert_eq!(client.ask(method, json!({}))["error"]["code"], -32601, "{method}");
    }
    assert_eq!(client.call("recall", json!({ "query": "anything" }))["items"], json!([]));
}

#[test]
fn a_message_that_is_far_too_long_is_refused_by_its_id() {
    let home = Home::new();
    let mut client = home.mcp();
    let huge = "x".repeat(5 << 20);
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"remember","arguments":{{"content":"{huge}"}}}}}}"#
    );
    client.send(&call);
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(77), &json!(-32600)), "{answer}");
    let long = client.fail("remember", json!({ "content": "y".repeat(100_000) }));
    assert!(long["message"].as_str().unwrap().contains("bytes"), "{long}");
    client.call("remember", json!({ "content": "the server lives on" }));
}

#[test]
fn what_is_not_there_is_not_found_in_the_words_of_each_era() {
    let home = Home::new();
    home.remember("something to find");
    for (mut client, code) in [(home.mcp(), -32002), (home.mcp_stateless(), -32602)] {
        for uri in
            ["throughline://memory/abcdefabcdef", "throughline://entity/nobody", "file:///etc"]
        {
            let answer = client.ask("resources/read", json!({ "uri": uri }));
            assert_eq!(answer["error"]["code"], code, "{answer}");
        }
    }
}

#[test]
fn resources_and_prompts_tell_what_memory_holds() {
    let home = Home::new();
    let id = home.remember_with(&[
        "staging runs Postgres 16",
        "--kind",
        "decision",
        "--slot",
        "staging|runs|Postgres 16|one",
    ]);
    let mut client = home.mcp();
    let listed = client.get("resources/list", json!({}));
    assert_eq!(names(&listed["resources"]), ["brief"]);
    let templates = client.get("resources/templates/list", json!({}));
    assert_eq!(names(&templates["resourceTemplates"]), ["memory", "entity"]);
    let mut read = |uri: &str| {
        let found = client.get("resources/read", json!({ "uri": uri }));
        found["contents"][0]["text"].as_str().unwrap().to_owned()
    };
    for uri in [
        "throughline://brief".to_owned(),
        format!("throughline://memory/{id}"),
        "throughline://entity/staging".to_owned(),
        "throughline://entity/STAGING".to_owned(),
    ] {
        assert!(read(&uri).contains("staging runs Postgres 16"), "{uri}");
    }
    let prompts = client.get("prompts/list", json!({}));
    assert_eq!(names(&prompts["prompts"]), ["brief", "recap"]);
    let recap = json!({ "name": "recap", "arguments": { "topic": "staging" } });
    for prompt in [json!({ "name": "brief" }), recap] {
        let said = client.get("prompts/get", prompt);
        let text = said["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("staging runs Postgres 16"), "{text}");
    }
}

#[test]
fn the_server_ends_soon_after_its_client() {
    let home = Home::live();
    let mut client = home.mcp();
    client.call("remember", json!({ "content": "the last words are kept" }));
    client.call("recall", json!({ "query": "last words" }));
    let (left, took) = client.leave();
    assert!(left.is_empty(), "{left:?}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    let quiet = Client::start(home.command(), &["mcp"], Era::Handshake);
    let (left, took) = quiet.leave();
    assert!(left.is_empty() && took < Duration::from_secs(1), "{left:?} {took:?}");
}

#[test]
fn what_was_asked_before_the_pipe_closed_is_still_answered() {
    let home = Home::new();
    let mut client = home.mcp();
    for id in 100..120 {
        let call =
            json!({ "name": "remember", "arguments": { "content": format!("claim number {id}") } });
        client.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })
                .to_string(),
        );
    }
    let (left, _) = client.leave();
    assert_eq!(left.len(), 20);
    assert_eq!(home.texts(&["list"]).len(), 20);
}

#[test]
fn switched_off_it_answers_politely_and_touches_nothing() {
    let home = Home::new();
    let mut command = home.command();
    command.env("THROUGHLINE_DISABLE", "1");
    let mut client = Client::greet(command, &["mcp"], Era::Handshake);
    assert_eq!(names(&client.get("tools/list", json!({}))["tools"]), TOOLS);
    for (name, arguments) in
        [("recall", json!({ "query": "x y z" })), ("remember", json!({ "content": "x" }))]
    {
        let told = client.fail(name, arguments);
        assert_eq!(told["error"], "off");
    }
    client.leave();
    assert!(!home.path().exists(), "nothing was touched");

    home.run(&["config", "set", "enabled", "false"]);
    let mut client = home.mcp_profile("server-memory");
    let (text, failed) = client.text("read_graph", json!({}));
    assert!(failed && text.contains("switched off"), "{text}");
    assert!(!home.database().exists());
}

#[test]
fn a_home_that_cannot_be_used_is_an_answer_and_no_end() {
    let home = Home::new();
    std::fs::write(home.path(), "a file in its place").unwrap();
    let mut client = home.mcp();
    for _ in 0..2 {
        let told = client.fail("recall", json!({ "query": "anything" }));
        assert!(!told["message"].as_str().unwrap().is_empty(), "{told}");
    }
}
