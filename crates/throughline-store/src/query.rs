//! Queries: what may be asked of a store.

use throughline_core::row::Session;
use throughline_core::{
    Cardinality, Cause, EntityKind, Episode, EpisodeId, Kind, Memory, MemoryId, NodeId, SessionId,
    Slot, SpaceId, State, Timestamp,
};

/// Memory query: which memories to list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryQuery {
    /// The spaces to look in; without any, nothing is found.
    pub spaces: Vec<SpaceId>,
    /// The session that asks; memories bound to other sessions are left out.
    pub session: Option<SessionId>,
    /// Whether to include memories bound to other sessions, as for an export.
    pub any_session: bool,
    /// States to include; empty means all.
    pub states: Vec<State>,
    /// Kinds to include; empty means all.
    pub kinds: Vec<Kind>,
    /// Only memories of this domain.
    pub domain: Option<String>,
    /// Only memories with this tag, in comparable form.
    pub tag: Option<String>,
    /// Only those that a listing has after this one: the moment it was recorded, and its id.
    pub after: Option<(Timestamp, MemoryId)>,
    /// How many to skip.
    pub offset: usize,
    /// How many to return.
    pub limit: usize,
}

/// Memory page: a part of a listing, newest first, and the total.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryPage {
    /// The memories.
    pub items: Vec<Memory>,
    /// Number of memories that match without the limit.
    pub total: usize,
}

/// Begin: where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begin<K> {
    /// After so many, whichever they are.
    Skip(usize),
    /// After one that was seen, whether it is still there or not.
    After(K),
}

impl<K> Begin<K> {
    pub(crate) fn skipped(&self) -> usize {
        if let Self::Skip(skipped) = self { *skipped } else { 0 }
    }

    pub(crate) fn after(&self) -> Option<&K> {
        if let Self::After(seen) = self { Some(seen) } else { None }
    }
}

/// From session: where a page of sessions begins; a session is named by its beginning and its id.
pub type FromSession = Begin<(Timestamp, SessionId)>;
/// From turn: where a page of turns begins; a turn is named by its position and its id.
pub type FromTurn = Begin<(u64, EpisodeId)>;

/// Session page: a part of a listing of sessions, latest first, and the total.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    /// The sessions.
    pub items: Vec<Session>,
    /// Number of sessions without the limit.
    pub total: usize,
}

/// Turn page: a part of a session, in order, and the total.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnPage {
    /// The turns.
    pub items: Vec<Episode>,
    /// Number of turns of the session.
    pub total: usize,
}

/// Sort of texts to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOf {
    /// Memories.
    Memories,
    /// Episodes.
    Episodes,
}

/// Text query: which texts to find by their words. States and kinds apply to memories only.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    /// What to search.
    pub of: TextOf,
    /// The terms, as `throughline_core::words` makes them.
    pub terms: Vec<String>,
    /// The spaces to look in.
    pub spaces: Vec<SpaceId>,
    /// The session that asks.
    pub session: Option<SessionId>,
    /// States to include; empty means all.
    pub states: Vec<State>,
    /// Kinds to include; empty means all.
    pub kinds: Vec<Kind>,
    /// How many to return.
    pub limit: usize,
}

/// Text hit: a text that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The space it was found in.
    pub space: SpaceId,
    /// What was found.
    pub node: NodeId,
    /// Its BM25 score.
    pub score: f64,
}

/// Entity name: a name to look up among entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityName {
    /// The kind of entity, if it matters.
    pub kind: Option<EntityKind>,
    /// The name in comparable form.
    pub name: String,
}

/// Log query: which batches of the log to read.
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
    /// Batches of this cause come without their changes.
    pub bare: Option<Cause>,
    /// How many to return.
    pub limit: usize,
}

/// Vector of a node, made by one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The node.
    pub node: NodeId,
    /// The change number it was made at.
    pub seq: u64,
    /// The numbers.
    pub values: Vec<f32>,
    /// The same vector packed for scanning, in the form that the scanner uses; at most
    /// [`PACKED_MAX`](crate::PACKED_MAX) bytes. Empty if this vector is stored only and never
    /// scanned.
    pub packed: Vec<u8>,
}

/// Slot query: which memories of a slot bear on a claim. These are the ones of any state with the
/// same value, and the active ones that the claim could conflict with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotQuery {
    /// The slot, as `throughline_core::Slot::key` writes it.
    pub slot: String,
    /// The value that is claimed, in comparable form.
    pub value: Option<String>,
    /// Whether the claim says that there is only one value. Then it may conflict with every other
    /// memory of the slot, otherwise only with those that say so themselves.
    pub single: bool,
}

impl SlotQuery {
    /// The query for a claim that fills this slot.
    pub fn of(slot: &Slot) -> Self {
        let single = slot.cardinality == Cardinality::One;
        Self { slot: slot.key(), value: Some(slot.value()), single }
    }

    /// The query for every active memory of a slot.
    pub fn active(slot: &str) -> Self {
        Self { slot: slot.to_owned(), value: None, single: true }
    }
}
