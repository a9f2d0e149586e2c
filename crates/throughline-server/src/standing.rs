//! Standing: who serves a home, so that a second server can say where the first one is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Problem;

/// The file that is held for as long as a home is served.
const FILE: &str = "server.lock";
/// Bytes that are read of it.
const BYTES_MAX: u64 = 4_096;

/// Taken: a home that is served already, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The page, or nothing where the other server is only just starting.
    pub url: String,
    /// The process.
    pub pid: u32,
}

/// Serving lock: the right to serve a home, given back when it is dropped or the process ends.
#[derive(Debug)]
pub struct ServingLock {
    file: File,
}

impl ServingLock {
    /// Claims the right to serve a home, or says who has it.
    pub fn claim(home: &Path) -> Result<Result<Self, Taken>, Problem> {
        let path = home.join(FILE);
        let failed = |error: &std::io::Error| {
            let why = throughline_engine::in_plain_words(error);
            Problem::new(503, "file", format!("{}: {why}", path.display()))
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Ok(Self { file })),
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Who is only just starting has written nothing yet.
                std::io::Read::by_ref(&mut file).take(BYTES_MAX).read_to_string(&mut text).ok();
                Ok(Err(serde_json::from_str(&text).unwrap_or_default()))
            }
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }

    /// Notes where the home is served.
    pub(crate) fn note(&mut self, url: &str) {
        let taken = Taken { url: url.to_owned(), pid: std::process::id() };
        let text = serde_json::to_string(&taken).unwrap_or_default();
        // Whoever cannot read it only knows less.
        self.file.set_len(0).ok();
        self.file.seek(SeekFrom::Start(0)).ok();
        self.file.write_all(text.as_bytes()).ok();
    }
}
