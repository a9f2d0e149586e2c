//! Backup and restore: whole copies, also over damage, and never a way back for what was erased.

use std::path::PathBuf;

use crate::harness::{Home, overwrite};

fn backup(home: &Home, name: &str) -> String {
    let file = home.arg(name);
    let answer = home.json(&["backup", &file]);
    let data = std::fs::metadata(&file).expect("the copy is there");
    assert_eq!(answer["bytes"], data.len());
    file
}

#[test]
fn a_copy_brings_everything_back() {
    let home = Home::new();
    let id = home.remember_with(&["Staging runs Postgres 14", "--tag", "infra"]);
    home.json(&["correct", &id, "Staging runs Postgres 16"]);
    let before = (home.everything(), home.json(&["history", &id]), home.page(&["export"]));
    let copy = backup(&home, "copy.db");
    home.remember("Written after the copy");
    home.json(&["tag", &id, "later"]);
    let answer = home.json(&["restore", &copy]);
    assert_eq!(answer["erased_again"], 0);
    let after = (home.everything(), home.json(&["history", &id]), home.page(&["export"]));
    assert_eq!(after, before);
    home.assert_sound();
    let kept = PathBuf::from(answer["kept"].as_str().unwrap());
    home.json(&["restore", kept.to_str().unwrap()]);
    assert_eq!(home.texts(&["search", "written after"]), ["Written after the copy"]);
}

#[test]
fn a_copy_restores_into_a_home_that_is_gone() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let copy = backup(&home, "copy.db");
    home.wipe();
    home.json(&["restore", &copy]);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
    home.assert_sound();
}

#[test]
fn an_older_copy_does_not_bring_back_what_was_erased_since() {
    let home = Home::new();
    let id = home.remember_with(&["Quixotic zebra", "--tag", "tagword"]);
    home.remember("Ordinary cow");
    let copy = backup(&home, "copy.db");
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(home.json(&["restore", &copy])["erased_again"], 1);
    assert_eq!(home.texts(&["list", "--all"]), ["Ordinary cow"]);
    for word in ["quixotic", "zebra", "tagword"] {
        assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word}");
    }
    assert_eq!(home.error(&["remember", "Quixotic zebra"]).1["code"], "erased");
    home.assert_sound();
}

#[test]
fn a_damaged_database_is_replaced_and_kept() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let copy = backup(&home, "copy.db");
    home.wipe();
    std::fs::create_dir(home.path()).unwrap();
    let garbage = vec![0x5a; 20_000];
    std::fs::write(home.database(), &garbage).unwrap();
    assert_eq!(home.error(&["list"]).1["code"], "damaged");
    let answer = home.json(&["restore", &copy]);
    assert_eq!(std::fs::read(answer["kept"].as_str().unwrap()).unwrap(), garbage);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
}

#[test]
fn a_database_cut_off_to_nothing_is_damaged_and_no_new_memory_begins_in_it() {
    let home = Home::new();
    home.remember("The staging database runs on Postgres 14.");
    home.json(&["backup"]);
    std::fs::write(home.database(), b"").expect("it is cut off");
    for extension in ["db-wal", "db-shm"] {
        std::fs::remove_file(home.database().with_extension(extension)).ok();
    }
    let (code, error) = home.error(&["list"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("damaged")), "{error}");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    assert!(doctor.stdout.contains("restore --latest"), "{}", doctor.stdout);
    home.json(&["restore", "--latest"]);
    assert_eq!(home.texts(&["list"]), ["The staging database runs on Postgres 14."]);
}

#[test]
fn what_is_not_a_sound_copy_is_refused_and_the_home_stays_as_it_is() {
    let home = Home::new();
    for n in 0..40 {
        home.remember(&format!("Fact number {n} of a home that fills a few pages"));
    }
    let good = backup(&home, "good.db");
    let (garbage, torn, newer) =
        (home.arg("garbage.db"), home.arg("torn.db"), home.arg("newer.db"));
    std::fs::write(&garbage, "this is not a database at all").unwrap();
    let bytes = std::fs::read(&good).unwrap();
    std::fs::write(&torn, &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(&newer, &bytes).unwrap();
    overwrite(newer.as_ref(), USER_VERSION, &[0, 0, 0, 99]);
    let before = home.everything();
    for (file, wanted) in [(&garbage, "damaged"), (&torn, "damaged"), (&newer, "newer")] {
        let (code, error) = home.error(&["restore", file]);
        assert_eq!((code, error["code"].as_str()), (1, Some(wanted)), "{error}");
        assert!(error["message"].as_str().unwrap().contains(file.as_str()), "{error}");
        assert_eq!(home.everything(), before);
    }
    assert_eq!(home.error(&["restore", &home.arg("missing.db")]).0, 1);
    assert!(!home.outside("missing.db").exists(), "looking for a copy does not make one");
    assert_eq!(home.everything(), before);
    assert!(!home.path().join("backups").exists() && !home.path().join("damaged").exists());
}

/// Where SQLite keeps the schema's version in a database file.
pub(crate) const USER_VERSION: usize = 60;

#[test]
fn a_backup_never_writes_over_a_file() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    std::fs::write(home.outside("precious.txt"), "precious").unwrap();
    let (code, error) = home.error(&["backup", &home.arg("precious.txt")]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    assert_eq!(std::fs::read_to_string(home.outside("precious.txt")).unwrap(), "precious");
    assert_eq!(home.error(&["backup", &home.arg("no/such/folder/copy.db")]).0, 1);
}

#[cfg(unix)]
#[test]
fn the_home_and_its_copies_are_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let copy = backup(&home, "copy.db");
    home.json(&["restore", &copy]);
    let mut paths = home.files();
    paths.extend([home.path(), copy.into()]);
    for path in paths {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} is open to others", path.display());
    }
}

/// Bytes that look like nothing, the same in every run.
fn noise(seed: usize, bytes: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn a_copy_restores_over_a_database_with_any_page_destroyed() {
    const PAGE: usize = 4_096;
    let home = Home::new();
    for n in 0..40 {
        home.remember_with(&[&format!("Fact number {n}"), "--tag", &format!("tag {}", n % 7)]);
    }
    let good = backup(&home, "good.db");
    let before = home.everything();
    // A restored database is all in one file, so that what is destroyed there is in use.
    home.json(&["restore", &good]);
    let pages = std::fs::read(home.database()).unwrap().len() / PAGE;
    assert!(pages > 16, "{pages}");
    let (mut noticed, mut at) = (0, 0);
    while at < pages {
        overwrite(&home.database(), at * PAGE, &noise(at, PAGE));
        let destroyed = std::fs::read(home.database()).unwrap();
        noticed += usize::from(home.run(&["doctor", "--rebuild-check"]).code != 0);
        let answer = home.json(&["restore", &good]);
        let kept = PathBuf::from(answer["kept"].as_str().unwrap());
        assert!(kept.is_file(), "page {at}: {answer}");
        if kept.parent().unwrap().ends_with("damaged") {
            assert!(std::fs::read(&kept).unwrap() == destroyed, "page {at} is kept as it was");
        }
        assert_eq!(home.everything(), before, "page {at}");
        home.assert_sound();
        at += if at < 3 { 1 } else { pages / 8 };
    }
    assert!(noticed > 2, "the damage was real: {noticed}");
}

#[test]
fn a_copy_that_is_not_there_is_said_to_be_missing() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let (code, error) = home.error(&["restore", &home.arg("missing.db")]);
    assert_eq!((code, error["code"].as_str()), (1, Some("file")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("missing.db") && message.contains("no such file"), "{error}");
}

#[test]
fn a_restore_over_a_damaged_page_still_knows_what_was_erased() {
    const PAGE: usize = 4_096;
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    let copy = backup(&home, "copy.db");
    home.json(&["purge", &id, "--yes"]);
    for n in 0..30 {
        home.remember(&format!("Fact number {n}, told at some length so that it fills its page"));
    }
    home.json(&["restore", &backup(&home, "whole.db")]);
    let bytes = std::fs::read(home.database()).unwrap();
    let at = bytes.windows(14).position(|window| window == b"Fact number 29").unwrap();
    overwrite(&home.database(), at / PAGE * PAGE, &noise(7, PAGE));
    let done = home.json(&["restore", &copy]);
    assert_eq!(done["erasures_unknown"], false, "{done}");
    assert_eq!(home.json(&["list", "--all"])["total"], 0, "{done}");
    assert_eq!(home.error(&["remember", "Quixotic zebra"]).1["code"], "erased");
}

#[test]
fn a_backup_leaves_the_files_beside_it_alone() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let mine = home.outside("n.db.partial");
    std::fs::write(&mine, "mine").unwrap();
    home.json(&["backup", &home.arg("n.db")]);
    assert_eq!(std::fs::read(mine).unwrap(), b"mine");
}
