//! Turns: which spaces a writer holds against others, from before its plan reads until its batch is
//! committed. Whoever writes to other spaces does so at the same time.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use throughline_core::{Batch, Change, SpaceId};

use super::lease::Wire;
use super::rows::{PgTables, own_wall};
use super::write::Writing;

/// What a writer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WriterTurn {
    /// Everything: nobody else writes.
    Whole,
    /// Some spaces. What holds everywhere for a person is read by nearly every plan and seldom
    /// written: nobody changes it meanwhile, and others read it too.
    Spaces(BTreeSet<SpaceId>),
}

impl WriterTurn {
    /// The turn of a plan that decides about one space.
    pub(super) fn in_space(space: SpaceId) -> Self {
        Self::Spaces([space].into())
    }

    /// The turn of a batch that was decided before.
    pub(super) fn of_batch(batch: &Batch) -> Self {
        if batch.changes.iter().any(erases) {
            return Self::Whole;
        }
        let mut spaces: BTreeSet<SpaceId> = [batch.space].into();
        for change in &batch.changes {
            spaces.extend(crate::apply::looked_at(change).iter().map(|key| key.space));
        }
        Self::Spaces(spaces)
    }

    /// The turn that what was folded needs. What is erased is taken out of the log of every space that
    /// it touched.
    pub(super) fn of_writing(writing: &Writing<'_>, batch: &Batch) -> Self {
        let scrubs =
            !writing.scrubbed.is_empty() || !writing.bare.is_empty() || !writing.buried.is_empty();
        if scrubs || batch.changes.iter().any(erases) {
            return Self::Whole;
        }
        let mut spaces: BTreeSet<SpaceId> = writing.now.keys().map(|key| key.space).collect();
        spaces.insert(batch.space);
        Self::Spaces(spaces)
    }

    /// What is still to be taken of another turn, if that can be had while this one is held: what was
    /// only read so far and is to be written. `None` where it is too late, because somebody may have
    /// written there since the plan read it.
    pub(super) fn lacks(&self, needed: &Self) -> Option<BTreeSet<SpaceId>> {
        match (self, needed) {
            (Self::Whole, _) => Some(BTreeSet::new()),
            (Self::Spaces(_), Self::Whole) => None,
            (Self::Spaces(held), Self::Spaces(needed)) => {
                let more: BTreeSet<SpaceId> = needed.difference(held).copied().collect();
                more.iter().all(|space| *space == SpaceId::GLOBAL).then_some(more)
            }
        }
    }

    /// A turn that holds what this one and another hold.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Spaces(mut held), Self::Spaces(more)) => {
                held.extend(more);
                Self::Spaces(held)
            }
            _ => Self::Whole,
        }
    }

    /// The statements that take it, in an order that everybody keeps: the schema, what holds
    /// everywhere, the other spaces.
    pub(super) fn sql<L: Wire>(&self, tables: &PgTables<L>, schema: &str) -> String {
        let whole = lock_of(schema, None);
        let Self::Spaces(spaces) = self else {
            return format!("SELECT pg_advisory_xact_lock({whole})");
        };
        let mut sql = format!("SELECT pg_advisory_xact_lock_shared({whole})");
        let mut take = |how: &str, space: SpaceId| {
            let lock = lock_of(schema, Some(tables.wall(space)));
            write!(sql, "; SELECT {how}({lock})").expect("text is taken");
        };
        let writes = spaces.contains(&SpaceId::GLOBAL);
        let how = if writes { "pg_advisory_xact_lock" } else { "pg_advisory_xact_lock_shared" };
        take(how, SpaceId::GLOBAL);
        for space in spaces.iter().filter(|space| **space != SpaceId::GLOBAL) {
            take("pg_advisory_xact_lock", *space);
        }
        sql
    }
}

/// The number of the lock of a space, by its wall, or of a whole schema.
pub(super) fn lock_of(schema: &str, wall: Option<i64>) -> i64 {
    match wall {
        None => own_wall(&format!("turn to write {schema}")),
        Some(wall) => own_wall(&format!("turn to write {schema} {wall}")),
    }
}

/// Whether a change takes something out of the log.
fn erases(change: &Change) -> bool {
    matches!(
        change,
        Change::Purge(_)
            | Change::Expunge(_)
            | Change::Silence { .. }
            | Change::Redact { .. }
            | Change::Unknow { .. }
    )
}
