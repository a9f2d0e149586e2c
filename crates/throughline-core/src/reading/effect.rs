//! Effects: what changes that were decided do to a memory that is held.

use std::collections::BTreeSet;

use crate::{Change, Memory, MemoryId, NodeId, Relation};

closed_set! {
    /// What is done to a memory that is held.
    pub enum Effect ("effect") {
        /// Another takes its place.
        Replaces = "replaces",
        /// It is taken back or put away.
        Withdraws = "withdraws",
        /// Another contradicts it that ranks no lower, and a person decides.
        Questions = "questions",
        /// Another contradicts it that ranks lower: it stands, and the other is in question.
        Outranks = "outranks",
        /// It gains evidence.
        Same = "same",
        /// It is changed, or another is connected to it.
        Adds = "adds",
        /// It stays as it is, and is told with what was said from now on.
        Beside = "beside",
        /// It stays as it is.
        Leaves = "leaves",
    }
}

impl Effect {
    /// What these changes do to a memory. Where they do several things, the gravest.
    pub fn of(changes: &[Change], held: &Memory) -> Self {
        let done = changes.iter().flat_map(effects).filter(|(id, _)| *id == held.id);
        let effect = done.map(|(_, effect)| effect).min().unwrap_or(Self::Leaves);
        let lower = |one: &Memory| held.authority.outranks(one.authority);
        if effect == Self::Questions && changes.iter().find_map(made).is_some_and(lower) {
            return Self::Outranks;
        }
        effect
    }

    /// The same in plain words, of what was said.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Withdraws => "takes back",
            Self::Questions => "puts in question",
            Self::Outranks => "is outranked by",
            Self::Same => "says the same as",
            Self::Adds => "adds to",
            Self::Beside => "is told beside",
            Self::Leaves => "leaves alone",
        }
    }
}

/// The memories that these changes do something to and do not make.
pub fn met(changes: &[Change]) -> BTreeSet<MemoryId> {
    let made: BTreeSet<MemoryId> = changes.iter().filter_map(made).map(|one| one.id).collect();
    let met = changes.iter().flat_map(effects).map(|(id, _)| id);
    met.filter(|id| !made.contains(id)).collect()
}

fn made(change: &Change) -> Option<&Memory> {
    if let Change::Insert(memory) = change { Some(memory) } else { None }
}

fn effects(change: &Change) -> Vec<(MemoryId, Effect)> {
    if let Change::Supersede { old, .. } = change {
        vec![(*old, Effect::Replaces)]
    } else if let Change::Move { id, to, .. } = change {
        vec![(*id, if to.is_active() { Effect::Same } else { Effect::Withdraws })]
    } else if let Change::Reinforce(evidence) = change {
        vec![(evidence.memory, Effect::Same)]
    } else if let Change::Revise(memory) = change {
        vec![(memory.id, Effect::Adds)]
    } else if let Change::Link(edge) = change
        && edge.relation == Relation::LaterSaid
    {
        edge.to.memory().map(|id| (id, Effect::Beside)).into_iter().collect()
    } else if let Change::Link(edge) = change {
        let contradicts = edge.relation == Relation::Contradicts;
        let effect = if contradicts { Effect::Questions } else { Effect::Adds };
        let ends = [edge.from, edge.to];
        let connects = ends.iter().all(|end| matches!(end, NodeId::Memory(_)));
        let ends = ends.into_iter().filter(|_| connects).filter_map(NodeId::memory);
        ends.map(|id| (id, effect)).collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{Authority, Edge, Kind, Scope, SpaceId, State, Timestamp};

    fn memory(number: u128, authority: Authority) -> Memory {
        let scope = Scope { space: SpaceId::GLOBAL, session: None };
        let id = MemoryId(Uuid::from_u128(number));
        Memory::new(id, &scope, Kind::Fact, "it is so", authority, Timestamp::EPOCH)
    }

    fn contradicts(new: &Memory, old: &Memory) -> Vec<Change> {
        let (from, to, at) = (new.id.into(), old.id.into(), Timestamp::EPOCH);
        let edge = Edge::new(SpaceId::GLOBAL, from, Relation::Contradicts, to, at);
        vec![Change::Insert(Box::new(new.clone())), Change::Link(edge)]
    }

    #[test]
    fn what_ranks_lower_puts_nothing_in_question() {
        let held = memory(1, Authority::UserStated);
        let said = memory(2, Authority::UserStated);
        let guessed = memory(3, Authority::Extracted);
        assert_eq!(Effect::of(&contradicts(&said, &held), &held), Effect::Questions);
        assert_eq!(Effect::of(&contradicts(&guessed, &held), &held), Effect::Outranks);
        assert_eq!(Effect::of(&contradicts(&said, &held), &guessed), Effect::Leaves);
    }

    #[test]
    fn what_is_replaced_as_well_as_contradicted_is_replaced() {
        let (held, said) = (memory(1, Authority::UserStated), memory(2, Authority::UserStated));
        let mut changes = contradicts(&said, &held);
        let (space, at) = (held.space, Timestamp::EPOCH);
        changes.push(Change::Supersede { space, old: held.id, new: said.id, at });
        assert_eq!(Effect::of(&changes, &held), Effect::Replaces);
        assert_eq!(met(&changes), BTreeSet::from([held.id]), "what is new is not met");
        let (id, to) = (held.id, State::Retracted);
        let back = Change::Move { space, id, to, at };
        assert_eq!(Effect::of(&[back], &held), Effect::Withdraws);
    }
}
