//! Reconcile: what to do with something new. Pure: candidate and neighbours in, changes out.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::authority::{Contest, contest};
use crate::evidence::{self, Testimony};
use crate::row::{Tombstone, slot_fingerprint};
use crate::{
    Cardinality, Change, Edge, Entity, EntityId, EntityKind, Evidence, Fingerprint, Kind, Memory,
    MemoryId, Relation, Scope, Slot, SpaceId, State, Timestamp, text,
};

/// Something that may become a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The id it gets if it is new.
    pub id: MemoryId,
    /// Where it is put.
    pub scope: Scope,
    /// What sort of claim.
    pub kind: Kind,
    /// The claim.
    pub content: String,
    /// Its structured form.
    pub slot: Option<Slot>,
    /// Labels.
    pub tags: Vec<String>,
    /// A title.
    pub label: Option<String>,
    /// The area it belongs to.
    pub domain: Option<String>,
    /// How much it matters, if somebody said.
    pub importance: Option<f64>,
    /// How sure the extractor is.
    pub confidence: f64,
    /// Whether to keep it in front.
    pub pinned: bool,
    /// Who says so.
    pub testimony: Testimony,
    /// The user asks for it although it was erased before.
    pub revive: bool,
}

/// What the store knows that bears on a candidate. All of the candidate's space.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Neighbours {
    /// Memories with the same fingerprint, in any state.
    pub same_text: Vec<Memory>,
    /// Active memories in the same slot.
    pub same_slot: Vec<Memory>,
    /// The evidence of all of these.
    pub evidence: Vec<Evidence>,
    /// Where the replacements of the superseded ones end.
    pub heads: BTreeMap<MemoryId, Memory>,
    /// Tombstones with the candidate's fingerprint or slot.
    pub tombstones: Vec<Tombstone>,
    /// Entities the candidate names, by kind and comparable name.
    pub entities: BTreeMap<(EntityKind, String), EntityId>,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What to write.
    pub changes: Vec<Change>,
    /// The memory that now holds the claim.
    pub memory: MemoryId,
    /// It was known; this added evidence.
    pub deduped: bool,
    /// What it replaced.
    pub superseded: Vec<MemoryId>,
    /// What it contradicts without replacing it.
    pub contested: Vec<MemoryId>,
}

/// Why a candidate is not taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// It was erased, and nobody asked for it back.
    #[error("this was erased on {}; it stays out unless you ask for it back", .0.date())]
    Erased(Timestamp),
    /// It was retired, and a source weaker than a person says it again.
    #[error("memory {id} says this and is {state}; only you can bring it back")]
    Retired {
        /// Which memory.
        id: MemoryId,
        /// Where it stands.
        state: State,
    },
}

/// Decides what a candidate means for what is known.
pub fn plan(
    candidate: &Candidate,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    if !candidate.revive
        && let Some(stone) = neighbours.tombstones.first()
    {
        return Err(Blocked::Erased(stone.at));
    }
    let covering =
        |memory: &&Memory| memory.session.is_none() || memory.session == candidate.scope.session;
    let mut known: Vec<&Memory> = neighbours.same_text.iter().filter(covering).collect();
    known.sort_by_key(|memory| (!memory.state.is_active(), memory.recorded_at, memory.id));
    let same_value = neighbours.same_slot.iter().filter(covering).find(|memory| {
        candidate.slot.as_ref().map(Slot::value) == memory.slot.as_ref().map(Slot::value)
    });
    match known.first().copied().or(same_value) {
        Some(memory) if memory.state == State::Superseded => {
            return_of_the_replaced(candidate, memory, neighbours, mint)
        }
        Some(memory) => support(candidate, memory, neighbours, mint),
        None => Ok(insert(candidate, neighbours, None, mint)),
    }
}

/// Said again: evidence is added; what a person says again comes back into view.
fn support(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    let mut testimony = candidate.testimony.clone();
    let by_person = testimony.authority.is_user() && !testimony.echo;
    let returns = match held.state {
        State::Staged | State::Confirmed => false,
        State::Draft => true,
        State::Expired => !testimony.echo,
        State::Archived => by_person,
        State::Retracted | State::Superseded if by_person => true,
        State::Retracted | State::Superseded => return Err(retired(held)),
    };
    if returns && is_old_news(held, testimony.at) {
        return Err(retired(held));
    }
    if testimony.snippet.is_none() && candidate.content != held.content {
        testimony.snippet = Some(candidate.content.clone());
    }
    let evidence = testimony.about(held.space, held.id);
    let before: Vec<Evidence> =
        neighbours.evidence.iter().filter(|one| one.memory == held.id).cloned().collect();
    let voices = evidence::merge(&before, std::slice::from_ref(&evidence));
    let backed = by_person || evidence::independent(&voices).len() >= 2;

    let mut plan = Plan::about(held.id, true);
    plan.changes.push(Change::Reinforce(evidence));
    let to = if backed { State::Confirmed } else { State::Staged };
    if returns || (held.state == State::Staged && backed) {
        plan.changes.push(Change::Move { space: held.space, id: held.id, to, at: testimony.at });
    }
    // Known in words, now said in structured form: the claim takes the form on.
    if held.slot.is_none() && candidate.slot.is_some() && (returns || held.state.is_active()) {
        let authority = held.authority.stronger(testimony.authority);
        let slot = candidate.slot.clone();
        plan.changes.push(Change::Revise(Box::new(Memory { slot, authority, ..held.clone() })));
        plan.settle(conflicts(candidate, neighbours, None), candidate);
    }
    plan.changes.extend(label_changes(candidate, held.id, neighbours, mint));
    Ok(plan)
}

/// Whether something was said before the memory left view, so that saying it brings nothing back.
fn is_old_news(held: &Memory, at: Timestamp) -> bool {
    held.since.is_some_and(|since| at < since)
}

fn retired(held: &Memory) -> Blocked {
    Blocked::Retired { id: held.id, state: held.state }
}

/// What was replaced is said again. A person means it: it takes the place of its replacement, as a
/// new memory, so that history stays a line. Anybody else is repeating old news.
fn return_of_the_replaced(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    let testimony = &candidate.testimony;
    let by_person = testimony.authority.is_user() && !testimony.echo;
    if !by_person || is_old_news(held, testimony.at) {
        return Err(retired(held));
    }
    let head = neighbours.heads.get(&held.id).filter(|head| head.state.is_active());
    Ok(insert(candidate, neighbours, head, mint))
}

/// New to us. `replaces` is what it takes the place of, whoever said that.
fn insert(
    candidate: &Candidate,
    neighbours: &Neighbours,
    replaces: Option<&Memory>,
    mint: &mut dyn FnMut() -> Uuid,
) -> Plan {
    let testimony = &candidate.testimony;
    let (space, id) = (candidate.scope.space, candidate.id);
    let mut memory = Memory::new(
        id,
        &candidate.scope,
        candidate.kind,
        &candidate.content,
        testimony.authority,
        testimony.at,
    );
    memory.slot.clone_from(&candidate.slot);
    memory.label.clone_from(&candidate.label);
    memory.domain.clone_from(&candidate.domain);
    memory.importance = candidate.importance.unwrap_or(memory.importance);
    memory.confidence = candidate.confidence;
    memory.pinned = candidate.pinned;

    let conflicts = conflicts(candidate, neighbours, replaces);
    let outranked = conflicts.iter().any(|(_, verdict)| *verdict == Contest::Outranked);
    if outranked || testimony.echo {
        memory.state = State::Staged;
    }
    let mut plan = Plan::about(id, false);
    plan.changes.push(Change::Insert(Box::new(memory)));
    plan.changes.push(Change::Reinforce(testimony.about(space, id)));
    plan.changes.extend(label_changes(candidate, id, neighbours, mint));
    plan.settle(conflicts, candidate);
    plan
}

impl Plan {
    fn about(memory: MemoryId, deduped: bool) -> Self {
        Self { changes: vec![], memory, deduped, superseded: vec![], contested: vec![] }
    }

    /// Carries out what was decided about the claims that this one conflicts with.
    fn settle(&mut self, conflicts: Vec<(&Memory, Contest)>, candidate: &Candidate) {
        let at = candidate.testimony.at;
        for (old, verdict) in conflicts.into_iter().filter(|(old, _)| old.id != self.memory) {
            if verdict == Contest::Supersede {
                let (space, new) = (old.space, self.memory);
                self.changes.push(Change::Supersede { space, old: old.id, new, at });
                self.superseded.push(old.id);
            } else {
                let (from, to) = (self.memory.into(), old.id.into());
                let edge = Edge::new(old.space, from, Relation::Contradicts, to, at);
                self.changes.push(Change::Link(edge));
                self.contested.push(old.id);
            }
        }
    }
}

/// The active memories that this one conflicts with, and how each conflict ends: what it is known
/// to replace, and those that give the same single-valued slot another value.
fn conflicts<'a>(
    candidate: &Candidate,
    neighbours: &'a Neighbours,
    replaces: Option<&'a Memory>,
) -> Vec<(&'a Memory, Contest)> {
    let mut conflicts: Vec<_> = replaces.into_iter().map(|old| (old, Contest::Supersede)).collect();
    let Some(slot) = &candidate.slot else {
        return conflicts;
    };
    for old in &neighbours.same_slot {
        let Some(held) = &old.slot else { continue };
        // Either side may declare that there is only one value.
        let single = [held.cardinality, slot.cardinality].contains(&Cardinality::One);
        let apart = old.session != candidate.scope.session || held.value() == slot.value();
        if apart || !single || replaces.is_some_and(|replaced| replaced.id == old.id) {
            continue;
        }
        let later = candidate.testimony.at >= old.recorded_at;
        let verdict = if candidate.testimony.echo {
            Contest::Outranked
        } else {
            contest(candidate.testimony.authority, old.authority, later)
        };
        conflicts.push((old, verdict));
    }
    conflicts
}

/// Tags and subject become entities, and edges to them.
fn label_changes(
    candidate: &Candidate,
    memory: MemoryId,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Vec<Change> {
    let (space, at) = (candidate.scope.space, candidate.testimony.at);
    let mut changes = Vec::new();
    let mut met = neighbours.entities.clone();
    for (kind, name, relation) in named_entities(candidate) {
        let entity = *met.entry((kind, text::normalise(&name))).or_insert_with(|| {
            let entity = entity(EntityId(mint()), space, kind, &name, at);
            changes.push(Change::Know(entity.clone()));
            entity.id
        });
        changes.push(Change::Link(Edge::new(space, memory.into(), relation, entity.into(), at)));
    }
    changes
}

/// A thing met for the first time.
pub fn entity(id: EntityId, space: SpaceId, kind: EntityKind, name: &str, at: Timestamp) -> Entity {
    Entity { id, space, kind, name: name.trim().to_owned(), aliases: Vec::new(), created_at: at }
}

/// The entities a candidate names, and how it relates to each.
pub fn named_entities(candidate: &Candidate) -> Vec<(EntityKind, String, Relation)> {
    let tags = candidate.tags.iter().map(|tag| (EntityKind::Tag, tag.clone(), Relation::Tagged));
    let subject = candidate
        .slot
        .iter()
        .map(|slot| (EntityKind::Concept, slot.subject.clone(), Relation::About));
    tags.chain(subject).collect()
}

/// The fingerprints under which a candidate may lie buried.
pub fn burial_marks(candidate: &Candidate) -> Vec<Fingerprint> {
    let text = Fingerprint::of(&candidate.content);
    std::iter::once(text).chain(candidate.slot.as_ref().map(slot_fingerprint)).collect()
}
