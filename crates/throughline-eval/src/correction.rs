//! Correction: what is taken back stays away, and what is not said is not applied. Scenarios are made
//! from a seed and played through the hooks of the program itself.

mod judge;
mod phrases;
mod play;
pub(crate) mod player;
mod report;
mod scenario;
mod topics;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::CommandFactory as _;

use play::Outcome;
use scenario::Scenario;

use crate::in_turns;

/// What to play.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// What the scenarios are made from [default: another one every time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many scenarios
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    scenarios: u32,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long)]
    json: bool,
    /// Print every scenario that failed, with what was said and what happened
    #[arg(long)]
    verbose: bool,
}

/// How many scenarios share a home.
const IN_A_HOME: usize = 12;
/// How often memory sleeps before somebody looks again.
const SLEEPS: usize = 5;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = program(options.binary.as_deref());
    let seed = options.seed.unwrap_or_else(random);
    let count = usize::try_from(options.scenarios)?;
    let scenarios: Vec<Scenario> = (0..count).map(|at| Scenario::make(seed, at)).collect();
    let sleeps = if player::Home::new(&binary)?.has_command("sleep")? { SLEEPS } else { 0 };
    let began = Instant::now();
    let (outcomes, failures) = play_all(&binary, &scenarios, sleeps)?;
    let played: Vec<(&Scenario, &Outcome)> = scenarios.iter().zip(&outcomes).collect();
    let run = report::Run { seed, sleeps, failures, seconds: began.elapsed().as_secs_f64() };
    if options.json {
        println!("{}", report::json(&run, &played));
        return Ok(());
    }
    if options.verbose {
        report::failed(&played);
    }
    report::print(&run, &played);
    Ok(())
}

/// The program to test. Without one there is nothing to do but to say so.
pub(crate) fn program(given: Option<&Path>) -> PathBuf {
    let beside = || {
        let here = std::env::current_exe().ok()?;
        Some(here.with_file_name(format!("throughline{}", std::env::consts::EXE_SUFFIX)))
    };
    let path = given.map(Path::to_owned).or_else(beside).unwrap_or_default();
    if !path.is_file() {
        let message = format!("there is no program at {}; name one with --binary", path.display());
        crate::Command::command().error(clap::error::ErrorKind::ValueValidation, message).exit();
    }
    path.canonicalize().unwrap_or(path)
}

/// A seed nobody has tuned on.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % 1_000_000_000
}

fn play_all(
    binary: &Path,
    scenarios: &[Scenario],
    sleeps: usize,
) -> anyhow::Result<(Vec<Outcome>, usize)> {
    let homes: Vec<&[Scenario]> = scenarios.chunks(IN_A_HOME).collect();
    let played = in_turns::play(homes.len(), |at| play::play(binary, homes[at], sleeps))?;
    let failures = played.iter().map(|(_, failed)| failed).sum();
    Ok((played.into_iter().flat_map(|(some, _)| some).collect(), failures))
}
