//! Conflicts: what a claim contradicts, and how each contradiction ends.

use super::{Candidate, Neighbours};
use crate::authority::{Contest, contest};
use crate::meet::Difference;
use crate::when::StatedStart;
use crate::{Authority, Cardinality, Memory, SessionId, Slot, Timestamp, form, when};

/// What decides a conflict: the slot, who stands behind the claim, and since when.
pub(super) struct ConflictClaim<'a> {
    pub(super) slot: Option<&'a Slot>,
    pub(super) session: Option<&'a SessionId>,
    pub(super) authority: Authority,
    pub(super) at: Timestamp,
    pub(super) echo: bool,
    /// Whether the claim itself says when it ends.
    pub(super) ends: bool,
    /// From when on it holds, if that lies ahead.
    pub(super) start: Option<StatedStart>,
}

impl<'a> ConflictClaim<'a> {
    pub(super) fn of(candidate: &'a Candidate) -> Self {
        Self {
            slot: candidate.slot.as_ref(),
            session: candidate.scope.session.as_ref(),
            authority: candidate.testimony.authority,
            at: candidate.testimony.at,
            echo: candidate.testimony.echo,
            ends: when::holds_for_a_while(&candidate.content, candidate.testimony.at),
            start: when::start(&candidate.content, candidate.testimony.at),
        }
    }

    /// A memory, as a claim that is held against another one.
    fn of_memory(memory: &'a Memory) -> Self {
        let at = memory.recorded_at;
        Self {
            slot: memory.slot.as_ref(),
            session: memory.session.as_ref(),
            authority: memory.authority,
            at,
            echo: false,
            ends: memory.valid_until.is_some() || when::holds_for_a_while(&memory.content, at),
            start: when::start(&memory.content, at),
        }
    }

    /// From when on the claim holds, if that lies ahead.
    pub(super) fn starts_at(&self) -> Option<Timestamp> {
        self.start.map(|start| start.at)
    }

    /// Whether the claim leaves a memory as it is until a time ahead. Where both name a time, that may be what changes:
    /// "the release is on Friday", "the release is next week".
    fn leaves_until_later(&self, old: &Memory) -> bool {
        self.start.is_some() && when::find(&old.content, old.recorded_at).is_empty()
    }

    /// Whether both hold in the same session, or both beyond any.
    fn reaches(&self, old: &Memory) -> bool {
        old.session.as_ref() == self.session
    }

    /// How a conflict with a memory ends, by the ranks.
    fn against(&self, old: &Memory) -> Contest {
        // What a person keeps in front is not replaced by anybody else.
        if self.echo || old.pinned && !self.authority.is_user() {
            return Contest::Outranked;
        }
        let verdict = contest(self.authority, old.authority, self.at >= old.recorded_at);
        // What holds for a while does not end what holds for good: that is there again afterwards.
        let for_a_while = self.ends && old.valid_until.is_none();
        if verdict != Contest::Supersede {
            verdict
        } else if for_a_while {
            Contest::Contested
        } else if self.leaves_until_later(old) {
            Contest::Announced
        } else {
            verdict
        }
    }
}

/// How a conflict between two memories that are held already ends.
pub fn between(old: &Memory, new: &Memory) -> Contest {
    ConflictClaim::of_memory(new).against(old)
}

/// The active memories that a claim conflicts with, and how each conflict ends: what it is known
/// to replace, those that give the same single-valued slot another value, and those whose words
/// differ only in a value.
pub(super) fn conflicts<'a>(
    claim: &ConflictClaim<'_>,
    neighbours: &'a Neighbours,
    replaces: Option<&'a Memory>,
) -> Vec<(&'a Memory, Contest)> {
    // Two people who disagree are both heard, until somebody with the right settles it.
    let among_people = |old: &Memory, verdict: Contest| {
        let anothers = neighbours.said_by_others.contains(&old.id);
        let wins = matches!(verdict, Contest::Supersede | Contest::Announced);
        if anothers && wins { Contest::Contested } else { verdict }
    };
    let mut conflicts: Vec<_> =
        replaces.into_iter().map(|old| (old, among_people(old, Contest::Supersede))).collect();
    // What happened is not undone by what is said later.
    let holds = |old: &Memory| old.state.is_active() && !form::is_event(old.kind, &old.content);
    for old in neighbours.same_slot.iter().filter(|old| holds(old)) {
        let (Some(slot), Some(held)) = (claim.slot, &old.slot) else { continue };
        // Either side may declare that there is only one value.
        let single = [held.cardinality, slot.cardinality].contains(&Cardinality::One);
        let apart = held.key() != slot.key() || neighbours.same_value(held, slot);
        if single && !apart && claim.reaches(old) && !has(&conflicts, old) {
            conflicts.push((old, among_people(old, claim.against(old))));
        }
    }
    for (old, difference) in &neighbours.same_thing {
        let slots = claim.slot.zip(old.slot.as_ref());
        if slots.is_some_and(|(slot, held)| {
            held.key() != slot.key() || neighbours.same_value(held, slot)
        }) {
            continue; // their structured form says that they speak of two things, or say the same
        }
        if !holds(old) || !claim.reaches(old) || has(&conflicts, old) {
            continue;
        }
        // What is declared to hold several values may hold this one too. Several are several
        // things, not two versions of one.
        let several = slots.is_some_and(|(slot, held)| !are_versions_of_one(slot, held));
        let verdict = match (difference, claim.against(old)) {
            (Difference::Open, Contest::Supersede | Contest::Announced) => Contest::Contested,
            (Difference::Value, Contest::Supersede | Contest::Announced) if several => {
                Contest::Contested
            }
            (_, verdict) => verdict,
        };
        conflicts.push((old, among_people(old, verdict)));
    }
    conflicts
}

/// "Node 18" and "Node 20": the same name, and another number behind it.
fn are_versions_of_one(one: &Slot, other: &Slot) -> bool {
    let name = |slot: &Slot| {
        let value = slot.value();
        let (name, version) = value.rsplit_once(' ')?;
        let version = version.strip_prefix('v').unwrap_or(version);
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| name.to_owned())
    };
    name(one).is_some_and(|named| name(other) == Some(named))
}

fn has(conflicts: &[(&Memory, Contest)], memory: &Memory) -> bool {
    conflicts.iter().any(|(old, _)| old.id == memory.id)
}
