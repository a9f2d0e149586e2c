//! `sleep`: what came in is gone over once more.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::text::plural;
use throughline_engine::Slept;

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, Ui, WARN, paint, safe};

#[derive(Debug, Serialize)]
struct WireSlept {
    /// The batch of the last slice that changed something.
    batch: Option<String>,
    /// Those of all slices, in order.
    batches: Vec<String>,
    inputs: WireInputs,
    changes: WireDone,
    boxes: WireBoxing,
    skipped: Vec<String>,
    /// A model compares what came in, beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_by: Option<String>,
    /// Turns that still wait.
    left: u64,
    next_due: String,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct WireInputs {
    episodes: usize,
    memories: usize,
    replaced: usize,
    shown: usize,
}

#[derive(Debug, Serialize)]
struct WireDone {
    superseded: usize,
    contested: usize,
    merged: usize,
    lessons: usize,
    bound: usize,
    raised: usize,
}

#[derive(Debug, Serialize)]
struct WireBoxing {
    memories: usize,
    sealed: usize,
    batches: Vec<String>,
}

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
    let (inputs, done) = (slept.inputs, slept.done);
    let wire = WireSlept {
        batch: slept.batches.last().map(ToString::to_string),
        batches: slept.batches.iter().map(ToString::to_string).collect(),
        inputs: WireInputs {
            episodes: inputs.episodes,
            memories: inputs.memories,
            replaced: inputs.replaced,
            shown: inputs.shown,
        },
        changes: WireDone {
            superseded: done.superseded,
            contested: done.contested,
            merged: done.merged,
            lessons: done.lessons,
            bound: done.bound,
            raised: done.raised,
        },
        boxes: WireBoxing {
            memories: slept.boxes.memories,
            sealed: slept.boxes.sealed,
            batches: slept.boxes.batches.iter().map(ToString::to_string).collect(),
        },
        skipped: slept.skipped.clone(),
        compared_by: settings.models.llm_name().filter(|_| !args.dry_run),
        left: slept.left,
        next_due: next_due(&slept, args.dry_run),
        dry_run: args.dry_run,
    };
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

/// When there is something to do again.
fn next_due(slept: &Slept, dry_run: bool) -> String {
    if slept.left > 0 {
        format!("now: {} turns wait", slept.left)
    } else if dry_run && slept.inputs != throughline_engine::Inputs::default() {
        "now: nothing was written yet".to_owned()
    } else {
        "when something new has come in".to_owned()
    }
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
