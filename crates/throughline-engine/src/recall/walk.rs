//! Following the graph: from what was found to what words and vectors missed.
//!
//! A rescue layer: it adds, and never reorders what the other arms found. Why: docs/quality.md.

use std::collections::BTreeMap;

use throughline_attention::frontier::{self, Seed, Walk};
use throughline_core::{Edge, NodeId, Relation, Row, RowKey, SpaceId, salience};
use throughline_store::Reader;

use super::find::foresee;
use super::names::Mentioned;
use super::rank::ReadCandidates;
use super::{Ask, CandidateFate, CutReason, RecallCandidate};
use crate::Result;
use crate::flows::Recalling;

/// Edges read at one node and in one direction: enough to know a hub.
const EDGES_READ: usize = 200;

impl Recalling<'_> {
    /// Walks from the best candidates and from what the prompt names.
    pub(super) fn walk_on(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &mut Vec<RecallCandidate>,
        known: &mut ReadCandidates,
        mentioned: &Mentioned,
    ) -> Result<()> {
        let relevance: BTreeMap<NodeId, f64> =
            candidates.iter().map(|one| (one.node, one.relevance)).collect();
        let read: Vec<&RecallCandidate> = candidates
            .iter()
            .filter(|one| one.node.memory().is_some_and(|id| known.memories.contains_key(&id)))
            .collect();
        let best = read.iter().map(|one| one.relevance).fold(0.0, f64::max);
        let enough = ask.limits.worth_saying.max(best * ask.limits.gap_to_best);
        let found = read
            .iter()
            .filter(|one| one.relevance >= enough || one.signals.named)
            .map(|one| Seed { node: one.node, score: one.relevance });
        let named = mentioned.entities.iter().map(|node| Seed { node: *node, score: 1.0 });
        let seeds: Vec<Seed> = found.chain(named).collect();
        if seeds.is_empty() {
            return Ok(());
        }
        let walk = self.walk(reader, &mentioned.spaces, &seeds, &relevance)?;
        self.add_reached(reader, ask, walk, candidates, known)
    }

    fn walk(
        &self,
        reader: &dyn Reader,
        spaces: &[SpaceId],
        seeds: &[Seed],
        relevance: &BTreeMap<NodeId, f64>,
    ) -> Result<Walk> {
        let now = self.engine.now();
        let mut days: BTreeMap<SpaceId, Vec<i64>> = BTreeMap::new();
        for space in spaces {
            days.insert(*space, reader.active_days(*space)?);
        }
        let idle = |edge: &Edge| {
            let active = days.get(&edge.space).map(Vec::as_slice).unwrap_or_default();
            salience::idle_days(active, edge.last_reinforced_at, now)
        };
        let mut walk = frontier::walk(
            seeds,
            |nodes| {
                let mut edges = Vec::new();
                for space in spaces {
                    edges.extend(reader.neighbours(*space, nodes, &[], EDGES_READ)?);
                }
                // Clusters and boxes are for people who look: as steps they added nothing (docs/quality.md).
                edges.retain(|edge| {
                    !matches!(edge.relation, Relation::InBox | Relation::InCluster)
                        && ![edge.from, edge.to].iter().any(|end| matches!(end, NodeId::Episode(_)))
                });
                Ok::<_, crate::Error>(edges)
            },
            idle,
            |node| relevance.get(&node).copied().unwrap_or(0.0),
            &self.engine.policy.frontier,
            &self.engine.policy.edge,
        )?;
        frontier::rescore(&mut walk, seeds, &self.engine.policy.frontier);
        Ok(walk)
    }

    /// Adds the memories that only the walk came to.
    fn add_reached(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        walk: Walk,
        candidates: &mut Vec<RecallCandidate>,
        known: &mut ReadCandidates,
    ) -> Result<()> {
        let reach = self.context.reach();
        for (node, _) in &walk.withheld {
            // Only what the walk alone would have brought; what was found by itself stands by itself.
            if node.memory().is_some_and(|id| !known.memories.contains_key(&id))
                && let Some(one) = candidates.iter_mut().find(|one| one.node == *node)
                && one.fate == CandidateFate::Considered
            {
                one.fate = CandidateFate::Cut(CutReason::ContestedBySeed);
            }
        }
        let memories = walk
            .reached
            .iter()
            .filter(|one| one.node.memory().is_some_and(|id| !known.memories.contains_key(&id)));
        let memories = memories.map(|one| one.node);
        foresee(
            reader,
            memories.flat_map(|node| reach.spaces.iter().map(move |space| (*space, node))),
        )?;
        for reached in walk.reached {
            let Some(id) = reached.node.memory() else { continue };
            if known.memories.contains_key(&id) {
                if let Some(one) = candidates.iter_mut().find(|one| one.node == reached.node)
                    && one.path.is_empty()
                {
                    one.path = reached.path;
                    one.relevance = one.relevance.max(reached.score);
                }
                continue;
            }
            let keys: Vec<RowKey> =
                reach.spaces.iter().map(|space| RowKey::memory(*space, id)).collect();
            let row = reader.rows(&keys)?.into_iter().flatten().next();
            let Some(memory) = row.and_then(Row::into_memory) else { continue };
            let shown = reach.sees(&memory)
                && ask.shows(memory.state)
                && memory.kind != throughline_core::Kind::Gap;
            let mut candidate = match candidates.iter().position(|one| one.node == reached.node) {
                Some(at) => candidates.remove(at),
                None => RecallCandidate::reached(memory.space, reached.node),
            };
            candidate.relevance = candidate.relevance.max(reached.score);
            candidate.path = reached.path;
            if shown {
                known.memories.insert(id, memory);
            } else if candidate.fate == CandidateFate::Considered {
                candidate.fate = CandidateFate::Cut(CutReason::NotInView);
            }
            candidates.push(candidate);
        }
        Ok(())
    }
}
