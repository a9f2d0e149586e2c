//! What an interrupted restore or backup left behind: it may hold what was erased, so it goes as soon
//! as somebody opens the home and nobody is at work there.

use std::fs::File;
use std::path::{Path, PathBuf};

use throughline_store::SqliteStore;

use super::{BACKUPS, RESTORING, copying};
use crate::engine::DATABASE;

/// Something that an interrupted command left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leftover {
    /// A copy that was not finished, or is not needed any more.
    Copy(PathBuf),
    /// A restored database that still has to be put in its place; the next command does so.
    Exchange,
}

/// What interrupted commands left in a home. Touches nothing.
pub fn leftovers(home: &Path) -> Vec<Leftover> {
    let mut found: Vec<Leftover> = unfinished(home).into_iter().map(Leftover::Copy).collect();
    if SqliteStore::is_exchanging(&home.join(DATABASE)) {
        found.push(Leftover::Exchange);
    }
    found
}

/// Removes what interrupted commands left, unless somebody is at work.
pub(crate) fn sweep_if_idle(home: &Path) {
    if !unfinished(home).is_empty()
        && let Ok(alone) = copying(home)
    {
        sweep(home, &alone);
    }
}

/// Removes working copies. The caller makes sure that they are nobody's.
pub(super) fn sweep(home: &Path, _alone: &File) {
    for left in unfinished(home) {
        std::fs::remove_file(left).ok();
    }
}

fn unfinished(home: &Path) -> Vec<PathBuf> {
    // A restored database that waits for its place is not left over.
    if SqliteStore::is_exchanging(&home.join(DATABASE)) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(home.join(BACKUPS)) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(RESTORING) || name.contains(".partial")
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}
