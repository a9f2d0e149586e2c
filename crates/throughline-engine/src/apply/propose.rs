//! Applying what a model proposes: through the same rules as everything, and with less trust.
//!
//! The model read some time ago. Whatever was written since stands: an operation that would touch it
//! waits for a person, as does one that would put its word above somebody's who ranks higher.

use std::collections::BTreeSet;

use throughline_core::Speaker;
use throughline_core::patch::{Operation, Refused};
use throughline_core::permission::{self, Act, Door, Request, Verdict};
use throughline_core::{Authority, Change, Memory, MemoryId, NodeId, Row, RowKey};
use throughline_language::proposal::{ModelProposal, Sound};
use throughline_store::Reader;

use super::{Applied, PatchGround, TurnSource, backing_of, last_word, put_off, turn_of, wait};
use crate::NamedBy;
use crate::clean::clean_texts_of;
use crate::flows::Keeping;
use crate::permit::ask;
use crate::transaction::Transaction;
use crate::{Error, Result};

/// A proposal, and what it was made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposed<'a> {
    /// What a model proposes.
    pub(crate) proposal: &'a ModelProposal,
    /// What it rests on.
    pub(crate) ground: PatchGround<'a>,
    /// The number of the latest change when the model was shown what is known.
    pub(crate) seen: u64,
}

/// The rank of what a model makes of somebody's words: never above what they would have.
pub(crate) fn rank_by_model(speaker: Speaker) -> Authority {
    let (door, act, backing) = (Door::Model, Act::Remember, backing_of(speaker));
    match permission::judge(Request { door, act, target: None, backing }) {
        Verdict::Allowed { rank } => rank,
        Verdict::Waits(_) | Verdict::Refused(_) => Authority::External,
    }
}

impl Keeping<'_> {
    /// Adds what a model proposes to a transaction; what does not hold up is kept for a person.
    pub(crate) fn apply_proposal(
        &self,
        tx: &mut Transaction<'_>,
        proposed: &Proposed<'_>,
    ) -> Result<Applied> {
        let mut applied = Applied::default();
        let operations: Vec<Operation> =
            proposed.proposal.sound.iter().map(|one| one.operation.clone()).collect();
        let last = last_word::of(&operations);
        for (operation, sound) in operations.iter().zip(&proposed.proposal.sound) {
            if last.iter().any(|one| std::ptr::eq(*one, operation)) {
                self.apply_sound(tx, sound, proposed, &mut applied)?;
            }
        }
        for Refused { operation, why } in &proposed.proposal.refused {
            let mut raw = operation.clone();
            clean_texts_of(&self.engine.home, tx.session.as_ref(), NamedBy::Others, [&mut raw]);
            wait(tx, &raw, why, Speaker::Assistant)?;
            applied.deferred += 1;
        }
        Ok(applied)
    }

    fn apply_sound(
        &self,
        tx: &mut Transaction<'_>,
        sound: &Sound,
        proposed: &Proposed<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let Some(operation) = self.without_secrets(&sound.operation, tx) else { return Ok(()) };
        // Said in the speaker that it needs, which may be a weaker one than it quotes.
        let mut sources: Vec<TurnSource> = proposed.ground.sources.to_vec();
        if let Some(source) = turn_of(&operation).and_then(|turn| sources.get_mut(turn)) {
            source.speaker = sound.speaker;
        }
        let ground = PatchGround { sources: &sources, by_model: true, ..proposed.ground };
        let before = tx.changes().len();
        let waits = self.apply_whole(tx, applied, |tx, applied| {
            is_as_seen(tx, &operation, proposed.seen)?;
            self.repeats_what_is_gone(tx, &operation)?;
            self.apply_one(tx, &operation, &ground, applied)?;
            self.check_made(tx, before, sound.speaker, proposed.seen)
        })?;
        match waits {
            None => drop_told_twice(tx, before),
            Some(why) => put_off(tx, &operation, &format!("a model proposed it: {why}"), &ground),
        }
    }

    /// The same without secrets: whatever a model writes is as strange as what a tool prints.
    fn without_secrets(&self, operation: &Operation, tx: &Transaction<'_>) -> Option<Operation> {
        let mut json = serde_json::to_string(operation).ok()?;
        let home = &self.engine.home;
        let found = clean_texts_of(home, tx.session.as_ref(), NamedBy::Others, [&mut json]);
        if found == 0 { Some(operation.clone()) } else { serde_json::from_str(&json).ok() }
    }

    /// What was replaced or taken back does not come in again because a model reads of it late.
    fn repeats_what_is_gone(&self, tx: &Transaction<'_>, operation: &Operation) -> Result<()> {
        let said = match operation {
            Operation::Remember(new) => &new.content,
            Operation::Correct(put_right) => &put_right.right,
            Operation::Retract(_)
            | Operation::Archive(_)
            | Operation::Know { .. }
            | Operation::Relate(_)
            | Operation::Settle(_)
            | Operation::Summarize(_)
            | Operation::Artifact(_) => return Ok(()),
        };
        match self.gone_saying(&**tx, tx.scope.space, tx.session.as_ref(), said)? {
            Some(gone) => Err(Error::NotPossible(format!(
                "it repeats {}, which was replaced or taken back",
                gone.id.handle()
            ))),
            None => Ok(()),
        }
    }

    /// Looks at what an operation would do: nothing that changed since the model looked, and
    /// nothing that somebody said who ranks higher, is touched.
    fn check_made(
        &self,
        tx: &Transaction<'_>,
        from: usize,
        speaker: Speaker,
        seen: u64,
    ) -> Result<()> {
        let new = &tx.changes()[from..];
        let made: BTreeSet<MemoryId> = tx.changes().iter().filter_map(inserted).collect();
        for (id, retires) in new.iter().filter_map(touched) {
            if made.contains(&id) {
                continue;
            }
            unchanged(tx, id, seen)?;
            let key = RowKey::memory(tx.scope.space, id);
            let held = tx.rows(&[key])?.remove(0).and_then(Row::into_memory);
            let Some(held) = held.filter(|_| retires) else { continue };
            if !may_retire(&**tx, speaker, &held)? {
                return Err(Error::NotPossible(format!(
                    "it would take the place of {}, which is {}",
                    id.handle(),
                    held.authority
                )));
            }
        }
        Ok(())
    }
}

/// A memory that an operation names must be the one that the model was shown.
fn is_as_seen(tx: &Transaction<'_>, operation: &Operation, seen: u64) -> Result<()> {
    let named = match operation {
        Operation::Correct(put_right) => &put_right.wrong,
        Operation::Retract(back) | Operation::Archive(back) => &back.what,
        Operation::Remember(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => return Ok(()),
    };
    let Ok(id) = named.parse::<MemoryId>() else { return Ok(()) };
    unchanged(tx, id, seen)
}

/// Fails if a memory was written to since the model looked.
fn unchanged(tx: &Transaction<'_>, id: MemoryId, seen: u64) -> Result<()> {
    let key = RowKey::memory(tx.scope.space, id);
    match tx.next_touch(&key, &[id.into()], seen)? {
        Some(_) => Err(Error::NotPossible(format!(
            "{} was changed while the model was reading",
            id.handle()
        ))),
        None => Ok(()),
    }
}

/// Whether a model that read somebody's words may retire a memory.
pub(crate) fn may_retire(reader: &dyn Reader, speaker: Speaker, held: &Memory) -> Result<bool> {
    let verdict = ask(reader, Door::Model, Act::Replace, Some(held), backing_of(speaker))?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// The memory that a change brings in.
fn inserted(change: &Change) -> Option<MemoryId> {
    if let Change::Insert(memory) = change { Some(memory.id) } else { None }
}

/// The memory that a change alters, and whether it takes it out of view.
fn touched(change: &Change) -> Option<(MemoryId, bool)> {
    if let Change::Supersede { old, .. } = change {
        Some((*old, true))
    } else if let Change::Move { id, to, .. } = change {
        Some((*id, !to.is_active()))
    } else if let Change::Revise(memory) = change {
        Some((memory.id, false))
    } else {
        None
    }
}

/// Evidence from a turn that is evidence already is not more of it.
fn drop_told_twice(tx: &mut Transaction<'_>, from: usize) -> Result<()> {
    let new = tx.changes()[from..].to_vec();
    tx.roll_back(from);
    for change in new {
        if let Change::Reinforce(evidence) = &change
            && evidence.turn.is_some()
        {
            let node = NodeId::Memory(evidence.memory);
            let known =
                tx.attached(evidence.space, &[node])?.into_iter().filter_map(Row::into_evidence);
            let mut known = known.filter(|one| one.memory == evidence.memory);
            if known.any(|one| one.turn == evidence.turn) {
                continue;
            }
        }
        tx.push(change);
    }
    Ok(())
}
