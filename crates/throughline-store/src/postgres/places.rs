//! Places of documents and the shelves they stand on, as parameters of statements.

use std::collections::BTreeSet;

use tokio_postgres::types::Type;

use super::documents::Place;
use super::link::Statement;

/// Places whose documents are looked up, with the shelves they stand on.
pub(super) struct PlaceColumns {
    pub(super) places: BTreeSet<Place>,
    walls: Vec<i64>,
    whats: Vec<i16>,
    keys: Vec<String>,
}

impl PlaceColumns {
    pub(super) fn of(places: BTreeSet<Place>) -> Self {
        let walls = places.iter().map(|(wall, ..)| *wall).collect();
        let whats = places.iter().map(|(_, what, _)| *what).collect();
        let keys = places.iter().map(|(.., key)| key.clone()).collect();
        Self { places, walls, whats, keys }
    }

    /// The statements that find the documents, then the shelves; none where there is no place.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        if self.places.is_empty() {
            return Vec::new();
        }
        vec![
            Statement {
                sql: "SELECT d.space, d.what, d.key, d.number, d.record, d.terms
                      FROM unnest($1::bigint[], $2::smallint[], $3::text[]) AS w (space, what, key)
                      JOIN document AS d USING (space, what, key)"
                    .to_owned(),
                params: vec![
                    (&self.walls, Type::INT8_ARRAY),
                    (&self.whats, Type::INT2_ARRAY),
                    (&self.keys, Type::TEXT_ARRAY),
                ],
            },
            Statement {
                sql: "SELECT space, what, docs, terms, telling, next, stamp FROM shelf
                      WHERE space = ANY($1)"
                    .to_owned(),
                params: vec![(&self.walls, Type::INT8_ARRAY)],
            },
        ]
    }
}

/// Sizes of shelves as parameters.
#[derive(Default)]
pub(super) struct ShelfColumns {
    pub(super) walls: Vec<i64>,
    pub(super) whats: Vec<i16>,
    pub(super) docs: Vec<i64>,
    pub(super) terms: Vec<i64>,
    pub(super) telling: Vec<i64>,
    pub(super) next: Vec<i32>,
    pub(super) stamps: Vec<i64>,
}

impl ShelfColumns {
    pub(super) fn statement(&self) -> Statement<'_> {
        Statement {
            sql: "INSERT INTO shelf (space, what, docs, terms, telling, next, stamp)
                  SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[],
                    $5::bigint[], $6::integer[], $7::bigint[])
                  ON CONFLICT (space, what) DO UPDATE SET docs = excluded.docs,
                    terms = excluded.terms, telling = excluded.telling, next = excluded.next,
                    stamp = excluded.stamp"
                .to_owned(),
            params: vec![
                (&self.walls, Type::INT8_ARRAY),
                (&self.whats, Type::INT2_ARRAY),
                (&self.docs, Type::INT8_ARRAY),
                (&self.terms, Type::INT8_ARRAY),
                (&self.telling, Type::INT8_ARRAY),
                (&self.next, Type::INT4_ARRAY),
                (&self.stamps, Type::INT8_ARRAY),
            ],
        }
    }
}
