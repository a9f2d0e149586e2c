//! Learning: what turned out wrong leaves one lesson, and a decision says when its reasons no longer
//! hold.

use serde_json::{Value, json};

use crate::harness::{Home, handle, id_of, strings};
use crate::settling::{patch, session};
use crate::watching::{bound, brief, look, write};

fn lessons(home: &Home) -> Vec<String> {
    home.texts(&["list", "--all", "--kind", "lesson"])
}

/// What builds the shop, as somebody says.
fn built_with(home: &Home, tool: &str, authority: &str) -> String {
    let text = format!("The webshop is bundled with {tool}");
    let slot = format!("webshop|bundled with|{tool}|one");
    home.remember_with(&[&text, "--slot", &slot, "--authority", authority])
}

#[test]
fn an_inference_that_is_replaced_leaves_exactly_one_lesson() {
    let home = Home::new();
    let old = built_with(&home, "webpack 5", "inferred");
    let new = built_with(&home, "Vite 6", "user_stated");
    let learnt = lessons(&home);
    assert_eq!(learnt.len(), 1, "{learnt:?}");
    assert!(learnt[0].contains("webpack 5") && learnt[0].contains("Vite 6"), "{learnt:?}");
    home.json(&["sleep"]);
    assert_eq!(lessons(&home), learnt, "a sleep makes no second");
    home.json(&["unsupersede", &old]);
    home.json(&["supersede", &old, &new]);
    assert_eq!(lessons(&home), learnt, "replaced again is the same mistake");
    home.json(&["sleep"]);
    home.json(&["sleep"]);
    assert_eq!(lessons(&home), learnt);
    let lesson = home.json(&["list", "--kind", "lesson"])["items"][0].clone();
    let why = home.json(&["why", &id_of(&lesson)]).to_string();
    assert!(why.contains(&old), "it says what it was learnt from: {why}");
    home.assert_sound();
}

#[test]
fn every_wrong_inference_leaves_a_lesson_of_its_own() {
    let home = Home::new();
    built_with(&home, "webpack 5", "inferred");
    built_with(&home, "Rollup 4", "observed");
    assert_eq!(lessons(&home).len(), 1);
    let port = |port: &str, authority: &str| {
        let slot = format!("webshop|listens on|{port}|one");
        let text = format!("The webshop listens on port {port}");
        home.remember_with(&[&text, "--slot", &slot, "--authority", authority])
    };
    port("3000", "inferred");
    port("8080", "file");
    assert_eq!(lessons(&home).len(), 2, "{:?}", lessons(&home));
}

#[test]
fn a_person_who_corrects_what_an_agent_saw_teaches_and_one_who_changes_their_mind_does_not() {
    let home = Home::new();
    let seen = built_with(&home, "webpack 5", "observed");
    home.json(&["correct", &seen, "The webshop is bundled with Vite 6"]);
    assert_eq!(lessons(&home).len(), 1, "{:?}", lessons(&home));
    let home = Home::new();
    let said = built_with(&home, "webpack 5", "user_stated");
    home.json(&["correct", &said, "The webshop is bundled with Vite 6"]);
    assert_eq!(lessons(&home), Vec::<String>::new(), "nobody inferred anything");
}

#[test]
fn a_lesson_that_was_forgotten_is_not_drawn_again() {
    let home = Home::new();
    let old = built_with(&home, "webpack 5", "inferred");
    let new = built_with(&home, "Vite 6", "user_stated");
    let lesson = home.json(&["list", "--kind", "lesson"])["items"][0].clone();
    home.json(&["forget", &id_of(&lesson)]);
    home.json(&["unsupersede", &old]);
    home.json(&["supersede", &old, &new]);
    home.json(&["sleep"]);
    assert_eq!(home.texts(&["list", "--kind", "lesson"]), Vec::<String>::new());
}

#[test]
fn a_vague_lesson_is_refused_with_what_it_lacks() {
    let home = Home::new();
    for vague in [
        "Be careful",
        "Be more careful next time with everything",
        "I should have verified my assumptions before answering",
        "Always double-check facts before making claims",
        "The webpack build of the shop was slow on Monday",
    ] {
        let (code, error) = home.error(&["remember", vague, "--kind", "lesson"]);
        assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")), "{vague}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("say") || message.contains("name"), "{vague}: {message}");
    }
    assert_eq!(lessons(&home), Vec::<String>::new());
    let telling = "Said webpack 5 without looking; read package.json before naming the bundler";
    home.remember_with(&[telling, "--kind", "lesson"]);
    assert_eq!(lessons(&home), [telling]);
}

#[test]
fn a_vague_lesson_in_a_patch_waits_and_is_not_kept() {
    let home = Home::new();
    patch(
        &home,
        "assistant",
        &json!([{"op": "remember", "kind": "lesson", "confidence": 0.9,
        "content": "Always double-check facts before making claims"}]),
    );
    assert_eq!(lessons(&home), Vec::<String>::new());
    let waits = home.json(&["review"])["pending"].clone();
    assert_eq!(waits.as_array().map(Vec::len), Some(1), "{waits}");
}

fn decision(home: &Home, because: &[&str]) -> String {
    let reasons = because.iter().flat_map(|reason| ["--because", reason]);
    let args = ["Sessions are kept in Postgres", "--kind", "decision"].into_iter().chain(reasons);
    home.remember_with(&args.collect::<Vec<_>>())
}

fn flags(home: &Home, id: &str) -> Vec<String> {
    strings(&home.show(id)["flags"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_decision_without_a_why_is_kept_and_flagged_incomplete() {
    let home = Home::new();
    let id = decision(&home, &[]);
    assert_eq!(home.show(&id)["state"], "confirmed");
    assert_eq!(flags(&home, &id), ["incomplete"]);
    assert!(home.page(&["show", &id]).contains("incomplete"));
    let reason = home.remember("Redis lost sessions twice");
    home.json(&["link", &id, "because", &reason]);
    assert_eq!(flags(&home, &id), Vec::<String>::new());
    home.json(&["unlink", &id, "because", &reason]);
    assert_eq!(flags(&home, &id), ["incomplete"]);
}

#[test]
fn a_decision_that_is_told_with_its_reason_is_complete() {
    let home = Home::new();
    let told = "We decided to keep sessions in Postgres because Redis lost them twice.";
    session(&home, "march", &[told]);
    let held = home.json(&["list", "--kind", "decision"]);
    let id = id_of(&held["items"][0]);
    assert_eq!(flags(&home, &id), Vec::<String>::new(), "{held}");
    assert!(home.page(&["why", &id]).contains("Redis lost"), "{}", home.page(&["why", &id]));
}

#[test]
fn a_decision_that_is_told_without_a_reason_is_incomplete() {
    let home = Home::new();
    session(&home, "april", &["We decided to use pnpm for all packages of the webshop."]);
    let held = home.json(&["list", "--kind", "decision"]);
    assert_eq!(held["total"], 1, "{held}");
    assert!(strings(&held["items"][0]["flags"]).contains(&"incomplete"), "{held}");
}

#[test]
fn the_tree_of_reasons_ends_where_it_goes_in_circles() {
    let home = Home::new();
    let ids: Vec<String> =
        (0..4).map(|n| home.remember(&format!("Reason number {n} holds"))).collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)] {
        home.json(&["link", &ids[from], "because", &ids[to]]);
    }
    for id in &ids {
        let why = home.json(&["why", id]);
        assert!(depth(&why) <= 2 * ids.len(), "{why}");
        assert!(home.page(&["why", id]).contains("Reason number"));
        home.json(&["graph", "--focus", id, "--depth", "9"]);
    }
}

/// How deep the reasons of an answer go.
fn depth(why: &Value) -> usize {
    let reasons = why["because"].as_array().map(Vec::as_slice).unwrap_or_default();
    reasons.iter().map(|reason| 1 + depth(reason)).max().unwrap_or(0)
}

/// The decision says what became of its reason.
fn assert_reopened(home: &Home, id: &str, reason: &str, how: &str) {
    assert_eq!(flags(home, id), ["reopen"], "{how}");
    let shaken = home.show(id)["reopened_by"].clone();
    assert_eq!((&shaken[0]["id"], &shaken[0]["how"]), (&json!(reason), &json!(how)), "{shaken}");
    let page = home.page(&["why", id]);
    assert!(page.contains("reopen") && page.contains(how), "{page}");
}

fn assert_closed(home: &Home, id: &str) {
    assert_eq!(flags(home, id), Vec::<String>::new());
    assert_eq!(home.show(id)["reopened_by"], json!([]));
}

#[test]
fn a_decision_is_reopened_when_its_reason_is_replaced_and_closed_when_that_is_undone() {
    let home = Home::new();
    let reason = home.remember("Redis loses sessions on a restart");
    let id = decision(&home, &[handle(&reason)]);
    assert_closed(&home, &id);
    home.json(&["correct", &reason, "Redis keeps sessions on a restart since version 8"]);
    assert_reopened(&home, &id, &reason, "was replaced");
    assert_eq!(home.show(&id)["state"], "confirmed", "it stands until somebody decides");
    home.json(&["undo"]);
    assert_closed(&home, &id);
}

#[test]
fn a_decision_is_reopened_when_its_reason_is_taken_back_and_closed_when_that_is_undone() {
    let home = Home::new();
    let reason = home.remember("Redis loses sessions on a restart");
    let id = decision(&home, &[handle(&reason)]);
    home.json(&["forget", &reason]);
    assert_reopened(&home, &id, &reason, "was taken back");
    home.json(&["undo"]);
    assert_closed(&home, &id);
    home.json(&["verify", &reason, "--refuted"]);
    assert_reopened(&home, &id, &reason, "was taken back");
    home.json(&["undo"]);
    assert_closed(&home, &id);
    home.json(&["archive", &reason]);
    assert_closed(&home, &id);
}

#[test]
fn a_decision_is_reopened_when_the_file_of_its_reason_moved_and_closed_when_it_is_back() {
    let home = Home::new();
    let settings = "save = never\n";
    write(&home, "redis.conf", settings);
    let reason = bound(&home, "Redis saves nothing to disk", "file:redis.conf");
    let id = decision(&home, &[handle(&reason)]);
    write(&home, "redis.conf", "save = always\n");
    look(&home);
    assert_reopened(&home, &id, &reason, "is tied to something that has changed");
    write(&home, "redis.conf", settings);
    look(&home);
    assert_closed(&home, &id);
    write(&home, "redis.conf", "save = always\n");
    look(&home);
    home.json(&["verify", &reason, "--confirmed"]);
    assert_closed(&home, &id);
}

#[test]
fn a_reopened_decision_says_so_wherever_it_is_told() {
    let home = Home::new();
    let reason = home.remember("Redis loses sessions on a restart");
    let id = decision(&home, &[handle(&reason)]);
    home.json(&["correct", &reason, "Redis keeps sessions on a restart since version 8"]);
    for page in [
        home.page(&["show", &id]),
        home.page(&["recall", "Where are sessions kept?"]),
        brief(&home, "march"),
    ] {
        let told = page.contains("Sessions are kept in Postgres");
        assert!(told && page.contains("was replaced"), "{page}");
    }
}

#[test]
fn a_decision_takes_the_place_of_an_earlier_one_and_keeps_its_line() {
    let home = Home::new();
    let told = "We decided to keep sessions in Postgres because Redis lost them twice.";
    session(&home, "march", &[told]);
    let id = id_of(&home.json(&["list", "--kind", "decision"])["items"][0]);
    home.json(&["correct", &id, "Sessions are kept in Redis since version 8"]);
    let held = home.json(&["list", "--kind", "decision"]);
    assert_eq!(held["total"], 1, "{held}");
    let revised = held["items"][0].clone();
    assert_eq!(strings(&revised["supersedes"]), [&id]);
    assert!(home.page(&["history", &id_of(&revised)]).contains("Redis"));
}

#[test]
fn circles_end_wherever_they_are_followed() {
    let home = Home::new();
    let ids: Vec<String> = (0..3)
        .map(|n| home.remember_with(&[&format!("Decision {n} holds"), "--kind", "decision"]))
        .collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        for relation in ["because", "depends_on", "derived_from", "relates_to"] {
            home.json(&["link", &ids[from], relation, &ids[to]]);
        }
    }
    for args in [
        &["link", &ids[0], "because", &ids[0]][..],
        &["contradict", &ids[0], &ids[0]],
        &["supersede", &ids[0], &ids[0]],
    ] {
        assert_ne!(home.error(args).0, 0, "{args:?}");
    }
    patch(
        &home,
        "assistant",
        &json!([
        {"op": "relate", "from": ids[0], "relation": "because", "to": ids[2]},
        {"op": "relate", "from": ids[2], "relation": "because", "to": ids[1]},
        {"op": "relate", "from": ids[1], "relation": "because", "to": ids[0]}]),
    );
    home.json(&["forget", &ids[1]]);
    for id in &ids {
        home.json(&["why", id]);
        home.json(&["show", id]);
        home.json(&["expand", id]);
    }
    home.page(&["recall", "Which decisions hold?"]);
    assert!(brief(&home, "march").contains("Decision"));
    home.json(&["sleep"]);
    home.assert_sound();
}
