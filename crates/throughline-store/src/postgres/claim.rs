//! What bears on a claim, and rows with what hangs on them, each read in one round trip before it is asked for.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::row::Tombstone;
use throughline_core::{Entity, Fingerprint, Memory, NodeId, Row, RowKey, SpaceId, Table};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::foresee::ForeseenRows;
use super::lease::Wire;
use super::link::Statement;
use super::log::Rotten;
use super::lookup::{HangingColumns, RowColumns};
use super::rows::{PgTables, read};
use crate::Result;
use crate::candidates::ClaimAhead;
use crate::damage::unless_rotten;
use crate::query::EntityName;

/// Entities that have one of some names.
const NAMED: &str = "SELECT DISTINCT e.key, e.body, e.hash FROM unnest($2::text[]) AS w (name)
     JOIN alias AS a ON a.space = $1 AND md5(a.name) = md5(w.name) AND a.name = w.name
     JOIN entity AS e ON e.space = $1 AND e.key = a.entity";
/// Memories that say the same.
const SAID: &str =
    "SELECT key, body, hash FROM memory WHERE space = $1 AND fingerprint = $2 ORDER BY key";
/// Tombstones with one of some marks.
const BURIED: &str = "SELECT key, body, hash FROM tombstone
     WHERE space = $1 AND (fingerprint = ANY($2) OR slot = ANY($2)) ORDER BY key";

/// A claim as parameters.
pub(super) struct ClaimColumns<'c> {
    of: &'c ClaimAhead,
    wall: i64,
    said: &'c str,
    marks: Vec<&'c str>,
}

impl<'c> ClaimColumns<'c> {
    pub(super) fn of(of: &'c ClaimAhead, wall: i64) -> Self {
        let marks: Vec<&str> = of.marks.iter().map(|mark| mark.0.as_str()).collect();
        Self { of, wall, said: marks.first().copied().unwrap_or_default(), marks }
    }

    pub(super) fn statements(&self) -> [Statement<'_>; 3] {
        let one = |sql: &str, param| {
            let params = vec![(&self.wall as _, Type::INT8), param];
            Statement { sql: sql.to_owned(), params }
        };
        [
            one(NAMED, (&self.of.names as _, Type::TEXT_ARRAY)),
            one(SAID, (&self.said as _, Type::TEXT)),
            one(BURIED, (&self.marks as _, Type::TEXT_ARRAY)),
        ]
    }

    /// Keeps what the answers say.
    pub(super) fn keep(
        &self,
        kept: &mut ForeseenRows,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
    ) -> Result<()> {
        let mut next = |table| rows_of(table, &answers.next().unwrap_or_default());
        let space = self.of.space;
        let found: Vec<Entity> =
            next(Table::Entity)?.into_iter().filter_map(Row::into_entity).collect();
        for name in &self.of.names {
            let has = |entity: &&Entity| entity.names().contains(name);
            let these = found.iter().filter(has).cloned().collect();
            kept.by_name.insert((space, name.clone()), these);
        }
        let said = next(Table::Memory)?.into_iter().filter_map(Row::into_memory).collect();
        if let Some(mark) = self.of.marks.first() {
            kept.said.insert((space, mark.clone()), said);
        }
        let stones = next(Table::Tombstone)?.into_iter().filter_map(Row::into_tombstone).collect();
        kept.stones.push((space, self.of.marks.clone(), stones));
        Ok(())
    }
}

/// The rows that an answer holds. A rotten one is left out, and listed as such.
fn rows_of(table: Table, found: &[PgRow]) -> Result<Vec<Row>> {
    let mut rows = Vec::with_capacity(found.len());
    for row in found {
        rows.extend(unless_rotten(read(table, row))?);
    }
    Ok(rows)
}

/// Rows with what hangs on those that are memories, as parameters.
pub(super) struct RowsAhead {
    keys: Vec<RowKey>,
    rows: RowColumns,
    hanging: Vec<HangingColumns>,
}

impl RowsAhead {
    pub(super) fn of<L: Wire>(tables: &PgTables<L>, wanted: &[RowKey]) -> Self {
        let kept = tables.kept.borrow();
        let distinct: BTreeSet<&RowKey> = wanted.iter().collect();
        let keys: Vec<RowKey> =
            distinct.into_iter().filter(|key| kept.row(key).is_none()).cloned().collect();
        let mut memories: BTreeMap<SpaceId, Vec<NodeId>> = BTreeMap::new();
        for key in keys.iter().filter(|key| key.table == Table::Memory) {
            if let Ok(id) = key.key.parse() {
                memories.entry(key.space).or_default().push(NodeId::Memory(id));
            }
        }
        let hanging = memories.into_iter();
        let hanging = hanging.map(|(space, nodes)| HangingColumns::of(tables, space, nodes));
        Self { rows: RowColumns::of(tables, &keys), hanging: hanging.collect(), keys }
    }

    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        let hanging = self.hanging.iter().flat_map(HangingColumns::statements);
        self.rows.statements().into_iter().chain(hanging).collect()
    }

    /// Keeps what the answers say.
    pub(super) fn keep(
        self,
        kept: &mut ForeseenRows,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
    ) -> Result<()> {
        let (found, _) = self.rows.rows(answers, Rotten::LeftOut)?;
        kept.keep_rows(self.keys, &found);
        for hanging in &self.hanging {
            let rows = hanging.rows(answers, Rotten::LeftOut)?;
            kept.keep_hanging(hanging.space, &hanging.nodes, rows);
        }
        Ok(())
    }
}

impl<L: Wire> PgTables<L> {
    /// Memories that say the same.
    pub(super) fn same_words(&self, space: SpaceId, mark: &Fingerprint) -> Result<Vec<Memory>> {
        if let Some(kept) = self.kept.borrow().saying(space, mark) {
            return Ok(kept);
        }
        self.memories_by(SAID, &[(&self.wall(space), Type::INT8), (&mark.0, Type::TEXT)])
    }

    /// Tombstones with one of some marks.
    pub(super) fn stones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>> {
        if let Some(kept) = self.kept.borrow().buried(space, marks) {
            return Ok(kept);
        }
        let marks: Vec<&str> = marks.iter().map(|mark| mark.0.as_str()).collect();
        let params = [(&self.wall(space) as _, Type::INT8), (&marks as _, Type::TEXT_ARRAY)];
        let rows = self.collect(Table::Tombstone, BURIED, &params)?;
        Ok(rows.into_iter().filter_map(Row::into_tombstone).collect())
    }
}

impl ForeseenRows {
    /// The entities that have one of some names, where all of these were looked up.
    pub(super) fn named(&self, space: SpaceId, names: &[EntityName]) -> Option<Vec<Entity>> {
        let mut found = BTreeMap::new();
        for one in names {
            let these = self.by_name.get(&(space, one.name.clone()))?.iter();
            let these = these.filter(|entity| one.kind.is_none_or(|kind| kind == entity.kind));
            found.extend(these.map(|entity| (entity.id, entity.clone())));
        }
        Some(found.into_values().collect())
    }

    fn saying(&self, space: SpaceId, mark: &Fingerprint) -> Option<Vec<Memory>> {
        self.said.get(&(space, mark.clone())).cloned()
    }

    fn buried(&self, space: SpaceId, marks: &[Fingerprint]) -> Option<Vec<Tombstone>> {
        let same = |one: &&(SpaceId, Vec<Fingerprint>, _)| one.0 == space && one.1 == marks;
        self.stones.iter().find(same).map(|one| one.2.clone())
    }

    /// Keeps everything that hangs on some memories.
    fn keep_hanging(&mut self, space: SpaceId, nodes: &[NodeId], rows: BTreeMap<RowKey, Row>) {
        for node in nodes {
            self.edges.entry((space, *node)).or_default();
            self.hanging.entry((space, *node)).or_default();
        }
        for (key, row) in rows {
            let of: Vec<NodeId> =
                row.nodes().into_iter().filter(|one| nodes.contains(one)).collect();
            if let Row::Edge(edge) = row {
                for node in of {
                    let edges = self.edges.entry((space, node)).or_default();
                    edges.insert(key.clone(), edge.clone());
                }
            } else if let Some(node) = of.first() {
                let rows = self.hanging.entry((space, *node)).or_default();
                if rows.iter().all(|known| known.key() != key) {
                    rows.push(row);
                }
            }
        }
    }
}
