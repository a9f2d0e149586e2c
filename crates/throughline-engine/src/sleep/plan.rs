//! What a slice calls for, thought over while others write.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::permission::{self, Act, Backing, Door};
use throughline_core::sleep::{self, ValueChoice};
use throughline_core::{Change, Kind, Memory, MemoryId, RowKey, SessionId};
use throughline_language::echo::{self, SessionText};
use throughline_store::{Reader, SlotQuery};

use super::active;
use super::since::{Shown, Slice};
use crate::Result;
use crate::apply::REASON_IMPORTANCE;
use crate::flows::Sleeping;
use crate::meet::is_decided;
use crate::permit::{ask, of_one_person, standing};
use crate::transaction::Transaction;
use crate::watch::{Stated, marks_of};

/// Memories that name something that was not there, and that are looked at again, at most.
const UNRESOLVED_MAX: usize = 64;

/// One thing to do, with what it was decided about.
pub(super) enum SleepStep {
    /// The newer one takes the older one's place.
    Replace { old: Memory, new: Memory },
    /// They contradict each other, and a person decides.
    Contest { old: Memory, new: Memory },
    /// They say the same words.
    Merge { kept: Memory, dropped: Memory },
    /// Something was inferred and turned out otherwise.
    Learn { old: Memory, new: Memory },
    /// What it names is there by now.
    Bind { memory: Memory, changes: Vec<Change> },
    /// They stood in what the agent answered.
    Raise { session: SessionId, memories: Vec<MemoryId> },
}

/// Steps so far, and what they take out of view.
#[derive(Default)]
struct SleepSteps {
    all: Vec<SleepStep>,
    gone: BTreeSet<MemoryId>,
}

impl SleepSteps {
    fn takes_out(&mut self, id: MemoryId, step: SleepStep) {
        self.gone.insert(id);
        self.all.push(step);
    }
}

impl Sleeping<'_> {
    /// Decides what to do about a slice.
    pub(super) fn plan_slice(&self, reader: &dyn Reader, slice: &Slice) -> Result<Vec<SleepStep>> {
        let memories = active(reader, slice.space.space, &slice.memories)?;
        let mut steps = SleepSteps::default();
        settle_conflicts(reader, &memories, &mut steps)?;
        merge_repeated(reader, &memories, &mut steps)?;
        self.learn_again(reader, slice, &mut steps)?;
        self.bind_again(reader, &memories, &mut steps)?;
        if !slice.more {
            // What names something that is not there is looked at every time.
            let mut lacking = reader.unresolved(&[slice.space.space], UNRESOLVED_MAX)?;
            lacking.retain(|one| !slice.memories.contains(&one.id));
            self.bind_again(reader, &lacking, &mut steps)?;
        }
        raise_useful(reader, slice, &mut steps)?;
        Ok(steps.all)
    }

    /// Lessons from what was replaced without one being drawn.
    fn learn_again(
        &self,
        reader: &dyn Reader,
        slice: &Slice,
        steps: &mut SleepSteps,
    ) -> Result<()> {
        let space = slice.space.space;
        for (old, new) in &slice.replaced {
            let keys = [RowKey::memory(space, *old), RowKey::memory(space, *new)];
            let mut rows = reader.rows(&keys)?.into_iter().map(|row| row?.into_memory());
            let (Some(Some(old)), Some(Some(new))) = (rows.next(), rows.next()) else { continue };
            if old.superseded_by != Some(new.id) {
                continue;
            }
            let marks = marks_of(reader, space, old.id)?;
            let mut tx = Transaction::aside(reader, self.engine.now(), &old);
            if self
                .engine
                .watching(self.context)
                .learn_from_replacement(&mut tx, &old, &new, &marks)?
                .is_some()
            {
                steps.all.push(SleepStep::Learn { old, new });
            }
        }
        Ok(())
    }

    /// Binds what names something that is there by now.
    fn bind_again(
        &self,
        reader: &dyn Reader,
        memories: &[Memory],
        steps: &mut SleepSteps,
    ) -> Result<()> {
        for memory in memories.iter().filter(|one| one.importance > REASON_IMPORTANCE) {
            if steps.gone.contains(&memory.id)
                || !marks_of(reader, memory.space, memory.id)?.is_empty()
            {
                continue;
            }
            let mut tx = Transaction::aside(reader, self.engine.now(), memory);
            if memory.unresolved.is_some()
                && self.engine.watching(self.context).names_what_is_there(memory)
            {
                let found = Memory { unresolved: None, ..memory.clone() };
                tx.push(Change::Revise(Box::new(found)));
            }
            let stated = Stated {
                memory: memory.id,
                content: &memory.content,
                kind: memory.kind,
                by_user: memory.authority.is_user(),
                turns: &[],
            };
            self.engine.watching(self.context).watch_by_words(
                &mut tx,
                &self.context.project.root,
                &stated,
            )?;
            if !tx.changes().is_empty() {
                let (memory, changes) = (memory.clone(), tx.into_changes());
                steps.all.push(SleepStep::Bind { memory, changes });
            }
        }
        Ok(())
    }
}

/// What gives one thing two values, and was let in by another way than being said.
fn settle_conflicts(
    reader: &dyn Reader,
    memories: &[Memory],
    steps: &mut SleepSteps,
) -> Result<()> {
    let mut settled: BTreeSet<(MemoryId, MemoryId)> = BTreeSet::new();
    for memory in memories {
        let Some(slot) = &memory.slot else { continue };
        for other in reader.in_slot(memory.space, &SlotQuery::of(slot))? {
            let Some((old, new, verdict)) = sleep::settle(memory, &other) else { continue };
            let gone = [old.id, new.id].iter().any(|id| steps.gone.contains(id));
            if gone || !settled.insert((old.id, new.id)) || is_decided(reader, old, new)? {
                continue;
            }
            let (old, new) = (old.clone(), new.clone());
            match verdict {
                ValueChoice::Replace if may_replace(reader, &old, &new)? => {
                    steps.takes_out(old.id, SleepStep::Replace { old, new });
                }
                ValueChoice::Replace | ValueChoice::Contest => {
                    let key = contradiction(&old, &new);
                    if reader.rows(&[key])?[0].is_none() {
                        steps.all.push(SleepStep::Contest { old, new });
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether one memory may take another's place while nobody looks: what a person said only gives way
/// to what a person said.
pub(super) fn may_replace(reader: &dyn Reader, old: &Memory, new: &Memory) -> Result<bool> {
    let by_user = standing(reader, new)?.by_person;
    let backing = if by_user { Backing::UserTurn } else { Backing::Asserted };
    let verdict = ask(reader, Door::Upkeep, Act::Replace, Some(old), backing)?;
    let allowed = matches!(verdict, permission::Verdict::Allowed { .. });
    // Two people who disagree settle it themselves; the same words are no disagreement.
    let agree = old.fingerprint == new.fingerprint;
    Ok(allowed && (agree || of_one_person(reader, old, new)?))
}

/// The edge that says that two memories contradict each other.
pub(super) fn contradiction(old: &Memory, new: &Memory) -> RowKey {
    let relation = throughline_core::Relation::Contradicts;
    let (from, to) = relation.in_order(new.id.into(), old.id.into());
    RowKey::edge(old.space, from, relation, to)
}

/// What says the same words becomes one memory, with all the evidence.
fn merge_repeated(reader: &dyn Reader, memories: &[Memory], steps: &mut SleepSteps) -> Result<()> {
    for memory in memories {
        for other in reader.with_fingerprint(memory.space, &memory.fingerprint)? {
            let Some((kept, dropped)) = sleep::same(memory, &other) else { continue };
            let gone = [kept.id, dropped.id].iter().any(|id| steps.gone.contains(id));
            if gone || !may_replace(reader, dropped, kept)? {
                continue;
            }
            let (kept, dropped) = (kept.clone(), dropped.clone());
            steps.takes_out(dropped.id, SleepStep::Merge { kept, dropped });
        }
    }
    Ok(())
}

/// What was put in front of an agent and stood in its answers proved useful.
fn raise_useful(reader: &dyn Reader, slice: &Slice, steps: &mut SleepSteps) -> Result<()> {
    // By session and memory: when it was shown.
    let mut shown: BTreeMap<&SessionId, BTreeMap<MemoryId, Vec<&Shown>>> = BTreeMap::new();
    for one in &slice.shown {
        let of = shown.entry(&one.session).or_default();
        for id in &one.memories {
            of.entry(*id).or_default().push(one);
        }
    }
    for (session, memories) in shown {
        let answers: Vec<SessionText<'_>> = slice
            .answers
            .iter()
            .filter(|answer| answer.session == *session)
            .map(|answer| SessionText { text: &answer.text, at: answer.at, new: answer.new })
            .collect();
        if answers.is_empty() {
            continue;
        }
        let ids: BTreeSet<MemoryId> = memories.keys().copied().collect();
        let mut useful = Vec::new();
        for memory in active(reader, slice.space.space, &ids)? {
            let times: Vec<SessionText<'_>> = memories[&memory.id]
                .iter()
                .map(|one| SessionText { text: &memory.content, at: one.at, new: one.new })
                .collect();
            if memory.kind != Kind::Gap && echo::proved_useful(&times, &answers) {
                useful.push(memory.id);
            }
        }
        if !useful.is_empty() {
            let session = session.clone();
            steps.all.push(SleepStep::Raise { session, memories: useful });
        }
    }
    Ok(())
}
