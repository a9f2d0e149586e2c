//! Reading: the verbs of [`Reader`] over a connection inside a transaction.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, params};
use throughline_core::fold::View;
use throughline_core::row::{Injection, Tombstone};
use throughline_core::scope::Space;
use throughline_core::{
    BatchId, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory, MemoryId, NodeId,
    Pending, Relation, Row, RowKey, SessionId, SpaceId, Table, Trace, Watermark,
};

use super::rows::{self, SqlTables, collect, distinct, text_list};
use super::text::json_list;
use super::{counts, documents, listing, log, secrets, sessions, standing, text};
use crate::damage::unless_rotten;
use crate::document::{Postings, Shelf};
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};
use crate::store::{FOUND_MAX, HeldSecrets, Reader, StoredBatch};
use crate::tables::dump_line;
use crate::{Error, Result};

/// Characters of a whole id.
const ID_CHARS: usize = 36;

impl Reader for SqlTables<'_> {
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>> {
        keys.iter().map(|key| Ok(unless_rotten(self.row(key))?.flatten())).collect()
    }

    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>> {
        rows::attached(self.connection, space, nodes, collect)
    }

    fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Result<Vec<Edge>> {
        let relations = json_list(relations);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut found = BTreeMap::new();
        let nodes = text_list(nodes.iter());
        for sql in [
            "SELECT e.key, e.body, e.hash FROM json_each(?2) AS node
             CROSS JOIN edge AS e ON e.space = ?1 AND e.key IN
               (SELECT key FROM edge INDEXED BY edge_src
                WHERE space = ?1 AND src = node.value
                  AND (?3 IS NULL OR relation IN (SELECT value FROM json_each(?3)))
                ORDER BY key LIMIT ?4)",
            "SELECT e.key, e.body, e.hash FROM json_each(?2) AS node
             CROSS JOIN edge AS e ON e.space = ?1 AND e.key IN
               (SELECT key FROM edge INDEXED BY edge_dst
                WHERE space = ?1 AND dst = node.value
                  AND (?3 IS NULL OR relation IN (SELECT value FROM json_each(?3)))
                ORDER BY key LIMIT ?4)",
        ] {
            let params = params![space.0, nodes, relations, limit];
            for row in collect(self.connection, Table::Edge, sql, params)? {
                let key = row.key();
                if let Row::Edge(edge) = row {
                    found.insert(key, edge);
                }
            }
        }
        Ok(found.into_values().collect())
    }

    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>> {
        let mut found = Vec::new();
        for space in distinct(spaces) {
            let rows = collect(
                self.connection,
                Table::Edge,
                "SELECT key, body, hash FROM edge INDEXED BY edge_contradicts
                 WHERE space = ?1 AND relation = 'contradicts' ORDER BY key LIMIT ?2",
                params![space.0, i64::try_from(limit).unwrap_or(i64::MAX)],
            )?;
            found.extend(rows.into_iter().filter_map(Row::into_edge));
        }
        found.truncate(limit);
        Ok(found)
    }

    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut found: Vec<Memory> = Vec::new();
        for space in distinct(spaces) {
            for kind in kinds {
                found.extend(rows::memories(
                    self.connection,
                    "SELECT key, body, hash FROM memory INDEXED BY memory_current
                     WHERE space = ?1 AND kind = ?2 AND state IN ('staged', 'confirmed')
                     ORDER BY recorded_at DESC, key DESC LIMIT ?3",
                    params![space.0, kind.as_str(), limit],
                )?);
            }
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        standing::said(self.connection, spaces, kinds, limit)
    }

    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut found: Vec<Memory> = Vec::new();
        for space in distinct(spaces) {
            found.extend(rows::memories(
                self.connection,
                "SELECT key, body, hash FROM memory INDEXED BY memory_triggered
                 WHERE space = ?1 AND body ->> '$.triggers' IS NOT NULL
                 ORDER BY recorded_at DESC, key DESC LIMIT ?2",
                params![space.0, limit],
            )?);
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut found: Vec<Memory> = Vec::new();
        for space in distinct(spaces) {
            found.extend(rows::memories(
                self.connection,
                "SELECT key, body, hash FROM memory INDEXED BY memory_unresolved
                 WHERE space = ?1 AND body ->> '$.unresolved' IS NOT NULL
                   AND state IN ('staged', 'confirmed')
                 ORDER BY recorded_at DESC, key DESC LIMIT ?2",
                params![space.0, limit],
            )?);
        }
        found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
        Ok(found)
    }

    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>> {
        let sql = if only_active {
            "SELECT w.key, w.body, w.hash FROM watermark AS w
             WHERE w.space = ?1 AND EXISTS
               (SELECT 1 FROM memory AS m INDEXED BY memory_active
                WHERE m.space = ?1 AND m.key = w.memory AND m.state IN ('staged', 'confirmed'))
             ORDER BY w.key"
        } else {
            "SELECT key, body, hash FROM watermark WHERE space = ?1 ORDER BY key"
        };
        let rows = collect(self.connection, Table::Watermark, sql, params![space.0])?;
        Ok(rows.into_iter().filter_map(Row::into_watermark).collect())
    }

    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        listing::memories(self, query, None)
    }

    fn sessions(&self, of: &[SpaceId], from: &FromSession, limit: usize) -> Result<SessionPage> {
        sessions::sessions(self.connection, of, from, limit)
    }

    fn turns(
        &self,
        space: SpaceId,
        session: &SessionId,
        from: &FromTurn,
        limit: usize,
    ) -> Result<TurnPage> {
        sessions::turns(self.connection, space, session, from, limit)
    }

    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>> {
        let mut found = BTreeMap::new();
        for space in spaces {
            let by_head = rows::memories(
                self.connection,
                "SELECT key, body, hash FROM memory
                 WHERE space = ?1 AND key >= ?2 AND key < ?2 || 'g' ORDER BY key LIMIT 20",
                params![space.0, handle],
            )?;
            // A whole id ends as it begins.
            let by_tail = if handle.len() >= ID_CHARS {
                Vec::new()
            } else {
                rows::memories(
                    self.connection,
                    "SELECT key, body, hash FROM memory INDEXED BY memory_tail
                     WHERE space = ?1 AND tail = substr(?2, -8) AND length(?2) >= 8
                       AND substr(key, -length(?2)) = ?2 ORDER BY key LIMIT 20",
                    params![space.0, handle],
                )?
            };
            let both = by_head.into_iter().chain(by_tail);
            found.extend(both.map(|memory| ((memory.id, memory.space), memory)));
        }
        Ok(found.into_values().take(FOUND_MAX).collect())
    }

    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>> {
        log::find_touched(self.connection, &distinct(spaces), handle)
    }

    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>> {
        rows::memories(
            self.connection,
            "SELECT key, body, hash FROM memory INDEXED BY memory_fingerprint
             WHERE space = ?1 AND fingerprint = ?2 ORDER BY key",
            params![space.0, fingerprint.0],
        )
    }

    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>> {
        rows::memories(
            self.connection,
            "SELECT m.key, m.body, m.hash FROM slot AS s
             CROSS JOIN memory AS m ON m.space = s.space AND m.key = s.memory
             WHERE s.space = ?1 AND s.slot = ?2 AND (s.value = ?3 OR ?4 OR s.single)
               AND (s.value = ?3 OR m.state IN ('staged', 'confirmed')) ORDER BY m.key",
            params![space.0, query.slot, query.value, query.single],
        )
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        View::replaced_by(self, space, id)
    }

    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>> {
        let marks = serde_json::to_string(marks).expect("plain data serialises");
        let rows = collect(
            self.connection,
            Table::Tombstone,
            "SELECT key, body, hash FROM tombstone
             WHERE space = ?1 AND (fingerprint IN (SELECT value FROM json_each(?2))
                                OR slot IN (SELECT value FROM json_each(?2))) ORDER BY key",
            params![space.0, marks],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_tombstone).collect())
    }

    fn all_tombstones(&self) -> Result<Vec<Tombstone>> {
        let sql = "SELECT key, body, hash FROM tombstone ORDER BY space, key";
        let rows = collect(self.connection, Table::Tombstone, sql, [])?;
        Ok(rows.into_iter().filter_map(Row::into_tombstone).collect())
    }

    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>> {
        let mut found = BTreeMap::new();
        let kinds: BTreeSet<_> = names.iter().map(|one| one.kind).collect();
        for kind in kinds {
            let names = names.iter().filter(|one| one.kind == kind).map(|one| &one.name);
            let rows = collect(
                self.connection,
                Table::Entity,
                "SELECT e.key, e.body, e.hash FROM json_each(?2) AS name
                 CROSS JOIN alias AS a ON a.space = ?1 AND a.name = name.value
                 CROSS JOIN entity AS e ON e.space = a.space AND e.key = a.entity
                 WHERE (?3 IS NULL OR e.kind = ?3)",
                params![space.0, text_list(names), kind.map(|kind| kind.as_str())],
            )?;
            for row in rows {
                if let Row::Entity(entity) = row {
                    found.insert(entity.id, entity);
                }
            }
        }
        Ok(found.into_values().collect())
    }

    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>> {
        standing::things(self.connection, space, kinds)
    }

    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>> {
        let rows = collect(
            self.connection,
            Table::Entity,
            "SELECT key, body, hash FROM entity
             WHERE space = ?1 AND kind = ?2 ORDER BY key DESC LIMIT ?3",
            params![space.0, kind.as_str(), i64::try_from(limit).unwrap_or(i64::MAX)],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_entity).collect())
    }

    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        text::search(self.connection, query, None)
    }

    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        documents::read(self.connection, space, of, model, after, block)
    }

    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
        text::postings(self.connection, space, of, terms, most, None)
    }

    fn vectors_of(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let mut select = self.connection.prepare_cached(
            "SELECT vector FROM embedding WHERE space = ?1 AND node = ?2 AND model = ?3",
        )?;
        let mut vectors = Vec::with_capacity(nodes.len());
        for node in nodes {
            let bytes: Option<Vec<u8>> = select
                .query_row(params![space.0, node.to_string(), model], |row| row.get(0))
                .optional()?;
            vectors.push(bytes.map(|bytes| numbers(&bytes)));
        }
        Ok(vectors)
    }

    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>> {
        let mut select = self.connection.prepare_cached(
            "SELECT node, seq, vector FROM embedding INDEXED BY embedding_seq
             WHERE space = ?1 AND model = ?2 AND seq > ?3 ORDER BY node",
        )?;
        let mut found =
            select.query(params![space.0, model, i64::try_from(after_seq).unwrap_or(i64::MAX)])?;
        let mut vectors = Vec::new();
        while let Some(row) = found.next()? {
            let node: String = row.get(0)?;
            let seq: i64 = row.get(1)?;
            let bytes: Vec<u8> = row.get(2)?;
            let bad = |detail| Error::BadRow { what: format!("vector of {node}"), detail };
            vectors.push(Vector {
                node: node.parse().map_err(bad)?,
                seq: seq.unsigned_abs(),
                values: numbers(&bytes),
                packed: Vec::new(),
            });
        }
        Ok(vectors)
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        log::list(self.connection, query)
    }

    fn latest(&self) -> Result<Option<(u64, BatchId)>> {
        log::latest(self.connection)
    }

    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>> {
        log::find(self.connection, handle)
    }

    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>> {
        log::headers(self.connection, batches)
    }

    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>> {
        log::changes_of(self.connection, space, batch)
    }

    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>> {
        log::history(self.connection, space, node)
    }

    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>> {
        log::next_touch(self.connection, row, nodes, seq)
    }

    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT day FROM activity WHERE space = ?1 ORDER BY day")?;
        let days = select.query_map([space.0], |row| row.get(0))?;
        Ok(days.collect::<rusqlite::Result<_>>()?)
    }

    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>> {
        let rows = collect(
            self.connection,
            Table::Injection,
            "SELECT key, body, hash FROM injection INDEXED BY injection_at
             WHERE space = ?1 AND EXISTS
               (SELECT 1 FROM json_each(body, '$.memories') WHERE json_valid(body) AND value = ?2)
             ORDER BY at DESC, key DESC LIMIT ?3",
            params![space.0, memory.to_string(), i64::try_from(limit).unwrap_or(i64::MAX)],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_injection).collect())
    }

    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>> {
        let mut found = Vec::new();
        for space in distinct(spaces) {
            let rows = collect(
                self.connection,
                Table::Pending,
                "SELECT key, body, hash FROM pending INDEXED BY pending_at
                 WHERE space = ?1 ORDER BY at, key LIMIT ?2",
                params![space.0, i64::try_from(limit).unwrap_or(i64::MAX)],
            )?;
            found.extend(rows.into_iter().filter_map(Row::into_pending));
        }
        found.sort_by_key(|one| (one.at, one.id, one.space));
        found.truncate(limit);
        Ok(found)
    }

    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>> {
        rows::leaves(self.connection, space, shelf)
    }

    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>> {
        log::deferred(self.connection, space)
    }

    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets> {
        secrets::holding(self, traces)
    }

    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        counts::turns_after(self.connection, space, seq)
    }

    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        counts::memories_after(self.connection, space, seq)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let sql = "SELECT key, body, hash FROM space ORDER BY space, key";
        let rows = collect(self.connection, Table::Space, sql, [])?;
        Ok(rows.into_iter().filter_map(Row::into_space).collect())
    }

    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
        counts::of(self.connection, spaces)
    }

    fn dump(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for table in Table::ALL {
            for (space, key, body, _) in rows::raw(self.connection, *table)? {
                lines.push(dump_line(&RowKey { space, table: *table, key }, &body));
            }
        }
        lines.sort();
        Ok(lines)
    }
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}
