//! Throughline over HTTP: a page to look at memory, a REST interface, and MCP.
//!
//! The server listens on this machine only. Everything but `/health` and the exchange of the token for a cookie needs
//! the token, the user's or that of a person (`people.rs`); hosts and origins that are not ours are refused (`guard.rs`). Handlers stand in `api/`, one file for each
//! subject; they hand blocking work to a bounded number of threads (`app.rs`) and answer with the JSON of
//! `throughline-view`. What the server does not know itself, it asks of the [`Program`].

mod api;
mod app;
mod door;
mod events;
mod given;
mod guard;
mod kept;
mod listen;
mod mcp;
mod metrics;
mod page;
mod people;
mod problem;
mod slow;
mod standing;
mod token;
mod upkeep;
mod version;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use throughline_core::scope::Level;
use throughline_engine::{Context, Engine, Roots};

pub use api::openapi;
pub use people::{People, PersonToken};
pub use problem::Problem;
pub use standing::{ServingLock, Taken};
pub use token::Token;

/// The port that is taken where nobody names one.
pub const PORT: u16 = 7878;

/// Program: what only the program around the server knows, because settings, agents and models belong to it.
pub trait Program: Send + Sync + 'static {
    /// Opens the memory.
    fn open(&self) -> Result<Engine, Problem>;
    /// Opens the memory for a person who has a token.
    fn open_as(&self, person: &str) -> Result<Engine, Problem>;
    /// The folders of projects, as a person asks for them.
    fn roots(&self) -> Roots;
    /// Who asks when nothing else is said: the person, from the folder in which the server was started.
    fn context(&self) -> Result<Context, Problem>;
    /// Whether something new may be taken in now.
    fn may_take_in(&self) -> Result<(), Problem>;
    /// The answer of `status` for a project.
    fn status(&self, engine: &Engine, context: &Context) -> Result<Value, Problem>;
    /// The answer of `doctor`.
    fn doctor(&self) -> Result<Value, Problem>;
    /// What an MCP server for a project needs to know.
    fn mcp(&self, folder: PathBuf, engine: Arc<Engine>) -> throughline_mcp::Setup;
    /// The model that compares what comes in, if there is one.
    fn model(&self) -> Option<String>;
    /// Does what follows a write when nobody waits; `new` says whether something came in.
    fn written(&self, engine: &Engine, new: bool);
    /// Does what is due from time to time.
    fn tick(&self);
}

/// Serve setup: what the server needs to know before it starts.
#[derive(Debug, Clone)]
pub struct ServeSetup {
    /// The folder where memory is kept.
    pub home: PathBuf,
    /// The port; 0 takes any that is free.
    pub port: u16,
    /// The token.
    pub token: Token,
    /// How far new memories reach where a request does not say.
    pub level: Level,
}

/// Serving: where the server can be reached.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The address.
    pub address: SocketAddr,
    /// The page.
    pub url: String,
    /// The page, with the token: whoever opens it is let in.
    pub link: String,
}

/// Serves until it is told to stop by a signal. `ready` hears where, once connections are accepted.
pub fn serve(
    setup: &ServeSetup,
    program: Arc<dyn Program>,
    standing: ServingLock,
    ready: impl FnOnce(&Serving),
) -> Result<(), Problem> {
    listen::serve(setup, program, standing, ready)
}
