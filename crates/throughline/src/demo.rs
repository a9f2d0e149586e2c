//! `demo`: a guided tour. Every command shown is really run, on a memory that is thrown away.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;
use throughline_core::Timestamp;
use throughline_engine::Filter;

use crate::args::Cli;
use crate::commands;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, paint};

/// One stop of the tour: a day, what is said about it, the command to run.
struct Stop {
    day: &'static str,
    says: &'static str,
    /// Words of the command; `{n}` is the id of the n-th memory that was made.
    runs: &'static [&'static str],
}

const TOUR: &[Stop] = &[
    Stop {
        day: "2026-03-02T09:00:00Z",
        says: "A fact comes in. It gets an id, a source and a trust that time will never change.",
        runs: &[
            "remember",
            "Staging runs Postgres 14",
            "--tag",
            "infra",
            "--slot",
            "staging|runs|Postgres 14|one",
        ],
    },
    Stop {
        day: "2026-03-02T09:05:00Z",
        says: "Said again, in other dress: no second memory, one more piece of evidence.",
        runs: &["remember", "staging runs postgres 14."],
    },
    Stop {
        day: "2026-03-09T15:30:00Z",
        says: "A decision carries its reason, and the reason is a memory too.",
        runs: &[
            "remember",
            "Sessions are kept in Postgres, not in Redis",
            "--kind",
            "decision",
            "--because",
            "Redis lost sessions twice when the node restarted",
        ],
    },
    Stop {
        day: "2026-05-11T10:00:00Z",
        says: "Weeks later the fact is wrong. The correction takes its place at once.",
        runs: &[
            "correct",
            "{1}",
            "Staging runs Postgres 16",
            "--slot",
            "staging|runs|Postgres 16|one",
        ],
    },
    Stop {
        day: "2026-05-11T10:01:00Z",
        says: "Searching finds what holds now. The old value is not asserted again…",
        runs: &["search", "which postgres does staging run"],
    },
    Stop {
        day: "2026-05-11T10:02:00Z",
        says: "…but it is not lost: the history of a memory is a line from its first word.",
        runs: &["history", "{1}"],
    },
    Stop {
        day: "2026-05-11T10:03:00Z",
        says: "What did we believe in April? Ask as of then.",
        runs: &["search", "postgres staging", "--as-of", "2026-04-01"],
    },
    Stop {
        day: "2026-05-12T08:00:00Z",
        says: "Why do we do that? Every memory can answer.",
        runs: &["why", "{2}"],
    },
    Stop {
        day: "2026-05-12T08:10:00Z",
        says: "This is what an agent would read, within a budget of tokens.",
        runs: &["recall", "can I upgrade the staging database?"],
    },
    Stop {
        day: "2026-05-12T08:20:00Z",
        says: "A mistake: the wrong memory is forgotten…",
        runs: &["forget", "{2}"],
    },
    Stop {
        day: "2026-05-12T08:21:00Z",
        says: "…and brought back. Any batch of changes can be undone.",
        runs: &["undo"],
    },
    Stop {
        day: "2026-05-12T08:30:00Z",
        says: "Everything above is one log. Replaying it gives exactly what is stored:",
        runs: &["doctor", "--rebuild-check"],
    },
];

pub(crate) fn demo(ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let home = tempfile::tempdir()?;
    let project = home.path().join("webshop");
    std::fs::create_dir(&project)?;
    ui.print(&format!(
        "{}\n{}\n\n",
        paint(BOLD, "Throughline in two minutes"),
        paint(
            DIM,
            "Every command below is run for real, on a memory that is thrown away at the end."
        )
    ))?;
    for stop in TOUR {
        visit(stop, &home.path().join("home"), &project, ui)?;
    }
    ui.print(&format!(
        "{}\n  throughline remember \"…\"     in any project\n  throughline --help           for the rest",
        paint(BOLD, "Your turn:")
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn visit(stop: &Stop, home: &Path, project: &Path, ui: &mut Ui) -> anyhow::Result<()> {
    let now: Timestamp = stop.day.parse().map_err(anyhow::Error::msg)?;
    let settings = Settings::elsewhere(home, project, now);
    let made = memories(&settings)?;
    let words: Vec<String> = stop.runs.iter().map(|word| fill(word, &made)).collect();
    let shown: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    ui.print(&format!(
        "{} {}\n{} {}",
        paint(DIM, &stop.day[..10]),
        stop.says,
        paint(GOOD, "$ throughline"),
        paint(ID, shown.join(" "))
    ))?;
    let cli = Cli::try_parse_from(std::iter::once("throughline".to_owned()).chain(words))?;
    commands::run(&cli.command, &settings, ui)?;
    ui.print("")
}

/// The memories made so far, oldest first, by their short ids.
fn memories(settings: &Settings) -> anyhow::Result<Vec<String>> {
    let engine = settings.engine()?;
    let reader = engine.now_reader()?;
    let all = Filter { all: true, ..Filter::default() };
    let mut cards = engine.list(&*reader, &settings.context()?, &all)?.items;
    cards.reverse();
    Ok(cards.iter().map(|card| card.memory.id.handle()).collect())
}

fn fill(word: &str, made: &[String]) -> String {
    (1..=made.len())
        .fold(word.to_owned(), |word, n| word.replace(&format!("{{{n}}}"), &made[n - 1]))
}

fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}
