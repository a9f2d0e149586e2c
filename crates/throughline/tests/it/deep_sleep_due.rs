//! When deep sleep is due, who does it then, and whether it still comes to anything.

use serde_json::{Value, json};

use crate::deep_sleep::{changes, known};
use crate::durable::rows_in_file;
use crate::harness::{Home, batches, id_of, overwrite};
use crate::hooking::Agent;
use crate::models_trouble::until;

#[test]
fn fifty_recalls_or_many_new_memories_make_deep_sleep_due() {
    let home = known();
    home.json(&["sleep", "--deep"]);
    let due = || home.json(&["sleep", "--dry-run"])["deep"].clone();
    assert_eq!(due()["due"], false, "{}", due());
    for n in 0..51 {
        home.json(&["--session", &format!("s{}", n % 2), "recall", "what is wiped weekly?"]);
        home.wait(20);
        if n % 40 == 39 {
            home.travel("2026-03-03");
        }
    }
    home.json(&["show", &id_of(&home.json(&["list"])["items"][0])]);
    let told = due();
    assert_eq!(told["due"], true, "{told}");
    assert!(told["when"].as_str().is_some_and(|why| why.contains("recalled")), "{told}");
    home.json(&["sleep", "--deep"]);
    assert_eq!(due()["due"], false, "{}", due());

    let rules: String =
        (0..560).map(|n| format!("- Service number {n} is restarted by hand\n")).collect();
    std::fs::write(home.project().join("CLAUDE.md"), rules).expect("a file");
    Agent::new(&home, "reads").starts();
    let told = due();
    assert_eq!(told["due"], true, "{told}");
    assert!(told["when"].as_str().is_some_and(|why| why.contains("came in")), "{told}");
}

#[test]
fn the_third_session_with_something_new_organises_by_itself() {
    let home = known();
    let mut due = Vec::new();
    let topics = |home: &Home| home.json(&["topics"])["items"].as_array().expect("a list").len();
    // A busy machine may need more than one session for all passes: the next one goes on.
    for session in 1..=9 {
        let agent = Agent::new(&home, &format!("session {session}"));
        agent.starts();
        agent.hears("The warehouse scanner talks to Postgres over port 7000. Keep that in mind.");
        due.push(home.json(&["sleep", "--dry-run"])["deep"]["due"] == true);
        let patient = [("THROUGHLINE_DEADLINE_MS", "20000")];
        agent.call("SessionEnd", &json!({ "reason": "exit" }), &patient);
        if topics(&home) > 0 {
            break;
        }
    }
    assert_eq!(due[..3], [false, false, true]);
    assert!(topics(&home) > 0, "{due:?}");
    let by_itself = |batch: &&Value| batch["cause"] == "sleep" && batch["actor"] == "system";
    assert!(batches(&home).iter().any(|batch| by_itself(&batch)));
}

#[test]
fn an_idle_server_organises_what_a_session_left() {
    let home = known();
    Agent::new(&home, "one").starts();
    Agent::new(&home, "one").hears("Remember: the warehouse scanner talks to port 7000.");
    let mut client = home.mcp();
    client.call("recall", serde_json::json!({ "query": "Postgres" }));
    until("it organises", || {
        !home.json(&["topics"])["items"].as_array().expect("a list").is_empty()
    });
    client.leave();
}

#[test]
fn reports_of_two_deep_sleeps_with_something_new_between_them_differ() {
    let home = known();
    let first = home.json(&["sleep", "--deep"]);
    home.remember("Postgres is upgraded in autumn");
    let second = home.json(&["sleep", "--deep"]);
    assert!(second["seen_to"].as_u64() > first["seen_to"].as_u64());
    let checks = home.json(&["doctor"])["checks"].to_string();
    assert!(!checks.contains("\"sleep\""), "{checks}");
    // What is noted there is a convenience: without it everything is found out again.
    let file = home.path().join("sleep.json");
    std::fs::write(&file, "{ not json").expect("a write");
    assert_eq!(changes(&home.json(&["sleep", "--deep"])), 0);
}

#[test]
fn a_deep_sleep_that_comes_to_the_same_twice_although_something_is_new_is_named_by_doctor() {
    let home = known();
    home.json(&["sleep", "--deep"]);
    assert_eq!(changes(&home.json(&["sleep", "--deep"])), 0);
    let named = || {
        let run = home.run(&["--json", "doctor"]);
        let found: Value = serde_json::from_str(&run.stdout).expect("one JSON document");
        let checks = found["checks"].as_array().expect("doctor lists its checks").iter();
        checks.filter(|check| check["name"] == "sleep").cloned().collect::<Vec<Value>>()
    };
    // What comes in and is put away before the next run is nothing to organise.
    let gone = home.remember("The Postgres password is rotated in May");
    home.json(&["archive", &gone]);
    let same = || home.run(&["sleep", "--deep"]).stdout.contains("the same as the last time");
    assert!(!same());
    // A row that cannot be read back is passed over by every pass, as if it had not come in.
    let id = home.remember("Postgres is upgraded in autumn");
    for row in rows_in_file(&home, &id) {
        overwrite(&home.database(), row, b"#");
    }
    for _ in 0..2 {
        assert!(same());
        let [check] = named().try_into().expect("one check");
        assert_eq!(check["outcome"], "wrong", "{check}");
        assert!(check["detail"].to_string().contains("the same result twice"), "{check}");
    }
    home.run(&["doctor", "--mend"]);
    assert!(!same());
    assert_eq!(named(), Vec::<Value>::new());
}
