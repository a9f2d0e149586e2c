//! What may be written after `serve` and `demo`.

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "It listens on this machine only, and whoever has its token is you. The token is made at the\n\
                  first start and kept in the home (`server.token`, for your eyes only); THROUGHLINE_TOKEN\n\
                  gives another. Ctrl-C or SIGTERM stops it. Meanwhile it consolidates what comes in.\n\
                  docs/server.md has the routes, and the units for systemd and launchd."
)]
pub(crate) struct Serve {
    /// The port [default: 7878]; 0 takes any that is free
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Open the page in your browser
    #[arg(long)]
    pub(crate) open: bool,
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
