//! The text index: FTS5 says which documents hold a word, `throughline_core::words` scores the most telling of them.
//!
//! Documents are numbered so that those of one space lie together: a search reads only its own
//! spaces' part of each posting list.

use std::collections::BTreeMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use throughline_core::policy::WordPolicy;
use throughline_core::words::{self, CollectionSize};
use throughline_core::{EpisodeId, MemoryId, NodeId, RowKey, SpaceId};

use crate::document::Postings;
use crate::query::{TextHit, TextOf, TextQuery};
use crate::{Error, Result};

use super::kept::KeptPostings;
use super::{documents, numbers};

/// Documents of one space have numbers from `no << SPACE_BITS`.
const SPACE_BITS: u32 = 40;

/// The statements of one text index.
struct TextStatements {
    what: &'static str,
    doc: &'static str,
    set_doc: &'static str,
    last_doc: &'static str,
    insert: &'static str,
    terms: &'static str,
    delete: &'static str,
    holding: &'static str,
    these: &'static str,
    newest: &'static str,
}

/// What narrows memories down.
macro_rules! fitting_memory {
    () => {
        "(m.session IS NULL OR m.session = ?5)
         AND (?6 IS NULL OR m.state IN (SELECT value FROM json_each(?6)))
         AND (?7 IS NULL OR m.kind IN (SELECT value FROM json_each(?7)))"
    };
}

/// Nothing narrows episodes down; parameters are only named.
macro_rules! fitting_episode {
    () => {
        "(?5 IS ?5 AND ?6 IS ?6 AND ?7 IS ?7)"
    };
}

const MEMORIES: TextStatements = TextStatements {
    what: "memory",
    doc: "SELECT doc FROM memory WHERE space = ?1 AND key = ?2",
    set_doc: "UPDATE memory SET doc = ?3 WHERE space = ?1 AND key = ?2",
    last_doc: "SELECT max(rowid) FROM memory_text WHERE rowid >= ?1 AND rowid < ?2",
    insert: "INSERT INTO memory_text (rowid, terms) VALUES (?1, ?2)",
    terms: "SELECT terms FROM memory_text WHERE rowid = ?1",
    delete: "DELETE FROM memory_text WHERE rowid = ?1",
    holding: "SELECT numbers(rowid - ?2) FROM
                (SELECT rowid FROM memory_text
                 WHERE memory_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3
                 ORDER BY rowid DESC LIMIT ?4)",
    these: concat!(
        "SELECT m.key, t.terms FROM json_each(?1) AS wanted
         CROSS JOIN memory AS m INDEXED BY memory_doc ON m.space = ?4 AND m.doc = ?2 + wanted.value
         CROSS JOIN memory_text AS t ON t.rowid = m.doc
         WHERE ?3 IS ?3 AND ",
        fitting_memory!(),
        " LIMIT ?8"
    ),
    newest: concat!(
        "SELECT m.key, t.terms FROM memory_text AS t
         JOIN memory AS m INDEXED BY memory_doc ON m.space = ?4 AND m.doc = t.rowid
         WHERE t.memory_text MATCH ?1 AND t.rowid >= ?2 AND t.rowid < ?3 AND ",
        fitting_memory!(),
        " ORDER BY t.rowid DESC LIMIT ?8"
    ),
};

const EPISODES: TextStatements = TextStatements {
    what: "episode",
    doc: "SELECT doc FROM episode WHERE space = ?1 AND key = ?2",
    set_doc: "UPDATE episode SET doc = ?3 WHERE space = ?1 AND key = ?2",
    last_doc: "SELECT max(rowid) FROM episode_text WHERE rowid >= ?1 AND rowid < ?2",
    insert: "INSERT INTO episode_text (rowid, terms) VALUES (?1, ?2)",
    terms: "SELECT terms FROM episode_text WHERE rowid = ?1",
    delete: "DELETE FROM episode_text WHERE rowid = ?1",
    holding: "SELECT numbers(rowid - ?2) FROM
                (SELECT rowid FROM episode_text
                 WHERE episode_text MATCH ?1 AND rowid >= ?2 AND rowid < ?3
                 ORDER BY rowid DESC LIMIT ?4)",
    these: concat!(
        "SELECT m.key, t.terms FROM json_each(?1) AS wanted
         CROSS JOIN episode AS m INDEXED BY episode_doc ON m.space = ?4 AND m.doc = ?2 + wanted.value
         CROSS JOIN episode_text AS t ON t.rowid = m.doc
         WHERE ?3 IS ?3 AND ",
        fitting_episode!(),
        " LIMIT ?8"
    ),
    newest: concat!(
        "SELECT m.key, t.terms FROM episode_text AS t
         JOIN episode AS m INDEXED BY episode_doc ON m.space = ?4 AND m.doc = t.rowid
         WHERE t.episode_text MATCH ?1 AND t.rowid >= ?2 AND t.rowid < ?3 AND ",
        fitting_episode!(),
        " ORDER BY t.rowid DESC LIMIT ?8"
    ),
};

fn statements(of: TextOf) -> &'static TextStatements {
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
    kept: Option<&KeptPostings>,
) -> Result<Vec<Postings>> {
    let Some(range) = doc_range(connection, space)? else {
        return Ok(vec![Postings::default(); terms.len()]);
    };
    let mut holding = Holding::of(connection, of, kept)?;
    terms.iter().map(|term| holding.term(term, (space, range), most)).collect()
}

/// Which documents hold a term: as the text index says, or as it is kept.
struct Holding<'c> {
    of: TextOf,
    statement: CachedStatement<'c>,
    /// What is kept, and the newest stamp of a document.
    kept: Option<(&'c KeptPostings, i64)>,
}

impl<'c> Holding<'c> {
    fn of(connection: &'c Connection, of: TextOf, kept: Option<&'c KeptPostings>) -> Result<Self> {
        let statement = connection.prepare_cached(statements(of).holding)?;
        let stamped = |kept| Ok::<_, Error>((kept, documents::newest(connection)?));
        Ok(Self { of, statement, kept: kept.map(stamped).transpose()? })
    }

    /// The documents of a space that hold a term, counted from the first.
    fn term(
        &mut self,
        term: &str,
        (space, range): (SpaceId, (i64, i64)),
        most: usize,
    ) -> Result<Postings> {
        let statement = &mut self.statement;
        let Some((kept, stamp)) = self.kept else { return read_term(statement, term, range, most) };
        let list = (space, self.of, most, term.to_owned());
        kept.at(stamp, list, || read_term(statement, term, range, most))
    }
}

/// The documents between two numbers that hold a term, counted from the first.
fn read_term(
    holding: &mut rusqlite::Statement<'_>,
    term: &str,
    (first, end): (i64, i64),
    most: usize,
) -> Result<Postings> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut found = holding.query(params![quoted(term), first, end, limit])?;
    let Some(row) = found.next()? else { return Ok(Postings::default()) };
    let mut documents = numbers::read(row.get_ref(0)?);
    let cut = documents.len() > most;
    documents.truncate(most);
    documents.reverse();
    Ok(Postings { documents, cut })
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
pub(super) fn search(
    connection: &Connection,
    query: &TextQuery,
    kept: Option<&KeptPostings>,
) -> Result<Vec<TextHit>> {
    let policy = WordPolicy::default();
    let sql = statements(query.of);
    let mut ranges = Vec::new();
    for space in super::rows::distinct(&query.spaces) {
        ranges.extend(doc_range(connection, space)?.map(|range| (space, range)));
    }
    let held = holding_terms(connection, query, &ranges, &policy, kept)?;
    let frequencies: Vec<(String, u64)> =
        held.iter().map(|(term, lists)| ((*term).to_owned(), count_of(lists))).collect();
    let kept = words::affordable(&frequencies, &policy);
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let collection = collection(connection, sql.what, &query.spaces)?;
    // When even the rarest word is nearly everywhere, comparing all that hold it would take too long
    // and tell little: the newest of them are looked at.
    let holding: u64 = kept.iter().map(|(_, docs)| docs).sum();
    let all = holding > policy.postings_max;
    let mut hits = Vec::new();
    for (place, (space, range)) in ranges.into_iter().enumerate() {
        let asked = TextScoring { query, space, range, kept: &kept, collection };
        if all {
            let wanted: Vec<String> = kept.iter().map(|(term, _)| quoted(term)).collect();
            let most = query.limit.max(policy.newest_max);
            hits.extend(asked.score(connection, sql.newest, &wanted.join(" OR "), most)?);
            continue;
        }
        let lists = kept.iter().map(|(term, docs)| (&held[term.as_str()][place], *docs));
        let mut told = how_telling(lists, collection);
        let mut left = query.limit.max(policy.candidates_max);
        // Few are left out for their state or kind, so that the rest is rarely needed.
        let likely = told.len().min(left * 2);
        if likely < told.len() {
            told.select_nth_unstable_by(likely, tells_more);
        }
        let (likely, rest) = told.split_at_mut(likely);
        for some in [likely, rest] {
            if left > 0 && !some.is_empty() {
                some.sort_unstable_by(tells_more);
                let some: Vec<u32> = some.iter().map(|(document, _)| *document).collect();
                let wanted = serde_json::to_string(&some).expect("numbers serialise");
                let scored = asked.score(connection, sql.these, &wanted, left)?;
                left -= scored.len().min(left);
                hits.extend(scored);
            }
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    hits.truncate(query.limit);
    Ok(hits)
}

/// What is looked for in one space, and what its documents are scored by.
struct TextScoring<'q> {
    query: &'q TextQuery,
    space: SpaceId,
    range: (i64, i64),
    kept: &'q [(String, u64)],
    collection: CollectionSize,
}

impl TextScoring<'_> {
    /// The first documents of a statement that fit, each with its score.
    fn score(
        &self,
        connection: &Connection,
        statement: &'static str,
        wanted: &str,
        most: usize,
    ) -> Result<Vec<TextHit>> {
        let Self { query, space, range: (first, end), kept, collection } = *self;
        let mut search = connection.prepare_cached(statement)?;
        let mut found = search.query(params![
            wanted,
            first,
            end,
            space.0,
            query.session.as_ref().map(|session| &session.0),
            json_list(&query.states),
            json_list(&query.kinds),
            i64::try_from(most).unwrap_or(i64::MAX),
        ])?;
        let policy = WordPolicy::default();
        let mut hits = Vec::new();
        while let Some(row) = found.next()? {
            let key = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            let terms = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
            let terms: Vec<&str> = terms.split_ascii_whitespace().collect();
            let score = words::bm25(kept, &terms, collection, &policy);
            hits.push(TextHit { space, node: node(query.of, key)?, score });
        }
        Ok(hits)
    }
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

/// The documents that hold each term, in each range, read no further than matters: a term in more documents than
/// can be compared is too frequent, however many they are.
fn holding_terms<'t>(
    connection: &Connection,
    query: &'t TextQuery,
    ranges: &[(SpaceId, (i64, i64))],
    policy: &WordPolicy,
    kept: Option<&KeptPostings>,
) -> Result<BTreeMap<&'t str, Vec<Postings>>> {
    let mut holding = Holding::of(connection, query.of, kept)?;
    let enough = usize::try_from(policy.postings_max).unwrap_or(usize::MAX);
    let mut held = BTreeMap::new();
    for term in &query.terms {
        let lists = ranges.iter().map(|range| holding.term(term, *range, enough));
        held.insert(term.as_str(), lists.collect::<Result<Vec<_>>>()?);
    }
    Ok(held)
}

/// How many documents there are in lists.
fn count_of(lists: &[Postings]) -> u64 {
    lists.iter().map(|one| one.documents.len() as u64 + u64::from(one.cut)).sum()
}

/// The documents of some lists, each with how much the words that it holds tell. What it holds of them in all decides in
/// the end, but need not be read of every one.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn how_telling<'p>(
    lists: impl Iterator<Item = (&'p Postings, u64)>,
    collection: CollectionSize,
) -> Vec<(u32, f64)> {
    let mut told: Vec<(u32, f64)> = Vec::new();
    for (list, holding) in lists {
        let rarity = words::rarity(collection.docs.max(1) as f64, holding as f64);
        told.extend(list.documents.iter().map(|document| (*document, rarity)));
    }
    // In the order of the lists where a document is in several, so that the same words always come to the same sum.
    told.sort_by_key(|(document, _)| *document);
    told.dedup_by(|one, kept| {
        let same = one.0 == kept.0;
        if same {
            kept.1 += one.1;
        }
        same
    });
    told
}

/// Those first that tell more, and of the same the newest.
fn tells_more(a: &(u32, f64), b: &(u32, f64)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
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
