//! Backup and restore: whole copies, through SQLite, beside running processes.

use std::path::{Path, PathBuf};

use throughline_core::row::Tombstone;
use throughline_store::{Error as StoreError, SqliteStore, Store};

use crate::engine::DATABASE;
use crate::{Clock, Engine, Error, Result};

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Where what was there before is kept.
    pub kept: Option<PathBuf>,
    /// Memories that the copy still held and that were erased since: erased again.
    pub erased_again: usize,
}

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
    /// kept beside it; what was erased since the copy was made is erased again.
    pub fn restore(home: &Path, clock: Clock, from: &Path) -> Result<Restored> {
        SqliteStore::inspect(from)?;
        let (engine, kept, stones) = match Self::open(home, clock) {
            Ok(engine) => {
                let stones: Vec<Tombstone> = engine.now_reader()?.all_tombstones()?;
                let kept = engine.keep_copy("before-restore")?;
                (engine, Some(kept), stones)
            }
            Err(Error::Store(StoreError::Damaged { .. } | StoreError::NotOurs { .. })) => {
                let kept = set_aside(home, clock)?;
                (Self::open(home, clock)?, Some(kept), Vec::new())
            }
            Err(error) => return Err(error),
        };
        engine.store.replace_with(from)?;
        let erased_again = engine.store.reapply_tombstones(&stones)?;
        engine.store.finish_erasure()?;
        Ok(Restored { kept, erased_again })
    }

    /// Makes a copy under the home.
    fn keep_copy(&self, name: &str) -> Result<PathBuf> {
        let folder = self.home.join("backups");
        std::fs::create_dir_all(&folder)
            .map_err(|source| Error::File { path: folder.clone(), source })?;
        let copy = free_name(&folder, name, self.clock);
        self.store.backup(&copy)?;
        Ok(copy)
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
