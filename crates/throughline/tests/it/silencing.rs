//! Purging what agents told: a memory that came from a conversation is erased with the turns in which
//! it was said, from every file, and none of them comes back.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Home, handle, id_of, slow};

/// The word that stands in nothing but what is erased.
const WORD: &str = "quaggadb";
const SAID: &str = "We decided to keep sessions in Quaggadb because Redis lost them twice.";

/// Calls a hook, which has all the time it needs.
fn hook(home: &Home, session: &str, event: &str, fields: &Value) {
    let mut payload =
        json!({"session_id": session, "cwd": home.project(), "hook_event_name": event});
    for (name, value) in fields.as_object().expect("fields are an object") {
        payload[name] = value.clone();
    }
    let mut command = home.command();
    command.args(["hook", event, "--agent", "claude-code"]);
    command.env("THROUGHLINE_DEADLINE_MS", "20000");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("its input is ours");
    // Whoever has heard enough may hang up.
    drop(input.write_all(payload.to_string().as_bytes()));
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

fn asks(home: &Home, session: &str, prompt: &str) {
    hook(home, session, "UserPromptSubmit", &json!({"prompt": prompt}));
}

fn answers(home: &Home, session: &str, words: &str) {
    let fields = json!({"stop_hook_active": false, "last_assistant_message": words});
    hook(home, session, "Stop", &fields);
}

/// The ids of the memories that tell it.
fn captured(home: &Home) -> Vec<String> {
    let held = home.json(&["list", "--all"]);
    let items = held["items"].as_array().expect("a listing has items");
    let told = |one: &&Value| one["content"].as_str().is_some_and(|text| text.contains("Quaggadb"));
    items.iter().filter(told).map(id_of).collect()
}

/// A session in which it is said, kept and said back.
fn talk(home: &Home, session: &str) {
    hook(home, session, "SessionStart", &json!({"source": "startup"}));
    asks(home, session, "Today we work on the cart.");
    answers(home, session, "All right.");
    asks(home, session, SAID);
    answers(home, session, &format!("Noted. {SAID} I shall remember it."));
    answers(home, session, "Let us go on.");
    assert_ne!(captured(home), Vec::<String>::new(), "it is captured");
}

fn purge(home: &Home) -> Value {
    let ids = captured(home);
    let mut args = vec!["purge", "--yes"];
    args.extend(ids.iter().map(String::as_str));
    home.json(&args)
}

fn assert_nowhere(home: &Home, when: &str) {
    assert_eq!(home.files_holding(WORD), Vec::<PathBuf>::new(), "{when}");
}

/// The same conversation in a file, as an import of past sessions brings it.
fn past(home: &Home, session: &str) -> String {
    let turn = |speaker: &str, text: &str, id: &str| {
        json!({"session": session, "id": id,
        "at": "2026-03-02T09:05:00Z", "speaker": speaker, "text": text})
    };
    let back = format!("Noted. {SAID} I shall remember it.");
    let lines = [
        turn("user", SAID, "t1"),
        turn("assistant", &back, "t2"),
        turn("user", "The cart shows a wrong total.", "t3"),
    ];
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(home.outside("past.jsonl"), lines.concat()).expect("a file can be written");
    home.arg("past.jsonl")
}

#[test]
fn a_memory_from_a_conversation_is_erased_with_what_was_said() {
    let home = Home::new();
    talk(&home, "march");
    let folders = ["journal", "hot"];
    for folder in folders {
        let held = home.files_holding(WORD);
        let within = |file: &PathBuf| file.starts_with(home.path().join(folder));
        assert!(held.iter().any(within), "it is in {folder}: {held:?}");
    }
    let answer = purge(&home);
    assert_eq!(answer["episodes"], 2, "the prompt and the answer: {answer}");
    assert_eq!(answer["journal_lines"], 2, "{answer}");
    assert_eq!(answer["copies_left"], json!([]));
    assert_nowhere(&home, "after the purge");
    home.assert_sound();

    // The agent goes on, in this session and in the next.
    asks(&home, "march", "Where is the total of the cart computed?");
    answers(&home, "march", "In cart.rs.");
    hook(&home, "march", "PreCompact", &json!({"trigger": "manual", "custom_instructions": ""}));
    hook(&home, "march", "SessionEnd", &json!({"reason": "other"}));
    hook(&home, "next", "SessionStart", &json!({"source": "startup"}));
    asks(&home, "next", "Where do we keep sessions, and why?");
    answers(&home, "next", "I do not know.");
    assert_nowhere(&home, "after the next hooks");
    home.assert_sound();
}

#[test]
fn what_was_said_around_it_stays_and_is_not_taken_in_twice() {
    let home = Home::new();
    talk(&home, "march");
    asks(&home, "march", "The staging database runs on Postgres 14.");
    answers(&home, "march", "All right.");
    let turns = |home: &Home| home.json(&["stats"])["rows"]["episode"].as_u64().expect("turns");
    let before = turns(&home);
    let erased = purge(&home)["episodes"].as_u64().expect("a number");
    assert_eq!(turns(&home), before - erased);
    answers(&home, "march", "Let us look at the total.");
    assert_eq!(turns(&home), before - erased + 1, "each turn once");
    hook(&home, "march", "SessionEnd", &json!({"reason": "other"}));
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("Postgres 14")));
    home.assert_sound();
}

#[test]
fn a_turn_that_was_erased_does_not_come_in_again_with_its_session() {
    let home = Home::new();
    talk(&home, "march");
    purge(&home);
    let past = past(&home, "march");
    let came = home.json(&["ingest", &past]);
    assert_eq!(came["episodes"], 1, "only what was not erased: {came}");
    assert_nowhere(&home, "after the session came in again");
    // An agent that goes on from a session tells it again under another name.
    let past = self::past(&home, "resumed");
    home.json(&["ingest", &past]);
    assert_nowhere(&home, "after it came in under another name");
    asks(&home, "april", SAID);
    answers(&home, "april", &format!("Noted. {SAID} I shall remember it."));
    hook(&home, "april", "SessionEnd", &json!({"reason": "other"}));
    let held = home.files_holding(WORD);
    let told = |file: &PathBuf| file.starts_with(home.path().join("journal"));
    assert!(held.iter().all(told), "said again, it is only in the journal: {held:?}");
    assert_eq!(captured(&home), Vec::<String>::new());
    home.assert_sound();
}

#[test]
fn no_copy_brings_back_what_was_said() {
    let home = Home::new();
    talk(&home, "march");
    let (old, log) = (home.arg("old.db"), home.arg("old.jsonl"));
    home.json(&["backup", &old]);
    home.json(&["restore", &old]);
    std::fs::write(&log, home.page(&["export"])).expect("a file can be written");
    assert!(home.files_holding(WORD).len() > 3, "a copy under the home holds it too");
    purge(&home);
    assert_nowhere(&home, "after the purge");
    home.json(&["restore", &old]);
    assert_nowhere(&home, "after an older copy was put back");
    home.json(&["import", &log]);
    assert_nowhere(&home, "after an older export came in");
    home.assert_sound();

    let clean = home.arg("clean.jsonl");
    std::fs::write(&clean, home.page(&["export"])).expect("a file can be written");
    assert!(!std::fs::read_to_string(&clean).unwrap().to_lowercase().contains(WORD));
    home.wipe();
    home.json(&["import", &clean]);
    home.json(&["ingest", &past(&home, "march")]);
    assert_nowhere(&home, "what was erased is known wherever the export came in");
    home.assert_sound();
}

#[test]
fn a_line_that_nobody_has_taken_in_yet_is_erased_too() {
    let home = Home::new();
    talk(&home, "march");
    // A tool that has run waits in the journal for the answer that follows.
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "cat notes.txt"},
        "tool_use_id": "toolu_1", "tool_response": SAID});
    hook(&home, "march", "PostToolUse", &call);
    hook(&home, "march", "PostToolBatch", &json!({"tool_calls": [call]}));
    let answer = purge(&home);
    assert!(answer["journal_lines"].as_u64() >= Some(3), "{answer}");
    assert_nowhere(&home, "after the purge");
    answers(&home, "march", "That is all.");
    hook(&home, "march", "SessionEnd", &json!({"reason": "other"}));
    assert_nowhere(&home, "after the journal was drained");
    home.assert_sound();
}

#[test]
fn a_turn_is_erased_by_itself() {
    let home = Home::new();
    let said = "The quaggadb page looked odd for a second this morning";
    let lines = json!({"session": "s", "at": "2026-02-23T10:00:00Z", "speaker": "user",
        "text": said, "id": "t1"});
    std::fs::write(home.outside("one.jsonl"), format!("{lines}\n")).expect("a file");
    home.json(&["ingest", &home.arg("one.jsonl")]);
    let found = home.json(&["recall", "--episodes", "when did the quaggadb page look odd?"]);
    let id = id_of(&found["items"][0]["episode"]);
    let (code, error) = home.error(&["purge", "00000000", "--yes"]);
    assert_eq!((code, error["code"].as_str()), (3, Some("not_found")));
    let answer = home.json(&["purge", handle(&id), "--yes"]);
    assert_eq!((&answer["purged"], &answer["episodes"]), (&0.into(), &1.into()), "{answer}");
    home.json(&["ingest", &home.arg("one.jsonl")]);
    let left: Vec<PathBuf> = home.files_holding(WORD);
    assert_eq!(left, Vec::<PathBuf>::new());
    home.assert_sound();
}

#[test]
fn an_erasure_of_what_was_said_that_is_killed_at_any_moment_is_finished_by_the_next_write() {
    let kills: u32 = if slow() { 40 } else { 8 };
    let mut whole = Duration::ZERO;
    for cycle in 0..=kills {
        let home = Home::new();
        talk(&home, "march");
        let copy = home.arg("copy.db");
        home.json(&["backup", &copy]);
        home.json(&["restore", &copy]);
        let ids = captured(&home);
        let begun = Instant::now();
        let mut command = home.command();
        command.args(["purge", "--yes"]).args(&ids).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        if cycle > 0 {
            std::thread::sleep(whole * cycle / kills);
            child.kill().expect("a process can be killed");
        }
        child.wait().expect("it ends");
        if cycle == 0 {
            whole = begun.elapsed();
        }
        if ids.iter().any(|id| home.run(&["show", id]).code != 3) {
            assert!(cycle > 0, "an erasure that nobody disturbs is done");
            purge(&home);
        }
        home.remember("Written after");
        answers(&home, "march", "Let us go on.");
        hook(&home, "march", "SessionEnd", &json!({"reason": "other"}));
        assert_nowhere(&home, &format!("cycle {cycle}"));
        home.assert_sound();
    }
}
