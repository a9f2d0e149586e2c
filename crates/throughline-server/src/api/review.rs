//! Review and verify: what waits for a person, and the person's word.

use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use throughline_core::MemoryId;
use throughline_core::patch::Amendment;
use throughline_engine::{Begin, Keep};
use throughline_view::{WireDecided, WireReview, WireVerify};
use utoipa::{IntoParams, ToSchema};

use super::cursor::{Cursor, begin};
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply, RequestQuery};

/// Memories to check that are listed at most.
const LISTED: usize = 100;

/// Which part of it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReviewQuery {
    /// How many in all the lists together [default: everything]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
}

/// What waits, or a page of it: one list after the other, in the order of the fields.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ReviewPage {
    #[serde(flatten)]
    review: WireReview,
    /// What to send as `cursor` for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl ReviewPage {
    fn new(mut review: WireReview, query: &ReviewQuery) -> Result<Self, Problem> {
        let from = begin(query.cursor.as_deref(), None, |cursor| {
            if let Cursor::Waiting(list, place, id) = cursor {
                Some((list, place, id))
            } else {
                None
            }
        })?;
        let after = if let Begin::After(seen) = from { Some(seen) } else { None };
        let room = query.limit.unwrap_or(usize::MAX).max(1);
        let mut cut = Cut { list: 0, after, room, last: None, more: false };
        cut.keep(&mut review.verify, |one| &one.memory.id);
        cut.keep(&mut review.contested, |one| &one.a.id);
        cut.keep(&mut review.questioned, |one| &one.id);
        cut.keep(&mut review.graduation, |one| &one.id);
        cut.keep(&mut review.reconfirm, |one| &one.id);
        cut.keep(&mut review.pending, |one| &one.id);
        cut.keep(&mut review.gaps, |one| &one.id);
        let next = cut.last.filter(|_| cut.more).map(|last| last.to_string());
        Ok(Self { review, next })
    }
}

/// Cut: leaves of each list what belongs to a page.
struct Cut {
    /// The number of the list.
    list: usize,
    /// The one that was seen last: its list, its place there, and its id.
    after: Option<(usize, usize, String)>,
    /// How many more belong to the page.
    room: usize,
    last: Option<Cursor>,
    more: bool,
}

impl Cut {
    fn keep<T>(&mut self, items: &mut Vec<T>, id: impl Fn(&T) -> &str) {
        let seen = match &self.after {
            Some((list, _, _)) if self.list < *list => items.len(),
            Some((list, place, seen)) if self.list == *list => {
                // Where it was decided since, the next one has taken its place.
                let still = items.iter().position(|one| id(one) == seen);
                still.map_or(*place, |still| still + 1).min(items.len())
            }
            _ => 0,
        };
        items.drain(..seen);
        self.more |= items.len() > self.room;
        items.truncate(self.room);
        self.room -= items.len();
        if let Some(last) = items.last() {
            let place = seen + items.len() - 1;
            self.last = Some(Cursor::Waiting(self.list, place, id(last).to_owned()));
        }
        self.list += 1;
    }
}

/// Show what waits for a decision
#[utoipa::path(get, path = "/api/v1/review", tag = "review", params(Asker, ReviewQuery),
    responses((status = 200, body = ReviewPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn waiting(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<ReviewQuery>,
    asked: Uri,
) -> Result<Response, Problem> {
    let wanted = query.clone();
    let work = move |at: &AtHand<'_>| {
        let found = WireReview::new(&at.engine.reviewing(&at.context).review()?, None);
        let settled = found.graduation.is_empty();
        settled.then(|| ReviewPage::new(found, &wanted)).transpose()
    };
    if let Some(told) = app.tell_if(asker.clone(), &asked, work).await? {
        return Ok(told);
    }
    // A proposal whose file has changed since is made anew before it is shown, which writes.
    let work = move |at: &AtHand<'_>| {
        let reviewing = at.engine.reviewing(&at.context);
        reviewing.refresh_graduations()?;
        ReviewPage::new(WireReview::new(&reviewing.review()?, None), &query)
    };
    Ok(JsonReply(app.ask(Needs::Writing, asker, work).await?).into_response())
}

/// A decision.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionBody {
    /// `accept`, `reject` (of a pending operation, a line for a file, a question without an answer), `keep_a`, `keep_b`, `both`, `merge`, `later` (of a contested pair)
    decision: String,
    /// The pending operation, the line for a file, the question; or a memory of the pair, or both: `A/B`
    id: String,
    /// Why it is rejected
    reason: Option<String>,
    /// With `merge` the text that replaces both; with `accept` your wording, or the answer to a question
    text: Option<String>,
    /// With `accept`: the memory that the operation is about
    #[serde(rename = "for")]
    about: Option<String>,
}

/// What is left after a decision.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DecidedReview {
    #[serde(flatten)]
    review: WireReview,
    /// What `POST /api/v1/undo` takes.
    batch: Option<String>,
}

/// Decide something that waits
#[utoipa::path(post, path = "/api/v1/review", tag = "review", request_body = DecisionBody, params(Asker),
    responses((status = 200, body = DecidedReview), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn decide(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<DecisionBody>,
) -> JsonAnswer<DecidedReview> {
    let work = move |at: &AtHand<'_>| {
        let before = at.engine.latest_change(&*at.engine.now_reader()?)?;
        let decided = decided(at, &body)?;
        // Decisions are made one after the other, so the latest batch since is this one's.
        let since = at.engine.looking(&at.context).log(None, 1)?;
        let batch = since.first().filter(|stored| stored.last_seq > before);
        at.program.written(at.engine, false);
        at.engine.reviewing(&at.context).refresh_graduations()?;
        let review = at.engine.reviewing(&at.context).review()?;
        Ok(DecidedReview {
            review: WireReview::new(&review, Some(decided)),
            batch: batch.map(|stored| stored.batch.id.to_string()),
        })
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}

/// Carries out a decision.
fn decided(at: &AtHand<'_>, body: &DecisionBody) -> Result<WireDecided, Problem> {
    let text = |ids: &[MemoryId]| ids.iter().map(ToString::to_string).collect();
    let reviewing = at.engine.reviewing(&at.context);
    let keep = |keep, ruling| {
        let kept = reviewing.resolve_contest(&body.id, keep)?;
        let ids: Vec<MemoryId> = kept.iter().map(|card| card.memory.id).collect();
        Ok(WireDecided { ids: text(&ids), ruling })
    };
    match body.decision.as_str() {
        "reject" if reviewing.is_gap(&body.id) => {
            let card = reviewing.dismiss_gap(&body.id, body.reason.as_deref())?;
            Ok(WireDecided { ids: text(&[card.memory.id]), ruling: "rejected" })
        }
        "accept" if reviewing.is_gap(&body.id) => {
            let Some(answer) = body.text.as_deref() else {
                let detail = "this is a question without an answer";
                return Err(Problem::bad_input(detail).with_hint("give the answer as `text`"));
            };
            let card = reviewing.answer_gap(&body.id, answer)?;
            Ok(WireDecided { ids: text(&[card.memory.id]), ruling: "answered" })
        }
        "accept" if reviewing.is_graduation(&body.id)? => {
            let done = reviewing.accept_graduation(&body.id)?;
            Ok(WireDecided { ids: text(&[done.card.memory.id]), ruling: "accepted" })
        }
        "accept" => {
            let by = Amendment { text: body.text.as_deref(), memory: body.about.as_deref() };
            let applied = at.engine.keeping(&at.context).accept_pending(&body.id, by)?;
            let ids: Vec<MemoryId> =
                applied.memories.iter().chain(&applied.reinforced).copied().collect();
            Ok(WireDecided { ids: text(&ids), ruling: "accepted" })
        }
        "reject" => {
            let pending = reviewing.reject_pending(&body.id, body.reason.as_deref())?;
            Ok(WireDecided { ids: vec![pending.id.to_string()], ruling: "rejected" })
        }
        "keep_a" => keep(Keep::A, "keep_a"),
        "keep_b" => keep(Keep::B, "keep_b"),
        "both" => keep(Keep::Both, "both"),
        "merge" => {
            let Some(merged) = body.text.as_deref() else {
                return Err(Problem::bad_input("merge needs `text`: what replaces both"));
            };
            let card = reviewing.merge_contest(&body.id, merged)?;
            Ok(WireDecided { ids: text(&[card.memory.id]), ruling: "merge" })
        }
        "later" => {
            let cards = reviewing.postpone_contest(&body.id)?;
            let ids: Vec<MemoryId> = cards.iter().map(|card| card.memory.id).collect();
            Ok(WireDecided { ids: text(&ids), ruling: "later" })
        }
        other => Err(Problem::bad_input(format!(
            "decision is {other:?}; it can be accept, reject, keep_a, keep_b, both, merge or later"
        ))),
    }
}

/// Show the result of the last look at what memories are tied to
#[utoipa::path(get, path = "/api/v1/verify", tag = "review", params(Asker),
    responses((status = 200, body = WireVerify), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn last_look(State(app): State<App>, asker: Asker) -> JsonAnswer<WireVerify> {
    let work = |at: &AtHand<'_>| {
        let watching = at.engine.watching(&at.context);
        let old = watching.to_reconfirm(&*at.engine.now_reader()?, LISTED)?;
        Ok(WireVerify::new(&watching.last_look()?, &watching.to_check(LISTED)?, &old))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Look whether what memories are tied to has changed
#[utoipa::path(post, path = "/api/v1/verify", tag = "review", params(Asker),
    responses((status = 200, body = WireVerify), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn look(State(app): State<App>, asker: Asker) -> JsonAnswer<WireVerify> {
    let work = |at: &AtHand<'_>| {
        let watching = at.engine.watching(&at.context);
        let woken = watching.wake()?;
        let old = watching.to_reconfirm(&*at.engine.now_reader()?, LISTED)?;
        Ok(WireVerify::new(&woken, &watching.to_check(LISTED)?, &old))
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}
