//! Slots: claims in parts, of which a single-valued one has one answer, decided by authority.

use crate::harness::{Home, batches, id_of, strings};
use crate::transfer::clone_of;

fn lives(home: &Home, place: &str, authority: &str) -> serde_json::Value {
    let (text, slot) = (format!("The user lives in {place}"), format!("user|lives in|{place}|one"));
    home.json(&["remember", &text, "--slot", &slot, "--authority", authority])
}

#[test]
fn a_person_who_says_something_new_replaces_the_single_value() {
    let home = Home::new();
    let old = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    let answer = lives(&home, "San Francisco", "user_stated");
    assert_eq!(strings(&answer["superseded"]), [&old]);
    assert_eq!(home.texts(&["list"]), ["The user lives in San Francisco"]);
}

#[test]
fn a_stronger_source_replaces_a_weaker_one() {
    let home = Home::new();
    let old = id_of(&lives(&home, "New York", "inferred")["memory"]);
    assert_eq!(strings(&lives(&home, "Boston", "file")["superseded"]), [&old]);
    assert_eq!(home.texts(&["list", "--kind", "fact"]), ["The user lives in Boston"]);
}

#[test]
fn a_weaker_source_never_replaces_what_the_user_said() {
    let home = Home::new();
    let said = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    for weaker in ["measured", "file", "observed", "extracted", "inferred", "external"] {
        let answer = lives(&home, &format!("the place of {weaker}"), weaker);
        assert_eq!(strings(&answer["superseded"]), Vec::<&str>::new(), "{weaker}");
        assert_eq!(answer["memory"]["state"], "staged", "{weaker}");
        assert!(strings(&answer["contested"]).contains(&said.as_str()), "{weaker}");
    }
    let held = home.show(&said);
    assert_eq!(held["state"], "confirmed");
    assert_eq!(held["trust"], 0.95, "what ranks lower does not lower the trust in it");
    assert_eq!(held["flags"], serde_json::json!([]));
}

#[test]
fn equally_weak_sources_contest_each_other_and_halve_the_trust() {
    let home = Home::new();
    let one = id_of(&lives(&home, "New York", "extracted")["memory"]);
    let answer = lives(&home, "Boston", "extracted");
    let two = id_of(&answer["memory"]);
    assert_eq!(strings(&answer["contested"]), [&one]);
    for (id, other) in [(&one, &two), (&two, &one)] {
        let memory = home.show(id);
        assert!(strings(&memory["flags"]).contains(&"contested"), "{memory}");
        assert_eq!(strings(&memory["contested_by"]), [other]);
        assert_eq!(memory["trust"], 0.275);
        let trust = &home.json(&["why", id])["trust"];
        assert_eq!((&trust["support"], &trust["contest"]), (&0.55.into(), &0.5.into()));
    }
    assert_eq!(home.texts(&["list"]).len(), 2, "both stay in view");
}

#[test]
fn several_values_stand_side_by_side() {
    let home = Home::new();
    for tool in ["TypeScript", "DuckDB"] {
        let slot = format!("project|uses|{tool}");
        let answer = home.json(&["remember", &format!("We use {tool}"), "--slot", &slot]);
        assert_eq!(strings(&answer["superseded"]), Vec::<&str>::new());
        assert_eq!(strings(&answer["contested"]), Vec::<&str>::new());
    }
    assert_eq!(home.texts(&["list"]), ["We use DuckDB", "We use TypeScript"]);
}

#[test]
fn the_same_value_in_other_words_is_the_same_claim() {
    let home = Home::new();
    let id = home.remember_with(&["Lives in NYC", "--slot", "user|lives in|NYC|one"]);
    let again = home.json(&["remember", "NYC is home", "--slot", "User|lives in|nyc|one"]);
    assert_eq!(again["deduped"], true);
    assert_eq!(id_of(&again["memory"]), id);
}

#[test]
fn contradict_marks_both_and_unlink_takes_it_back() {
    let home = Home::new();
    let (a, b) = (home.remember("Tabs are used"), home.remember("Spaces are used"));
    let answer = home.json(&["contradict", &a, &b]);
    assert_eq!(answer["memory"]["trust"], 0.475);
    for id in [&a, &b] {
        assert!(strings(&home.show(id)["flags"]).contains(&"contested"));
    }
    assert!(home.page(&["list"]).contains("confirmed, contested"));
    home.json(&["unlink", &b, "contradicts", &a]);
    assert_eq!(home.show(&a)["trust"], 0.95);
    assert_eq!(strings(&home.show(&b)["flags"]), Vec::<&str>::new());
}

#[test]
fn a_contradiction_ends_when_one_side_is_taken_back() {
    let home = Home::new();
    let (a, b) = (home.remember("Tabs are used"), home.remember("Spaces are used"));
    home.json(&["contradict", &a, &b]);
    home.json(&["forget", &b]);
    assert_eq!(home.show(&a)["trust"], 0.95);
    home.json(&["undo"]);
    assert_eq!(home.show(&a)["trust"], 0.475);
}

/// Both are in view, and each says that the other contradicts it.
fn assert_contested(home: &Home, one: &str, two: &str, how: &str) {
    for (id, other) in [(one, two), (two, one)] {
        let memory = home.show(id);
        assert_eq!(memory["state"], "confirmed", "{how}: {memory}");
        assert!(strings(&memory["flags"]).contains(&"contested"), "{how}: {memory}");
        assert_eq!(strings(&memory["contested_by"]), [other], "{how}");
    }
    home.assert_sound();
}

#[test]
fn a_second_value_that_an_edit_makes_is_contested() {
    let home = Home::new();
    let one = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    let two = home.remember("Home is San Francisco");
    home.json(&["edit", &two, "--slot", "user|lives in|San Francisco|one"]);
    assert_contested(&home, &one, &two, "edit --slot");
    home.json(&["undo"]);
    assert_eq!(strings(&home.show(&one)["flags"]), Vec::<&str>::new(), "and undo ends it");
}

#[test]
fn a_replaced_value_that_comes_back_is_contested() {
    let home = Home::new();
    let one = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    let two = id_of(&lives(&home, "Boston", "user_stated")["memory"]);
    home.json(&["unsupersede", &one]);
    assert_contested(&home, &one, &two, "unsupersede");
}

#[test]
fn a_value_that_comes_out_of_the_archive_is_contested() {
    let home = Home::new();
    let one = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    home.json(&["archive", &one]);
    let two = id_of(&lives(&home, "Boston", "user_stated")["memory"]);
    assert_eq!(strings(&home.show(&two)["flags"]), Vec::<&str>::new());
    home.json(&["unarchive", &one]);
    assert_contested(&home, &one, &two, "unarchive");
}

#[test]
fn a_forgotten_value_that_undo_brings_back_is_contested() {
    let home = Home::new();
    let one = id_of(&lives(&home, "New York", "user_stated")["memory"]);
    home.json(&["forget", &one]);
    let forgetting = id_of(&batches(&home)[0]);
    let two = id_of(&lives(&home, "Boston", "user_stated")["memory"]);
    home.json(&["undo", &forgetting]);
    assert_contested(&home, &one, &two, "undo of forget");
}

#[test]
fn a_second_value_that_an_import_brings_is_contested() {
    let (there, here) = (Home::new(), Home::new());
    for home in [&there, &here] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    let theirs = id_of(&lives(&there, "New York", "user_stated")["memory"]);
    there.json(&["export", "-o", &there.arg("theirs.jsonl")]);
    here.travel("2026-03-03");
    let ours = id_of(&lives(&here, "Boston", "user_stated")["memory"]);
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    assert_contested(&here, &theirs, &ours, "import");
}

#[test]
fn vouching_for_a_value_that_was_taken_back_puts_both_in_doubt() {
    let home = Home::new();
    let first = home.remember_with(&["The port is 1", "--slot", "port|is|1|one"]);
    home.json(&["forget", &first]);
    let second = home.remember_with(&["The port is 2", "--slot", "port|is|2|one"]);
    home.json(&["confirm", &first]);
    for id in [&first, &second] {
        assert!(strings(&home.show(id)["flags"]).contains(&"contested"), "{id}");
    }
}

#[test]
fn a_value_that_changes_often_stays_quick_to_change() {
    let home = Home::new();
    for n in 0..60 {
        home.remember_with(&[&format!("Counter {n}"), "--slot", &format!("counter|is|{n}|one")]);
    }
    assert_eq!(home.texts(&["list"]), ["Counter 59"]);
    assert_eq!(home.json(&["list", "--all"])["total"], 60);
    home.assert_sound();
}
