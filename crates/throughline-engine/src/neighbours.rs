//! Neighbours: what is read before the rules decide about something new.

mod ahead;
mod attached;

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::meet::Difference;
use throughline_core::reconcile::{self, Candidate, Neighbours};
use throughline_core::{
    EntityId, Memory, MemoryId, Row, RowKey, Scope, Slot, SpaceId, State, text,
};
use throughline_store::{EntityName, Reader, SlotQuery};

use crate::Result;
use crate::meet::{MeetingClaim, beside, meeting};
use crate::permit::said_by_others;
use crate::things::{same_slot_by_name, thing_named};
use crate::transaction::Transaction;

pub(crate) use ahead::read_ahead;

/// Reads what bears on a candidate.
pub(crate) fn neighbours(tx: &Transaction<'_>, candidate: &Candidate) -> Result<Neighbours> {
    let space = candidate.scope.space;
    let marks = reconcile::burial_marks(candidate);
    let same_text = tx.with_fingerprint(space, &marks[0])?;
    let slots: BTreeMap<String, SlotQuery> = same_text
        .iter()
        .filter_map(|memory| memory.slot.as_ref())
        .chain(&candidate.slot)
        .map(|slot| (slot.key(), SlotQuery::of(slot)))
        .collect();
    let mut same_slot = Vec::new();
    for query in slots.values() {
        same_slot.extend(tx.in_slot(space, query)?);
    }
    if let Some(slot) = &candidate.slot {
        let others = same_slot_by_name(&**tx, space, slot)?.into_iter();
        same_slot.extend(others.map(|(renamed, _)| renamed));
    }
    let mut heads = BTreeMap::new();
    let replaced = same_text.iter().chain(&same_slot);
    for memory in replaced.filter(|memory| memory.state == State::Superseded) {
        if let Some(head) = head_of(&**tx, memory)? {
            heads.insert(memory.id, head);
        }
    }
    let values = things_named(&**tx, space, candidate, &same_slot)?;
    let value = candidate.slot.as_ref().map(Slot::value);
    let thing = value.as_ref().and_then(|value| values.get(value));
    let says_it = |held: &Slot| {
        let held = held.value();
        Some(&held) == value.as_ref() || thing.is_some() && values.get(&held) == thing
    };
    let same_value = same_slot.iter().filter(|memory| memory.slot.as_ref().is_some_and(says_it));
    let known: Vec<&Memory> = same_text.iter().chain(same_value).collect();
    let attached = attached::on(tx, candidate, &known)?;
    let mut stand_beside = BTreeSet::new();
    for memory in known.iter().filter(|memory| memory.state.is_active()) {
        stand_beside.extend(beside(&**tx, space, memory.id)?);
    }
    let mut entities = BTreeMap::new();
    for (kind, name, _) in reconcile::named_entities(candidate) {
        if let Some(known) = thing_named(&**tx, space, kind, &name)? {
            entities.insert((kind, text::normalise(&name)), known.id);
        }
    }
    let tombstones = tx.tombstones(space, &marks)?;
    // What a person let hold beside this is not held against it again.
    same_slot.retain(|memory| !stand_beside.contains(&memory.id));
    let mut same_thing = same_thing(tx, candidate)?;
    same_thing.retain(|(memory, _)| !stand_beside.contains(&memory.id));
    let said_by_others = foreign(tx, candidate, [&same_slot, &same_text], &same_thing, &heads)?;
    Ok(Neighbours {
        said_by_others,
        same_text,
        same_slot,
        same_thing,
        evidence: attached.evidence,
        heads,
        tombstones,
        entities,
        values,
        set_by_others: attached.set_by_others,
        bindings: attached.bindings,
        put_away_by_agent: attached.put_away_by_agent,
    })
}

/// What a person's claim may replace and another person said.
fn foreign(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    same: [&Vec<Memory>; 2],
    same_thing: &[(Memory, Difference)],
    heads: &BTreeMap<MemoryId, Memory>,
) -> Result<BTreeSet<MemoryId>> {
    if !candidate.testimony.authority.is_user() {
        return Ok(BTreeSet::new());
    }
    let met = same_thing.iter().map(|(memory, _)| memory);
    let all = same.into_iter().flatten().chain(met).chain(heads.values());
    let active: BTreeSet<MemoryId> =
        all.filter(|memory| memory.state.is_active()).map(|memory| memory.id).collect();
    let active: Vec<MemoryId> = active.into_iter().collect();
    said_by_others(&**tx, candidate.scope.space, &active)
}

/// What gives the same thing another value.
fn same_thing(tx: &Transaction<'_>, candidate: &Candidate) -> Result<Vec<(Memory, Difference)>> {
    let Scope { space, session } = &candidate.scope;
    let claim = MeetingClaim {
        space: *space,
        session: session.as_ref(),
        kind: candidate.kind,
        content: &candidate.content,
    };
    let mut met = meeting(tx, &claim)?;
    for (id, difference) in tx.bearings.differences(&candidate.content) {
        let held = tx.rows(&[RowKey::memory(*space, id)])?.remove(0).and_then(Row::into_memory);
        // Judged before it was our turn: what has left view since is not touched.
        if let Some(held) = held.filter(|held| held.state.is_active()) {
            // What differs by its form and by what it means gives another value, unless it was not told as a change.
            let by_form = met.iter().find(|(old, _)| old.id == id).map(|(_, by_form)| *by_form);
            let may_replace = !tx.bearings.only_contest;
            let is_sure = by_form.is_some_and(|it| it == Difference::Value || may_replace);
            met.retain(|(old, _)| old.id != id);
            met.push((held, if is_sure { Difference::Value } else { difference }));
        }
    }
    Ok(met)
}

/// Which things the values in a slot are names of.
fn things_named(
    reader: &dyn Reader,
    space: SpaceId,
    candidate: &Candidate,
    same_slot: &[Memory],
) -> Result<BTreeMap<String, EntityId>> {
    let held = same_slot.iter().filter_map(|memory| memory.slot.as_ref());
    let wanted: BTreeSet<String> = held.chain(&candidate.slot).map(Slot::value).collect();
    if wanted.len() < 2 {
        return Ok(BTreeMap::new());
    }
    let names: Vec<EntityName> =
        wanted.iter().map(|name| EntityName { kind: None, name: name.clone() }).collect();
    let mut things = BTreeMap::new();
    for entity in reader.entities(space, &names)? {
        for name in entity.names().into_iter().filter(|name| wanted.contains(name)) {
            things.entry(name).or_insert(entity.id);
        }
    }
    Ok(things)
}

/// The memory at the end of a chain of replacements; `None` if it was erased.
pub(crate) fn head_of(reader: &dyn Reader, memory: &Memory) -> Result<Option<Memory>> {
    let mut current = memory.clone();
    while current.state == State::Superseded {
        let Some(next) = current.superseded_by else {
            return Ok(None);
        };
        let row = reader.rows(&[RowKey::memory(current.space, next)])?.remove(0);
        match row.and_then(Row::into_memory) {
            Some(next) => current = next,
            None => return Ok(None),
        }
    }
    Ok(Some(current))
}
