//! Organised memory over HTTP: the same as on the command line, and the same decisions.

use serde_json::{Value, json};

use crate::gaps::{QUESTION, asked};
use crate::graduating::proven;
use crate::harness::{Home, id_of};
use crate::hooking::Agent;
use crate::served::Served;
use crate::watching::write;

/// Salience fades with every second, wherever a memory stands.
fn without_salience(mut told: Value) -> Value {
    match &mut told {
        Value::Object(parts) => {
            parts.remove("salience");
            parts.values_mut().for_each(|part| *part = without_salience(part.take()));
        }
        Value::Array(parts) => {
            parts.iter_mut().for_each(|part| *part = without_salience(part.take()));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    told
}

#[test]
fn what_is_organised_is_the_same_as_on_the_command_line() {
    let home = Home::live();
    let dana = home.remember_with(&["Dana owns the billing service", "--tag", "people"]);
    home.remember_with(&["Dana wrote the billing report", "--tag", "people"]);
    home.remember("The limit is set in src/http.rs");
    home.json(&["sleep", "--deep"]);
    let agent = Agent::new(&home, "one");
    agent.hears("Does Dana own the billing service? Dana said that Dana does.");
    agent.answers("Yes, Dana owns the billing service.");
    let server = Served::start(&home);
    let similar = format!("/api/v1/memories/{dana}/similar");
    let pairs: [(&str, &[&str]); 12] = [
        ("/api/v1/today", &["today"]),
        ("/api/v1/today?days=7", &["today", "--days", "7"]),
        ("/api/v1/topics", &["topics"]),
        ("/api/v1/boxes", &["boxes"]),
        ("/api/v1/focus", &["focus"]),
        ("/api/v1/focus?session=one", &["--session", "one", "focus"]),
        ("/api/v1/entities", &["entity", "list"]),
        (
            "/api/v1/entities?kind=person&limit=1",
            &["entity", "list", "--kind", "person", "--limit", "1"],
        ),
        ("/api/v1/entities/Dana", &["entity", "show", "Dana"]),
        ("/api/v1/entities/src%2Fhttp.rs", &["entity", "show", "src/http.rs"]),
        ("/api/v1/about/my%20project", &["about", "my project"]),
        (&similar, &["similar", &dana]),
    ];
    for (route, command) in pairs {
        let served = without_salience(server.get(route));
        assert_eq!(served, without_salience(home.json(command)), "{route}");
    }
    let lists =
        [("topics", "items"), ("boxes", "items"), ("entities", "items"), ("today", "learned")];
    for (route, list) in lists {
        let told = server.get(&format!("/api/v1/{route}"));
        assert!(told[list].as_array().is_some_and(|list| !list.is_empty()), "{route}: {told}");
    }
    for wrong in ["today?days=0", "today?days=367", "entities?kind=planet"] {
        let heard = server.ask("GET", &format!("/api/v1/{wrong}"), &[], None);
        assert_eq!(heard.status, 400, "{wrong}: {heard:?}");
    }
    let unknown = server.ask("GET", "/api/v1/entities/Nobody", &[], None);
    assert_eq!(unknown.status, 404, "{unknown:?}");
}

#[test]
fn names_are_joined_and_promises_done_over_http_and_undo_takes_it_back() {
    let home = Home::live();
    home.remember_with(&["the store is at 14", "--slot", "PostgreSQL|version|14|one"]);
    home.remember_with(&["pg_dump runs at night", "--slot", "pg|dumped|at night|one"]);
    let server = Served::start(&home);
    let named =
        server.post("/api/v1/entities/alias", &json!({ "name": "pg", "alias": "the dump" }));
    assert_eq!(named["entity"]["aliases"], json!(["the dump"]), "{named}");
    let body = json!({ "keep": "PostgreSQL", "other": "pg" });
    let merged = server.post("/api/v1/entities/merge", &body);
    assert_eq!(merged["entity"]["name"], "PostgreSQL", "{merged}");
    assert_eq!(server.get("/api/v1/entities/pg")["name"], "PostgreSQL");
    server.post("/api/v1/undo", &json!({ "batch": merged["batch"] }));
    assert_eq!(server.get("/api/v1/entities/pg")["name"], "pg");

    for name in ["merge", "alias"] {
        home.remember_with(&["it is called so", "--slot", &format!("{name}|is called|{name}|one")]);
        assert_eq!(server.get(&format!("/api/v1/entities/{name}"))["name"], name);
    }

    let promise = home.remember_with(&["I will renew the certificate", "--kind", "commitment"]);
    let done = server.post(&format!("/api/v1/memories/{promise}/done"), &json!({}));
    assert_eq!(id_of(&done["memory"]), promise);
    assert_ne!(home.show(&promise)["valid_until"], Value::Null);
    server.post("/api/v1/undo", &json!({ "batch": done["batch"] }));
    assert_eq!(home.show(&promise)["valid_until"], Value::Null);
}

#[test]
fn a_question_without_an_answer_is_answered_or_left_over_http() {
    let home = Home::new();
    asked(&home, QUESTION).ends();
    let server = Served::start(&home);
    let gap = id_of(&server.get("/api/v1/review")["gaps"][0]);
    let bare = json!({ "decision": "accept", "id": gap });
    let heard = server.ask("POST", "/api/v1/review", &[], Some(&bare));
    assert_eq!(heard.status, 400, "{heard:?}");
    assert!(heard.json()["hint"].as_str().is_some_and(|hint| hint.contains("`text`")), "{heard:?}");
    let answer = "We evict by LRU because it is simple";
    let body = json!({ "decision": "accept", "id": gap, "text": answer });
    let decided = server.post("/api/v1/review", &body);
    assert_eq!(decided["decided"]["ruling"], "answered", "{decided}");
    assert_eq!(decided["gaps"], json!([]));
    assert_eq!(home.texts(&["search", "LRU"]), [answer]);

    server.post("/api/v1/undo", &json!({ "batch": decided["batch"] }));
    let body = json!({ "decision": "reject", "id": gap, "reason": "not ours" });
    let left = server.post("/api/v1/review", &body);
    assert_eq!(left["decided"], json!({ "ids": [gap], "ruling": "rejected" }));
    assert_eq!(left["gaps"], json!([]));
}

#[test]
fn a_line_for_a_file_is_shown_as_the_file_is_now_and_accepted_over_http() {
    let home = Home::new();
    let rules = "# Webshop\n\n- Use pnpm, never npm\n";
    write(&home, "CLAUDE.md", rules);
    let memory = proven(&home);
    home.json(&["sleep"]);
    let server = Served::start(&home);
    let stale = server.get("/api/v1/review")["graduation"][0]["id"].clone();
    // The file changes before it is decided: what is shown is made for the file as it is.
    let rules = format!("{rules}- Never push on Fridays\n");
    write(&home, "CLAUDE.md", &rules);
    let shown = server.get("/api/v1/review")["graduation"][0].clone();
    assert_ne!(shown["id"], stale, "{shown}");
    assert!(shown["diff"].as_str().is_some_and(|diff| diff.contains("Fridays")), "{shown}");
    let body = json!({ "decision": "accept", "id": shown["id"] });
    let decided = server.post("/api/v1/review", &body);
    assert_eq!(decided["decided"], json!({ "ids": [memory], "ruling": "accepted" }));
    assert_eq!(decided["graduation"], json!([]));
    let read = || std::fs::read_to_string(home.project().join("CLAUDE.md")).expect("it is there");
    assert!(read().starts_with(&rules) && read().contains("two approvals"), "{}", read());
    server.post("/api/v1/undo", &json!({ "batch": decided["batch"] }));
    assert_eq!(read(), rules);
}
