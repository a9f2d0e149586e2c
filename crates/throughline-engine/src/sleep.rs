//! Sleep: what came in since the last time is gone over once more, away from anybody who waits.
//!
//! The cheap class: settle what contradicts, put together what says the same, learn from what turned
//! out wrong, bind what can be bound, count what proved useful. One batch, which can be undone; doing
//! it twice changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::authority::{Contest, contest};
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::{
    BatchId, Cardinality, Cause, Change, Edge, EpisodeId, Kind, Memory, MemoryId, NodeId, Relation,
    Row, RowKey, SessionId, SpaceId, hot,
};
use throughline_store::{LogQuery, Reader, SlotQuery};

use crate::apply::REASON_IMPORTANCE;
use crate::engine::Draft;
use crate::permit::{ask, standing};
use crate::watch::{Stated, marks_of};
use crate::{Context, Engine, Result};

/// Batches that are gone over at most.
const BATCHES_MAX: usize = 5_000;
/// Batches among which the last sleep is looked for.
const LAST_SLEEP_WITHIN: usize = 2_000;
/// Memories that are gone over at most.
const MEMORIES_MAX: usize = 1_000;

/// What a sleep had before it, did, and left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slept {
    /// What undoes it; `None` if nothing was changed.
    pub batch: Option<BatchId>,
    /// What came in since the last time.
    pub inputs: Inputs,
    /// What was done about it.
    pub done: Done,
    /// What was left alone, and why.
    pub skipped: Vec<String>,
}

/// What came in since the last sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inputs {
    /// Turns.
    pub episodes: usize,
    /// Memories that are new or said again.
    pub memories: usize,
    /// Memories that were replaced.
    pub replaced: usize,
    /// Times that memories were put in front of an agent.
    pub shown: usize,
}

/// What a sleep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Memories that another one took the place of.
    pub superseded: usize,
    /// Pairs that were marked as contradicting.
    pub contested: usize,
    /// Memories that said what another says.
    pub merged: usize,
    /// Lessons that were drawn.
    pub lessons: usize,
    /// Memories that were bound to what they hang on.
    pub bound: usize,
    /// Memories that proved useful.
    pub raised: usize,
}

impl Done {
    /// How many things were done.
    pub fn total(&self) -> usize {
        self.superseded + self.contested + self.merged + self.lessons + self.bound + self.raised
    }
}

/// What happened since the last sleep, read from the log.
#[derive(Default)]
struct Since {
    inputs: Inputs,
    memories: BTreeSet<MemoryId>,
    replaced: Vec<(MemoryId, MemoryId)>,
    /// What each session was shown.
    shown: BTreeMap<SessionId, BTreeSet<MemoryId>>,
    /// What was said in each.
    said: BTreeMap<SessionId, Vec<EpisodeId>>,
}

impl Engine {
    /// Goes over what came in since the last time. `dry_run` says what would be done.
    pub fn sleep(&self, context: &Context, dry_run: bool) -> Result<Slept> {
        let space = context.project.space();
        let (slept, batch) = self.write(context, Cause::Sleep, None, |reader, draft| {
            draft.scope.space = space;
            let since = since_last(reader, space)?;
            let mut slept = Slept { inputs: since.inputs, ..Slept::default() };
            if since.inputs == Inputs::default() {
                slept.skipped.push("nothing came in since the last sleep".to_owned());
                return Ok(slept);
            }
            let memories = active(reader, space, &since.memories)?;
            self.settle_conflicts(reader, draft, &memories, &mut slept.done)?;
            self.merge_repeated(reader, draft, &memories, &mut slept.done)?;
            self.learn_again(reader, draft, &since.replaced, &mut slept.done)?;
            self.bind_again(reader, draft, context, &memories, &mut slept.done)?;
            raise_useful(reader, draft, &since, &mut slept.done)?;
            slept.skipped.extend(left_alone(reader, &slept, &memories)?);
            if dry_run {
                draft.changes.clear();
            }
            Ok(slept)
        })?;
        let batch = (!dry_run && slept.done.total() > 0).then_some(batch);
        Ok(Slept { batch, ..slept })
    }

    /// What gives one thing two values, and was let in by another way than being said.
    fn settle_conflicts(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        memories: &[Memory],
        done: &mut Done,
    ) -> Result<()> {
        let mut settled: BTreeSet<(MemoryId, MemoryId)> = BTreeSet::new();
        for memory in memories {
            let Some(slot) = &memory.slot else { continue };
            for other in reader.in_slot(memory.space, &SlotQuery::of(slot))? {
                let Some(held) = &other.slot else { continue };
                let single = [held.cardinality, slot.cardinality].contains(&Cardinality::One);
                let apart = other.id == memory.id
                    || other.session != memory.session
                    || !other.state.is_active()
                    || held.value() == slot.value();
                if apart || !single || gone(draft, other.id) || gone(draft, memory.id) {
                    continue;
                }
                let age = |one: &Memory| (one.recorded_at, one.id);
                let (old, new) =
                    if age(memory) < age(&other) { (memory, &other) } else { (&other, memory) };
                if !settled.insert((old.id, new.id)) {
                    continue;
                }
                let (space, at) = (old.space, draft.now);
                let wins = contest(new.authority, old.authority, true) == Contest::Supersede;
                if wins && may_replace(reader, old, new)? {
                    let (old, new) = (old.id, new.id);
                    draft.changes.push(Change::Supersede { space, old, new, at });
                    done.superseded += 1;
                    continue;
                }
                let edge =
                    Edge::new(space, new.id.into(), Relation::Contradicts, old.id.into(), at);
                let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
                if reader.rows(&[key])?[0].is_none() {
                    draft.changes.push(Change::Link(edge));
                    done.contested += 1;
                }
            }
        }
        Ok(())
    }

    /// What says the same in other words becomes one memory, with all the evidence.
    fn merge_repeated(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        memories: &[Memory],
        done: &mut Done,
    ) -> Result<()> {
        for memory in memories {
            if gone(draft, memory.id) || memory.slot.is_some() || memory.pinned {
                continue;
            }
            let Some(twin) = self.other_words_for(reader, memory)? else { continue };
            let stays = twin.state.is_active() && twin.session == memory.session;
            if !stays || gone(draft, twin.id) {
                continue;
            }
            // The better source stays; of equals, the older one.
            let better = |one: &Memory, other: &Memory| {
                let age = |one: &Memory| (one.recorded_at, one.id);
                let equal = one.authority == other.authority;
                one.authority.outranks(other.authority) || equal && age(one) < age(other)
            };
            let (kept, dropped) =
                if better(&twin, memory) { (&twin, memory) } else { (memory, &twin) };
            if !may_replace(reader, dropped, kept)? {
                continue;
            }
            hand_over(reader, draft, dropped, kept)?;
            let (space, at) = (kept.space, draft.now);
            draft.changes.push(Change::Supersede { space, old: dropped.id, new: kept.id, at });
            done.merged += 1;
        }
        Ok(())
    }

    /// Lessons from what was replaced without one being drawn.
    fn learn_again(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        replaced: &[(MemoryId, MemoryId)],
        done: &mut Done,
    ) -> Result<()> {
        let space = draft.scope.space;
        for (old, new) in replaced {
            let keys = [RowKey::memory(space, *old), RowKey::memory(space, *new)];
            let mut rows = reader.rows(&keys)?.into_iter().map(|row| row?.into_memory());
            let (Some(Some(old)), Some(Some(new))) = (rows.next(), rows.next()) else { continue };
            if old.superseded_by != Some(new.id) {
                continue;
            }
            let marks = marks_of(reader, space, old.id)?;
            let learnt = self.learn_from_replacement(reader, draft, &old, &new, &marks)?;
            done.lessons += usize::from(learnt.is_some());
        }
        Ok(())
    }

    /// Binds what names something that is there by now.
    fn bind_again(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        context: &Context,
        memories: &[Memory],
        done: &mut Done,
    ) -> Result<()> {
        for memory in memories.iter().filter(|one| one.importance > REASON_IMPORTANCE) {
            if gone(draft, memory.id) || !marks_of(reader, memory.space, memory.id)?.is_empty() {
                continue;
            }
            if memory.unresolved.is_some() && self.names_what_is_there(context, memory) {
                let found = Memory { unresolved: None, ..memory.clone() };
                draft.changes.push(Change::Revise(Box::new(found)));
            }
            let before = draft.changes.len();
            let stated = Stated {
                memory: memory.id,
                content: &memory.content,
                kind: memory.kind,
                by_user: memory.authority.is_user(),
                turns: &[],
            };
            self.watch_by_words(reader, draft, &context.project.root, &stated)?;
            done.bound += usize::from(draft.changes.len() > before);
        }
        Ok(())
    }
}

/// Whether one memory may take another's place while nobody looks: what a person said only gives way
/// to what a person said.
fn may_replace(reader: &dyn Reader, old: &Memory, new: &Memory) -> Result<bool> {
    let by_user = standing(reader, new)?.by_person;
    let backing = if by_user { Backing::UserTurn } else { Backing::Asserted };
    let verdict = ask(reader, Door::Upkeep, Act::Replace, Some(old), backing)?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// What hangs on a memory hangs on what takes its place: evidence, bindings, and connections both
/// ways, so that nothing rests on what is no longer told.
fn hand_over(
    reader: &dyn Reader,
    draft: &mut Draft,
    dropped: &Memory,
    kept: &Memory,
) -> Result<()> {
    let (space, old, new) = (kept.space, NodeId::Memory(dropped.id), NodeId::Memory(kept.id));
    for row in reader.attached(space, &[old])? {
        match row {
            Row::Evidence(mut one) => {
                one.memory = kept.id;
                draft.changes.push(Change::Reinforce(one));
            }
            Row::Watermark(mut mark) => {
                mark.memory = kept.id;
                if reader.rows(&[RowKey::watermark(space, kept.id, &mark.referent)])?[0].is_none() {
                    draft.changes.push(Change::Watch(mark));
                }
            }
            Row::Edge(edge) if edge.relation != Relation::Supersedes => {
                let moved = |end: NodeId| if end == old { new } else { end };
                let next = Edge { from: moved(edge.from), to: moved(edge.to), ..edge.clone() };
                let key = RowKey::edge(space, next.from, next.relation, next.to);
                if next.from != next.to && reader.rows(&[key])?[0].is_none() {
                    draft.changes.push(Change::Link(next));
                }
                if edge.to == old {
                    let Edge { from, relation, to, .. } = edge;
                    draft.changes.push(Change::Unlink { space, from, relation, to });
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

/// What was put in front of an agent and stood in its answers proved useful.
fn raise_useful(
    reader: &dyn Reader,
    draft: &mut Draft,
    since: &Since,
    done: &mut Done,
) -> Result<()> {
    let space = draft.scope.space;
    for (session, shown) in &since.shown {
        let said = since.said.get(session).map(Vec::as_slice).unwrap_or_default();
        let keys: Vec<RowKey> =
            said.iter().map(|id| RowKey::node(space, NodeId::Episode(*id))).collect();
        let answers: Vec<String> = reader
            .rows(&keys)?
            .into_iter()
            .filter_map(|row| row?.into_episode())
            .filter(|turn| turn.speaker == "assistant")
            .map(|turn| turn.text)
            .collect();
        let ids: BTreeSet<MemoryId> = shown.iter().copied().collect();
        let mut useful = Vec::new();
        for memory in active(reader, space, &ids)? {
            let repeats =
                |answer: &String| hot::says_what_was_shown(answer, &[&memory.content]).is_some();
            if memory.kind != Kind::Gap && answers.iter().any(repeats) {
                useful.push(memory.id);
            }
        }
        if !useful.is_empty() {
            done.raised += useful.len();
            let (session, at) = (Some(session.clone()), draft.now);
            draft.changes.push(Change::Use { space, memories: useful, session, at });
        }
    }
    Ok(())
}

/// Whether this very batch takes a memory out of view.
fn gone(draft: &Draft, id: MemoryId) -> bool {
    let takes = |change: &Change| matches!(change, Change::Supersede { old, .. } if *old == id);
    draft.changes.iter().any(takes)
}

/// Reads the log since the last sleep.
fn since_last(reader: &dyn Reader, space: SpaceId) -> Result<Since> {
    let latest = LogQuery {
        spaces: vec![space],
        latest_first: true,
        limit: LAST_SLEEP_WITHIN,
        ..LogQuery::default()
    };
    let slept = reader.log(&latest)?.into_iter().find(|one| one.batch.cause == Cause::Sleep);
    let after_seq = slept.map_or(0, |one| one.last_seq);
    let query =
        LogQuery { after_seq, spaces: vec![space], limit: BATCHES_MAX, ..LogQuery::default() };
    let mut since = Since::default();
    for stored in reader.log(&query)? {
        for change in stored.batch.changes {
            since.take(change);
        }
    }
    Ok(since)
}

impl Since {
    fn take(&mut self, change: Change) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these are gone over")]
        match change {
            Change::Record(turn) => {
                self.inputs.episodes += 1;
                self.said.entry(turn.session).or_default().push(turn.id);
            }
            Change::Insert(memory) if memory.kind != Kind::Gap => {
                self.inputs.memories += usize::from(self.memories.insert(memory.id));
            }
            Change::Reinforce(evidence) => {
                self.inputs.memories += usize::from(self.memories.insert(evidence.memory));
            }
            Change::Supersede { old, new, .. } => {
                self.inputs.replaced += 1;
                self.replaced.push((old, new));
            }
            Change::Inject(shown) => {
                self.inputs.shown += 1;
                if let Some(session) = shown.session {
                    self.shown.entry(session).or_default().extend(shown.memories);
                }
            }
            _ => {}
        }
    }
}

/// The active memories among some.
fn active(reader: &dyn Reader, space: SpaceId, ids: &BTreeSet<MemoryId>) -> Result<Vec<Memory>> {
    let keys: Vec<RowKey> =
        ids.iter().rev().take(MEMORIES_MAX).map(|id| RowKey::memory(space, *id)).collect();
    let rows = reader.rows(&keys)?.into_iter();
    Ok(rows.filter_map(|row| row?.into_memory()).filter(|one| one.state.is_active()).collect())
}

/// What was left alone, in words.
fn left_alone(reader: &dyn Reader, slept: &Slept, memories: &[Memory]) -> Result<Vec<String>> {
    let mut left = Vec::new();
    let space = memories.first().map(|one| one.space);
    let contested = match space {
        Some(space) => reader.contradictions(&[space], MEMORIES_MAX)?.len(),
        None => 0,
    };
    if contested > 0 {
        left.push(format!("{contested} contradictions wait for a person: `review` shows them"));
    }
    if slept.done.total() == 0 {
        let Inputs { episodes, memories, .. } = slept.inputs;
        left.push(format!(
            "{episodes} turns and {memories} memories were gone over: none contradicts or repeats \
             another, none was inferred and turned out wrong, and none names something to be bound to"
        ));
    }
    Ok(left)
}
