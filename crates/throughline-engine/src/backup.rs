//! Backup and restore: whole copies, through SQLite, beside running processes.

mod erased;
mod mend;
mod rolling;
mod sweep;

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use throughline_core::row::Tombstone;
use throughline_store::{Error as StoreError, Finding, SqliteStore, private_folder};

use crate::engine::DATABASE;
use crate::flows::Copying;
use crate::journal::file;
use crate::{Clock, Engine, Error, Result};

pub use rolling::{BackupCopy, backups};
pub(crate) use sweep::sweep_if_idle;
pub use sweep::{Leftover, leftovers};

/// What a backup did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackedUp {
    /// Bytes of the copy.
    pub bytes: u64,
    /// What is wrong with what the copy holds, and so with what it was made of.
    pub damage: Vec<Finding>,
}

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

/// Whether the memory of a home is of an older version: whoever opens it first copies and migrates it.
pub fn is_older(home: &Path) -> bool {
    SqliteStore::is_older(&home.join(DATABASE))
}

/// The folder of copies that are sound, and of databases that were not.
const BACKUPS: &str = "backups";
const DAMAGED: &str = "damaged";
/// How the working copy of a restore begins.
const RESTORING: &str = "restoring";
/// What is said of a file that cannot be restored.
const LIST_COPIES: &str =
    "nothing was changed; `restore` without a file lists the copies that can be restored";

impl Copying<'_> {
    /// Writes a complete copy to a new file, and reads all of it back.
    pub fn backup(&self, to: &Path) -> Result<BackedUp> {
        if to.exists() {
            return Err(Error::NotPossible(format!("{} exists already", to.display())));
        }
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(Error::no_folder_for(to, folder));
        }
        self.engine.store.backup(to).map_err(|error| not_written(to, error))?;
        let damage = SqliteStore::check_file(to)?;
        let data =
            std::fs::metadata(to).map_err(|source| Error::File { path: to.to_owned(), source })?;
        Ok(BackedUp { bytes: data.len(), damage })
    }

    /// Puts a copy in the place of what is in `home`, even if that is damaged. What was there is
    /// kept beside it; what was erased since the copy was made is erased from it first, so that
    /// there is no moment at which it is back. Cut short, it leaves the old memory or the new one.
    pub fn restore(home: &Path, clock: Clock, from: &Path) -> Result<Restored> {
        if from.is_dir() {
            return Err(Error::Unusable {
                path: from.to_owned(),
                why: "is a folder, not a copy of a memory".to_owned(),
                code: "not_a_file",
                hint: "nothing was changed; name a file in it: `restore` without one lists the copies of this home",
            });
        }
        if !from.is_file() {
            let source = std::io::Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(Error::File { path: from.to_owned(), source });
        }
        SqliteStore::inspect(from).map_err(|error| not_a_copy(from, error))?;
        // What was said of the memory that goes.
        crate::brief::forget_kept(home);
        let engine = match Engine::open(home, clock) {
            Err(error) if is_damage(&error) => return Self::restore_over_damage(home, clock, from),
            opened => opened?,
        };
        let finished = engine.erasing().finish_before_replacing();
        let alone = copying(home)?;
        let folder = folder_in(home, BACKUPS)?;
        let kept = free_name(&folder, "before-restore", clock);
        let working = free_name(&folder, RESTORING, clock);
        let side = erased::read(home).unwrap_or_default();
        let restored = engine.store.file()?.replace_with(from, &kept, &working, &side.stones);
        sweep::sweep(home, &alone);
        match restored.map_err(Error::from) {
            Ok(erased_again) => {
                // The database tells it too; this is for the day when it does not.
                engine.copying().note_erased().ok();
                if !finished {
                    engine.erasing().clean_after_replacing().ok();
                }
                Ok(Restored { kept, erased_again, erasures_unknown: false })
            }
            // A copy may fail for many reasons; only a file that is really damaged is moved aside.
            Err(error) => {
                drop((engine, alone));
                let database = home.join(DATABASE);
                let found = SqliteStore::inspect(&database).map_err(Error::from);
                if found.is_err_and(|found| is_damage(&found)) || !can_be_written(&database) {
                    return Self::restore_over_damage(home, clock, from);
                }
                Err(error)
            }
        }
    }

    /// Puts a copy in the place of a damaged memory, which is kept aside. What had been erased is
    /// erased from the copy as far as anything in the home still tells.
    fn restore_over_damage(home: &Path, clock: Clock, from: &Path) -> Result<Restored> {
        let alone = copying(home)?;
        let erased = erased::of_damaged(home);
        let working = free_name(&folder_in(home, BACKUPS)?, RESTORING, clock);
        let kept = free_name(&folder_in(home, DAMAGED)?, "damaged", clock);
        let exchanged = SqliteStore::exchange(
            &home.join(DATABASE),
            from,
            &kept,
            &working,
            &erased.stones,
            clock.now(),
        );
        sweep::sweep(home, &alone);
        let erased_again = exchanged?;
        erased::add(home, erased.stones).ok();
        Ok(Restored { kept, erased_again, erasures_unknown: erased.unknown })
    }
}

/// Why a copy could not be written to a place that the caller named.
fn not_written(to: &Path, error: StoreError) -> Error {
    if !matches!(error, StoreError::NotWritable { .. }) {
        return error.into();
    }
    Error::Unusable {
        path: to.to_owned(),
        why: "cannot be written".to_owned(),
        code: "not_writable",
        hint: "check the permissions of its folder, or name a file in another one",
    }
}

/// Why a file that the caller named cannot be restored. Nothing was changed.
fn not_a_copy(from: &Path, error: StoreError) -> Error {
    let (why, hint) = if let StoreError::Damaged { detail, .. } = &error {
        let why = if is_database(from) {
            format!("is a damaged copy: {detail}")
        } else {
            "is not a database, so it cannot be a copy of a memory".to_owned()
        };
        (why, LIST_COPIES)
    } else if matches!(error, StoreError::NotOurs { .. }) {
        ("is the database of another program, not a copy of a memory".to_owned(), LIST_COPIES)
    } else if matches!(error, StoreError::Newer { .. }) {
        let why = "was written by a newer version of this program".to_owned();
        (why, "nothing was changed; update this program and try again")
    } else {
        return error.into();
    };
    let code = Error::from(error).code();
    Error::Unusable { path: from.to_owned(), why, code, hint }
}

/// Whether a file begins as every SQLite database does.
fn is_database(path: &Path) -> bool {
    let mut head = [0; 16];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"SQLite format 3\0"
}

/// The copies under a home, damaged ones included.
pub(crate) fn copies(home: &Path) -> Vec<PathBuf> {
    let mut copies: Vec<PathBuf> = [BACKUPS, DAMAGED]
        .iter()
        .filter_map(|folder| std::fs::read_dir(home.join(folder)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .collect();
    copies.sort();
    copies
}

/// Erases what the tombstones name from the copies under a home. Returns those that could not be
/// cleaned.
pub(crate) fn clean_copies(home: &Path, stones: &[Tombstone]) -> Vec<PathBuf> {
    let cleaned = |copy: &PathBuf| {
        SqliteStore::open_copy(copy).and_then(|store| store.reapply_tombstones(stones))
    };
    copies(home).into_iter().filter(|copy| cleaned(copy).is_err()).collect()
}

/// Whether a copy is a database that was damaged and set aside.
pub(crate) fn is_aside(copy: &Path) -> bool {
    copy.parent().is_some_and(|folder| folder.ends_with(DAMAGED))
}

/// The files of copies under a home that are not sound: databases, and what belongs to them.
pub(crate) fn damaged_files(home: &Path, is_sound: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = [BACKUPS, DAMAGED]
        .iter()
        .filter_map(|folder| std::fs::read_dir(home.join(folder)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let sound: Vec<PathBuf> = copies(home).into_iter().filter(|copy| is_sound(copy)).collect();
    let belongs = |file: &Path, copy: &Path| {
        let (file, copy) = (file.to_string_lossy(), copy.to_string_lossy());
        file.strip_prefix(&*copy).is_some_and(|rest| rest.is_empty() || !rest.contains('/'))
    };
    files.retain(|file| !sound.iter().any(|copy| belongs(file, copy)));
    files
}

/// Makes sure that nobody else makes or removes copies in a home for as long as this is held.
pub(crate) fn copying(home: &Path) -> Result<File> {
    let path = home.join("copying.lock");
    file::lock_file(&path).map_err(|source| {
        if source.kind() == ErrorKind::WouldBlock {
            let busy = "another process makes or restores a copy here; try again";
            return Error::NotPossible(busy.to_owned());
        }
        Error::File { path, source }
    })
}

/// Whether what the file holds is the reason, and not the disk, the folder or another process. A
/// damaged header may look like anything: another program's file, one of a newer version, or one that
/// SQLite has no words for.
fn is_damage(error: &Error) -> bool {
    matches!(
        error,
        Error::Store(
            StoreError::Damaged { .. }
                | StoreError::NotOurs { .. }
                | StoreError::Newer { .. }
                | StoreError::BadRow { .. }
                | StoreError::Database(_)
        )
    )
}

/// Whether the header of a database lets SQLite write to it: bytes 18 and 19 say which versions of the
/// format write and read it, and there are two. Nobody in this process may have the file open.
pub(crate) fn can_be_written(database: &Path) -> bool {
    let mut head = [0; 20];
    let read = File::open(database).and_then(|mut file| file.read_exact(&mut head));
    read.is_err() || head[18..].iter().all(|version| matches!(version, 1 | 2))
}

/// A folder under the home that only the user may look into.
fn folder_in(home: &Path, name: &str) -> Result<PathBuf> {
    let folder = home.join(name);
    match private_folder(&folder) {
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
