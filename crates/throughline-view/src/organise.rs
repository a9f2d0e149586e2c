//! What memories speak of, and how they lie together.

use serde::Serialize;
use throughline_engine::{AboutPage, Merged, SimilarMemory, Thing, ThingShown, Topic};
use utoipa::ToSchema;

use crate::memory::{WireMemory, rounded};

/// Things that memories speak of, and how many there are in all.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireThings {
    pub items: Vec<WireThing>,
    pub total: usize,
}

/// A person, project, tool, file or concept.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireThing {
    pub name: String,
    pub kind: &'static str,
    pub aliases: Vec<String>,
    /// How many memories speak of it.
    pub memories: usize,
}

/// A thing with what is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireThingShown {
    pub name: String,
    pub kind: &'static str,
    pub aliases: Vec<String>,
    pub mentions: usize,
    pub last_mentioned: Option<String>,
    pub memories: Vec<WireMemory>,
    pub beside: Vec<WireBeside>,
}

/// A thing that the same memories speak of.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBeside {
    pub name: String,
    pub kind: &'static str,
    pub memories: usize,
}

/// A thing that goes by another name now, or took in another thing.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireMerged {
    pub entity: WireThing,
    /// Connections that were carried over.
    pub moved: usize,
    /// What `undo` takes.
    pub batch: String,
}

/// A page about somebody or something.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireAbout {
    pub name: String,
    /// Null for the user.
    pub kind: Option<&'static str>,
    pub text: String,
    pub memories: Vec<String>,
}

/// Memories that are similar to one, the most similar first.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireSimilar {
    pub items: Vec<WireSimilarMemory>,
}

/// A memory that is similar to another, and how much.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireSimilarMemory {
    pub memory: WireMemory,
    pub score: f64,
}

/// Topics that memories fall into.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTopics {
    pub items: Vec<WireTopic>,
}

/// A topic and its memories.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTopic {
    pub name: String,
    pub kind: &'static str,
    pub memories: Vec<String>,
}

impl WireThings {
    /// The first `limit` of the things that were found.
    pub fn new(found: &[Thing], limit: usize) -> Self {
        let items = found.iter().take(limit).map(WireThing::from).collect();
        Self { items, total: found.len() }
    }
}

impl From<&Thing> for WireThing {
    fn from(thing: &Thing) -> Self {
        Self {
            name: thing.entity.name.clone(),
            kind: thing.entity.kind.as_str(),
            aliases: thing.entity.aliases.clone(),
            memories: thing.memories,
        }
    }
}

impl From<&ThingShown> for WireThingShown {
    fn from(shown: &ThingShown) -> Self {
        let entity = &shown.thing.entity;
        let beside = shown.beside.iter().map(|(other, memories)| WireBeside {
            name: other.name.clone(),
            kind: other.kind.as_str(),
            memories: *memories,
        });
        Self {
            name: entity.name.clone(),
            kind: entity.kind.as_str(),
            aliases: entity.aliases.clone(),
            mentions: shown.thing.memories,
            last_mentioned: shown.last_mentioned.map(|at| at.to_string()),
            memories: shown.cards.iter().map(WireMemory::from).collect(),
            beside: beside.collect(),
        }
    }
}

impl From<&Merged> for WireMerged {
    fn from(merged: &Merged) -> Self {
        Self {
            entity: WireThing::from(&merged.thing),
            moved: merged.moved,
            batch: merged.batch.to_string(),
        }
    }
}

impl From<&AboutPage> for WireAbout {
    fn from(page: &AboutPage) -> Self {
        Self {
            name: page.name.clone(),
            kind: page.kind.map(|kind| kind.as_str()),
            text: page.text.clone(),
            memories: page.memories.iter().map(ToString::to_string).collect(),
        }
    }
}

impl WireSimilar {
    /// The memories that were found.
    pub fn new(found: &[SimilarMemory]) -> Self {
        let one = |one: &SimilarMemory| WireSimilarMemory {
            memory: (&one.card).into(),
            score: rounded(one.score),
        };
        Self { items: found.iter().map(one).collect() }
    }
}

impl WireTopics {
    /// The topics that were found.
    pub fn new(found: &[Topic]) -> Self {
        let one = |topic: &Topic| WireTopic {
            name: topic.name.clone(),
            kind: topic.kind.as_str(),
            memories: topic.memories.iter().map(ToString::to_string).collect(),
        };
        Self { items: found.iter().map(one).collect() }
    }
}
