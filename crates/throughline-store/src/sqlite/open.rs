//! Opening a file: its settings, its version, and whether it is still the file of that name.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::lock::{WriteTurn, WriterLock, io_error};
use super::migrate::{self, KeptCopy, MIGRATIONS};
use super::{BUSY_LIMIT_MS, SQLITE_FLOOR};
use super::{numbers, swap};
use crate::folder::{beside, sync_parent};
use crate::{Error, Result};

/// Marks the file as ours: "Thrd".
const APPLICATION_ID: i32 = 0x5468_7264;

/// How often a file is opened anew that was exchanged while it was being opened.
const REOPEN_MAX: usize = 20;

/// An open database, and which file that is.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    file: Option<FileId>,
    /// Nothing can be written here: the disk or the folder does not let us.
    pub(super) read_only: bool,
}

/// Which file it is, whatever it is called.
type FileId = (u64, u64);

impl std::ops::Deref for Opened {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl std::ops::DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

impl Opened {
    /// Whether the open file is still the one of that name. Another may have been put in its place.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.file == id_of(path)
    }
}

#[cfg(unix)]
fn id_of(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// Elsewhere an open file cannot be exchanged.
#[cfg(not(unix))]
fn id_of(_: &Path) -> Option<FileId> {
    None
}

/// Opens, configures and if need be creates or migrates the file.
pub(super) fn open(path: &Path, lock: &WriterLock, keep: KeptCopy) -> Result<Opened> {
    if rusqlite::version_number() < SQLITE_FLOOR {
        return Err(Error::OldSqlite { found: rusqlite::version().to_owned() });
    }
    for _ in 0..REOPEN_MAX {
        let opened = match open_once(path, lock, keep) {
            Err(error) if error.is_of_the_disk() && path.is_file() => {
                look_only(path).ok_or(error)?
            }
            opened => opened?,
        };
        // The first read has opened the write-ahead log by its name. Only if the database had its
        // name before and after that do the two belong together.
        if opened.is_at(path) {
            return Ok(opened);
        }
    }
    Err(Error::Busy { waited_ms: 0 })
}

fn open_once(path: &Path, lock: &WriterLock, keep: KeptCopy) -> Result<Opened> {
    if swap::is_due(path) {
        swap::carry_out(path, &lock.acquire(BUSY_LIMIT_MS)?)?;
    }
    if !path.exists() {
        // Not while somebody moves the file away to put another in its place.
        let turn = lock.acquire(BUSY_LIMIT_MS).map_err(|error| {
            if matches!(error, Error::Io { .. } | Error::NotWritable { .. }) {
                return Error::NotWritable { path: path.to_owned() };
            }
            error
        })?;
        swap::carry_out(path, &turn)?;
        create_database(path)?;
    }
    refuse_stub(path)?;
    let file = id_of(path);
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let mut opened = Opened { connection, file, read_only: false };
    configure(&mut opened)?;
    opened.read_only = opened.is_readonly("main")?;
    let known = migrate::newest(MIGRATIONS);
    let version = version_of(&opened, path)?;
    if version > known {
        return Err(Error::Newer { path: path.to_owned(), found: version, known });
    }
    if version < known && !opened.read_only {
        let _turn = lock.acquire(BUSY_LIMIT_MS)?;
        // While we waited, another file may have got the name: it is opened next.
        if opened.is_at(path) {
            opened.pragma_update(None, "journal_mode", "WAL")?;
            opened.pragma_update(None, "application_id", APPLICATION_ID)?;
            migrate::migrate(&mut opened, path, MIGRATIONS, keep)?;
        }
    }
    Ok(opened)
}

/// Opens a database for reading where nothing can be written: with what its write-ahead log holds if
/// SQLite can manage that, else as the file alone tells it. `None` where that fails too.
fn look_only(path: &Path) -> Option<Opened> {
    let (file, name) = (id_of(path), path.to_str()?);
    let name: String = name
        .chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            _ => c.to_string(),
        })
        .collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    for how in ["mode=ro", "mode=ro&immutable=1"] {
        let opened = Connection::open_with_flags(format!("file:{name}?{how}"), flags);
        let Ok(connection) = opened else { continue };
        let mut opened = Opened { connection, file, read_only: true };
        let ours = configure(&mut opened).and_then(|()| version_of(&opened, path));
        if ours.is_ok_and(|version| version == migrate::newest(MIGRATIONS)) {
            return Some(opened);
        }
    }
    None
}

/// Creates the database file without tables, so that its name outlives a power cut. It has its name only when it is one:
/// a file of no bytes was a memory once, and was cut off.
fn create_database(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let draft = beside(path, ".new");
    std::fs::remove_file(&draft).ok();
    create_private(&draft).map_err(|error| {
        let not_here = matches!(error, Error::NotWritable { .. });
        if not_here { Error::NotWritable { path: path.to_owned() } } else { error }
    })?;
    let connection = Connection::open_with_flags(&draft, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    drop(connection);
    std::fs::rename(&draft, path).map_err(|source| io_error(path, source))?;
    let names = [Some(path), path.parent().filter(|folder| !folder.as_os_str().is_empty())];
    for name in names.into_iter().flatten() {
        sync_parent(name).map_err(|source| io_error(name, source))?;
    }
    Ok(())
}

/// Creates a file empty and private, so that SQLite never creates it readable for others.
pub(super) fn create_private(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::StorageFull => Err(Error::Full),
        Err(_) => Err(Error::NotWritable { path: path.to_owned() }),
    }
}

/// SQLite takes a file shorter than its smallest page for an empty one and would begin a new memory in it.
fn refuse_stub(path: &Path) -> Result<()> {
    let Ok(bytes) = std::fs::metadata(path).map(|data| data.len()) else { return Ok(()) };
    if bytes < 512 {
        let detail = format!("it has {bytes} bytes, too few for a database");
        return Err(Error::Damaged { path: path.to_owned(), detail });
    }
    Ok(())
}

/// Statements that a connection keeps prepared: a server asks for all sorts of things in turn.
const STATEMENTS_MAX: usize = 256;

/// The settings of every connection. Why each: docs/database.md.
pub(super) fn configure(connection: &mut Connection) -> Result<()> {
    connection.busy_handler(Some(wait_a_little))?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA foreign_keys = ON;
         PRAGMA secure_delete = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;
         PRAGMA mmap_size = 0;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -32000;
         PRAGMA wal_autocheckpoint = 0;",
    )?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Otherwise a statement that compares a range is planned anew for every value it is asked with.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    numbers::teach(connection)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(())
}

/// Bytes of the write-ahead log beyond which a writer empties it.
const WAL_BYTES_MAX: u64 = 1 << 20;
/// Beyond so many it is emptied before anybody else writes.
const WAL_BYTES_LIMIT: u64 = 32 << 20;

/// Empties the write-ahead log once it has grown, or while an erasure waits for it. Called by a writer after its commit,
/// with its turn.
///
/// To move pages takes as long as the disk needs for it, so the turn is given back first: others write meanwhile. When
/// all are moved, and nobody writes just then, the log is cut off.
///
/// SQLite's own checkpoints do not do: a process that opens the file alone reads the whole log and
/// cannot know what was moved already, so with short processes the log would grow without end.
pub(super) fn keep_log_small(
    opened: &mut Opened,
    path: &Path,
    lock: &WriterLock,
    turn: WriteTurn,
) -> Result<()> {
    if super::erase::waits_for_readers(opened)? {
        if empty_log(opened)? {
            opened.execute("DELETE FROM erasure_due", [])?;
        }
        return Ok(());
    }
    let mut wal = path.to_owned().into_os_string();
    wal.push("-wal");
    let bytes = std::fs::metadata(&wal).map_or(0, |data| data.len());
    if bytes <= WAL_BYTES_MAX {
        return Ok(());
    }
    if bytes <= WAL_BYTES_LIMIT {
        drop(turn);
        checkpoint(opened, "PASSIVE")?;
        let Some(_turn) = lock.acquire_if_free()? else { return Ok(()) };
        if opened.is_at(path) && checkpoint(opened, "NOOP")?.is_all() {
            empty_log(opened)?;
        }
    } else {
        empty_log(opened)?;
    }
    Ok(())
}

/// What a checkpoint came to: pages in the write-ahead log, and those of them that are in the database file too.
struct Checkpoint {
    logged: i64,
    moved: i64,
}

impl Checkpoint {
    fn is_all(&self) -> bool {
        self.logged == self.moved
    }
}

/// Moves pages from the write-ahead log into the database file, as far as nobody needs them in the log, and waits for
/// nobody. With `NOOP` it only counts.
fn checkpoint(connection: &Connection, mode: &str) -> Result<Checkpoint> {
    let counted =
        |row: &rusqlite::Row<'_>| Ok(Checkpoint { logged: row.get(1)?, moved: row.get(2)? });
    Ok(connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], counted)?)
}

/// Moves everything into the database file and empties the write-ahead log. Says `false`, without
/// waiting, if somebody still reads an older state; what can be moved is moved even then.
pub(super) fn empty_log(connection: &mut Connection) -> Result<bool> {
    connection.busy_handler(None::<fn(i32) -> bool>)?;
    let busy: rusqlite::Result<i64> =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_handler(Some(wait_a_little))?;
    Ok(busy? == 0)
}

/// Called when the file is locked by somebody who does not use our lock. Short naps of uneven
/// length: SQLite's own handler sleeps ever longer and starves.
fn wait_a_little(attempt: i32) -> bool {
    let nap_us = 300 + fastrand::u64(0..400);
    let waited_ms = u64::from(attempt.unsigned_abs()) * 500 / 1_000;
    if waited_ms > BUSY_LIMIT_MS {
        return false;
    }
    std::thread::sleep(Duration::from_micros(nap_us));
    true
}

/// The schema version, after making sure that the file is ours or new.
pub(super) fn version_of(connection: &Connection, path: &Path) -> Result<u32> {
    // At one moment: somebody else may be making the file.
    let now = connection.unchecked_transaction()?;
    let version: u32 = now.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let owner: i32 = now.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: u32 = now.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    drop(now);
    if owner == APPLICATION_ID {
        return Ok(version);
    }
    if version == 0 && owner == 0 && tables == 0 {
        return Ok(0);
    }
    Err(Error::NotOurs { path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_waits_until_its_commits_are_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = open(&path, &WriterLock::beside(&path).unwrap(), KeptCopy::Copy).unwrap();
        for (pragma, expected) in [
            ("PRAGMA synchronous", 2),
            ("PRAGMA foreign_keys", 1),
            ("PRAGMA secure_delete", 1),
            ("PRAGMA mmap_size", 0),
            ("PRAGMA trusted_schema", 0),
            ("PRAGMA wal_autocheckpoint", 0),
        ] {
            let found: i64 = connection.query_row(pragma, [], |row| row.get(0)).unwrap();
            assert_eq!(found, expected, "{pragma}");
        }
        let mode: String =
            connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }
}
