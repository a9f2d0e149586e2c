//! Copies: made through SQLite, checked, and put back.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use throughline_core::row::Tombstone;
use throughline_core::{RowKey, Table};

use super::lock::io_error;
use super::migrate::{self, KeptCopy, MIGRATIONS};
use super::open::{configure, create_private, empty_log, version_of};
use super::{BUSY_LIMIT_MS, documents, verify};
use crate::folder::{beside, sync_parent};
use crate::store::Finding;
use crate::{Error, Result};

/// Checks that a file is a sound Throughline database that this version can read.
pub(super) fn inspect(path: &Path) -> Result<()> {
    let connection = glance(path)?;
    match verify::integrity(&connection)?.into_iter().next() {
        Some(detail) => Err(Error::Damaged { path: path.to_owned(), detail }),
        None => Ok(()),
    }
}

/// Checks that a file is a Throughline database that this version can read, sound or not.
pub(super) fn glance(path: &Path) -> Result<Connection> {
    if !path.is_file() {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file");
        return Err(Error::Io { path: path.to_owned(), source });
    }
    let connection = look_at(path)?;
    let version = version_of(&connection, path)?;
    let known = migrate::newest(MIGRATIONS);
    if version == 0 {
        return Err(Error::NotOurs { path: path.to_owned() });
    }
    if version > known {
        return Err(Error::Newer { path: path.to_owned(), found: version, known });
    }
    Ok(connection)
}

/// Whether a file was made by an older version.
pub(super) fn is_older(path: &Path) -> Result<bool> {
    let connection = look_at(path)?;
    // Who asks has no time left; whoever opens the file has it to themselves for a moment.
    connection.busy_timeout(Duration::from_millis(50))?;
    let version = version_of(&connection, path)?;
    Ok((1..migrate::newest(MIGRATIONS)).contains(&version))
}

/// Opens a file for reading, and leaves what belongs to it alone when it is closed.
fn look_at(path: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Looks at everything a file holds, as `doctor` does, and returns what is wrong with it.
pub(super) fn check(path: &Path) -> Result<Vec<Finding>> {
    let mut connection = look_at(path)?;
    configure(&mut connection)?;
    verify::verify(&connection)
}

/// The tombstones that a file tells, however damaged it is, and whether those are all it has.
pub(super) fn tombstones_in(path: &Path) -> (Vec<Tombstone>, bool) {
    let mut found: BTreeMap<RowKey, Tombstone> = BTreeMap::new();
    let mut whole = false;
    // From both ends: a page that cannot be read stops one way, not the other.
    for sql in [
        "SELECT key, body, hash FROM tombstone NOT INDEXED ORDER BY rowid",
        "SELECT key, body, hash FROM tombstone NOT INDEXED ORDER BY rowid DESC",
    ] {
        let read =
            look_at(path).and_then(|connection| read_tombstones(&connection, sql, &mut found));
        whole = read.is_ok();
        if whole {
            break;
        }
    }
    (found.into_values().collect(), whole)
}

fn read_tombstones(
    connection: &Connection,
    sql: &'static str,
    found: &mut BTreeMap<RowKey, Tombstone>,
) -> Result<()> {
    let mut select = connection.prepare(sql)?;
    let mut stones = select.query([])?;
    let mut spoiled = None;
    while let Some(row) = stones.next()? {
        let (key, body, hash): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        match crate::body::parse(Table::Tombstone, &key, &body, &hash) {
            Ok(row) => {
                let key = row.key();
                found.extend(row.into_tombstone().map(|stone| (key, stone)));
            }
            Err(error) => spoiled = Some(error),
        }
    }
    spoiled.map_or(Ok(()), Err)
}

/// Makes a copy that nobody has open ready to become the database: everything in one file, synced.
/// Whoever holds a picture of what the database was will read it again.
pub(super) fn settle(path: &Path, stamp: i64) -> Result<()> {
    let io = |source| io_error(path, source);
    {
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        configure(&mut connection)?;
        documents::outdate(&connection, stamp)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        if !empty_log(&mut connection)? {
            return Err(Error::Busy { waited_ms: 0 });
        }
    }
    for part in ["-wal", "-shm", ".lock"] {
        match std::fs::remove_file(beside(path, part)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            removed => removed.map_err(io)?,
        }
    }
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(io)?;
    sync_parent(path).map_err(io)
}

/// Copies a file that is not open.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let source = look_at(from)?;
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
    create_private(partial).map_err(|error| error.at(to))?;
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
    sync_parent(to).map_err(io)
}

/// Copies every page of `from` over the open database, and migrates what came if it is older.
pub(super) fn replace(connection: &mut Connection, from: &Path, path: &Path) -> Result<()> {
    let source = look_at(from)?;
    let copy = Backup::new(&source, connection)?;
    if copy.step(-1)? != StepResult::Done {
        return Err(Error::Busy { waited_ms: BUSY_LIMIT_MS });
    }
    drop(copy);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    migrate::migrate(connection, path, MIGRATIONS, KeptCopy::Copy)
}
