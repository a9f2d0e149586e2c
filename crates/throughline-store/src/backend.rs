//! Backend: the store of a home, in the file beside it or on the server that its settings name.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "postgres")]
use crate::PgStore;
use crate::member::MemberList;
use crate::store::Store;
use crate::{Error, Result, SqliteStore};

/// Addresses of the servers that hold the memory of homes, by the file that would hold it otherwise.
/// Kept for the whole process, because every part of it that opens a home must open the same store.
static SERVERS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// Backend: where the memory of a home is kept.
#[derive(Debug)]
pub enum Backend {
    /// In a file.
    Sqlite(Box<SqliteStore>),
    /// On a server.
    #[cfg(feature = "postgres")]
    Postgres(Box<PgStore>),
}

impl Backend {
    /// Says that the memory of a database file is kept on a server instead, or in the file again.
    /// Only the user's own settings may say so.
    pub fn keep_at(database: &Path, address: Option<&str>) {
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        match address.filter(|address| !address.is_empty()) {
            Some(address) => servers.insert(database.to_owned(), address.to_owned()),
            None => servers.remove(database),
        };
    }

    fn server_of(database: &Path) -> Option<String> {
        SERVERS.lock().unwrap_or_else(PoisonError::into_inner).get(database).cloned()
    }

    /// Opens the store of a database file, creating or migrating it as needed.
    pub fn open(database: &Path) -> Result<Self> {
        Self::open_as(database, None)
    }

    /// The same for a person: a server shows what their role may see. A file has one owner, who sees
    /// everything.
    pub fn open_as(database: &Path, person: Option<&str>) -> Result<Self> {
        let Some(address) = Self::server_of(database) else {
            return Ok(Self::Sqlite(Box::new(SqliteStore::open(database)?)));
        };
        Self::open_server(&address, person)
    }

    /// Opens the store at an address: of a server, or of a database file.
    pub fn open_address(address: &str) -> Result<Self> {
        if is_server(address) {
            return Self::open_server(address, None);
        }
        Ok(Self::Sqlite(Box::new(SqliteStore::open(Path::new(address))?)))
    }

    #[cfg(feature = "postgres")]
    fn open_server(address: &str, person: Option<&str>) -> Result<Self> {
        if !is_server(address) {
            return Err(Error::BadAddress(format!(
                "{address:?} is no address of a server; one looks like \
                 postgresql://anna@db.example.com/memory"
            )));
        }
        Ok(Self::Postgres(Box::new(PgStore::open_as(address, person)?)))
    }

    #[cfg(not(feature = "postgres"))]
    fn open_server(address: &str, _person: Option<&str>) -> Result<Self> {
        Err(Error::BadAddress(format!("this program was built without PostgreSQL: {address}")))
    }

    /// Whether there is something to open: a file that is there, or a server.
    pub fn is_there(database: &Path) -> bool {
        Self::server_of(database).is_some() || database.exists()
    }

    /// The file that memory is kept in. An error where it is on a server, which has copies and
    /// repairs of its own.
    pub fn file(&self) -> Result<&SqliteStore> {
        match self {
            Self::Sqlite(store) => Ok(store),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Err(Error::Unfit {
                server: store.name().to_owned(),
                lacks: "holds this memory, and only memory in a file can be replaced here; see \
                        docs/team.md for copies of a server"
                    .to_owned(),
            }),
        }
    }

    /// The server, where people share spaces. An error where memory is in a file, which has one owner.
    pub fn people(&self) -> Result<&dyn MemberList> {
        match self {
            Self::Sqlite(_) => Err(Error::BadAddress(
                "this memory is in a file, which is yours alone; only a server is shared"
                    .to_owned(),
            )),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Ok(&**store),
        }
    }

    /// How often a server was asked and waited for since the store was opened; never, where memory is in a
    /// file.
    pub fn round_trips(&self) -> u64 {
        match self {
            Self::Sqlite(_) => 0,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.round_trips(),
        }
    }

    /// Documents of a server that a process which stays holds at most, so that they need not be found there each
    /// time; `None` where memory is in a file, of which all are held.
    pub fn hold_max(&self) -> Option<usize> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Some(store.hold_max()),
        }
    }

    /// The person who reads and writes, by their role on the server; `None` where memory is in a file.
    pub fn person(&self) -> Option<&str> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Some(store.role()),
        }
    }

    /// Name of the server; `None` where memory is in a file.
    pub fn server(&self) -> Option<&str> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Some(store.name()),
        }
    }
}

/// Whether an address is that of a server.
fn is_server(address: &str) -> bool {
    address.starts_with("postgresql://") || address.starts_with("postgres://")
}

impl Deref for Backend {
    type Target = dyn Store;

    fn deref(&self) -> &(dyn Store + 'static) {
        match self {
            Self::Sqlite(store) => &**store,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => &**store,
        }
    }
}
