//! The fold: what a change does to the tables. Every store applies changes through it, and so does
//! every replay, which is why they agree.

use std::collections::BTreeSet;

use crate::change::rests_on;
use crate::{
    Change, Edge, Evidence, Fingerprint, LeafId, Memory, MemoryId, NodeId, PendingId, Relation,
    Row, RowKey, Ruling, SpaceId, State, Timestamp, Usage, Write,
    row::{Image, Tombstone},
    sleep, trace,
};

/// What the fold must be able to see.
pub trait View {
    /// Why looking failed.
    type Error;

    /// One row, if it is there.
    fn row(&self, key: &RowKey) -> Result<Option<Row>, Self::Error>;

    /// Everything that is attached to a node: evidence, watermarks, counters and edges at either end.
    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>, Self::Error>;

    /// The memories whose place this one took.
    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>, Self::Error>;
}

/// Why a change cannot be made. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It names a memory that is not there.
    #[error("no memory with id {}", .0.handle())]
    NoMemory(MemoryId),
    /// It names a node that is not there.
    #[error("nothing with id {0}")]
    NoNode(NodeId),
    /// It decides about something that does not wait for a decision.
    #[error("nothing with id {} is pending", .0.handle())]
    NoPending(PendingId),
    /// It names an edge that is not there.
    #[error("there is no such link")]
    NoEdge,
    /// A binding that is not there was to be dropped.
    #[error("memory {} is not tied to that", .0.handle())]
    NoWatermark(MemoryId),
    /// A text that is not kept was to be taken off its shelf.
    #[error("memory {} keeps no such text", .0.handle())]
    NoLeaf(MemoryId),
    /// It would make something that is there already.
    #[error("{0} is there already")]
    Exists(String),
    /// The state machine has no such step.
    #[error("memory {} is {from} and cannot become {to}", .id.handle())]
    NoSuchStep {
        /// Which memory.
        id: MemoryId,
        /// Where it stands.
        from: State,
        /// Where it was to go.
        to: State,
    },
    /// Only a current memory can be replaced, or replace another.
    #[error("memory {} is {state}, not current", .id.handle())]
    NotCurrent {
        /// Which memory.
        id: MemoryId,
        /// Where it stands.
        state: State,
    },
    /// A memory cannot, by any detour, take its own place.
    #[error("memory {} would in the end replace itself", .old.handle())]
    Circle {
        /// What was to be replaced.
        old: MemoryId,
        /// By what.
        new: MemoryId,
    },
    /// A weight, importance or confidence must lie between 0 and 1.
    #[error("a weight, importance or confidence must lie between 0 and 1")]
    BadShare,
    /// Its comparable form is that of another text.
    #[error("memory {} has the fingerprint of another text", .0.handle())]
    BadFingerprint(MemoryId),
    /// Something is still connected to it.
    #[error("something is still connected to {0}")]
    Connected(NodeId),
    /// It writes to a space that was never opened.
    #[error("space {0} is not known")]
    NoSpace(SpaceId),
    /// A memory cannot be linked to itself.
    #[error("two different memories are needed")]
    SelfLink,
}

/// A fold can be refused, or fail to look.
#[derive(Debug)]
pub enum Trouble<E> {
    /// The change cannot be made.
    Refused(Refusal),
    /// The tables could not be read.
    View(E),
}

impl<E> From<Refusal> for Trouble<E> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

type Folded<E> = Result<Vec<Write>, Trouble<E>>;

/// Returns the writes that carry out a change, or why it cannot be made.
pub fn fold<V: View>(change: &Change, view: &V) -> Folded<V::Error> {
    match change {
        Change::AddSpace(space) => put_new(Row::Space(space.clone()), view),
        Change::Insert(memory) => {
            check_shares(&[memory.importance, memory.confidence])?;
            check_fingerprint(memory)?;
            put_new(Row::Memory(memory.clone()), view)
        }
        Change::Reinforce(evidence) => reinforce(evidence, view),
        Change::Revise(memory) => revise(memory, view),
        Change::Move { space, id, to, at } => move_to(*space, *id, *to, *at, view),
        Change::Supersede { space, old, new, at } => supersede(*space, *old, *new, *at, view),
        Change::Unsupersede { space, old } => unsupersede(*space, *old, view),
        Change::Link(edge) => link(edge, view),
        Change::Unlink { space, from, relation, to } => {
            let (from, to) = relation.in_order(*from, *to);
            let key = RowKey::edge(*space, from, *relation, to);
            if look(view, &key)?.is_none() {
                return Err(Refusal::NoEdge.into());
            }
            Ok(vec![Write::Delete(key)])
        }
        Change::Watch(mark) => {
            memory(mark.space, mark.memory, view)?;
            Ok(vec![Write::Put(Row::Watermark(mark.clone()))])
        }
        Change::Unwatch { space, memory, referent } => {
            let key = RowKey::watermark(*space, *memory, referent);
            if look(view, &key)?.is_none() {
                return Err(Refusal::NoWatermark(*memory).into());
            }
            Ok(vec![Write::Delete(key)])
        }
        Change::Know(entity) => Ok(vec![Write::Put(Row::Entity(entity.clone()))]),
        Change::Unknow { space, entity } => unknow(*space, (*entity).into(), view),
        Change::Record(episode) => put_new(Row::Episode(episode.clone()), view),
        Change::Use { space, memories, session, at } => count(*space, memories, view, |usage| {
            usage.used(session.as_ref(), *at);
        }),
        Change::Rate { space, memory, helpful } => count(*space, &[*memory], view, |usage| {
            if *helpful {
                usage.helpful += 1;
            } else {
                usage.unhelpful += 1;
            }
        }),
        Change::Attend(session) => Ok(vec![Write::Put(Row::Session(session.clone()))]),
        Change::Inject(injection) => put_new(Row::Injection(injection.clone()), view),
        Change::Purge(tombstone) => purge(tombstone, view),
        Change::Expunge(tombstone) => Ok(vec![Write::Put(Row::Tombstone(tombstone.clone()))]),
        Change::Restore { rows, .. } => restore(rows, view),
        Change::Defer(pending) => {
            let row = Row::Pending(pending.clone());
            let held = look(view, &row.key())?;
            Ok(vec![Write::Put(held.unwrap_or(row))])
        }
        Change::Decide { space, id, ruling } => decide(*space, *id, *ruling, view),
        Change::Silence { stone, quoted_by } => silence(stone, quoted_by, view),
        Change::Redact { stone, rows } => Ok(trace::writes(stone, rows)),
        Change::Shelve(leaf) => {
            memory(leaf.space, leaf.memory, view)?;
            Ok(vec![Write::Put(Row::Leaf(leaf.clone()))])
        }
        Change::Slept { space, key, mark } => sleep::fold_mark(*space, key, *mark, view),
        Change::Unshelve { space, memory, leaf } => unshelve(*space, *memory, *leaf, view),
    }
}

fn unshelve<V: View>(space: SpaceId, memory: MemoryId, leaf: LeafId, view: &V) -> Folded<V::Error> {
    let key = RowKey::leaf(space, memory, leaf);
    if look(view, &key)?.is_none() {
        return Err(Refusal::NoLeaf(memory).into());
    }
    Ok(vec![Write::Delete(key)])
}

/// Puts rows back as they were. What they refer to must be there, or come back with them.
fn restore<V: View>(rows: &[Image], view: &V) -> Folded<V::Error> {
    for row in rows.iter().filter_map(|image| image.row.as_ref()) {
        let successor = if let Row::Memory(memory) = row { memory.superseded_by } else { None };
        for node in row.nodes().into_iter().chain(successor.map(NodeId::Memory)) {
            let key = RowKey::node(row.key().space, node);
            let there = match rows.iter().find(|image| image.key == key) {
                Some(image) => image.row.is_some(),
                None => look(view, &key)?.is_some() || matches!(row, Row::Tombstone(_)),
            };
            if !there {
                return Err(Refusal::NoNode(node).into());
            }
        }
    }
    let write = |image: &Image| match &image.row {
        Some(row) => Write::Put(row.clone()),
        None => Write::Delete(image.key.clone()),
    };
    Ok(rows.iter().map(write).collect())
}

fn look<V: View>(view: &V, key: &RowKey) -> Result<Option<Row>, Trouble<V::Error>> {
    view.row(key).map_err(Trouble::View)
}

fn memory<V: View>(space: SpaceId, id: MemoryId, view: &V) -> Result<Memory, Trouble<V::Error>> {
    look(view, &RowKey::memory(space, id))?
        .and_then(Row::into_memory)
        .ok_or_else(|| Refusal::NoMemory(id).into())
}

fn put_new<V: View>(row: Row, view: &V) -> Folded<V::Error> {
    let key = row.key();
    if look(view, &key)?.is_some() {
        return Err(Refusal::Exists(format!("{} {}", key.table, key.key)).into());
    }
    Ok(vec![Write::Put(row)])
}

/// The comparable form must be that of the content, or both erased: whoever could choose it freely
/// could bring back what was erased.
fn check_fingerprint(memory: &Memory) -> Result<(), Refusal> {
    let erased = memory.content.is_empty() && memory.fingerprint == Fingerprint::erased();
    if erased || memory.fingerprint == Fingerprint::of(&memory.content) {
        Ok(())
    } else {
        Err(Refusal::BadFingerprint(memory.id))
    }
}

/// Shares lie between nothing and all. A number that is none would not even be read back.
fn check_shares(shares: &[f64]) -> Result<(), Refusal> {
    let fits = shares.iter().all(|share| (0.0..=1.0).contains(share));
    if fits { Ok(()) } else { Err(Refusal::BadShare) }
}

fn put(memory: Memory) -> Write {
    Write::Put(Row::Memory(Box::new(memory)))
}

/// Adds evidence, and lifts the memory's authority to the best source that is no echo.
fn reinforce<V: View>(evidence: &Evidence, view: &V) -> Folded<V::Error> {
    let mut held = memory(evidence.space, evidence.memory, view)?;
    let mut writes = vec![Write::Put(Row::Evidence(evidence.clone()))];
    if !evidence.echo && evidence.authority.outranks(held.authority) {
        held.authority = evidence.authority;
        writes.push(put(held));
    }
    Ok(writes)
}

/// Replaces what may be edited. Identity, state and the moment of learning stay as they are.
fn revise<V: View>(revised: &Memory, view: &V) -> Folded<V::Error> {
    check_shares(&[revised.importance, revised.confidence])?;
    check_fingerprint(revised)?;
    let held = memory(revised.space, revised.id, view)?;
    let next = Memory {
        state: held.state,
        previous: held.previous,
        since: held.since,
        superseded_by: held.superseded_by,
        recorded_at: held.recorded_at,
        ..revised.clone()
    };
    Ok(vec![put(next)])
}

fn move_to<V: View>(
    space: SpaceId,
    id: MemoryId,
    to: State,
    at: Timestamp,
    view: &V,
) -> Folded<V::Error> {
    let mut held = memory(space, id, view)?;
    let by_move = to != State::Superseded && held.state != State::Superseded;
    if !by_move || !held.state.may_become(to) {
        return Err(Refusal::NoSuchStep { id, from: held.state, to }.into());
    }
    let leaves = !to.is_active();
    held.previous = leaves.then_some(held.state);
    held.since = leaves.then_some(at);
    held.state = to;
    Ok(vec![put(held)])
}

fn supersede<V: View>(
    space: SpaceId,
    old: MemoryId,
    new: MemoryId,
    at: Timestamp,
    view: &V,
) -> Folded<V::Error> {
    let mut held = memory(space, old, view)?;
    let successor = memory(space, new, view)?;
    if old == new || leads_to(&successor, old, view)? {
        return Err(Refusal::Circle { old, new }.into());
    }
    for one in [&held, &successor] {
        if !one.state.is_active() {
            return Err(Refusal::NotCurrent { id: one.id, state: one.state }.into());
        }
    }
    held.previous = Some(held.state);
    held.state = State::Superseded;
    held.superseded_by = Some(new);
    held.since = Some(at);
    let edge = Edge::new(space, new.into(), Relation::Supersedes, old.into(), at);
    Ok(vec![put(held), Write::Put(Row::Edge(edge))])
}

/// Whether following the replacements of `start` arrives at `target`.
fn leads_to<V: View>(
    start: &Memory,
    target: MemoryId,
    view: &V,
) -> Result<bool, Trouble<V::Error>> {
    let mut next = start.superseded_by;
    while let Some(id) = next {
        if id == target {
            return Ok(true);
        }
        next = look(view, &RowKey::memory(start.space, id))?
            .and_then(Row::into_memory)
            .and_then(|memory| memory.superseded_by);
    }
    Ok(false)
}

fn unsupersede<V: View>(space: SpaceId, old: MemoryId, view: &V) -> Folded<V::Error> {
    let mut held = memory(space, old, view)?;
    let to = held.previous.unwrap_or(State::Staged);
    if held.state != State::Superseded {
        return Err(Refusal::NoSuchStep { id: old, from: held.state, to }.into());
    }
    let mut writes = Vec::new();
    if let Some(new) = held.superseded_by {
        let key = RowKey::edge(space, new.into(), Relation::Supersedes, old.into());
        if look(view, &key)?.is_some() {
            writes.push(Write::Delete(key));
        }
    }
    held.state = to;
    held.previous = None;
    held.since = None;
    held.superseded_by = None;
    writes.push(put(held));
    Ok(writes)
}

/// Connects two nodes. Saying it again reinforces the edge that is there.
fn link<V: View>(edge: &Edge, view: &V) -> Folded<V::Error> {
    check_shares(&[edge.weight, edge.confidence])?;
    if edge.from == edge.to {
        return Err(Refusal::SelfLink.into());
    }
    for end in [edge.from, edge.to] {
        if look(view, &RowKey::node(edge.space, end))?.is_none() {
            return Err(Refusal::NoNode(end).into());
        }
    }
    let (from, to) = edge.relation.in_order(edge.from, edge.to);
    let edge = Edge { from, to, ..edge.clone() };
    let key = RowKey::edge(edge.space, from, edge.relation, to);
    let next = match look(view, &key)? {
        Some(Row::Edge(held)) => Edge {
            reinforcements: held.reinforcements.saturating_add(1),
            last_reinforced_at: held.last_reinforced_at.max(edge.last_reinforced_at),
            confidence: held.confidence.max(edge.confidence),
            reason: edge.reason.or(held.reason),
            ..held
        },
        _ => edge,
    };
    Ok(vec![Write::Put(Row::Edge(next))])
}

fn count<V: View>(
    space: SpaceId,
    memories: &[MemoryId],
    view: &V,
    step: impl Fn(&mut Usage),
) -> Folded<V::Error> {
    let mut writes = Vec::new();
    for id in memories {
        memory(space, *id, view)?;
        let mut usage = match look(view, &RowKey::usage(space, *id))? {
            Some(Row::Usage(usage)) => usage,
            _ => Usage::none(space, *id),
        };
        step(&mut usage);
        writes.push(Write::Put(Row::Usage(usage)));
    }
    Ok(writes)
}

/// Removes a memory, everything that is attached to it, and the entities nothing else speaks of. What it
/// had replaced stays replaced, without a name for the replacement.
fn purge<V: View>(tombstone: &Tombstone, view: &V) -> Folded<V::Error> {
    let (space, id) = (tombstone.space, tombstone.memory);
    memory(space, id, view)?;
    let mut writes = Vec::new();
    for row in view.attached(space, id.into()).map_err(Trouble::View)? {
        if let Row::Edge(edge) = &row
            && let Some(entity) = edge.other(id.into()).entity()
            && is_alone(space, entity.into(), id, view)?
        {
            writes.push(Write::Delete(RowKey::node(space, entity.into())));
        }
        writes.push(Write::Delete(row.key()));
    }
    for mut replaced in view.replaced_by(space, id).map_err(Trouble::View)? {
        replaced.superseded_by = None;
        writes.push(put(replaced));
    }
    writes.push(Write::Delete(RowKey::memory(space, id)));
    writes.push(Write::Put(Row::Tombstone(tombstone.clone())));
    Ok(writes)
}

/// Removes a turn, its connections, and what evidence quotes of it. An undo may have taken it away
/// already; then only the log still has its words.
fn silence<V: View>(stone: &Tombstone, quoted_by: &[MemoryId], view: &V) -> Folded<V::Error> {
    let (space, turn) = (stone.space, stone.turn());
    let node = NodeId::Episode(turn);
    let mut quoting: BTreeSet<MemoryId> = quoted_by.iter().copied().collect();
    let mut writes = Vec::new();
    for row in view.attached(space, node).map_err(Trouble::View)? {
        if let Row::Edge(edge) = &row {
            quoting.extend(edge.other(node).memory());
        }
        writes.push(Write::Delete(row.key()));
    }
    for memory in quoting {
        for row in view.attached(space, memory.into()).map_err(Trouble::View)? {
            if let Row::Evidence(held) = row
                && rests_on(&held, turn)
            {
                writes.push(Write::Put(Row::Evidence(Evidence { snippet: None, ..held })));
            }
        }
    }
    let key = RowKey::node(space, node);
    if look(view, &key)?.is_some() {
        writes.push(Write::Delete(key));
    }
    writes.push(Write::Put(Row::Tombstone(stone.clone())));
    Ok(writes)
}

/// Takes something off the list. It may have been decided before it is erased; then only the log
/// still has its words.
fn decide<V: View>(space: SpaceId, id: PendingId, ruling: Ruling, view: &V) -> Folded<V::Error> {
    let key = RowKey::pending(space, id);
    match (look(view, &key)?, ruling) {
        (Some(_), _) => Ok(vec![Write::Delete(key)]),
        (None, Ruling::Erased) => Ok(Vec::new()),
        (None, Ruling::Accepted | Ruling::Rejected) => Err(Refusal::NoPending(id).into()),
    }
}

/// Drops an entity that is connected to nothing. An undo may have taken it away already; then only
/// the log still has its names.
fn unknow<V: View>(space: SpaceId, entity: NodeId, view: &V) -> Folded<V::Error> {
    let attached = view.attached(space, entity).map_err(Trouble::View)?;
    if attached.iter().any(|row| matches!(row, Row::Edge(_))) {
        return Err(Refusal::Connected(entity).into());
    }
    let key = RowKey::node(space, entity);
    let there = look(view, &key)?.is_some();
    Ok(there.then_some(Write::Delete(key)).into_iter().collect())
}

/// Whether nothing but `memory` is connected to the entity.
fn is_alone<V: View>(
    space: SpaceId,
    entity: NodeId,
    memory: MemoryId,
    view: &V,
) -> Result<bool, Trouble<V::Error>> {
    let attached = view.attached(space, entity).map_err(Trouble::View)?;
    Ok(!attached
        .iter()
        .any(|row| matches!(row, Row::Edge(edge) if edge.other(entity) != NodeId::Memory(memory))))
}
