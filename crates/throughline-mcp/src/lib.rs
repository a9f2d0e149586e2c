//! Throughline for agents: an MCP server over the engine.
//!
#![doc = include_str!("../README.md")]

mod answer;
mod arguments;
mod catalog;
mod clean;
mod desk;
mod files;
mod graph;
#[cfg(feature = "http")]
mod http;
mod lines;
mod prompts;
mod resources;
mod server;
mod tools;
mod view;
mod voice;
mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use throughline_core::scope::Level;
use throughline_core::{Policy, SessionId};
use throughline_engine::{Clock, Engine, Roots};

pub use files::run as memory_tool;
pub use graph::{GraphImport, import as import_graph, is_graph};
#[cfg(feature = "http")]
pub use http::{AnswerBody, HttpService};
pub use server::Server;
pub use worker::{AtWork, Worker};

/// The longest time for finishing begun work after the client has gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Profile: which set of tools is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Throughline's own tools.
    #[default]
    Throughline,
    /// The tools of the official memory server, for clients that expect them.
    ServerMemory,
    /// Anthropic's memory tool.
    MemoryTool,
}

/// Setup: everything that the server needs to know before it starts.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The folder where memory is kept.
    pub home: PathBuf,
    /// The clock, which tests can fix.
    pub clock: Clock,
    /// The policy: all tunable numbers.
    pub policy: Policy,
    /// Whether memory is switched off: nothing is read or written, and every tool says so.
    pub off: bool,
    /// Whether a new folder of a known project is joined to it without asking.
    pub joins: bool,
    /// The folder whose project is used, unless a call names another.
    pub folder: PathBuf,
    /// The session that is used, unless a call names another.
    pub session: Option<SessionId>,
    /// The scope of new memories.
    pub level: Level,
    /// Which tools are offered.
    pub profile: Profile,
    /// The file of the official memory server, imported when its profile is first used.
    pub graph_file: Option<PathBuf>,
    /// A listener that is told about writes after the answer was given.
    pub written: Option<WriteListener>,
    /// An engine that is open already and used by others too.
    pub engine: Option<Arc<Engine>>,
}

impl Setup {
    /// Notes that our own tools are offered in this project, so that a hook may ask the agent to
    /// use them. Serving goes on if that cannot be noted.
    pub(crate) fn note_serving(&self) {
        if self.off || self.profile != Profile::Throughline {
            return;
        }
        let roots = Roots::new(&self.home).joining_by_itself(self.joins);
        if let Ok(project) = roots.project(&self.folder) {
            throughline_engine::note_serving(&self.home, &project, self.clock.now()).ok();
        }
    }
}

/// Write listener: a function that is called after something was written.
#[derive(Clone)]
pub struct WriteListener(Arc<dyn Fn() + Send + Sync>);

impl WriteListener {
    /// Makes a listener of a function.
    pub fn new(hear: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }
}

impl fmt::Debug for WriteListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written")
    }
}

/// Serves one client over standard input and output, until the client closes them.
pub fn serve_stdio(setup: Setup) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    setup.note_serving();
    let (worker, at_work) = Worker::start(setup)?;
    runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        let server = voice::Voiced(Server::new(worker));
        // A client that leaves before it said hello is no failure of ours.
        if let Ok(running) = server.serve(lines::Lines::new(read, write)).await {
            running.waiting().await.ok();
        }
    });
    // The worker ends when nobody can ask any more.
    runtime.shutdown_timeout(LAST_WORDS);
    at_work.finish(LAST_WORDS);
    Ok(())
}
