//! `sleep`: what came in is gone over once more.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::text::plural;
use throughline_engine::{DeepDue, DeepSlept, PassReport, Slept};

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
    /// Memories whose place was looked at.
    looked: usize,
    boxes: WireBoxing,
    skipped: Vec<String>,
    /// A model compares what came in, beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_by: Option<String>,
    /// Turns that still wait.
    left: u64,
    /// `cheap`, or `deep` where everything was organised too.
    class: &'static str,
    /// What each pass of the deep class did.
    #[serde(skip_serializing_if = "Option::is_none")]
    passes: Option<Vec<WirePass>>,
    /// Up to which change of the log the deep class looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_to: Option<u64>,
    /// Whether the deep class is due, and when it is.
    deep: WireDue,
    next_due: String,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct WirePass {
    name: String,
    /// The last batch of it.
    batch: Option<String>,
    batches: Vec<String>,
    inputs: usize,
    changes: usize,
    why: Vec<String>,
    failed: bool,
}

impl From<&PassReport> for WirePass {
    fn from(pass: &PassReport) -> Self {
        Self {
            name: pass.name.clone(),
            batch: pass.batches.last().map(ToString::to_string),
            batches: pass.batches.iter().map(ToString::to_string).collect(),
            inputs: pass.inputs,
            changes: pass.changes,
            why: pass.why.clone(),
            failed: pass.failed,
        }
    }
}

#[derive(Debug, Serialize)]
struct WireDue {
    due: bool,
    when: String,
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
    expired: usize,
    archived: usize,
    cooled: usize,
    warmed: usize,
    proposed: usize,
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
    if !args.dry_run {
        // What was recalled since counts as use.
        engine.recalling(&context).settle_recalls().ok();
    }
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
    let deep = if args.deep { Some(deep(args, settings, ui)?) } else { None };
    let due = engine.sleeping(&context).deep_due(false)?;
    let (inputs, done) = (slept.inputs, slept.done);
    let passes = deep.iter().flat_map(|deep| &deep.passes);
    let batches: Vec<String> = slept
        .batches
        .iter()
        .chain(passes.flat_map(|pass| &pass.batches))
        .map(ToString::to_string)
        .collect();
    let wire = WireSlept {
        batch: batches.last().cloned(),
        batches,
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
            expired: slept.tended.expired,
            archived: slept.tended.archived,
            cooled: slept.tended.cooled,
            warmed: slept.tended.warmed,
            proposed: slept.tended.proposed,
        },
        looked: slept.tended.looked,
        boxes: WireBoxing {
            memories: slept.boxes.memories,
            sealed: slept.boxes.sealed,
            batches: slept.boxes.batches.iter().map(ToString::to_string).collect(),
        },
        skipped: slept.skipped.clone(),
        compared_by: settings.models.llm_name().filter(|_| !args.dry_run),
        left: slept.left,
        class: if args.deep { "deep" } else { "cheap" },
        passes: deep.as_ref().map(|deep| deep.passes.iter().map(WirePass::from).collect()),
        seen_to: deep.as_ref().map(|deep| deep.seen_to),
        next_due: next_due(&slept, &due, args),
        deep: WireDue { due: due.why.is_some(), when: due.when.clone() },
        dry_run: args.dry_run,
    };
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

/// When there is something to do again.
fn next_due(slept: &Slept, deep: &DeepDue, args: &args::Sleep) -> String {
    if slept.left > 0 {
        format!("now: {} turns wait", slept.left)
    } else if args.dry_run && (args.deep || slept.inputs != throughline_engine::Inputs::default()) {
        "now: nothing was written yet".to_owned()
    } else if deep.why.is_some() {
        format!("deep sleep {}", deep.when)
    } else {
        format!("when something new has come in; deep sleep {}", deep.when)
    }
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
    for pass in &deep.passes {
        let counted = format!("{:>9}", pass.changes);
        let why = pass.why.last().map(|why| safe(why)).unwrap_or_default();
        let style = if pass.failed { WARN } else { DIM };
        writeln!(page, "{} {} {}", paint(BOLD, counted), pass.name, paint(style, why))
            .expect("writing to a String cannot fail");
        for batch in pass.batches.iter().rev() {
            writeln!(page, "{}", paint(DIM, format!("`undo {batch}` reverts it")))
                .expect("writing to a String cannot fail");
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
