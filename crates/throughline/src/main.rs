//! `throughline`: the memory of AI agents, on your command line.

mod args;
mod commands;
mod demo;
mod help;
mod hook;
mod layout;
mod settings;
mod ui;
mod view;
mod worker;
mod xray;

use std::process::ExitCode;

use clap::{Args as _, CommandFactory as _, FromArgMatches as _};

fn main() -> ExitCode {
    let mut words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let wants_json = words.iter().any(|word| word == "--json");
    let command = command(&words);
    // Whoever writes nothing wants to know what there is.
    if words.len() == 1 {
        words.push("--help".into());
    }
    // `help --help` asks for what `help` shows.
    if command.as_deref() == Some("help") {
        words.retain(|word| word != "--help" && word != "-h");
    }
    let is_hook = command.as_deref() == Some("hook");
    if is_hook {
        hook::use_one_heap();
    }
    let environment = settings::Environment::read();
    // Hooks go quiet; a person is answered.
    if environment.disabled && is_hook {
        return ExitCode::SUCCESS;
    }
    if is_hook && let Some((args, global)) = parsed_hook(&words) {
        return hook::hook(&args, &global, &environment);
    }
    match parsed(&words, is_hook) {
        Ok(cli) => {
            if let args::Command::Hook(args) = &cli.command {
                return hook::hook(args, &cli.global, &environment);
            }
            run(&cli, &environment, &words)
        }
        // A hook that ends with 2 would block the agent.
        Err(usage) if is_hook && usage.use_stderr() => {
            let why = ui::usage_words(&usage);
            let event = second(&words, "hook");
            let home = value_of(&words, "--home").map(Into::into);
            let global = args::Global { home, ..args::Global::default() };
            hook::unusable(event.as_deref(), &why, &global, &environment)
        }
        Err(usage) => ui::usage(&usage, wants_json),
    }
}

/// The command line of a hook, understood without describing all the other commands: that takes a good part of
/// the time in which a process starts. `None` where it is anything else.
fn parsed_hook(words: &[std::ffi::OsString]) -> Option<(args::Hook, args::Global)> {
    let hook = args::Hook::augment_args(clap::Command::new("hook"));
    let command = args::Global::augment_args(clap::Command::new("throughline")).subcommand(hook);
    let mut matches = command.try_get_matches_from(words).ok()?;
    let (_, mut given) = matches.remove_subcommand()?;
    let global = args::Global::from_arg_matches_mut(&mut matches).ok()?;
    Some((args::Hook::from_arg_matches_mut(&mut given).ok()?, global))
}

/// A command line, understood. A hook has no time for help pages.
fn parsed(words: &[std::ffi::OsString], is_hook: bool) -> Result<args::Cli, clap::Error> {
    let command = if is_hook { args::Cli::command() } else { help::command() };
    let mut matches = command.try_get_matches_from(words)?;
    args::Cli::from_arg_matches_mut(&mut matches)
}

/// The command, however the rest is written: some must be known before anything is understood.
fn command(words: &[std::ffi::OsString]) -> Option<String> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if ["--home", "--project", "--scope", "--session"].contains(&&*word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word.into_owned());
        }
    }
    None
}

/// The word behind another one, unless it is an option.
fn second(words: &[std::ffi::OsString], first: &str) -> Option<String> {
    let at = words.iter().position(|word| word == first)?;
    let word = words.get(at + 1)?.to_string_lossy();
    (!word.starts_with('-')).then(|| word.into_owned())
}

/// What an option is given, in a command line that cannot be understood as a whole.
fn value_of(words: &[std::ffi::OsString], option: &str) -> Option<String> {
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if word == option {
            return words.next().map(std::borrow::Cow::into_owned);
        }
        if let Some(value) = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    None
}

fn run(
    cli: &args::Cli,
    environment: &settings::Environment,
    words: &[std::ffi::OsString],
) -> ExitCode {
    let mut ui = ui::Ui::new(cli.global.json, cli.global.quiet);
    let serves = matches!(cli.command, args::Command::Mcp(_));
    let environment = if serves { environment.clone() } else { environment.of_a_command() };
    let done = settings::Settings::resolve(&cli.global, &environment)
        .and_then(|settings| commands::run(&cli.command, &settings, &mut ui));
    match done {
        Ok(code) => code,
        Err(error) => ui.fail(&commands::with_typed(error, words)),
    }
}
