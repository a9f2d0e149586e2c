//! Who asks the server the same again is told the same without its being worked out again; and never what is no longer so,
//! or what is somebody else's. The clock of these servers stands still, so that nothing but a change makes an answer old.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::served::Served;

/// Asks three times; whoever asks again is told the same.
fn asked_again(server: &Served, path: &str) -> Value {
    let first = server.get(path);
    for _ in 0..2 {
        assert_eq!(server.get(path), first, "{path}");
    }
    first
}

fn contents(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().expect("a list");
    items.iter().map(|item| item["content"].as_str().expect("a text")).collect()
}

#[test]
fn what_another_process_writes_is_in_the_next_answer_to_what_was_asked_before() {
    let home = Home::new();
    let id = home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    let lists = ["/api/v1/memories", "/api/v1/memories?q=runs", "/api/v1/memories?kind=fact"];
    let are = |expected: &[&str]| {
        for path in lists {
            let page = asked_again(&server, path);
            assert_eq!(contents(&page), expected, "{path}");
            assert_eq!(page["total"], json!(expected.len()), "{path}");
        }
        assert_eq!(asked_again(&server, "/api/v1/graph"), home.json(&["graph"]));
    };
    are(&["staging runs Postgres 14"]);
    home.json(&["pin", &id]);
    assert_eq!(asked_again(&server, "/api/v1/memories")["items"][0]["pinned"], json!(true));
    home.json(&["edit", &id, "staging runs Postgres 16"]);
    are(&["staging runs Postgres 16"]);
    home.json(&["undo"]);
    are(&["staging runs Postgres 14"]);
    home.json(&["forget", &id]);
    are(&[]);
    home.json(&["undo"]);
    are(&["staging runs Postgres 14"]);
    home.json(&["purge", &id, "--yes"]);
    are(&[]);
    server.stop("-TERM");
    assert!(home.files_holding("Postgres").is_empty());
}

#[test]
fn what_waits_for_a_person_is_told_as_it_is_after_every_change_of_another_process() {
    let home = Home::new();
    home.remember("We decided to use MySQL for the orders database");
    let server = Served::start(&home);
    let contested = || {
        let review = asked_again(&server, "/api/v1/review");
        review["contested"].as_array().expect("a list").len()
    };
    assert_eq!(contested(), 0);
    home.remember("We decided to use SQLite for the orders database");
    assert_eq!(contested(), 1);
    home.json(&["undo"]);
    assert_eq!(contested(), 0);
}

#[test]
fn an_answer_is_for_the_project_and_the_reach_that_asked() {
    let home = Home::new();
    home.remember("the webshop runs Postgres 14");
    home.remember_with(&["--scope", "global", "the user prefers tabs"]);
    home.from("bank").remember_with(&["the vault runs Postgres 16"]);
    let server = Served::start(&home);
    let projects = server.get("/api/v1/projects");
    let other = projects["items"].as_array().unwrap().iter();
    let bank = other.map(|one| &one["key"]).find(|key| **key != projects["current"]);
    let bank = bank.expect("the other project").as_str().unwrap().replace('/', "%2F");
    let (here, there) = ("/api/v1/memories".to_owned(), format!("/api/v1/memories?project={bank}"));
    for _ in 0..2 {
        assert_eq!(
            contents(&asked_again(&server, &here)),
            ["the user prefers tabs", "the webshop runs Postgres 14"]
        );
        assert_eq!(
            contents(&asked_again(&server, &there)),
            ["the vault runs Postgres 16", "the user prefers tabs"]
        );
        assert!(!asked_again(&server, "/api/v1/graph").to_string().contains("vault"));
    }
}

#[test]
fn a_token_that_was_taken_away_is_refused_what_it_was_told_a_moment_ago() {
    let home = Home::new();
    home.remember("staging runs Postgres 14");
    let made = home.json(&["serve", "token", "add", "ben"]);
    let bearer = format!("Bearer {}", made["token"].as_str().expect("it is told"));
    let server = Served::start(&home);
    let ask = || server.plain("GET", "/api/v1/memories", &[("Authorization", &bearer)], "");
    for _ in 0..2 {
        assert_eq!(ask().status, 200);
        asked_again(&server, "/api/v1/memories");
    }
    home.json(&["serve", "token", "revoke", "ben"]);
    assert_eq!(ask().status, 401);
    let nobody = server.plain("GET", "/api/v1/memories", &[], "");
    assert_eq!(nobody.status, 401);
}
