//! Distilling: what several memories come to, what is kept word for word, what a box comes to, what is known of the
//! user on one page, and what enough sources stand behind.

use serde_json::{Value, json};

use crate::harness::{Home, id_of};

/// Hands in a patch, and says what came of it.
fn patch(home: &Home, voice: &str, operations: &Value) -> Value {
    let patch = json!({"version": 1, "operations": operations});
    std::fs::write(home.outside("patch.json"), patch.to_string()).expect("a file can be written");
    home.json(&["patch", &home.arg("patch.json"), "--voice", voice])
}

fn waiting(home: &Home) -> Vec<String> {
    let review = home.json(&["review"]);
    let pending = review["pending"].as_array().expect("a list").clone();
    pending.iter().map(|one| one["why"].as_str().expect("a reason").to_owned()).collect()
}

#[test]
fn a_summary_rests_on_what_it_sums_up_and_replaces_none_of_it() {
    let home = Home::new();
    let nodes = home.remember("Node pools are not autoscaled in the plant network");
    let wall = home.remember("The plant firewall lets only fixed addresses through");
    let done = patch(
        &home,
        "user",
        &json!([{"op": "summarize", "of": [nodes, wall], "confidence": 0.9, "turn": 0,
            "content": "The plant network only takes nodes that are known beforehand"}]),
    );
    let new = done["memories"][0].as_str().unwrap_or_else(|| panic!("{done}"));
    let shown = home.show(new);
    assert_eq!(shown["state"], "confirmed", "{shown}");
    let graph = home.json(&["graph"]);
    let edges = graph["edges"].as_array().expect("edges");
    for one in [&nodes, &wall] {
        assert_eq!(home.show(one)["state"], "confirmed");
        let rests = edges.iter().any(|edge| {
            edge["from"] == new && edge["to"] == one.as_str() && edge["relation"] == "derived_from"
        });
        assert!(rests, "{graph}");
    }
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]).len(), 2);
    home.assert_sound();
}

#[test]
fn certainty_source_state_and_weight_decide_whether_something_is_distilled() {
    let home = Home::new();
    let one = home.remember("Backups run at two in the night");
    let two = home.remember("Restores are tried every Monday");
    let gone = home.remember("The tape robot stands in the cellar");
    home.json(&["archive", &gone]);
    let sum = |of: &[&str], confidence: f64| {
        json!([{"op": "summarize", "of": of, "confidence": confidence, "turn": 0,
            "content": format!("Backups are looked after ({confidence})")}])
    };
    let whole = |confidence: f64| {
        json!([{"op": "artifact", "label": "motto", "confidence": confidence, "turn": 0,
            "content": format!("We restore what we back up. ({confidence})")}])
    };
    for (voice, operations, why) in [
        ("tool", sum(&[&one, &two], 0.9), "a tool prints"),
        ("assistant", sum(&[&one, &two], 0.2), "too unsure"),
        ("assistant", sum(&[&one, &gone], 0.8), "no longer holds"),
        ("assistant", sum(&[&one, "There is no such memory"], 0.7), "not known"),
        ("user", whole(0.5), "too unsure"),
        ("tool", whole(0.9), "printed again"),
    ] {
        let before = waiting(&home).len();
        let done = patch(&home, voice, &operations);
        assert_eq!(
            (&done["memories"], &done["deferred"]),
            (&json!([]), &json!(1)),
            "{why}: {done}"
        );
        let now = waiting(&home);
        assert!(
            now.len() == before + 1 && now.iter().any(|one| one.contains(why)),
            "{why}: {now:?}"
        );
    }
    // One memory is no summary, and that is no matter of doubt.
    let done = patch(&home, "user", &sum(&[&one], 0.9));
    assert_eq!(done["deferred"], 1, "{done}");
    // A person lets it through.
    let review = home.json(&["review"]);
    let pending = review["pending"].as_array().expect("a list");
    let unsure = pending.iter().find(|one| one["why"].to_string().contains("word for word"));
    let id = unsure.expect("it waits")["id"].as_str().expect("an id");
    home.json(&["review", "--accept", id]);
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("We restore what we back up")));
}

#[test]
fn what_is_kept_word_for_word_is_not_rewritten_by_what_is_said_later() {
    let home = Home::new();
    let done = patch(
        &home,
        "user",
        &json!([{"op": "artifact", "label": "release checklist", "confidence": 0.9, "turn": 0,
            "content": "1. Freeze main.  2. Tag.  3. Tell #releases."}]),
    );
    let id = done["memories"][0].as_str().unwrap_or_else(|| panic!("{done}"));
    home.remember("The release checklist is: freeze main, tag, tell nobody");
    home.json(&["sleep"]);
    home.json(&["sleep", "--deep"]);
    let shown = home.show(id);
    assert_eq!(shown["content"], "1. Freeze main.  2. Tag.  3. Tell #releases.", "to the letter");
    assert_eq!((&shown["label"], &shown["kind"]), (&json!("release checklist"), &json!("event")));
    assert_ne!(shown["state"], "superseded");
}

#[test]
fn a_box_says_what_it_comes_to_and_what_is_said_in_passing_stays_in_it() {
    let home = Home::new();
    for text in [
        "The Kafka consumer of the orders topic retries three times",
        "The window of the meeting room does not close",
        "Retries of the Kafka consumer wait ten seconds each",
        "The orders consumer of Kafka runs in two replicas",
        "Kafka retries of the orders consumer are logged",
    ] {
        home.remember(text);
    }
    home.json(&["sleep"]);
    let boxes = home.json(&["boxes"])["items"].as_array().expect("boxes").clone();
    assert_eq!(boxes.len(), 1, "one remark is no topic: {boxes:?}");
    let core = boxes[0]["core"].as_array().expect("a core");
    assert!((1..=3).contains(&core.len()), "{boxes:?}");
    let says = |id: &Value| home.show(id.as_str().expect("an id"))["content"].clone();
    let title = boxes[0]["title"].as_str().expect("a title");
    assert!(title.contains("Kafka") && title.split(' ').count() > 4, "a sentence: {title}");
    assert!(
        says(&core[0]).as_str().is_some_and(|text| text.starts_with(title.trim_end_matches('…')))
    );
    let page = home.page(&["boxes"]);
    assert!(page.lines().count() <= 4, "five memories come to three lines at most: {page}");
}

#[test]
fn a_page_about_the_user_stays_a_page_however_much_is_known() {
    let home = Home::new();
    let topics = ["commit messages", "error handling", "unit tests", "naming of variables"];
    for n in 0..60 {
        let topic = topics[n % topics.len()];
        let text = format!(
            "I prefer {topic} to be short, plain and consistent, in the way we settled it in round {n} \
             of our talks about {topic}, with examples, with reasons and without exceptions"
        );
        home.remember_with(&[&text, "--kind", "preference", "--scope", "global"]);
    }
    let about = home.json(&["about", "me"]);
    let page = about["text"].as_str().expect("a page");
    assert!(page.len() < 8 << 10, "{} bytes", page.len());
    assert!(page.contains("60 memories") && page.contains("like it"), "{page}");
    for topic in topics {
        assert!(page.contains(topic), "{topic}: {page}");
    }
    assert_eq!(home.json(&["list", "--limit", "100"])["total"], 60, "nothing is changed by it");
}

#[test]
fn a_sleep_confirms_what_independent_sources_bear_out_by_now_and_undo_takes_it_back() {
    let here = Home::new();
    let there = Home::new();
    let said = "The mail relay stands in Basel";
    let observed = |home: &Home, session: &'static str, rank: &str| {
        home.session(session).remember_with(&[said, "--authority", rank, "--scope", "global"])
    };
    observed(&here, "morning", "observed");
    observed(&there, "evening", "extracted");
    there.json(&["export", "-o", &there.arg("theirs.jsonl")]);
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    let states = || -> Vec<String> {
        let found = here.json(&["list"]);
        let items = found["items"].as_array().expect("a list").clone();
        items.iter().map(|one| one["state"].as_str().expect("a state").to_owned()).collect()
    };
    assert!(states().iter().all(|state| state == "staged"), "{:?}", states());
    let first = here.json(&["sleep"]);
    let slept = here.json(&["sleep"]);
    assert_eq!(states(), ["confirmed"], "{slept}");
    let done = [&first, &slept].map(|one| one["batches"].as_array().expect("batches").clone());
    for batch in done.concat().iter().rev() {
        here.json(&["undo", batch.as_str().expect("a batch")]);
    }
    assert!(states().iter().all(|state| state == "staged"), "{:?}", states());
    for batch in 0..2 {
        here.remember(&format!("Lunch is at noon on floor {batch}"));
        here.json(&["sleep"]);
    }
    // An agent that repeats itself bears nothing out.
    let mut agent = here.mcp();
    agent.call("remember", json!({"content": "The fax stands in Basel too"}));
    here.json(&["sleep"]);
    let fax = here.json(&["search", "fax"])["items"][0].clone();
    assert_eq!(here.show(&id_of(&fax))["state"], "staged");
    here.assert_sound();
}

#[test]
fn why_tells_what_a_recall_found_and_what_it_passed_over() {
    let home = Home::new();
    let office = home.remember("The office is in Basel");
    let plants = home.remember("The office plants are watered on Mondays");
    home.remember("Logs are kept for ninety days");
    home.session("one").json(&["recall", "where is the office?"]);
    home.remember("The printer is on the second floor");
    let why = home.json(&["why", &office]);
    let shown = &why["injected"][0];
    let found = shown["found"].as_array().unwrap_or_else(|| panic!("{why}"));
    assert!(found.contains(&json!(office)), "{why}");
    let passed_over = shown["passed_over"].as_array().unwrap_or_else(|| panic!("{why}"));
    let named = |list: &[Value], id: &String| list.contains(&json!(id));
    assert!(named(found, &plants) || named(passed_over, &plants), "{why}");
    assert!(!passed_over.is_empty() && !named(passed_over, &office), "{why}");
    let trust = home.show(&office)["trust"].clone();
    for _ in 0..5 {
        home.session("two").json(&["recall", "how long are logs kept?"]);
    }
    assert_eq!(home.show(&office)["trust"], trust, "not to fit one question says nothing of truth");
}
