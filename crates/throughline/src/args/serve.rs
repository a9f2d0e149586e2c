//! What may be written after `serve` and `demo`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    after_help = "It listens on this machine only, and whoever has its token is you. The token is made at the\n\
                  first start and kept in the home (`server.token`, for your eyes only); THROUGHLINE_TOKEN\n\
                  gives another. Ctrl-C or SIGTERM stops it. Meanwhile it consolidates what comes in.\n\
                  docs/server.md has the routes, and the units for systemd and launchd."
)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) action: Option<ServeAction>,
    /// The port [default: 7878]; 0 takes any that is free
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Open the page in your browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeAction {
    /// Let other people in, each by a token of their own
    Token {
        #[command(subcommand)]
        action: TokenAction,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token for a person; it is shown once, and only a digest of it is kept
    Add {
        /// The person: their database role, where memory is on a PostgreSQL server
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List who has a token; the tokens themselves are not shown
    List,
    /// Take a token away, or all tokens of a person
    Revoke {
        /// The id of a token, or the name of a person
        #[arg(value_name = "ID|NAME")]
        whose: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Then show its memory in the page, until Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// With --serve: the port [default: any that is free]
    #[arg(long, value_name = "N", requires = "serve")]
    pub(crate) port: Option<u16>,
    /// With --serve: open the page in your browser
    #[arg(long, requires = "serve")]
    pub(crate) open: bool,
}
