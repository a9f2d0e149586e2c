//! Reading what the arms found, and putting it in its final order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use throughline_core::rank::Ranked;
use throughline_core::state::Flag;
use throughline_core::{Kind, Memory, MemoryId, NodeId, Row, RowKey, State};
use throughline_store::Reader;

use super::names::Mentioned;
use super::{Ask, CandidateFate, CutReason, RecallCandidate};
use crate::flows::Recalling;
use crate::neighbours::head_of;
use crate::{Card, Result};

/// Memories that are read for one prompt at most.
const READ_MEMORIES: usize = 12;
/// Below this relevance a memory that is not named is not read: no gate would let it pass.
const READ_FROM: f64 = 0.05;
/// So many are read in any case: what an X-ray shows must be readable.
const READ_ALWAYS: usize = 3;
/// How a turn ranks beside memories: as something observed, neither fresh nor forgotten.
const EPISODE_TRUST: f64 = 0.65;
const EPISODE_SALIENCE: f64 = 0.5;

/// A score that sorts the highest first. Candidates are large: they are sorted by keys like this
/// and moved once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Falling(pub(super) f64);

impl Ord for Falling {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Falling {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Falling {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Falling {}

/// What was read of the candidates.
#[derive(Debug, Default)]
pub(super) struct ReadCandidates {
    pub(super) memories: BTreeMap<MemoryId, Memory>,
    pub(super) cards: BTreeMap<MemoryId, Card>,
}

impl Recalling<'_> {
    /// Reads the best memories, puts what replaced them in the place of those replaced, and marks
    /// what the prompt names.
    pub(super) fn read(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &mut Vec<RecallCandidate>,
        mentioned: &Mentioned,
    ) -> Result<ReadCandidates> {
        let mut known = ReadCandidates::default();
        let best = self.worth_reading(ask, candidates, mentioned);
        let keys: Vec<RowKey> = best
            .iter()
            .map(|at| RowKey::node(candidates[*at].space, candidates[*at].node))
            .collect();
        for (at, row) in best.iter().zip(reader.rows(&keys)?) {
            if let Some(memory) = row.and_then(Row::into_memory) {
                self.add_known(reader, ask, candidates, (*at, memory), &mut known)?;
            }
        }
        for candidate in candidates.iter_mut() {
            let memory = candidate.node.memory().and_then(|id| known.memories.get(&id));
            if memory.is_some_and(|memory| mentioned.names(memory)) {
                candidate.name(&self.engine.policy.relevance);
            }
        }
        Ok(known)
    }

    /// The places of the memories that are read: the best, and those that the prompt names.
    #[expect(clippy::unused_self, reason = "it is a step of recalling")]
    pub(super) fn worth_reading(
        &self,
        ask: &Ask<'_>,
        candidates: &[RecallCandidate],
        mentioned: &Mentioned,
    ) -> Vec<usize> {
        candidates
            .iter()
            .enumerate()
            .filter(|(_, one)| one.node.memory().is_some())
            .enumerate()
            .filter(|(place, (_, one))| {
                let named = one.node.memory().is_some_and(|id| mentioned.memories.contains(&id));
                let fits = one.relevance >= READ_FROM || ask.ungated || *place < READ_ALWAYS;
                *place < READ_MEMORIES && fits || named
            })
            .map(|(_, (at, _))| at)
            .collect()
    }

    /// Adds a memory that was read, or the head of its chain, to what is known.
    fn add_known(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &mut Vec<RecallCandidate>,
        (place, memory): (usize, Memory),
        known: &mut ReadCandidates,
    ) -> Result<()> {
        let reach = self.context.reach();
        if !reach.sees(&memory) {
            candidates[place].fate = CandidateFate::Cut(CutReason::OtherSession);
            return Ok(());
        }
        if memory.kind == Kind::Gap {
            candidates[place].fate = CandidateFate::Cut(CutReason::Gap);
            return Ok(());
        }
        let at = ask.as_of.unwrap_or_else(|| self.engine.now());
        if memory.valid_until.is_some_and(|until| until <= at) && !ask.replaced {
            candidates[place].fate = CandidateFate::Cut(CutReason::NoLongerHolds);
            return Ok(());
        }
        if memory.state != State::Superseded || ask.replaced {
            known.memories.insert(memory.id, memory);
            return Ok(());
        }
        let Some(head) = head_of(reader, &memory)?.filter(|head| reach.sees(head)) else {
            candidates[place].fate = CandidateFate::Cut(CutReason::HeadGone);
            return Ok(());
        };
        candidates[place].fate = CandidateFate::ReplacedBy(head.id);
        if !head.state.is_active() {
            return Ok(());
        }
        // What is known of the old wording speaks for the new one too.
        let node: NodeId = head.id.into();
        let stands_for = candidates[place].clone();
        match candidates.iter_mut().find(|one| one.node == node) {
            Some(one) if one.parts.sum() >= stands_for.parts.sum() => {}
            Some(one) => {
                (one.parts, one.relevance) = (stands_for.parts, stands_for.relevance);
            }
            None => candidates.push(RecallCandidate {
                node,
                fate: CandidateFate::Considered,
                ..stands_for
            }),
        }
        known.memories.insert(head.id, head);
        Ok(())
    }

    /// Works out how true and how retrievable everything is that was read.
    pub(super) fn weigh(&self, reader: &dyn Reader, known: &mut ReadCandidates) -> Result<()> {
        let read: Vec<Memory> = known.memories.values().cloned().collect();
        for card in self.engine.cards(reader, &read)? {
            known.cards.insert(card.memory.id, card);
        }
        Ok(())
    }

    /// Scores what was read, and sorts.
    pub(super) fn order(
        &self,
        mut candidates: Vec<RecallCandidate>,
        known: &ReadCandidates,
    ) -> Vec<RecallCandidate> {
        for candidate in &mut candidates {
            let card = candidate.node.memory().map(|id| known.cards.get(&id));
            let (salience, trust, share) = match card {
                Some(Some(card)) => {
                    let unproven = card.memory.state == State::Staged
                        && !card.flags.contains(&Flag::Established);
                    let share = if unproven { self.engine.policy.rank.unproven } else { 1.0 };
                    (card.salience.value, card.trust.value(), share)
                }
                Some(None) => continue,
                None => (EPISODE_SALIENCE, EPISODE_TRUST, 1.0),
            };
            (candidate.salience, candidate.trust) = (Some(salience), Some(trust));
            let relevance = candidate.relevance * share;
            candidate.score = Ranked { relevance, salience, trust }.score(&self.engine.policy.rank);
        }
        candidates.sort_by_cached_key(|one| (Falling(one.score), Falling(one.relevance), one.node));
        candidates
    }
}
