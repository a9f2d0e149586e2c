//! What was erased, once more beside the database: hashes only. A database that is damaged may not
//! tell any more what was erased from it, and a copy from before would bring that back.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use throughline_core::row::Tombstone;
use throughline_core::{Row, RowKey};
use throughline_store::SqliteStore;

use super::{copies, file};
use crate::Result;
use crate::engine::DATABASE;
use crate::flows::Copying;

/// What is known to have been erased from a home.
#[derive(Debug, Default)]
pub(super) struct ErasedList {
    pub(super) stones: Vec<Tombstone>,
    /// Something was erased, or may have been, that nothing tells any more.
    pub(super) unknown: bool,
}

/// The file that holds it.
fn side_file(home: &Path) -> PathBuf {
    home.join("erased.jsonl")
}

/// What the file tells, and whether all of it could be read. `None` where there is no file.
pub(super) fn read(home: &Path) -> Option<ErasedList> {
    let text = std::fs::read_to_string(side_file(home)).ok()?;
    let mut erased = ErasedList::default();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(stone) => erased.stones.push(stone),
            Err(_) => erased.unknown = true,
        }
    }
    Some(erased)
}

/// Adds tombstones to the file. Nothing is written if it has them all.
pub(super) fn add(home: &Path, stones: Vec<Tombstone>) -> io::Result<()> {
    let known = read(home);
    let had = known.as_ref().map(|known| known.stones.len());
    let all = union(known.map_or_else(Vec::new, |known| known.stones).into_iter().chain(stones));
    if had == Some(all.len()) || (had.is_none() && all.is_empty()) {
        return Ok(());
    }
    let mut text = Vec::new();
    for stone in &all {
        serde_json::to_writer(&mut text, stone)?;
        text.push(b'\n');
    }
    file::replace(&side_file(home), &text)?;
    file::sync_folder(home)
}

/// Everything a home with a damaged database still tells of what was erased: that database as far as
/// it can be read, the file beside it, and every copy.
pub(super) fn of_damaged(home: &Path) -> ErasedList {
    let (mut stones, whole) = SqliteStore::tombstones_in(&home.join(DATABASE));
    let side = read(home);
    let told = whole || side.as_ref().is_some_and(|side| !side.unknown);
    stones.extend(side.into_iter().flat_map(|side| side.stones));
    for copy in copies(home) {
        stones.extend(SqliteStore::tombstones_in(&copy).0);
    }
    ErasedList { stones: union(stones.into_iter()), unknown: !told }
}

/// Each tombstone once, by key.
fn union(stones: impl Iterator<Item = Tombstone>) -> Vec<Tombstone> {
    let mut seen: BTreeSet<RowKey> = BTreeSet::new();
    stones.filter(|stone| seen.insert(Row::Tombstone(stone.clone()).key())).collect()
}

impl Copying<'_> {
    /// Writes down beside the database what was erased from it.
    pub(crate) fn note_erased(&self) -> Result<()> {
        let stones = self.engine.now_reader()?.all_tombstones()?;
        let noted = add(&self.engine.home, stones);
        noted.map_err(|source| crate::Error::File { path: side_file(&self.engine.home), source })
    }
}
