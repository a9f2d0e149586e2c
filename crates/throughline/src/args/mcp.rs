//! What `mcp` may be called with, and what may be read in.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Profile {
    /// Throughline's own tools
    #[default]
    Throughline,
    /// The tools of the official memory server, for whoever is used to them
    ServerMemory,
    /// Anthropic's memory tool: files under /memories
    MemoryTool,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Which tools are offered
    #[arg(long, value_enum, default_value_t = Profile::Throughline)]
    pub(crate) profile: Profile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Found out from the file
    Auto,
    /// An export of Throughline
    Throughline,
    /// The `memory.jsonl` of the official memory server
    ServerMemory,
}
