//! Pending: what could not be applied is kept for a person, never dropped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::row::{Tombstone, slot_fingerprint};
use crate::{
    Authority, Cardinality, Change, Fingerprint, MemoryId, PendingId, SessionId, Slot, SpaceId,
    Timestamp, text,
};

/// An operation that waits for a person's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Its name.
    pub id: PendingId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// When it came.
    pub at: Timestamp,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The operation as it was written, redacted. Empty once it was erased.
    pub operation: String,
    /// Why it was not applied.
    pub why: String,
    /// Who would have said so.
    pub authority: Authority,
}

closed_set! {
    /// What was decided about something pending.
    pub enum Ruling ("ruling") {
        /// It was applied after all.
        Accepted = "accepted",
        /// It was turned down.
        Rejected = "rejected",
        /// It told something that was erased. The store also scrubs it from the log.
        Erased = "erased",
    }
}

impl Pending {
    /// Whether its words were erased and only its shape is left.
    pub fn is_erased(&self) -> bool {
        self.operation.is_empty()
    }

    /// Whether it tells what a tombstone stands for, in the same words, in the same slot, or in
    /// one of the wordings that are still known; or is itself what was erased.
    pub fn tells(&self, stone: &Tombstone, wordings: &[String]) -> bool {
        if stone.space != self.space || self.is_erased() {
            return false;
        }
        if stone.memory.0 == self.id.0 {
            return true;
        }
        let mut said = OperationWords::default();
        match serde_json::from_str(&self.operation) {
            Ok(value) => said.take_in(&value),
            // What is no JSON may be so because it was cut off; its words are the same.
            Err(_) => said.texts.push(text::unescaped(&self.operation)),
        }
        said.texts.push(self.why.clone());
        // Whatever is asked about what is erased goes with it, in whatever words.
        let (id, handle) = (stone.memory.to_string(), stone.memory.handle());
        if said.texts.iter().any(|text| *text == id || *text == handle) {
            return true;
        }
        let same_slot = |slot: &Slot| stone.slot.as_ref() == Some(&slot_fingerprint(slot));
        said.slots.iter().any(same_slot)
            || said.texts.iter().any(|text| {
                Fingerprint::of(text) == stone.fingerprint
                    || wordings.iter().any(|wording| text::holds(text, wording))
            })
    }
}

/// The changes that erase, from what is pending and from the log, whatever tells what was erased.
///
/// `deferred` is everything that was ever kept for review and can still be read; with each
/// tombstone go the wordings that are still known.
pub fn erasures(deferred: &[Pending], erased: &[(Tombstone, Vec<String>)]) -> Vec<Change> {
    let mut gone: BTreeMap<PendingId, (&Pending, Timestamp)> = BTreeMap::new();
    for pending in deferred {
        if let Some((stone, _)) =
            erased.iter().find(|(stone, wordings)| pending.tells(stone, wordings))
        {
            gone.entry(pending.id).or_insert((pending, stone.at));
        }
    }
    gone.into_values()
        .flat_map(|(pending, at)| {
            let (space, id) = (pending.space, pending.id);
            // The tombstone keeps it out of copies and of what is imported.
            let stone = Tombstone {
                space,
                fingerprint: Fingerprint::of(&pending.operation),
                slot: None,
                memory: MemoryId(id.0),
                at,
                trace: None,
            };
            [Change::Decide { space, id, ruling: Ruling::Erased }, Change::Expunge(stone)]
        })
        .collect()
}

/// What an operation says: its texts, and the slots it gives a value to.
#[derive(Default)]
struct OperationWords {
    texts: Vec<String>,
    slots: Vec<Slot>,
}

impl OperationWords {
    fn take_in(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.slots.extend(Slot::parse(text));
                self.texts.push(text.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| self.take_in(item)),
            Value::Object(fields) => {
                let part = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
                if let (Some(subject), Some(predicate), Some(object)) =
                    (part("subject"), part("predicate"), part("object"))
                {
                    let cardinality = Cardinality::Many;
                    self.slots.push(Slot { subject, predicate, object, cardinality });
                }
                for (name, field) in fields {
                    self.texts.push(name.clone());
                    self.take_in(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
