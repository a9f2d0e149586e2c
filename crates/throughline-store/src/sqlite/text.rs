//! The text index: FTS5 finds candidates, `throughline_core::words` scores them.
//!
//! Documents are numbered so that those of one space lie together: a search reads only its own
//! spaces' part of each posting list.

use rusqlite::{Connection, OptionalExtension, params};
use throughline_core::policy::WordPolicy;
use throughline_core::words::{self, CollectionSize};
use throughline_core::{EpisodeId, MemoryId, NodeId, RowKey, SpaceId};

use crate::document::Postings;
use crate::query::{TextHit, TextOf, TextQuery};
use crate::{Error, Result};

use super::numbers;

/// Documents of one space have numbers from `no << SPACE_BITS`.
const SPACE_BITS: u32 = 40;

/// The statements of one text index.
struct Statements {
    what: &'static str,
    doc: &'static str,
    set_doc: &'static str,
    last_doc: &'static str,
    insert: &'static str,
    terms: &'static str,
    delete: &'static str,
    frequency: &'static str,
    holding: &'static str,
    best: &'static str,
    newest: &'static str,
}

/// Memories that hold a word, in an order.
macro_rules! memories_by {
    ($order:literal) => {
        concat!(
            "SELECT m.key, t.terms FROM memory_text AS t
             JOIN memory AS m INDEXED BY memory_doc ON m.space = ?4 AND m.doc = t.rowid
             WHERE t.memory_text MATCH ?1 AND t.rowid >= ?2 AND t.rowid < ?3
               AND (m.session IS NULL OR m.session = ?5)
               AND (?6 IS NULL OR m.state IN (SELECT value FROM json_each(?6)))
               AND (?7 IS NULL OR m.kind IN (SELECT value FROM json_each(?7)))
             ORDER BY ",
            $order,
            " LIMIT ?8"
        )
    };
}

/// The same for episodes. Parameters 5 to 7 narrow memories; here they are only named.
macro_rules! episodes_by {
    ($order:literal) => {
        concat!(
            "SELECT m.key, t.terms FROM episode_text AS t
             JOIN episode AS m INDEXED BY episode_doc ON m.space = ?4 AND m.doc = t.rowid
             WHERE t.episode_text MATCH ?1 AND t.rowid >= ?2 AND t.rowid < ?3
               AND (?5 IS ?5 AND ?6 IS ?6 AND ?7 IS ?7)
             ORDER BY ",
            $order,
            " LIMIT ?8"
        )
    };
}

const MEMORIES: Statements = Statements {
    what: "memory",
    doc: "SELECT doc FROM memory WHERE space = ?1 AND key = ?2",
    set_doc: "UPDATE memory SET doc = ?3 WHERE space = ?1 AND key = ?2",
    last_doc: "SELECT max(rowid) FROM memory_text WHERE rowid >= ?1 AND rowid < ?2",
    insert: "INSERT INTO memory_text (rowid, terms) VALUES (?1, ?2)",
    terms: "SELECT terms FROM memory_text WHERE rowid = ?1",
    delete: "DELETE FROM memory_text WHERE rowid = ?1",
    frequency: "SELECT count(*) FROM
                  (SELECT 1 FROM memory_text
                   WHERE memory_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3 LIMIT ?4)",
    holding: "SELECT numbers(rowid - ?2) FROM
                (SELECT rowid FROM memory_text
                 WHERE memory_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3
                 ORDER BY rowid DESC LIMIT ?4)",
    best: memories_by!("t.rank"),
    newest: memories_by!("t.rowid DESC"),
};

const EPISODES: Statements = Statements {
    what: "episode",
    doc: "SELECT doc FROM episode WHERE space = ?1 AND key = ?2",
    set_doc: "UPDATE episode SET doc = ?3 WHERE space = ?1 AND key = ?2",
    last_doc: "SELECT max(rowid) FROM episode_text WHERE rowid >= ?1 AND rowid < ?2",
    insert: "INSERT INTO episode_text (rowid, terms) VALUES (?1, ?2)",
    terms: "SELECT terms FROM episode_text WHERE rowid = ?1",
    delete: "DELETE FROM episode_text WHERE rowid = ?1",
    frequency: "SELECT count(*) FROM
                  (SELECT 1 FROM episode_text
                   WHERE episode_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3 LIMIT ?4)",
    holding: "SELECT numbers(rowid - ?2) FROM
                (SELECT rowid FROM episode_text
                 WHERE episode_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3
                 ORDER BY rowid DESC LIMIT ?4)",
    best: episodes_by!("t.rank"),
    newest: episodes_by!("t.rowid DESC"),
};

fn statements(of: TextOf) -> &'static Statements {
    match of {
        TextOf::Memories => &MEMORIES,
        TextOf::Episodes => &EPISODES,
    }
}

/// The first and one past the last document number of a space; `None` if it was never written to.
fn doc_range(connection: &Connection, space: SpaceId) -> Result<Option<(i64, i64)>> {
    let no: Option<i64> = connection
        .prepare_cached("SELECT no FROM space WHERE space = ?1")?
        .query_row([space.0], |row| row.get(0))
        .optional()?;
    Ok(no.map(|no| (no << SPACE_BITS, (no + 1) << SPACE_BITS)))
}

/// The number in the index of the first document of a space.
pub(super) fn first_document(connection: &Connection, space: SpaceId) -> Result<i64> {
    Ok(doc_range(connection, space)?.map_or(0, |(first, _)| first))
}

/// The document of a row, counted from the first of its space.
pub(super) fn document(connection: &Connection, of: TextOf, key: &RowKey) -> Result<Option<u32>> {
    let doc: Option<i64> = connection
        .prepare_cached(statements(of).doc)?
        .query_row(params![key.space.0, key.key], |row| row.get(0))
        .optional()?
        .flatten();
    let first = first_document(connection, key.space)?;
    Ok(doc.and_then(|doc| u32::try_from(doc - first).ok()))
}

/// The documents of a space that hold each of the terms.
pub(super) fn postings(
    connection: &Connection,
    space: SpaceId,
    of: TextOf,
    terms: &[String],
    most: usize,
) -> Result<Vec<Postings>> {
    let Some((first, end)) = doc_range(connection, space)? else {
        return Ok(vec![Postings::default(); terms.len()]);
    };
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut holding = connection.prepare_cached(statements(of).holding)?;
    let mut lists = Vec::with_capacity(terms.len());
    for term in terms {
        let mut found = holding.query(params![quoted(term), first, end, limit])?;
        let Some(row) = found.next()? else { continue };
        let mut documents = numbers::read(row.get_ref(0)?);
        let cut = documents.len() > most;
        documents.truncate(most);
        documents.reverse();
        lists.push(Postings { documents, cut });
    }
    Ok(lists)
}

/// Puts the terms of a row into the index, and returns the number of its document.
pub(super) fn add(
    connection: &Connection,
    of: TextOf,
    key: &RowKey,
    terms: &[String],
) -> Result<u32> {
    let sql = statements(of);
    let Some((first, end)) = doc_range(connection, key.space)? else {
        return Err(Error::BadRow {
            what: format!("{} {}", key.table, key.key),
            detail: "its space is not known".to_owned(),
        });
    };
    let last: Option<i64> = connection
        .prepare_cached(sql.last_doc)?
        .query_row(params![first, end], |row| row.get(0))?;
    let doc = last.map_or(first, |last| last + 1);
    connection.prepare_cached(sql.insert)?.execute(params![doc, terms.join(" ")])?;
    connection.prepare_cached(sql.set_doc)?.execute(params![key.space.0, key.key, doc])?;
    resize(connection, key.space, sql.what, 1, i64::try_from(terms.len()).unwrap_or(i64::MAX))?;
    u32::try_from(doc - first).map_err(|_| Error::BadRow {
        what: format!("{} {}", key.table, key.key),
        detail: "its space is full".to_owned(),
    })
}

/// Brings the terms of a row up to date, in their place.
pub(super) fn refresh(
    connection: &Connection,
    of: TextOf,
    key: &RowKey,
    terms: &[String],
) -> Result<()> {
    let (sql, joined) = (statements(of), terms.join(" "));
    let Some(document) = document(connection, of, key)? else { return Ok(()) };
    let doc = first_document(connection, key.space)? + i64::from(document);
    let held: Option<String> =
        connection.prepare_cached(sql.terms)?.query_row([doc], |row| row.get(0)).optional()?;
    if held.as_deref() == Some(joined.as_str()) {
        return Ok(());
    }
    connection.prepare_cached(sql.delete)?.execute([doc])?;
    connection.prepare_cached(sql.insert)?.execute(params![doc, joined])?;
    let before = held.as_ref().map_or(0, |terms| terms.split_ascii_whitespace().count());
    let grown =
        i64::try_from(terms.len()).unwrap_or(i64::MAX) - i64::try_from(before).unwrap_or(i64::MAX);
    resize(connection, key.space, sql.what, i64::from(held.is_none()), grown)
}

/// Takes the terms of a row out of the index.
pub(super) fn remove(connection: &Connection, of: TextOf, key: &RowKey) -> Result<()> {
    let sql = statements(of);
    let doc: Option<i64> = connection
        .prepare_cached(sql.doc)?
        .query_row(params![key.space.0, key.key], |row| row.get(0))
        .optional()?
        .flatten();
    let Some(doc) = doc else { return Ok(()) };
    let terms: Option<String> =
        connection.prepare_cached(sql.terms)?.query_row([doc], |row| row.get(0)).optional()?;
    connection.prepare_cached(sql.delete)?.execute([doc])?;
    let gone = terms.map_or(0, |terms| terms.split_ascii_whitespace().count());
    resize(connection, key.space, sql.what, -1, -i64::try_from(gone).unwrap_or(i64::MAX))
}

fn resize(
    connection: &Connection,
    space: SpaceId,
    what: &str,
    docs: i64,
    terms: i64,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO text_size (space, what, docs, terms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (space, what) DO UPDATE
             SET docs = docs + excluded.docs, terms = terms + excluded.terms",
        )?
        .execute(params![space.0, what, docs, terms])?;
    Ok(())
}

/// Finds and scores. How rare a word is, is judged over the spaces within reach and no others.
pub(super) fn search(connection: &Connection, query: &TextQuery) -> Result<Vec<TextHit>> {
    let policy = WordPolicy::default();
    let sql = statements(query.of);
    let mut ranges = Vec::new();
    for space in super::rows::distinct(&query.spaces) {
        ranges.extend(doc_range(connection, space)?.map(|range| (space, range)));
    }
    let kept =
        words::affordable(&frequencies(connection, sql, &query.terms, &ranges, &policy)?, &policy);
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let collection = collection(connection, sql.what, &query.spaces)?;
    let wanted: Vec<String> = kept.iter().map(|(term, _)| quoted(term)).collect();
    let wanted = wanted.join(" OR ");
    // When even the rarest word is nearly everywhere, ranking all that hold it would take too long
    // and tell little: the newest of them are looked at.
    let holding: u64 = kept.iter().map(|(_, docs)| docs).sum();
    let (statement, candidates) = if holding > policy.postings_max {
        (sql.newest, query.limit.max(policy.newest_max))
    } else {
        (sql.best, query.limit.max(policy.candidates_max))
    };
    let mut hits = Vec::new();
    for (space, (first, end)) in ranges {
        let mut search = connection.prepare_cached(statement)?;
        let mut found = search.query(params![
            wanted,
            first,
            end,
            space.0,
            query.session.as_ref().map(|session| &session.0),
            json_list(&query.states),
            json_list(&query.kinds),
            i64::try_from(candidates).unwrap_or(i64::MAX),
        ])?;
        while let Some(row) = found.next()? {
            let key: String = row.get(0)?;
            let terms: String = row.get(1)?;
            let terms: Vec<&str> = terms.split_ascii_whitespace().collect();
            let score = words::bm25(&kept, &terms, collection, &policy);
            hits.push(TextHit { space, node: node(query.of, &key)?, score });
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    hits.truncate(query.limit);
    Ok(hits)
}

fn node(of: TextOf, key: &str) -> Result<NodeId> {
    let bad = |_| Error::BadRow { what: key.to_owned(), detail: "it is not an id".to_owned() };
    match of {
        TextOf::Memories => key.parse::<MemoryId>().map(NodeId::Memory).map_err(bad),
        TextOf::Episodes => key.parse::<EpisodeId>().map(NodeId::Episode).map_err(bad),
    }
}

/// A list for `json_each`; an empty one means no restriction.
pub(super) fn json_list<T: serde::Serialize>(list: &[T]) -> Option<String> {
    if list.is_empty() {
        return None;
    }
    Some(serde_json::to_string(list).expect("names serialise"))
}

/// In how many documents each term occurs, counted no further than matters: a term in more
/// documents than can be scored is too frequent, however many they are.
fn frequencies(
    connection: &Connection,
    sql: &Statements,
    terms: &[String],
    ranges: &[(SpaceId, (i64, i64))],
    policy: &WordPolicy,
) -> Result<Vec<(String, u64)>> {
    let mut frequency = connection.prepare_cached(sql.frequency)?;
    let enough = i64::try_from(policy.postings_max + 1).unwrap_or(i64::MAX);
    let mut counted = Vec::with_capacity(terms.len());
    for term in terms {
        let mut docs = 0;
        for (_, (first, end)) in ranges {
            let here: i64 =
                frequency.query_row(params![quoted(term), first, end, enough], |row| row.get(0))?;
            docs += here.unsigned_abs();
        }
        counted.push((term.clone(), docs));
    }
    Ok(counted)
}

/// A term as the text index takes it. Terms hold letters and digits only, so quoting is enough.
fn quoted(term: &str) -> String {
    format!("\"{term}\"")
}

fn collection(connection: &Connection, what: &str, spaces: &[SpaceId]) -> Result<CollectionSize> {
    let (docs, terms): (i64, i64) = connection
        .prepare_cached(
            "SELECT coalesce(sum(docs), 0), coalesce(sum(terms), 0) FROM text_size
             WHERE what = ?1 AND space IN (SELECT value FROM json_each(?2))",
        )?
        .query_row(params![what, json_list(spaces)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(CollectionSize { docs: docs.unsigned_abs(), terms: terms.unsigned_abs() })
}
