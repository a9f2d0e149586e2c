//! Profiles: where the things lie that several memories speak of, so that a question that names none finds one. The
//! page about a thing is written when somebody asks for it, from what holds then.

use throughline_core::text::plural;
use throughline_core::{NodeId, Relation};
use throughline_embed::MODEL;

use super::clusters::middle;
use super::deep::{PassPlan, PassView};
use crate::Result;
use crate::things::{NAMED, memories_of};

/// Things that are looked at, and memories of each.
const THINGS_MAX: usize = 512;
const MEMORIES_MAX: usize = 48;
/// Memories that must speak of a thing.
const SPOKEN_OF: usize = 2;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    let mut things = view.reader.things(view.space(), &NAMED)?;
    things.retain(|(entity, memories)| !entity.name.is_empty() && *memories >= SPOKEN_OF);
    things.sort_by_key(|(entity, memories)| (std::cmp::Reverse(*memories), entity.id));
    things.truncate(THINGS_MAX);
    let mut plan = PassPlan::of(things.len());
    for (entity, _) in &things {
        let node = NodeId::Entity(entity.id);
        let about = memories_of(view.reader, view.space(), node, &[Relation::About], MEMORIES_MAX)?;
        let nodes: Vec<NodeId> = about
            .iter()
            .filter(|one| one.state.is_active() && one.session.is_none())
            .map(|one| one.id.into())
            .collect();
        let vectors = view.reader.vectors_of(view.space(), MODEL, &nodes)?;
        plan.vectors.extend(middle(entity.id, vectors.into_iter().flatten()));
    }
    if !things.is_empty() {
        plan.tell(format!(
            "{} can be asked about without naming them",
            plural(things.len(), "thing")
        ));
    }
    Ok(plan)
}
