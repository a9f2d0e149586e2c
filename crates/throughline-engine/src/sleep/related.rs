//! Related: memories that are near in meaning and not connected yet are, weakly.

use std::collections::BTreeMap;

use throughline_core::permission::Act;
use throughline_core::text::plural;
use throughline_core::{Change, Edge, NodeId, Relation, RowKey};

use super::deep::{PassPlan, PassStep, PassView, scanned_to};
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
    // Of what was compared before, nothing is connected again that somebody took away.
    let since = scanned_to(view);
    let is_new = |place: &usize| since.is_none_or(|since| memories[*place].recorded_at > since);
    pairs.retain(|(one, other, near)| *near >= RELATED_FROM && (is_new(one) || is_new(other)));
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut made: BTreeMap<usize, usize> = BTreeMap::new();
    for (one, other, near) in pairs {
        let full = |place: &usize| made.get(place).is_some_and(|count| *count >= EACH_MAX);
        if plan.steps.len() >= RUN_MAX {
            break;
        }
        let (a, b): (NodeId, NodeId) = (memories[one].id.into(), memories[other].id.into());
        if full(&one) || full(&other) || are_connected(view, a, b)? {
            continue;
        }
        let mut edge = Edge::new(view.space(), a, Relation::RelatesTo, b, view.now());
        let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
        if view.was_there(&key)? {
            continue;
        }
        edge.weight = f64::from((near * 100.0).round()) / 100.0;
        edge.reason = Some("near in meaning".to_owned());
        let there = [a, b].map(|node| RowKey::node(view.space(), node)).to_vec();
        plan.steps.push(PassStep::with(there, vec![Change::Link(edge)]));
        *made.entry(one).or_default() += 1;
        *made.entry(other).or_default() += 1;
    }
    if !plan.steps.is_empty() {
        let count = plural(plan.steps.len(), "pair");
        plan.tell(format!("{count} of memories are near in meaning"));
    }
    Ok(plan)
}

/// Whether two memories are connected already, in whatever way.
fn are_connected(view: &PassView<'_>, one: NodeId, other: NodeId) -> Result<bool> {
    let edges = view.reader.neighbours(view.space(), &[one], &[], EDGES_READ)?;
    Ok(edges.iter().any(|edge| edge.other(one) == other))
}
