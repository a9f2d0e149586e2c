//! Updates: of two statements, does the later one win? And are things linked that have nothing to do
//! with each other?

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_core::Speaker;
use throughline_core::State;
use throughline_engine::{Clock, Context, Engine, Filter, Project};

use crate::correction::player::{Agent, Home};
use crate::{capture, correction, in_turns};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Pairs of statements, one a line: `old_text`, `new_text`, question, kind
    #[arg(long, value_name = "FILE", default_value = "../shared/data/updates/pairs.jsonl")]
    set: PathBuf,
    /// Coding sessions in which nothing should be linked
    #[arg(long, value_name = "FILE", default_value = "../shared/data/coding/sessions.jsonl")]
    sessions: PathBuf,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long)]
    json: bool,
    /// Print every pair where the later statement does not win, and every link
    #[arg(long)]
    verbose: bool,
}

/// An earlier statement and the later one that updates it.
#[derive(Debug, Deserialize)]
struct Pair {
    kind: String,
    question: String,
    old_text: Vec<String>,
    new_text: Vec<String>,
}

/// What became of a pair.
#[derive(Debug, Clone, Copy, Default)]
struct Won {
    /// Something of the earlier statement is held.
    held: bool,
    superseded: bool,
    contested: bool,
    ranked_below: bool,
    /// Neither came up.
    silent: bool,
}

impl Won {
    fn any(self) -> bool {
        self.superseded || self.contested || self.ranked_below
    }
}

/// How many pairs share a home.
const IN_A_HOME: usize = 8;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = correction::program(options.binary.as_deref());
    let pairs = read(&options.set)?;
    let won = play_all(&binary, &pairs)?;
    let links = links(&options.sessions)?;
    if options.json {
        println!("{}", as_json(&pairs, &won, &links));
        return Ok(());
    }
    if options.verbose {
        for (pair, won) in pairs.iter().zip(&won).filter(|(_, won)| !won.any()) {
            let why = if won.silent { "neither comes up" } else { "the earlier one comes first" };
            println!("miss ({}, {why}): {}", pair.kind, pair.question);
            println!("  earlier  {}", head(&pair.old_text));
            println!("  later    {}", head(&pair.new_text));
        }
        for (old, new) in &links.made {
            println!("link: {old}\n   by {new}");
        }
    }
    println!(
        "{:<15}{:>5}{:>12}{:>11}{:>14}{:>10}{:>10}",
        "", "pairs", "superseded", "contested", "ranked below", "any", "held"
    );
    for (name, some) in groups(&pairs, &won) {
        let count = |look: fn(&Won) -> bool| some.iter().filter(|won| look(won)).count();
        println!(
            "{name:<15}{:>5}{:>12}{:>11}{:>14}{:>10}{:>10}",
            some.len(),
            share(count(|won| won.superseded), some.len()),
            share(count(|won| won.contested), some.len()),
            share(count(|won| won.ranked_below), some.len()),
            share(count(|won| won.any()), some.len()),
            share(count(|won| won.held), some.len()),
        );
    }
    println!(
        "{} links on {} ordinary turns: {:.2} in 1,000 turns",
        links.made.len(),
        links.turns,
        links.rate()
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn share(hits: usize, of: usize) -> String {
    format!("{:.3}", hits as f64 / of.max(1) as f64)
}

fn head(texts: &[String]) -> String {
    let text = texts.join(" / ");
    let words: Vec<&str> = text.split_whitespace().take(40).collect();
    words.join(" ")
}

/// All pairs, and those of each kind.
fn groups(pairs: &[Pair], won: &[Won]) -> Vec<(String, Vec<Won>)> {
    let mut kinds: BTreeMap<&str, Vec<Won>> = BTreeMap::new();
    for (pair, won) in pairs.iter().zip(won) {
        kinds.entry(&pair.kind).or_default().push(*won);
    }
    let all = std::iter::once(("all".to_owned(), won.to_vec()));
    all.chain(kinds.into_iter().map(|(kind, some)| (kind.to_owned(), some))).collect()
}

fn as_json(pairs: &[Pair], won: &[Won], links: &Links) -> Value {
    let figures: serde_json::Map<String, Value> = groups(pairs, won)
        .into_iter()
        .map(|(name, some)| {
            let count = |look: fn(&Won) -> bool| some.iter().filter(|won| look(won)).count();
            let figures = json!({
                "pairs": some.len(),
                "superseded": count(|won| won.superseded),
                "contested": count(|won| won.contested),
                "ranked_below": count(|won| won.ranked_below),
                "any": count(|won| won.any()),
                "held": count(|won| won.held),
            });
            (name, figures)
        })
        .collect();
    json!({"figures": figures, "links": links.made.len(), "turns": links.turns, "links_per_1000": links.rate()})
}

fn read(path: &Path) -> anyhow::Result<Vec<Pair>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let parse = |(at, line): (usize, std::io::Result<String>)| {
        serde_json::from_str(&line?).with_context(|| format!("{}, line {}", path.display(), at + 1))
    };
    std::io::BufReader::new(file).lines().enumerate().map(parse).collect()
}

fn play_all(binary: &Path, pairs: &[Pair]) -> anyhow::Result<Vec<Won>> {
    let homes: Vec<&[Pair]> = pairs.chunks(IN_A_HOME).collect();
    Ok(in_turns::play(homes.len(), |at| play(binary, homes[at]))?.concat())
}

/// Plays some pairs in one home, each in a project of its own: said, said otherwise, asked.
fn play(binary: &Path, pairs: &[Pair]) -> anyhow::Result<Vec<Won>> {
    let home = Home::new(binary)?;
    let projects: Vec<PathBuf> = (0..pairs.len())
        .map(|at| home.project(&format!("pair-{at}")))
        .collect::<anyhow::Result<_>>()?;
    for said in ["old", "new"] {
        for (at, (pair, project)) in pairs.iter().zip(&projects).enumerate() {
            let mut agent = Agent::new(&home, project, format!("{at}-{said}"));
            agent.starts()?;
            for text in if said == "old" { &pair.old_text } else { &pair.new_text } {
                agent.hears(text)?;
                agent.answers("All right.")?;
            }
            agent.ends()?;
        }
        home.wait_days(20);
    }
    pairs
        .iter()
        .zip(&projects)
        .enumerate()
        .map(|(at, (pair, project))| {
            let held = home.json(project, &["list", "--all"])?;
            let recalled = home.json(project, &["recall", &pair.question, "--episodes"])?;
            Ok(judge(&held, &recalled, &format!("{at}-old"), &format!("{at}-new")))
        })
        .collect()
}

/// The session that first said it.
fn session_of(item: &Value) -> Option<&str> {
    let memory = &item["memory"];
    memory["evidence"][0]["session"].as_str().or_else(|| item["episode"]["session"].as_str())
}

fn judge(held: &Value, recalled: &Value, old: &str, new: &str) -> Won {
    let items = |listing: &Value| listing["items"].as_array().cloned().unwrap_or_default();
    let held = items(held);
    let earlier = || held.iter().filter(|one| one["evidence"][0]["session"] == old);
    let superseded = |one: &Value| one["state"] == "superseded" || one["state"] == "retracted";
    let contested = |one: &Value| one["contested_by"].as_array().is_some_and(|by| !by.is_empty());
    let ranked = items(recalled);
    let place = |session: &str| ranked.iter().position(|item| session_of(item) == Some(session));
    let (first_old, first_new) = (place(old), place(new));
    Won {
        held: earlier().next().is_some(),
        superseded: earlier().any(superseded),
        contested: earlier().any(contested),
        ranked_below: first_new.is_some_and(|new| first_old.is_none_or(|old| new < old)),
        silent: first_new.is_none() && first_old.is_none(),
    }
}

/// What was linked although nobody took anything back.
struct Links {
    turns: usize,
    /// What was replaced or contradicted, and by what.
    made: Vec<(String, String)>,
}

impl Links {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    fn rate(&self) -> f64 {
        self.made.len() as f64 * 1_000.0 / self.turns.max(1) as f64
    }
}

/// Ordinary coding sessions, by the way that hooks take: every link is one too many, or nearly.
fn links(sessions: &Path) -> anyhow::Result<Links> {
    let sessions = capture::read(sessions, false)?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("project");
    std::fs::create_dir(&root)?;
    let context = Context::user(Project::at(&root)?);
    let engine = Engine::open(&folder.path().join("home"), Clock::System)?;
    let mut turns = 0;
    for (session, said) in &sessions {
        engine.capturing(&context).ingest_session(session, "eval", said, &mut |_| ())?;
        turns += said.iter().filter(|turn| turn.speaker != Speaker::Tool).count();
    }
    let filter = Filter { all: true, limit: Some(100_000), ..Filter::default() };
    let cards = engine.looking(&context).list(&*engine.now_reader()?, &filter)?.items;
    let text =
        |id| cards.iter().find(|card| card.memory.id == id).map(|card| card.memory.content.clone());
    let mut made = Vec::new();
    for card in &cards {
        // Either side of a contradiction names the other.
        let contested = card.contested_by.iter().filter(|id| card.memory.id < **id);
        let by = card.memory.superseded_by.iter().chain(contested);
        let mut by: Vec<String> = by.filter_map(|id| text(*id)).collect();
        if by.is_empty() && card.memory.state == State::Retracted {
            by.push("taken back".to_owned());
        }
        made.extend(by.into_iter().map(|by| (card.memory.content.clone(), by)));
    }
    Ok(Links { turns, made })
}
