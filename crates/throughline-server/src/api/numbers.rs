//! What happened and how memory is doing: log, undo, sleep, numbers, health, copies.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_engine::{Filter, LogQuery, export_markdown};
use throughline_view::{WireBatch, WireLog, WireProject, WireProjects, WireSlept, WireUndone};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::{IntoParams, ToSchema};

use super::memories::{PAGE, PAGE_MAX};
use crate::Problem;
use crate::app::{App, AtHand, Needs, home_is_there};
use crate::given::json as answer;
use crate::given::{Asker, Given, JsonAnswer, JsonReply, RequestQuery};

/// Which part of the log.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LogPageQuery {
    /// Only since this time
    since: Option<String>,
    /// How many, at most 500 [default: 50]
    limit: Option<usize>,
    /// `next` of the page before
    cursor: Option<String>,
}

/// A page of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LogPage {
    #[serde(flatten)]
    log: WireLog,
    next: Option<String>,
}

/// Show what happened, latest first
#[utoipa::path(get, path = "/api/v1/log", tag = "log", params(Asker, LogPageQuery),
    responses((status = 200, body = LogPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn log(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<LogPageQuery>,
) -> JsonAnswer<LogPage> {
    let work = move |at: &AtHand<'_>| {
        let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let before = query.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        let before = before.map(|cursor| {
            let number = cursor.strip_prefix('s').and_then(|number| number.parse().ok());
            number.ok_or_else(|| Problem::bad_input("the cursor is not one of ours"))
        });
        let wanted = LogQuery {
            since: at.moment(query.since.as_deref())?,
            before_seq: before.transpose()?,
            latest_first: true,
            limit,
            ..LogQuery::default()
        };
        let batches = at.engine.looking(&at.context).batches(&wanted)?;
        let next = batches.last().filter(|last| last.first_seq > 1);
        let next = next.map(|last| format!("s{}", last.first_seq));
        Ok(LogPage {
            log: WireLog { batches: batches.iter().map(WireBatch::from).collect() },
            next,
        })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// What is taken back.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoBody {
    /// The batch [default: the latest that is not undone yet]
    batch: Option<String>,
}

/// Undo a batch of changes
#[utoipa::path(post, path = "/api/v1/undo", tag = "log", request_body = UndoBody, params(Asker),
    responses((status = 200, body = WireUndone), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn undo(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<UndoBody>,
) -> JsonAnswer<WireUndone> {
    let work = move |at: &AtHand<'_>| {
        let undone = at.engine.keeping(&at.context).undo(body.batch.as_deref())?;
        at.program.written(at.engine, false);
        Ok(WireUndone::from(&undone))
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}

/// How to sleep.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SleepBody {
    /// Only show what would be done
    #[serde(default)]
    dry_run: bool,
    /// Organise everything as well
    #[serde(default)]
    deep: bool,
}

/// Go over what came in
#[utoipa::path(post, path = "/api/v1/sleep", tag = "log", request_body = SleepBody, params(Asker),
    responses((status = 200, body = WireSlept), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn sleep(
    State(app): State<App>,
    asker: Asker,
    Given { body, .. }: Given<SleepBody>,
) -> JsonAnswer<WireSlept> {
    let work = move |at: &AtHand<'_>| {
        at.program.may_take_in()?;
        let sleeping = at.engine.sleeping(&at.context);
        let slept =
            if body.dry_run { sleeping.sleep_dry()? } else { sleeping.sleep(&mut |_| ())? };
        let deep = match (body.deep, body.dry_run) {
            (false, _) => None,
            (true, true) => Some(sleeping.sleep_deep_dry()?),
            (true, false) => Some(sleeping.sleep_deep(&mut |_| ())?),
        };
        let due = sleeping.deep_due(false)?;
        at.program.written(at.engine, !body.dry_run);
        Ok(WireSlept::new(&slept, deep.as_ref(), &due, at.program.model(), body.dry_run))
    };
    app.ask(Needs::Writing, asker, work).await.map(JsonReply)
}

/// Show where memory is kept and how much there is
#[utoipa::path(get, path = "/api/v1/status", tag = "health", params(Asker),
    responses((status = 200, body = Object), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn status(State(app): State<App>, asker: Asker) -> JsonAnswer<Value> {
    let work = |at: &AtHand<'_>| at.program.status(at.engine, &at.context);
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Whether everything is counted.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StatsQuery {
    /// Every project, not only this one and global memories
    #[serde(default)]
    all: bool,
}

/// Show what is in memory, in numbers
#[utoipa::path(get, path = "/api/v1/stats", tag = "health", params(Asker, StatsQuery),
    responses((status = 200, body = Object), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn stats(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<StatsQuery>,
) -> JsonAnswer<Value> {
    let work = move |at: &AtHand<'_>| {
        let counts = at.engine.checking().counts(&at.context, query.all)?;
        let (bindings, tally) = at.engine.watching(&at.context).tally()?;
        let metrics = at.engine.checking().metrics(&at.context)?;
        Ok(throughline_view::stats(&counts, bindings, tally, &metrics))
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// Look for problems and say how to fix them
#[utoipa::path(get, path = "/api/v1/doctor", tag = "health", params(Asker),
    responses((status = 200, body = Object), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn doctor(State(app): State<App>, asker: Asker) -> JsonAnswer<Value> {
    app.ask(Needs::Replay, asker, |at| at.program.doctor()).await.map(JsonReply)
}

/// The projects that the home knows.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProjectsPage {
    #[serde(flatten)]
    projects: WireProjects,
    /// The project that is meant where a request names none.
    current: String,
}

/// List projects and their folders
#[utoipa::path(get, path = "/api/v1/projects", tag = "health", params(Asker),
    responses((status = 200, body = ProjectsPage), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn projects(State(app): State<App>, asker: Asker) -> JsonAnswer<ProjectsPage> {
    let work = |at: &AtHand<'_>| {
        let items = at.program.roots().all()?.into_iter().map(WireProject::from).collect();
        let current = at.program.context()?.project.key.to_string();
        Ok(ProjectsPage { projects: WireProjects { items }, current })
    };
    app.ask(Needs::Reading, asker, work).await.map(JsonReply)
}

/// In which form.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// `jsonl` (everything, with history) or `markdown` (current memories) [default: jsonl]
    format: Option<String>,
}

/// Write everything to a file
#[utoipa::path(get, path = "/api/v1/export", tag = "log", params(Asker, ExportQuery),
    responses((status = 200, description = "the file", content((String = "application/jsonl"), (String = "text/markdown"))),
        (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn export(
    State(app): State<App>,
    asker: Asker,
    RequestQuery(query): RequestQuery<ExportQuery>,
) -> Result<Response, Problem> {
    let format = query.format.as_deref().filter(|format| !format.is_empty());
    let (kind, name, markdown) = match format {
        None | Some("jsonl") => ("application/jsonl", "throughline.jsonl", false),
        Some("markdown") => ("text/markdown; charset=utf-8", "throughline.md", true),
        Some(other) => {
            let detail = format!("format is {other:?}; it can be jsonl or markdown");
            return Err(Problem::bad_input(detail));
        }
    };
    // Who asks for a project that is not there hears so before the file begins.
    app.ask(Needs::Reading, asker.clone(), |_| Ok(())).await?;
    let (send, parts) = mpsc::channel::<Result<Bytes, std::io::Error>>(8);
    tokio::spawn(async move {
        let failed = send.clone();
        let work = move |at: &AtHand<'_>| {
            let mut out = Outlet { send, held: Vec::new() };
            if markdown {
                let reader = at.engine.now_reader()?;
                let held = at.engine.looking(&at.context).list(&*reader, &Filter::default())?;
                let title = format!("Memory of {}", at.context.project.name);
                std::io::Write::write_all(
                    &mut out,
                    export_markdown(&title, &held.items).as_bytes(),
                )
                .map_err(|error| Problem::new(500, "failed", error.to_string()))?;
            } else {
                at.engine.copying().export_log(&mut out, &mut |_| ())?;
            }
            out.flush_held().map_err(|error| Problem::new(500, "failed", error.to_string()))
        };
        if let Err(problem) = app.ask(Needs::Replay, asker, work).await {
            // The file breaks off, so that nobody takes it for a whole one.
            failed.send(Err(std::io::Error::other(problem.detail))).await.ok();
        }
    });
    let mut response = Body::from_stream(ReceiverStream::new(parts)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let place = format!("attachment; filename=\"{name}\"");
    if let Ok(place) = HeaderValue::from_str(&place) {
        headers.insert(header::CONTENT_DISPOSITION, place);
    }
    Ok(response)
}

/// Bytes that are handed on at once.
const PART_BYTES: usize = 64 << 10;
/// How long a client may take to take the next part.
const PART_TIME_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// Where an export goes: to the client, in parts, no faster than the client takes them.
struct Outlet {
    send: mpsc::Sender<Result<Bytes, std::io::Error>>,
    held: Vec<u8>,
}

impl Outlet {
    fn flush_held(&mut self) -> std::io::Result<()> {
        let part = Bytes::from(std::mem::take(&mut self.held));
        let sent = tokio::runtime::Handle::current()
            .block_on(tokio::time::timeout(PART_TIME_MAX, self.send.send(Ok(part))));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(std::io::Error::other("the client went away")),
        }
    }
}

impl std::io::Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PART_BYTES {
            self.flush_held()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether the server works
#[utoipa::path(get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = Object), (status = 503, description = "memory cannot be read", body = Object)))]
pub(super) async fn health(State(app): State<App>) -> Response {
    let version = env!("CARGO_PKG_VERSION");
    let home = app.setup.home.clone();
    let there = tokio::task::spawn_blocking(move || home_is_there(&home).is_ok()).await;
    if there.unwrap_or(false) {
        answer(StatusCode::OK, &json!({ "status": "ok", "version": version }))
    } else {
        let failing = json!({ "status": "failing", "version": version, "code": "home_gone" });
        answer(StatusCode::SERVICE_UNAVAILABLE, &failing)
    }
}

/// What the server did, for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, body = String, content_type = "text/plain"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn metrics(State(app): State<App>) -> Response {
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    let mut response = app.metrics.text().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
