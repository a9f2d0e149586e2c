//! Counts of what came in after a change.

use std::collections::BTreeSet;

use throughline_core::{Cause, Change, Kind, MemoryId, SpaceId};

use super::Tables;
use crate::store::StoredBatch;

impl Tables {
    /// Turns that were recorded after a change.
    pub(super) fn count_turns(&self, space: SpaceId, seq: u64) -> u64 {
        let turns = self.later(space, seq, |_| true);
        turns.filter(|change| matches!(change, Change::Record(_))).count() as u64
    }

    /// Memories that came in, changed or were said again after a change, but for what sleep did itself.
    pub(super) fn count_memories(&self, space: SpaceId, seq: u64) -> u64 {
        let awake = self.later(space, seq, |one| one.batch.cause != Cause::Sleep);
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these bring a memory in")]
        let memories = awake.filter_map(|change| match change {
            Change::Insert(memory) | Change::Revise(memory) => {
                (memory.kind != Kind::Gap).then_some(memory.id)
            }
            Change::Reinforce(evidence) => Some(evidence.memory),
            _ => None,
        });
        memories.collect::<BTreeSet<MemoryId>>().len() as u64
    }

    /// The changes of some batches of a space after a change.
    fn later(
        &self,
        space: SpaceId,
        seq: u64,
        wanted: impl Fn(&StoredBatch) -> bool,
    ) -> impl Iterator<Item = &Change> {
        let here = self.batches.iter().filter(move |one| one.batch.space == space && wanted(one));
        let changes = here.flat_map(|one| one.batch.changes.iter().zip(one.first_seq..));
        changes.filter(move |(_, at)| *at > seq).map(|(change, _)| change)
    }
}
