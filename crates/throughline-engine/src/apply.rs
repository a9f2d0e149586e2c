//! Apply: a patch becomes changes, through the one door and within one batch.
//!
//! Who says so is decided here by who spoke, never by what the patch claims. What cannot be applied
//! is kept for a person.

mod collision;
mod distil;
mod hand_in;
mod last_word;
mod origin;
mod propose;
mod put_off;
mod put_right;
mod rank;
mod settle;
mod take_away;
mod target;

use std::ops::Range;
use std::path::Path;

use throughline_core::Speaker;
use throughline_core::evidence::Testimony;
use throughline_core::form;
use throughline_core::patch::Named;
use throughline_core::patch::{Operation, Patch, Relate, Remember};
use throughline_core::permission::Act;
use throughline_core::reconcile::Candidate;
use throughline_core::{
    Authority, Change, Edge, EpisodeId, Fingerprint, Kind, MemoryId, NodeId, Relation, RowKey,
    State, Timestamp, text,
};
use throughline_language::{closeness, echo, gate, occasion};
use throughline_store::EntityName;

use crate::capture::Captured;
use crate::engine::is_handle;
use crate::flows::Keeping;
use crate::reading::connect;
use crate::remember::take_in;
use crate::remember::{check_lesson, reason_in_words, rests_by};
use crate::transaction::Transaction;
use crate::watch::Stated;
use crate::{Error, Result};

pub(crate) use propose::{Proposed, rank_by_model};
use put_off::{put_off, wait};
use put_right::replace;
use rank::{backing_of, is_overtaken, may, may_add, rank, speaker_of};

/// How much a reason matters by itself: it is there for what it is the reason of.
pub(crate) const REASON_IMPORTANCE: f64 = 0.2;
/// Characters of the words that evidence rests on.
const SNIPPET_CHARS: usize = 240;

/// Who said what a patch rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnSource {
    /// Who.
    pub(crate) speaker: Speaker,
    /// When.
    pub(crate) at: Timestamp,
    /// The turn, as it was kept.
    pub(crate) episode: Option<EpisodeId>,
}

/// What a patch rests on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatchGround<'a> {
    /// Who said what is in each turn that it speaks of.
    pub(crate) sources: &'a [TurnSource],
    /// What this session was shown: to hear it back from an agent is no evidence.
    pub(crate) shown: &'a [String],
    /// A person asks for it although it was erased.
    pub(crate) revive: bool,
    /// The project's folder, where claims are looked up.
    pub(crate) root: &'a Path,
    /// What was said and done around it.
    pub(crate) turns: &'a [Captured],
    /// A model proposes it: nobody's word counts for more than extracted.
    pub(crate) by_model: bool,
}

/// What became of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Memories that are new.
    pub memories: Vec<MemoryId>,
    /// Memories that gained evidence.
    pub reinforced: Vec<MemoryId>,
    /// Memories that were replaced or taken back.
    pub superseded: Vec<MemoryId>,
    /// Operations that wait for a person.
    pub deferred: usize,
    /// What came of each operation, in their order.
    pub(crate) each: Vec<OperationOutcome>,
}

/// What came of one operation of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OperationOutcome {
    /// Which one.
    pub(crate) operation: usize,
    /// Its changes, in the transaction.
    pub(crate) changes: Range<usize>,
    /// Why it waits for a person, if it does.
    pub(crate) waits: Option<String>,
}

impl Keeping<'_> {
    /// Adds what a patch asks for to a transaction.
    pub(crate) fn apply(
        &self,
        tx: &mut Transaction<'_>,
        patch: &Patch,
        ground: &PatchGround<'_>,
    ) -> Result<Applied> {
        let mut applied = Applied::default();
        let last = last_word::of(&patch.operations);
        let all = patch.operations.iter().enumerate();
        for (at, operation) in all.filter(|(_, one)| last.iter().any(|it| std::ptr::eq(*it, *one)))
        {
            let from = tx.changes().len();
            let waits = self.apply_whole(tx, &mut applied, |tx, applied| {
                self.apply_one(tx, operation, ground, applied)
            })?;
            if let Some(why) = &waits {
                put_off(tx, operation, why, ground)?;
            }
            let changes = from..tx.changes().len();
            applied.each.push(OperationOutcome { operation: at, changes, waits });
        }
        Ok(applied)
    }

    /// Does one operation whole or not at all. Why it has to wait for a person, if it does: then nothing of it stays.
    fn apply_whole(
        &self,
        tx: &mut Transaction<'_>,
        applied: &mut Applied,
        act: impl FnOnce(&mut Transaction<'_>, &mut Applied) -> Result<()>,
    ) -> Result<Option<String>> {
        let (from, before) = (tx.changes().len(), applied.clone());
        match act(tx, applied) {
            Ok(()) => Ok(None),
            Err(error) if error.can_wait() => {
                tx.roll_back(from);
                *applied = before;
                applied.deferred += 1;
                Ok(Some(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    fn apply_one(
        &self,
        tx: &mut Transaction<'_>,
        operation: &Operation,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        match operation {
            Operation::Remember(new) => {
                self.claim(tx, new, false, ground, applied)?;
                Ok(())
            }
            Operation::Correct(put_right) => self.put_right(tx, put_right, ground, applied),
            Operation::Retract(back) => {
                let to = (Act::Retract, State::Retracted);
                self.take_away(tx, back, to, ground, applied)
            }
            Operation::Archive(away) => {
                let to = (Act::Archive, State::Archived);
                self.take_away(tx, away, to, ground, applied)
            }
            Operation::Settle(settle) => self.settle_failure(tx, settle, applied),
            Operation::Summarize(summary) => self.sum_up(tx, summary, ground, applied),
            Operation::Artifact(artifact) => self.keep_whole(tx, artifact, ground, applied),
            Operation::Know { entity } => know(tx, entity),
            Operation::Relate(Relate { from, relation, to, .. }) => {
                let from = self.memory_meant(tx, from)?;
                let to = self.memory_meant(tx, to)?;
                let (Some(from), Some(to)) = (from, to) else {
                    return Err(Error::NotPossible(
                        "it connects something that is not known".to_owned(),
                    ));
                };
                if from == to {
                    return Err(Error::NotPossible("it connects something to itself".to_owned()));
                }
                tx.link(from, *relation, to);
                Ok(())
            }
        }
    }

    /// Takes in a claim and its reasons. `None` if this very batch says it already.
    fn claim(
        &self,
        tx: &mut Transaction<'_>,
        claim: &Remember,
        corrects: bool,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<Option<MemoryId>> {
        // What a person lets through is refused with a reason; what was only overheard is left alone.
        if closeness::claimed(&claim.content).is_some() && !ground.revive {
            return Ok(None);
        }
        if let Some(stands) = form::also_stands(claim.kind, &claim.content) {
            return self.claim_and_event(tx, claim, stands, corrects, ground, applied);
        }
        self.check_content(&claim.content)?;
        self.check_slot(claim.slot.as_ref())?;
        check_lesson(claim.kind, &claim.content)?;
        if tx.made_saying(&claim.content).is_some() || is_overtaken(tx, claim, ground) {
            return Ok(None);
        }
        let candidate = self.candidate_of(tx, claim, corrects, ground);
        let plan = take_in(tx, &candidate)?;
        self.refute(tx, &plan, &candidate, applied)?;
        if !plan.deduped && plan.superseded.is_empty() {
            self.learn_from_correction(tx, plan.memory, claim, ground)?;
        }
        let speaker = speaker_of(claim.turn, ground);
        let may = |act| may_add(&**tx, ground, act, speaker, &plan, tx.scope.space);
        let (reasons, binds) = (may(Act::Link)?, may(Act::Watch)?);
        let plain = |reason: &&String| closeness::claimed(reason).is_none();
        for reason in claim.because.iter().filter(|_| reasons).filter(plain) {
            if text::holds(&claim.content, reason) {
                self.known_reason(tx, plan.memory, reason)?;
            } else {
                self.because(tx, plan.memory, reason, &candidate)?;
            }
        }
        if reasons {
            let said_at = candidate.testimony.at;
            connect(tx, plan.memory, &claim.content, said_at, &plan.superseded)?;
        }
        rest_on(tx, plan.memory, claim.turn, ground)?;
        if binds {
            let stated = Stated {
                memory: plan.memory,
                content: &candidate.content,
                kind: claim.kind,
                by_user: candidate.testimony.authority.is_user(),
                turns: ground.turns,
            };
            self.engine.watching(self.context).watch_by_words(tx, ground.root, &stated)?;
        }
        let list = if plan.deduped { &mut applied.reinforced } else { &mut applied.memories };
        list.push(plan.memory);
        applied.superseded.extend(plan.superseded);
        Ok(Some(plan.memory))
    }

    /// Takes in that something was settled, as it was told, and what stands since: the one is kept as it
    /// happened, the other may be revised.
    fn claim_and_event(
        &self,
        tx: &mut Transaction<'_>,
        claim: &Remember,
        stands: String,
        corrects: bool,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<Option<MemoryId>> {
        self.check_content(&claim.content)?;
        tx.bearings.reword(&claim.content, &stands);
        let event = self.candidate_of(tx, claim, false, ground);
        let event = as_event(tx, &event);
        let event = take_in(tx, &event)?;
        rest_on(tx, event.memory, claim.turn, ground)?;
        let list = if event.deduped { &mut applied.reinforced } else { &mut applied.memories };
        list.push(event.memory);
        let note = Remember { content: stands, ..claim.clone() };
        let held = self.claim(tx, &note, corrects, ground, applied)?;
        // What somebody else holds is given no other origin.
        let may = |held: MemoryId| {
            speaker_of(claim.turn, ground) == Speaker::User || tx.made().any(|one| one.id == held)
        };
        if let Some(held) = held.filter(|held| may(*held)) {
            tx.link(held, Relation::DerivedFrom, event.memory);
        }
        Ok(held)
    }

    fn candidate_of(
        &self,
        tx: &Transaction<'_>,
        claim: &Remember,
        corrects: bool,
        ground: &PatchGround<'_>,
    ) -> Candidate {
        let source = claim.turn.and_then(|turn| ground.sources.get(turn));
        let speaker = speaker_of(claim.turn, ground);
        let by_user = speaker == Speaker::User;
        let said = claim.content.as_str();
        let repeats =
            || ground.shown.iter().any(|one| echo::says_what_was_shown(said, &[one]).is_some());
        let snippet = claim.quote.as_ref();
        let snippet = snippet.filter(|quote| text::normalise(quote) != text::normalise(said));
        let authority = if by_user && corrects && !ground.by_model {
            Authority::UserCorrected
        } else {
            rank(speaker, claim, ground, tx.bearings.touches(said))
        };
        let testimony = Testimony {
            session: tx.session.clone(),
            turn: source.and_then(|one| one.episode).map(|one| one.to_string()),
            snippet: snippet.map(|quote| text::headline(quote, SNIPPET_CHARS)),
            echo: can_echo(speaker, claim.turn, ground) && repeats(),
            by_agent: speaker == Speaker::Assistant,
            extra: origin::of(claim, ground),
            ..Testimony::new(authority, source.map_or(tx.now, |one| one.at))
        };
        Candidate {
            slot: claim.slot.clone(),
            label: claim.label.clone(),
            domain: claim.domain.clone(),
            confidence: claim.confidence,
            triggers: occasion::triggers(claim.kind, said, &claim.triggers, by_user),
            about: claim.entities.clone(),
            answers: by_user.then(|| origin::answered(claim, ground)).flatten(),
            revive: ground.revive,
            ..tx.candidate(claim.kind, said, testimony)
        }
    }

    /// Connects a claim that tells its reason itself to the memory that says the same, if there is one.
    fn known_reason(&self, tx: &mut Transaction<'_>, claim: MemoryId, reason: &str) -> Result<()> {
        if let Some(known) = self.memory_meant(tx, reason)?.filter(|known| *known != claim) {
            tx.link(claim, Relation::Because, known);
        }
        Ok(())
    }

    /// Connects a claim to its reason, which becomes a claim of its own.
    fn because(
        &self,
        tx: &mut Transaction<'_>,
        claim: MemoryId,
        reason: &str,
        of: &Candidate,
    ) -> Result<()> {
        self.check_content(reason)?;
        let reason = Candidate {
            domain: of.domain.clone(),
            importance: Some(REASON_IMPORTANCE),
            confidence: of.confidence,
            revive: of.revive,
            ..tx.candidate(Kind::Fact, reason, of.testimony.clone())
        };
        let to = reason_in_words(tx, &reason)?;
        if to != claim {
            tx.link(claim, rests_by(of.kind), to);
        }
        Ok(())
    }

    /// The memory that a handle or the very words mean.
    fn memory_meant(&self, tx: &Transaction<'_>, what: &str) -> Result<Option<MemoryId>> {
        if is_handle(what) {
            let found = tx.find(&[tx.scope.space], what)?;
            return Ok(if let [one] = found.as_slice() { Some(one.id) } else { None });
        }
        if let Some(id) = tx.made_saying(what) {
            return Ok(Some(id));
        }
        let found = tx.with_fingerprint(tx.scope.space, &Fingerprint::of(what))?;
        Ok(found.into_iter().find(|one| one.state.is_active()).map(|one| one.id))
    }
}

/// What a claim that tells when it was settled keeps of that as it happened. It matters for what stands
/// since, and little by itself.
pub(crate) fn as_event(tx: &Transaction<'_>, claim: &Candidate) -> Candidate {
    Candidate {
        id: MemoryId(tx.mint()),
        kind: Kind::Event,
        slot: None,
        label: None,
        importance: Some(REASON_IMPORTANCE),
        pinned: false,
        triggers: Vec::new(),
        ..claim.clone()
    }
}

/// Whether a claim may repeat what we showed: an agent's words, and what a tool printed. That a tool
/// ran, how it ended and what it measured is reported by its host, and happens anew.
fn can_echo(speaker: Speaker, turn: Option<usize>, ground: &PatchGround<'_>) -> bool {
    match speaker {
        Speaker::User => false,
        Speaker::Assistant => true,
        Speaker::Tool => {
            let run = turn.and_then(|turn| ground.turns.get(turn)?.run.as_ref());
            let command = run.and_then(|run| run.call.command.as_deref());
            ground.by_model || command.is_none_or(gate::only_shows)
        }
    }
}

/// Connects a memory to the turn that it rests on.
fn rest_on(
    tx: &mut Transaction<'_>,
    memory: MemoryId,
    turn: Option<usize>,
    ground: &PatchGround<'_>,
) -> Result<()> {
    let source = turn.and_then(|turn| ground.sources.get(turn));
    let Some((episode, at)) = source.and_then(|one| Some((one.episode?, one.at))) else {
        return Ok(());
    };
    let (space, from, to) = (tx.scope.space, memory.into(), NodeId::Episode(episode));
    let key = RowKey::edge(space, from, Relation::EvidencedBy, to);
    if tx.rows(&[key])?.remove(0).is_none() {
        let edge = Edge::new(space, from, Relation::EvidencedBy, to, at);
        tx.push(Change::Link(edge));
    }
    Ok(())
}

/// The turn that an operation rests on.
pub(crate) fn turn_of(operation: &Operation) -> Option<usize> {
    match operation {
        Operation::Remember(new) => new.turn,
        Operation::Correct(put_right) => put_right.turn,
        Operation::Retract(back) | Operation::Archive(back) => back.turn,
        Operation::Settle(settle) => settle.turn,
        Operation::Summarize(summary) => summary.turn,
        Operation::Artifact(artifact) => artifact.turn,
        Operation::Know { .. } | Operation::Relate(_) => None,
    }
}

/// Meets a thing, or learns another name of one that is known.
fn know(tx: &mut Transaction<'_>, named: &Named) -> Result<()> {
    let space = tx.scope.space;
    let wanted: Vec<EntityName> = std::iter::once(&named.name)
        .chain(&named.aliases)
        .map(|name| EntityName { kind: Some(named.kind), name: text::normalise(name) })
        .collect();
    let known = tx.entities(space, &wanted)?.into_iter().next();
    let mut entity = known.clone().unwrap_or_else(|| {
        let id = throughline_core::EntityId(tx.mint());
        throughline_core::reconcile::entity(id, space, named.kind, &named.name, tx.now)
    });
    for name in std::iter::once(&named.name).chain(&named.aliases) {
        if !entity.names().contains(&text::normalise(name)) {
            entity.aliases.push(name.clone());
        }
    }
    if known.as_ref() != Some(&entity) {
        tx.push(Change::Know(entity));
    }
    Ok(())
}
