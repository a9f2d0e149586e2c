//! Foreign databases: those of other programs, only read, also while their owner is running.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::{Error, Result};

/// How long we wait for its owner to finish a write.
const PATIENCE: Duration = Duration::from_secs(3);

/// Messages of opencode's database, in the order they were said, each as one line of JSON:
/// `{session, folder, parent, id, at, message, parts}`. With `within`, only of sessions in this
/// folder or below it.
pub fn opencode_lines(path: &Path, within: Option<&Path>) -> Result<String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "query_only", true)?;
    // One moment for all that is read.
    let moment = connection.transaction()?;
    let known = moment.query_row(
        "SELECT count(*) FROM sqlite_master
         WHERE type = 'table' AND name IN ('session', 'message', 'part')",
        [],
        |row| row.get::<_, i64>(0),
    );
    if known.map_err(|error| not_theirs(path, &error.to_string()))? != 3 {
        return Err(not_theirs(path, "it has no sessions of opencode"));
    }
    let mut parts =
        moment.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut messages = moment.prepare(
        "SELECT m.id, m.session_id, m.time_created, m.data, s.directory, s.parent_id
         FROM message AS m JOIN session AS s ON s.id = m.session_id
         ORDER BY s.time_created, m.session_id, m.time_created, m.id",
    )?;
    let mut rows = messages.query([])?;
    let mut lines = String::new();
    while let Some(row) = rows.next()? {
        let folder: String = row.get(4)?;
        if within.is_some_and(|root| !Path::new(&folder).starts_with(root)) {
            continue;
        }
        let id: String = row.get(0)?;
        let said: Vec<(String, String)> = parts
            .query_map([&id], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let line = json!({
            "session": row.get::<_, String>(1)?,
            "folder": folder,
            "parent": row.get::<_, Option<String>>(5)?,
            "id": id,
            "at": row.get::<_, i64>(2)?,
            "message": read(&row.get::<_, String>(3)?),
            "parts": said.iter().map(|(id, data)| part(id, data)).collect::<Vec<_>>(),
        });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    Ok(lines)
}

/// What is no JSON says nothing.
fn read(data: &str) -> Value {
    serde_json::from_str(data).unwrap_or_default()
}

fn part(id: &str, data: &str) -> Value {
    let mut part = read(data);
    if let Some(fields) = part.as_object_mut() {
        fields.insert("id".to_owned(), id.into());
    }
    part
}

fn not_theirs(path: &Path, detail: &str) -> Error {
    Error::Damaged { path: path.to_owned(), detail: detail.to_owned() }
}
