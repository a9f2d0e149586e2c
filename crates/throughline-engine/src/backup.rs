//! Backup and restore: whole copies, through SQLite, beside running processes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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
            return Err(Error::NotPossible(format!("{} exists already", to.display())));
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
        let engine = match Self::open(home, clock) {
            Err(error) if is_damage(&error) => return Self::restore_over_damage(home, clock, from),
            opened => opened?,
        };
        engine.sweep();
        let kept = free_name(&engine.backups()?, "before-restore", clock);
        let working = free_name(&engine.backups()?, RESTORING, clock);
        let restored = engine.store.replace_with(from, &kept, &working).map_err(Error::from);
        engine.sweep();
        match restored {
            Ok(erased_again) => Ok(Restored { kept, erased_again, erasures_unknown: false }),
            // A copy may fail for many reasons; only a file that is really damaged is moved aside.
            Err(error) => match SqliteStore::inspect(&home.join(DATABASE)).map_err(Error::from) {
                Err(found) if is_damage(&found) => {
                    drop(engine);
                    Self::restore_over_damage(home, clock, from)
                }
                _ => Err(error),
            },
        }
    }

    /// Moves a damaged memory aside and puts a copy in its place. What had been erased is erased
    /// from the copy as far as that can still be read.
    fn restore_over_damage(home: &Path, clock: Clock, from: &Path) -> Result<Restored> {
        let stones = Self::open(home, clock)
            .and_then(|engine| Ok(engine.now_reader()?.all_tombstones()?))
            .ok();
        let kept = set_aside(home, clock)?;
        let engine = Self::open(home, clock)?;
        let folder = engine.backups()?;
        let clean = free_name(&folder, RESTORING, clock);
        let erased_again =
            SqliteStore::clean_copy(from, &clean, stones.as_deref().unwrap_or_default())?;
        let (empty, working) = (folder.join("restoring-empty.db"), folder.join("restoring-2.db"));
        engine.store.replace_with(&clean, &empty, &working)?;
        engine.sweep();
        Ok(Restored { kept, erased_again, erasures_unknown: stones.is_none() })
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

    /// The folder for copies under the home.
    fn backups(&self) -> Result<PathBuf> {
        private_folder(self.home.join("backups"))
    }
}

fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Damaged { .. } | StoreError::NotOurs { .. }))
}

/// A folder that only the user may look into.
fn private_folder(folder: PathBuf) -> Result<PathBuf> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(&folder) {
        Ok(()) => Ok(folder),
        Err(source) => Err(Error::File { path: folder, source }),
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
    let folder = private_folder(home.join("damaged"))?;
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
