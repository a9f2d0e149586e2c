//! The last word: people correct themselves while they speak.

use std::collections::BTreeMap;

use throughline_core::patch::Operation;
use throughline_core::{Cardinality, Slot};

/// Of several claims about one thing that has one value, the last: people correct themselves.
pub(super) fn of(operations: &[Operation]) -> Vec<&Operation> {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for (at, operation) in operations.iter().enumerate() {
        if let Some(slot) = slot_of(operation) {
            last.insert(slot.key(), at);
        }
    }
    let kept = |(at, one): &(usize, &Operation)| {
        slot_of(one)
            .is_none_or(|slot| slot.cardinality == Cardinality::Many || last[&slot.key()] == *at)
    };
    operations.iter().enumerate().filter(kept).map(|(_, one)| one).collect()
}

/// The slot that an operation fills.
fn slot_of(operation: &Operation) -> Option<&Slot> {
    match operation {
        Operation::Remember(new) => new.slot.as_ref(),
        Operation::Correct(put_right) => put_right.slot.as_ref(),
        Operation::Retract(_)
        | Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => None,
    }
}
