//! Erasures and restores that are cut short: what was erased stays erased, and the rest of the
//! work is done by whoever comes next.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Home, slow};

/// How often a command is killed.
fn kills() -> u32 {
    if slow() { 60 } else { 15 }
}

/// Starts a command that tells nobody anything.
fn start(home: &Home, args: &[&str]) -> Child {
    let mut command = home.command();
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// How long a command takes when nobody disturbs it.
fn length(home: &Home, args: &[&str]) -> Duration {
    let begun = Instant::now();
    assert_eq!(home.run(args).code, 0, "{args:?}");
    begun.elapsed()
}

/// Runs a command and kills it at one of `kills()` moments spread over its whole length.
fn cut_short(home: &Home, args: &[&str], cycle: u32, length: Duration) {
    let mut child = start(home, args);
    std::thread::sleep(length * (cycle + 1) / kills());
    child.kill().expect("a process can be killed");
    child.wait().expect("a killed process ends");
}

fn assert_nowhere(home: &Home, word: &str, when: &str) {
    assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word}, {when}");
}

/// A home where something was erased, and a copy from before.
fn erased_and_copied() -> (Home, String) {
    let home = Home::live();
    home.remember("Ordinary cow");
    let id = home.remember_with(&["Quixotic zebra", "--tag", "stripes"]);
    let old = home.arg("old.db");
    home.json(&["backup", &old]);
    home.json(&["purge", &id, "--yes"]);
    assert_nowhere(&home, "zebra", "after the purge");
    (home, old)
}

#[test]
fn the_next_purge_clears_away_what_a_killed_restore_left() {
    let (home, old) = erased_and_copied();
    let length = length(&home, &["restore", &old]);
    for cycle in 0..kills() {
        let next = home.remember(&format!("Passing thought {cycle}"));
        cut_short(&home, &["restore", &old], cycle, length);
        // The restore may have been done before the kill, and the thought be gone with it.
        if home.run(&["purge", &next, "--yes"]).code == 3 {
            let next = home.remember(&format!("Another thought {cycle}"));
            home.json(&["purge", &next, "--yes"]);
        }
        assert_nowhere(&home, "zebra", &format!("cycle {cycle}"));
    }
}

#[test]
fn an_erasure_that_is_killed_at_any_moment_is_finished_by_the_next_write() {
    let home = Home::live();
    home.remember("Ordinary cow");
    let mut whole = Duration::ZERO;
    for cycle in 0..=kills() {
        let word = format!("quagga{cycle}x");
        let id = home.remember_with(&[&format!("The {word} is gone"), "--tag", &word]);
        // A restore keeps a copy of what was there, within the home.
        let copy = home.arg(&format!("copy-{cycle}.db"));
        home.json(&["backup", &copy]);
        home.json(&["restore", &copy]);
        assert!(home.files_holding(&word).len() > 1, "the word is in a copy too");
        if cycle == 0 {
            whole = length(&home, &["purge", &id, "--yes"]);
        } else {
            cut_short(&home, &["purge", &id, "--yes"], cycle - 1, whole);
        }
        let gone = home.run(&["show", &id]).code == 3;
        if gone {
            home.remember(&format!("Written after {cycle}"));
            assert_nowhere(&home, &word, "after the next write");
        }
        assert!(gone || cycle > 0, "an erasure that nobody disturbs is done");
    }
    home.assert_sound();
}

#[cfg(unix)]
#[test]
fn an_erasure_that_a_reader_holds_up_is_finished_by_the_next_write_after_it() {
    let home = Home::live();
    let id = home.remember("Quixotic zebra");
    // More than a pipe holds: an export that nobody reads on stops in its middle.
    for n in 0..60 {
        home.remember(&format!("Filler {n} {}", "x".repeat(4_000)));
    }
    let mut command = home.command();
    let mut reader = command.arg("export").stdout(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 2_000];
    reader.stdout.as_mut().unwrap().read_exact(&mut some).unwrap();
    let answer = home.json(&["purge", &id, "--yes"]);
    assert_eq!(answer["pending"], true, "it says that something is left: {answer}");
    assert!(!home.files_holding("zebra").is_empty(), "and so it is");
    assert_eq!(home.run(&["show", &id]).code, 3, "though no command finds it");
    reader.kill().unwrap();
    reader.wait().unwrap();
    home.remember("Written after");
    assert_nowhere(&home, "zebra", "after the next write");
    home.assert_sound();
}

#[test]
fn a_restore_that_is_killed_at_any_moment_brings_nothing_erased_back() {
    let (home, old) = erased_and_copied();
    let length = length(&home, &["restore", &old]);
    for cycle in 0..kills() {
        cut_short(&home, &["restore", &old], cycle, length);
        assert_eq!(home.texts(&["list", "--all"]), ["Ordinary cow"], "cycle {cycle}");
        assert_eq!(home.error(&["remember", "Quixotic zebra"]).1["code"], "erased", "{cycle}");
    }
    home.json(&["restore", &old]);
    assert_eq!(home.texts(&["list", "--all"]), ["Ordinary cow"]);
    home.assert_sound();
}

#[test]
fn doctor_names_what_a_killed_restore_left() {
    let (home, old) = erased_and_copied();
    let backups = home.path().join("backups");
    std::fs::create_dir_all(&backups).expect("a folder can be made");
    let left = backups.join("restoring-20260302T090000Z.db");
    std::fs::copy(old, &left).expect("a file can be copied");
    assert!(!home.files_holding("zebra").is_empty(), "as a kill leaves it");
    let checks = home.json(&["doctor"])["checks"].clone();
    let named = checks.as_array().expect("a list").iter().find(|one| one["name"] == "left over");
    let told = named.unwrap_or_else(|| panic!("it is named: {checks}"))["detail"].clone();
    assert!(told.as_str().is_some_and(|told| told.contains("interrupted")), "{told}");
    assert!(!left.exists(), "and cleared away");
    assert_nowhere(&home, "zebra", "after doctor");
}

#[test]
fn the_next_restore_clears_away_what_a_killed_one_left() {
    let (home, old) = erased_and_copied();
    let length = length(&home, &["restore", &old]);
    for cycle in 0..kills() {
        cut_short(&home, &["restore", &old], cycle, length);
        home.json(&["restore", &old]);
        assert_nowhere(&home, "zebra", &format!("cycle {cycle}"));
    }
    home.assert_sound();
}

#[test]
fn what_a_killed_restore_left_does_not_make_a_sound_home_look_damaged() {
    let (home, old) = erased_and_copied();
    let folder = home.path().join("backups");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["before-restore-2026-03-02.1.db.partial", "restoring-2026-03-02.1.db"] {
        std::fs::write(folder.join(name), "half a copy of a zebra").unwrap();
    }
    let done = home.json(&["restore", &old]);
    assert_eq!(
        (done["erased_again"].as_u64(), done["erasures_unknown"].as_bool()),
        (Some(1), Some(false))
    );
    assert!(!done["kept"].as_str().unwrap().contains("damaged"), "{done}");
    assert_eq!(home.texts(&["list", "--all"]), ["Ordinary cow"]);
    assert_nowhere(&home, "zebra", "after the restore");
}
