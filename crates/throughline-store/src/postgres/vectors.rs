//! Vectors on a server, and building everything that is derived anew.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{NodeId, Row, RowKey, SpaceId, Table};
use tokio_postgres::types::Type;

use super::blocks::pack;
use super::documents::{Rewrite, searched_in, what};
use super::lease::Wire;
use super::link::{Link, Statement};
use super::log::Rotten;
use super::lookup::RowColumns;
use super::near::NearColumns;
use super::places::PlaceColumns;
use super::read::names;
use super::rows::PgTables;
use crate::body::parse;
use crate::document::{Document, PACKED_AT, RECORD};
use crate::query::Vector;
use crate::{Error, Result};

/// The number of a model, which it is given when it is first met.
fn model_number(link: &Link, model: &str) -> Result<u8> {
    // Somebody who writes elsewhere may give the same number to another model first.
    let mut found = Vec::new();
    while found.is_empty() {
        found = link.query(MODEL_NUMBER, &[(&model, Type::TEXT)])?;
        if found.is_empty() {
            let sql = "INSERT INTO model (number, name)
                       SELECT coalesce(max(number), 0) + 1, $1 FROM model ON CONFLICT DO NOTHING";
            link.query(sql, &[(&model, Type::TEXT)])?;
        }
    }
    let number: i32 = found[0].get(0);
    u8::try_from(number).map_err(|_| Error::BadRow {
        what: format!("model {model}"),
        detail: "there are too many models; vectors of 255 can be told apart".to_owned(),
    })
}

const MODEL_NUMBER: &str = "SELECT number FROM model WHERE name = $1";

/// Keeps vectors, and packs them into the records of their documents, in two round trips.
pub(super) fn put<L: Wire>(
    tables: &PgTables<L>,
    space: SpaceId,
    model: &str,
    vectors: &[Vector],
) -> Result<()> {
    let keys: BTreeSet<RowKey> = vectors.iter().map(|one| RowKey::node(space, one.node)).collect();
    let scanned = vectors.iter().filter(|one| !one.packed.is_empty());
    let places = scanned.filter_map(|one| tables.place_of(space, one.node)).collect();
    let (rows, places) = (RowColumns::of(tables, &keys), PlaceColumns::of(places));
    let mut asked = rows.statements();
    asked.extend(places.statements());
    asked.push(Statement { sql: MODEL_NUMBER.to_owned(), params: vec![(&model, Type::TEXT)] });
    let mut found = tables.link.all(&asked)?.into_iter();
    let (held, _) = rows.rows(&mut found, Rotten::LeftOut)?;
    let mut rewrite = Rewrite::default();
    rewrite.hear(&places, &mut found);
    let number = match found.next().unwrap_or_default().first() {
        Some(row) => row.get::<_, i32>(0),
        None => i32::from(model_number(&tables.link, model)?),
    };
    let number = u8::try_from(number).or_else(|_| model_number(&tables.link, model))?;
    // What was erased since its text was read must leave no vector behind. The last of a node counts.
    let kept: BTreeMap<String, &Vector> = vectors
        .iter()
        .filter(|one| held.contains_key(&RowKey::node(space, one.node)))
        .map(|one| (one.node.to_string(), one))
        .collect();
    let wall = tables.wall(space);
    let scanned = kept.values().filter(|one| !one.packed.is_empty());
    let places: BTreeMap<_, &Vector> =
        scanned.filter_map(|one| Some((tables.place_of(space, one.node)?, *one))).collect();
    let mut packed = PackedColumns::default();
    for (place, vector) in &places {
        let Some(document) = rewrite.kept(place) else { continue };
        let mut record = document.record.clone();
        pack(&mut record, number, &vector.packed);
        packed.push((wall, place.1, document.number), record, number);
    }
    let (nodes, seqs, meanings) = columns(&kept);
    let mut statements = vec![Statement {
        sql: "INSERT INTO embedding (space, node, model, seq, meaning)
              SELECT $1, n.node, $2, n.seq, n.meaning::vector
              FROM unnest($3::text[], $4::bigint[], $5::text[]) AS n (node, seq, meaning)
              ON CONFLICT (space, node, model) DO UPDATE
              SET seq = excluded.seq, meaning = excluded.meaning"
            .to_owned(),
        params: vec![
            (&wall, Type::INT8),
            (&model, Type::TEXT),
            (&nodes, Type::TEXT_ARRAY),
            (&seqs, Type::INT8_ARRAY),
            (&meanings, Type::TEXT_ARRAY),
        ],
    }];
    statements.extend(packed.statements(&wall));
    statements.push(Statement { sql: "COMMIT".to_owned(), params: Vec::new() });
    tables.link.all(&statements)?;
    Ok(())
}

/// Nodes, change numbers and vectors as the server reads them, side by side.
fn columns(kept: &BTreeMap<String, &Vector>) -> (Vec<String>, Vec<i64>, Vec<String>) {
    let (mut nodes, mut seqs, mut meanings) = (Vec::new(), Vec::new(), Vec::new());
    for (node, vector) in kept {
        let values: Vec<String> = vector.values.iter().map(ToString::to_string).collect();
        nodes.push(node.clone());
        seqs.push(vector.seq.cast_signed());
        meanings.push(format!("[{}]", values.join(",")));
    }
    (nodes, seqs, meanings)
}

/// Records that were given a vector, as parameters.
#[derive(Default)]
struct PackedColumns {
    whats: Vec<i16>,
    numbers: Vec<i32>,
    records: Vec<Vec<u8>>,
    models: Vec<Option<i16>>,
    near: NearColumns,
}

impl PackedColumns {
    fn push(&mut self, place: (i64, i16, i32), record: Vec<u8>, model: u8) {
        let cold = Document::read(&record).is_some_and(|document| document.cold);
        self.near.push(place, &record);
        self.whats.push(place.1);
        self.numbers.push(place.2);
        self.models.push((!cold).then_some(i16::from(model)));
        self.records.push(record);
    }

    fn statements<'s>(&'s self, wall: &'s i64) -> Vec<Statement<'s>> {
        if self.numbers.is_empty() {
            return Vec::new();
        }
        let mut statements = vec![
            Statement {
                sql: "UPDATE shelf SET stamp = stamp + 1 WHERE space = $1 AND what = ANY($2)"
                    .to_owned(),
                params: vec![(wall, Type::INT8), (&self.whats, Type::INT2_ARRAY)],
            },
            Statement {
                sql: "UPDATE document AS d SET record = n.record, model = n.model, stamp = h.stamp
                      FROM unnest($2::smallint[], $3::integer[], $4::bytea[], $5::smallint[])
                        AS n (what, number, record, model)
                      JOIN shelf AS h ON h.space = $1 AND h.what = n.what
                      WHERE d.space = $1 AND d.what = n.what AND d.number = n.number"
                    .to_owned(),
                params: vec![
                    (wall, Type::INT8),
                    (&self.whats, Type::INT2_ARRAY),
                    (&self.numbers, Type::INT4_ARRAY),
                    (&self.records, Type::BYTEA_ARRAY),
                    (&self.models, Type::INT2_ARRAY),
                ],
            },
        ];
        statements.extend(self.near.statements());
        statements
    }
}

/// Builds every document and posting anew, each with the number and the packed vector it has. A row
/// that cannot be read is left out: the others must be found.
pub(super) fn rebuild<L: Wire>(tables: &PgTables<L>) -> Result<()> {
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
            sql: "DELETE FROM near WHERE space = ANY($1)".to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY)],
        },
        Statement {
            sql: "DELETE FROM session_size WHERE space = ANY($1)".to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY)],
        },
        Statement {
            sql: "UPDATE shelf AS s SET docs = 0, terms = 0, telling = 0, sessions = 0,
                    stamp = s.stamp + 1, next =
                    (SELECT coalesce(max(d.number) + 1, 0) FROM document AS d
                     WHERE d.space = s.space AND d.what = s.what)
                  WHERE s.space = ANY($1)"
                .to_owned(),
            params: vec![(&walls, Type::INT8_ARRAY)],
        },
        Statement {
            sql: "UPDATE document AS d SET key = NULL, session = NULL, position = NULL, record = NULL,
                    terms = NULL, length = NULL, model = NULL, first = NULL, before = NULL,
                    before_length = NULL, next = NULL, next_length = NULL, stamp = s.stamp
                  FROM shelf AS s WHERE d.space = ANY($1) AND s.space = d.space AND s.what = d.what"
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
    let mut statements = rewrite.statements(&sizes, &reordered);
    statements.push(Statement { sql: "COMMIT".to_owned(), params: Vec::new() });
    tables.link.all(&statements)?;
    Ok(())
}

impl<L: Wire> PgTables<L> {
    /// Vectors of nodes, in their order; `None` where there is none.
    pub(super) fn find_vectors(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let kept = self.kept_vectors(space, model, nodes);
        if kept.iter().all(Option::is_some) {
            return Ok(kept);
        }
        let nodes = names(nodes);
        let rows = self.link.query(
            "SELECT e.meaning::real[] FROM unnest($3::text[]) WITH ORDINALITY AS w (node, at)
             LEFT JOIN embedding AS e ON e.space = $1 AND e.model = $2 AND e.node = w.node
             ORDER BY w.at",
            &[(&self.wall(space), Type::INT8), (&model, Type::TEXT), (&nodes, Type::TEXT_ARRAY)],
        )?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Vectors of one model, made after a change number.
    pub(super) fn vectors_after(
        &self,
        space: SpaceId,
        model: &str,
        after_seq: u64,
    ) -> Result<Vec<Vector>> {
        let rows = self.link.query(
            "SELECT node, seq, meaning::real[] FROM embedding
             WHERE space = $1 AND model = $2 AND seq > $3 ORDER BY node",
            &[
                (&self.wall(space), Type::INT8),
                (&model, Type::TEXT),
                (&i64::try_from(after_seq).unwrap_or(i64::MAX), Type::INT8),
            ],
        )?;
        let vector = |row: &tokio_postgres::Row| {
            let (node, seq): (&str, i64) = (row.get(0), row.get(1));
            let bad = |detail| Error::BadRow { what: format!("vector of {node}"), detail };
            Ok(Vector {
                node: node.parse().map_err(bad)?,
                seq: seq.unsigned_abs(),
                values: row.get(2),
                packed: Vec::new(),
            })
        };
        rows.iter().map(vector).collect()
    }
}
