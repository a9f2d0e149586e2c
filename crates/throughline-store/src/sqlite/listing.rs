//! The listing of memories, page by page.
//!
//! A listing is put together of parts: a space, or a kind of claim in it. How long each part is says how much of it lies before
//! the page that is wanted, so that a page far down is found without reading all that comes before, and from the nearer end.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, params};
use throughline_core::{Kind, Row, RowKey, SpaceId, State, Table};

use super::rows::{SqlTables, distinct};
use super::text::json_list;
use crate::Result;
use crate::query::{MemoryPage, MemoryQuery};
use crate::store::Reader as _;

/// Counts that are kept at most.
const COUNTED_MAX: usize = 64;

/// Counted: how long listings were found to be. Each count holds for as long as nothing was written to its space since.
#[derive(Debug, Default)]
pub(super) struct Counted(Mutex<HashMap<String, (String, usize)>>);

impl Counted {
    /// A count that still holds, or a new one.
    fn of(
        &self,
        connection: &Connection,
        space: SpaceId,
        listing: String,
        count: impl FnOnce() -> Result<usize>,
    ) -> Result<usize> {
        let written = last_written(connection, space)?;
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, count)) = held().get(&listing)
            && *at == written
        {
            return Ok(*count);
        }
        let count = count()?;
        let mut held = held();
        if held.len() >= COUNTED_MAX {
            held.clear();
        }
        held.insert(listing, (written, count));
        Ok(count)
    }
}

/// The last change of a space, by its number and its batch: another database with the same number has another batch.
fn last_written(connection: &Connection, space: SpaceId) -> Result<String> {
    let last = connection
        .prepare_cached(
            "SELECT seq || ' ' || batch FROM change WHERE space = ?1 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([space.0], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or_default())
}

/// A part of a listing: everything of a space that fits, or what fits of one kind.
struct Part<'a> {
    query: &'a MemoryQuery,
    space: SpaceId,
    kinds: Option<String>,
    by_kind: bool,
}

/// Memories that fit, the newest first.
pub(super) fn memories(
    tables: &SqlTables<'_>,
    query: &MemoryQuery,
    counted: Option<&Counted>,
) -> Result<MemoryPage> {
    let mut parts = Vec::new();
    for part in parts_of(query) {
        let count = part.count(tables.connection, counted)?;
        parts.push((part, count));
    }
    let total: usize = parts.iter().map(|(_, count)| count).sum();
    let end = query.offset.saturating_add(query.limit);
    if query.offset >= total {
        return Ok(MemoryPage { items: Vec::new(), total });
    }
    let mut found: Vec<(String, RowKey)> = Vec::new();
    let mut skipped = 0;
    for (part, count) in parts {
        // Of this part at least so many come before the page, wherever those of the others lie.
        let skip = match query.after {
            None => query.offset.saturating_sub(total - count),
            Some(_) => 0,
        };
        skipped += skip;
        part.read(tables.connection, count, skip..end, &mut found)?;
    }
    found.sort_by(|a, b| (&b.0, &b.1.key).cmp(&(&a.0, &a.1.key)));
    let page = found.into_iter().skip(query.offset - skipped).take(query.limit);
    let keys: Vec<RowKey> = page.map(|(_, key)| key).collect();
    let rows = tables.rows(&keys)?.into_iter().flatten();
    Ok(MemoryPage { items: rows.filter_map(Row::into_memory).collect(), total })
}

/// The parts that a listing is put together of.
fn parts_of(query: &MemoryQuery) -> Vec<Part<'_>> {
    // There is an index by kind of what is current.
    let current = !query.states.is_empty() && query.states.iter().all(|state| is_current(*state));
    let by_kind = current && !query.kinds.is_empty();
    let mut kinds: Vec<Kind> = query.kinds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    let mut parts = Vec::new();
    for space in distinct(&query.spaces) {
        if by_kind {
            let one = |kind: &Kind| Part { query, space, kinds: json_list(&[*kind]), by_kind };
            parts.extend(kinds.iter().map(one));
        } else {
            parts.push(Part { query, space, kinds: json_list(&query.kinds), by_kind });
        }
    }
    parts
}

fn is_current(state: State) -> bool {
    matches!(state, State::Staged | State::Confirmed)
}

impl Part<'_> {
    fn count(&self, connection: &Connection, counted: Option<&Counted>) -> Result<usize> {
        let query = self.query;
        let count = || {
            let statement = match (self.by_kind, query.states.is_empty()) {
                (true, _) => COUNT_OF_KIND,
                (false, false) => COUNT_BY_STATE,
                (false, true) => COUNT,
            };
            let count: i64 = connection.prepare_cached(statement)?.query_row(
                params![
                    self.space.0,
                    query.session.as_ref().map(|session| &session.0),
                    json_list(&query.states),
                    self.kinds,
                    query.domain,
                    query.tag,
                    query.any_session,
                ],
                |row| row.get(0),
            )?;
            Ok(usize::try_from(count).unwrap_or(0))
        };
        let Some(counted) = counted else { return count() };
        let MemoryQuery { session, any_session, states, domain, tag, .. } = query;
        let (space, kinds) = (self.space.0, &self.kinds);
        let listing = format!("{:?}", (space, session, any_session, states, kinds, domain, tag));
        counted.of(connection, self.space, listing, count)
    }

    /// Adds what lies within a range of the part, from the nearer end.
    fn read(
        &self,
        connection: &Connection,
        count: usize,
        range: std::ops::Range<usize>,
        found: &mut Vec<(String, RowKey)>,
    ) -> Result<()> {
        let query = self.query;
        let end = range.end.min(count);
        if range.start >= end {
            return Ok(());
        }
        let from_end = query.after.is_none() && range.start > count / 2;
        let skip = if from_end { count - end } else { range.start };
        let statement = match (self.by_kind, from_end) {
            (false, false) => NEWEST,
            (false, true) => OLDEST,
            (true, false) => NEWEST_OF_KIND,
            (true, true) => OLDEST_OF_KIND,
        };
        // Every moment and every id comes before this sign.
        let after = query.after.map(|(at, id)| (at.to_string(), id.to_string()));
        let (after, after_id) = after.unwrap_or_else(|| ("~".to_owned(), "~".to_owned()));
        let [skip, take] =
            [skip, end - range.start].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let mut list = connection.prepare_cached(statement)?;
        let mut rows = list.query(params![
            self.space.0,
            query.session.as_ref().map(|session| &session.0),
            json_list(&query.states),
            self.kinds,
            query.domain,
            query.tag,
            query.any_session,
            after,
            after_id,
            take,
            skip,
        ])?;
        while let Some(row) = rows.next()? {
            let (key, recorded) = (row.get(0)?, row.get(1)?);
            found.push((recorded, RowKey { space: self.space, table: Table::Memory, key }));
        }
        Ok(())
    }
}

macro_rules! fitting {
    ($select:literal, $index:literal, $more:expr) => {
        concat!(
            "SELECT ",
            $select,
            " FROM memory AS m INDEXED BY ",
            $index,
            " WHERE m.space = ?1
               AND (m.session IS NULL OR m.session = ?2 OR ?7)
               AND (?5 IS NULL OR m.domain = ?5)
               AND (?6 IS NULL OR EXISTS (
                     SELECT 1 FROM alias AS a JOIN edge AS e INDEXED BY edge_src
                       ON e.space = a.space AND e.src = 'm:' || m.key
                      AND e.relation = 'tagged' AND e.dst = 'n:' || a.entity
                     WHERE a.space = m.space AND a.name = ?6)) ",
            $more
        )
    };
}

macro_rules! any_kind {
    ($more:literal) => {
        concat!(
            "AND (?3 IS NULL OR m.state IN (SELECT value FROM json_each(?3)))
             AND (?4 IS NULL OR m.kind IN (SELECT value FROM json_each(?4))) ",
            $more
        )
    };
}

macro_rules! one_kind {
    ($more:literal) => {
        concat!(
            "AND m.state IN ('staged', 'confirmed') AND m.state IN (SELECT value FROM json_each(?3))
             AND m.kind = (?4 ->> '$[0]') ",
            $more
        )
    };
}

const COUNT: &str = fitting!("count(*)", "memory_shape", any_kind!(""));
const COUNT_BY_STATE: &str = fitting!(
    "count(*)",
    "memory_shape",
    "AND m.state IN (SELECT value FROM json_each(?3))
     AND (?4 IS NULL OR m.kind IN (SELECT value FROM json_each(?4)))"
);
const COUNT_OF_KIND: &str = fitting!(
    "count(*)",
    "memory_shape",
    "AND m.state IN (SELECT value FROM json_each(?3)) AND m.kind = (?4 ->> '$[0]')"
);
const NEWEST: &str = fitting!(
    "m.key, m.recorded_at",
    "memory_listed",
    any_kind!(
        "AND (m.recorded_at, m.key) < (?8, ?9)
         ORDER BY m.recorded_at DESC, m.key DESC LIMIT ?10 OFFSET ?11"
    )
);
const OLDEST: &str = fitting!(
    "m.key, m.recorded_at",
    "memory_listed",
    any_kind!(
        "AND (m.recorded_at, m.key) < (?8, ?9)
         ORDER BY m.recorded_at, m.key LIMIT ?10 OFFSET ?11"
    )
);
const NEWEST_OF_KIND: &str = fitting!(
    "m.key, m.recorded_at",
    "memory_current",
    one_kind!(
        "AND (m.recorded_at, m.key) < (?8, ?9)
         ORDER BY m.recorded_at DESC, m.key DESC LIMIT ?10 OFFSET ?11"
    )
);
const OLDEST_OF_KIND: &str = fitting!(
    "m.key, m.recorded_at",
    "memory_current",
    one_kind!(
        "AND (m.recorded_at, m.key) < (?8, ?9)
         ORDER BY m.recorded_at, m.key LIMIT ?10 OFFSET ?11"
    )
);
