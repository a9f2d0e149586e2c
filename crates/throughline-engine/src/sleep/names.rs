//! Entities: things whose names differ only in how they are written become one.

use std::collections::BTreeMap;

use throughline_attention::merging::{Merging, ThingNames, mergings};
use throughline_core::permission::Act;
use throughline_core::text::plural;
use throughline_core::{Change, Edge, Entity, EntityId, EntityKind, NodeId, RowKey};
use throughline_language::things::squeezed;

use super::deep::{PassPlan, PassStep, PassView};
use crate::Result;
use crate::things::{NAMED, merge_changes};

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    let kinds: Vec<EntityKind> = NAMED.into_iter().chain([EntityKind::File]).collect();
    let key = |entity: &Entity, name: &str| match entity.kind {
        EntityKind::File => format!("file {name}"),
        EntityKind::Person
        | EntityKind::Project
        | EntityKind::Concept
        | EntityKind::Tool
        | EntityKind::Tag
        | EntityKind::Cluster
        | EntityKind::Box
        | EntityKind::Trace => squeezed(name),
    };
    merge_alike(view, &kinds, key, "names")
}

/// Makes those things one that share a key.
pub(super) fn merge_alike(
    view: &PassView<'_>,
    kinds: &[EntityKind],
    key: impl Fn(&Entity, &str) -> String,
    what: &str,
) -> Result<PassPlan> {
    view.may(Act::Name)?;
    let held = view.reader.things(view.space(), kinds)?;
    let by_id: BTreeMap<EntityId, &Entity> = held.iter().map(|(one, _)| (one.id, one)).collect();
    let named = held.iter().filter(|(entity, _)| !entity.name.is_empty());
    let things: Vec<ThingNames<EntityId>> = named
        .map(|(entity, memories)| ThingNames {
            id: entity.id,
            names: entity.names().iter().map(|name| key(entity, name)).collect(),
            memories: *memories,
        })
        .collect();
    let mut plan = PassPlan::of(things.len());
    let mut merged = 0;
    for Merging { keep, drop } in mergings(&things) {
        let mut kept = by_id[&keep].clone();
        for id in drop {
            // What a person took apart again stays apart.
            if view.was_undone(id)? || view.was_undone(keep)? {
                continue;
            }
            let dropped = by_id[&id];
            plan.tell(format!("{:?} is {:?}", dropped.name, kept.name));
            kept = add_merge(view, &mut plan, &kept, dropped)?;
            merged += 1;
        }
    }
    plan.tell(format!(
        "{} of {} were one written differently",
        merged,
        plural(things.len(), what_of(what))
    ));
    Ok(plan)
}

fn what_of(what: &str) -> &'static str {
    if what == "tags" { "tag" } else { "thing" }
}

/// Adds the steps that make two things one: connections first, a few at a time, and the names last, so that whoever is
/// cut off finds the two again. Returns the first as it will be.
fn add_merge(
    view: &PassView<'_>,
    plan: &mut PassPlan,
    kept: &Entity,
    dropped: &Entity,
) -> Result<Entity> {
    let key = |entity: &Entity| RowKey::node(entity.space, NodeId::Entity(entity.id));
    let both = vec![key(kept), key(dropped)];
    let mut pending: Vec<Change> = Vec::new();
    let mut result = kept.clone();
    for change in merge_changes(view.reader, kept, dropped)? {
        if let Change::Unlink { space, from, relation, to } = &change {
            let mut there = both.clone();
            there.push(RowKey::edge(*space, *from, *relation, *to));
            pending.push(change);
            plan.steps.push(PassStep::with(there, std::mem::take(&mut pending)));
        } else if let Change::Know(entity) = &change {
            if entity.id == kept.id {
                result = entity.clone();
            }
            pending.push(change);
        } else {
            pending.push(change);
        }
    }
    plan.steps.push(PassStep::with(both, pending));
    Ok(result)
}

/// The connection of a memory to a thing.
pub(super) fn tie(edge: &Edge) -> RowKey {
    RowKey::edge(edge.space, edge.from, edge.relation, edge.to)
}
