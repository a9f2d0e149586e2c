//! Boxes: memories that came in are put together by stretches of work on one topic, and a sealed box is
//! connected with earlier ones that it goes on from.
//!
//! A box is an entity; what lies in it points to it. Its topic is not kept: it follows from the memories,
//! so that nothing of what is erased stays in a box. What is in a box already is passed over, so a sleep
//! that was cut off goes on where it stopped.

use std::collections::{BTreeMap, BTreeSet};

use throughline_attention::boxes::{self, BoxItem, BoxTopic, Seal};
use throughline_core::permission::Door;
use throughline_core::{
    BatchId, Cause, Change, Edge, Entity, EntityId, EntityKind, Kind, Memory, MemoryId, NodeId,
    Relation, Row, RowKey, SpaceId, Timestamp, text, words,
};
use throughline_embed::MODEL;
use throughline_store::Reader;

use super::active;
use super::since::Slice;
use crate::apply::REASON_IMPORTANCE;
use crate::flows::{Looking, Sleeping};
use crate::transaction::Transaction;
use crate::{Context, Result, mint};

/// Earlier boxes that one is compared with when it is sealed, the latest first.
const COMPARED: usize = 12;
/// Edges read at one box: more than it can hold.
const HELD_MAX: usize = 256;
/// Memories that are put into boxes in one batch.
const AT_ONCE: usize = 24;
/// Bytes of a text that its topic is taken from.
const LOOK_BYTES: usize = 2_000;
/// Letters of a term that tells something.
const LETTERS_MIN: usize = 3;
/// Claims in the core of a box.
const CORE_MAX: usize = 3;
/// Characters of a title.
const TITLE_CHARS: usize = 72;

/// What was put into boxes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Boxing {
    /// Memories.
    pub memories: usize,
    /// Boxes that were sealed.
    pub sealed: usize,
    /// What undoes it, in order.
    pub batches: Vec<BatchId>,
}

impl Boxing {
    pub(super) fn add(&mut self, other: Self) {
        self.memories += other.memories;
        self.sealed += other.sealed;
        self.batches.extend(other.batches);
    }
}

/// A box, for people to see.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicBox {
    /// Which.
    pub id: EntityId,
    /// The beginning of the claim that tells most about it.
    pub title: String,
    /// What it comes to: the few claims that together tell most of it, the most telling first.
    pub core: Vec<MemoryId>,
    /// When the first of its memories was said.
    pub from: Timestamp,
    /// When the last of them was said.
    pub to: Timestamp,
    /// Why it was sealed; `None` while it is open.
    pub sealed: Option<String>,
    /// The trace that it belongs to, once it is sealed.
    pub trace: Option<EntityId>,
    /// What lies in it and can be seen, in the order in which it was said.
    pub memories: Vec<Memory>,
}

/// What is to be done about one box.
struct BoxStep {
    id: EntityId,
    is_new: bool,
    memories: Vec<MemoryId>,
    /// Why it is sealed, and the trace that it belongs to.
    seal: Option<(Seal, EntityId)>,
}

/// The box that is being filled while a slice is thought over.
struct FillingBox {
    step: BoxStep,
    topic: BoxTopic,
}

/// What lies in a box, and the trace that it belongs to.
struct HeldBox {
    memories: Vec<Memory>,
    trace: Option<(EntityId, Option<String>)>,
}

impl Sleeping<'_> {
    /// Puts what a slice brought into boxes.
    pub(super) fn put_in_boxes(&self, slice: &Slice) -> Result<Boxing> {
        let steps = {
            let reader = self.engine.now_reader()?;
            self.plan_boxes(&*reader, slice.space.space, &slice.memories)?
        };
        self.carry_out_boxes(slice.space.space, steps)
    }

    /// Seals the open box of a project if nothing came for a while.
    pub(super) fn seal_quiet_box(&self, space: SpaceId) -> Result<Boxing> {
        let steps = {
            let reader = self.engine.now_reader()?;
            let Some((id, topic)) = open_box(&*reader, space)? else {
                return Ok(Boxing::default());
            };
            if !topic.is_quiet_at(self.engine.now(), &self.engine.policy.boxes) {
                return Ok(Boxing::default());
            }
            let trace = self.trace_of(&topic, &sealed_before(&*reader, space)?);
            let seal = Some((Seal::Quiet, trace));
            vec![BoxStep { id, is_new: false, memories: Vec::new(), seal }]
        };
        self.carry_out_boxes(space, steps)
    }

    fn plan_boxes(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        ids: &BTreeSet<MemoryId>,
    ) -> Result<Vec<BoxStep>> {
        let items = unboxed(reader, space, ids)?;
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let mut steps: Vec<BoxStep> = Vec::new();
        // Read once, and only where something is sealed.
        let mut earlier: Option<Vec<(EntityId, BoxTopic)>> = None;
        let mut open = open_box(reader, space)?.map(|(id, topic)| FillingBox {
            step: BoxStep { id, is_new: false, memories: Vec::new(), seal: None },
            topic,
        });
        for (at, (memory, item)) in items.iter().enumerate() {
            let next = items.get(at + 1).map(|(_, next)| next);
            let policy = &self.engine.policy.boxes;
            let seal = open.as_ref().and_then(|open| open.topic.seals_between(item, next, policy));
            if let Some((mut full, why)) = seal.and_then(|why| Some((open.take()?, why))) {
                let known = match &mut earlier {
                    Some(known) => known,
                    None => earlier.insert(sealed_before(reader, space)?),
                };
                let trace = self.trace_of(&full.topic, known);
                known.push((trace, full.topic));
                full.step.seal = Some((why, trace));
                steps.push(full.step);
            }
            match &mut open {
                Some(open) => open.topic.add(item),
                None => {
                    let id = EntityId(mint::id(self.engine.now()));
                    let step = BoxStep { id, is_new: true, memories: Vec::new(), seal: None };
                    open = Some(FillingBox { step, topic: BoxTopic::begin(item) });
                }
            }
            if let Some(open) = &mut open {
                open.step.memories.push(*memory);
            }
        }
        steps.extend(open.map(|open| open.step));
        Ok(steps)
    }

    /// The trace that a box belongs to: that of an earlier one that it goes on from, or a new one.
    fn trace_of(&self, topic: &BoxTopic, earlier: &[(EntityId, BoxTopic)]) -> EntityId {
        let known = topic.goes_on(earlier, &self.engine.policy.boxes);
        known.unwrap_or_else(|| EntityId(mint::id(self.engine.now())))
    }

    /// Writes what was decided. Nobody would take it back by hand unasked, so it is logged as upkeep.
    fn carry_out_boxes(&self, space: SpaceId, steps: Vec<BoxStep>) -> Result<Boxing> {
        let mut done = Boxing::default();
        let context = Context { door: Door::Upkeep, ..self.context.clone() };
        let mut parts = steps.into_iter().flat_map(in_parts).peekable();
        while parts.peek().is_some() {
            let mut some = Vec::new();
            let mut room = AT_ONCE;
            while let Some(part) = parts.next_if(|part| room > 0 || part.memories.is_empty()) {
                room = room.saturating_sub(part.memories.len().max(1));
                some.push(part);
            }
            let (boxed, batch) = self.engine.write(&context, Cause::Sleep, None, |tx| {
                tx.scope.space = space;
                let mut boxed = Boxing::default();
                for part in &some {
                    fill(tx, part, &mut boxed)?;
                }
                Ok(boxed)
            })?;
            if boxed != Boxing::default() {
                done.add(Boxing { batches: vec![batch], ..boxed });
            }
        }
        Ok(done)
    }
}

impl Looking<'_> {
    /// The boxes of a project, the latest first, at most `most`.
    pub fn boxes(&self, most: usize) -> Result<Vec<TopicBox>> {
        let reader = self.engine.now_reader()?;
        let (space, reach) = (self.context.scope().space, self.context.reach());
        let mut boxes = Vec::new();
        for one in reader.entities_of(space, EntityKind::Box, most)? {
            let mut held = held_in(&*reader, space, one.id)?;
            held.memories.retain(|memory| reach.sees(memory));
            let Some(topic) = held.topic(&*reader)? else { continue };
            let core = core_of(&held.memories);
            let title = core.first().map(|best| text::headline(&best.content, TITLE_CHARS));
            let core = core.iter().map(|one| one.id).collect();
            let (trace, sealed) = held.trace.map_or((None, None), |(id, why)| (Some(id), why));
            boxes.push(TopicBox {
                id: one.id,
                title: title.unwrap_or_default(),
                core,
                from: topic.from,
                to: topic.to,
                sealed: trace.is_some().then(|| sealed.unwrap_or_default()),
                trace,
                memories: held.memories,
            });
        }
        Ok(boxes)
    }
}

/// The memories that tell most of a box; what no longer holds only where nothing else is in it.
fn core_of(memories: &[Memory]) -> Vec<&Memory> {
    let current: Vec<&Memory> = memories.iter().filter(|one| one.state.is_active()).collect();
    let some = if current.is_empty() { memories.iter().collect() } else { current };
    let terms: Vec<BTreeSet<String>> =
        some.iter().map(|one| telling(&one.content).into_keys().collect()).collect();
    boxes::core(&terms, CORE_MAX).into_iter().map(|place| some[place]).collect()
}

impl HeldBox {
    fn topic(&self, reader: &dyn Reader) -> Result<Option<BoxTopic>> {
        Ok(BoxTopic::of(items_of(reader, &self.memories)?.iter().map(|(_, item)| item)))
    }
}

/// The parts of a step that fit into a batch: the first makes the box, the last seals it.
fn in_parts(step: BoxStep) -> Vec<BoxStep> {
    let BoxStep { id, is_new, memories, seal } = step;
    let mut parts: Vec<BoxStep> = memories
        .chunks(AT_ONCE)
        .map(|some| BoxStep { id, is_new: false, memories: some.to_vec(), seal: None })
        .collect();
    if parts.is_empty() {
        parts.push(BoxStep { id, is_new: false, memories: Vec::new(), seal: None });
    }
    if let Some(first) = parts.first_mut() {
        first.is_new = is_new;
    }
    if let Some(last) = parts.last_mut() {
        last.seal = seal;
    }
    parts
}

/// Writes one part: what is still there and in no box goes into it.
fn fill(tx: &mut Transaction<'_>, part: &BoxStep, boxed: &mut Boxing) -> Result<()> {
    let (space, node) = (tx.scope.space, NodeId::Entity(part.id));
    let keys: Vec<RowKey> = part.memories.iter().map(|id| RowKey::memory(space, *id)).collect();
    let there = tx.rows(&keys)?;
    let boxed_already = in_box(&**tx, space, &part.memories)?;
    let memories: Vec<MemoryId> = part
        .memories
        .iter()
        .zip(there)
        .filter(|(id, row)| row.is_some() && !boxed_already.contains(id))
        .map(|(id, _)| *id)
        .collect();
    let known = tx.rows(&[RowKey::node(space, node)])?[0].is_some();
    if part.is_new && !known && !memories.is_empty() {
        tx.push(Change::Know(organiser(part.id, space, EntityKind::Box, tx.now)));
    } else if !known {
        return Ok(());
    }
    for id in &memories {
        tx.link(*id, Relation::InBox, node);
    }
    boxed.memories += memories.len();
    let Some((why, trace)) = part.seal else { return Ok(()) };
    let edges = tx.neighbours(space, &[node], &[Relation::InBox], HELD_MAX)?;
    if edges.iter().any(|edge| edge.from == node) {
        return Ok(());
    }
    if tx.rows(&[RowKey::node(space, NodeId::Entity(trace))])?[0].is_none() {
        tx.push(Change::Know(organiser(trace, space, EntityKind::Trace, tx.now)));
    }
    let mut edge = Edge::new(space, node, Relation::InBox, NodeId::Entity(trace), tx.now);
    edge.reason = Some(why.as_str().to_owned());
    tx.push(Change::Link(edge));
    boxed.sealed += 1;
    Ok(())
}

/// The newest box of a project and its topic, if it is not sealed.
fn open_box(reader: &dyn Reader, space: SpaceId) -> Result<Option<(EntityId, BoxTopic)>> {
    let Some(latest) = reader.entities_of(space, EntityKind::Box, 1)?.pop() else {
        return Ok(None);
    };
    let held = held_in(reader, space, latest.id)?;
    let open = held.trace.is_none();
    Ok(held.topic(reader)?.filter(|_| open).map(|topic| (latest.id, topic)))
}

/// The topics of the boxes that were sealed last, with the traces that they belong to.
fn sealed_before(reader: &dyn Reader, space: SpaceId) -> Result<Vec<(EntityId, BoxTopic)>> {
    let mut earlier = Vec::new();
    for one in reader.entities_of(space, EntityKind::Box, COMPARED)? {
        let held = held_in(reader, space, one.id)?;
        if let (Some((trace, _)), Some(topic)) = (&held.trace, held.topic(reader)?) {
            earlier.push((*trace, topic));
        }
    }
    Ok(earlier)
}

/// What lies in a box.
fn held_in(reader: &dyn Reader, space: SpaceId, id: EntityId) -> Result<HeldBox> {
    let node = NodeId::Entity(id);
    let edges = reader.neighbours(space, &[node], &[Relation::InBox], HELD_MAX)?;
    let keys: Vec<RowKey> =
        edges.iter().filter_map(|edge| Some(RowKey::memory(space, edge.from.memory()?))).collect();
    let rows = reader.rows(&keys)?.into_iter().flatten();
    let mut memories: Vec<Memory> = rows.filter_map(Row::into_memory).collect();
    memories.sort_by_key(|memory| (memory.recorded_at, memory.id));
    let trace = edges.into_iter().find(|edge| edge.from == node);
    let trace = trace.and_then(|edge| Some((edge.to.entity()?, edge.reason)));
    Ok(HeldBox { memories, trace })
}

/// Which of these memories are in a box.
fn in_box(reader: &dyn Reader, space: SpaceId, ids: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let nodes: Vec<NodeId> = ids.iter().map(|id| NodeId::Memory(*id)).collect();
    let edges = reader.neighbours(space, &nodes, &[Relation::InBox], 1)?;
    Ok(edges.iter().filter_map(|edge| edge.from.memory()).collect())
}

/// The memories that are in no box and belong into one, in the order in which they were said.
fn unboxed(
    reader: &dyn Reader,
    space: SpaceId,
    ids: &BTreeSet<MemoryId>,
) -> Result<Vec<(MemoryId, BoxItem)>> {
    let mut memories = active(reader, space, ids)?;
    memories.retain(|one| {
        one.kind != Kind::Gap && one.session.is_none() && one.importance > REASON_IMPORTANCE
    });
    let known: Vec<MemoryId> = memories.iter().map(|one| one.id).collect();
    let known = in_box(reader, space, &known)?;
    memories.retain(|one| !known.contains(&one.id));
    let mut items = items_of(reader, &memories)?;
    items.sort_by_key(|(id, item)| (item.at, *id));
    Ok(items)
}

/// Memories as they go into a box: with their own words, and those of the turn that they rest on.
fn items_of(reader: &dyn Reader, memories: &[Memory]) -> Result<Vec<(MemoryId, BoxItem)>> {
    let Some(space) = memories.first().map(|one| one.space) else { return Ok(Vec::new()) };
    let nodes: Vec<NodeId> = memories.iter().map(|one| one.id.into()).collect();
    let mut turn_of: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for edge in reader.neighbours(space, &nodes, &[Relation::EvidencedBy], 1)? {
        if let (NodeId::Memory(_), NodeId::Episode(_)) = (edge.from, edge.to) {
            turn_of.entry(edge.from).or_insert(edge.to);
        }
    }
    let turns: BTreeSet<NodeId> = turn_of.values().copied().collect();
    let keys: Vec<RowKey> = turns.iter().map(|turn| RowKey::node(space, *turn)).collect();
    let said: BTreeMap<NodeId, String> = reader
        .rows(&keys)?
        .into_iter()
        .flatten()
        .filter_map(Row::into_episode)
        .map(|turn| (NodeId::Episode(turn.id), turn.text))
        .collect();
    let vectors = reader.vectors_of(space, MODEL, &nodes)?;
    let item = |(memory, meaning): (&Memory, Option<Vec<f32>>)| {
        let turn = turn_of.get(&memory.id.into()).and_then(|turn| said.get(turn));
        let mut terms = telling(&memory.content);
        for (term, word) in turn.map(|text| telling(text)).unwrap_or_default() {
            terms.entry(term).or_insert(word);
        }
        let meaning = meaning.unwrap_or_default();
        (memory.id, BoxItem { at: memory.recorded_at, terms, meaning })
    };
    Ok(memories.iter().zip(vectors).map(item).collect())
}

/// The telling terms of a text, each with the word as it is written.
fn telling(said: &str) -> BTreeMap<String, String> {
    let mut telling = BTreeMap::new();
    for word in text::cut(said, LOOK_BYTES).split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let terms = words::terms(word);
        let whole = terms.len() == 1;
        for term in terms {
            if term.chars().count() >= LETTERS_MIN && !words::is_common(&term) {
                let word = if whole { word.to_owned() } else { term.clone() };
                telling.entry(term).or_insert(word);
            }
        }
    }
    telling
}

/// An entity that only holds others together. It has no name that anybody would speak of.
fn organiser(id: EntityId, space: SpaceId, kind: EntityKind, at: Timestamp) -> Entity {
    let name = format!("{kind}-{}", MemoryId(id.0).handle());
    Entity { id, space, kind, name, aliases: Vec::new(), created_at: at }
}
