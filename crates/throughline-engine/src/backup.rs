//! Backup and restore: whole copies, through SQLite, beside running processes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use throughline_core::row::Tombstone;
use throughline_store::{Error as StoreError, SqliteStore, Store};

use crate::engine::DATABASE;
use crate::{Clock, Engine, Error, Result};

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Where what was there before is kept.
    pub kept: PathBuf,
    /// Memories that the copy still held and that were erased since: erased again.
    pub erased_again: usize,
    /// What was erased before could no longer be read, so the copy may hold some of it.
    pub erasures_unknown: bool,
}

/// How the working copy of a restore begins.
const RESTORING: &str = "restoring";

impl Engine {
    /// Writes a complete copy to a new file.
    pub fn backup(&self, to: &Path) -> Result<u64> {
        if to.exists() {
            return Err(Error::BadInput(format!("{} exists already", to.display())));
        }
        self.store.backup(to)?;
        let data =
            std::fs::metadata(to).map_err(|source| Error::File { path: to.to_owned(), source })?;
        Ok(data.len())
    }

    /// Puts a copy in the place of what is in `home`, even if that is damaged. What was there is
    /// kept beside it; what was erased since the copy was made is erased from it first, so that
    /// there is no moment at which it is back.
    pub fn restore(home: &Path, clock: Clock, from: &Path) -> Result<Restored> {
        if !from.is_file() {
            let source = std::io::Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(Error::File { path: from.to_owned(), source });
        }
        SqliteStore::inspect(from)?;
        let stones = tombstones(home, clock);
        let kept = keep(home, clock)?;
        let engine = Self::open(home, clock)?;
        let clean = free_name(&engine.backups()?, RESTORING, clock);
        let restored = engine.restore_cleaned(from, &clean, stones.as_deref().unwrap_or_default());
        engine.sweep();
        Ok(Restored { kept, erased_again: restored?, erasures_unknown: stones.is_none() })
    }

    /// Removes what an interrupted restore left behind: it may hold what was erased.
    pub(crate) fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(self.home.join("backups")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(RESTORING) || name.ends_with(".partial") {
                std::fs::remove_file(entry.path()).ok();
            }
        }
    }

    /// Copies `from` to `clean`, erases there what the tombstones name, and takes that in.
    fn restore_cleaned(&self, from: &Path, clean: &Path, stones: &[Tombstone]) -> Result<usize> {
        SqliteStore::copy(from, clean)?;
        let erased = SqliteStore::open(clean)?.reapply_tombstones(stones)?;
        self.store.replace_with(clean)?;
        self.store.finish_erasure()?;
        Ok(erased)
    }

    /// The folder for copies under the home.
    fn backups(&self) -> Result<PathBuf> {
        let folder = self.home.join("backups");
        std::fs::create_dir_all(&folder)
            .map_err(|source| Error::File { path: folder.clone(), source })?;
        Ok(folder)
    }
}

/// What was erased from the memory in a folder; `None` if that can no longer be read.
fn tombstones(home: &Path, clock: Clock) -> Option<Vec<Tombstone>> {
    if !home.join(DATABASE).exists() {
        return Some(Vec::new());
    }
    Engine::open(home, clock).ok()?.now_reader().ok()?.all_tombstones().ok()
}

/// Keeps what is there: as a copy if it is sound, else by moving it aside.
fn keep(home: &Path, clock: Clock) -> Result<PathBuf> {
    let damaged = |error: &Error| {
        matches!(error, Error::Store(StoreError::Damaged { .. } | StoreError::NotOurs { .. }))
    };
    let kept = Engine::open(home, clock).and_then(|engine| {
        engine.sweep();
        let copy = free_name(&engine.backups()?, "before-restore", clock);
        engine.store.backup(&copy)?;
        Ok(copy)
    });
    match kept {
        // A copy may fail for many reasons; only a file that is really damaged is moved aside.
        Err(error) => match SqliteStore::inspect(&home.join(DATABASE)).map_err(Error::from) {
            Err(found) if damaged(&found) => set_aside(home, clock),
            _ => Err(error),
        },
        Ok(copy) => Ok(copy),
    }
}

fn free_name(folder: &Path, name: &str, clock: Clock) -> PathBuf {
    let day = clock.now().date();
    let free = (1..)
        .map(|n| folder.join(format!("{name}-{day}.{n}.db")))
        .find(|candidate| !candidate.exists());
    free.expect("one of endlessly many names is free")
}

/// Moves a damaged database and what belongs to it out of the way.
fn set_aside(home: &Path, clock: Clock) -> Result<PathBuf> {
    let folder = home.join("damaged");
    std::fs::create_dir_all(&folder)
        .map_err(|source| Error::File { path: folder.clone(), source })?;
    let kept = free_name(&folder, "damaged", clock);
    for suffix in ["", "-wal", "-shm"] {
        let from = home.join(format!("{DATABASE}{suffix}"));
        if from.exists() {
            let mut to = kept.clone().into_os_string();
            to.push(suffix);
            std::fs::rename(&from, &to)
                .map_err(|source| Error::File { path: from.clone(), source })?;
        }
    }
    Ok(kept)
}
