//! What a person types: no quotes where none are needed, and words where only one memory has them.

use crate::harness::{Home, bare, handle};

#[test]
fn a_program_that_is_asked_nothing_shows_its_help() {
    let run = bare().output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    let page = String::from_utf8(run.stdout).unwrap();
    assert!(page.contains("Every day:\n  init "), "{page}");
    let asked = bare().arg("--help").output().unwrap();
    assert_eq!(page.as_bytes(), asked.stdout);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let home = Home::new();
    let page = home.page(&["man"]);
    assert!(page.contains(".TH throughline") && !page.contains('\u{1b}'), "{page}");
    let dir = home.arg("man1");
    home.json(&["man", "--dir", &dir]);
    for name in ["throughline.1", "throughline-recall.1", "throughline-project-join.1"] {
        let page = std::fs::read_to_string(std::path::Path::new(&dir).join(name)).unwrap();
        assert!(page.contains("throughline") && !page.contains('\u{1b}'), "{name}");
    }
    assert!(!home.path().exists(), "the manual needs no home");
}

#[test]
fn words_need_no_quotes() {
    let home = Home::new();
    let kept = home.json(&["remember", "Staging", "runs", "Postgres", "14", "--tag", "infra"]);
    assert_eq!(kept["memory"]["content"], "Staging runs Postgres 14");
    let id = kept["memory"]["id"].as_str().unwrap().to_owned();
    let found = home.texts(&["search", "staging", "postgres"]);
    assert_eq!(found, ["Staging runs Postgres 14"]);
    let recalled = home.json(&["recall", "which", "postgres", "does", "staging", "run"]);
    assert_eq!(recalled["query"], "which postgres does staging run");
    home.json(&["edit", &id, "Staging", "runs", "Postgres", "15"]);
    let right = home.json(&["correct", &id, "Staging", "runs", "Postgres", "16"]);
    assert_eq!(right["memory"]["content"], "Staging runs Postgres 16");
}

#[test]
fn words_of_one_memory_only_stand_for_its_id_where_it_is_read() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    home.remember("Production runs Postgres 16");
    for args in [&["show", "staging", "postgres"][..], &["show", "staging postgres"]] {
        assert_eq!(home.json(args)["id"], id.as_str(), "{args:?}");
    }
    assert_eq!(home.json(&["why", "postgres staging"])["memory"]["id"], id.as_str());
    let versions = home.json(&["history", "staging"]);
    assert_eq!(versions["versions"][0]["memory"], id.as_str());
}

#[test]
fn words_of_several_memories_are_answered_with_the_candidates() {
    let home = Home::new();
    let ids = [home.remember("Staging runs Postgres 14"), home.remember("Postgres is fast")];
    let (code, error) = home.error(&["why", "postgres"]);
    assert_eq!((code, &error["code"]), (2, &"ambiguous".into()), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("“postgres” fits 2 memories"), "{message}");
    for id in &ids {
        assert!(message.contains(handle(id)), "{message}");
    }
    assert!(message.contains("Postgres is fast"), "{message}");
}

#[test]
fn words_of_no_memory_and_words_for_a_change_are_refused() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let (code, error) = home.error(&["why", "staging", "mongo"]);
    assert_eq!((code, &error["code"]), (2, &"bad_input".into()), "{error}");
    let (code, error) = home.error(&["forget", "staging"]);
    assert_eq!(code, 2, "{error}");
    assert_eq!(home.json(&["list"])["total"], 1);
}
