//! Names of things. Ids are made by the engine and never by this crate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

macro_rules! uuid_newtype {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_newtype!(
    /// One memory.
    MemoryId
);
uuid_newtype!(
    /// One entity.
    EntityId
);
uuid_newtype!(
    /// One captured turn or tool result.
    EpisodeId
);
uuid_newtype!(
    /// One batch of changes: the unit of undo.
    BatchId
);
uuid_newtype!(
    /// One text kept word for word.
    LeafId
);
uuid_newtype!(
    /// One operation that waits for a person's word.
    PendingId
);

impl MemoryId {
    /// The short form people see and type: the last eight characters.
    ///
    /// A `UUIDv7` *starts* with its time, so ids made in the same minute share their first letters;
    /// the tail is random and tells them apart.
    pub fn handle(&self) -> String {
        tail(self.0)
    }
}

impl EpisodeId {
    /// The short form, as for memories.
    pub fn handle(&self) -> String {
        tail(self.0)
    }
}

impl PendingId {
    /// The id of an operation, named by what it says, so that deferring it twice is deferring it
    /// once.
    pub fn of(space: SpaceId, operation: &str) -> Self {
        let digest = Sha256::digest(format!("pending:{space}:{operation}").as_bytes());
        let head = std::array::from_fn(|at| digest[at]);
        Self(uuid::Builder::from_random_bytes(head).into_uuid())
    }

    /// The short form, as for memories.
    pub fn handle(&self) -> String {
        tail(self.0)
    }
}

fn tail(id: Uuid) -> String {
    let text = id.simple().to_string();
    text[text.len() - 8..].to_owned()
}

impl BatchId {
    /// The short form, as for memories.
    pub fn handle(&self) -> String {
        tail(self.0)
    }

    /// The id of a batch that follows from a memory and its place in the log, for changes that
    /// nobody asked for by themselves.
    pub fn following(memory: MemoryId, seq: u64) -> Self {
        Self(Uuid::from_u128(memory.0.as_u128() ^ u128::from(seq)))
    }
}

/// One piece of evidence, named by what it says, so that adding it twice is adding it once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EvidenceId(pub String);

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One conversation of one agent, named by the agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A walled part of the store: everything global, or everything of one project.
///
/// Computed from the project's key, so that every machine and every clone finds the same space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpaceId(pub i64);

impl SpaceId {
    /// What holds everywhere.
    pub const GLOBAL: Self = Self(0);

    /// The space of the project known by `key`. 52 bits: exact in any JSON reader.
    pub fn of_project(key: &str) -> Self {
        let digest = Sha256::digest(format!("project:{key}").as_bytes());
        let head = digest.iter().take(7).fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
        Self((head >> 4).max(1))
    }
}

impl fmt::Display for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Anything an edge may touch. Written `m:…`, `n:…` (entity) or `e:…` (episode).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// A claim.
    Memory(MemoryId),
    /// A thing claims are about.
    Entity(EntityId),
    /// Something that was said or done.
    Episode(EpisodeId),
}

impl NodeId {
    /// The short form, as for memories.
    pub fn handle(self) -> String {
        match self {
            Self::Memory(MemoryId(id))
            | Self::Entity(EntityId(id))
            | Self::Episode(EpisodeId(id)) => tail(id),
        }
    }

    /// The memory, if it is one.
    pub fn memory(self) -> Option<MemoryId> {
        match self {
            Self::Memory(id) => Some(id),
            Self::Entity(_) | Self::Episode(_) => None,
        }
    }

    /// The entity, if it is one.
    pub fn entity(self) -> Option<EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Memory(_) | Self::Episode(_) => None,
        }
    }
}

impl From<MemoryId> for NodeId {
    fn from(id: MemoryId) -> Self {
        Self::Memory(id)
    }
}

impl From<EntityId> for NodeId {
    fn from(id: EntityId) -> Self {
        Self::Entity(id)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(id) => write!(f, "m:{id}"),
            Self::Entity(id) => write!(f, "n:{id}"),
            Self::Episode(id) => write!(f, "e:{id}"),
        }
    }
}

impl FromStr for NodeId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text} is not a node id");
        let (kind, id) = text.split_once(':').ok_or_else(bad)?;
        let id = Uuid::parse_str(id).map_err(|_| bad())?;
        match kind {
            "m" => Ok(Self::Memory(MemoryId(id))),
            "n" => Ok(Self::Entity(EntityId(id))),
            "e" => Ok(Self::Episode(EpisodeId(id))),
            _ => Err(bad()),
        }
    }
}

impl Serialize for NodeId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_keeps_its_space_whoever_computes_it() {
        assert_eq!(
            SpaceId::of_project("github.com/acme/app"),
            SpaceId::of_project("github.com/acme/app")
        );
        assert_ne!(
            SpaceId::of_project("github.com/acme/app"),
            SpaceId::of_project("github.com/acme/app2")
        );
        assert!(SpaceId::of_project("x").0 < 1 << 52, "exact in any JSON reader");
    }

    #[test]
    fn a_node_id_survives_being_written_down() {
        let id = Uuid::from_u128(7);
        for node in [
            NodeId::Memory(MemoryId(id)),
            NodeId::Entity(EntityId(id)),
            NodeId::Episode(EpisodeId(id)),
        ] {
            assert_eq!(node.to_string().parse(), Ok(node));
        }
        assert!("x:00000000-0000-0000-0000-000000000007".parse::<NodeId>().is_err());
    }
}
