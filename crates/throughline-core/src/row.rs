//! Rows: the tables of memory as data. A change is folded into writes of rows; a store only has to
//! put, get and delete them.

use serde::{Deserialize, Serialize};

use crate::watermark::Referent;
use crate::{
    Edge, Entity, Episode, EpisodeId, Evidence, Fingerprint, Leaf, LeafId, Memory, MemoryId,
    NodeId, Pending, PendingId, SessionId, Space, SpaceId, Timestamp, Trace, Usage, Watermark,
    text,
};

closed_set! {
    /// The tables that the change log rebuilds.
    pub enum Table ("table") {
        /// The walls.
        Space = "space",
        /// The claims.
        Memory = "memory",
        /// Why they are believed.
        Evidence = "evidence",
        /// What they are tied to.
        Watermark = "watermark",
        /// How they were used.
        Usage = "usage",
        /// What they are about.
        Entity = "entity",
        /// How everything is connected.
        Edge = "edge",
        /// What was said and done.
        Episode = "episode",
        /// When agents worked.
        Session = "session",
        /// What was shown to them.
        Injection = "injection",
        /// What must not come back.
        Tombstone = "tombstone",
        /// What waits for a person's word.
        Pending = "pending",
        /// What is kept word for word.
        Leaf = "leaf",
    }
}

/// One conversation of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The agent's name for it.
    pub id: SessionId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// Which agent.
    pub agent: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Turns that went through the gate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turns: u64,
    /// Turns that it noticed something in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fired: u64,
    /// How often it was probed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub probes: u64,
    /// Up to which turn a model has read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_to: Option<Timestamp>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Session {
    /// A session that begins.
    pub fn new(id: SessionId, space: SpaceId, agent: &str, started_at: Timestamp) -> Self {
        let agent = agent.to_owned();
        let (ended_at, read_to) = (None, None);
        Self { id, space, agent, started_at, ended_at, turns: 0, fired: 0, probes: 0, read_to }
    }
}

/// One time that memories were put in front of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// Its name.
    pub id: String,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// To which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When.
    pub at: Timestamp,
    /// Which memories, in the order shown.
    pub memories: Vec<MemoryId>,
    /// How many tokens they took.
    pub tokens: usize,
    /// Which memories were found first, the best first, before anything was followed or cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<MemoryId>,
    /// Which of those that were found did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<MemoryId>,
}

/// What remains of something erased: enough to recognise it, nothing to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// The wall it lives behind.
    pub space: SpaceId,
    /// The erased claim in comparable, unreadable form.
    pub fingerprint: Fingerprint,
    /// The same for its slot and value, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Fingerprint>,
    /// The id it had, which is that of a turn or an operation where it was one.
    pub memory: MemoryId,
    /// When it was erased.
    pub at: Timestamp,
    /// What finds the value again, where it was a secret and the rest of the text stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

impl Tombstone {
    /// The tombstone of a memory.
    pub fn of(memory: &Memory, at: Timestamp) -> Self {
        Self {
            space: memory.space,
            fingerprint: memory.fingerprint.clone(),
            slot: memory.slot.as_ref().map(slot_fingerprint),
            memory: memory.id,
            at,
            trace: None,
        }
    }

    /// The tombstone of a turn.
    pub fn of_turn(turn: &Episode, at: Timestamp) -> Self {
        let memory = MemoryId(turn.id.0);
        Self { space: turn.space, fingerprint: turn.mark(), slot: None, memory, at, trace: None }
    }

    /// The turn that it stands for, if it stands for one.
    pub fn turn(&self) -> EpisodeId {
        EpisodeId(self.memory.0)
    }
}

/// The unreadable form of a slot and its value.
pub fn slot_fingerprint(slot: &crate::Slot) -> Fingerprint {
    Fingerprint(text::sha256_hex(format!("slot:{}|{}", slot.key(), slot.value()).as_bytes()))
}

/// Fields of a row that this version does not know, by name. Another version wrote them; they stay
/// with the row through changes, export and import.
pub type Extra = std::collections::BTreeMap<String, serde_json::Value>;

/// The name of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RowKey {
    /// The wall it lives behind.
    pub space: SpaceId,
    /// Which table.
    pub table: Table,
    /// Its name within space and table.
    pub key: String,
}

impl RowKey {
    /// The key of a memory.
    pub fn memory(space: SpaceId, id: MemoryId) -> Self {
        Self { space, table: Table::Memory, key: id.to_string() }
    }

    /// The key of a memory's counters.
    pub fn usage(space: SpaceId, id: MemoryId) -> Self {
        Self { space, table: Table::Usage, key: id.to_string() }
    }

    /// The key of a node: a memory, an entity or an episode.
    pub fn node(space: SpaceId, node: NodeId) -> Self {
        let (table, key) = match node {
            NodeId::Memory(id) => (Table::Memory, id.to_string()),
            NodeId::Entity(id) => (Table::Entity, id.to_string()),
            NodeId::Episode(id) => (Table::Episode, id.to_string()),
        };
        Self { space, table, key }
    }

    /// The key of an edge.
    pub fn edge(space: SpaceId, from: NodeId, relation: crate::Relation, to: NodeId) -> Self {
        Self { space, table: Table::Edge, key: format!("{from} {relation} {to}") }
    }

    /// The key of a binding.
    pub fn watermark(space: SpaceId, memory: MemoryId, referent: &Referent) -> Self {
        let referent = serde_json::to_string(referent).expect("plain data serialises");
        let hash = text::sha256_hex(referent.as_bytes());
        Self { space, table: Table::Watermark, key: format!("{memory} {}", &hash[..16]) }
    }

    /// The key of a text kept word for word.
    pub fn leaf(space: SpaceId, memory: MemoryId, id: LeafId) -> Self {
        Self { space, table: Table::Leaf, key: format!("{memory} {id}") }
    }

    /// The key of something pending.
    pub fn pending(space: SpaceId, id: PendingId) -> Self {
        Self { space, table: Table::Pending, key: id.to_string() }
    }
}

/// One row of any table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// A wall.
    Space(Space),
    /// A claim.
    Memory(Box<Memory>),
    /// Why it is believed.
    Evidence(Evidence),
    /// What it is tied to.
    Watermark(Watermark),
    /// How it was used.
    Usage(Usage),
    /// What it is about.
    Entity(Entity),
    /// A connection.
    Edge(Edge),
    /// Something said or done.
    Episode(Episode),
    /// A session.
    Session(Session),
    /// Something shown.
    Injection(Injection),
    /// Something erased.
    Tombstone(Tombstone),
    /// Something that waits for a person's word.
    Pending(Pending),
    /// A text kept word for word.
    Leaf(Leaf),
}

impl Row {
    /// Its name.
    pub fn key(&self) -> RowKey {
        let (space, table, key) = match self {
            Self::Space(row) => (row.space, Table::Space, row.key.clone()),
            Self::Memory(row) => (row.space, Table::Memory, row.id.to_string()),
            Self::Evidence(row) => {
                (row.space, Table::Evidence, format!("{} {}", row.memory, row.id))
            }
            Self::Watermark(row) => {
                return RowKey::watermark(row.space, row.memory, &row.referent);
            }
            Self::Usage(row) => (row.space, Table::Usage, row.memory.to_string()),
            Self::Entity(row) => (row.space, Table::Entity, row.id.to_string()),
            Self::Edge(row) => return RowKey::edge(row.space, row.from, row.relation, row.to),
            Self::Episode(row) => (row.space, Table::Episode, row.id.to_string()),
            Self::Session(row) => (row.space, Table::Session, row.id.to_string()),
            Self::Injection(row) => (row.space, Table::Injection, row.id.clone()),
            Self::Tombstone(row) => {
                (row.space, Table::Tombstone, format!("{} {}", row.memory, row.fingerprint.0))
            }
            Self::Pending(row) => return RowKey::pending(row.space, row.id),
            Self::Leaf(row) => return RowKey::leaf(row.space, row.memory, row.id),
        };
        RowKey { space, table, key }
    }

    /// The nodes whose history this row belongs to.
    pub fn nodes(&self) -> Vec<NodeId> {
        match self {
            Self::Memory(row) => vec![row.id.into()],
            Self::Evidence(row) => vec![row.memory.into()],
            Self::Watermark(row) => vec![row.memory.into()],
            Self::Usage(row) => vec![row.memory.into()],
            Self::Entity(row) => vec![row.id.into()],
            Self::Edge(row) => vec![row.from, row.to],
            Self::Episode(row) => vec![NodeId::Episode(row.id)],
            Self::Tombstone(row) => vec![row.memory.into()],
            Self::Leaf(row) => vec![row.memory.into()],
            Self::Space(_) | Self::Session(_) | Self::Injection(_) | Self::Pending(_) => Vec::new(),
        }
    }

    /// Its content as one line of JSON: what a store keeps and hashes.
    pub fn body(&self) -> String {
        let body = match self {
            Self::Space(row) => serde_json::to_string(row),
            Self::Memory(row) => serde_json::to_string(row),
            Self::Evidence(row) => serde_json::to_string(row),
            Self::Watermark(row) => serde_json::to_string(row),
            Self::Usage(row) => serde_json::to_string(row),
            Self::Entity(row) => serde_json::to_string(row),
            Self::Edge(row) => serde_json::to_string(row),
            Self::Episode(row) => serde_json::to_string(row),
            Self::Session(row) => serde_json::to_string(row),
            Self::Injection(row) => serde_json::to_string(row),
            Self::Tombstone(row) => serde_json::to_string(row),
            Self::Pending(row) => serde_json::to_string(row),
            Self::Leaf(row) => serde_json::to_string(row),
        };
        body.expect("plain data serialises")
    }

    /// Reads what [`Row::body`] wrote.
    pub fn from_body(table: Table, body: &str) -> Result<Self, serde_json::Error> {
        Ok(match table {
            Table::Space => Self::Space(serde_json::from_str(body)?),
            Table::Memory => Self::Memory(serde_json::from_str(body)?),
            Table::Evidence => Self::Evidence(serde_json::from_str(body)?),
            Table::Watermark => Self::Watermark(serde_json::from_str(body)?),
            Table::Usage => Self::Usage(serde_json::from_str(body)?),
            Table::Entity => Self::Entity(serde_json::from_str(body)?),
            Table::Edge => Self::Edge(serde_json::from_str(body)?),
            Table::Episode => Self::Episode(serde_json::from_str(body)?),
            Table::Session => Self::Session(serde_json::from_str(body)?),
            Table::Injection => Self::Injection(serde_json::from_str(body)?),
            Table::Tombstone => Self::Tombstone(serde_json::from_str(body)?),
            Table::Pending => Self::Pending(serde_json::from_str(body)?),
            Table::Leaf => Self::Leaf(serde_json::from_str(body)?),
        })
    }

    /// The memory, if it is one.
    pub fn as_memory(&self) -> Option<&Memory> {
        if let Self::Memory(memory) = self { Some(memory) } else { None }
    }

    /// The memory, if it is one.
    pub fn into_memory(self) -> Option<Memory> {
        if let Self::Memory(memory) = self { Some(*memory) } else { None }
    }
}

/// Looks at a row as one of a certain table, or takes it.
macro_rules! rows_of {
    ($( $variant:ident: $as:ident, $into:ident; )+) => {
        impl Row {
            $(
                #[doc = concat!("The ", stringify!($variant), ", if it is one.")]
                pub fn $as(&self) -> Option<&$variant> {
                    if let Self::$variant(row) = self { Some(row) } else { None }
                }

                #[doc = concat!("The ", stringify!($variant), ", if it is one.")]
                pub fn $into(self) -> Option<$variant> {
                    if let Self::$variant(row) = self { Some(row) } else { None }
                }
            )+
        }
    };
}

rows_of! {
    Space: as_space, into_space;
    Evidence: as_evidence, into_evidence;
    Watermark: as_watermark, into_watermark;
    Entity: as_entity, into_entity;
    Edge: as_edge, into_edge;
    Episode: as_episode, into_episode;
    Session: as_session, into_session;
    Injection: as_injection, into_injection;
    Tombstone: as_tombstone, into_tombstone;
    Pending: as_pending, into_pending;
    Leaf: as_leaf, into_leaf;
}

/// A row as it was at some point, or that it was not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Which row.
    pub key: RowKey,
    /// What it held.
    pub row: Option<Row>,
}

/// One write to a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Insert or replace.
    Put(Row),
    /// Remove.
    Delete(RowKey),
}

impl Write {
    /// Which row it writes.
    pub fn key(&self) -> RowKey {
        match self {
            Self::Put(row) => row.key(),
            Self::Delete(key) => key.clone(),
        }
    }
}
