//! The program is killed at its file operations: afterwards the old memory or the new one is there,
//! whole, nothing that was erased can be read, and `doctor` says what is left to do.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::faults::{Faults, Operation, points, put_back};
use crate::harness::{Home, overwrite, slow};
use crate::hooking::{self, Agent};

/// How many operations are looked at, of those spread over a command and of its last ones.
fn few() -> Option<usize> {
    if slow() { None } else { Some(10) }
}

/// A home in which something was erased after a copy was made, and the copy.
fn erased_and_copied() -> (Home, String) {
    let home = Home::live();
    for n in 0..12 {
        home.remember(&format!("The service number {n} listens on port {}", 4_000 + n));
    }
    let id = home.remember("The quokkavalentine codeword is plumbagotern");
    let copy = home.arg("good.db");
    home.json(&["backup", &copy]);
    home.json(&["purge", &id, "--yes"]);
    home.remember("The late fact was written after the copy");
    (home, copy)
}

fn nowhere(home: &Home, word: &str, when: &str) {
    assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word}, {when}");
}

/// The texts there are, in no order; `None` if the memory cannot be read.
fn texts(home: &Home) -> Option<Vec<String>> {
    let run = home.run(&["--json", "list", "--all", "--limit", "1000"]);
    let found: Value = serde_json::from_str(&run.stdout).ok()?;
    let items = found["items"].as_array()?;
    let mut texts: Vec<String> =
        items.iter().filter_map(|item| Some(item["content"].as_str()?.to_owned())).collect();
    texts.sort();
    Some(texts)
}

fn doctor(home: &Home) -> (bool, String) {
    let run = home.run(&["--json", "doctor"]);
    let found: Value = serde_json::from_str(&run.stdout).expect("doctor answers in JSON");
    (found["ok"] == true, run.stdout)
}

#[test]
fn a_restore_over_a_damaged_memory_that_is_killed_anywhere_loses_nothing_and_brings_nothing_back() {
    let Some(faults) = Faults::new() else { return };
    let (home, copy) = erased_and_copied();
    let noise: Vec<u8> =
        (0..4_096 * 6_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
    overwrite(&home.database(), 8_192, &noise);
    assert!(!doctor(&home).0, "the damage is seen");
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let restore = ["restore", copy.as_str()];
    let all = faults.record(&home, &restore).len();
    let restored = texts(&home).expect("a restored memory can be read");
    assert_eq!(restored.len(), 12, "{restored:?}");
    for at in points(all, few()) {
        put_back(&template, &home.path());
        faults.kill(&home, &restore, at);
        // Whoever comes next finds what was there, damaged as it was, or the copy, whole.
        let (sound, told) = doctor(&home);
        let found = texts(&home);
        assert!(!sound || found.as_ref() == Some(&restored), "at {at}: {found:?} {told}");
        let again: Value = home.json(&restore);
        assert_eq!(again["erasures_unknown"], false, "at {at}");
        assert_eq!(texts(&home).as_ref(), Some(&restored), "at {at}");
        assert!(doctor(&home).0, "at {at}");
        nowhere(&home, "plumbagotern", &format!("killed at {at} of {all}"));
    }
    home.assert_sound();
}

#[test]
fn a_restore_that_is_killed_anywhere_leaves_the_old_memory_or_the_new_one() {
    let Some(faults) = Faults::new() else { return };
    let (home, copy) = erased_and_copied();
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let old = texts(&home).expect("a memory can be read");
    let restore = ["restore", copy.as_str()];
    let all = faults.record(&home, &restore).len();
    let new = texts(&home).expect("a memory can be read");
    assert_ne!(old, new);
    for at in points(all, few()) {
        put_back(&template, &home.path());
        faults.kill(&home, &restore, at);
        let (sound, told) = doctor(&home);
        assert!(sound, "at {at}: {told}");
        // `doctor` has opened the home, so that what was left is gone.
        nowhere(&home, "plumbagotern", &format!("killed at {at} of {all}"));
        let left = std::fs::read_dir(home.path().join("backups")).into_iter().flatten().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        let unfinished = left.iter().any(|name| name.to_string_lossy().contains("restoring"));
        assert!(!unfinished, "at {at}: {left:?}");
        let found = texts(&home).expect("a memory can be read");
        assert!(found == old || found == new, "at {at}: {found:?}");
    }
    home.assert_sound();
}

#[test]
fn a_purge_that_is_killed_anywhere_is_done_or_not_and_the_next_write_finishes_it() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::live();
    home.remember("The service listens on port 4000");
    let id = home.remember("The zebrafishlocker phrase is xylomancywombat");
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    // A copy in the home holds it too, and one that is damaged.
    home.json(&["restore", &copy]);
    let damaged = home.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes[..4_096].fill(0x5a);
    std::fs::write(damaged.join("damaged-2026-03-02.1.db"), &bytes).unwrap();
    std::fs::write(damaged.join("damaged-2026-03-02.1.db-wal"), &bytes).unwrap();
    assert!(home.files_holding("xylomancywombat").len() >= 4);
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let purge = ["purge", id.as_str(), "--yes"];
    let all = faults.record(&home, &purge).len();
    nowhere(&home, "xylomancywombat", "after the purge");
    for at in points(all, few()) {
        put_back(&template, &home.path());
        faults.kill(&home, &purge, at);
        let gone = home.run(&["show", &id]).code == 3;
        home.remember("Written after");
        if gone {
            nowhere(&home, "xylomancywombat", &format!("killed at {at} of {all}"));
        }
        assert_eq!(home.texts(&["search", "port 4000"]).len(), 1, "at {at}");
    }
    home.assert_sound();
}

#[test]
fn a_purge_on_a_disk_that_fails_says_what_it_did_and_finishes_when_asked_again() {
    const EIO: i32 = 5;
    let Some(faults) = Faults::new() else { return };
    let home = Home::live();
    home.remember("The service listens on port 4000");
    let id = home.remember("The zebrafishlocker phrase is xylomancywombat");
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let purge = ["--json", "purge", id.as_str(), "--yes"];
    let all = faults.record(&home, &purge).len();
    let (mut in_part, mut not_at_all) = (0, 0);
    for at in points(all, few()) {
        put_back(&template, &home.path());
        let done = faults.fail(&home, &purge, at, EIO);
        if done.status.success() {
            continue;
        }
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        let gone = home.run(&["show", &id]).code == 3;
        if told.contains("erased_in_part") {
            assert!(gone && told.contains("erased from memory"), "at {at}: {told}");
            in_part += 1;
        } else if told.contains("erase_unsure") {
            // Written and not synced: whoever opens the file next finds it done or not.
            assert!(told.contains("not known") && told.contains("same `purge` again"), "{told}");
        } else {
            assert!(!gone && told.contains("nothing was erased"), "at {at}: {told}");
            not_at_all += 1;
        }
        assert!(!told.contains("Error code"), "in words: {told}");
        // It may have failed at the very last step, so that nothing is left to finish.
        let again = home.run(&["--json", "purge", &id, "--yes"]);
        let finished = again.stdout.contains("\"purged\":1");
        assert!(finished || (gone && again.code == 3), "at {at}: {}", again.stderr);
        nowhere(&home, "xylomancywombat", &format!("failed at {at} of {all}"));
    }
    assert!(in_part > 0 && not_at_all > 0, "{in_part} {not_at_all}");
    home.assert_sound();
}

/// Names that nothing depends on.
fn may_be_lost(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // How far a journal was read: what is read again is known.
    name.ends_with(".mark")
        || name.contains("restoring")
        || name.ends_with(".lock")
        || name.ends_with(".tmp")
        || name.contains("last-failure")
}

/// Every name that a command made is in a folder that was synced afterwards.
fn assert_names_outlive_a_power_cut(done: &[Operation]) {
    for (at, made) in done.iter().enumerate() {
        if !matches!(made.letter, 'C' | 'M' | 'R') || may_be_lost(&made.path) {
            continue;
        }
        let above = made.path.parent().expect("a name is in a folder");
        let synced = done[at..].iter().any(|one| one.letter == 'D' && one.path == above);
        assert!(synced, "{made:?} is never synced: {done:#?}");
    }
}

#[test]
fn what_is_remembered_in_a_new_home_outlives_a_power_cut() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::live();
    let done = faults.record(&home, &["remember", "The first thing in a new home"]);
    assert!(done.iter().any(|one| one.letter == 'M'), "a folder was made: {done:?}");
    assert_names_outlive_a_power_cut(&done);
    // So is what a hook is told first of all.
    let new = Home::live();
    let agent = Agent::new(&new, "march");
    let payload = agent.payload("UserPromptSubmit", &json!({ "prompt": hooking::DECISION }));
    let done = faults.record_hook(&new, "UserPromptSubmit", &payload);
    // That a hook was called at all, and what it had in mind, may be lost.
    let holds = |one: &Operation| {
        let path = one.path.to_string_lossy();
        one.letter == 'D'
            || path.ends_with("home")
            || path.contains("journal")
            || path.contains(".db")
    };
    let done: Vec<Operation> = done.into_iter().filter(holds).collect();
    let journal = |one: &Operation| one.path.to_string_lossy().contains("journal");
    assert!(done.iter().any(|one| one.letter == 'S' && journal(one)), "synced: {done:?}");
    assert_names_outlive_a_power_cut(&done);
    // A copy and what it replaces are as safe.
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    assert_names_outlive_a_power_cut(&faults.record(&home, &["restore", &copy]));
}
