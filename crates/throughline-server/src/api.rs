//! The interface: every route, in one place, with the document that describes them.

mod changes;
mod cursor;
mod erasing;
mod graph;
mod memories;
mod numbers;
mod organised;
mod recall;
mod review;
mod sessions;
mod told;

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, SecurityRequirement};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::given::BODY_BYTES_MAX;
use crate::guard::{RateLimit, guard};
use crate::version::versioned;
use crate::{Problem, door, events, mcp, page};

#[derive(OpenApi)]
#[openapi(info(
    title = "Throughline",
    description = "Memory over HTTP, on this machine. The objects are those of the command line's `--json`."
))]
struct Described;

/// Every route that is described, and its description.
fn described() -> (Router<App>, Document) {
    let routes = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(door::link, door::login))
        .routes(routes!(door::logout))
        .routes(routes!(memories::list, memories::create))
        .routes(routes!(memories::one, changes::edit))
        .routes(routes!(memories::history))
        .routes(routes!(memories::why))
        .routes(routes!(memories::related))
        .routes(routes!(memories::why_not))
        .routes(routes!(changes::confirm))
        .routes(routes!(changes::correct))
        .routes(routes!(changes::promote))
        .routes(routes!(changes::pin))
        .routes(routes!(changes::tags))
        .routes(routes!(changes::archive))
        .routes(routes!(changes::unarchive))
        .routes(routes!(changes::fulfil))
        .routes(routes!(changes::forget))
        .routes(routes!(changes::supersede))
        .routes(routes!(changes::unsupersede))
        .routes(routes!(changes::link))
        .routes(routes!(changes::unlink))
        .routes(routes!(changes::feedback))
        .routes(routes!(changes::verify))
        .routes(routes!(erasing::to_purge, erasing::purge))
        .routes(routes!(recall::recall))
        .routes(routes!(recall::read))
        .routes(routes!(told::list))
        .routes(routes!(told::one))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::turns))
        .routes(routes!(sessions::turn))
        .routes(routes!(sessions::around))
        .routes(routes!(graph::graph))
        .routes(routes!(review::waiting, review::decide))
        .routes(routes!(review::last_look, review::look))
        .routes(routes!(numbers::log))
        .routes(routes!(numbers::undo))
        .routes(routes!(numbers::sleep))
        .routes(routes!(numbers::status))
        .routes(routes!(numbers::stats))
        .routes(routes!(numbers::doctor))
        .routes(routes!(numbers::projects))
        .routes(routes!(numbers::export))
        .routes(routes!(numbers::health))
        .routes(routes!(numbers::metrics))
        .routes(routes!(events::events));
    organised::add(routes).split_for_parts()
}

/// The description of every route, as it is served.
pub fn openapi() -> Document {
    let (_, mut document) = described();
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document.info.license = None;
    document.info.contact = None;
    name_operations(&mut document);
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", bearer);
    document.security = Some(vec![SecurityRequirement::new("token", Vec::<String>::new())]);
    document
}

/// Names each operation after its path, so that no two have the same name.
fn name_operations(document: &mut Document) {
    for (path, item) in &mut document.paths.paths {
        let place =
            path.trim_start_matches("/api/v1/").replace(['{', '}'], "").replace(['/', '-'], "_");
        let place = place.trim_matches('_');
        for (method, operation) in
            [("get", &mut item.get), ("post", &mut item.post), ("patch", &mut item.patch)]
        {
            if let Some(operation) = operation {
                operation.operation_id = Some(format!("{method}_{place}"));
            }
        }
    }
}

/// Everything that is served, with the guard before it.
pub(crate) fn router(app: &App) -> Router {
    let (routes, _) = described();
    let guarding = (app.clone(), Arc::new(RateLimit::new()));
    routes
        .route("/openapi.json", get(async || document_text().map(|text| versioned(text.into()))))
        .route("/mcp", any(mcp::mcp))
        .fallback(page::file)
        .method_not_allowed_fallback(page::not_allowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(CatchPanicLayer::custom(broke))
        .layer(from_fn_with_state(guarding, guard))
        .with_state(app.clone())
}

/// The description as it is served.
fn document_text() -> Result<String, Problem> {
    let failed = |error: serde_json::Error| Problem::new(500, "failed", error.to_string());
    serde_json::to_string(&openapi()).map_err(failed)
}

/// A handler that panicked: stderr says why.
fn broke(_: Box<dyn Any + Send>) -> Response {
    Problem::new(500, "failed", "something broke; stderr of the server says what").into_response()
}
