//! Reasons and pictures: why a memory is believed, and how memories hang together.

use serde_json::{Value, json};

use crate::harness::{Home, handle, id_of, strings};

#[test]
fn why_shows_the_reasons_of_reasons() {
    let home = Home::new();
    let root = home.remember("The node restarts nightly");
    let cause = home.remember_with(&["Redis lost sessions twice", "--because", &root]);
    let id = home.remember_with(&[
        "Sessions live in Postgres",
        "--kind",
        "decision",
        "--because",
        &cause,
    ]);
    let why = home.json(&["why", &id]);
    assert_eq!(id_of(&why["because"][0]), cause);
    assert_eq!(id_of(&why["because"][0]["because"][0]), root);
    assert_eq!(why["because"][0]["relation"], "because");
    assert_eq!(why["evidence"].as_array().unwrap().len(), 1);
    let trust = json!({"support": 0.95, "watermark": 1.0, "contest": 1.0, "value": 0.95});
    assert_eq!(why["trust"], trust);
    let supports = home.json(&["why", &root])["supports"].clone();
    assert_eq!(id_of(&supports[0]), cause);
}

#[test]
fn recall_says_of_a_reason_what_it_is_the_reason_for() {
    let home = Home::new();
    let guess = home.remember("The intern guessed it");
    let claim = "The staging database listens on port 5433";
    home.remember_with(&[claim, "--because", &guess]);
    let page = home.page(&["recall", "Which port does the staging database listen on?"]);
    assert!(page.contains(&format!("reason for: {claim}")), "{page}");
    let home = Home::new();
    let guess = home.remember("The intern guessed the number");
    home.remember_with(&["Staging listens on 5433", "--because", &guess]);
    let page = home.page(&["recall", "What did the intern guess?"]);
    assert!(page.contains("because: The intern guessed the number"), "{page}");
}

#[test]
fn reasons_that_go_round_in_a_circle_end() {
    let home = Home::new();
    let (a, b) = (home.remember("Chicken"), home.remember("Egg"));
    home.json(&["link", &a, "because", &b]);
    home.json(&["link", &b, "because", &a]);
    let why = home.json(&["why", &a]);
    let again = &why["because"][0]["because"][0];
    assert_eq!(id_of(again), a);
    assert_eq!(again["repeated"], true);
    assert_eq!(again["because"], json!([]));
    assert_eq!(home.run(&["why", &b]).code, 0);
}

#[test]
fn a_decision_without_a_reason_is_marked_incomplete_until_it_has_one() {
    let home = Home::new();
    let id = home.remember_with(&["Sessions live in Postgres", "--kind", "decision"]);
    assert_eq!(strings(&home.show(&id)["flags"]), ["incomplete"]);
    let reason = home.remember("Redis lost sessions");
    home.json(&["link", &id, "because", &reason]);
    assert_eq!(strings(&home.show(&id)["flags"]), Vec::<&str>::new());
}

#[test]
fn a_reason_that_no_longer_holds_is_shown_as_such() {
    let home = Home::new();
    let reason = home.remember("Redis lost sessions");
    let id = home.remember_with(&["Sessions live in Postgres", "--because", &reason]);
    home.json(&["forget", &reason]);
    assert_eq!(home.json(&["why", &id])["because"][0]["state"], "retracted");
    assert!(home.page(&["why", &id]).contains("Redis lost sessions (retracted)"));
}

/// Two linked memories, one of them tagged, and one alone.
fn drawn(home: &Home) -> [String; 3] {
    let cause = home.remember_with(&["Redis lost \"sessions\"", "--tag", "infra"]);
    let id = home.remember_with(&["Sessions live in Postgres", "--because", &cause]);
    [id, cause, home.remember("Lunch is at noon")]
}

#[test]
fn the_graph_has_every_memory_tag_and_link() {
    let home = Home::new();
    let [id, cause, alone] = drawn(&home);
    let graph = home.json(&["graph"]);
    let nodes = graph["nodes"].as_array().unwrap();
    let ids: Vec<_> = nodes.iter().map(id_of).collect();
    assert!([&id, &cause, &alone].iter().all(|id| ids.contains(id)));
    let tag: &Value = nodes.iter().find(|node| node["kind"] == "tag").unwrap();
    assert_eq!(tag["label"], "infra");
    let edges = graph["edges"].as_array().unwrap();
    let edge = |edge: &Value| {
        (
            id_of(&json!({"id": edge["from"]})),
            edge["relation"].clone(),
            id_of(&json!({"id": edge["to"]})),
        )
    };
    let edges: Vec<_> = edges.iter().map(edge).collect();
    let named = edges.iter().filter(|(_, relation, _)| relation == "about").count();
    assert_eq!(edges.len(), 2 + named, "what the words name is drawn too");
    assert!(edges.contains(&(id, json!("because"), cause.clone())));
    assert!(edges.contains(&(cause, json!("tagged"), id_of(tag))));
    assert_eq!(graph["left_out"], 0);
    let as_format: Value =
        serde_json::from_str(&home.page(&["graph", "--format", "json"])).unwrap();
    assert_eq!(as_format, graph);
}

#[test]
fn the_graph_around_a_memory_goes_as_deep_as_asked() {
    let home = Home::new();
    let [id, _, alone] = drawn(&home);
    // What the words name is drawn too, and not counted here.
    let count = |args: &[&str]| {
        let graph = home.json(&[&["graph", "--focus"], args].concat());
        let nodes = graph["nodes"].as_array().unwrap();
        nodes.iter().filter(|node| node["type"] == "memory" || node["kind"] == "tag").count()
    };
    assert_eq!(count(&[&id, "--depth", "0"]), 1);
    assert_eq!(count(&[&id, "--depth", "1"]), 2);
    assert_eq!(count(&[&id]), 3);
    assert_eq!(count(&[&alone]), 1);
}

#[test]
fn the_graph_is_drawn_in_words_and_for_graphviz() {
    let home = Home::new();
    let [id, cause, alone] = drawn(&home);
    home.json(&["forget", &alone]);
    let page = home.page(&["graph"]);
    assert!(page.contains(&format!("{} Sessions live in Postgres\n", handle(&id))), "{page}");
    assert!(page.contains(&format!("└─ because {} Redis lost", handle(&cause))), "{page}");
    assert!(page.contains("Lunch is at noon (retracted)"), "{page}");
    let dot = home.page(&["graph", "--format", "dot"]);
    assert!(dot.starts_with("digraph memory {") && dot.trim_end().ends_with('}'), "{dot}");
    assert!(dot.contains(&format!("\"{id}\" -> \"{cause}\" [label=\"because\"];")), "{dot}");
    assert!(dot.contains(r#"label="Redis lost \"sessions\"""#), "quotes are escaped: {dot}");
    assert!(dot.contains("style=dashed"), "{dot}");
}
