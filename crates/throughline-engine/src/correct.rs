//! Correct: the user says what is right. The old claim stays as history, the new one takes its place.

use std::collections::BTreeSet;

use throughline_core::evidence::Testimony;
use throughline_core::permission::{Act, Backing, Verdict};
use throughline_core::reconcile::{Candidate, Plan};
use throughline_core::{
    Authority, Cardinality, Cause, Change, Edge, Memory, MemoryId, Relation, Row, RowKey, Slot,
    State, Table, text,
};
use throughline_store::{Reader, SlotQuery};

use crate::engine::Draft;
use crate::meet::{Claimed, beside, meeting};
use crate::permit::{ask, demand, not_yours};
use crate::relate::may_connect;
use crate::{Context, Engine, Error, Proposal, Put, Remembered, Result};

impl Engine {
    /// Replaces a memory by what the user says is right. An agent only proposes it.
    ///
    /// The new memory keeps the old one's kind, area, labels and links to what it is about. A slot
    /// is kept only if the caller gives its new value.
    pub fn correct(
        &self,
        context: &Context,
        handle: &str,
        content: &str,
        slot: Option<&Slot>,
    ) -> Result<Remembered> {
        if context.door.is_agents() {
            return self.propose(context, handle, &Proposal { content, slot, evidence: None });
        }
        let (content, redacted) = &self.cleaned(context, content);
        let slot = slot.map(|slot| self.cleaned_slot(context, slot));
        self.check_content(content)?;
        self.check_slot(slot.as_ref())?;
        let ((old, plan), batch) = self.write(context, Cause::Correct, None, |reader, draft| {
            let old = self.resolve(reader, context, handle)?;
            let plan = self.put_in_place(reader, draft, &old, content, slot.as_ref())?;
            Ok((old, plan))
        })?;
        self.remembered(old.space, plan, *redacted, batch)
    }

    /// Lets what the user says is right take the place of a memory.
    pub(crate) fn put_in_place(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        old: &Memory,
        content: &str,
        slot: Option<&Slot>,
    ) -> Result<Plan> {
        draft.settle(old);
        if !old.state.is_active() {
            let refusal =
                throughline_core::fold::Refusal::NotCurrent { id: old.id, state: old.state };
            return Err(Error::Refused(refusal));
        }
        if text::normalise(content) == text::normalise(&old.content) {
            return Err(Error::NotPossible(
                "the correction says the same as the memory; `edit` changes its wording".to_owned(),
            ));
        }
        let candidate = Candidate {
            id: MemoryId(draft.mint()),
            scope: draft.scope.clone(),
            kind: old.kind,
            content: content.to_owned(),
            slot: slot.cloned(),
            tags: Vec::new(),
            label: old.label.clone(),
            domain: old.domain.clone(),
            importance: Some(old.importance),
            confidence: 1.0,
            pinned: old.pinned,
            testimony: Testimony {
                session: draft.session.clone(),
                why: Some(format!("corrects {}", old.id.handle())),
                ..Testimony::new(Authority::UserCorrected, draft.now)
            },
            triggers: old.triggers.clone(),
            about: Vec::new(),
            revive: false,
        };
        let mut plan = self.take_in(reader, draft, &candidate)?;
        if !plan.superseded.contains(&old.id) {
            let at = draft.now;
            draft.changes.push(Change::Supersede {
                space: old.space,
                old: old.id,
                new: plan.memory,
                at,
            });
            plan.superseded.push(old.id);
        }
        let attached = reader.attached(old.space, &[old.id.into()])?;
        for link in inherited(&attached, old.id, plan.memory, draft.now) {
            if !draft.changes.contains(&link) {
                draft.changes.push(link);
            }
        }
        Ok(plan)
    }

    /// Lets one memory take another's place. Where the caller may not, the two contradict each other
    /// and wait for a person.
    pub fn supersede(&self, context: &Context, old: &str, new: &str) -> Result<Put> {
        let ((new, waits), _) = self.write(context, Cause::Supersede, None, |reader, draft| {
            let old = self.resolve(reader, context, old)?;
            let new = self.resolve(reader, context, new)?;
            draft.settle(&old);
            same_space(&old, &new)?;
            if new.session.is_some() && new.session != old.session {
                return Err(Error::NotPossible(
                    "a memory of one session cannot replace one of the project or a global one"
                        .to_owned(),
                ));
            }
            let (space, at) = (old.space, draft.now);
            match ask(reader, context.door, Act::Replace, Some(&old), Backing::Asserted)? {
                Verdict::Allowed { .. } => {
                    let (old, new) = (old.id, new.id);
                    draft.changes.push(Change::Supersede { space, old, new, at });
                }
                Verdict::Waits(why) => {
                    may_connect(reader, context.door, &new, Relation::Contradicts, &old)?;
                    let (from, to) = (new.id.into(), old.id.into());
                    let edge = Edge::new(space, from, Relation::Contradicts, to, at);
                    draft.changes.push(Change::Link(edge));
                    return Ok((new, Some(why.to_string())));
                }
                Verdict::Refused(why) => {
                    let (old, new) = (old.id.handle(), new.id.handle());
                    return Err(not_yours(why, format!("throughline supersede {old} {new}")));
                }
            }
            Ok((new, None))
        })?;
        let card = self.card_of(new.space, new.id)?;
        Ok(Put { card, waits })
    }

    /// Makes a replaced memory current again.
    pub fn unsupersede(&self, context: &Context, handle: &str) -> Result<crate::Card> {
        let (old, _) = self.write(context, Cause::Unsupersede, None, |reader, draft| {
            let old = self.resolve(reader, context, handle)?;
            let by_hand = || format!("throughline unsupersede {}", old.id.handle());
            demand(reader, context.door, Act::BringBack, Some(&old), by_hand)?;
            draft.settle(&old);
            if old.state != State::Superseded {
                return Err(Error::NotPossible(format!(
                    "memory {} is {}; only a superseded one can be brought back so",
                    old.id.handle(),
                    old.state
                )));
            }
            draft.changes.push(Change::Unsupersede { space: old.space, old: old.id });
            mark_rivals(reader, draft, &old)?;
            Ok(old)
        })?;
        self.card_of(old.space, old.id)
    }
}

/// Marks what gives the same single-valued slot another value, when a memory comes into view by
/// another way than being said: neither wins, and both are shown together. Refused if another
/// memory says the very same by now.
pub(crate) fn mark_rivals(reader: &dyn Reader, draft: &mut Draft, memory: &Memory) -> Result<()> {
    for twin in reader.with_fingerprint(memory.space, &memory.fingerprint)? {
        let leaves = draft.changes.iter().any(|change| takes_out_of_view(change, twin.id));
        let says_it = twin.id != memory.id && twin.state.is_active() && !leaves;
        if says_it && twin.session == memory.session {
            return Err(Error::NotPossible(format!(
                "memory {} already says this; there would be two of them",
                twin.id.handle()
            )));
        }
    }
    for other in rivals(reader, draft, memory)? {
        let (from, to) = (memory.id.into(), other.into());
        let edge = Edge::new(memory.space, from, Relation::Contradicts, to, draft.now);
        let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
        if reader.rows(&[key])?[0].is_none() {
            draft.changes.push(Change::Link(edge));
        }
    }
    Ok(())
}

/// The current memories that give the same thing another value: in the same slot, or in the same
/// words but for the value. What a person let hold beside it is none of them.
fn rivals(reader: &dyn Reader, draft: &Draft, memory: &Memory) -> Result<BTreeSet<MemoryId>> {
    let mut rivals = BTreeSet::new();
    let in_slot = memory.slot.iter().map(|slot| reader.in_slot(memory.space, &SlotQuery::of(slot)));
    for other in in_slot.collect::<throughline_store::Result<Vec<_>>>()?.into_iter().flatten() {
        let (Some(slot), Some(held)) = (&memory.slot, &other.slot) else { continue };
        let single = [held.cardinality, slot.cardinality].contains(&Cardinality::One);
        let leaves = draft.changes.iter().any(|change| takes_out_of_view(change, other.id));
        let rival = other.state.is_active()
            && other.session == memory.session
            && held.value() != slot.value();
        if rival && single && !leaves {
            rivals.insert(other.id);
        }
    }
    for (other, _) in meeting(reader, draft, &Claimed::by(memory))? {
        let slots = memory.slot.as_ref().zip(other.slot.as_ref());
        if slots.is_none_or(|(slot, held)| slot.key() == held.key()) {
            rivals.insert(other.id);
        }
    }
    for held in beside(reader, memory.space, memory.id)? {
        rivals.remove(&held);
    }
    rivals.remove(&memory.id);
    Ok(rivals)
}

/// Whether a change of the same batch retires or removes a memory.
fn takes_out_of_view(change: &Change, id: MemoryId) -> bool {
    if let Change::Restore { rows, .. } = change {
        let key = id.to_string();
        rows.iter().filter(|image| image.key.key == key).any(|image| match &image.row {
            Some(Row::Memory(memory)) => !memory.state.is_active(),
            _ => image.key.table == Table::Memory,
        })
    } else {
        matches!(change, Change::Supersede { old, .. } if *old == id)
    }
}

/// Links stay behind one wall.
pub(crate) fn same_space(one: &Memory, other: &Memory) -> Result<()> {
    if one.space == other.space {
        return Ok(());
    }
    Err(Error::NotPossible(format!(
        "{} and {} are in different scopes; remember one of them in the other's scope first",
        one.id.handle(),
        other.id.handle()
    )))
}

/// What the old memory was about and labelled with, the new one is too.
fn inherited(
    attached: &[Row],
    old: MemoryId,
    new: MemoryId,
    at: throughline_core::Timestamp,
) -> Vec<Change> {
    attached
        .iter()
        .filter_map(Row::as_edge)
        .filter(|edge| {
            edge.from == old.into() && matches!(edge.relation, Relation::Tagged | Relation::About)
        })
        .map(|edge| Change::Link(Edge::new(edge.space, new.into(), edge.relation, edge.to, at)))
        .collect()
}
