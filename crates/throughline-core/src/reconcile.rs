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
        None => Ok(insert(candidate, neighbours, mint)),
    }
}

/// Said again: evidence is added; what a person says again comes back into view.
fn support(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    let source = candidate.testimony.authority;
    let returns = match held.state {
        State::Retracted if !source.is_user() => {
            return Err(Blocked::Retired {
                id: held.id,
                state: held.state,
            });
        }
        State::Retracted | State::Draft => true,
        State::Expired => !candidate.testimony.echo,
        State::Archived => source.is_user(),
        State::Staged | State::Confirmed | State::Superseded => false,
    };
    let mut testimony = candidate.testimony.clone();
    if testimony.snippet.is_none() && candidate.content != held.content {
        testimony.snippet = Some(candidate.content.clone());
    }
    let evidence = testimony.about(held.space, held.id);
    let before: Vec<Evidence> = neighbours
        .evidence
        .iter()
        .filter(|one| one.memory == held.id)
        .cloned()
        .collect();
    let voices = evidence::merge(&before, std::slice::from_ref(&evidence));
    let backed = source.is_user() || evidence::independent(&voices).len() >= 2;

    let mut changes = vec![Change::Reinforce(evidence)];
    let to = if backed {
        State::Confirmed
    } else {
        State::Staged
    };
    if returns || (held.state == State::Staged && backed) {
        changes.push(Change::Move {
            space: held.space,
            id: held.id,
            to,
        });
    }
    changes.extend(label_changes(candidate, held.id, neighbours, mint));
    Ok(Plan {
        changes,
        memory: held.id,
        deduped: true,
        superseded: vec![],
        contested: vec![],
    })
}

/// What was replaced is said again. A person means it: it takes the place of its replacement, as a
/// new memory, so that history stays a line. Anybody else is repeating old news.
fn return_of_the_replaced(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    if !candidate.testimony.authority.is_user() {
        return Err(Blocked::Retired {
            id: held.id,
            state: held.state,
        });
    }
    let mut plan = insert(candidate, neighbours, mint);
    if let Some(head) = neighbours.heads.get(&held.id)
        && head.state.is_active()
        && !plan.superseded.contains(&head.id)
    {
        plan.changes.push(supersede(head, candidate));
        plan.superseded.push(head.id);
    }
    Ok(plan)
}

fn insert(candidate: &Candidate, neighbours: &Neighbours, mint: &mut dyn FnMut() -> Uuid) -> Plan {
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

    let conflicts = conflicts(candidate, neighbours);
    if conflicts
        .iter()
        .any(|(_, verdict)| *verdict == Contest::Outranked)
    {
        memory.state = State::Staged;
    }
    let mut changes = vec![
        Change::Insert(Box::new(memory)),
        Change::Reinforce(testimony.about(space, id)),
    ];
    changes.extend(label_changes(candidate, id, neighbours, mint));
    let (mut superseded, mut contested) = (Vec::new(), Vec::new());
    for (old, verdict) in conflicts {
        if verdict == Contest::Supersede {
            changes.push(supersede(old, candidate));
            superseded.push(old.id);
        } else {
            let edge = Edge::new(
                space,
                id.into(),
                Relation::Contradicts,
                old.id.into(),
                testimony.at,
            );
            changes.push(Change::Link(edge));
            contested.push(old.id);
        }
    }
    Plan {
        changes,
        memory: id,
        deduped: false,
        superseded,
        contested,
    }
}

fn supersede(old: &Memory, candidate: &Candidate) -> Change {
    Change::Supersede {
        space: old.space,
        old: old.id,
        new: candidate.id,
        at: candidate.testimony.at,
    }
}

/// The active memories that give the same single-valued slot another value, and how that ends.
fn conflicts<'a>(candidate: &Candidate, neighbours: &'a Neighbours) -> Vec<(&'a Memory, Contest)> {
    let Some(slot) = &candidate.slot else {
        return Vec::new();
    };
    neighbours
        .same_slot
        .iter()
        .filter(|old| old.session == candidate.scope.session)
        .filter_map(|old| Some((old, old.slot.as_ref()?)))
        .filter(|(_, held)| {
            // Either side may declare that there is only one value.
            held.value() != slot.value()
                && [held.cardinality, slot.cardinality].contains(&Cardinality::One)
        })
        .map(|(old, _)| {
            let later = candidate.testimony.at >= old.recorded_at;
            (
                old,
                contest(candidate.testimony.authority, old.authority, later),
            )
        })
        .collect()
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
        let entity = *met
            .entry((kind, text::normalise(&name)))
            .or_insert_with(|| {
                let entity = entity(EntityId(mint()), space, kind, &name, at);
                changes.push(Change::Know(entity.clone()));
                entity.id
            });
        changes.push(Change::Link(Edge::new(
            space,
            memory.into(),
            relation,
            entity.into(),
            at,
        )));
    }
    changes
}

/// A thing met for the first time.
pub fn entity(id: EntityId, space: SpaceId, kind: EntityKind, name: &str, at: Timestamp) -> Entity {
    Entity {
        id,
        space,
        kind,
        name: name.trim().to_owned(),
        aliases: Vec::new(),
        created_at: at,
    }
}

/// The entities a candidate names, and how it relates to each.
pub fn named_entities(candidate: &Candidate) -> Vec<(EntityKind, String, Relation)> {
    let tags = candidate
        .tags
        .iter()
        .map(|tag| (EntityKind::Tag, tag.clone(), Relation::Tagged));
    let subject = candidate
        .slot
        .iter()
        .map(|slot| (EntityKind::Concept, slot.subject.clone(), Relation::About));
    tags.chain(subject).collect()
}

/// The fingerprints under which a candidate may lie buried.
pub fn burial_marks(candidate: &Candidate) -> Vec<Fingerprint> {
    let text = Fingerprint::of(&candidate.content);
    std::iter::once(text)
        .chain(candidate.slot.as_ref().map(slot_fingerprint))
        .collect()
}
