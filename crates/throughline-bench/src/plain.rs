//! Plain SQLite doing the same work with the same durability: what any careful program pays.

use std::path::Path;

use anyhow::{Context as _, bail};
use rusqlite::{Connection, params};

use crate::corpus::Corpus;

pub(crate) fn open(file: &Path) -> anyhow::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    )?;
    Ok(connection)
}

/// Makes a table and its FTS5 index with the texts of the corpus.
pub(crate) fn fill(file: &Path, corpus: &Corpus) -> anyhow::Result<()> {
    let mut connection = open(file)?;
    connection.execute_batch(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
         CREATE VIRTUAL TABLE note_text USING fts5 (text, tokenize = 'porter unicode61');",
    )?;
    let all = connection.transaction()?;
    for (id, text) in corpus.texts().iter().enumerate() {
        insert(&all, i64::try_from(id)?, text)?;
    }
    Ok(all.commit()?)
}

fn insert(connection: &Connection, id: i64, text: &str) -> anyhow::Result<()> {
    connection.execute("INSERT INTO note (id, text) VALUES (?1, ?2)", params![id, text])?;
    connection.execute("INSERT INTO note_text (rowid, text) VALUES (?1, ?2)", params![id, text])?;
    Ok(())
}

/// The ten texts that FTS5 ranks best for the words.
pub(crate) fn search(connection: &Connection, words: &str) -> anyhow::Result<Vec<String>> {
    let query: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
    let mut search = connection.prepare_cached(
        "SELECT note.text FROM note_text JOIN note ON note.id = note_text.rowid
         WHERE note_text MATCH ?1 ORDER BY rank LIMIT 10",
    )?;
    let found = search.query_map([query.join(" OR ")], |row| row.get::<_, String>(0))?;
    found.collect::<rusqlite::Result<Vec<_>>>().context("search")
}

/// One operation in a process of its own.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let [file, verb, argument] = words else { bail!("plain needs a file, a verb and an argument") };
    let mut connection = open(Path::new(file))?;
    match verb.as_str() {
        "show" => {
            let text: String = connection.query_row(
                "SELECT text FROM note WHERE id = ?1",
                [argument.parse::<i64>()?],
                |row| row.get(0),
            )?;
            println!("{text}");
        }
        "insert" => {
            let one = connection.transaction()?;
            let id: i64 = one.query_row("SELECT max(id) + 1 FROM note", [], |row| row.get(0))?;
            insert(&one, id, argument)?;
            one.commit()?;
            println!("{id}");
        }
        "search" => {
            println!("{}", search(&connection, argument)?.join("\n"));
        }
        _ => bail!("unknown verb {verb}"),
    }
    Ok(())
}
