//! What may be written after `stats`, `doctor` and `graph`.

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
    /// First build what search looks at anew: documents and vectors
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Also ask the configured language model one small question
    #[arg(long)]
    pub(crate) llm: bool,
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
