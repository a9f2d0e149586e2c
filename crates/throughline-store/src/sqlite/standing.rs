//! What stands in memory as a whole: what a person said, behind whatever agents have said since, and the things that
//! memories speak of.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use throughline_core::{Entity, EntityKind, Kind, Memory, Row, SpaceId, Table};

use super::rows::{self, collect, distinct};
use super::text::json_list;
use crate::Result;

/// Current memories of a person's rank, newest first, so many of each space and kind.
pub(super) fn said(
    connection: &Connection,
    spaces: &[SpaceId],
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Memory>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found: Vec<Memory> = Vec::new();
    for space in distinct(spaces) {
        for kind in kinds {
            found.extend(rows::memories(
                connection,
                "SELECT key, body, hash FROM memory INDEXED BY memory_current
                 WHERE space = ?1 AND kind = ?2 AND state IN ('staged', 'confirmed')
                   AND authority IN ('user_corrected', 'user_stated')
                 ORDER BY recorded_at DESC, key DESC LIMIT ?3",
                params![space.0, kind.as_str(), limit],
            )?);
        }
    }
    found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
    Ok(found)
}

/// Entities of some kinds by id, each with the number of edges that lead to it.
pub(super) fn things(
    connection: &Connection,
    space: SpaceId,
    kinds: &[EntityKind],
) -> Result<Vec<(Entity, usize)>> {
    let kinds = json_list(kinds);
    let rows = collect(
        connection,
        Table::Entity,
        "SELECT key, body, hash FROM entity
         WHERE space = ?1 AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))
         ORDER BY key",
        params![space.0, kinds],
    )?;
    let mut select = connection.prepare_cached(
        "SELECT dst, count(*) FROM edge INDEXED BY edge_dst
         WHERE space = ?1 AND dst >= 'n:' AND dst < 'n;' GROUP BY dst",
    )?;
    let counted = select.query_map(params![space.0], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
    })?;
    let counts = counted.collect::<rusqlite::Result<BTreeMap<String, u64>>>()?;
    let led_to = |entity: &Entity| {
        let count = counts.get(&format!("n:{}", entity.id)).copied().unwrap_or(0);
        usize::try_from(count).unwrap_or(usize::MAX)
    };
    let entities = rows.into_iter().filter_map(Row::into_entity);
    Ok(entities.map(|entity| (led_to(&entity), entity)).map(|(n, entity)| (entity, n)).collect())
}
