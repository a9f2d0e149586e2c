//! Exit codes: the same refusal ends the same way wherever it happens, and says what to do.

use crate::harness::{Home, handle};

#[test]
fn what_memory_does_not_allow_is_refused_with_one_and_what_is_written_wrongly_with_two() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    let twin = home.remember("Staging runs MySQL");
    for (args, code) in [
        (&["unarchive", &id][..], 1),
        (&["unsupersede", &id], 1),
        (&["correct", &id, "staging runs postgres 14"], 1),
        (&["edit", &twin, "Staging runs Postgres 14"], 1),
        (&["undo", "deadbeef00"], 3),
        (&["show", "deadbeef00"], 3),
        (&["review", "--accept", "deadbeef00"], 3),
        (&["show", "not an id"], 2),
        (&["show"], 2),
        (&["remember", ""], 2),
        (&["config", "set", "no.such.key", "1"], 2),
        (&["restore", "no/such/file"], 1),
        (&["import", "no/such/file"], 1),
        (&["init"], 1),
        (&["llm", "test"], 1),
        (&["recall", "postgres", "--verify"], 1),
        (&["remember", "The port is 80", "--watch", "file:nope.rs"], 1),
        (&["remember", "The port is 80", "--watch", "flag:NO_SUCH_FLAG"], 1),
        (&["project", "join", "/no/such/folder"], 1),
        (&["told", "zzzz"], 2),
        (&["told", "deadbeef00"], 3),
        (&["undo", "nonsense"], 2),
        (&["recall", ""], 2),
        (&["why-not", &id, ""], 2),
        (&["read", ""], 2),
        (&["search", ""], 2),
        (&["tag", &id, "--remove", "nope"], 3),
        (&["unlink", &id, "because", &twin], 3),
        (&["edit", &id, "--valid-from", "2026-12-01", "--valid-until", "2026-01-01"], 2),
        (&["list", "--limit", "0"], 2),
        (&["search", "postgres", "--limit", "0"], 2),
        (&["recall", "postgres", "--limit", "0"], 2),
        (&["log", "--limit", "0"], 2),
        (&["told", "--limit", "0"], 2),
        (&["boxes", "--limit", "0"], 2),
        (&["similar", &id, "--limit", "0"], 2),
        (&["done", &id], 1),
        (&["restore", "."], 1),
    ] {
        let run = home.run(args);
        assert_eq!(run.code, code, "{args:?}: {}", run.stderr);
    }
}

#[test]
fn an_error_shows_ids_as_tables_do() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    home.json(&["forget", &id]);
    for args in [&["correct", &id, "Staging runs Postgres 16"][..], &["verify", &id, "--confirmed"]]
    {
        let (_, error) = home.error(args);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(handle(&id)) && !message.contains(&id), "{args:?}: {message}");
    }
}

#[test]
fn json_errors_name_the_argument_that_is_missing() {
    let (code, error) = Home::new().error(&["show"]);
    assert_eq!(code, 2);
    assert!(error["message"].as_str().unwrap().contains("<ID>"), "{error}");
}

#[test]
fn help_is_there_for_every_word_that_asks_for_it() {
    let home = Home::new();
    for args in [&["hook", "--help"][..], &["help", "--help"], &["help", "hook"], &["help"]] {
        let run = home.run(args);
        assert!(run.code == 0 && run.stdout.contains("Usage:"), "{args:?}: {run:?}");
    }
}

#[test]
fn asking_for_nothing_or_for_a_session_without_one_is_said() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    for args in [&["log"][..], &["recall", "What does staging run?"], &["told"]] {
        let (_, error) = home.error(&[args, &["--limit", "0"]].concat());
        assert!(error["message"].as_str().unwrap().contains("1 or more"), "{args:?}: {error}");
    }
    let (code, error) = home.error(&["--scope", "session", "list"]);
    assert_eq!(code, 2);
    assert!(error["message"].as_str().unwrap().contains("--session"), "{error}");
}

/// What a person reads about a file that cannot be used: in plain words, and what to do.
fn told_plainly(home: &Home, args: &[&str]) -> (String, String) {
    let (code, error) = home.error(args);
    assert_eq!(code, 1, "{args:?}: {error}");
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    let (message, hint) = (text("message"), text("hint"));
    assert!(!hint.is_empty(), "{args:?} says what to do: {error}");
    let page = home.run(args).stderr;
    for word in ["os error", ".partial", "--home", "SQLite", "sqlite", "code 26"] {
        assert!(!page.contains(word), "{args:?} says {word}: {page}");
        assert!(!message.contains(word) && !hint.contains(word), "{args:?} says {word}: {error}");
    }
    assert!(page.contains(&message) && page.contains(&hint), "{args:?}: {page}");
    (message, hint)
}

#[test]
fn a_file_that_is_no_copy_is_not_restored_and_that_is_said_plainly() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let letter = home.arg("letter.txt");
    std::fs::write(&letter, "Dear all,\nthis is no database.\n".repeat(400)).unwrap();
    let (message, hint) = told_plainly(&home, &["restore", &letter]);
    assert!(message.contains(&letter) && message.contains("not a database"), "{message}");
    assert!(hint.contains("nothing was changed") && hint.contains("`restore`"), "{hint}");
    // Half a copy is one that is damaged.
    let (whole, half) = (home.arg("whole.db"), home.arg("half.db"));
    home.json(&["backup", &whole]);
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let (message, hint) = told_plainly(&home, &["restore", &half]);
    assert!(message.contains(&half) && message.contains("damaged"), "{message}");
    assert!(hint.contains("nothing was changed"), "{hint}");
    let (message, _) = told_plainly(&home, &["restore", &home.arg("nowhere.db")]);
    assert!(message.contains("nowhere.db"), "{message}");
    std::fs::create_dir(home.outside("copies")).unwrap();
    let (message, hint) = told_plainly(&home, &["restore", &home.arg("copies")]);
    assert!(message.contains("is a folder") && !message.contains("no such"), "{message}");
    assert!(hint.contains("name a file in it"), "{hint}");
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
    home.assert_sound();
}

#[test]
fn a_copy_that_cannot_be_written_names_the_folder_that_is_missing() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let file = home.arg("no/such/folder/copy.db");
    let (message, hint) = told_plainly(&home, &["backup", &file]);
    let folder = home.arg("no/such/folder");
    assert!(message.contains(&file) && message.contains("folder"), "{message}");
    assert!(message.contains(&format!("{folder} is not there")), "{message}");
    assert!(hint.contains("make the folder"), "{hint}");
    let file = home.arg("no/such/folder/all.jsonl");
    let (message, hint) = told_plainly(&home, &["export", "-o", &file]);
    assert!(message.contains(&format!("{folder} is not there")), "{message}");
    assert!(hint.contains("make the folder"), "{hint}");
    // The same where a file lies in the place of the folder.
    std::fs::write(home.outside("letter.txt"), "a letter").unwrap();
    let (message, _) = told_plainly(&home, &["backup", &home.arg("letter.txt/copy.db")]);
    assert!(message.contains("letter.txt"), "{message}");
}

#[test]
fn a_file_that_is_to_be_imported_and_is_not_there_is_named() {
    let home = Home::new();
    let file = home.arg("old.jsonl");
    let (message, hint) = told_plainly(&home, &["import", &file]);
    assert!(message.contains(&file) && message.contains("no such file"), "{message}");
    assert!(hint.contains("path"), "{hint}");
    let (message, _) = told_plainly(&home, &["import", &file, "--format", "server-memory"]);
    assert!(message.contains(&file), "{message}");
}

#[test]
fn hints_name_what_helps_with_what_was_asked() {
    let home = Home::new();
    for (args, hint) in [
        (&["told", "deadbeef00"][..], "`throughline told`"),
        (&["init"], "--agent: claude-code"),
        (&["llm", "test"], "config set llm.provider"),
        (&["project", "join", "/no/such/folder"], "name an existing folder"),
    ] {
        let (_, error) = home.error(args);
        assert!(
            error["hint"].as_str().is_some_and(|text| text.contains(hint)),
            "{args:?}: {error}"
        );
    }
    let (_, error) = home.error(&["remember", "The port is 80", "--watch", "flag:NO_SUCH_FLAG"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("flag:NAME") && !message.contains("env:"), "{message}");
}

#[test]
fn an_ambiguous_id_says_how_many_it_fits_in_plain_english() {
    let home = Home::new();
    let ids: Vec<String> = (0..7).map(|n| home.remember(&format!("Port {n} is open"))).collect();
    // Ids of the same moment begin alike.
    let (code, error) = home.error(&["show", &ids[0][..6]]);
    assert_eq!(code, 2);
    assert!(error["message"].as_str().unwrap().contains("fits 7 memories: "), "{error}");
}

#[test]
fn an_edit_that_ends_before_it_begins_is_refused_whichever_end_is_given() {
    let home = Home::new();
    let id = home.remember("The freeze is on");
    home.json(&["edit", &id, "--valid-from", "2026-12-01"]);
    let (code, error) = home.error(&["edit", &id, "--valid-until", "2026-01-01"]);
    assert_eq!(code, 2, "{error}");
    assert!(error["message"].as_str().unwrap().contains("before the beginning"), "{error}");
}

#[test]
fn an_edit_that_changes_nothing_leaves_nothing_to_undo() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    home.remember("Deploys need two approvals");
    let before = crate::harness::batches(&home).len();
    let page = home.page(&["edit", &id, "Staging runs Postgres 14"]);
    assert!(page.starts_with("Nothing changed"), "{page}");
    assert_eq!(crate::harness::batches(&home).len(), before);
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]), ["Staging runs Postgres 14"]);
}
