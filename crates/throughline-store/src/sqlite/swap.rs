//! Another file takes the place of the database: whole, or not at all.
//!
//! A database that can still be written to is replaced page by page, in one transaction. A damaged
//! one cannot. There the new file is made complete and synced beside it, and a note is put down, by
//! one rename, that says which file is to become the database and where the old one goes. From then
//! on the new file is the memory: whoever opens the database first carries the note out.
//!
//! A write-ahead log belongs to the file it was written for and would destroy any other. So the old
//! one is moved away, and that is synced, before the new file gets the name of the database.

use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock::{WriteTurn, WriterLock, io_error};
use super::{BUSY_LIMIT_MS, open};
use crate::Result;
use crate::folder::{beside, private_folder, sync_folder, sync_parent};

/// What belongs to a database file, in the order in which it is moved away.
const PARTS: [&str; 4] = ["-wal", "-shm", "-journal", ""];

/// What is to be moved where, from the folder of the database.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// The file that becomes the database.
    new: PathBuf,
    /// Where the file goes that is the database now.
    old: PathBuf,
}

/// Puts the file `new` in the place of `database`, which goes to `old`. Both lie under the folder of
/// the database, and `new` is whole in one file and synced.
pub(super) fn swap(database: &Path, new: &Path, old: &Path) -> Result<()> {
    let turn = WriterLock::beside(database)?.acquire(BUSY_LIMIT_MS)?;
    let folder = database.parent().unwrap_or(Path::new("."));
    let within = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_owned();
    let note = Note { new: within(new), old: within(old) };
    let text = serde_json::to_vec(&note).expect("plain data serialises");
    let (place, draft) = (note_of(database), beside(database, ".swap.partial"));
    let write = || {
        if let Some(aside) = old.parent() {
            private_folder(aside)?;
        }
        open::create_private(&draft).map_err(std::io::Error::other)?;
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&draft)?;
        file.write_all(&text)?;
        file.sync_all()?;
        std::fs::rename(&draft, &place)?;
        sync_parent(&place)
    };
    write().map_err(|source| io_error(&place, source))?;
    carry_out(database, &turn)
}

/// Whether somebody began to put another file in the place of the database.
pub(super) fn is_due(database: &Path) -> bool {
    read(&note_of(database)).is_some()
}

/// Carries out what a note says, if there is one. The caller has the turn to write. Doing it twice
/// does no harm: what was moved already is not there to be moved.
pub(super) fn carry_out(database: &Path, _turn: &WriteTurn) -> Result<()> {
    let place = note_of(database);
    let Some(note) = read(&place) else { return Ok(()) };
    let folder = database.parent().unwrap_or(Path::new("."));
    let (new, old) = (folder.join(note.new), folder.join(note.old));
    let work = || {
        // Once the new file has its name, only the note is left to be taken away.
        if new.is_file() {
            for part in PARTS {
                move_if_there(&beside(database, part), &beside(&old, part))?;
            }
            sync_parent(&old)?;
            sync_folder(folder)?;
            std::fs::rename(&new, database)?;
            sync_folder(folder)?;
        }
        std::fs::remove_file(&place)?;
        sync_folder(folder)
    };
    work().map_err(|source| io_error(database, source))
}

fn move_if_there(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

fn note_of(database: &Path) -> PathBuf {
    beside(database, ".swap")
}

/// What a note says. One that leads out of the folder is none of ours.
fn read(place: &Path) -> Option<Note> {
    let note: Note = serde_json::from_slice(&std::fs::read(place).ok()?).ok()?;
    let inside = |path: &Path| path.components().all(|one| matches!(one, Component::Normal(_)));
    (inside(&note.new) && inside(&note.old)).then_some(note)
}
