//! Listening: connections come in, a bounded number of them, until a signal says to stop.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::app::App;
use crate::slow::TakenInTime;
use crate::{Problem, Program, ServeSetup, Serving, ServingLock, api, upkeep};

/// Connections that are open at the same time; further ones are answered that it is too much.
const CONNECTIONS_MAX: usize = 256;
/// How long a client may take to send the head of a request, also of the next one.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a client may take nothing of an answer.
const TAKING_TIME_MAX: Duration = Duration::from_secs(30);
/// Bytes of a head at most.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long begun answers may take after the signal to stop.
const LAST_ANSWERS: Duration = Duration::from_secs(3);
/// How long writes may take after it: they are never cut off sooner.
const LAST_WRITES: Duration = Duration::from_secs(15);
/// Threads for blocking work: readers, a writer, a replay, listeners and some to spare.
const THREADS_MAX: usize = 24;

/// Said to a connection that is one too many.
fn too_many() -> String {
    let problem = Problem::new(503, "busy", "too many connections are open")
        .with_hint("connections that say nothing are closed after ten seconds; try again then");
    let body = serde_json::to_string(&problem).unwrap_or_default();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\
         Retry-After: 5\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn serve(
    setup: &ServeSetup,
    program: Arc<dyn Program>,
    mut standing: ServingLock,
    ready: impl FnOnce(&Serving),
) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::new(500, "failed", error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(THREADS_MAX)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(async {
        let listener = bind(setup.port).await?;
        let address = listener.local_addr().map_err(failed)?;
        // Opening waits, perhaps for a server of its own, so that it has a thread of its own.
        let (given, port) = (setup.clone(), address.port());
        let opening = tokio::task::spawn_blocking(move || App::new(given, port, program));
        let gone =
            |_| Problem::new(500, "failed", "something broke; stderr of the server says what");
        let app = opening.await.map_err(gone)??;
        let url = format!("http://{address}/");
        let link = format!("{url}login?token={}", setup.token.text());
        standing.note(&url);
        ready(&Serving { address, url, link });
        let upkeep = tokio::spawn(upkeep::keep_up(app.clone()));
        accept(&listener, &app).await;
        drop(listener);
        app.mcp.finish(LAST_ANSWERS);
        upkeep.abort();
        Ok(())
    });
    // Writes that were begun are finished; what only reads may be cut off.
    runtime.shutdown_timeout(LAST_WRITES);
    served
}

async fn bind(port: u16) -> Result<TcpListener, Problem> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).await.map_err(|error| {
        if error.kind() == std::io::ErrorKind::AddrInUse {
            let hint = "choose another with --port N, or let the system choose with --port 0";
            let detail = format!("port {port} is taken by another program");
            return Problem::new(500, "port_taken", detail).with_hint(hint);
        }
        let why = throughline_engine::in_plain_words(&error);
        Problem::new(500, "failed", format!("port {port} cannot be used: {why}"))
            .with_hint("choose another with --port N")
    })
}

/// Accepts connections until a signal comes, then lets begun answers end.
async fn accept(listener: &TcpListener, app: &App) {
    let router = api::router(app);
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let ending = app.stop.subscribe();
    let mut signal = std::pin::pin!(stop_signal());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut signal => break,
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files, for example: others will close theirs.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            stream.try_write(too_many().as_bytes()).ok();
            continue;
        };
        let (router, app, ending) = (router.clone(), app.clone(), ending.clone());
        tokio::spawn(async move {
            app.metrics.connections.fetch_add(1, Ordering::Relaxed);
            talk(stream, router, ending).await;
            app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
    app.stop.send_replace(true);
    app.mcp.end();
    let all = u32::try_from(CONNECTIONS_MAX).unwrap_or(u32::MAX);
    tokio::time::timeout(LAST_ANSWERS, room.acquire_many(all)).await.ok();
}

/// One connection, until it ends or is asked to.
async fn talk(stream: TcpStream, router: Router, mut ending: watch::Receiver<bool>) {
    stream.set_nodelay(true).ok();
    let stream = TakenInTime::new(stream, TAKING_TIME_MAX);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that breaks off is no failure of ours.
        ended = connection.as_mut() => { ended.ok(); return; }
        changed = ending.changed() => { changed.ok(); }
    }
    connection.as_mut().graceful_shutdown();
    connection.await.ok();
}

/// Waits until somebody wants the server to stop. Signals are caught from this call on, before anybody waits.
#[cfg(unix)]
fn stop_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        let [mut interrupted, mut terminated] = signals;
        tokio::select! {
            () = caught(&mut interrupted) => {}
            () = caught(&mut terminated) => {}
        }
    }
}

/// Waits for one signal; for ever where it cannot be caught.
#[cfg(unix)]
async fn caught(signal: &mut std::io::Result<tokio::signal::unix::Signal>) {
    match signal {
        Ok(signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

/// Waits until somebody wants the server to stop.
#[cfg(not(unix))]
async fn stop_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
