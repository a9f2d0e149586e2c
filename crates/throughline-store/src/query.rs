//! What may be asked of a store.

use throughline_core::{
    Cardinality, EntityKind, Kind, Memory, NodeId, SessionId, Slot, SpaceId, State, Timestamp,
};

/// Which memories to list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryQuery {
    /// The spaces to look in. None means nothing is found.
    pub spaces: Vec<SpaceId>,
    /// The reader's session: what is bound to others stays unseen.
    pub session: Option<SessionId>,
    /// Also what is bound to other sessions: for whoever takes everything along.
    pub any_session: bool,
    /// States to include; empty means all.
    pub states: Vec<State>,
    /// Kinds to include; empty means all.
    pub kinds: Vec<Kind>,
    /// Only those in this area.
    pub domain: Option<String>,
    /// Only those with this label, in comparable form.
    pub tag: Option<String>,
    /// How many to skip.
    pub offset: usize,
    /// How many to return.
    pub limit: usize,
}

/// A part of a listing, newest first, and how many there are in all.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryPage {
    /// The memories.
    pub items: Vec<Memory>,
    /// How many the query matches without its limit.
    pub total: usize,
}

/// What to search the words of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOf {
    /// Memories.
    Memories,
    /// Episodes.
    Episodes,
}

/// Which texts to find. States and kinds apply to memories only.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    /// What to search.
    pub of: TextOf,
    /// The terms, as `throughline_core::words` makes them.
    pub terms: Vec<String>,
    /// The spaces to look in.
    pub spaces: Vec<SpaceId>,
    /// The reader's session.
    pub session: Option<SessionId>,
    /// States to include; empty means all.
    pub states: Vec<State>,
    /// Kinds to include; empty means all.
    pub kinds: Vec<Kind>,
    /// How many to return.
    pub limit: usize,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The space it was found in.
    pub space: SpaceId,
    /// What was found.
    pub node: NodeId,
    /// Its BM25 score.
    pub score: f64,
}

/// A name looked up among entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityName {
    /// What sort of thing, if it matters.
    pub kind: Option<EntityKind>,
    /// The name in comparable form.
    pub name: String,
}

/// Which batches of the log to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Only changes with a higher number.
    pub after_seq: u64,
    /// Only changes with a lower number.
    pub before_seq: Option<u64>,
    /// Only batches at or after this moment.
    pub since: Option<Timestamp>,
    /// Only batches decided in these spaces; empty means all.
    pub spaces: Vec<SpaceId>,
    /// Latest first, instead of in the order they happened.
    pub latest_first: bool,
    /// How many to return.
    pub limit: usize,
}

/// A vector of a node, made by a named model.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// Whose.
    pub node: NodeId,
    /// The change number it was made at.
    pub seq: u64,
    /// The numbers.
    pub values: Vec<f32>,
    /// The same in fewer bytes, for scanning, as whoever scans it packs it; at most
    /// [`PACKED_MAX`](crate::PACKED_MAX) bytes. Empty: it is only kept beside the one that is scanned.
    pub packed: Vec<u8>,
}

/// Which memories of a slot bear on a claim: those of any state that give it the same value, and
/// the active ones that the claim could conflict with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotQuery {
    /// The slot, as `throughline_core::Slot::key` writes it.
    pub slot: String,
    /// The value that is claimed, in comparable form.
    pub value: Option<String>,
    /// Whether the claim says that there is one value only: then it may conflict with every other,
    /// else only with those that say so themselves.
    pub single: bool,
}

impl SlotQuery {
    /// What bears on a claim that fills this slot.
    pub fn of(slot: &Slot) -> Self {
        let single = slot.cardinality == Cardinality::One;
        Self { slot: slot.key(), value: Some(slot.value()), single }
    }

    /// Every active memory in a slot.
    pub fn active(slot: &str) -> Self {
        Self { slot: slot.to_owned(), value: None, single: true }
    }
}
