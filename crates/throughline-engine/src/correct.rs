//! Correct: the user says what is right. The old claim stays as history, the new one takes its place.

use std::collections::BTreeSet;

use throughline_core::evidence::Testimony;
use throughline_core::permission::{Act, Backing, Denial, Verdict};
use throughline_core::reconcile::{Candidate, Plan};
use throughline_core::{
    Authority, Cardinality, Cause, Change, Edge, Memory, MemoryId, Relation, Row, RowKey, Slot,
    State, text,
};
use throughline_store::SlotQuery;

use crate::flows::Keeping;
use crate::meet::{MeetingClaim, beside, meeting};
use crate::permit::{ask, demand, not_yours, standing};
use crate::relate::may_connect;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{AgentCorrection, Error, Put, Remembered, Result};

impl Keeping<'_> {
    /// Replaces a memory by what the user says is right. An agent only proposes it.
    ///
    /// The new memory keeps the old one's kind, area, labels and links to what it is about. A slot
    /// is kept only if the caller gives its new value.
    pub fn correct(&self, handle: &str, content: &str, slot: Option<&Slot>) -> Result<Remembered> {
        if self.context.door.is_agents() {
            return self.propose(handle, &AgentCorrection { content, slot, evidence: None });
        }
        let (content, redacted) = &self.engine.cleaned(self.context, content);
        let slot = slot.map(|slot| self.engine.cleaned_slot(self.context, slot));
        self.check_content(content)?;
        self.check_slot(slot.as_ref())?;
        let ((old, plan), batch) = self.engine.write(self.context, Cause::Correct, None, |tx| {
            let old = self.engine.resolve(&**tx, self.context, handle)?;
            let plan = self.put_in_place(tx, &old, content, slot.as_ref())?;
            Ok((old, plan))
        })?;
        self.remembered(old.space, plan, *redacted, batch)
    }

    /// Lets what the user says is right take the place of a memory.
    pub(crate) fn put_in_place(
        &self,
        tx: &mut Transaction<'_>,
        old: &Memory,
        content: &str,
        slot: Option<&Slot>,
    ) -> Result<Plan> {
        tx.settle(old);
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
        let testimony = Testimony {
            session: tx.session.clone(),
            why: Some(format!("corrects {}", old.id.handle())),
            ..Testimony::new(Authority::UserCorrected, tx.now)
        };
        let candidate = Candidate {
            slot: slot.cloned(),
            label: old.label.clone(),
            domain: old.domain.clone(),
            importance: Some(old.importance),
            pinned: old.pinned,
            triggers: old.triggers.clone(),
            ..tx.candidate(old.kind, content, testimony)
        };
        let anothers = standing(&**tx, old)?.anothers;
        let mut plan = take_in(tx, &candidate)?;
        if anothers {
            contest(tx, old, &mut plan);
            return Ok(plan);
        }
        if !plan.superseded.contains(&old.id) {
            uncontest(tx, old, &mut plan);
            tx.supersede(old.space, old.id, plan.memory);
            plan.superseded.push(old.id);
        }
        let attached = tx.attached(old.space, &[old.id.into()])?;
        for edge in inherited(&attached, old.id, plan.memory, tx.now) {
            let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
            if tx.rows(&[key])?[0].is_none() {
                tx.push(Change::Link(edge));
            }
        }
        Ok(plan)
    }

    /// Lets one memory take another's place. Where the caller may not, the two contradict each other
    /// and wait for a person.
    pub fn supersede(&self, old: &str, new: &str) -> Result<Put> {
        self.put_before(old, new, false)
    }

    /// Lets one memory take another's place; where it is `settled`, whoever asks has the right to.
    pub(crate) fn put_before(&self, old: &str, new: &str, settled: bool) -> Result<Put> {
        let ((new, waits), _) = self.engine.write(self.context, Cause::Supersede, None, |tx| {
            let old = self.engine.resolve(&**tx, self.context, old)?;
            let new = self.engine.resolve(&**tx, self.context, new)?;
            tx.settle(&old);
            same_space(&old, &new)?;
            if new.session.is_some() && new.session != old.session {
                return Err(Error::NotPossible(
                    "a memory of one session cannot replace one of the project or a global one"
                        .to_owned(),
                ));
            }
            let (space, at) = (old.space, tx.now);
            let asked = ask(&**tx, self.context.door, Act::Replace, Some(&old), Backing::Asserted)?;
            match asked {
                Verdict::Waits(Denial::AnotherSaid) if settled => {
                    tx.supersede(space, old.id, new.id);
                }
                Verdict::Allowed { .. } => {
                    let (old, new) = (old.id, new.id);
                    tx.push(Change::Supersede { space, old, new, at });
                }
                Verdict::Waits(why) => {
                    may_connect(&**tx, self.context.door, &new, Relation::Contradicts, &old)?;
                    let (from, to) = (new.id.into(), old.id.into());
                    let edge = Edge::new(space, from, Relation::Contradicts, to, at);
                    tx.push(Change::Link(edge));
                    return Ok((new, Some(why.to_string())));
                }
                Verdict::Refused(why) => {
                    let (old, new) = (old.id.handle(), new.id.handle());
                    return Err(not_yours(why, format!("throughline supersede {old} {new}")));
                }
            }
            Ok((new, None))
        })?;
        let card = self.engine.card_of(new.space, new.id)?;
        Ok(Put { card, waits })
    }

    /// Makes a replaced memory current again.
    pub fn unsupersede(&self, handle: &str) -> Result<crate::Card> {
        let (old, _) = self.engine.write(self.context, Cause::Unsupersede, None, |tx| {
            let old = self.engine.resolve(&**tx, self.context, handle)?;
            let by_hand = || format!("throughline unsupersede {}", old.id.handle());
            demand(&**tx, self.context.door, Act::BringBack, Some(&old), by_hand)?;
            tx.settle(&old);
            if old.state != State::Superseded {
                return Err(Error::NotPossible(format!(
                    "memory {} is {}; only a superseded one can be brought back so",
                    old.id.handle(),
                    old.state
                )));
            }
            tx.push(Change::Unsupersede { space: old.space, old: old.id });
            mark_rivals(tx, &old)?;
            Ok(old)
        })?;
        self.engine.card_of(old.space, old.id)
    }
}

/// Marks two memories as contradicting: two people disagree.
fn contest(tx: &mut Transaction<'_>, old: &Memory, plan: &mut Plan) {
    if !plan.contested.contains(&old.id) && old.id != plan.memory {
        tx.link(plan.memory, Relation::Contradicts, old.id);
        plan.contested.push(old.id);
    }
}

/// Takes back that two memories contradict each other: whoever corrects has the right to settle it.
fn uncontest(tx: &mut Transaction<'_>, old: &Memory, plan: &mut Plan) {
    let (from, to) = (plan.memory.into(), old.id.into());
    let theirs = |change: &Change| {
        matches!(change, Change::Link(edge) if edge.relation == Relation::Contradicts
            && edge.from == from && edge.to == to)
    };
    tx.rewrite(|changes| changes.retain(|change| !theirs(change)));
    plan.contested.retain(|id| *id != old.id);
}

/// Marks what gives the same single-valued slot another value, when a memory comes into view by
/// another way than being said: neither wins, and both are shown together. Refused if another
/// memory says the very same by now.
pub(crate) fn mark_rivals(tx: &mut Transaction<'_>, memory: &Memory) -> Result<()> {
    for twin in tx.with_fingerprint(memory.space, &memory.fingerprint)? {
        let says_it = twin.id != memory.id && twin.state.is_active();
        if says_it && twin.session == memory.session {
            return Err(Error::NotPossible(format!(
                "memory {} already says this; there would be two of them",
                twin.id.handle()
            )));
        }
    }
    for other in rivals(tx, memory)? {
        let (from, to) = (memory.id.into(), other.into());
        let edge = Edge::new(memory.space, from, Relation::Contradicts, to, tx.now);
        let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
        if tx.rows(&[key])?[0].is_none() {
            tx.push(Change::Link(edge));
        }
    }
    Ok(())
}

/// The current memories that give the same thing another value: in the same slot, or in the same
/// words but for the value. What a person let hold beside it is none of them.
fn rivals(tx: &Transaction<'_>, memory: &Memory) -> Result<BTreeSet<MemoryId>> {
    let mut rivals = BTreeSet::new();
    let in_slot = memory.slot.iter().map(|slot| tx.in_slot(memory.space, &SlotQuery::of(slot)));
    for other in in_slot.collect::<throughline_store::Result<Vec<_>>>()?.into_iter().flatten() {
        let (Some(slot), Some(held)) = (&memory.slot, &other.slot) else { continue };
        let single = [held.cardinality, slot.cardinality].contains(&Cardinality::One);
        let rival = other.state.is_active()
            && other.session == memory.session
            && held.value() != slot.value();
        if rival && single {
            rivals.insert(other.id);
        }
    }
    for (other, _) in meeting(tx, &MeetingClaim::by(memory))? {
        let slots = memory.slot.as_ref().zip(other.slot.as_ref());
        if slots.is_none_or(|(slot, held)| slot.key() == held.key()) {
            rivals.insert(other.id);
        }
    }
    for held in beside(&**tx, memory.space, memory.id)? {
        rivals.remove(&held);
    }
    rivals.remove(&memory.id);
    Ok(rivals)
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
) -> Vec<Edge> {
    attached
        .iter()
        .filter_map(Row::as_edge)
        .filter(|edge| {
            edge.from == old.into() && matches!(edge.relation, Relation::Tagged | Relation::About)
        })
        .map(|edge| Edge::new(edge.space, new.into(), edge.relation, edge.to, at))
        .collect()
}
