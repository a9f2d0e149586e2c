//! Sessions and their turns, page by page.

use std::cmp::Reverse;

use throughline_core::row::Session;
use throughline_core::{Episode, Row, SessionId, SpaceId, Table};

use super::Tables;
use crate::query::{SessionPage, TurnPage};

/// Sessions of some spaces, the latest first.
pub(super) fn sessions(
    tables: &Tables,
    spaces: &[SpaceId],
    offset: usize,
    limit: usize,
) -> SessionPage {
    let held = tables.table(Table::Session).filter_map(as_session);
    let mut all: Vec<&Session> = held.filter(|one| spaces.contains(&one.space)).collect();
    all.sort_by_key(|one| Reverse((one.started_at, one.id.clone())));
    let total = all.len();
    SessionPage { items: all.into_iter().skip(offset).take(limit).cloned().collect(), total }
}

/// Turns of one session, in order.
pub(super) fn turns(
    tables: &Tables,
    space: SpaceId,
    session: &SessionId,
    offset: usize,
    limit: usize,
) -> TurnPage {
    let held = tables.table(Table::Episode).filter_map(as_turn);
    let mut all: Vec<&Episode> =
        held.filter(|one| one.space == space && one.session == *session).collect();
    all.sort_by_key(|one| (one.position, one.id));
    let total = all.len();
    TurnPage { items: all.into_iter().skip(offset).take(limit).cloned().collect(), total }
}

fn as_session(row: &Row) -> Option<&Session> {
    if let Row::Session(session) = row { Some(session) } else { None }
}

fn as_turn(row: &Row) -> Option<&Episode> {
    if let Row::Episode(turn) = row { Some(turn) } else { None }
}
