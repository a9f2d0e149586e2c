//! Reading the tables: the verbs of [`Reader`] over maps, clear rather than fast.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use throughline_core::document;
use throughline_core::fold::View;
use throughline_core::policy::WordPolicy;
use throughline_core::row::{Injection, Tombstone};
use throughline_core::scope::{Reach, Space};
use throughline_core::words::{self, CollectionSize};
use throughline_core::{
    BatchId, Cardinality, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory,
    MemoryId, NodeId, Pending, Relation, Row, RowKey, SessionId, SpaceId, Table, Trace, Watermark,
};

use super::{Tables, dump_line, header, sessions, touched_rows};
use crate::Result;
use crate::document::{Postings, Shelf};
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};
use crate::store::{FOUND_MAX, HeldSecrets, Reader, StoredBatch};

impl Tables {
    /// The documents of a text index: space, node, whether the query may return it, and its terms.
    fn texts(&self, query: &TextQuery) -> Vec<(SpaceId, NodeId, bool, Vec<String>)> {
        let reach = Reach { spaces: query.spaces.clone(), session: query.session.clone() };
        match query.of {
            TextOf::Memories => self
                .all_memories()
                .map(|memory| {
                    let wanted = reach.sees(memory)
                        && (query.states.is_empty() || query.states.contains(&memory.state))
                        && (query.kinds.is_empty() || query.kinds.contains(&memory.kind));
                    (
                        memory.space,
                        memory.id.into(),
                        wanted,
                        words::terms(&document::searchable_memory(memory)),
                    )
                })
                .collect(),
            TextOf::Episodes => self
                .episodes()
                .map(|episode| {
                    let wanted = query.spaces.contains(&episode.space);
                    let node = NodeId::Episode(episode.id);
                    (episode.space, node, wanted, words::terms(&document::searchable(episode)))
                })
                .collect(),
        }
    }
}

impl Reader for Arc<Tables> {
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>> {
        keys.iter().map(|key| self.row(key)).collect()
    }

    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>> {
        let mut rows = BTreeMap::new();
        for node in nodes {
            for row in View::attached(&**self, space, *node)? {
                rows.insert(row.key(), row);
            }
        }
        Ok(rows.into_values().collect())
    }

    fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Result<Vec<Edge>> {
        let mut found = BTreeMap::new();
        for node in nodes {
            for outward in [true, false] {
                self.edges()
                    .filter(|edge| edge.space == space)
                    .filter(|edge| relations.is_empty() || relations.contains(&edge.relation))
                    .filter(|edge| if outward { edge.from == *node } else { edge.to == *node })
                    .take(limit)
                    .for_each(|edge| {
                        found.insert(Row::Edge(edge.clone()).key(), edge.clone());
                    });
            }
        }
        Ok(found.into_values().collect())
    }

    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>> {
        let wanted =
            |edge: &&Edge| spaces.contains(&edge.space) && edge.relation == Relation::Contradicts;
        Ok(self.edges().filter(wanted).take(limit).cloned().collect())
    }

    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        let mut found = Vec::new();
        for kind in kinds {
            for space in spaces.iter().collect::<BTreeSet<_>>() {
                let mut these = self.memories_where(|memory| {
                    memory.space == *space && memory.kind == *kind && memory.state.is_active()
                });
                these.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
                these.truncate(limit);
                found.append(&mut these);
            }
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        let mut found = self.current(spaces, kinds, usize::MAX)?;
        let mut met: BTreeMap<(SpaceId, Kind), usize> = BTreeMap::new();
        found.retain(|memory| {
            let count = met.entry((memory.space, memory.kind)).or_default();
            *count += usize::from(memory.authority.is_user());
            memory.authority.is_user() && *count <= limit
        });
        Ok(found)
    }

    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        let mut found = Vec::new();
        for space in spaces.iter().collect::<BTreeSet<_>>() {
            let mut these =
                self.memories_where(|memory| memory.space == *space && !memory.triggers.is_empty());
            these.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
            these.truncate(limit);
            found.append(&mut these);
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        let mut found = Vec::new();
        for space in spaces.iter().collect::<BTreeSet<_>>() {
            let mut these = self.memories_where(|memory| {
                memory.space == *space && memory.state.is_active() && memory.unresolved.is_some()
            });
            these.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
            these.truncate(limit);
            found.append(&mut these);
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>> {
        let is_active = |mark: &Watermark| {
            let key = RowKey::memory(mark.space, mark.memory);
            matches!(self.rows.get(&key), Some(Row::Memory(memory)) if memory.state.is_active())
        };
        let marks = self.rows.values().filter_map(Row::as_watermark);
        let here = marks.filter(|mark| mark.space == space);
        Ok(here.filter(|mark| !only_active || is_active(mark)).cloned().collect())
    }

    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        Ok(sessions::memories(self, query))
    }

    fn sessions(&self, of: &[SpaceId], from: &FromSession, limit: usize) -> Result<SessionPage> {
        Ok(sessions::sessions(self, of, from, limit))
    }

    fn turns(&self, at: SpaceId, of: &SessionId, by: &FromTurn, most: usize) -> Result<TurnPage> {
        Ok(sessions::turns(self, at, of, by, most))
    }

    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>> {
        let mut found = self.memories_where(|memory| {
            let id = memory.id.to_string();
            let tail = handle.len() >= 8 && id.ends_with(handle);
            spaces.contains(&memory.space) && (id.starts_with(handle) || tail)
        });
        found.sort_by_key(|memory| (memory.id, memory.space));
        found.truncate(FOUND_MAX);
        Ok(found)
    }

    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>> {
        let touched = self.log.iter().flat_map(touched_rows);
        let mut found: Vec<(SpaceId, MemoryId)> = touched
            .filter(|(key, _)| spaces.contains(&key.space))
            .flat_map(|(key, nodes)| nodes.into_iter().map(move |node| (key.space, node)))
            .filter_map(|(space, node)| Some((space, node.memory()?)))
            .filter(|(_, id)| {
                let id = id.to_string();
                id.starts_with(handle) || id.ends_with(handle)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>> {
        Ok(self.memories_where(|one| one.space == space && one.fingerprint == *fingerprint))
    }

    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>> {
        Ok(self.memories_where(|one| {
            let Some(slot) = one.slot.as_ref().filter(|slot| slot.key() == query.slot) else {
                return false;
            };
            let same = query.value.as_ref() == Some(&slot.value());
            let rival = query.single || slot.cardinality == Cardinality::One;
            one.space == space && (same || rival && one.state.is_active())
        }))
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        View::replaced_by(&**self, space, id)
    }

    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>> {
        Ok(self
            .table_of(space, Table::Tombstone)
            .filter_map(Row::as_tombstone)
            .filter(|stone| {
                marks.contains(&stone.fingerprint)
                    || stone.slot.as_ref().is_some_and(|slot| marks.contains(slot))
            })
            .cloned()
            .collect())
    }

    fn all_tombstones(&self) -> Result<Vec<Tombstone>> {
        Ok(self.tombstone_rows().cloned().collect())
    }

    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>> {
        Ok(self
            .table_of(space, Table::Entity)
            .filter_map(Row::as_entity)
            .filter(|entity| {
                let own = entity.names();
                names.iter().any(|wanted| {
                    wanted.kind.is_none_or(|kind| kind == entity.kind) && own.contains(&wanted.name)
                })
            })
            .cloned()
            .collect())
    }

    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>> {
        Ok(self.counted_entities(space, kinds))
    }

    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>> {
        let rows = self.entity_rows().filter(|one| one.space == space && one.kind == kind);
        let mut found: Vec<Entity> = rows.cloned().collect();
        found.sort_by_key(|entity| Reverse(entity.id));
        found.truncate(limit);
        Ok(found)
    }

    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        let policy = WordPolicy::default();
        // What lies behind other walls tells nothing, not even how rare a word is.
        let mut documents = self.texts(query);
        documents.retain(|(space, ..)| query.spaces.contains(space));
        let collection = CollectionSize {
            docs: documents.len() as u64,
            terms: documents.iter().map(|(.., terms)| terms.len() as u64).sum(),
        };
        let frequencies: Vec<(String, u64)> = query
            .terms
            .iter()
            .map(|term| {
                let docs = documents.iter().filter(|(.., terms)| terms.contains(term)).count();
                (term.clone(), docs as u64)
            })
            .collect();
        let kept = words::affordable(&frequencies, &policy);
        let mut hits: Vec<TextHit> = documents
            .iter()
            .filter(|(_, _, wanted, _)| *wanted)
            .map(|(space, node, _, terms)| {
                let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
                let score = words::bm25(&kept, &terms, collection, &policy);
                TextHit { space: *space, node: *node, score }
            })
            .filter(|hit| hit.score > 0.0)
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        _after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        Ok(self.shelve(space, of, model, block))
    }

    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
        Ok(self.holding(space, of, terms, most))
    }

    fn vectors_of(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let of = |node: &NodeId| {
            self.vectors.get(&(space, model.to_owned(), *node)).map(|one| one.values.clone())
        };
        Ok(nodes.iter().map(of).collect())
    }

    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>> {
        Ok(self
            .vectors
            .iter()
            .filter(|((at, by, _), vector)| *at == space && by == model && vector.seq > after_seq)
            .map(|(_, vector)| vector.clone())
            .collect())
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        let mut found: Vec<StoredBatch> = self
            .batches
            .iter()
            .filter(|one| one.last_seq > query.after_seq)
            .filter(|one| query.before_seq.is_none_or(|seq| one.last_seq < seq))
            .filter(|one| query.since.is_none_or(|since| one.batch.at >= since))
            .filter(|one| query.spaces.is_empty() || query.spaces.contains(&one.batch.space))
            .cloned()
            .collect();
        let is_bare = |one: &&mut StoredBatch| query.bare == Some(one.batch.cause);
        found.iter_mut().filter(is_bare).for_each(|one| one.batch.changes.clear());
        if query.latest_first {
            found.reverse();
        }
        found.truncate(query.limit);
        Ok(found)
    }

    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>> {
        Ok(self
            .batches
            .iter()
            .filter(|one| {
                let id = one.batch.id.to_string();
                id.starts_with(handle) || id.ends_with(handle)
            })
            .cloned()
            .collect())
    }

    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>> {
        let places: BTreeSet<usize> =
            batches.iter().filter_map(|id| self.places.get(id).copied()).collect();
        Ok(places
            .into_iter()
            .map(|place| &self.batches[place])
            .map(|one| StoredBatch {
                batch: header(&one.batch),
                first_seq: one.first_seq,
                last_seq: one.last_seq,
            })
            .collect())
    }

    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>> {
        let Some(stored) = self.batch(batch).filter(|one| one.batch.space == space) else {
            return Ok(Vec::new());
        };
        let first = self.log.partition_point(|one| one.seq < stored.first_seq);
        let of_it = self.log[first..].iter().take_while(|one| one.batch == batch);
        Ok(of_it.cloned().collect())
    }

    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>> {
        Ok(self
            .log
            .iter()
            .filter(|one| {
                touched_rows(one)
                    .iter()
                    .any(|(key, nodes)| key.space == space && nodes.contains(&node))
            })
            .cloned()
            .collect())
    }

    fn next_touch(&self, row: &RowKey, _nodes: &[NodeId], seq: u64) -> Result<Option<Logged>> {
        Ok(self
            .log
            .iter()
            .find(|one| one.seq > seq && one.before.iter().any(|image| image.key == *row))
            .cloned())
    }

    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        Ok(self.count_turns(space, seq))
    }

    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        Ok(self.count_memories(space, seq))
    }

    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>> {
        let here = self.batches.iter().filter(|one| one.batch.space == space);
        let days: BTreeSet<i64> = here.map(|one| one.batch.at.day()).collect();
        Ok(days.into_iter().collect())
    }

    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>> {
        let mut found: Vec<Injection> = self
            .table(Table::Injection)
            .filter_map(Row::as_injection)
            .filter(|one| one.space == space && one.memories.contains(&memory))
            .cloned()
            .collect();
        found.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        found.truncate(limit);
        Ok(found)
    }

    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>> {
        let held = self.table(Table::Pending).filter_map(Row::as_pending);
        let mut found: Vec<Pending> =
            held.filter(|one| spaces.contains(&one.space)).cloned().collect();
        found.sort_by_key(|one| (one.at, one.id, one.space));
        found.truncate(limit);
        Ok(found)
    }

    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>> {
        let held = self.table(Table::Leaf).filter_map(Row::as_leaf);
        let here = held.filter(|leaf| leaf.space == space && leaf.shelf == shelf);
        let mut found: Vec<Leaf> = here.cloned().collect();
        found.sort_by_key(|leaf| (leaf.order, leaf.memory, leaf.id));
        Ok(found)
    }

    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets> {
        Ok(self.held(traces))
    }

    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>> {
        Ok(self.ever_deferred(space))
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        Ok(self.table(Table::Space).filter_map(Row::as_space).cloned().collect())
    }

    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
        let mut counts = BTreeMap::new();
        for (key, row) in &self.rows {
            if !spaces.contains(&key.space) {
                continue;
            }
            *counts.entry(key.table.to_string()).or_default() += 1;
            if let Row::Memory(memory) = row {
                *counts.entry(format!("state {}", memory.state)).or_default() += 1;
                *counts.entry(format!("kind {}", memory.kind)).or_default() += 1;
                *counts.entry(format!("authority {}", memory.authority)).or_default() += 1;
            } else if let Row::Edge(edge) = row {
                *counts.entry(format!("relation {}", edge.relation)).or_default() += 1;
            } else if let Row::Session(session) = row {
                *counts.entry("capture turns".to_owned()).or_default() += session.turns;
                *counts.entry("capture noticed".to_owned()).or_default() += session.fired;
                *counts.entry("capture probes".to_owned()).or_default() += session.probes;
            }
        }
        counts.retain(|_, count| *count > 0);
        Ok(counts)
    }

    fn dump(&self) -> Result<Vec<String>> {
        let mut lines: Vec<String> =
            self.rows.iter().map(|(key, row)| dump_line(key, &row.body())).collect();
        lines.sort();
        Ok(lines)
    }
}
