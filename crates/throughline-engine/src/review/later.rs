//! Later words: a person decides whether a memory stands, or whether what was said later takes its place.

use throughline_core::{Cause, Change, NodeId, Relation};

use super::Keep;
use crate::flows::Reviewing;
use crate::{Card, Error, Result};

/// Whether what was said later about a memory is a turn of which nothing was kept, and no memory contradicts it.
pub(crate) fn is_questioned(card: &Card) -> bool {
    let by_turn = card.later.as_ref().is_some_and(|one| matches!(one.node, NodeId::Episode(_)));
    by_turn && card.contested_by.is_empty()
}

impl Reviewing<'_> {
    /// The memory that a handle means, where later words may bear on it.
    pub(super) fn questioned_by_turn(&self, handle: &str) -> Result<Option<Card>> {
        if handle.contains('/') {
            return Ok(None);
        }
        let reader = self.engine.now_reader()?;
        let memory = self.engine.resolve(&*reader, self.context, handle)?;
        Ok(Some(self.engine.card(&*reader, &memory)?).filter(is_questioned))
    }

    /// The older words stand, or the later ones take their place. Both stand where the later ones are about something
    /// else.
    pub(super) fn settle_later(&self, held: &Card, keep: Keep) -> Result<Vec<Card>> {
        let id = held.memory.id.to_string();
        let Some(later) = &held.later else {
            return Err(Error::NotFound { what: "questioned memory", handle: id });
        };
        if keep == Keep::B {
            let corrected = self.engine.keeping(self.context).correct(&id, &later.words, None)?;
            return Ok(vec![corrected.card]);
        }
        let memory = &held.memory;
        self.engine.write(self.context, Cause::Review, Some("it stands"), |tx| {
            tx.settle(memory);
            let (space, to) = (memory.space, NodeId::from(memory.id));
            let edges = tx.neighbours(space, &[to], &[Relation::LaterSaid], usize::MAX)?;
            for edge in edges.into_iter().filter(|edge| edge.to == to) {
                if matches!(edge.from, NodeId::Episode(_)) {
                    let (from, relation) = (edge.from, edge.relation);
                    tx.push(Change::Unlink { space, from, relation, to });
                }
            }
            Ok(())
        })?;
        Ok(vec![self.engine.card_of(memory.space, memory.id)?])
    }
}
