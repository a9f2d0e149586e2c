//! What takes the space of a file.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::Result;

/// Bytes by what they hold. Reads every page, so it takes a moment with a large file.
pub(super) fn taken(connection: &Connection) -> Result<BTreeMap<&'static str, u64>> {
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
