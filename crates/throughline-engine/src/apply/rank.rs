//! Who spoke, how that ranks, and what they may do.

use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::reconcile::Plan;
use throughline_core::{Authority, Memory, Row, RowKey, SpaceId};
use throughline_language::probe::Voice;
use throughline_store::Reader;

use super::{OperationClaim, PatchGround, rank_by_model};
use crate::Result;
use crate::permit::ask;
use crate::transaction::Transaction;

/// From this certainty on, what a person said counts as stated; below it is only extracted.
const STATED_FROM: f64 = 0.75;
/// The rank of a claim: by who spoke, and how plainly. What a person says about something that is
/// held (`touches`) is their word, however it was said: what is held is not told without it.
pub(super) fn rank(
    voice: Voice,
    claim: &OperationClaim<'_>,
    ground: &PatchGround<'_>,
    touches: bool,
) -> Authority {
    match voice {
        _ if ground.by_model => rank_by_model(voice),
        Voice::User if claim.corrects => Authority::UserCorrected,
        Voice::User if touches || claim.confidence >= STATED_FROM => Authority::UserStated,
        Voice::User => Authority::Extracted,
        Voice::Assistant => Authority::Inferred,
        Voice::Tool if claim.slot.is_some() => Authority::Measured,
        Voice::Tool => Authority::Observed,
    }
}

/// The rank of what waits for a person.
pub(super) fn rank_of(voice: Voice) -> Authority {
    match voice {
        Voice::User => Authority::Extracted,
        Voice::Assistant | Voice::Tool => Authority::Inferred,
    }
}

/// Whether whoever spoke may do something to a memory.
pub(super) fn may(
    reader: &dyn Reader,
    ground: &PatchGround<'_>,
    act: Act,
    voice: Voice,
    old: &Memory,
) -> Result<bool> {
    let door = if ground.by_model { Door::Model } else { Door::Hook };
    let verdict = ask(reader, door, act, Some(old), backing_of(voice))?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// Whether whoever spoke may hang something on the memory that holds a claim now.
pub(super) fn may_add(
    reader: &dyn Reader,
    ground: &PatchGround<'_>,
    act: Act,
    voice: Voice,
    plan: &Plan,
    space: SpaceId,
) -> Result<bool> {
    let held = reader.rows(&[RowKey::memory(space, plan.memory)])?.remove(0);
    let held = held.and_then(Row::into_memory);
    held.map_or(Ok(true), |held| may(reader, ground, act, voice, &held))
}

/// What stands behind words that were captured.
pub(super) fn backing_of(voice: Voice) -> Backing {
    match voice {
        Voice::User => Backing::UserTurn,
        Voice::Assistant => Backing::Asserted,
        Voice::Tool => Backing::ToolResult,
    }
}

pub(super) fn voice_of(turn: Option<usize>, ground: &PatchGround<'_>) -> Voice {
    turn.and_then(|turn| ground.sources.get(turn)).map_or(Voice::Assistant, |source| source.voice)
}

/// Whether what was said then is known to have been given up or said otherwise since.
pub(super) fn is_overtaken(
    tx: &Transaction<'_>,
    claim: &OperationClaim<'_>,
    ground: &PatchGround<'_>,
) -> bool {
    let source = claim.turn.and_then(|turn| ground.sources.get(turn));
    source.is_some_and(|one| tx.bearings.is_overtaken(claim.content, one.at))
}
