//! Occurrences: what happens once more is told in the same words, and is another event.

use super::{Candidate, Neighbours};
use crate::{Memory, form};

/// Whether the same words tell of something that happened another time: nobody spoke of what is held on that day. An
/// agent that says it again only retells it, and a text that gives the date means the same one on every day.
pub(super) fn happened_again(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
) -> bool {
    let (testimony, day) = (&candidate.testimony, candidate.testimony.at.date());
    let events = form::is_event(candidate.kind, &candidate.content)
        && form::is_event(held.kind, &held.content)
        && !form::gives_date(&candidate.content);
    let retold = testimony.echo || testimony.by_agent || !held.state.is_active();
    let mut told = neighbours.evidence.iter().filter(|one| one.memory == held.id);
    events && !retold && held.recorded_at.date() != day && told.all(|one| one.at.date() != day)
}
