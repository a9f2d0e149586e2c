//! Today: what memory learnt, replaced and left open lately, and memories by how long ago they came in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use throughline_core::scope::Reach;
use throughline_core::state::Flag;
use throughline_core::{
    BatchId, Change, Kind, Memory, MemoryId, Relation, Row, RowKey, SpaceId, State, Timestamp,
};
use throughline_store::{LogQuery, MemoryQuery, Reader};

use crate::find::states_of;
use crate::flows::Looking;
use crate::reading::questions;
use crate::review::is_questioned;
use crate::{Card, Filter, Result, ToCheck, Wanted};

/// Batches of the log that are read at a time: at first, and at most.
const PAGE: usize = 4;
const PAGE_MAX: usize = 256;
/// Changes that are held at a time, more or less. A batch of an import has thousands.
const CHANGES: usize = 2_048;
/// Memories that are listed at a time.
const LISTED: usize = 128;
/// Memories to check that are told.
const TO_CHECK: usize = 20;
/// Days of a week and of a month, today among them.
const WEEK: i64 = 7;
/// Importance from which a memory is a landmark.
const LANDMARK: f64 = 0.8;

/// What happened in the last days.
#[derive(Debug, Clone, PartialEq)]
pub struct Today {
    /// From when on.
    pub since: Timestamp,
    /// Memories that came in and hold, newest first.
    pub learned: Vec<Card>,
    /// Memories that something else took the place of.
    pub replaced: Vec<Card>,
    /// Memories of which a person said something later that may bear on them.
    pub questioned: Vec<Card>,
    /// Memories that left view in another way.
    pub away: Vec<Card>,
    /// What is to be checked.
    pub verify: Vec<ToCheck>,
    /// How often agents were told something.
    pub told: usize,
    /// What was asked for and is not known.
    pub gaps: Vec<Card>,
}

/// How much of a memory is shown, by how long ago it came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DayNearness {
    /// Today: everything.
    Full,
    /// This week: a line.
    Line,
    /// Earlier: a line, and only for what stands out.
    Landmark,
}

/// The memories that a stretch of the log speaks of.
#[derive(Debug, Clone, Default)]
struct LoggedLately {
    learned: BTreeSet<(SpaceId, MemoryId)>,
    replaced: BTreeSet<(SpaceId, MemoryId)>,
    /// Told with what was said later, and those of them that most likely changed by it.
    told_with_later: BTreeSet<(SpaceId, MemoryId)>,
    questioned: BTreeSet<(SpaceId, MemoryId)>,
    away: BTreeSet<(SpaceId, MemoryId)>,
}

/// What was read of the log for the last days. The log only grows, so that whoever asks again reads what is new.
#[derive(Debug, Default)]
pub(crate) struct ReadLately(Mutex<BTreeMap<(Vec<SpaceId>, Timestamp), UpTo>>);

/// What was read up to a batch.
#[derive(Debug, Clone)]
struct UpTo {
    seq: u64,
    batch: BatchId,
    logged: Arc<LoggedLately>,
}

/// Stretches that are remembered.
const STRETCHES_MAX: usize = 16;

impl LoggedLately {
    fn note_change(&mut self, change: &Change) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these are told")]
        match change {
            Change::Insert(memory) => {
                self.learned.insert((memory.space, memory.id));
            }
            Change::Supersede { space, old, .. } => {
                self.replaced.insert((*space, *old));
            }
            Change::Link(edge) if edge.relation == Relation::LaterSaid => {
                let memory = edge.to.memory().map(|id| (edge.space, id));
                self.told_with_later.extend(memory);
                self.questioned.extend(memory.filter(|_| questions(edge)));
            }
            Change::Move { space, id, to, .. } if !to.is_active() => {
                self.away.insert((*space, *id));
            }
            _ => {}
        }
    }
}

impl Looking<'_> {
    /// What happened in the last days, the present one among them.
    pub fn today(&self, days: u32) -> Result<Today> {
        let since = first_of(self.engine.now(), i64::from(days.max(1)));
        let verify = self.engine.watching(self.context).to_check(TO_CHECK)?;
        let (_, told) = self.told(&Wanted { since: Some(since), ..Wanted::default() })?;
        let reader = self.engine.now_reader()?;
        let logged = self.logged_since(&*reader, since)?;
        let cards = |ids: &BTreeSet<(SpaceId, MemoryId)>, fits: &dyn Fn(&Memory) -> bool| {
            self.seen_cards(&*reader, ids, fits)
        };
        let current = |memory: &Memory| memory.state.is_active();
        let (gaps, learned) = cards(&logged.learned, &current)?
            .into_iter()
            .partition(|card| card.memory.kind == Kind::Gap);
        let replaced = cards(&logged.replaced, &|one| one.state == State::Superseded)?;
        let mut questioned = cards(&logged.questioned, &current)?;
        questioned.retain(|card| card.later.is_some());
        let gone = |one: &Memory| !current(one) && one.state != State::Superseded;
        let away = cards(&logged.away, &gone)?;
        Ok(Today { since, learned, replaced, questioned, away, verify, told, gaps })
    }

    /// Current memories of which a person said something in the last days that may bear on them and of which nothing
    /// else was kept, the latest word first.
    pub(crate) fn questioned(&self, reader: &dyn Reader, days: u32) -> Result<Vec<Card>> {
        let since = first_of(self.engine.now(), i64::from(days.max(1)));
        let logged = self.logged_since(reader, since)?;
        let current = |memory: &Memory| memory.state.is_active();
        let mut cards = self.seen_cards(reader, &logged.told_with_later, &current)?;
        cards.retain(is_questioned);
        cards.sort_by_key(|card| std::cmp::Reverse(card.later.as_ref().map(|later| later.at)));
        Ok(cards)
    }

    /// Memories of the last days, newest first, with how much of each is shown: today in full, the week as lines, what is
    /// older only where it stands out.
    pub fn lately(
        &self,
        reader: &dyn Reader,
        days: u32,
        filter: &Filter,
    ) -> Result<Vec<(Card, DayNearness)>> {
        let now = self.engine.now();
        let since = first_of(now, i64::from(days.max(1)));
        let Reach { spaces, session } = self.context.reach();
        let mut query = MemoryQuery {
            after: None,
            spaces,
            session,
            any_session: false,
            states: states_of(filter),
            kinds: filter.kinds.clone(),
            domain: filter.domain.clone(),
            tag: filter.tag.as_deref().map(throughline_core::text::normalise),
            offset: 0,
            limit: LISTED,
        };
        let mut found = Vec::new();
        let most = filter.limit.unwrap_or(self.engine.policy.limits.list_max);
        loop {
            let page = reader.memories(&query)?.items;
            let asked = page.len();
            let recent = page.into_iter().filter(|memory| memory.recorded_at >= since);
            let recent: Vec<Memory> = recent.collect();
            let (ended, got) = (recent.len() < asked || asked < LISTED, recent.len());
            for card in self.engine.cards(reader, &recent)? {
                let nearness = nearness(card.memory.recorded_at, now);
                if nearness != DayNearness::Landmark || is_landmark(&card) {
                    found.push((card, nearness));
                }
            }
            if ended || got == 0 || found.len() >= most + filter.offset {
                break;
            }
            query.offset += asked;
        }
        Ok(found.into_iter().skip(filter.offset).take(most).collect())
    }

    fn logged_since(&self, reader: &dyn Reader, since: Timestamp) -> Result<Arc<LoggedLately>> {
        let spaces = self.context.reach().spaces;
        let stretch = (spaces.clone(), since);
        // On a server a batch may become visible after a later one.
        let remembers = self.engine.store.file().is_ok();
        let lately = || self.engine.lately.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lately().get(&stretch).filter(|_| remembers).cloned();
        // Another database may have been put in the place of the one that was read.
        let known = match known {
            Some(known) if !reader.headers(&[known.batch])?.is_empty() => Some(known),
            _ => None,
        };
        let after_seq = known.as_ref().map_or(0, |known| known.seq);
        let (mut logged, mut last) = match known {
            Some(UpTo { seq, batch, logged }) => (logged, Some((seq, batch))),
            None => (Arc::default(), None),
        };
        let since = Some(since);
        let mut query = LogQuery { since, spaces, after_seq, limit: PAGE, ..LogQuery::default() };
        loop {
            let page = reader.log(&query)?;
            for change in page.iter().flat_map(|stored| &stored.batch.changes) {
                Arc::make_mut(&mut logged).note_change(change);
            }
            let end = page.last().map(|stored| (stored.last_seq, stored.batch.id));
            last = end.or(last);
            match end {
                Some((seq, _)) if page.len() == query.limit => query.after_seq = seq,
                _ => break,
            }
            let held = page.iter().map(|stored| stored.batch.changes.len()).sum();
            query.limit = next_page(query.limit, held);
        }
        if let Some((seq, batch)) = last.filter(|_| remembers) {
            let mut held = lately();
            if held.len() >= STRETCHES_MAX {
                held.clear();
            }
            held.insert(stretch, UpTo { seq, batch, logged: Arc::clone(&logged) });
        }
        Ok(logged)
    }

    /// Memories within reach that fit, newest first.
    fn seen_cards(
        &self,
        reader: &dyn Reader,
        ids: &BTreeSet<(SpaceId, MemoryId)>,
        fits: &dyn Fn(&Memory) -> bool,
    ) -> Result<Vec<Card>> {
        let reach = self.context.reach();
        let keys: Vec<RowKey> = ids.iter().map(|(space, id)| RowKey::memory(*space, *id)).collect();
        let rows = reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory);
        let mut memories: Vec<Memory> =
            rows.filter(|memory| reach.sees(memory) && fits(memory)).collect();
        memories.sort_by_key(|memory| std::cmp::Reverse((memory.recorded_at, memory.id)));
        self.engine.cards(reader, &memories)
    }
}

/// How many batches to read after a page of some that held so many changes.
fn next_page(batches: usize, changes: usize) -> usize {
    if changes > CHANGES {
        (batches / 2).max(1)
    } else if changes * 2 < CHANGES {
        (batches * 2).min(PAGE_MAX)
    } else {
        batches
    }
}

/// The first moment of the last `days` days, the present one among them.
pub(crate) fn first_of(now: Timestamp, days: i64) -> Timestamp {
    const DAY_MS: i64 = 86_400_000;
    Timestamp::from_millis((now.day() - days + 1).saturating_mul(DAY_MS))
}

/// How near a moment is.
fn nearness(at: Timestamp, now: Timestamp) -> DayNearness {
    match now.day() - at.day() {
        ..1 => DayNearness::Full,
        days if days < WEEK => DayNearness::Line,
        _ => DayNearness::Landmark,
    }
}

/// Whether a memory stands out after weeks: it matters much, is pinned, or proved itself.
fn is_landmark(card: &Card) -> bool {
    let flags = [Flag::Pinned, Flag::Established];
    card.memory.importance >= LANDMARK || card.flags.iter().any(|flag| flags.contains(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_small_batches_is_read_in_large_pages_and_an_import_batch_by_batch() {
        let read = |changes_each: usize| {
            (0..12).fold(PAGE, |batches, _| next_page(batches, batches * changes_each))
        };
        assert_eq!(read(3), PAGE_MAX);
        assert_eq!(read(2_000), 1);
        assert_eq!(read(5_000), 1);
    }
}
