//! Memories: listed, searched, shown, explained and added.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use throughline_core::{Authority, Kind, NodeId, Slot, State as MemoryState};
use throughline_engine::{Ask, Begin, CandidateFate, Filter, NewMemory, kind_of};
use throughline_view::{
    WireCandidate, WireExpanded, WireHistory, WireListing, WireMemory, WireRemembered, WireVersion,
    WireWhy, WireWhyNot,
};
use utoipa::{IntoParams, ToSchema};

use super::cursor::{Cursor, begin, next_of};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply, PathName, RequestQuery, json};
use crate::version::{etag_of, with_etag};

/// Entries of a page where nobody says how many, and at most.
pub(super) const PAGE: usize = 50;
pub(super) const PAGE_MAX: usize = 500;

/// Which memories are listed.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// Words to look for; without them the newest come first
    q: Option<String>,
    /// Only these kinds, separated by commas
    kind: Option<String>,
    /// Only these states, separated by commas
    state: Option<String>,
    /// Only with this label
    tag: Option<String>,
    /// Only in this area
    domain: Option<String>,
    /// Every state: also superseded, retracted, expired, archived
    #[serde(default)]
    all: bool,
    /// What was believed at this time
    as_of: Option<String>,
    /// How many, at most 500 [default: 50]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
    /// How many to skip
    offset: Option<usize>,
}

/// A page of something.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MemoriesPage {
    #[serde(flatten)]
    listing: WireListing,
    /// What to send as `cursor` for the next page; null on the last one.
    next: Option<String>,
}

/// List or search memories
#[utoipa::path(get, path = "/api/v1/memories", tag = "memories", params(Asker, ListQuery),
    responses((status = 200, body = MemoriesPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<ListQuery>,
    asked: Uri,
) -> Result<Response, Problem> {
    if query.as_of.is_some() {
        let page = app.ask(Needs::Replay, asker, move |at| list_on(at, &query)).await?;
        return Ok(JsonReply(page).into_response());
    }
    app.tell(asker, &asked, move |at| list_on(at, &query)).await
}

fn list_on(at: &AtHand<'_>, query: &ListQuery) -> Result<MemoriesPage, Problem> {
    let words = query.q.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let place = begin(query.cursor.as_deref(), query.offset, |cursor| {
        if let Cursor::Memory(moment, id) = cursor {
            Some((moment, id)).filter(|_| words.is_none())
        } else {
            None
        }
    })?;
    let (after, offset) = match place {
        Begin::Skip(offset) => (None, offset),
        Begin::After(seen) => (Some(seen), 0),
    };
    let filter = Filter {
        states: listed::<MemoryState>(query.state.as_deref())?,
        all: query.all,
        kinds: listed::<Kind>(query.kind.as_deref())?,
        domain: query.domain.clone().filter(|domain| !domain.is_empty()),
        tag: query.tag.clone().filter(|tag| !tag.is_empty()),
        after,
        offset,
        limit: Some(limit),
    };
    let reader = at.reader(query.as_of.as_deref())?;
    let looking = at.engine.looking(&at.context);
    let found = match words {
        Some(words) => looking.search(&*reader, words, &filter)?,
        None => looking.list(&*reader, &filter)?,
    };
    let next = match (words, found.items.last()) {
        (Some(_), _) => next_of(offset, found.items.len(), found.total),
        (None, Some(last)) if found.items.len() == limit => {
            Some(Cursor::Memory(last.memory.recorded_at, last.memory.id).to_string())
        }
        (None, _) => None,
    };
    Ok(MemoriesPage { listing: WireListing::from(&found), next })
}

/// Words separated by commas, each of which means something.
pub(super) fn listed<T: std::str::FromStr<Err = String>>(
    text: Option<&str>,
) -> Result<Vec<T>, Problem> {
    let words = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(Problem::bad_input)).collect()
}

/// Something to remember.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewBody {
    /// What to remember
    content: String,
    /// What sort of claim [default: what the wording suggests, else fact]
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// Why: ids of memories, or words that become one
    #[serde(default)]
    because: Vec<String>,
    /// The claim in parts: `subject|predicate|object[|one]`
    slot: Option<String>,
    /// Whose word it is [default: `user_stated`]
    authority: Option<String>,
    domain: Option<String>,
    label: Option<String>,
    importance: Option<f64>,
    confidence: Option<f64>,
    #[serde(default)]
    pin: bool,
    #[serde(default)]
    triggers: Vec<String>,
    /// What it is tied to: `file:PATH[#L3-L9]`, `git:PATH`, `flag:NAME`
    #[serde(default)]
    watch: Vec<String>,
    /// Remember it although it was erased before
    #[serde(default)]
    revive: bool,
}

/// What a word was parsed as, if one was given.
pub(super) fn parsed<T>(text: Option<&String>) -> Result<Option<T>, Problem>
where
    T: std::str::FromStr<Err = String>,
{
    text.map(|text| text.parse().map_err(Problem::bad_input)).transpose()
}

/// A slot, if one was given.
pub(super) fn slot(text: Option<&String>) -> Result<Option<Slot>, Problem> {
    text.map(|text| Slot::parse(text).map_err(Problem::bad_input)).transpose()
}

/// Remember something
#[utoipa::path(post, path = "/api/v1/memories", tag = "memories", params(Asker), request_body = NewBody,
    responses((status = 201, body = WireRemembered), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn create(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<NewBody>,
) -> Result<Response, Problem> {
    let done = app.ask(Needs::Writing, asker, move |at| create_on(at, body)).await?;
    app.upkeep.notify_one();
    let etag = etag_of(&done.memory);
    let place = format!("/api/v1/memories/{}", done.memory.id);
    let mut response = with_etag(json(StatusCode::CREATED, &done), &etag);
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

fn create_on(at: &AtHand<'_>, body: NewBody) -> Result<WireRemembered, Problem> {
    at.program.may_take_in()?;
    let watch = body.watch.iter().map(|one| one.parse().map_err(Problem::bad_input));
    let kind = parsed::<Kind>(body.kind.as_ref())?;
    let authority = parsed::<Authority>(body.authority.as_ref())?;
    let new = NewMemory {
        kind: kind.or_else(|| kind_of(&body.content)).unwrap_or(Kind::Fact),
        slot: slot(body.slot.as_ref())?,
        tags: body.tags,
        label: body.label,
        domain: body.domain,
        importance: body.importance,
        confidence: body.confidence.unwrap_or(1.0),
        pinned: body.pin,
        because: body.because,
        authority: authority.unwrap_or(Authority::UserStated),
        triggers: body.triggers,
        watch: watch.collect::<Result<_, _>>()?,
        revive: body.revive,
        shown: Vec::new(),
        content: body.content,
    };
    let remembered = at.engine.keeping(&at.context).remember(&new)?;
    at.program.written(at.engine, true);
    Ok(WireRemembered::from(&remembered))
}

/// A moment in the past.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AsOf {
    /// As it was at this time
    as_of: Option<String>,
}

/// Show a memory
#[utoipa::path(get, path = "/api/v1/memories/{id}", tag = "memories", params(Asker, AsOf, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireMemory), (status = 304, description = "it is as you have it"),
        (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn one(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<AsOf>,
    PathName(id): PathName,
) -> Result<Response, Problem> {
    let needs = if query.as_of.is_some() { Needs::Replay } else { Needs::Reading };
    let memory = app
        .ask(needs, asker, move |at| {
            let reader = at.reader(query.as_of.as_deref())?;
            Ok(WireMemory::from(&at.engine.looking(&at.context).show(&*reader, &id)?))
        })
        .await?;
    Ok(with_etag(json(StatusCode::OK, &memory), &etag_of(&memory)))
}

/// Show how a memory changed over time
#[utoipa::path(get, path = "/api/v1/memories/{id}/history", tag = "memories", params(Asker, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireHistory), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn history(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireHistory> {
    let work = move |at: &AtHand<'_>| {
        let (_, versions) = at.engine.looking(&at.context).history(&id)?;
        Ok(WireHistory { versions: versions.iter().map(WireVersion::from).collect() })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Show why a memory is believed
#[utoipa::path(get, path = "/api/v1/memories/{id}/why", tag = "memories", params(Asker, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireWhy), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn why(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireWhy> {
    let work = move |at: &AtHand<'_>| Ok(WireWhy::from(&at.engine.looking(&at.context).why(&id)?));
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Show what a memory is connected to
#[utoipa::path(get, path = "/api/v1/memories/{id}/related", tag = "memories", params(Asker, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireExpanded), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn related(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
) -> JsonAnswer<WireExpanded> {
    let work =
        move |at: &AtHand<'_>| Ok(WireExpanded::from(&at.engine.looking(&at.context).expand(&id)?));
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// A question.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct WhyNotQuery {
    /// The question or prompt
    q: String,
}

/// Explain why a memory does or does not come up for a question
#[utoipa::path(get, path = "/api/v1/memories/{id}/why-not", tag = "memories", params(Asker, WhyNotQuery, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WireWhyNot), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn why_not(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(WhyNotQuery { q }): RequestQuery<WhyNotQuery>,
    PathName(id): PathName,
) -> JsonAnswer<WireWhyNot> {
    let work = move |at: &AtHand<'_>| {
        if q.trim().is_empty() {
            return Err(Problem::bad_input("the question is empty"));
        }
        let card = at.engine.looking(&at.context).show(&*at.engine.now_reader()?, &id)?;
        let ask = Ask::new(&q, at.engine.policy().recall);
        let recall = at.engine.recalling(&at.context).recall(&ask)?;
        let node = NodeId::Memory(card.memory.id);
        let place = recall.candidates.iter().position(|one| one.node == node);
        let found = place.map(|at| &recall.candidates[at]);
        Ok(WireWhyNot {
            memory: (&card).into(),
            query: q,
            shown: matches!(found.map(|one| &one.fate), Some(CandidateFate::Shown(_))),
            rank: place.map(|at| at + 1),
            reason: throughline_view::reason(&card.memory, found),
            why: found.map(WireCandidate::from),
        })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}
