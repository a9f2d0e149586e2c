//! The capability, shown on the real things: agents as people install them, with our hooks in their
//! settings, offline against a scripted model. What is asserted is what came before the model.
//!
//! ```console
//! bash tools/clients/install.sh DIR
//! THROUGHLINE_CLIENTS=DIR cargo test -p throughline --test clients
//! ```
//!
//! Without `THROUGHLINE_CLIENTS` the tests say that they are skipped. The same story without an
//! agent, as recorded payloads, is in `tests/it/sessions.rs` and always runs.

#![cfg(unix)]

mod claude_code;
mod desk;
mod hosts;
mod mcp;
mod model;
mod page;
mod plugins;
mod sessions;

use std::path::PathBuf;

/// The folder that the agents were installed in, if there is one.
fn clients() -> Option<PathBuf> {
    std::env::var_os("THROUGHLINE_CLIENTS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}
