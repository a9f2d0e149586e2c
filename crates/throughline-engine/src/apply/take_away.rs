//! What somebody says no longer holds, or is of no use any more.

use throughline_core::patch::Retract;
use throughline_core::permission::Act;
use throughline_core::{Change, State};
use throughline_store::Reader;

use super::{Applied, Ground, may, voice_of};
use crate::engine::Draft;
use crate::{Engine, Error, Result};

impl Engine {
    /// Takes something out of view, where whoever spoke may.
    pub(super) fn take_away(
        &self,
        reader: &dyn Reader,
        draft: &mut Draft,
        back: &Retract,
        (act, to): (Act, State),
        ground: &Ground<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let unclear =
            || Error::NotPossible("it takes something back, and what is not clear".to_owned());
        let old = self.target(reader, draft, &back.what, "")?.ok_or_else(unclear)?;
        if !may(reader, ground, act, voice_of(back.turn, ground), &old)? {
            return Err(unclear());
        }
        let (space, id, at) = (old.space, old.id, draft.now);
        draft.changes.push(Change::Move { space, id, to, at });
        applied.superseded.push(old.id);
        Ok(())
    }
}
