//! Events: whoever listens hears of every change, whichever process made it.
//!
//! The log tells what changed. It is looked at a few times a second, only while somebody listens, and at once when this
//! server itself has written.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use throughline_engine::{LogQuery, touched_memories};
use tokio::sync::{Notify, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

use crate::Problem;
use crate::app::{App, AtHand, Needs};
use crate::given::{Asker, header_text};

/// How often the log is looked at while somebody listens.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// How often a silent stream shows that it is there.
const PING_EVERY: Duration = Duration::from_secs(15);
/// Batches that are told one by one; who missed more loads everything anew.
const BATCHES_MAX: usize = 200;
/// Events that wait for a slow listener.
const WAITING_MAX: usize = 16;
/// Listeners at most.
const LISTENERS_MAX: i64 = 64;

/// Hub: knows the number of the latest change, as long as somebody wants to know.
pub(crate) struct Hub {
    latest: watch::Sender<u64>,
    look: Notify,
    looking: AtomicBool,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { latest: watch::Sender::new(0), look: Notify::new(), looking: AtomicBool::new(false) }
    }

    /// Something was written here: whoever listens should hear of it now.
    pub(crate) fn look_now(&self) {
        self.look.notify_one();
    }
}

/// Looks at the log until nobody listens any more.
async fn watch_log(app: App) {
    let mut stop = app.stop.subscribe();
    while goes_on(&app) {
        let mut newest = None;
        for asker in app.askers() {
            // What cannot be read now is read the next time.
            newest = newest.max(app.ask(Needs::Reading, asker, latest).await.ok());
        }
        if let Some(latest) = newest {
            app.hub.latest.send_if_modified(|held| std::mem::replace(held, latest) != latest);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = app.hub.look.notified() => {}
            _ = stop.changed() => {}
        }
    }
}

/// Whether somebody listens. Who comes while the look ends is not forgotten: it begins again.
fn goes_on(app: &App) -> bool {
    let wanted = || app.hub.latest.receiver_count() > 0 && !*app.stop.borrow();
    if wanted() {
        return true;
    }
    app.hub.looking.store(false, Ordering::Release);
    wanted() && !app.hub.looking.swap(true, Ordering::AcqRel)
}

fn latest(at: &AtHand<'_>) -> Result<u64, Problem> {
    Ok(at.engine.latest_change(&*at.engine.now_reader()?)?)
}

/// A batch of changes, as it is told.
#[derive(Debug, Serialize)]
struct WireChange {
    seq: u64,
    batch: String,
    at: String,
    actor: &'static str,
    cause: &'static str,
    session: Option<String>,
    memories: Vec<String>,
    changes: usize,
}

/// What a listener is told next.
enum News {
    Changes(Vec<WireChange>),
    /// Too much was missed, or the log is another one.
    Reset,
}

/// Listen for changes
///
/// Server-sent events: `hello` with the number of the latest change, `change` for each batch, `reset` when everything
/// is to be loaded anew, `bye` when the server stops. `Last-Event-ID` goes on after that number.
#[utoipa::path(get, path = "/api/v1/events", tag = "events", params(Asker),
    responses((status = 200, description = "a stream of events", body = String, content_type = "text/event-stream"),
        (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn events(
    State(app): State<App>,
    asker: Asker,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if app.metrics.listeners.load(Ordering::Relaxed) >= LISTENERS_MAX {
        return Err(Problem::new(503, "busy", "too many clients listen already"));
    }
    let seen = header_text(&headers, HeaderName::from_static("last-event-id"));
    let seen = seen.and_then(|seen| seen.trim().parse::<u64>().ok());
    let now = app.ask(Needs::Reading, asker.clone(), latest).await?;
    let (tell, told) = mpsc::channel(WAITING_MAX);
    // Subscribed before the look begins, so that it does not end at once.
    let listening = app.hub.latest.subscribe();
    if !app.hub.looking.swap(true, Ordering::AcqRel) {
        tokio::spawn(watch_log(app.clone()));
    }
    tokio::spawn(tell_changes(app, asker, listening, seen.unwrap_or(now), now, tell));
    let ping = KeepAlive::new().interval(PING_EVERY).text("ping");
    Ok(Sse::new(ReceiverStream::new(told)).keep_alive(ping).into_response())
}

async fn tell_changes(
    app: App,
    asker: Asker,
    mut listening: watch::Receiver<u64>,
    mut seen: u64,
    now: u64,
    tell: mpsc::Sender<Result<Event, Infallible>>,
) {
    app.metrics.listeners.fetch_add(1, Ordering::Relaxed);
    let mut stop = app.stop.subscribe();
    let mut gone = tell.send(Ok(numbered("hello", now))).await.is_err();
    let mut latest = now;
    while !gone && !*stop.borrow() {
        if latest != seen {
            let from = seen;
            let news = app.ask(Needs::Reading, asker.clone(), move |at| news(at, from)).await;
            match news {
                Ok((News::Changes(changes), now)) => {
                    seen = now;
                    for change in changes {
                        let event = Event::default().event("change").id(change.seq.to_string());
                        let data = serde_json::to_string(&change).unwrap_or_default();
                        gone |= tell.send(Ok(event.data(data))).await.is_err();
                    }
                }
                Ok((News::Reset, now)) => {
                    seen = now;
                    gone |= tell.send(Ok(numbered("reset", now))).await.is_err();
                }
                // What cannot be read now is read after the next change.
                Err(_) => seen = from,
            }
        }
        tokio::select! {
            changed = listening.changed() => gone |= changed.is_err(),
            () = tell.closed() => gone = true,
            _ = stop.changed() => {}
        }
        latest = *listening.borrow_and_update();
    }
    tell.send(Ok(Event::default().event("bye").data("{}"))).await.ok();
    app.metrics.listeners.fetch_sub(1, Ordering::Relaxed);
}

fn numbered(name: &str, seq: u64) -> Event {
    Event::default().event(name).id(seq.to_string()).data(format!("{{\"seq\":{seq}}}"))
}

/// What happened after a change, and the number of the latest.
fn news(at: &AtHand<'_>, seen: u64) -> Result<(News, u64), Problem> {
    let now = latest(at)?;
    if now < seen {
        return Ok((News::Reset, now));
    }
    let query = LogQuery { after_seq: seen, limit: BATCHES_MAX + 1, ..LogQuery::default() };
    let batches = at.engine.looking(&at.context).batches(&query)?;
    if batches.len() > BATCHES_MAX {
        return Ok((News::Reset, now));
    }
    let reader = at.engine.now_reader()?;
    let mut changes = Vec::new();
    for stored in &batches {
        let batch = &stored.batch;
        let memories = touched_memories(&*reader, stored)?;
        changes.push(WireChange {
            seq: stored.last_seq,
            batch: batch.id.to_string(),
            at: batch.at.to_string(),
            actor: batch.actor.as_str(),
            cause: batch.cause.as_str(),
            session: batch.session.as_ref().map(ToString::to_string),
            memories: memories.iter().map(ToString::to_string).collect(),
            changes: batch.changes.len(),
        });
    }
    let now = batches.last().map_or(now, |stored| stored.last_seq.max(now));
    Ok((News::Changes(changes), now))
}
