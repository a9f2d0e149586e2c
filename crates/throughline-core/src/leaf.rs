//! Leaves: texts that are kept word for word because a tool must get them back as it gave them, each
//! attached to the memory that it became. What happens to the memory happens to the leaf: it is erased
//! with it, and the log tells its history.

use serde::{Deserialize, Serialize};

use crate::{LeafId, MemoryId, SpaceId, Timestamp};

/// One text on a shelf, as a tool gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// Its name in the store.
    pub id: LeafId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// The memory that it became. Empty words are left of it once that was erased.
    pub memory: MemoryId,
    /// Which shelf: what sort of thing the tool keeps there.
    pub shelf: String,
    /// The tool's name for it. Several leaves may have the same.
    pub name: String,
    /// Its place on the shelf.
    pub order: u64,
    /// The text.
    pub text: String,
    /// What else the tool said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// When it was put there last.
    pub at: Timestamp,
}
