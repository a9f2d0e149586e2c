//! `mcp`: memory as a server for agents, over standard input and output.

use std::process::ExitCode;

use anyhow::Context as _;
use throughline_mcp::{Profile, Setup};

use crate::args;
use crate::settings::Settings;

pub(crate) fn mcp(args: &args::Mcp, settings: &Settings) -> anyhow::Result<ExitCode> {
    let folder = match settings.folder() {
        Some(folder) => folder,
        None => std::env::current_dir().context("the current folder cannot be read")?,
    };
    let setup = Setup {
        home: settings.home.clone(),
        clock: settings.clock,
        policy: settings.policy,
        off: settings.environment.disabled || !settings.enabled,
        folder,
        session: settings.session(),
        level: settings.level(),
        profile: match args.profile {
            args::Profile::Throughline => Profile::Throughline,
        },
    };
    throughline_mcp::serve_stdio(setup).context("standard input and output")?;
    Ok(ExitCode::SUCCESS)
}
