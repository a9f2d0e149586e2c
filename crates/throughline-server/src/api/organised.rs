//! Organised memory: the place for the routes of entities, topics, today and what is similar.
//!
//! Each is a handler like those beside it: the engine is asked on a thread, and the answer is a type of
//! `throughline-view`. It is added here, and the test that calls every described operation finds it.

use utoipa_axum::router::OpenApiRouter;

use crate::app::App;

/// Adds the routes of organised memory.
pub(super) fn add(routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    routes
}
