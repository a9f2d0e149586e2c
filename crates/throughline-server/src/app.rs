//! App: what every handler shares, and the way to the engine, which is synchronous: a bounded number of threads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use throughline_core::scope::Level;
use throughline_engine::{Context, Engine, Project, Reader};
use tokio::sync::{Notify, Semaphore, oneshot, watch};

use crate::events::Hub;
use crate::given::{Asker, json_text};
use crate::kept::{KeptAnswers, Moment};
use crate::mcp::McpServices;
use crate::metrics::RequestMetrics;
use crate::version::versioned;
use crate::{People, Problem, Program, ServeSetup};

/// Requests that read at the same time. There are as many connections to read by.
const READERS_MAX: usize = 4;
/// Requests that replay the log, which takes much more.
const REPLAYS_MAX: usize = 1;
/// Requests that wait for a thread at most; further ones are refused.
const WAITING_MAX: usize = 256;
/// People whose memory is held open at the same time.
const PEOPLE_MAX: usize = 64;
/// For how long it is remembered which project a key means.
const PROJECT_FRESH: Duration = Duration::from_secs(2);

/// What is done on a thread of its own.
type ThreadWork = Box<dyn FnOnce(&AtHand<'_>) -> Result<(), Problem> + Send>;

/// App: a handle to what every handler shares.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// What every handler shares.
pub(crate) struct Shared {
    pub(crate) setup: ServeSetup,
    pub(crate) port: u16,
    pub(crate) program: Arc<dyn Program>,
    /// The memory of the user of this home.
    pub(crate) engine: Arc<Engine>,
    /// Who else has a token.
    pub(crate) people: People,
    /// The memory as each of them has it.
    engines: Mutex<HashMap<String, Arc<Engine>>>,
    pub(crate) metrics: RequestMetrics,
    pub(crate) hub: Hub,
    pub(crate) mcp: McpServices,
    /// Becomes true when the server stops.
    pub(crate) stop: watch::Sender<bool>,
    /// Wakes whoever does what can wait.
    pub(crate) upkeep: Notify,
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    replays: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    projects: Mutex<HashMap<Option<String>, (Instant, Context)>>,
    answers: KeptAnswers,
    last_asked: Mutex<Instant>,
}

/// Which threads a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// It reads the present.
    Reading,
    /// It reads the past, which is replayed.
    Replay,
    /// It writes: one after the other.
    Writing,
}

/// What work on a thread has at hand.
pub(crate) struct AtHand<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) context: Context,
    pub(crate) program: &'a dyn Program,
}

impl AtHand<'_> {
    /// A view of the present, or of what was believed at a moment.
    pub(crate) fn reader(&self, as_of: Option<&str>) -> Result<Box<dyn Reader + '_>, Problem> {
        Ok(self.engine.reader(self.moment(as_of)?)?)
    }

    /// A moment that a person wrote.
    pub(crate) fn moment(
        &self,
        text: Option<&str>,
    ) -> Result<Option<throughline_core::Timestamp>, Problem> {
        text.filter(|text| !text.is_empty())
            .map(|text| throughline_core::Timestamp::parse_human(text, self.engine.now()))
            .transpose()
            .map_err(Problem::bad_input)
    }
}

impl App {
    pub(crate) fn new(
        setup: ServeSetup,
        port: u16,
        program: Arc<dyn Program>,
    ) -> Result<Self, Problem> {
        let engine = Arc::new(program.open()?);
        let people = People::of(&setup.home);
        Ok(Self(Arc::new(Shared {
            people,
            engines: Mutex::default(),
            setup,
            port,
            program,
            engine,
            metrics: RequestMetrics::new(),
            hub: Hub::new(),
            mcp: McpServices::default(),
            stop: watch::Sender::new(false),
            upkeep: Notify::new(),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
            writers: Arc::new(Semaphore::new(1)),
            replays: Arc::new(Semaphore::new(REPLAYS_MAX)),
            waiting: Arc::new(Semaphore::new(WAITING_MAX)),
            projects: Mutex::default(),
            answers: KeptAnswers::default(),
            last_asked: Mutex::new(Instant::now()),
        })))
    }

    /// Has something done on a thread of its own, for whoever asks.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        needs: Needs,
        asker: Asker,
        work: impl FnOnce(&AtHand<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (send, mut done) = oneshot::channel();
        let work = move |at: &AtHand<'_>| {
            send.send(work(at)?).ok();
            Ok(())
        };
        self.carry_out(needs, asker, Box::new(work)).await?;
        done.try_recv().map_err(|_| Problem::new(500, "failed", "nothing came of it"))
    }

    /// The same for what depends on the present of memory and on the request, and on nothing else: while these are as they
    /// were, the answer is told again.
    pub(crate) async fn tell<T: Serialize>(
        &self,
        asker: Asker,
        asked: &Uri,
        work: impl FnOnce(&AtHand<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        let told = self.tell_if(asker, asked, |at| work(at).map(Some)).await?;
        told.ok_or_else(|| Problem::new(500, "failed", "nothing came of it"))
    }

    /// The same for work that may find that the answer depends on something else, and then has none.
    pub(crate) async fn tell_if<T: Serialize>(
        &self,
        asker: Asker,
        asked: &Uri,
        work: impl FnOnce(&AtHand<'_>) -> Result<Option<T>, Problem> + Send + 'static,
    ) -> Result<Option<Response>, Problem> {
        let (app, who, asked) = (self.clone(), asker.clone(), asked.to_string());
        let told = move |at: &AtHand<'_>| {
            let moment = Moment::now(at.engine)?;
            if let Some(kept) = moment.and_then(|moment| app.answers.of(moment, &who, &asked)) {
                return Ok(Some(kept));
            }
            let Some(answer) = work(at)? else { return Ok(None) };
            let answer = Bytes::from(json_text(&answer)?);
            if let Some(moment) = moment {
                app.answers.keep(moment, &who, &asked, &answer);
            }
            Ok(Some(answer))
        };
        let answer = self.ask(Needs::Reading, asker, told).await?;
        Ok(answer.map(versioned))
    }

    /// The same for work that sends what comes of it. Not generic, so that it is compiled once.
    async fn carry_out(&self, needs: Needs, asker: Asker, work: ThreadWork) -> Result<(), Problem> {
        let Ok(waiting) = Arc::clone(&self.waiting).try_acquire_owned() else {
            return Err(Problem::new(503, "busy", "too many requests wait already")
                .with_hint("try again in a moment"));
        };
        let threads = match needs {
            Needs::Reading => &self.readers,
            Needs::Replay => &self.replays,
            Needs::Writing => &self.writers,
        };
        let gone = || Problem::new(503, "stopping", "the server is stopping");
        let thread = Arc::clone(threads).acquire_owned().await.map_err(|_| gone())?;
        let app = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Held until the work is done, also where nobody waits for it any more.
            let _held = (waiting, thread);
            let engine = app.engine_of(asker.person.as_deref())?;
            let at_hand =
                AtHand { engine: &engine, context: app.context(&asker)?, program: &*app.program };
            work(&at_hand)
        });
        let done = done.await.map_err(|error| {
            let why = if error.is_panic() {
                "something broke; stderr of the server says what"
            } else {
                "stopped"
            };
            Problem::new(500, "failed", why)
        })?;
        if needs == Needs::Writing {
            self.hub.look_now();
        }
        done
    }

    /// The memory as a person has it: the user of this home, or whoever has a token.
    pub(crate) fn engine_of(&self, person: Option<&str>) -> Result<Arc<Engine>, Problem> {
        let Some(person) = person else { return Ok(Arc::clone(&self.engine)) };
        let held = || self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = held().get(person) {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(self.program.open_as(person)?);
        let mut engines = held();
        if engines.len() >= PEOPLE_MAX {
            engines.clear();
        }
        Ok(Arc::clone(engines.entry(person.to_owned()).or_insert(engine)))
    }

    /// Those for whom memory is open: the user, and people who asked.
    pub(crate) fn askers(&self) -> Vec<Asker> {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let people = engines.keys().map(|person| Some(person.clone()));
        let all = std::iter::once(None).chain(people);
        all.map(|person| Asker { person, ..Asker::default() }).collect()
    }

    /// Who asks, from which project, and how far new memories reach.
    fn context(&self, asker: &Asker) -> Result<Context, Problem> {
        home_is_there(&self.setup.home)?;
        let context = self.project_context(asker.project.as_deref())?;
        let level = asker.level.unwrap_or(self.setup.level);
        Ok(Context { level, ..context })
    }

    /// The project that a key means; remembered for a moment.
    fn project_context(&self, key: Option<&str>) -> Result<Context, Problem> {
        let wanted = key.map(str::to_owned);
        {
            let known = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((at, context)) = known.get(&wanted)
                && at.elapsed() < PROJECT_FRESH
            {
                return Ok(context.clone());
            }
        }
        let context = match key {
            None => self.program.context()?,
            Some(key) => Context { project: self.project(key)?, ..self.program.context()? },
        };
        let mut known = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        // Only keys of projects come here, and there are not many of those.
        known.insert(wanted, (Instant::now(), context.clone()));
        Ok(context)
    }

    /// A project by its key: as its folder says, or as it was written down where no folder is left.
    fn project(&self, key: &str) -> Result<Project, Problem> {
        let roots = self.program.roots();
        let known = roots.all()?.into_iter().find(|known| known.key.as_str() == key);
        let Some(known) = known else {
            let own = self.program.context()?.project;
            if own.key.as_str() == key {
                return Ok(own);
            }
            return Err(Problem::not_found(format!("no project {key:?}"))
                .with_hint("GET /api/v1/projects lists the projects"));
        };
        let folders = known.roots.iter().map(Path::new).filter(|root| root.is_dir());
        let mut at = folders.filter_map(|root| roots.project(root).ok());
        Ok(at.find(|project| project.key == known.key).unwrap_or_else(|| {
            let root = known.roots.first().map_or(self.setup.home.as_path(), Path::new);
            Project::recorded(key, root)
        }))
    }

    /// Those who asked since the start, by project, and the project of the server itself.
    pub(crate) fn contexts(&self) -> Vec<Context> {
        // Where that cannot be told now, the others can.
        self.project_context(None).ok();
        let known = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|(_, context)| context.clone()).collect()
    }

    /// Notes that somebody asks.
    pub(crate) fn note_asked(&self) {
        *self.last_asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long nobody asked anything.
    pub(crate) fn quiet_for(&self) -> Duration {
        self.last_asked.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

/// How far new memories reach, as a request writes it.
pub(crate) fn level(text: &str) -> Result<Level, Problem> {
    match text {
        "global" => Ok(Level::Global),
        "project" => Ok(Level::Project),
        other => {
            let detail = format!("scope is {other:?}; it can be global or project");
            Err(Problem::bad_input(detail))
        }
    }
}

/// A home that was taken away is not made anew: what is written there would look like all there ever was.
pub(crate) fn home_is_there(home: &Path) -> Result<(), Problem> {
    if home.is_dir() {
        return Ok(());
    }
    let detail = format!("the home {} is gone", home.display());
    let hint = "nothing was written; bring the folder back, or stop the server and start it again";
    Err(Problem::new(503, "home_gone", detail).with_hint(hint))
}
