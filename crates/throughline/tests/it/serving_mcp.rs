//! MCP over HTTP: the same tools, for clients of both eras.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::served::{Heard, Served};

const TYPES: (&str, &str) = ("Accept", "application/json, text/event-stream");

fn rpc(server: &Served, more: &[(&str, &str)], message: &Value) -> Heard {
    let mut headers = vec![TYPES];
    headers.extend_from_slice(more);
    server.ask("POST", "/mcp", &headers, Some(message))
}

/// The message in an answer, which may be a stream of events.
fn message(heard: &Heard) -> Value {
    if heard.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        return heard.json();
    }
    let data = heard.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|text| serde_json::from_str::<Value>(text.trim()).ok());
    messages.next_back().unwrap_or_else(|| panic!("no message in {heard:?}"))
}

#[test]
fn a_client_of_the_older_era_opens_a_session_and_calls_tools() {
    let home = Home::live();
    let server = Served::start(&home);
    let who = json!({ "name": "a-client", "version": "1" });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who } });
    let opened = rpc(&server, &[], &hello);
    assert_eq!(opened.status, 200, "{opened:?}");
    assert_eq!(message(&opened)["result"]["serverInfo"]["name"], "throughline");
    let session = opened.header("mcp-session-id").expect("a session").to_owned();
    let within = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(rpc(&server, &within, &ready).status, 202);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params":
        { "name": "remember", "arguments": { "content": "staging runs Postgres 14" } } });
    let told = message(&rpc(&server, &within, &call));
    assert!(!told["result"]["isError"].as_bool().unwrap_or(false), "{told}");
    // By tools an agent speaks, whoever has the token.
    let kept = home.json(&["list", "--all"]);
    assert_ne!(kept["items"][0]["authority"], "user_stated", "{kept}");
    let ask = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params":
        { "name": "recall", "arguments": { "query": "which postgres runs staging?" } } });
    assert!(message(&rpc(&server, &within, &ask)).to_string().contains("Postgres 14"));
    assert_eq!(home.json(&["told"])["items"][0]["agent"], "a-client");
    // Whoever ends the session hears that it has ended; afterwards it is not there.
    let ended = server.ask("DELETE", "/mcp", &within, None);
    assert_eq!((ended.status, ended.body.as_str()), (204, ""), "{ended:?}");
    assert_eq!(rpc(&server, &within, &ask).status, 404);
}

#[test]
fn a_client_of_the_later_era_asks_without_a_session() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "later", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        { "name": "recall", "arguments": { "query": "which postgres runs staging?" }, "_meta": meta } });
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall"),
    ];
    let heard = rpc(&server, &headers, &ask);
    assert_eq!(heard.status, 200, "{heard:?}");
    assert!(message(&heard).to_string().contains("Postgres 14"), "{heard:?}");
}

#[test]
fn a_client_may_name_its_project() {
    let home = Home::live();
    home.remember("the webshop runs Postgres 14");
    home.from("bank").remember_with(&["the bank runs Oracle"]);
    let server = Served::start(&home);
    let projects = server.get("/api/v1/projects");
    let other =
        projects["items"].as_array().unwrap().iter().find(|one| one["key"] != projects["current"]);
    let key = other.expect("the other project")["key"].as_str().unwrap().replace('/', "%2F");
    let who = json!({ "name": "a-client", "version": "1" });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who } });
    let path = format!("/mcp?project={key}");
    let opened = server.ask("POST", &path, &[TYPES], Some(&hello));
    let session = opened.header("mcp-session-id").expect("a session").to_owned();
    let within = [TYPES, ("Mcp-Session-Id", session.as_str())];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    server.ask("POST", &path, &within, Some(&ready));
    let ask = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params":
        { "name": "recall", "arguments": { "query": "which database is run?" } } });
    let told = message(&server.ask("POST", &path, &within, Some(&ask))).to_string();
    assert!(told.contains("Oracle") && !told.contains("Postgres"), "{told}");
    let nowhere = server.ask("POST", "/mcp?project=nowhere", &[TYPES], Some(&hello));
    assert_eq!(nowhere.status, 404);
}
