//! Soundness: what must hold among the rows of every store, whatever keeps them.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{Fingerprint, Memory, Relation, Row, RowKey, State, form};

/// Rows that could be read back, by key.
pub(crate) type Held = BTreeMap<RowKey, Row>;

/// What is wrong among the rows, with the name of the check that found it.
pub(crate) fn unsound(held: &Held) -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("links", dangling(held)),
        ("replacements", replacements(held)),
        ("replacements", told_twice(held)),
        ("duplicates", duplicates(held)),
        ("fingerprints", fingerprints(held)),
    ]
}

/// Links whose ends are not there.
fn dangling(held: &Held) -> Vec<String> {
    let edges = held.values().filter_map(Row::as_edge);
    edges
        .flat_map(|edge| [(edge, edge.from), (edge, edge.to)])
        .filter(|(edge, end)| !held.contains_key(&RowKey::node(edge.space, *end)))
        .map(|(edge, end)| format!("a {} link ends at {end}, which is not there", edge.relation))
        .collect()
}

/// A replacement is told twice, by the memory and by a link, and both tell the same.
fn told_twice(held: &Held) -> Vec<String> {
    let edges = held.values().filter_map(Row::as_edge);
    edges
        .filter(|edge| edge.relation == Relation::Supersedes)
        .filter(|edge| {
            let old = held.get(&RowKey::node(edge.space, edge.to));
            !matches!(old, Some(Row::Memory(old)) if old.superseded_by == edge.from.memory())
        })
        .map(|edge| {
            format!("a link says that {} replaces {}; the memory does not", edge.from, edge.to)
        })
        .collect()
}

/// The memories among the rows.
pub(crate) fn memories(held: &Held) -> impl Iterator<Item = &Memory> {
    held.values().filter_map(Row::as_memory)
}

/// What was replaced names what replaced it, unless that was erased; nobody else names one; and
/// following the names ends.
fn replacements(held: &Held) -> Vec<String> {
    let mut wrong = Vec::new();
    for memory in memories(held) {
        if memory.superseded_by.is_some() && memory.state != State::Superseded {
            wrong.push(format!("memory {} is {} but has a replacement", memory.id, memory.state));
        }
        let mut seen = BTreeSet::from([memory.id]);
        let mut next = memory.superseded_by;
        while let Some(id) = next {
            if !seen.insert(id) {
                wrong.push(format!("the replacements of memory {} go in a circle", memory.id));
                break;
            }
            match held.get(&RowKey::memory(memory.space, id)) {
                Some(Row::Memory(one)) => next = one.superseded_by,
                _ => {
                    wrong.push(format!(
                        "memory {} was replaced by {id}, which is not there",
                        memory.id
                    ));
                    break;
                }
            }
        }
    }
    wrong
}

/// The comparable form of every memory is that of its content.
fn fingerprints(held: &Held) -> Vec<String> {
    memories(held)
        .filter(|memory| memory.fingerprint != Fingerprint::of(&memory.content))
        .map(|memory| format!("memory {} has the fingerprint of another text", memory.id))
        .collect()
}

/// No two current memories make one claim. What happened may happen again, and is told in the same words.
fn duplicates(held: &Held) -> Vec<String> {
    let stands = |memory: &&Memory| {
        memory.state.is_active() && !form::is_event(memory.kind, &memory.content)
    };
    let mut seen: BTreeMap<_, &Memory> = BTreeMap::new();
    let mut wrong = Vec::new();
    for memory in memories(held).filter(stands) {
        let claim = (memory.space, memory.session.clone(), memory.fingerprint.clone());
        if let Some(other) = seen.insert(claim, memory) {
            wrong.push(format!("memories {} and {} say the same", other.id, memory.id));
        }
    }
    wrong
}
