//! SQLite store: one file, many processes, every acknowledged batch on disk.
//!
//! Two rules keep it safe. Only SQLite opens the database file, its `-wal` and its `-shm`, because
//! closing any other handle on them would drop SQLite's locks. And one writer at a time holds the
//! writer lock, so that nobody starves and nothing slow happens inside a transaction.

mod answers;
mod copy;
mod counts;
mod documents;
mod erase;
mod kept;
mod listing;
mod lock;
mod log;
mod migrate;
mod numbers;
mod open;
mod read;
mod readers;
mod rows;
mod secrets;
mod sessions;
mod space;
mod standing;
mod swap;
mod text;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use throughline_core::row::Tombstone;
use throughline_core::{Commit, SpaceId, Timestamp};

use crate::apply::apply;
use crate::query::{LogQuery, Vector};
use crate::store::{Erasure, Finding, Planner, Reader, Store, StoreHealth, compare_dumps};
use crate::tables::Tables;
use crate::{Error, Result};
use kept::KeptPostings;
use listing::Counted;
use lock::{WriteTurn, WriterLock};
use migrate::KeptCopy;
use open::Opened;
use readers::{ReadBy, Readers};
use rows::SqlTables;
use space::SpaceTaken;

/// The oldest SQLite that does not lose committed writes when several processes share a WAL.
pub const SQLITE_FLOOR: i32 = 3_051_003;

/// How long to wait for other writers before giving up.
pub(crate) const BUSY_LIMIT_MS: u64 = 10_000;

/// How often a writer follows a file that is exchanged again and again.
const FOLLOW_MAX: usize = 20;

/// SQLite store: memory in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    opened: Mutex<Opened>,
    readers: Readers,
    /// How long listings were found to be.
    counted: Counted,
    /// Which documents were found to hold terms.
    postings: KeptPostings,
    /// What takes the space of the file.
    space: SpaceTaken,
    lock: WriterLock,
    keep: KeptCopy,
    /// Milliseconds that a writer waits for its turn.
    patience: AtomicU64,
}

impl SqliteStore {
    /// Opens the store in `path`, creating or migrating it as needed.
    ///
    /// A file of an older schema is copied aside before it is migrated; a newer one is refused.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_and_keep(path, KeptCopy::Copy)
    }

    fn open_and_keep(path: &Path, keep: KeptCopy) -> Result<Self> {
        let lock = WriterLock::beside(path)?;
        let opened = open::open(path, &lock, keep).map_err(|error| error.at(path))?;
        let (opened, patience) = (Mutex::new(opened), AtomicU64::new(BUSY_LIMIT_MS));
        let (readers, counted) = (Readers::default(), Counted::default());
        let (postings, space) = (KeptPostings::default(), SpaceTaken::default());
        let path = path.to_owned();
        Ok(Self { path, opened, readers, counted, postings, space, lock, keep, patience })
    }

    /// Sets how long writing waits for other writers before [`Error::Busy`] is returned. A hook
    /// that an agent waits for sets a short time, because what is not written now can be written
    /// later.
    pub fn wait_at_most(&self, limit: Duration) {
        let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.patience.store(ms.min(BUSY_LIMIT_MS), Ordering::Relaxed);
    }

    /// Path of the database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reports the health of the file without reading memories.
    pub fn health(&self) -> Result<StoreHealth> {
        let connection = self.present()?;
        let schema = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let size = |path: &Path| std::fs::metadata(path).map(|data| data.len()).unwrap_or(0);
        let mut wal = self.path.clone().into_os_string();
        wal.push("-wal");
        Ok(StoreHealth {
            sqlite_version: rusqlite::version().to_owned(),
            server: None,
            schema,
            bytes: size(&self.path),
            wal_bytes: size(Path::new(&wal)),
            read_only: connection.read_only,
        })
    }

    /// Checks that a file is a Throughline database which this version can read, and that it is not
    /// damaged.
    pub fn inspect(path: &Path) -> Result<()> {
        copy::inspect(path).map_err(|error| error.at(path))
    }

    /// Checks the same as [`Self::inspect`], without looking for damage beyond the first page.
    pub fn glance(path: &Path) -> Result<()> {
        copy::glance(path).map(drop).map_err(|error| error.at(path))
    }

    /// Whether a file is of an older version, so that opening it takes as long as copying it.
    pub fn is_older(path: &Path) -> bool {
        copy::is_older(path).unwrap_or(false)
    }

    /// Erases from this file what the tombstones name, so that erased text stays erased also in a
    /// copy that is older than the erasure. Returns how many memories were erased.
    pub fn reapply_tombstones(&self, stones: &[Tombstone]) -> Result<usize> {
        erase::reapply(self, stones)
    }

    /// Lists everything that is wrong with the content of a file; the file need not be open.
    pub fn check_file(path: &Path) -> Result<Vec<Finding>> {
        copy::check(path).map_err(|error| error.at(path))
    }

    /// Reads the tombstones of a file, however damaged it is, and says whether these are all of
    /// them.
    pub fn tombstones_in(path: &Path) -> (Vec<Tombstone>, bool) {
        copy::tombstones_in(path)
    }

    /// Replaces everything by what a copy holds, in one turn: nobody writes in between.
    ///
    /// What is here is first copied to `kept`. What was erased, here or by `stones`, is erased from a
    /// working copy in `working` before that is taken in, page by page in one transaction, so that
    /// other processes may keep the file open and erased text is back at no moment. Returns how many
    /// memories were erased again.
    pub fn replace_with(
        &self,
        copy: &Path,
        kept: &Path,
        working: &Path,
        stones: &[Tombstone],
    ) -> Result<usize> {
        Self::inspect(copy)?;
        let (mut connection, _turn) = self.turn()?;
        let mut all = SqlTables::new(&connection).all_tombstones()?;
        all.extend_from_slice(stones);
        // A damaged file may not tell; then nobody holds a picture of it that could be kept.
        let stamp = documents::newest(&connection).unwrap_or(0);
        let due = erase::is_unfinished(&connection);
        copy::copy(&connection, kept)?;
        let erased = Self::clean_copy(copy, working, &all)?;
        copy::settle(working, stamp)?;
        copy::replace(&mut connection, working, &self.path)
            .map_err(|error| error.at(&self.path))?;
        // Old pages stay in the file for as long as somebody reads them; the list of what is due came
        // with the copy.
        if !open::empty_log(&mut connection)? && due {
            erase::wait_for_readers(&connection)?;
        }
        Ok(erased)
    }

    /// Puts a copy in the place of a database that cannot be written to page by page, because it is
    /// damaged. That one goes to `kept`. What the tombstones name is erased from a working copy in
    /// `working` first; then one rename decides. Returns how many memories were erased.
    pub fn exchange(
        database: &Path,
        copy: &Path,
        kept: &Path,
        working: &Path,
        stones: &[Tombstone],
        now: Timestamp,
    ) -> Result<usize> {
        let erased = Self::clean_copy(copy, working, stones)?;
        // The damaged file may not tell its newest stamp. Stamps count writes, so that the time in
        // milliseconds is beyond all of them, and beyond that of an earlier exchange.
        copy::settle(working, now.as_millis())?;
        Self::inspect(working)?;
        swap::swap(database, working, kept)?;
        Ok(erased)
    }

    /// Tombstones of unfinished erasures, also of those where only the last step failed (another
    /// process was reading an older state, or the disk refused).
    pub fn unfinished_erasures(&self) -> Result<Vec<Tombstone>> {
        erase::unfinished(&self.present()?.connection)
    }

    /// Lists the parts of the log that cannot be read back.
    pub fn rotten_log(&self) -> Result<Vec<String>> {
        log::rotten(&self.present()?.connection)
    }

    /// Bytes of the tables and indexes of the file, by what they hold.
    pub fn space(&self) -> Result<BTreeMap<&'static str, u64>> {
        self.space.of(&self.present()?.connection)
    }

    /// Whether an exchange of the database was begun and not finished.
    pub fn is_exchanging(database: &Path) -> bool {
        swap::is_due(database)
    }

    /// Copies a file and erases from the copy what the tombstones name; the file need not be open.
    /// Returns how many memories were erased.
    pub fn clean_copy(from: &Path, to: &Path, stones: &[Tombstone]) -> Result<usize> {
        copy::copy_file(from, to).map_err(|error| error.at(from))?;
        Self::open_copy(to)?.reapply_tombstones(stones)
    }

    /// Opens a copy of a store. A copy of an older schema is migrated in place, without a further
    /// copy, which would keep what is about to be erased.
    pub fn open_copy(path: &Path) -> Result<Self> {
        Self::open_and_keep(path, KeptCopy::Nothing)
    }

    /// The database, and the turn to write to it: nobody else writes, or puts another file in its
    /// place, until the turn is given back.
    fn turn(&self) -> Result<(MutexGuard<'_, Opened>, WriteTurn)> {
        let mut opened = self.held();
        for _ in 0..FOLLOW_MAX {
            let turn = self.lock.acquire(self.patience.load(Ordering::Relaxed))?;
            if opened.is_at(&self.path) && !swap::is_due(&self.path) {
                return Ok((opened, turn));
            }
            drop(turn);
            self.follow(&mut opened)?;
        }
        Err(Error::Busy { waited_ms: 0 })
    }

    /// The database as it is now, for reading.
    fn present(&self) -> Result<MutexGuard<'_, Opened>> {
        let mut opened = self.held();
        self.follow_if_moved(&mut opened)?;
        Ok(opened)
    }

    /// Opens the file that has the name now, if it is another one.
    fn follow_if_moved(&self, opened: &mut Opened) -> Result<()> {
        if opened.is_at(&self.path) { Ok(()) } else { self.follow(opened) }
    }

    /// Opens the file that has the name now: what is written to one that lost it would be lost too.
    fn follow(&self, opened: &mut Opened) -> Result<()> {
        *opened =
            open::open(&self.path, &self.lock, self.keep).map_err(|error| error.at(&self.path))?;
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Opened> {
        // A panic inside a transaction rolled it back, so the connection can still be used.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every batch of the log, in order.
    fn whole_log(&self) -> Result<Vec<crate::StoredBatch>> {
        self.read()?.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })
    }
}

/// A reader that sees one moment: it holds a read transaction until it is dropped.
struct Snapshot<'a> {
    connection: ReadBy<'a>,
    counted: &'a Counted,
    postings: &'a KeptPostings,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Nothing was written, so there is nothing to lose if ending the transaction fails.
        self.connection.execute_batch("ROLLBACK").ok();
    }
}

impl Store for SqliteStore {
    fn read(&self) -> Result<Box<dyn Reader + '_>> {
        let connection = self.read_by()?;
        // The first read fixes the moment that the reader sees.
        connection
            .execute_batch("BEGIN DEFERRED; SELECT 1 FROM migration LIMIT 1;")
            .map_err(|error| Error::from(error).at(&self.path))?;
        let (counted, postings) = (&self.counted, &self.postings);
        Ok(Box::new(Snapshot { connection, counted, postings }))
    }

    fn transact(&self, plan: Planner<'_>) -> Result<Commit> {
        let (mut connection, turn) = self.turn()?;
        let mut work = |connection: &mut Connection| -> Result<Commit> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut tables = SqlTables::for_writer(&transaction);
            let batch = plan(&tables)?;
            let seq = apply(&mut tables, &batch)?;
            transaction.commit()?;
            Ok(Commit { batch: batch.id, seq })
        };
        let commit = work(&mut connection).map_err(|error| error.at(&self.path))?;
        // The batch is on disk; if the log cannot be emptied now, the next writer will.
        open::keep_log_small(&mut connection, &self.path, &self.lock, turn).ok();
        Ok(commit)
    }

    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Arc::new(Tables::as_of(self.whole_log()?, at)?)))
    }

    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()> {
        let (mut connection, turn) = self.turn()?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        documents::put_vectors(&transaction, space, model, vectors)?;
        transaction.commit()?;
        open::keep_log_small(&mut connection, &self.path, &self.lock, turn).ok();
        Ok(())
    }

    fn reindex(&self) -> Result<()> {
        let (mut connection, _turn) = self.turn()?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        documents::rebuild(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    fn erasure_due(&self) -> Result<Vec<Tombstone>> {
        erase::due(&*self.present()?)
    }

    fn finish_erasure(&self) -> Result<Erasure> {
        let (mut connection, _turn) = self.turn()?;
        erase::finish(&mut connection)
    }

    fn wait_at_most(&self, limit: Duration) {
        Self::wait_at_most(self, limit);
    }

    fn unfinished_erasures(&self) -> Result<Vec<Tombstone>> {
        Self::unfinished_erasures(self)
    }

    fn health(&self) -> Result<StoreHealth> {
        Self::health(self)
    }

    fn space(&self) -> Result<BTreeMap<&'static str, u64>> {
        Self::space(self)
    }

    fn verify(&self) -> Result<Vec<Finding>> {
        let read_only = self.present()?.read_only;
        let text_findings = if read_only {
            Vec::new()
        } else {
            let (mut connection, _turn) = self.turn()?;
            verify::text_index(&mut connection)?
        };
        let connection = self.present()?;
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
        let connection = self.present()?;
        copy::copy(&connection, to)
    }
}
