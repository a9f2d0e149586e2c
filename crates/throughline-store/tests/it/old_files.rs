//! Every database we ever released still opens, sound and complete.

use std::path::{Path, PathBuf};

use throughline_core::{SpaceId, State};
use throughline_store::{MemoryQuery, SqliteStore, Store};

/// A copy of a released database, so that the file in the repository stays as it is.
fn released(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/databases").join(name);
    let copy = folder.path().join("memory.db");
    std::fs::copy(original, &copy).expect("the file is in the repository");
    (folder, copy)
}

#[test]
fn a_database_of_every_release_opens_sound_and_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/databases");
    let names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is in the repository")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "db"))
        .collect();
    assert!(names.contains(&"v1.db".to_owned()), "{names:?}");
    for name in names {
        let (_folder, path) = released(&name);
        let store = SqliteStore::open(&path).expect("it opens");
        assert_eq!(store.verify().expect("it can be checked"), [], "{name}");
        assert_eq!(store.rebuild_check().expect("it can be replayed"), [], "{name}");
    }
}

#[test]
fn the_first_release_is_read_as_it_was_written() {
    let (_folder, path) = released("v1.db");
    let store = SqliteStore::open(&path).expect("it opens");
    let reader = store.read().expect("a reader");
    let spaces = vec![SpaceId::of_project("github.com/acme/webshop"), SpaceId::GLOBAL];
    let query = MemoryQuery { spaces, limit: 100, ..MemoryQuery::default() };
    let mut held: Vec<(String, State)> = reader
        .memories(&query)
        .expect("a listing")
        .items
        .into_iter()
        .map(|memory| (memory.content, memory.state))
        .collect();
    held.sort();
    let expected = [
        ("Redis lost sessions twice", State::Confirmed),
        ("Sessions are kept in Postgres", State::Confirmed),
        ("Speak plainly", State::Confirmed),
        ("Staging runs Postgres 14", State::Superseded),
        ("Staging runs Postgres 16", State::Confirmed),
        ("The office is in Basel", State::Retracted),
    ];
    assert_eq!(held, expected.map(|(content, state)| (content.to_owned(), state)));
    assert_eq!(reader.all_tombstones().expect("tombstones").len(), 1);
}
