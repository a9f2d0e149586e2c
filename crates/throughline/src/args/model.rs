//! What may be written after `work` and `llm`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Work {
    /// Do everything that waits now, whether or not it is due
    #[arg(long)]
    pub(crate) once: bool,
    /// Detach from the process that started it
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
    /// Ask the configured model one small question and show what happened
    Test,
    /// Read a key from standard input and store it in a file that only you can read
    Key {
        /// The key of the embedding service instead
        #[arg(long)]
        embed: bool,
    },
}
