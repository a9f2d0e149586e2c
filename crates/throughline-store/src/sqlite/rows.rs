//! Rows in and out of their tables, and the indexes that are kept beside them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use throughline_core::change::Erased;
use throughline_core::fold::View;
use throughline_core::{
    Cardinality, Leaf, Memory, MemoryId, NodeId, Row, RowKey, Slot, SpaceId, Table, words,
};

use super::{documents, log, secrets, text};
use crate::apply::Writable;
use crate::body::{checksum, parse};
use crate::damage::unless_rotten;
use crate::query::TextOf;
use crate::tables::text_of;
use crate::{Error, Result};

/// Rows that one batch keeps at hand.
const AT_HAND_MAX: usize = 8_192;

/// The tables, seen through a connection that is inside a transaction.
pub(super) struct SqlTables<'c> {
    pub(super) connection: &'c Connection,
    /// Rows as they are now, where this is the one who writes: a batch asks for the same few rows when it is planned, when
    /// it is folded and when it is written, and to read a row back takes longer than to copy it.
    at_hand: Option<RefCell<HashMap<RowKey, Option<Row>>>>,
}

impl<'c> SqlTables<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, at_hand: None }
    }

    /// The tables for the writer of a batch: nobody else changes a row until the transaction ends.
    pub(super) fn for_writer(connection: &'c Connection) -> Self {
        Self { connection, at_hand: Some(RefCell::default()) }
    }

    /// Keeps a row at hand as it is now.
    fn note(&self, key: &RowKey, row: Option<&Row>) {
        if let Some(at_hand) = &self.at_hand {
            let mut at_hand = at_hand.borrow_mut();
            if at_hand.len() >= AT_HAND_MAX {
                at_hand.clear();
            }
            at_hand.insert(key.clone(), row.cloned());
        }
    }

    fn read(&self, key: &RowKey) -> Result<Option<Row>> {
        let mut get = self.connection.prepare_cached(statements(key.table).get)?;
        let found = get
            .query_row(params![key.space.0, key.key], |row| {
                let both = text_at(row, 0).and_then(|body| Ok((body, text_at(row, 1)?)));
                Ok(both.map(|(body, hash)| parse(key.table, &key.key, body, hash)))
            })
            .optional()?;
        let bad = |detail| Error::BadRow { what: format!("{} {}", key.table, key.key), detail };
        found.map(|read| read.map_err(bad).and_then(|row| row)).transpose()
    }
}

/// The statements of one table. SQL is static text; names of tables never come from data.
struct Statements {
    get: &'static str,
    put: &'static str,
    delete: &'static str,
    all: &'static str,
}

macro_rules! statements {
    ($table:literal) => {
        Statements {
            get: concat!("SELECT body, hash FROM ", $table, " WHERE space = ?1 AND key = ?2"),
            put: concat!(
                "INSERT INTO ",
                $table,
                " (space, key, body, hash) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (space, key) DO UPDATE SET body = excluded.body, hash = excluded.hash"
            ),
            delete: concat!("DELETE FROM ", $table, " WHERE space = ?1 AND key = ?2"),
            all: concat!("SELECT space, key, body, hash FROM ", $table),
        }
    };
}

fn statements(table: Table) -> Statements {
    match table {
        Table::Space => Statements {
            put:
                "INSERT INTO space (space, key, body, hash, no)
                  VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(no), 0) + 1 FROM space))
                  ON CONFLICT (space, key) DO UPDATE SET body = excluded.body, hash = excluded.hash",
            ..statements!("space")
        },
        Table::Memory => statements!("memory"),
        Table::Evidence => statements!("evidence"),
        Table::Watermark => statements!("watermark"),
        Table::Usage => statements!("usage"),
        Table::Entity => statements!("entity"),
        Table::Edge => statements!("edge"),
        Table::Episode => statements!("episode"),
        Table::Session => statements!("session"),
        Table::Injection => statements!("injection"),
        Table::Tombstone => statements!("tombstone"),
        Table::Pending => statements!("pending"),
        Table::Leaf => statements!("leaf"),
    }
}

/// Every row of a table: space, key, body and hash as they are.
pub(super) fn raw(
    connection: &Connection,
    table: Table,
) -> Result<Vec<(SpaceId, String, String, String)>> {
    let mut all = connection.prepare(statements(table).all)?;
    // What is no text any more has another hash, which is noticed by whoever compares it.
    let text = |row: &rusqlite::Row<'_>, column| -> rusqlite::Result<String> {
        let bytes = row.get_ref(column)?.as_bytes()?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    };
    let rows = all.query_map([], |row| {
        Ok((SpaceId(row.get(0)?), text(row, 1)?, text(row, 2)?, text(row, 3)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Hands over every row of a table: space, key, body and hash. What is no text any more is passed over.
pub(super) fn each_raw(
    connection: &Connection,
    table: Table,
    each: &mut dyn FnMut(SpaceId, &str, &str, &str) -> Result<()>,
) -> Result<()> {
    let mut all = connection.prepare(statements(table).all)?;
    let mut found = all.query([])?;
    while let Some(row) = found.next()? {
        if let (Ok(key), Ok(body), Ok(hash)) = (text_at(row, 1), text_at(row, 2), text_at(row, 3)) {
            each(SpaceId(row.get(0)?), key, body, hash)?;
        }
    }
    Ok(())
}

/// Reads the bodies and hashes that a query returns as its first three columns (key, body, hash).
/// A rotten row is left out, and listed as such.
pub(super) fn collect<P: rusqlite::Params>(
    connection: &Connection,
    table: Table,
    sql: &'static str,
    params: P,
) -> Result<Vec<Row>> {
    each(connection, table, sql, params, &mut |row| unless_rotten(row))
}

/// The same for who is about to change what is read: a rotten row is an error.
pub(super) fn collect_all<P: rusqlite::Params>(
    connection: &Connection,
    table: Table,
    sql: &'static str,
    params: P,
) -> Result<Vec<Row>> {
    each(connection, table, sql, params, &mut |row| row.map(Some))
}

fn each<P: rusqlite::Params>(
    connection: &Connection,
    table: Table,
    sql: &'static str,
    params: P,
    keep: &mut dyn FnMut(Result<Row>) -> Result<Option<Row>>,
) -> Result<Vec<Row>> {
    let mut query = connection.prepare_cached(sql)?;
    let mut found = query.query(params)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let key = text_at(row, 0).unwrap_or("?");
        let read = text_at(row, 1)
            .and_then(|body| Ok((body, text_at(row, 2)?)))
            .map_err(|detail| Error::BadRow { what: format!("{table} {key}"), detail })
            .and_then(|(body, hash)| parse(table, key, body, hash));
        rows.extend(keep(read)?);
    }
    Ok(rows)
}

/// The text of a column, or why it is none.
fn text_at<'r>(row: &'r rusqlite::Row<'_>, column: usize) -> std::result::Result<&'r str, String> {
    let value = row.get_ref(column).map_err(|error| error.to_string())?;
    value.as_str().map_err(|_| "it is not text".to_owned())
}

/// The same for a query on memories.
pub(super) fn memories<P: rusqlite::Params>(
    connection: &Connection,
    sql: &'static str,
    params: P,
) -> Result<Vec<Memory>> {
    let rows = collect(connection, Table::Memory, sql, params)?;
    Ok(rows.into_iter().filter_map(Row::into_memory).collect())
}

impl View for SqlTables<'_> {
    type Error = Error;

    fn row(&self, key: &RowKey) -> Result<Option<Row>> {
        let known = self.at_hand.as_ref().and_then(|rows| rows.borrow().get(key).cloned());
        if let Some(row) = known {
            return Ok(row);
        }
        let row = self.read(key)?;
        self.note(key, row.as_ref());
        Ok(row)
    }

    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>> {
        attached(self.connection, space, &[node], collect_all)
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        memories(
            self.connection,
            "SELECT key, body, hash FROM memory INDEXED BY memory_successor
             WHERE space = ?1 AND superseded_by = ?2 ORDER BY key",
            params![space.0, id.to_string()],
        )
    }
}

/// How rows are read: without those that are rotten, or all or none.
pub(super) type Collect = fn(&Connection, Table, &'static str, (i64, String)) -> Result<Vec<Row>>;

/// Rows that belong to some nodes, each once, by key.
pub(super) fn attached(
    connection: &Connection,
    space: SpaceId,
    nodes: &[NodeId],
    collect: Collect,
) -> Result<Vec<Row>> {
    let mut found = BTreeMap::new();
    let memories = text_list(nodes.iter().filter_map(|node| node.memory()));
    let names = text_list(nodes.iter());
    for (table, list, sql) in [
        (
            Table::Evidence,
            &memories,
            "SELECT key, body, hash FROM evidence INDEXED BY evidence_memory
             WHERE space = ?1 AND memory IN (SELECT value FROM json_each(?2))",
        ),
        (
            Table::Watermark,
            &memories,
            "SELECT key, body, hash FROM watermark INDEXED BY watermark_memory
             WHERE space = ?1 AND memory IN (SELECT value FROM json_each(?2))",
        ),
        (
            Table::Usage,
            &memories,
            "SELECT key, body, hash FROM usage
             WHERE space = ?1 AND key IN (SELECT value FROM json_each(?2))",
        ),
        (
            Table::Leaf,
            &memories,
            "SELECT key, body, hash FROM leaf INDEXED BY leaf_memory
             WHERE space = ?1 AND memory IN (SELECT value FROM json_each(?2))",
        ),
        (
            Table::Edge,
            &names,
            "SELECT key, body, hash FROM edge INDEXED BY edge_src
             WHERE space = ?1 AND src IN (SELECT value FROM json_each(?2))
             UNION ALL
             SELECT key, body, hash FROM edge INDEXED BY edge_dst
             WHERE space = ?1 AND dst IN (SELECT value FROM json_each(?2))",
        ),
    ] {
        for row in collect(connection, table, sql, (space.0, list.clone()))? {
            found.insert(row.key(), row);
        }
    }
    Ok(found.into_values().collect())
}

/// The texts that are kept word for word on a shelf, in its order.
pub(super) fn leaves(connection: &Connection, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>> {
    let rows = collect(
        connection,
        Table::Leaf,
        "SELECT key, body, hash FROM leaf INDEXED BY leaf_place
         WHERE space = ?1 AND shelf = ?2 ORDER BY place, key",
        params![space.0, shelf],
    )?;
    Ok(rows.into_iter().filter_map(Row::into_leaf).collect())
}

/// Texts as one parameter of a statement.
pub(super) fn text_list<T: std::fmt::Display>(texts: impl Iterator<Item = T>) -> String {
    let list: Vec<String> = texts.map(|text| text.to_string()).collect();
    serde_json::to_string(&list).expect("a list of texts is JSON")
}

impl Writable for SqlTables<'_> {
    fn put(&mut self, row: &Row) -> Result<()> {
        let key = row.key();
        let old = self.row(&key)?;
        let body = row.body();
        self.connection.prepare_cached(statements(key.table).put)?.execute(params![
            key.space.0,
            key.key,
            body,
            checksum(&body)
        ])?;
        self.note(&key, Some(row));
        self.index(&key, old.as_ref(), Some(row))
    }

    fn delete(&mut self, key: &RowKey) -> Result<()> {
        let old = self.row(key)?;
        self.index(key, old.as_ref(), None)?;
        self.connection
            .prepare_cached(statements(key.table).delete)?
            .execute(params![key.space.0, key.key])?;
        self.note(key, None);
        Ok(())
    }

    fn knows_batch(&self, batch: throughline_core::BatchId) -> Result<bool> {
        log::knows_batch(self.connection, batch)
    }

    fn knows_space(&self, space: SpaceId) -> Result<bool> {
        let mut known = self.connection.prepare_cached("SELECT 1 FROM space WHERE space = ?1")?;
        Ok(known.exists([space.0])?)
    }

    fn next_seq(&self) -> Result<u64> {
        log::next_seq(self.connection)
    }

    fn open_batch(
        &mut self,
        batch: &throughline_core::Batch,
        first_seq: u64,
        last_seq: u64,
    ) -> Result<()> {
        log::open_batch(self.connection, batch, first_seq, last_seq)
    }

    fn append(
        &mut self,
        batch: &throughline_core::Batch,
        logged: &throughline_core::Logged,
    ) -> Result<()> {
        log::append(self.connection, batch, logged)
    }

    fn scrub(&mut self, erased: &Erased) -> Result<()> {
        match &erased.secret {
            Some(secret) => secrets::scrub(self.connection, erased.space, secret),
            None => log::scrub(self.connection, erased),
        }
    }
}

impl SqlTables<'_> {
    /// Keeps the derived tables in step with a row that changed from `old` to `new`.
    fn index(&self, key: &RowKey, old: Option<&Row>, new: Option<&Row>) -> Result<()> {
        match key.table {
            Table::Memory => {
                let slot = |row: Option<&Row>| match row {
                    Some(Row::Memory(memory)) => memory.slot.clone(),
                    _ => None,
                };
                self.index_slot(key, slot(old).as_ref(), slot(new).as_ref())?;
                self.index_text(TextOf::Memories, key, old, new)?;
                match (old, new) {
                    (Some(_), Some(Row::Memory(memory))) if text_of(old) == text_of(new) => {
                        let document = text::document(self.connection, TextOf::Memories, key)?;
                        document.map_or(Ok(()), |document| {
                            documents::follow(self.connection, memory, document)
                        })
                    }
                    _ => Ok(()),
                }
            }
            Table::Episode => self.index_text(TextOf::Episodes, key, old, new),
            Table::Entity => {
                if text_of(old) != text_of(new) {
                    self.drop_vectors(key)?;
                }
                self.index_names(key, new)
            }
            Table::Space
            | Table::Evidence
            | Table::Watermark
            | Table::Usage
            | Table::Edge
            | Table::Session
            | Table::Injection
            | Table::Tombstone
            | Table::Leaf
            | Table::Pending => Ok(()),
        }
    }

    fn index_slot(&self, key: &RowKey, old: Option<&Slot>, new: Option<&Slot>) -> Result<()> {
        if old == new {
            return Ok(());
        }
        if old.is_some() {
            self.connection
                .prepare_cached(
                    "DELETE FROM slot INDEXED BY slot_memory WHERE space = ?1 AND memory = ?2",
                )?
                .execute(params![key.space.0, key.key])?;
        }
        if let Some(slot) = new {
            let single = slot.cardinality == Cardinality::One;
            self.connection
                .prepare_cached(
                    "INSERT INTO slot (space, slot, memory, value, single) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![key.space.0, slot.key(), key.key, slot.value(), single])?;
        }
        Ok(())
    }

    /// Vectors go with the text they were made from.
    fn drop_vectors(&self, key: &RowKey) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM embedding WHERE space = ?1 AND node = ?2")?
            .execute(params![key.space.0, node_name(key)])?;
        Ok(())
    }

    fn index_names(&self, key: &RowKey, new: Option<&Row>) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM alias WHERE space = ?1 AND entity = ?2")?
            .execute(params![key.space.0, key.key])?;
        if new.is_none() {
            self.drop_vectors(key)?;
        }
        if let Some(Row::Entity(entity)) = new {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO alias (space, name, entity) VALUES (?1, ?2, ?3)")?;
            for name in entity.names() {
                insert.execute(params![key.space.0, name, key.key])?;
            }
        }
        Ok(())
    }

    fn index_text(
        &self,
        of: TextOf,
        key: &RowKey,
        old: Option<&Row>,
        new: Option<&Row>,
    ) -> Result<()> {
        if text_of(old) == text_of(new) {
            return Ok(());
        }
        if old.is_some() {
            if let Some(document) = text::document(self.connection, of, key)? {
                documents::remove(self.connection, of, key, document)?;
            }
            text::remove(self.connection, of, key)?;
            self.drop_vectors(key)?;
        }
        if let (Some(row), Some(text)) = (new, text_of(new)) {
            let document = text::add(self.connection, of, key, &words::terms(&text))?;
            documents::add(self.connection, row, document)?;
        }
        Ok(())
    }
}

/// The name of the node that a memory's or an episode's row stands for.
pub(super) fn node_name(key: &RowKey) -> String {
    crate::tables::nodes_of_key(key).first().map(ToString::to_string).unwrap_or_default()
}

/// The spaces of a query, each once.
pub(super) fn distinct(spaces: &[SpaceId]) -> Vec<SpaceId> {
    let mut distinct = spaces.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
