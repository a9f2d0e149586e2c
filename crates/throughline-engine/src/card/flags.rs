//! The flags of a memory: what follows from everything that is known about it.

use throughline_attention::lifecycle;
use throughline_core::salience;
use throughline_core::state::Flag;
use throughline_core::{Edge, Kind, Memory, NodeId, Policy};
use throughline_language::probe;

use super::Card;

/// Whether a claim of this sort needs a reason and does not tell one itself.
fn lacks_why(memory: &Memory) -> bool {
    match memory.kind {
        Kind::Decision => !probe::gives_reason(&memory.content),
        Kind::Negative => !probe::tells_why(&memory.content),
        Kind::Fact
        | Kind::Preference
        | Kind::Principle
        | Kind::Commitment
        | Kind::Procedure
        | Kind::Correction
        | Kind::Event
        | Kind::Lesson
        | Kind::Gap => false,
    }
}

pub(super) fn flags(
    card: &Card,
    edges: &[Edge],
    unconfirmed_days: f64,
    policy: &Policy,
) -> Vec<Flag> {
    let memory = &card.memory;
    let has_why = edges
        .iter()
        .filter(|edge| edge.relation.is_reason() && edge.from == NodeId::Memory(memory.id))
        // Where it was said is no reason.
        .any(|edge| edge.to.memory().is_some());
    let horizon = salience::half_life_days(memory.kind, memory.authority);
    let established = lifecycle::is_established(&card.usage, &policy.salience);
    let kept = established || lifecycle::is_protected(memory, &card.usage, &policy.lifecycle);
    let rules = [
        (Flag::Contested, !card.contested_by.is_empty()),
        (Flag::Questioned, card.later.as_ref().is_some_and(|later| later.questions)),
        (
            Flag::Stale,
            memory.unresolved.is_some()
                || card.watermarks.iter().any(|mark| mark.reading.wants_check()),
        ),
        // Anchors have a floor, and what proved itself stays: disuse alone does not hide them.
        (Flag::Dormant, card.salience.value < policy.salience.dormant_below && !kept),
        (Flag::Established, established),
        (Flag::Speculative, memory.confidence < policy.lifecycle.speculative_below),
        (Flag::ReconfirmDue, card.watermarks.is_empty() && unconfirmed_days > horizon),
        (Flag::Incomplete, !has_why && lacks_why(memory)),
        (Flag::Reopen, !card.reopened_by.is_empty()),
        (Flag::Pinned, memory.pinned),
    ];
    rules.into_iter().filter(|(_, holds)| *holds).map(|(flag, _)| flag).collect()
}
