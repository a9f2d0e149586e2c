//! Retire: memories leave view and come back. Nothing is lost here.

use throughline_core::permission::{Act, Backing, Verdict};
use throughline_core::{Authority, Cause, Change, Kind, Memory, State};

use crate::correct::mark_rivals;
use crate::flows::Keeping;
use crate::permit::{ask, demand, keep_waiting, not_yours};
use crate::{Card, Error, Result};

/// What became of putting a memory away or in another's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// The memory as it stands.
    pub card: Card,
    /// It was not done: it waits in `review` for the user, for this reason.
    pub waits: Option<String>,
}

impl Keeping<'_> {
    /// Puts a memory away. It stays findable on request. What is a person's waits for a person.
    pub fn archive(&self, handle: &str, reason: Option<&str>) -> Result<Put> {
        self.put_away(handle, Act::Archive, reason)
    }

    /// Takes a memory out again, as what it was before.
    pub fn unarchive(&self, handle: &str) -> Result<Card> {
        let (memory, _) = self.engine.write(self.context, Cause::Unarchive, None, |tx| {
            let memory = self.engine.resolve(&**tx, self.context, handle)?;
            let by_hand = || format!("throughline unarchive {}", memory.id.handle());
            demand(&**tx, self.context.door, Act::BringBack, Some(&memory), by_hand)?;
            tx.settle(&memory);
            if !matches!(memory.state, State::Archived | State::Expired) {
                let why = format!("memory {} is not archived", memory.id.handle());
                return Err(Error::NotPossible(why));
            }
            let (space, id, at) = (memory.space, memory.id, tx.now);
            let to = memory.previous.unwrap_or(State::Staged);
            tx.push(Change::Move { space, id, to, at });
            if to.is_active() {
                mark_rivals(tx, &memory)?;
            }
            Ok(memory)
        })?;
        self.engine.card_of(memory.space, memory.id)
    }

    /// Takes a memory back: it is no longer held, and does not return by itself. Reversible. What is
    /// a person's waits for a person.
    pub fn forget(&self, handle: &str, reason: Option<&str>) -> Result<Put> {
        self.put_away(handle, Act::Retract, reason)
    }

    /// Settles a promise: it was done. It is told no longer, and runs out in time. What a person promised, a person
    /// settles.
    pub fn done(&self, handle: &str) -> Result<Card> {
        let (memory, _) = self.engine.write(self.context, Cause::Edit, Some("done"), |tx| {
            let memory = self.engine.resolve(&**tx, self.context, handle)?;
            let by_hand = || format!("throughline done {}", memory.id.handle());
            demand(&**tx, self.context.door, Act::Archive, Some(&memory), by_hand)?;
            tx.settle(&memory);
            if memory.kind != Kind::Commitment {
                let (handle, kind) = (memory.id.handle(), memory.kind);
                return Err(Error::NotPossible(format!(
                    "memory {handle} is a {kind}; only a commitment can be done (`edit --kind \
                     commitment` makes it one)"
                )));
            }
            if !memory.state.is_active() {
                let why = format!("memory {} is {}", memory.id.handle(), memory.state);
                return Err(Error::NotPossible(why));
            }
            if memory.done_at.is_none() {
                let (done_at, valid_until) = (Some(tx.now), Some(tx.now));
                let done = Memory { done_at, valid_until, ..memory.clone() };
                tx.push(Change::Revise(Box::new(done)));
            }
            Ok(memory)
        })?;
        self.engine.card_of(memory.space, memory.id)
    }

    fn put_away(&self, handle: &str, act: Act, reason: Option<&str>) -> Result<Put> {
        if let Some(reason) = reason {
            self.check_field(reason)?;
        }
        let (cause, to, op, verb) = if act == Act::Archive {
            (Cause::Archive, State::Archived, "archive", "archive")
        } else {
            (Cause::Forget, State::Retracted, "retract", "forget")
        };
        let ((memory, waits), _) = self.engine.write(self.context, cause, reason, |tx| {
            let memory: Memory = self.engine.resolve(&**tx, self.context, handle)?;
            tx.settle(&memory);
            match ask(&**tx, self.context.door, act, Some(&memory), Backing::Asserted)? {
                Verdict::Allowed { .. } => {}
                Verdict::Waits(why) => {
                    let operation = serde_json::json!({
                        "op": op, "what": memory.id.handle(), "quote": reason,
                    });
                    let why = why.to_string();
                    keep_waiting(tx, &operation, &why, Authority::Observed)?;
                    return Ok((memory, Some(why)));
                }
                Verdict::Refused(why) => {
                    let by_hand = format!("throughline {verb} {}", memory.id.handle());
                    return Err(not_yours(why, by_hand));
                }
            }
            if to != memory.state {
                let (space, id, at) = (memory.space, memory.id, tx.now);
                tx.push(Change::Move { space, id, to, at });
            }
            Ok((memory, None))
        })?;
        let card = self.engine.card_of(memory.space, memory.id)?;
        Ok(Put { card, waits })
    }
}
