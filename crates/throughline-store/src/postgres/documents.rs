//! Documents on a server: one row each, made into blocks when they are asked for.
//!
//! A document keeps its number for as long as its text has a row. Which turn follows which is worked out
//! anew for every session whose turns change.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{Row, RowKey, Table, words};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::beside::SessionColumns;
use super::lease::Wire;
use super::link::{Param, Statement};
use super::near::NearColumns;
use super::places::{PlaceColumns, ShelfColumns};
use super::rows::PgTables;
use crate::document::{Document, PACKED_AT, RECORD};
use crate::query::TextOf;
use crate::tables::text_of;
use crate::{Error, Result};

/// The number for an index in the tables.
pub(super) fn what(of: TextOf) -> i16 {
    match of {
        TextOf::Memories => 1,
        TextOf::Episodes => 2,
    }
}

/// The index that the rows of a table are searched in.
pub(super) fn searched_in(table: Table) -> Option<TextOf> {
    match table {
        Table::Memory => Some(TextOf::Memories),
        Table::Episode => Some(TextOf::Episodes),
        Table::Space
        | Table::Evidence
        | Table::Watermark
        | Table::Usage
        | Table::Entity
        | Table::Edge
        | Table::Session
        | Table::Injection
        | Table::Tombstone
        | Table::Pending
        | Table::Leaf => None,
    }
}

/// A document as its table keeps it.
#[derive(Debug, Clone)]
pub(super) struct KeptDocument {
    pub(super) number: i32,
    pub(super) record: Vec<u8>,
    pub(super) terms: String,
}

/// Where a document is: its wall, its index, the key of its row.
pub(super) type Place = (i64, i16, String);

/// What a shelf says: how many documents, terms and telling terms it has, and the next number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShelfSize {
    pub(super) docs: i64,
    pub(super) terms: i64,
    pub(super) telling: i64,
    pub(super) next: i32,
    /// How often documents were written to it.
    pub(super) stamp: i64,
}

/// What a document adds to its shelf.
#[derive(Debug, Clone, Copy)]
struct Weight {
    terms: i64,
    telling: i64,
}

/// Changes to documents, gathered to be written in a few statements.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The places that were looked up.
    known: BTreeSet<Place>,
    kept: BTreeMap<Place, KeptDocument>,
    shelves: BTreeMap<(i64, i16), ShelfSize>,
    /// The shelves whose documents change.
    written: BTreeSet<(i64, i16)>,
    sessions: BTreeSet<(i64, String)>,
    put: DocumentColumns,
    near: NearColumns,
    gone: PostingColumns,
    new: PostingColumns,
}

#[derive(Default)]
struct DocumentColumns {
    walls: Vec<i64>,
    whats: Vec<i16>,
    numbers: Vec<i32>,
    keys: Vec<Option<String>>,
    sessions: Vec<Option<String>>,
    positions: Vec<Option<i64>>,
    records: Vec<Option<Vec<u8>>>,
    terms: Vec<Option<String>>,
    lengths: Vec<Option<i32>>,
    models: Vec<Option<i16>>,
    stamps: Vec<i64>,
}

#[derive(Default)]
struct PostingColumns {
    walls: Vec<i64>,
    whats: Vec<i16>,
    terms: Vec<String>,
    numbers: Vec<i32>,
    counts: Vec<i32>,
}

impl PostingColumns {
    fn push_all(&mut self, wall: i64, what: i16, number: i32, terms: &str) {
        let mut counts: BTreeMap<&str, i32> = BTreeMap::new();
        for term in terms.split_ascii_whitespace() {
            *counts.entry(term).or_default() += 1;
        }
        for (term, count) in counts {
            self.walls.push(wall);
            self.whats.push(what);
            self.terms.push(term.to_owned());
            self.numbers.push(number);
            self.counts.push(count);
        }
    }
}

fn count(terms: &str) -> i64 {
    i64::try_from(terms.split_ascii_whitespace().count()).unwrap_or(i64::MAX)
}

/// The number of the model that made the vector in a record; 0 if there is none.
fn model(record: &[u8]) -> u8 {
    Document::read(record).map_or(0, |document| document.model)
}

/// The turn that a row is, as its session and position.
fn turn(row: Option<&Row>) -> Option<(String, i64)> {
    let turn = row.and_then(Row::as_episode)?;
    Some((turn.session.to_string(), i64::try_from(turn.position).unwrap_or(i64::MAX)))
}

impl Rewrite {
    /// A rewrite that knows the documents of some places and the shelves they stand on.
    pub(super) fn of<L: Wire>(tables: &PgTables<L>, places: &BTreeSet<Place>) -> Result<Self> {
        let mut rewrite = Self::default();
        rewrite.look_up(tables, places)?;
        Ok(rewrite)
    }

    /// Looks up what is not known yet of some places.
    pub(super) fn look_up<L: Wire>(
        &mut self,
        tables: &PgTables<L>,
        places: &BTreeSet<Place>,
    ) -> Result<()> {
        let new: BTreeSet<Place> = places.difference(&self.known).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let columns = PlaceColumns::of(new);
        let found = tables.link.all(&columns.statements())?;
        self.hear(&columns, &mut found.into_iter());
        Ok(())
    }

    /// Takes in what the statements of some places found.
    pub(super) fn hear(
        &mut self,
        columns: &PlaceColumns,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
    ) {
        if columns.places.is_empty() {
            return;
        }
        for row in answers.next().unwrap_or_default() {
            let kept = KeptDocument { number: row.get(3), record: row.get(4), terms: row.get(5) };
            self.kept.insert((row.get(0), row.get(1), row.get(2)), kept);
        }
        for row in answers.next().unwrap_or_default() {
            let (docs, terms, telling, next) = (row.get(2), row.get(3), row.get(4), row.get(5));
            let size = ShelfSize { docs, terms, telling, next, stamp: row.get(6) };
            self.shelves.insert((row.get(0), row.get(1)), size);
        }
        self.known.extend(columns.places.iter().cloned());
    }

    /// Follows a row that changed from `old` to `new`.
    pub(super) fn follow(
        &mut self,
        wall: i64,
        of: TextOf,
        key: &RowKey,
        old: Option<&Row>,
        new: Option<&Row>,
    ) -> Result<()> {
        let kept = self.kept.remove(&(wall, what(of), key.key.clone()));
        let same_text = old.is_some() && text_of(old) == text_of(new);
        if turn(old) != turn(new) || !same_text {
            let both = [turn(old), turn(new)].into_iter().flatten();
            self.sessions.extend(both.map(|(session, _)| (wall, session)));
        }
        let Some(row) = new else {
            if let Some(kept) = kept {
                self.take_away(wall, of, &kept);
            }
            return Ok(());
        };
        if let Some(kept) = kept.as_ref().filter(|_| same_text) {
            // The text stayed: what else is known of it may have changed.
            let model = model(&kept.record);
            self.put_record(wall, of, key, row, model, kept.clone());
            return Ok(());
        }
        let terms = words::terms(&text_of(new).unwrap_or_default()).join(" ");
        let number = match kept {
            Some(kept) => {
                self.forget(wall, of, &kept);
                kept.number
            }
            None => self.next(wall, of)?,
        };
        self.put_new(
            wall,
            of,
            key,
            row,
            0,
            KeptDocument { number, record: vec![0; RECORD], terms },
        );
        Ok(())
    }

    /// Puts a document whose words are not indexed yet.
    fn put_new(
        &mut self,
        wall: i64,
        of: TextOf,
        key: &RowKey,
        row: &Row,
        model: u8,
        new: KeptDocument,
    ) {
        self.new.push_all(wall, what(of), new.number, &new.terms);
        let terms = count(&new.terms);
        self.put_record(wall, of, key, row, model, new);
        let length = self.put.lengths.last().copied().flatten();
        self.resize(wall, of, 1, Weight { terms, telling: length.map_or(0, i64::from) });
    }

    /// Puts the document of a row; the vector in the record, which a model made, stays.
    fn put_record(
        &mut self,
        wall: i64,
        of: TextOf,
        key: &RowKey,
        row: &Row,
        model: u8,
        new: KeptDocument,
    ) {
        let KeptDocument { number, mut record, terms } = new;
        let at = number.unsigned_abs();
        let document = match row {
            Row::Memory(memory) => Document::of_memory(memory, at),
            Row::Episode(episode) => Document::of_episode(episode, at, None),
            Row::Space(_)
            | Row::Evidence(_)
            | Row::Watermark(_)
            | Row::Usage(_)
            | Row::Entity(_)
            | Row::Edge(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Pending(_)
            | Row::Leaf(_) => return,
        };
        let document = Document { model, ..document };
        document.write(&mut record);
        self.near.push((wall, what(of), number), &record);
        let (session, position) = turn(Some(row)).unzip();
        let stamp = self.stamp(wall, of);
        let put = &mut self.put;
        put.lengths.push(Some(i32::from(document.length)));
        put.models.push((!document.cold).then_some(i16::from(model)));
        put.stamps.push(stamp);
        put.walls.push(wall);
        put.whats.push(what(of));
        put.numbers.push(number);
        put.keys.push(Some(key.key.clone()));
        put.sessions.push(session);
        put.positions.push(position);
        put.records.push(Some(record));
        put.terms.push(Some(terms));
    }

    /// Puts the document of a row whose index is empty, under its number, with its vector.
    pub(super) fn add(
        &mut self,
        wall: i64,
        of: TextOf,
        key: &RowKey,
        row: &Row,
        number: Option<i32>,
        vector: Option<(u8, &[u8])>,
    ) -> Result<()> {
        let number = match number {
            Some(number) => number,
            None => self.next(wall, of)?,
        };
        let terms = words::terms(&text_of(Some(row)).unwrap_or_default()).join(" ");
        let mut record = vec![0; RECORD];
        if let Some((_, packed)) = vector {
            record[PACKED_AT..PACKED_AT + packed.len()].copy_from_slice(packed);
        }
        let model = vector.map_or(0, |(model, _)| model);
        self.sessions.extend(turn(Some(row)).map(|(session, _)| (wall, session)));
        self.put_new(wall, of, key, row, model, KeptDocument { number, record, terms });
        Ok(())
    }

    /// Takes the words and the vector of a document out of the indexes.
    fn forget(&mut self, wall: i64, of: TextOf, kept: &KeptDocument) {
        self.gone.push_all(wall, what(of), kept.number, &kept.terms);
        let telling = Document::read(&kept.record).map_or(0, |old| i64::from(old.length));
        self.resize(wall, of, -1, Weight { terms: count(&kept.terms), telling });
        if model(&kept.record) > 0 {
            self.near.take_away((wall, what(of), kept.number));
        }
    }

    fn take_away(&mut self, wall: i64, of: TextOf, kept: &KeptDocument) {
        self.forget(wall, of, kept);
        let stamp = self.stamp(wall, of);
        let put = &mut self.put;
        put.stamps.push(stamp);
        put.lengths.push(None);
        put.models.push(None);
        put.walls.push(wall);
        put.whats.push(what(of));
        put.numbers.push(kept.number);
        put.keys.push(None);
        put.sessions.push(None);
        put.positions.push(None);
        put.records.push(None);
        put.terms.push(None);
    }

    fn next(&mut self, wall: i64, of: TextOf) -> Result<i32> {
        let shelf = self.shelves.entry((wall, what(of))).or_default();
        let number = shelf.next;
        shelf.next = number.checked_add(1).ok_or_else(|| Error::BadRow {
            what: format!("space {wall}"),
            detail: "it is full".to_owned(),
        })?;
        Ok(number)
    }

    /// The stamp of documents that are written to a shelf now.
    fn stamp(&mut self, wall: i64, of: TextOf) -> i64 {
        self.written.insert((wall, what(of)));
        self.shelves.entry((wall, what(of))).or_default().stamp + 1
    }

    /// Adds documents of a weight to a shelf, or takes them away.
    fn resize(&mut self, wall: i64, of: TextOf, docs: i64, each: Weight) {
        self.written.insert((wall, what(of)));
        let shelf = self.shelves.entry((wall, what(of))).or_default();
        shelf.docs += docs;
        shelf.terms += docs * each.terms;
        shelf.telling += docs * each.telling;
    }

    /// The shelves whose documents change, as parameters.
    pub(super) fn sizes(&self) -> ShelfColumns {
        let mut columns = ShelfColumns::default();
        for place in &self.written {
            let size = self.shelves.get(place).copied().unwrap_or_default();
            columns.walls.push(place.0);
            columns.whats.push(place.1);
            columns.docs.push(size.docs);
            columns.terms.push(size.terms);
            columns.telling.push(size.telling);
            columns.next.push(size.next);
            columns.stamps.push(size.stamp + 1);
        }
        columns
    }

    /// The sessions whose turns follow each other otherwise now, as parameters.
    pub(super) fn reordered(&self) -> SessionColumns {
        SessionColumns::of(&self.sessions)
    }

    /// Whether no document changes.
    pub(super) fn is_empty(&self) -> bool {
        self.put.numbers.is_empty()
    }

    /// The statements that write it all.
    pub(super) fn statements<'s>(
        &'s self,
        sizes: &'s ShelfColumns,
        reordered: &'s SessionColumns,
    ) -> Vec<Statement<'s>> {
        if self.is_empty() {
            return Vec::new();
        }
        let put = &self.put;
        let documents = Statement {
            sql: "INSERT INTO document
                    (space, what, number, key, session, position, record, terms, length, model, stamp)
                  SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::integer[],
                    $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::text[], $9::integer[],
                    $10::smallint[], $11::bigint[])
                  ON CONFLICT (space, what, number) DO UPDATE SET key = excluded.key,
                    session = excluded.session, position = excluded.position,
                    record = excluded.record, terms = excluded.terms, length = excluded.length,
                    model = excluded.model, stamp = excluded.stamp"
                .to_owned(),
            params: vec![
                (&put.walls, Type::INT8_ARRAY),
                (&put.whats, Type::INT2_ARRAY),
                (&put.numbers, Type::INT4_ARRAY),
                (&put.keys, Type::TEXT_ARRAY),
                (&put.sessions, Type::TEXT_ARRAY),
                (&put.positions, Type::INT8_ARRAY),
                (&put.records, Type::BYTEA_ARRAY),
                (&put.terms, Type::TEXT_ARRAY),
                (&put.lengths, Type::INT4_ARRAY),
                (&put.models, Type::INT2_ARRAY),
                (&put.stamps, Type::INT8_ARRAY),
            ],
        };
        let gone = Statement {
            sql: "DELETE FROM posting AS p
                  USING unnest($1::bigint[], $2::smallint[], $3::text[], $4::integer[])
                    AS g (space, what, term, number)
                  WHERE p.space = g.space AND p.what = g.what AND p.term = g.term
                    AND p.number = g.number"
                .to_owned(),
            params: self.gone.params(false),
        };
        let new = Statement {
            sql: "INSERT INTO posting (space, what, term, number, count)
                  SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::integer[],
                    $5::integer[])"
                .to_owned(),
            params: self.new.params(true),
        };
        let mut all = Vec::new();
        if !self.gone.walls.is_empty() {
            all.push(gone);
        }
        all.push(documents);
        if !self.new.walls.is_empty() {
            all.push(new);
        }
        all.push(sizes.statement());
        all.extend(reordered.statements());
        all.extend(self.near.statements());
        all
    }
}

impl PostingColumns {
    fn params(&self, counted: bool) -> Vec<Param<'_>> {
        let mut params: Vec<Param<'_>> = vec![
            (&self.walls, Type::INT8_ARRAY),
            (&self.whats, Type::INT2_ARRAY),
            (&self.terms, Type::TEXT_ARRAY),
            (&self.numbers, Type::INT4_ARRAY),
        ];
        if counted {
            params.push((&self.counts, Type::INT4_ARRAY));
        }
        params
    }
}

impl Rewrite {
    /// The document that is kept in a place.
    pub(super) fn kept(&self, place: &Place) -> Option<&KeptDocument> {
        self.kept.get(place)
    }
}
