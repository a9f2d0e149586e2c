//! The everyday commands: forget, archive, confirm, pin, tag, link, edit, settings, completions.

use serde_json::json;

use crate::harness::{Home, batches, strings};

#[test]
fn a_forgotten_memory_is_out_of_sight_and_undo_brings_it_back() {
    let home = Home::new();
    let id = home.remember("The office is in Basel");
    let answer = home.json(&["forget", &id, "--reason", "moved out"]);
    assert_eq!(answer["memory"]["state"], "retracted");
    for args in [&["list"][..], &["search", "basel office"], &["recall", "basel office"]] {
        assert_eq!(home.texts(args), Vec::<String>::new(), "{args:?}");
    }
    assert_eq!(home.texts(&["search", "basel", "--all"]), ["The office is in Basel"]);
    let told = home.json(&["history", &id]);
    let versions = told["versions"].as_array().expect("a list");
    assert_eq!(versions.last().expect("the last one")["reason"], "moved out");
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]), ["The office is in Basel"]);
}

#[test]
fn only_a_person_brings_a_forgotten_memory_back_by_saying_it_again() {
    let home = Home::new();
    let id = home.remember("The office is in Basel");
    home.json(&["forget", &id]);
    let again = ["remember", "The office is in Basel", "--authority"];
    let (code, error) = home.error(&[&again[..], &["extracted"]].concat());
    assert_eq!((code, error["code"].as_str()), (1, Some("retired")));
    let said = home.json(&[&again[..], &["user_stated"]].concat());
    assert_eq!(said["memory"]["id"], id.as_str());
    assert_eq!(said["memory"]["state"], "confirmed");
}

#[test]
fn an_archived_memory_is_put_away_and_taken_out_as_it_was() {
    let home = Home::new();
    let id = home.remember_with(&["Summer plans", "--authority", "extracted"]);
    assert_eq!(home.json(&["archive", &id])["memory"]["state"], "archived");
    assert_eq!(home.texts(&["list"]), Vec::<String>::new());
    assert_eq!(home.texts(&["list", "--state", "archived"]), ["Summer plans"]);
    assert_eq!(home.json(&["unarchive", &id])["memory"]["state"], "staged");
    assert_eq!(home.texts(&["list"]), ["Summer plans"]);
    let (code, error) = home.error(&["unarchive", &id]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
}

#[test]
fn confirming_vouches_for_a_memory() {
    let home = Home::new();
    let id = home.remember_with(&["The cache is warm", "--authority", "inferred"]);
    let memory = &home.json(&["confirm", &id])["memory"];
    assert_eq!(memory["state"], "confirmed");
    assert_eq!(memory["authority"], "user_stated");
    assert_eq!(memory["last_verified_at"], "2026-03-02T09:01:00.000Z");
    assert_eq!(memory["evidence"].as_array().unwrap().len(), 2);
    assert!(memory["trust"].as_f64().unwrap() > 0.9, "{memory}");
}

#[test]
fn reading_changes_nothing() {
    let home = Home::new();
    let id = home.remember("Latency is 12 ms");
    let before = (home.show(&id), batches(&home).len());
    for args in [
        &["show", &id][..],
        &["search", "latency"],
        &["why", &id],
        &["list"],
        &["recall", "latency", "--explain"],
        &["why-not", &id, "latency"],
        &["read", "Latency is 14 ms"],
    ] {
        home.json(args);
    }
    assert_eq!((home.show(&id), batches(&home).len()), before);
}

#[test]
fn pinning_is_shown_and_taken_back() {
    let home = Home::new();
    let id = home.remember("Never push on Friday");
    assert_eq!(home.json(&["pin", &id])["memory"]["pinned"], true);
    assert!(strings(&home.show(&id)["flags"]).contains(&"pinned"));
    assert_eq!(home.json(&["pin", &id, "--off"])["memory"]["pinned"], false);
    assert_eq!(strings(&home.show(&id)["flags"]), Vec::<&str>::new());
}

#[test]
fn tags_are_put_on_found_by_and_taken_off() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres");
    home.remember("Something else");
    assert_eq!(home.json(&["tag", &id, "Infra", "db"])["memory"]["tags"], json!(["Infra", "db"]));
    for args in [&["list", "--tag", "infra"][..], &["search", "staging", "--tag", "INFRA"]] {
        assert_eq!(home.texts(args), ["Staging runs Postgres"], "{args:?}");
    }
    assert_eq!(home.json(&["tag", &id, "infra"])["memory"]["tags"], json!(["Infra", "db"]));
    assert_eq!(home.json(&["tag", &id, "--remove", "db"])["memory"]["tags"], json!(["Infra"]));
    let (code, error) = home.error(&["tag", &id, "--remove", "nothere"]);
    assert_eq!((code, error["code"].as_str()), (3, Some("not_found")));
    assert_eq!(home.error(&["tag", &id]).0, 2);
}

#[test]
fn links_are_made_with_a_reason_and_taken_away() {
    let home = Home::new();
    let (a, b) = (home.remember("Build is slow"), home.remember("Disk is old"));
    home.json(&["link", &a, "depends_on", &b, "--reason", "measured twice"]);
    let edges = &home.json(&["graph"])["edges"];
    assert_eq!(edges[0]["relation"], "depends_on");
    assert_eq!((&edges[0]["from"], &edges[0]["to"]), (&json!(a), &json!(b)));
    home.json(&["unlink", &a, "depends_on", &b]);
    assert_eq!(home.json(&["graph"])["edges"], json!([]));
    let (code, error) = home.error(&["unlink", &a, "depends_on", &b]);
    assert_eq!((code, error["code"].as_str()), (3, Some("not_found")));
    let (code, error) = home.error(&["link", &a, "depends_on", &a]);
    assert_eq!((code, error["code"].as_str()), (1, Some("self_link")));
    assert_eq!(home.error(&["link", &a, "admires", &b]).0, 2);
}

#[test]
fn editing_keeps_the_id_and_the_old_wording_in_the_history() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgress");
    let memory = home.json(&[
        "edit",
        &id,
        "Staging runs Postgres",
        "--kind",
        "procedure",
        "--label",
        "Database",
        "--domain",
        "technical",
        "--importance",
        "0.9",
        "--valid-until",
        "2026-12-31",
        "--trigger",
        "psql",
    ])["memory"]
        .clone();
    assert_eq!(memory["id"], id.as_str());
    assert_eq!(memory["content"], "Staging runs Postgres");
    assert_eq!(memory["kind"], "procedure");
    assert_eq!((&memory["label"], &memory["domain"]), (&json!("Database"), &json!("technical")));
    assert_eq!(memory["importance"], 0.9);
    assert_eq!(memory["valid_until"], "2026-12-31T00:00:00.000Z");
    assert_eq!(memory["triggers"], json!(["psql"]));
    assert_eq!(home.texts(&["search", "postgress"]), Vec::<String>::new());
    assert_eq!(home.texts(&["search", "postgres"]), ["Staging runs Postgres"]);
    let told = home.json(&["history", &id]);
    assert_eq!(told["versions"][2]["before"]["content"], "Staging runs Postgress");
    home.json(&["edit", &id, "--label", "", "--domain", ""]);
    assert_eq!(home.show(&id)["domain"], json!(null));
    assert_eq!(home.error(&["edit", &id]).0, 2, "an edit must change something");
}

#[test]
fn an_edit_into_what_another_memory_says_is_refused() {
    let home = Home::new();
    home.remember("Staging runs Postgres");
    let id = home.remember("Staging runs MySQL");
    let (code, error) = home.error(&["edit", &id, "staging runs postgres."]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    assert!(error["message"].as_str().unwrap().contains("supersede"), "{error}");
    assert_eq!(home.show(&id)["content"], "Staging runs MySQL");
}

#[test]
fn lists_can_be_narrowed_and_paged() {
    let home = Home::new();
    for n in 1..=5 {
        home.remember_with(&[&format!("Fact number {n}"), "--domain", "technical"]);
    }
    home.remember_with(&["Rule of the house", "--kind", "principle"]);
    assert_eq!(home.texts(&["list", "--kind", "principle"]), ["Rule of the house"]);
    assert_eq!(home.json(&["list", "--domain", "technical"])["total"], 5);
    let page = home.json(&["list", "--kind", "fact", "--limit", "2", "--offset", "1"]);
    assert_eq!(page["total"], 5);
    assert_eq!(page["items"][0]["content"], "Fact number 4");
    assert_eq!(page["items"].as_array().unwrap().len(), 2);
    assert!(home.page(&["list", "--limit", "2"]).contains("… and 4 more"));
}

#[test]
fn recall_keeps_to_its_budget_and_its_number_of_items() {
    let home = Home::new();
    for n in 1..=8 {
        home.remember(&format!("Deploy step {n} needs a person at the keyboard"));
    }
    assert_eq!(home.texts(&["recall", "deploy step"]).len(), 5);
    assert_eq!(home.texts(&["recall", "deploy step", "--limit", "2"]).len(), 2);
    let small = home.json(&["recall", "deploy step", "--budget", "60"]);
    assert!(small["tokens"].as_u64().unwrap() <= 60, "{small}");
    assert_eq!(small["items"].as_array().unwrap().len(), 1);
    home.json(&["config", "set", "recall.items_max", "3"]);
    assert_eq!(home.texts(&["recall", "deploy step"]).len(), 3);
    let nothing = home.json(&["recall", "weather in Lisbon"]);
    assert_eq!((&nothing["text"], &nothing["tokens"]), (&json!(""), &json!(0)));
}

#[test]
fn status_and_stats_count_what_is_there() {
    let home = Home::new();
    let id = home.remember_with(&["One", "--kind", "decision"]);
    home.remember("Two");
    home.json(&["forget", &id]);
    let status = home.json(&["status"]);
    assert_eq!((&status["memories"], &status["active"]), (&json!(2), &json!(1)));
    assert_eq!(status["last_change"], "2026-03-02T09:02:00.000Z");
    assert_eq!(status["project"], "webshop");
    assert_eq!(status["home"], home.path().to_str().unwrap());
    let stats = home.json(&["stats"]);
    assert_eq!(stats["kind"], json!({"decision": 1, "fact": 1}));
    assert_eq!(stats["state"], json!({"confirmed": 1, "retracted": 1}));
}

#[test]
fn settings_are_read_set_and_unset_and_comments_survive() {
    let home = Home::new();
    let get = || home.json(&["config", "get", "recall.budget_tokens"])["value"].clone();
    assert_eq!(get(), 800);
    home.json(&["config", "set", "recall.budget_tokens", "1200"]);
    let file = home.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("# mine\n{text}")).unwrap();
    home.json(&["config", "set", "recall.items_max", "7"]);
    assert_eq!(get(), 1200);
    let mut all = home.json(&["config"]);
    let services = all.as_object_mut().expect("settings by name");
    services.retain(|name, _| !name.starts_with("llm.") && !name.starts_with("embed."));
    let expected = json!({
        "agent.ask": true,
        "backup.keep": 5,
        "enabled": true,
        "files.read": true,
        "journal.enabled": true,
        "journal.keep_days": 30,
        "lifecycle.enabled": true,
        "privacy.contacts": "keep",
        "project.join": "ask",
        "recall.budget_tokens": 1200,
        "recall.items_max": 7,
        "recall.pagerank_rounds": 0,
        "store.url": "",
    });
    assert_eq!(all, expected);
    home.json(&["config", "unset", "recall.budget_tokens"]);
    assert_eq!(get(), 800);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("# mine\n"));
}

#[test]
fn completions_are_written_for_each_shell() {
    let home = Home::new();
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef throughline"),
        ("fish", "complete -c throughline"),
    ] {
        let page = home.page(&["completions", shell]);
        assert!(page.contains(mark), "{shell}");
        assert!(page.contains("unsupersede"), "{shell} knows the commands");
    }
    assert_eq!(home.run(&["completions", "tcsh"]).code, 2);
    assert!(!home.path().exists(), "completions need no home");
}

#[test]
fn markdown_shows_what_is_held_by_layer() {
    let home = Home::new();
    home.remember_with(&["Staging runs Postgres", "--tag", "infra"]);
    home.remember_with(&["Never push on Friday", "--kind", "principle"]);
    let gone = home.remember("Staging runs MySQL");
    home.json(&["forget", &gone]);
    insta::assert_snapshot!(home.tidy(&home.page(&["export", "--format", "markdown"])), @r"
    # Memory of webshop

    ## Invariants

    - Never push on Friday
      *principle · 2026-03-02 · user_stated · trust 0.95 · `[ID]`*

    ## State of play

    - Staging runs Postgres
      *fact · 2026-03-02 · user_stated · trust 0.95 · #infra · `[ID]`*
    ");
}
