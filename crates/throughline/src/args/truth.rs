//! What may be written after `verify` and `sleep`.

use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("outcome").args(["confirmed", "refuted"]).requires("id")),
    after_help = "Without an id it looks again at every file, path and value that memories of this project hang\n\
                  on, and shows what to check. Looking changes no memory: what moved is not asserted until\n\
                  somebody says whether it still holds."
)]
pub(crate) struct Verify {
    /// The memory that was checked
    #[arg(value_name = "ID", requires = "outcome")]
    pub(crate) id: Option<String>,
    /// Show what the last look showed, without looking again
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,
    /// It holds: what it hangs on is noted as it is now
    #[arg(long)]
    pub(crate) confirmed: bool,
    /// It does not hold: it is taken back, and a lesson is kept
    #[arg(long)]
    pub(crate) refuted: bool,
    /// What showed it
    #[arg(long, value_name = "TEXT", requires = "outcome")]
    pub(crate) evidence: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "It happens by itself, a little at a time: when a session ends, when the next one has its brief, and\nwhile the MCP server is idle. `status` says what waits. `undo` takes a batch of it back."
)]
pub(crate) struct Sleep {
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}
