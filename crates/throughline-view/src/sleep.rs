//! What sleep did.

use serde::Serialize;
use throughline_engine::{Inputs, Slept};
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
    pub skipped: Vec<String>,
    /// A model compares what came in, beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_by: Option<String>,
    /// Turns that still wait.
    pub left: u64,
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
}

/// When there is something to do again.
fn next_due(slept: &Slept, dry_run: bool) -> String {
    if slept.left > 0 {
        format!("now: {} turns wait", slept.left)
    } else if dry_run && slept.inputs != Inputs::default() {
        "now: nothing was written yet".to_owned()
    } else {
        "when something new has come in".to_owned()
    }
}

impl WireSlept {
    /// What a sleep came to. `model` is who compares what came in, beside.
    pub fn new(slept: &Slept, model: Option<String>, dry_run: bool) -> Self {
        let (inputs, done) = (slept.inputs, slept.done);
        Self {
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
            skipped: slept.skipped.clone(),
            compared_by: model.filter(|_| !dry_run),
            left: slept.left,
            next_due: next_due(slept, dry_run),
            dry_run,
        }
    }
}
