//! What an agent can look up by tools beside recall: search, lists by label, labels, and how far a memory holds.

use serde_json::{Value, json};

use crate::harness::Home;

fn ids(found: &Value) -> Vec<String> {
    let items = found["items"].as_array().expect("items");
    items.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn an_agent_searches_lists_by_label_and_labels() {
    let home = Home::new();
    home.remember_with(&["Staging runs Postgres 16", "--tag", "db"]);
    home.remember("The office is in Basel");
    let mut client = home.mcp();
    let found = client.call("recall", json!({ "query": "Postgres", "mode": "search" }));
    assert_eq!(ids(&found).len(), 1, "{found}");
    assert_eq!(found["total"], 1);
    let listed = client.call("recall", json!({ "query": "", "mode": "list" }));
    assert_eq!(ids(&listed).len(), 2, "{listed}");
    let tagged = client.call("recall", json!({ "query": "", "tag": "db" }));
    assert_eq!(ids(&tagged), ids(&found), "{tagged}");
    let kept = client.call("remember", json!({ "content": "The replica lags by a minute" }));
    let said = json!({ "from": kept["id"], "relation": "tagged", "to": "db" });
    let labelled = client.call("relate", said);
    assert_eq!(labelled["tags"], json!(["db"]), "{labelled}");
    let tagged = client.call("recall", json!({ "query": "", "tag": "db", "mode": "list" }));
    assert_eq!(ids(&tagged).len(), 2, "{tagged}");
    let none = client.call("recall", json!({ "query": "zebra", "mode": "search" }));
    assert_eq!(none["items"], json!([]), "{none}");
    let odd = client.fail("recall", json!({ "query": "x", "mode": "guess" }));
    assert!(odd.to_string().contains("unknown mode"), "{odd}");
}

#[test]
fn an_agent_labels_nothing_that_a_person_said() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 16");
    let mut client = home.mcp();
    let failed = client.fail("relate", json!({ "from": id, "relation": "tagged", "to": "db" }));
    assert_eq!(failed["error"], "only_the_user", "{failed}");
    assert_eq!(home.show(&id)["tags"], json!([]));
}

#[test]
fn an_agent_chooses_between_the_project_and_its_session() {
    let home = Home::new();
    let mut client = home.mcp();
    let said =
        json!({ "content": "We try the blue theme today", "scope": "session", "session": "s1" });
    let kept = client.call("remember", said);
    assert_eq!(home.session("s1").json(&["list"])["items"][0]["scope"], "session", "{kept}");
    assert_eq!(home.json(&["list"])["total"], 0, "no other session sees it");
    let kept =
        client.call("remember", json!({ "content": "The theme is blue", "scope": "project" }));
    assert_eq!(home.show(kept["id"].as_str().unwrap())["scope"], "project");
    let odd = client.fail("remember", json!({ "content": "x y z", "scope": "global" }));
    assert!(odd.to_string().contains("unknown scope"), "{odd}");
    let odd = client.fail("remember", json!({ "content": "x y z", "scope": "session" }));
    assert!(odd.to_string().contains("which session"), "{odd}");
}

#[test]
fn what_an_agent_puts_away_is_shown_as_it_is_stored() {
    let home = Home::new();
    let mut client = home.mcp();
    let kept = client.call("remember", json!({ "content": "The replica lags by a minute" }));
    let put = client.call("archive", json!({ "id": kept["id"], "reason": "the replica is gone" }));
    assert_eq!(put["text"], "The replica lags by a minute", "{put}");
    assert!(put["user_can_undo"].as_str().unwrap().contains("unarchive"), "{put}");
    let id = home.remember("Staging runs Postgres 16");
    let failed = client.fail("archive", json!({ "id": id, "reason": "old" }));
    assert!(failed.to_string().contains("Staging runs Postgres 16"), "it shows the text: {failed}");
}
