//! What may be written after `project`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Project {
    #[command(subcommand)]
    pub(crate) action: ProjectAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectAction {
    /// List the known projects, their folders, and how many memories each has
    List,
    /// Let a folder use the memory of the project that its git origin names
    Join {
        /// The folder [default: the current one]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Join another project, by the key that `project list` shows
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
    },
    /// Get hints (a count and a name, no content) when another project knows what a prompt names
    Link {
        /// The other project, by the key that `project list` shows
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Stop getting hints from another project
    Unlink {
        /// The other project
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Make a folder a project of its own again and stop asking about it
    Leave {
        /// The folder [default: the current one]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}
