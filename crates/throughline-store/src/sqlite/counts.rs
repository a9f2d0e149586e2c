//! How many there are of something.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use throughline_core::SpaceId;

use crate::Result;

/// Rows of each table, and how memories are spread.
pub(super) fn of(connection: &Connection, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>> {
    let spaces = serde_json::to_string(spaces).expect("plain data serialises");
    let mut select = connection.prepare_cached(COUNTS)?;
    let found = select.query_map([spaces], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
    })?;
    let counts = found.collect::<rusqlite::Result<BTreeMap<_, _>>>()?;
    Ok(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// Turns that were recorded after a change. A change names its variant first, so that nothing has to
/// be parsed.
pub(super) fn turns_after(connection: &Connection, space: SpaceId, seq: u64) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached(
            r#"SELECT count(*) FROM change
               WHERE space = ?1 AND seq > ?2 AND substr(body, 1, 10) = '{"record":'"#,
        )?
        .query_row(params![space.0, i64::try_from(seq).unwrap_or(i64::MAX)], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Memories that came in, changed or were said again after a change, but for what sleep did itself.
pub(super) fn memories_after(connection: &Connection, space: SpaceId, seq: u64) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached(
            r#"SELECT count(DISTINCT coalesce(
                   json_extract(body, '$.insert.id'),
                   json_extract(body, '$.revise.id'),
                   json_extract(body, '$.reinforce.memory')))
               FROM change
               WHERE space = ?1 AND seq > ?2
                 AND (substr(body, 1, 10) IN ('{"insert":', '{"revise":')
                      OR substr(body, 1, 13) = '{"reinforce":')
                 AND coalesce(json_extract(body, '$.insert.kind'), json_extract(body, '$.revise.kind'), '')
                     <> 'gap'
                 AND NOT EXISTS (
                     SELECT 1 FROM batch
                     WHERE batch.space = change.space AND batch.key = change.batch
                       AND json_extract(batch.body, '$.cause') = 'sleep')"#,
        )?
        .query_row(params![space.0, i64::try_from(seq).unwrap_or(i64::MAX)], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

const COUNTS: &str = "
    WITH here (space) AS (SELECT value FROM json_each(?1))
    SELECT 'space', count(*) FROM space WHERE space IN here
    UNION ALL SELECT 'memory', count(*) FROM memory WHERE space IN here
    UNION ALL SELECT 'evidence', count(*) FROM evidence WHERE space IN here
    UNION ALL SELECT 'watermark', count(*) FROM watermark WHERE space IN here
    UNION ALL SELECT 'usage', count(*) FROM usage WHERE space IN here
    UNION ALL SELECT 'entity', count(*) FROM entity WHERE space IN here
    UNION ALL SELECT 'edge', count(*) FROM edge WHERE space IN here
    UNION ALL SELECT 'episode', count(*) FROM episode WHERE space IN here
    UNION ALL SELECT 'session', count(*) FROM session WHERE space IN here
    UNION ALL SELECT 'injection', count(*) FROM injection WHERE space IN here
    UNION ALL SELECT 'tombstone', count(*) FROM tombstone WHERE space IN here
    UNION ALL SELECT 'pending', count(*) FROM pending WHERE space IN here
    UNION ALL SELECT 'leaf', count(*) FROM leaf WHERE space IN here
    UNION ALL SELECT 'state ' || state, count(*) FROM memory WHERE space IN here GROUP BY state
    UNION ALL SELECT 'kind ' || kind, count(*) FROM memory WHERE space IN here GROUP BY kind
    UNION ALL SELECT 'authority ' || authority, count(*)
              FROM memory WHERE space IN here GROUP BY authority
    UNION ALL SELECT 'relation ' || relation, count(*)
              FROM edge WHERE space IN here GROUP BY relation
    UNION ALL SELECT 'capture turns', coalesce(sum(iif(json_valid(body), body ->> '$.turns', 0)), 0)
              FROM session WHERE space IN here
    UNION ALL SELECT 'capture noticed', coalesce(sum(iif(json_valid(body), body ->> '$.fired', 0)), 0)
              FROM session WHERE space IN here
    UNION ALL SELECT 'capture probes', coalesce(sum(iif(json_valid(body), body ->> '$.probes', 0)), 0)
              FROM session WHERE space IN here";
