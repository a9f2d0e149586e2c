//! `today`, and `list --today|--week|--month`: what came in lately.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::text;
use throughline_engine::{Card, DayNearness, Engine, Filter, Reader, Today};

use super::truth;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, Ui, paint, safe};
use crate::view;
use throughline_view::{WireLately, WireToday};

pub(super) fn today(
    args: &args::Today,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    engine.recalling(&context).settle_recalls().ok();
    let today = engine.looking(&context).today(args.days)?;
    ui.answer(&WireToday::from(&today), || page(&today, args.days))
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

/// Answers with the memories of the last days.
pub(super) fn lately(
    days: u32,
    filter: &Filter,
    (engine, reader): (&Engine, &dyn Reader),
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let found = engine.looking(&settings.context()?).lately(reader, days, filter)?;
    ui.answer(&WireLately::new(&found), || {
        if found.is_empty() {
            return paint(DIM, "nothing came in");
        }
        let mut page = String::new();
        let parts = [
            (DayNearness::Full, "Today"),
            (DayNearness::Line, "This week"),
            (DayNearness::Landmark, "Before, what stands out"),
        ];
        for (nearness, title) in parts {
            let here: Vec<&Card> =
                found.iter().filter(|(_, one)| *one == nearness).map(|(card, _)| card).collect();
            let words = |card: &&Card| match nearness {
                DayNearness::Full => view::brief(card),
                DayNearness::Line | DayNearness::Landmark => view::line(card),
            };
            section(&mut page, title, here.iter().map(words));
        }
        page.trim_start_matches('\n').to_owned()
    })
}
