//! Worker: one thread that holds the engine, which is synchronous. Answers come back over a
//! channel; what can wait is done after the answer.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use rmcp::ErrorData;
use tokio::sync::oneshot;

use crate::desk::Desk;
use crate::{Profile, Setup};

/// Nobody asked for so long: there is time for sleep.
const QUIET: Duration = Duration::from_secs(3);
/// Between two slices others may write.
const BETWEEN: Duration = Duration::from_millis(20);

type Job = Box<dyn FnOnce(&mut Desk) + Send>;

/// Worker: a handle to which jobs are sent. When the last handle is dropped, the thread ends.
#[derive(Debug, Clone)]
pub struct Worker {
    jobs: mpsc::Sender<Job>,
    profile: Profile,
}

/// The worker's thread, to wait for at the end.
#[derive(Debug)]
pub struct AtWork {
    thread: JoinHandle<()>,
    done: mpsc::Receiver<()>,
}

impl Worker {
    /// Starts the thread. The engine is opened when it is first needed.
    pub fn start(setup: Setup) -> std::io::Result<(Self, AtWork)> {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let (finished, done) = mpsc::channel();
        let profile = setup.profile;
        let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(move || {
            let mut desk = Desk::new(setup);
            let mut idle = Idle::default();
            while let Some(job) = idle.next(&inbox, &mut desk) {
                // A bug in one answer is no reason to lose the next; the panic is on stderr.
                if std::panic::catch_unwind(AssertUnwindSafe(|| job(&mut desk))).is_err() {
                    desk.close();
                }
                desk.afterwards();
            }
            finished.send(()).ok();
        })?;
        Ok((Self { jobs, profile }, AtWork { thread, done }))
    }

    /// The profile that is served.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Has something done, in the order asked.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |desk| {
            answer.send(work(desk)).ok();
        });
        let broken =
            || ErrorData::internal_error("memory failed; the log on stderr says why", None);
        self.jobs.send(job).map_err(|_| broken())?;
        answered.await.map_err(|_| broken())
    }
}

/// What is done while nobody asks.
#[derive(Default)]
struct Idle {
    /// Nothing is left to do until somebody has asked again.
    done: bool,
}

impl Idle {
    /// The next job. Where none comes for a while, memory sleeps over what came in, a slice at a time.
    fn next(&mut self, inbox: &mpsc::Receiver<Job>, desk: &mut Desk) -> Option<Job> {
        let mut wait = QUIET;
        while !self.done {
            match inbox.recv_timeout(wait) {
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let more = std::panic::catch_unwind(AssertUnwindSafe(|| desk.sleep()));
                    self.done = !more.unwrap_or(false);
                    wait = BETWEEN;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Ok(job) => return Some(job),
            }
        }
        self.done = false;
        inbox.recv().ok()
    }
}

impl AtWork {
    /// Waits until the last job is done, at most for `within`. A job that is cut off does no harm,
    /// because every write is one transaction.
    pub fn finish(self, within: Duration) {
        if self.done.recv_timeout(within).is_ok() {
            self.thread.join().ok();
        }
    }
}
