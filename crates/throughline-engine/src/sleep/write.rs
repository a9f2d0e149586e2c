//! Carrying a slice out: the writer's turn is taken for a moment, and what is still as it was seen is
//! changed.

use std::time::{Duration, Instant};

use throughline_core::permission::Door;
use throughline_core::sleep::{self, SleepMark};
use throughline_core::{
    BatchId, Cause, Change, Edge, Memory, NodeId, Relation, Row, RowKey, Table,
};
use throughline_store::Reader;

use super::plan::{SleepStep, contradiction, may_replace};
use super::since::Slice;
use crate::flows::Sleeping;
use crate::transaction::Transaction;
use crate::watch::marks_of;
use crate::{Context, Result};

/// Changes of one batch: others wait while they are written.
const CHANGES_MAX: usize = 24;
/// How long a batch is put together.
const TURN: Duration = Duration::from_millis(15);

/// What became of a slice.
pub(super) enum Carried {
    /// What was done, and the batches that undo it.
    Out { batches: Vec<BatchId>, done: Vec<SleepStep> },
    /// The mark is not where it was: somebody else has gone over this.
    Overtaken,
}

/// What one batch did.
struct Wrote {
    /// Steps that were looked at.
    looked: usize,
    /// Those of them that were carried out.
    done: Vec<usize>,
}

impl Sleeping<'_> {
    /// Writes what a slice calls for, and moves the mark with the last of it.
    pub(super) fn carry_out(&self, slice: &Slice, steps: Vec<SleepStep>) -> Result<Carried> {
        let mut batches = Vec::new();
        let mut is_done = vec![false; steps.len()];
        let mut from = 0;
        loop {
            let left = &steps[from..];
            // A mark alone is nothing that a person would take back.
            let door = if left.is_empty() { Door::Upkeep } else { self.context.door };
            let context = Context { door, ..self.context.clone() };
            let (wrote, batch) = self.engine.write(&context, Cause::Sleep, None, |tx| {
                tx.scope.space = slice.space.space;
                self.carry_out_some(tx, slice, left)
            })?;
            let Some(wrote) = wrote else { return Ok(Carried::Overtaken) };
            if !wrote.done.is_empty() {
                batches.push(batch);
            }
            for place in wrote.done {
                is_done[from + place] = true;
            }
            if from + wrote.looked == steps.len() {
                break;
            }
            from += wrote.looked;
        }
        let done = steps.into_iter().zip(is_done).filter(|(_, done)| *done);
        Ok(Carried::Out { batches, done: done.map(|(step, _)| step).collect() })
    }

    /// Fills one batch. `None` if the mark has moved.
    fn carry_out_some(
        &self,
        tx: &mut Transaction<'_>,
        slice: &Slice,
        steps: &[SleepStep],
    ) -> Result<Option<Wrote>> {
        let (space, key) = (slice.space.space, slice.space.key.clone());
        let row = RowKey { space, table: Table::Space, key: key.clone() };
        let held = tx.rows(&[row])?.remove(0).and_then(Row::into_space);
        if held.is_none_or(|held| held.slept != slice.space.slept) {
            return Ok(None);
        }
        let began = Instant::now();
        let mut wrote = Wrote { looked: 0, done: Vec::new() };
        for (place, step) in steps.iter().enumerate() {
            if tx.changes().len() >= CHANGES_MAX || began.elapsed() >= TURN {
                return Ok(Some(wrote));
            }
            wrote.looked += 1;
            let before = tx.changes().len();
            self.carry_out_step(tx, step)?;
            if tx.changes().len() > before {
                wrote.done.push(place);
            }
        }
        if let Some(mark) = slice.mark {
            let mark = SleepMark { at: tx.now, ..mark };
            tx.push(Change::Slept { space, key, mark });
        }
        Ok(Some(wrote))
    }

    fn carry_out_step(&self, tx: &mut Transaction<'_>, step: &SleepStep) -> Result<()> {
        let (space, at) = (tx.scope.space, tx.now);
        match step {
            SleepStep::Replace { old, new }
                if stand(&**tx, &[old, new])? && may_replace(&**tx, old, new)? =>
            {
                let (old, new) = (old.id, new.id);
                tx.push(Change::Supersede { space, old, new, at });
            }
            SleepStep::Contest { old, new } if stand(&**tx, &[old, new])? => {
                if tx.rows(&[contradiction(old, new)])?[0].is_none() {
                    let (old, new) = (old.id.into(), new.id.into());
                    let edge = Edge::new(space, new, Relation::Contradicts, old, at);
                    tx.push(Change::Link(edge));
                }
            }
            SleepStep::Merge { kept, dropped }
                if stand(&**tx, &[kept, dropped])? && may_replace(&**tx, dropped, kept)? =>
            {
                hand_over(tx, dropped, kept)?;
                let (old, new) = (dropped.id, kept.id);
                tx.push(Change::Supersede { space, old, new, at });
            }
            SleepStep::Learn { old, new } if stand(&**tx, &[old, new])? => {
                let marks = marks_of(&**tx, space, old.id)?;
                self.engine.watching(self.context).learn_from_replacement(tx, old, new, &marks)?;
            }
            SleepStep::Bind { memory, changes } if stand(&**tx, &[memory])? => {
                if marks_of(&**tx, space, memory.id)?.is_empty() {
                    tx.extend(changes.iter().cloned());
                }
            }
            SleepStep::Raise { session, memories } => {
                let keys: Vec<RowKey> =
                    memories.iter().map(|id| RowKey::memory(space, *id)).collect();
                let rows = tx.rows(&keys)?;
                let there = memories.iter().zip(rows).filter(|(_, row)| row.is_some());
                let memories: Vec<_> = there.map(|(id, _)| *id).collect();
                let session = Some(session.clone());
                if !memories.is_empty() {
                    tx.push(Change::Use { space, memories, session, at });
                }
            }
            // Changed since it was thought about: whoever changed it left it in the log.
            SleepStep::Replace { .. }
            | SleepStep::Contest { .. }
            | SleepStep::Merge { .. }
            | SleepStep::Learn { .. }
            | SleepStep::Bind { .. } => {}
        }
        Ok(())
    }
}

/// Whether memories are still what was seen of them.
pub(super) fn stand(reader: &dyn Reader, seen: &[&Memory]) -> Result<bool> {
    let keys: Vec<RowKey> = seen.iter().map(|one| RowKey::memory(one.space, one.id)).collect();
    let now = reader.rows(&keys)?;
    Ok(seen.iter().zip(now).all(|(seen, row)| {
        row.and_then(Row::into_memory).is_some_and(|now| sleep::is_as_seen(seen, &now))
    }))
}

/// What is attached to a memory is attached to what takes its place: evidence, bindings, and
/// connections both ways, so that nothing rests on what is no longer told.
pub(super) fn hand_over(tx: &mut Transaction<'_>, dropped: &Memory, kept: &Memory) -> Result<()> {
    let (space, old, new) = (kept.space, NodeId::Memory(dropped.id), NodeId::Memory(kept.id));
    for row in tx.attached(space, &[old])? {
        match row {
            Row::Evidence(mut one) => {
                one.memory = kept.id;
                tx.push(Change::Reinforce(one));
            }
            Row::Watermark(mut mark) => {
                mark.memory = kept.id;
                if tx.rows(&[RowKey::watermark(space, kept.id, &mark.referent)])?[0].is_none() {
                    tx.push(Change::Watch(mark));
                }
            }
            Row::Edge(edge) if edge.relation != Relation::Supersedes => {
                let moved = |end: NodeId| if end == old { new } else { end };
                let next = Edge { from: moved(edge.from), to: moved(edge.to), ..edge.clone() };
                let key = RowKey::edge(space, next.from, next.relation, next.to);
                if next.from != next.to && tx.rows(&[key])?[0].is_none() {
                    tx.push(Change::Link(next));
                }
                if edge.to == old {
                    let Edge { from, relation, to, .. } = edge;
                    tx.push(Change::Unlink { space, from, relation, to });
                }
            }
            Row::Edge(_)
            | Row::Space(_)
            | Row::Memory(_)
            | Row::Usage(_)
            | Row::Entity(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Leaf(_)
            | Row::Pending(_) => {}
        }
    }
    Ok(())
}
