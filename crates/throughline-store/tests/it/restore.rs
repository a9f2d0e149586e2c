//! Copies: complete, checked, and put back without bringing back what was erased.

use std::path::Path;

use throughline_core::row::Tombstone;
use throughline_core::{Change, NodeId, Relation};
use throughline_store::{Error, SqliteStore, Store};
use throughline_testing::sample::{
    HERE, batch, day, edge, episode, episode_id, fact, insert, node, revise,
};

use crate::home::{Home, dump, erase, tell};

/// Puts a copy in the place of what is there, which is kept beside it.
fn put_back(home: &Home, store: &SqliteStore, copy: &Path) -> throughline_store::Result<usize> {
    store.replace_with(copy, &home.folder().join("kept.db"), &home.folder().join("working.db"), &[])
}

#[test]
fn a_copy_puts_everything_back_as_it_was() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["staging runs Postgres 16", "tabs, not spaces"]);
    let before = dump(&store);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    SqliteStore::inspect(&copy).expect("a sound copy");
    assert_eq!(dump(&SqliteStore::open(&copy).expect("a store too")), before);

    let later = vec![revise(&fact(HERE, 1, "staging is gone")), insert(&fact(HERE, 9, "news"))];
    store.apply(&batch(9, HERE, day(3), later)).expect("the batch is accepted");
    assert_ne!(dump(&store), before);
    let other = home.store();
    put_back(&home, &store, &copy).expect("it is put back");
    assert_eq!(dump(&store), before);
    assert_eq!(dump(&other), before, "other handles see it too");
    assert_eq!(store.verify().expect("verify runs"), []);
    assert_eq!(store.rebuild_check().expect("the log replays"), []);
    let next = batch(10, HERE, day(4), vec![insert(&fact(HERE, 10, "life goes on"))]);
    other.apply(&next).expect("the batch is accepted");
    assert_eq!(dump(&store).len(), before.len() + 1);
}

#[test]
fn a_copy_holds_what_was_there_when_it_was_made() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one"]);
    let before = dump(&store);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let later = batch(9, HERE, day(3), vec![insert(&fact(HERE, 9, "two"))]);
    store.apply(&later).expect("the batch is accepted");
    assert_eq!(dump(&SqliteStore::open(&copy).expect("a store too")), before);
}

#[test]
fn nothing_is_replaced_by_a_copy_that_is_not_sound() {
    let home = Home::lived_in();
    let store = home.store();
    let before = dump(&store);
    let bad = home.folder().join("bad.db");
    for bytes in [vec![b'x'; 5_000], home.bytes()[..home.bytes().len() / 2].to_vec()] {
        std::fs::write(&bad, bytes).expect("a file");
        let refusal = put_back(&home, &store, &bad).expect_err("it is not sound");
        assert!(matches!(refusal, Error::Damaged { .. }), "{refusal:?}");
        assert_eq!(dump(&store), before);
    }
    put_back(&home, &store, &home.folder().join("nowhere.db")).expect_err("it is not there");
    assert_eq!(dump(&store), before);
    assert_eq!(store.verify().expect("verify runs"), []);
}

#[test]
fn what_was_erased_is_erased_from_an_older_copy_too() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["a xylophone", "stays"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let stone = erase(&store, 1, "a xylophone");

    let older = SqliteStore::open(&copy).expect("a store too");
    let stones = [stone];
    assert_eq!(older.reapply_tombstones(&stones).expect("erased"), 1);
    assert_eq!(older.reapply_tombstones(&stones).expect("erased"), 0, "nothing left to erase");
    assert_eq!(older.read().expect("a reader").all_tombstones().expect("tombstones"), stones);
    assert_eq!(dump(&older), dump(&store));
    assert_eq!(older.verify().expect("verify runs"), []);
    assert_eq!(older.rebuild_check().expect("the log replays"), []);
    drop(older);
    let bytes = std::fs::read(&copy).expect("the copy");
    assert!(!bytes.windows(9).any(|window| window == b"xylophone"));
    assert!(bytes.windows(5).any(|window| window == b"stays"));
}

#[test]
fn a_tombstone_also_names_a_memory_that_says_it_otherwise() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["a xylophone"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let reworded = batch(9, HERE, day(2), vec![revise(&fact(HERE, 1, "two xylophones"))]);
    store.apply(&reworded).expect("the batch is accepted");
    let stone = erase(&store, 1, "two xylophones");

    let older = SqliteStore::open(&copy).expect("a store too");
    assert_eq!(older.reapply_tombstones(&[stone]).expect("erased"), 1);
    assert!(!dump(&older).join("\n").contains("xylophone"));
}

#[test]
fn a_turn_that_was_erased_is_erased_from_an_older_copy_too() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["stays"]);
    let turn = episode(HERE, 1, "she plays the xylophone");
    let told = batch(9, HERE, day(2), vec![Change::Record(turn.clone())]);
    store.apply(&told).expect("the batch is accepted");
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let stone = Tombstone::of_turn(&turn, day(3));
    let silence = Change::Silence { stone: stone.clone(), quoted_by: Vec::new() };
    store.apply(&batch(10, HERE, day(3), vec![silence])).expect("the batch is accepted");

    let older = SqliteStore::open(&copy).expect("a store too");
    let stones = [stone];
    for _ in 0..2 {
        older.reapply_tombstones(&stones).expect("erased");
        assert_eq!(dump(&older), dump(&store));
    }
    assert_eq!(older.rebuild_check().expect("the log replays"), []);
    drop(older);
    let bytes = std::fs::read(&copy).expect("the copy");
    assert!(!bytes.windows(9).any(|window| window == b"xylophone"));
}

#[test]
fn an_older_copy_also_loses_the_turns_that_only_it_has_of_an_erased_memory() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["a xylophone", "stays"]);
    let copy = home.folder().join("copy.db");
    store.backup(&copy).expect("a copy");
    let older = SqliteStore::open(&copy).expect("a store too");
    let rests = edge(HERE, node(1), Relation::EvidencedBy, NodeId::Episode(episode_id(1)));
    let turns = vec![
        Change::Record(episode(HERE, 1, "my Xylophones are all sold")),
        Change::Record(episode(HERE, 2, "She has: a xylophone!")),
        Change::Record(episode(HERE, 3, "there is a piano")),
        Change::Link(rests),
    ];
    older.apply(&batch(9, HERE, day(2), turns)).expect("the batch is accepted");

    let stone = erase(&store, 1, "a xylophone");
    older.reapply_tombstones(&[stone]).expect("erased");
    let left = dump(&older).join("\n");
    assert!(!left.to_lowercase().contains("xylophone"), "{left}");
    assert!(left.contains("there is a piano"));
    assert_eq!(older.rebuild_check().expect("the log replays"), []);
}

#[test]
fn copies_can_be_put_back_as_often_as_one_likes() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &["one", "two"]);
    let before = dump(&store);
    for number in 0..70 {
        let copy = home.folder().join(format!("copy-{number}.db"));
        store.backup(&copy).expect("a copy");
        let kept = home.folder().join(format!("kept-{number}.db"));
        let working = home.folder().join("working.db");
        store.replace_with(&copy, &kept, &working, &[]).expect("it is put back");
        for file in [copy, kept, working] {
            std::fs::remove_file(file).expect("a file can be removed");
        }
    }
    assert_eq!(dump(&store), before);
    assert_eq!(store.verify().expect("verify runs"), []);
}
