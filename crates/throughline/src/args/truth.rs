//! What may be written after `verify` and `sleep`.

use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("outcome").args(["confirmed", "refuted"]).requires("id")),
    after_help = "Without an id it checks every file, path and value that memories of this project are tied to, and\n\
                  lists what changed. A check alone changes no memory: a memory whose file changed is not stated\n\
                  as fact until somebody says whether it still holds."
)]
pub(crate) struct Verify {
    /// The memory that was checked
    #[arg(value_name = "ID", requires = "outcome")]
    pub(crate) id: Option<String>,
    /// Show the result of the last check, without checking again
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,
    /// It still holds: what it is tied to is recorded as it is now
    #[arg(long)]
    pub(crate) confirmed: bool,
    /// It no longer holds: it is retracted, and a lesson is kept
    #[arg(long)]
    pub(crate) refuted: bool,
    /// What you saw that shows it
    #[arg(long, value_name = "TEXT", requires = "outcome")]
    pub(crate) evidence: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "This runs by itself, a little at a time: when a session ends, after the next one has its brief, and\n\
                  while the MCP server is idle. `status` shows what waits. `undo` reverts a batch of it."
)]
pub(crate) struct Sleep {
    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also organise everything: topics, tags, names, contradictions. Runs by itself every third
    /// session
    #[arg(long)]
    pub(crate) deep: bool,
}
