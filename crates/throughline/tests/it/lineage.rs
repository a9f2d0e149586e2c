//! Copies, exports and second homes of one memory: what was erased stays erased by every way, and
//! what was changed in two places is not lost in either.

use crate::harness::{Home, id_of, strings};
use crate::transfer::clone_of;

/// Two homes of one project.
fn pair() -> (Home, Home) {
    let homes = (Home::live(), Home::live());
    for home in [&homes.0, &homes.1] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    homes
}

/// Brings everything from one home to the other.
fn bring(from: &Home, to: &Home) -> serde_json::Value {
    let file = from.arg("brought.jsonl");
    from.json(&["export", "-o", &file]);
    to.json(&["import", &file, "--trust"])
}

#[test]
fn an_erasure_survives_a_restore_to_before_it_was_known() {
    let home = Home::live();
    home.remember("A base to stand on");
    let (early, late) = (home.arg("early.db"), home.arg("late.db"));
    home.json(&["backup", &early]);
    let id = home.remember("My secret zebra");
    home.json(&["backup", &late]);
    home.json(&["purge", &id, "--yes"]);
    home.json(&["restore", &early]);
    assert_eq!(home.error(&["remember", "My secret zebra"]).1["code"], "erased");
    home.json(&["restore", &late]);
    assert_eq!(home.texts(&["list", "--all"]), ["A base to stand on"]);
    assert_eq!(home.files_holding("zebra"), Vec::<std::path::PathBuf>::new());
    home.assert_sound();
}

#[test]
fn an_earlier_wording_of_what_was_erased_stays_out_too() {
    let (a, b) = pair();
    let id = a.remember("The original secret");
    bring(&a, &b);
    b.remember("A common claim");
    a.remember("A common claim");
    a.json(&["edit", &id, "The reworded secret"]);
    a.json(&["purge", &id, "--yes"]);
    assert_eq!(bring(&b, &a)["blocked"], 1);
    assert_eq!(a.texts(&["list", "--all"]), ["A common claim"]);
    assert_eq!(a.error(&["remember", "the original secret"]).1["code"], "erased");
}

#[test]
fn an_erasure_that_comes_with_an_import_reaches_memory_and_copies() {
    for went_apart in [false, true] {
        let (a, b) = pair();
        let id = a.remember("Walrus secret text");
        let copy = a.arg("copy.db");
        a.json(&["backup", &copy]);
        a.json(&["restore", &copy]);
        bring(&a, &b);
        b.json(&["purge", &id, "--yes"]);
        if went_apart {
            a.remember("Said in both");
            b.remember("Said in both");
        }
        bring(&b, &a);
        assert_eq!(a.files_holding("walrus"), Vec::<std::path::PathBuf>::new(), "{went_apart}");
        a.assert_sound();
    }
}

#[test]
fn a_second_erasure_does_not_make_the_first_forgotten() {
    let home = Home::live();
    let first = home.remember("Old wording axolotl");
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    home.json(&["edit", &first, "New wording"]);
    home.json(&["purge", &first, "--yes"]);
    let second = home.remember_with(&["New wording", "--revive"]);
    home.json(&["purge", &second, "--yes"]);
    home.json(&["restore", &copy]);
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
}

#[test]
fn undoing_an_undo_brings_nothing_back_that_was_erased_in_between() {
    let home = Home::live();
    let id = home.remember("Ghost one");
    let undone = home.json(&["undo"])["batch"].as_str().unwrap().to_owned();
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(home.error(&["undo", &undone]).1["code"], "undo_refused");
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
    home.assert_sound();
}

#[test]
fn an_import_does_not_overwrite_what_was_changed_here() {
    let (a, b) = pair();
    let edited = a.remember("A shared claim");
    let forgotten = a.remember_with(&["A staged thing", "--authority", "inferred"]);
    bring(&a, &b);
    b.json(&["edit", &edited, "Edited there"]);
    b.json(&["confirm", &forgotten]);
    a.json(&["edit", &edited, "Edited here, later"]);
    a.json(&["forget", &forgotten]);
    bring(&b, &a);
    assert_eq!(a.texts(&["list"]), ["Edited here, later"]);
    assert_eq!(a.show(&forgotten)["state"], "retracted");
    a.assert_sound();
}

#[test]
fn what_holds_in_a_session_comes_along_and_replaces_nothing_beyond_it() {
    let (a, b) = pair();
    a.remember("Of its own");
    b.session("s9").remember_with(&["Session secret", "--scope", "session"]);
    bring(&b, &a);
    assert_eq!(a.session("s9").texts(&["search", "session secret"]), ["Session secret"]);

    let tabs = a.remember("Use tabs");
    a.json(&["correct", &tabs, "Use spaces"]);
    a.session("s1").remember_with(&["Use tabs", "--scope", "session"]);
    assert_eq!(a.texts(&["search", "use"]), ["Use spaces"]);
    a.assert_sound();
}

#[test]
fn no_way_back_into_view_makes_two_of_one() {
    let home = Home::live();
    let (one, two) = (home.remember("The port is 1"), home.remember("The port is 2"));
    home.json(&["supersede", &one, &two]);
    home.json(&["edit", &two, "The port is 1"]);
    assert_eq!(home.error(&["unsupersede", &one]).1["code"], "not_possible");
    let (three, four) = (home.remember("Alpha"), home.remember("Beta"));
    home.json(&["archive", &three]);
    let forgetting = home.json(&["log", "--limit", "1"])["batches"][0].clone();
    home.json(&["edit", &four, "Alpha"]);
    assert_eq!(home.error(&["unarchive", &three]).1["code"], "not_possible");
    assert_eq!(home.error(&["confirm", &three]).1["code"], "not_possible");
    assert_eq!(home.error(&["undo", &id_of(&forgetting)]).1["code"], "not_possible");
    home.assert_sound();
}

#[test]
fn the_past_is_told_by_when_things_happened_also_after_an_import() {
    let (a, b) = (Home::new(), Home::new());
    for home in [&a, &b] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    a.travel("2026-03-01");
    a.remember("A base");
    bring(&a, &b);
    b.travel("2026-03-02");
    b.remember("Old in the other");
    a.travel("2026-03-09");
    a.remember("Later here");
    bring(&b, &a);
    let mut then = a.texts(&["list", "--as-of", "2026-03-05"]);
    then.sort();
    assert_eq!(then, ["A base", "Old in the other"]);
    assert_eq!(strings(&a.json(&["list"])["items"][0]["flags"]), Vec::<&str>::new());
}

#[test]
fn the_parts_of_a_slot_have_a_size_however_they_come() {
    let home = Home::new();
    let id = home.remember("Here I am");
    let slot = format!("{}|is|here", "q".repeat(9_000));
    assert_eq!(home.error(&["edit", &id, "--slot", &slot]).0, 2);
    assert_eq!(home.error(&["correct", &id, "There", "--slot", &slot]).0, 2);
    assert_eq!(home.error(&["remember", "Where", "--slot", &slot]).0, 2);
}
