//! Organised memory: what came in lately, what memories speak of, and how they lie together.

use std::cmp::Reverse;

use axum::extract::State;
use axum::routing::get;
use serde::{Deserialize, Serialize};
use throughline_core::{EntityId, EntityKind, SessionId};
use throughline_engine::{Begin, Context, Thing, recalls_wait};
use throughline_view::{
    WireAbout, WireBoxes, WireFocus, WireMerged, WireSimilar, WireThing, WireThingShown,
    WireThings, WireToday, WireTopics,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cursor::{Cursor, begin, limit_of, page};
use super::memories::{PAGE_MAX, listed};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply, PathName, RequestQuery};

/// Days that are looked back at most.
const DAYS_MAX: u32 = 366;
/// Boxes, and similar memories, where nobody says how many.
const BOXES: usize = 20;
const SIMILAR: usize = 10;

/// Adds the routes of organised memory.
pub(super) fn add(routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    // A thing may be called like an operation; it is shown by the route that shows things all the same.
    let called = |name: &'static str| {
        get(move |app: State<App>, asker: Asker| entity(app, asker, PathName(name.to_owned())))
    };
    routes
        .route("/api/v1/entities/merge", called("merge"))
        .route("/api/v1/entities/alias", called("alias"))
        .routes(routes!(today))
        .routes(routes!(topics))
        .routes(routes!(boxes))
        .routes(routes!(focus))
        .routes(routes!(entities))
        .routes(routes!(entity))
        .routes(routes!(merge))
        .routes(routes!(alias))
        .routes(routes!(about))
        .routes(routes!(similar))
}

/// How far to look back.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DaysQuery {
    /// How many days, today among them, at most 366 [default: 1]
    days: Option<u32>,
}

/// Show what came in, changed and was told lately
#[utoipa::path(get, path = "/api/v1/today", tag = "organised", params(Asker, DaysQuery),
    responses((status = 200, body = WireToday), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn today(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<DaysQuery>,
) -> JsonAnswer<WireToday> {
    let days = query.days.unwrap_or(1);
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(Problem::bad_input(format!("days is {days}; it can be 1 to {DAYS_MAX}")));
    }
    // What was recalled and is not counted yet is counted first, which writes.
    let unsettled = asker.person.is_none() && recalls_wait(&app.setup.home);
    let needs = if unsettled { Needs::Writing } else { Needs::Reading };
    let work = move |at: &AtHand<'_>| {
        if unsettled {
            // What cannot be counted now is counted with the next write.
            at.engine.recalling(&at.context).settle_recalls().ok();
        }
        Ok(WireToday::from(&at.engine.looking(&at.context).today(days)?))
    };
    app.ask(needs, asker, work).await.map(JsonReply)
}

/// Show the topics that memories fall into
#[utoipa::path(get, path = "/api/v1/topics", tag = "organised", params(Asker),
    responses((status = 200, body = WireTopics), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn topics(State(app): State<App>, asker: Asker) -> JsonAnswer<WireTopics> {
    let work = |at: &AtHand<'_>| Ok(WireTopics::new(&at.engine.looking(&at.context).topics()?));
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// How many boxes.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct BoxesQuery {
    /// How many, at most 500 [default: 20]
    limit: Option<usize>,
}

/// List stretches of work on one topic, latest first
#[utoipa::path(get, path = "/api/v1/boxes", tag = "organised", params(Asker, BoxesQuery),
    responses((status = 200, body = WireBoxes), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn boxes(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<BoxesQuery>,
) -> JsonAnswer<WireBoxes> {
    let limit = query.limit.unwrap_or(BOXES).clamp(1, PAGE_MAX);
    let work = move |at: &AtHand<'_>| {
        Ok(WireBoxes::new(&at.engine.looking(&at.context).boxes(limit)?, &[]))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Whose mind.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FocusQuery {
    /// The session [default: the project's latest]
    session: Option<String>,
}

/// Show what a session has in mind
#[utoipa::path(get, path = "/api/v1/focus", tag = "organised", params(Asker, FocusQuery),
    responses((status = 200, body = WireFocus), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn focus(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<FocusQuery>,
) -> JsonAnswer<WireFocus> {
    let session = query.session.filter(|session| !session.is_empty()).map(SessionId);
    let work = move |at: &AtHand<'_>| {
        let context = Context { session, ..at.context.clone() };
        Ok(WireFocus::from(&at.engine.looking(&context).in_focus()?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Which things.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EntitiesQuery {
    /// Only these kinds, separated by commas: person, project, concept, file, tool, tag, cluster, box
    kind: Option<String>,
    /// How many, at most 500 [default: 50]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
}

/// A page of what memories speak of.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ThingsPage {
    #[serde(flatten)]
    things: WireThings,
    /// What to send as `cursor` for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List what memories speak of, the most mentioned first
#[utoipa::path(get, path = "/api/v1/entities", tag = "organised", params(Asker, EntitiesQuery),
    responses((status = 200, body = ThingsPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn entities(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<EntitiesQuery>,
) -> JsonAnswer<ThingsPage> {
    let kinds = listed::<EntityKind>(query.kind.as_deref())?;
    let limit = limit_of(query.limit);
    let from = begin(query.cursor.as_deref(), None, |cursor| {
        if let Cursor::Thing(memories, id) = cursor { Some((memories, id)) } else { None }
    })?;
    let work = move |at: &AtHand<'_>| {
        let found = at.engine.looking(&at.context).things(&kinds)?;
        let total = found.len();
        let skipped = match from {
            Begin::Skip(skipped) => skipped,
            Begin::After(seen) => place_after(&found, seen),
        };
        let rest = found.into_iter().skip(skipped).collect();
        let (items, next) =
            page(rest, limit, |last: &Thing| Cursor::Thing(last.memories, last.entity.id));
        let items = items.iter().map(WireThing::from).collect();
        Ok(ThingsPage { things: WireThings { items, total }, next })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// How many come up to a thing that was seen: by its number of mentions then, because it may have got more since.
fn place_after(found: &[Thing], (memories, id): (usize, EntityId)) -> usize {
    let name = found.iter().find(|one| one.entity.id == id).map(|one| one.entity.name.as_str());
    let seen = (Reverse(memories), name.unwrap_or_default(), id);
    found.partition_point(|one| {
        (Reverse(one.memories), one.entity.name.as_str(), one.entity.id) <= seen
    })
}

/// Show what is known of a person, project, tool, file or concept
#[utoipa::path(get, path = "/api/v1/entities/{name}", tag = "organised", params(Asker, ("name" = String, Path, description = "Any of its names")),
    responses((status = 200, body = WireThingShown), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn entity(
    State(app): State<App>,
    asker: Asker,
    PathName(name): PathName,
) -> JsonAnswer<WireThingShown> {
    let work = move |at: &AtHand<'_>| {
        Ok(WireThingShown::from(&at.engine.looking(&at.context).thing(&name)?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Two things that are one.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeBody {
    /// The one that keeps its name
    keep: String,
    /// The one that becomes another name of it
    other: String,
}

/// Make two things one
#[utoipa::path(post, path = "/api/v1/entities/merge", tag = "organised", request_body = MergeBody, params(Asker),
    responses((status = 200, body = WireMerged), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn merge(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<MergeBody>,
) -> JsonAnswer<WireMerged> {
    let work = move |at: &AtHand<'_>| {
        let merged = at.engine.keeping(&at.context).merge_things(&body.keep, &body.other)?;
        at.program.written(at.engine, false);
        Ok(WireMerged::from(&merged))
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}

/// Another name of a thing.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AliasBody {
    /// The thing, by any of its names
    name: String,
    /// The name that it goes by too
    alias: String,
}

/// Let a thing go by another name too
#[utoipa::path(post, path = "/api/v1/entities/alias", tag = "organised", request_body = AliasBody, params(Asker),
    responses((status = 200, body = WireMerged), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn alias(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<AliasBody>,
) -> JsonAnswer<WireMerged> {
    let work = move |at: &AtHand<'_>| {
        let named = at.engine.keeping(&at.context).alias_thing(&body.name, &body.alias)?;
        at.program.written(at.engine, false);
        Ok(WireMerged::from(&named))
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}

/// Show a page about a person, a project, a thing or a topic
#[utoipa::path(get, path = "/api/v1/about/{name}", tag = "organised", params(Asker, ("name" = String, Path, description = "Any of its names; `me` is the user, `my project` the project")),
    responses((status = 200, body = WireAbout), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn about(
    State(app): State<App>,
    asker: Asker,
    PathName(name): PathName,
) -> JsonAnswer<WireAbout> {
    let work =
        move |at: &AtHand<'_>| Ok(WireAbout::from(&at.engine.looking(&at.context).about(&name)?));
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// How many similar memories.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SimilarQuery {
    /// How many, at most 500 [default: 10]
    limit: Option<usize>,
}

/// Show memories that are similar to one, the most similar first
#[utoipa::path(get, path = "/api/v1/memories/{id}/similar", tag = "organised", params(Asker, SimilarQuery, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireSimilar), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn similar(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<SimilarQuery>,
    PathName(id): PathName,
) -> JsonAnswer<WireSimilar> {
    let limit = query.limit.unwrap_or(SIMILAR).clamp(1, PAGE_MAX);
    let work = move |at: &AtHand<'_>| {
        Ok(WireSimilar::new(&at.engine.looking(&at.context).similar(&id, limit)?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}
