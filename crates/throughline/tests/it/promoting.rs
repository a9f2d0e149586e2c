//! What holds everywhere for a person enters a project only when they promote it there.

use serde_json::{Value, json};

use crate::harness::{Home, Run, handle, id_of};
use crate::served::Served;

/// Remembers what holds everywhere, with everything that can be given by hand.
fn personal(home: &Home) -> String {
    let args = [
        "--scope",
        "global",
        "remember",
        "Commit messages are written in English",
        "--kind",
        "principle",
        "--label",
        "Language of commits",
        "--domain",
        "technical",
        "--slot",
        "commit messages|language|English|one",
        "--tag",
        "git",
        "--trigger",
        "git commit",
    ];
    id_of(&home.json(&args)["memory"])
}

fn field<'v>(memory: &'v Value, names: &[&'static str]) -> Vec<(&'static str, &'v Value)> {
    names.iter().map(|name| (*name, &memory[*name])).collect()
}

#[test]
fn what_holds_everywhere_is_said_in_the_project_as_it_was_and_one_undo_takes_it_back() {
    let home = Home::new();
    let id = personal(&home);
    home.json(&["edit", &id, "--valid-until", "2027-01-01"]);
    let before = home.json(&["--scope", "project", "list", "--all"]);
    let original = home.show(&id);
    let promoted = home.json(&["promote", handle(&id)]);
    let copy = home.show(promoted["memory"]["id"].as_str().expect("an id"));
    let same = ["content", "kind", "label", "domain", "slot", "tags", "triggers", "valid_until"];
    assert_eq!(field(&copy, &same), field(&original, &same));
    assert_eq!((&copy["scope"], &copy["authority"]), (&json!("project"), &json!("user_stated")));
    assert_ne!(copy["id"], original["id"]);
    let log = home.json(&["log", "--limit", "1"]);
    let reason = log["batches"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains(handle(&id)), "{log}");

    // Once more adds evidence and no second memory; the original is as it was.
    let again = home.json(&["promote", &id]);
    assert_eq!((&again["memory"]["id"], &again["deduped"]), (&copy["id"], &json!(true)), "{again}");
    assert_eq!(home.show(&id)["content"], original["content"]);
    home.json(&["undo"]);
    home.json(&["undo"]);
    assert_eq!(home.json(&["--scope", "project", "list", "--all"])["items"], before["items"]);
    home.assert_sound();
}

#[test]
fn only_what_is_a_persons_own_and_holds_is_promoted_and_by_nobody_else() {
    let home = Home::new();
    let id = personal(&home);
    let own = home.remember("Staging runs Postgres 16");
    let (code, error) = home.error(&["promote", &own]);
    assert_eq!((code, &error["code"]), (1, &json!("not_possible")), "{error}");
    assert!(error["message"].to_string().contains("belongs to this project already"), "{error}");
    let run = home.command().env("CLAUDECODE", "1").args(["--json", "promote", &id]).output();
    let run = Run::from(run.expect("the program starts"));
    assert!(run.code == 1 && run.stderr.contains("only_the_user"), "{}", run.stderr);
    assert!(run.stderr.contains(" promote "), "{}", run.stderr);
    home.json(&["archive", &id]);
    let (_, error) = home.error(&["promote", &id]);
    assert!(error["message"].to_string().contains("only what holds now"), "{error}");
    let (code, error) = home.error(&["promote", "00000000"]);
    assert_eq!((code, &error["code"]), (3, &json!("not_found")), "{error}");

    // What somebody with a token said everywhere is theirs, and theirs to promote.
    let made = home.json(&["serve", "token", "add", "ben"]);
    let token = format!("Bearer {}", made["token"].as_str().expect("it is told"));
    let served = Served::start(&home);
    let said = json!({"content": "Tabs are better than spaces"}).to_string();
    let headers = [("Authorization", token.as_str()), ("Content-Type", "application/json")];
    let said = served.plain("POST", "/api/v1/memories?scope=global", &headers, &said).json();
    assert_eq!(said["memory"]["scope"], "global", "{said}");
    let (_, error) = home.error(&["promote", said["memory"]["id"].as_str().expect("an id")]);
    assert!(error["message"].to_string().contains("theirs to promote"), "{error}");
    let place =
        format!("/api/v1/memories/{}/promote", said["memory"]["id"].as_str().expect("an id"));
    let promoted = served.plain("POST", &place, &headers, "{}").json();
    assert_eq!(promoted["memory"]["scope"], "project", "{promoted}");
    assert_eq!(promoted["memory"]["said_by"], json!(["ben"]), "{promoted}");
}

#[test]
fn on_a_server_what_one_person_promotes_is_known_to_the_members_by_their_name_and_to_nobody_else() {
    let first = Home::on_server(18);
    first.json(&["list"]);
    let people = ["tl_anna", "tl_ben", "tl_cara"].map(|role| first.of_person(role));
    let [anna, ben, cara] = &people;
    for home in &people {
        home.json(&["config", "set", "project.join", "auto"]);
    }
    let folder = anna.project().to_str().expect("a plain name").to_owned();
    anna.remember("Builds run on Tuesdays");
    anna.json(&["store", "admit", "tl_ben"]);
    let id = personal(ben);
    let found = |home: &Home| home.from(&folder).texts(&["search", "commit messages"]);
    assert_eq!(found(anna), [""; 0]);
    let (_, error) = anna.from(&folder).error(&["promote", &id]);
    assert_eq!(error["code"], "not_found", "{error}");
    let promoted = ben.from(&folder).json(&["promote", &id]);
    assert_eq!(promoted["memory"]["said_by"], json!(["tl_ben"]), "{promoted}");
    assert_eq!(found(anna), ["Commit messages are written in English"]);
    assert_eq!(found(cara), [""; 0]);
    ben.from(&folder).json(&["undo"]);
    assert_eq!(found(anna), [""; 0]);
    // A reader has no place to promote to.
    anna.json(&["store", "admit", "tl_cara", "--as", "reader"]);
    let own = personal(cara);
    let (_, error) = cara.from(&folder).error(&["promote", &own]);
    assert_eq!(error["code"], "denied", "{error}");
    assert_eq!(found(anna), [""; 0]);
}
