//! Corrections: what somebody says is right takes the place of what they say was wrong.

use throughline_core::patch::{Correct, Remember};
use throughline_core::{Change, Kind, Memory, MemoryId, Relation, RowKey, Speaker};

use super::{Applied, PatchGround, speaker_of};
use crate::Result;
use crate::flows::Keeping;
use crate::permit::standing;
use crate::transaction::Transaction;

impl Keeping<'_> {
    /// Takes in what is right, and lets it take the place of what was wrong, if that is clear.
    pub(super) fn put_right(
        &self,
        tx: &mut Transaction<'_>,
        put_right: &Correct,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let speaker = speaker_of(put_right.turn, ground);
        // Only a person puts something right by speaking: others are not even looked up.
        let wrong = if speaker == Speaker::User {
            match self.target(tx, &put_right.wrong, &put_right.right)? {
                Some(wrong) => Some(wrong),
                None => self.in_place_of(tx, &put_right.right)?,
            }
        } else {
            None
        };
        // It keeps the sort of what it replaces: a corrected decision is a decision.
        let kind = wrong.as_ref().map_or(put_right.kind, |old| old.kind);
        // A decision that puts nothing right here is only stated.
        let corrects = wrong.is_some() || put_right.kind != Kind::Decision;
        let claim = Remember { kind, ..put_right.claim() };
        if wrong.is_some() {
            // They said themselves what is wrong: nothing else is.
            tx.bearings.add(&claim.content, Vec::new());
        }
        let new = self.claim(tx, &claim, corrects, ground, applied)?;
        if let (Some(new), Some(old)) = (new, wrong) {
            replace(tx, &old, new, applied)?;
        }
        Ok(())
    }
}

/// Lets a claim take the place of another. What another person said stands beside it, contested.
pub(super) fn replace(
    tx: &mut Transaction<'_>,
    old: &Memory,
    new: MemoryId,
    applied: &mut Applied,
) -> Result<()> {
    if old.id == new || applied.superseded.contains(&old.id) {
        return Ok(());
    }
    let edge = RowKey::edge(old.space, new.into(), Relation::Contradicts, old.id.into());
    let contested = tx.rows(std::slice::from_ref(&edge))?[0].is_some();
    // What holds from a time ahead on leaves it as it is until then.
    let later = tx.made().any(|one| one.id == new && one.begins_after(tx.now));
    if !later && !standing(&**tx, old)?.anothers {
        if contested {
            let (space, from, to) = (old.space, new.into(), old.id.into());
            tx.push(Change::Unlink { space, from, relation: Relation::Contradicts, to });
        }
        tx.supersede(old.space, old.id, new);
        applied.superseded.push(old.id);
    } else if !contested {
        tx.link(new, Relation::Contradicts, old.id);
    }
    Ok(())
}
