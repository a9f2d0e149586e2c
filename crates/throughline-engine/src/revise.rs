//! Revise: the same memory, changed by hand. Every version stays in the log.

use throughline_core::evidence::Testimony;
use throughline_core::permission::Act;
use throughline_core::reconcile::Blocked;
use throughline_core::{
    Authority, Cause, Change, Fingerprint, Kind, Memory, Slot, State, Timestamp,
};

use crate::correct::mark_rivals;
use crate::flows::Keeping;
use crate::permit::demand;
use crate::remember::check_share;
use crate::transaction::Transaction;
use crate::{Card, Context, Engine, Error, Result};

/// What to change. `None` leaves a field as it is; an empty label or domain removes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edits {
    /// Other words for the same claim.
    pub content: Option<String>,
    /// Another kind.
    pub kind: Option<Kind>,
    /// Another title.
    pub label: Option<String>,
    /// Another area.
    pub domain: Option<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// Another slot.
    pub slot: Option<Slot>,
    /// True from.
    pub valid_from: Option<Timestamp>,
    /// True until.
    pub valid_until: Option<Timestamp>,
    /// Patterns that bring it up.
    pub triggers: Option<Vec<String>>,
}

impl Edits {
    /// The same without what must not be kept.
    fn cleaned(&self, engine: &Engine, context: &Context) -> Self {
        let mut edits = self.clone();
        let slot = edits.slot.iter_mut();
        let slot = slot.flat_map(|slot| [&mut slot.subject, &mut slot.predicate, &mut slot.object]);
        let fields = edits.content.iter_mut().chain(&mut edits.label).chain(&mut edits.domain);
        let texts = fields.chain(slot).chain(edits.triggers.iter_mut().flatten());
        engine.clean_texts(context, texts);
        edits
    }
}

impl Keeping<'_> {
    /// Changes a memory in place. To say that it was *wrong*, correct it instead.
    pub fn edit(&self, handle: &str, edits: &Edits) -> Result<Card> {
        let edits = &edits.cleaned(self.engine, self.context);
        if let Some(content) = &edits.content {
            self.check_content(content)?;
        }
        if let Some(share) = edits.importance {
            check_share(share)?;
        }
        self.check_slot(edits.slot.as_ref())?;
        for trigger in edits.triggers.iter().flatten() {
            self.check_field(trigger)?;
        }
        for field in edits.label.iter().chain(&edits.domain).filter(|field| !field.is_empty()) {
            self.check_field(field)?;
        }
        if *edits == Edits::default() {
            return Err(Error::BadInput("nothing to change was given".to_owned()));
        }
        self.revise(handle, Cause::Edit, |memory, reader_memories| {
            let revised = edited(memory, edits);
            check_span(&revised)?;
            if let Some(twin) =
                reader_memories.iter().find(|one| one.id != memory.id && one.state.is_active())
            {
                return Err(Error::NotPossible(format!(
                    "memory {} already says this; `supersede {} {}` joins them",
                    twin.id.handle(),
                    memory.id.handle(),
                    twin.id.handle()
                )));
            }
            Ok(revised)
        })
    }

    /// Keeps a memory in front, or stops doing so.
    pub fn pin(&self, handle: &str, pinned: bool) -> Result<Card> {
        self.revise(handle, Cause::Pin, |memory, _| Ok(Memory { pinned, ..memory.clone() }))
    }

    /// The user vouches for a memory as it stands.
    pub fn confirm(&self, handle: &str) -> Result<Card> {
        let (memory, _) = self.engine.write(self.context, Cause::Confirm, None, |tx| {
            let memory = self.engine.resolve(&**tx, self.context, handle)?;
            let by_hand = || format!("throughline confirm {}", memory.id.handle());
            demand(&**tx, self.context.door, Act::Vouch, Some(&memory), by_hand)?;
            tx.settle(&memory);
            let testimony = Testimony {
                session: tx.session.clone(),
                why: Some("confirmed by hand".to_owned()),
                ..Testimony::new(Authority::UserStated, tx.now)
            };
            let (space, id) = (memory.space, memory.id);
            if memory.state != State::Confirmed {
                tx.push(Change::Move { space, id, to: State::Confirmed, at: tx.now });
                if !memory.state.is_active() {
                    mark_rivals(tx, &memory)?;
                }
            }
            tx.push(Change::Reinforce(testimony.about(space, id)));
            let authority = memory.authority.stronger(Authority::UserStated);
            tx.push(Change::Revise(Box::new(Memory {
                last_verified_at: Some(tx.now),
                authority,
                ..memory.clone()
            })));
            Ok(memory)
        })?;
        self.engine.card_of(memory.space, memory.id)
    }

    /// Reads, lets `revision` make the next version, writes it if it differs. The revision also
    /// sees the memories that already say what the edited text says.
    fn revise(
        &self,
        handle: &str,
        cause: Cause,
        revision: impl Fn(&Memory, &[Memory]) -> Result<Memory>,
    ) -> Result<Card> {
        let (memory, _) = self.engine.write(self.context, cause, None, |tx| {
            let memory = self.engine.resolve(&**tx, self.context, handle)?;
            let act = if cause == Cause::Pin { Act::Pin } else { Act::Edit };
            let by_hand = || format!("throughline {cause} {}", memory.id.handle());
            let rank = demand(&**tx, self.context.door, act, Some(&memory), by_hand)?;
            tx.settle(&memory);
            let plain = revision(&memory, &[])?;
            // Who changes nothing says nothing: `confirm` is there to vouch for a memory.
            if plain == memory {
                return Ok(memory);
            }
            let twins = tx.with_fingerprint(memory.space, &plain.fingerprint)?;
            let twins: Vec<Memory> =
                twins.into_iter().filter(|twin| twin.session == memory.session).collect();
            let mut revised = revision(&memory, &twins)?;
            // An edit is the user's word: they stand behind the memory as it is now.
            let stands = act == Act::Edit && rank.is_user();
            // What is noted of a claim was stated; only other words correct it.
            let reworded = revised.content != memory.content;
            let rank = if reworded { rank } else { Authority::UserStated };
            if stands {
                revised.authority = revised.authority.stronger(rank);
            }
            if revised.content != memory.content
                && let Some(stone) =
                    tx.tombstones(memory.space, std::slice::from_ref(&revised.fingerprint))?.first()
            {
                return Err(Blocked::Erased(stone.at).into());
            }
            if revised != memory {
                tx.push(Change::Revise(Box::new(revised.clone())));
            }
            if stands {
                stand_behind(tx, &memory, rank);
            }
            let says_otherwise = revised.slot != memory.slot
                || revised.content != memory.content
                || revised.kind != memory.kind;
            if says_otherwise && revised.state.is_active() {
                mark_rivals(tx, &revised)?;
            }
            Ok(memory)
        })?;
        self.engine.card_of(memory.space, memory.id)
    }
}

/// The user edited a memory: it is confirmed, by their word.
fn stand_behind(tx: &mut Transaction<'_>, memory: &Memory, rank: Authority) {
    let testimony = Testimony {
        session: tx.session.clone(),
        why: Some("edited by hand".to_owned()),
        ..Testimony::new(rank, tx.now)
    };
    let (space, id, at) = (memory.space, memory.id, tx.now);
    tx.push(Change::Reinforce(testimony.about(space, id)));
    if memory.state == State::Staged {
        tx.push(Change::Move { space, id, to: State::Confirmed, at });
    }
}

/// What is true for a while begins before it ends.
fn check_span(memory: &Memory) -> Result<()> {
    match (memory.valid_from, memory.valid_until) {
        (Some(from), Some(until)) if until < from => Err(Error::BadInput(format!(
            "it would be true from {from} until {until}: the end is before the beginning"
        ))),
        _ => Ok(()),
    }
}

fn edited(memory: &Memory, edits: &Edits) -> Memory {
    let mut next = memory.clone();
    if let Some(content) = &edits.content {
        next.content.clone_from(content);
        next.fingerprint = Fingerprint::of(&next.content);
    }
    next.kind = edits.kind.unwrap_or(next.kind);
    next.importance = edits.importance.unwrap_or(next.importance);
    if let Some(label) = &edits.label {
        next.label = Some(label.clone()).filter(|label| !label.is_empty());
    }
    if let Some(domain) = &edits.domain {
        next.domain = Some(domain.clone()).filter(|domain| !domain.is_empty());
    }
    if let Some(slot) = &edits.slot {
        next.slot = Some(slot.clone());
    }
    if let Some(triggers) = &edits.triggers {
        next.triggers.clone_from(triggers);
    }
    next.valid_from = edits.valid_from.or(next.valid_from);
    next.valid_until = edits.valid_until.or(next.valid_until);
    next
}
