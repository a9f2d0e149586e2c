//! The official memory server's tools over our store: its list, its answers, and what it lacks.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::mcp_client::{Client, Era};

const TOOLS: &str = include_str!("../fixtures/mcp/server-memory-tools.json");
const KEPT: &str = include_str!("../fixtures/mcp/server-memory.jsonl");

fn entity(name: &str, kind: &str, observations: &[&str]) -> Value {
    json!({ "name": name, "entityType": kind, "observations": observations })
}

fn relation(from: &str, to: &str, kind: &str) -> Value {
    json!({ "from": from, "to": to, "relationType": kind })
}

#[test]
fn the_list_of_tools_is_the_official_one_key_for_key() {
    let home = Home::new();
    let official: Value = serde_json::from_str(TOOLS).unwrap();
    let list = home.mcp_profile("server-memory").get("tools/list", json!({}));
    assert_eq!(list, official);
    let profile = ["mcp", "--profile", "server-memory"];
    let mut later = Client::greet(home.command(), &profile, Era::Stateless);
    let list = later.get("tools/list", json!({}));
    assert_eq!(list["tools"], official["tools"]);
    assert_eq!((&list["resultType"], list["ttlMs"].is_number()), (&json!("complete"), true));
}

#[test]
fn it_says_of_itself_what_the_official_one_says() {
    let home = Home::new();
    let profile = ["mcp", "--profile", "server-memory"];
    let mut client = Client::start(home.command(), &profile, Era::Handshake);
    let who = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who });
    let answer = client.get("initialize", hello);
    assert_eq!(
        answer,
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": { "listChanged": true },
                "resources": { "listChanged": true, "subscribe": true },
            },
            "serverInfo": { "name": "memory-server", "version": "0.6.3" },
        })
    );
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let missing = "[\n  {\n    \"expected\": \"string\",\n    \"code\": \"invalid_type\",\n    \"path\": [\n      \"params\",\n      \"uri\"\n    ],\n    \"message\": \"Invalid input: expected string, received undefined\"\n  }\n]";
    for (method, params, code, message) in [
        ("prompts/list", json!({}), -32601, "Method not found"),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "b" } }),
            -32601,
            "Method not found",
        ),
        ("no/such", json!({}), -32601, "Method not found"),
        (
            "resources/read",
            json!({ "uri": "memory://nope" }),
            -32602,
            "MCP error -32602: Resource memory://nope not found",
        ),
        ("resources/read", json!({ "uri": "not a uri" }), -32603, "Invalid URL"),
        ("resources/read", json!({}), -32603, missing),
        ("resources/subscribe", json!({}), -32603, missing),
    ] {
        let answer = client.ask(method, params);
        assert_eq!(answer["error"], json!({ "code": code, "message": message }), "{method}");
    }
    let (text, failed) = client.text("purge", json!({}));
    assert!(failed && text == "MCP error -32602: Tool purge not found", "{text}");
}

#[test]
fn whoever_listens_hears_of_changes_in_either_era() {
    let home = Home::new();
    let made = |name: &str| json!({ "entities": [entity(name, "person", &[])] });
    let mut early = home.mcp_profile("server-memory");
    early.get("resources/subscribe", json!({ "uri": "memory://knowledge-graph" }));
    let call = json!({ "name": "create_entities", "arguments": made("Ann") });
    early.send(
        &json!({ "jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": call }).to_string(),
    );
    let heard = early.receive();
    assert_eq!(heard["method"], "notifications/resources/updated", "{heard}");
    assert_eq!(heard["params"]["uri"], "memory://knowledge-graph");
    assert_eq!(early.receive()["id"], 50);
    early.get("resources/unsubscribe", json!({ "uri": "memory://knowledge-graph" }));
    early.call("create_entities", made("Bob"));

    let profile = ["mcp", "--profile", "server-memory"];
    let mut late = Client::greet(home.command(), &profile, Era::Stateless);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({ "resourceSubscriptions": ["memory://knowledge-graph", "file:///etc"] });
    let listen = json!({ "notifications": wanted, "_meta": meta });
    late.send(
        &json!({ "jsonrpc": "2.0", "id": 60, "method": "subscriptions/listen", "params": listen })
            .to_string(),
    );
    let accepted = late.receive();
    assert_eq!(
        accepted["params"]["notifications"]["resourceSubscriptions"],
        json!(["memory://knowledge-graph"]),
        "{accepted}"
    );
    let call = json!({ "name": "create_entities", "arguments": made("Eve"), "_meta": meta });
    late.send(
        &json!({ "jsonrpc": "2.0", "id": 61, "method": "tools/call", "params": call }).to_string(),
    );
    let heard = [late.receive(), late.receive()];
    assert!(heard.iter().any(|one| one["id"] == 61), "{heard:?}");
    assert!(
        heard.iter().any(|one| one["params"]["uri"] == "memory://knowledge-graph"),
        "{heard:?}"
    );
}

#[test]
fn names_may_be_as_long_as_the_official_server_lets_them() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    let (name, kind) = ("N".repeat(20_000), "K".repeat(20_000));
    let made = entity(&name, &kind, &[&"O".repeat(200_000)]);
    client.call("create_entities", json!({ "entities": [made] }));
    let tie = relation(&name, &"M".repeat(20_000), &kind);
    client.call("create_relations", json!({ "relations": [tie] }));
    let opened = client.call("open_nodes", json!({ "names": [name] }));
    assert_eq!(opened, json!({ "entities": [made], "relations": [tie] }));
    client.call("delete_entities", json!({ "entityNames": [name] }));
    assert_eq!(client.call("read_graph", json!({})), json!({ "entities": [], "relations": [] }));
    home.assert_sound();
}

#[test]
fn recorded_answers_are_given_word_for_word() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    let made = client.try_call(
        "create_entities",
        json!({ "entities": [entity("Ann", "person", &["likes tea"]), entity("Acme", "org", &[])] }),
    );
    let text = "[\n  {\n    \"name\": \"Ann\",\n    \"entityType\": \"person\",\n    \"observations\": [\n      \"likes tea\"\n    ]\n  },\n  {\n    \"name\": \"Acme\",\n    \"entityType\": \"org\",\n    \"observations\": []\n  }\n]";
    assert_eq!(made["content"][0]["text"], text);
    assert!(made.get("isError").is_none());
    let (text, failed) = client.text(
        "add_observations",
        json!({ "observations": [{ "entityName": "Bob", "contents": ["x"] }] }),
    );
    assert!(failed);
    assert_eq!(text, "Entity with name Bob not found");
    let (text, _) = client.text("create_relations", json!({ "relations": [{ "from": 1 }] }));
    assert_eq!(
        text,
        "MCP error -32602: Input validation error: Invalid arguments for tool create_relations: \
         Invalid input: expected string, received number at relations[0].from\n\
         Invalid input: expected string, received undefined at relations[0].to\n\
         Invalid input: expected string, received undefined at relations[0].relationType"
    );
}

#[test]
fn what_fails_half_way_keeps_nothing() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    client.call("create_entities", json!({ "entities": [entity("Ann", "person", &[])] }));
    let additions = json!([
        { "entityName": "Ann", "contents": ["kept?"] },
        { "entityName": "Nobody", "contents": ["x"] },
    ]);
    assert!(client.text("add_observations", json!({ "observations": additions })).1);
    let graph = client.call("read_graph", json!({}));
    assert_eq!(graph["entities"][0]["observations"], json!([]));
}

#[test]
fn what_is_put_there_is_recalled_goes_with_it_and_comes_back() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    client.call(
        "create_entities",
        json!({ "entities": [entity("Alice", "person", &["prefers green tea"])] }),
    );
    client
        .call("create_relations", json!({ "relations": [relation("Alice", "Acme", "works_at")] }));
    let recall =
        || home.texts(&["--scope", "global", "recall", "what does Alice prefer to drink, tea?"]);
    assert!(recall().contains(&"Alice: prefers green tea".to_owned()), "{:?}", recall());
    let works = home.texts(&["--scope", "global", "search", "Acme"]);
    assert_eq!(works, ["Alice works at Acme"]);

    let taken =
        json!({ "deletions": [{ "entityName": "Alice", "observations": ["prefers green tea"] }] });
    client.call("delete_observations", taken);
    assert!(!recall().contains(&"Alice: prefers green tea".to_owned()));
    let added =
        json!({ "observations": [{ "entityName": "Alice", "contents": ["prefers green tea"] }] });
    client.call("add_observations", added);
    assert!(recall().contains(&"Alice: prefers green tea".to_owned()));
    assert_eq!(home.texts(&["--scope", "global", "list", "--all"]).len(), 3, "one memory each");
    home.assert_sound();
}

#[test]
fn what_the_user_said_is_not_put_away_with_a_tools_copy() {
    let home = Home::new();
    home.run(&["--scope", "global", "remember", "Alice: prefers green tea"]);
    let mut client = home.mcp_profile("server-memory");
    client.call(
        "create_entities",
        json!({ "entities": [entity("Alice", "person", &["prefers green tea"])] }),
    );
    client.call("delete_entities", json!({ "entityNames": ["Alice"] }));
    assert_eq!(home.texts(&["--scope", "global", "list"]), ["Alice: prefers green tea"]);
}

#[test]
fn what_the_user_put_away_is_not_taken_out_by_a_tool() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    let made = json!({ "entities": [entity("Alice", "person", &["prefers green tea"])] });
    client.call("create_entities", made.clone());
    let found = home.json(&["--scope", "global", "search", "green tea"]);
    let id = found["items"][0]["id"].as_str().unwrap();
    home.run(&["--scope", "global", "archive", id]);
    client.call("delete_entities", json!({ "entityNames": ["Alice"] }));
    client.call("create_entities", made);
    let graph = client.call("read_graph", json!({}));
    assert_eq!(graph["entities"][0]["observations"], json!(["prefers green tea"]), "word for word");
    assert_eq!(home.json(&["--scope", "global", "show", id])["state"], "archived");
}

#[test]
fn the_graph_is_the_same_from_every_folder_unless_asked_otherwise() {
    let home = Home::new();
    let made = json!({ "entities": [entity("Alice", "person", &[])] });
    home.mcp_profile("server-memory").call("create_entities", made);
    let other = home.from("other");
    let profile = ["mcp", "--profile", "server-memory"];
    let mut there = Client::greet(other.command(), &profile, Era::Stateless);
    assert_eq!(there.call("read_graph", json!({}))["entities"].as_array().unwrap().len(), 1);
    let walled = ["--scope", "project", "mcp", "--profile", "server-memory"];
    let mut there = Client::greet(other.command(), &walled, Era::Handshake);
    assert_eq!(there.call("read_graph", json!({}))["entities"], json!([]));
}

#[test]
fn two_servers_lose_none_of_four_hundred_writes() {
    let home = Home::live();
    std::thread::scope(|scope| {
        // A home follows its clock from one thread; each writer has its own way in.
        let home = home.path();
        let writers = ["left", "right"].map(|who| {
            let home = home.clone();
            scope.spawn(move || {
                let mut command = crate::harness::bare();
                command.arg("--home").arg(&home);
                let mut client =
                    Client::greet(command, &["mcp", "--profile", "server-memory"], Era::Handshake);
                for number in 0..200 {
                    let made =
                        json!({ "entities": [entity(&format!("{who} {number}"), "thing", &[])] });
                    client.call("create_entities", made);
                }
            })
        });
        for writer in writers {
            writer.join().unwrap();
        }
    });
    let graph = home.mcp_profile("server-memory").call("read_graph", json!({}));
    assert_eq!(graph["entities"].as_array().unwrap().len(), 400);
}

#[test]
fn what_the_official_server_kept_is_read_in_once() {
    let home = Home::new();
    let file = home.outside("memory.jsonl");
    std::fs::write(&file, KEPT).unwrap();
    let done = home.json(&["import", &home.arg("memory.jsonl")]);
    assert_eq!(
        (&done["entities"], &done["observations"], &done["relations"]),
        (&json!(2), &json!(1), &json!(1))
    );
    let again = home.json(&["import", &home.arg("memory.jsonl"), "--format", "server-memory"]);
    assert_eq!((&again["entities"], &again["known"]), (&json!(0), &json!(3)));
    let graph = home.mcp_profile("server-memory").call("read_graph", json!({}));
    assert_eq!(
        graph,
        json!({
            "entities": [entity("Ann", "person", &["likes tea"]), entity("Acme", "org", &[])],
            "relations": [relation("Ann", "Acme", "works at")],
        })
    );
    std::fs::write(&file, "{\"type\":\"entity\",\"name\":\"Ann\"}\n").unwrap();
    let (code, error) = home.error(&["import", &home.arg("memory.jsonl")]);
    assert_eq!((code, &error["code"]), (1, &json!("bad_file")));
}

#[test]
fn the_official_servers_file_is_taken_over_on_first_use() {
    let home = Home::new();
    std::fs::write(home.outside("memory.jsonl"), KEPT).unwrap();
    let server = || {
        let mut command = home.command();
        command.env("MEMORY_FILE_PATH", home.outside("memory.jsonl"));
        Client::greet(command, &["mcp", "--profile", "server-memory"], Era::Handshake)
    };
    let mut client = server();
    assert_eq!(
        client.call("open_nodes", json!({ "names": ["Ann"] }))["relations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    client.call("delete_entities", json!({ "entityNames": ["Ann", "Acme"] }));
    drop(client.leave());
    assert_eq!(
        server().call("read_graph", json!({}))["entities"],
        json!([]),
        "what was deleted stays so"
    );
    assert_eq!(std::fs::read_to_string(home.outside("memory.jsonl")).unwrap(), KEPT);
}

#[test]
fn whoever_subscribed_hears_of_changes() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    client.get("resources/subscribe", json!({ "uri": "memory://knowledge-graph" }));
    let call = json!({ "name": "create_entities", "arguments": { "entities": [entity("Ann", "person", &[])] } });
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": call }).to_string(),
    );
    let two = [client.receive(), client.receive()];
    assert!(two.iter().any(|one| one["method"] == "notifications/resources/updated"), "{two:?}");
    assert!(two.iter().any(|one| one["id"] == 50), "{two:?}");
}

#[test]
fn an_export_brings_the_graph_along() {
    let home = Home::new();
    let made = json!({ "entities": [entity("Alice", "person", &["a", "b", "a"])] });
    home.mcp_profile("server-memory").call("create_entities", made);
    let before = home.mcp_profile("server-memory").call("read_graph", json!({}));
    let file = home.arg("all.jsonl");
    home.run(&["export", "--output", &file]);
    home.wipe();
    home.run(&["import", &file]);
    assert_eq!(home.mcp_profile("server-memory").call("read_graph", json!({})), before);
    home.assert_sound();
}

#[test]
fn graphs_of_two_homes_grow_together() {
    let (here, there) = (Home::new(), Home::new());
    there.remember("the other home has a memory of its own");
    let graph = |home: &Home, observations: &[&str]| {
        let mut client = home.mcp_profile("server-memory");
        client.call(
            "create_entities",
            json!({ "entities": [entity("Alice", "person", observations)] }),
        );
        client.call(
            "create_relations",
            json!({ "relations": [relation("Alice", "Acme", "works at")] }),
        );
    };
    graph(&here, &["likes tea", "speaks Dutch"]);
    graph(&there, &["likes tea", "plays the cello"]);
    let file = here.arg("theirs.jsonl");
    there.run(&["export", "--output", &file]);
    for _ in 0..2 {
        assert_eq!(here.run(&["import", &file, "--trust"]).code, 0);
        let both = here.mcp_profile("server-memory").call("read_graph", json!({}));
        let alice = entity("Alice", "person", &["likes tea", "speaks Dutch", "plays the cello"]);
        assert_eq!(
            both,
            json!({ "entities": [alice], "relations": [relation("Alice", "Acme", "works at")] })
        );
    }
    here.assert_sound();
}

#[test]
fn an_erased_observation_is_gone_from_the_graph_and_from_every_byte() {
    let home = Home::new();
    let mut client = home.mcp_profile("server-memory");
    let made = json!({ "entities": [entity("Alice", "person", &["collects zeppelinword stamps", "likes tea"])] });
    client.call("create_entities", made);
    drop(client.leave());
    let found = home.json(&["--scope", "global", "search", "zeppelinword"]);
    let id = found["items"][0]["id"].as_str().unwrap();
    assert_eq!(home.run(&["--scope", "global", "purge", id, "--yes"]).code, 0);
    assert_eq!(home.files_holding("zeppelinword"), Vec::<std::path::PathBuf>::new());
    let mut client = home.mcp_profile("server-memory");
    let graph = client.call("read_graph", json!({}));
    assert_eq!(graph["entities"][0]["observations"], json!(["likes tea"]));
    let again = json!({ "observations": [{ "entityName": "Alice", "contents": ["collects zeppelinword stamps"] }] });
    let (text, failed) = client.text("add_observations", again);
    assert!(failed && text.contains("erased"), "{text}");
    home.assert_sound();
}

#[test]
fn secrets_are_taken_out_of_what_is_put_there() {
    let home = Home::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut client = home.mcp_profile("server-memory");
    let made =
        json!({ "entities": [entity("bot", "account", &[&format!("logs in with {secret}")])] });
    let told = client.call("create_entities", made);
    assert!(!told.to_string().contains(secret), "{told}");
    drop(client.leave());
    assert_eq!(home.files_holding(secret), Vec::<std::path::PathBuf>::new());
}
