//! Query plans: the hot statements use the index meant for them, before SQLite has statistics.
//!
//! The statements are read out of the source, so that there is no second copy to go stale.

use rusqlite::Connection;

use crate::home::Home;

const READ: &str = include_str!("../../src/sqlite/read.rs");
const LISTING: &str = include_str!("../../src/sqlite/listing.rs");
const ROWS: &str = include_str!("../../src/sqlite/rows.rs");
const LOG: &str = include_str!("../../src/sqlite/log.rs");
const TEXT: &str = include_str!("../../src/sqlite/text.rs");
const DOCUMENTS: &str = include_str!("../../src/sqlite/documents.rs");

/// The string literals of a source file, with white space collapsed.
fn literals(source: &str) -> Vec<String> {
    let pieces = source.split('"').skip(1).step_by(2);
    pieces.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The statements of a source file that begin so. There must be some.
fn statements(source: &str, beginning: &str) -> Vec<String> {
    let mut found = literals(source);
    found.retain(|text| text.starts_with(beginning));
    assert!(!found.is_empty(), "no statement begins with {beginning}");
    found
}

/// How SQLite would carry a statement out, one step a line.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut explain = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut rows = explain.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().expect("a step") {
        steps.push(row.get(3).expect("its words"));
    }
    steps
}

/// A file that was written to and never analysed.
fn unanalysed() -> (Home, Connection) {
    let home = Home::lived_in();
    let connection = home.foreign_connection();
    let statistics: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'", [], |row| {
            row.get(0)
        })
        .expect("a count");
    assert_eq!(statistics, 0);
    (home, connection)
}

fn assert_steps(connection: &Connection, sql: &str, expected: &[&str]) {
    let steps = plan(connection, sql);
    for step in expected {
        assert!(steps.iter().any(|found| found.contains(step)), "{sql}\n{steps:#?}\nnot {step}");
    }
    let scans = |step: &String| step.starts_with("SCAN") && !step.contains("VIRTUAL TABLE");
    assert!(!steps.iter().any(scans), "{sql}\nreads a whole table:\n{steps:#?}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, a line for each statement")]
fn looking_something_up_uses_the_index_made_for_it() {
    let (_home, connection) = unanalysed();
    for (source, beginning, steps) in [
        (
            READ,
            "SELECT key, body, hash FROM memory WHERE space = ?1 AND key >= ?2",
            &["(space=? AND key>? AND key<?)"][..],
        ),
        (
            READ,
            "SELECT key, body, hash FROM memory INDEXED BY memory_tail",
            &["memory_tail (space=? AND tail=?)"],
        ),
        (
            READ,
            "SELECT key, body, hash FROM memory INDEXED BY memory_fingerprint",
            &["memory_fingerprint (space=? AND fingerprint=?)"],
        ),
        (
            READ,
            "SELECT e.key, e.body, e.hash FROM json_each(?2) AS name",
            &["SEARCH a USING PRIMARY KEY (space=? AND name=?)", "(space=? AND key=?)"],
        ),
        (
            READ,
            "SELECT node, seq, vector FROM embedding",
            &["embedding_seq (space=? AND model=? AND seq>?)"],
        ),
        (READ, "SELECT day FROM activity", &["(space=?)"]),
        (
            READ,
            "SELECT key, body, hash FROM memory INDEXED BY memory_current",
            &["memory_current (space=? AND kind=?)"],
        ),
        (
            READ,
            "SELECT key, body, hash FROM memory INDEXED BY memory_triggered",
            &["memory_triggered (space=?)"],
        ),
        (
            READ,
            "SELECT key, body, hash FROM memory INDEXED BY memory_unresolved",
            &["memory_unresolved (space=?)"],
        ),
        (
            READ,
            "SELECT w.key, w.body, w.hash FROM watermark AS w",
            &["SEARCH w USING", "memory_active (space=? AND key=?"],
        ),
        (
            READ,
            "SELECT key, body, hash FROM pending",
            &["pending USING INDEX pending_at (space=?)"],
        ),
        (
            READ,
            "SELECT key, body, hash FROM edge INDEXED BY edge_contradicts",
            &["edge USING INDEX edge_contradicts (space=?)"],
        ),
        (
            ROWS,
            "SELECT key, body, hash FROM edge",
            &["edge_src (space=? AND src=?)", "edge_dst (space=? AND dst=?)"],
        ),
        (ROWS, "SELECT key, body, hash FROM evidence", &["evidence_memory (space=? AND memory=?)"]),
        (
            ROWS,
            "SELECT key, body, hash FROM watermark",
            &["watermark_memory (space=? AND memory=?)"],
        ),
        (ROWS, "SELECT key, body, hash FROM usage", &["PRIMARY KEY (space=? AND key=?)"]),
        (
            ROWS,
            "SELECT key, body, hash FROM memory INDEXED BY memory_successor",
            &["memory_successor (space=? AND superseded_by=?)"],
        ),
        (ROWS, "DELETE FROM slot", &["slot_memory (space=? AND memory=?)"]),
        (ROWS, "DELETE FROM alias", &["alias_entity (space=? AND entity=?)"]),
        (ROWS, "DELETE FROM embedding", &["(space=? AND node=?)"]),
        (TEXT, "SELECT doc FROM memory WHERE", &["(space=? AND key=?)"]),
        (TEXT, "SELECT doc FROM episode WHERE", &["(space=? AND key=?)"]),
        (TEXT, "SELECT no FROM space", &["PRIMARY KEY (space=?)"]),
    ] {
        for sql in statements(source, beginning) {
            assert_steps(&connection, &sql, steps);
        }
    }
}

#[test]
fn neighbours_are_read_by_the_index_of_their_end() {
    let (_home, connection) = unanalysed();
    let found = statements(READ, "SELECT e.key, e.body, e.hash FROM json_each(?2) AS node");
    for (sql, end) in
        found.iter().zip(["edge_src (space=? AND src=?", "edge_dst (space=? AND dst=?"])
    {
        assert_steps(
            &connection,
            sql,
            &[end, "SEARCH e USING INDEX sqlite_autoindex_edge_1 (space=? AND key=?)"],
        );
    }
    assert_eq!(found.len(), 2);
}

#[test]
fn reading_the_log_uses_the_index_made_for_it() {
    let (_home, connection) = unanalysed();
    for (beginning, steps) in [
        (
            "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_seq",
            "batch_seq (last_seq>?",
        ),
        (
            "SELECT key, body, hash, first_seq, last_seq FROM batch INDEXED BY batch_key",
            "batch_key (key=?)",
        ),
        (
            "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_batch",
            "change_batch (space=? AND batch=?)",
        ),
        (
            "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_seq WHERE seq IN",
            "SEARCH touch USING PRIMARY KEY (space=? AND node=?",
        ),
        (
            "SELECT seq, batch, body, before, hash FROM change INDEXED BY change_seq WHERE seq =",
            "SEARCH touch USING PRIMARY KEY (space=? AND node=? AND row=? AND seq>?)",
        ),
        ("UPDATE change", "change_seq (seq=?)"),
    ] {
        for sql in statements(LOG, beginning) {
            assert_steps(&connection, &sql, &[steps]);
        }
    }
    let sql = &statements(LOG, "SELECT max(last_seq) FROM batch")[0];
    assert_steps(&connection, sql, &["SEARCH batch USING COVERING INDEX batch_seq"]);
}

#[test]
fn a_listing_is_read_in_its_order_without_sorting() {
    let (_home, connection) = unanalysed();
    // The statements are put together from parts.
    let part = |beginning: &str| statements(LISTING, beginning)[0].clone();
    let narrow = part("WHERE m.space = ?1 AND (m.session IS NULL");
    let any_kind = part("AND (?3 IS NULL OR m.state IN");
    let one_kind = part("AND m.state IN ('staged', 'confirmed')");
    let newest = "AND (m.recorded_at, m.key) < (?8, ?9) ORDER BY m.recorded_at DESC";
    let oldest = "AND (m.recorded_at, m.key) < (?8, ?9) ORDER BY m.recorded_at, m.key";
    let by_state = statements(LISTING, "AND m.state IN (SELECT value FROM json_each(?3))");
    let listed = "m.key, m.recorded_at";
    let in_order = "SEARCH m USING INDEX memory_listed (space=? AND (recorded_at,key)<(?,?))";
    let of_kind =
        "SEARCH m USING INDEX memory_current (space=? AND kind=? AND (recorded_at,key)<(?,?))";
    for (columns, index, end, step) in [
        (listed, "memory_listed", format!("{any_kind} {}", part(newest)), in_order),
        (listed, "memory_listed", format!("{any_kind} {}", part(oldest)), in_order),
        (listed, "memory_current", format!("{one_kind} {}", part(newest)), of_kind),
        (listed, "memory_current", format!("{one_kind} {}", part(oldest)), of_kind),
        ("count(*)", "memory_shape", any_kind, "INDEX memory_shape (space=?)"),
        (
            "count(*)",
            "memory_shape",
            by_state[0].clone(),
            "INDEX memory_shape (space=? AND state=?)",
        ),
        (
            "count(*)",
            "memory_shape",
            by_state[1].clone(),
            "INDEX memory_shape (space=? AND state=? AND kind=?)",
        ),
    ] {
        assert!(literals(LISTING).iter().any(|text| text == index), "{index} is not used");
        let sql = format!("SELECT {columns} FROM memory AS m INDEXED BY {index} {narrow} {end}");
        let told = plan(&connection, &sql).join("\n");
        assert!(told.contains(step), "{sql}\n{told}");
        assert!(told.contains("SEARCH a USING PRIMARY KEY (space=? AND name=?)"), "{told}");
        assert!(told.contains("edge_src (space=? AND src=? AND relation=?)"), "{told}");
        assert!(!told.contains("TEMP B-TREE"), "{told}");
    }
}

#[test]
fn a_search_starts_from_the_words_and_reads_only_what_holds_them() {
    let (_home, connection) = unanalysed();
    // Statements are put together from parts: what narrows them down, then how they end.
    let parts = |beginning: &str| statements(TEXT, beginning)[0].clone();
    let narrow = [parts("(m.session IS NULL"), parts("(?5 IS ?5")];
    let these = statements(TEXT, "SELECT m.key, t.terms FROM json_each");
    for (place, what) in ["memory", "episode"].into_iter().enumerate() {
        let narrow = &narrow[place];
        let index = format!("{what}_doc (space=? AND doc=?)");
        let newest = parts(&format!("SELECT m.key, t.terms FROM {what}_text"));
        let sql = format!("{newest} {narrow} ORDER BY t.rowid DESC LIMIT ?8");
        let steps = plan(&connection, &sql);
        assert!(steps[0].starts_with("SCAN t VIRTUAL TABLE"), "{sql}\n{steps:#?}");
        assert!(steps[1].contains(&index), "{sql}\n{steps:#?}");
        assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}\n{steps:#?}");
        let sql = format!("{} {narrow} LIMIT ?8", these[place]);
        let steps = plan(&connection, &sql);
        assert!(steps[0].starts_with("SCAN wanted VIRTUAL TABLE"), "{sql}\n{steps:#?}");
        assert!(steps[1].contains(&index), "{sql}\n{steps:#?}");
        let by_number = steps.iter().any(|step| step == "SCAN t VIRTUAL TABLE INDEX 0:=");
        assert!(by_number, "{sql}\n{steps:#?}");
        assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}\n{steps:#?}");
    }
}

#[test]
fn documents_are_read_and_written_without_looking_at_others() {
    let (_home, connection) = unanalysed();
    for (source, beginning, steps) in [
        (
            DOCUMENTS,
            "SELECT b.number, y.body FROM block",
            &[
                "SEARCH b USING INDEX block_number (space=? AND what=?)",
                "SEARCH y USING INTEGER PRIMARY KEY (rowid=?)",
            ][..],
        ),
        (
            DOCUMENTS,
            "SELECT id FROM block WHERE",
            &["block_number (space=? AND what=? AND number=?)"],
        ),
        (DOCUMENTS, "SELECT coalesce(max(stamp), 0)", &["INDEX block_stamp"]),
        (DOCUMENTS, "UPDATE block SET stamp = ?2", &["INTEGER PRIMARY KEY (rowid=?)"]),
        (DOCUMENTS, "SELECT number FROM model", &["(name=?)"]),
        (
            DOCUMENTS,
            "SELECT o.doc FROM episode AS e",
            &["SEARCH e USING", "episode_session (space=? AND session=? AND position"],
        ),
        (READ, "SELECT vector FROM embedding", &["(space=? AND node=? AND model=?)"]),
    ] {
        for sql in statements(source, beginning) {
            assert_steps(&connection, &sql, steps);
        }
    }
    let sql = &statements(DOCUMENTS, "SELECT b.number, y.body FROM block")[0];
    let steps = plan(&connection, sql);
    assert!(
        !steps.iter().any(|step| step.contains("TEMP B-TREE")),
        "blocks lie in order: {steps:?}"
    );
}

#[test]
fn postings_come_out_of_the_text_index_in_their_order() {
    let (_home, connection) = unanalysed();
    for table in ["memory_text", "episode_text"] {
        let holding = statements(TEXT, "SELECT numbers(rowid");
        let of_table = holding.iter().filter(|sql| sql.contains(&format!("FROM {table}")));
        let selects: Vec<&str> = of_table
            .map(|sql| &sql[sql.rfind("SELECT").unwrap()..sql.rfind(')').unwrap()])
            .collect();
        assert_eq!(selects.len(), 1, "{holding:#?}");
        for sql in selects {
            let steps = plan(&connection, sql);
            assert_eq!(steps.len(), 1, "{sql}\n{steps:#?}");
            // FTS5 says what it was given: a word (M), a range of rows (< and >).
            let step = &steps[0];
            assert!(step.starts_with(&format!("SCAN {table} VIRTUAL TABLE")), "{step}");
            let given = step.split("INDEX").nth(1).unwrap_or_default();
            assert!(given.contains('M'), "by the word: {step}");
            assert!(given.contains('<') && given.contains('>'), "in its range: {step}");
        }
    }
}
