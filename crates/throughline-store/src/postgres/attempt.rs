//! Attempts: a batch is planned, folded and written while its turn is held, and tried again where that may
//! help.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use throughline_core::{Batch, BatchId, Commit};

use super::lease::Lease;
use super::link::Link;
use super::rows::PgTables;
use super::turn::{WriterTurn, lock_of};
use super::write::Writing;
use super::{FAILOVER_LIMIT, PgStore};
use crate::apply::apply;
use crate::store::Planner;
use crate::{Error, Result};

/// How often a batch is tried that the server could not take, for a reason that passes.
const TRIES: usize = 5;
/// Pause before the next try.
const PAUSE: Duration = Duration::from_millis(20);

/// One try to write, with a turn, after a batch that may have been committed before.
type Attempt<'a> =
    &'a mut dyn FnMut(&WriterTurn, Option<BatchId>) -> std::result::Result<Commit, Failed>;

impl PgStore {
    /// What begins a transaction that writes, when it is its turn.
    fn begin(&self, link: &Link, turn: &WriterTurn) -> String {
        let patience = self.patience.load(Ordering::Relaxed).max(1);
        let locks = turn.sql(&PgTables::new(link), &self.address.schema);
        format!("BEGIN; SET LOCAL lock_timeout = {patience}; {locks}")
    }

    /// Begins to write, when it is our turn.
    pub(super) fn turn(&self, turn: &WriterTurn) -> Result<Lease<'_>> {
        let begun = self.begun_with(&|link| self.begin(link, turn));
        begun.map(|(lease, _)| lease).map_err(|error| self.waited(error))
    }

    /// A connection on which the first statement waits for the turn.
    pub(super) fn soon_in_turn(&self, turn: &WriterTurn) -> Result<Lease<'_>> {
        let lease = Lease::new(self, self.present_link()?);
        lease.begin_with_next(self.begin(&lease, turn));
        Ok(lease)
    }

    /// The same error; where somebody else wrote for too long, with how long was waited.
    pub(super) fn waited(&self, error: Error) -> Error {
        if let Error::Busy { .. } = error {
            return Error::Busy { waited_ms: self.patience.load(Ordering::Relaxed).max(1) };
        }
        error
    }

    /// Plans and writes once, unless what was sent before is there by now.
    pub(super) fn attempt(
        &self,
        plan: Planner<'_>,
        turn: &WriterTurn,
        sent: Option<BatchId>,
    ) -> std::result::Result<Commit, Failed> {
        // A plan asks which spaces there are: told with the turn.
        let begin = |link: &Link| {
            let tables = PgTables::new(link);
            format!("{}; {}", self.begin(link, turn), tables.spaces_sql())
        };
        let begun = self.begun_with(&begin).map_err(|error| self.waited(error));
        let (lease, spaces) = begun.map_err(|error| Failed { sent, ..error.into() })?;
        // Whoever sent it before held the turn until it was committed or given up, so that now the
        // server can say which. Nothing is guessed.
        if let Some(batch) = sent
            && let Some(commit) = committed(&PgTables::new(&*lease), batch)
                .map_err(|error| Failed { sent, ..error.into() })?
        {
            return Ok(commit);
        }
        let tables = PgTables::new(&*lease);
        tables.keep_told_spaces(&spaces)?;
        let batch = match plan(&tables) {
            Ok(batch) => batch,
            // What a planner could not read it tells in its own words.
            Err(Error::Abandoned) if lease.is_broken() => {
                let why = "the connection was lost".to_owned();
                return Err(Error::Unreachable { server: self.address.name.clone(), why }.into());
            }
            Err(error) => return Err(error.into()),
        };
        self.write(lease, &batch, turn)
    }

    /// Folds a batch and writes it, on a connection that holds a turn.
    pub(super) fn write(
        &self,
        lease: Lease<'_>,
        batch: &Batch,
        turn: &WriterTurn,
    ) -> std::result::Result<Commit, Failed> {
        let mut writing = Writing::new(&lease);
        writing.look_ahead(batch).map_err(|error| self.waited(error))?;
        apply(&mut writing, batch)?;
        let needed = WriterTurn::of_writing(&writing, batch);
        let Some(more) = turn.lacks(&needed) else {
            let wider = Some(turn.clone().with(needed));
            return Err(Failed { wider, ..Error::Abandoned.into() });
        };
        let walls = more.into_iter().map(|space| writing.tables.wall(space));
        let locks: Vec<i64> = walls.map(|wall| lock_of(&self.address.schema, Some(wall))).collect();
        let (seq, owes) = writing
            .finish(&locks)
            .map_err(|error| Failed { sent: Some(batch.id), ..self.waited(error).into() })?;
        self.owes_erasure.store(owes, Ordering::Relaxed);
        lease.give_back();
        Ok(Commit { batch: batch.id, seq })
    }

    /// Plans and writes, again where that may help: what the server refused for a moment, and what
    /// turned out to need more than it held.
    pub(super) fn write_with(&self, mut turn: WriterTurn, attempt: Attempt<'_>) -> Result<Commit> {
        let (began, mut tries, mut sent) = (Instant::now(), 0, None);
        loop {
            let failed = match attempt(&turn, sent) {
                Ok(commit) => return Ok(commit),
                Err(failed) => failed,
            };
            // What a try before this one sent is asked for until the server answers.
            sent = failed.sent;
            if let Some(wider) = failed.wider {
                turn = wider;
                continue;
            }
            tries += 1;
            if !passes(&failed.error) || !self.has_time(tries, began) {
                return Err(failed.error);
            }
            std::thread::sleep(PAUSE * u32::try_from(tries).unwrap_or(1).min(8));
        }
    }

    /// Whether there is time for another try: a few, or for as long as a standby may take.
    fn has_time(&self, tries: usize, began: Instant) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let in_time = until.is_none_or(|until| Instant::now() + PAUSE < until);
        let goes_on = self.address.has_standby() && began.elapsed() < FAILOVER_LIMIT;
        in_time && (tries < TRIES || goes_on)
    }
}

/// A try that failed.
pub(super) struct Failed {
    error: Error,
    /// The batch that may have been committed all the same.
    sent: Option<BatchId>,
    /// What has to be held for it, where that is more than was held.
    wider: Option<WriterTurn>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, sent: None, wider: None }
    }
}

/// Whether a batch is there, and with which number.
fn committed(tables: &PgTables<&Link>, batch: BatchId) -> Result<Option<Commit>> {
    let headers = tables.headers_of(&[batch])?;
    Ok(headers.first().map(|stored| Commit { batch, seq: stored.last_seq }))
}

/// Whether the same may succeed when it is tried again.
fn passes(error: &Error) -> bool {
    matches!(error, Error::Server { again: true, .. } | Error::Unreachable { .. })
}
