//! Damage: noticed, named, never made worse, and never a panic.

use throughline_store::{Error, SqliteStore, Store};

use crate::home::Home;

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let garbage = [vec![b'x'; 99], b"SQLite format 4".to_vec(), vec![0xa5; 8_192]];
    for bytes in garbage {
        let home = Home::new();
        std::fs::write(home.path(), &bytes).expect("a file");
        for refusal in [
            SqliteStore::open(&home.path()).map(drop).expect_err("it is garbage"),
            SqliteStore::inspect(&home.path()).expect_err("it is garbage"),
        ] {
            let Error::Damaged { path, .. } = refusal else { panic!("{refusal:?}") };
            assert_eq!(path, home.path());
        }
        assert_eq!(home.bytes(), bytes);
    }
}

#[test]
fn a_file_cut_short_is_an_error_and_never_a_panic() {
    let whole = Home::lived_in().bytes();
    let page = 4_096;
    for keep in [50, 100, 1_000, page, page + 10, 5 * page, whole.len() / 2, whole.len() - page] {
        let home = Home::new();
        std::fs::write(home.path(), &whole[..keep]).expect("a file");
        SqliteStore::inspect(&home.path()).expect_err("part of it is missing");
        let Ok(store) = SqliteStore::open(&home.path()) else { continue };
        let findings = store.verify();
        assert!(findings.is_err() || findings.is_ok_and(|list| !list.is_empty()), "{keep} bytes");
    }
}

/// Changes the file behind the store's back, and says what `verify` finds.
fn findings_after(sql: &str) -> Vec<(&'static str, String)> {
    let home = Home::lived_in();
    let connection = home.foreign_connection();
    assert!(connection.execute(sql, []).expect("a statement") > 0, "{sql} changed nothing");
    drop(connection);
    let findings = home.store().verify().expect("verify runs");
    findings.into_iter().map(|finding| (finding.check, finding.detail)).collect()
}

#[test]
fn what_was_changed_behind_our_back_is_found_where_it_is() {
    for (sql, check) in [
        ("UPDATE memory SET body = replace(body, 'tabs', 'tubs')", "rows"),
        ("UPDATE memory SET hash = 'x'", "rows"),
        ("UPDATE memory SET key = upper(key) WHERE doc IS NOT NULL", "rows"),
        ("UPDATE change SET body = replace(body, 'tabs', 'tubs')", "log"),
        ("UPDATE batch SET body = replace(body, 'remember', 'sleep')", "log"),
        ("UPDATE memory SET doc = NULL", "words"),
        ("DELETE FROM memory_text WHERE rowid = (SELECT min(rowid) FROM memory_text)", "words"),
        (
            "INSERT INTO slot VALUES (101, 'a|b', (SELECT min(key) FROM memory), 'c', 0)",
            "slots and names",
        ),
        ("UPDATE migration SET checksum = 'x'", "migrations"),
    ] {
        let findings = findings_after(sql);
        assert!(findings.iter().any(|(found, _)| *found == check), "{sql}: {findings:?}");
    }
}

#[test]
fn a_flipped_byte_in_a_memory_is_found() {
    let home = Home::lived_in();
    let mut bytes = home.bytes();
    let text = b"\"content\":\"tabs";
    let places: Vec<usize> =
        (0..bytes.len() - text.len()).filter(|at| bytes[*at..].starts_with(text)).collect();
    assert!(!places.is_empty());
    for at in &places {
        bytes[at + text.len() - 1] ^= 1;
    }
    std::fs::write(home.path(), &bytes).expect("the file");

    let store = home.store();
    let findings = store.verify().expect("verify runs");
    assert!(findings.iter().any(|finding| finding.check == "rows"), "{findings:?}");
    let dump_fails_or_differs = store.rebuild_check().map_or(true, |found| !found.is_empty());
    assert!(dump_fails_or_differs);
}

#[test]
fn a_damaged_row_is_never_handed_out() {
    let home = Home::lived_in();
    let forged = "UPDATE memory SET body = replace(body, 'tabs', 'tubs')";
    home.foreign_connection().execute(forged, []).expect("a statement");
    let store = home.store();
    let key = throughline_core::RowKey::memory(
        throughline_testing::sample::HERE,
        throughline_testing::sample::memory_id(2),
    );
    let rows = store.read().expect("a reader").rows(&[key]).expect("the rest can be read");
    assert_eq!(rows, [None]);
    let left_out = throughline_store::left_out();
    assert!(left_out.iter().any(|one| one.row.contains("memory")), "it is named: {left_out:?}");
}
