//! MCP over HTTP: one worker for each project, made when its first client comes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use throughline_mcp::{AtWork, HttpService, Worker};

use crate::Problem;
use crate::app::{App, Needs};
use crate::given::{Asker, BODY_BYTES_MAX};

/// Whose service it is, and of which project.
type ServiceKey = (Option<String>, String);

/// MCP services: those of the projects that had a client, for each person.
#[derive(Default)]
pub(crate) struct McpServices(Mutex<HashMap<ServiceKey, (HttpService, AtWork)>>);

impl McpServices {
    /// Ends every session.
    pub(crate) fn end(&self) {
        let services = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        services.values().for_each(|(service, _)| service.end());
    }

    /// Waits until the workers are done, at most for so long each.
    pub(crate) fn finish(&self, within: Duration) {
        let services = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (service, at_work) in services.into_values() {
            drop(service);
            at_work.finish(within);
        }
    }
}

/// Answers an MCP client. `?project=KEY` says which project it works in.
pub(crate) async fn mcp(State(app): State<App>, asker: Asker, request: Request) -> Response {
    let ends = request.method() == Method::DELETE;
    match service(&app, asker).await {
        Ok(service) => {
            let mut response = service.handle(request).await.map(Body::new);
            // The session has ended when this is said, and clients look for a success without a body.
            if ends && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            response
        }
        Err(problem) => problem.into_response(),
    }
}

async fn service(app: &App, asker: Asker) -> Result<HttpService, Problem> {
    let person = asker.person.clone();
    let project = app.ask(Needs::Reading, asker, |at| Ok(at.context.project.clone())).await?;
    let engine = app.engine_of(person.as_deref())?;
    let mut services = app.mcp.0.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (person, project.key.to_string());
    if let Some((service, _)) = services.get(&key) {
        return Ok(service.clone());
    }
    let setup = app.program.mcp(project.root, engine);
    let (worker, at_work) =
        Worker::start(setup).map_err(|error| Problem::new(500, "failed", error.to_string()))?;
    let service = HttpService::new(worker, BODY_BYTES_MAX);
    services.insert(key, (service.clone(), at_work));
    Ok(service)
}
