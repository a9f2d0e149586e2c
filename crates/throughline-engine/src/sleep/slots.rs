//! Slots: memories that give one thing two values under two of its names are settled as if they used one name.

use std::collections::BTreeMap;

use throughline_core::permission::Act;
use throughline_core::sleep::{self, ValueChoice};
use throughline_core::{Change, Edge, Memory, MemoryId, Relation, text};
use throughline_language::things::squeezed;

use super::deep::{PassPlan, PassStep, PassView, StepAct};
use super::plan::{contradiction, may_replace};
use crate::Result;
use crate::meet::is_decided;
use crate::things::thing_named;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    view.may(Act::Contradict)?;
    let slotted: Vec<MemoryId> =
        view.memories()?.iter().filter(|one| one.has_slot).map(|one| one.id).collect();
    let mut plan = PassPlan::of(slotted.len());
    let mut by_thing: BTreeMap<(String, String), Vec<Memory>> = BTreeMap::new();
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    for memory in view.whole(&slotted)? {
        let Some(slot) = &memory.slot else { continue };
        let spelled = squeezed(&slot.subject);
        if !named.contains_key(&spelled) {
            let kind = throughline_core::EntityKind::Concept;
            let thing = thing_named(view.reader, memory.space, kind, &slot.subject)?;
            let name = thing.map_or_else(|| spelled.clone(), |thing| thing.id.to_string());
            named.insert(spelled.clone(), name);
        }
        let key = (named[&spelled].clone(), text::normalise(&slot.predicate));
        by_thing.entry(key).or_default().push(memory);
    }
    for memories in by_thing.into_values().filter(|some| some.len() > 1) {
        settle(view, &memories, &mut plan)?;
    }
    Ok(plan)
}

fn settle(view: &PassView<'_>, memories: &[Memory], plan: &mut PassPlan) -> Result<()> {
    let mut gone: Vec<MemoryId> = Vec::new();
    for (at, one) in memories.iter().enumerate() {
        for other in &memories[at + 1..] {
            if one.slot_key() == other.slot_key()
                || gone.contains(&one.id)
                || gone.contains(&other.id)
            {
                continue;
            }
            let mut renamed = other.clone();
            if let (Some(slot), Some(held)) = (&mut renamed.slot, &one.slot) {
                slot.subject.clone_from(&held.subject);
                slot.predicate.clone_from(&held.predicate);
            }
            let Some((old, new, verdict)) = sleep::settle(one, &renamed) else { continue };
            let own = |id: MemoryId| if id == one.id { one.clone() } else { other.clone() };
            let (old, new) = (own(old.id), own(new.id));
            if is_decided(view.reader, &old, &new)? {
                continue;
            }
            if let Some(step) = step(view, &old, &new, verdict)? {
                plan.tell(format!("{:?} and {:?} speak of one thing", old.title(), new.title()));
                if verdict == ValueChoice::Replace {
                    gone.push(old.id);
                }
                plan.steps.push(step);
            }
        }
    }
    Ok(())
}

fn step(
    view: &PassView<'_>,
    old: &Memory,
    new: &Memory,
    verdict: ValueChoice,
) -> Result<Option<PassStep>> {
    let (space, at) = (old.space, view.now());
    let changes = match verdict {
        ValueChoice::Replace if may_replace(view.reader, old, new)? => {
            vec![Change::Supersede { space, old: old.id, new: new.id, at }]
        }
        ValueChoice::Replace | ValueChoice::Contest => {
            if view.was_there(&contradiction(old, new))? {
                return Ok(None);
            }
            let edge = Edge::new(space, new.id.into(), Relation::Contradicts, old.id.into(), at);
            vec![Change::Link(edge)]
        }
    };
    let seen = vec![old.clone(), new.clone()];
    Ok(Some(PassStep { seen, there: Vec::new(), act: StepAct::Change(changes) }))
}
