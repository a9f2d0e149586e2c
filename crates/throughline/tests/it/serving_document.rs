//! The document that describes the interface, held against the server.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;
use crate::served::{Heard, Served};

/// Every operation that the document names, called once with what it needs.
#[test]
fn every_operation_of_the_document_is_answered_as_it_says() {
    let home = Home::live();
    let id = home.remember("staging runs Postgres 14 on db1");
    let other = home.remember("staging runs Postgres 16 on db1");
    home.remember("Dana owns the billing service");
    home.remember_with(&["the store is at 14", "--slot", "PostgreSQL|version|14|one"]);
    home.remember_with(&["pg is at 16", "--slot", "pg|version|16|one"]);
    home.remember("We decided to use MySQL for the orders database");
    home.remember("We decided to use SQLite for the orders database");
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears("Which database do we use for orders?");
    agent.answers("Hello.");
    let server = Served::start(&home);
    let document = server.get("/openapi.json");
    let mut called = 0;
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let heard = call(&server, method, path, &id, &other);
            let said = &operation["responses"][heard.status.to_string()];
            let known = said.is_object() || operation["responses"]["default"].is_object();
            assert!(known, "{method} {path} answers {}: {heard:?}", heard.status);
            assert!(heard.status < 400, "{method} {path}: {heard:?}");
            if said["content"]["application/json"]["schema"].is_object() && heard.status < 300 {
                check(
                    &document,
                    &said["content"]["application/json"]["schema"],
                    &heard.json(),
                    path,
                );
            }
            called += 1;
        }
    }
    assert!(called >= 60, "{called}");
}

fn call(server: &Served, method: &str, path: &str, id: &str, other: &str) -> Heard {
    // Each on a memory of its own, so that none is in another's way.
    let kind = if path.ends_with("/done") { "commitment" } else { "fact" };
    let content = format!("{method} {path} was called");
    let place = match path.ends_with("/promote") {
        true => "/api/v1/memories?scope=global",
        false => "/api/v1/memories",
    };
    let fresh = server.post(place, &json!({ "content": content, "kind": kind }));
    let fresh = fresh["memory"]["id"].as_str().expect("an id").to_owned();
    let body: Option<Value> = match path.rsplit('/').next().unwrap_or_default() {
        "memories" if method == "post" => Some(json!({ "content": "made by the document" })),
        "{id}" if method == "patch" => Some(json!({ "label": "edited" })),
        "correct" => Some(json!({ "content": "corrected by the document" })),
        "tags" => Some(json!({ "add": ["x"] })),
        "supersede" => Some(json!({ "by": other })),
        "link" => Some(json!({ "relation": "relates_to", "to": id })),
        "unlink" => {
            let link = json!({ "relation": "relates_to", "to": id });
            server.post(&format!("/api/v1/memories/{fresh}/link"), &link);
            Some(link)
        }
        "merge" => Some(json!({ "keep": "PostgreSQL", "other": "pg" })),
        "alias" => Some(json!({ "name": "Dana", "alias": "Dana Miller" })),
        "feedback" => Some(json!({ "helpful": true })),
        "verify" if path.contains("{id}") => Some(json!({ "outcome": "confirmed" })),
        "purge" if method == "post" => Some(json!({ "confirm": &fresh[fresh.len() - 8..] })),
        "recall" => Some(json!({ "query": "postgres", "explain": true })),
        "read" => Some(json!({ "text": "We use Postgres 16." })),
        "review" if method == "post" => {
            let pair = server.get("/api/v1/review")["contested"][0].clone();
            Some(json!({ "decision": "later", "id": pair["a"]["id"] }))
        }
        "login" if method == "post" => Some(json!({ "token": server.token })),
        _ => None,
    };
    if path.ends_with("/unarchive") {
        server.post(&format!("/api/v1/memories/{fresh}/archive"), &json!({}));
    }
    if path.ends_with("/unsupersede") {
        server.post(&format!("/api/v1/memories/{fresh}/supersede"), &json!({ "by": other }));
    }
    let first = |list: &str| {
        let listed = server.get(&format!("/api/v1/{list}"));
        listed["items"][0]["id"].as_str().expect("there is one").to_owned()
    };
    let named = match path.split('/').nth(3).unwrap_or_default() {
        "told" => first("told"),
        "sessions" if path.contains("{id}") => first("sessions"),
        "turns" => first(&format!("sessions/{}/turns", first("sessions"))),
        _ => fresh,
    };
    let mut path = path.replace("{id}", &named).replace("{name}", "Dana");
    match path.rsplit('/').next().unwrap_or_default() {
        "why-not" => path.push_str("?q=postgres"),
        "login" if method == "get" => path.push_str(&format!("?token={}", server.token)),
        _ => {}
    }
    if path.ends_with("/events") {
        let bearer = format!("Bearer {}", server.token);
        let mut stream = server.connect();
        let head = server.head("GET", &path, &[("Authorization", &bearer)]);
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("it listens");
        let mut heard = [0; 15];
        stream.read_exact(&mut heard).expect("it answers");
        let status = String::from_utf8_lossy(&heard[9..12]).parse().expect("a status");
        return Heard { status, headers: Vec::new(), body: String::new() };
    }
    server.ask(&method.to_uppercase(), &path, &[], body.as_ref())
}

/// Whether a value is what a schema says: types, and that what is required is there.
fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let named = document.pointer(name.trim_start_matches('#')).expect("a schema that is there");
        return check(document, named, value, at);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        check(document, part, value, at);
    }
    if let Some(any) = schema["oneOf"].as_array() {
        let null = any.iter().any(|one| one["type"] == "null");
        if value.is_null() && null {
            return;
        }
        for part in any.iter().filter(|one| one["type"] != "null") {
            check(document, part, value, at);
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = types.is_empty()
        || types.contains(&found)
        || found == "integer" && types.contains(&"number");
    assert!(fits, "{at}: {value} is no {types:?}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().expect("a name")).is_some(), "{at} has no {name}: {value}");
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(held) = value.get(name) {
            check(document, part, held, &format!("{at}.{name}"));
        }
    }
    for held in value.as_array().into_iter().flatten() {
        check(document, &schema["items"], held, at);
    }
}

#[test]
fn the_document_that_is_checked_in_is_the_one_that_is_served() {
    let home = Home::live();
    let served = Served::start(&home).get("/openapi.json");
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let text = serde_json::to_string_pretty(&served).unwrap() + "\n";
    if std::env::var_os("THROUGHLINE_WRITE_OPENAPI").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "docs/openapi.json is older than the server: THROUGHLINE_WRITE_OPENAPI=1 writes it anew"
    );
}
