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
    assert_eq!(home.page(&["log", "--limit", "0"]), "--limit 0 shows nothing\n");
    let (code, error) = home.error(&["--scope", "session", "list"]);
    assert_eq!(code, 2);
    assert!(error["message"].as_str().unwrap().contains("--session"), "{error}");
}
