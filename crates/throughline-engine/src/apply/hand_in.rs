//! Patches that are handed in, and operations that a person lets through after all.

use throughline_core::patch::{self, Reading};
use throughline_core::probe::Voice;
use throughline_core::{Cause, Ruling};

use super::{Applied, Ground, Source, turn_of, wait};
use crate::clean::cleaned;
use crate::review::{decided, only_the_user};
use crate::{Context, Engine, Error, Result};

/// Turns that a patch may speak of.
const SOURCES_MAX: usize = 4_096;

impl Engine {
    /// Applies a patch that somebody hands in, as one batch; what does not fit the schema is kept
    /// for a person.
    pub fn apply_reading(
        &self,
        context: &Context,
        reading: &Reading,
        voice: Voice,
    ) -> Result<Applied> {
        let source = Source { voice, at: self.now(), episode: None };
        let turns = reading.patch.operations.iter().filter_map(turn_of).max().unwrap_or(0);
        let sources = vec![source; turns.min(SOURCES_MAX) + 1];
        let cause = Cause::Capture;
        let (applied, _) = self.write(context, cause, None, |reader, draft| {
            let mut applied = self.apply(
                reader,
                draft,
                &reading.patch,
                &Ground {
                    sources: &sources,
                    shown: &[],
                    revive: false,
                    root: &context.project.root,
                    turns: &[],
                    by_model: false,
                },
            )?;
            for refused in &reading.refused {
                let raw = cleaned(&refused.operation).0;
                wait(reader, draft, &raw, &refused.why, voice)?;
                applied.deferred += 1;
            }
            Ok(applied)
        })?;
        Ok(applied)
    }

    /// Applies an operation that waits, because a person says so.
    pub fn accept_pending(&self, context: &Context, handle: &str) -> Result<Applied> {
        only_the_user(context)?;
        let cause = Cause::Review;
        let (applied, _) = self.write(context, cause, None, |reader, draft| {
            let waits = self.take_pending(reader, context, handle)?;
            draft.scope.space = waits.space;
            let reading = patch::read(&format!(
                r#"{{"version":{},"operations":[{}]}}"#,
                patch::VERSION,
                waits.operation
            ));
            if let Some(refused) = reading.refused.first() {
                return Err(Error::BadInput(format!(
                    "it cannot be applied: {}; `remember` it in your words, and `--reject` it",
                    refused.why
                )));
            }
            let source = Source { voice: Voice::User, at: draft.now, episode: None };
            let turns = reading.patch.operations.iter().filter_map(turn_of).max().unwrap_or(0);
            let sources = vec![source; turns.min(SOURCES_MAX) + 1];
            let root = context.project.root.as_path();
            let ground = Ground {
                sources: &sources,
                shown: &[],
                revive: true,
                root,
                turns: &[],
                by_model: false,
            };
            let mut applied = Applied::default();
            for operation in &reading.patch.operations {
                self.apply_one(reader, draft, operation, &ground, &mut applied)?;
            }
            draft.changes.push(decided(&waits, Ruling::Accepted));
            Ok(applied)
        })?;
        Ok(applied)
    }
}
