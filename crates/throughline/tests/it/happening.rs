//! Events and notes: what happened is kept as it was told, what stands since may be revised.

use serde_json::json;

use crate::harness::{Home, strings};
use crate::hooking::Agent;

const TODAY: &str = "Today I decided to keep sessions in Redis because Postgres was too slow.";

#[test]
fn today_i_decided_gives_an_event_and_a_decision_that_comes_from_it() {
    let home = Home::new();
    let id = home.remember_with(&[TODAY, "--kind", "decision"]);
    let decision = home.show(&id);
    assert_eq!(
        decision["content"],
        "I decided to keep sessions in Redis because Postgres was too slow."
    );
    assert_eq!((&decision["kind"], &decision["form"]), (&"decision".into(), &"note".into()));
    let events = home.json(&["list", "--kind", "event"]);
    let event = &events["items"][0];
    assert_eq!((&event["content"], &event["form"]), (&TODAY.into(), &"episode".into()));
    let graph = home.json(&["graph"]);
    let derived = graph["edges"].as_array().expect("edges").iter().any(|edge| {
        edge["relation"] == "derived_from"
            && edge["from"] == id.as_str()
            && edge["to"] == event["id"]
    });
    assert!(derived, "{graph}");
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]), Vec::<String>::new(), "one batch");
}

#[test]
fn the_same_said_to_an_agent_gives_both_and_only_what_stands_is_told() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears(TODAY);
    agent.answers("Noted.");
    agent.ends();
    let decisions = home.texts(&["list", "--kind", "decision"]);
    let events = home.texts(&["list", "--kind", "event"]);
    assert_eq!((decisions.len(), events.len()), (1, 1), "{decisions:?} {events:?}");
    assert!(events[0].starts_with("Today") && !decisions[0].contains("Today"), "{decisions:?}");
    let recalled = home.texts(&["recall", "where did we decide to keep sessions?"]);
    assert_eq!(recalled, decisions, "not the same twice");
    let brief = Agent::new(&home, "two").starts();
    assert_eq!(brief.matches("sessions in Redis").count(), 1, "{brief}");
}

#[test]
fn a_rule_about_a_weekday_is_no_event() {
    let home = Home::new();
    for text in ["Never deploy on Friday", "The header shows today's date"] {
        home.remember_with(&[text, "--kind", "principle"]);
    }
    assert_eq!(home.texts(&["list", "--kind", "event"]), Vec::<String>::new());
}

#[test]
fn an_event_is_not_replaced_or_merged_by_what_is_said_later() {
    let home = Home::new();
    let slot = |value: &str| format!("gateway|outage|{value}|one");
    let event = home.remember_with(&[
        "The gateway was down for five minutes",
        "--kind",
        "event",
        "--slot",
        &slot("5 minutes"),
    ]);
    let note = home.remember_with(&[
        "Outages of the gateway take nine minutes",
        "--slot",
        &slot("9 minutes"),
    ]);
    home.json(&["sleep"]);
    for id in [&event, &note] {
        assert_eq!(home.show(id)["state"], "confirmed");
    }
    assert_eq!(strings(&home.show(&event)["flags"]), Vec::<&str>::new(), "nor is it contested");
    let later = home.remember_with(&[
        "Outages of the gateway take two minutes",
        "--slot",
        &slot("2 minutes"),
    ]);
    assert_eq!(home.show(&note)["superseded_by"], later.as_str(), "a note is revised");
    assert_eq!(home.show(&event)["state"], "confirmed");
}

#[test]
fn an_agent_does_not_rewrite_an_event_and_a_person_who_names_it_does() {
    let home = Home::new();
    let event = home.remember_with(&[
        "The disk of the build host was full",
        "--kind",
        "event",
        "--authority",
        "observed",
    ]);
    let mut client = home.mcp();
    client
        .call("correct", json!({"id": event, "content": "The memory of the build host was full"}));
    client.leave();
    assert_ne!(home.show(&event)["state"], "superseded");
    let right = home.json(&["correct", &event, "The disk of the mail host was full"]);
    assert_eq!(home.show(&event)["superseded_by"], right["memory"]["id"]);
}
