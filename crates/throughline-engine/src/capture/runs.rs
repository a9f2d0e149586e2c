//! Runs: what tools did in a session, as far as its mind still has it, and which turns it lets go first.

use std::collections::VecDeque;

use throughline_core::Speaker;
use throughline_core::event::ToolRun;
use throughline_language::probe;

use super::mind::{HeardTurn, Mind};

/// Failures that are waited for to work again, the latest ones.
const OPEN_MAX: usize = 4;

impl Mind {
    /// What tools did lately, in its order.
    pub(crate) fn runs(&self) -> Vec<&ToolRun> {
        self.lately.heard.iter().filter_map(|one| one.turn.run.as_ref()).collect()
    }
}

/// The turn that is let go first: what was probed, then what tools did, for what was said waits for the probe. A
/// command that failed and has not worked since is held longer, so that what makes it work is known as its remedy.
pub(super) fn let_go(heard: &VecDeque<HeardTurn>) -> usize {
    let open = open_failures(heard);
    let first = |may_go: &dyn Fn(&HeardTurn) -> bool| {
        heard.iter().enumerate().position(|(at, one)| !open.contains(&at) && may_go(one))
    };
    first(&|one| one.probed)
        .or_else(|| first(&|one| one.turn.speaker == Speaker::Tool))
        .unwrap_or(0)
}

/// Where commands failed that have not worked since, as far as the probe has looked.
fn open_failures(heard: &VecDeque<HeardTurn>) -> Vec<usize> {
    let mut done: Vec<String> = Vec::new();
    let mut open = Vec::new();
    for (at, one) in heard.iter().enumerate().rev() {
        let Some((sort, works)) = one.turn.run.as_ref().and_then(probe::outcome) else { continue };
        let waits = works && !one.probed;
        if !waits && !done.contains(&sort) {
            if !works && open.len() < OPEN_MAX {
                open.push(at);
            }
            done.push(sort);
        }
    }
    open
}
