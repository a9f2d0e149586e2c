//! Writing to a server: a batch is folded in memory over what is read, and written in one round trip.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use throughline_core::change::{Erased, scrub, scrub_images};
use throughline_core::fold::View;
use throughline_core::row::Extra;
use throughline_core::{
    Batch, BatchId, Logged, Memory, MemoryId, NodeId, Row, RowKey, SpaceId, Table,
};
use tokio_postgres::types::Type;

use super::documents::{Place, Rewrite, searched_in, what};
use super::link::{Link, Statement};
use super::log::Rotten;
use super::lookup::RowColumns;
use super::places::PlaceColumns;
use super::rows::PgTables;
use crate::apply::{Writable, looked_at};
use crate::store::{Reader, StoredBatch};
use crate::tables::touches_erased;
use crate::{Error, Result};

/// Tables of a server inside a writing transaction. Nothing is sent before [`Writing::finish`].
pub(super) struct Writing<'l> {
    pub(super) tables: PgTables<&'l Link>,
    /// The rows as the server has them, as far as they were looked at.
    pub(super) known: RefCell<BTreeMap<RowKey, Option<Row>>>,
    /// The rows as they are to be.
    pub(super) now: BTreeMap<RowKey, Option<Row>>,
    /// How many numbers the batch takes. The server says after which one, when it is committed.
    pub(super) numbers: u64,
    /// The documents that were looked at.
    pub(super) rewrite: Rewrite,
    /// The batches and spaces that were looked for, and whether they are there.
    seen: RefCell<SeenRows>,
    pub(super) opened: Option<StoredBatch>,
    pub(super) logged: Vec<Logged>,
    /// Changes of the log that are to be written anew.
    pub(super) scrubbed: BTreeMap<u64, Logged>,
    /// Batches of the log that lose the words about them.
    pub(super) bare: Vec<StoredBatch>,
    /// Tombstones whose erasure is due: the wall, and the id they stand for.
    pub(super) buried: BTreeSet<(i64, String)>,
}

/// What was looked for, and whether it is there.
#[derive(Debug, Default)]
struct SeenRows {
    batches: BTreeMap<BatchId, bool>,
    spaces: BTreeMap<SpaceId, bool>,
}

const KNOWS_BATCH: &str = "SELECT 1 FROM batch WHERE key = $1 LIMIT 1";
const SPACES: &str = "SELECT DISTINCT space FROM space WHERE space = ANY($1)";

impl<'l> Writing<'l> {
    pub(super) fn new(link: &'l Link) -> Self {
        Self {
            tables: PgTables::new(link),
            known: RefCell::default(),
            now: BTreeMap::new(),
            numbers: 0,
            rewrite: Rewrite::default(),
            seen: RefCell::default(),
            opened: None,
            logged: Vec::new(),
            scrubbed: BTreeMap::new(),
            bare: Vec::new(),
            buried: BTreeSet::new(),
        }
    }

    /// Reads in one round trip what a batch will surely look at: rows, the documents of those that have
    /// one, its own id, and its spaces.
    pub(super) fn look_ahead(&mut self, batch: &Batch) -> Result<()> {
        let mut wanted: BTreeSet<RowKey> = BTreeSet::new();
        for change in &batch.changes {
            wanted.extend(looked_at(change));
        }
        let places = wanted.iter().filter_map(|key| self.place(key)).collect();
        let mut spaces: BTreeSet<SpaceId> = wanted.iter().map(|key| key.space).collect();
        spaces.insert(batch.space);
        let walls: Vec<i64> = spaces.iter().map(|space| self.tables.wall(*space)).collect();
        let (rows, places) = (RowColumns::of(&self.tables, &wanted), PlaceColumns::of(places));
        let id = batch.id.to_string();
        let mut asked = vec![
            Statement { sql: KNOWS_BATCH.to_owned(), params: vec![(&id, Type::TEXT)] },
            Statement { sql: SPACES.to_owned(), params: vec![(&walls, Type::INT8_ARRAY)] },
        ];
        asked.extend(rows.statements());
        asked.extend(places.statements());
        let mut found = self.tables.link.all(&asked)?.into_iter();
        let seen = self.seen.get_mut();
        seen.batches.insert(batch.id, !found.next().unwrap_or_default().is_empty());
        for row in found.next().unwrap_or_default() {
            seen.spaces.insert(self.tables.space(row.get(0)), true);
        }
        for space in spaces {
            seen.spaces.entry(space).or_insert(false);
        }
        let (mut held, damaged) = rows.rows(&mut found, Rotten::LeftOut)?;
        self.rewrite.hear(&places, &mut found);
        let known = self.known.get_mut();
        for key in wanted {
            let row = held.remove(&key);
            // One that is there and cannot be read is not known; whoever needs it learns why.
            if row.is_some() || !damaged.contains(&key.table) {
                known.insert(key, row);
            }
        }
        Ok(())
    }

    /// Where the document of a row stands, if it has one.
    pub(super) fn place(&self, key: &RowKey) -> Option<Place> {
        Some((self.tables.wall(key.space), what(searched_in(key.table)?), key.key.clone()))
    }

    /// What a node or a memory is now, over what the server has.
    fn over(
        &self,
        mut found: BTreeMap<RowKey, Row>,
        belongs: impl Fn(&Row) -> bool,
    ) -> BTreeMap<RowKey, Row> {
        let mut known = self.known.borrow_mut();
        for (key, row) in &found {
            known.entry(key.clone()).or_insert_with(|| Some(row.clone()));
        }
        found.retain(|key, _| !self.now.contains_key(key));
        let written = self.now.iter().filter_map(|(key, row)| Some((key, row.as_ref()?)));
        found.extend(
            written.filter(|(_, row)| belongs(row)).map(|(key, row)| (key.clone(), row.clone())),
        );
        found
    }
}

/// Whether rows of a table hang on a node.
fn hangs(table: Table) -> bool {
    matches!(table, Table::Evidence | Table::Watermark | Table::Usage | Table::Edge | Table::Leaf)
}

impl View for Writing<'_> {
    type Error = Error;

    fn row(&self, key: &RowKey) -> Result<Option<Row>> {
        if let Some(row) = self.now.get(key) {
            return Ok(row.clone());
        }
        if let Some(row) = self.known.borrow().get(key) {
            return Ok(row.clone());
        }
        let found = self.tables.rows_by_key(std::slice::from_ref(key), Rotten::Refused)?;
        let row = found.get(key).cloned();
        self.known.borrow_mut().insert(key.clone(), row.clone());
        Ok(row)
    }

    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>> {
        let found = self.tables.attached_to(space, &[node], Rotten::Refused)?;
        let belongs = |row: &Row| {
            let key = row.key();
            key.space == space && hangs(key.table) && row.nodes().contains(&node)
        };
        Ok(self.over(found, belongs).into_values().collect())
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        let found = Reader::replaced_by(&self.tables, space, id)?;
        let found = found.into_iter().map(|memory| Row::Memory(Box::new(memory)));
        let found = found.map(|row| (row.key(), row)).collect();
        let belongs = |row: &Row| {
            row.as_memory().is_some_and(|one| one.space == space && one.superseded_by == Some(id))
        };
        Ok(self.over(found, belongs).into_values().filter_map(Row::into_memory).collect())
    }
}

impl Writable for Writing<'_> {
    fn put(&mut self, row: &Row) -> Result<()> {
        // What was there before is needed when the indexes follow.
        self.row(&row.key())?;
        self.now.insert(row.key(), Some(row.clone()));
        Ok(())
    }

    fn delete(&mut self, key: &RowKey) -> Result<()> {
        self.row(key)?;
        self.now.insert(key.clone(), None);
        Ok(())
    }

    fn knows_batch(&self, batch: BatchId) -> Result<bool> {
        if let Some(known) = self.seen.borrow().batches.get(&batch) {
            return Ok(*known);
        }
        let id = batch.to_string();
        Ok(!self.tables.link.query(KNOWS_BATCH, &[(&id, Type::TEXT)])?.is_empty())
    }

    fn knows_space(&self, space: SpaceId) -> Result<bool> {
        let here = |(key, row): (&RowKey, &Option<Row>)| {
            key.table == Table::Space && key.space == space && row.is_some()
        };
        if self.now.iter().any(here) {
            return Ok(true);
        }
        if let Some(known) = self.seen.borrow().spaces.get(&space) {
            return Ok(*known);
        }
        let walls = vec![self.tables.wall(space)];
        Ok(!self.tables.link.query(SPACES, &[(&walls, Type::INT8_ARRAY)])?.is_empty())
    }

    fn next_seq(&self) -> Result<u64> {
        Ok(self.numbers + 1)
    }

    fn open_batch(&mut self, batch: &Batch, first_seq: u64, last_seq: u64) -> Result<()> {
        let batch = Batch { changes: Vec::new(), ..batch.clone() };
        self.opened = Some(StoredBatch { first_seq, last_seq, batch });
        self.numbers = last_seq;
        Ok(())
    }

    fn append(&mut self, _batch: &Batch, logged: &Logged) -> Result<()> {
        self.logged.push(logged.clone());
        Ok(())
    }

    fn scrub(&mut self, erased: &Erased) -> Result<()> {
        if let Some(secret) = &erased.secret {
            return self.scrub_secret(erased.space, secret);
        }
        let space = erased.space;
        let id = erased.memory.map(|id| id.to_string());
        let id = id.or_else(|| erased.episode.map(|id| id.to_string()));
        self.buried.extend(id.map(|id| (self.tables.wall(space), id)));
        let mut nodes: Vec<NodeId> = erased.memory.map(NodeId::Memory).into_iter().collect();
        nodes.extend(erased.episode.map(NodeId::Episode));
        nodes.extend(erased.quoting.iter().map(|memory| NodeId::Memory(*memory)));
        nodes.extend(erased.entities.iter().map(|entity| NodeId::Entity(*entity)));
        let mut touched = self.tables.touching(space, &nodes, Rotten::Refused)?;
        if let Some(id) = erased.pending {
            let row = crate::body::row_name(&RowKey::pending(space, id));
            touched.extend(self.tables.of_no_node(space, &row, &row, Rotten::Refused)?);
        }
        let mut touching = BTreeSet::new();
        for logged in touched {
            let logged = self.scrubbed.entry(logged.seq).or_insert(logged);
            if touches_erased(logged, erased) {
                touching.insert(logged.batch);
            }
            scrub(&mut logged.change, erased);
            scrub_images(&mut logged.before, erased);
        }
        for logged in &mut self.logged {
            if touches_erased(logged, erased)
                && let Some(opened) = &mut self.opened
            {
                opened.batch.reason = None;
                opened.batch.extra.clear();
            }
            scrub(&mut logged.change, erased);
            scrub_images(&mut logged.before, erased);
        }
        let touching: Vec<BatchId> = touching.into_iter().collect();
        for stored in self.tables.headers_of(&touching)? {
            if stored.batch.reason.is_some() || !stored.batch.extra.is_empty() {
                let batch = Batch { reason: None, extra: Extra::new(), ..stored.batch };
                self.bare.push(StoredBatch { batch, ..stored });
            }
        }
        Ok(())
    }
}

impl Writing<'_> {
    /// The walls that new rows of spaces stand behind, which whoever opens one comes to own.
    pub(super) fn claims(&self) -> Vec<i64> {
        let opened = self.now.iter().filter(|(key, row)| {
            key.table == Table::Space && row.is_some() && !self.was_there(key)
        });
        let mut walls: Vec<i64> = opened.map(|(key, _)| self.tables.wall(key.space)).collect();
        walls.dedup();
        walls
    }

    /// Whether the server has a row.
    pub(super) fn was_there(&self, key: &RowKey) -> bool {
        self.known.borrow().get(key).is_some_and(Option::is_some)
    }
}

/// The statement that makes whoever opens a space its owner, or the one person of their own space.
pub(super) fn claim<'w>(walls: &'w Vec<i64>, own: &'w i64) -> Statement<'w> {
    Statement {
        sql: "INSERT INTO member (space, role, standing)
              SELECT w.space, current_user, CASE WHEN w.space = $2 THEN 'self' ELSE 'owner' END
              FROM unnest($1::bigint[]) AS w (space) WHERE NOT is_claimed(w.space)"
            .to_owned(),
        params: vec![(walls, Type::INT8_ARRAY), (own, Type::INT8)],
    }
}
