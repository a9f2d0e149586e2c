//! Errors of the store: one variant for each thing that a caller can do about it.

use std::path::PathBuf;

use throughline_core::fold::Refusal;

/// Result of every store call.
pub type Result<T> = std::result::Result<T, Error>;

/// Error: why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The rules refuse the change; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The planner decided not to write; it knows why.
    #[error("the change was given up before anything was written")]
    Abandoned,
    /// Another process has been writing for longer than the caller waits.
    #[error("another process has been writing for {waited_ms} ms")]
    Busy {
        /// How long we waited.
        waited_ms: u64,
    },
    /// No room left on the disk. Nothing was lost.
    #[error("the disk is full")]
    Full,
    /// The folder or file cannot be written to.
    #[error("cannot write to {}", path.display())]
    NotWritable {
        /// Which one.
        path: PathBuf,
    },
    /// A file operation that SQLite needed failed on the disk.
    #[error("the disk failed while {doing}")]
    Disk {
        /// What SQLite was doing.
        doing: &'static str,
    },
    /// The file is not a database, or a broken one.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The file belongs to another program.
    #[error("{} is not a Throughline database", path.display())]
    NotOurs {
        /// Which file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error("{} was written by a newer version (schema {found}, this program knows {known})", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest we know.
        known: u32,
    },
    /// The linked SQLite has a bug that loses writes.
    #[error("SQLite {found} is too old: 3.51.3 or newer is needed")]
    OldSqlite {
        /// Its version.
        found: String,
    },
    /// The content of a row does not match its hash.
    #[error("{what} cannot be read back: {detail}")]
    BadRow {
        /// Which row.
        what: String,
        /// What was found.
        detail: String,
    },
    /// A file operation failed.
    #[error("{}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The server cannot be reached, or did not answer in time. Nothing says that it was written.
    #[error("{server} cannot be reached: {why}")]
    Unreachable {
        /// Which server, without any password.
        server: String,
        /// What happened.
        why: String,
    },
    /// The server answered, and does not let us do this.
    #[error("{server} does not allow it: {why}")]
    Denied {
        /// Which server, without any password.
        server: String,
        /// What it said.
        why: String,
    },
    /// The server lacks something that we need.
    #[error("{server} {lacks}")]
    Unfit {
        /// Which server, without any password.
        server: String,
        /// What is missing, and what to do about it.
        lacks: String,
    },
    /// The address of a server, or what belongs to it, cannot be understood.
    #[error("{0}")]
    BadAddress(String),
    /// Any other error of the server.
    #[error("{server} failed: {why}")]
    Server {
        /// Which server, without any password.
        server: String,
        /// What it said.
        why: String,
        /// Whether the same may succeed when it is tried again.
        again: bool,
    },
    /// Any other error of SQLite.
    #[error("the database failed")]
    Database(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { waited_ms: crate::sqlite::BUSY_LIMIT_MS }
            }
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path: PathBuf::from("the database"), detail: error.to_string() }
            }
            Some(ErrorCode::SystemIoFailure) => Self::Disk { doing: doing(&error) },
            Some(ErrorCode::ReadOnly) => Self::NotWritable { path: PathBuf::from("the database") },
            _ => Self::Database(error),
        }
    }
}

/// What SQLite does last of a write.
const SYNCED: &str = "the database was synced";

/// What SQLite was doing when the disk failed. The numbers are those of its extended result codes.
fn doing(error: &rusqlite::Error) -> &'static str {
    let rusqlite::Error::SqliteFailure(error, _) = error else { return "the database was in use" };
    match error.extended_code >> 8 {
        1 | 2 | 33 => "the database was read",
        3 => "the database was written",
        4 | 5 => SYNCED,
        6 => "the database was made shorter",
        10 => "a file of the database was removed",
        _ => "the database was in use",
    }
}

impl Error {
    /// Whether the disk or the folder is the cause, and not the content of the file.
    pub fn is_of_the_disk(&self) -> bool {
        if let Self::Database(error) = self {
            return error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen);
        }
        matches!(self, Self::Full | Self::NotWritable { .. } | Self::Disk { .. })
    }

    /// Whether what failed may be there all the same when the file is opened again: it was written, and only not
    /// known to be on the disk.
    pub fn may_be_done(&self) -> bool {
        matches!(self, Self::Disk { doing: SYNCED })
    }

    /// Names the file where SQLite could not.
    pub(crate) fn at(self, file: &std::path::Path) -> Self {
        let cannot_open = |error: &rusqlite::Error| {
            error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen)
        };
        if let Self::Damaged { detail, .. } = self {
            Self::Damaged { path: file.to_owned(), detail }
        } else if matches!(&self, Self::NotWritable { .. })
            || matches!(&self, Self::Database(error) if cannot_open(error))
        {
            Self::NotWritable { path: file.to_owned() }
        } else {
            self
        }
    }
}
