//! Who spoke, how that ranks, and what they may do.

use throughline_core::Speaker;
use throughline_core::patch::Remember;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::reconcile::Plan;
use throughline_core::{Authority, Memory, Row, RowKey, SpaceId};
use throughline_store::Reader;

use super::{PatchGround, rank_by_model};
use crate::Result;
use crate::permit::ask;
use crate::transaction::Transaction;

/// From this certainty on, what a person said counts as stated; below it is only extracted.
const STATED_FROM: f64 = 0.75;
/// The rank of a claim: by who spoke, and how plainly. What a person says about something that is
/// held (`touches`) is their word, however it was said: what is held is not told without it.
pub(super) fn rank(
    speaker: Speaker,
    claim: &Remember,
    ground: &PatchGround<'_>,
    touches: bool,
) -> Authority {
    match speaker {
        _ if ground.by_model => rank_by_model(speaker),
        Speaker::User if touches || claim.confidence >= STATED_FROM => Authority::UserStated,
        Speaker::User => Authority::Extracted,
        Speaker::Assistant => Authority::Inferred,
        Speaker::Tool if claim.slot.is_some() => Authority::Measured,
        Speaker::Tool => Authority::Observed,
    }
}

/// The rank of what waits for a person.
pub(super) fn rank_of(speaker: Speaker) -> Authority {
    match speaker {
        Speaker::User => Authority::Extracted,
        Speaker::Assistant | Speaker::Tool => Authority::Inferred,
    }
}

/// Whether whoever spoke may do something to a memory.
pub(super) fn may(
    reader: &dyn Reader,
    ground: &PatchGround<'_>,
    act: Act,
    speaker: Speaker,
    old: &Memory,
) -> Result<bool> {
    let door = if ground.by_model { Door::Model } else { Door::Hook };
    let verdict = ask(reader, door, act, Some(old), backing_of(speaker))?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// Whether whoever spoke may hang something on the memory that holds a claim now.
pub(super) fn may_add(
    reader: &dyn Reader,
    ground: &PatchGround<'_>,
    act: Act,
    speaker: Speaker,
    plan: &Plan,
    space: SpaceId,
) -> Result<bool> {
    let held = reader.rows(&[RowKey::memory(space, plan.memory)])?.remove(0);
    let held = held.and_then(Row::into_memory);
    held.map_or(Ok(true), |held| may(reader, ground, act, speaker, &held))
}

/// What stands behind words that were captured.
pub(super) fn backing_of(speaker: Speaker) -> Backing {
    match speaker {
        Speaker::User => Backing::UserTurn,
        Speaker::Assistant => Backing::Asserted,
        Speaker::Tool => Backing::ToolResult,
    }
}

pub(super) fn speaker_of(turn: Option<usize>, ground: &PatchGround<'_>) -> Speaker {
    turn.and_then(|turn| ground.sources.get(turn))
        .map_or(Speaker::Assistant, |source| source.speaker)
}

/// Whether what was said then is known to have been given up or said otherwise since.
pub(super) fn is_overtaken(
    tx: &Transaction<'_>,
    claim: &Remember,
    ground: &PatchGround<'_>,
) -> bool {
    let source = claim.turn.and_then(|turn| ground.sources.get(turn));
    source.is_some_and(|one| tx.bearings.is_overtaken(&claim.content, one.at))
}
