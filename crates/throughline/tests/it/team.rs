//! The program with its memory on a server: the same stories, two homes that share a project, and what
//! happens while the server is away.

use serde_json::{Value, json};

use crate::harness::{Home, server_url};
use crate::hooking::Agent;

#[test]
fn memory_on_a_server_is_used_as_memory_in_a_file_is() {
    for version in [15, 18] {
        let home = Home::on_server(version);
        let old = home.remember("Staging runs Postgres 14");
        let other = home.remember_with(&["Deploys happen on Tuesdays", "--tag", "release"]);
        assert_eq!(home.texts(&["search", "staging"]), ["Staging runs Postgres 14"]);
        home.json(&["correct", &old, "Staging runs Postgres 16"]);
        let told = home.json(&["recall", "which Postgres does staging run"]);
        assert!(told.to_string().contains("Postgres 16"), "{told}");
        assert!(!home.database().exists(), "nothing is kept in a file");

        let before = home.json(&["list"]);
        home.json(&["forget", &other]);
        home.json(&["undo"]);
        assert_eq!(home.json(&["list"])["items"], before["items"]);
        home.assert_sound();
        let status = home.json(&["status"]);
        assert_eq!(status["memories"], 3, "{status}");

        home.json(&["purge", "--yes", &old]);
        assert_eq!(home.texts(&["search", "14"]), [] as [&str; 0]);
        home.assert_sound();
    }
}

#[test]
fn a_correction_in_one_home_is_known_in_the_other_with_the_next_prompt() {
    let (anna, ben) = (Home::on_server(18), Home::new());
    let ben = ben.sharing(&anna);
    anna.json(&["config", "set", "project.join", "auto"]);
    ben.json(&["config", "set", "project.join", "auto"]);
    let folder = anna.project();
    let at = |home: &Home| home.from(folder.to_str().expect("a plain name")).json(&["list"]);
    anna.remember("The staging database runs on Postgres 14");
    assert_eq!(at(&ben)["items"][0]["content"], "The staging database runs on Postgres 14");

    let agent = Agent { home: &ben, session: "b".to_owned(), folder: folder.clone() };
    let asked = "Which version of Postgres does the staging database run on?";
    let told = agent.hears(asked);
    assert!(told.contains("Postgres 14"), "{told}");
    let items = at(&anna);
    let id = items["items"][0]["id"].as_str().expect("an id");
    anna.json(&["correct", id, "The staging database runs on Postgres 16"]);
    let log = anna.json(&["log"]);
    assert_eq!(log["batches"][0]["person"], "postgres", "{log}");
    let later = Agent { session: "c".to_owned(), ..agent };
    let told = later.hears(asked);
    assert!(told.contains("user corrected: The staging database runs on Postgres 16"), "{told}");
}

#[test]
fn while_the_server_is_away_turns_wait_in_the_journal_and_are_taken_in_once() {
    let home = Home::on_server(15);
    home.remember("Staging runs Postgres 16");
    let nowhere = ("THROUGHLINE_STORE_URL", "postgresql://anna@127.0.0.1:1/memory");
    let agent = Agent::new(&home, "a");
    let said = json!({"prompt": "We decided to keep sessions in Postgres instead of Redis \
        because Redis lost them twice when the node restarted."});
    let run = agent.call("UserPromptSubmit", &said, &[nowhere]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);

    let status = home.command().env(nowhere.0, nowhere.1).args(["--json", "status"]).output();
    let status = status.expect("the program runs");
    assert!(!status.status.success());
    let error: Value = serde_json::from_slice(&status.stdout)
        .or_else(|_| serde_json::from_slice(&status.stderr))
        .expect("the error is JSON");
    assert_eq!(error["error"]["code"], "unreachable", "{error}");
    assert!(error.to_string().contains("waits in the journal"), "{error}");
    let doctor = home.command().env(nowhere.0, nowhere.1).args(["--json", "doctor"]).output();
    let doctor = String::from_utf8(doctor.expect("the program runs").stdout).expect("UTF-8");
    assert!(doctor.contains("cannot be reached"), "{doctor}");

    // The server is there again: the next hook takes in what waited, once.
    agent.call(
        "Stop",
        &json!({"stop_hook_active": false, "last_assistant_message": "Noted."}),
        &[],
    );
    agent.call("SessionEnd", &json!({"reason": "exit"}), &[]);
    let kept = home.texts(&["search", "Redis"]);
    assert_eq!(kept.len(), 1, "{kept:?}");
    // The hook that failed is still told, and nothing else is wrong.
    assert_eq!(home.json(&["doctor", "--rebuild-check"])["ok"], true);
}

#[test]
fn what_is_copied_to_a_server_and_back_exports_the_same() {
    let home = Home::new();
    let old = home.remember("Staging runs Postgres 14");
    home.json(&["correct", &old, "Staging runs Postgres 16"]);
    home.remember_with(&["Never deploy on a Friday", "--kind", "principle"]);
    let export = |home: &Home, name: &str| {
        let file = home.arg(name);
        home.json(&["export", "--output", &file]);
        std::fs::read_to_string(home.outside(name)).expect("the export is there")
    };
    let first = export(&home, "first.jsonl");
    let server = Home::on_server(18);
    let url = server.store_url().expect("it is on a server").to_owned();
    let copied = home.json(&["store", "copy", "--to", &url]);
    assert_eq!((&copied["batches"], &copied["known"]), (&json!(3), &json!(0)), "{copied}");
    let again = home.json(&["store", "copy", "--to", &url]);
    assert_eq!((&again["batches"], &again["known"]), (&json!(0), &json!(3)), "{again}");
    // The same home, which now keeps its memory there.
    let moved = home.sharing(&server);
    assert_eq!(export(&moved, "second.jsonl"), first);
    moved.assert_sound();

    let file = moved.arg("back.db");
    moved.json(&["store", "copy", "--to", &file]);
    let back = Home::new();
    std::fs::create_dir_all(back.path()).expect("a folder can be made");
    std::fs::copy(&file, back.database()).expect("the copy is there");
    let after = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(after(&export(&back, "third.jsonl")), after(&first), "but for the name of the home");
    assert_eq!(back.json(&["doctor", "--rebuild-check"])["ok"], true);
}

#[test]
fn an_owner_admits_people_and_dismisses_them() {
    let home = Home::on_server(15);
    home.remember("Staging runs Postgres 16");
    let members = home.json(&["store", "members"]);
    assert_eq!(members["items"], json!([{"role": "postgres", "standing": "owner"}]));
    let (code, error) = home.error(&["store", "admit", "nobody_has_this_role"]);
    assert_eq!((code, &error["code"]), (1, &json!("denied")), "{error}");
    let members = home.json(&["store", "admit", "pg_monitor", "--as", "reader"]);
    assert_eq!(members["items"][0], json!({"role": "pg_monitor", "standing": "reader"}));
    let members = home.json(&["store", "dismiss", "pg_monitor"]);
    assert_eq!(members["items"].as_array().map(Vec::len), Some(1), "{members}");

    let alone = Home::new();
    alone.remember("Staging runs Postgres 16");
    let (_, error) = alone.error(&["store", "members"]);
    assert!(error.to_string().contains("yours alone"), "{error}");
}

#[test]
fn an_address_of_no_server_is_said_to_be_none() {
    let home = Home::new();
    let set = home.json(&["config", "set", "store.url", "mysql://db.example.com/memory"]);
    assert!(set.to_string().contains("mysql"), "{set}");
    let (_, error) = home.error(&["list"]);
    assert_eq!(error["code"], "bad_address", "{error}");
    home.json(&["config", "unset", "store.url"]);
    home.json(&["list"]);
    assert!(server_url(15, "x").contains("schema=x"));
}
