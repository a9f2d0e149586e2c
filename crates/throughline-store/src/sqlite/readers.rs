//! Readers: further connections, for those who read at the same time.
//!
//! Most processes read one thing after the other, on the connection that also writes. A server has many readers at
//! once: they get connections of their own, opened when they are first needed and kept.

use std::ops::Deref;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::SqliteStore;
use super::open::{self, Opened};
use crate::{Error, Result};

/// Further connections at most, and at least: as many as there are processors. More readers wait until one is free.
const READERS_MAX: usize = 4;
const READERS_MIN: usize = 2;

/// Kilobytes of pages that each of them keeps. With 4,000 a search reads most of its pages from the file again: they lie all
/// over it.
const CACHE_KB: i64 = 24_000;

/// Who waited so long gets one more all the same: whoever has the others may wait for somebody who waits here.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many further connections there may be.
fn readers_max() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    processors.clamp(READERS_MIN, READERS_MAX)
}

/// The further connections of a store.
#[derive(Debug, Default)]
pub(super) struct Readers {
    held: Mutex<ReadersHeld>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct ReadersHeld {
    idle: Vec<Opened>,
    /// Those that are idle and those that are in use.
    open: usize,
}

/// A connection to read by: the store's own, or a further one.
pub(super) enum ReadBy<'a> {
    Own(MutexGuard<'a, Opened>),
    Further { connection: Option<Opened>, of: &'a Readers },
}

impl Deref for ReadBy<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Self::Own(opened) => opened,
            Self::Further { connection, .. } => {
                connection.as_ref().expect("it is there until it is dropped")
            }
        }
    }
}

impl Drop for ReadBy<'_> {
    fn drop(&mut self) {
        if let Self::Further { connection, of } = self {
            let mut held = of.lock();
            match connection.take() {
                Some(opened) if held.open <= readers_max() => held.idle.push(opened),
                Some(_) | None => held.open -= 1,
            }
            of.freed.notify_one();
        }
    }
}

impl Readers {
    fn lock(&self) -> MutexGuard<'_, ReadersHeld> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SqliteStore {
    /// A connection to read by: one that is idle, else the store's own, else a new one.
    pub(super) fn read_by(&self) -> Result<ReadBy<'_>> {
        let readers = &self.readers;
        let mut held = readers.lock();
        let since = Instant::now();
        loop {
            if let Some(opened) = held.idle.pop() {
                if opened.is_at(&self.path) {
                    return Ok(ReadBy::Further { connection: Some(opened), of: readers });
                }
                held.open -= 1;
                continue;
            }
            match self.opened.try_lock() {
                Ok(mut own) => {
                    drop(held);
                    self.follow_if_moved(&mut own)?;
                    return Ok(ReadBy::Own(own));
                }
                // A panic inside a transaction rolled it back, so the connection can still be used.
                Err(TryLockError::Poisoned(own)) => {
                    drop(held);
                    let mut own = own.into_inner();
                    self.follow_if_moved(&mut own)?;
                    return Ok(ReadBy::Own(own));
                }
                Err(TryLockError::WouldBlock) => {}
            }
            if held.open < readers_max() || since.elapsed() >= PATIENCE {
                held.open += 1;
                drop(held);
                // Until it is open, its place is given back by dropping this.
                let mut place = ReadBy::Further { connection: None, of: readers };
                let opened = self.open_reader(&self.path)?;
                if let ReadBy::Further { connection, .. } = &mut place {
                    *connection = Some(opened);
                }
                return Ok(place);
            }
            let waited = readers.freed.wait_timeout(held, PATIENCE);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn open_reader(&self, path: &Path) -> Result<Opened> {
        let opened = open::open(path, &self.lock, self.keep).map_err(|error| error.at(path))?;
        let set = opened.pragma_update(None, "cache_size", -CACHE_KB);
        set.map_err(|error| Error::from(error).at(path))?;
        Ok(opened)
    }
}
