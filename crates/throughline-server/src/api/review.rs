//! Review and verify: what waits for a person, and the person's word.

use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use throughline_core::MemoryId;
use throughline_core::patch::Amendment;
use throughline_engine::Keep;
use throughline_view::{WireDecided, WireReview, WireVerify};
use utoipa::ToSchema;

use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply};

/// Memories to check that are listed at most.
const LISTED: usize = 100;

/// Show what waits for a decision
#[utoipa::path(get, path = "/api/v1/review", tag = "review", params(Asker),
    responses((status = 200, body = WireReview), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn waiting(
    State(app): State<App>,
    asker: Asker,
    asked: Uri,
) -> Result<Response, Problem> {
    let work = |at: &AtHand<'_>| {
        let found = WireReview::new(&at.engine.reviewing(&at.context).review()?, None);
        Ok(found.graduation.is_empty().then_some(found))
    };
    if let Some(told) = app.tell_if(asker.clone(), &asked, work).await? {
        return Ok(told);
    }
    // A proposal whose file has changed since is made anew before it is shown, which writes.
    let work = |at: &AtHand<'_>| {
        let reviewing = at.engine.reviewing(&at.context);
        reviewing.refresh_graduations()?;
        Ok(WireReview::new(&reviewing.review()?, None))
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
