//! What came in since the last sleep: a bounded part of the log after the mark.

use std::collections::BTreeSet;

use throughline_core::sleep::SleepMark;
use throughline_core::{
    Cause, Change, Kind, MemoryId, SessionId, SpaceId, Timestamp, scope::Space,
};
use throughline_store::{LogQuery, Reader};

use super::Inputs;
use crate::Result;

/// Changes of one slice.
const CHANGES: usize = 128;
/// Batches that are read first. Some are large (an import), and a slice needs only a part of one.
const PAGE: usize = 1;
/// Batches that are read at a time, at most.
const PAGE_MAX: usize = 128;
/// Batches before the mark in which what was shown or answered is looked for: the two need not come
/// in together.
const BACK: usize = 48;

/// A part of the log.
pub(super) struct Slice {
    /// The space as it was seen, with its mark.
    pub(super) space: Space,
    /// Where the mark goes, if something came in.
    pub(super) mark: Option<SleepMark>,
    /// The number of the last change in it.
    pub(super) end: u64,
    /// Whether there is more after it.
    pub(super) more: bool,
    /// How much came in. Memories are counted by whoever knows the other slices.
    pub(super) inputs: Inputs,
    /// Memories that are new, said again or changed.
    pub(super) memories: BTreeSet<MemoryId>,
    /// What was replaced, and by what.
    pub(super) replaced: Vec<(MemoryId, MemoryId)>,
    /// What sessions were shown.
    pub(super) shown: Vec<Shown>,
    /// What agents answered.
    pub(super) answers: Vec<AgentAnswer>,
}

pub(super) struct Shown {
    pub(super) session: SessionId,
    pub(super) memories: Vec<MemoryId>,
    pub(super) at: Timestamp,
    pub(super) new: bool,
}

pub(super) struct AgentAnswer {
    pub(super) session: SessionId,
    pub(super) text: String,
    pub(super) at: Timestamp,
    pub(super) new: bool,
}

/// The number of the last change that was slept over.
pub(super) fn slept_to(reader: &dyn Reader, space: SpaceId) -> Result<u64> {
    let known = reader.spaces()?.into_iter().find(|one| one.space == space);
    place(reader, known.and_then(|one| one.slept))
}

fn place(reader: &dyn Reader, mark: Option<SleepMark>) -> Result<u64> {
    let Some(mark) = mark else { return Ok(0) };
    // A batch that is not there came with another store's mark: everything is gone over.
    let header = reader.headers(&[mark.to])?.into_iter().next();
    Ok(header.map_or(0, |batch| match mark.changes {
        Some(changes) => batch.first_seq + changes.saturating_sub(1),
        None => batch.last_seq,
    }))
}

/// The next slice after the mark, or after a change if one is given. `None` where nothing was ever
/// written.
pub(super) fn read(
    reader: &dyn Reader,
    space: SpaceId,
    after: Option<u64>,
) -> Result<Option<Slice>> {
    let Some(space) = reader.spaces()?.into_iter().find(|one| one.space == space) else {
        return Ok(None);
    };
    let marked = place(reader, space.slept)?;
    let begin = after.unwrap_or(0).max(marked);
    let mut after_seq = begin;
    let mut slice = Slice::begin(space, begin);
    let mut taken = 0;
    let mut limit = PAGE;
    loop {
        // What sleep did itself is not gone over again, and a deep one leaves thousands of changes.
        let query = LogQuery {
            after_seq,
            spaces: vec![slice.space.space],
            bare: Some(Cause::Sleep),
            limit,
            ..LogQuery::default()
        };
        let page = reader.log(&query)?;
        let last = page.len() < limit;
        limit = (limit * 2).min(PAGE_MAX);
        for stored in page {
            after_seq = stored.last_seq;
            if stored.batch.cause == Cause::Sleep {
                continue;
            }
            let (to, at, first) = (stored.batch.id, stored.batch.at, stored.first_seq);
            let all = stored.batch.changes.len() as u64;
            let done = (begin + 1).saturating_sub(first);
            for (change, place) in stored.batch.changes.into_iter().zip(1_u64..) {
                if place <= done {
                    continue;
                }
                slice.note_change(change, true);
                taken += 1;
                slice.mark = Some(SleepMark { to, changes: (place < all).then_some(place), at });
                slice.end = first + place - 1;
                if taken >= CHANGES {
                    slice.more = true;
                    break;
                }
            }
            if slice.more {
                break;
            }
        }
        if last || taken >= CHANGES {
            break;
        }
    }
    slice.look_back(reader, begin)?;
    Ok(Some(slice))
}

impl Slice {
    fn begin(space: Space, end: u64) -> Self {
        Self {
            mark: None,
            space,
            end,
            more: false,
            inputs: Inputs::default(),
            memories: BTreeSet::new(),
            replaced: Vec::new(),
            shown: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Whether nothing in it is ever gone over: then the mark need not move for it.
    pub(super) fn is_trivial(&self) -> bool {
        !self.more && self.memories.is_empty() && self.inputs == Inputs::default()
    }

    /// What was shown and answered right before.
    fn look_back(&mut self, reader: &dyn Reader, begin: u64) -> Result<()> {
        if self.shown.is_empty() && self.answers.is_empty() {
            return Ok(());
        }
        let query = LogQuery {
            before_seq: Some(begin + 1),
            spaces: vec![self.space.space],
            latest_first: true,
            limit: BACK,
            ..LogQuery::default()
        };
        for stored in reader.log(&query)? {
            for change in stored.batch.changes {
                self.note_change(change, false);
            }
        }
        Ok(())
    }

    fn note_change(&mut self, change: Change, new: bool) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these are gone over")]
        match change {
            Change::Record(turn) => {
                self.inputs.episodes += usize::from(new);
                if turn.speaker == "assistant" {
                    let (session, text, at) = (turn.session, turn.text, turn.at);
                    self.answers.push(AgentAnswer { session, text, at, new });
                }
            }
            Change::Inject(shown) => {
                self.inputs.shown += usize::from(new);
                if let Some(session) = shown.session {
                    let (memories, at) = (shown.memories, shown.at);
                    self.shown.push(Shown { session, memories, at, new });
                }
            }
            Change::Insert(memory) | Change::Revise(memory) if new && memory.kind != Kind::Gap => {
                self.memories.insert(memory.id);
            }
            Change::Reinforce(evidence) if new => {
                self.memories.insert(evidence.memory);
            }
            Change::Supersede { old, new: by, .. } if new => {
                self.inputs.replaced += 1;
                self.replaced.push((old, by));
            }
            _ => {}
        }
    }
}
