//! Reconcile: what to do with something new. Pure: candidate and neighbours in, changes out.

mod bare;
mod conflict;
mod named;
mod occurrence;
mod settle;
mod take_over;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

pub use conflict::between;
use conflict::{ConflictClaim, conflicts};
use named::label_changes;
pub use named::{entity, named_entities};
use occurrence::happened_again;
pub use take_over::gives_form;
use take_over::{is_by_person, is_persons_word, loosened, taken_over};

use crate::authority::Contest;
use crate::evidence::{self, Testimony};
use crate::meet::Difference;
use crate::patch::Named;
use crate::permission::Standing;
use crate::row::{Tombstone, slot_fingerprint};
use crate::{
    Authority, Change, Edge, EntityId, EntityKind, Evidence, Fingerprint, Kind, Memory, MemoryId,
    Scope, Slot, State, Timestamp, Watermark, when,
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
    /// Patterns that bring it up.
    pub triggers: Vec<String>,
    /// Things it is about, besides the subject of its slot.
    pub about: Vec<Named>,
    /// What it answers, where its own words do not tell what they speak of.
    pub answers: Option<String>,
    /// The user asks for it although it was erased before.
    pub revive: bool,
}

impl Candidate {
    /// A plain claim: what somebody says, and nothing said about it.
    pub fn new(
        id: MemoryId,
        scope: Scope,
        kind: Kind,
        content: &str,
        testimony: Testimony,
    ) -> Self {
        Self {
            id,
            scope,
            kind,
            content: content.to_owned(),
            slot: None,
            tags: Vec::new(),
            label: None,
            domain: None,
            importance: None,
            confidence: 1.0,
            pinned: false,
            testimony,
            triggers: Vec::new(),
            about: Vec::new(),
            answers: None,
            revive: false,
        }
    }
}

/// What the store knows that bears on a candidate. All of the candidate's space.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Neighbours {
    /// Memories with the same fingerprint, in any state.
    pub same_text: Vec<Memory>,
    /// Memories in the candidate's slot, and in the slots of those with the same fingerprint, in
    /// any state.
    pub same_slot: Vec<Memory>,
    /// Current memories that give the same thing another value, by their form, and are not known to
    /// hold beside it.
    pub same_thing: Vec<(Memory, Difference)>,
    /// The evidence of all of these.
    pub evidence: Vec<Evidence>,
    /// Where the replacements of the superseded ones end.
    pub heads: BTreeMap<MemoryId, Memory>,
    /// Tombstones with the candidate's fingerprint or slot.
    pub tombstones: Vec<Tombstone>,
    /// Entities the candidate names, by kind and comparable name.
    pub entities: BTreeMap<(EntityKind, String), EntityId>,
    /// Which things the values of these slots are names of. Two names of one thing are one value.
    pub values: BTreeMap<String, EntityId>,
    /// Connections of the memories that make this claim which say what it is and were not made by a
    /// person.
    pub set_by_others: Vec<Edge>,
    /// What the memories that make this claim are tied to.
    pub bindings: Vec<Watermark>,
    /// Those of them that an agent put away.
    pub put_away_by_agent: BTreeSet<MemoryId>,
    /// Memories that bear on it and that another person said.
    pub said_by_others: BTreeSet<MemoryId>,
}

impl Neighbours {
    /// Whether two values mean the same: the same words, or two names of one thing.
    fn same_value(&self, one: &Slot, other: &Slot) -> bool {
        let (one, other) = (one.value(), other.value());
        one == other
            || self.values.get(&one).is_some_and(|thing| self.values.get(&other) == Some(thing))
    }
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
    /// What stays of what it replaced, as memories of their own. Whoever carries out the plan adds them.
    pub left: Vec<MemoryId>,
    /// It was known, and a person's words took the place of somebody else's.
    pub taken_over: bool,
}

/// Why a candidate is not taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// It was erased, and nobody asked for it back.
    #[error("this was erased on {}; it stays out unless you ask for it back", .0.date())]
    Erased(Timestamp),
    /// It was retired, and a source weaker than a person says it again.
    #[error("memory {} says this and is {state}; only you can bring it back", .id.handle())]
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
    let known = known(candidate, neighbours);
    if let Some(held) = known.iter().find(|held| is_on_record(candidate, held, neighbours)) {
        return Ok(Plan::about(held.id, true)); // the very same words, read again
    }
    match known.first() {
        None => Ok(insert(candidate, neighbours, None, mint)),
        Some(held) if held.state == State::Superseded => {
            return_of_the_replaced(candidate, held, neighbours, mint)
        }
        Some(held) => support(candidate, held, neighbours, mint),
    }
}

/// The memories that already make this claim, in the same words or in the same slot with the same
/// value: current ones first, then those that were retired last.
fn known<'a>(candidate: &Candidate, neighbours: &'a Neighbours) -> Vec<&'a Memory> {
    let same_value = neighbours.same_slot.iter().filter(|memory| {
        let (Some(slot), Some(held)) = (&candidate.slot, &memory.slot) else { return false };
        held.key() == slot.key() && neighbours.same_value(held, slot)
    });
    let mut known: Vec<&Memory> = neighbours
        .same_text
        .iter()
        .chain(same_value)
        .filter(|memory| memory.session.is_none() || memory.session == candidate.scope.session)
        .filter(|memory| !happened_again(candidate, memory, neighbours))
        .collect();
    let mut others = BTreeSet::new();
    if is_persons_word(&candidate.testimony) {
        let theirs = known.iter().filter(|memory| !is_by_person(memory, neighbours));
        others = theirs.map(|memory| memory.id).collect();
        // What a person says for a session is not what somebody else said for good.
        known.retain(|one| !others.contains(&one.id) || one.session == candidate.scope.session);
    }
    let wanted = Fingerprint::of(&candidate.content);
    known.sort_by_key(|memory| {
        let other = others.contains(&memory.id);
        let place = (!memory.state.is_active(), other, other && memory.fingerprint != wanted);
        (place, Reverse(memory.since), memory.recorded_at, memory.id)
    });
    known
}

/// What a candidate says, as evidence about a memory. Other words are kept beside it.
fn evidence_about(candidate: &Candidate, held: &Memory) -> Evidence {
    let mut testimony = candidate.testimony.clone();
    if testimony.snippet.is_none() && candidate.content != held.content {
        testimony.snippet = Some(candidate.content.clone());
    }
    testimony.about(held.space, held.id)
}

fn is_on_record(candidate: &Candidate, held: &Memory, neighbours: &Neighbours) -> bool {
    let said = evidence_about(candidate, held);
    let same_turn = |one: &Evidence| {
        one.memory == held.id
            && said.turn.is_some()
            && (one.turn == said.turn && one.authority == said.authority)
    };
    neighbours.evidence.iter().any(|one| *one == said || same_turn(one))
}

/// Said again: evidence is added; what a person says again comes back into view.
fn support(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    let testimony = &candidate.testimony;
    let evidence = evidence_about(candidate, held);
    let before: Vec<Evidence> =
        neighbours.evidence.iter().filter(|one| one.memory == held.id).cloned().collect();
    let returns = returns(held, testimony, neighbours)?;
    let standing = Standing::of(held, &before);
    // An agent gives what a person said no other form.
    let bare;
    let candidate = if testimony.by_agent && standing.is_persons() {
        bare = candidate.in_words_alone();
        &bare
    } else {
        candidate
    };
    let mut plan = Plan::about(held.id, true);
    plan.changes.push(Change::Reinforce(evidence.clone()));
    plan.taken_over =
        is_persons_word(testimony) && !standing.by_person && (returns || held.state.is_active());
    let told = if plan.taken_over { taken_over(candidate, held) } else { held.clone() };
    if plan.taken_over {
        plan.changes.extend(loosened(held, neighbours));
    }
    plan.changes.extend(label_changes(candidate, held.id, neighbours, mint));
    if testimony.echo || !(returns || held.state.is_active()) {
        return Ok(plan);
    }

    let conflicts = conflicts_said_again(candidate, &told, &before, neighbours);
    let outranked = conflicts.iter().any(|(_, verdict)| *verdict == Contest::Outranked);
    let voices = evidence::merge(&before, &[evidence]);
    let backed = testimony.authority.is_user() || evidence::confirms(&voices);
    let to = if backed && !outranked { State::Confirmed } else { State::Staged };
    if returns || (held.state == State::Staged && to == State::Confirmed) {
        plan.changes.push(Change::Move { space: held.space, id: held.id, to, at: testimony.at });
    }
    let mut revised = enriched(candidate, &told);
    if revised != *held || testimony.authority.is_user() {
        revised.authority = held.authority.stronger(testimony.authority);
    }
    if revised != *held {
        plan.changes.push(Change::Revise(Box::new(revised)));
    }
    plan.settle(conflicts, testimony.at);
    Ok(plan)
}

/// The memory with what is said of it now and was not said before.
fn enriched(candidate: &Candidate, held: &Memory) -> Memory {
    let mut next = held.clone();
    if takes_form(candidate, held) {
        next.slot.clone_from(&candidate.slot);
    }
    // A fact is what nobody said more about.
    if is_persons_word(&candidate.testimony) && held.kind == Kind::Fact {
        if next.importance.to_bits() == held.kind.importance().to_bits() {
            next.importance = candidate.kind.importance();
        }
        next.kind = candidate.kind;
    }
    next.label = next.label.or_else(|| candidate.label.clone());
    next.domain = next.domain.or_else(|| candidate.domain.clone());
    for trigger in &candidate.triggers {
        if !next.triggers.contains(trigger) {
            next.triggers.push(trigger.clone());
        }
    }
    if !held.authority.outranks(candidate.testimony.authority) {
        next.importance = candidate.importance.unwrap_or(next.importance);
        next.pinned |= candidate.pinned;
    }
    next
}

/// Whether a claim known in words takes on the structured form it is said in now: it had none, or
/// somebody no weaker reads it otherwise.
fn takes_form(candidate: &Candidate, held: &Memory) -> bool {
    candidate.slot.is_some()
        && candidate.slot != held.slot
        && (held.slot.is_none() || !held.authority.outranks(candidate.testimony.authority))
}

/// How the conflicts of a known claim end when it is said again: by what speaks for it best, the
/// new voice or what stood behind it before, each at its own time. What was learnt after these
/// words were spoken is not touched by them.
fn conflicts_said_again<'a>(
    candidate: &Candidate,
    held: &Memory,
    before: &[Evidence],
    neighbours: &'a Neighbours,
) -> Vec<(&'a Memory, Contest)> {
    let slot = candidate.slot.as_ref().or(held.slot.as_ref());
    let strongest = before.iter().filter(|one| one.authority == held.authority && !one.echo);
    let stood_at = strongest.map(|one| one.at).max().unwrap_or(held.recorded_at);
    let now = ConflictClaim { slot, ..ConflictClaim::of(candidate) };
    let then = ConflictClaim {
        slot,
        authority: held.authority,
        at: stood_at,
        ..ConflictClaim::of(candidate)
    };
    let before = conflicts(&then, neighbours, None);
    conflicts(&now, neighbours, None)
        .into_iter()
        .zip(before)
        .map(|((old, now), (_, then))| (old, now.min(then)))
        .filter(|(old, _)| candidate.testimony.at >= old.recorded_at)
        .collect()
}

/// Whether this testimony brings a memory back into view. What was retired on purpose comes back
/// only by a person who says it after that.
fn returns(held: &Memory, testimony: &Testimony, neighbours: &Neighbours) -> Result<bool, Blocked> {
    let by_person = is_persons_word(testimony);
    // What an agent put away is no bar to a person, whatever either clock said.
    let freely = by_person && neighbours.put_away_by_agent.contains(&held.id);
    let news = freely || held.since.is_none_or(|since| testimony.at >= since);
    match held.state {
        State::Staged | State::Confirmed => Ok(false),
        State::Draft | State::Expired => Ok(news && !testimony.echo),
        State::Archived => Ok(news && by_person),
        State::Retracted | State::Superseded if news && by_person => Ok(true),
        State::Retracted | State::Superseded => {
            Err(Blocked::Retired { id: held.id, state: held.state })
        }
    }
}

/// What was replaced is said again. A person means it: it takes the place of its replacement, as a
/// new memory, so that history stays a line. Anybody else is repeating old news, and so is a
/// person who spoke before the present value was learnt.
fn return_of_the_replaced(
    candidate: &Candidate,
    held: &Memory,
    neighbours: &Neighbours,
    mint: &mut dyn FnMut() -> Uuid,
) -> Result<Plan, Blocked> {
    let head = neighbours.heads.get(&held.id).filter(|head| head.state.is_active());
    let by_agent = neighbours.put_away_by_agent.contains(&held.id);
    let news = head.is_none_or(|head| {
        let yields = by_agent && !head.authority.is_user();
        yields || candidate.testimony.at >= head.recorded_at
    });
    if !returns(held, &candidate.testimony, neighbours)? || !news {
        return Err(Blocked::Retired { id: held.id, state: held.state });
    }
    // What holds only in a session takes the place of nothing that reaches further.
    let replaces = head.filter(|head| head.session == candidate.scope.session);
    Ok(insert(candidate, neighbours, replaces, mint))
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
    let mut memory = as_said(candidate);

    let claim = ConflictClaim::of(candidate);
    let conflicts = conflicts(&claim, neighbours, replaces);
    if conflicts.iter().any(|(_, verdict)| *verdict == Contest::Announced) {
        memory.valid_from = claim.starts_at();
    }
    let outranked = conflicts.iter().any(|(_, verdict)| *verdict == Contest::Outranked);
    if outranked || testimony.echo {
        memory.state = State::Staged;
    }
    if testimony.echo {
        memory.authority = Authority::External; // our own words lend no rank
    }
    let mut plan = Plan::about(id, false);
    plan.changes.push(Change::Insert(Box::new(memory)));
    plan.changes.push(Change::Reinforce(testimony.about(space, id)));
    plan.changes.extend(label_changes(candidate, id, neighbours, mint));
    plan.settle(conflicts, testimony.at);
    plan
}

/// A candidate as a memory of its own.
fn as_said(candidate: &Candidate) -> Memory {
    let Testimony { authority, at, .. } = candidate.testimony;
    let Candidate { id, scope, kind, content, .. } = candidate;
    let mut memory = Memory::new(*id, scope, *kind, content, authority, at);
    memory.slot.clone_from(&candidate.slot);
    memory.label.clone_from(&candidate.label);
    memory.domain.clone_from(&candidate.domain);
    memory.importance = candidate.importance.unwrap_or(memory.importance);
    memory.confidence = candidate.confidence;
    memory.pinned = candidate.pinned;
    memory.triggers.clone_from(&candidate.triggers);
    memory.answers.clone_from(&candidate.answers);
    if says_how_things_are(candidate.kind) {
        (memory.valid_from, memory.valid_until) = when::validity(&candidate.content, at);
    }
    memory
}

/// Whether a sort of claim can hold for a while.
fn says_how_things_are(kind: Kind) -> bool {
    match kind {
        Kind::Fact
        | Kind::Preference
        | Kind::Principle
        | Kind::Decision
        | Kind::Procedure
        | Kind::Commitment
        | Kind::Correction => true,
        Kind::Negative | Kind::Event | Kind::Lesson | Kind::Gap => false,
    }
}

/// The fingerprints under which a candidate may lie buried.
pub fn burial_marks(candidate: &Candidate) -> Vec<Fingerprint> {
    let text = Fingerprint::of(&candidate.content);
    std::iter::once(text).chain(candidate.slot.as_ref().map(slot_fingerprint)).collect()
}
