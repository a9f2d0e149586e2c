//! What sleep did.

use serde::Serialize;
use throughline_engine::{DeepDue, DeepSlept, Inputs, PassReport, Slept};
use utoipa::ToSchema;

/// What sleep went over, and what came of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireSlept {
    /// The batch of the last slice that changed something.
    pub batch: Option<String>,
    /// Those of all slices, in order.
    pub batches: Vec<String>,
    pub inputs: WireInputs,
    pub changes: WireDone,
    /// Memories whose place was looked at.
    pub looked: usize,
    pub boxes: WireBoxing,
    pub skipped: Vec<String>,
    /// A model compares what came in, beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_by: Option<String>,
    /// Turns that still wait.
    pub left: u64,
    /// Memories that still wait.
    pub left_memories: u64,
    /// `cheap`, or `deep` where everything was organised too.
    pub class: &'static str,
    /// What each pass of the deep class did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<Vec<WirePass>>,
    /// Up to which change of the log the deep class looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_to: Option<u64>,
    /// Whether the deep class is due, and when it is.
    pub deep: WireDue,
    pub next_due: String,
    pub dry_run: bool,
}

/// What it went over.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireInputs {
    pub episodes: usize,
    pub memories: usize,
    pub replaced: usize,
    pub shown: usize,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireDone {
    pub superseded: usize,
    pub contested: usize,
    pub merged: usize,
    pub lessons: usize,
    pub bound: usize,
    pub raised: usize,
    pub confirmed: usize,
    pub expired: usize,
    pub archived: usize,
    pub cooled: usize,
    pub warmed: usize,
    pub proposed: usize,
}

/// What was put into boxes.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBoxing {
    pub memories: usize,
    pub sealed: usize,
    pub batches: Vec<String>,
}

/// What a pass of the deep class did.
#[derive(Debug, Serialize, ToSchema)]
pub struct WirePass {
    pub name: String,
    /// The last batch of it.
    pub batch: Option<String>,
    pub batches: Vec<String>,
    pub inputs: usize,
    pub changes: usize,
    pub why: Vec<String>,
    pub failed: bool,
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

/// Whether deep sleep is due, and when.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireDue {
    pub due: bool,
    pub when: String,
}

/// When there is something to do again.
fn next_due(slept: &Slept, deep: Option<&DeepSlept>, due: &DeepDue, dry_run: bool) -> String {
    if slept.left.anything() {
        format!("now: {} wait", slept.left)
    } else if dry_run && (deep.is_some() || slept.inputs != Inputs::default()) {
        "now: nothing was written yet".to_owned()
    } else if due.why.is_some() {
        format!("deep sleep {}", due.when)
    } else {
        format!("when something new has come in; deep sleep {}", due.when)
    }
}

impl WireSlept {
    /// What a sleep came to, with the deep class where it was asked for. `due` says when that is due, `model` who
    /// compares what came in, beside.
    pub fn new(
        slept: &Slept,
        deep: Option<&DeepSlept>,
        due: &DeepDue,
        model: Option<String>,
        dry_run: bool,
    ) -> Self {
        let passes = deep.into_iter().flat_map(|deep| &deep.passes);
        let of_passes = passes.flat_map(|pass| &pass.batches);
        let batches: Vec<String> =
            slept.batches.iter().chain(of_passes).map(ToString::to_string).collect();
        Self {
            batch: batches.last().cloned(),
            batches,
            inputs: WireInputs {
                episodes: slept.inputs.episodes,
                memories: slept.inputs.memories,
                replaced: slept.inputs.replaced,
                shown: slept.inputs.shown,
            },
            changes: WireDone::from(slept),
            looked: slept.tended.looked,
            boxes: WireBoxing {
                memories: slept.boxes.memories,
                sealed: slept.boxes.sealed,
                batches: slept.boxes.batches.iter().map(ToString::to_string).collect(),
            },
            skipped: slept.skipped.clone(),
            compared_by: model.filter(|_| !dry_run),
            left: slept.left.turns,
            left_memories: slept.left.memories,
            class: if deep.is_some() { "deep" } else { "cheap" },
            passes: deep.map(|deep| deep.passes.iter().map(WirePass::from).collect()),
            seen_to: deep.map(|deep| deep.seen_to),
            next_due: next_due(slept, deep, due, dry_run),
            deep: WireDue { due: due.why.is_some(), when: due.when.clone() },
            dry_run,
        }
    }
}

impl From<&Slept> for WireDone {
    fn from(slept: &Slept) -> Self {
        let (done, tended) = (slept.done, &slept.tended);
        Self {
            superseded: done.superseded,
            contested: done.contested,
            merged: done.merged,
            lessons: done.lessons,
            bound: done.bound,
            raised: done.raised,
            confirmed: tended.confirmed,
            expired: tended.expired,
            archived: tended.archived,
            cooled: tended.cooled,
            warmed: tended.warmed,
            proposed: tended.proposed,
        }
    }
}
