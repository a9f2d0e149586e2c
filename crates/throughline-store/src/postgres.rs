//! PostgreSQL store: the same memory on a server with pgvector, for many people and machines.
//!
//! One writer at a time in each space: advisory locks are held from before the planner reads until its
//! batch is committed. The log has one order all the same: the server numbers a batch with the last
//! statement before its commit, so that nobody who reads up to a number misses one below it. Readers see
//! one moment and wait for nobody. Every verb is one round trip, and a batch is folded here and written in
//! one. A person is known by their database role; which spaces a role sees is decided by the server, row
//! by row.

mod address;
mod attempt;
mod beside;
mod blocks;
mod candidates;
mod claim;
mod condition;
mod counts;
mod documents;
mod flush;
mod foresee;
mod found;
mod lease;
mod link;
mod listing;
mod log;
mod lookup;
mod members;
mod migrate;
mod near;
mod places;
mod read;
mod records;
mod rows;
mod secrets;
mod text;
mod tls;
mod turn;
mod vectors;
mod verify;
mod write;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use throughline_core::row::Tombstone;
use throughline_core::{Batch, Commit, SpaceId, Timestamp};

use crate::query::{LogQuery, Vector};
use crate::store::{
    Condition, Erasure, Finding, Planner, Reader, Store, StoreHealth, compare_dumps,
};
use crate::tables::Tables;
use crate::{Error, Result, SqliteStore};
use address::Address;
use lease::Lease;
use link::Link;
use rows::PgTables;
use turn::WriterTurn;

/// How long to wait for other writers before giving up.
const BUSY_LIMIT_MS: u64 = 10_000;
/// Connections that are kept for the next time.
const KEPT_MAX: usize = 8;
/// How long a server is waited for that has a standby, which may be taking its place.
const FAILOVER_LIMIT: Duration = Duration::from_secs(20);
/// Pause before it is looked again which of several servers takes writes.
const FAILOVER_PAUSE: Duration = Duration::from_millis(150);

/// PostgreSQL store: memory on a server.
pub struct PgStore {
    address: Address,
    /// The role that the server knows us by.
    role: String,
    idle: Mutex<Vec<Link>>,
    /// Milliseconds that a writer waits for its turn.
    patience: AtomicU64,
    /// When whoever asked no longer waits.
    until: Mutex<Option<Instant>>,
    /// Whether an erasure may be due, as the last commit saw it.
    owes_erasure: AtomicBool,
}

impl std::fmt::Debug for PgStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgStore").field("server", &self.address.name).finish_non_exhaustive()
    }
}

impl PgStore {
    /// Opens the store at an address, creating or migrating its tables as needed.
    pub fn open(url: &str) -> Result<Self> {
        Self::open_until(url, None)
    }

    /// The same for somebody who waits no longer than until a moment.
    pub fn open_until(url: &str, until: Option<Instant>) -> Result<Self> {
        Self::open_for(url, until, None)
    }

    /// The same for a person whose role the role of the address may take on.
    pub fn open_as(url: &str, person: Option<&str>) -> Result<Self> {
        Self::open_for(url, None, person)
    }

    fn open_for(url: &str, until: Option<Instant>, person: Option<&str>) -> Result<Self> {
        let mut address = Address::read(url, &variable)?;
        address.person = person.map(str::to_owned);
        let mut store = Self {
            idle: Mutex::default(),
            patience: AtomicU64::new(BUSY_LIMIT_MS),
            until: Mutex::new(until),
            owes_erasure: AtomicBool::new(true),
            role: String::new(),
            address,
        };
        let link = store.connect()?;
        migrate::prepare(&link, &store.address.schema)?;
        store.role.clone_from(&link.role);
        store.keep(link);
        Ok(store)
    }

    /// A new connection. Where there are several servers, one of them may be about to take the place of
    /// another: then it is tried for a while.
    fn connect(&self) -> Result<Link> {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        loop {
            let error = match Link::open(&self.address, until) {
                Err(error @ Error::Unreachable { .. }) => error,
                opened => return opened,
            };
            let over = until.is_some_and(|until| Instant::now() + FAILOVER_PAUSE >= until);
            if !self.address.has_standby() || over || began.elapsed() >= FAILOVER_LIMIT {
                return Err(error);
            }
            std::thread::sleep(FAILOVER_PAUSE);
        }
    }

    /// The role that the server knows us by.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// Name of the server and database for people, without any password.
    pub fn name(&self) -> &str {
        &self.address.name
    }

    /// Documents that a process which stays holds at most.
    pub fn hold_max(&self) -> usize {
        self.address.hold_max
    }

    /// How often the server was asked and waited for since the store was opened.
    pub fn round_trips(&self) -> u64 {
        self.address.trips.load(Ordering::Relaxed)
    }

    fn keep(&self, link: Link) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT_MAX && !link.is_broken() {
            idle.push(link);
        }
    }

    /// A connection: one that is kept, or a new one.
    fn link(&self) -> Result<Link> {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(link) = kept else { return self.connect() };
            if link.is_broken() {
                continue;
            }
            link.answer_until(until);
            match link.look_at_walls(&self.address.schema) {
                // It turned out to be gone; the next one may not be.
                Err(Error::Unreachable { .. }) if link.is_lost() => {}
                looked => return looked.map(|()| link),
            }
        }
    }

    /// A connection on which `begin` was run.
    fn begun(&self, begin: &str) -> Result<(Lease<'_>, Vec<tokio_postgres::SimpleQueryRow>)> {
        self.begun_with(&|_| begin.to_owned())
    }

    /// The same with what begins on a connection. A kept one may turn out to be gone; then a new one is
    /// made.
    fn begun_with(
        &self,
        begin: &dyn Fn(&Link) -> String,
    ) -> Result<(Lease<'_>, Vec<tokio_postgres::SimpleQueryRow>)> {
        for _ in 0..=KEPT_MAX {
            let lease = Lease::new(self, self.link()?);
            match lease.simple(&begin(&lease)) {
                Err(Error::Unreachable { .. }) if lease.is_broken() => {}
                begun => return begun.map(|rows| (lease, rows)),
            }
        }
        Err(Error::Unreachable {
            server: self.address.name.clone(),
            why: "it closes every connection".to_owned(),
        })
    }

    /// A connection that has not gone, as far as that has come through.
    fn present_link(&self) -> Result<Link> {
        let link = self.link()?;
        if link.has_gone() { self.link() } else { Ok(link) }
    }

    /// A connection on which a transaction that only reads begins with the first statement.
    fn soon(&self, begin: &str) -> Result<Lease<'_>> {
        Ok(Lease::reading(self, self.present_link()?, begin))
    }

    /// Every batch of the log, in order.
    fn whole_log(&self) -> Result<Vec<crate::StoredBatch>> {
        self.read()?.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })
    }
}

/// A variable by which every client of PostgreSQL is told passwords, services and certificates.
#[expect(clippy::disallowed_methods, reason = "they are the server's own, not ours")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !name.is_empty() && !value.is_empty())
}

impl Store for PgStore {
    fn read(&self) -> Result<Box<dyn Reader + '_>> {
        // The first statement fixes the moment that the reader sees.
        let (lease, _) =
            self.begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1 FROM head")?;
        Ok(Box::new(PgTables::new(lease)))
    }

    fn read_soon(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(PgTables::new(self.soon("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?)))
    }

    fn transact(&self, plan: Planner<'_>) -> Result<Commit> {
        self.write_with(WriterTurn::Whole, &mut |turn, sent| self.attempt(&mut *plan, turn, sent))
    }

    fn transact_in(&self, space: SpaceId, plan: Planner<'_>) -> Result<Commit> {
        let turn = WriterTurn::in_space(space);
        self.write_with(turn, &mut |turn, sent| self.attempt(&mut *plan, turn, sent))
    }

    fn apply(&self, batch: &Batch) -> Result<Commit> {
        let turn = WriterTurn::of_batch(batch);
        self.write_with(turn, &mut |turn, sent| match sent {
            Some(_) => self.attempt(&mut |_| Ok(batch.clone()), turn, sent),
            // Nothing is read before it is looked ahead, so that the turn comes with that.
            None => self.write(self.soon_in_turn(turn)?, batch, turn),
        })
    }

    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Arc::new(Tables::as_of(self.whole_log()?, at)?)))
    }

    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()> {
        let lease = self.soon_in_turn(&WriterTurn::in_space(space))?;
        vectors::put(&PgTables::new(&*lease), space, model, vectors)
            .map_err(|error| self.waited(error))?;
        lease.give_back();
        Ok(())
    }

    fn reindex(&self) -> Result<()> {
        let lease = self.turn(&WriterTurn::Whole)?;
        vectors::rebuild(&PgTables::new(&*lease))?;
        lease.give_back();
        Ok(())
    }

    fn erasure_due(&self) -> Result<Vec<Tombstone>> {
        verify::erasure_due(&PgTables::new(self.soon("BEGIN READ ONLY")?))
    }

    fn may_owe_erasure(&self) -> bool {
        self.owes_erasure.load(Ordering::Relaxed)
    }

    fn finish_erasure(&self) -> Result<Erasure> {
        if self.erasure_due()?.is_empty() {
            return Ok(Erasure::Done);
        }
        // Outside of a transaction, as vacuuming wants it. Tables of another role are left to it.
        let link = self.link()?;
        link.simple("SET client_min_messages = error")?;
        link.simple("VACUUM")?;
        link.simple("SET client_min_messages = warning; DELETE FROM erasure_due")?;
        self.keep(link);
        Ok(Erasure::Done)
    }

    fn wait_at_most(&self, limit: Duration) {
        let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.patience.store(ms.min(BUSY_LIMIT_MS), Ordering::Relaxed);
    }

    fn answer_until(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn health(&self) -> Result<StoreHealth> {
        let (lease, _) = self.begun("BEGIN")?;
        verify::health(&PgTables::new(lease))
    }

    fn conditions(&self) -> Result<Vec<Condition>> {
        let (lease, _) = self.begun("BEGIN")?;
        condition::conditions(&lease, &self.address.schema)
    }

    fn verify(&self) -> Result<Vec<Finding>> {
        let (lease, _) =
            self.begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1 FROM head")?;
        verify::verify(&PgTables::new(lease), &self.address.schema)
    }

    fn rebuild_check(&self) -> Result<Vec<Finding>> {
        let reader = self.read()?;
        let log = reader.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })?;
        let batches = log.into_iter().map(|one| -> Batch { one.batch });
        let rebuilt = Arc::new(Tables::replay(batches)?);
        Ok(compare_dumps(&reader.dump()?, &rebuilt.dump()?))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        if to.exists() {
            let source = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(Error::Io { path: to.to_owned(), source });
        }
        let copy = SqliteStore::open(to)?;
        for stored in self.whole_log()? {
            copy.apply(&stored.batch)?;
        }
        Ok(())
    }
}
