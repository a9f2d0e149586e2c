//! The graph: memories and their connections.

use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use throughline_engine::GraphWanted;
use throughline_view::WireGraph;
use utoipa::IntoParams;

use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, JsonReply, RequestQuery};

/// Nodes that are drawn at most.
const NODES_MAX: usize = 10_000;
/// Steps that are followed at most.
const DEPTH_MAX: usize = 6;

/// Which part of it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct GraphQuery {
    /// Around this memory [default: around the newest ones]
    focus: Option<String>,
    /// How many steps to follow from there, at most 6 [default: 2]
    depth: Option<usize>,
    /// How many nodes, at most 10000 [default: 500]
    limit: Option<usize>,
    /// As it was at this time
    as_of: Option<String>,
}

/// Show memories and their connections
#[utoipa::path(get, path = "/api/v1/graph", tag = "graph", params(Asker, GraphQuery),
    responses((status = 200, body = WireGraph), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn graph(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<GraphQuery>,
    asked: Uri,
) -> Result<Response, Problem> {
    let past = query.as_of.is_some();
    let work = move |at: &AtHand<'_>| {
        let reader = at.reader(query.as_of.as_deref())?;
        let wanted = GraphWanted {
            focus: query.focus.as_deref().filter(|focus| !focus.is_empty()),
            depth: query.depth.unwrap_or(2).min(DEPTH_MAX),
            nodes_max: query.limit.map(|limit| limit.clamp(1, NODES_MAX)),
        };
        Ok(WireGraph::from(&at.engine.looking(&at.context).graph(&*reader, &wanted)?))
    };
    if past {
        return Ok(JsonReply(app.ask(Needs::Replay, asker, work).await?).into_response());
    }
    app.tell(asker, &asked, work).await
}
