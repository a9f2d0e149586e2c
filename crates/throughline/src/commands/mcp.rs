//! `mcp`, `memory-tool`: memory for agents that call tools.

use std::process::ExitCode;

use anyhow::Context as _;
use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_engine::{Context, Error};
use throughline_mcp::{Profile, Setup, WriteListener};

use crate::args;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::worker;

pub(crate) fn mcp(args: &args::Mcp, settings: &Settings) -> anyhow::Result<ExitCode> {
    settings.check_spread()?;
    let folder = settings.served_folder()?;
    let profile = match args.profile {
        args::Profile::Throughline => Profile::Throughline,
        args::Profile::ServerMemory => Profile::ServerMemory,
        args::Profile::MemoryTool => Profile::MemoryTool,
    };
    // The official server has one graph, wherever it is started.
    let usual = if profile == Profile::ServerMemory { Level::Global } else { Level::Project };
    let setup = Setup {
        home: settings.home.clone(),
        clock: settings.clock,
        policy: settings.policy,
        off: settings.is_off(),
        joins: settings.joins(),
        folder,
        session: settings.session(),
        level: settings.chosen_level().unwrap_or(usual),
        profile,
        graph_file: settings.environment.memory_file.clone().filter(|file| file.is_absolute()),
        engine: None,
        written: settings.models.any().then(|| {
            let settings = settings.clone();
            WriteListener::new(move || {
                worker::note(&settings, true);
                worker::start_and_see_off(&settings, settings.clock.now());
            })
        }),
    };
    throughline_mcp::serve_stdio(setup).context("standard input and output")?;
    Ok(ExitCode::SUCCESS)
}

/// One command of the memory tool, read from standard input as JSON.
pub(crate) fn memory_tool(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    settings.check_spread()?;
    let text = super::from_stdin()?;
    let command: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| Error::BadInput(format!("standard input is not JSON: {error}")))?;
    let context = Context { door: Door::MemoryTool, ..settings.context()? };
    let said = throughline_mcp::memory_tool(&settings.engine()?, &context, command)?;
    ui.answer(&WireSaid { text: &said }, || crate::ui::own(&said))
}

#[derive(Debug, serde::Serialize)]
struct WireSaid<'a> {
    text: &'a str,
}
