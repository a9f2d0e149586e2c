//! Blocks of documents, made of the rows of a server when they are asked for, or before that together with
//! what else a prompt asks of an index that is held elsewhere.

use std::collections::BTreeMap;

use throughline_core::{NodeId, RowKey, SpaceId};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::documents::{Place, searched_in, what};
use super::lease::Wire;
use super::link::{Param, Statement};
use super::rows::PgTables;
use crate::Result;
use crate::candidates::{IndexAhead, SHORT_BLOCKS, SHORT_STAMPS};
use crate::document::{BLOCK, Document, PACKED_AT, PACKED_MAX, Postings, RECORD, Shelf};
use crate::query::TextOf;

/// Stamp of an index, number of a model, and where the stamp was counted: it means nothing any more when the
/// server was started again, the table is another one, or the shelf cannot be seen.
const SHELF: &str =
    "SELECT coalesce(max(h.stamp), 0), (SELECT m.number FROM model AS m WHERE m.name = $3),
       coalesce(max(hashtextextended(concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
         h.tableoid, h.space, h.what), 0)), 0)
     FROM shelf AS h WHERE h.space = $1 AND h.what = $2";

/// The documents of all blocks of an index in which one changed after a stamp. Stamps and numbers are looked up
/// one by one: of a range the planner expects a third of all documents, and reads them all to find none.
const CHANGED: &str = "SELECT d.number, d.record, d.first, d.before FROM document AS d
     WHERE d.space = $1 AND d.what = $2 AND d.number = ANY (ARRAY
       (SELECT generate_series(c.block * $4, (c.block + 1) * $4 - 1)
        FROM (SELECT DISTINCT number / $4 AS block FROM document
              WHERE space = $1 AND what = $2 AND stamp = ANY (ARRAY
                (SELECT generate_series($3 + 1, h.stamp) FROM shelf AS h
                 WHERE h.space = $1 AND h.what = $2))) AS c))";

/// The same for whoever is short of time: no more stamps and blocks than two numbers.
const CHANGED_LATELY: &str = "SELECT d.number, d.record, d.first, d.before FROM document AS d
     WHERE d.space = $1 AND d.what = $2 AND d.number = ANY (ARRAY
       (SELECT generate_series(c.block * $4, (c.block + 1) * $4 - 1)
        FROM (SELECT DISTINCT number / $4 AS block FROM document
              WHERE space = $1 AND what = $2 AND stamp = ANY (ARRAY
                (SELECT generate_series($3 + 1, h.stamp) FROM shelf AS h
                 WHERE h.space = $1 AND h.what = $2 AND h.stamp - $3 <= $5))
              LIMIT $6) AS c))";

/// All documents of an index.
const ALL: &str =
    "SELECT number, record, first, before FROM document WHERE space = $1 AND what = $2";

/// For each term the newest documents of an index that hold it, one more than may be followed, and how many
/// that are.
const HOLDING: &str = "SELECT ARRAY(SELECT p.number FROM posting AS p
         WHERE p.space = $1 AND p.what = $2 AND p.term = w.term
         ORDER BY p.number DESC LIMIT s.most + 1), s.most
     FROM (SELECT least(greatest(docs / $4, $5), $6) AS most FROM shelf
           WHERE space = $1 AND what = $2) AS s,
       unnest($3::text[]) WITH ORDINALITY AS w (term, at) ORDER BY w.at";

/// An index that is held elsewhere, as parameters.
pub(super) struct IndexColumns<'i> {
    of: &'i IndexAhead,
    wall: i64,
    what: i16,
    after: i64,
    in_block: i32,
    /// The most stamps and blocks for whoever is short of time.
    short: [i64; 2],
    /// One document in so many, at least, at most.
    frequent: [i64; 3],
}

impl<'i> IndexColumns<'i> {
    pub(super) fn of(of: &'i IndexAhead, wall: i64) -> Self {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let frequent = [of.frequent.share.max(1), of.frequent.least, of.frequent.most];
        Self {
            of,
            wall,
            what: what(of.of),
            after: i64::try_from(of.after).unwrap_or(i64::MAX),
            in_block: in_block(),
            short: [i64::try_from(SHORT_STAMPS).unwrap_or(i64::MAX), number(SHORT_BLOCKS)],
            frequent: frequent.map(number),
        }
    }

    /// A statement whose first two parameters say which index.
    fn with<'s>(&'s self, sql: &str, more: Vec<Param<'s>>) -> Statement<'s> {
        let mut params: Vec<Param<'s>> = vec![(&self.wall, Type::INT8), (&self.what, Type::INT2)];
        params.extend(more);
        Statement { sql: sql.to_owned(), params }
    }

    pub(super) fn statements(&self) -> [Statement<'_>; 3] {
        let [share, least, most] = &self.frequent;
        let [stamps, blocks] = &self.short;
        let mut since: Vec<Param<'_>> =
            vec![(&self.after, Type::INT8), (&self.in_block, Type::INT4)];
        let changed = if self.of.short {
            since.extend([(stamps as _, Type::INT8), (blocks as _, Type::INT8)]);
            self.with(CHANGED_LATELY, since)
        } else if self.after == 0 {
            self.with(ALL, Vec::new())
        } else {
            self.with(CHANGED, since)
        };
        [
            self.with(SHELF, vec![(&self.of.model, Type::TEXT)]),
            changed,
            self.with(
                HOLDING,
                vec![
                    (&self.of.terms, Type::TEXT_ARRAY),
                    (share, Type::INT8),
                    (least, Type::INT8),
                    (most, Type::INT8),
                ],
            ),
        ]
    }

    /// What the answers say.
    pub(super) fn kept(&self, answers: &mut dyn Iterator<Item = Vec<PgRow>>) -> KeptIndex {
        let mut next = || answers.next().unwrap_or_default();
        let shelf = shelf_of(&next());
        let blocks = blocks_of(self.of.of, &next());
        let held = next();
        let most = held.first().map(|row| row.get::<_, i64>(1));
        let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(0);
        let postings = held.iter().map(|row| holding(row.get(0), most)).collect();
        KeptIndex { of: self.of.clone(), shelf, blocks: Some(blocks), most, postings }
    }
}

/// What was read ahead of an index.
#[derive(Debug)]
pub(super) struct KeptIndex {
    of: IndexAhead,
    shelf: Shelf,
    /// Blocks that changed, until they are handed over.
    blocks: Option<BTreeMap<u32, Vec<u8>>>,
    /// The most documents that may hold a term.
    most: usize,
    postings: Vec<Postings>,
}

impl KeptIndex {
    fn is_of(&self, space: SpaceId, of: TextOf) -> bool {
        self.of.space == space && self.of.of == of
    }

    /// The documents that hold terms, where these are what was asked for.
    pub(super) fn holding(
        &self,
        (space, of): (SpaceId, TextOf),
        terms: &[String],
        most: usize,
    ) -> Option<Vec<Postings>> {
        let same = self.is_of(space, of) && self.most == most && self.of.terms == terms;
        same.then(|| self.postings.clone())
    }
}

/// The documents that hold a term, by numbers of which the newest come first.
pub(super) fn holding(numbers: Vec<i32>, most: usize) -> Postings {
    let mut documents: Vec<u32> = numbers.into_iter().map(i32::unsigned_abs).collect();
    let cut = documents.len() > most;
    documents.truncate(most);
    documents.reverse();
    Postings { documents, cut }
}

fn in_block() -> i32 {
    i32::try_from(BLOCK).unwrap_or(i32::MAX)
}

fn shelf_of(rows: &[PgRow]) -> Shelf {
    let Some(row) = rows.first() else { return Shelf::default() };
    let model = row.get::<_, Option<i32>>(1).and_then(|number| u8::try_from(number).ok());
    Shelf { stamp: row.get::<_, i64>(0).unsigned_abs(), model, origin: row.get(2) }
}

/// The blocks that documents make up.
fn blocks_of(of: TextOf, rows: &[PgRow]) -> BTreeMap<u32, Vec<u8>> {
    let mut blocks: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for row in rows {
        let number: i32 = row.get(0);
        let number = number.unsigned_abs();
        let body = blocks.entry(number / in_block().unsigned_abs()).or_default();
        body.resize(BLOCK * RECORD, 0);
        let Some(kept) = row.get::<_, Option<&[u8]>>(1).filter(|it| it.len() == RECORD) else {
            continue;
        };
        let at = number as usize % BLOCK * RECORD;
        let record = &mut body[at..at + RECORD];
        record.copy_from_slice(kept);
        set_place(of, record, row.get(2), row.get(3));
    }
    blocks
}

impl<L: Wire> PgTables<L> {
    /// How many documents indexes have together, as far as they may be seen.
    pub(super) fn documents_of(&self, wanted: &[(SpaceId, TextOf)]) -> Result<usize> {
        let walls: Vec<i64> = wanted.iter().map(|(space, _)| self.wall(*space)).collect();
        let whats: Vec<i16> = wanted.iter().map(|(_, of)| what(*of)).collect();
        let found = self.link.query(
            "SELECT coalesce(sum(h.docs), 0)::bigint FROM shelf AS h
             JOIN unnest($1::bigint[], $2::smallint[]) AS w (space, what) USING (space, what)",
            &[(&walls, Type::INT8_ARRAY), (&whats, Type::INT2_ARRAY)],
        )?;
        let documents = found.first().map_or(0_i64, |row| row.get(0));
        Ok(usize::try_from(documents).unwrap_or(usize::MAX))
    }

    /// Hands over the blocks that changed after a stamp.
    pub(super) fn blocks(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        if let Some((shelf, blocks)) = self.blocks_ahead(space, of, model, after) {
            for (number, body) in &blocks {
                block(*number, body);
            }
            return Ok(shelf);
        }
        let (wall, index) = (self.wall(space), what(of));
        let place: Vec<Param<'_>> = vec![(&wall, Type::INT8), (&index, Type::INT2)];
        let of_model: Vec<Param<'_>> = vec![(&model, Type::TEXT)];
        let shelf = shelf_of(&self.link.query(SHELF, &[place.clone(), of_model].concat())?);
        if shelf.stamp == after {
            return Ok(shelf);
        }
        let rows = if after == 0 {
            self.link.query(ALL, &place)?
        } else {
            let (stamp, size) = (i64::try_from(after).unwrap_or(i64::MAX), in_block());
            let since: Vec<Param<'_>> = vec![(&stamp, Type::INT8), (&size, Type::INT4)];
            self.link.query(CHANGED, &[place, since].concat())?
        };
        for (number, body) in &blocks_of(of, &rows) {
            block(*number, body);
        }
        Ok(shelf)
    }

    /// The blocks that changed after a stamp, where they were read ahead. They are handed over once.
    fn blocks_ahead(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
    ) -> Option<(Shelf, BTreeMap<u32, Vec<u8>>)> {
        let mut kept = self.kept.borrow_mut();
        let mut these = kept.indexes.iter_mut();
        let one = these
            .find(|one| one.is_of(space, of) && one.of.model == model && one.of.after == after)?;
        Some((one.shelf, one.blocks.take()?))
    }

    /// The place of the document of a node, if it can have one.
    pub(super) fn place_of(&self, space: SpaceId, node: NodeId) -> Option<Place> {
        let key = RowKey::node(space, node);
        let of = searched_in(key.table)?;
        Some((self.wall(space), what(of), key.key))
    }
}

/// Writes to the record of a turn in which session it stands, and after which turn.
pub(super) fn set_place(of: TextOf, record: &mut [u8], first: Option<i32>, before: Option<i32>) {
    if let (TextOf::Episodes, Some(first), Some(turn)) = (of, first, Document::read(record)) {
        let before = before.map(i32::unsigned_abs);
        Document { session: first.unsigned_abs(), before, ..turn }.write(record);
    }
}

/// Writes a packed vector to a record.
pub(super) fn pack(record: &mut [u8], model: u8, packed: &[u8]) {
    let length = packed.len().min(PACKED_MAX);
    if let Some(old) = Document::read(record) {
        Document { model, ..old }.write(record);
        record[PACKED_AT..].fill(0);
        record[PACKED_AT..PACKED_AT + length].copy_from_slice(&packed[..length]);
    }
}
