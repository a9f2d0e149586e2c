//! Related: memories that are near in meaning and not connected yet are, weakly.

use std::collections::BTreeMap;

use throughline_core::permission::Act;
use throughline_core::text::plural;
use throughline_core::{Change, Edge, NodeId, Relation, RowKey};

use super::deep::{PassPlan, PassStep, PassView};
use crate::Result;

/// How near two must be.
const RELATED_FROM: f32 = 0.6;
/// Such connections of one memory, and of one run.
const EACH_MAX: usize = 3;
const RUN_MAX: usize = 2_000;
/// Connections of a memory that are read to see whether there is one already.
const EDGES_READ: usize = 64;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    view.may(Act::Link)?;
    let memories = view.memories()?;
    let mut pairs = view.mutual()?;
    let mut plan = PassPlan::of(pairs.len());
    // Of what was looked at before, nothing is connected again that somebody took away.
    let before = view.compared();
    let pair = |(one, other, _): &(usize, usize, f32)| memories[*one].pair(&memories[*other]);
    pairs.retain(|(_, _, near)| *near >= RELATED_FROM);
    let (looked_at, mut pairs): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|it| before.holds(pair(it)));
    let mut compared: Vec<u64> = looked_at.iter().map(pair).collect();
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let looked_at = connect(&pairs, RUN_MAX, |one, other, near| {
        let (a, b): (NodeId, NodeId) = (memories[one].id.into(), memories[other].id.into());
        if are_connected(view, a, b)? {
            return Ok(false);
        }
        let mut edge = Edge::new(view.space(), a, Relation::RelatesTo, b, view.now());
        let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
        if view.was_there(&key)? {
            return Ok(false);
        }
        edge.weight = f64::from((near * 100.0).round()) / 100.0;
        edge.reason = Some("near in meaning".to_owned());
        let there = [a, b].map(|node| RowKey::node(view.space(), node)).to_vec();
        plan.steps.push(PassStep::with(there, vec![Change::Link(edge)]));
        Ok(true)
    })?;
    compared.extend(pairs[..looked_at].iter().map(pair));
    if !plan.steps.is_empty() {
        let count = plural(plan.steps.len(), "pair");
        plan.tell(format!("{count} of memories are near in meaning"));
    }
    plan.compared = Some(compared.into_iter().collect()).filter(|now| *now != before);
    Ok(plan)
}

/// Connects pairs in their order, each memory with a few others, and `most` of them. Returns how many it looked at: the
/// others have their turn the next time.
fn connect(
    pairs: &[(usize, usize, f32)],
    most: usize,
    mut one_pair: impl FnMut(usize, usize, f32) -> Result<bool>,
) -> Result<usize> {
    let mut made: BTreeMap<usize, usize> = BTreeMap::new();
    let mut connected = 0;
    for (at, (one, other, near)) in pairs.iter().enumerate() {
        if connected >= most {
            return Ok(at);
        }
        let full = |place: &usize| made.get(place).is_some_and(|count| *count >= EACH_MAX);
        if full(one) || full(other) || !one_pair(*one, *other, *near)? {
            continue;
        }
        connected += 1;
        *made.entry(*one).or_default() += 1;
        *made.entry(*other).or_default() += 1;
    }
    Ok(pairs.len())
}

/// Whether two memories are connected already, in whatever way.
fn are_connected(view: &PassView<'_>, one: NodeId, other: NodeId) -> Result<bool> {
    let edges = view.reader.neighbours(view.space(), &[one], &[], EDGES_READ)?;
    Ok(edges.iter().any(|edge| edge.other(one) == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_for_which_a_run_has_no_room_are_left_for_the_next_one() {
        let pairs: Vec<(usize, usize, f32)> = (0..5).map(|n| (2 * n, 2 * n + 1, 0.9)).collect();
        let mut made = Vec::new();
        let mut from = 0;
        for runs in [2, 4, 5] {
            from += connect(&pairs[from..], 2, |one, _, _| {
                made.push(one);
                Ok(true)
            })
            .expect("nothing fails");
            assert_eq!(made, (0..runs).map(|n| 2 * n).collect::<Vec<_>>());
        }
    }
}
