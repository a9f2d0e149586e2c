//! `entity`, `about`, `similar`, `topics`: what memories speak of, and how they lie together.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::text::plural;
use throughline_engine::{AboutPage, Merged, SimilarMemory, Thing, Topic};

use crate::args::{self, EntityAction, joined};
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, paint, safe};
use crate::view;
use throughline_view::{
    WireAbout, WireMerged, WireSimilar, WireThingShown, WireThings, WireTopic, WireTopics,
};

pub(super) fn entity(
    args: &args::Entity,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    match &args.action {
        EntityAction::List { kinds, limit } => {
            let found = engine.looking(&context).things(kinds)?;
            list(&found, *limit, ui)
        }
        EntityAction::Show { name } => show(name, settings, ui),
        EntityAction::Merge { keep, other } => {
            let merged = engine.keeping(&context).merge_things(keep, other)?;
            answer_merged(&merged, "Merged.", ui)
        }
        EntityAction::Alias { name, alias } => {
            let merged = engine.keeping(&context).alias_thing(name, alias)?;
            answer_merged(&merged, "Named.", ui)
        }
    }
}

fn list(found: &[Thing], limit: usize, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let wire = WireThings::new(found, limit);
    ui.answer(&wire, || {
        if wire.items.is_empty() {
            return paint(DIM, "memories mention no person, project, tool or file yet");
        }
        let mut page = String::new();
        for one in &wire.items {
            let also = if one.aliases.is_empty() {
                String::new()
            } else {
                format!(
                    " ({})",
                    one.aliases.iter().map(|name| safe(name)).collect::<Vec<_>>().join(", ")
                )
            };
            let name = paint(BOLD, safe(&one.name));
            let counted = plural(one.memories, "memory");
            writeln!(page, "{:>12}  {name}{also}  {}", counted, paint(DIM, one.kind))
                .expect("writing to a String cannot fail");
        }
        if wire.total > wire.items.len() {
            let more = wire.total - wire.items.len();
            writeln!(page, "{}", paint(DIM, format!("… and {more} more (--limit N)")))
                .expect("writing to a String cannot fail");
        }
        page
    })
}

fn show(name: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let shown = settings.engine()?.looking(&context).thing(name)?;
    let wire = WireThingShown::from(&shown);
    ui.answer(&wire, || {
        let mut page = format!("{} {}\n", paint(BOLD, safe(&wire.name)), paint(DIM, wire.kind));
        if !wire.aliases.is_empty() {
            let names: Vec<String> = wire.aliases.iter().map(|name| safe(name)).collect();
            writeln!(page, "also called {}", names.join(", ")).expect("a String takes text");
        }
        for card in &shown.cards {
            writeln!(page, "{}", view::brief(card)).expect("a String takes text");
        }
        let near: Vec<String> = wire
            .beside
            .iter()
            .map(|one| format!("{} ({})", safe(&one.name), one.memories))
            .collect();
        if !near.is_empty() {
            writeln!(page, "{} {}", paint(DIM, "mentioned together with"), near.join(", "))
                .expect("a String takes text");
        }
        page
    })
}

fn answer_merged(merged: &Merged, done: &str, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let wire = WireMerged::from(merged);
    ui.answer(&wire, || {
        let names: Vec<String> = wire.entity.aliases.iter().map(|name| safe(name)).collect();
        let undo = format!("`undo {}` reverts it", wire.batch);
        format!(
            "{} {} is also called {}.\n{}",
            paint(GOOD, done),
            paint(BOLD, safe(&wire.entity.name)),
            names.join(", "),
            paint(DIM, undo)
        )
    })
}

pub(super) fn about(
    args: &args::About,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let page: AboutPage = settings.engine()?.looking(&context).about(&joined(&args.name))?;
    let wire = WireAbout::from(&page);
    ui.answer(&wire, || {
        let line = |line: &str| {
            let heading = line.starts_with('#');
            let line = safe(line.trim_start_matches('#').trim_start());
            if heading { paint(BOLD, line) } else { line }
        };
        page.text.lines().map(line).collect::<Vec<_>>().join("\n")
    })
}

pub(super) fn similar(
    args: &args::Similar,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let found: Vec<SimilarMemory> =
        settings.engine()?.looking(&context).similar(&args.id, args.limit)?;
    let wire = WireSimilar::new(&found);
    ui.answer(&wire, || {
        if found.is_empty() {
            return paint(DIM, "no memory is similar to it");
        }
        let line = |one: &SimilarMemory| {
            let memory = &one.card.memory;
            let id = paint(ID, memory.id.handle());
            format!("{:.2}  {id} {}", one.score, safe(&memory.title()))
        };
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

pub(super) fn topics(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let found: Vec<Topic> = settings.engine()?.looking(&context).topics()?;
    let wire = WireTopics::new(&found);
    ui.answer(&wire, || {
        if wire.items.is_empty() {
            return paint(DIM, "no topics yet; `sleep --deep` finds them");
        }
        let line = |one: &WireTopic| {
            let counted = plural(one.memories.len(), "memory");
            format!("{counted:>12}  {} {}", paint(BOLD, safe(&one.name)), paint(DIM, one.kind))
        };
        wire.items.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}
