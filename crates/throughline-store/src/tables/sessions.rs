//! Listings: memories, sessions and their turns, page by page.

use std::cmp::Reverse;

use throughline_core::row::Session;
use throughline_core::scope::Reach;
use throughline_core::{Episode, Row, SessionId, SpaceId, Table, Timestamp};

use super::Tables;
use crate::query::{FromSession, FromTurn, MemoryPage, MemoryQuery, SessionPage, TurnPage};

/// Memories that fit, the newest first.
pub(super) fn memories(tables: &Tables, query: &MemoryQuery) -> MemoryPage {
    let reach = Reach { spaces: query.spaces.clone(), session: query.session.clone() };
    let mut all = tables.memories_where(|memory| {
        query.spaces.contains(&memory.space)
            && (query.any_session || reach.sees(memory))
            && (query.states.is_empty() || query.states.contains(&memory.state))
            && (query.kinds.is_empty() || query.kinds.contains(&memory.kind))
            && (query.domain.is_none() || query.domain == memory.domain)
            && query.tag.as_ref().is_none_or(|tag| tables.has_tag(memory, tag))
    });
    all.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
    let total = all.len();
    all.retain(|one| query.after.is_none_or(|after| (one.recorded_at, one.id) < after));
    let items = all.into_iter().skip(query.offset).take(query.limit).collect();
    MemoryPage { items, total }
}

/// Sessions of some spaces, the latest first.
pub(super) fn sessions(
    tables: &Tables,
    spaces: &[SpaceId],
    from: &FromSession,
    limit: usize,
) -> SessionPage {
    let held = tables.table(Table::Session).filter_map(as_session);
    let mut all: Vec<&Session> = held.filter(|one| spaces.contains(&one.space)).collect();
    all.sort_by_key(|one| Reverse((one.started_at, one.id.clone())));
    let total = all.len();
    let is_after =
        |one: &Session, (at, id): &(Timestamp, SessionId)| (one.started_at, &one.id) < (*at, id);
    all.retain(|one| from.after().is_none_or(|seen| is_after(one, seen)));
    SessionPage {
        items: all.into_iter().skip(from.skipped()).take(limit).cloned().collect(),
        total,
    }
}

/// Turns of one session, in order.
pub(super) fn turns(
    tables: &Tables,
    space: SpaceId,
    session: &SessionId,
    from: &FromTurn,
    limit: usize,
) -> TurnPage {
    let held = tables.table(Table::Episode).filter_map(as_turn);
    let mut all: Vec<&Episode> =
        held.filter(|one| one.space == space && one.session == *session).collect();
    all.sort_by_key(|one| (one.position, one.id));
    let total = all.len();
    all.retain(|one| from.after().is_none_or(|seen| (one.position, one.id) > *seen));
    TurnPage { items: all.into_iter().skip(from.skipped()).take(limit).cloned().collect(), total }
}

fn as_session(row: &Row) -> Option<&Session> {
    if let Row::Session(session) = row { Some(session) } else { None }
}

fn as_turn(row: &Row) -> Option<&Episode> {
    if let Row::Episode(turn) = row { Some(turn) } else { None }
}
