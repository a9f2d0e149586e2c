//! Entities: the things memories are about.

use serde::{Deserialize, Serialize};

use crate::{EntityId, SpaceId, Timestamp, text};

closed_set! {
    /// What sort of thing.
    pub enum EntityKind ("entity kind") {
        /// Somebody.
        Person = "person",
        /// A body of work.
        Project = "project",
        /// An idea, a system, a component.
        Concept = "concept",
        /// A file or folder.
        File = "file",
        /// A program or library.
        Tool = "tool",
        /// A label put on memories.
        Tag = "tag",
        /// Memories that lie close together.
        Cluster = "cluster",
        /// Memories of one stretch of work.
        Box = "box",
        /// Boxes that go on with one topic.
        Trace = "trace",
    }
}

/// One thing, with the names it goes by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its name for us.
    pub id: EntityId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// What sort of thing.
    pub kind: EntityKind,
    /// Its name for people.
    pub name: String,
    /// Other names for the same thing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// When we first met it.
    pub created_at: Timestamp,
}

impl Entity {
    /// Every name it answers to, in comparable form: its own name first.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in std::iter::once(&self.name).chain(&self.aliases) {
            let name = text::normalise(name);
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
