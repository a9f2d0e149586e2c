//! Changes of one memory. Each answers with the memory and with the batch that `undo` takes.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_core::{Kind, Memory, NodeId, Relation};
use throughline_engine::{Card, Context, Edits, OnlyIf, Put, Showed};
use throughline_view::{WireChanged, WireMemory, WireRemembered, WireVerified, changed};
use utoipa::ToSchema;

use super::memories::{parsed, slot};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply, PathName, header_text, json};
use crate::version::{etag_of, still_says, with_etag};

/// A memory that was changed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChangedMemory {
    memory: WireMemory,
    /// It was not done at once: it waits in `review`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    waits: bool,
    /// What `POST /api/v1/undo` takes; null where nothing was changed.
    batch: Option<String>,
}

/// What is asked of one memory.
pub(super) struct VersionedChange {
    asker: Asker,
    id: String,
    /// The version that the caller read, if it says.
    if_match: Option<String>,
    /// What it sent, to be handed back.
    sent: Value,
}

impl VersionedChange {
    pub(super) fn new(asker: Asker, id: String, headers: &HeaderMap, sent: Value) -> Self {
        let if_match = header_text(headers, header::IF_MATCH).map(str::to_owned);
        Self { asker, id, if_match, sent }
    }

    /// Carries out a change of the memory, if it is still as the caller read it, and says by which batch.
    pub(super) async fn make<T: Send + 'static>(
        self,
        app: &App,
        change: impl FnOnce(&AtHand<'_>, &str) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(T, Option<String>), Problem> {
        let Self { asker, id, if_match, sent } = self;
        let work = move |at: &AtHand<'_>| {
            let (before, memory) = {
                let reader = at.engine.now_reader()?;
                let card = at.engine.looking(&at.context).show(&*reader, &id)?;
                if let Some(if_match) = &if_match {
                    check_version(&card, if_match, sent.clone())?;
                }
                (at.engine.latest_change(&*reader)?, card.memory)
            };
            // Another process may write until it is our turn, so it is looked at once more then.
            let only_if = if_match.clone().map(|if_match| {
                let says = move |card: &Card| still_says(&etag_of(&card.into()), &if_match);
                OnlyIf::new(&memory, says)
            });
            let context = Context { only_if: only_if.clone(), ..at.context.clone() };
            let under = AtHand { context, ..*at };
            // The id in full: what it was shortened to may mean two after the change.
            let id = memory.id.to_string();
            let done = change(&under, &id).or_else(|problem| {
                if let (Some(if_match), true) = (if_match, only_if.is_some_and(|one| one.failed()))
                {
                    let card =
                        at.engine.looking(&at.context).show(&*at.engine.now_reader()?, &id)?;
                    check_version(&card, &if_match, sent)?;
                }
                Err(problem)
            })?;
            let batch = batch_since(at, &memory, before)?;
            at.program.written(at.engine, false);
            Ok((done, batch))
        };
        let done = app.ask(Needs::Writing, asker, work).await?;
        app.upkeep.notify_one();
        Ok(done)
    }

    /// The same for a change that ends with the memory.
    async fn answer(
        self,
        app: &App,
        change: impl FnOnce(&AtHand<'_>, &str) -> Result<Put, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        let (put, batch) = self.make(app, change).await?;
        let memory = WireMemory::from(&put.card);
        let etag = etag_of(&memory);
        let told = ChangedMemory { memory, waits: put.waits.is_some(), batch };
        Ok(with_etag(json(StatusCode::OK, &told), &etag))
    }
}

fn check_version(card: &Card, if_match: &str, sent: Value) -> Result<(), Problem> {
    let memory = WireMemory::from(card);
    let etag = etag_of(&memory);
    if still_says(&etag, if_match) {
        return Ok(());
    }
    let current = serde_json::to_value(&memory).unwrap_or_default();
    Err(Problem::changed_meanwhile(current, sent, etag))
}

/// The batch that touched a memory last, if that was after a change.
fn batch_since(at: &AtHand<'_>, memory: &Memory, before: u64) -> Result<Option<String>, Problem> {
    let reader = at.engine.now_reader()?;
    let history = reader.history(memory.space, NodeId::Memory(memory.id));
    let last = history.map_err(throughline_engine::Error::from)?.into_iter().next_back();
    Ok(last.filter(|logged| logged.seq > before).map(|logged| logged.batch.to_string()))
}

fn done(card: Card) -> Put {
    Put { card, waits: None }
}

/// New wording or properties; what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditBody {
    content: Option<String>,
    kind: Option<String>,
    /// Empty removes it
    label: Option<String>,
    /// Empty removes it
    domain: Option<String>,
    importance: Option<f64>,
    /// `subject|predicate|object[|one]`
    slot: Option<String>,
    valid_from: Option<String>,
    valid_until: Option<String>,
    triggers: Option<Vec<String>>,
}

/// A memory that was edited.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EditedMemory {
    memory: WireMemory,
    changed: Vec<WireChanged>,
    batch: Option<String>,
}

/// Change a memory's wording or properties
#[utoipa::path(patch, path = "/api/v1/memories/{id}", tag = "changes", request_body = EditBody, params(Asker, ("id" = String, Path, description = "The memory"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
    responses((status = 200, body = EditedMemory), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn edit(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
    headers: HeaderMap,
    Given { body, sent }: Given<EditBody>,
) -> Result<Response, Problem> {
    let change = VersionedChange::new(asker, id, &headers, sent);
    let work = move |at: &AtHand<'_>, id: &str| {
        let edits = Edits {
            content: body.content,
            kind: parsed::<Kind>(body.kind.as_ref())?,
            label: body.label,
            domain: body.domain,
            importance: body.importance,
            slot: slot(body.slot.as_ref())?,
            valid_from: at.moment(body.valid_from.as_deref())?,
            valid_until: at.moment(body.valid_until.as_deref())?,
            triggers: body.triggers,
        };
        let before = at.engine.looking(&at.context).show(&*at.engine.now_reader()?, id)?;
        let card = at.engine.keeping(&at.context).edit(id, &edits)?;
        Ok((changed(&before, &card), WireMemory::from(&card)))
    };
    let ((changed, memory), batch) = change.make(&app, work).await?;
    let etag = etag_of(&memory);
    Ok(with_etag(json(StatusCode::OK, &EditedMemory { memory, changed, batch }), &etag))
}

/// What is right.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CorrectBody {
    content: String,
    /// `subject|predicate|object[|one]`
    slot: Option<String>,
}

/// Correct a memory: the new text replaces the old one
#[utoipa::path(post, path = "/api/v1/memories/{id}/correct", tag = "changes", request_body = CorrectBody, params(Asker, ("id" = String, Path, description = "The memory"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
    responses((status = 200, body = WireRemembered), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn correct(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
    headers: HeaderMap,
    Given { body, sent }: Given<CorrectBody>,
) -> Result<Response, Problem> {
    let change = VersionedChange::new(asker, id, &headers, sent);
    let work = move |at: &AtHand<'_>, id: &str| {
        at.program.may_take_in()?;
        let slot = slot(body.slot.as_ref())?;
        let corrected = at.engine.keeping(&at.context).correct(id, &body.content, slot.as_ref())?;
        at.program.written(at.engine, true);
        Ok(WireRemembered::from(&corrected))
    };
    let (corrected, _) = change.make(&app, work).await?;
    let etag = etag_of(&corrected.memory);
    Ok(with_etag(json(StatusCode::OK, &corrected), &etag))
}

/// Say in the project what holds everywhere for whoever asks; answers with the memory that says it there
#[utoipa::path(post, path = "/api/v1/memories/{id}/promote", tag = "changes", request_body = Nothing, params(Asker, ("id" = String, Path, description = "The memory that holds everywhere"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
    responses((status = 200, body = WireRemembered), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn promote(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
    headers: HeaderMap,
    Given { sent, .. }: Given<Nothing>,
) -> Result<Response, Problem> {
    let change = VersionedChange::new(asker, id, &headers, sent);
    let work = move |at: &AtHand<'_>, id: &str| {
        at.program.may_take_in()?;
        Ok(WireRemembered::from(&at.engine.keeping(&at.context).promote(id)?))
    };
    let (promoted, _) = change.make(&app, work).await?;
    let etag = etag_of(&promoted.memory);
    Ok(with_etag(json(StatusCode::OK, &promoted), &etag))
}

/// Nothing to say.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// Why, for the log.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyBody {
    reason: Option<String>,
}

/// Whether a memory is pinned.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PinBody {
    /// [default: true]
    on: Option<bool>,
}

/// Labels that come and go.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TagsBody {
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    remove: Vec<String>,
}

/// What takes its place.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SupersedeBody {
    /// The memory that replaces it
    by: String,
}

/// A connection.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkBody {
    /// `because`, `depends_on`, `contradicts`, `relates_to`, …
    relation: String,
    /// The other memory
    to: String,
    reason: Option<String>,
}

/// Whether a memory helped.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedbackBody {
    helpful: bool,
}

/// Declares an operation that changes one memory and answers with it.
macro_rules! operations {
    ($( $(#[doc = $doc:literal])+ $name:ident at $path:literal takes $body:ty => |$at:ident, $id:ident, $given:ident| $work:expr; )+) => {
        $(
            $(#[doc = $doc])+
            #[utoipa::path(post, path = $path, tag = "changes", request_body = $body, params(Asker, ("id" = String, Path, description = "The memory"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
                responses((status = 200, body = ChangedMemory), (status = "default", body = Problem, content_type = "application/problem+json")))]
            pub(super) async fn $name(
                State(app): State<App>,
                asker: Asker,
                PathName(id): PathName,
                headers: HeaderMap,
                Given { body: $given, sent }: Given<$body>,
            ) -> Result<Response, Problem> {
                let change = VersionedChange::new(asker, id, &headers, sent);
                change.answer(&app, move |$at, $id| $work).await
            }
        )+
    };
}

operations! {
    /// Confirm that a memory is true
    confirm at "/api/v1/memories/{id}/confirm" takes Nothing => |at, id, _given| {
        Ok(done(at.engine.keeping(&at.context).confirm(id)?))
    };
    /// Pin a memory: it never expires
    pin at "/api/v1/memories/{id}/pin" takes PinBody => |at, id, given| {
        Ok(done(at.engine.keeping(&at.context).pin(id, given.on.unwrap_or(true))?))
    };
    /// Add labels to a memory, or remove them
    tags at "/api/v1/memories/{id}/tags" takes TagsBody => |at, id, given| {
        if given.add.is_empty() && given.remove.is_empty() {
            return Err(Problem::bad_input("name a label to add, or one to remove"));
        }
        Ok(done(at.engine.keeping(&at.context).tag(id, &given.add, &given.remove)?))
    };
    /// Put a memory away
    archive at "/api/v1/memories/{id}/archive" takes WhyBody => |at, id, given| {
        Ok(at.engine.keeping(&at.context).archive(id, given.reason.as_deref())?)
    };
    /// Bring back an archived memory
    unarchive at "/api/v1/memories/{id}/unarchive" takes Nothing => |at, id, _given| {
        Ok(done(at.engine.keeping(&at.context).unarchive(id)?))
    };
    /// Say that what a commitment promised was done
    fulfil at "/api/v1/memories/{id}/done" takes Nothing => |at, id, _given| {
        Ok(done(at.engine.keeping(&at.context).done(id)?))
    };
    /// Retract a memory (reversible; purge erases)
    forget at "/api/v1/memories/{id}/forget" takes WhyBody => |at, id, given| {
        Ok(at.engine.keeping(&at.context).forget(id, given.reason.as_deref())?)
    };
    /// Replace a memory with another
    supersede at "/api/v1/memories/{id}/supersede" takes SupersedeBody => |at, id, given| {
        Ok(at.engine.keeping(&at.context).supersede(id, &given.by)?)
    };
    /// Make a replaced memory current again
    unsupersede at "/api/v1/memories/{id}/unsupersede" takes Nothing => |at, id, _given| {
        Ok(done(at.engine.keeping(&at.context).unsupersede(id)?))
    };
    /// Connect a memory to another
    link at "/api/v1/memories/{id}/link" takes LinkBody => |at, id, given| {
        let relation: Relation = given.relation.parse().map_err(Problem::bad_input)?;
        let keeping = at.engine.keeping(&at.context);
        Ok(done(keeping.link(id, relation, &given.to, given.reason.as_deref())?))
    };
    /// Remove a connection
    unlink at "/api/v1/memories/{id}/unlink" takes LinkBody => |at, id, given| {
        let relation: Relation = given.relation.parse().map_err(Problem::bad_input)?;
        let keeping = at.engine.keeping(&at.context);
        Ok(done(keeping.unlink(id, relation, &given.to, given.reason.as_deref())?))
    };
    /// Say whether a memory helped
    feedback at "/api/v1/memories/{id}/feedback" takes FeedbackBody => |at, id, given| {
        Ok(done(at.engine.looking(&at.context).rate(id, given.helpful)?))
    };
}

/// What a check showed.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyBody {
    /// `confirmed` or `refuted`
    outcome: String,
    /// What you saw that shows it
    evidence: Option<String>,
}

/// A memory that was checked.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CheckedMemory {
    #[serde(flatten)]
    verified: WireVerified,
    batch: Option<String>,
}

/// Say whether a memory still holds
#[utoipa::path(post, path = "/api/v1/memories/{id}/verify", tag = "changes", request_body = VerifyBody, params(Asker, ("id" = String, Path, description = "The memory"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
    responses((status = 200, body = CheckedMemory), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn verify(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
    headers: HeaderMap,
    Given { body, sent }: Given<VerifyBody>,
) -> JsonAnswer<CheckedMemory> {
    let showed = match body.outcome.as_str() {
        "confirmed" => Showed::Confirmed,
        "refuted" => Showed::Refuted,
        _ => return Err(Problem::bad_input("outcome is \"confirmed\" or \"refuted\"")),
    };
    let change = VersionedChange::new(asker, id, &headers, sent);
    let work = move |at: &AtHand<'_>, id: &str| {
        let watching = at.engine.watching(&at.context);
        Ok(WireVerified::new(showed, &watching.verify(id, showed, body.evidence.as_deref())?))
    };
    let (verified, batch) = change.make(&app, work).await?;
    Ok(JsonReply(CheckedMemory { verified, batch }))
}
