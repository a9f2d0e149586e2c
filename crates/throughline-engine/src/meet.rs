//! Meet: which memories give the same thing another value than a claim does, or say the opposite. Asked at every write,
//! whatever door the claim came by.

use std::collections::BTreeSet;

use throughline_core::meet::{Difference, can_meet, same_thing};
use throughline_core::{
    Change, Kind, Memory, MemoryId, NodeId, Relation, RowKey, SessionId, SpaceId, State, words,
};
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::transaction::Transaction;

/// Memories with the same words that are looked at.
const LOOKED_AT: usize = 24;

/// A claim, as far as it decides what it meets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeetingClaim<'a> {
    pub(crate) space: SpaceId,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) kind: Kind,
    pub(crate) content: &'a str,
}

impl<'a> MeetingClaim<'a> {
    pub(crate) fn by(memory: &'a Memory) -> Self {
        Self {
            space: memory.space,
            session: memory.session.as_ref(),
            kind: memory.kind,
            content: &memory.content,
        }
    }
}

/// The search for memories with the words of a claim.
pub(crate) fn alike(claim: &MeetingClaim<'_>) -> TextQuery {
    TextQuery {
        spaces: vec![claim.space],
        session: claim.session.cloned(),
        terms: words::query_terms(claim.content),
        of: TextOf::Memories,
        states: vec![State::Staged, State::Confirmed],
        kinds: Vec::new(),
        limit: LOOKED_AT,
    }
}

/// The current memories, kept or in this very transaction, that give the same thing another value or say the
/// opposite.
pub(crate) fn meeting(
    tx: &Transaction<'_>,
    claim: &MeetingClaim<'_>,
) -> Result<Vec<(Memory, Difference)>> {
    if !can_meet(claim.kind, claim.content) {
        return Ok(Vec::new());
    }
    let hits = tx.text(&alike(claim))?.into_iter();
    let kept = hits.map(|hit| RowKey::node(hit.space, hit.node));
    // The index of words does not have them yet.
    let made = tx.made_to_meet(claim.content, LOOKED_AT).into_iter();
    let made = made.map(|id| RowKey::memory(claim.space, id));
    let keys: Vec<RowKey> = kept.chain(made).collect();
    let held = tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory());
    let met = held
        .filter(|old| old.session.as_ref() == claim.session && old.state.is_active())
        .filter_map(|old| {
            let difference = same_thing((claim.kind, claim.content), (old.kind, &old.content))?;
            Some((old, difference))
        });
    let mut met: Vec<(Memory, Difference)> = met.collect();
    met.sort_by_key(|(old, _)| old.id);
    met.dedup_by_key(|(old, _)| old.id);
    Ok(met)
}

/// The memories of which a person said that they hold beside this one.
pub(crate) fn beside(
    reader: &dyn Reader,
    space: SpaceId,
    memory: MemoryId,
) -> Result<BTreeSet<MemoryId>> {
    let node = NodeId::Memory(memory);
    let edges = reader.neighbours(space, &[node], &[Relation::BothHold], LOOKED_AT)?;
    Ok(edges.iter().filter_map(|edge| edge.other(node).memory()).collect())
}

/// Whether it was decided that one memory does not take the place of the other: a person lets both hold, a contradiction
/// between them was taken away, or the one replaced the other once and that was taken back.
pub(crate) fn is_decided(reader: &dyn Reader, old: &Memory, new: &Memory) -> Result<bool> {
    let space = old.space;
    if beside(reader, space, old.id)?.contains(&new.id) {
        return Ok(true);
    }
    let (from, to) = Relation::Contradicts.in_order(new.id.into(), old.id.into());
    let contradiction = RowKey::edge(space, from, Relation::Contradicts, to);
    let was_there = reader.next_touch(&contradiction, &[from, to], 0)?.is_some();
    if was_there && reader.rows(std::slice::from_ref(&contradiction))?[0].is_none() {
        return Ok(true);
    }
    let history = reader.history(space, old.id.into())?;
    let replaced = |change: &Change| matches!(change, Change::Supersede { old: o, new: n, .. } if *o == old.id && *n == new.id);
    Ok(history.iter().any(|logged| replaced(&logged.change)))
}
