//! Sleep: the rules by which what came in is gone over once more. Pure: memories in, verdicts out.
//!
//! Likeness decides nothing here. Two memories become one only where they say the same words, and one
//! takes another's place only where both fill one slot with different values.

use serde::{Deserialize, Serialize};

use crate::authority::Contest;
use crate::fold::{Refusal, Trouble, View};
use crate::{
    BatchId, Cardinality, Fingerprint, Memory, Row, RowKey, SpaceId, Table, Timestamp, Write, form,
    reconcile,
};

/// Up to where the log of a space was gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepMark {
    /// The last batch that was gone over. A batch and not a number: an import numbers changes anew.
    pub to: BatchId,
    /// How many of its changes, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
    /// When.
    pub at: Timestamp,
}

/// Moves the mark of a space.
pub(crate) fn fold_mark<V: View>(
    space: SpaceId,
    key: &str,
    mark: SleepMark,
    view: &V,
) -> Result<Vec<Write>, Trouble<V::Error>> {
    let row = RowKey { space, table: Table::Space, key: key.to_owned() };
    let held = view.row(&row).map_err(Trouble::View)?.and_then(Row::into_space);
    let mut held = held.ok_or(Refusal::NoSpace(space))?;
    held.slept = Some(mark);
    Ok(vec![Write::Put(Row::Space(held))])
}

/// What is done about two values of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueChoice {
    /// The newer one takes the place of the older one.
    Replace,
    /// Neither may overrule the other: a person decides.
    Contest,
}

/// Two memories that give one thing two values: the older, the newer, and what is done about it.
/// `None` where they can stand side by side.
pub fn settle<'a>(
    one: &'a Memory,
    other: &'a Memory,
) -> Option<(&'a Memory, &'a Memory, ValueChoice)> {
    let (Some(slot), Some(held)) = (&one.slot, &other.slot) else { return None };
    let single = [slot.cardinality, held.cardinality].contains(&Cardinality::One);
    let side_by_side = one.id == other.id
        || is_event(one)
        || is_event(other)
        || begins_later(one)
        || begins_later(other)
        || one.space != other.space
        || one.session != other.session
        || !one.state.is_active()
        || !other.state.is_active()
        || slot.key() != held.key()
        || slot.value() == held.value();
    if side_by_side || !single {
        return None;
    }
    let (old, new) = if age(one) < age(other) { (one, other) } else { (other, one) };
    let replaces = reconcile::between(old, new) == Contest::Supersede;
    Some((old, new, if replaces { ValueChoice::Replace } else { ValueChoice::Contest }))
}

/// Two memories that say the same words: which one is kept, and which one goes into it. The better
/// source stays; of equals, the older one.
pub fn same<'a>(one: &'a Memory, other: &'a Memory) -> Option<(&'a Memory, &'a Memory)> {
    let same = one.id != other.id
        && one.space == other.space
        && one.session == other.session
        && one.kind == other.kind
        && one.slot == other.slot
        && one.fingerprint == other.fingerprint
        && one.fingerprint != Fingerprint::erased()
        && !is_event(one);
    let may = |memory: &Memory| memory.state.is_active() && !memory.pinned;
    if !same || !may(one) || !may(other) {
        return None;
    }
    let equal = one.authority == other.authority;
    let first = one.authority.outranks(other.authority) || equal && age(one) < age(other);
    Some(if first { (one, other) } else { (other, one) })
}

/// What happened stays as it was, beside everything that is said later.
fn is_event(memory: &Memory) -> bool {
    form::is_event(memory.kind, &memory.content)
}

/// What was said to begin later replaces nothing before.
fn begins_later(memory: &Memory) -> bool {
    memory.begins_after(memory.recorded_at)
}

fn age(memory: &Memory) -> (Timestamp, crate::MemoryId) {
    (memory.recorded_at, memory.id)
}

/// Whether a memory is still what it was when it was decided about it. Counters and times may differ.
pub fn is_as_seen(seen: &Memory, now: &Memory) -> bool {
    now.state == seen.state
        && now.authority == seen.authority
        && now.content == seen.content
        && now.kind == seen.kind
        && now.slot == seen.slot
        && now.session == seen.session
        && now.pinned == seen.pinned
        && now.unresolved == seen.unresolved
}
