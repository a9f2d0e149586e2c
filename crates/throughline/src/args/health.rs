//! What may be written after `stats`, `doctor`, `backup`, `restore`, `graph` and `boxes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Count every project, not only this one and global memories
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also replay the whole log and compare the result with every table
    #[arg(long)]
    pub(crate) rebuild_check: bool,
    /// First finish erasures that were interrupted and, if rows are damaged, rebuild every table
    /// from the log; the old file is kept
    #[arg(long)]
    pub(crate) mend: bool,
    /// First rebuild the search index: documents and vectors
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Also ask the configured language model one small question
    #[arg(long)]
    pub(crate) llm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write [default: a dated copy in the home, of which the latest few are kept]
    pub(crate) file: Option<PathBuf>,
    /// Only if today's copy is not made yet
    #[arg(long, hide = true, conflicts_with = "file")]
    pub(crate) if_due: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The copy to restore; without it, the copies in the home are listed
    pub(crate) file: Option<PathBuf>,
    /// Restore the latest copy in the home
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
    /// A page to look at, in one file
    Html,
    /// A picture
    Svg,
    /// For viewers of Markdown
    Mermaid,
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Draw around this memory [default: around the newest ones]
    #[arg(long, value_name = "ID")]
    pub(crate) focus: Option<String>,
    /// How many steps to follow from there
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) depth: usize,
    /// The format
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub(crate) format: GraphFormat,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Boxes {
    /// How many to show, the latest first
    #[arg(long, value_name = "N", default_value = "20", value_parser = super::at_least_one)]
    pub(crate) limit: usize,
    /// Write every sealed box to this folder, as boxes/YYYY-MM-DD/box-ID.md
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
}
