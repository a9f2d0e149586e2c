//! Taking over: a person says what somebody else had set down. From then on it is the person's: their
//! words, their kind, their slot, and nothing that the other attached to it.

use super::{Candidate, Neighbours, as_said};
use crate::evidence::Testimony;
use crate::permission::Standing;
use crate::{Change, Edge, Evidence, Memory, NodeId, Relation};

/// Whether these are a person's own words, and not our own heard back.
pub(super) fn is_persons_word(testimony: &Testimony) -> bool {
    testimony.authority.is_user() && !testimony.echo
}

/// Whether a person stands behind a memory.
pub(super) fn is_by_person(memory: &Memory, neighbours: &Neighbours) -> bool {
    let about: Vec<Evidence> =
        neighbours.evidence.iter().filter(|one| one.memory == memory.id).cloned().collect();
    Standing::of(memory, &about).by_person
}

/// Whether a connection says what its memory is, and not what else there is.
pub fn gives_form(edge: &Edge, memory: &Memory) -> bool {
    let reason = edge.relation.is_reason() && matches!(edge.to, NodeId::Memory(_));
    let named = matches!(edge.relation, Relation::Tagged | Relation::About);
    edge.from == memory.id.into() && (reason || named)
}

/// The memory as the person says it, in the place that it has.
pub(super) fn taken_over(candidate: &Candidate, held: &Memory) -> Memory {
    Memory {
        id: held.id,
        session: held.session.clone(),
        authority: held.authority.stronger(candidate.testimony.authority),
        state: held.state,
        previous: held.previous,
        since: held.since,
        recorded_at: held.recorded_at,
        superseded_by: held.superseded_by,
        last_verified_at: held.last_verified_at,
        pinned: held.pinned || candidate.pinned,
        extra: held.extra.clone(),
        ..as_said(candidate)
    }
}

/// Takes off a memory what others attached to it.
pub(super) fn loosened(held: &Memory, neighbours: &Neighbours) -> Vec<Change> {
    let edges = neighbours.set_by_others.iter().filter(|edge| gives_form(edge, held));
    let unlink = edges.map(|edge| Change::Unlink {
        space: edge.space,
        from: edge.from,
        relation: edge.relation,
        to: edge.to,
    });
    let marks = neighbours.bindings.iter().filter(|mark| mark.memory == held.id);
    let unwatch = marks.map(|mark| Change::Unwatch {
        space: mark.space,
        memory: mark.memory,
        referent: mark.referent.clone(),
    });
    unlink.chain(unwatch).collect()
}
