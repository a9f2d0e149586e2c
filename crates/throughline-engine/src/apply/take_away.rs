//! What somebody says no longer holds, or is of no use any more.

use throughline_core::patch::Retract;
use throughline_core::permission::Act;
use throughline_core::{Change, Fingerprint, Memory, State};

use super::{Applied, PatchGround, may, speaker_of};
use crate::flows::Keeping;
use crate::transaction::Transaction;
use crate::{Error, Result};

impl Keeping<'_> {
    /// Takes something out of view, where whoever spoke may.
    pub(super) fn take_away(
        &self,
        tx: &mut Transaction<'_>,
        back: &Retract,
        (act, to): (Act, State),
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let unclear =
            || Error::NotPossible("it takes something back, but it is not clear what".to_owned());
        if back.exact {
            let Some(old) = said_exactly(tx, &back.what)? else { return Ok(()) };
            if may(&**tx, ground, act, speaker_of(back.turn, ground), &old)? {
                move_away(tx, &old, to, applied);
            }
            return Ok(());
        }
        let old = self.target(tx, &back.what, "")?.ok_or_else(unclear)?;
        if !may(&**tx, ground, act, speaker_of(back.turn, ground), &old)? {
            return Err(unclear());
        }
        move_away(tx, &old, to, applied);
        Ok(())
    }
}

fn move_away(tx: &mut Transaction<'_>, old: &Memory, to: State, applied: &mut Applied) {
    let (space, id, at) = (old.space, old.id, tx.now);
    tx.push(Change::Move { space, id, to, at });
    applied.superseded.push(id);
}

/// The one active memory that says this, word for word after normalising.
fn said_exactly(tx: &Transaction<'_>, what: &str) -> Result<Option<Memory>> {
    let mut held = tx.with_fingerprint(tx.scope.space, &Fingerprint::of(what))?;
    held.retain(|one| one.state.is_active());
    Ok(if held.len() == 1 { held.pop() } else { None })
}
