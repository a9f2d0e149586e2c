//! The SQLite store: one file, many processes, every acknowledged batch on disk.
//!
//! Two rules keep it safe. Only SQLite opens the database file, its `-wal` and its `-shm`: closing
//! any other handle on them would drop SQLite's locks. And one writer at a time holds the writer
//! lock, so that nobody starves and nothing slow happens inside a transaction.

mod answers;
mod documents;
mod erase;
mod lock;
mod log;
mod migrate;
mod numbers;
mod open;
mod read;
mod rows;
mod text;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, TransactionBehavior};
use throughline_core::row::Tombstone;
use throughline_core::{Commit, SpaceId, Timestamp};

use crate::apply::apply;
use crate::query::{LogQuery, Vector};
use crate::store::{Erasure, Finding, Plan, Reader, Store, compare_dumps};
use crate::tables::Tables;
use crate::{Error, Result};
use lock::WriterLock;
use migrate::Keep;
use rows::SqlTables;

/// The oldest SQLite that does not lose committed writes when several processes share a WAL.
pub const SQLITE_FLOOR: i32 = 3_051_003;

/// How long to wait for other writers before giving up.
pub(crate) const BUSY_LIMIT_MS: u64 = 10_000;

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Mutex<Connection>,
    lock: WriterLock,
}

/// What can be said about the file without reading memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The SQLite that is linked.
    pub sqlite_version: String,
    /// The schema of the file.
    pub schema: u32,
    /// Bytes of the database file.
    pub bytes: u64,
    /// Bytes of the write-ahead log.
    pub wal_bytes: u64,
}

impl SqliteStore {
    /// Opens the store in `path`, creating or migrating it as needed.
    ///
    /// A file of an older schema is copied aside before it is migrated; a newer one is refused.
    pub fn open(path: &Path) -> Result<Self> {
        let lock = WriterLock::beside(path)?;
        let connection = open::open(path, &lock, Keep::Copy).map_err(|error| error.at(path))?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection), lock })
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What can be said about the file without reading memories.
    pub fn health(&self) -> Result<Health> {
        let connection = self.lock_connection();
        let schema = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let size = |path: &Path| std::fs::metadata(path).map(|data| data.len()).unwrap_or(0);
        let mut wal = self.path.clone().into_os_string();
        wal.push("-wal");
        Ok(Health {
            sqlite_version: rusqlite::version().to_owned(),
            schema,
            bytes: size(&self.path),
            wal_bytes: size(Path::new(&wal)),
        })
    }

    /// Whether a file is a Throughline database this version can read, and free of damage.
    pub fn inspect(path: &Path) -> Result<()> {
        open::inspect(path).map_err(|error| error.at(path))
    }

    /// Erases from this file what the tombstones name: what was erased stays erased, also in a
    /// copy that is older than the erasure. Returns how many memories went.
    pub fn reapply_tombstones(&self, stones: &[Tombstone]) -> Result<usize> {
        erase::reapply(self, stones)
    }

    /// Replaces everything by what a copy holds, in one turn: nobody writes in between.
    ///
    /// What is here is first copied to `kept`. What was erased here is erased from a working copy
    /// in `working` before that is taken in, page by page in one transaction, so that other
    /// processes may keep the file open and erased text is back at no moment. Returns how many
    /// memories were erased again.
    pub fn replace_with(&self, copy: &Path, kept: &Path, working: &Path) -> Result<usize> {
        Self::inspect(copy)?;
        let mut connection = self.lock_connection();
        let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
        let stones = SqlTables::new(&connection).all_tombstones()?;
        // A damaged file may not tell; then nobody holds a picture of it that could be kept.
        let stamp = documents::newest(&connection).unwrap_or(0);
        open::copy(&connection, kept)?;
        let erased = Self::clean_copy(copy, working, &stones)?;
        open::replace(&mut connection, working, &self.path)
            .map_err(|error| error.at(&self.path))?;
        documents::outdate(&connection, stamp)?;
        open::empty_log(&mut connection)?;
        Ok(erased)
    }

    /// Copies a file that nobody has to have open, and erases from the copy what the tombstones
    /// name. Returns how many memories that were.
    pub fn clean_copy(from: &Path, to: &Path, stones: &[Tombstone]) -> Result<usize> {
        open::copy_file(from, to).map_err(|error| error.at(from))?;
        Self::open_copy(to)?.reapply_tombstones(stones)
    }

    /// Opens a copy that somebody made of a store. If it is of an older schema it is migrated in
    /// place: a copy of a copy would keep what is about to be erased.
    pub fn open_copy(path: &Path) -> Result<Self> {
        let lock = WriterLock::beside(path)?;
        let connection = open::open(path, &lock, Keep::Nothing).map_err(|error| error.at(path))?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection), lock })
    }

    fn lock_connection(&self) -> MutexGuard<'_, Connection> {
        // A panic inside a transaction rolled it back, so the connection can still be used.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every batch of the log, in order.
    fn whole_log(&self) -> Result<Vec<crate::StoredBatch>> {
        self.read()?.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })
    }
}

/// A reader that sees one moment: it holds a read transaction until it is dropped.
struct Snapshot<'a> {
    connection: MutexGuard<'a, Connection>,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Nothing was written, so there is nothing to lose if ending the transaction fails.
        self.connection.execute_batch("ROLLBACK").ok();
    }
}

impl Store for SqliteStore {
    fn read(&self) -> Result<Box<dyn Reader + '_>> {
        let connection = self.lock_connection();
        // The first read fixes the moment that the reader sees.
        connection
            .execute_batch("BEGIN DEFERRED; SELECT 1 FROM migration LIMIT 1;")
            .map_err(|error| Error::from(error).at(&self.path))?;
        Ok(Box::new(Snapshot { connection }))
    }

    fn transact(&self, plan: Plan<'_>) -> Result<Commit> {
        let mut connection = self.lock_connection();
        let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
        let mut work = |connection: &mut Connection| -> Result<Commit> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let batch = plan(&SqlTables::new(&transaction))?;
            let seq = apply(&mut SqlTables::new(&transaction), &batch)?;
            transaction.commit()?;
            Ok(Commit { batch: batch.id, seq })
        };
        let commit = work(&mut connection).map_err(|error| error.at(&self.path))?;
        // The batch is on disk; if the log cannot be emptied now, the next writer will.
        open::keep_log_small(&mut connection, &self.path).ok();
        Ok(commit)
    }

    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Arc::new(Tables::as_of(self.whole_log()?, at)?)))
    }

    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()> {
        let mut connection = self.lock_connection();
        let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        documents::put_vectors(&transaction, space, model, vectors)?;
        transaction.commit()?;
        open::keep_log_small(&mut connection, &self.path).ok();
        Ok(())
    }

    fn reindex(&self) -> Result<()> {
        let mut connection = self.lock_connection();
        let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        documents::rebuild(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    fn erasure_due(&self) -> Result<Vec<Tombstone>> {
        erase::due(&self.lock_connection())
    }

    fn finish_erasure(&self) -> Result<Erasure> {
        let mut connection = self.lock_connection();
        let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
        erase::finish(&mut connection)
    }

    fn verify(&self) -> Result<Vec<Finding>> {
        let mut connection = self.lock_connection();
        let text_findings = {
            let _turn = self.lock.acquire(BUSY_LIMIT_MS)?;
            verify::text_index(&mut connection)?
        };
        let mut findings = verify::verify(&connection)?;
        findings.extend(text_findings);
        Ok(findings)
    }

    fn rebuild_check(&self) -> Result<Vec<Finding>> {
        let reader = self.read()?;
        let log = reader.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })?;
        let rebuilt = Arc::new(Tables::replay(log.into_iter().map(|one| one.batch))?);
        Ok(compare_dumps(&reader.dump()?, &rebuilt.dump()?))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        let connection = self.lock_connection();
        open::copy(&connection, to)
    }
}
