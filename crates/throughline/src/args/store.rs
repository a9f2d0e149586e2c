//! What may be written after `store`.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    pub(crate) action: StoreAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreAction {
    /// Copy everything to another store: a PostgreSQL server, or a database file
    Copy {
        /// Its address, or the path of a file
        #[arg(long, value_name = "ADDRESS")]
        to: String,
    },
    /// List who shares this project's memory on the server
    Members,
    /// Share this project's memory with a person, by their database role
    Admit {
        /// The database role of the person
        #[arg(value_name = "ROLE")]
        role: String,
        /// What they may do
        #[arg(long = "as", value_name = "STANDING", default_value = "member")]
        standing: Admitted,
    },
    /// Stop sharing this project's memory with a person; what they said stays
    Dismiss {
        /// The database role of the person
        #[arg(value_name = "ROLE")]
        role: String,
    },
}

/// What a person may do with a shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Admitted {
    /// Read it
    Reader,
    /// Read and write it
    Member,
    /// Also decide who else does
    Owner,
}
