//! The writer lock: a queue for writers, kept by the operating system and released by any crash.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::folder::{beside, private_folder};
use crate::{Error, Result};

/// A lock file beside the database. SQLite's own waiting polls and lets the unlucky starve; a
/// blocking file lock is served by the kernel.
#[derive(Debug)]
pub(super) struct WriterLock {
    path: PathBuf,
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
        Ok(Self { path: beside(path, ".lock") })
    }

    /// The turn, if nobody has it.
    pub(super) fn acquire_if_free(&self) -> Result<Option<WriteTurn>> {
        self.try_lock(self.open()?).map(std::result::Result::ok)
    }

    /// Locks the file, or returns it where somebody else has locked it.
    fn try_lock(&self, file: File) -> Result<std::result::Result<WriteTurn, File>> {
        match file.try_lock() {
            Ok(()) => Ok(Ok(WriteTurn { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(Err(file)),
            Err(TryLockError::Error(source)) => Err(io_error(&self.path, source)),
        }
    }

    /// Waits for the turn, at most `limit_ms`.
    pub(super) fn acquire(&self, limit_ms: u64) -> Result<WriteTurn> {
        let file = match self.try_lock(self.open()?)? {
            Ok(turn) => return Ok(turn),
            Err(file) => file,
        };
        // The kernel queues those who block, so a thread blocks and this one keeps the time. If
        // the time runs out the thread is left behind; its lock dies with its file.
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let outcome = file.lock().map(|()| file);
            send.send(outcome).ok();
        });
        match receive.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(file)) => Ok(WriteTurn { _file: file }),
            Ok(Err(source)) => Err(io_error(&self.path, source)),
            Err(_) => Err(Error::Busy { waited_ms: limit_ms }),
        }
    }

    fn open(&self) -> Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&self.path).map_err(|source| io_error(&self.path, source))
    }
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
