//! Settling: the changes that carry out how conflicts end.

use super::Plan;
use crate::authority::Contest;
use crate::{Change, Edge, Memory, MemoryId, Relation, Timestamp};

impl Plan {
    pub(super) fn about(memory: MemoryId, deduped: bool) -> Self {
        Self {
            changes: vec![],
            memory,
            deduped,
            superseded: vec![],
            contested: vec![],
            left: vec![],
            taken_over: false,
        }
    }

    /// Carries out what was decided about the claims that this one conflicts with.
    pub(super) fn settle(&mut self, conflicts: Vec<(&Memory, Contest)>, at: Timestamp) {
        for (old, verdict) in conflicts.into_iter().filter(|(old, _)| old.id != self.memory) {
            if verdict == Contest::Supersede {
                let (space, new) = (old.space, self.memory);
                let at = at.max(old.recorded_at);
                self.changes.push(Change::Supersede { space, old: old.id, new, at });
                self.superseded.push(old.id);
            } else {
                let (from, to) = (self.memory.into(), old.id.into());
                let edge = Edge::new(old.space, from, Relation::Contradicts, to, at);
                self.changes.push(Change::Link(edge));
                // Each holds in its own time: there is nothing to decide.
                if verdict != Contest::Announced {
                    self.contested.push(old.id);
                }
            }
        }
    }
}
