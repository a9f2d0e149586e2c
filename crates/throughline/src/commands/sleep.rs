//! `sleep`: what came in is gone over once more.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::text::plural;
use throughline_engine::Slept;
use throughline_view::WireSlept;

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, Ui, WARN, paint, safe};

pub(super) fn sleep(
    args: &args::Sleep,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let waiting = engine.sleeping(&context).waiting_for_sleep()?;
    let slept = if args.dry_run {
        engine.sleeping(&context).sleep_dry()?
    } else {
        let bar = ui.progress_to("consolidating turns", waiting);
        let slept = engine.sleeping(&context).sleep(&mut |so_far| {
            bar.set_position(so_far.inputs.episodes as u64);
        })?;
        bar.finish_and_clear();
        slept
    };
    let wire = WireSlept::new(&slept, settings.models.llm_name(), args.dry_run);
    ui.answer(&wire, || {
        let mut page = slept_page(&slept, args.dry_run);
        if let Some(name) = &wire.compared_by {
            let name = safe(name);
            let told = format!("{name} also compares new memories with similar ones");
            page.push_str(&format!("{}\n", paint(DIM, told)));
        }
        page
    })
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
    ];
    for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(page, "{} {what}", paint(BOLD, format!("{count:>9}")))
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
