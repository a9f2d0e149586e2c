//! The capability, shown on the real things: agents as people install them, with our hooks in their
//! settings, offline against a scripted model. What is asserted is what came before the model.
//!
//! ```console
//! bash tools/clients/install.sh DIR
//! eval "$(tools/postgres/start.sh)"
//! THROUGHLINE_CLIENTS=DIR cargo test -p throughline --test clients
//! ```
//!
//! Without `THROUGHLINE_CLIENTS` the tests say that they are skipped; with it, a client that is not
//! there is a failure. The same story without an agent, as recorded payloads, is in
//! `tests/it/sessions.rs` and always runs.

#![cfg(unix)]

mod claude_code;
mod desk;
mod hosts;
mod http;
mod mcp;
mod model;
mod once;
mod page;
mod plugins;
mod sessions;
mod shared;
mod tools;

use std::path::PathBuf;

/// What `tools/clients/install.sh` puts into its folder.
const INSTALLED: [&str; 8] = [
    "node_modules/node/bin/node",
    "node_modules/.bin/claude",
    "node_modules/.bin/codex",
    "node_modules/.bin/gemini",
    "node_modules/.bin/opencode",
    "node_modules/.bin/mcp-inspector",
    "node_modules/@modelcontextprotocol/server-memory/dist/index.js",
    "python/bin/python",
];

/// The folder that the clients were installed in, if one is named. Whoever names one wants every
/// test to run: nothing is passed over because a client is missing.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn clients() -> Option<PathBuf> {
    let named = std::env::var_os("THROUGHLINE_CLIENTS").filter(|folder| !folder.is_empty());
    let Some(folder) = named.map(PathBuf::from) else {
        eprintln!("skipped: THROUGHLINE_CLIENTS names no folder with clients in it");
        return None;
    };
    let missing: Vec<&str> =
        INSTALLED.into_iter().filter(|part| !folder.join(part).exists()).collect();
    assert!(
        missing.is_empty(),
        "THROUGHLINE_CLIENTS={} has no {}; run `bash tools/clients/install.sh {0}`",
        folder.display(),
        missing.join(", ")
    );
    Some(folder)
}
