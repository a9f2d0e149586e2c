//! Looking rows up on a server: by key, by what they hang on, or all of a table.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{NodeId, Row, RowKey, SpaceId, Table};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::link::Statement;
use super::log::{NOT_ANOTHERS, Rotten};
use super::rows::{Keys, PgTables, read};
use crate::Result;
use crate::damage::unless_rotten;

/// Keys of rows, as parameters.
pub(super) struct RowColumns {
    by_table: Vec<(Table, Keys)>,
}

impl RowColumns {
    pub(super) fn of<'k, L: Wire>(
        tables: &PgTables<L>,
        wanted: impl IntoIterator<Item = &'k RowKey>,
    ) -> Self {
        let mut by_table: BTreeMap<Table, Vec<&RowKey>> = BTreeMap::new();
        for key in wanted {
            by_table.entry(key.table).or_default().push(key);
        }
        let columns = |keys: Vec<&RowKey>| {
            Keys::of(keys.into_iter().map(|key| (tables.wall(key.space), key)))
        };
        let by_table = by_table.into_iter().map(|(table, keys)| (table, columns(keys))).collect();
        Self { by_table }
    }

    /// The statements that find them, one for each table.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        let all = self.by_table.iter().map(|(table, keys)| {
            keys.statement(format!(
                "SELECT t.key, t.body, t.hash
                 FROM unnest($1::bigint[], $2::text[]) AS w (space, key)
                 JOIN {table} AS t USING (space, key)"
            ))
        });
        all.collect()
    }

    /// The rows that were found, and the tables of which some could not be read back.
    pub(super) fn rows(
        &self,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
        rotten: Rotten,
    ) -> Result<(BTreeMap<RowKey, Row>, BTreeSet<Table>)> {
        let (mut rows, mut damaged) = (BTreeMap::new(), BTreeSet::new());
        for (table, _) in &self.by_table {
            for row in answers.next().unwrap_or_default() {
                let row = match rotten {
                    Rotten::LeftOut => unless_rotten(read(*table, &row))?,
                    Rotten::Refused => Some(read(*table, &row)?),
                };
                match row {
                    Some(row) => drop(rows.insert(row.key(), row)),
                    None => drop(damaged.insert(*table)),
                }
            }
        }
        Ok((rows, damaged))
    }
}

/// Nodes on which rows hang, as parameters.
pub(super) struct HangingColumns {
    pub(super) space: SpaceId,
    pub(super) nodes: Vec<NodeId>,
    wall: i64,
    memories: Vec<String>,
    names: Vec<String>,
}

/// What hangs on nodes: the tables, and which of their rows. Only edges hang on other nodes than memories.
const HANGING: [(Table, &str); 5] = [
    (Table::Evidence, "memory = ANY($2)"),
    (Table::Watermark, "memory = ANY($2)"),
    (Table::Usage, "key = ANY($2)"),
    (Table::Leaf, "memory = ANY($2)"),
    (Table::Edge, "(src = ANY($2) OR dst = ANY($2))"),
];

impl HangingColumns {
    pub(super) fn of<L: Wire>(tables: &PgTables<L>, space: SpaceId, nodes: Vec<NodeId>) -> Self {
        let memories = nodes.iter().filter_map(|node| node.memory());
        let memories = memories.map(|id| id.to_string()).collect();
        let names = nodes.iter().map(ToString::to_string).collect();
        Self { space, wall: tables.wall(space), memories, names, nodes }
    }

    /// The statements that find the rows, one for each table.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        let of = |table| if table == Table::Edge { &self.names } else { &self.memories };
        let all = HANGING.iter().map(|(table, fits)| Statement {
            sql: format!("SELECT key, body, hash FROM {table} WHERE space = $1 AND {fits}"),
            params: vec![(&self.wall, Type::INT8), (of(*table), Type::TEXT_ARRAY)],
        });
        all.collect()
    }

    /// The rows that were found.
    pub(super) fn rows(
        &self,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
        rotten: Rotten,
    ) -> Result<BTreeMap<RowKey, Row>> {
        let mut rows = BTreeMap::new();
        for ((table, _), found) in HANGING.iter().zip(answers) {
            for row in &found {
                let row = match rotten {
                    Rotten::LeftOut => unless_rotten(read(*table, row))?,
                    Rotten::Refused => Some(read(*table, row)?),
                };
                rows.extend(row.map(|row| (row.key(), row)));
            }
        }
        Ok(rows)
    }
}

impl<L: Wire> PgTables<L> {
    /// Rows by key, in one round trip. What cannot be read back is an error or left out.
    pub(super) fn rows_by_key(
        &self,
        wanted: &[RowKey],
        rotten: Rotten,
    ) -> Result<BTreeMap<RowKey, Row>> {
        let columns = RowColumns::of(self, wanted);
        if columns.by_table.is_empty() {
            return Ok(BTreeMap::new());
        }
        let found = self.link.all(&columns.statements())?;
        Ok(columns.rows(&mut found.into_iter(), rotten)?.0)
    }

    /// Rows that belong to some nodes, each once, by key.
    pub(super) fn attached_to(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        rotten: Rotten,
    ) -> Result<BTreeMap<RowKey, Row>> {
        let hanging = HangingColumns::of(self, space, nodes.to_vec());
        let found = self.link.all(&hanging.statements())?;
        hanging.rows(&mut found.into_iter(), rotten)
    }

    /// Every row of a table that is not another person's own: wall, key, body and hash as they are.
    pub(super) fn raw(&self, table: Table) -> Result<Vec<(i64, String, String, String)>> {
        let sql = format!("SELECT space, key, body, hash FROM {table} WHERE {NOT_ANOTHERS}");
        let rows = self.link.query(&sql, &[])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect())
    }
}
