//! Tables as plain maps: tests compare SQLite with them, and a replay of the log ends in them.
//! Written for clarity rather than speed.

mod counts;
mod documents;
mod read;
mod sessions;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use throughline_core::change::{Erased, scrub, scrub_images};
use throughline_core::document;
use throughline_core::fold::View;
use throughline_core::row::Tombstone;
use throughline_core::{
    Batch, BatchId, Change, Edge, Entity, EntityKind, Episode, Fingerprint, Logged, Memory,
    MemoryId, NodeId, Pending, Relation, Row, RowKey, SpaceId, Table, Timestamp, Trace, trace,
};

use crate::apply::{Writable, apply};
use crate::query::Vector;
use crate::store::{HeldSecrets, StoredBatch};
use crate::{Error, Result};

/// Tables: everything that a store holds, in maps.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    rows: BTreeMap<RowKey, Row>,
    batches: Vec<StoredBatch>,
    /// Where each batch stands among them.
    places: HashMap<BatchId, usize>,
    log: Vec<Logged>,
    /// Keeps no log of its own: enough to look at a moment, and much less to hold.
    without_log: bool,
    pub(crate) vectors: BTreeMap<(SpaceId, String, NodeId), Vector>,
}

impl Tables {
    /// Applies a batch and returns the number of its last change.
    pub fn apply(&mut self, batch: &Batch) -> Result<u64> {
        apply(self, batch)
    }

    /// Replays a log from the beginning.
    pub fn replay(batches: impl IntoIterator<Item = Batch>) -> Result<Self> {
        let mut tables = Self::default();
        for batch in batches {
            tables.apply(&batch)?;
        }
        Ok(tables)
    }

    /// Replays a log up to a moment. The result has no log of its own; for history, ask the store.
    ///
    /// Where a clock ran backwards, the batches up to that moment may not fit together; then the
    /// log is taken whole up to the last batch of that time.
    pub fn as_of(mut batches: Vec<StoredBatch>, at: Timestamp) -> Result<Self> {
        let end = batches.iter().rposition(|one| one.batch.at <= at).map_or(0, |last| last + 1);
        batches.truncate(end);
        let by_then = batches.iter().filter(|one| one.batch.at <= at);
        let mut tables = match Self::state(by_then) {
            Err(Error::Refused(_)) => Self::state(batches.iter())?,
            other => other?,
        };
        tables.drop_erased();
        Ok(tables)
    }

    fn state<'a>(batches: impl Iterator<Item = &'a StoredBatch>) -> Result<Self> {
        let mut tables = Self { without_log: true, ..Self::default() };
        for stored in batches {
            tables.apply(&stored.batch)?;
        }
        Ok(tables)
    }

    /// Takes out what was erased since: the log has only its shape, and the past shows nothing of it.
    fn drop_erased(&mut self) {
        let gone: BTreeSet<NodeId> = self
            .all_memories()
            .filter(|memory| memory.fingerprint == Fingerprint::erased())
            .map(|memory| memory.id.into())
            .chain(self.entity_rows().filter(|one| one.name.is_empty()).map(|one| one.id.into()))
            .chain(self.episodes().filter(|one| one.is_erased()).map(|one| NodeId::Episode(one.id)))
            .collect();
        let erased = |row: &Row| row.as_pending().is_some_and(Pending::is_erased);
        self.rows
            .retain(|_, row| !erased(row) && row.nodes().iter().all(|node| !gone.contains(node)));
    }

    /// Whether there is such a row.
    pub(crate) fn holds(&self, key: &RowKey) -> bool {
        self.rows.contains_key(key)
    }

    /// The batches of the log, in order.
    pub fn batches(&self) -> &[StoredBatch] {
        &self.batches
    }

    /// Vectors go with the text they were made from.
    fn drop_vectors(&mut self, key: &RowKey) {
        if let Table::Memory | Table::Episode | Table::Entity = key.table {
            self.vectors.retain(|(space, _, node), _| RowKey::node(*space, *node) != *key);
        }
    }

    fn table(&self, table: Table) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |(key, _)| key.table == table).map(|(_, row)| row)
    }

    /// The rows of one table of one space, which lie together.
    fn table_of(&self, space: SpaceId, table: Table) -> impl Iterator<Item = &Row> {
        let first = RowKey { space, table, key: String::new() };
        let of_it = move |key: &RowKey| key.space == space && key.table == table;
        self.rows.range(first..).take_while(move |(key, _)| of_it(key)).map(|(_, row)| row)
    }

    /// A batch by its id.
    fn batch(&self, id: BatchId) -> Option<&StoredBatch> {
        self.batches.get(*self.places.get(&id)?)
    }

    fn all_memories(&self) -> impl Iterator<Item = &Memory> {
        self.table(Table::Memory).filter_map(Row::as_memory)
    }

    fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.table(Table::Edge).filter_map(Row::as_edge)
    }

    fn episodes(&self) -> impl Iterator<Item = &Episode> {
        self.table(Table::Episode).filter_map(Row::as_episode)
    }

    fn entity_rows(&self) -> impl Iterator<Item = &Entity> {
        self.table(Table::Entity).filter_map(Row::as_entity)
    }

    /// Entities of some kinds by id, each with the number of edges that lead to it.
    fn counted_entities(&self, space: SpaceId, kinds: &[EntityKind]) -> Vec<(Entity, usize)> {
        let wanted = |entity: &&Entity| {
            entity.space == space && (kinds.is_empty() || kinds.contains(&entity.kind))
        };
        let leads_to = |entity: &Entity| {
            let node = NodeId::Entity(entity.id);
            self.edges().filter(|edge| edge.space == space && edge.to == node).count()
        };
        let found = self.entity_rows().filter(wanted);
        let mut found: Vec<_> = found.map(|one| (one.clone(), leads_to(one))).collect();
        found.sort_by_key(|(entity, _)| entity.id);
        found
    }

    /// Every operation that waited for a person and that the log still tells in words.
    fn ever_deferred(&self, space: SpaceId) -> Vec<Pending> {
        let told = self.log.iter().flat_map(deferred_in);
        let mut found: Vec<Pending> = told.filter(|one| one.space == space).cloned().collect();
        found.sort_by(|a, b| (a.id, a.at, &a.operation).cmp(&(b.id, b.at, &b.operation)));
        found.dedup();
        found
    }

    /// What holds one of these secrets.
    fn held(&self, traces: &[Trace]) -> HeldSecrets {
        let mut held = HeldSecrets::default();
        for (key, row) in self.rows.iter().filter(|(key, _)| key.table != Table::Tombstone) {
            if held.look(key.space, traces, &row.body()) {
                held.rows.push(row.clone());
            }
        }
        for stored in &self.batches {
            let space = stored.batch.space;
            held.look(space, traces, &serde_json::to_string(&stored.batch).unwrap_or_default());
        }
        for logged in &self.log {
            let space = self.places.get(&logged.batch).map(|at| self.batches[*at].batch.space);
            let before = serde_json::to_string(&logged.before).unwrap_or_default();
            held.look(space.unwrap_or(SpaceId::GLOBAL), traces, &before);
        }
        held
    }

    /// Takes a secret out of the log.
    fn scrub_secret(&mut self, trace: &Trace) {
        let traces = std::slice::from_ref(trace);
        for logged in &mut self.log {
            trace::clean_change(traces, &mut logged.change);
            trace::clean_images(traces, &mut logged.before);
        }
        for stored in &mut self.batches {
            trace::clean_header(traces, &mut stored.batch);
            for change in &mut stored.batch.changes {
                trace::clean_change(traces, change);
            }
        }
    }

    fn tombstone_rows(&self) -> impl Iterator<Item = &Tombstone> {
        self.table(Table::Tombstone).filter_map(Row::as_tombstone)
    }

    fn memories_where(&self, keep: impl Fn(&Memory) -> bool) -> Vec<Memory> {
        self.all_memories().filter(|memory| keep(memory)).cloned().collect()
    }

    fn has_tag(&self, memory: &Memory, tag: &str) -> bool {
        self.edges().any(|edge| {
            edge.space == memory.space
                && edge.relation == Relation::Tagged
                && edge.from == memory.id.into()
                && self.entity_rows().any(|entity| {
                    NodeId::Entity(entity.id) == edge.to && entity.names().iter().any(|n| n == tag)
                })
        })
    }
}

impl View for Tables {
    type Error = Error;

    fn row(&self, key: &RowKey) -> Result<Option<Row>> {
        Ok(self.rows.get(key).cloned())
    }

    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>> {
        Ok(self
            .rows
            .iter()
            .filter(|(key, _)| {
                key.space == space
                    && matches!(
                        key.table,
                        Table::Evidence
                            | Table::Watermark
                            | Table::Usage
                            | Table::Edge
                            | Table::Leaf
                    )
            })
            .filter(|(_, row)| row.nodes().contains(&node))
            .map(|(_, row)| row.clone())
            .collect())
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        Ok(self.memories_where(|memory| memory.space == space && memory.superseded_by == Some(id)))
    }
}

impl Writable for Tables {
    fn put(&mut self, row: &Row) -> Result<()> {
        let key = row.key();
        if text_of(self.rows.get(&key)) != text_of(Some(row)) {
            self.drop_vectors(&key);
        }
        self.rows.insert(key, row.clone());
        Ok(())
    }

    fn delete(&mut self, key: &RowKey) -> Result<()> {
        self.rows.remove(key);
        self.drop_vectors(key);
        Ok(())
    }

    fn next_seq(&self) -> Result<u64> {
        Ok(self.batches.last().map_or(0, |batch| batch.last_seq) + 1)
    }

    fn open_batch(&mut self, batch: &Batch, first_seq: u64, last_seq: u64) -> Result<()> {
        let changes = if self.without_log { Vec::new() } else { batch.changes.clone() };
        let batch = Batch { changes, ..header(batch) };
        self.places.insert(batch.id, self.batches.len());
        self.batches.push(StoredBatch { first_seq, last_seq, batch });
        Ok(())
    }

    fn append(&mut self, _batch: &Batch, logged: &Logged) -> Result<()> {
        if !self.without_log {
            self.log.push(logged.clone());
        }
        Ok(())
    }

    fn scrub(&mut self, erased: &Erased) -> Result<()> {
        if let Some((_, trace)) = &erased.secret {
            self.scrub_secret(trace);
            return Ok(());
        }
        let touching: BTreeSet<BatchId> = self
            .log
            .iter()
            .filter(|logged| touches_erased(logged, erased))
            .map(|logged| logged.batch)
            .collect();
        for logged in &mut self.log {
            scrub(&mut logged.change, erased);
            scrub_images(&mut logged.before, erased);
        }
        // What comes later in the same batch was not there yet when this was erased.
        let logged_up_to = self.log.last().map_or(0, |logged| logged.seq);
        for stored in &mut self.batches {
            for (_, change) in (stored.first_seq..=logged_up_to).zip(&mut stored.batch.changes) {
                scrub(change, erased);
            }
            if touching.contains(&stored.batch.id) {
                stored.batch.reason = None;
                stored.batch.extra.clear();
            }
        }
        Ok(())
    }

    fn knows_batch(&self, batch: BatchId) -> Result<bool> {
        Ok(self.places.contains_key(&batch))
    }

    fn knows_space(&self, space: SpaceId) -> Result<bool> {
        Ok(self.table_of(space, Table::Space).next().is_some())
    }
}

/// A batch without its changes.
fn header(batch: &Batch) -> Batch {
    Batch {
        id: batch.id,
        space: batch.space,
        at: batch.at,
        actor: batch.actor,
        cause: batch.cause,
        session: batch.session.clone(),
        reason: batch.reason.clone(),
        changes: Vec::new(),
        extra: batch.extra.clone(),
    }
}

/// Whether a change touched an erased memory, turn or pending operation: then somebody's words about
/// its batch may be words about that.
pub(crate) fn touches_erased(logged: &Logged, erased: &Erased) -> bool {
    let pending = erased.pending.map(|id| RowKey::pending(erased.space, id));
    let node = erased.memory.map(NodeId::Memory).or(erased.episode.map(NodeId::Episode));
    touched_rows(logged).iter().any(|(key, nodes)| {
        pending.as_ref() == Some(key)
            || key.space == erased.space && node.is_some_and(|node| nodes.contains(&node))
    })
}

/// What a logged change tells in words about operations that waited for a person.
pub(crate) fn deferred_in(logged: &Logged) -> impl Iterator<Item = &Pending> {
    let told = if let Change::Defer(pending) = &logged.change { Some(pending) } else { None };
    let restored = if let Change::Restore { rows, .. } = &logged.change { &rows[..] } else { &[] };
    let images = logged.before.iter().chain(restored);
    let held = images.filter_map(|image| image.row.as_ref()?.as_pending());
    told.into_iter().chain(held).filter(|pending| !pending.is_erased())
}

/// The nodes that a logged change touched, by the rows it wrote.
pub(crate) fn touched_rows(logged: &Logged) -> BTreeMap<RowKey, Vec<NodeId>> {
    logged.before.iter().map(|image| (image.key.clone(), nodes_of_key(&image.key))).collect()
}

/// What the words and vectors of a row are made from.
pub(crate) fn text_of(row: Option<&Row>) -> Option<Cow<'_, str>> {
    match row {
        Some(Row::Memory(memory)) => Some(Cow::Owned(document::searchable_memory(memory))),
        Some(Row::Episode(episode)) => Some(Cow::Owned(document::searchable(episode))),
        Some(Row::Entity(entity)) => Some(Cow::Borrowed(&entity.name)),
        _ => None,
    }
}

/// The nodes that a row belongs to, read from its key alone.
pub fn nodes_of_key(key: &RowKey) -> Vec<NodeId> {
    let first = key.key.split(' ').next().unwrap_or_default();
    let as_memory = || first.parse().ok().map(NodeId::Memory).into_iter().collect();
    match key.table {
        Table::Memory | Table::Evidence | Table::Watermark | Table::Usage | Table::Leaf => {
            as_memory()
        }
        Table::Entity => first.parse().ok().map(NodeId::Entity).into_iter().collect(),
        Table::Episode => first.parse().ok().map(NodeId::Episode).into_iter().collect(),
        Table::Edge => key.key.split(' ').filter_map(|part| part.parse().ok()).collect(),
        Table::Space | Table::Session | Table::Injection | Table::Tombstone | Table::Pending => {
            Vec::new()
        }
    }
}

/// One line of a dump.
pub(crate) fn dump_line(key: &RowKey, body: &str) -> String {
    format!("{} {} {} {body}", key.table, key.space, key.key)
}
