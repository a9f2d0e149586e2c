//! Every database we ever released still opens, sound and complete.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use throughline_core::{Change, Episode, MemoryId, Pending, Row, RowKey, SpaceId, State};
use throughline_store::{Document, MemoryQuery, RECORD, SqliteStore, Store, TextOf};
use throughline_testing::sample::{HERE, batch, day, episode, fact, insert, opening, pending};

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
    for release in ["v1.db", "v2.db"] {
        assert!(names.iter().any(|name| name == release), "{names:?}");
    }
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

/// The memories of the first release's projects, as search knows them and as they are listed.
fn searched_and_listed(store: &SqliteStore) -> [Vec<(MemoryId, Option<State>)>; 2] {
    let reader = store.read().expect("a reader");
    let spaces = vec![SpaceId::of_project("github.com/acme/webshop"), SpaceId::GLOBAL];
    let mut searched = Vec::new();
    for space in &spaces {
        let mut keep = |_, body: &[u8]| {
            let found = body.chunks_exact(RECORD).filter_map(Document::read);
            searched.extend(found.map(|one| (MemoryId(one.id), one.state)));
        };
        reader.documents(*space, TextOf::Memories, "any", 0, &mut keep).expect("documents");
    }
    let query = MemoryQuery { spaces, limit: 100, any_session: true, ..MemoryQuery::default() };
    let listed = reader.memories(&query).expect("a listing").items.into_iter();
    let mut listed: Vec<_> = listed.map(|memory| (memory.id, Some(memory.state))).collect();
    searched.sort();
    listed.sort();
    [searched, listed]
}

fn backups(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.join("backups")) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_memory_of_the_first_release_gets_a_document() {
    let (folder, path) = released("v1.db");
    let store = SqliteStore::open(&path).expect("it opens");
    assert_eq!(store.health().expect("its health").schema, 8);
    let [searched, listed] = searched_and_listed(&store);
    assert_eq!(listed.len(), 6);
    assert_eq!(searched, listed);
    assert_eq!(store.verify().expect("it can be checked"), []);
    assert_eq!(backups(folder.path()), ["before-migration-from-1.0.db"]);
    drop(store);
    SqliteStore::open(&path).expect("it opens again");
    assert_eq!(backups(folder.path()).len(), 1, "it is migrated once");
}

#[test]
fn what_the_second_schema_left_undecided_is_found_for_review() {
    let (folder, path) = released("v2.db");
    let store = SqliteStore::open(&path).expect("it opens");
    assert_eq!(store.health().expect("its health").schema, 8);
    assert_eq!(backups(folder.path()), ["before-migration-from-2.0.db"]);
    let space = SpaceId::of_project("github.com/acme/webshop");
    let reader = store.read().expect("a reader");
    let edges = reader.contradictions(&[space], 10).expect("contradictions");
    let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]);
    let keys: Vec<RowKey> = ends.map(|end| RowKey::node(space, end)).collect();
    let rows = reader.rows(&keys).expect("rows");
    let contents: Vec<_> =
        rows.into_iter().flatten().filter_map(Row::into_memory).map(|one| one.content).collect();
    assert_eq!(contents, ["The deploy port is 8080", "The deploy port is 9090"]);
    assert_eq!(reader.pending(&[space], 10).expect("what waits"), []);
    drop(reader);

    let waiting = Pending { space, ..pending(HERE, 1, "an operation") };
    store.apply(&batch(1, space, day(9_000), vec![Change::Defer(waiting.clone())])).expect("kept");
    let held = store.read().expect("a reader").pending(&[space], 10);
    assert_eq!(held.expect("what waits"), [waiting]);
    assert_eq!(store.verify().expect("it can be checked"), []);
    assert_eq!(store.rebuild_check().expect("it can be replayed"), []);
}

#[test]
fn a_copy_is_migrated_without_keeping_a_copy_of_the_copy() {
    let (folder, path) = released("v1.db");
    drop(SqliteStore::open(&path).expect("it opens"));
    let copy = folder.path().join("backups/before-migration-from-1.0.db");
    let store = SqliteStore::open_copy(&copy).expect("a copy opens");
    assert_eq!(store.health().expect("its health").schema, 8);
    let [searched, listed] = searched_and_listed(&store);
    assert_eq!(searched, listed);
    assert_eq!(store.verify().expect("it can be checked"), []);
    let inside = copy.parent().expect("a folder");
    assert_eq!(backups(inside), [""; 0], "no backups of backups");
    let databases = backups(folder.path());
    assert_eq!(databases.iter().filter(|name| name.ends_with(".db")).count(), 1, "{databases:?}");
}

#[test]
fn an_old_database_with_one_damaged_row_still_opens() {
    let (_folder, path) = released("v1.db");
    let connection = Connection::open(&path).expect("a connection");
    let forged = "UPDATE memory SET hash = 'x' WHERE key = (SELECT min(key) FROM memory)";
    assert_eq!(connection.execute(forged, []).expect("a statement"), 1);
    drop(connection);
    let store = SqliteStore::open(&path).expect("the others can be read");
    let findings = store.verify().expect("it can be checked");
    assert!(findings.iter().any(|finding| finding.check == "rows"), "{findings:?}");
}

/// Makes a file what the first release would have written: no documents, and the words of a turn
/// without the name of whoever said it.
fn back_to_first_release(path: &Path) {
    let connection = Connection::open(path).expect("a connection");
    connection
        .execute_batch(
            "DROP TABLE block_body; DROP TABLE block; DROP TABLE model;
             DROP TABLE pending; DROP TABLE leaf; DROP INDEX edge_contradicts;
             DROP INDEX memory_current; DROP INDEX memory_triggered;
             DROP INDEX memory_unresolved; DROP INDEX memory_active;
             DROP INDEX memory_listed; DROP INDEX memory_doc;
             CREATE INDEX memory_recorded ON memory (space, recorded_at, key);
             CREATE INDEX memory_doc ON memory (space, doc);
             DELETE FROM migration WHERE number > 1;
             UPDATE episode_text SET terms = 'i move to basel';
             PRAGMA user_version = 1;",
        )
        .expect("an older file");
}

fn told(path: &Path, turns: Vec<Episode>) {
    let store = SqliteStore::open(path).expect("it opens");
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    let mut changes = vec![insert(&fact(HERE, 1, "a claim"))];
    changes.extend(turns.into_iter().map(Change::Record));
    store.apply(&batch(1, HERE, day(1), changes)).expect("the batch is accepted");
}

#[test]
fn turns_of_the_first_release_are_found_by_who_said_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("memory.db");
    let speaker = "Caroline".to_owned();
    told(&path, vec![Episode { speaker, ..episode(HERE, 1, "I moved to Basel") }]);
    back_to_first_release(&path);

    let store = SqliteStore::open(&path).expect("it opens");
    assert_eq!(store.verify().expect("it can be checked"), []);
    let reader = store.read().expect("a reader");
    let terms = throughline_core::words::terms("Caroline");
    let found = reader.postings(HERE, TextOf::Episodes, &terms, 10).expect("postings");
    assert_eq!(found[0].documents.len(), 1);
}

#[test]
fn turns_of_the_first_release_keep_their_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("memory.db");
    let late = [(1, 1), (2, 3), (3, 2)].map(|(number, position)| Episode {
        position,
        ..episode(HERE, number, "I moved to Basel")
    });
    told(&path, late.to_vec());
    back_to_first_release(&path);

    let store = SqliteStore::open(&path).expect("it opens");
    let reader = store.read().expect("a reader");
    let mut turns = Vec::new();
    reader
        .documents(HERE, TextOf::Episodes, "any", 0, &mut |_, body| {
            turns.extend(body.chunks_exact(RECORD).filter_map(Document::read));
        })
        .expect("documents");
    let told: Vec<_> = turns.iter().map(|turn| (turn.session, turn.before)).collect();
    assert_eq!(told, [(0, None), (0, Some(2)), (0, Some(0))]);
}
