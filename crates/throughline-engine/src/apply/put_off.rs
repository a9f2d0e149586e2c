//! Putting off: what cannot be applied is kept for a person.

use throughline_core::Speaker;
use throughline_core::patch::Operation;
use throughline_core::{Change, RowKey};

use super::rank::{rank_of, speaker_of};
use super::{PatchGround, turn_of};
use crate::Result;
use crate::review::pending;
use crate::transaction::Transaction;

/// Keeps an operation for a person.
pub(super) fn put_off(
    tx: &mut Transaction<'_>,
    operation: &Operation,
    why: &str,
    ground: &PatchGround<'_>,
) -> Result<()> {
    let raw = serde_json::to_string(operation).expect("plain data serialises");
    wait(tx, &raw, why, speaker_of(turn_of(operation), ground))
}

/// Keeps an operation for a person, unless it waits already.
pub(super) fn wait(
    tx: &mut Transaction<'_>,
    operation: &str,
    why: &str,
    speaker: Speaker,
) -> Result<()> {
    let pending = pending(tx, operation, why, rank_of(speaker));
    let key = RowKey::pending(pending.space, pending.id);
    if tx.rows(&[key])?[0].is_none() {
        tx.push(Change::Defer(pending));
    }
    Ok(())
}
