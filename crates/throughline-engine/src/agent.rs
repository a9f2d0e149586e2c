//! What an agent may do beyond reading: reversible, within its scope, logged as its own, and never
//! over the head of a person.

use throughline_core::evidence::Testimony;
use throughline_core::fold::Refusal;
use throughline_core::permission::{Act, Backing, Verdict};
use throughline_core::reconcile::{Candidate, Plan};
use throughline_core::{
    Cause, Change, Edge, Memory, MemoryId, NodeId, Relation, Row, RowKey, Slot, SpaceId, form, text,
};
use throughline_language::echo;
use throughline_store::{EntityName, Reader};

use crate::flows::Keeping;
use crate::permit::{ask, not_yours};
use crate::proof::ProofQuote;
use crate::relate::may_connect;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Card, Context, Error, NewMemory, Remembered, Result};

/// Times that a memory was shown which are looked at.
const SHOWN_READ: usize = 64;
/// Memories shown last that a claim is compared with, word by word.
const COMPARED_MAX: usize = 64;
/// Characters of evidence that are kept.
const EVIDENCE_CHARS: usize = 240;

/// What an agent says is right, instead of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentCorrection<'a> {
    /// The claim.
    pub content: &'a str,
    /// Its structured form.
    pub slot: Option<&'a Slot>,
    /// What shows it: words of a tool's output. They count where a captured result holds them.
    pub evidence: Option<&'a str>,
}

impl Keeping<'_> {
    /// An agent says that a memory is wrong, and what is right. What ranks no higher than the agent
    /// is replaced; what a person said, or a stronger source stands behind, stays, and both are shown.
    pub fn propose(&self, handle: &str, proposal: &AgentCorrection<'_>) -> Result<Remembered> {
        let (content, redacted) = &self.engine.cleaned(self.context, proposal.content);
        self.check_content(content)?;
        let slot = proposal.slot.map(|slot| self.engine.cleaned_slot(self.context, slot));
        self.check_slot(slot.as_ref())?;
        let evidence = proposal.evidence.map(|words| self.engine.cleaned(self.context, words).0);
        let said = AgentCorrection { content, slot: slot.as_ref(), evidence: evidence.as_deref() };
        let unread = self.unread_results()?;
        let ((old, plan), batch) = self.engine.write(self.context, Cause::Correct, None, |tx| {
            let old = self.engine.resolve(&**tx, self.context, handle)?;
            let backing = match said.evidence {
                Some(words) => {
                    let quote = ProofQuote { kind: old.kind, claim: content, words };
                    self.backing(&**tx, &quote, &unread)?
                }
                None => Backing::Asserted,
            };
            let plan = self.put_beside(tx, &old, &said, backing)?;
            Ok((old, plan))
        })?;
        self.remembered(old.space, plan, *redacted, batch)
    }

    fn put_beside(
        &self,
        tx: &mut Transaction<'_>,
        old: &Memory,
        said: &AgentCorrection<'_>,
        backing: Backing,
    ) -> Result<Plan> {
        let AgentCorrection { content, slot, evidence } = *said;
        tx.settle(old);
        if !old.state.is_active() {
            return Err(Error::Refused(Refusal::NotCurrent { id: old.id, state: old.state }));
        }
        if text::normalise(content) == text::normalise(&old.content) {
            return Err(Error::NotPossible(
                "the correction says the same as the memory".to_owned(),
            ));
        }
        let may_replace = ask(&**tx, tx.door, Act::Replace, Some(old), backing)?;
        let may_say = ask(&**tx, tx.door, Act::Remember, None, backing)?;
        let authority = match may_say {
            Verdict::Allowed { rank } => rank,
            Verdict::Waits(why) | Verdict::Refused(why) => {
                return Err(not_yours(why, "throughline correct".to_owned()));
            }
        };
        let testimony = Testimony {
            session: tx.session.clone(),
            snippet: evidence.map(|words| text::headline(words, EVIDENCE_CHARS)),
            why: Some(format!("says that {} is wrong", old.id.handle())),
            by_agent: backing == Backing::Asserted,
            ..Testimony::new(authority, tx.now)
        };
        let candidate = Candidate {
            slot: slot.cloned(),
            domain: old.domain.clone(),
            importance: Some(old.importance),
            triggers: old.triggers.clone(),
            ..tx.candidate(old.kind, content, testimony)
        };
        let mut plan = take_in(tx, &candidate)?;
        if plan.memory == old.id || plan.superseded.contains(&old.id) {
            return Ok(plan);
        }
        let (space, new, at) = (old.space, plan.memory, tx.now);
        // What happened stays as it was told, until a person puts it right.
        let happened = form::is_event(old.kind, &old.content);
        if happened || !matches!(may_replace, Verdict::Allowed { .. }) {
            let held = tx.rows(&[RowKey::memory(space, new)])?.remove(0);
            if let Some(held) = held.and_then(Row::into_memory) {
                // Two things that the user said are not set against each other by an agent.
                may_connect(&**tx, tx.door, &held, Relation::Contradicts, old)?;
            }
            if !plan.contested.contains(&old.id) {
                let edge = Edge::new(space, new.into(), Relation::Contradicts, old.id.into(), at);
                tx.push(Change::Link(edge));
                plan.contested.push(old.id);
            }
        } else {
            tx.supersede(space, old.id, new);
            plan.contested.retain(|id| *id != old.id);
            plan.superseded.push(old.id);
        }
        Ok(plan)
    }

    /// Whether a memory was put in front of the session that asks, as far as that is on record.
    pub fn was_shown_here(&self, memory: &Memory) -> Result<bool> {
        self.engine.recalling(self.context).settle_recalls()?;
        shown_here(&*self.engine.now_reader()?, self.context, memory)
    }

    /// Whether somebody says in other words what they were shown lately. Asked before anything is
    /// written, so that nobody waits for it.
    pub(crate) fn repeats_shown(&self, new: &NewMemory) -> Result<bool> {
        if new.authority.is_user() || new.shown.is_empty() {
            return Ok(false);
        }
        let spaces = self.context.reach().spaces;
        let of = |id: &MemoryId| -> Vec<RowKey> {
            spaces.iter().map(|space| RowKey::memory(*space, *id)).collect()
        };
        let lately = new.shown.iter().rev().take(COMPARED_MAX);
        let keys: Vec<RowKey> = lately.flat_map(of).collect();
        let rows = self.engine.now_reader()?.rows(&keys)?.into_iter().flatten();
        let texts: Vec<String> =
            rows.filter_map(Row::into_memory).map(|memory| memory.content).collect();
        Ok(echo::says_what_was_shown(&new.content, &texts).is_some())
    }

    /// Whether somebody who is no person says what they were shown at any time, or what is on record
    /// as shown to their session.
    pub(crate) fn repeats_record(&self, reader: &dyn Reader, new: &NewMemory) -> Result<bool> {
        let wanted = throughline_core::Fingerprint::of(&new.content);
        if new.authority.is_user() {
            return Ok(false);
        }
        for memory in reader.with_fingerprint(self.context.scope().space, &wanted)? {
            if new.shown.contains(&memory.id) || shown_here(reader, self.context, &memory)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The current memories that are about a thing or labelled with its name, newest first.
    pub fn about(&self, name: &str, most: usize) -> Result<Vec<Card>> {
        let reader = self.engine.now_reader()?;
        let reach = self.context.reach();
        let wanted = [EntityName { kind: None, name: text::normalise(name) }];
        let mut found: Vec<Memory> = Vec::new();
        let mut known = false;
        for space in &reach.spaces {
            for entity in reader.entities(*space, &wanted)? {
                known = true;
                found.extend(self.told_of(&*reader, *space, NodeId::Entity(entity.id))?);
            }
        }
        if !known {
            return Err(Error::NotFound { what: "entity", handle: name.to_owned() });
        }
        found.retain(|memory| memory.state.is_active() && reach.sees(memory));
        found.sort_by_key(|memory| (std::cmp::Reverse(memory.recorded_at), memory.id));
        found.dedup_by_key(|memory| memory.id);
        found.truncate(most);
        self.engine.cards(&*reader, &found)
    }

    fn told_of(&self, reader: &dyn Reader, space: SpaceId, thing: NodeId) -> Result<Vec<Memory>> {
        let relations = [Relation::About, Relation::Tagged];
        let most = self.engine.policy.limits.list_max;
        let edges = reader.neighbours(space, &[thing], &relations, most)?;
        let keys: Vec<RowKey> =
            edges.iter().map(|edge| RowKey::node(space, edge.other(thing))).collect();
        Ok(reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory).collect())
    }
}

fn shown_here(reader: &dyn Reader, context: &Context, memory: &Memory) -> Result<bool> {
    let Some(session) = &context.session else { return Ok(false) };
    let shown = reader.injections(memory.space, memory.id, SHOWN_READ)?;
    Ok(shown.iter().any(|one| one.session.as_ref() == Some(session)))
}
