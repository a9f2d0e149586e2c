//! Told: what was put before agents.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use throughline_core::MemoryId;
use throughline_engine::{Begin, Telling, Wanted};
use throughline_view::{WireTelling, WireTold};
use utoipa::{IntoParams, ToSchema};

use super::cursor::{Cursor, begin, limit_of, page};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, JsonAnswer, JsonReply, PathName, RequestQuery};

/// Which of it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ToldQuery {
    /// Only this session; the beginning of its id is enough
    session: Option<String>,
    /// Only since then
    since: Option<String>,
    /// Only what held this memory
    memory: Option<String>,
    /// Every project, not only this one
    #[serde(default)]
    all: bool,
    /// How many, at most 500 [default: 50]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
    /// How many to skip
    offset: Option<usize>,
}

/// A page of it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ToldPage {
    #[serde(flatten)]
    told: WireTold,
    next: Option<String>,
}

/// Show what agents were told, latest first
#[utoipa::path(get, path = "/api/v1/told", tag = "told", params(Asker, ToldQuery),
    responses((status = 200, body = ToldPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<ToldQuery>,
) -> JsonAnswer<ToldPage> {
    app.ask(Needs::Reading, asker, move |at| list_on(at, &query)).await.map(JsonReply)
}

fn list_on(at: &AtHand<'_>, query: &ToldQuery) -> Result<ToldPage, Problem> {
    let limit = limit_of(query.limit);
    let place = begin(query.cursor.as_deref(), query.offset, |cursor| {
        if let Cursor::Telling(at, id) = cursor { Some((at, id.0)) } else { None }
    })?;
    let looking = at.engine.looking(&at.context);
    let memory = match query.memory.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => Some(looking.show(&*at.engine.now_reader()?, id)?.memory.id),
        None => None,
    };
    let wanted = Wanted {
        all: query.all,
        session: query.session.clone().filter(|session| !session.is_empty()),
        since: at.moment(query.since.as_deref())?,
        limit: None,
    };
    let (mut found, _) = looking.told(&wanted)?;
    found.retain(|one: &Telling| memory.is_none_or(|id| one.memories.contains(&id)));
    let total = found.len();
    let skipped = match place {
        Begin::Skip(skipped) => skipped,
        // The latest come first.
        Begin::After(seen) => found.partition_point(|one| (one.at, one.id) >= seen),
    };
    let rest = found.into_iter().skip(skipped).collect();
    let (items, next) = page(rest, limit, |last| Cursor::Telling(last.at, MemoryId(last.id)));
    let items = items.iter().map(WireTelling::from).collect();
    Ok(ToldPage { told: WireTold { items, total }, next })
}

/// Show one thing that an agent was told, with the reason for each line
#[utoipa::path(get, path = "/api/v1/told/{id}", tag = "told", params(Asker, ("id" = String, Path, description = "The telling")),
    responses((status = 200, body = WireTelling), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn one(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireTelling> {
    let work = move |at: &AtHand<'_>| {
        Ok(WireTelling::from(&at.engine.looking(&at.context).told_one(&id)?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}
