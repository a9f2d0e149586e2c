//! What a crash or a damaged byte leaves behind is named, mended, and takes nothing else along.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::durable::rows_in_file;
use crate::faults::{Faults, points, put_back};
use crate::harness::{Home, overwrite, slow, strings};
use crate::hook_trouble::files_of;
use crate::hooking::{Agent, diagnosis};

/// The checks of `doctor` that are wrong, each with its hint, and its exit code.
fn wrong(home: &Home, args: &[&str]) -> (i32, Vec<String>) {
    let run = home.run(&[&["--json", "doctor"], args].concat());
    let found: Value = serde_json::from_str(&run.stdout).expect("doctor answers in JSON");
    let checks = found["checks"].as_array().expect("doctor lists its checks");
    let of = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let told = |check: &Value| {
        format!("{}: {} ({})", of(check, "name"), of(check, "detail"), of(check, "hint"))
    };
    let wrong = checks.iter().filter(|check| check["outcome"] == "wrong").map(told).collect();
    (run.code, wrong)
}

fn assert_nowhere(home: &Home, word: &str, when: &str) {
    assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word}, {when}");
}

/// The erasure is told by `doctor` and `status`.
fn assert_told(home: &Home, when: &str) {
    let (code, found) = wrong(home, &[]);
    assert_eq!(code, 1, "{when}");
    assert!(
        found.len() == 1 && found[0].starts_with("erasure: ") && found[0].contains("--mend"),
        "{when}: {found:?}"
    );
    assert!(!found[0].contains("zebra"), "{when}: {found:?}");
    assert_eq!(home.json(&["status"])["unfinished_erasures"], 1, "{when}");
    let page = home.page(&["status"]);
    assert_eq!(page.matches("erasure").count(), 1, "{when}: {page}");
}

#[test]
fn a_purge_that_was_cut_short_is_told_and_mending_or_restoring_finishes_it() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::live();
    home.remember("Ordinary cow");
    let id = home.remember("Quixotic zebra");
    home.json(&["backup"]);
    let (old, saved) = (home.arg("old.db"), home.outside("saved"));
    home.json(&["backup", &old]);
    assert_eq!(home.json(&["status"])["unfinished_erasures"], 0);
    put_back(&home.path(), &saved);
    let purge = ["purge", &id, "--yes"];
    let all = faults.record(&home, &purge).len();
    let mut told = 0;
    for at in points(all, (!slow()).then_some(8)) {
        put_back(&saved, &home.path());
        faults.kill(&home, &purge, at);
        let when = format!("killed at {at} of {all}");
        if home.run(&["show", &id]).code != 3 || home.files_holding("zebra").is_empty() {
            continue;
        }
        assert_told(&home, &when);
        told += 1;
        if told % 2 == 0 {
            home.json(&["restore", &old]);
        } else {
            assert_eq!(wrong(&home, &["--mend"]), (0, Vec::new()), "{when}");
        }
        assert_nowhere(&home, "zebra", &when);
        assert_eq!(wrong(&home, &[]), (0, Vec::new()), "{when}");
        assert_eq!(home.texts(&["list", "--all"]), ["Ordinary cow"], "{when}");
    }
    assert!(told > 1, "a purge of {all} operations was cut short {told} times");
}

#[cfg(unix)]
#[test]
fn an_erasure_that_a_reader_holds_up_is_told_until_it_is_finished() {
    let home = Home::live();
    let id = home.remember("Quixotic zebra");
    // More than a pipe holds: an export that nobody reads on stops in its middle.
    for n in 0..20 {
        home.remember(&format!("Filler {n} {}", "x".repeat(7_500)));
    }
    let mut command = home.command();
    let mut reader = command.arg("export").stdout(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 2_000];
    reader.stdout.as_mut().unwrap().read_exact(&mut some).unwrap();
    assert_eq!(home.json(&["purge", &id, "--yes"])["pending"], true);
    assert_told(&home, "while it is read");
    let (code, found) = wrong(&home, &["--mend"]);
    assert_eq!((code, found.len()), (1, 1), "mending does not hide it: {found:?}");
    assert!(!home.files_holding("zebra").is_empty());
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert_told(&home, "until somebody writes");
    assert_eq!(wrong(&home, &["--mend"]), (0, Vec::new()));
    assert_nowhere(&home, "zebra", "after mending");
}

const KEPT: &str = "We decided to keep sessions in Postgres";

/// Overwrites the first byte of a decision's row, so that it is no JSON any more.
fn home_with_a_malformed_row() -> (Home, String) {
    let home = Home::new();
    home.remember_with(&[KEPT, "--kind", "decision"]);
    let id = home.remember_with(&["We decided to call it Basilisk", "--kind", "decision"]);
    for row in rows_in_file(&home, &id) {
        overwrite(&home.database(), row, b"#");
    }
    (home, id)
}

#[test]
fn a_row_that_is_no_json_takes_the_brief_of_no_other_along() {
    let (home, _) = home_with_a_malformed_row();
    let brief = Agent::new(&home, "march").starts();
    assert!(brief.contains(KEPT), "{brief}");
    assert!(!brief.contains("Basilisk"), "{brief}");
}

#[test]
fn a_row_that_is_no_json_is_named_by_doctor_and_backup_and_can_be_mended() {
    let (home, id) = home_with_a_malformed_row();
    let (code, found) = wrong(&home, &[]);
    assert_eq!(code, 1);
    assert!(found.iter().any(|one| one.starts_with("rows: ") && one.contains(&id)), "{found:?}");
    assert!(!found.concat().contains("malformed"), "{found:?}");
    let copy = home.arg("copy.db");
    let run = home.run(&["--json", "backup", &copy]);
    let told: Value = serde_json::from_str(&run.stdout).expect("one JSON document");
    assert!(strings(&told["damaged"])[0].contains(&id), "{told}");
    // As with any row that does not say what it said, such a copy can be restored.
    home.json(&["restore", &copy]);
    assert_eq!(wrong(&home, &["--mend", "--rebuild-check"]), (0, Vec::new()));
    assert_eq!(home.show(&id)["content"], "We decided to call it Basilisk");
}

#[test]
fn what_a_killed_restore_left_over_a_database_that_does_not_open_goes_with_the_next_command() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::live();
    home.remember("Ordinary cow");
    let id = home.remember("Quixotic zebra");
    let (old, saved) = (home.arg("old.db"), home.outside("saved"));
    home.json(&["backup", &old]);
    home.json(&["purge", &id, "--yes"]);
    let database = std::fs::OpenOptions::new().write(true).open(home.database()).unwrap();
    database.set_len(36_864).unwrap();
    put_back(&home.path(), &saved);
    let restore = ["restore", &old];
    let all = faults.record(&home, &restore).len();
    let left = || {
        let names = std::fs::read_dir(home.path().join("backups")).into_iter().flatten().flatten();
        names.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut swept = 0;
    for (n, at) in points(all, (!slow()).then_some(8)).into_iter().enumerate() {
        put_back(&saved, &home.path());
        faults.kill(&home, &restore, at);
        let before = left();
        let args: &[&str] = [&["list"][..], &["status"], &["doctor"], &["doctor", "--mend"]][n % 4];
        if home.run(args).code == 0 {
            continue;
        }
        assert_eq!(left(), Vec::<PathBuf>::new(), "{args:?} after a kill at {at} of {all}");
        swept += usize::from(!before.is_empty());
    }
    assert!(swept > 0, "a restore of {all} operations left nothing");
}

#[test]
fn a_copy_restores_over_a_database_with_any_damaged_header() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let id = home.remember("Quixotic zebra");
    let (copy, old) = (home.arg("copy.db"), home.arg("old.db"));
    home.json(&["backup", &old]);
    home.json(&["purge", &id, "--yes"]);
    home.json(&["backup", &copy]);
    // Format versions, schema format, text encoding, the schema's version, whose file it is.
    for at in [18, 19, 47, 59, 60, 61, 63, 68] {
        home.json(&["restore", &copy]);
        overwrite(&home.database(), at, &[0xff]);
        let damaged = std::fs::read(home.database()).unwrap();
        let answer = home.json(&["restore", &old]);
        let kept = answer["kept"].as_str().unwrap();
        if kept.contains("damaged") {
            assert!(std::fs::read(kept).unwrap() == damaged, "byte {at}: kept as it was");
        }
        assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"], "byte {at}");
    }
    assert_nowhere(&home, "zebra", "though the copy holds it");
    home.assert_sound();
}

#[test]
fn doctor_does_not_advise_to_move_a_damaged_database_away_or_to_run_doctor() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    std::fs::write(home.database(), vec![0x5a; 20_000]).unwrap();
    std::fs::remove_file(home.path().join("throughline.db-wal")).unwrap();
    let (code, found) = wrong(&home, &[]);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    assert!(found[0].starts_with("database: ") && found[0].contains("restore"), "{found:?}");
    assert!(!found[0].contains("`doctor`") && !found[0].contains("move"), "{found:?}");
    assert_eq!(diagnosis(&home, "project"), Vec::<String>::new());
}

#[test]
fn a_damaged_copy_in_which_the_words_were_overwritten_is_not_said_to_be_left() {
    let home = Home::new();
    home.remember("Ordinary cow");
    let id = home.remember("Quixotic zebra");
    home.json(&["backup"]);
    let folder = home.path().join("backups");
    let copy = std::fs::read_dir(&folder).unwrap().flatten().map(|one| one.path()).next().unwrap();
    overwrite(&copy, 0, &[0x5a; 64]);
    let purged = home.json(&["purge", &id, "--yes"]);
    let copy = copy.display().to_string();
    assert_eq!(strings(&purged["overwritten"]), [copy], "{purged}");
    assert_eq!(strings(&purged["copies_left"]), Vec::<&str>::new(), "{purged}");
    assert_nowhere(&home, "zebra", "not even in the damaged copy");
}

#[test]
fn what_is_erased_leaves_a_database_that_was_set_aside_for_its_header() {
    let home = Home::new();
    home.remember("Ordinary cow");
    let id = home.remember("Quixotic zebra");
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    for at in [18, 47] {
        home.json(&["restore", &copy]);
        overwrite(&home.database(), at, &[0xff]);
        home.json(&["restore", &copy]);
    }
    assert_eq!(files_of(&home, "damaged", "db").len(), 2);
    let purged = home.json(&["purge", &id, "--yes"]);
    assert_eq!(strings(&purged["overwritten"]).len(), 2, "{purged}");
    assert_eq!(strings(&purged["copies_left"]), Vec::<&str>::new(), "{purged}");
    assert_nowhere(&home, "zebra", "not even in what was set aside");
}
