//! Overlay: a reader that also shows changes which are not written yet.
//!
//! The planner of a batch sees what the batch has done so far. Rows come out of the same `fold` by
//! which the batch will be applied. What is derived from rows after a write (the log, documents of
//! search, vectors, counts) is seen as it was before.

mod folded;

use std::cell::{Ref, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use throughline_core::fold::{Trouble, View, fold};
use throughline_core::row::{Injection, Tombstone};
use throughline_core::scope::Space;
use throughline_core::{
    BatchId, Change, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory, MemoryId,
    NodeId, Pending, Relation, Row, RowKey, SessionId, SpaceId, Trace, Watermark,
};

use crate::apply::looked_at;
use crate::candidates::Foreseen;
use crate::document::{Postings, Shelf};
use crate::member::Member;
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};
use crate::store::{FOUND_MAX, HeldSecrets, Reader, StoredBatch};
use crate::{Error, Result};
use folded::{Folded, Laid};

/// Overlay: a reader with the changes that were decided since it was opened.
pub struct Overlay<'a> {
    base: &'a dyn Reader,
    changes: Vec<Change>,
    /// Brought up to date when something is read: most changes are made without looking again.
    folded: RefCell<Folded>,
    /// Who decides on the changes, where the base does not know.
    person: Option<String>,
}

impl<'a> Overlay<'a> {
    /// Makes an overlay without changes over a reader.
    pub fn new(base: &'a dyn Reader) -> Self {
        Self { base, changes: Vec::new(), folded: RefCell::default(), person: None }
    }

    /// The same for a person whom the base does not know.
    pub fn with_person(self, person: Option<String>) -> Self {
        Self { person, ..self }
    }

    /// The changes so far, in order.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the changes, to be written.
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// Adds a change.
    pub fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Drops the changes after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.changes.truncate(count);
        self.forget_folded();
    }

    /// Lets `how` rewrite the changes; reads after it see the new ones.
    pub fn rewrite<T>(&mut self, how: impl FnOnce(&mut Vec<Change>) -> T) -> T {
        self.forget_folded();
        how(&mut self.changes)
    }

    fn forget_folded(&mut self) {
        *self.folded.get_mut() = Folded::default();
    }

    /// The rows after every change so far. A change that cannot be made is refused here already.
    fn now(&self) -> Result<Ref<'_, Folded>> {
        let done = self.folded.borrow().upto;
        self.foresee_rows(&self.changes[done..])?;
        for change in &self.changes[done..] {
            let writes = fold(change, &Laid { base: self.base, over: &self.folded.borrow() });
            let writes = writes.map_err(|trouble| match trouble {
                Trouble::Refused(refusal) => Error::Refused(refusal),
                Trouble::View(error) => error,
            })?;
            self.folded.borrow_mut().fold_in(&writes)?;
        }
        Ok(self.folded.borrow())
    }

    /// Lets the base read at once what it takes to fold changes, and what hangs on the memories in them.
    fn foresee_rows(&self, changes: &[Change]) -> Result<()> {
        if changes.is_empty() || !self.base.is_far() {
            return Ok(());
        }
        let folded = self.folded.borrow();
        let keys = changes.iter().flat_map(looked_at);
        let keys: Vec<RowKey> = keys.filter(|key| !folded.covers(key)).collect();
        if keys.is_empty() { Ok(()) } else { self.base.foresee(&[Foreseen::Rows(keys)]) }
    }

    /// Memories of the base and of the changes, by id.
    fn memories_of(
        &self,
        mut of: impl FnMut(&dyn Reader) -> Result<Vec<Memory>>,
    ) -> Result<Vec<Memory>> {
        let now = self.now()?;
        let mut found = of(self.base)?;
        found.retain(|memory| !now.covers(&RowKey::memory(memory.space, memory.id)));
        found.append(&mut of(&now.put)?);
        found.sort_by_key(|memory| (memory.id, memory.space));
        Ok(found)
    }

    /// Rows of one table, of the base and of the changes, by key.
    fn rows_of<T: Clone>(
        &self,
        mut of: impl FnMut(&dyn Reader) -> Result<Vec<T>>,
        key: impl Fn(&T) -> RowKey,
    ) -> Result<Vec<T>> {
        let now = self.now()?;
        let below = of(self.base)?.into_iter().map(|one| (key(&one), one));
        let mut found: BTreeMap<RowKey, T> = below.filter(|(key, _)| !now.covers(key)).collect();
        found.extend(of(&now.put)?.into_iter().map(|one| (key(&one), one)));
        Ok(found.into_values().collect())
    }

    /// How many more rows the base is asked for, so that enough are left without those that the changes cover.
    fn spare(&self) -> Result<usize> {
        Ok(self.now()?.touched.len())
    }

    /// The newest memories, so many of each group.
    fn newest(
        &self,
        limit: usize,
        group: impl Fn(&Memory) -> (SpaceId, Option<Kind>),
        mut of: impl FnMut(&dyn Reader, usize) -> Result<Vec<Memory>>,
    ) -> Result<Vec<Memory>> {
        let enough = limit.saturating_add(self.spare()?);
        let mut found = self.memories_of(|reader| of(reader, enough))?;
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        found.retain(|memory| {
            let count = counts.entry(group(memory)).or_default();
            *count += 1;
            *count <= limit
        });
        Ok(found)
    }
}

impl Reader for Overlay<'_> {
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>> {
        let now = self.now()?;
        let below: Vec<RowKey> = keys.iter().filter(|key| !now.covers(key)).cloned().collect();
        let mut below = self.base.rows(&below)?.into_iter();
        let row = |key| match now.covers(key) {
            true => now.put.row(key),
            false => Ok(below.next().unwrap_or_default()),
        };
        keys.iter().map(row).collect()
    }

    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>> {
        self.rows_of(|reader| reader.attached(space, nodes), Row::key)
    }

    fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Result<Vec<Edge>> {
        let enough = limit.saturating_add(self.spare()?);
        let edges =
            self.rows_of(|reader| reader.neighbours(space, nodes, relations, enough), edge_key)?;
        let mut kept = BTreeSet::new();
        for node in nodes {
            for outward in [true, false] {
                let here = |edge: &&Edge| *node == if outward { edge.from } else { edge.to };
                kept.extend(edges.iter().filter(here).take(limit).map(edge_key));
            }
        }
        Ok(edges.into_iter().filter(|edge| kept.contains(&edge_key(edge))).collect())
    }

    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>> {
        let enough = limit.saturating_add(self.spare()?);
        let mut edges = self.rows_of(|reader| reader.contradictions(spaces, enough), edge_key)?;
        edges.truncate(limit);
        Ok(edges)
    }

    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        self.newest(limit, of_kind, |reader, enough| reader.current(spaces, kinds, enough))
    }

    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        self.newest(limit, of_kind, |reader, enough| reader.said(spaces, kinds, enough))
    }

    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        self.newest(limit, of_any_kind, |reader, enough| reader.triggered(spaces, enough))
    }

    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        self.newest(limit, of_any_kind, |reader, enough| reader.unresolved(spaces, enough))
    }

    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>> {
        let key = |mark: &Watermark| RowKey::watermark(mark.space, mark.memory, &mark.referent);
        let mut marks = self.rows_of(|reader| reader.watched(space, false), key)?;
        if only_active {
            let of: Vec<RowKey> =
                marks.iter().map(|mark| RowKey::memory(space, mark.memory)).collect();
            let memories = self.rows(&of)?.into_iter().map(|row| row.and_then(Row::into_memory));
            let mut active = memories.map(|it| it.is_some_and(|memory| memory.state.is_active()));
            marks.retain(|_| active.next().unwrap_or_default());
        }
        Ok(marks)
    }

    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>> {
        let mut found = self.memories_of(|reader| reader.find(spaces, handle))?;
        found.truncate(FOUND_MAX);
        Ok(found)
    }

    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>> {
        let now = self.now()?;
        let mut found = self.base.with_fingerprint(space, fingerprint)?;
        found.retain(|memory| !now.covers(&RowKey::memory(memory.space, memory.id)));
        found.append(&mut now.with_fingerprint(space, fingerprint)?);
        found.sort_by_key(|memory| (memory.id, memory.space));
        Ok(found)
    }

    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>> {
        self.memories_of(|reader| reader.in_slot(space, query))
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        self.memories_of(|reader| reader.replaced_by(space, id))
    }

    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>> {
        self.rows_of(|reader| reader.tombstones(space, marks), stone_key)
    }

    fn all_tombstones(&self) -> Result<Vec<Tombstone>> {
        self.rows_of(|reader| reader.all_tombstones(), stone_key)
    }

    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>> {
        let now = self.now()?;
        let key = |entity: &Entity| RowKey::node(entity.space, NodeId::Entity(entity.id));
        let mut found = self.base.entities(space, names)?;
        found.retain(|entity| !now.covers(&key(entity)));
        found.append(&mut now.entities(space, names)?);
        found.sort_by_key(key);
        Ok(found)
    }

    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>> {
        let enough = limit.saturating_add(self.spare()?);
        let key = |entity: &Entity| RowKey::node(entity.space, NodeId::Entity(entity.id));
        let mut found = self.rows_of(|reader| reader.entities_of(space, kind, enough), key)?;
        found.sort_by_key(|entity| Reverse(entity.id));
        found.truncate(limit);
        Ok(found)
    }

    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>> {
        let enough = limit.saturating_add(self.spare()?);
        let key = |one: &Injection| Row::Injection(one.clone()).key();
        let mut found = self.rows_of(|reader| reader.injections(space, memory, enough), key)?;
        found.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        found.truncate(limit);
        Ok(found)
    }

    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>> {
        let enough = limit.saturating_add(self.spare()?);
        let key = |one: &Pending| RowKey::pending(one.space, one.id);
        let mut found = self.rows_of(|reader| reader.pending(spaces, enough), key)?;
        found.sort_by_key(|one| (one.at, one.id, one.space));
        found.truncate(limit);
        Ok(found)
    }

    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>> {
        let key = |leaf: &Leaf| RowKey::leaf(leaf.space, leaf.memory, leaf.id);
        let mut found = self.rows_of(|reader| reader.leaves(space, shelf), key)?;
        found.sort_by_key(|leaf| (leaf.order, leaf.memory, leaf.id));
        Ok(found)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let key = |space: &Space| Row::Space(space.clone()).key();
        self.rows_of(|reader| reader.spaces(), key)
    }

    // From here on: as it was before the changes.

    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>> {
        self.base.things(space, kinds)
    }

    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        self.base.memories(query)
    }

    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>> {
        self.base.find_touched(spaces, handle)
    }

    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        self.base.text(query)
    }

    fn foresee(&self, next: &[Foreseen]) -> Result<()> {
        self.base.foresee(next)
    }

    fn is_far(&self) -> bool {
        self.base.is_far()
    }

    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        self.base.documents(space, of, model, after, block)
    }

    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
        self.base.postings(space, of, terms, most)
    }

    fn vectors_of(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        self.base.vectors_of(space, model, nodes)
    }

    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>> {
        self.base.vectors(space, model, after_seq)
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        self.base.log(query)
    }

    fn latest(&self) -> Result<Option<(u64, BatchId)>> {
        self.base.latest()
    }

    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>> {
        self.base.find_batches(handle)
    }

    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>> {
        self.base.headers(batches)
    }

    fn authors(&self, batches: &[BatchId]) -> Result<Vec<Option<String>>> {
        self.base.authors(batches)
    }

    fn person(&self) -> Option<String> {
        self.person.clone().or_else(|| self.base.person())
    }

    fn members(&self, space: SpaceId) -> Result<Vec<Member>> {
        self.base.members(space)
    }

    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>> {
        self.base.changes_of(space, batch)
    }

    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>> {
        self.base.history(space, node)
    }

    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>> {
        self.base.next_touch(row, nodes, seq)
    }

    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        self.base.turns_after(space, seq)
    }

    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        self.base.memories_after(space, seq)
    }

    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>> {
        self.base.active_days(space)
    }

    fn sessions(&self, of: &[SpaceId], from: &FromSession, limit: usize) -> Result<SessionPage> {
        self.base.sessions(of, from, limit)
    }

    fn turns(&self, at: SpaceId, of: &SessionId, by: &FromTurn, most: usize) -> Result<TurnPage> {
        self.base.turns(at, of, by, most)
    }

    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>> {
        self.base.deferred(space)
    }

    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets> {
        self.base.holding_secrets(traces)
    }

    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
        self.base.counts(spaces)
    }

    fn dump(&self) -> Result<Vec<String>> {
        self.base.dump()
    }
}

fn edge_key(edge: &Edge) -> RowKey {
    RowKey::edge(edge.space, edge.from, edge.relation, edge.to)
}

fn stone_key(stone: &Tombstone) -> RowKey {
    Row::Tombstone(stone.clone()).key()
}

fn of_kind(memory: &Memory) -> (SpaceId, Option<Kind>) {
    (memory.space, Some(memory.kind))
}

fn of_any_kind(memory: &Memory) -> (SpaceId, Option<Kind>) {
    (memory.space, None)
}
