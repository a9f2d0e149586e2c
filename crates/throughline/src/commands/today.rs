//! `today`, and `list --today|--week|--month`: what came in lately.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::text;
use throughline_engine::{Card, Engine, Filter, Nearness, Reader, Today};

use super::truth;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, Ui, paint, safe};
use crate::view;
use throughline_view::{WireMemory, WireToCheck};

#[derive(Debug, Serialize)]
struct WireToday {
    since: String,
    learned: Vec<WireMemory>,
    replaced: Vec<WireMemory>,
    questioned: Vec<WireMemory>,
    /// What was archived, retracted or has expired.
    away: Vec<WireMemory>,
    verify: Vec<WireToCheck>,
    told: usize,
    gaps: Vec<WireMemory>,
}

pub(super) fn today(
    args: &args::Today,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    engine.recalling(&context).settle_recalls().ok();
    let today = engine.looking(&context).today(args.days)?;
    let wire = |cards: &[Card]| cards.iter().map(WireMemory::from).collect();
    let answer = WireToday {
        since: today.since.to_string(),
        learned: wire(&today.learned),
        replaced: wire(&today.replaced),
        questioned: wire(&today.questioned),
        away: wire(&today.away),
        verify: today.verify.iter().map(WireToCheck::from).collect(),
        told: today.told,
        gaps: wire(&today.gaps),
    };
    ui.answer(&answer, || page(&today, args.days))
}

fn page(today: &Today, days: u32) -> String {
    let when = if days == 1 { "today".to_owned() } else { format!("since {}", today.since.date()) };
    let told = format!("{when}: agents were told something {}", text::plural(today.told, "time"));
    let mut page = format!("{}\n", paint(DIM, told));
    section(&mut page, "Learned", today.learned.iter().map(view::brief));
    section(&mut page, "Replaced", today.replaced.iter().map(replaced));
    section(&mut page, "Questioned", today.questioned.iter().map(questioned));
    section(&mut page, "No longer in view", today.away.iter().map(view::brief));
    section(&mut page, "To check", today.verify.iter().map(truth::in_lines));
    section(&mut page, "Asked about, not known", today.gaps.iter().map(view::brief));
    page
}

fn section(page: &mut String, title: &str, entries: impl ExactSizeIterator<Item = String>) {
    if entries.len() == 0 {
        return;
    }
    writeln!(page, "\n{} ({})", paint(BOLD, title), entries.len())
        .expect("writing to a String cannot fail");
    for entry in entries {
        writeln!(page, "{entry}").expect("writing to a String cannot fail");
    }
}

fn replaced(card: &Card) -> String {
    let by = card.memory.superseded_by.map(|id| format!("by {}", id.handle())).unwrap_or_default();
    format!("{}  {}", view::line(card), paint(DIM, by))
}

fn questioned(card: &Card) -> String {
    let later = card.later.as_ref().map(|later| text::headline(&safe(&later.words), 100));
    let later = later.map(|words| format!("\n          later said: “{words}”"));
    format!("{}{}", view::line(card), paint(DIM, later.unwrap_or_default()))
}

#[derive(Debug, Serialize)]
struct WireLately {
    items: Vec<WireNear>,
    total: usize,
}

/// A memory, with how much of it is shown to a person.
#[derive(Debug, Serialize)]
struct WireNear {
    #[serde(flatten)]
    memory: WireMemory,
    detail: &'static str,
}

/// Answers with the memories of the last days.
pub(super) fn lately(
    days: u32,
    filter: &Filter,
    (engine, reader): (&Engine, &dyn Reader),
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let found = engine.looking(&settings.context()?).lately(reader, days, filter)?;
    let near = |(card, nearness): &(Card, Nearness)| WireNear {
        memory: card.into(),
        detail: match nearness {
            Nearness::Full => "full",
            Nearness::Line => "line",
            Nearness::Landmark => "landmark",
        },
    };
    let wire = WireLately { items: found.iter().map(near).collect(), total: found.len() };
    ui.answer(&wire, || {
        if found.is_empty() {
            return paint(DIM, "nothing came in");
        }
        let mut page = String::new();
        let parts = [
            (Nearness::Full, "Today"),
            (Nearness::Line, "This week"),
            (Nearness::Landmark, "Before, what stands out"),
        ];
        for (nearness, title) in parts {
            let here: Vec<&Card> =
                found.iter().filter(|(_, one)| *one == nearness).map(|(card, _)| card).collect();
            let words = |card: &&Card| match nearness {
                Nearness::Full => view::brief(card),
                Nearness::Line | Nearness::Landmark => view::line(card),
            };
            section(&mut page, title, here.iter().map(words));
        }
        page.trim_start_matches('\n').to_owned()
    })
}
