//! Patches that are handed in, and operations that a person lets through after all.

use throughline_core::Speaker;
use throughline_core::patch::{self, Amendment, Operation, PatchReading};
use throughline_core::{Cause, Pending, Ruling};

use super::{Applied, PatchGround, TurnSource, turn_of, wait};
use crate::flows::Keeping;
use crate::review::{decided, may_decide};
use crate::transaction::Transaction;
use crate::{Error, Result};

/// Turns that a patch may speak of.
const SOURCES_MAX: usize = 4_096;

impl Keeping<'_> {
    /// Applies a patch that somebody hands in, as one batch; what does not fit the schema is kept
    /// for a person.
    pub fn apply_reading(&self, reading: &PatchReading, speaker: Speaker) -> Result<Applied> {
        let source = TurnSource { speaker, at: self.engine.now(), episode: None };
        let turns = reading.patch.operations.iter().filter_map(turn_of).max().unwrap_or(0);
        let sources = vec![source; turns.min(SOURCES_MAX) + 1];
        let cause = Cause::Capture;
        let (applied, _) = self.engine.write(self.context, cause, None, |tx| {
            let mut applied = self.apply(
                tx,
                &reading.patch,
                &PatchGround {
                    sources: &sources,
                    shown: &[],
                    revive: false,
                    root: &self.context.project.root,
                    turns: &[],
                    by_model: false,
                },
            )?;
            for refused in &reading.refused {
                let raw = self.engine.cleaned(self.context, &refused.operation).0;
                wait(tx, &raw, &refused.why, speaker)?;
                applied.deferred += 1;
            }
            Ok(applied)
        })?;
        Ok(applied)
    }

    /// Applies an operation that waits, because a person says so, with what they add to it.
    pub fn accept_pending(&self, handle: &str, by: Amendment<'_>) -> Result<Applied> {
        may_decide(self.context)?;
        let text = by.text.map(|text| self.engine.cleaned(self.context, text).0);
        let by = Amendment { text: text.as_deref(), ..by };
        let (applied, _) = self.engine.write(self.context, Cause::Review, None, |tx| {
            let waits = self.engine.reviewing(self.context).take_pending(&**tx, handle)?;
            let memory = match by.memory {
                Some(memory) => {
                    Some(self.engine.resolve(&**tx, self.context, memory)?.id.to_string())
                }
                None => None,
            };
            let by = Amendment { memory: memory.as_deref(), ..by };
            let applied = self.let_through(tx, &waits, by)?;
            tx.push(decided(&waits, Ruling::Accepted));
            Ok(applied)
        })?;
        Ok(applied)
    }

    /// Adds to a transaction what an operation that waits comes to when a person lets it through.
    pub(crate) fn let_through(
        &self,
        tx: &mut Transaction<'_>,
        waits: &Pending,
        by: Amendment<'_>,
    ) -> Result<Applied> {
        tx.scope.space = waits.space;
        let operation = match patch::read_one(&waits.operation) {
            Ok(operation) => operation.amended(by),
            Err(_) => Operation::said_instead(by)
                .ok_or_else(|| Error::NotPossible(patch::NOT_UNDERSTOOD.to_owned()))?,
        };
        let source = TurnSource { speaker: Speaker::User, at: tx.now, episode: None };
        let ground = PatchGround {
            sources: &[source],
            shown: &[],
            revive: true,
            root: self.context.project.root.as_path(),
            turns: &[],
            by_model: false,
        };
        let mut applied = Applied::default();
        self.apply_one(tx, &operation, &ground, &mut applied)?;
        Ok(applied)
    }
}
