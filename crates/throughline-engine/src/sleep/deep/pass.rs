//! One pass: what it sees, what it decides, and how that is written a little at a time.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use throughline_core::permission::{Act, Door};
use throughline_core::{
    Cause, Change, EntityId, Kind, Memory, MemoryId, NodeId, Row, RowKey, SpaceId, State,
    Timestamp, sleep,
};
use throughline_embed::nearest::neighbours;
use throughline_store::{Reader, TextOf, Vector};

use super::PassReport;
use super::compared::{ComparedPairs, mark_of, pair_of};
use crate::flows::Sleeping;
use crate::journal::file;
use crate::permit::demand_act;
use crate::sleep::write::hand_over;
use crate::things::THINGS_MODEL;
use crate::transaction::Transaction;
use crate::{Engine, Result};

/// Changes of one batch, and how long it is put together. Others wait until it is on disk, which takes about three times as
/// long.
const CHANGES_MAX: usize = 128;
const TURN: Duration = Duration::from_millis(8);
/// Vectors of one batch.
const VECTORS_AT_ONCE: usize = 64;
/// Neighbours of a memory, and how near they must be.
pub(in crate::sleep) const NEIGHBOURS: usize = 8;
const NEAR_FROM: f32 = 0.3;
/// Rows that are read in one go.
const READ_AT_ONCE: usize = 512;
/// Lines that a report has at most.
const WHY_MAX: usize = 20;

/// What a pass sees.
pub(in crate::sleep) struct PassView<'a> {
    pub(in crate::sleep) sleeping: &'a Sleeping<'a>,
    pub(in crate::sleep) reader: &'a dyn Reader,
    pub(in crate::sleep) ground: &'a Ground,
    /// Which pass it is.
    pub(super) pass: &'static str,
    /// Whether nobody waits for it, so that it may take longer.
    pub(in crate::sleep) unhurried: bool,
}

impl PassView<'_> {
    pub(in crate::sleep) fn engine(&self) -> &Engine {
        self.sleeping.engine
    }

    pub(in crate::sleep) fn now(&self) -> Timestamp {
        self.engine().now()
    }

    pub(in crate::sleep) fn space(&self) -> SpaceId {
        self.ground.space
    }

    /// Goes on only where the program itself may do something while nobody looks.
    pub(in crate::sleep) fn may(&self, act: Act) -> Result<()> {
        demand_act(Door::Upkeep, act, || "throughline sleep --deep".to_owned())
    }

    /// The current memories of the space that every session sees, by id.
    pub(in crate::sleep) fn memories(&self) -> Result<&[GroundMemory]> {
        Ok(&self.ground.read(self.engine(), self.reader)?.memories)
    }

    /// For each of them that has a vector, those nearest to it: places among them, the nearest first.
    pub(in crate::sleep) fn near(&self) -> Result<&BTreeMap<usize, Vec<(usize, f32)>>> {
        let read = self.ground.read(self.engine(), self.reader)?;
        Ok(read.near.get_or_init(|| near(&read.index, &read.memories)))
    }

    /// Pairs of places that are among each other's nearest, with how near they are, the smaller place first.
    pub(in crate::sleep) fn mutual(&self) -> Result<Vec<(usize, usize, f32)>> {
        let near = self.near()?;
        let holds = |one: &usize, other: &usize| {
            near.get(one).is_some_and(|some| some.iter().any(|(at, _)| at == other))
        };
        let pairs = near.iter().flat_map(|(one, some)| some.iter().map(move |other| (one, other)));
        let pairs = pairs.filter(|(one, (other, _))| *one < other && holds(other, one));
        Ok(pairs.map(|(one, (other, score))| (*one, *other, *score)).collect())
    }

    /// The pairs that this pass has looked at.
    pub(in crate::sleep) fn compared(&self) -> ComparedPairs {
        ComparedPairs::load(&self.engine().home, self.space(), self.pass)
    }

    /// Memories by id, in their order, as they are now; those that are gone are left out.
    pub(in crate::sleep) fn whole(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let mut found = Vec::with_capacity(ids.len());
        for some in ids.chunks(READ_AT_ONCE) {
            let keys: Vec<RowKey> =
                some.iter().map(|id| RowKey::memory(self.space(), *id)).collect();
            let rows = self.reader.rows(&keys)?.into_iter().flatten();
            found.extend(rows.filter_map(Row::into_memory).filter(|one| one.state.is_active()));
        }
        Ok(found)
    }

    /// Whether a row was ever written: what was there and is no more was taken away on purpose.
    pub(in crate::sleep) fn was_there(&self, key: &RowKey) -> Result<bool> {
        let nodes = throughline_store::nodes_of_key(key);
        Ok(self.reader.next_touch(key, &nodes, 0)?.is_some())
    }

    /// Whether somebody undid something about a thing.
    pub(in crate::sleep) fn was_undone(&self, thing: EntityId) -> Result<bool> {
        let history = self.reader.history(self.space(), thing.into())?;
        Ok(history.iter().any(|logged| matches!(logged.change, Change::Restore { .. })))
    }
}

/// What the passes of one run share: read once, when it is first needed.
pub(in crate::sleep) struct Ground {
    pub(super) space: SpaceId,
    read: OnceCell<GroundRead>,
}

/// A memory as far as most passes need it.
#[derive(Debug, Clone)]
pub(in crate::sleep) struct GroundMemory {
    pub(in crate::sleep) id: MemoryId,
    pub(in crate::sleep) kind: Kind,
    pub(in crate::sleep) recorded_at: Timestamp,
    pub(in crate::sleep) has_slot: bool,
    /// The memory as it is worded now, in a number.
    mark: u64,
    /// The number of its document.
    document: u32,
}

impl GroundMemory {
    /// This one and another, in a number.
    pub(in crate::sleep) fn pair(&self, other: &Self) -> u64 {
        pair_of(self.mark, other.mark)
    }
}

struct GroundRead {
    memories: Vec<GroundMemory>,
    index: std::sync::Arc<crate::index::Index>,
    near: OnceCell<BTreeMap<usize, Vec<(usize, f32)>>>,
}

impl Ground {
    pub(super) fn new(space: SpaceId) -> Self {
        Self { space, read: OnceCell::new() }
    }

    /// The memories that the passes looked at so far, by id.
    pub(super) fn looked_at(&self) -> Vec<MemoryId> {
        let read = self.read.get();
        read.map(|read| read.memories.iter().map(|one| one.id).collect()).unwrap_or_default()
    }

    fn read(&self, engine: &Engine, reader: &dyn Reader) -> Result<&GroundRead> {
        if let Some(read) = self.read.get() {
            return Ok(read);
        }
        let read = self.look(engine, reader)?;
        Ok(self.read.get_or_init(|| read))
    }

    fn look(&self, engine: &Engine, reader: &dyn Reader) -> Result<GroundRead> {
        let index = engine.indexes.present(reader, self.space, TextOf::Memories)?;
        let current = [State::Staged, State::Confirmed];
        let numbers: Vec<u32> = (0..u32::try_from(index.len()).unwrap_or(u32::MAX))
            .filter(|number| index.is_in(*number as usize, &current))
            .collect();
        let mut memories = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(READ_AT_ONCE) {
            let known = some.iter().filter_map(|number| Some((*number, index.node(*number)?)));
            let known: Vec<_> = known.collect();
            let keys: Vec<RowKey> =
                known.iter().map(|(_, node)| RowKey::node(self.space, *node)).collect();
            for ((document, _), row) in known.iter().zip(reader.rows(&keys)?) {
                let Some(memory) = row.and_then(Row::into_memory) else { continue };
                if memory.session.is_none() && memory.kind != Kind::Gap {
                    memories.push(GroundMemory {
                        id: memory.id,
                        kind: memory.kind,
                        recorded_at: memory.recorded_at,
                        has_slot: memory.slot.is_some(),
                        mark: mark_of(&memory),
                        document: *document,
                    });
                }
            }
        }
        memories.sort_by_key(|memory| memory.id);
        Ok(GroundRead { memories, index, near: OnceCell::new() })
    }
}

/// The nearest of each memory that has a vector.
fn near(
    index: &crate::index::Index,
    memories: &[GroundMemory],
) -> BTreeMap<usize, Vec<(usize, f32)>> {
    let places: Vec<usize> = (0..memories.len())
        .filter(|place| index.is_embedded(memories[*place].document as usize))
        .collect();
    let rows: Vec<usize> = places.iter().map(|place| memories[*place].document as usize).collect();
    let found = neighbours(&index.rows(), &rows, NEIGHBOURS, NEAR_FROM);
    let named = |near: Vec<(u32, f32)>| {
        near.into_iter().map(|(at, score)| (places[at as usize], score.min(1.0))).collect()
    };
    places.iter().copied().zip(found.into_iter().map(named)).collect()
}

/// What a pass decides.
#[derive(Default)]
pub(in crate::sleep) struct PassPlan {
    /// What it looked at.
    pub(in crate::sleep) inputs: usize,
    /// What to do, in order.
    pub(in crate::sleep) steps: Vec<PassStep>,
    /// What and why, in words.
    pub(in crate::sleep) why: Vec<String>,
    /// Where things lie: derived, so that nothing is logged of it.
    pub(in crate::sleep) vectors: Vec<Vector>,
    /// The pairs that were looked at, now or before, if this pass looks at pairs.
    pub(in crate::sleep) compared: Option<ComparedPairs>,
    /// A file of the home with its text, for people to read.
    pub(in crate::sleep) page: Option<(&'static str, String)>,
}

impl PassPlan {
    pub(in crate::sleep) fn of(inputs: usize) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// Tells something in the report, which has room for a few lines.
    pub(in crate::sleep) fn tell(&mut self, line: String) {
        if self.why.len() < WHY_MAX {
            self.why.push(line);
        }
    }
}

/// One thing to do, with what must still be as it was seen.
pub(in crate::sleep) struct PassStep {
    /// Memories as they were seen.
    pub(in crate::sleep) seen: Vec<Memory>,
    /// Rows that must be there.
    pub(in crate::sleep) there: Vec<RowKey>,
    /// What to do.
    pub(in crate::sleep) act: StepAct,
}

pub(in crate::sleep) enum StepAct {
    /// Make these changes.
    Change(Vec<Change>),
    /// Let one memory take the place of another that says the same, with all that is attached to it.
    Merge { kept: Box<Memory>, dropped: Box<Memory> },
}

impl PassStep {
    /// Changes that need some rows to be there.
    pub(in crate::sleep) fn with(there: Vec<RowKey>, changes: Vec<Change>) -> Self {
        Self { seen: Vec::new(), there, act: StepAct::Change(changes) }
    }

    pub(super) fn size(&self) -> usize {
        match &self.act {
            StepAct::Change(changes) => changes.len(),
            StepAct::Merge { .. } => 1,
        }
    }

    /// The pair of memories that it is about, if it is about two, in a number.
    fn pair(&self) -> Option<u64> {
        let [one, other] = self.seen.as_slice() else { return None };
        Some(pair_of(mark_of(one), mark_of(other)))
    }

    /// Whether what it rests on is still there.
    fn stands(&self, tx: &Transaction<'_>) -> Result<bool> {
        let keys = self.seen.iter().map(|one| RowKey::memory(one.space, one.id));
        let keys: Vec<RowKey> = keys.chain(self.there.iter().cloned()).collect();
        let rows = tx.rows(&keys)?;
        let (seen, there) = rows.split_at(self.seen.len());
        let same = |(seen, now): (&Memory, &Option<Row>)| {
            now.as_ref().and_then(Row::as_memory).is_some_and(|now| sleep::is_as_seen(seen, now))
        };
        Ok(self.seen.iter().zip(seen).all(same) && there.iter().all(Option::is_some))
    }

    fn carry_out(&self, tx: &mut Transaction<'_>) -> Result<()> {
        match &self.act {
            StepAct::Change(changes) => tx.extend(changes.iter().cloned()),
            StepAct::Merge { kept, dropped } => {
                hand_over(tx, dropped, kept)?;
                tx.supersede(kept.space, dropped.id, kept.id);
            }
        }
        Ok(())
    }
}

impl Sleeping<'_> {
    /// Writes what a pass decided, a batch at a time. Returns the pairs of which nothing was written, since one of the
    /// two had changed meanwhile.
    pub(super) fn carry_out_pass(
        &self,
        name: &str,
        space: SpaceId,
        plan: &PassPlan,
        report: &mut PassReport,
    ) -> Result<Vec<u64>> {
        let mut missed = Vec::new();
        let reason = format!("deep sleep: {name}");
        let mut from = 0;
        while from < plan.steps.len() {
            let left = &plan.steps[from..];
            let ((looked, changed, fallen), batch) =
                self.engine.write(self.context, Cause::Sleep, Some(&reason), |tx| {
                    tx.scope.space = space;
                    let (began, mut looked, mut fallen) = (Instant::now(), 0, Vec::new());
                    for step in left {
                        let full = tx.changes().len() >= CHANGES_MAX || began.elapsed() >= TURN;
                        if full && looked > 0 {
                            break;
                        }
                        looked += 1;
                        if step.stands(tx)? {
                            step.carry_out(tx)?;
                        } else {
                            fallen.extend(step.pair());
                        }
                    }
                    Ok((looked, tx.changes().len(), fallen))
                })?;
            if changed > 0 {
                report.batches.push(batch);
                report.changes += changed;
            }
            from += looked;
            missed.extend(fallen);
        }
        Ok(missed)
    }

    /// Keeps where things lie that lie elsewhere than before.
    pub(super) fn keep_derived(&self, space: SpaceId, plan: &PassPlan) -> Result<()> {
        for some in plan.vectors.chunks(VECTORS_AT_ONCE) {
            let nodes: Vec<NodeId> = some.iter().map(|one| one.node).collect();
            let held = self.engine.now_reader()?.vectors_of(space, THINGS_MODEL, &nodes)?;
            let is_new = |one: &Vector, held: &Option<Vec<f32>>| held.as_ref() != Some(&one.values);
            let moved = some.iter().zip(&held).filter(|(one, held)| is_new(one, held));
            let moved: Vec<Vector> = moved.map(|(one, _)| one.clone()).collect();
            if !moved.is_empty() {
                self.engine.store.put_vectors(space, THINGS_MODEL, &moved)?;
            }
        }
        Ok(())
    }

    /// Writes the file of a pass. Returns why it could not be: nothing else fails by it.
    pub(super) fn keep_page(&self, plan: &PassPlan) -> Option<String> {
        let (name, text) = plan.page.as_ref()?;
        let written = file::replace(&self.engine.home.join(name), text.as_bytes());
        written.err().map(|error| format!("{name} could not be written: {error}"))
    }
}
