//! Natural wording: turns and pairs that people wrote, played through the hooks of the program.
//!
//! The data says of every piece of a turn whether it is lasting, and of every later message what it
//! does to a memory. Only writers that the reader was not trained on are examined, so that the
//! figures hold for wording nobody tuned on.

mod back;
mod data;
mod kept;
mod pairs;
mod report;
mod turns;
mod wording;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use serde_json::Value;

use crate::correction::player::Home;
use crate::{correction, in_turns};

/// What to play.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A folder with one folder a writer, each with turns.jsonl, pairs.jsonl or both
    #[arg(long, value_name = "DIR", default_value = "tools/reader/data")]
    data: PathBuf,
    /// The writers that are examined: those that were left out when the reader was trained
    #[arg(long, value_name = "WRITERS", value_delimiter = ',', required = true)]
    leave_out: Vec<String>,
    /// More writers whose pairs are used for what comes back; the reader may have been trained on
    /// them
    #[arg(long, value_name = "WRITERS", value_delimiter = ',')]
    resurrection_from: Vec<String>,
    /// How many turns, the same number of every writer [default: all]
    #[arg(long, value_name = "N")]
    turns: Option<usize>,
    /// How many pairs, the same number of every writer [default: all]
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// How many other memories of the same person the project of a pair holds
    #[arg(long, value_name = "N", default_value_t = 0)]
    beside: usize,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Write every miss to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
}

/// How many turns or pairs share a home, each in a project of its own.
const IN_A_HOME: usize = 24;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = correction::program(options.binary.as_deref());
    let writers = options.leave_out.as_slice();
    let all_turns = data::turns(&options.data, writers)?;
    let mut all_pairs = data::pairs(&options.data, writers)?;
    data::set_beside(&mut all_pairs, options.beside);
    let turns = data::sample(all_turns, options.turns, |turn| turn.writer());
    let pairs = data::sample(all_pairs, options.pairs, |pair| pair.writer());
    let more = options.resurrection_from.iter().filter(|one| !writers.contains(one));
    let writers: Vec<String> = writers.iter().chain(more).cloned().collect();
    let stories = back::stories(&data::pairs(&options.data, &writers)?);
    let began = Instant::now();
    let (read, failed_turns) = play_all(&binary, &turns, turns::play)?;
    let (met, failed_pairs) = play_all(&binary, &pairs, pairs::play)?;
    let (returned, failed_back) = play_all(&binary, &stories, back::play)?;

    report::turns(&read);
    report::pairs(&met);
    report::back(&returned);
    let failures = failed_turns + failed_pairs + failed_back;
    println!("{failures} hooks failed; {:.0} s", began.elapsed().as_secs_f64());
    if let Some(path) = &options.misses {
        let misses = read.iter().flat_map(turns::Read::misses);
        let misses = misses.chain(met.iter().filter_map(pairs::Met::miss));
        let misses = misses.chain(returned.iter().filter_map(back::Returned::miss));
        write_lines(path, misses)?;
    }
    Ok(())
}

fn write_lines(path: &Path, lines: impl Iterator<Item = Value>) -> anyhow::Result<()> {
    let file = std::fs::File::create(path).with_context(|| path.display().to_string())?;
    let mut file = std::io::BufWriter::new(file);
    for line in lines {
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

/// Plays everything, some in each home. Returns what came of each, in order, and how many hooks
/// could not do their work.
fn play_all<'a, T: Sync, R: Send>(
    binary: &Path,
    items: &'a [T],
    play: impl Fn(&Home, &'a [T]) -> anyhow::Result<Vec<R>> + Sync,
) -> anyhow::Result<(Vec<R>, usize)> {
    let homes: Vec<&[T]> = items.chunks(IN_A_HOME).collect();
    let played = in_turns::play(homes.len(), |at| {
        let home = Home::new(binary)?;
        Ok((play(&home, homes[at])?, home.failures()))
    })?;
    let failures = played.iter().map(|(_, failed)| failed).sum();
    Ok((played.into_iter().flat_map(|(some, _)| some).collect(), failures))
}
