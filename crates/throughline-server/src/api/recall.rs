//! Recall and read: what comes to mind, and what would be kept.

use axum::extract::State;
use serde::Deserialize;
use throughline_engine::Ask;
use throughline_view::{WireRead, WireRecall};
use utoipa::ToSchema;

use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply};

/// A question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecallBody {
    /// The question or prompt
    query: String,
    /// Show every candidate with its scores
    #[serde(default)]
    explain: bool,
    /// How many tokens the answer may take
    budget: Option<usize>,
    /// How many memories at most
    limit: Option<usize>,
    /// Also quote what was said in past sessions
    #[serde(default)]
    episodes: bool,
    /// Also show memories that were replaced
    #[serde(default)]
    include_superseded: bool,
    /// What was believed at this time
    as_of: Option<String>,
}

/// Show the few memories that fit a question, as an agent would read them
#[utoipa::path(post, path = "/api/v1/recall", tag = "recall", request_body = RecallBody, params(Asker),
    responses((status = 200, body = WireRecall), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn recall(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<RecallBody>,
) -> JsonAnswer<WireRecall> {
    let needs = if body.as_of.is_some() { Needs::Replay } else { Needs::Reading };
    app.ask(needs, asker, move |at| recall_on(at, &body)).await.map(JsonReply)
}

fn recall_on(at: &AtHand<'_>, body: &RecallBody) -> Result<WireRecall, Problem> {
    if body.query.trim().is_empty() {
        return Err(Problem::bad_input("the question is empty"));
    }
    let mut limits = at.engine.policy().recall;
    limits.budget_tokens = body.budget.unwrap_or(limits.budget_tokens);
    limits.items_max = body.limit.unwrap_or(limits.items_max);
    let ask = Ask {
        as_of: at.moment(body.as_of.as_deref())?,
        episodes: body.episodes,
        replaced: body.include_superseded,
        ..Ask::new(&body.query, limits)
    };
    let recalling = at.engine.recalling(&at.context);
    let recall = recalling.recall(&ask)?;
    let titles = body.explain.then(|| recall.titles(&*at.engine.now_reader()?)).transpose()?;
    // As on the command line: to look at the past or into the works is no use of a memory.
    if ask.as_of.is_none() && !body.explain {
        recalling.note_recall(&recall).ok();
    }
    Ok(WireRecall::new(&recall, titles.as_deref(), None))
}

/// A text, as somebody would write it to an agent.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadBody {
    text: String,
    /// The agent's message that the text answers
    before: Option<String>,
}

/// Show what would be kept of a text; nothing is written
#[utoipa::path(post, path = "/api/v1/read", tag = "recall", request_body = ReadBody, params(Asker),
    responses((status = 200, body = WireRead), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn read(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<ReadBody>,
) -> JsonAnswer<WireRead> {
    let work = move |at: &AtHand<'_>| {
        let capturing = at.engine.capturing(&at.context);
        Ok(WireRead::from(&capturing.read_aside(body.before.as_deref(), &body.text)?))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}
