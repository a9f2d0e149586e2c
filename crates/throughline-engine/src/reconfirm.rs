//! Reconfirm: memories that hang on nothing observable and that nobody has confirmed for long.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use throughline_core::state::Flag;
use throughline_core::{BatchId, Kind, Memory, Row, RowKey, SessionId, SpaceId, State};
use throughline_store::{MemoryQuery, Reader};

use crate::flows::Watching;
use crate::{Card, Result};

/// Memories that are looked at: the oldest.
const READ: usize = 512;
/// Lists that are kept at most.
const KEPT_MAX: usize = 16;

/// Who asks: the spaces within reach, and the session.
type Asker = (Vec<SpaceId>, Option<SessionId>);

/// The lists that were found. To find one, hundreds of memories are described; a list holds until something is
/// written or another day begins.
#[derive(Debug, Default)]
pub(crate) struct ReconfirmKept(Mutex<BTreeMap<Asker, ReconfirmFound>>);

#[derive(Debug, Clone)]
struct ReconfirmFound {
    at: FoundAt,
    due: Vec<RowKey>,
}

/// The latest batch and the day that a list was found at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FoundAt {
    latest: (u64, BatchId),
    day: i64,
}

impl Watching<'_> {
    /// What hangs on nothing observable and nobody has confirmed for long, the most telling first. Only a nudge: how
    /// true it is does not change by time.
    pub fn to_reconfirm(&self, reader: &dyn Reader, most: usize) -> Result<Vec<Card>> {
        let reach = self.context.reach();
        let asker = (reach.spaces, reach.session);
        let at = self.found_at(reader)?;
        let kept = || self.engine.reconfirm.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(&asker).filter(|found| Some(found.at) == at).cloned();
        if let Some(found) = known {
            let keys = &found.due[..most.min(found.due.len())];
            let rows = reader.rows(keys)?.into_iter().flatten();
            let memories: Vec<Memory> = rows.filter_map(Row::into_memory).collect();
            return self.engine.cards(reader, &memories);
        }
        let mut cards = self.due_of_the_oldest(reader, &asker)?;
        if let Some(at) = at {
            let due = cards.iter().map(|card| RowKey::memory(card.memory.space, card.memory.id));
            let mut kept = kept();
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
            kept.insert(asker, ReconfirmFound { at, due: due.collect() });
        }
        cards.truncate(most);
        Ok(cards)
    }

    /// What a list would be found at now.
    fn found_at(&self, reader: &dyn Reader) -> Result<Option<FoundAt>> {
        let day = self.engine.now().day();
        Ok(self.engine.latest_batch(reader)?.map(|latest| FoundAt { latest, day }))
    }

    fn due_of_the_oldest(
        &self,
        reader: &dyn Reader,
        (spaces, session): &Asker,
    ) -> Result<Vec<Card>> {
        let mut query = MemoryQuery {
            spaces: spaces.clone(),
            session: session.clone(),
            states: vec![State::Staged, State::Confirmed],
            limit: 1,
            ..MemoryQuery::default()
        };
        // The oldest are the last of a listing.
        let total = reader.memories(&query)?.total;
        query.offset = total.saturating_sub(READ);
        query.limit = READ;
        let oldest = reader.memories(&query)?.items;
        let mut cards = self.engine.cards(reader, &oldest)?;
        cards.retain(|card| {
            let asked = card.memory.kind == Kind::Gap || card.memory.done_at.is_some();
            card.flags.contains(&Flag::ReconfirmDue) && card.in_file.is_none() && !asked
        });
        let weight = |card: &Card| card.salience.raw * card.memory.importance;
        cards.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.memory.id.cmp(&b.memory.id)));
        Ok(cards)
    }
}

#[cfg(test)]
mod tests {
    use throughline_core::Timestamp;

    use crate::{Clock, Context, Engine, NewMemory, Project};

    #[test]
    fn what_was_found_to_be_due_is_told_again_until_somebody_confirms_it() {
        let folder = tempfile::tempdir().unwrap();
        let (home, root) = (folder.path().join("home"), folder.path().join("project"));
        std::fs::create_dir(&root).unwrap();
        let context = Context::user(Project::at(&root).unwrap());
        let on = |day: u32| {
            let at = Timestamp::EPOCH.plus_days(20_000.0 + f64::from(day));
            Engine::open(&home, Clock::Fixed(at)).unwrap()
        };
        let remember = |day: u32, text: &str| {
            on(day).keeping(&context).remember(&NewMemory::new(text)).unwrap();
        };
        remember(0, "The backup bucket lies in Frankfurt");
        (1..40).for_each(|day| remember(day, &format!("On day {day} there was work")));
        let engine = on(40);
        let due = || {
            let reader = engine.now_reader().unwrap();
            let cards = engine.watching(&context).to_reconfirm(&*reader, 10).unwrap();
            cards.into_iter().map(|card| card.memory).collect::<Vec<_>>()
        };
        let first = due();
        let bucket = first.iter().find(|one| one.content.contains("Frankfurt")).unwrap();
        assert_eq!(due(), first);
        engine.keeping(&context).confirm(&bucket.id.to_string()).unwrap();
        assert!(!due().iter().any(|one| one.id == bucket.id));
    }
}
