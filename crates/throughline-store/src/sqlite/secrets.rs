//! Secrets that were kept before anybody recognised them: found by their traces in every row and in
//! the log, which are read once from end to end.

use rusqlite::{Connection, params};
use throughline_core::row::Image;
use throughline_core::trace::{clean_change, clean_header, clean_images, holds};
use throughline_core::{Batch, Change, MemoryId, SpaceId, Table, Trace};

use super::rows::{SqlTables, each_raw};
use crate::body::{change_checksum, checksum, header, parse};
use crate::store::HeldSecrets;
use crate::{Error, Result};

/// What still holds one of the values.
pub(super) fn holding(tables: &SqlTables<'_>, traces: &[Trace]) -> Result<HeldSecrets> {
    let mut held = HeldSecrets::default();
    for table in Table::ALL.iter().filter(|table| **table != Table::Tombstone) {
        each_raw(tables.connection, *table, &mut |space, key, body, hash| {
            if held.look(space, traces, body) {
                held.rows.push(parse(*table, key, body, hash)?);
            }
            Ok(())
        })?;
    }
    for sql in ["SELECT space, body, before FROM change", "SELECT space, body, '' FROM batch"] {
        let mut select = tables.connection.prepare(sql)?;
        let mut found = select.query([])?;
        while let Some(row) = found.next()? {
            let space = SpaceId(row.get(0)?);
            let text = |at: usize| row.get_ref(at).ok().and_then(|text| text.as_str().ok());
            for text in [1, 2].into_iter().filter_map(text) {
                held.look(space, traces, text);
            }
        }
    }
    Ok(held)
}

/// Takes a value out of the log, wherever it stands, and notes that the file is to be written anew.
pub(super) fn scrub(
    connection: &Connection,
    space: SpaceId,
    (stone, trace): &(MemoryId, Trace),
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO erasure_due (space, key)
             SELECT space, key FROM tombstone WHERE space = ?1 AND iif(json_valid(body), body ->> '$.memory', NULL) = ?2",
        )?
        .execute(params![space.0, stone.to_string()])?;
    let traces = std::slice::from_ref(trace);
    scrub_changes(connection, traces)?;
    scrub_batches(connection, traces)
}

fn scrub_changes(connection: &Connection, traces: &[Trace]) -> Result<()> {
    let mut clean: Vec<(i64, String, String)> = Vec::new();
    let mut select = connection.prepare("SELECT seq, body, before FROM change")?;
    let mut found = select.query([])?;
    while let Some(row) = found.next()? {
        let seq: i64 = row.get(0)?;
        let bad = |detail: String| Error::BadRow { what: format!("change {seq}"), detail };
        let text = |at: usize| row.get_ref(at)?.as_str().map_err(|_| bad("it is not text".into()));
        let (body, before) = (text(1)?, text(2)?);
        if !holds(traces, body) && !holds(traces, before) {
            continue;
        }
        let unread = |error: serde_json::Error| bad(error.to_string());
        let mut change: Change = serde_json::from_str(body).map_err(unread)?;
        let mut images: Vec<Image> = serde_json::from_str(before).map_err(unread)?;
        clean_change(traces, &mut change);
        clean_images(traces, &mut images);
        let body = serde_json::to_string(&change).expect("plain data serialises");
        let before = serde_json::to_string(&images).expect("plain data serialises");
        clean.push((seq, body, before));
    }
    let mut update = connection.prepare_cached(
        "UPDATE change INDEXED BY change_seq SET body = ?2, before = ?3, hash = ?4 WHERE seq = ?1",
    )?;
    for (seq, body, before) in clean {
        let hash = change_checksum(&body, &before);
        update.execute(params![seq, body, before, hash])?;
    }
    Ok(())
}

fn scrub_batches(connection: &Connection, traces: &[Trace]) -> Result<()> {
    let mut clean: Vec<(i64, String, String)> = Vec::new();
    let mut select = connection.prepare("SELECT space, key, body FROM batch")?;
    let mut found = select.query([])?;
    while let Some(row) = found.next()? {
        let (space, key, body): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if holds(traces, &body) {
            let bad = |error: serde_json::Error| Error::BadRow {
                what: format!("batch {key}"),
                detail: error.to_string(),
            };
            let mut batch: Batch = serde_json::from_str(&body).map_err(bad)?;
            clean_header(traces, &mut batch);
            clean.push((space, key, header(&batch)));
        }
    }
    let mut update = connection
        .prepare_cached("UPDATE batch SET body = ?3, hash = ?4 WHERE space = ?1 AND key = ?2")?;
    for (space, key, body) in clean {
        let hash = checksum(&body);
        update.execute(params![space, key, body, hash])?;
    }
    Ok(())
}
