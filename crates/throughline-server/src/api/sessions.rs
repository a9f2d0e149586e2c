//! Sessions and their turns.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use throughline_core::SessionId;
use throughline_view::{WireEpisode, WireExpanded, WireTurn};
use utoipa::{IntoParams, ToSchema};

use super::cursor::{Cursor, begin, limit_of, page};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, JsonAnswer, JsonReply, PathName, RequestQuery};

/// Which page.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// How many, at most 500 [default: 50]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
    /// How many to skip
    offset: Option<usize>,
}

/// A session of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WireSession {
    id: String,
    agent: String,
    started_at: String,
    ended_at: Option<String>,
    turns: u64,
    /// Turns in which something was noticed.
    noticed: u64,
    probes: u64,
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionsPage {
    items: Vec<WireSession>,
    total: usize,
    next: Option<String>,
}

/// List sessions, latest first
#[utoipa::path(get, path = "/api/v1/sessions", tag = "sessions", params(Asker, PageQuery),
    responses((status = 200, body = SessionsPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<PageQuery>,
) -> JsonAnswer<SessionsPage> {
    let work = move |at: &AtHand<'_>| {
        let limit = limit_of(query.limit);
        let from = begin(query.cursor.as_deref(), query.offset, |cursor| {
            if let Cursor::Session(at, id) = cursor { Some((at, id)) } else { None }
        })?;
        let reader = at.engine.now_reader()?;
        let found = at.engine.looking(&at.context).sessions(&*reader, &from, limit + 1)?;
        let (items, next) =
            page(found.items, limit, |last| Cursor::Session(last.started_at, last.id.clone()));
        let items: Vec<WireSession> = items
            .into_iter()
            .map(|one| WireSession {
                id: one.id.to_string(),
                agent: one.agent,
                started_at: one.started_at.to_string(),
                ended_at: one.ended_at.map(|at| at.to_string()),
                turns: one.turns,
                noticed: one.fired,
                probes: one.probes,
            })
            .collect();
        Ok(SessionsPage { items, total: found.total, next })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// A page of turns.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TurnsPage {
    items: Vec<WireEpisode>,
    total: usize,
    next: Option<String>,
}

/// Show what was said in a session, in order
#[utoipa::path(get, path = "/api/v1/sessions/{id}/turns", tag = "sessions", params(Asker, PageQuery, ("id" = String, Path, description = "The session")),
    responses((status = 200, body = TurnsPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn turns(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<PageQuery>,
    PathName(id): PathName,
) -> JsonAnswer<TurnsPage> {
    let work = move |at: &AtHand<'_>| {
        let limit = limit_of(query.limit);
        let from = begin(query.cursor.as_deref(), query.offset, |cursor| {
            if let Cursor::Turn(position, id) = cursor { Some((position, id)) } else { None }
        })?;
        let (reader, session) = (at.engine.now_reader()?, SessionId(id));
        let looking = at.engine.looking(&at.context);
        let Some(found) = looking.turns_of(&*reader, &session, &from, limit + 1)? else {
            return Err(Problem::not_found(format!("no session {session}"))
                .with_hint("GET /api/v1/sessions lists the sessions of the project"));
        };
        let (items, next) = page(found.items, limit, |last| Cursor::Turn(last.position, last.id));
        let items: Vec<WireEpisode> = items.iter().map(WireEpisode::from).collect();
        Ok(TurnsPage { items, total: found.total, next })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Show a turn, and the memories that rest on it
#[utoipa::path(get, path = "/api/v1/turns/{id}", tag = "sessions", params(Asker, ("id" = String, Path, description = "The turn")),
    responses((status = 200, body = WireTurn), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn turn(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireTurn> {
    let work = move |at: &AtHand<'_>| {
        let found = at.engine.looking(&at.context).turn(&*at.engine.now_reader()?, &id)?;
        let (turn, memories) = found.ok_or_else(|| no_turn(&id))?;
        Ok(WireTurn::new(&turn, &memories))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

fn no_turn(id: &str) -> Problem {
    Problem::not_found(format!("no turn with id {id}"))
        .with_hint("ids are looked up in this project; `project` names another")
}

/// Show a turn with those around it
#[utoipa::path(get, path = "/api/v1/turns/{id}/around", tag = "sessions", params(Asker, ("id" = String, Path, description = "The turn")),
    responses((status = 200, body = WireExpanded), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn around(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireExpanded> {
    let work = move |at: &AtHand<'_>| {
        let looking = at.engine.looking(&at.context);
        // In full: a short id may also be that of a memory.
        let found = looking.turn(&*at.engine.now_reader()?, &id)?;
        let (turn, _) = found.ok_or_else(|| no_turn(&id))?;
        Ok(WireExpanded::from(&looking.expand(&turn.id.to_string())?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}
