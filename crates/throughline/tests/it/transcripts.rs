//! Transcripts of an agent: past sessions come in as if they had been told, once.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, DECISION, assert_sound, rows};

const ANSWER: &str = "Sessions stay in Postgres then.";
const RULE: &str = "Always run cargo fmt before committing.";

/// What Claude Code writes down of one message.
fn record(home: &Home, session: &str, at: &str, who: &str, content: &Value) -> Value {
    json!({"parentUuid": null, "isSidechain": false, "type": who, "uuid": format!("{session} {at} {content}"),
        "message": {"role": who, "content": content}, "timestamp": at, "userType": "external",
        "cwd": home.project(), "sessionId": session, "version": "2.1.325", "gitBranch": "main"})
}

fn user(home: &Home, session: &str, at: &str, words: &str) -> Value {
    record(home, session, at, "user", &json!(words))
}

fn assistant(home: &Home, session: &str, at: &str, words: &str) -> Value {
    record(home, session, at, "assistant", &json!([{"type": "text", "text": words}]))
}

/// A tool is called and returns.
fn ran(
    home: &Home,
    at: [&str; 2],
    id: &str,
    tool: &str,
    input: &Value,
    output: &str,
) -> [Value; 2] {
    let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output}]);
    let [called, returned] = at;
    [record(home, "s1", called, "assistant", &call), record(home, "s1", returned, "user", &result)]
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// A session in which something was decided, with what the agent writes down beside it.
fn session(home: &Home) -> Vec<Value> {
    let mut records = vec![
        json!({"type": "queue-operation", "operation": "enqueue", "content": DECISION,
            "timestamp": "2026-02-01T10:00:00.000Z", "sessionId": "s1"}),
        user(home, "s1", "2026-02-01T10:00:00.100Z", DECISION),
        assistant(home, "s1", "2026-02-01T10:00:20.000Z", ANSWER),
    ];
    let input = json!({"command": "cargo test"});
    let at = ["2026-02-01T10:01:00.000Z", "2026-02-01T10:01:09.000Z"];
    records.extend(ran(home, at, "toolu_1", "Bash", &input, "test result: ok"));
    let mut meta = user(home, "s1", "2026-02-01T10:02:00.000Z", "Caveat: zanzibar");
    meta["isMeta"] = true.into();
    records.push(meta);
    records.push(json!({"type": "last-prompt", "lastPrompt": DECISION, "sessionId": "s1"}));
    records
}

fn file(home: &Home, name: &str, text: &str) -> String {
    let path = home.outside(name);
    let folder = path.parent().expect("a file lies in a folder");
    std::fs::create_dir_all(folder).expect("a folder can be made");
    std::fs::write(path, text).expect("a file can be written");
    home.arg(name)
}

fn numbers(done: &Value, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| done[name].as_u64().expect("a number")).collect()
}

const COUNTS: [&str; 5] = ["sessions", "turns", "episodes", "duplicates", "memories"];

#[test]
fn a_transcript_comes_in_with_its_dates_and_what_was_decided_in_it_once() {
    let home = Home::new();
    let transcript = file(&home, "s1.jsonl", &lines(&session(&home)));
    let planned = home.json(&["ingest", &transcript, "--dry-run"]);
    assert_eq!(numbers(&planned, &COUNTS[..4]), [1, 3, 3, 0]);
    assert!(!home.path().exists(), "a dry run makes nothing");
    let done = home.json(&["ingest", &transcript]);
    assert_eq!(numbers(&done, &COUNTS), [1, 3, 3, 0, 1], "{done}");
    let held = home.json(&["list"]);
    let decision = held["items"].as_array().unwrap().iter().find(|one| one["kind"] == "decision");
    let decision = decision.expect("the decision is held");
    assert_eq!(decision["recorded_at"].as_str().map(|at| &at[..10]), Some("2026-02-01"));
    assert_eq!(decision["evidence"][0]["session"], "s1");
    assert_eq!(decision["evidence"][0]["at"], "2026-02-01T10:00:00.100Z");
    assert!(home.files_holding("zanzibar").is_empty(), "the host's own words are nobody's");

    let (everything, log) = (home.everything(), home.json(&["log"]));
    let again = home.json(&["ingest", &transcript]);
    assert_eq!(numbers(&again, &COUNTS), [1, 3, 0, 3, 0], "{again}");
    assert_eq!((home.everything(), home.json(&["log"])), (everything, log), "twice is once");
    let planned = home.json(&["ingest", &transcript, "--dry-run"]);
    assert_eq!(numbers(&planned, &COUNTS[..4]), [1, 3, 0, 3]);
    assert_sound(&home);
}

#[test]
fn what_was_taken_back_does_not_return_with_its_old_transcript() {
    let home = Home::new();
    let transcript = file(&home, "s1.jsonl", &lines(&session(&home)));
    home.json(&["ingest", &transcript]);
    let held = home.json(&["list"]);
    let id = held["items"].as_array().unwrap().iter().find(|one| one["kind"] == "decision");
    let id = crate::harness::id_of(id.expect("the decision is held"));
    home.json(&["forget", &id]);
    home.json(&["ingest", &transcript]);
    assert_eq!(home.show(&id)["state"], "retracted");
    assert_eq!(home.json(&["status"])["waiting"], 0);
}

#[test]
fn a_session_that_hooks_told_does_not_come_in_again_with_its_transcript() {
    let home = Home::new();
    let agent = Agent::new(&home, "s1");
    let tell = |at: &str, event: &str, fields: &Value| agent.tell_at(Some(at), event, fields);
    tell("2026-02-01T10:00:00.300Z", "UserPromptSubmit", &json!({"prompt": DECISION}));
    let call = json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_response": "test result: ok",
        "tool_input": {"command": "cargo test"}});
    tell("2026-02-01T10:01:09.500Z", "PostToolBatch", &json!({"tool_calls": [call]}));
    tell("2026-02-01T10:00:21.000Z", "Stop", &json!({"last_assistant_message": ANSWER}));
    for at in ["2026-02-01T10:03:00.500Z", "2026-02-01T10:04:00.500Z"] {
        tell(at, "UserPromptSubmit", &json!({"prompt": "Yes, go on."}));
    }
    tell("2026-02-01T10:05:00.000Z", "SessionEnd", &json!({"reason": "other"}));
    let count = || ["episode", "memory", "evidence", "session"].map(|kind| rows(&home, kind));
    let before = count();
    assert_eq!(before[0], 5);
    let mut records = session(&home);
    for at in ["2026-02-01T10:03:00.000Z", "2026-02-01T10:04:00.000Z"] {
        records.push(user(&home, "s1", at, "Yes, go on."));
    }
    let transcript = file(&home, "s1.jsonl", &lines(&records));
    let done = home.json(&["ingest", &transcript]);
    assert_eq!(numbers(&done, &COUNTS), [1, 5, 0, 5, 0], "{done}");
    assert_eq!(count(), before);
    // What the hooks missed comes in.
    records.push(user(&home, "s1", "2026-02-01T10:06:00.000Z", RULE));
    file(&home, "s1.jsonl", &lines(&records));
    let done = home.json(&["ingest", &transcript]);
    assert_eq!(numbers(&done, &COUNTS[..4]), [1, 6, 1, 5], "{done}");
}

#[test]
fn every_past_session_of_the_project_is_found_and_none_of_others() {
    let home = Home::new();
    let root = home.project().canonicalize().unwrap();
    let folder = |path: &std::path::Path| {
        let name = path.to_str().unwrap();
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect::<String>()
    };
    let place = format!("claude/projects/{}", folder(&root));
    file(&home, &format!("{place}/s1.jsonl"), &lines(&session(&home)));
    let second = user(&home, "s2", "2026-02-02T10:00:00.000Z", RULE);
    file(&home, &format!("{place}/s2.jsonl"), &lines(&[second]));
    let mut other = user(&home, "s3", "2026-02-02T10:00:00.000Z", "We decided to use zanzibar.");
    other["cwd"] = home.arg("blog").into();
    let elsewhere = folder(&root.with_file_name("blog"));
    file(&home, &format!("claude/projects/{elsewhere}/s3.jsonl"), &lines(&[other]));
    let config = home.arg("claude");
    let done = home.json(&["ingest", "--past", "--config", &config]);
    assert_eq!(numbers(&done, &COUNTS[..4]), [2, 4, 4, 0], "{done}");
    let held = home.texts(&["list"]);
    for words in ["Redis", "cargo fmt"] {
        assert!(held.iter().any(|text| text.contains(words)), "{words}: {held:?}");
    }
    assert!(home.files_holding("zanzibar").is_empty());
    let again = home.json(&["ingest", "--past", "--config", &config]);
    assert_eq!(numbers(&again, &COUNTS), [2, 4, 0, 4, 0]);
    let none = home.json(&["ingest", "--past", "--config", &home.arg("nothing")]);
    assert_eq!(numbers(&none, &COUNTS), [0, 0, 0, 0, 0]);
}

#[test]
fn a_broken_line_costs_only_itself_and_is_counted() {
    let home = Home::new();
    let records = session(&home);
    let (head, tail) = records.split_at(2);
    let text =
        format!("{}{{\"type\":\"user\",\"mess\n\u{0}\n{}{{\"half\":", lines(head), lines(tail));
    let transcript = file(&home, "s1.jsonl", &text);
    let done = home.json(&["ingest", &transcript]);
    assert_eq!(numbers(&done, &COUNTS[..4]), [1, 3, 3, 0], "{done}");
    assert!(done["skipped"].as_u64().is_some_and(|count| count >= 2), "{done}");
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("Redis")));
}

#[test]
fn secrets_and_private_files_do_not_come_in_with_a_transcript_either() {
    let home = Home::new();
    std::fs::write(home.project().join(".gitignore"), "private.txt\n").unwrap();
    let token = format!("gh{}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "p_");
    let mut records = session(&home);
    let words = format!("The deploy token is {token} and belongs to the release robot.");
    records.push(user(&home, "s1", "2026-02-01T10:03:00.000Z", &words));
    let at = ["2026-02-01T10:04:00.000Z", "2026-02-01T10:04:01.000Z"];
    let input = json!({"file_path": home.project().join("private.txt")});
    records.extend(ran(&home, at, "toolu_2", "Read", &input, "canary of the file"));
    let input = json!({"command": "cat .env"});
    records.extend(ran(&home, at, "toolu_3", "Bash", &input, "canary of the environment"));
    home.json(&["ingest", &file(&home, "s1.jsonl", &lines(&records))]);
    for gone in [token.as_str(), "canary of"] {
        assert!(home.files_holding(gone).is_empty(), "{gone}");
    }
    assert!(!home.files_holding("release robot").is_empty());
    assert!(!home.files_holding("cat .env").is_empty(), "that it was read may be known");
}

#[test]
fn files_of_turns_come_in_as_before_and_beside_transcripts() {
    let home = Home::new();
    let turn = json!({"session": "t1", "at": "2026-02-03T10:00:00Z", "speaker": "user",
        "text": "Invoices move to Stripe", "id": "a"});
    let turns = file(&home, "turns.jsonl", &lines(&[turn]));
    let transcript = file(&home, "s1.jsonl", &lines(&session(&home)));
    let done = home.json(&["ingest", &turns, &transcript]);
    assert_eq!(numbers(&done, &COUNTS[..4]), [2, 4, 4, 0], "{done}");
    let again = home.json(&["ingest", &turns, "--format", "jsonl"]);
    assert_eq!(numbers(&again, &COUNTS[..4]), [1, 1, 0, 1], "{again}");
    assert_eq!(home.error(&["ingest", &transcript, "--format", "jsonl"]).1["code"], "bad_file");
}
