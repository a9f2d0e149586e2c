//! What hosts send, what becomes of it, and how we are installed: the promises of this crate.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod answers;
mod events;
mod files;
mod hostile;
mod install;
mod plugins;
mod settings;
mod transcripts;

use std::path::{Path, PathBuf};

/// A file or folder of recordings.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
