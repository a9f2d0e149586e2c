//! The tables of what was said and what was not.

use super::corpus::{Prompt, Source};
use super::needs::{Need, Needs};
use super::{Line, Mention, Page, Said, THRESHOLDS, head};
use crate::metrics::{average, float, ratio, share};

/// The worst that are listed.
const WORST: usize = 15;

pub(super) fn print(prompts: &[Prompt], said: &[Said], mentions: &[Mention], needs: &[Needs]) {
    println!("{} prompts that need no memory, put {} times", prompts.len(), said.len());
    silence(said);
    mentioned(mentions);
    thresholds(said, needs);
    for (name, page) in MODES {
        worst(name, said, page);
    }
}

type Mode = (&'static str, fn(&Said) -> &Page);
const MODES: [Mode; 2] =
    [("memories", |one| &one.memories), ("memories and episodes", |one| &one.episodes)];

/// How often nothing is said, by where prompts come from.
fn silence(said: &[Said]) {
    println!();
    println!(
        "{:10} {:>6} {:>6} | {:>9} {:>6} {:>7} | {:>9} {:>6} {:>7}",
        "prompts", "n", "small", "memories", "hints", "tokens", "episodes", "hints", "tokens"
    );
    let line = |name: &str, chosen: &dyn Fn(&Said) -> bool| {
        let some: Vec<&Said> = said.iter().filter(|one| chosen(one)).collect();
        if some.is_empty() {
            return;
        }
        print!(
            "{name:10} {:>6} {:>6.2}",
            some.len(),
            share(some.iter().map(|one| one.prompt.small_talk))
        );
        for (_, page) in MODES {
            let silent = share(some.iter().map(|one| page(one).tokens == 0));
            let hints =
                some.iter().filter(|one| page(one).tokens > 0 && page(one).lines.is_empty());
            let tokens: Vec<f64> = some
                .iter()
                .filter(|one| page(one).tokens > 0)
                .map(|one| float(page(one).tokens))
                .collect();
            print!(
                " | {silent:>9.3} {:>6.3} {:>7.0}",
                ratio(hints.count(), some.len()),
                average(&tokens)
            );
        }
        println!();
    };
    for source in Source::ALL {
        line(source.name(), &|one| one.prompt.source == source);
    }
    line("all", &|_| true);
    line("small talk", &|one| one.prompt.small_talk);
    line("other", &|one| !one.prompt.small_talk);
    println!(
        "share with nothing put in front; share with a hint only; tokens where there is something"
    );
}

fn mentioned(mentions: &[Mention]) {
    println!();
    for by in ["tag", "label", "identifier"] {
        let some: Vec<&Mention> = mentions.iter().filter(|one| one.by == by).collect();
        let answered = share(some.iter().map(|one| one.answered));
        println!("named by {by:12} n={:<4} answered {answered:.3}", some.len());
        for one in some.iter().filter(|one| !one.answered).take(3) {
            println!("  unanswered: {} ({})", one.prompt, one.fate);
        }
    }
}

/// Both sides of the gate, for every threshold.
fn thresholds(said: &[Said], needs: &[Needs]) {
    println!();
    let present = |source: &Source| said.iter().any(|one| one.prompt.source == *source);
    let sources: Vec<Source> = Source::ALL.into_iter().filter(present).collect();
    let names: String = sources.iter().map(|one| format!(" {:>7}", one.name())).collect();
    println!("threshold | silent, memories:{names} | episodes:{names}");
    for (at, threshold) in THRESHOLDS.iter().enumerate() {
        let silent = |page: fn(&Said) -> &Page| -> String {
            let of = |source: &Source| {
                let some = said.iter().filter(|one| one.prompt.source == *source);
                format!(" {:>7.3}", share(some.map(|one| !page(one).said_at[at])))
            };
            sources.iter().map(of).collect()
        };
        let [memories, episodes] = MODES.map(|(_, page)| silent(page));
        println!("{threshold:>9.2} | {:17}{memories} | {:9}{episodes}", "", "");
    }
    for needs in needs {
        println!();
        println!(
            "{}: {} questions of episodes, {} of {} memories each",
            needs.name,
            needs.episodes.len(),
            needs.memories.len(),
            super::STATEMENTS
        );
        println!("threshold | episodes: said  gold  tokens | memories: said  gold  tokens");
        for (at, threshold) in THRESHOLDS.iter().enumerate() {
            print!("{threshold:>9.2}");
            for some in [&needs.episodes, &needs.memories] {
                let [said, gold, tokens] = told(some, at);
                print!(" | {:8} {said:>5.3} {gold:>5.3} {tokens:>7.0}", "");
            }
            println!();
        }
    }
}

fn told(needs: &[Need], at: usize) -> [f64; 3] {
    let tokens: Vec<f64> = needs.iter().map(|one| float(one.at[at].tokens)).collect();
    [
        share(needs.iter().map(|one| one.at[at].said)),
        share(needs.iter().map(|one| one.at[at].gold)),
        average(&tokens),
    ]
}

/// What should least have been said: the most relevant things that were, each prompt once.
fn worst(name: &str, said: &[Said], page: fn(&Said) -> &Page) {
    let mut all: Vec<(&Said, &Line)> = said
        .iter()
        .filter_map(|one| Some((one, page(one).lines.iter().max_by(|a, b| by_worth(a, b))?)))
        .collect();
    // Requests of sessions beside may be answered rightly, so they come last.
    let rank = |one: &Said| one.prompt.source == Source::Nearby;
    all.sort_by(|a, b| {
        rank(a.0)
            .cmp(&rank(b.0))
            .then(by_worth(b.1, a.1))
            .then(a.0.prompt.text.cmp(&b.0.prompt.text))
    });
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|(one, _)| seen.insert(&one.prompt.text));
    println!();
    println!("worst, {name}:");
    for (one, line) in all.into_iter().take(WORST) {
        let parts = &line.parts;
        println!("- [{}] {}", one.prompt.source.name(), head(&one.prompt.text));
        println!(
            "    {} {:.2}{}  words {:.1} vector {:.1} session {:.1} voice {:.1} answer {:.1} time {:.1} named {:.1}",
            if line.is_memory { "memory" } else { "quote" },
            line.relevance,
            if line.named { " named" } else { "" },
            parts.words,
            parts.vector,
            parts.session,
            parts.voice,
            parts.answer,
            parts.time,
            parts.named,
        );
        println!("    {}", line.head);
    }
}

fn by_worth(a: &Line, b: &Line) -> std::cmp::Ordering {
    a.relevance.total_cmp(&b.relevance)
}
