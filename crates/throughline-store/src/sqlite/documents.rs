//! Documents in SQLite: blocks of records, written in place, read whole.
//!
//! A block is a blob that is never replaced: SQLite writes the pages that a record lies in and no
//! others, and a reader that remembers a stamp reads the blocks that changed since.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, MAIN_DB, OptionalExtension, params};
use throughline_core::fold::View;
use throughline_core::{Memory, NodeId, Row, RowKey, SessionId, SpaceId, State, Table, words};

use super::rows::{self, SqlTables};
use super::text;
use crate::document::{BLOCK, Document, PACKED_AT, PACKED_MAX, RECORD, Shelf};
use crate::query::{TextOf, Vector};
use crate::{Error, Result};

/// Records in one block, as documents are numbered.
const BLOCK_U32: u32 = 256;
const _: () = assert!(BLOCK_U32 as usize == BLOCK, "one number for one thing");

/// The word for an index in the tables.
fn what(of: TextOf) -> &'static str {
    match of {
        TextOf::Memories => "memory",
        TextOf::Episodes => "episode",
    }
}

/// The block that holds a document, made if it is not there; stamped as changed.
fn block(connection: &Connection, space: SpaceId, of: TextOf, document: u32) -> Result<i64> {
    let number = i64::from(document) / BLOCK as i64;
    let id: Option<i64> = connection
        .prepare_cached("SELECT id FROM block WHERE space = ?1 AND what = ?2 AND number = ?3")?
        .query_row(params![space.0, what(of), number], |row| row.get(0))
        .optional()?;
    let stamp = newest(connection)? + 1;
    if let Some(id) = id {
        connection
            .prepare_cached("UPDATE block SET stamp = ?2 WHERE id = ?1")?
            .execute(params![id, stamp])?;
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO block (space, what, number, stamp) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![space.0, what(of), number, stamp])?;
    let id = connection.last_insert_rowid();
    connection
        .prepare_cached("INSERT OR REPLACE INTO block_body (id, body) VALUES (?1, zeroblob(?2))")?
        .execute(params![id, (BLOCK * RECORD) as i64])?;
    Ok(id)
}

/// Lets `change` alter the record of a document.
fn alter(
    connection: &Connection,
    space: SpaceId,
    of: TextOf,
    document: u32,
    change: impl FnOnce(&mut [u8]),
) -> Result<()> {
    let id = block(connection, space, of, document)?;
    let at = document as usize % BLOCK * RECORD;
    // A body that is damaged must not keep anybody from writing; `doctor` names what it held.
    if !is_whole(connection, id)? {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO block_body (id, body) VALUES (?1, zeroblob(?2))",
            )?
            .execute(params![id, (BLOCK * RECORD) as i64])?;
    }
    let mut blob = connection.blob_open(MAIN_DB, "block_body", "body", id, false)?;
    let mut record = [0; RECORD];
    blob.read_at_exact(&mut record, at)?;
    change(&mut record);
    blob.write_all_at(&record, at)?;
    Ok(())
}

/// Whether a block has a body of the right length.
fn is_whole(connection: &Connection, id: i64) -> Result<bool> {
    let length: Option<i64> = connection
        .prepare_cached("SELECT length(body) FROM block_body WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(length == Some((BLOCK * RECORD) as i64))
}

fn get(
    connection: &Connection,
    space: SpaceId,
    of: TextOf,
    document: u32,
) -> Result<Option<Document>> {
    let number = i64::from(document) / BLOCK as i64;
    let id: Option<i64> = connection
        .prepare_cached("SELECT id FROM block WHERE space = ?1 AND what = ?2 AND number = ?3")?
        .query_row(params![space.0, what(of), number], |row| row.get(0))
        .optional()?;
    let Some(id) = id else { return Ok(None) };
    if !is_whole(connection, id)? {
        return Ok(None);
    }
    let blob = connection.blob_open(MAIN_DB, "block_body", "body", id, true)?;
    let mut record = [0; RECORD];
    blob.read_at_exact(&mut record, document as usize % BLOCK * RECORD)?;
    Ok(Document::read(&record))
}

/// Puts the document of a row in its place.
pub(super) fn add(connection: &Connection, row: &Row, document: u32) -> Result<()> {
    place(connection, row, document, None)
}

/// The same; the number of a turn's session is given, or taken from the turns beside it.
fn place(connection: &Connection, row: &Row, document: u32, session: Option<u32>) -> Result<()> {
    match row {
        Row::Memory(memory) => {
            let new = Document::of_memory(memory, document);
            alter(connection, memory.space, TextOf::Memories, document, |record| {
                record.fill(0);
                new.write(record);
            })
        }
        Row::Episode(episode) => {
            let (before, after) = beside(connection, &row.key(), document)?;
            let near = match before.or(after).filter(|_| session.is_none()) {
                Some(near) => get(connection, episode.space, TextOf::Episodes, near)?,
                None => None,
            };
            let session = session.or(near.map(|near| near.session)).unwrap_or(document);
            let new = Document::of_episode(episode, session, before);
            alter(connection, episode.space, TextOf::Episodes, document, |record| {
                record.fill(0);
                new.write(record);
            })?;
            relink(connection, episode.space, after, Some(document))
        }
        Row::Space(_)
        | Row::Evidence(_)
        | Row::Watermark(_)
        | Row::Usage(_)
        | Row::Entity(_)
        | Row::Edge(_)
        | Row::Session(_)
        | Row::Injection(_)
        | Row::Tombstone(_)
        | Row::Leaf(_)
        | Row::Pending(_) => Ok(()),
    }
}

/// Takes the document of a row away.
pub(super) fn remove(
    connection: &Connection,
    of: TextOf,
    key: &RowKey,
    document: u32,
) -> Result<()> {
    if of == TextOf::Episodes {
        let (before, after) = beside(connection, key, document)?;
        relink(connection, key.space, after, before)?;
    }
    alter(connection, key.space, of, document, |record| record.fill(0))
}

/// Follows a memory whose properties changed but not its text.
pub(super) fn follow(connection: &Connection, memory: &Memory, document: u32) -> Result<()> {
    alter(connection, memory.space, TextOf::Memories, document, |record| {
        if let Some(old) = Document::read(record) {
            let bound = memory.session.is_some();
            let at = memory.valid_from.unwrap_or(memory.recorded_at);
            let (state, kind, cold) = (Some(memory.state), Some(memory.kind), memory.cold);
            Document { state, kind, bound, at, cold, ..old }.write(record);
        }
    })
}

/// Makes a turn follow another.
fn relink(
    connection: &Connection,
    space: SpaceId,
    turn: Option<u32>,
    before: Option<u32>,
) -> Result<()> {
    let Some(turn) = turn else { return Ok(()) };
    alter(connection, space, TextOf::Episodes, turn, |record| {
        if let Some(old) = Document::read(record) {
            Document { before, ..old }.write(record);
        }
    })
}

/// The turns before and after an episode in its session, by their documents.
fn beside(
    connection: &Connection,
    key: &RowKey,
    document: u32,
) -> Result<(Option<u32>, Option<u32>)> {
    let first = text::first_document(connection, key.space)?;
    let find = |sql: &'static str| -> Result<Option<u32>> {
        let doc: Option<Option<i64>> = connection
            .prepare_cached(sql)?
            .query_row(params![key.space.0, key.key, first + i64::from(document)], |row| row.get(0))
            .optional()?;
        Ok(doc.flatten().and_then(|doc| u32::try_from(doc - first).ok()))
    };
    let before = find(
        "SELECT o.doc FROM episode AS e JOIN episode AS o INDEXED BY episode_session
           ON o.space = e.space AND o.session = e.session
          AND (o.position, o.key) < (e.position, e.key)
         WHERE e.space = ?1 AND e.key = ?2 AND o.doc IS NOT NULL AND o.doc <> ?3
         ORDER BY o.position DESC, o.key DESC LIMIT 1",
    )?;
    let after = find(
        "SELECT o.doc FROM episode AS e JOIN episode AS o INDEXED BY episode_session
           ON o.space = e.space AND o.session = e.session
          AND (o.position, o.key) > (e.position, e.key)
         WHERE e.space = ?1 AND e.key = ?2 AND o.doc IS NOT NULL AND o.doc <> ?3
         ORDER BY o.position, o.key LIMIT 1",
    )?;
    Ok((before, after))
}

/// Hands over the blocks that changed after a stamp.
pub(super) fn read(
    connection: &Connection,
    space: SpaceId,
    of: TextOf,
    model: &str,
    after: u64,
    block: &mut dyn FnMut(u32, &[u8]),
) -> Result<Shelf> {
    let model = connection
        .prepare_cached("SELECT number FROM model WHERE name = ?1")?
        .query_row([model], |row| row.get(0))
        .optional()?;
    let shelf = Shelf { stamp: newest(connection)?.unsigned_abs(), model, origin: 0 };
    if shelf.stamp == after {
        return Ok(shelf);
    }
    let mut changed = connection.prepare_cached(
        "SELECT b.number, y.body FROM block AS b INDEXED BY block_number
         JOIN block_body AS y ON y.id = b.id
         WHERE b.space = ?1 AND b.what = ?2 AND b.stamp > ?3 ORDER BY b.number",
    )?;
    let mut found =
        changed.query(params![space.0, what(of), i64::try_from(after).unwrap_or(i64::MAX)])?;
    while let Some(row) = found.next()? {
        let body = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        // What is not whole is left out; `doctor` names it and rebuilds it.
        if body.len() == BLOCK * RECORD {
            block(row.get(0)?, body);
        }
    }
    Ok(shelf)
}

/// The number of a model, which it is given when it is first met.
fn model_number(connection: &Connection, model: &str) -> Result<u8> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO model (number, name)
             VALUES ((SELECT coalesce(max(number), 0) + 1 FROM model), ?1)",
        )?
        .execute([model])?;
    let number: i64 = connection
        .prepare_cached("SELECT number FROM model WHERE name = ?1")?
        .query_row([model], |row| row.get(0))?;
    u8::try_from(number).map_err(|_| Error::BadRow {
        what: format!("model {model}"),
        detail: "there are too many models; vectors of 255 can be told apart".to_owned(),
    })
}

/// Keeps vectors, and packs them into the records of their documents.
pub(super) fn put_vectors(
    connection: &Connection,
    space: SpaceId,
    model: &str,
    vectors: &[Vector],
) -> Result<()> {
    let number = model_number(connection, model)?;
    let mut put = connection.prepare_cached(
        "INSERT INTO embedding (space, node, model, seq, vector) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (space, node, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector",
    )?;
    for vector in vectors {
        // What was erased since its text was read must leave no vector behind.
        let key = RowKey::node(space, vector.node);
        if SqlTables::new(connection).row(&key)?.is_none() {
            continue;
        }
        let bytes: Vec<u8> = vector.values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let seq = vector.seq.cast_signed();
        put.execute(params![space.0, vector.node.to_string(), model, seq, bytes])?;
        let scanned = !vector.packed.is_empty();
        let place = if scanned { document_of(connection, space, vector.node)? } else { None };
        if let Some((of, document)) = place {
            alter(connection, space, of, document, |record| pack(record, number, &vector.packed))?;
        }
    }
    Ok(())
}

/// Writes a packed vector to a record.
fn pack(record: &mut [u8], model: u8, packed: &[u8]) {
    let length = packed.len().min(PACKED_MAX);
    if let Some(old) = Document::read(record) {
        Document { model, ..old }.write(record);
        record[PACKED_AT..].fill(0);
        record[PACKED_AT..PACKED_AT + length].copy_from_slice(&packed[..length]);
    }
}

fn document_of(
    connection: &Connection,
    space: SpaceId,
    node: NodeId,
) -> Result<Option<(TextOf, u32)>> {
    let of = match node {
        NodeId::Memory(_) => TextOf::Memories,
        NodeId::Episode(_) => TextOf::Episodes,
        NodeId::Entity(_) => return Ok(None),
    };
    let document = text::document(connection, of, &RowKey::node(space, node))?;
    Ok(document.map(|document| (of, document)))
}

/// Builds every document anew. Packed vectors are carried over from the records they are in. A row
/// that cannot be read is left out: the others must be found.
pub(super) fn rebuild(connection: &Connection) -> Result<()> {
    let vectors = packed_vectors(connection)?;
    // Blocks stay and are emptied: stamps must never run backwards, or a process that holds an older
    // picture would take it for the newest.
    connection.execute("DELETE FROM block_body WHERE id NOT IN (SELECT id FROM block)", [])?;
    connection.execute(
        "INSERT OR REPLACE INTO block_body (id, body) SELECT id, zeroblob(?1) FROM block",
        [(BLOCK * RECORD) as i64],
    )?;
    outdate(connection, newest(connection)?)?;
    let mut sessions: BTreeMap<(SpaceId, SessionId), u32> = BTreeMap::new();
    for (table, of) in [(Table::Memory, TextOf::Memories), (Table::Episode, TextOf::Episodes)] {
        let mut rows = Vec::new();
        for (space, key, body, hash) in rows::raw(connection, table)? {
            let Ok(row) = crate::body::parse(table, &key, &body, &hash) else { continue };
            let key = RowKey { space, table, key };
            if let Some(document) = text::document(connection, of, &key)? {
                rows.push((space, document, key, row));
            }
        }
        rows.sort_by_key(|(space, document, ..)| (*space, *document));
        for (space, document, key, row) in rows {
            let text = crate::tables::text_of(Some(&row)).unwrap_or_default();
            text::refresh(connection, of, &key, &words::terms(&text))?;
            let session = if let Row::Episode(turn) = &row {
                Some(*sessions.entry((space, turn.session.clone())).or_insert(document))
            } else {
                None
            };
            place(connection, &row, document, session)?;
            if let Some((model, packed)) = vectors.get(&(space, of, rows::node_name(&key))) {
                alter(connection, space, of, document, |record| pack(record, *model, packed))?;
            }
        }
    }
    Ok(())
}

/// The newest stamp there is.
pub(super) fn newest(connection: &Connection) -> Result<i64> {
    Ok(connection
        .prepare_cached("SELECT coalesce(max(stamp), 0) FROM block")?
        .query_row([], |row| row.get(0))?)
}

/// Makes every block newer than a stamp, so that whoever holds a picture of it reads it again.
pub(super) fn outdate(connection: &Connection, stamp: i64) -> Result<()> {
    // All alike: to add the one to the other would double them with every copy that is put back.
    let next = newest(connection)?.max(stamp) + 1;
    connection.execute("UPDATE block SET stamp = ?1", [next])?;
    Ok(())
}

type Packed = BTreeMap<(SpaceId, TextOf, String), (u8, Vec<u8>)>;

/// The packed vectors that whole records hold.
fn packed_vectors(connection: &Connection) -> Result<Packed> {
    let mut vectors = Packed::new();
    let mut all = connection.prepare(
        "SELECT b.space, b.what, y.body FROM block AS b JOIN block_body AS y ON y.id = b.id",
    )?;
    let mut found = all.query([])?;
    while let Some(row) = found.next()? {
        let space = SpaceId(row.get(0)?);
        let named: String = row.get(1)?;
        let of = if named == "memory" { TextOf::Memories } else { TextOf::Episodes };
        let body = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        for record in body.chunks_exact(RECORD) {
            if let Some(document) = Document::read(record).filter(|one| one.model > 0) {
                let node = document.node(of).to_string();
                vectors.insert((space, of, node), (document.model, record[PACKED_AT..].to_vec()));
            }
        }
    }
    Ok(vectors)
}

/// What is wrong with the documents: rows that have none or another's, and documents of nothing.
pub(super) fn findings(connection: &Connection) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (of, table, sql) in [
        (
            TextOf::Memories,
            Table::Memory,
            "SELECT space, key, state FROM memory WHERE doc IS NOT NULL",
        ),
        (
            TextOf::Episodes,
            Table::Episode,
            "SELECT space, key, NULL FROM episode WHERE doc IS NOT NULL",
        ),
    ] {
        let mut known: BTreeSet<(SpaceId, u32)> = BTreeSet::new();
        let mut rows = connection.prepare(sql)?;
        let mut found = rows.query([])?;
        while let Some(row) = found.next()? {
            let key = RowKey { space: SpaceId(row.get(0)?), table, key: row.get(1)? };
            let state: Option<String> = row.get(2)?;
            let Some(number) = text::document(connection, of, &key)? else { continue };
            known.insert((key.space, number));
            let document = get(connection, key.space, of, number).unwrap_or(None);
            let fits = document.is_some_and(|one| {
                one.id.to_string() == key.key && one.state.map(State::as_str) == state.as_deref()
            });
            if !fits {
                wrong.push(format!("{table} {} is not where search looks for it", key.key));
            }
        }
        for (space, number, document) in all_documents(connection, of)? {
            if !known.contains(&(space, number)) {
                wrong.push(format!("search knows a {table} {}, which is not there", document.id));
            }
        }
    }
    Ok(wrong)
}

/// Every document there is, with its place.
fn all_documents(connection: &Connection, of: TextOf) -> Result<Vec<(SpaceId, u32, Document)>> {
    let mut documents = Vec::new();
    let mut all = connection.prepare(
        "SELECT b.space, b.number, y.body FROM block AS b JOIN block_body AS y ON y.id = b.id
         WHERE b.what = ?1",
    )?;
    let mut found = all.query([what(of)])?;
    while let Some(row) = found.next()? {
        let (space, number) = (SpaceId(row.get(0)?), row.get::<_, u32>(1)?);
        let body = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        for (at, record) in (0..).zip(body.chunks_exact(RECORD)) {
            documents
                .extend(Document::read(record).map(|one| (space, number * BLOCK_U32 + at, one)));
        }
    }
    Ok(documents)
}
