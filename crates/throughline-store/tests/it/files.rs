//! The file: how it is opened, who may read it, and which files are left alone.

use rusqlite::Connection;
use throughline_core::Change;
use throughline_core::row::Image;
use throughline_core::{Row, RowKey};
use throughline_store::{Error, SQLITE_FLOOR, SqliteStore, Store};
use throughline_testing::sample::{
    HERE, batch, batch_id, day, evidence, fact, insert, memory_id, opening,
};

use crate::home::{Home, dump};

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> T {
    connection.pragma_query_value(None, name, |row| row.get(0)).expect("a pragma")
}

#[test]
fn the_file_is_ours_and_in_write_ahead_mode() {
    let home = Home::lived_in();
    let connection = home.foreign_connection();
    assert_eq!(pragma::<String>(&connection, "journal_mode"), "wal");
    assert_eq!(pragma::<u32>(&connection, "user_version"), 8);
    assert_eq!(pragma::<u32>(&connection, "application_id"), 0x5468_7264);
}

#[test]
fn sqlite_is_new_enough_not_to_lose_writes() {
    assert!(rusqlite::version_number() >= SQLITE_FLOOR, "{}", rusqlite::version());
    let health = Home::new().store().health().expect("its health");
    assert_eq!(health.sqlite_version, rusqlite::version());
    assert_eq!(health.schema, 8);
    assert!(health.bytes + health.wal_bytes > 0);
}

#[test]
fn a_row_that_something_hangs_on_cannot_be_taken_away() {
    let home = Home::new();
    let store = home.store();
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    let told = vec![insert(&fact(HERE, 1, "one")), Change::Reinforce(evidence(HERE, 1, "so"))];
    store.apply(&batch(1, HERE, day(1), told)).expect("the batch is accepted");
    let before = dump(&store);

    let key = RowKey::memory(HERE, memory_id(1));
    let rows = vec![Image { key, row: None }];
    let restore = batch(2, HERE, day(2), vec![Change::Restore { batch: batch_id(1), rows }]);
    store.apply(&restore).expect_err("the evidence would hang in the air");
    assert_eq!(dump(&store), before);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let folder = home.folder().join("deep/inside");
    let path = folder.join("memory.db");
    let store = SqliteStore::open(&path).expect("the store opens");
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    store.backup(&folder.join("copy.db")).expect("a copy");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("a file").permissions().mode() & 0o777
    };
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(folder.parent().expect("a folder")), 0o700);
    let mut files = 0;
    for file in std::fs::read_dir(&folder).expect("the folder") {
        let file = file.expect("a file").path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        files += 1;
    }
    assert_eq!(files, 5, "the file, its -wal, -shm and .lock, and the copy");
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let home = Home::lived_in();
    home.foreign_connection().pragma_update(None, "user_version", 9).expect("a pragma");
    checkpoint(&home);
    let before = home.bytes();
    let refusal = SqliteStore::open(&home.path()).expect_err("it is newer");
    let Error::Newer { path, found: 9, known: 8 } = refusal else { panic!("{refusal}") };
    assert_eq!(path, home.path());
    let refusal = SqliteStore::inspect(&home.path()).expect_err("it is newer");
    assert!(matches!(refusal, Error::Newer { found: 9, .. }), "{refusal}");
    assert_eq!(home.bytes(), before);
}

fn checkpoint(home: &Home) {
    let connection = home.foreign_connection();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    for setup in [
        "CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('mine')",
        "PRAGMA application_id = 77; CREATE TABLE notes (note TEXT)",
        "PRAGMA user_version = 1; CREATE TABLE notes (note TEXT)",
        "PRAGMA application_id = 77; PRAGMA user_version = 1",
    ] {
        let home = Home::new();
        home.foreign_connection().execute_batch(setup).expect("another program");
        let before = home.bytes();
        for refusal in [
            SqliteStore::open(&home.path()).map(drop).expect_err(setup),
            SqliteStore::inspect(&home.path()).expect_err(setup),
        ] {
            assert!(matches!(refusal, Error::NotOurs { .. }), "{setup}: {refusal}");
        }
        assert_eq!(home.bytes(), before, "{setup}");
    }
}

#[test]
fn an_empty_file_is_no_store_and_is_left_as_it_is() {
    let home = Home::new();
    std::fs::write(home.path(), "").expect("a file");
    let refusal = SqliteStore::inspect(&home.path()).expect_err("it is nobody's yet");
    assert!(matches!(refusal, Error::NotOurs { .. }), "{refusal}");
    // A database that lost all its bytes looks like this, and a new one would hide that.
    let refusal = SqliteStore::open(&home.path()).expect_err("it may have been one");
    assert!(matches!(refusal, Error::Damaged { .. }), "{refusal}");
    assert_eq!(std::fs::read(home.path()).expect("it is there"), b"");
}

#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    let home = Home::new();
    // A folder cannot be a database, not even for root.
    let refusal = SqliteStore::open(home.folder()).expect_err("it is a folder");
    let Error::NotWritable { path } = refusal else { panic!("{refusal:?}") };
    assert_eq!(path, home.folder());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let place = std::path::Path::new("/proc/throughline.db");
    let refusal = SqliteStore::open(place).expect_err("nobody writes there");
    let Error::NotWritable { path } = refusal else { panic!("{refusal:?}") };
    assert_eq!(path, place);
}

#[test]
fn an_existing_copy_is_never_overwritten() {
    let home = Home::lived_in();
    let copy = home.folder().join("copy.db");
    std::fs::write(&copy, "precious").expect("a file");
    home.store().backup(&copy).expect_err("something is there");
    assert_eq!(std::fs::read_to_string(&copy).expect("the file"), "precious");
}

#[test]
fn two_who_open_a_new_store_at_once_both_succeed() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let home = &home;
            scope.spawn(move || {
                let empty = batch(number, HERE, day(1), Vec::new());
                home.store().apply(&empty).expect("the batch is accepted");
            });
        }
    });
    assert_eq!(home.store().verify().expect("verify runs"), []);
}

#[test]
fn rows_can_be_read_by_other_programs_as_json() {
    let home = Home::lived_in();
    let connection = home.foreign_connection();
    let content: String = connection
        .query_row("SELECT body ->> '$.content' FROM memory ORDER BY key LIMIT 1", [], |row| {
            row.get(0)
        })
        .expect("a row");
    assert_eq!(content, "staging runs Postgres 16");
    let key = RowKey::memory(HERE, memory_id(1));
    let row = home.store().read().expect("a reader").rows(&[key]).expect("rows").remove(0);
    assert_eq!(row.and_then(Row::into_memory).map(|memory| memory.content), Some(content));
}
