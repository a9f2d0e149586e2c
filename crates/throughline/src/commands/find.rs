//! `recall`, `search`, `list`, `show`: looking at memories.

use std::process::ExitCode;

use serde::Serialize;
use throughline_engine::{Filter, Listing, Recalled};

use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, Ui, paint};
use crate::view::{self, WireMemory, rounded};

/// Rows shown to a person who did not say how many.
const SHOWN: usize = 50;

#[derive(Debug, Serialize)]
struct WireListing {
    items: Vec<WireMemory>,
    total: usize,
}

pub(super) fn search(
    args: &args::Search,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let reader = engine.reader(settings.moment(args.filter.as_of.as_deref())?)?;
    let filter = filter(&args.filter, ui);
    let found = engine.search(&*reader, &settings.context()?, &args.query, &filter)?;
    answer(ui, &found, filter.offset)
}

pub(super) fn list(
    args: &args::List,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let reader = engine.reader(settings.moment(args.filter.as_of.as_deref())?)?;
    let filter = filter(&args.filter, ui);
    let found = engine.list(&*reader, &settings.context()?, &filter)?;
    answer(ui, &found, filter.offset)
}

fn filter(args: &args::Filter, ui: &Ui) -> Filter {
    Filter {
        states: args.states.clone(),
        all: args.all,
        kinds: args.kinds.clone(),
        domain: args.domain.clone(),
        tag: args.tag.clone(),
        offset: args.offset,
        limit: args.limit.or((!ui.json).then_some(SHOWN)),
    }
}

fn answer(ui: &mut Ui, found: &Listing, offset: usize) -> anyhow::Result<ExitCode> {
    let items = found.items.iter().map(WireMemory::from).collect();
    let wire = WireListing { items, total: found.total };
    ui.answer(&wire, || view::table(&found.items, found.total, offset))
}

pub(super) fn show(
    args: &args::Show,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let reader = engine.reader(settings.moment(args.as_of.as_deref())?)?;
    let card = engine.show(&*reader, &settings.context()?, &args.id)?;
    ui.answer(&WireMemory::from(&card), || view::page(&card))
}

#[derive(Debug, Serialize)]
struct WireRecall<'a> {
    query: &'a str,
    tokens: usize,
    budget: usize,
    items: Vec<WireRecalled>,
    counts: Vec<WireCount>,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct WireRecalled {
    rank: usize,
    detail: &'static str,
    score: f64,
    memory: WireMemory,
    episode: Option<()>,
    history: Option<String>,
    why: WireParts,
}

#[derive(Debug, Serialize)]
struct WireParts {
    relevance: f64,
    salience: f64,
    trust: f64,
}

#[derive(Debug, Serialize)]
struct WireCount {
    domain: String,
    n: usize,
}

pub(super) fn recall(
    args: &args::Recall,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let reader = engine.reader(settings.moment(args.as_of.as_deref())?)?;
    let mut limits = engine.policy().recall;
    limits.budget_tokens = args.budget.unwrap_or(limits.budget_tokens);
    limits.items_max = args.limit.unwrap_or(limits.items_max);
    let context = settings.context()?;
    let recall = engine.recall(&*reader, &context, &args.query, limits, args.include_superseded)?;
    let wire = WireRecall {
        query: &args.query,
        tokens: recall.tokens,
        budget: recall.budget,
        items: recall.items.iter().enumerate().map(|(at, item)| recalled(at + 1, item)).collect(),
        counts: Vec::new(),
        text: &recall.text,
    };
    ui.answer(&wire, || {
        if recall.items.is_empty() {
            return paint(DIM, "nothing comes to mind");
        }
        let cost = format!("{} of {} tokens", recall.tokens, recall.budget);
        format!("{}{}", recall.text, paint(DIM, cost))
    })
}

fn recalled(rank: usize, item: &Recalled) -> WireRecalled {
    WireRecalled {
        rank,
        detail: "full",
        score: rounded(item.score),
        memory: (&item.card).into(),
        episode: None,
        history: item.history.clone(),
        why: WireParts {
            relevance: rounded(item.ranked.relevance),
            salience: rounded(item.ranked.salience),
            trust: rounded(item.ranked.trust),
        },
    }
}
