//! Retrieval: each haystack goes in through the engine, each question is asked as hooks ask.

mod ablation;
mod report;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use throughline_engine::{Arms, Ask, Memo, Recall};

use crate::baseline;
use crate::data::{Set, WireQuestion};
use crate::haystack::{self, Store, turns_of};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The set: PREFIX.sessions.jsonl and PREFIX.questions.jsonl
    #[arg(long, value_name = "PREFIX")]
    set: PathBuf,
    /// Every session of the file is the haystack of every question
    #[arg(long)]
    pool: bool,
    /// Where to write the rankings
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many turns to rank
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// The arms that look: words, vectors, graph, time
    #[arg(long, value_delimiter = ',')]
    arms: Vec<String>,
    /// Also the figures of each type of question
    #[arg(long)]
    by_type: bool,
    /// Also without each arm, and with each alone
    #[arg(long)]
    ablate: bool,
    /// One JSON document instead of lines
    #[arg(long)]
    json: bool,
    /// The server to ask instead of files, each haystack in a space of its own; they stay there
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The first so many questions only
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Where to write the inputs of the weights
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
}

/// One question, answered.
struct Answer {
    /// The turns found, best first, for each variant of recall; the first is the one asked for.
    ranked: Vec<Vec<String>>,
    took: Duration,
    page: Page,
    features: Option<Value>,
}

/// What a plain recall would put in front of an agent.
struct Page {
    tokens: usize,
    turns: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut set = Set::read(&options.set)?;
    set.questions.truncate(options.first.unwrap_or(usize::MAX));
    let haystacks = haystack::haystacks(&set, options.pool);
    let mut variants = vec![arms(&options.arms)?];
    if options.ablate {
        variants.extend(ablation::VARIANTS.iter().map(|(_, arms)| *arms));
    }
    let memo = Arc::new(Memo::default());
    let server = options.store.as_deref();
    let answers = haystack::ask_all_at(server, &set, &haystacks, &memo, |store, question| {
        answer(store, question, options, &variants)
    })?;
    let plain = baseline::rankings(&set, &haystacks, options.limit);

    if let Some(path) = &options.out {
        write_lines(
            path,
            set.questions
                .iter()
                .zip(&answers)
                .map(|(question, answer)| json!({ "id": question.id, "ranked": answer.ranked[0] })),
        )?;
    }
    if let Some(path) = &options.features {
        write_lines(path, answers.iter().filter_map(|one| one.features.clone()))?;
    }
    let report = report::Report::of(&set, &answers, &plain);
    if options.json {
        let mut all = report.json(options.by_type);
        if options.ablate {
            all["ablation"] = ablation::json(&set, &answers);
        }
        println!("{all}");
    } else {
        report.print(options.by_type);
        if options.ablate {
            ablation::print(&set, &answers);
        }
    }
    Ok(())
}

pub(crate) fn write_lines(
    path: &Path,
    lines: impl IntoIterator<Item = Value>,
) -> anyhow::Result<()> {
    let file = std::fs::File::create(path).with_context(|| path.display().to_string())?;
    let mut out = std::io::BufWriter::new(file);
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

fn arms(names: &[String]) -> anyhow::Result<Arms> {
    if names.is_empty() {
        return Ok(Arms::default());
    }
    let mut arms = ablation::NONE;
    for name in names {
        match name.as_str() {
            "words" => arms.words = true,
            "vectors" => arms.vectors = true,
            "graph" => arms.graph = true,
            "time" => arms.time = true,
            _ => anyhow::bail!("{name} is no arm; there are words, vectors, graph, time"),
        }
    }
    Ok(arms)
}

/// Asks one question: for its ranking by every variant, and for the page it would be answered with.
fn answer(
    store: &Store,
    question: &WireQuestion,
    options: &Options,
    variants: &[Arms],
) -> anyhow::Result<Answer> {
    let plain = store.ask(question);
    let start = Instant::now();
    let said = store.recall(&plain)?;
    let took = start.elapsed();
    let page = Page { tokens: said.tokens, turns: turns_of(&said) };
    let (mut ranked, mut features) = (Vec::new(), None);
    for arms in variants {
        let mut ask = Ask { ungated: true, arms: *arms, ..plain.clone() };
        ask.limits.items_max = options.limit;
        let recall = store.recall(&ask)?;
        if options.features.is_some() && features.is_none() {
            features = Some(inputs(store, question, &recall)?);
        }
        ranked.push(turns_of(&recall));
    }
    Ok(Answer { ranked, took, page, features })
}

/// The inputs of the weights, for fitting elsewhere.
fn inputs(store: &Store, question: &WireQuestion, recall: &Recall) -> anyhow::Result<Value> {
    let names = store.turn_names(recall)?;
    let rows: Vec<Value> = recall
        .candidates
        .iter()
        .filter_map(|one| Some(json!([names.get(&one.node)?, one.features])))
        .collect();
    Ok(json!({ "id": question.id, "gold": question.gold_turns, "rows": rows }))
}
