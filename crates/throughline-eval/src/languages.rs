//! Languages: turns in languages that the reader does not know, played through the hooks of the program.
//!
//! Nothing should be kept of them by itself, and the agent should be asked where somebody said something
//! lasting. The same is counted for turns in English, where it is asked only about what is unclear.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use throughline_core::asking::LINE;
use throughline_core::tokens;

use crate::correction;
use crate::correction::player::{Agent, Home};

/// What to play.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A folder with one file a language: de.jsonl and so on
    #[arg(long, value_name = "DIR", default_value = "tools/reader/data/languages")]
    data: PathBuf,
    /// A writer's folder with turns.jsonl in English, such as tools/reader/data/w27; may be given several
    /// times
    #[arg(long, value_name = "DIR")]
    english: Vec<PathBuf>,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Print every memory that was kept, and every lasting turn that nobody was asked about
    #[arg(long)]
    show: bool,
}

/// A message as it was typed, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Turn {
    id: String,
    voice: String,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    before: Option<String>,
    turn: String,
    sentences: Vec<Piece>,
}

#[derive(Debug, Deserialize)]
struct Piece {
    lasting: bool,
}

impl Turn {
    fn lasts(&self) -> bool {
        self.sentences.iter().any(|piece| piece.lasting)
    }
}

/// What came of the turns of one language or writer.
#[derive(Debug, Default)]
struct Count {
    turns: usize,
    lasting: usize,
    kept: usize,
    asked_lasting: usize,
    asked_needlessly: usize,
}

impl Count {
    fn asked(&self) -> usize {
        self.asked_lasting + self.asked_needlessly
    }

    fn line(&self, name: &str) -> String {
        let passing = self.turns - self.lasting;
        let tokens = 100 * self.asked() * tokens::estimate(LINE) / self.turns.max(1);
        format!(
            "{name:8} {:5} turns  {:4} kept  asked about {:3} of {:3} lasting, {:3} of {:3} passing  {tokens:5} \
             tokens in 100 prompts",
            self.turns, self.kept, self.asked_lasting, self.lasting, self.asked_needlessly, passing
        )
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = correction::program(options.binary.as_deref());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&options.data)
        .with_context(|| options.data.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ends| ends == "jsonl"))
        .collect();
    files.sort();
    files.extend(options.english.iter().map(|folder| folder.join("turns.jsonl")));
    let mut failures = 0;
    for file in files {
        let turns: Vec<Turn> = crate::data::lines(&file)?;
        let users = |turn: &Turn| turn.speaker.as_deref().is_none_or(|speaker| speaker == "user");
        let turns: Vec<Turn> = turns.into_iter().filter(users).collect();
        let home = Home::new(&binary)?;
        let mut count = Count::default();
        // Each voice is one session in a project of its own.
        for voice in turns.chunk_by(|one, next| one.voice == next.voice) {
            play(&home, voice, options.show, &mut count)?;
        }
        failures += home.failures();
        println!("{}", count.line(&name_of(&file)));
    }
    println!("{failures} hooks failed");
    Ok(())
}

/// A language by its file, a writer by its folder.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    let name = if stem == "turns" { folder } else { stem };
    name.to_string_lossy().into_owned()
}

fn play(home: &Home, turns: &[Turn], show: bool, count: &mut Count) -> anyhow::Result<()> {
    let Some(first) = turns.first() else { return Ok(()) };
    let project = home.project(&first.id)?;
    // The tools are offered: a client that leaves at once is enough to know that.
    home.run(&project, &["mcp"])?;
    let mut agent = Agent::new(home, &project, first.id.clone());
    for turn in turns {
        agent.answers(turn.before.as_deref().unwrap_or("OK."))?;
        let asked = agent.hears(&turn.turn)?.contains(LINE);
        count.turns += 1;
        match (turn.lasts(), asked) {
            (true, true) => count.asked_lasting += 1,
            (false, true) => count.asked_needlessly += 1,
            (true, false) if show => println!("  not asked: {} {}", turn.id, turn.turn),
            (_, false) => {}
        }
        count.lasting += usize::from(turn.lasts());
    }
    agent.ends()?;
    let listing = home.json(&project, &["list", "--all"])?;
    let kept = listing["items"].as_array().context("a listing has items")?;
    count.kept += kept.len();
    for memory in kept.iter().filter(|_| show) {
        println!("  kept: {} {}", first.voice, memory["content"]);
    }
    Ok(())
}
