//! Undo: putting the rows of a batch back as they were, unless something later was built on them.

use std::collections::BTreeMap;

use crate::row::Image;
use crate::{
    Batch, BatchId, Change, Fingerprint, Logged, NodeId, Relation, Row, RowKey, Ruling, Table,
};

/// Why a batch cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoRefusal {
    /// What it erased is gone.
    #[error(
        "batch {} erased something for good, or holds what was erased since; it cannot be undone",
        .0.handle()
    )]
    Erased(BatchId),
    /// A later batch changed the same thing.
    #[error("{row} was changed again by batch {}; undo that one first", .by.handle())]
    ChangedSince {
        /// What.
        row: String,
        /// By which batch.
        by: BatchId,
    },
    /// Something that came later is attached to what would be removed.
    #[error("{what} was added later to {on}, which this would remove")]
    BuiltUpon {
        /// What was added.
        what: String,
        /// To what.
        on: String,
    },
    /// Something it would put back refers to what is gone.
    #[error("{0} is gone, but what would come back refers to it")]
    Gone(NodeId),
    /// It has no effect left to undo.
    #[error("batch {} changed nothing that is still there", .0.handle())]
    Nothing(BatchId),
}

/// Connections that use, the reader and sleep make by themselves, and that say nothing without both ends.
const NOTED: [Relation; 4] =
    [Relation::CoUsed, Relation::InBox, Relation::InCluster, Relation::LaterSaid];

/// What must be known about a row that the batch touched.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// What it holds now.
    pub now: Option<Row>,
    /// The first later change that touched it, and what the row held before that.
    pub next: Option<(BatchId, Option<Row>)>,
    /// What is attached to it now, if it is a node.
    pub attached: Vec<Row>,
}

/// Plans the change that undoes a batch, from its logged changes and what became of their rows.
pub fn plan(
    batch: &Batch,
    logged: &[Logged],
    touched: &BTreeMap<RowKey, Touched>,
) -> Result<Change, UndoRefusal> {
    let erases = |change: &Change| {
        matches!(
            change,
            Change::Purge(_)
                | Change::Expunge(_)
                | Change::Silence { .. }
                | Change::Redact { .. }
                | Change::Decide { ruling: Ruling::Erased, .. }
        )
    };
    if batch.changes.iter().any(erases) {
        return Err(UndoRefusal::Erased(batch.id));
    }
    // The first image of a row is what it was before the whole batch.
    let mut before: BTreeMap<RowKey, Option<Row>> = BTreeMap::new();
    for image in logged.iter().flat_map(|one| &one.before) {
        before.entry(image.key.clone()).or_insert_with(|| image.row.clone());
    }
    // A row that is as it was needs nothing, however often it changed in between.
    // A wall stays once it stands, and a session took place: nobody reads it twice because of an undo.
    before.retain(|key, _| !matches!(key.table, Table::Space | Table::Session));
    before.retain(|key, row| touched.get(key).and_then(|one| one.now.as_ref()) != row.as_ref());
    let erased = |row: &Option<Row>| match row {
        Some(Row::Memory(memory)) => memory.fingerprint == Fingerprint::erased(),
        Some(Row::Pending(pending)) => pending.is_erased(),
        Some(Row::Episode(turn)) => turn.is_erased(),
        _ => false,
    };
    if before.values().any(erased) {
        return Err(UndoRefusal::Erased(batch.id));
    }
    for key in before.keys() {
        refuse_if_changed(key, touched)?;
    }
    let mut rows: Vec<Image> = Vec::new();
    for (key, row) in &before {
        if row.is_none() {
            rows.extend(remove_attached(key, &before, touched)?);
        }
        rows.push(Image { key: key.clone(), row: row.clone() });
    }
    if rows.is_empty() {
        return Err(UndoRefusal::Nothing(batch.id));
    }
    Ok(Change::Restore { batch: batch.id, rows })
}

/// A row may have been changed and changed back; only a lasting difference stands in the way.
fn refuse_if_changed(key: &RowKey, touched: &BTreeMap<RowKey, Touched>) -> Result<(), UndoRefusal> {
    let Some(Touched { now, next: Some((by, left)), .. }) = touched.get(key) else {
        return Ok(());
    };
    if now == left || key.table == Table::Usage {
        return Ok(());
    }
    Err(UndoRefusal::ChangedSince { row: named(key), by: *by })
}

/// A row as people know it: what it is, and the end of its id.
fn named(key: &RowKey) -> String {
    let short = key.key.char_indices().nth_back(7).map_or(0, |(at, _)| at);
    format!("{} {}", key.table, &key.key[short..])
}

/// What was added to a node, as people know it.
fn added(row: &Row) -> String {
    if let Row::Edge(edge) = row {
        return format!("the connection \"{}\"", edge.relation.in_words());
    }
    named(&row.key())
}

/// The rows that go with a node when its making is undone: its own counters, and what use and sleep noted of it
/// beside others. Anything else that the batch did not make itself was built on it later.
fn remove_attached(
    key: &RowKey,
    before: &BTreeMap<RowKey, Option<Row>>,
    touched: &BTreeMap<RowKey, Touched>,
) -> Result<Vec<Image>, UndoRefusal> {
    let mut gone = Vec::new();
    let attached = touched.get(key).map(|one| one.attached.as_slice()).unwrap_or_default();
    for row in attached {
        let its_key = row.key();
        if before.contains_key(&its_key) {
            continue;
        }
        let is_noted = matches!(row, Row::Edge(edge) if NOTED.contains(&edge.relation));
        if its_key.table != Table::Usage && !is_noted {
            return Err(UndoRefusal::BuiltUpon { what: added(row), on: named(key) });
        }
        gone.push(Image { key: its_key, row: None });
    }
    Ok(gone)
}
