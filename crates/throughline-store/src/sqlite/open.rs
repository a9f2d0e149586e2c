//! Opening a file: its settings, its version, its copies.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::lock::WriterLock;
use super::migrate::{self, Keep, MIGRATIONS};
use super::numbers;
use super::{BUSY_LIMIT_MS, SQLITE_FLOOR};
use crate::{Error, Result};

/// Marks the file as ours: "Thrd".
const APPLICATION_ID: i32 = 0x5468_7264;

/// Opens, configures and if need be creates or migrates the file.
pub(super) fn open(path: &Path, lock: &WriterLock, keep: Keep) -> Result<Connection> {
    if rusqlite::version_number() < SQLITE_FLOOR {
        return Err(Error::OldSqlite { found: rusqlite::version().to_owned() });
    }
    create_private(path)?;
    refuse_stub(path)?;
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    configure(&mut connection)?;
    let known = migrate::newest(MIGRATIONS);
    let version = version_of(&connection, path)?;
    if version > known {
        return Err(Error::Newer { path: path.to_owned(), found: version, known });
    }
    if version < known {
        let _turn = lock.acquire(BUSY_LIMIT_MS)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        migrate::migrate(&mut connection, path, MIGRATIONS, keep)?;
    }
    Ok(connection)
}

/// Creates the file empty and private, so that SQLite never creates it readable for others.
fn create_private(path: &Path) -> Result<()> {
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

/// SQLite takes a file shorter than its smallest page for an empty one and would overwrite it.
fn refuse_stub(path: &Path) -> Result<()> {
    let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
    if (1..512).contains(&bytes) {
        let detail = format!("it has {bytes} bytes, too few for a database");
        return Err(Error::Damaged { path: path.to_owned(), detail });
    }
    Ok(())
}

/// The settings of every connection. Why each: docs/database.md.
fn configure(connection: &mut Connection) -> Result<()> {
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
    numbers::teach(connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Pages of the write-ahead log beyond which a writer empties it.
const WAL_PAGES_MAX: u64 = 256;
const PAGE_BYTES: u64 = 4_096;

/// Empties the write-ahead log once it has grown, or while an erasure waits for it. Called by a writer after its commit, while it
/// still has its turn.
///
/// SQLite's own checkpoints do not do: a process that opens the file alone reads the whole log and
/// cannot know what was moved already, so with short processes the log would grow without end.
pub(super) fn keep_log_small(connection: &mut Connection, path: &Path) -> Result<()> {
    let mut wal = path.to_owned().into_os_string();
    wal.push("-wal");
    let bytes = std::fs::metadata(&wal).map_or(0, |data| data.len());
    let erasing = super::erase::waits_for_readers(connection)?;
    if erasing || bytes > WAL_PAGES_MAX * PAGE_BYTES {
        let emptied = empty_log(connection)?;
        if erasing && emptied {
            connection.execute("DELETE FROM erasure_due", [])?;
        }
    }
    Ok(())
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
fn version_of(connection: &Connection, path: &Path) -> Result<u32> {
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

/// Checks that a file is a sound Throughline database that this version can read.
pub(super) fn inspect(path: &Path) -> Result<()> {
    if !path.is_file() {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file");
        return Err(Error::Io { path: path.to_owned(), source });
    }
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let version = version_of(&connection, path)?;
    let known = migrate::newest(MIGRATIONS);
    if version == 0 {
        return Err(Error::NotOurs { path: path.to_owned() });
    }
    if version > known {
        return Err(Error::Newer { path: path.to_owned(), found: version, known });
    }
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Error::Damaged { path: path.to_owned(), detail: verdict });
    }
    Ok(())
}

/// Copies a file that is not open.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let source = Connection::open_with_flags(
        from,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    source.pragma_update(None, "secure_delete", true)?;
    copy(&source, to)
}

/// Writes a compact copy to a new file, whole or not at all.
pub(super) fn copy(connection: &Connection, to: &Path) -> Result<()> {
    if to.exists() {
        let source = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        return Err(Error::Io { path: to.to_owned(), source });
    }
    // A name of its own, so that nobody's file is in the way and none is overwritten.
    let mut partial = to.to_owned().into_os_string();
    partial.push(format!(".{:016x}.partial", fastrand::u64(..)));
    let partial = Path::new(&partial);
    create_private(partial)?;
    let path = partial.to_str().ok_or_else(|| Error::NotWritable { path: to.to_owned() })?;
    let copied = connection
        .execute("VACUUM INTO ?1", [path])
        .map_err(|error| Error::from(error).at(to))
        .and_then(|_| move_into_place(partial, to));
    if copied.is_err() {
        std::fs::remove_file(partial).ok();
    }
    copied
}

/// Syncs a finished file, gives it its name, and syncs the folder that now holds the name.
fn move_into_place(partial: &Path, to: &Path) -> Result<()> {
    let io = |source| Error::Io { path: to.to_owned(), source };
    std::fs::File::open(partial).and_then(|file| file.sync_all()).map_err(io)?;
    std::fs::rename(partial, to).map_err(io)?;
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    }
    Ok(())
}

/// Copies every page of `from` over the open database, and migrates what came if it is older.
pub(super) fn replace(connection: &mut Connection, from: &Path, path: &Path) -> Result<()> {
    let source = Connection::open_with_flags(
        from,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let copy = Backup::new(&source, connection)?;
    if copy.step(-1)? != StepResult::Done {
        return Err(Error::Busy { waited_ms: BUSY_LIMIT_MS });
    }
    drop(copy);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    migrate::migrate(connection, path, MIGRATIONS, Keep::Copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_waits_until_its_commits_are_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = open(&path, &WriterLock::beside(&path).unwrap(), Keep::Copy).unwrap();
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
