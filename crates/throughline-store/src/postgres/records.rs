//! Records of documents that lead among candidates, and vectors that are asked for next.

use tokio_postgres::types::Type;

use super::candidates::PLACE;
use super::documents::what;
use super::lease::Wire;
use super::link::Statement;
use super::read::names;
use super::rows::PgTables;
use crate::candidates::RecordQuery;
use crate::query::TextOf;

/// Some documents of one index, whole, with the turns beside them.
fn records_sql(of: TextOf) -> String {
    let what = what(of);
    format!(
        "SELECT 3::smallint, d.space, {PLACE}, NULL::bigint, NULL::integer[], d.record
         FROM document AS d WHERE d.space = $1 AND d.what = {what} AND d.number = ANY
           (ARRAY(SELECT unnest(ARRAY[a.number, a.before, a.next]) FROM document AS a
                  WHERE a.space = $1 AND a.what = {what} AND a.number = ANY($2)))
         UNION ALL SELECT 4::smallint, d.space, {PLACE}, NULL, NULL, NULL
         FROM document AS d WHERE d.space = $1 AND d.what = {what} AND d.number = ANY($3)"
    )
}

/// A query for records as parameters.
pub(super) struct RecordColumns {
    wall: i64,
    whole: Vec<i32>,
    places: Vec<i32>,
    nodes: Vec<String>,
}

impl RecordColumns {
    pub(super) fn of<L: Wire>(tables: &PgTables<L>, query: &RecordQuery) -> Self {
        let signed = |list: &[u32]| list.iter().map(|one| one.cast_signed()).collect();
        Self {
            wall: tables.wall(query.space),
            whole: signed(&query.whole),
            places: signed(&query.places),
            nodes: names(&query.vectors),
        }
    }

    /// Whether documents are asked for, and not only vectors.
    pub(super) fn has_documents(&self) -> bool {
        !self.whole.is_empty() || !self.places.is_empty()
    }

    /// The statements that find them, and the vectors that are asked for next.
    pub(super) fn statements<'s>(&'s self, of: TextOf, model: &'s &'s str) -> Vec<Statement<'s>> {
        let documents = self.has_documents().then(|| Statement {
            sql: records_sql(of),
            params: vec![
                (&self.wall, Type::INT8),
                (&self.whole, Type::INT4_ARRAY),
                (&self.places, Type::INT4_ARRAY),
            ],
        });
        let vectors = Statement {
            sql: "SELECT node, meaning::real[] FROM embedding
                      WHERE space = $1 AND model = $2 AND node = ANY($3)"
                .to_owned(),
            params: vec![
                (&self.wall, Type::INT8),
                (model, Type::TEXT),
                (&self.nodes, Type::TEXT_ARRAY),
            ],
        };
        documents.into_iter().chain([vectors]).collect()
    }
}
