//! Verifying a file: SQLite's own checks, then everything we promise on top of them.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior};
use throughline_core::{Row, RowKey, SpaceId, Table, document, words};

use super::{documents, log, migrate, rows};
use crate::Result;
use crate::soundness::{self, Held, memories};
use crate::store::Finding;

/// Runs every check and returns what is wrong.
pub(super) fn verify(connection: &Connection) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut note = |check: &'static str, details: Vec<String>| {
        findings.extend(details.into_iter().map(|detail| Finding { check, detail }));
    };
    note("integrity", integrity(connection)?);
    note("references", references(connection)?);
    note("migrations", migrate::check(connection)?);
    let (held, bad) = readable(connection)?;
    note("rows", bad);
    for (check, details) in soundness::unsound(&held) {
        note(check, details);
    }
    note("slots and names", side_indexes(connection, &held)?);
    note("words", text_content(connection, &held)?);
    note("documents", documents::findings(connection)?);
    note("log", log::rotten(connection)?);
    Ok(findings)
}

/// What SQLite finds wrong with the file.
///
/// Some indexes hold what the JSON of a row says, so SQLite gives up where a row is no JSON. Then the
/// table of that row is checked without its indexes, and the others whole; the row itself is named by
/// whoever reads the rows.
pub(super) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    match checked(connection, "PRAGMA integrity_check") {
        Err(error) if is_of_a_row(&error) => {}
        found => return Ok(found?),
    }
    let mut found = checked(connection, "PRAGMA quick_check")?;
    let tables = texts(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    for table in tables {
        match checked(connection, &format!("PRAGMA integrity_check(\"{table}\")")) {
            Err(error) if is_of_a_row(&error) => {}
            lines => found.extend(lines?),
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The lines of a check that say that something is wrong.
fn checked(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let lines = texts(connection, sql)?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

fn texts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Whether a statement failed by what a row holds, not by the file.
fn is_of_a_row(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown)
}

fn references(connection: &Connection) -> Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    let lines = check.query_map([], |row| {
        Ok(format!(
            "a row of {} refers to nothing in {}",
            row.get::<_, String>(0)?,
            row.get::<_, String>(2)?
        ))
    })?;
    Ok(lines.collect::<rusqlite::Result<_>>()?)
}

/// Lets the text index compare itself with its content. The caller has its turn to write: the
/// check is a write to SQLite, and it must see one state throughout.
pub(super) fn text_index(connection: &mut Connection) -> Result<Vec<Finding>> {
    let check = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut findings = Vec::new();
    for (refresh, compare) in [
        (
            "SELECT count(*) FROM memory_text WHERE memory_text MATCH 'a'",
            "INSERT INTO memory_text (memory_text, rank) VALUES ('integrity-check', 1)",
        ),
        (
            "SELECT count(*) FROM episode_text WHERE episode_text MATCH 'a'",
            "INSERT INTO episode_text (episode_text, rank) VALUES ('integrity-check', 1)",
        ),
    ] {
        // A connection keeps a picture of the index in memory; asking it something makes it look
        // whether another process has written since.
        check.query_row(refresh, [], |row| row.get::<_, i64>(0))?;
        if let Err(error) = check.execute(compare, []) {
            findings.push(Finding { check: "text index", detail: error.to_string() });
        }
    }
    check.rollback()?;
    Ok(findings)
}

/// Reads every row back, against its hash and its key.
fn readable(connection: &Connection) -> Result<(Held, Vec<String>)> {
    let (mut held, mut bad) = (Held::new(), Vec::new());
    for table in Table::ALL {
        for (space, key, body, hash) in rows::raw(connection, *table)? {
            match crate::body::parse(*table, &key, &body, &hash) {
                Ok(row) if row.key().space == space => {
                    held.insert(row.key(), row);
                }
                Ok(_) => bad.push(format!("{table} {key} lies in the wrong space")),
                Err(error) => bad.push(error.to_string()),
            }
        }
    }
    Ok((held, bad))
}

/// The slot and alias tables hold just what the rows say.
fn side_indexes(connection: &Connection, held: &Held) -> Result<Vec<String>> {
    let expected_slots: BTreeSet<_> = memories(held)
        .filter_map(|memory| Some((memory, memory.slot.as_ref()?)))
        .map(|(memory, slot)| {
            (memory.space.0, format!("{}|{}", slot.key(), slot.value()), memory.id.to_string())
        })
        .collect();
    let expected_names: BTreeSet<_> = held
        .values()
        .filter_map(Row::as_entity)
        .flat_map(|entity| {
            entity.names().into_iter().map(|name| (entity.space.0, name, entity.id.to_string()))
        })
        .collect();
    let mut wrong = Vec::new();
    for (what, sql, expected) in [
        ("slot", "SELECT space, slot || '|' || value, memory FROM slot", expected_slots),
        ("alias", "SELECT space, name, entity FROM alias", expected_names),
    ] {
        let mut select = connection.prepare(sql)?;
        let found = select
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<BTreeSet<(i64, String, String)>>>()?;
        for (_, name, _) in found.symmetric_difference(&expected) {
            wrong.push(format!("the {what} index disagrees with the rows about {name}"));
        }
    }
    Ok(wrong)
}

/// The text index holds the terms of every memory and episode, and of nothing else.
fn text_content(connection: &Connection, held: &Held) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (table, sql) in [
        (
            Table::Memory,
            "SELECT m.space, m.key, t.terms FROM memory AS m LEFT JOIN memory_text AS t ON t.rowid = m.doc",
        ),
        (
            Table::Episode,
            "SELECT m.space, m.key, t.terms FROM episode AS m LEFT JOIN episode_text AS t ON t.rowid = m.doc",
        ),
    ] {
        let mut select = connection.prepare(sql)?;
        let mut found = select.query([])?;
        while let Some(row) = found.next()? {
            let key = RowKey { space: SpaceId(row.get(0)?), table, key: row.get(1)? };
            let indexed: Option<String> = row.get(2)?;
            let expected = match held.get(&key) {
                Some(Row::Memory(memory)) => {
                    words::terms(&document::searchable_memory(memory)).join(" ")
                }
                Some(Row::Episode(episode)) => {
                    words::terms(&document::searchable(episode)).join(" ")
                }
                _ => continue,
            };
            if indexed.as_deref() != Some(expected.as_str()) {
                wrong.push(format!("the words of {table} {} are not indexed as they are", key.key));
            }
        }
    }
    let strays: i64 = connection.query_row(
        "SELECT (SELECT count(*) FROM memory_text) - (SELECT count(*) FROM memory)
              + (SELECT count(*) FROM episode_text) - (SELECT count(*) FROM episode)",
        [],
        |row| row.get(0),
    )?;
    if strays != 0 {
        wrong.push(format!("the text index has {strays} entries too many or too few"));
    }
    Ok(wrong)
}
