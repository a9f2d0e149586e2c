//! What stands beside a memory: what a person said about it later, and what says otherwise.

use throughline_core::permission::Standing;
use throughline_core::{Authority, Edge, Memory, MemoryId, Relation, Row, State, Timestamp};

use super::{CardSurroundings, Later};
use crate::reading;

impl CardSurroundings {
    /// What a person said last, after it, that adds to it or may bear on it. A turn of which nothing was
    /// kept counts until somebody says again that the memory holds; a memory as long as it is active.
    pub(super) fn later(
        &self,
        memory: &Memory,
        edges: &[Edge],
        asserted_at: Timestamp,
        now: Timestamp,
    ) -> Option<Later> {
        if let Some(announced) = self.announced(memory, edges, now) {
            return Some(announced);
        }
        let of_it =
            |edge: &&Edge| edge.relation == Relation::LaterSaid && edge.to == memory.id.into();
        let later = edges.iter().filter(of_it).filter_map(|edge| {
            let (at, words) = match self.ends.get(&edge.from) {
                Some(Row::Memory(one)) if one.session == memory.session && is_said(one) => {
                    let holds = one.state.is_active() && one.recorded_at > memory.recorded_at;
                    holds.then(|| (one.recorded_at, one.content.clone()))?
                }
                Some(Row::Episode(turn)) if memory.session.is_none() && turn.at > asserted_at => {
                    (turn.at, edge.reason.clone()?)
                }
                _ => return None,
            };
            Some(Later { node: edge.from, at, words, questions: reading::questions(edge) })
        });
        later.max_by_key(|one| (one.at, one.node))
    }

    pub(super) fn contested_by(
        &self,
        memory: &Memory,
        edges: &[Edge],
        now: Timestamp,
    ) -> Vec<MemoryId> {
        if !memory.state.is_active() || memory.begins_after(now) {
            return Vec::new();
        }
        let evidence = self.evidence.get(&memory.id).map(Vec::as_slice).unwrap_or_default();
        let rank = Standing::of(memory, evidence).rank();
        edges
            .iter()
            .filter(|edge| edge.relation == Relation::Contradicts)
            .filter_map(|edge| match self.ends.get(&edge.other(memory.id.into())) {
                Some(Row::Memory(other)) => Some(other),
                _ => None,
            })
            // A stronger word that was put away still speaks against it.
            .filter(|other| {
                if other.state == State::Archived {
                    return other.authority.outranks(rank);
                }
                // What held for a while and is over speaks against nothing.
                let is_over = other.valid_until.is_some_and(|until| until <= now);
                // What begins later does not yet speak against it, and what has begun has won.
                let apart = is_over || other.begins_after(now) || memory.has_begun(now);
                other.state.is_active() && !apart && !rank.outranks(other.authority)
            })
            .map(|other| other.id)
            .collect()
    }

    /// What takes its place at a time that lies ahead.
    fn announced(&self, memory: &Memory, edges: &[Edge], now: Timestamp) -> Option<Later> {
        let against = |edge: &&Edge| edge.relation == Relation::Contradicts;
        let next = edges.iter().filter(against).filter_map(|edge| {
            let node = edge.other(memory.id.into());
            let Some(Row::Memory(next)) = self.ends.get(&node) else { return None };
            let from = next.valid_from.filter(|from| *from > now && next.state.is_active())?;
            let words = format!("from {}: {}", from.date(), next.content);
            Some(Later { node, at: next.recorded_at, words, questions: false })
        });
        next.max_by_key(|one| (one.at, one.node)).filter(|_| !memory.begins_after(now))
    }
}

/// Whether a memory holds words of a person.
fn is_said(memory: &Memory) -> bool {
    memory.authority.is_user() || memory.authority == Authority::Extracted
}
