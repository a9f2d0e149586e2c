//! Blocks of documents, made of the rows of a server when they are asked for.

use std::collections::BTreeMap;

use throughline_core::{NodeId, RowKey, SpaceId};
use tokio_postgres::types::Type;

use super::documents::{Place, searched_in, what};
use super::lease::Wire;
use super::rows::PgTables;
use crate::Result;
use crate::document::{BLOCK, Document, PACKED_AT, PACKED_MAX, RECORD, Shelf};
use crate::query::TextOf;

impl<L: Wire> PgTables<L> {
    /// Hands over the blocks that changed after a stamp.
    pub(super) fn blocks(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf> {
        let found = self.link.query(
            "SELECT coalesce((SELECT h.stamp FROM shelf AS h WHERE h.space = $2 AND h.what = $3), 0),
                    (SELECT m.number FROM model AS m WHERE m.name = $1)",
            &[(&model, Type::TEXT), (&self.wall(space), Type::INT8), (&what(of), Type::INT2)],
        )?;
        let (stamp, model): (i64, Option<i32>) = (found[0].get(0), found[0].get(1));
        let model = model.and_then(|number| u8::try_from(number).ok());
        let shelf = Shelf { stamp: stamp.unsigned_abs(), model };
        if shelf.stamp == after {
            return Ok(shelf);
        }
        let in_block = i32::try_from(BLOCK).unwrap_or(i32::MAX);
        let rows = self.link.query(
            "SELECT d.number, d.record, d.first, d.before FROM document AS d
             WHERE d.space = $1 AND d.what = $2 AND d.number / $4 IN
               (SELECT DISTINCT number / $4 FROM document
                WHERE space = $1 AND what = $2 AND stamp > $3)
             ORDER BY d.number",
            &[
                (&self.wall(space), Type::INT8),
                (&what(of), Type::INT2),
                (&i64::try_from(after).unwrap_or(i64::MAX), Type::INT8),
                (&in_block, Type::INT4),
            ],
        )?;
        let mut blocks: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for row in &rows {
            let number: i32 = row.get(0);
            let number = number.unsigned_abs();
            let body = blocks.entry(number / in_block.unsigned_abs()).or_default();
            body.resize(BLOCK * RECORD, 0);
            let Some(kept) = row.get::<_, Option<&[u8]>>(1).filter(|it| it.len() == RECORD) else {
                continue;
            };
            let at = number as usize % BLOCK * RECORD;
            let record = &mut body[at..at + RECORD];
            record.copy_from_slice(kept);
            set_place(of, record, row.get(2), row.get(3));
        }
        for (number, body) in &blocks {
            block(*number, body);
        }
        Ok(shelf)
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
