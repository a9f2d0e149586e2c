//! Documents in SQLite: what is read again after a change, and what damage to them does.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use throughline_core::{Change, MemoryId, State};
use throughline_store::{BLOCK, Document, RECORD, Shelf, SqliteStore, Store, TextOf, Vector};
use throughline_testing::sample::{
    HERE, THERE, batch, day, episode, fact, insert, memory_id, node, opening,
};

use crate::home::{Home, erase, tell};

/// Which blocks are handed over after a stamp.
fn after(store: &dyn Store, of: TextOf, stamp: u64) -> (Shelf, BTreeMap<u32, Vec<u8>>) {
    let reader = store.read().expect("a reader");
    let mut blocks = BTreeMap::new();
    let shelf = reader.documents(HERE, of, "small", stamp, &mut |number, body| {
        blocks.insert(number, body.to_vec());
    });
    (shelf.expect("documents"), blocks)
}

fn numbers(store: &dyn Store, of: TextOf, stamp: u64) -> Vec<u32> {
    after(store, of, stamp).1.into_keys().collect()
}

/// The memories that have a document.
fn shelved(store: &dyn Store) -> Vec<MemoryId> {
    let (_, blocks) = after(store, TextOf::Memories, 0);
    let records = blocks.values().flat_map(|body| body.chunks_exact(RECORD));
    records.filter_map(Document::read).map(|document| MemoryId(document.id)).collect()
}

fn moved(number: u64, to: State) -> Change {
    Change::Move { space: HERE, id: memory_id(number), to, at: day(2) }
}

/// A store with a little more than a block of memories, and two turns.
fn two_blocks() -> (Home, SqliteStore) {
    let home = Home::new();
    let store = home.store();
    store.apply(&opening(&[HERE, THERE])).expect("spaces are welcome");
    let many = u64::try_from(BLOCK).expect("small") + 10;
    let mut changes: Vec<Change> =
        (1..=many).map(|number| insert(&fact(HERE, number, &format!("claim {number}")))).collect();
    changes.extend((1..=2).map(|number| Change::Record(episode(HERE, number, "said"))));
    store.apply(&batch(1, HERE, day(1), changes)).expect("the batch is accepted");
    (home, store)
}

#[test]
fn only_the_block_that_changed_is_read_again() {
    let (_home, store) = two_blocks();
    let (shelf, blocks) = after(&store, TextOf::Memories, 0);
    assert_eq!(blocks.into_keys().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(numbers(&store, TextOf::Memories, shelf.stamp), [0; 0], "nothing changed");
    let again = after(&store, TextOf::Memories, shelf.stamp).0;
    assert_eq!(again, shelf, "the stamp stays");

    let (first, last) = (1, u64::try_from(BLOCK).expect("small") + 10);
    for (number, block) in [(last, 1), (first, 0)] {
        let stamp = after(&store, TextOf::Memories, 0).0.stamp;
        let away = batch(number + 5, HERE, day(2), vec![moved(number, State::Archived)]);
        store.apply(&away).expect("the batch is accepted");
        assert_eq!(numbers(&store, TextOf::Memories, stamp), [block]);
    }

    let memories = after(&store, TextOf::Memories, 0).0.stamp;
    let turns = after(&store, TextOf::Episodes, 0).0.stamp;
    let changes =
        vec![insert(&fact(THERE, 900, "over there")), Change::Record(episode(THERE, 900, "said"))];
    store.apply(&batch(900, THERE, day(3), changes)).expect("the batch is accepted");
    assert_eq!(numbers(&store, TextOf::Memories, memories), [0; 0], "another space");
    store
        .apply(&batch(901, HERE, day(3), vec![Change::Record(episode(HERE, 3, "said"))]))
        .expect("the batch is accepted");
    assert_eq!(numbers(&store, TextOf::Memories, memories), [0; 0], "another index");
    assert_eq!(numbers(&store, TextOf::Episodes, turns), [0]);

    let vector = Vector { node: node(last), seq: 1, values: vec![1.0], packed: vec![1] };
    store.put_vectors(HERE, "small", &[vector]).expect("vectors are kept");
    assert_eq!(numbers(&store, TextOf::Memories, memories), [1], "a vector is a change too");
    assert_eq!(numbers(&store, TextOf::Memories, u64::MAX), [0; 0]);
}

#[test]
fn putting_a_copy_back_is_noticed_by_who_reads_what_changed() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one", "two"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let later = vec![insert(&fact(HERE, 3, "three")), moved(1, State::Archived)];
    store.apply(&batch(9, HERE, day(3), later)).expect("the batch is accepted");
    let (shelf, mut held) = after(&store, TextOf::Memories, 0);

    store
        .replace_with(&copy, &home.folder().join("kept.db"), &home.folder().join("working.db"), &[])
        .expect("it is put back");
    held.extend(after(&store, TextOf::Memories, shelf.stamp).1);
    assert!(held == after(&store, TextOf::Memories, 0).1, "what was held is not what is there");
}

#[test]
fn each_model_has_a_number_of_its_own() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one", "two"]);
    let vector = |number| Vector { node: node(number), seq: 1, values: vec![1.0], packed: vec![1] };
    store.put_vectors(HERE, "small", &[vector(1)]).expect("vectors are kept");
    store.put_vectors(HERE, "large", &[vector(2)]).expect("vectors are kept");
    let reader = store.read().expect("a reader");
    let number_of = |model| {
        reader.documents(HERE, TextOf::Memories, model, 0, &mut |_, _| ()).expect("documents").model
    };
    let (small, large) = (number_of("small"), number_of("large"));
    assert!(small.is_some() && large.is_some() && small != large, "{small:?} {large:?}");
    assert_eq!(number_of("other"), None);
    drop(reader);
    store.reindex().expect("documents are built anew");
    let (_, blocks) = after(&store, TextOf::Memories, 0);
    let models: Vec<_> =
        blocks[&0].chunks_exact(RECORD).filter_map(Document::read).map(|one| one.model).collect();
    assert_eq!(models, [small.expect("a number"), large.expect("a number")]);
}

/// Damage to the blocks, done by another program.
const DAMAGE: [&str; 6] = [
    "DELETE FROM block_body; DELETE FROM block",
    "DELETE FROM block_body",
    "DELETE FROM block",
    "DELETE FROM block_body WHERE id = (SELECT max(id) FROM block_body)",
    "UPDATE block_body SET body = substr(body, 1, 1000)",
    "UPDATE block_body SET body = x''",
];

fn damage(home: &Home, sql: &str) {
    let connection = home.foreign_connection();
    connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).expect("a statement");
}

fn checks(store: &dyn Store) -> Vec<&'static str> {
    store.verify().expect("verify runs").iter().map(|finding| finding.check).collect()
}

#[test]
fn damaged_blocks_are_named_left_out_and_built_anew() {
    for sql in DAMAGE {
        let home = Home::lived_in();
        damage(&home, sql);
        let store = home.store();
        assert!(checks(&store).contains(&"documents"), "{sql}");
        assert_eq!(shelved(&store), [], "{sql}: what is not whole is left out");
        let reader = store.read().expect("a reader");
        let found = reader.postings(HERE, TextOf::Memories, &["tab".to_owned()], 10);
        assert_eq!(found.expect("postings")[0].documents.len(), 1, "{sql}: words still find it");
        drop(reader);

        store.reindex().unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(checks(&store), [""; 0], "{sql}");
        assert_eq!(shelved(&store), [memory_id(1), memory_id(2)], "{sql}");
    }
}

#[test]
fn damaged_blocks_keep_nobody_from_remembering_or_erasing() {
    for sql in DAMAGE {
        let home = Home::lived_in();
        damage(&home, sql);
        let store = home.store();
        let news = batch(9, HERE, day(2), vec![insert(&fact(HERE, 9, "news"))]);
        store.apply(&news).unwrap_or_else(|error| panic!("{sql}: remembering: {error}"));
        erase(&store, 2, "tabs, not spaces");
        store.reindex().expect("documents are built anew");
        assert_eq!(checks(&store), [""; 0], "{sql}");
        assert_eq!(shelved(&store), [memory_id(1), memory_id(9)], "{sql}");
    }
}

/// Changes one byte of the first record.
fn forge(connection: &Connection, at: usize, change: fn(u8) -> u8) {
    let (id, mut body): (i64, Vec<u8>) = connection
        .query_row("SELECT id, body FROM block_body ORDER BY id", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("a block");
    body[at] = change(body[at]);
    connection
        .execute("UPDATE block_body SET body = ?2 WHERE id = ?1", params![id, body])
        .expect("a statement");
}

#[test]
fn a_document_that_lies_is_named() {
    const ID: usize = 3;
    const FLAGS: usize = 38;
    const STATE: usize = 39;
    let name = memory_id(1).to_string();
    for (at, change) in [
        (STATE, (|byte| byte + 1) as fn(u8) -> u8),
        (STATE, |_| 0),
        (STATE, |_| 255),
        (ID, |byte| byte ^ 1),
        (FLAGS, |_| 0),
    ] {
        let home = Home::lived_in();
        forge(&home.foreign_connection(), at, change);
        let store = home.store();
        let findings = store.verify().expect("verify runs");
        let named = |finding: &&throughline_store::Finding| {
            finding.check == "documents" && finding.detail.contains(&name)
        };
        assert!(findings.iter().any(|one| named(&one)), "byte {at}: {findings:?}");
        store.reindex().expect("documents are built anew");
        assert_eq!(checks(&store), [""; 0], "byte {at}");
    }
}

#[test]
fn a_document_of_nothing_is_found() {
    let home = Home::lived_in();
    let connection = home.foreign_connection();
    // The record of memory 1 is written a second time, where there is none.
    let copied = "UPDATE block_body
        SET body = CAST(substr(body, 1, 448 * 5) || substr(body, 1, 448)
                        || substr(body, 448 * 6 + 1) AS BLOB)";
    assert!(connection.execute(copied, []).expect("a statement") > 0);
    drop(connection);
    let store = home.store();
    assert_eq!(shelved(&store), [1, 2, 1].map(memory_id));
    assert!(checks(&store).contains(&"documents"), "a stray document goes unnoticed");
    store.reindex().expect("documents are built anew");
    assert_eq!(shelved(&store), [1, 2].map(memory_id));
}

#[test]
fn a_damaged_row_does_not_keep_the_others_from_being_indexed_anew() {
    let home = Home::lived_in();
    damage(&home, "UPDATE memory SET hash = 'x' WHERE key = (SELECT max(key) FROM memory)");
    damage(&home, DAMAGE[0]);
    let store = home.store();
    store.reindex().expect("what can be read is indexed");
    assert_eq!(shelved(&store), [memory_id(1)]);
    assert!(checks(&store).contains(&"rows"), "the damaged row is named");
}
