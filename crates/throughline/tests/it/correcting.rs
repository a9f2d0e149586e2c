//! Correcting and undoing: the new value holds at once, the old one stays in the history.

use crate::harness::{Home, batches, handle, id_of, strings};

fn batch(home: &Home, latest: usize) -> String {
    id_of(&batches(home)[latest])
}

#[test]
fn after_a_correction_only_the_new_value_is_found() {
    let home = Home::new();
    let old = home.remember_with(&["Staging runs Postgres 14", "--tag", "infra"]);
    let answer = home.json(&["correct", &old, "Staging runs Postgres 16"]);
    let new = id_of(&answer["memory"]);
    assert_eq!(strings(&answer["superseded"]), [&old]);
    assert_eq!(answer["memory"]["authority"], "user_corrected");
    assert_eq!(answer["memory"]["tags"][0], "infra", "labels go over to what is right");
    for args in [&["list"][..], &["search", "staging postgres"], &["recall", "staging postgres"]] {
        assert_eq!(home.texts(args), ["Staging runs Postgres 16"], "{args:?}");
    }
    let before = home.show(&old);
    assert_eq!(before["state"], "superseded");
    assert_eq!(before["superseded_by"], new.as_str());
    assert_eq!(home.json(&["list", "--all"])["total"], 2);
    let recalled = home.json(&["recall", "staging postgres"]);
    let line = recalled["items"][0]["history"].as_str().unwrap();
    assert!(line.contains("Staging runs Postgres 14"), "{line}");
}

#[test]
fn the_history_of_either_version_shows_both() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    let new = id_of(&home.json(&["correct", &old, "Staging runs Postgres 16"])["memory"]);
    for id in [&new, &old] {
        let told = home.json(&["history", id]);
        let versions = told["versions"].as_array().unwrap();
        let changes = versions.iter().map(|version| &version["change"]);
        // What it speaks of is linked besides.
        let changes: Vec<_> = changes.filter(|change| **change != "link").collect();
        assert_eq!(changes, ["insert", "reinforce", "insert", "reinforce", "supersede"]);
    }
    let told = home.json(&["history", &old]);
    let last = told["versions"].as_array().and_then(|all| all.last()).expect("the last one");
    assert_eq!(last["before"]["state"], "confirmed");
    assert_eq!(last["after"]["state"], "superseded");
    assert_eq!(last["actor"], "user");
}

#[test]
fn undo_brings_the_corrected_value_back_and_can_itself_be_undone() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    home.json(&["correct", &old, "Staging runs Postgres 16"]);
    let undone = home.json(&["undo"]);
    assert_eq!(home.texts(&["list", "--all"]), ["Staging runs Postgres 14"]);
    assert_eq!(home.show(&old)["state"], "confirmed");
    let back = undone["batch"].as_str().unwrap();
    home.json(&["undo", back]);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 16"]);
    assert_eq!(home.show(&old)["state"], "superseded");
    home.assert_sound();
}

#[test]
fn undoing_again_and_again_walks_back_to_nothing() {
    let home = Home::new();
    let first = home.remember("One");
    home.remember("Two");
    home.json(&["pin", &first]);
    home.json(&["forget", &first]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        home.json(&["undo"]);
        seen.push(home.texts(&["list"]).len());
    }
    assert_eq!(seen, [2, 2, 1, 0]);
    let (code, error) = home.error(&["undo"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("nothing_to_undo")));
    home.assert_sound();
}

#[test]
fn nothing_to_undo_in_a_new_home() {
    let (code, error) = Home::new().error(&["undo"]);
    assert_eq!(code, 1);
    assert_eq!(error["code"], "nothing_to_undo");
    assert!(error["hint"].as_str().unwrap().contains("log"));
}

#[test]
fn undo_refuses_when_something_later_was_built_on_it() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    let new = id_of(&home.json(&["correct", &old, "Staging runs Postgres 16"])["memory"]);
    let correction = batch(&home, 0);
    home.json(&["edit", &new, "Staging runs Postgres 16.2"]);
    let edit = batch(&home, 0);
    let before = home.everything();

    let (code, error) = home.error(&["undo", &correction]);
    assert_eq!((code, error["code"].as_str()), (1, Some("undo_refused")));
    assert!(error["message"].as_str().unwrap().contains(handle(&edit)), "{error}");
    assert!(error["hint"].as_str().unwrap().contains(handle(&edit)), "{error}");
    assert_eq!(home.everything()["total"], before["total"]);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 16.2"]);

    home.json(&["undo", &edit]);
    home.json(&["undo", &correction]);
    assert_eq!(home.texts(&["list", "--all"]), ["Staging runs Postgres 14"]);
}

#[test]
fn undo_refuses_to_remove_a_memory_that_another_one_is_linked_to() {
    let home = Home::new();
    home.remember("Somewhere to start");
    let reason = home.remember("Redis lost sessions");
    let made = batch(&home, 0);
    home.remember_with(&["Sessions live in Postgres", "--because", &reason]);
    let (_, error) = home.error(&["undo", &made]);
    assert_eq!(error["code"], "undo_refused");
    assert_eq!(home.json(&["list"])["total"], 3);
}

#[test]
fn an_erasure_cannot_be_undone() {
    let home = Home::new();
    let id = home.remember("Something private");
    home.json(&["purge", &id, "--yes"]);
    let (_, error) = home.error(&["undo"]);
    assert_eq!(error["code"], "undo_refused");
    assert!(error["message"].as_str().unwrap().contains("erased"), "{error}");
}

#[test]
fn a_correction_that_says_the_same_is_refused() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    let (code, error) = home.error(&["correct", &id, "staging runs postgres 14!"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    assert_eq!(home.json(&["list", "--all"])["total"], 1);
}

#[test]
fn what_was_replaced_can_only_be_corrected_through_what_replaced_it() {
    let home = Home::new();
    let old = home.remember("Port is 80");
    home.json(&["correct", &old, "Port is 8080"]);
    let (code, error) = home.error(&["correct", &old, "Port is 9090"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_current")));
}

#[test]
fn a_value_that_a_person_says_again_later_takes_its_place_back() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    home.json(&["correct", &old, "Staging runs Postgres 16"]);
    home.json(&["remember", "Staging runs Postgres 14"]);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
    let (code, error) =
        home.error(&["remember", "Staging runs Postgres 16", "--authority", "extracted"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("retired")));
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
}

#[test]
fn either_version_tells_the_same_steps_with_the_same_before_and_after() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    let new = id_of(&home.json(&["correct", &old, "Staging runs Postgres 16"])["memory"]);
    let told = home.json(&["history", &new]);
    assert_eq!(told, home.json(&["history", &old]));
    let versions = told["versions"].as_array().unwrap();
    let step = versions.iter().find(|step| step["change"] == "supersede").unwrap();
    assert_eq!(step["memory"], old.as_str(), "it is the old one that changes");
    assert_eq!(step["before"]["content"], "Staging runs Postgres 14");
    assert_eq!(step["after"]["content"], "Staging runs Postgres 14");
    assert_eq!(step["after"]["superseded_by"], new.as_str());
}

#[test]
fn undoing_the_first_thing_of_a_project_leaves_the_project_its_name() {
    let home = Home::new();
    home.remember("The very first");
    let first = batch(&home, 0);
    let later = home.remember("Remembered later");
    home.json(&["undo", &first]);
    let last = home.remember("Remembered last");
    for id in [&later, &last] {
        assert_eq!(home.show(id)["project"], "webshop");
    }
    assert_eq!(home.json(&["stats", "--all"])["rows"]["space"], 1);
    home.assert_sound();

    let home = Home::new();
    home.remember("The very first");
    home.json(&["undo"]);
    assert_eq!(home.json(&["stats", "--all"])["rows"]["space"], 1);
    let next = home.remember("Remembered next");
    assert_eq!(home.show(&next)["project"], "webshop");
    home.assert_sound();
}

#[test]
fn a_correction_cannot_bring_back_what_was_erased() {
    let home = Home::new();
    let secret = home.remember("The passphrase is tulip");
    home.json(&["purge", &secret, "--yes"]);
    let id = home.remember("The passphrase is kept elsewhere");
    let (code, error) = home.error(&["correct", &id, "The passphrase is tulip"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("erased")));
    assert_eq!(home.files_holding("tulip"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_holds_for_a_while_ends_and_leaves_what_it_stood_against() {
    let home = Home::new();
    let slot = ["--slot", "billing|asks|Maria|one"];
    let rule = home.remember_with(&[&["Ask Maria about billing"][..], &slot].concat());
    let slot = ["--slot", "billing|asks|Ben|one"];
    let instead =
        home.remember_with(&[&["Ask Ben about billing until 2026-03-10"][..], &slot].concat());
    assert_eq!(home.show(&rule)["state"], "confirmed");
    assert_eq!(strings(&home.show(&rule)["flags"]), ["contested"]);

    home.travel("2026-03-12");
    assert_eq!(home.show(&instead)["state"], "confirmed", "its end is in its words");
    assert!(home.show(&rule)["flags"].as_array().unwrap().is_empty(), "{}", home.show(&rule));
    assert_eq!(
        home.texts(&["recall", "whom do I ask about billing?"]),
        ["Ask Maria about billing"]
    );
}
