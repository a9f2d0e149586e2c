//! The change log: batches, changes, and which rows they touched.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row as SqlRow, params};
use throughline_core::change::{Erased, scrub as scrub_change, scrub_images};
use throughline_core::row::{Extra, Image};
use throughline_core::{
    Batch, BatchId, Change, Logged, MemoryId, NodeId, Pending, RowKey, SpaceId,
};

use super::text::json_list;
use crate::body::{change_checksum, checksum, header, node_names, row_name};
use crate::damage::unless_rotten;
use crate::query::LogQuery;
use crate::store::StoredBatch;
use crate::tables::{deferred_in, touched_rows, touches_erased};
use crate::{Error, Result};

pub(super) fn next_seq(connection: &Connection) -> Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(last_seq) FROM batch")?
        .query_row([], |row| row.get(0))?;
    Ok(last.unwrap_or(0).unsigned_abs() + 1)
}

pub(super) fn knows_batch(connection: &Connection, batch: BatchId) -> Result<bool> {
    Ok(!headers(connection, &[batch])?.is_empty())
}

pub(super) fn open_batch(
    connection: &Connection,
    batch: &Batch,
    first_seq: u64,
    last_seq: u64,
) -> Result<()> {
    let body = header(batch);
    connection
        .prepare_cached(
            "INSERT INTO batch (space, key, body, hash, first_seq, last_seq, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            batch.space.0,
            batch.id.to_string(),
            body,
            checksum(&body),
            first_seq.cast_signed(),
            last_seq.cast_signed(),
            batch.at.as_millis(),
        ])?;
    connection
        .prepare_cached("INSERT OR IGNORE INTO activity (space, day) VALUES (?1, ?2)")?
        .execute(params![batch.space.0, batch.at.day()])?;
    Ok(())
}

pub(super) fn append(connection: &Connection, batch: &Batch, logged: &Logged) -> Result<()> {
    let body = serde_json::to_string(&logged.change).expect("plain data serialises");
    let before = serde_json::to_string(&logged.before).expect("plain data serialises");
    connection
        .prepare_cached(
            "INSERT INTO change (space, seq, batch, body, before, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            batch.space.0,
            logged.seq.cast_signed(),
            batch.id.to_string(),
            body,
            before,
            change_checksum(&body, &before),
        ])?;
    let mut touch = connection.prepare_cached(
        "INSERT OR IGNORE INTO touch (space, node, row, seq) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (key, nodes) in touched_rows(logged) {
        for node in node_names(&nodes) {
            touch.execute(params![key.space.0, node, row_name(&key), logged.seq.cast_signed()])?;
        }
    }
    Ok(())
}

/// Takes what was erased out of every change that touched it.
pub(super) fn scrub(connection: &Connection, erased: &Erased) -> Result<()> {
    let space = erased.space;
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO erasure_due (space, key)
             SELECT space, key FROM tombstone WHERE space = ?1 AND iif(json_valid(body), body ->> '$.memory', NULL) = ?2",
        )?
        .execute(params![space.0, buried(erased)])?;
    let mut nodes: Vec<NodeId> = erased.memory.map(NodeId::Memory).into_iter().collect();
    nodes.extend(erased.episode.map(NodeId::Episode));
    nodes.extend(erased.quoting.iter().map(|memory| NodeId::Memory(*memory)));
    nodes.extend(erased.entities.iter().map(|entity| NodeId::Entity(*entity)));
    let mut seen: BTreeMap<u64, Logged> = BTreeMap::new();
    for node in &nodes {
        let touched = touching(connection, space, *node, RottenRow::Refused)?;
        seen.extend(touched.into_iter().map(|one| (one.seq, one)));
    }
    if let Some(id) = erased.pending {
        let row = row_name(&RowKey::pending(space, id));
        let touched = of_no_node(connection, space, &row, &row, RottenRow::Refused)?;
        seen.extend(touched.into_iter().map(|one| (one.seq, one)));
    }
    let mut update = connection.prepare_cached(
        "UPDATE change INDEXED BY change_seq SET body = ?2, before = ?3, hash = ?4 WHERE seq = ?1",
    )?;
    for logged in seen.values_mut() {
        scrub_change(&mut logged.change, erased);
        scrub_images(&mut logged.before, erased);
        let body = serde_json::to_string(&logged.change).expect("plain data serialises");
        let before = serde_json::to_string(&logged.before).expect("plain data serialises");
        let hash = change_checksum(&body, &before);
        update.execute(params![logged.seq.cast_signed(), body, before, hash])?;
        if touches_erased(logged, erased) {
            drop_reason(connection, logged.batch)?;
        }
    }
    Ok(())
}

/// The id on the tombstone of what was erased.
fn buried(erased: &Erased) -> Option<String> {
    let memory = erased.memory.map(|id| id.to_string());
    memory.or_else(|| erased.episode.map(|id| id.to_string()))
}

/// Somebody's words about what was erased go with it.
fn drop_reason(connection: &Connection, batch: BatchId) -> Result<()> {
    for stored in headers(connection, &[batch])? {
        if stored.batch.reason.is_some() || !stored.batch.extra.is_empty() {
            let bare = Batch { reason: None, extra: Extra::new(), ..stored.batch.clone() };
            let body = header(&bare);
            connection
                .prepare_cached(
                    "UPDATE batch SET body = ?3, hash = ?4 WHERE space = ?1 AND key = ?2",
                )?
                .execute(params![stored.batch.space.0, batch.to_string(), body, checksum(&body)])?;
        }
    }
    Ok(())
}

/// Every operation that waited for a person and that the log still tells in words.
pub(super) fn deferred(connection: &Connection, space: SpaceId) -> Result<Vec<Pending>> {
    // The names of the rows of a table lie together, and a `g` comes after every digit of an id.
    let logged = of_no_node(connection, space, "pending ", "pending g", RottenRow::LeftOut)?;
    let told = logged.iter().flat_map(deferred_in);
    let mut found: Vec<Pending> = told.filter(|one| one.space == space).cloned().collect();
    found.sort_by(|a, b| (a.id, a.at, &a.operation).cmp(&(b.id, b.at, &b.operation)));
    found.dedup();
    Ok(found)
}

/// The changes that touched rows of no node whose names lie between two names, in order.
fn of_no_node(
    connection: &Connection,
    space: SpaceId,
    first: &str,
    last: &str,
    rotten: RottenRow,
) -> Result<Vec<Logged>> {
    select_changes(
        connection,
        "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_seq
         WHERE seq IN (SELECT seq FROM touch
                       WHERE space = ?1 AND node = '' AND row >= ?2 AND row <= ?3) ORDER BY seq",
        params![space.0, first, last],
        rotten,
    )
}

pub(super) fn list(connection: &Connection, query: &LogQuery) -> Result<Vec<StoredBatch>> {
    let sql = if query.latest_first {
        "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_seq
         WHERE last_seq > ?1 AND (?2 IS NULL OR at >= ?2)
           AND (?3 IS NULL OR space IN (SELECT value FROM json_each(?3)))
           AND (?5 IS NULL OR last_seq < ?5)
         ORDER BY last_seq DESC LIMIT ?4"
    } else {
        "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_seq
         WHERE last_seq > ?1 AND (?2 IS NULL OR at >= ?2)
           AND (?3 IS NULL OR space IN (SELECT value FROM json_each(?3)))
           AND (?5 IS NULL OR last_seq < ?5)
         ORDER BY last_seq LIMIT ?4"
    };
    let mut select = connection.prepare_cached(sql)?;
    let mut found = select.query(params![
        i64::try_from(query.after_seq).unwrap_or(i64::MAX),
        query.since.map(|since| since.as_millis()),
        json_list(&query.spaces),
        i64::try_from(query.limit).unwrap_or(i64::MAX),
        query.before_seq.map(|seq| i64::try_from(seq).unwrap_or(i64::MAX)),
    ])?;
    let mut batches = Vec::new();
    while let Some(row) = found.next()? {
        if let Some(header) = unless_rotten(header_from(row))? {
            let bare = query.bare == Some(header.batch.cause);
            batches.push(if bare { header } else { with_changes(connection, header)? });
        }
    }
    Ok(batches)
}

/// The latest batch, without reading what it changed: after an import that is thousands of rows.
pub(super) fn latest(connection: &Connection) -> Result<Option<(u64, BatchId)>> {
    let mut select = connection.prepare_cached(
        "SELECT last_seq, key FROM batch INDEXED BY batch_seq ORDER BY last_seq DESC LIMIT 1",
    )?;
    let mut found = select.query([])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let (seq, key): (i64, String) = (row.get(0)?, row.get(1)?);
    let detail = "it has no id".to_owned();
    let bad = |_| Error::BadRow { what: format!("batch {key}"), detail };
    Ok(Some((seq.unsigned_abs(), key.parse().map_err(bad)?)))
}

/// What is wrong with batches and changes: every one is read back against its hash.
pub(super) fn rotten(connection: &Connection) -> Result<Vec<String>> {
    let mut bad = Vec::new();
    let mut headers =
        connection.prepare("SELECT key, body, hash, first_seq, last_seq FROM batch")?;
    let mut found = headers.query([])?;
    while let Some(row) = found.next()? {
        bad.extend(header_from(row).err().map(|error| error.to_string()));
    }
    let mut changes = connection.prepare("SELECT seq, batch, body, before, hash FROM change")?;
    let mut found = changes.query([])?;
    while let Some(row) = found.next()? {
        bad.extend(logged_from(row).err().map(|error| error.to_string()));
    }
    Ok(bad)
}

pub(super) fn find(connection: &Connection, handle: &str) -> Result<Vec<StoredBatch>> {
    let sql = if handle.len() == WHOLE_ID {
        "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_key WHERE key = ?1"
    } else {
        "SELECT key, body, hash, first_seq, last_seq FROM batch
         WHERE substr(key, 1, length(?1)) = ?1 OR substr(key, -length(?1)) = ?1
         ORDER BY last_seq"
    };
    let mut select = connection.prepare_cached(sql)?;
    let mut found = select.query([handle])?;
    let mut batches = Vec::new();
    while let Some(row) = found.next()? {
        batches.push(with_changes(connection, header_from(row)?)?);
    }
    Ok(batches)
}

/// The length of an id written out.
const WHOLE_ID: usize = 36;

pub(super) fn headers(connection: &Connection, ids: &[BatchId]) -> Result<Vec<StoredBatch>> {
    let mut select = connection.prepare_cached(
        "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_key WHERE key = ?1",
    )?;
    let mut headers = Vec::new();
    for id in ids {
        let mut found = select.query([id.to_string()])?;
        while let Some(row) = found.next()? {
            headers.push(header_from(row)?);
        }
    }
    headers.sort_by_key(|stored| stored.first_seq);
    headers.dedup();
    Ok(headers)
}

/// Adds the changes of a batch, without the rows as they were before: nobody who reads whole
/// batches needs those.
fn with_changes(connection: &Connection, mut stored: StoredBatch) -> Result<StoredBatch> {
    let mut select = connection.prepare_cached(
        "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_batch
         WHERE space = ?1 AND batch = ?2 ORDER BY seq",
    )?;
    let batch = &mut stored.batch;
    let mut found = select.query(params![batch.space.0, batch.id.to_string()])?;
    while let Some(row) = found.next()? {
        batch.changes.extend(unless_rotten(checked(row))?.map(|(_, change)| change));
    }
    Ok(stored)
}

fn header_from(row: &SqlRow<'_>) -> Result<StoredBatch> {
    let key: String = row.get(0).unwrap_or_else(|_| "?".to_owned());
    let unreadable =
        |_| Error::BadRow { what: format!("batch {key}"), detail: "it is not text".to_owned() };
    let body: String = row.get(1).map_err(unreadable)?;
    let hash: String = row.get(2).map_err(unreadable)?;
    let (first_seq, last_seq): (i64, i64) = (row.get(3)?, row.get(4)?);
    let bad =
        |detail: &str| Error::BadRow { what: format!("batch {key}"), detail: detail.to_owned() };
    if checksum(&body) != hash {
        return Err(bad("its content does not match its hash"));
    }
    let batch: Batch = serde_json::from_str(&body).map_err(|error| bad(&error.to_string()))?;
    Ok(StoredBatch {
        first_seq: first_seq.unsigned_abs(),
        last_seq: last_seq.unsigned_abs(),
        batch,
    })
}

pub(super) fn changes_of(
    connection: &Connection,
    space: SpaceId,
    batch: BatchId,
) -> Result<Vec<Logged>> {
    select_changes(
        connection,
        "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_batch
         WHERE space = ?1 AND batch = ?2 ORDER BY seq",
        params![space.0, batch.to_string()],
        RottenRow::LeftOut,
    )
}

pub(super) fn history(
    connection: &Connection,
    space: SpaceId,
    node: NodeId,
) -> Result<Vec<Logged>> {
    touching(connection, space, node, RottenRow::LeftOut)
}

/// The changes that touched a node or a row that belongs to it, in order.
fn touching(
    connection: &Connection,
    space: SpaceId,
    node: NodeId,
    rotten: RottenRow,
) -> Result<Vec<Logged>> {
    select_changes(
        connection,
        "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_seq
         WHERE seq IN (SELECT seq FROM touch WHERE space = ?1 AND node = ?2) ORDER BY seq",
        params![space.0, node.to_string()],
        rotten,
    )
}

pub(super) fn find_touched(
    connection: &Connection,
    spaces: &[SpaceId],
    handle: &str,
) -> Result<Vec<(SpaceId, MemoryId)>> {
    let mut select = connection.prepare_cached(
        "SELECT DISTINCT node FROM touch
         WHERE space = ?1 AND node >= 'm:' AND node < 'm;'
           AND (substr(node, 3, length(?2)) = ?2 OR substr(node, -length(?2)) = ?2) ORDER BY node",
    )?;
    let mut found = Vec::new();
    for space in spaces {
        let mut nodes = select.query(params![space.0, handle])?;
        while let Some(row) = nodes.next()? {
            let node: String = row.get(0)?;
            found.extend(node.parse().ok().and_then(NodeId::memory).map(|id| (*space, id)));
        }
    }
    Ok(found)
}

pub(super) fn next_touch(
    connection: &Connection,
    row: &RowKey,
    nodes: &[NodeId],
    seq: u64,
) -> Result<Option<Logged>> {
    let node = node_names(nodes).into_iter().next().unwrap_or_default();
    let found = select_changes(
        connection,
        "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_seq
         WHERE seq = (SELECT min(seq) FROM touch
                      WHERE space = ?1 AND node = ?2 AND row = ?3 AND seq > ?4)",
        params![row.space.0, node, row_name(row), seq.cast_signed()],
        RottenRow::LeftOut,
    )?;
    Ok(found.into_iter().next())
}

/// What becomes of a change that cannot be read back.
#[derive(Clone, Copy)]
enum RottenRow {
    /// The others are read without it.
    LeftOut,
    /// It is an error: nobody could say what is to be done with it.
    Refused,
}

fn select_changes<P: rusqlite::Params>(
    connection: &Connection,
    sql: &'static str,
    params: P,
    rotten: RottenRow,
) -> Result<Vec<Logged>> {
    let mut select = connection.prepare_cached(sql)?;
    let mut found = select.query(params)?;
    let mut changes = Vec::new();
    while let Some(row) = found.next()? {
        let read = logged_from(row);
        changes.extend(match rotten {
            RottenRow::LeftOut => unless_rotten(read)?,
            RottenRow::Refused => Some(read?),
        });
    }
    Ok(changes)
}

fn logged_from(row: &SqlRow<'_>) -> Result<Logged> {
    let (seq, change) = checked(row)?;
    let bad = |detail: String| Error::BadRow { what: format!("change {seq}"), detail };
    let (batch, before): (String, String) = (row.get(1)?, row.get(3)?);
    let before: Vec<Image> =
        serde_json::from_str(&before).map_err(|error| bad(error.to_string()))?;
    let batch = batch.parse().map_err(|_| bad("its batch has no id".to_owned()))?;
    Ok(Logged { seq, batch, change, before })
}

/// The number and the change of a row of the log, after comparing its hash.
fn checked(row: &SqlRow<'_>) -> Result<(u64, Change)> {
    let seq: i64 = row.get(0)?;
    let bad = |detail: String| Error::BadRow { what: format!("change {seq}"), detail };
    let text = |at: usize| row.get_ref(at)?.as_str().map_err(|_| bad("it is not text".to_owned()));
    let (body, before) = (text(2)?, text(3)?);
    if change_checksum(body, before) != text(4)? {
        return Err(bad("its content does not match its hash".to_owned()));
    }
    let change = serde_json::from_str(body).map_err(|error| bad(error.to_string()))?;
    Ok((seq.unsigned_abs(), change))
}
