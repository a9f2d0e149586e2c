//! Packed vectors on a server, as the search for the nearest reads them.

use std::fmt::Write as _;

use tokio_postgres::types::Type;

use super::link::Statement;
use crate::document::{Document, PACKED_AT, RECORD, state_number};

/// Dimensions of the vectors that can be searched.
pub(super) const DIMENSIONS: usize = RECORD - PACKED_AT - 8;

/// Where a document is: its wall, its index, its number.
type NumberedPlace = (i64, i16, i32);

/// Vectors that are to be found, and those that are no longer, as parameters.
#[derive(Default)]
pub(super) struct NearColumns {
    walls: Vec<i64>,
    whats: Vec<i16>,
    numbers: Vec<i32>,
    models: Vec<i16>,
    states: Vec<i16>,
    colds: Vec<bool>,
    scales: Vec<f32>,
    residuals: Vec<f32>,
    codes: Vec<String>,
    gone: (Vec<i64>, Vec<i16>, Vec<i32>),
}

impl NearColumns {
    /// Adds the vector of a record, if it has one.
    pub(super) fn push(&mut self, (wall, what, number): NumberedPlace, record: &[u8]) {
        let Some(document) = Document::read(record).filter(|document| document.model > 0) else {
            return;
        };
        self.walls.push(wall);
        self.whats.push(what);
        self.numbers.push(number);
        self.models.push(i16::from(document.model));
        self.states.push(i16::from(state_number(document.state)));
        self.colds.push(document.cold);
        self.scales.push(real(record, PACKED_AT));
        self.residuals.push(real(record, PACKED_AT + 4));
        self.codes.push(in_brackets(record[PACKED_AT + 8..].iter().map(|code| code.cast_signed())));
    }

    /// Takes a vector away.
    pub(super) fn take_away(&mut self, (wall, what, number): NumberedPlace) {
        self.gone.0.push(wall);
        self.gone.1.push(what);
        self.gone.2.push(number);
    }

    /// The statements that write it.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        let mut statements = Vec::new();
        if !self.gone.0.is_empty() {
            statements.push(Statement {
                sql: "DELETE FROM near AS n
                      USING unnest($1::bigint[], $2::smallint[], $3::integer[]) AS g (space, what, number)
                      WHERE n.space = g.space AND n.what = g.what AND n.number = g.number"
                    .to_owned(),
                params: vec![
                    (&self.gone.0, Type::INT8_ARRAY),
                    (&self.gone.1, Type::INT2_ARRAY),
                    (&self.gone.2, Type::INT4_ARRAY),
                ],
            });
        }
        if !self.walls.is_empty() {
            statements.push(Statement {
                sql: format!(
                    "INSERT INTO near
                       (space, what, number, model, state, cold, scale, residual, codes)
                     SELECT n.space, n.what, n.number, n.model, n.state, n.cold, n.scale, n.residual,
                       n.codes::halfvec({DIMENSIONS})
                     FROM unnest($1::bigint[], $2::smallint[], $3::integer[], $4::smallint[],
                       $5::smallint[], $6::boolean[], $7::real[], $8::real[], $9::text[])
                       AS n (space, what, number, model, state, cold, scale, residual, codes)
                     ON CONFLICT (space, what, number) DO UPDATE SET model = excluded.model,
                       state = excluded.state, cold = excluded.cold, scale = excluded.scale,
                       residual = excluded.residual, codes = excluded.codes"
                ),
                params: vec![
                    (&self.walls, Type::INT8_ARRAY),
                    (&self.whats, Type::INT2_ARRAY),
                    (&self.numbers, Type::INT4_ARRAY),
                    (&self.models, Type::INT2_ARRAY),
                    (&self.states, Type::INT2_ARRAY),
                    (&self.colds, Type::BOOL_ARRAY),
                    (&self.scales, Type::FLOAT4_ARRAY),
                    (&self.residuals, Type::FLOAT4_ARRAY),
                    (&self.codes, Type::TEXT_ARRAY),
                ],
            });
        }
        statements
    }
}

fn real(record: &[u8], at: usize) -> f32 {
    record[at..].first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
}

/// Codes as the server reads vectors.
pub(super) fn in_brackets(codes: impl Iterator<Item = i8>) -> String {
    let mut text = String::with_capacity(5 * DIMENSIONS);
    for (at, code) in codes.enumerate() {
        text.push(if at == 0 { '[' } else { ',' });
        write!(text, "{code}").expect("a String takes text");
    }
    text.push(']');
    text
}
