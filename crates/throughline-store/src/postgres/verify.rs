//! Verifying a server: that every row can be read back, that what is derived agrees with it, and that
//! walls and indexes stand.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::row::Tombstone;
use throughline_core::{Row, RowKey, State, Table, words};
use tokio_postgres::types::Type;

use super::documents::{Place, searched_in, what};
use super::found::{self, WALLED};
use super::lease::Wire;
use super::link::Link;
use super::log::NOT_ANOTHERS;
use super::migrate;
use super::rows::{PgTables, slot_cells};
use crate::Result;
use crate::body::parse;
use crate::document::Document;
use crate::soundness::{self, Held, memories};
use crate::store::{Finding, StoreHealth};
use crate::tables::text_of;

/// Runs every check and returns what is wrong.
pub(super) fn verify<L: Wire>(tables: &PgTables<L>, schema: &str) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut note = |check: &'static str, details: Vec<String>| {
        findings.extend(details.into_iter().map(|detail| Finding { check, detail }));
    };
    note("migrations", migrate::check(&tables.link)?);
    note("walls", walls(&tables.link, schema)?);
    note("indexes", indexes(&tables.link, schema)?);
    let (held, bad) = readable(tables)?;
    note("rows", bad);
    for (check, details) in soundness::unsound(&held) {
        note(check, details);
    }
    note("slots and names", side_indexes(tables, &held)?);
    note("documents", documents(tables, &held)?);
    note("nearest", nearest(tables)?);
    note("log", tables.rotten()?);
    Ok(findings)
}

/// Tables whose rows the server would show to anybody.
fn walls(link: &Link, schema: &str) -> Result<Vec<String>> {
    let tables = found::walls(link, schema)?;
    let open = tables.iter().filter(|(_, walled)| !walled);
    let mut wrong: Vec<String> =
        open.map(|(name, _)| format!("row-level security is off for table {name}")).collect();
    let missing = WALLED.iter().filter(|name| tables.iter().all(|(there, _)| there != *name));
    wrong.extend(missing.map(|name| format!("there is no table {name}")));
    Ok(wrong)
}

fn indexes(link: &Link, schema: &str) -> Result<Vec<String>> {
    let rows = link.query(
        "SELECT i.relname::text FROM pg_class AS i JOIN pg_index AS x ON x.indexrelid = i.oid
         WHERE i.relnamespace = to_regnamespace($1) AND x.indisvalid",
        &[(&schema, Type::TEXT)],
    )?;
    let there: BTreeSet<&str> = rows.iter().map(|row| row.get(0)).collect();
    let missing = migrate::indexes().filter(|name| !there.contains(name));
    let missing = missing.map(|name| format!("index {name} is not there, or not valid"));
    let keyless = link.query(
        "SELECT c.relname::text FROM pg_class AS c
         WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND NOT EXISTS
           (SELECT 1 FROM pg_index AS x WHERE x.indrelid = c.oid AND x.indisprimary AND x.indisvalid) ORDER BY 1",
        &[(&schema, Type::TEXT)],
    )?;
    let keyless =
        keyless.iter().map(|row| format!("table {} has no primary key", row.get::<_, &str>(0)));
    Ok(missing.chain(keyless).collect())
}

/// Reads every row back, against its hash and its key.
fn readable<L: Wire>(tables: &PgTables<L>) -> Result<(Held, Vec<String>)> {
    let (mut held, mut bad) = (Held::new(), Vec::new());
    for table in Table::ALL {
        for (wall, key, body, hash) in tables.raw(*table)? {
            match parse(*table, &key, &body, &hash) {
                Ok(row) if tables.wall(row.key().space) == wall => {
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
fn side_indexes<L: Wire>(tables: &PgTables<L>, held: &Held) -> Result<Vec<String>> {
    let expected_slots: BTreeSet<(i64, String, String)> = memories(held)
        .filter_map(|memory| Some((memory, memory.slot.as_ref()?)))
        .map(|(memory, slot)| {
            let (name, value, _) = slot_cells(slot);
            (tables.wall(memory.space), format!("{name}|{value}"), memory.id.to_string())
        })
        .collect();
    let expected_names: BTreeSet<(i64, String, String)> = held
        .values()
        .filter_map(Row::as_entity)
        .flat_map(|entity| {
            let wall = tables.wall(entity.space);
            entity.names().into_iter().map(move |name| (wall, name, entity.id.to_string()))
        })
        .collect();
    let mut wrong = Vec::new();
    for (name, sql, expected) in [
        ("slot", "SELECT space, slot || '|' || value, memory FROM slot", expected_slots),
        ("alias", "SELECT space, name, entity FROM alias", expected_names),
    ] {
        let rows = tables.link.query(&format!("{sql} WHERE {NOT_ANOTHERS}"), &[])?;
        let found: BTreeSet<(i64, String, String)> =
            rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        for (_, about, _) in found.symmetric_difference(&expected) {
            wrong.push(format!("the {name} index disagrees with the rows about {about}"));
        }
    }
    Ok(wrong)
}

/// What is kept of a document: its record, its terms, and how many postings it has.
type Indexed = (Vec<u8>, String, i64);

/// Every memory and episode has one document with its terms and state, its postings are there, and
/// there are no others.
fn documents<L: Wire>(tables: &PgTables<L>, held: &Held) -> Result<Vec<String>> {
    let rows = tables.link.query(
        &format!(
            "SELECT d.space, d.what, d.key, d.record, d.terms,
               (SELECT coalesce(sum(p.count), 0)::bigint FROM posting AS p
                WHERE p.space = d.space AND p.what = d.what AND p.number = d.number
                  AND p.term = ANY(string_to_array(d.terms, ' ')))
             FROM document AS d WHERE d.key IS NOT NULL AND d.{NOT_ANOTHERS}"
        ),
        &[],
    )?;
    let mut found: BTreeMap<Place, Indexed> = rows
        .iter()
        .map(|row| ((row.get(0), row.get(1), row.get(2)), (row.get(3), row.get(4), row.get(5))))
        .collect();
    let mut wrong = Vec::new();
    for (key, row) in held {
        let Some(of) = searched_in(key.table) else { continue };
        let place = (tables.wall(key.space), what(of), key.key.clone());
        let Some((record, terms, count)) = found.remove(&place) else {
            wrong.push(format!("{} {} is not where search looks for it", key.table, key.key));
            continue;
        };
        let state: Option<State> = row.as_memory().map(|memory| memory.state);
        let fits = Document::read(&record)
            .is_some_and(|one| one.id.to_string() == key.key && one.state == state);
        let expected = words::terms(&text_of(Some(row)).unwrap_or_default());
        let all = i64::try_from(expected.len()).unwrap_or(i64::MAX);
        if !fits || terms != expected.join(" ") || count != all {
            let what = format!("the words of {} {}", key.table, key.key);
            wrong.push(format!("{what} are not indexed as they are"));
        }
    }
    wrong.extend(found.keys().map(|(.., key)| format!("search knows {key}, which is not there")));
    Ok(wrong)
}

/// What the server finds candidates by agrees with the documents: vectors, the turns beside each, and
/// the sizes of sessions and shelves.
fn nearest<L: Wire>(tables: &PgTables<L>) -> Result<Vec<String>> {
    let checks = [
        (
            "vectors are not where the search for the nearest looks",
            "SELECT count(*) FROM (SELECT space, what, number, get_byte(record, 41)::smallint AS model,
                get_byte(record, 39)::smallint AS state FROM document
              WHERE octet_length(record) = 448 AND get_byte(record, 41) > 0 AND {mine}) AS d
            FULL JOIN (SELECT space, what, number, model, state FROM near WHERE {mine}) AS n
              USING (space, what, number, model, state)
            WHERE num_nulls(d.model, n.model) > 0",
        ),
        (
            "turns do not know which turns stand beside them",
            "SELECT count(*) FROM (SELECT first, before, next, before_length, next_length,
                min(number) OVER (PARTITION BY space, session) AS is_first,
                lag(number) OVER turns AS is_before, lead(number) OVER turns AS is_next,
                lag(length) OVER turns AS is_before_length, lead(length) OVER turns AS is_next_length
              FROM document WHERE what = 2 AND session IS NOT NULL AND {mine}
              WINDOW turns AS (PARTITION BY space, session ORDER BY position, key)) AS d
            WHERE (first, before, next, before_length, next_length) IS DISTINCT FROM
                  (is_first, is_before, is_next, is_before_length, is_next_length)",
        ),
        (
            "sessions are not as long as their turns",
            "SELECT count(*) FROM (SELECT space, session, min(number) AS number,
                sum(greatest(length, 1)) AS length FROM document
              WHERE what = 2 AND session IS NOT NULL AND {mine} GROUP BY space, session) AS d
            FULL JOIN (SELECT space, session, number, length FROM session_size WHERE {mine}) AS t
              USING (space, session, number, length) WHERE num_nulls(d.length, t.length) > 0",
        ),
        (
            "shelves do not count what stands on them",
            "SELECT count(*) FROM shelf AS s WHERE {mine} AND
              (s.docs <> (SELECT count(*) FROM document AS d
                 WHERE d.space = s.space AND d.what = s.what AND d.key IS NOT NULL)
               OR s.telling <> (SELECT coalesce(sum(d.length), 0) FROM document AS d
                 WHERE d.space = s.space AND d.what = s.what)
               OR s.what = 2 AND s.sessions <>
                 (SELECT count(*) FROM session_size AS t WHERE t.space = s.space))",
        ),
    ];
    let mut wrong = Vec::new();
    for (what, sql) in checks {
        let rows = tables.link.query(&sql.replace("{mine}", NOT_ANOTHERS), &[])?;
        let count: i64 = rows[0].get(0);
        if count > 0 {
            wrong.push(format!("{count} {what}"));
        }
    }
    Ok(wrong)
}

/// The tombstones of erasures whose dead rows were not vacuumed yet.
pub(super) fn erasure_due<L: Wire>(tables: &PgTables<L>) -> Result<Vec<Tombstone>> {
    let rows = tables.collect(
        Table::Tombstone,
        &format!(
            "SELECT t.key, t.body, t.hash FROM erasure_due AS d
             JOIN tombstone AS t USING (space, key) WHERE t.{NOT_ANOTHERS}"
        ),
        &[],
    )?;
    let due: BTreeMap<RowKey, Tombstone> =
        rows.into_iter().filter_map(|row| Some((row.key(), row.into_tombstone()?))).collect();
    Ok(due.into_values().collect())
}

/// What can be said of a server without reading memories.
pub(super) fn health<L: Wire>(tables: &PgTables<L>) -> Result<StoreHealth> {
    let found = tables.link.query(
        "SELECT current_setting('server_version'),
           (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
           (SELECT coalesce(max(number), 0) FROM migration),
           (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r'),
           pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'",
        &[],
    )?;
    let row = &found[0];
    let vector: Option<&str> = row.get(1);
    let server = format!(
        "{} (PostgreSQL {}, pgvector {}), as {}",
        tables.link.server(),
        row.get::<_, &str>(0),
        vector.unwrap_or("not there"),
        tables.link.role
    );
    Ok(StoreHealth {
        sqlite_version: String::new(),
        server: Some(server),
        schema: row.get::<_, i32>(2).unsigned_abs(),
        bytes: row.get::<_, i64>(3).unsigned_abs(),
        wal_bytes: 0,
        read_only: row.get(4),
    })
}
