//! Things: what memories speak of. Every claim is tied to them when it comes in, by whatever door, and one thing has
//! one node however its name is written.

mod about;
mod fold;
mod listed;
mod merge;
mod near;

use throughline_core::patch::Named;
use throughline_core::reconcile::Candidate;
use throughline_core::{Entity, EntityKind, Memory, MemoryId, NodeId, Relation, Row, RowKey};
use throughline_core::{Slot, SpaceId, text, words};
use throughline_language::things;
use throughline_store::{EntityName, Reader, SlotQuery};

use crate::Result;
use crate::transaction::Transaction;

pub use about::AboutPage;
pub use listed::{Thing, ThingShown, Topic};
pub use merge::Merged;
pub(crate) use merge::{hollow, merge_changes};
pub use near::SimilarMemory;
pub(crate) use near::THINGS_MODEL;

/// Kinds of things that a name may mean; the others are made by the program, or are labels.
pub(crate) const NAMED: [EntityKind; 4] =
    [EntityKind::Person, EntityKind::Project, EntityKind::Concept, EntityKind::Tool];

/// Things of one claim at most.
const THINGS_MAX: usize = 12;

/// A candidate with the things that its words speak of, besides those that the caller named.
pub(crate) fn with_things(tx: &Transaction<'_>, candidate: &Candidate) -> Result<Candidate> {
    let mut found = candidate.clone();
    let mut words = things::things_in(&candidate.content);
    words.extend(known_in(tx, candidate)?);
    words.truncate(THINGS_MAX);
    let value = candidate.slot.as_ref().and_then(|slot| things::value_named(&slot.object));
    let project = tx.project.as_ref().filter(|name| {
        things::speaks_of_project(&candidate.content, name) && !text::normalise(name).is_empty()
    });
    let project = project.map(|name| Named {
        name: name.clone(),
        kind: EntityKind::Project,
        aliases: Vec::new(),
    });
    for one in project.into_iter().chain(words).chain(value) {
        let name = text::normalise(&one.name);
        let known = |held: &&mut Named| text::normalise(&held.name) == name;
        let tag = |tag: &String| text::normalise(tag) == name;
        if let Some(held) = found.about.iter_mut().find(known) {
            // What is said of somebody tells more than how a name is written.
            if held.kind == EntityKind::Concept {
                held.kind = one.kind;
            }
        } else if !name.is_empty() && !candidate.tags.iter().any(tag) {
            found.about.push(one);
        }
    }
    found.about.retain(|one| !things::is_unit(&one.name));
    leave_out_parts(&candidate.content, &mut found.about);
    Ok(found)
}

/// Leaves out names that stand in a claim only as parts of a longer one: "Actions" beside "GitHub Actions".
fn leave_out_parts(content: &str, about: &mut Vec<Named>) {
    let said = format!(" {} ", text::normalise(content));
    let times = |name: &str| said.matches(&format!(" {name} ")).count();
    let names: Vec<String> = about.iter().map(|one| text::normalise(&one.name)).collect();
    let is_part = |name: &str| {
        let inside = |whole: &&String| {
            whole.len() > name.len() && format!(" {whole} ").contains(&format!(" {name} "))
        };
        names.iter().filter(inside).any(|whole| times(whole) >= times(name))
    };
    about.retain(|one| {
        let part = is_part(&text::normalise(&one.name));
        !part || !matches!(one.kind, EntityKind::Concept | EntityKind::Tool)
    });
}

/// The words of a claim that may be names of things.
pub(crate) fn words_as_names(content: &str) -> Vec<String> {
    let names = things::words_in(content).into_iter().map(|word| text::normalise(&word));
    names.filter(|name| !words::is_common(&words::stem(name))).collect()
}

/// The things that are known and that words of a claim name, however the claim is written.
fn known_in(tx: &Transaction<'_>, candidate: &Candidate) -> Result<Vec<Named>> {
    let words = things::words_in(&candidate.content);
    let wanted = words_as_names(&candidate.content).into_iter();
    let wanted: Vec<EntityName> = wanted.map(|name| EntityName { kind: None, name }).collect();
    let mut found = tx.entities(candidate.scope.space, &wanted)?;
    // Somebody's name may be a word besides, and is written with a capital.
    found.retain(|entity| {
        let meant = entity.kind != EntityKind::Person || words.contains(&entity.name);
        meant && NAMED.contains(&entity.kind) && entity.kind != EntityKind::Project
    });
    Ok(found
        .into_iter()
        .map(|one| Named { name: one.name, kind: one.kind, aliases: Vec::new() })
        .collect())
}

/// The thing that a name means, if one is known: of the kind that is asked for, else of another kind; written the
/// same, else written differently.
pub(crate) fn thing_named(
    reader: &dyn Reader,
    space: SpaceId,
    kind: EntityKind,
    name: &str,
) -> Result<Option<Entity>> {
    let names = things::spellings(name);
    let exact = |entity: &Entity| entity.names().contains(&names[0]);
    let wanted: Vec<EntityName> = if NAMED.contains(&kind) {
        names.iter().map(|name| EntityName { kind: None, name: name.clone() }).collect()
    } else {
        vec![EntityName { kind: Some(kind), name: names[0].clone() }]
    };
    let mut found = reader.entities(space, &wanted)?;
    found.retain(|entity| entity.kind == kind || NAMED.contains(&entity.kind));
    found.sort_by_key(|entity| (!exact(entity), entity.kind != kind, entity.id));
    Ok(found.into_iter().next())
}

/// Memories that fill the same slot under another name of its subject, as if they used this one; and each as it is.
pub(crate) fn same_slot_by_name(
    reader: &dyn Reader,
    space: SpaceId,
    slot: &Slot,
) -> Result<Vec<(Memory, Memory)>> {
    let own = slot.key();
    let mut subjects = things::spellings(&slot.subject);
    if let Some(thing) = thing_named(reader, space, EntityKind::Concept, &slot.subject)? {
        subjects.extend(thing.names().iter().flat_map(|name| things::spellings(name)));
    }
    subjects.sort();
    subjects.dedup();
    let mut found = Vec::new();
    for subject in subjects {
        let other = Slot { subject, ..slot.clone() };
        if other.key() == own {
            continue;
        }
        for held in reader.in_slot(space, &SlotQuery::of(&other))? {
            let mut renamed = held.clone();
            if let Some(renamed) = &mut renamed.slot {
                renamed.subject.clone_from(&slot.subject);
            }
            found.push((renamed, held));
        }
    }
    found.sort_by_key(|(_, held)| held.id);
    found.dedup_by_key(|(_, held)| held.id);
    Ok(found)
}

/// The memories that speak of a thing or carry it as a label.
pub(crate) fn memories_of(
    reader: &dyn Reader,
    space: SpaceId,
    thing: NodeId,
    relations: &[Relation],
    most: usize,
) -> Result<Vec<Memory>> {
    let edges = reader.neighbours(space, &[thing], relations, most)?;
    let ids: Vec<MemoryId> = edges.iter().filter_map(|edge| edge.from.memory()).collect();
    let keys: Vec<RowKey> = ids.iter().map(|id| RowKey::memory(space, *id)).collect();
    Ok(reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory).collect())
}
