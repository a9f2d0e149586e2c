//! Tending: what nobody needs leaves view or goes to the cold tier, what is needed comes back, and what proved itself
//! is proposed for a flat file. Visibility only: the rules are in `throughline_attention::lifecycle`.
//!
//! All memories are gone over once on every day of work, in slices that go on where the last one stopped.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use throughline_attention::lifecycle::{LifecycleMove, Tier, next_move};
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::state::Flag;
use throughline_core::{
    Cause, Change, Kind, Memory, Row, RowKey, SpaceId, State, Timestamp, evidence, salience,
};
use throughline_store::{Reader, TextOf};

use super::write::stand;
use super::{Run, Until};
use crate::flows::Sleeping;
use crate::graduate::Proposal;
use crate::journal::file;
use crate::permit::ask;
use crate::transaction::Transaction;
use crate::{Card, Context, Result};

/// Memories that are looked at in one go.
const AT_ONCE: usize = 128;
/// Changes of one batch: others wait while they are written.
const CHANGES_MAX: usize = 24;
/// The states that disuse moves a memory out of.
const CURRENT: [State; 2] = [State::Staged, State::Confirmed];

/// What tending did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tended {
    /// Memories that were looked at.
    pub looked: usize,
    /// Those on probation that enough sources stand behind by now.
    pub confirmed: usize,
    /// Those that have run out.
    pub expired: usize,
    /// Those that were put away.
    pub archived: usize,
    /// Those that went to the cold tier.
    pub cooled: usize,
    /// Those that came back from it.
    pub warmed: usize,
    /// Lines that were proposed for a flat file, or for leaving one.
    pub proposed: usize,
}

impl Tended {
    /// How many things were done.
    pub fn total(&self) -> usize {
        self.confirmed + self.expired + self.archived + self.cooled + self.warmed + self.proposed
    }

    fn count(&mut self, step: &TendStep) {
        match step {
            TendStep::Confirm(_) => self.confirmed += 1,
            TendStep::Move(_, LifecycleMove::Expire) => self.expired += 1,
            TendStep::Move(_, LifecycleMove::Archive) => self.archived += 1,
            TendStep::Move(_, LifecycleMove::Change(Tier::Cold)) => self.cooled += 1,
            TendStep::Move(_, LifecycleMove::Change(Tier::Hot)) => self.warmed += 1,
            TendStep::Propose(..) => self.proposed += 1,
        }
    }
}

/// One thing to do, with the memory as it was seen.
enum TendStep {
    Confirm(Memory),
    Move(Memory, LifecycleMove),
    Propose(Memory, Proposal),
}

/// How far tending has come in a space. It only saves work: without it everything is gone over again, and what was
/// done already needs nothing more.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct TendMark {
    /// The day on which everything was gone over.
    done_on: Option<i64>,
    /// The document at which the next slice begins.
    next: u32,
}

impl Sleeping<'_> {
    /// Goes over all memories within reach: all of them at once, or what is left of today's round while there is time.
    pub(super) fn tend(&self, until: &Until, run: &mut Run) -> Result<()> {
        if !self.engine.policy.lifecycle.enabled {
            return Ok(());
        }
        let today = self.engine.now().day();
        let mut spaces = vec![self.context.project.space(), SpaceId::GLOBAL];
        spaces.dedup();
        for space in spaces {
            let whole = matches!(until, Until::Done);
            let mut mark = if whole { TendMark::default() } else { self.tend_mark(space) };
            if mark.done_on == Some(today) {
                continue;
            }
            while let Some(next) = self.tend_slice(space, mark.next, run)? {
                mark.next = next;
                self.keep_tend_mark(space, mark, run);
                if matches!(until, Until::Time(end) if Instant::now() >= *end) {
                    return Ok(());
                }
            }
            mark = TendMark { done_on: Some(today), next: 0 };
            self.keep_tend_mark(space, mark, run);
        }
        Ok(())
    }

    /// Goes over some memories. Returns where the next slice begins, or nothing if there is none.
    fn tend_slice(&self, space: SpaceId, from: u32, run: &mut Run) -> Result<Option<u32>> {
        let (steps, next) = {
            let reader = self.engine.now_reader()?;
            let index = self.engine.indexes.present(&*reader, space, TextOf::Memories)?;
            let all = from..u32::try_from(index.len()).unwrap_or(u32::MAX);
            let here = all.filter(|number| index.is_in(*number as usize, &CURRENT));
            let numbers: Vec<u32> = here.take(AT_ONCE).collect();
            let Some(last) = numbers.last() else { return Ok(None) };
            let nodes = numbers.iter().filter_map(|number| index.node(*number));
            let keys: Vec<RowKey> = nodes.map(|node| RowKey::node(space, node)).collect();
            let rows = reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory);
            let memories: Vec<Memory> = rows.filter(|one| one.kind != Kind::Gap).collect();
            run.slept.tended.looked += memories.len();
            (self.plan_tending(&*reader, space, &memories)?, last + 1)
        };
        if run.dry.is_some() {
            steps.iter().for_each(|step| run.slept.tended.count(step));
        } else {
            for some in steps.chunks(CHANGES_MAX) {
                self.carry_out_tending(space, some, run)?;
            }
        }
        Ok(Some(next))
    }

    fn plan_tending(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        memories: &[Memory],
    ) -> Result<Vec<TendStep>> {
        let days = reader.active_days(space)?;
        let now = self.engine.now();
        let since = |at: Timestamp| salience::idle_days(&days, at, now);
        let cards = self.engine.cards(reader, memories)?;
        let mut steps = Vec::new();
        for card in &cards {
            if is_borne_out(card) {
                steps.push(TendStep::Confirm(card.memory.clone()));
                continue;
            }
            let policy = &self.engine.policy.lifecycle;
            let done_for = card.memory.done_at.map(since);
            let facts = card.lifecycle_facts();
            let next = next_move(&card.memory, &card.usage, &facts, done_for, policy);
            if let Some(next) = next
                && may_move(reader, &card.memory, next)?
            {
                steps.push(TendStep::Move(card.memory.clone(), next));
            }
            if !matches!(next, Some(LifecycleMove::Expire | LifecycleMove::Archive))
                && let Some(proposal) = self.proposal(reader, card)?
            {
                steps.push(TendStep::Propose(card.memory.clone(), proposal));
            }
        }
        Ok(steps)
    }

    /// What a memory is worth proposing for, if anything. Global memories belong to no project's file.
    fn proposal(&self, reader: &dyn Reader, card: &Card) -> Result<Option<Proposal>> {
        if card.memory.space == SpaceId::GLOBAL {
            return Ok(None);
        }
        self.engine.reviewing(self.context).to_propose(reader, card)
    }

    fn carry_out_tending(&self, space: SpaceId, steps: &[TendStep], run: &mut Run) -> Result<()> {
        let context = Context { session: None, ..self.context.clone() };
        let (done, batch) = self.engine.write(&context, Cause::Sleep, None, |tx| {
            tx.scope.space = space;
            let mut done = Vec::new();
            for (place, step) in steps.iter().enumerate() {
                let before = tx.changes().len();
                tend_one(tx, step)?;
                if tx.changes().len() > before {
                    done.push(place);
                }
            }
            Ok(done)
        })?;
        if !done.is_empty() {
            run.slept.batches.push(batch);
        }
        done.iter().for_each(|place| run.slept.tended.count(&steps[*place]));
        Ok(())
    }

    fn tend_mark_path(&self, space: SpaceId) -> PathBuf {
        self.engine.home.join("tended").join(format!("{}.json", space.0))
    }

    fn tend_mark(&self, space: SpaceId) -> TendMark {
        let kept = std::fs::read(self.tend_mark_path(space)).ok();
        kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Notes how far it has come. What cannot be noted is only gone over again.
    fn keep_tend_mark(&self, space: SpaceId, mark: TendMark, run: &Run) {
        if run.dry.is_none()
            && let Ok(bytes) = serde_json::to_vec(&mark)
        {
            file::replace_lightly(&self.tend_mark_path(space), &bytes).ok();
        }
    }
}

/// Whether a memory on probation has enough sources behind it by now, and nothing speaks against it. Evidence that came
/// by a merge or an import was never counted where it came in.
fn is_borne_out(card: &Card) -> bool {
    let doubts = [Flag::Contested, Flag::Stale, Flag::Speculative];
    card.memory.state == State::Staged
        && evidence::confirms(&card.evidence)
        && !card.flags.iter().any(|flag| doubts.contains(flag))
}

/// Whether the program may do that to a memory while nobody looks.
fn may_move(reader: &dyn Reader, memory: &Memory, next: LifecycleMove) -> Result<bool> {
    if matches!(next, LifecycleMove::Change(_)) {
        return Ok(true);
    }
    let verdict = ask(reader, Door::Upkeep, Act::Archive, Some(memory), Backing::Asserted)?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// Does one thing to a memory that is still as it was seen.
fn tend_one(tx: &mut Transaction<'_>, step: &TendStep) -> Result<()> {
    let (TendStep::Confirm(memory) | TendStep::Move(memory, _) | TendStep::Propose(memory, _)) =
        step;
    if !stand(&**tx, &[memory])? {
        return Ok(());
    }
    let (space, id, at) = (memory.space, memory.id, tx.now);
    match step {
        TendStep::Confirm(_) => {
            tx.push(Change::Move { space, id, to: State::Confirmed, at });
        }
        TendStep::Move(_, LifecycleMove::Expire) => {
            tx.push(Change::Move { space, id, to: State::Expired, at });
        }
        TendStep::Move(_, LifecycleMove::Archive) => {
            tx.push(Change::Move { space, id, to: State::Archived, at });
        }
        TendStep::Move(_, LifecycleMove::Change(tier)) => {
            let row = tx.rows(&[RowKey::memory(space, id)])?.remove(0);
            if let Some(held) = row.and_then(Row::into_memory) {
                let cold = *tier == Tier::Cold;
                tx.push(Change::Revise(Box::new(Memory { cold, ..held })));
            }
        }
        TendStep::Propose(_, proposal) => proposal.defer(tx)?,
    }
    Ok(())
}
