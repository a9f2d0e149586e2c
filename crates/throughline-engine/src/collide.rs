//! Collide: what follows when a claim turns out wrong, whoever noticed. Bindings are held against
//! it, and what was only inferred leaves a lesson: one each, and only one that says what to do.

use throughline_core::evidence::Testimony;
use throughline_core::reconcile::Candidate;
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Change, Edge, Kind, Memory, MemoryId, NodeId, Relation, Row, RowKey, Watermark, text,
};
use throughline_language::lesson::{self, Collision, MistakeCause as Collided};
use throughline_store::Reader;

use crate::flows::Watching;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::watch::{look_at, marks_of, seen};
use crate::{Context, Result};

/// Edges read to see whether a lesson was drawn.
const EDGES_READ: usize = 50;
/// Characters of what a check showed that go into a lesson.
const SHOWN_CHARS: usize = 120;

impl Watching<'_> {
    /// Follows up on what a transaction replaces.
    pub(crate) fn follow_up(&self, tx: &mut Transaction<'_>) -> Result<()> {
        let replaced = |change: &Change| {
            let Change::Supersede { old, new, .. } = change else { return None };
            Some((*old, *new))
        };
        let replaced: Vec<(MemoryId, MemoryId)> =
            tx.changes().iter().filter_map(replaced).collect();
        for (old, new) in replaced {
            let space = tx.scope.space;
            let row = tx.rows(&[RowKey::memory(space, old)])?.remove(0);
            let Some(old) = row.and_then(Row::into_memory) else { continue };
            let marks = look_again(&**tx, self.context, &old)?;
            Self::count_change(tx, &marks);
            drop_blind(tx, new, &marks);
            if let Some(new) = about_to_be(tx, new)? {
                self.learn_from_replacement(tx, &old, &new, &marks)?;
            }
        }
        Ok(())
    }

    /// What was inferred and turned out otherwise leaves a lesson.
    pub(crate) fn learn_from_replacement(
        &self,
        tx: &mut Transaction<'_>,
        old: &Memory,
        new: &Memory,
        marks: &[Watermark],
    ) -> Result<Option<MemoryId>> {
        let cause = match (old.authority, new.authority) {
            (Authority::Inferred, Authority::Measured) => Collided::GroundTruth,
            (Authority::Inferred, _) => Collided::OwnInference,
            (Authority::Observed | Authority::Extracted, Authority::UserCorrected) => {
                Collided::UserCorrected
            }
            (Authority::Observed | Authority::Extracted, Authority::Measured) => {
                Collided::GroundTruth
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
        self.learn(tx, old, &collision, Authority::Extracted)
    }

    /// What a check refuted leaves a lesson, of the rank of whoever checked.
    pub(crate) fn learn_from_refutation(
        &self,
        tx: &mut Transaction<'_>,
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
        self.learn(tx, old, &collision, rank)
    }

    fn learn(
        &self,
        tx: &mut Transaction<'_>,
        old: &Memory,
        collision: &Collision<'_>,
        authority: Authority,
    ) -> Result<Option<MemoryId>> {
        if old.kind == Kind::Lesson || has_lesson(tx, old)? {
            return Ok(None);
        }
        let Some(content) = lesson::draft(collision) else { return Ok(None) };
        let testimony = Testimony {
            session: tx.session.clone(),
            why: Some(format!("{} turned out wrong", old.id.handle())),
            by_agent: tx.door.is_agents() && authority != Authority::Measured,
            ..Testimony::new(authority, tx.now)
        };
        let candidate = Candidate {
            domain: old.domain.clone(),
            ..tx.candidate(Kind::Lesson, &content, testimony)
        };
        let plan = match take_in(tx, &candidate) {
            Ok(plan) => plan,
            // It was told to forget this lesson.
            Err(crate::Error::Blocked(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let (space, at) = (tx.scope.space, tx.now);
        let edge = Edge::new(space, plan.memory.into(), Relation::DerivedFrom, old.id.into(), at);
        tx.push(Change::Link(edge));
        Ok(Some(plan.memory))
    }
}

/// What did not move while a claim changed does not tell about it: what takes its place is not
/// bound to that again.
fn drop_blind(tx: &mut Transaction<'_>, new: MemoryId, marks: &[Watermark]) {
    let blind: Vec<&Referent> = marks
        .iter()
        .filter(|mark| !mark.reading.wants_check())
        .map(|mark| &mark.referent)
        .collect();
    tx.rewrite(|changes| {
        changes.retain(|change| {
            let Change::Watch(mark) = change else { return true };
            mark.memory != new || !blind.contains(&&mark.referent)
        });
    });
}

/// What a memory is tied to, as it is now.
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

/// A memory as this transaction leaves it.
fn about_to_be(tx: &Transaction<'_>, id: MemoryId) -> Result<Option<Memory>> {
    let row = tx.rows(&[RowKey::memory(tx.scope.space, id)])?.remove(0);
    Ok(row.and_then(Row::into_memory))
}

/// Whether a lesson was drawn from a memory, in this transaction or before.
fn has_lesson(tx: &Transaction<'_>, old: &Memory) -> Result<bool> {
    let node = NodeId::Memory(old.id);
    let drawn = |edge: &Edge| edge.relation == Relation::DerivedFrom && edge.to == node;
    let edges = tx.neighbours(old.space, &[node], &[Relation::DerivedFrom], EDGES_READ)?;
    let keys: Vec<RowKey> = edges
        .iter()
        .filter(|edge| drawn(edge))
        .map(|edge| RowKey::node(old.space, edge.from))
        .collect();
    let from = tx.rows(&keys)?;
    Ok(from
        .into_iter()
        .flatten()
        .any(|row| matches!(row, Row::Memory(one) if one.kind == Kind::Lesson)))
}
