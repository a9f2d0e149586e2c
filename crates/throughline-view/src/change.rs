//! What a change did to a memory.

use serde::Serialize;
use throughline_core::{MemoryId, Timestamp};
use throughline_engine::{Card, Purged, Remembered};
use utoipa::ToSchema;

use crate::memory::WireMemory;

/// A memory that was edited, and what that changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireEdited {
    pub memory: WireMemory,
    pub changed: Vec<WireChanged>,
}

/// One part of a memory, before and after.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireChanged {
    pub field: &'static str,
    pub before: String,
    pub after: String,
}

/// What an edit changed.
pub fn changed(before: &Card, after: &Card) -> Vec<WireChanged> {
    let parts = |card: &Card| {
        let memory = &card.memory;
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let slot = memory.slot.as_ref().map(|slot| {
            format!("{}|{}|{}|{}", slot.subject, slot.predicate, slot.object, slot.cardinality)
        });
        [
            ("text", memory.content.clone()),
            ("kind", memory.kind.to_string()),
            ("title", memory.label.clone().unwrap_or_default()),
            ("area", memory.domain.clone().unwrap_or_default()),
            ("importance", memory.importance.to_string()),
            ("slot", slot.unwrap_or_default()),
            ("true from", time(memory.valid_from)),
            ("true until", time(memory.valid_until)),
            ("triggers", memory.triggers.join(", ")),
        ]
    };
    let pairs = parts(before).into_iter().zip(parts(after));
    let differing = pairs.filter(|(before, after)| before.1 != after.1);
    differing.map(|((field, before), (_, after))| WireChanged { field, before, after }).collect()
}

/// What was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct WirePurged {
    pub purged: usize,
    pub episodes: usize,
    pub journal_lines: usize,
    pub pending: bool,
    pub tombstones: Vec<WireTombstone>,
    pub copies_left: Vec<String>,
    pub overwritten: Vec<String>,
    pub related: Vec<String>,
    /// Files of the project out of which our own line was taken.
    pub lines_removed: Vec<String>,
    /// Files of the project that still tell it.
    pub files_left: Vec<String>,
    /// Sessions in which an agent may have said it in other words.
    pub sessions: Vec<String>,
}

/// What is left of a memory that was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTombstone {
    pub memory: String,
    pub fingerprint: String,
    pub at: String,
}

impl From<&Purged> for WirePurged {
    fn from(purged: &Purged) -> Self {
        let stones = purged.tombstones.iter().map(|stone| WireTombstone {
            memory: stone.memory.to_string(),
            fingerprint: stone.fingerprint.0.clone(),
            at: stone.at.to_string(),
        });
        Self {
            purged: purged.tombstones.len(),
            episodes: purged.episodes,
            journal_lines: purged.journal_lines,
            pending: purged.pending,
            tombstones: stones.collect(),
            copies_left: purged.copies_left.iter().map(|path| path.display().to_string()).collect(),
            overwritten: purged.overwritten.iter().map(|path| path.display().to_string()).collect(),
            related: purged.related.iter().map(|memory| memory.id.to_string()).collect(),
            lines_removed: purged.lines_removed.clone(),
            files_left: purged.files_left.clone(),
            sessions: purged.sessions.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What became of something new.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireRemembered {
    pub memory: WireMemory,
    pub deduped: bool,
    pub superseded: Vec<String>,
    pub contested: Vec<String>,
    /// What stays of the replaced ones, as memories of their own.
    pub stays: Vec<String>,
    pub redacted: usize,
    pub left_out: Vec<&'static str>,
    /// A file that it names and that is not there, so that it is not tied to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<String>,
    pub batch: String,
}

/// The answer of every command that ends with one memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct OneMemory {
    pub memory: WireMemory,
}

/// The same, with whether it was done at once.
#[derive(Debug, Serialize, ToSchema)]
pub struct PutMemory {
    pub memory: WireMemory,
    /// An agent asked for it, and it waits in `review` for the user.
    pub waits: bool,
}

impl From<&Remembered> for WireRemembered {
    fn from(remembered: &Remembered) -> Self {
        let ids = |ids: &[MemoryId]| ids.iter().map(ToString::to_string).collect();
        Self {
            memory: (&remembered.card).into(),
            deduped: remembered.deduped,
            superseded: ids(&remembered.superseded),
            contested: ids(&remembered.contested),
            stays: remembered.left.iter().map(|one| one.id.to_string()).collect(),
            redacted: remembered.redacted,
            left_out: remembered.left_out.clone(),
            not_found: remembered.not_found.clone(),
            batch: remembered.batch.to_string(),
        }
    }
}
