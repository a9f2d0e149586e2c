//! What `mcp` may be called with, and what may be read in.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Profile {
    /// Throughline's own tools
    #[default]
    Throughline,
    /// The tools of the official MCP memory server
    ServerMemory,
    /// Anthropic's memory tool: files under /memories
    MemoryTool,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Which set of tools to offer
    #[arg(long, value_enum, default_value_t = Profile::Throughline)]
    pub(crate) profile: Profile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Recognise the format from the file
    Auto,
    /// An export of Throughline
    Throughline,
    /// The `memory.jsonl` of the official memory server
    ServerMemory,
}
