//! Staleness: real git repositories change, and facts about them should be doubted when they changed and
//! only then.

mod claim;
mod dice;
mod grow;
mod judge;
mod model;
mod mutate;
mod play;
mod project;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::correction::program;
use crate::in_turns;

/// What to play.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// What the repositories are made from [default: another one every time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many facts
    #[arg(long, value_name = "N", default_value_t = 320, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    facts: u32,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long)]
    json: bool,
    /// Print every miss and false alarm, with the claim, what it was bound to and what changed
    #[arg(long)]
    verbose: bool,
}

/// How many facts are told about a repository.
const ABOUT_ONE: usize = 54;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = program(options.binary.as_deref());
    let seed = options.seed.unwrap_or_else(random);
    let began = Instant::now();
    let projects = play_all(&binary, seed, usize::try_from(options.facts)?)?;
    let run = report::Run { seed, seconds: began.elapsed().as_secs_f64(), projects };
    if options.json {
        println!("{}", report::json(&run));
        return Ok(());
    }
    if options.verbose {
        report::faults(&run);
    }
    report::print(&run);
    Ok(())
}

/// A seed nobody has tuned on.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % 1_000_000_000
}

fn play_all(binary: &Path, seed: u64, facts: usize) -> anyhow::Result<Vec<play::Played>> {
    let count = facts.div_ceil(ABOUT_ONE);
    in_turns::play(count, |at| {
        let share = facts / count + usize::from(at < facts % count);
        play::play(binary, seed, at, share)
    })
}
