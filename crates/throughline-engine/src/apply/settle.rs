//! Failures that are over: the same command works by now.

use throughline_core::patch::Settle;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::{Authority, Change, Fingerprint, Kind, State};

use super::{Applied, replace};
use crate::Result;
use crate::flows::Keeping;
use crate::permit::ask;
use crate::transaction::Transaction;

impl Keeping<'_> {
    /// Puts a failure that a tool told of away: the same failure with what helped takes its place, or
    /// it has run out. What a person said about it stays.
    pub(super) fn settle_failure(
        &self,
        tx: &mut Transaction<'_>,
        settle: &Settle,
        applied: &mut Applied,
    ) -> Result<()> {
        let space = tx.scope.space;
        let held = tx.with_fingerprint(space, &Fingerprint::of(&settle.failed))?;
        let told_by_tool = held.into_iter().find(|one| {
            let observed = one.authority == Authority::Observed && !one.pinned;
            one.kind == Kind::Negative && one.state.is_active() && observed
        });
        let Some(old) = told_by_tool else { return Ok(()) };
        // A person may have vouched for it since.
        let verdict = ask(&**tx, Door::Upkeep, Act::Replace, Some(&old), Backing::ToolResult)?;
        if !matches!(verdict, Verdict::Allowed { .. }) {
            return Ok(());
        }
        match settle.by.as_deref().and_then(|by| tx.made_saying(by)) {
            Some(new) => replace(tx, &old, new, applied)?,
            None => {
                let (id, at) = (old.id, tx.now);
                tx.push(Change::Move { space, id, to: State::Expired, at });
                applied.superseded.push(id);
            }
        }
        Ok(())
    }
}
