//! The writer lock: a queue for writers, kept by the operating system and released by any crash.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::folder::{beside, private_folder};
use crate::{Error, Result};

/// The ending of the lock of who is next.
const NEXT: &str = ".next.lock";

/// A lock file beside the database. SQLite's own waiting polls and lets the unlucky starve; a
/// blocking file lock is served by the kernel.
///
/// The kernel wakes who waits and keeps nobody else from being quicker: somebody who writes one batch after the other would
/// take the lock again and again before the other has woken up. So whoever waits holds a second lock meanwhile, and who
/// finds that one held waits behind them.
#[derive(Debug)]
pub(super) struct WriterLock {
    path: PathBuf,
    /// The lock of who is next. It is only made where somebody has to wait.
    next: PathBuf,
}

/// The turn to write, given back when dropped.
pub(super) struct WriteTurn {
    _file: File,
}

impl WriterLock {
    /// The lock of the database in `path`. Creates its folder, private to the user, if need be.
    pub(super) fn beside(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            private_folder(folder).map_err(|source| io_error(folder, source))?;
        }
        Ok(Self { path: beside(path, ".lock"), next: beside(path, NEXT) })
    }

    /// The turn, if nobody has it.
    pub(super) fn acquire_if_free(&self) -> Result<Option<WriteTurn>> {
        let file = open(&self.path)?;
        Ok(is_locked_now(&self.path, &file)?.then_some(WriteTurn { _file: file }))
    }

    /// Waits for the turn, at most `limit_ms`.
    pub(super) fn acquire(&self, limit_ms: u64) -> Result<WriteTurn> {
        let next = if self.next.exists() { Some(open(&self.next)?) } else { None };
        let is_next = match &next {
            Some(next) => is_locked_now(&self.next, next)?,
            None => true,
        };
        if is_next && let Some(turn) = self.acquire_if_free()? {
            return Ok(turn);
        }
        let is_next = is_next && next.is_some();
        let next = next.map_or_else(|| open(&self.next), Ok)?;
        let file = open(&self.path)?;
        // The kernel queues those who block, so a thread blocks and this one keeps the time. If
        // the time runs out the thread is left behind; its locks die with its files.
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let wait = || {
                if !is_next {
                    next.lock()?;
                }
                file.lock()
            };
            let outcome = wait();
            drop(next);
            send.send(outcome.map(|()| file)).ok();
        });
        match receive.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(file)) => Ok(WriteTurn { _file: file }),
            Ok(Err(source)) => Err(io_error(&self.path, source)),
            Err(_) => Err(Error::Busy { waited_ms: limit_ms }),
        }
    }
}

/// Locks a file, unless somebody else has locked it.
fn is_locked_now(path: &Path, file: &File) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(source)) => Err(io_error(path, source)),
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| io_error(path, source))
}

/// A failed file operation, by what the user can do about it.
pub(super) fn io_error(path: &Path, source: std::io::Error) -> Error {
    use std::io::ErrorKind;
    let unwritable = [
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::NotADirectory,
        ErrorKind::AlreadyExists,
        ErrorKind::IsADirectory,
    ];
    if unwritable.contains(&source.kind()) {
        Error::NotWritable { path: path.to_owned() }
    } else if source.kind() == ErrorKind::StorageFull {
        Error::Full
    } else {
        Error::Io { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn who_waits_is_next_however_quickly_somebody_else_asks_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = WriterLock::beside(&folder.path().join("a.db")).unwrap();
        let (turns, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        let most = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _turn = lock.acquire(10_000).unwrap();
                    turns.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            let waits = (0..100).map(|_| {
                std::thread::sleep(Duration::from_millis(3));
                let before = turns.load(Ordering::Relaxed);
                let _turn = lock.acquire(10_000).unwrap();
                turns.load(Ordering::Relaxed) - before
            });
            let mut passed: Vec<usize> = waits.collect();
            done.store(true, Ordering::Relaxed);
            passed.sort_unstable();
            // A machine that is busy may stop us between looking at the count and asking.
            passed[passed.len() * 9 / 10]
        });
        assert!(most <= 2, "somebody else had {most} turns while we waited");
    }
}
