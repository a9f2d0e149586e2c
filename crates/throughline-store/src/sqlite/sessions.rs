//! Listings of sessions and their turns, page by page.

use rusqlite::{Connection, params};
use throughline_core::{Row, SessionId, SpaceId, Table};

use super::rows::{collect, text_list};
use crate::Result;
use crate::query::{FromSession, FromTurn, SessionPage, TurnPage};

fn number<N: TryInto<i64>>(count: N) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Sessions of some spaces, the latest first.
pub(super) fn sessions(
    connection: &Connection,
    spaces: &[SpaceId],
    from: &FromSession,
    limit: usize,
) -> Result<SessionPage> {
    let spaces = text_list(spaces.iter().map(|space| space.0));
    let (skipped, taken) = (number(from.skipped()), number(limit));
    let (at, id) = from.after().map(|(at, id)| (at.to_string(), id.0.as_str())).unzip();
    let rows = collect(
        connection,
        Table::Session,
        "SELECT key, body, hash FROM session
         WHERE space IN (SELECT CAST(value AS INTEGER) FROM json_each(?1))
           AND (?4 IS NULL OR (body ->> '$.started_at', key) < (?4, ?5))
         ORDER BY body ->> '$.started_at' DESC, key DESC LIMIT ?2 OFFSET ?3",
        params![spaces, taken, skipped, at, id],
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
    from: &FromTurn,
    limit: usize,
) -> Result<TurnPage> {
    let (skipped, taken) = (number(from.skipped()), number(limit));
    let seen = from.after().map(|(position, id)| (number(*position), id.to_string()));
    let (position, id) = seen.unzip();
    let rows = collect(
        connection,
        Table::Episode,
        "SELECT key, body, hash FROM episode INDEXED BY episode_session
         WHERE space = ?1 AND session = ?2
           AND (?5 IS NULL OR (position, key) > (?5, ?6))
         ORDER BY position, key LIMIT ?3 OFFSET ?4",
        params![space.0, session.0, taken, skipped, position, id],
    )?;
    let total: i64 = connection
        .prepare_cached("SELECT count(*) FROM episode WHERE space = ?1 AND session = ?2")?
        .query_row(params![space.0, session.0], |row| row.get(0))?;
    let turn = |row| if let Row::Episode(turn) = row { Some(turn) } else { None };
    let items = rows.into_iter().filter_map(turn).collect();
    Ok(TurnPage { items, total: usize::try_from(total).unwrap_or(0) })
}
