//! What may be written after `work` and `llm`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Work {
    /// Everything that waits, once, whether it is time for it or not
    #[arg(long)]
    pub(crate) once: bool,
    /// Leave whoever started us
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Llm {
    #[command(subcommand)]
    pub(crate) action: LlmAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LlmAction {
    /// Ask the configured model one small question, and say what happened
    Test,
    /// Keep a key, read from standard input, in a file that only you can read
    Key {
        /// For the service that makes vectors
        #[arg(long)]
        embed: bool,
    },
}
