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

#[test]
fn the_same_words_about_another_day_are_another_event_and_no_evidence_of_the_first() {
    let home = Home::new();
    let texts = || home.texts(&["list", "--kind", "event"]).len();
    let down = "The gateway was down for five minutes";
    let event = |text: &str| home.json(&["remember", text, "--kind", "event"]);
    let first = event(down);
    assert_eq!(event(down)["deduped"], true, "told twice on the day");
    home.travel("2026-05-04");
    let second = event(down);
    assert_eq!(second["deduped"], false, "{second}");
    assert_ne!(second["memory"]["id"], first["memory"]["id"]);
    let behind = |told: &serde_json::Value| {
        let id = told["memory"]["id"].as_str().expect("an id").to_owned();
        home.show(&id)["evidence"].as_array().expect("a list").len()
    };
    assert_eq!((behind(&first), behind(&second), texts()), (2, 1, 2));
    // An agent that retells it adds nothing, and what gives its date is one event on every day.
    let mut client = home.mcp();
    client.call("remember", json!({"content": down, "kind": "event"}));
    client.leave();
    event("The gateway was down on 2026-04-01");
    home.travel("2026-06-01");
    assert_eq!(event("The gateway was down on 2026-04-01")["deduped"], true);
    assert_eq!(texts(), 3);
    for class in [&["sleep"][..], &["sleep", "--deep"]] {
        home.json(class);
        assert_eq!(texts(), 3, "{class:?} merges none");
    }
    // What stands is the same on every day.
    home.remember("The gateway listens on port 8080");
    home.travel("2026-07-01");
    assert_eq!(home.json(&["remember", "The gateway listens on port 8080"])["deduped"], true);
    home.assert_sound();
}

#[test]
fn which_form_a_memory_has_follows_from_seven_rules_in_their_order() {
    let home = Home::new();
    // A time, the kind, the kind of what happens, a tag of each sort, something done, a word that stands, else an event.
    for (text, options, form) in [
        (
            "On 2026-11-15 the disk of the build host was full",
            &["--kind", "decision"][..],
            "episode",
        ),
        ("We chose Redis for sessions", &["--kind", "decision"], "note"),
        ("The vendor always calls before noon", &["--kind", "event"], "episode"),
        ("Deployed the api by hand", &["--tag", "rule"], "note"),
        ("The api always answers in German", &["--tag", "incident"], "episode"),
        ("We migrated the shop to Postgres", &[], "episode"),
        ("Builds must be green before lunch", &[], "note"),
        ("Blue tiles, mostly", &[], "episode"),
    ] {
        let id = home.remember_with(&[&[text], options].concat());
        assert_eq!(home.show(&id)["form"], form, "{text}");
    }
}
