//! What can be wrong between the program and a server: what is said, by which code, and that nothing is
//! lost.

use serde_json::{Value, json};

use crate::harness::{Home, Run, administer};
use crate::hooking::Agent;

/// The address of a home's memory with something else in it.
fn instead(home: &Home, from: &str, to: &str) -> String {
    let url = home.store_url().expect("it is on a server");
    assert!(url.contains(from), "{url} has no {from}");
    url.replacen(from, to, 1)
}

#[test]
fn each_trouble_has_its_code_its_exit_and_a_way_out_and_turns_wait() {
    let home = Home::on_server(18);
    home.remember("Staging runs Postgres 16");
    let plain = home.of_person("tl_plain");
    let own = plain.store_url().expect("it is on a server").to_owned();
    let at = own.find("127.0.0.1:").expect("it is on loopback");
    let place = own[at..].split('/').next().expect("a place").to_owned();
    let other_schema = format!("{own}_none");
    let table = [
        (
            "a wrong password",
            own.replacen("tl_plain:tl_plain", "tl_plain:no", 1),
            "denied",
            "password",
        ),
        ("no such database", instead(&home, "/postgres?", "/none_such?"), "denied", "none_such"),
        ("no right to make tables", other_schema, "denied", "permission denied"),
        ("nobody listens", own.replacen(&place, "127.0.0.1:1", 1), "unreachable", "127.0.0.1:1"),
        ("no address", "postgresql://anna@h:port/x".to_owned(), "bad_address", "postgresql://"),
    ];
    for (at, (what, url, code, says)) in table.into_iter().enumerate() {
        let troubled = Home::at(&url);
        let (exit, error) = troubled.error(&["list"]);
        assert_eq!((exit, &error["code"]), (1, &json!(code)), "{what}: {error}");
        assert!(error["message"].as_str().is_some_and(|it| it.contains(says)), "{what}: {error}");
        assert!(error["hint"].as_str().is_some_and(|it| !it.is_empty()), "{what}: {error}");
        assert!(!error.to_string().contains("tl_plain:"), "no password is shown: {error}");
        // An agent goes on, and what it tells waits.
        let agent = Agent::new(&troubled, &format!("s{at}"));
        let run = agent.call("UserPromptSubmit", &json!({"prompt": "We ship on Fridays."}), &[]);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{what}: {}", run.stderr);
        let waits = std::fs::read_dir(troubled.path().join("journal")).expect("a journal").count();
        assert!(waits > 0, "{what}");
    }
}

#[test]
fn status_tells_the_queue_with_the_server_and_without_it() {
    let home = Home::on_server(18);
    home.remember("Staging runs Postgres 16");
    let quiet = home.json(&["status"]);
    assert_eq!((&quiet["queue"], &quiet["queue_sessions"]), (&json!(0), &json!(0)), "{quiet}");
    assert!(quiet["server"].as_str().is_some_and(|it| it.contains("PostgreSQL 18")), "{quiet}");
    let nowhere = ("THROUGHLINE_STORE_URL", "postgresql://anna@127.0.0.1:1/memory");
    for (session, said) in [("a", "We keep sessions in Postgres."), ("b", "We deploy on Mondays.")]
    {
        let agent = Agent::new(&home, session);
        agent.call("UserPromptSubmit", &json!({"prompt": said}), &[nowhere]);
    }
    let run = home.command().env(nowhere.0, nowhere.1).args(["--json", "status"]).output();
    let run = Run::from(run.expect("the program runs"));
    let error: Value = serde_json::from_str(&run.stderr).expect("the error is JSON");
    assert_eq!((run.code, &error["error"]["code"]), (1, &json!("unreachable")), "{error}");
    assert!(error.to_string().contains("2 turns of 2 sessions wait in the journal"), "{error}");
    let status = home.json(&["status"]);
    assert_eq!((&status["queue"], &status["queue_sessions"]), (&json!(2), &json!(2)), "{status}");
    let page = home.page(&["status"]);
    assert!(page.contains("2 turns of 2 sessions wait in the journal"), "{page}");
}

#[test]
fn doctor_tells_versions_indexes_bloat_replication_and_walls() {
    let home = Home::on_server(18);
    home.remember("Staging runs Postgres 16");
    let found = |home: &Home, name: &str| {
        let doctor = home.json(&["doctor"]);
        let checks = doctor["checks"].as_array().expect("checks").clone();
        checks.into_iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{doctor}"))
    };
    for (name, says) in [
        ("server", "pgvector"),
        ("indexes", "all valid"),
        ("bloat", "dead rows"),
        ("replication", "standby"),
        ("walls", "row-level security is on for 27 of 27 tables"),
    ] {
        let check = found(&home, name);
        assert!(check["detail"].as_str().is_some_and(|it| it.contains(says)), "{check}");
        assert_ne!(check["outcome"], "wrong", "{check}");
    }
    let url = home.store_url().expect("it is on a server");
    let schema = url.rsplit_once("schema=").expect("a schema").1;
    administer(&format!("ALTER TABLE {schema}.memory DISABLE ROW LEVEL SECURITY"));
    let run = home.run(&["--json", "doctor"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("row-level security is on for 26 of 27 tables"), "{}", run.stdout);
}

#[test]
fn clocks_that_differ_between_clients_lose_and_reorder_nothing() {
    let anna = Home::on_server(15);
    let ben = Home::new().sharing(&anna);
    for home in [&anna, &ben] {
        home.json(&["config", "set", "project.join", "auto"]);
    }
    // Ben's clock is a year behind, then a year ahead; both are the same role.
    let folder = anna.project().to_str().expect("a plain name").to_owned();
    anna.travel("2026-06-01");
    let old = anna.remember("Staging runs Postgres 14");
    ben.travel("2025-06-01");
    let told = ben.from(&folder).json(&["correct", &old, "Staging runs Postgres 16"]);
    assert_eq!(told["superseded"], json!([old]), "{told}");
    assert_eq!(anna.texts(&["search", "staging"]), ["Staging runs Postgres 16"]);
    ben.travel("2027-06-01");
    let new = told["memory"]["id"].as_str().expect("an id").to_owned();
    ben.from(&folder).json(&["correct", &new, "Staging runs Postgres 17"]);
    anna.remember("Deploys happen on Mondays");
    assert_eq!(anna.texts(&["search", "staging"]), ["Staging runs Postgres 17"]);
    let log = anna.json(&["log", "--limit", "10"]);
    assert_eq!(log["batches"].as_array().map(Vec::len), Some(4), "{log}");
    anna.assert_sound();
    anna.json(&["undo"]);
    assert_eq!(anna.texts(&["search", "deploys"]), [] as [&str; 0]);
}
