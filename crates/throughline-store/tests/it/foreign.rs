//! Databases of other programs: what is in them comes out, and nothing of ours goes in.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;
use throughline_store::{Error, opencode_lines};

/// A database that opencode 1.18.33 wrote, with a helper's session beside it.
fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/opencode.db")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn sessions_of_opencode_come_out_message_by_message() {
    let lines = lines(&opencode_lines(&recorded(), None).unwrap());
    let roles: Vec<_> =
        lines.iter().map(|line| line["message"]["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "assistant"]);
    assert_eq!(lines[0]["folder"], "/home/dev/projo");
    assert_eq!(lines[0]["parent"], lines[2]["session"], "a helper belongs to a session");
    assert_eq!(lines[2]["parent"], Value::Null);
    let kinds: Vec<_> = lines[3]["parts"].as_array().unwrap().iter().map(|p| &p["type"]).collect();
    assert_eq!(kinds, ["step-start", "tool", "step-finish"]);
    assert!(lines[3]["parts"][1]["id"].as_str().unwrap().starts_with("prt_"));
}

#[test]
fn only_the_sessions_of_a_folder_come_out_where_one_is_named() {
    let count =
        |folder: &str| lines(&opencode_lines(&recorded(), Some(Path::new(folder))).unwrap()).len();
    assert_eq!(count("/home/dev/projo"), 5);
    assert_eq!(count("/home/dev"), 5);
    assert_eq!(count("/home/dev/proj"), 0, "a name that begins alike is another folder");
}

#[test]
fn reading_changes_nothing_and_does_not_wait_for_a_writer_that_is_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    std::fs::copy(recorded(), &path).unwrap();
    let owner = Connection::open(&path).unwrap();
    owner.pragma_update(None, "journal_mode", "WAL").unwrap();
    owner.execute("UPDATE session SET title = 'moved' WHERE parent_id IS NULL", []).unwrap();
    let before = std::fs::read(&path).unwrap();
    owner.execute_batch("BEGIN IMMEDIATE; UPDATE message SET data = '{}'").unwrap();
    let seen = lines(&opencode_lines(&path, None).unwrap());
    let roles = seen.iter().filter(|line| line["message"]["role"].is_string());
    assert_eq!(roles.count(), 5, "what is not committed is not seen");
    owner.execute_batch("ROLLBACK").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_database_of_opencode_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "no database at all, but long enough to be taken for one".repeat(40))
        .unwrap();
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE session (id)").unwrap();
    for path in [&text, &other] {
        let error = opencode_lines(path, None).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }
    assert!(opencode_lines(&folder.path().join("none.db"), None).is_err());
    assert!(!folder.path().join("none.db").exists(), "nothing is made");
}
