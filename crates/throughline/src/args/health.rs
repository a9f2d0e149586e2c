//! What may be written after `stats`, `doctor`, `backup`, `restore` and `graph`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Of every project, not only of this one and what is global
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also replay the whole log and compare every table with what it gives
    #[arg(long)]
    pub(crate) rebuild_check: bool,
    /// First finish erasures that were cut short, and build every table anew from the log, where rows
    /// are damaged; what was there is kept
    #[arg(long)]
    pub(crate) mend: bool,
    /// First build what search looks at anew: documents and vectors
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Also ask the configured language model one small question
    #[arg(long)]
    pub(crate) llm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// Where to [default: among the copies in the home, of which only a few are kept]
    pub(crate) file: Option<PathBuf>,
    /// Only if it is time for the copy of the day
    #[arg(long, hide = true, conflicts_with = "file")]
    pub(crate) if_due: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The copy; without one, the copies in the home are listed
    pub(crate) file: Option<PathBuf>,
    /// The latest copy in the home
    #[arg(long, conflicts_with = "file")]
    pub(crate) latest: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// For reading
    Text,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// The memory in the middle [default: the newest ones]
    #[arg(long, value_name = "ID")]
    pub(crate) focus: Option<String>,
    /// Steps to go from there
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) depth: usize,
    /// How to draw it
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub(crate) format: GraphFormat,
}
