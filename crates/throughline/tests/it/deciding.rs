//! Deciding by one key: what is questioned, with both words side by side.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;

/// Runs `review --one-by-one` with these keys, one a line.
fn keys(home: &Home, keys: &str) -> (String, String) {
    use std::io::Write as _;
    let mut command = home.command();
    command.args(["review", "--one-by-one"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("its input is ours");
    input.write_all(keys.as_bytes()).expect("it listens");
    drop(input);
    let done = child.wait_with_output().expect("the program ends");
    assert!(done.status.success());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints UTF-8");
    (text(done.stdout), text(done.stderr))
}

/// Two words that contradict each other: the older of two halves, and the newer of one.
fn contested() -> (Home, String) {
    let home = Home::new();
    let id = home.remember("Marco maintains the gateway; ask him before touching src/limits.rs");
    home.travel("2026-03-04");
    let agent = Agent::new(&home, "later");
    agent.hears("Lena maintains the gateway now");
    agent.ends();
    (home, id)
}

fn contests(home: &Home) -> usize {
    home.json(&["review"])["contested"].as_array().map_or(0, Vec::len)
}

#[test]
fn both_words_are_shown_and_one_key_decides() {
    for (key, state) in [("a", "confirmed"), ("b", "superseded"), ("2", "confirmed")] {
        let (home, id) = contested();
        assert_eq!(contests(&home), 1);
        let (out, asked) = keys(&home, &format!("{key}\n"));
        assert!(asked.contains("ask him before") && asked.contains("Lena maintains"), "{asked}");
        assert!(out.contains("1 decided, 0 left"), "{out}");
        assert_eq!(contests(&home), 0, "{key}");
        assert_eq!(home.show(&id)["state"], state, "{key}");
    }
}

#[test]
fn enter_leaves_it_open_q_stops_and_so_does_the_end_of_input() {
    for key in ["\n", "q\n", ""] {
        let (home, id) = contested();
        let (out, _) = keys(&home, key);
        assert!(out.contains("0 decided, 1 left"), "{out}");
        assert_eq!((contests(&home), &home.show(&id)["state"]), (1, &json!("confirmed")));
    }
}

/// A memory with later words of which nothing was kept.
fn questioned() -> Option<(Home, String, Value)> {
    let home = Home::new();
    let id = home.remember("The build runs on Jenkins.");
    home.travel("2026-03-04");
    let agent = Agent::new(&home, "later");
    agent.hears("buildkite queue is stuck again, restart the agents");
    agent.ends();
    let waits = home.json(&["review"]);
    let one = waits["questioned"].as_array()?.first()?.clone();
    Some((home, id, one))
}

#[test]
fn later_words_of_which_nothing_was_kept_are_decided_the_same_way() {
    let Some((home, id, one)) = questioned() else { panic!("nothing is questioned") };
    assert_eq!(one["id"], id.as_str());
    assert!(
        one["later"][0]["text"].as_str().is_some_and(|words| words.contains("buildkite")),
        "{one}"
    );
    assert!(home.page(&["review"]).contains("Questioned (1)"));
    home.json(&["review", "--keep-a", &id]);
    assert_eq!(home.show(&id)["later"], json!(null), "it stands");
    assert_eq!(home.json(&["review"])["questioned"], json!([]));
    let Some((home, id, _)) = questioned() else { panic!("nothing is questioned") };
    home.json(&["review", "--keep-b", &id]);
    assert_eq!(home.show(&id)["state"], "superseded");
}

#[test]
fn an_agent_decides_nothing_of_it() {
    let (home, id) = contested();
    let run = home.command().env("CLAUDECODE", "1").args(["review", "--keep-b", &id]).output();
    assert_eq!(run.expect("the program starts").status.code(), Some(1));
    assert_eq!(contests(&home), 1);
}
