//! `search`, `list`, `show`: looking at memories.

use std::process::ExitCode;

use throughline_engine::{Error, Filter, Listing};
use throughline_view::{WireListing, WireMemory};

use crate::args;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view;

/// Rows shown to a person who did not say how many.
const SHOWN: usize = 50;

pub(super) fn search(
    args: &args::Search,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let reader = engine.reader(settings.moment(args.filter.as_of.as_deref())?)?;
    let filter = filter(&args.filter, ui);
    let query = args::joined(&args.query);
    let found = engine.looking(&settings.context()?).search(&*reader, &query, &filter)?;
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
    let found = engine.looking(&settings.context()?).list(&*reader, &filter)?;
    answer(ui, &found, filter.offset)
}

fn filter(args: &args::Filter, ui: &Ui) -> Filter {
    Filter {
        states: args.states.clone(),
        all: args.all,
        kinds: args.kinds.clone(),
        domain: args.domain.clone(),
        tag: args.tag.clone(),
        after: None,
        offset: args.offset,
        limit: args.limit.or((!ui.json).then_some(SHOWN)),
    }
}

fn answer(ui: &mut Ui, found: &Listing, offset: usize) -> anyhow::Result<ExitCode> {
    ui.answer(&WireListing::from(found), || view::table(&found.items, found.total, offset))
}

pub(super) fn show(
    args: &args::Show,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    engine.recalling(&settings.context()?).settle_recalls().ok();
    let reader = engine.reader(settings.moment(args.as_of.as_deref())?)?;
    let context = settings.context()?;
    let id = super::meant::id(&args.memory, &engine, &*reader, &context)?;
    let card = match engine.looking(&context).show(&*reader, &id) {
        // What is no memory may be a turn.
        Err(error @ Error::NotFound { .. }) => {
            let found = engine.looking(&context).turn(&*reader, &id)?;
            let (turn, memories) = found.ok_or(error)?;
            return super::turn::show(&turn, &memories, ui);
        }
        found => found?,
    };
    ui.answer(&WireMemory::from(&card), || view::page(&card))
}
