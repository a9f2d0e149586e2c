//! Vectors on a server, and building everything that is derived anew.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use throughline_core::{Row, RowKey, SpaceId, Table};
use tokio_postgres::types::Type;

use super::blocks::pack;
use super::documents::{Rewrite, searched_in, what};
use super::link::{Link, Statement};
use super::log::Rotten;
use super::rows::PgTables;
use crate::body::parse;
use crate::document::{Document, PACKED_AT, RECORD};
use crate::query::Vector;
use crate::{Error, Result};

/// The number of a model, which it is given when it is first met.
fn model_number(link: &Link, model: &str) -> Result<u8> {
    let found = link.all(&[
        Statement {
            sql: "INSERT INTO model (number, name)
                  SELECT coalesce(max(number), 0) + 1, $1 FROM model ON CONFLICT (name) DO NOTHING"
                .to_owned(),
            params: vec![(&model, Type::TEXT)],
        },
        Statement {
            sql: "SELECT number FROM model WHERE name = $1".to_owned(),
            params: vec![(&model, Type::TEXT)],
        },
    ])?;
    let number: i32 = found[1][0].get(0);
    u8::try_from(number).map_err(|_| Error::BadRow {
        what: format!("model {model}"),
        detail: "there are too many models; vectors of 255 can be told apart".to_owned(),
    })
}

/// Keeps vectors, and packs them into the records of their documents.
pub(super) fn put<L: Deref<Target = Link>>(
    tables: &PgTables<L>,
    space: SpaceId,
    model: &str,
    vectors: &[Vector],
    stamp: i64,
) -> Result<()> {
    let number = model_number(&tables.link, model)?;
    let keys: Vec<RowKey> = vectors.iter().map(|one| RowKey::node(space, one.node)).collect();
    let held = tables.rows_by_key(&keys, Rotten::LeftOut)?;
    // What was erased since its text was read must leave no vector behind. The last of a node counts.
    let kept: BTreeMap<String, &Vector> = vectors
        .iter()
        .filter(|one| held.contains_key(&RowKey::node(space, one.node)))
        .map(|one| (one.node.to_string(), one))
        .collect();
    let wall = tables.wall(space);
    for (node, vector) in &kept {
        tables.link.query(
            "INSERT INTO embedding (space, node, model, seq, meaning)
             VALUES ($1, $2, $3, $4, $5::real[]::vector)
             ON CONFLICT (space, node, model) DO UPDATE
             SET seq = excluded.seq, meaning = excluded.meaning",
            &[
                (&wall, Type::INT8),
                (node, Type::TEXT),
                (&model, Type::TEXT),
                (&vector.seq.cast_signed(), Type::INT8),
                (&vector.values, Type::FLOAT4_ARRAY),
            ],
        )?;
    }
    let scanned = kept.values().filter(|one| !one.packed.is_empty());
    let places: BTreeMap<_, &Vector> =
        scanned.filter_map(|one| Some((tables.place_of(space, one.node)?, *one))).collect();
    let rewrite = Rewrite::of(tables, &places.keys().cloned().collect())?;
    let (mut whats, mut numbers, mut records) = (Vec::new(), Vec::new(), Vec::new());
    for (place, vector) in &places {
        let Some(document) = rewrite.kept(place) else { continue };
        let mut record = document.record.clone();
        pack(&mut record, number, &vector.packed);
        whats.push(place.1);
        numbers.push(document.number);
        records.push(record);
    }
    if records.is_empty() {
        return Ok(());
    }
    let stamp = stamp + 1;
    tables.link.all(&[
        Statement {
            sql: "UPDATE document AS d SET record = n.record, stamp = $5
                  FROM unnest($2::smallint[], $3::integer[], $4::bytea[]) AS n (what, number, record)
                  WHERE d.space = $1 AND d.what = n.what AND d.number = n.number"
                .to_owned(),
            params: vec![
                (&wall, Type::INT8),
                (&whats, Type::INT2_ARRAY),
                (&numbers, Type::INT4_ARRAY),
                (&records, Type::BYTEA_ARRAY),
                (&stamp, Type::INT8),
            ],
        },
        Statement {
            sql: "UPDATE head SET stamp = $1".to_owned(),
            params: vec![(&stamp, Type::INT8)],
        },
    ])?;
    Ok(())
}

/// Builds every document and posting anew, each with the number and the packed vector it has. A row
/// that cannot be read is left out: the others must be found.
pub(super) fn rebuild<L: Deref<Target = Link>>(tables: &PgTables<L>, stamp: i64) -> Result<()> {
    let stamp = stamp + 1;
    let mut rows: Vec<(i64, Row)> = Vec::new();
    for table in [Table::Memory, Table::Episode] {
        for (wall, key, body, hash) in tables.raw(table)? {
            rows.extend(parse(table, &key, &body, &hash).ok().map(|row| (wall, row)));
        }
    }
    let mut places = BTreeSet::new();
    for (wall, row) in &rows {
        let key = row.key();
        places.extend(searched_in(key.table).map(|of| (*wall, what(of), key.key)));
    }
    let before = Rewrite::of(tables, &places)?;
    let walls: BTreeSet<i64> = places.iter().map(|(wall, ..)| *wall).collect();
    let walls: Vec<i64> = walls.into_iter().collect();
    tables.link.all(&[
        Statement {
            sql: "DELETE FROM posting WHERE space = ANY($1)".to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY)],
        },
        Statement {
            sql: "UPDATE document SET key = NULL, session = NULL, position = NULL, record = NULL,
                    terms = NULL, stamp = $2 WHERE space = ANY($1)"
                .to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY), (&stamp, Type::INT8)],
        },
        Statement {
            sql: "UPDATE shelf AS s SET docs = 0, terms = 0, next =
                    (SELECT coalesce(max(d.number) + 1, 0) FROM document AS d
                     WHERE d.space = s.space AND d.what = s.what)
                  WHERE s.space = ANY($1)"
                .to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY)],
        },
    ])?;
    let mut rewrite = Rewrite::of(tables, &places)?;
    for (wall, row) in &rows {
        let key = row.key();
        let Some(of) = searched_in(key.table) else { continue };
        let kept = before.kept(&(*wall, what(of), key.key.clone()));
        let vector = kept.filter(|kept| kept.record.len() == RECORD).and_then(|kept| {
            let model = Document::read(&kept.record)?.model;
            (model > 0).then(|| (model, &kept.record[PACKED_AT..]))
        });
        rewrite.add(*wall, of, &key, row, kept.map(|kept| kept.number), vector)?;
    }
    let (sizes, reordered) = (rewrite.sizes(), rewrite.reordered());
    let mut statements = rewrite.statements(&stamp, &sizes, &reordered);
    statements.push(Statement {
        sql: "UPDATE head SET stamp = $1".to_owned(),
        params: vec![(&stamp, Type::INT8)],
    });
    tables.link.all(&statements)?;
    Ok(())
}
