//! Merging: what another store holds means for ours, where histories went apart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use throughline_core::evidence::Testimony;
use throughline_core::row::{Tombstone, slot_fingerprint};
use throughline_core::{
    Change, EntityId, EpisodeId, Evidence, Fingerprint, Leaf, Memory, MemoryId, NodeId, Relation,
    Row, RowKey, SpaceId, pending,
};
use throughline_store::{EntityName, MemoryQuery, Reader, Tables, quoted_by, told_turn};

use super::Imported;
use crate::Result;
use crate::capture::unknown;
use crate::correct::mark_rivals;
use crate::neighbours::head_of;
use crate::permit::said_by_others;
use crate::transaction::Transaction;

/// The shelf on which a name is there once.
const FILES: &str = "file";

/// Plans what one space of theirs means for ours.
pub(super) fn merge_space(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
) -> Result<Imported> {
    let mut report = Imported::default();
    let mut place = Places::default();
    let buried: BTreeSet<MemoryId> =
        tx.all_tombstones()?.into_iter().map(|stone| stone.memory).collect();
    merge_pending(tx, theirs, space)?;
    // What was erased there is erased here too, if it is the very same memory.
    for stone in theirs.all_tombstones()?.into_iter().filter(|stone| stone.space == space) {
        if tx.rows(&[RowKey::memory(space, stone.memory)])?[0].is_some() {
            tx.push(Change::Purge(stone));
        } else if told_turn(&**tx, space, stone.turn())?.is_some() {
            let quoted_by = quoted_by(&**tx, space, stone.turn())?;
            tx.push(Change::Silence { stone, quoted_by });
        }
    }
    let (mut new, mut known): (Vec<Memory>, Vec<Memory>) = (Vec::new(), Vec::new());
    let query = MemoryQuery {
        spaces: vec![space],
        limit: usize::MAX,
        any_session: true,
        ..MemoryQuery::default()
    };
    for memory in theirs.memories(&query)?.items {
        let marks: Vec<Fingerprint> = std::iter::once(memory.fingerprint.clone())
            .chain(memory.slot.as_ref().map(slot_fingerprint))
            .collect();
        if buried.contains(&memory.id) || !tx.tombstones(space, &marks)?.is_empty() {
            report.blocked += 1;
        } else if tx.rows(&[RowKey::memory(space, memory.id)])?[0].is_some() {
            place.memories.insert(memory.id, memory.id);
            report.known += 1;
            known.push(memory);
        } else if let Some(twin) = twin(&**tx, &memory)? {
            place.memories.insert(memory.id, twin);
            report.known += 1;
            for one in evidence(theirs, &memory)? {
                let told = retold(one).about(space, twin);
                if tx.rows(&[Row::Evidence(told.clone()).key()])?[0].is_none() {
                    tx.push(Change::Reinforce(told));
                }
            }
        } else {
            place.memories.insert(memory.id, memory.id);
            report.memories += 1;
            new.push(memory);
        }
    }
    let taken: BTreeSet<NodeId> = new.iter().map(|memory| memory.id.into()).collect();
    for mut memory in new {
        // What took its place may be known here under another name, or have been erased here.
        memory.superseded_by = memory.superseded_by.and_then(|id| place.memories.get(&id).copied());
        let support = evidence(theirs, &memory)?;
        tx.push(Change::Insert(Box::new(memory.clone())));
        if memory.state.is_active() {
            mark_rivals(tx, &memory)?;
        }
        tx.extend(support.into_iter().map(Change::Reinforce));
        let marks = theirs.attached(memory.space, &[memory.id.into()])?.into_iter();
        tx.extend(marks.filter_map(Row::into_watermark).map(Change::Watch));
    }
    for memory in known {
        follow_replacement(tx, theirs, &memory, &place)?;
    }
    merge_links(tx, theirs, space, &mut place, &taken, &mut report)?;
    merge_leaves(tx, theirs, space, &place)?;
    Ok(report)
}

/// What is kept word for word there is kept here too, on the memory that holds it here. What is kept
/// here already under the same name stays as it is.
fn merge_leaves(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
    place: &Places,
) -> Result<()> {
    let nodes: Vec<NodeId> = place.memories.keys().map(|id| (*id).into()).collect();
    let attached = theirs.attached(space, &nodes)?;
    let mut leaves: Vec<Leaf> = attached.into_iter().filter_map(Row::into_leaf).collect();
    // What others refer to comes first: shelves by name, each in its order.
    leaves.sort_by(|a, b| (&a.shelf, a.order, a.id).cmp(&(&b.shelf, b.order, b.id)));
    let mut ours: BTreeMap<String, Vec<Leaf>> = BTreeMap::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for mut leaf in leaves {
        let Some(memory) = place.memories.get(&leaf.memory) else { continue };
        leaf.memory = *memory;
        for note in &mut leaf.notes {
            if let Some(here) = known.get(note) {
                note.clone_from(here);
            }
        }
        if !ours.contains_key(&leaf.shelf) {
            ours.insert(leaf.shelf.clone(), tx.leaves(space, &leaf.shelf)?);
        }
        let here = &ours[&leaf.shelf];
        let is_file = |one: &Leaf| one.name == leaf.name && one.shelf == FILES;
        let same =
            |one: &Leaf| one.name == leaf.name && one.text == leaf.text && one.notes == leaf.notes;
        match here.iter().find(|one| one.id == leaf.id || same(one) || is_file(one)) {
            Some(held) => {
                known.insert(leaf.id.to_string(), held.id.to_string());
            }
            None => tx.push(Change::Shelve(leaf)),
        }
    }
    Ok(())
}

/// What was erased there waits here no longer; what waits there waits here too, unless it was
/// decided here, or tells what was erased here.
fn merge_pending(tx: &mut Transaction<'_>, theirs: &Arc<Tables>, space: SpaceId) -> Result<()> {
    let here = tx.deferred(space)?;
    let of_space =
        |stones: Vec<Tombstone>| stones.into_iter().filter(move |one| one.space == space);
    let mut erased = Vec::new();
    for stone in of_space(theirs.all_tombstones()?) {
        let row = tx.rows(&[RowKey::memory(space, stone.memory)])?.remove(0);
        let wordings = row.and_then(Row::into_memory).map(|memory| memory.content);
        // Elsewhere erased words may be said again here; only the same memory or operation is meant.
        if wordings.is_some() || here.iter().any(|one| one.id.0 == stone.memory.0) {
            erased.push((stone, wordings.into_iter().collect()));
        }
    }
    tx.extend(pending::erasures(&here, &erased));
    let ours: Vec<Tombstone> = of_space(tx.all_tombstones()?).collect();
    for waiting in theirs.pending(&[space], usize::MAX)? {
        let known = here.iter().any(|one| one.id == waiting.id);
        if !known && !ours.iter().any(|stone| waiting.tells(stone, &[])) {
            tx.push(Change::Defer(waiting));
        }
    }
    Ok(())
}

/// A memory that is current here and was replaced there is replaced here too, if what took its
/// place came along and is current.
fn follow_replacement(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    memory: &Memory,
    place: &Places,
) -> Result<()> {
    let space = memory.space;
    let ours = tx.rows(&[RowKey::memory(space, memory.id)])?.remove(0);
    let current = ours.and_then(Row::into_memory).is_some_and(|ours| ours.state.is_active());
    let Some(head) = head_of(theirs, memory)?.filter(|head| current && head.id != memory.id) else {
        return Ok(());
    };
    let Some(new) = place.memories.get(&head.id).copied().filter(|_| head.state.is_active()) else {
        return Ok(());
    };
    let here = tx.rows(&[RowKey::memory(space, new)])?.remove(0).and_then(Row::into_memory);
    let anothers = said_by_others(&**tx, space, &[memory.id])?.contains(&memory.id);
    if !anothers && here.is_none_or(|here| here.state.is_active()) {
        let at = memory.since.unwrap_or(tx.now);
        tx.push(Change::Supersede { space, old: memory.id, new, at });
    }
    Ok(())
}

/// Where the things of another store are found in ours.
#[derive(Default)]
struct Places {
    memories: BTreeMap<MemoryId, MemoryId>,
    entities: BTreeMap<EntityId, EntityId>,
}

fn evidence(theirs: &Arc<Tables>, memory: &Memory) -> Result<Vec<Evidence>> {
    let attached = theirs.attached(memory.space, &[memory.id.into()])?;
    Ok(attached.into_iter().filter_map(Row::into_evidence).collect())
}

/// The same testimony, to be given about another memory.
fn retold(evidence: Evidence) -> Testimony {
    Testimony {
        authority: evidence.authority,
        person: evidence.person,
        session: evidence.session,
        turn: evidence.turn,
        at: evidence.at,
        snippet: evidence.snippet,
        why: evidence.why,
        echo: evidence.echo,
        by_agent: evidence.by_agent,
        extra: evidence.extra,
    }
}

/// A memory of ours that says the same: an active one takes the evidence; one that was retired
/// here is not brought back by somebody else's copy.
fn twin(reader: &dyn Reader, memory: &Memory) -> Result<Option<MemoryId>> {
    if !memory.state.is_active() {
        return Ok(None);
    }
    let ours = reader.with_fingerprint(memory.space, &memory.fingerprint)?;
    let mut ours: Vec<Memory> =
        ours.into_iter().filter(|one| one.session == memory.session).collect();
    ours.sort_by_key(|one| (!one.state.is_active(), one.id));
    Ok(ours.first().map(|one| one.id))
}

/// Links and the things they lead to, where both ends have a place here.
fn merge_links(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
    place: &mut Places,
    new: &BTreeSet<NodeId>,
    report: &mut Imported,
) -> Result<()> {
    let nodes: Vec<NodeId> = place.memories.keys().map(|id| (*id).into()).collect();
    for mut edge in theirs.neighbours(space, &nodes, &[], usize::MAX)? {
        if edge.relation == Relation::Supersedes && !new.contains(&edge.to) {
            continue; // told by the replacement itself
        }
        let from = match (edge.relation, edge.from) {
            (Relation::LaterSaid, NodeId::Episode(turn)) => take_turn(tx, theirs, space, turn)?,
            (_, from) => find_place(tx, theirs, space, from, place)?,
        };
        let to = find_place(tx, theirs, space, edge.to, place)?;
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        (edge.from, edge.to) = (from, to);
        let key = RowKey::edge(space, from, edge.relation, to);
        if from != to && tx.rows(&[key])?[0].is_none() {
            tx.push(Change::Link(edge));
            report.links += 1;
        }
    }
    Ok(())
}

/// Takes in a turn that stands beside a memory. `None` where it is not told or was erased here.
fn take_turn(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
    turn: EpisodeId,
) -> Result<Option<NodeId>> {
    let node = NodeId::Episode(turn);
    let key = RowKey::node(space, node);
    if tx.rows(std::slice::from_ref(&key))?[0].is_some() {
        return Ok(Some(node));
    }
    let Some(Row::Episode(turn)) = theirs.rows(&[key])?.remove(0) else { return Ok(None) };
    if unknown(&**tx, std::slice::from_ref(&turn))?.is_empty() {
        return Ok(None);
    }
    tx.push(Change::Record(turn));
    Ok(Some(node))
}

/// Where a node of theirs is found in ours. A thing we do not know by any of its names is taken in.
fn find_place(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
    node: NodeId,
    place: &mut Places,
) -> Result<Option<NodeId>> {
    let id = match node {
        NodeId::Memory(id) => return Ok(place.memories.get(&id).map(|id| NodeId::Memory(*id))),
        NodeId::Episode(_) => return Ok(None),
        NodeId::Entity(id) => id,
    };
    if let Some(known) = place.entities.get(&id) {
        return Ok(Some(NodeId::Entity(*known)));
    }
    let row = theirs.rows(&[RowKey::node(space, node)])?.remove(0);
    let Some(Row::Entity(entity)) = row else {
        return Ok(None);
    };
    let names: Vec<EntityName> = entity
        .names()
        .into_iter()
        .map(|name| EntityName { kind: Some(entity.kind), name })
        .collect();
    let ours = match tx.entities(space, &names)?.first() {
        Some(known) => known.id,
        None => {
            tx.push(Change::Know(entity));
            id
        }
    };
    place.entities.insert(id, ours);
    Ok(Some(NodeId::Entity(ours)))
}
