//! Retire: memories leave view and come back. Nothing is lost here.

use throughline_core::{Cause, Change, Memory, State};

use crate::correct::mark_rivals;
use crate::{Card, Context, Engine, Error, Result};

impl Engine {
    /// Puts a memory away. It stays findable on request.
    pub fn archive(&self, context: &Context, handle: &str, reason: Option<&str>) -> Result<Card> {
        self.move_to(context, handle, Cause::Archive, reason, |_| Ok(State::Archived))
    }

    /// Takes a memory out again, as what it was before.
    pub fn unarchive(&self, context: &Context, handle: &str) -> Result<Card> {
        self.move_to(context, handle, Cause::Unarchive, None, |memory| {
            if memory.state == State::Archived {
                return Ok(memory.previous.unwrap_or(State::Staged));
            }
            Err(Error::NotPossible(format!("memory {} is not archived", memory.id.handle())))
        })
    }

    /// Takes a memory back: it is no longer held, and does not return by itself. Reversible.
    pub fn forget(&self, context: &Context, handle: &str, reason: Option<&str>) -> Result<Card> {
        self.move_to(context, handle, Cause::Forget, reason, |_| Ok(State::Retracted))
    }

    fn move_to(
        &self,
        context: &Context,
        handle: &str,
        cause: Cause,
        reason: Option<&str>,
        target: impl Fn(&Memory) -> Result<State>,
    ) -> Result<Card> {
        if let Some(reason) = reason {
            self.check_field(reason)?;
        }
        let (memory, _) = self.write(context, cause, reason, |reader, draft| {
            let memory = self.resolve(reader, context, handle)?;
            draft.settle(&memory);
            let to = target(&memory)?;
            if to != memory.state {
                let (space, id, at) = (memory.space, memory.id, draft.now);
                draft.changes.push(Change::Move { space, id, to, at });
                if to.is_active() {
                    mark_rivals(reader, draft, &memory)?;
                }
            }
            Ok(memory)
        })?;
        self.card_of(memory.space, memory.id)
    }
}
