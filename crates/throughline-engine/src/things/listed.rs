//! Looking at things: which there are, what is known of one, and which topics memories fall into.

use std::collections::BTreeMap;

use throughline_core::{
    Entity, EntityKind, Memory, MemoryId, NodeId, Relation, Row, RowKey, SpaceId, Timestamp, text,
};
use throughline_language::things;
use throughline_store::{EntityName, Reader};

use super::{NAMED, memories_of};
use crate::flows::Looking;
use crate::{Card, Error, Result};

/// Memories of one thing that are read at most.
pub(super) const MEMORIES_MAX: usize = 2_000;
/// Things that stand beside one.
const BESIDE_MAX: usize = 8;
/// Kinds that are listed where none is asked for.
const LISTED: [EntityKind; 6] = [
    EntityKind::Person,
    EntityKind::Project,
    EntityKind::Concept,
    EntityKind::Tool,
    EntityKind::File,
    EntityKind::Tag,
];

/// A thing and how many connections lead to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    /// The thing.
    pub entity: Entity,
    /// How many memories speak of it.
    pub memories: usize,
}

/// A thing with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingShown {
    /// The thing.
    pub thing: Thing,
    /// When something was last said of it.
    pub last_mentioned: Option<Timestamp>,
    /// The current memories that speak of it, newest first.
    pub cards: Vec<Card>,
    /// Things that the same memories speak of, and how many do, the most first.
    pub beside: Vec<(Entity, usize)>,
}

/// A topic and the current memories in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// What it is called.
    pub name: String,
    /// A cluster, or a tag.
    pub kind: EntityKind,
    /// Its memories, newest first.
    pub memories: Vec<MemoryId>,
}

impl Looking<'_> {
    /// The things within reach, those first that most memories speak of. Without kinds: everything but clusters and
    /// boxes.
    pub fn things(&self, kinds: &[EntityKind]) -> Result<Vec<Thing>> {
        let reader = self.engine.now_reader()?;
        let kinds = if kinds.is_empty() { &LISTED } else { kinds };
        let mut found = Vec::new();
        for space in self.context.reach().spaces {
            let here = reader.things(space, kinds)?.into_iter();
            let here = here.filter(|(entity, _)| !entity.name.is_empty());
            found.extend(here.map(|(entity, memories)| Thing { entity, memories }));
        }
        found.sort_by(|a, b| {
            let key = |one: &Thing| (std::cmp::Reverse(one.memories), one.entity.name.clone());
            (key(a), a.entity.id).cmp(&(key(b), b.entity.id))
        });
        Ok(found)
    }

    /// One thing, by any of its names, with what is known of it.
    pub fn thing(&self, name: &str) -> Result<ThingShown> {
        let reader = self.engine.now_reader()?;
        let entity = self.resolve_thing(&*reader, name)?;
        let memories = self.current_of(&*reader, &entity)?;
        let node = NodeId::Entity(entity.id);
        let edges = reader.neighbours(entity.space, &[node], &[], MEMORIES_MAX)?;
        let last_mentioned = edges.iter().map(|edge| edge.last_reinforced_at).max();
        let beside = beside(&*reader, &entity, &memories)?;
        let thing = Thing { memories: memories.len(), entity };
        let cards = self.engine.cards(&*reader, &memories)?;
        Ok(ThingShown { thing, last_mentioned, cards, beside })
    }

    /// A thing as it is now.
    pub(super) fn thing_as_is(&self, entity: &Entity) -> Result<Thing> {
        let reader = self.engine.now_reader()?;
        let key = RowKey::node(entity.space, entity.id.into());
        let row = reader.rows(&[key])?.remove(0).and_then(Row::into_entity);
        let entity = row.unwrap_or_else(|| entity.clone());
        let memories = self.current_of(&*reader, &entity)?.len();
        Ok(Thing { entity, memories })
    }

    /// The topics of what is known here: clusters, then tags that several memories carry.
    pub fn topics(&self) -> Result<Vec<Topic>> {
        let reader = self.engine.now_reader()?;
        let mut found = Vec::new();
        for space in self.context.reach().spaces {
            for (entity, _) in reader.things(space, &[EntityKind::Cluster, EntityKind::Tag])? {
                let memories = self.current_of(&*reader, &entity)?;
                if !entity.name.is_empty() && memories.len() > 1 {
                    let memories = memories.iter().map(|memory| memory.id).collect();
                    found.push(Topic { name: entity.name, kind: entity.kind, memories });
                }
            }
        }
        found.sort_by(|a, b| {
            let key =
                |one: &Topic| (one.kind != EntityKind::Cluster, usize::MAX - one.memories.len());
            (key(a), &a.name).cmp(&(key(b), &b.name))
        });
        Ok(found)
    }

    /// The thing that a name means: somebody or something before a file, a label or a cluster.
    pub(crate) fn resolve_thing(&self, reader: &dyn Reader, name: &str) -> Result<Entity> {
        let names = things::spellings(name);
        let wanted: Vec<EntityName> =
            names.iter().map(|name| EntityName { kind: None, name: name.clone() }).collect();
        let missing = || unknown_thing(name);
        if names[0].is_empty() {
            return Err(missing());
        }
        let mut found = Vec::new();
        for (place, space) in self.context.reach().spaces.into_iter().enumerate() {
            let here = reader.entities(space, &wanted)?;
            found.extend(here.into_iter().map(|entity| (place, entity)));
        }
        let exact = |entity: &Entity| entity.names().contains(&names[0]);
        found.sort_by_key(|(place, entity)| {
            (!exact(entity), !NAMED.contains(&entity.kind), *place, entity.kind, entity.id)
        });
        found.into_iter().next().map(|(_, entity)| entity).ok_or_else(missing)
    }

    /// The current memories within reach that speak of a thing, newest first.
    pub(super) fn current_of(&self, reader: &dyn Reader, entity: &Entity) -> Result<Vec<Memory>> {
        let node = NodeId::Entity(entity.id);
        let mut found = memories_of(reader, entity.space, node, &[], MEMORIES_MAX)?;
        let reach = self.context.reach();
        found.retain(|memory| memory.state.is_active() && reach.sees(memory));
        found.sort_by_key(|memory| (std::cmp::Reverse(memory.recorded_at), memory.id));
        found.dedup_by_key(|memory| memory.id);
        Ok(found)
    }
}

/// What is said of a name that nothing goes by.
pub(super) fn unknown_thing(name: &str) -> Error {
    Error::NoSuch(format!("no memory mentions {name:?}; `entity list` shows what memories mention"))
}

/// Things that some memories speak of besides one, and how many do, the most first.
pub(super) fn beside(
    reader: &dyn Reader,
    entity: &Entity,
    memories: &[Memory],
) -> Result<Vec<(Entity, usize)>> {
    let nodes: Vec<NodeId> = memories.iter().map(|memory| memory.id.into()).collect();
    let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
    for edge in reader.neighbours(entity.space, &nodes, &[Relation::About], BESIDE_MAX * 2)? {
        if edge.to != NodeId::Entity(entity.id) && edge.to.entity().is_some() {
            *counts.entry(edge.to).or_default() += 1;
        }
    }
    let mut counts: Vec<(NodeId, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(node, count)| (std::cmp::Reverse(*count), *node));
    counts.truncate(BESIDE_MAX);
    let keys = keys_of(entity.space, counts.iter().map(|(node, _)| *node));
    let rows = reader.rows(&keys)?.into_iter();
    let named = rows.zip(counts).filter_map(|(row, (_, count))| Some((row?.into_entity()?, count)));
    Ok(named.filter(|(other, _)| !text::normalise(&other.name).is_empty()).collect())
}

fn keys_of(space: SpaceId, nodes: impl Iterator<Item = NodeId>) -> Vec<RowKey> {
    nodes.map(|node| RowKey::node(space, node)).collect()
}
