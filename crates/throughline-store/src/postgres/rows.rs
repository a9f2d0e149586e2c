//! Rows in and out of their tables: which columns each has, and how what is found is read back.

use std::cell::RefCell;

use throughline_core::text::sha256_hex;
use throughline_core::{Cardinality, Memory, Row, RowKey, Slot, SpaceId, Table};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::foresee::ForeseenRows;
use super::lease::Wire;
use super::link::{Param, Statement};
use crate::Result;
use crate::body::{checksum, parse};
use crate::damage::unless_rotten;

/// The tables, seen through a connection that is inside a transaction.
pub(super) struct PgTables<L> {
    pub(super) link: L,
    /// The wall of the person's own space.
    own: i64,
    /// What was read before it is asked for.
    pub(super) kept: RefCell<ForeseenRows>,
}

impl<L: Wire> PgTables<L> {
    pub(super) fn new(link: L) -> Self {
        let own = own_wall(&link.role);
        Self { link, own, kept: RefCell::default() }
    }

    /// The wall that a space lies behind in the database. What holds everywhere for a person holds for
    /// nobody else, so that each person has a wall of their own for it.
    pub(super) fn wall(&self, space: SpaceId) -> i64 {
        if space == SpaceId::GLOBAL { self.own } else { space.0 }
    }

    /// The space behind a wall.
    pub(super) fn space(&self, wall: i64) -> SpaceId {
        if wall == self.own { SpaceId::GLOBAL } else { SpaceId(wall) }
    }

    /// The walls of spaces, each once, in the order of the spaces.
    pub(super) fn walls(&self, spaces: &[SpaceId]) -> Vec<i64> {
        let mut distinct = spaces.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.into_iter().map(|space| self.wall(space)).collect()
    }

    /// Runs a query that returns key, body and hash first. A rotten row is left out, and listed as
    /// such.
    pub(super) fn collect(
        &self,
        table: Table,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>> {
        let found = self.link.query(sql, params)?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            rows.extend(unless_rotten(read(table, row))?);
        }
        Ok(rows)
    }

    /// The same for a query on memories.
    pub(super) fn memories_by(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Memory>> {
        let rows = self.collect(Table::Memory, sql, params)?;
        Ok(rows.into_iter().filter_map(Row::into_memory).collect())
    }
}

/// Reads a row that begins with key, body and hash.
pub(super) fn read(table: Table, row: &PgRow) -> Result<Row> {
    parse(table, row.get(0), row.get(1), row.get(2))
}

/// The wall of a person's own space, by their role.
pub(super) fn own_wall(role: &str) -> i64 {
    let hash = sha256_hex(format!("person {role}").as_bytes());
    let number = u64::from_str_radix(&hash[..16], 16).unwrap_or(1);
    // Nobody's wall is zero, which stands for the own space of whoever asks.
    number.cast_signed() | 1
}

/// A value of a column.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    Text(Option<String>),
    Number(i64),
    Truth(bool),
}

#[expect(clippy::needless_pass_by_value, reason = "most are small, and some are made for it")]
fn text(text: impl ToString) -> Cell {
    Cell::Text(Some(text.to_string()))
}

fn maybe(text: Option<impl ToString>) -> Cell {
    Cell::Text(text.map(|text| text.to_string()))
}

fn number(number: u64) -> Cell {
    Cell::Number(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The columns of a table beside space, key, body and hash, in the order of [`cells`].
fn columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::Memory => &[
            "session",
            "kind",
            "state",
            "fingerprint",
            "domain",
            "authority",
            "recorded_at",
            "superseded_by",
            "triggers",
            "unresolved",
        ],
        Table::Evidence | Table::Watermark => &["memory"],
        Table::Entity => &["kind"],
        Table::Edge => &["src", "relation", "dst"],
        Table::Episode => &["session", "position"],
        Table::Session => &["turns", "fired", "probes"],
        Table::Injection => &["at", "memories"],
        Table::Tombstone => &["fingerprint", "slot", "memory"],
        Table::Pending => &["at"],
        Table::Leaf => &["memory", "shelf", "place"],
        Table::Space | Table::Usage => &[],
    }
}

/// What a row has in the columns of its table.
fn cells(row: &Row) -> Vec<Cell> {
    match row {
        Row::Memory(one) => vec![
            maybe(one.session.as_ref()),
            text(one.kind),
            text(one.state),
            text(&one.fingerprint.0),
            maybe(one.domain.as_ref()),
            text(one.authority),
            Cell::Number(one.recorded_at.as_millis()),
            maybe(one.superseded_by),
            Cell::Truth(!one.triggers.is_empty()),
            Cell::Truth(one.unresolved.is_some()),
        ],
        Row::Evidence(one) => vec![text(one.memory)],
        Row::Watermark(one) => vec![text(one.memory)],
        Row::Entity(one) => vec![text(one.kind)],
        Row::Edge(one) => vec![text(one.from), text(one.relation), text(one.to)],
        Row::Episode(one) => vec![text(&one.session), number(one.position)],
        Row::Session(one) => vec![number(one.turns), number(one.fired), number(one.probes)],
        Row::Injection(one) => {
            let shown: Vec<String> = one.memories.iter().map(ToString::to_string).collect();
            vec![Cell::Number(one.at.as_millis()), text(shown.join(" "))]
        }
        Row::Tombstone(one) => vec![
            text(&one.fingerprint.0),
            maybe(one.slot.as_ref().map(|slot| &slot.0)),
            text(one.memory),
        ],
        Row::Pending(one) => vec![Cell::Number(one.at.as_millis())],
        Row::Leaf(one) => vec![text(one.memory), text(&one.shelf), leaf_place(one)],
        Row::Space(_) | Row::Usage(_) => Vec::new(),
    }
}

fn leaf_place(leaf: &throughline_core::Leaf) -> Cell {
    Cell::Number(i64::try_from(leaf.order).unwrap_or(i64::MAX))
}

/// Values of one column, one for each row.
pub(super) enum Column {
    Texts(Vec<Option<String>>),
    Numbers(Vec<i64>),
    Truths(Vec<bool>),
}

impl Column {
    fn param(&self) -> Param<'_> {
        match self {
            Self::Texts(texts) => (texts, Type::TEXT_ARRAY),
            Self::Numbers(numbers) => (numbers, Type::INT8_ARRAY),
            Self::Truths(truths) => (truths, Type::BOOL_ARRAY),
        }
    }

    fn sql_type(&self) -> &'static str {
        match self {
            Self::Texts(_) => "text[]",
            Self::Numbers(_) => "bigint[]",
            Self::Truths(_) => "boolean[]",
        }
    }
}

/// Rows of one table as columns, ready to be put in one statement.
pub(super) struct Columns {
    table: Table,
    columns: Vec<Column>,
}

impl Columns {
    /// The rows of one table; there is at least one.
    pub(super) fn of(table: Table, rows: &[(i64, &Row)]) -> Self {
        let mut all: Vec<Vec<Cell>> = Vec::new();
        for (wall, row) in rows {
            let body = row.body();
            let hash = checksum(&body);
            let mut line = vec![Cell::Number(*wall), text(row.key().key), text(body), text(hash)];
            line.extend(cells(row));
            all.push(line);
        }
        let width = columns(table).len() + 4;
        let columns = (0..width).map(|at| column(all.iter().map(|line| &line[at]))).collect();
        Self { table, columns }
    }

    /// The statement that puts them.
    pub(super) fn put(&self) -> Statement<'_> {
        let names = ["space", "key", "body", "hash"].iter().chain(columns(self.table));
        let names: Vec<&str> = names.copied().collect();
        let arrays = self.columns.iter().enumerate();
        let arrays: Vec<String> =
            arrays.map(|(at, one)| format!("${}::{}", at + 1, one.sql_type())).collect();
        let set: Vec<String> =
            names[2..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
        let sql = format!(
            "INSERT INTO {} ({}) SELECT * FROM unnest({})
             ON CONFLICT (space, key) DO UPDATE SET {}",
            self.table,
            names.join(", "),
            arrays.join(", "),
            set.join(", ")
        );
        Statement { sql, params: self.columns.iter().map(Column::param).collect() }
    }
}

fn column<'c>(cells: impl Iterator<Item = &'c Cell> + Clone) -> Column {
    match cells.clone().next() {
        Some(Cell::Number(_)) => Column::Numbers(
            cells.map(|cell| if let Cell::Number(it) = cell { *it } else { 0 }).collect(),
        ),
        Some(Cell::Truth(_)) => {
            Column::Truths(cells.map(|cell| matches!(cell, Cell::Truth(true))).collect())
        }
        Some(Cell::Text(_)) | None => Column::Texts(
            cells.map(|cell| if let Cell::Text(it) = cell { it.clone() } else { None }).collect(),
        ),
    }
}

/// Names of rows of one table, as two parameters.
pub(super) struct Keys {
    pub(super) walls: Vec<i64>,
    pub(super) keys: Vec<String>,
}

impl Keys {
    pub(super) fn of<'k>(keys: impl Iterator<Item = (i64, &'k RowKey)>) -> Self {
        let (walls, keys) = keys.map(|(wall, key)| (wall, key.key.clone())).unzip();
        Self { walls, keys }
    }

    /// A statement that finds each of them by `sql`, whose first two parameters they are.
    pub(super) fn statement(&self, sql: String) -> Statement<'_> {
        let params: Vec<Param<'_>> =
            vec![(&self.walls, Type::INT8_ARRAY), (&self.keys, Type::TEXT_ARRAY)];
        Statement { sql, params }
    }
}

/// The slot of a memory as its table keeps it: name, value, and whether there is only one.
pub(super) fn slot_cells(slot: &Slot) -> (String, String, bool) {
    (slot.key(), slot.value(), slot.cardinality == Cardinality::One)
}
