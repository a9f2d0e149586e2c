//! Erasure: making sure that what was deleted is gone from every byte of every file.
//!
//! Deleting overwrites (`secure_delete`, and the text index's own), but that is not all: when
//! SQLite rearranges a page it may leave an older picture of a row in the unused middle of it. So
//! an erasure ends with rewriting the file from what is left, and with emptying the write-ahead
//! log, which still holds older pages.

use std::time::Duration;

use rusqlite::Connection;
use throughline_core::row::{Extra, Image, Tombstone};
use throughline_core::trace::images;
use throughline_core::{
    Actor, Batch, BatchId, Cause, Change, Memory, Row, RowKey, Table, Trace, pending,
};

use super::rows::collect;
use super::{SqliteStore, open};
use crate::Result;
use crate::query::LogQuery;
use crate::said::{quoted_by, told_turn, turns_holding, turns_under, wordings};
use crate::store::{Erasure, Store};

/// How often to try, and how long to wait in between, for a reader to go away.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Rewrites the file if something is due, and empties the write-ahead log, waiting a little for
/// readers of an older state.
pub(super) fn finish(connection: &mut Connection) -> Result<Erasure> {
    if !due(connection)?.is_empty() {
        connection.execute_batch("VACUUM")?;
        connection.execute("UPDATE erasure_due SET rewritten = 1", [])?;
    }
    for _ in 0..TRIES {
        if open::empty_log(connection)? {
            connection.execute("DELETE FROM erasure_due", [])?;
            return Ok(Erasure::Done);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(Erasure::Pending)
}

/// Whether an erasure did not come to its end, or that cannot be told.
pub(super) fn is_unfinished(connection: &Connection) -> bool {
    connection
        .prepare_cached("SELECT 1 FROM erasure_due")
        .and_then(|mut due| due.exists([]))
        .unwrap_or(true)
}

/// Notes that readers of an older state stand in the way of everything that was erased: the file is
/// written anew, but what they read is still in it.
pub(super) fn wait_for_readers(connection: &Connection) -> Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO erasure_due (space, key, rewritten) SELECT space, key, 1 FROM tombstone",
        [],
    )?;
    Ok(())
}

/// Whether only readers of an older state still stand in the way of an erasure.
pub(super) fn waits_for_readers(connection: &Connection) -> Result<bool> {
    let waiting =
        connection.prepare_cached("SELECT 1 FROM erasure_due WHERE rewritten = 1")?.exists([])?;
    Ok(waiting && due(connection)?.is_empty())
}

/// The tombstones of erasures for which the file was not rewritten yet.
pub(super) fn due(connection: &Connection) -> Result<Vec<Tombstone>> {
    let rows = collect(
        connection,
        Table::Tombstone,
        "SELECT t.key, t.body, t.hash FROM erasure_due AS d
         JOIN tombstone AS t ON t.space = d.space AND t.key = d.key
         WHERE d.rewritten = 0 ORDER BY t.space, t.key",
        [],
    )?;
    Ok(rows.into_iter().filter_map(Row::into_tombstone).collect())
}

/// The tombstones of erasures that did not come to their end.
pub(super) fn unfinished(connection: &Connection) -> Result<Vec<Tombstone>> {
    let rows = collect(
        connection,
        Table::Tombstone,
        "SELECT t.key, t.body, t.hash FROM erasure_due AS d
         JOIN tombstone AS t ON t.space = d.space AND t.key = d.key ORDER BY t.space, t.key",
        [],
    )?;
    Ok(rows.into_iter().filter_map(Row::into_tombstone).collect())
}

/// Erases what the tombstones name, and keeps the tombstones: what they name may come by another
/// way. Returns how many memories went.
pub(super) fn reapply(store: &SqliteStore, stones: &[Tombstone]) -> Result<usize> {
    let mut erased = 0;
    for stone in stones {
        if let Some(trace) = &stone.trace {
            erased += take_out(store, stone, trace)?;
            continue;
        }
        let named = named_by(store, stone)?;
        erased += named.len();
        let wordings = named.iter().map(|memory| memory.content.clone()).collect();
        let deferred = store.read()?.deferred(stone.space)?;
        let silenced = silenced(store, stone, &named)?;
        let told = pending::erasures(&deferred, &[(stone.clone(), wordings)]);
        let mut changes: Vec<Change> = named
            .into_iter()
            .map(|memory| Change::Purge(Tombstone { memory: memory.id, ..stone.clone() }))
            .collect();
        let own = [Row::Tombstone(stone.clone()).key()];
        let known = store.read()?.rows(&own)?[0].is_some();
        let is_own = |change: &Change| matches!(change, Change::Purge(one) | Change::Silence { stone: one, .. } if one == stone);
        changes.extend(silenced);
        if !known && !changes.iter().any(is_own) {
            changes.push(Change::Expunge(stone.clone()));
        }
        changes.extend(told);
        if changes.is_empty() {
            continue;
        }
        store.apply(&Batch {
            id: BatchId::following(stone.memory, last_seq(store)? + 1),
            space: stone.space,
            at: stone.at,
            actor: Actor::User,
            cause: Cause::Purge,
            session: None,
            reason: None,
            changes,
            extra: Extra::new(),
        })?;
    }
    // A copy that was put aside may still have a write-ahead log with what was erased before.
    if !store.erasure_due()?.is_empty() || store.health()?.wal_bytes > 0 {
        store.finish_erasure()?;
    }
    Ok(erased)
}

/// Takes a secret out of everything that holds it. Returns how many memories did.
fn take_out(store: &SqliteStore, stone: &Tombstone, trace: &Trace) -> Result<usize> {
    let traces = std::slice::from_ref(trace);
    let held = store.read()?.holding_secrets(traces)?;
    let own = [Row::Tombstone(stone.clone()).key()];
    if held.spaces.is_empty() && store.read()?.rows(&own)?[0].is_some() {
        return Ok(0);
    }
    let rows: Vec<Image> = held.rows.iter().flat_map(|row| images(traces, row)).collect();
    store.apply(&Batch {
        id: BatchId::following(stone.memory, last_seq(store)? + 1),
        space: stone.space,
        at: stone.at,
        actor: Actor::System,
        cause: Cause::Purge,
        session: None,
        reason: None,
        changes: vec![Change::Redact { stone: stone.clone(), rows }],
        extra: Extra::new(),
    })?;
    Ok(held.rows.iter().filter(|row| row.as_memory().is_some()).count())
}

/// The changes that erase the turn a tombstone stands for, and those that the memories it names rest
/// on or are told in.
fn silenced(store: &SqliteStore, stone: &Tombstone, named: &[Memory]) -> Result<Vec<Change>> {
    let reader = store.read()?;
    let mut turns = Vec::new();
    for memory in named {
        turns.extend(turns_under(&*reader, memory)?);
        turns.extend(turns_holding(&*reader, stone.space, &wordings(&*reader, memory)?)?);
    }
    turns.sort_by_key(|turn| turn.id);
    turns.dedup_by_key(|turn| turn.id);
    let mut stones: Vec<Tombstone> =
        turns.iter().map(|turn| Tombstone::of_turn(turn, stone.at)).collect();
    stones.retain(|one| one.memory != stone.memory);
    if told_turn(&*reader, stone.space, stone.turn())?.is_some() {
        stones.push(stone.clone());
    }
    let silence = |stone: Tombstone| {
        let quoted_by = quoted_by(&*reader, stone.space, stone.turn())?;
        Ok(Change::Silence { stone, quoted_by })
    };
    stones.into_iter().map(silence).collect()
}

fn last_seq(store: &SqliteStore) -> Result<u64> {
    let latest = LogQuery { latest_first: true, limit: 1, ..LogQuery::default() };
    Ok(store.read()?.log(&latest)?.first().map_or(0, |stored| stored.last_seq))
}

/// The memories a tombstone names: by what they say, or by their id, when they say it otherwise.
fn named_by(store: &SqliteStore, stone: &Tombstone) -> Result<Vec<Memory>> {
    let reader = store.read()?;
    let mut named = reader.with_fingerprint(stone.space, &stone.fingerprint)?;
    let by_id = reader.rows(&[RowKey::memory(stone.space, stone.memory)])?;
    named.extend(by_id.into_iter().flatten().filter_map(Row::into_memory));
    named.sort_by_key(|memory| memory.id);
    named.dedup_by_key(|memory| memory.id);
    Ok(named)
}
