//! Meet: which memories give the same thing another value than a claim does. Asked at every write,
//! whatever door the claim came by.

use std::collections::BTreeSet;

use throughline_core::meet::{Difference, gives_a_value, same_thing};
use throughline_core::{
    Change, Kind, Memory, MemoryId, NodeId, Relation, Row, RowKey, SessionId, SpaceId, State, words,
};
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::transaction::Transaction;

/// Memories with the same words that are looked at.
const LOOKED_AT: usize = 24;

/// A claim, as far as it decides what it meets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimed<'a> {
    pub(crate) space: SpaceId,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) kind: Kind,
    pub(crate) content: &'a str,
}

impl<'a> Claimed<'a> {
    pub(crate) fn by(memory: &'a Memory) -> Self {
        Self {
            space: memory.space,
            session: memory.session.as_ref(),
            kind: memory.kind,
            content: &memory.content,
        }
    }
}

/// The current memories, kept or in this very draft, that give the same thing another value.
pub(crate) fn meeting(
    tx: &Transaction<'_>,
    claim: &Claimed<'_>,
) -> Result<Vec<(Memory, Difference)>> {
    if !gives_a_value(claim.kind, claim.content) {
        return Ok(Vec::new());
    }
    let query = TextQuery {
        spaces: vec![claim.space],
        session: claim.session.cloned(),
        terms: words::query_terms(claim.content),
        of: TextOf::Memories,
        states: vec![State::Staged, State::Confirmed],
        kinds: Vec::new(),
        limit: LOOKED_AT,
    };
    let hits = tx.text(&query)?.into_iter();
    let keys: Vec<RowKey> = hits.map(|hit| RowKey::node(hit.space, hit.node)).collect();
    let kept = tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory());
    let made = tx.changes().iter().filter_map(inserted).filter(|one| one.space == claim.space);
    let met = kept
        .chain(made.cloned())
        .filter(|old| old.session.as_ref() == claim.session && !leaves(tx, old.id))
        .filter_map(|old| {
            let difference = same_thing((claim.kind, claim.content), (old.kind, &old.content))?;
            Some((old, difference))
        });
    let mut met: Vec<(Memory, Difference)> = met.collect();
    met.sort_by_key(|(old, _)| old.id);
    met.dedup_by_key(|(old, _)| old.id);
    Ok(met)
}

/// The memories that somebody said hold beside this one.
pub(crate) fn beside(
    reader: &dyn Reader,
    space: SpaceId,
    memory: MemoryId,
) -> Result<BTreeSet<MemoryId>> {
    let node = NodeId::Memory(memory);
    let edges = reader.neighbours(space, &[node], &[Relation::RelatesTo], LOOKED_AT)?;
    Ok(edges.iter().filter_map(|edge| edge.other(node).memory()).collect())
}

fn inserted(change: &Change) -> Option<&Memory> {
    if let Change::Insert(memory) = change { Some(memory) } else { None }
}

/// Whether this very draft takes a memory out of view.
pub(crate) fn leaves(tx: &Transaction<'_>, id: MemoryId) -> bool {
    tx.changes().iter().any(|change| {
        if let Change::Supersede { old, .. } = change {
            *old == id
        } else if let Change::Move { id: moved, to, .. } = change {
            *moved == id && !to.is_active()
        } else if let Change::Restore { rows, .. } = change {
            rows.iter().any(|image| {
                let current = |row: &Row| row.as_memory().is_some_and(|one| one.state.is_active());
                image.key.key == id.to_string() && !image.row.as_ref().is_some_and(current)
            })
        } else {
            false
        }
    })
}
