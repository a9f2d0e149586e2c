//! Erasing: what would go for good, and that it goes when the person has typed which.

use axum::extract::State;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use throughline_core::text;
use throughline_view::WirePurged;
use utoipa::{IntoParams, ToSchema};

use super::changes::VersionedChange;
use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, Given, JsonAnswer, JsonReply, PathName, RequestQuery};

/// Whether every version is meant.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ChainQuery {
    /// Also everything it replaced and was replaced by
    #[serde(default)]
    chain: bool,
}

/// What would be erased.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WouldErase {
    memories: Vec<ErasedMemory>,
    turns: Vec<ErasedTurn>,
}

/// A memory that would be erased.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErasedMemory {
    id: String,
    content: String,
}

/// A turn that would be erased.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErasedTurn {
    id: String,
    speaker: String,
    text: String,
}

/// Characters of a turn that would be erased.
const TURN_CHARS: usize = 200;

/// Show what a purge would erase
#[utoipa::path(get, path = "/api/v1/memories/{id}/purge", tag = "changes", params(Asker, ChainQuery, ("id" = String, Path, description = "The memory")),
    responses((status = 200, body = WouldErase), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn to_purge(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<ChainQuery>,
    PathName(id): PathName,
) -> JsonAnswer<WouldErase> {
    let work = move |at: &AtHand<'_>| {
        let reader = at.engine.now_reader()?;
        let erase = at.engine.erasing().to_erase(&*reader, &at.context, &[id], query.chain)?;
        let memories = erase.memories.into_iter();
        let turns = erase.turns.into_iter();
        Ok(WouldErase {
            memories: memories
                .map(|one| ErasedMemory { id: one.id.to_string(), content: one.content })
                .collect(),
            turns: turns
                .map(|one| ErasedTurn {
                    id: one.id.to_string(),
                    speaker: one.speaker,
                    text: text::headline(&one.text, TURN_CHARS),
                })
                .collect(),
        })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// The word of the person who erases.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PurgeBody {
    /// The last eight characters of the memory's id, typed
    confirm: String,
    /// Also everything it replaced and was replaced by
    #[serde(default)]
    chain: bool,
}

/// Erase a memory for good
#[utoipa::path(post, path = "/api/v1/memories/{id}/purge", tag = "changes", request_body = PurgeBody, params(Asker, ("id" = String, Path, description = "The memory"), ("If-Match" = Option<String>, Header, description = "The ETag that you read")),
    responses((status = 200, body = WirePurged), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn purge(
    State(app): State<App>,
    asker: Asker,
    PathName(id): PathName,
    headers: HeaderMap,
    Given { body, sent }: Given<PurgeBody>,
) -> JsonAnswer<WirePurged> {
    let change = VersionedChange::new(asker, id, &headers, sent);
    let work = move |at: &AtHand<'_>, id: &str| {
        let handle = &id[id.len() - 8..];
        if !body.confirm.trim().eq_ignore_ascii_case(handle) {
            let detail = "`purge` erases for good, so the id has to be typed";
            return Err(Problem::new(400, "not_confirmed", detail)
                .with_hint(format!("send {handle:?} as `confirm`; `forget` can be undone")));
        }
        let purged = at.engine.erasing().purge(&at.context, &[id.to_owned()], body.chain)?;
        Ok(WirePurged::from(&purged))
    };
    let (purged, _) = change.make(&app, work).await?;
    Ok(JsonReply(purged))
}
