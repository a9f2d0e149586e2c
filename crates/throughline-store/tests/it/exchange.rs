//! Another file in the place of the database: whole, at once, and never mixed with what was there.

use throughline_store::{SqliteStore, Store, beside};
use throughline_testing::sample::{HERE, batch, day, fact, insert};

use crate::home::{Home, dump, tell};

/// Puts a copy in the place of the database, as over one that is damaged.
fn exchange(home: &Home, copy: &std::path::Path, number: u32) {
    let aside = home.folder().join(format!("aside/{number}.db"));
    let working = home.folder().join(format!("working-{number}.db"));
    SqliteStore::exchange(&home.path(), copy, &aside, &working, &[], day(5)).expect("exchanged");
    assert!(aside.exists() && !working.exists());
}

#[test]
fn a_write_ahead_log_is_never_applied_to_a_file_that_it_was_not_written_for() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let before = dump(&store);
    for number in 20..60 {
        let more = vec![insert(&fact(HERE, number, &format!("filler {number}")))];
        store.apply(&batch(number, HERE, day(3), more)).expect("the batch is accepted");
    }
    let wal = std::fs::metadata(beside(&home.path(), "-wal")).expect("there is a log").len();
    assert!(wal > 0, "what was written last is only there");
    drop(store);
    exchange(&home, &copy, 1);
    let store = home.store();
    assert_eq!(dump(&store), before);
    assert_eq!(store.verify().expect("verify runs"), []);
    // What was there lies aside with its log, and is whole.
    let aside = SqliteStore::open_copy(&home.folder().join("aside/1.db")).expect("it opens");
    assert_eq!(dump(&aside).len(), before.len() + 40);
}

#[test]
fn who_has_the_old_file_open_writes_to_the_new_one() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let before = dump(&store);
    let reader = home.store();
    for number in 1..4_u32 {
        exchange(&home, &copy, number);
        assert_eq!(dump(&reader), before, "a reader sees the new file");
        let id = u64::from(number);
        let more = batch(30 + id, HERE, day(6), vec![insert(&fact(HERE, 30 + id, "kept"))]);
        store.apply(&more).expect("the batch is accepted");
        let fresh = home.store();
        assert_eq!(dump(&fresh).len(), before.len() + 1, "and what is written lands there");
        assert_eq!(fresh.verify().expect("verify runs"), []);
    }
}

#[test]
fn an_exchange_that_was_cut_short_is_carried_out_by_whoever_opens_the_database_next() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let before = dump(&store);
    let more = vec![insert(&fact(HERE, 20, "two"))];
    store.apply(&batch(20, HERE, day(3), more)).expect("the batch is accepted");
    drop(store);
    // As it is when the process ends right after it has put down its note, and when the old file was
    // moved already.
    std::fs::create_dir(home.folder().join("aside")).expect("a folder");
    for moved in [false, true] {
        let working = home.folder().join("working.db");
        drop(SqliteStore::open_copy(&copy).expect("it opens"));
        std::fs::copy(&copy, &working).expect("a file can be copied");
        let note = serde_json::json!({"new": "working.db", "old": "aside/old.db"}).to_string();
        std::fs::write(beside(&home.path(), ".swap"), note).expect("a file can be written");
        if moved {
            for part in ["", "-wal"] {
                let from = beside(&home.path(), part);
                let to = beside(&home.folder().join("aside/old.db"), part);
                std::fs::rename(from, to).ok();
            }
        }
        assert!(SqliteStore::is_exchanging(&home.path()));
        assert_eq!(dump(&home.store()), before);
        assert!(!SqliteStore::is_exchanging(&home.path()) && !working.exists());
    }
}

#[test]
fn a_note_that_leads_out_of_the_folder_is_not_followed() {
    let home = Home::lived_in();
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("precious.db");
    std::fs::write(&target, "precious").expect("a file can be written");
    let before = dump(&home.store());
    for new in [target.to_str().expect("a plain name"), "../precious.db"] {
        let note = serde_json::json!({"new": new, "old": "aside/old.db"}).to_string();
        std::fs::write(beside(&home.path(), ".swap"), note).expect("a file can be written");
        assert_eq!(dump(&SqliteStore::open(&home.path()).expect("it opens")), before);
    }
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "precious");
}
