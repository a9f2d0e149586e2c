//! Sleep: what came in since the last time is gone over once more, away from anybody who waits.
//!
//! The cheap class: settle what contradicts, put together what says the same words, learn from what
//! turned out wrong, bind what can be bound, count what proved useful.
//!
//! It goes in slices. Each reads a bounded part of the log after the mark, thinks about it over a
//! snapshot while others write, and then takes the writer's turn for a moment: what is still as it
//! was seen is changed, and the mark moves in the same batch. Whoever has time does some slices;
//! the next one goes on where the mark is.
//!
//! The deep class (`deep`) organises what is known, now and then.

mod begin;
mod boxes;
mod clashes;
mod clusters;
mod deep;
mod guidelines;
mod labels;
mod names;
mod plan;
mod profiles;
mod related;
mod since;
mod slots;
mod tags;
mod tend;
mod write;

use std::collections::BTreeSet;
use std::time::Instant;

use throughline_core::{BatchId, Change, Memory, MemoryId, RowKey, SpaceId, text};
use throughline_store::Reader;

use crate::Result;
use crate::flows::Sleeping;
pub use boxes::{Boxing, TopicBox};
use plan::SleepStep;
use since::Slice;
pub use tend::Tended;
use write::Carried;

pub(crate) use deep::sleep_check;
pub use deep::{DEEP_BESIDE_MAX, DeepDue, DeepSlept, PassReport};

/// What a sleep had before it, did, and left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slept {
    /// What undoes it, a batch for each slice that changed something, in order.
    pub batches: Vec<BatchId>,
    /// What it went over.
    pub inputs: Inputs,
    /// What was done about it.
    pub done: Done,
    /// What was left alone, and why.
    pub skipped: Vec<String>,
    /// What was put into boxes.
    pub boxes: Boxing,
    /// What still waits.
    pub left: WaitingForSleep,
    /// What became of memories by disuse and by use.
    pub tended: Tended,
}

/// What came in since the last sleep and was not gone over yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingForSleep {
    /// Turns.
    pub turns: u64,
    /// Memories that are new, said again or changed.
    pub memories: u64,
}

impl WaitingForSleep {
    /// Whether anything waits.
    pub fn anything(self) -> bool {
        self != Self::default()
    }
}

impl std::fmt::Display for WaitingForSleep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = [(self.turns, "turn"), (self.memories, "memory")];
        let told = named.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, noun)| text::plural(count, noun)).collect();
        f.write_str(&told.join(" and "))
    }
}

/// What came in since the last sleep and was gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inputs {
    /// Turns.
    pub episodes: usize,
    /// Memories that are new, said again or changed.
    pub memories: usize,
    /// Memories that were replaced.
    pub replaced: usize,
    /// Times that memories were put in front of an agent.
    pub shown: usize,
}

impl Inputs {
    fn add(&mut self, other: Self) {
        self.episodes += other.episodes;
        self.memories += other.memories;
        self.replaced += other.replaced;
        self.shown += other.shown;
    }
}

/// What a sleep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Memories that another one took the place of.
    pub superseded: usize,
    /// Pairs that were marked as contradicting.
    pub contested: usize,
    /// Memories that said what another says, in the same words.
    pub merged: usize,
    /// Lessons that were drawn.
    pub lessons: usize,
    /// Memories that were tied to what they depend on.
    pub bound: usize,
    /// Memories that proved useful.
    pub raised: usize,
}

impl Done {
    /// How many things were done.
    pub fn total(&self) -> usize {
        self.superseded + self.contested + self.merged + self.lessons + self.bound + self.raised
    }

    fn count(&mut self, step: &SleepStep) {
        match step {
            SleepStep::Replace { .. } => self.superseded += 1,
            SleepStep::Contest { .. } => self.contested += 1,
            SleepStep::Merge { .. } => self.merged += 1,
            SleepStep::Learn { .. } => self.lessons += 1,
            SleepStep::Bind { changes, .. } => {
                let binds = |change: &Change| matches!(change, Change::Watch(_));
                self.bound += usize::from(changes.iter().any(binds));
            }
            SleepStep::Raise { memories, .. } => self.raised += memories.len(),
        }
    }
}

/// How far a sleep goes.
enum Until {
    /// Until nothing waits.
    Done,
    /// No slice but the first is begun after this.
    Time(Instant),
}

/// One run, which may take many slices.
#[derive(Default)]
struct Run {
    slept: Slept,
    /// Memories that were gone over, each counted once.
    memories: BTreeSet<MemoryId>,
    /// Where the next slice begins, if nothing is written.
    dry: Option<u64>,
}

impl Sleeping<'_> {
    /// Goes over everything that waits. `progress` hears after each slice what was done so far.
    pub fn sleep(&self, progress: &mut dyn FnMut(&Slept)) -> Result<Slept> {
        self.sleep_slices(&Until::Done, Run::default(), progress)
    }

    /// Goes over what waits for as long as there is time, and over one slice at least.
    pub fn sleep_until(&self, until: Instant) -> Result<Slept> {
        self.sleep_slices(&Until::Time(until), Run::default(), &mut |_| ())
    }

    /// What a sleep would do. Writes nothing.
    pub fn sleep_dry(&self) -> Result<Slept> {
        let begin = Run { dry: Some(0), ..Run::default() };
        self.sleep_slices(&Until::Done, begin, &mut |_| ())
    }

    /// How much of a project waits to be slept over.
    pub fn waiting_for_sleep(&self) -> Result<WaitingForSleep> {
        let reader = self.engine.now_reader()?;
        let space = self.context.project.space();
        let slept_to = since::slept_to(&*reader, space)?;
        Ok(WaitingForSleep {
            turns: reader.turns_after(space, slept_to)?,
            memories: reader.memories_after(space, slept_to)?,
        })
    }

    fn sleep_slices(
        &self,
        until: &Until,
        mut run: Run,
        progress: &mut dyn FnMut(&Slept),
    ) -> Result<Slept> {
        if run.dry.is_none() {
            run.slept.boxes.add(self.seal_quiet_box(self.context.project.space())?);
        }
        self.let_begin(&mut run)?;
        let mut more = true;
        while more {
            more = self.sleep_a_slice(&mut run)?;
            progress(&run.slept);
            if matches!(until, Until::Time(end) if Instant::now() >= *end) {
                break;
            }
        }
        if more {
            run.slept.left = self.waiting_for_sleep()?;
        } else {
            self.tend(until, &mut run)?;
        }
        self.tell_what_was_left(&mut run)?;
        Ok(run.slept)
    }

    /// Goes over one slice. Returns whether more waits.
    fn sleep_a_slice(&self, run: &mut Run) -> Result<bool> {
        let space = self.context.project.space();
        let thought = {
            let reader = self.engine.now_reader()?;
            match since::read(&*reader, space, run.dry)? {
                Some(slice) => Some((self.plan_slice(&*reader, &slice)?, slice)),
                None => None,
            }
        };
        let Some((steps, slice)) = thought else { return Ok(false) };
        if steps.is_empty() && slice.is_trivial() {
            return Ok(false);
        }
        if run.dry.is_some() {
            steps.iter().for_each(|step| run.slept.done.count(step));
            run.dry = Some(slice.end);
        } else {
            // Before the mark moves: whoever is cut off here puts the rest into boxes the next time.
            run.slept.boxes.add(self.put_in_boxes(&slice)?);
            match self.carry_out(&slice, steps)? {
                Carried::Out { batches, done } => {
                    run.slept.batches.extend(batches);
                    done.iter().for_each(|step| run.slept.done.count(step));
                }
                // Somebody else went over it meanwhile; the mark says where to go on.
                Carried::Overtaken => return Ok(true),
            }
        }
        run.took_in(&slice);
        Ok(slice.more)
    }

    /// What was left alone, in words.
    fn tell_what_was_left(&self, run: &mut Run) -> Result<()> {
        let slept = &mut run.slept;
        let contested =
            self.engine.reviewing(self.context).contests(&*self.engine.now_reader()?)?.len();
        if contested > 0 {
            slept
                .skipped
                .push(format!("{contested} contradictions wait for a person: `review` shows them"));
        }
        if slept.inputs == Inputs::default() && !slept.left.anything() {
            slept.skipped.push("nothing came in since the last sleep".to_owned());
            return Ok(());
        }
        if slept.done.total() == 0 {
            let Inputs { episodes, memories, .. } = slept.inputs;
            // Some of what was gone over may be among what waits.
            let alone = if contested > 0 {
                "none repeats another"
            } else {
                "none contradicts or repeats another"
            };
            slept.skipped.push(format!(
                "{episodes} turns and {memories} memories were looked at: {alone}, none was \
                 inferred and turned out wrong, and none names something to be tied to"
            ));
        }
        if slept.left.anything() {
            slept.skipped.push(format!("{} still wait", slept.left));
        }
        Ok(())
    }
}

impl Run {
    fn took_in(&mut self, slice: &Slice) {
        let new = slice.memories.iter().filter(|id| self.memories.insert(**id)).count();
        self.slept.inputs.add(Inputs { memories: new, ..slice.inputs });
    }
}

/// The active memories among some.
fn active(reader: &dyn Reader, space: SpaceId, ids: &BTreeSet<MemoryId>) -> Result<Vec<Memory>> {
    let keys: Vec<RowKey> = ids.iter().map(|id| RowKey::memory(space, *id)).collect();
    let rows = reader.rows(&keys)?.into_iter();
    Ok(rows.filter_map(|row| row?.into_memory()).filter(|one| one.state.is_active()).collect())
}
