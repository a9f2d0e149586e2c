//! What waits to be read: turns that lie after the mark in their session.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use throughline_core::row::Session;
use throughline_core::{
    Cause, Change, EpisodeId, Row, RowKey, SessionId, SpaceId, Table, Timestamp,
};
use throughline_store::{LogQuery, Reader};

use super::ModelState;
use crate::Result;
use crate::flows::Working;

/// Days after which what nobody read stays unread: a model costs, and the rules have read it.
const DAYS: f64 = 7.0;
/// Turns after which a session is read while it goes on.
const TURNS: usize = 5;
/// Days after which a session is read that has fallen silent.
const SILENT_DAYS: f64 = 15.0 / 1_440.0;
/// Batches of the log that are read in one go.
const PAGE: usize = 512;

/// What waits of one session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unread {
    pub(super) space: SpaceId,
    pub(super) session: SessionId,
    /// Its row, if it has one.
    pub(super) row: Option<Session>,
    /// Turns that were read already.
    pub(super) before: Vec<EpisodeId>,
    /// Turns that were not, in order.
    pub(super) turns: Vec<(EpisodeId, Timestamp)>,
    first_seq: u64,
}

/// A turn, when it was said, and the change that it came with.
type QueuedTurn = (EpisodeId, Timestamp, u64);

/// How much waits for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Sessions.
    pub sessions: usize,
    /// Turns in them.
    pub turns: usize,
}

impl Unread {
    /// Whether it is time to read it: it has ended, has gone on for a while, or fell silent.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        let ended = self.row.as_ref().is_some_and(|row| row.ended_at.is_some());
        let silent = self.turns.last().is_some_and(|(_, at)| now.days_since(*at) >= SILENT_DAYS);
        ended || silent || self.turns.len() >= TURNS
    }
}

impl Working<'_> {
    /// How much waits for a model.
    pub fn waiting_for_model(&self) -> Result<Waiting> {
        let unread = self.unread()?;
        let turns = unread.iter().map(|one| one.turns.len()).sum();
        Ok(Waiting { sessions: unread.len(), turns })
    }

    /// What waits, the session that was spoken in last first: where not everything can be read, what
    /// is fresh matters more. Within a session it is read in order.
    pub(super) fn unread(&self) -> Result<Vec<Unread>> {
        let reader = self.engine.now_reader()?;
        let since = self.engine.now().plus_days(-DAYS);
        let mut after_seq = ModelState::load(&self.engine.home).scanned;
        let newest = self.engine.latest_change(&*reader)?;
        if after_seq > newest {
            // Another database took this one's place.
            after_seq = 0;
        }
        let mut told: BTreeMap<(SpaceId, SessionId), Vec<QueuedTurn>> = BTreeMap::new();
        loop {
            let query =
                LogQuery { after_seq, since: Some(since), limit: PAGE, ..LogQuery::default() };
            let page = reader.log(&query)?;
            let Some(last) = page.last() else { break };
            after_seq = last.last_seq;
            for stored in page {
                if stored.batch.cause == Cause::Import {
                    continue;
                }
                for change in stored.batch.changes {
                    if let Change::Record(turn) = change
                        && turn.at >= since
                    {
                        let of = told.entry((turn.space, turn.session.clone())).or_default();
                        of.push((turn.id, turn.at, stored.first_seq));
                    }
                }
            }
        }
        let mut unread = Vec::new();
        for ((space, session), mut turns) in told {
            turns.sort_by_key(|(id, at, _)| (*at, *id));
            turns.dedup_by_key(|(id, ..)| *id);
            unread.extend(unread_of(&*reader, space, session, turns)?);
        }
        unread
            .sort_by_key(|one| (Reverse(one.turns.last().map(|(_, at)| *at)), one.session.clone()));
        drop(reader);
        let first = unread.iter().map(|one| one.first_seq.saturating_sub(1)).min();
        let scanned = first.unwrap_or(newest);
        if scanned > ModelState::load(&self.engine.home).scanned {
            // Only spares reading the log again.
            ModelState::update(&self.engine.home, |state| state.scanned = scanned).ok();
        }
        Ok(unread)
    }
}

/// What waits of one session, if something does.
fn unread_of(
    reader: &dyn Reader,
    space: SpaceId,
    session: SessionId,
    turns: Vec<QueuedTurn>,
) -> Result<Option<Unread>> {
    let key = RowKey { space, table: Table::Session, key: session.to_string() };
    let row = reader.rows(&[key])?.remove(0).and_then(Row::into_session);
    let mark = row.as_ref().and_then(|row| row.read_to);
    let is_read = |at: &Timestamp| mark.is_some_and(|mark| *at <= mark);
    let (before, new): (Vec<_>, Vec<_>) = turns.into_iter().partition(|(_, at, _)| is_read(at));
    let first_seq = new.iter().map(|(.., seq)| *seq).min();
    Ok(first_seq.map(|first_seq| Unread {
        space,
        session,
        row,
        before: before.into_iter().map(|(id, ..)| id).collect(),
        turns: new.into_iter().map(|(id, at, _)| (id, at)).collect(),
        first_seq,
    }))
}
