//! Listings: memories, sessions and their turns, page by page.

use rusqlite::{Connection, params};
use throughline_core::{Row, RowKey, SessionId, SpaceId, Table};

use super::rows::{SqlTables, collect, distinct, text_list};
use super::text::json_list;
use crate::Result;
use crate::query::{MemoryPage, MemoryQuery, SessionPage, TurnPage};
use crate::store::Reader as _;

/// Memories that fit, the newest first.
pub(super) fn memories(tables: &SqlTables<'_>, query: &MemoryQuery) -> Result<MemoryPage> {
    let mut found: Vec<(String, RowKey)> = Vec::new();
    let mut total = 0;
    let wanted = query.offset.saturating_add(query.limit);
    // Every moment and every id comes before this sign.
    let after = query.after.map(|(at, id)| (at.to_string(), id.to_string()));
    let (after, after_id) = after.unwrap_or_else(|| ("~".to_owned(), "~".to_owned()));
    for space in &distinct(&query.spaces) {
        let narrow = params![
            space.0,
            query.session.as_ref().map(|session| &session.0),
            json_list(&query.states),
            json_list(&query.kinds),
            query.domain,
            query.tag,
            i64::try_from(wanted).unwrap_or(i64::MAX),
            query.any_session,
            after,
            after_id,
        ];
        let mut list = tables.connection.prepare_cached(LIST)?;
        let mut rows = list.query(narrow)?;
        while let Some(row) = rows.next()? {
            let (key, recorded) = (row.get(0)?, row.get(1)?);
            found.push((recorded, RowKey { space: *space, table: Table::Memory, key }));
        }
        let count: i64 =
            tables.connection.prepare_cached(COUNT)?.query_row(narrow, |row| row.get(0))?;
        total += usize::try_from(count).unwrap_or(0);
    }
    // Only what is shown is read whole: a page far down a long list costs little more than the first.
    found.sort_by(|a, b| (&b.0, &b.1.key).cmp(&(&a.0, &a.1.key)));
    let page = found.into_iter().skip(query.offset).take(query.limit);
    let keys: Vec<RowKey> = page.map(|(_, key)| key).collect();
    let rows = tables.rows(&keys)?.into_iter().flatten();
    Ok(MemoryPage { items: rows.filter_map(Row::into_memory).collect(), total })
}

/// Sessions of some spaces, the latest first.
pub(super) fn sessions(
    connection: &Connection,
    spaces: &[SpaceId],
    offset: usize,
    limit: usize,
) -> Result<SessionPage> {
    let spaces = text_list(spaces.iter().map(|space| space.0));
    let [skipped, taken] = [offset, limit].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let rows = collect(
        connection,
        Table::Session,
        "SELECT key, body, hash FROM session
         WHERE space IN (SELECT CAST(value AS INTEGER) FROM json_each(?1))
         ORDER BY body ->> '$.started_at' DESC, key DESC LIMIT ?2 OFFSET ?3",
        params![spaces, taken, skipped],
    )?;
    let total: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM session
             WHERE space IN (SELECT CAST(value AS INTEGER) FROM json_each(?1))",
        )?
        .query_row([&spaces], |row| row.get(0))?;
    let session = |row| if let Row::Session(session) = row { Some(session) } else { None };
    let items = rows.into_iter().filter_map(session).collect();
    Ok(SessionPage { items, total: usize::try_from(total).unwrap_or(0) })
}

/// Turns of one session, in order.
pub(super) fn turns(
    connection: &Connection,
    space: SpaceId,
    session: &SessionId,
    offset: usize,
    limit: usize,
) -> Result<TurnPage> {
    let [skipped, taken] = [offset, limit].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let rows = collect(
        connection,
        Table::Episode,
        "SELECT key, body, hash FROM episode INDEXED BY episode_session
         WHERE space = ?1 AND session = ?2 ORDER BY position, key LIMIT ?3 OFFSET ?4",
        params![space.0, session.0, taken, skipped],
    )?;
    let total: i64 = connection
        .prepare_cached("SELECT count(*) FROM episode WHERE space = ?1 AND session = ?2")?
        .query_row(params![space.0, session.0], |row| row.get(0))?;
    let turn = |row| if let Row::Episode(turn) = row { Some(turn) } else { None };
    let items = rows.into_iter().filter_map(turn).collect();
    Ok(TurnPage { items, total: usize::try_from(total).unwrap_or(0) })
}

macro_rules! narrowed {
    ($select:literal, $index:literal, $order:literal) => {
        concat!(
            "SELECT ",
            $select,
            " FROM memory AS m INDEXED BY ",
            $index,
            " WHERE m.space = ?1
               AND (m.session IS NULL OR m.session = ?2 OR ?8)
               AND (?3 IS NULL OR m.state IN (SELECT value FROM json_each(?3)))
               AND (?4 IS NULL OR m.kind IN (SELECT value FROM json_each(?4)))
               AND (?5 IS NULL OR m.domain = ?5)
               AND (?6 IS NULL OR EXISTS (
                     SELECT 1 FROM alias AS a JOIN edge AS e INDEXED BY edge_src
                       ON e.space = a.space AND e.src = 'm:' || m.key
                      AND e.relation = 'tagged' AND e.dst = 'n:' || a.entity
                     WHERE a.space = m.space AND a.name = ?6)) ",
            $order
        )
    };
}

const LIST: &str = narrowed!(
    "m.key, m.recorded_at",
    "memory_recorded",
    "AND (m.recorded_at, m.key) < (?9, ?10)
     ORDER BY m.recorded_at DESC, m.key DESC LIMIT ?7"
);
const COUNT: &str =
    narrowed!("count(*)", "memory_shape", "AND ?7 IS ?7 AND ?9 IS ?9 AND ?10 IS ?10");
