//! Reading from a server: the verbs of [`Reader`], each one round trip.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use throughline_core::row::{Injection, Tombstone};
use throughline_core::scope::Space;
use throughline_core::{
    BatchId, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory, MemoryId, NodeId,
    Pending, Relation, Row, RowKey, SessionId, SpaceId, Table, Trace, Watermark,
};
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::log::{NOT_ANOTHERS, Rotten};
use super::rows::PgTables;
use crate::Result;
use crate::candidates::{
    CandidateQuery, CandidateRecord, Candidates, Foreseen, PromptCodes, RecordQuery,
};
use crate::document::{Postings, Shelf};
use crate::member::Member;
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};
use crate::store::{FOUND_MAX, HeldSecrets, Reader, StoredBatch};
use crate::tables::dump_line;

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Newest first; ties by id.
pub(super) fn newest_first(mut found: Vec<Memory>) -> Vec<Memory> {
    found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
    found
}

pub(super) fn names<T: ToString>(things: &[T]) -> Vec<String> {
    things.iter().map(ToString::to_string).collect()
}

/// Memories of each space (and kind) that fit, the newest of each.
macro_rules! newest_of {
    ($fits:literal) => {
        concat!(
            "SELECT m.key, m.body, m.hash FROM unnest($1::bigint[]) AS s (space), LATERAL
               (SELECT key, body, hash FROM memory WHERE space = s.space AND ",
            $fits,
            " ORDER BY recorded_at DESC, key DESC LIMIT $2) AS m"
        )
    };
}
macro_rules! newest_of_kinds {
    ($fits:literal) => {
        concat!(
            "SELECT m.key, m.body, m.hash
             FROM unnest($1::bigint[]) AS s (space), unnest($3::text[]) AS k (kind), LATERAL
               (SELECT key, body, hash FROM memory
                WHERE space = s.space AND kind = k.kind AND state IN ('staged', 'confirmed') ",
            $fits,
            " ORDER BY recorded_at DESC, key DESC LIMIT $2) AS m"
        )
    };
}

impl<L: Wire> PgTables<L> {
    fn newest(&self, sql: &str, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        let walls = self.walls(spaces);
        let found =
            self.memories_by(sql, &[(&walls, Type::INT8_ARRAY), (&most(limit), Type::INT8)])?;
        Ok(newest_first(found))
    }

    fn newest_by_kind(
        &self,
        sql: &str,
        spaces: &[SpaceId],
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<Memory>> {
        let (walls, kinds) = (self.walls(spaces), names(kinds));
        let found = self.memories_by(
            sql,
            &[(&walls, Type::INT8_ARRAY), (&most(limit), Type::INT8), (&kinds, Type::TEXT_ARRAY)],
        )?;
        Ok(newest_first(found))
    }
}

impl<L: Wire> Reader for PgTables<L> {
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>> {
        let kept = |key: &RowKey| self.kept.borrow().row(key);
        let asked: Vec<RowKey> = keys.iter().filter(|key| kept(key).is_none()).cloned().collect();
        let found = self.rows_by_key(&asked, Rotten::LeftOut)?;
        let row = |key: &RowKey| kept(key).unwrap_or_else(|| found.get(key).cloned());
        Ok(keys.iter().map(row).collect())
    }

    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>> {
        if let Some(kept) = self.kept.borrow().attached(space, nodes) {
            return Ok(kept.into_values().collect());
        }
        Ok(self.attached_to(space, nodes, Rotten::LeftOut)?.into_values().collect())
    }

    fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Result<Vec<Edge>> {
        if let Some(kept) = self.kept.borrow().neighbours(space, nodes, relations, limit) {
            return Ok(kept);
        }
        let (nodes, relations) = (names(nodes), names(relations));
        let rows = self.collect(
            Table::Edge,
            "SELECT e.key, e.body, e.hash FROM unnest($2::text[]) AS n (node), LATERAL
               (SELECT key, body, hash FROM edge WHERE space = $1 AND src = n.node
                  AND (cardinality($3::text[]) = 0 OR relation = ANY($3)) ORDER BY key LIMIT $4) AS e
             UNION
             SELECT e.key, e.body, e.hash FROM unnest($2::text[]) AS n (node), LATERAL
               (SELECT key, body, hash FROM edge WHERE space = $1 AND dst = n.node
                  AND (cardinality($3::text[]) = 0 OR relation = ANY($3)) ORDER BY key LIMIT $4) AS e",
            &[
                (&self.wall(space), Type::INT8),
                (&nodes, Type::TEXT_ARRAY),
                (&relations, Type::TEXT_ARRAY),
                (&most(limit), Type::INT8),
            ],
        )?;
        let edges: BTreeMap<RowKey, Edge> =
            rows.into_iter().filter_map(|row| Some((row.key(), row.into_edge()?))).collect();
        Ok(edges.into_values().collect())
    }

    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>> {
        let rows = self.collect(
            Table::Edge,
            "SELECT e.key, e.body, e.hash FROM unnest($1::bigint[]) WITH ORDINALITY AS s (space, at),
               LATERAL (SELECT key, body, hash FROM edge
                        WHERE space = s.space AND relation = 'contradicts' ORDER BY key LIMIT $2) AS e
             ORDER BY s.at, e.key LIMIT $2",
            &[(&self.walls(spaces), Type::INT8_ARRAY), (&most(limit), Type::INT8)],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_edge).collect())
    }

    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        self.newest_by_kind(newest_of_kinds!(""), spaces, kinds, limit)
    }

    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>> {
        const SAID: &str = newest_of_kinds!("AND authority IN ('user_corrected', 'user_stated')");
        self.newest_by_kind(SAID, spaces, kinds, limit)
    }

    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        self.newest(newest_of!("triggers"), spaces, limit)
    }

    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>> {
        const UNRESOLVED: &str = newest_of!("unresolved AND state IN ('staged', 'confirmed')");
        self.newest(UNRESOLVED, spaces, limit)
    }

    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>> {
        let rows = self.collect(
            Table::Watermark,
            "SELECT w.key, w.body, w.hash FROM watermark AS w
             WHERE w.space = $1 AND (NOT $2 OR EXISTS
               (SELECT 1 FROM memory AS m WHERE m.space = $1 AND m.key = w.memory
                  AND m.state IN ('staged', 'confirmed'))) ORDER BY w.key",
            &[(&self.wall(space), Type::INT8), (&only_active, Type::BOOL)],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_watermark).collect())
    }

    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        self.memory_page(query)
    }

    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>> {
        let found = self.memories_by(
            "SELECT key, body, hash FROM memory
             WHERE space = ANY($1) AND (key >= $2 AND key < $2 || 'g'
                OR length($2) >= 8 AND right(key, 8) = right($2, 8)
                   AND right(key, length($2)) = $2)
             ORDER BY key LIMIT $3",
            &[
                (&self.walls(spaces), Type::INT8_ARRAY),
                (&handle, Type::TEXT),
                (&most(FOUND_MAX), Type::INT8),
            ],
        )?;
        let found: BTreeMap<_, _> =
            found.into_iter().map(|memory| ((memory.id, memory.space), memory)).collect();
        Ok(found.into_values().collect())
    }

    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>> {
        self.touched(spaces, handle)
    }

    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>> {
        self.same_words(space, fingerprint)
    }

    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>> {
        self.memories_by(
            "SELECT m.key, m.body, m.hash FROM slot AS s
             JOIN memory AS m ON m.space = s.space AND m.key = s.memory
             WHERE s.space = $1 AND md5(s.slot) = md5($2) AND s.slot = $2
               AND (s.value = $3 OR ($4 OR s.single) AND m.state IN ('staged', 'confirmed'))
             ORDER BY m.key",
            &[
                (&self.wall(space), Type::INT8),
                (&query.slot, Type::TEXT),
                (&query.value, Type::TEXT),
                (&query.single, Type::BOOL),
            ],
        )
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        self.memories_by(
            "SELECT key, body, hash FROM memory WHERE space = $1 AND superseded_by = $2 ORDER BY key",
            &[(&self.wall(space), Type::INT8), (&id.to_string(), Type::TEXT)],
        )
    }

    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>> {
        self.stones(space, marks)
    }

    fn all_tombstones(&self) -> Result<Vec<Tombstone>> {
        let sql = format!("SELECT key, body, hash FROM tombstone WHERE {NOT_ANOTHERS}");
        let rows = self.collect(Table::Tombstone, &sql, &[])?;
        let stones: BTreeMap<RowKey, Tombstone> =
            rows.into_iter().filter_map(|row| Some((row.key(), row.into_tombstone()?))).collect();
        Ok(stones.into_values().collect())
    }

    fn entities(&self, space: SpaceId, wanted: &[EntityName]) -> Result<Vec<Entity>> {
        if let Some(kept) = self.kept.borrow().entities(space, wanted) {
            return Ok(kept);
        }
        let given: Vec<&str> = wanted.iter().map(|one| one.name.as_str()).collect();
        let kinds: Vec<Option<&str>> =
            wanted.iter().map(|one| one.kind.map(|kind| kind.as_str())).collect();
        let rows = self.collect(
            Table::Entity,
            "SELECT DISTINCT e.key, e.body, e.hash
             FROM unnest($2::text[], $3::text[]) AS w (name, kind)
             JOIN alias AS a ON a.space = $1 AND md5(a.name) = md5(w.name) AND a.name = w.name
             JOIN entity AS e ON e.space = $1 AND e.key = a.entity
             WHERE w.kind IS NULL OR e.kind = w.kind",
            &[
                (&self.wall(space), Type::INT8),
                (&given, Type::TEXT_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
            ],
        )?;
        let found: BTreeMap<_, Entity> =
            rows.into_iter().filter_map(Row::into_entity).map(|one| (one.id, one)).collect();
        Ok(found.into_values().collect())
    }

    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>> {
        self.counted_entities(space, kinds)
    }

    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>> {
        self.newest_entities(space, kind, limit)
    }

    fn sessions(&self, of: &[SpaceId], from: &FromSession, limit: usize) -> Result<SessionPage> {
        self.session_page(of, from, limit)
    }

    fn turns(&self, at: SpaceId, of: &SessionId, by: &FromTurn, most: usize) -> Result<TurnPage> {
        self.turn_page(at, of, by, most)
    }

    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        if let Some(kept) = self.kept.borrow().hits(query) {
            return Ok(kept);
        }
        self.search(query)
    }

    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        self.blocks(space, of, model, after, block)
    }

    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
        self.holding(space, of, terms, most)
    }

    fn candidates(
        &self,
        queries: &[CandidateQuery<'_>],
        codes: PromptCodes<'_>,
        next: &[Foreseen],
    ) -> Result<Option<Vec<Candidates>>> {
        Ok(Some(self.find_candidates(queries, codes, next)?))
    }

    fn is_far(&self) -> bool {
        true
    }

    fn sizes(&self, wanted: &[(SpaceId, TextOf)]) -> Result<Option<usize>> {
        Ok(Some(self.documents_of(wanted)?))
    }

    fn foresee(&self, next: &[Foreseen]) -> Result<()> {
        self.look_ahead(next)
    }

    fn candidate_records(
        &self,
        queries: &[RecordQuery],
        model: &str,
    ) -> Result<Vec<Vec<CandidateRecord>>> {
        self.find_records(queries, model)
    }

    fn unembedded(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        most: usize,
    ) -> Result<Option<Vec<NodeId>>> {
        Ok(Some(self.bare_nodes(space, of, model, most)?))
    }

    fn vectors_of(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        self.find_vectors(space, model, nodes)
    }

    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>> {
        self.vectors_after(space, model, after_seq)
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        self.list(query)
    }

    fn latest(&self) -> Result<Option<(u64, BatchId)>> {
        self.latest_batch()
    }

    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>> {
        self.find_batch(handle)
    }

    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>> {
        self.headers_of(batches)
    }

    fn authors(&self, batches: &[BatchId]) -> Result<Vec<Option<String>>> {
        self.authors_of(batches)
    }

    fn person(&self) -> Option<String> {
        Some(self.link.role.clone())
    }

    fn members(&self, space: SpaceId) -> Result<Vec<Member>> {
        self.members_of(space)
    }

    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>> {
        self.changes_in(space, batch)
    }

    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>> {
        self.touching(space, &[node], Rotten::LeftOut)
    }

    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>> {
        self.next_touch_of(row, nodes, seq)
    }

    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        self.count_turns(space, seq)
    }

    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64> {
        self.count_memories(space, seq)
    }

    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>> {
        if let Some(kept) = self.kept.borrow().days(space) {
            return Ok(kept);
        }
        let sql = "SELECT day FROM activity WHERE space = $1 ORDER BY day";
        let rows = self.link.query(sql, &[(&self.wall(space), Type::INT8)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>> {
        let rows = self.collect(
            Table::Injection,
            "SELECT key, body, hash FROM injection
             WHERE space = $1 AND $2 = ANY(string_to_array(memories, ' '))
             ORDER BY at DESC, key DESC LIMIT $3",
            &[
                (&self.wall(space), Type::INT8),
                (&memory.to_string(), Type::TEXT),
                (&most(limit), Type::INT8),
            ],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_injection).collect())
    }

    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>> {
        let rows = self.collect(
            Table::Pending,
            "SELECT key, body, hash FROM pending WHERE space = ANY($1) ORDER BY at, key LIMIT $2",
            &[(&self.walls(spaces), Type::INT8_ARRAY), (&most(limit), Type::INT8)],
        )?;
        let mut found: Vec<Pending> = rows.into_iter().filter_map(Row::into_pending).collect();
        found.sort_by_key(|one| (one.at, one.id, one.space));
        Ok(found)
    }

    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>> {
        let rows = self.collect(
            Table::Leaf,
            "SELECT key, body, hash FROM leaf WHERE space = $1 AND shelf = $2 ORDER BY place, key",
            &[(&self.wall(space), Type::INT8), (&shelf, Type::TEXT)],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_leaf).collect())
    }

    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>> {
        self.deferred_of(space)
    }

    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets> {
        self.secrets_held(traces)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        if let Some(kept) = self.kept.borrow().spaces() {
            return Ok(kept);
        }
        let rows = self.link.query(&self.spaces_sql(), &[])?;
        self.keep_spaces(&rows)
    }

    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
        self.count_all(spaces)
    }

    fn dump(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for table in Table::ALL {
            for (wall, key, body, _) in self.raw(*table)? {
                let space = self.space(wall);
                lines.push(dump_line(&RowKey { space, table: *table, key }, &body));
            }
        }
        lines.sort();
        Ok(lines)
    }
}
