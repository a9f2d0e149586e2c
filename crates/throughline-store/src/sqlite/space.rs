//! What takes the space of a file.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::Result;

/// Pages up to which it is counted anew every time.
const SMALL: i64 = 4_096;
/// A count of a large file holds until the file is larger or smaller by one part in so many.
const SHARE: i64 = 64;

/// Space taken: what was counted last, and how many pages the file had then.
#[derive(Debug, Default)]
pub(super) struct SpaceTaken(Mutex<Option<(i64, BTreeMap<&'static str, u64>)>>);

impl SpaceTaken {
    /// Bytes by what they hold. Who stays and is asked again and again counts a large file once.
    pub(super) fn of(&self, connection: &Connection) -> Result<BTreeMap<&'static str, u64>> {
        let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((counted, taken)) = &*held
            && pages > SMALL
            && (pages - counted).abs() * SHARE <= pages
        {
            return Ok(taken.clone());
        }
        let taken = taken(connection)?;
        *held = Some((pages, taken.clone()));
        Ok(taken)
    }
}

/// Bytes by what they hold. Reads every page.
fn taken(connection: &Connection) -> Result<BTreeMap<&'static str, u64>> {
    let mut select =
        connection.prepare("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")?;
    let mut found = select.query([])?;
    let mut taken = BTreeMap::new();
    while let Some(row) = found.next()? {
        let (name, bytes): (String, i64) = (row.get(0)?, row.get(1)?);
        *taken.entry(holds(&name)).or_default() += bytes.unsigned_abs();
    }
    Ok(taken)
}

/// What a table or an index belongs to. The index that SQLite makes for a key is named after its
/// table.
fn holds(name: &str) -> &'static str {
    let table = name.strip_prefix("sqlite_autoindex_").unwrap_or(name);
    let of = |names: &[&str]| names.iter().any(|one| table.starts_with(one));
    if of(&["batch", "change", "touch", "activity"]) {
        "log"
    } else if of(&["embedding", "block"]) {
        "vectors"
    } else if of(&["memory_text", "episode_text"]) {
        "words"
    } else if of(&["episode"]) {
        "turns"
    } else {
        "memories"
    }
}
