//! `sleep`: what came in is gone over once more.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::text::plural;
use throughline_engine::{DeepSlept, Slept};
use throughline_view::WireSlept;

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, Ui, WARN, paint, safe};

/// Texts of each sort that get their vectors in one go: a few minutes at most.
const EMBEDDED_MAX: usize = 20_000;
/// Batches of a pass that are listed: in a large memory there are thousands.
const UNDOS_MAX: usize = 5;

pub(super) fn sleep(
    args: &args::Sleep,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    if !args.dry_run {
        // What hooks had no time for.
        engine.listening(&context).catch_up_all();
        // What was recalled since counts as use.
        engine.recalling(&context).settle_recalls().ok();
    }
    let waiting = engine.sleeping(&context).waiting_for_sleep()?;
    let slept = if args.dry_run {
        engine.sleeping(&context).sleep_dry()?
    } else {
        let bar = ui.progress_to("consolidating", waiting.turns + waiting.memories);
        let slept = engine.sleeping(&context).sleep(&mut |so_far| {
            bar.set_position((so_far.inputs.episodes + so_far.inputs.memories) as u64);
        })?;
        bar.finish_and_clear();
        slept
    };
    if !args.dry_run {
        let bar = ui.progress("embedding texts");
        let space = context.project.space();
        engine.vectors().embed_missing(space, EMBEDDED_MAX, &mut |n| bar.set_position(n as u64))?;
        bar.finish_and_clear();
    }
    let deep = if args.deep { Some(deep(args, settings, ui)?) } else { None };
    let due = engine.sleeping(&context).deep_due(false)?;
    let wire =
        WireSlept::new(&slept, deep.as_ref(), &due, settings.models.llm_name(), args.dry_run);
    ui.answer(&wire, || {
        let mut page = slept_page(&slept, args.dry_run);
        if let Some(deep) = &deep {
            page.push_str(&deep_page(deep));
        }
        writeln!(page, "{} {}", paint(DIM, "next:"), wire.next_due)
            .expect("writing to a String cannot fail");
        if let Some(name) = &wire.compared_by {
            let name = safe(name);
            let told = format!("{name} also compares new memories with similar ones");
            page.push_str(&format!("{}\n", paint(DIM, told)));
        }
        page
    })
}

/// Does the passes of the deep class, or says what they would do.
fn deep(args: &args::Sleep, settings: &Settings, ui: &Ui) -> anyhow::Result<DeepSlept> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let sleeping = engine.sleeping(&context);
    if args.dry_run {
        return Ok(sleeping.sleep_deep_dry()?);
    }
    let bar = ui.progress("organising");
    let slept = sleeping.sleep_deep(&mut |pass| bar.set_message(pass.name.clone()))?;
    bar.finish_and_clear();
    Ok(slept)
}

fn deep_page(deep: &DeepSlept) -> String {
    let mut page = String::new();
    let mut told = deep.passes.iter().filter(|pass| pass.changes > 0 || pass.failed).peekable();
    if told.peek().is_none() {
        page.push_str(&format!("{}\n", paint(DIM, "nothing to organise")));
    }
    for pass in told {
        let counted = format!("{:>9}", pass.changes);
        let why = pass.why.last().map(|why| safe(why)).unwrap_or_default();
        let style = if pass.failed { WARN } else { DIM };
        writeln!(page, "{} {} {}", paint(BOLD, counted), pass.name, paint(style, why))
            .expect("writing to a String cannot fail");
        for batch in pass.batches.iter().rev().take(UNDOS_MAX) {
            writeln!(page, "{}", paint(DIM, format!("`undo {batch}` reverts it")))
                .expect("writing to a String cannot fail");
        }
        let more = pass.batches.len().saturating_sub(UNDOS_MAX);
        if more > 0 {
            let told = format!("and {} before it, which `log` lists", plural(more, "batch"));
            writeln!(page, "{}", paint(DIM, told)).expect("writing to a String cannot fail");
        }
    }
    if deep.stuck {
        let told = "this is the same as the last time, although there are new memories";
        writeln!(page, "{}", paint(WARN, told)).expect("writing to a String cannot fail");
    }
    page
}

fn slept_page(slept: &Slept, dry_run: bool) -> String {
    let (inputs, done) = (slept.inputs, slept.done);
    let mut page = format!(
        "{} {}, {}, {} replaced, shown {}\n",
        paint(DIM, "since the last sleep:"),
        plural(inputs.episodes, "turn"),
        plural(inputs.memories, "memory"),
        inputs.replaced,
        plural(inputs.shown, "time")
    );
    let told = [
        (done.superseded, "replaced by a better supported memory"),
        (done.contested, "marked as contradicting"),
        (done.merged, "merged with one that says the same"),
        (done.lessons, "lessons learnt"),
        (done.bound, "tied to what they depend on"),
        (done.raised, "proved useful"),
        (slept.tended.confirmed, "confirmed: enough sources stand behind them by now"),
        (slept.tended.expired, "expired: guesses nobody confirmed, promises kept long ago"),
        (slept.tended.archived, "archived: old, unimportant and unused"),
        (slept.tended.cooled, "moved to the cold tier: found by their words only"),
        (slept.tended.warmed, "back from the cold tier"),
        (slept.tended.proposed, "proposed for a file: `review` shows them"),
    ];
    for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(page, "{} {what}", paint(BOLD, format!("{count:>9}")))
            .expect("writing to a String cannot fail");
    }
    if slept.boxes.memories > 0 {
        let (put, boxes) = (plural(slept.boxes.memories, "memory"), paint(DIM, "(`boxes`)"));
        writeln!(page, "{} put into boxes by topic {boxes}", paint(BOLD, put))
            .expect("writing to a String cannot fail");
    }
    for line in &slept.skipped {
        writeln!(page, "{}", paint(DIM, line)).expect("writing to a String cannot fail");
    }
    // The last one first: what came later may rest on what came before.
    for batch in slept.batches.iter().rev() {
        writeln!(page, "{}", paint(DIM, format!("`undo {batch}` reverts it")))
            .expect("writing to a String cannot fail");
    }
    if dry_run {
        writeln!(page, "{}", paint(WARN, "nothing was written"))
            .expect("writing to a String cannot fail");
    }
    page
}
