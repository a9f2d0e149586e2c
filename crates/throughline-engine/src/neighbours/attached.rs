//! What is attached to the memories that make a claim already, and who put it there.

use std::collections::BTreeSet;

use throughline_core::reconcile::{Candidate, gives_form};
use throughline_core::{
    Actor, Cause, Change, Edge, Evidence, Memory, MemoryId, NodeId, Row, Watermark,
};
use throughline_store::Reader;

use crate::Result;
use crate::transaction::Transaction;

/// What is attached to some memories.
#[derive(Default)]
pub(super) struct Attached {
    pub(super) evidence: Vec<Evidence>,
    pub(super) set_by_others: Vec<Edge>,
    pub(super) bindings: Vec<Watermark>,
    pub(super) put_away_by_agent: BTreeSet<MemoryId>,
}

/// Reads what is attached to the memories that make a claim. Who put it there is looked up only
/// where a person makes the claim.
pub(super) fn on(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    known: &[&Memory],
) -> Result<Attached> {
    let nodes: Vec<NodeId> = known.iter().map(|memory| memory.id.into()).collect();
    let mut attached = Attached::default();
    for row in tx.attached(candidate.scope.space, &nodes)? {
        match row {
            Row::Evidence(evidence) => attached.evidence.push(evidence),
            Row::Edge(edge) => attached.set_by_others.push(edge),
            Row::Watermark(mark) => attached.bindings.push(mark),
            Row::Space(_)
            | Row::Memory(_)
            | Row::Usage(_)
            | Row::Entity(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Leaf(_)
            | Row::Pending(_) => {}
        }
    }
    attached.set_by_others.retain(|edge| known.iter().any(|memory| gives_form(edge, memory)));
    if !candidate.testimony.authority.is_user() {
        return Ok(attached);
    }
    for memory in known {
        let labelled = attached.set_by_others.iter().any(|edge| edge.from == memory.id.into());
        if labelled || !memory.state.is_active() {
            look_up(&**tx, memory, &mut attached)?;
        }
    }
    Ok(attached)
}

/// Looks up in the log what a person attached to a memory, and whether an agent put it away.
fn look_up(reader: &dyn Reader, memory: &Memory, attached: &mut Attached) -> Result<()> {
    let mut by_agent = false;
    for logged in reader.history(memory.space, memory.id.into())? {
        let Some(stored) = reader.headers(&[logged.batch])?.into_iter().next() else { continue };
        let batch = &stored.batch;
        let by_hand = batch.actor == Actor::User && matches!(batch.cause, Cause::Tag | Cause::Link);
        if let Change::Link(edge) = &logged.change
            && by_hand
        {
            let same = |one: &Edge| {
                (one.from, one.relation, one.to) == (edge.from, edge.relation, edge.to)
            };
            attached.set_by_others.retain(|one| !same(one));
        }
        if puts_away(&logged.change, memory.id) {
            by_agent = batch.actor == Actor::Agent;
        }
    }
    if by_agent && !memory.state.is_active() {
        attached.put_away_by_agent.insert(memory.id);
    }
    Ok(())
}

/// Whether a change takes a memory out of view.
fn puts_away(change: &Change, memory: MemoryId) -> bool {
    if let Change::Move { id, to, .. } = change {
        return *id == memory && !to.is_active();
    }
    matches!(change, Change::Supersede { old, .. } if *old == memory)
}
