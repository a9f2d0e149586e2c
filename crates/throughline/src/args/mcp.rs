//! What `mcp` may be called with.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Profile {
    /// Throughline's own tools
    #[default]
    Throughline,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Which tools are offered
    #[arg(long, value_enum, default_value_t = Profile::Throughline)]
    pub(crate) profile: Profile,
}
