//! The things that a candidate names: its tags, the subject of its slot, what it is about.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Candidate, Neighbours};
use crate::patch::Named;
use crate::{
    Change, Edge, Entity, EntityId, EntityKind, MemoryId, Relation, SpaceId, Timestamp, text,
};

/// Tags and subject become entities, and edges to them.
pub(super) fn label_changes(
    candidate: &Candidate,
    memory: MemoryId,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Vec<Change> {
    let (space, at) = (candidate.scope.space, candidate.testimony.at);
    let mut changes = Vec::new();
    let mut met = neighbours.entities.clone();
    for (kind, name, relation) in named_entities(candidate) {
        let entity = *met.entry((kind, text::normalise(&name))).or_insert_with(|| {
            let mut entity = entity(EntityId(mint()), space, kind, &name, at);
            let named = candidate.about.iter().find(|one| one.kind == kind && one.name == name);
            entity.aliases = named.map(|one| one.aliases.clone()).unwrap_or_default();
            changes.push(Change::Know(entity.clone()));
            entity.id
        });
        changes.push(Change::Link(Edge::new(space, memory.into(), relation, entity.into(), at)));
    }
    changes
}

/// A thing met for the first time.
pub fn entity(id: EntityId, space: SpaceId, kind: EntityKind, name: &str, at: Timestamp) -> Entity {
    Entity { id, space, kind, name: name.trim().to_owned(), aliases: Vec::new(), created_at: at }
}

/// The entities a candidate names, and how it relates to each.
pub fn named_entities(candidate: &Candidate) -> Vec<(EntityKind, String, Relation)> {
    let tags = candidate.tags.iter().map(|tag| (EntityKind::Tag, tag.clone(), Relation::Tagged));
    let kind_of = |name: &str| {
        let same = |one: &&Named| text::normalise(&one.name) == text::normalise(name);
        candidate.about.iter().find(same).map_or(EntityKind::Concept, |one| one.kind)
    };
    let subject = candidate
        .slot
        .iter()
        .map(|slot| (kind_of(&slot.subject), slot.subject.clone(), Relation::About));
    let about = candidate.about.iter().map(|one| (one.kind, one.name.clone(), Relation::About));
    let mut named: Vec<_> = tags.chain(subject).chain(about).collect();
    let mut met = BTreeSet::new();
    named.retain(|(kind, name, relation)| {
        let name = text::normalise(name);
        !name.is_empty() && met.insert((*kind, name, *relation))
    });
    named
}
