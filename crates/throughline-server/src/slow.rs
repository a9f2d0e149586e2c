//! Slow clients: a body that does not arrive and an answer that is not taken hold a connection for so long and no longer.
//! This holds for every route, also for those that need no token.

use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::Problem;

/// How long a body may take to arrive, from its head on.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// Whether the body of a request did not arrive in time.
pub(crate) struct Late(Arc<AtomicBool>);

impl Late {
    /// What is said then, whatever the route made of it.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let detail = "the body did not arrive in ten seconds";
        self.0.load(Ordering::Acquire).then(|| Problem::new(408, "too_slow", detail))
    }
}

/// The request with a body that ends with an error when its time is over.
pub(crate) fn in_time(request: Request) -> (Request, Late) {
    let late = Arc::new(AtomicBool::new(false));
    if request.body().is_end_stream() {
        return (request, Late(late));
    }
    let until = Instant::now() + BODY_TIME_MAX;
    let of_request = Arc::clone(&late);
    let request =
        request.map(|body| Body::new(BodyInTime { body, until, waiting: None, late: of_request }));
    (request, Late(late))
}

/// Body in time: one that may take so long in all, however often a part of it comes.
struct BodyInTime {
    body: Body,
    until: Instant,
    /// Made when a part has to be waited for, which most bodies never need.
    waiting: Option<Pin<Box<Sleep>>>,
    late: Arc<AtomicBool>,
}

impl HttpBody for BodyInTime {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let until = this.until;
        let waiting = this.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        ready!(waiting.as_mut().poll(context));
        this.late.store(true, Ordering::Release);
        let why = std::io::Error::from(std::io::ErrorKind::TimedOut);
        Poll::Ready(Some(Err(axum::Error::new(why))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Taken in time: a stream that fails when the other side takes nothing of what is written for too long.
pub(crate) struct TakenInTime<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> TakenInTime<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, waiting: None }
    }

    /// What became of a write, or that it waited for too long.
    fn or_late<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TakenInTime<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TakenInTime<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.or_late(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.or_late(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn run(what: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(what);
    }

    #[test]
    fn an_answer_that_nobody_takes_is_given_up() {
        run(async {
            let (ours, _theirs) = tokio::io::duplex(64);
            let mut ours = TakenInTime::new(ours, Duration::from_millis(50));
            let error = ours.write_all(&[0; 1_000]).await.unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn an_answer_that_is_taken_bit_by_bit_is_told_to_its_end() {
        run(async {
            let (ours, mut theirs) = tokio::io::duplex(64);
            let mut ours = TakenInTime::new(ours, Duration::from_millis(400));
            let taking = async {
                let mut part = [0; 64];
                for _ in 0..10 {
                    tokio::time::sleep(Duration::from_millis(60)).await;
                    theirs.read_exact(&mut part).await.unwrap();
                }
            };
            let (written, ()) = tokio::join!(ours.write_all(&[0; 640]), taking);
            written.unwrap();
        });
    }
}
