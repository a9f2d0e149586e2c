//! `throughline`: the memory of AI agents, on your command line.

mod args;
mod commands;
mod demo;
mod settings;
mod ui;
mod view;
mod xray;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let wants_json = words.iter().any(|word| word == "--json");
    let environment = settings::Environment::read();
    if environment.disabled {
        return ExitCode::SUCCESS;
    }
    match args::Cli::try_parse_from(words) {
        Ok(cli) => run(&cli, &environment),
        Err(usage) => ui::usage(&usage, wants_json),
    }
}

fn run(cli: &args::Cli, environment: &settings::Environment) -> ExitCode {
    let mut ui = ui::Ui::new(cli.global.json, cli.global.quiet);
    let done = settings::Settings::resolve(&cli.global, environment)
        .and_then(|settings| commands::run(&cli.command, &settings, &mut ui));
    match done {
        Ok(code) => code,
        Err(error) => ui.fail(&error),
    }
}
