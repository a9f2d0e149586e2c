//! Putting off: what cannot be applied is kept for a person.

use throughline_core::patch::Operation;
use throughline_core::{Change, RowKey};
use throughline_language::probe::Voice;
use throughline_store::Reader;

use super::rank::{rank_of, voice_of};
use super::{Ground, turn_of};
use crate::Result;
use crate::engine::Draft;
use crate::review::pending;

/// Keeps an operation for a person.
pub(super) fn put_off(
    reader: &dyn Reader,
    draft: &mut Draft,
    operation: &Operation,
    why: &str,
    ground: &Ground<'_>,
) -> Result<()> {
    let raw = serde_json::to_string(operation).expect("plain data serialises");
    wait(reader, draft, &raw, why, voice_of(turn_of(operation), ground))
}

/// Keeps an operation for a person, unless it waits already.
pub(super) fn wait(
    reader: &dyn Reader,
    draft: &mut Draft,
    operation: &str,
    why: &str,
    voice: Voice,
) -> Result<()> {
    let pending = pending(draft, operation, why, rank_of(voice));
    let key = RowKey::pending(pending.space, pending.id);
    let waits = Change::Defer(pending);
    if reader.rows(&[key])?.remove(0).is_none() && !draft.changes.contains(&waits) {
        draft.changes.push(waits);
    }
    Ok(())
}
