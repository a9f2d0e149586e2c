//! A folder with a store in it, gone when dropped.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use throughline_core::Change;
use throughline_core::row::Tombstone;
use throughline_store::{SqliteStore, Store};
use throughline_testing::sample::{HERE, batch, day, fact, insert, opening};

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder().join("memory.db")
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.path()).expect("the store opens")
    }

    /// A home whose store was opened, written to and closed.
    pub(crate) fn lived_in() -> Self {
        let home = Self::new();
        let store = home.store();
        tell(&store, &["staging runs Postgres 16", "tabs, not spaces"]);
        // What is written lies in the write-ahead log until somebody moves it.
        store.finish_erasure().expect("a checkpoint");
        drop(store);
        home
    }

    /// The file as any other program sees it.
    pub(crate) fn foreign_connection(&self) -> Connection {
        Connection::open(self.path()).expect("a connection")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).expect("the file")
    }
}

/// Makes the space known, and memories with these texts, numbered from 1.
pub(crate) fn tell(store: &dyn Store, texts: &[&str]) {
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    for (number, text) in (1..).zip(texts) {
        let told = batch(number, HERE, day(1), vec![insert(&fact(HERE, number, text))]);
        store.apply(&told).expect("the batch is accepted");
    }
}

/// Erases a memory made by [`tell`].
pub(crate) fn erase(store: &dyn Store, number: u64, text: &str) -> Tombstone {
    let stone = Tombstone::of(&fact(HERE, number, text), day(2));
    let purge = batch(1_000_000 + number, HERE, day(2), vec![Change::Purge(stone.clone())]);
    store.apply(&purge).expect("the batch is accepted");
    stone
}

pub(crate) fn dump(store: &dyn Store) -> Vec<String> {
    store.read().expect("a reader").dump().expect("a dump")
}
