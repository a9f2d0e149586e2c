//! Collide: what follows when a claim turns out wrong, whoever noticed. Bindings are held against
//! it, and what was only inferred leaves a lesson: one each, and only one that says what to do.

use throughline_core::evidence::Testimony;
use throughline_core::reconcile::Candidate;
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Change, Edge, Kind, Memory, MemoryId, NodeId, Relation, Row, RowKey, Watermark, text,
};
use throughline_language::lesson::{self, Cause as Collided, Collision};
use throughline_store::Reader;

use crate::engine::Draft;
use crate::watch::{look_at, marks_of, seen};
use crate::{Context, Engine, Result};

/// Edges read to see whether a lesson was drawn.
const EDGES_READ: usize = 50;
/// Characters of what a check showed that go into a lesson.
const SHOWN_CHARS: usize = 120;

impl Engine {
    /// Follows up on what a draft replaces.
    pub(crate) fn follow_up(
        &self,
        reader: &dyn Reader,
        context: &Context,
        draft: &mut Draft,
    ) -> Result<()> {
        let replaced = |change: &Change| {
            let Change::Supersede { old, new, .. } = change else { return None };
            Some((*old, *new))
        };
        let replaced: Vec<(MemoryId, MemoryId)> =
            draft.changes.iter().filter_map(replaced).collect();
        for (old, new) in replaced {
            let space = draft.scope.space;
            let row = reader.rows(&[RowKey::memory(space, old)])?.remove(0);
            let Some(old) = row.and_then(Row::into_memory) else { continue };
            let marks = look_again(reader, context, &old)?;
            Self::count_change(draft, &marks);
            drop_blind(draft, new, &marks);
            if let Some(new) = about_to_be(reader, draft, new)? {
                self.learn_from_replacement(reader, draft, &old, &new, &marks)?;
            }
        }
        Ok(())
    }

    /// What was inferred and turned out otherwise leaves a lesson.
    pub(crate) fn learn_from_replacement(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        old: &Memory,
        new: &Memory,
        marks: &[Watermark],
    ) -> Result<Option<MemoryId>> {
        let cause = match (old.authority, new.authority) {
            (Authority::Inferred, _) => Collided::OwnInference,
            (Authority::Observed | Authority::Extracted, Authority::UserCorrected) => {
                Collided::UserCorrected
            }
            _ => return Ok(None),
        };
        let place = marks.first().map(|mark| mark.referent.place());
        let collision = Collision {
            wrong: &old.content,
            right: Some(&new.content),
            cause,
            place: place.as_deref(),
        };
        self.learn(reader, draft, old, &collision, Authority::Extracted)
    }

    /// What a check refuted leaves a lesson, of the rank of whoever checked.
    pub(crate) fn learn_from_refutation(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        old: &Memory,
        marks: &[Watermark],
        shown: Option<&str>,
        rank: Authority,
    ) -> Result<Option<MemoryId>> {
        let place = marks.first().map(|mark| mark.referent.place());
        let shown = shown.map(|words| text::headline(words, SHOWN_CHARS));
        let collision = Collision {
            wrong: &old.content,
            right: shown.as_deref(),
            cause: Collided::GroundTruth,
            place: place.as_deref(),
        };
        self.learn(reader, draft, old, &collision, rank)
    }

    fn learn(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        old: &Memory,
        collision: &Collision<'_>,
        authority: Authority,
    ) -> Result<Option<MemoryId>> {
        if old.kind == Kind::Lesson || has_lesson(reader, draft, old)? {
            return Ok(None);
        }
        let Some(content) = lesson::draft(collision) else { return Ok(None) };
        let candidate = Candidate {
            id: MemoryId(draft.mint()),
            scope: draft.scope.clone(),
            kind: Kind::Lesson,
            content,
            slot: None,
            tags: Vec::new(),
            label: None,
            domain: old.domain.clone(),
            importance: None,
            confidence: 1.0,
            pinned: false,
            testimony: Testimony {
                session: draft.session.clone(),
                why: Some(format!("{} turned out wrong", old.id.handle())),
                by_agent: draft.door.is_agents() && authority != Authority::Measured,
                ..Testimony::new(authority, draft.now)
            },
            triggers: Vec::new(),
            about: Vec::new(),
            revive: false,
        };
        let plan = match self.take_in(reader, draft, &candidate) {
            Ok(plan) => plan,
            // It was told to forget this lesson.
            Err(crate::Error::Blocked(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let (space, at) = (draft.scope.space, draft.now);
        let edge = Edge::new(space, plan.memory.into(), Relation::DerivedFrom, old.id.into(), at);
        draft.changes.push(Change::Link(edge));
        Ok(Some(plan.memory))
    }
}

/// What did not move while a claim changed does not tell about it: what takes its place is not
/// bound to that again.
fn drop_blind(draft: &mut Draft, new: MemoryId, marks: &[Watermark]) {
    let blind: Vec<&Referent> = marks
        .iter()
        .filter(|mark| !mark.reading.wants_check())
        .map(|mark| &mark.referent)
        .collect();
    draft.changes.retain(|change| {
        let Change::Watch(mark) = change else { return true };
        mark.memory != new || !blind.contains(&&mark.referent)
    });
}

/// What a memory hangs on, as it is now.
fn look_again(reader: &dyn Reader, context: &Context, memory: &Memory) -> Result<Vec<Watermark>> {
    let held = marks_of(reader, memory.space, memory.id)?;
    if held.is_empty() || memory.space != context.project.space() {
        return Ok(Vec::new());
    }
    let looks = look_at(&context.project.root, &held);
    let now = held
        .iter()
        .zip(looks)
        .map(|(mark, look)| Watermark { referent: mark.referent.clone(), ..seen(mark, look) });
    Ok(now.collect())
}

/// A memory as this draft leaves it.
fn about_to_be(reader: &dyn Reader, draft: &Draft, id: MemoryId) -> Result<Option<Memory>> {
    let inserted = draft.changes.iter().find_map(|change| {
        let Change::Insert(memory) = change else { return None };
        (memory.id == id).then(|| (**memory).clone())
    });
    if inserted.is_some() {
        return Ok(inserted);
    }
    let row = reader.rows(&[RowKey::memory(draft.scope.space, id)])?.remove(0);
    Ok(row.and_then(Row::into_memory))
}

/// Whether a lesson was drawn from a memory, in this draft or before.
fn has_lesson(reader: &dyn Reader, draft: &Draft, old: &Memory) -> Result<bool> {
    let node = NodeId::Memory(old.id);
    let drawn = |edge: &Edge| edge.relation == Relation::DerivedFrom && edge.to == node;
    let now =
        draft.changes.iter().any(|change| matches!(change, Change::Link(edge) if drawn(edge)));
    if now {
        return Ok(true);
    }
    let edges = reader.neighbours(old.space, &[node], &[Relation::DerivedFrom], EDGES_READ)?;
    let keys: Vec<RowKey> = edges
        .iter()
        .filter(|edge| drawn(edge))
        .map(|edge| RowKey::node(old.space, edge.from))
        .collect();
    let from = reader.rows(&keys)?;
    Ok(from
        .into_iter()
        .flatten()
        .any(|row| matches!(row, Row::Memory(one) if one.kind == Kind::Lesson)))
}
