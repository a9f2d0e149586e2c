//! Connecting: a claim stands beside the memories that it adds to or may touch, so that neither is told without the
//! later word.

use throughline_core::{Change, Edge, MemoryId, NodeId, Relation, Timestamp};

use super::{Held, NOTICES_FROM};
use crate::Result;
use crate::transaction::Transaction;

/// The field of a connection that says how likely the later words leave the memory not as it is.
const LIKELY: &str = "likely";
/// Later words of a memory that go over to what takes its place.
const LATER_READ: usize = 16;

/// Whether later words most likely leave a memory not as it is. What was connected before that was noted counts.
pub(crate) fn questions(edge: &Edge) -> bool {
    let likely = edge.extra.get(LIKELY).and_then(serde_json::Value::as_f64);
    likely.is_none_or(|likely| likely >= f64::from(NOTICES_FROM))
}

/// Connects a claim that was said at a time with what it adds to, and with what it is told with. What was said earlier
/// than that is told with the later word, whichever of the two came in first.
pub(crate) fn connect(
    tx: &mut Transaction<'_>,
    claim: MemoryId,
    content: &str,
    said_at: Timestamp,
    replaces: &[MemoryId],
) -> Result<()> {
    let (space, at) = (tx.scope.space, tx.now);
    let edge =
        |from: MemoryId, how, to: MemoryId| Edge::new(space, from.into(), how, to.into(), at);
    let others = || tx.bearings.told_with(content).filter(|one| one.id != claim);
    let adds = others().filter(|one| one.adds());
    let adds = adds.map(|one| edge(claim, Relation::Extends, one.id));
    let later = others().map(|one| {
        let (from, to) = if one.since > said_at { (one.id, claim) } else { (claim, one.id) };
        one.likely_on(edge(from, Relation::LaterSaid, to))
    });
    let stands = tx.bearings.given_up_since(content, said_at);
    let stands = stands.filter_map(|one| one.successor.filter(|now| *now != claim));
    let stands = stands.map(|now| edge(now, Relation::LaterSaid, claim));
    let mut edges: Vec<Edge> = adds.chain(later).chain(stands).collect();
    // What was said later than both about what it replaces is about it too.
    let replaced: Vec<NodeId> = replaces.iter().map(|id| (*id).into()).collect();
    for of_it in tx.neighbours(space, &replaced, &[Relation::LaterSaid], LATER_READ)? {
        if replaced.contains(&of_it.to) && of_it.from != claim.into() {
            edges.push(Edge { to: claim.into(), ..of_it });
        }
    }
    tx.extend(edges.into_iter().map(Change::Link).collect::<Vec<_>>());
    Ok(())
}

impl Held {
    /// Notes on a connection how likely what was said leaves it not as it is.
    pub(crate) fn likely_on(&self, mut edge: Edge) -> Edge {
        let likely = f64::from(self.judged.touches());
        edge.extra.insert(LIKELY.to_owned(), ((likely * 100.0).round() / 100.0).into());
        edge
    }
}
