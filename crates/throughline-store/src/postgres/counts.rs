//! How many there are of something on a server.

use std::collections::BTreeMap;

use throughline_core::{SpaceId, Table};
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::rows::PgTables;
use crate::Result;

impl<L: Wire> PgTables<L> {
    /// Turns that batches of a space recorded after a change.
    pub(super) fn count_turns(&self, space: SpaceId, seq: u64) -> Result<u64> {
        let found = self.link.query(
            "SELECT count(*) FROM change WHERE space = $1 AND turn AND seq > $2",
            &[
                (&self.wall(space), Type::INT8),
                (&i64::try_from(seq).unwrap_or(i64::MAX), Type::INT8),
            ],
        )?;
        Ok(found[0].get::<_, i64>(0).unsigned_abs())
    }

    /// Memories that came in, changed or were said again after a change, but for what sleep did itself.
    pub(super) fn count_memories(&self, space: SpaceId, seq: u64) -> Result<u64> {
        let found = self.link.query(
            r#"SELECT count(DISTINCT coalesce(
                   body::json->'insert'->>'id',
                   body::json->'revise'->>'id',
                   body::json->'reinforce'->>'memory'))
               FROM change
               WHERE space = $1 AND NOT turn AND seq > $2
                 AND (left(body, 10) IN ('{"insert":', '{"revise":') OR left(body, 13) = '{"reinforce":')
                 AND coalesce(body::json->'insert'->>'kind', body::json->'revise'->>'kind', '') <> 'gap'
                 AND NOT EXISTS (
                     SELECT 1 FROM batch
                     WHERE batch.space = change.space AND batch.key = change.batch
                       AND batch.body::json->>'cause' = 'sleep')"#,
            &[
                (&self.wall(space), Type::INT8),
                (&i64::try_from(seq).unwrap_or(i64::MAX), Type::INT8),
            ],
        )?;
        Ok(found[0].get::<_, i64>(0).unsigned_abs())
    }

    /// Rows of each table, and how memories are spread.
    pub(super) fn count_all(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
        let mut parts: Vec<String> = Table::ALL
            .iter()
            .map(|table| format!("SELECT '{table}', count(*) FROM {table} WHERE space = ANY($1)"))
            .collect();
        for (name, table) in
            [("state", "memory"), ("kind", "memory"), ("authority", "memory"), ("relation", "edge")]
        {
            parts.push(format!(
                "SELECT '{name} ' || {name}, count(*) FROM {table} WHERE space = ANY($1)
                 GROUP BY {name}"
            ));
        }
        for (name, column) in [("turns", "turns"), ("noticed", "fired"), ("probes", "probes")] {
            parts.push(format!(
                "SELECT 'capture {name}', coalesce(sum({column}), 0)::bigint FROM session
                 WHERE space = ANY($1)"
            ));
        }
        let walls = self.walls(spaces);
        let found = self.link.query(&parts.join(" UNION ALL "), &[(&walls, Type::INT8_ARRAY)])?;
        let counts = found
            .iter()
            .map(|row| (row.get::<_, &str>(0).to_owned(), row.get::<_, i64>(1).unsigned_abs()));
        Ok(counts.filter(|(_, count)| *count > 0).collect())
    }
}
