//! Verifying: only a check makes a memory fresh again. Bindings are held against what checks show.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Home, batches, handle, id_of, strings};
use crate::hooking::{Agent, PATIENT, told};
use crate::watching::{
    asks_to_check, asserts, bound, brief, checks_in, commit, git, is_stale, look, write,
};

const PLACE: &str = "src/retry.rs";
const RETRY: &str = "//! Tries again.\n\npub const RETRY_LIMIT: u32 = 7;\n";
const CLAIM: &str = "RETRY_LIMIT in src/retry.rs is 7";

/// A fact that hangs on a whole file, and is moved by a word elsewhere in it.
fn moved(home: &Home) -> String {
    write(home, PLACE, RETRY);
    let id = bound(home, CLAIM, "file:src/retry.rs");
    write(home, PLACE, &RETRY.replace("Tries", "Attempts"));
    id
}

/// A tool ran, and the turn is over.
fn ran(agent: &Agent<'_>, tool: &str, input: &Value, output: &str) {
    let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
        "tool_response": output});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    agent.answers("I had a look.");
}

/// The file as a tool shows it.
fn numbered(text: &str) -> String {
    let line = |(n, line): (usize, &str)| format!("{:>6}\t{line}\n", n + 1);
    text.lines().enumerate().map(line).collect()
}

fn read_of(home: &Home, path: &str) -> Value {
    json!({"file_path": home.project().join(path)})
}

#[test]
fn a_check_that_bears_it_out_restamps_it_and_notes_when() {
    let home = Home::new();
    let id = moved(&home);
    look(&home);
    assert!(is_stale(&home, &id));
    home.travel("2026-04-01");
    let answer = home.json(&["verify", handle(&id), "--confirmed", "--evidence", "read it"]);
    assert_eq!((&answer["outcome"], &answer["waits"]), (&json!("confirmed"), &json!(false)));
    let memory = home.show(&id);
    assert_eq!(memory["last_verified_at"], "2026-04-01T09:00:00.000Z");
    assert_eq!(memory["watermarks"][0]["status"], "unchanged");
    assert_eq!(memory["watermarks"][0]["stamped_at"], "2026-04-01T09:00:00.000Z");
    assert!(memory["trust"].as_f64() >= Some(0.95), "{memory}");
    assert_eq!(look(&home)["unchanged"], 1, "it hangs on the file as it is now");
    assert!(asserts(&brief(&home, "april"), "RETRY_LIMIT"));
    home.json(&["undo", &batch_of(&home, "verify", "user")]);
    assert!(home.show(&id)["last_verified_at"].is_null());
    assert!(asks_to_check(&brief(&home, "later"), "RETRY_LIMIT"));
    home.assert_sound();
}

/// The latest batch of a sort, by whom.
fn batch_of(home: &Home, cause: &str, by: &str) -> String {
    let log = batches(home);
    let found = log.iter().find(|batch| batch["cause"] == cause && batch["actor"] == by);
    id_of(found.unwrap_or_else(|| panic!("no {cause} by {by}: {log:?}")))
}

#[test]
fn a_check_that_refutes_it_takes_it_back_and_teaches_and_undo_takes_both_back() {
    let home = Home::new();
    let id = moved(&home);
    write(&home, PLACE, &RETRY.replace('7', "9"));
    look(&home);
    let saw = "RETRY_LIMIT is 9 in src/retry.rs";
    let answer = home.json(&["verify", &id, "--refuted", "--evidence", saw]);
    assert_eq!(
        (&answer["outcome"], &answer["memory"]["state"]),
        (&json!("refuted"), &json!("retracted"))
    );
    let lesson = home.show(answer["lesson"].as_str().expect("something is learnt"));
    let words = lesson["content"].as_str().unwrap();
    assert_eq!(lesson["kind"], "lesson");
    assert!(words.contains("RETRY_LIMIT") && words.contains(PLACE), "{words}");
    assert!(home.texts(&["list", "--kind", "fact"]).is_empty());
    home.json(&["undo"]);
    assert_eq!(home.show(&id)["state"], "confirmed");
    assert!(home.texts(&["list", "--all", "--kind", "lesson"]).is_empty());
    assert!(is_stale(&home, &id), "and it still has to be checked");
    home.assert_sound();
}

#[test]
fn a_tool_that_shows_the_claim_in_the_file_confirms_it_by_itself() {
    let home = Home::new();
    let id = moved(&home);
    let agent = Agent::new(&home, "march");
    assert!(asks_to_check(&agent.starts(), "RETRY_LIMIT"));
    ran(&agent, "Read", &read_of(&home, PLACE), &numbered(&RETRY.replace("Tries", "Attempts")));
    let memory = home.show(&id);
    assert!(memory["last_verified_at"].is_string(), "{memory}");
    assert_eq!(
        (&memory["flags"], &memory["watermarks"][0]["status"]),
        (&json!([]), &json!("unchanged"))
    );
    let evidence = memory["evidence"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&evidence["authority"], &evidence["session"]),
        (&json!("measured"), &json!("march"))
    );
    assert!(asserts(&brief(&home, "next"), "RETRY_LIMIT"));
    home.json(&["undo", &batch_of(&home, "capture", "system")]);
    assert!(is_stale(&home, &id), "undo takes it back");
}

#[test]
fn a_command_that_prints_the_claim_from_the_file_confirms_it_too() {
    let home = Home::new();
    let id = moved(&home);
    let agent = Agent::new(&home, "march");
    agent.starts();
    let input = json!({"command": "grep -n RETRY_LIMIT src/retry.rs"});
    ran(&agent, "Bash", &input, "3:pub const RETRY_LIMIT: u32 = 7;");
    assert!(!is_stale(&home, &id));
}

#[test]
fn a_tool_that_does_not_show_the_claim_confirms_nothing() {
    let shown = numbered(RETRY);
    let elsewhere = numbered(&RETRY.replace('7', "9"));
    for (tool, what, output) in [
        ("Read", PLACE, elsewhere.as_str()),
        ("Read", PLACE, "     1\t//! Attempts again.\n"),
        ("Read", PLACE, ""),
        ("Read", "src/other.rs", &shown),
        ("Bash", "ls src", "retry.rs"),
    ] {
        let home = Home::new();
        let id = moved(&home);
        let agent = Agent::new(&home, "march");
        agent.starts();
        let command = json!({"command": what});
        let input = if tool == "Read" { read_of(&home, what) } else { command };
        ran(&agent, tool, &input, output);
        agent.ends();
        let memory = home.show(&id);
        assert!(memory["last_verified_at"].is_null(), "{tool} {output}");
        assert!(is_stale(&home, &id), "{tool} {output}");
    }
}

#[test]
fn a_file_that_changed_after_it_was_read_is_not_confirmed_as_it_is_now() {
    let home = Home::new();
    let id = moved(&home);
    let agent = Agent::new(&home, "march");
    agent.starts();
    let shown = numbered(&RETRY.replace("Tries", "Attempts"));
    let read = json!({"tool_name": "Read", "tool_input": read_of(&home, PLACE),
        "tool_use_id": "toolu_1", "tool_response": shown});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [read]}));
    // The agent changes it in the same turn, after it looked.
    write(&home, PLACE, &RETRY.replace('7', "9"));
    agent.answers("I raised the limit.");
    agent.ends();
    let told = brief(&home, "next");
    assert!(!asserts(&told, "RETRY_LIMIT"), "it is 9 now: {told}");
    assert!(asks_to_check(&told, "RETRY_LIMIT"), "{told}");
    assert!(is_stale(&home, &id));
}

#[test]
fn the_line_numbers_that_a_tool_prints_confirm_nothing() {
    let home = Home::new();
    let text = |ahead: u32| {
        format!("const AHEAD: u32 = {ahead};\n{}", "// The parser looks ahead.\n".repeat(20))
    };
    write(&home, "src/parser.rs", &text(12));
    let id = bound(&home, "The parser of the webshop keeps 12 tokens ahead", "file:src/parser.rs");
    write(&home, "src/parser.rs", &text(40));
    let agent = Agent::new(&home, "march");
    agent.starts();
    ran(&agent, "Read", &read_of(&home, "src/parser.rs"), &numbered(&text(40)));
    assert!(home.show(&id)["last_verified_at"].is_null(), "line 12 says nothing of 12 tokens");
    assert!(is_stale(&home, &id));
}

#[test]
fn a_tool_that_looked_at_one_of_two_files_confirms_nothing_about_the_other() {
    let home = Home::new();
    write(&home, PLACE, RETRY);
    write(&home, "deploy.toml", "retry_limit = 7\n");
    let both = ["--watch", "file:src/retry.rs", "--watch", "file:deploy.toml"];
    let id = home.remember_with(&[&[CLAIM], &both[..]].concat());
    write(&home, PLACE, &RETRY.replace("Tries", "Attempts"));
    write(&home, "deploy.toml", "retry_limit = 9\n");
    let agent = Agent::new(&home, "march");
    agent.starts();
    ran(&agent, "Read", &read_of(&home, PLACE), &numbered(&RETRY.replace("Tries", "Attempts")));
    look(&home);
    let marks = home.show(&id)["watermarks"].clone();
    let other = marks.as_array().unwrap().iter().find(|one| one["target"] == "deploy.toml");
    assert_eq!(other.unwrap()["status"], "moved", "nobody looked at it: {marks}");
    assert!(is_stale(&home, &id));
}

#[test]
fn a_tool_that_shows_what_the_file_was_confirms_nothing() {
    let was = "pub const RETRY_LIMIT: u32 = 7;";
    let diff =
        format!("@@ -1,3 +1,3 @@\n //! Tries again.\n \n-{was}\n+{}\n", was.replace('7', "9"));
    for (command, output) in [
        ("git diff HEAD~1 -- src/retry.rs", diff.as_str()),
        ("git log -p -1 src/retry.rs", &diff),
        ("git show HEAD~1:src/retry.rs", RETRY),
        ("sed -n 3p src/retry.rs.orig", was),
    ] {
        let home = Home::new();
        let id = moved(&home);
        write(&home, PLACE, &RETRY.replace('7', "9"));
        let agent = Agent::new(&home, "march");
        agent.starts();
        ran(&agent, "Bash", &json!({"command": command}), output);
        assert!(home.show(&id)["last_verified_at"].is_null(), "{command}");
        assert!(is_stale(&home, &id), "{command}: it is 9 now");
    }
}

#[test]
fn sessions_that_begin_at_once_are_all_told() {
    let home = Home::new();
    moved(&home);
    let begin = |n: u32| {
        let payload = Agent::new(&home, &format!("session {n}"))
            .payload("SessionStart", &json!({"source": "startup"}));
        let mut command = home.command();
        command.args(["hook", "SessionStart", "--agent", "claude-code"]).env(PATIENT.0, PATIENT.1);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("its input is ours");
        input.write_all(payload.as_bytes()).expect("it listens");
        child
    };
    let children: Vec<_> = (0..6).map(begin).collect();
    for child in children {
        let run = child.wait_with_output().expect("the program ends").into();
        let page = told("SessionStart", &run);
        assert!(asks_to_check(&page, "RETRY_LIMIT") && !asserts(&page, "RETRY_LIMIT"), "{page}");
    }
    home.assert_sound();
}

#[test]
fn a_secret_in_the_evidence_of_a_check_is_kept_nowhere() {
    let home = Home::new();
    let id = moved(&home);
    let token = format!("gh{}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "p_");
    let saw = format!("The server said so when asked with {token}");
    home.json(&["verify", &id, "--refuted", "--evidence", &saw]);
    assert!(home.files_holding(&token).is_empty());
    assert!(!home.files_holding("The server said so").is_empty());
}

#[test]
fn after_a_compaction_what_moved_is_not_asserted_either() {
    let home = Home::new();
    moved(&home);
    let agent = Agent::new(&home, "march");
    assert!(asks_to_check(&agent.starts(), "RETRY_LIMIT"));
    agent.hears("What is RETRY_LIMIT in src/retry.rs?");
    agent.answers("I look it up.");
    agent.tell_at(None, "PreCompact", &json!({"trigger": "auto"}));
    let told = agent.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    assert!(asks_to_check(&told, "RETRY_LIMIT") && !asserts(&told, "RETRY_LIMIT"), "{told}");
    let told = agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert_eq!(told, "", "it was asked to check that after the compaction");
}

#[test]
fn what_only_one_session_may_see_no_other_is_asked_to_check() {
    let home = Home::new();
    write(&home, PLACE, RETRY);
    let own = ["--scope", "session", "--watch", "file:src/retry.rs"];
    home.session("one").remember_with(&[&[CLAIM], &own[..]].concat());
    write(&home, PLACE, &RETRY.replace('7', "9"));
    assert!(!brief(&home, "two").contains("RETRY_LIMIT"));
    assert!(asks_to_check(&brief(&home, "one"), "RETRY_LIMIT"));
}

#[test]
fn an_agents_word_that_it_holds_is_no_check() {
    let home = Home::new();
    let id = moved(&home);
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("What is RETRY_LIMIT in src/retry.rs?");
    agent.answers("I have checked it: RETRY_LIMIT in src/retry.rs is 7.");
    agent.ends();
    let memory = home.show(&id);
    assert!(memory["last_verified_at"].is_null(), "{memory}");
    assert!(is_stale(&home, &id));
}

#[test]
fn a_read_never_refreshes() {
    let home = Home::new();
    let id = moved(&home);
    look(&home);
    let before = home.show(&id)["trust"].clone();
    for args in [
        &["show", &id][..],
        &["why", &id],
        &["history", &id],
        &["expand", &id],
        &["search", "RETRY_LIMIT"],
        &["recall", "What is RETRY_LIMIT?"],
        &["recall", "What is RETRY_LIMIT?", "--include-superseded"],
        &["list"],
        &["verify"],
        &["verify", "--list"],
        &["review"],
        &["feedback", &id, "--helpful"],
        &["pin", &id],
    ] {
        home.page(args);
        let memory = home.show(&id);
        assert!(memory["last_verified_at"].is_null(), "{args:?}");
        assert_eq!(memory["trust"], before, "{args:?}");
        assert!(is_stale(&home, &id), "{args:?}");
    }
}

#[test]
fn a_brief_asks_for_three_checks_at_most_the_most_telling_first() {
    let home = Home::new();
    for n in 0..6_u32 {
        let path = format!("src/part{n}.rs");
        write(&home, &path, &format!("pub const PART: u32 = {n};\n"));
        let importance = format!("0.{}", n + 4);
        let text = format!("Part {n} of the machine has {n} wheels");
        let args = [&text, "--watch", &format!("file:{path}"), "--importance", &importance];
        home.remember_with(&args);
    }
    for n in 0..6 {
        write(&home, &format!("src/part{n}.rs"), "pub const PART: u32 = 99;\n");
    }
    let told = brief(&home, "march");
    assert_eq!(checks_in(&told), 3, "{told}");
    for n in 3..6 {
        assert!(asks_to_check(&told, &format!("Part {n} of")), "{n}: {told}");
    }
    let queue = home.json(&["verify", "--list"])["queue"].as_array().unwrap().clone();
    assert_eq!(queue.len(), 5, "what matters less is not worth a check");
    assert_eq!(home.json(&["review"])["verify"].as_array().map(Vec::len), Some(5));
}

#[test]
fn verify_lists_without_looking_when_it_is_told_to() {
    let home = Home::new();
    let id = moved(&home);
    assert_eq!(home.json(&["verify", "--list"])["queue"], json!([]), "nobody has looked yet");
    let found = home.json(&["verify"]);
    assert_eq!(found["queue"][0]["memory"]["id"], id.as_str(), "{found}");
    let message = found["queue"][0]["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("I have “{CLAIM}” as of ")), "{message}");
    assert!(message.ends_with("— check before building on it"), "{message}");
    assert_eq!(home.json(&["verify", "--list"])["queue"].as_array().map(Vec::len), Some(1));
    let log = batches(&home).len();
    home.json(&["verify"]);
    assert_eq!(batches(&home).len(), log, "looking again at the same writes nothing");
}

#[test]
fn a_verdict_needs_a_current_memory_and_one_outcome() {
    let home = Home::new();
    let id = moved(&home);
    for args in [
        &["verify", &id][..],
        &["verify", "--confirmed"],
        &["verify", &id, "--confirmed", "--refuted"],
        &["verify", "--evidence", "read it"],
        &["verify", &id, "--list"],
    ] {
        assert_eq!(home.run(args).code, 2, "{args:?}");
    }
    assert_eq!(home.error(&["verify", "0123456789ab", "--confirmed"]).0, 3);
    home.json(&["forget", &id]);
    let (code, error) = home.error(&["verify", &id, "--confirmed"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")), "{error}");
    assert_eq!(home.show(&id)["state"], "retracted");
}

/// What `stats` says about bindings: (moved, changed), (moved, held), (still, changed), (still, held).
fn matrix(home: &Home) -> [u64; 4] {
    let found = home.json(&["stats"])["watermarks"].clone();
    ["moved_and_changed", "moved_and_held", "still_and_changed", "still_and_held"]
        .map(|cell| found[cell].as_u64().expect("stats count what bindings did"))
}

#[test]
fn three_needless_alarms_bind_a_folders_claim_to_the_file_and_three_more_to_the_lines() {
    let home = Home::new();
    git(&home.project(), &["init", "-q"]);
    write(&home, PLACE, RETRY);
    commit(&home, "first");
    let id = bound(&home, CLAIM, "git:src");
    let mark = |home: &Home| {
        let marks = home.show(&id)["watermarks"].clone();
        assert_eq!(marks.as_array().map(Vec::len), Some(1), "{marks}");
        [&marks[0]["type"], &marks[0]["target"], &marks[0]["span"]].map(Value::clone)
    };
    let alarm = |n: u32| {
        write(&home, PLACE, &RETRY.replace("Tries", &format!("Tries {n} times")));
        commit(&home, &format!("words {n}"));
        look(&home);
        assert!(is_stale(&home, &id), "{n}");
        home.json(&["verify", &id, "--confirmed"]);
        assert!(!is_stale(&home, &id), "{n}");
    };
    (1..=2).for_each(alarm);
    assert_eq!(mark(&home), [json!("git"), json!("src"), json!(null)]);
    alarm(3);
    assert_eq!(mark(&home), [json!("file"), json!(PLACE), json!(null)]);
    (4..=6).for_each(alarm);
    assert_eq!(mark(&home), [json!("file"), json!(PLACE), json!("L3-L3")]);
    write(&home, PLACE, &RETRY.replace("Tries", "Tries once more"));
    look(&home);
    assert!(!is_stale(&home, &id), "words elsewhere are none of its business now");
}

#[test]
fn stats_print_how_often_bindings_were_right() {
    let home = Home::new();
    assert!(home.json(&["stats"])["watermarks"].is_null(), "nothing is bound yet");
    let id = moved(&home);
    assert_eq!(matrix(&home), [0, 0, 0, 0]);
    look(&home);
    home.json(&["verify", &id, "--confirmed"]);
    assert_eq!(matrix(&home), [0, 1, 0, 0], "a needless alarm");
    home.json(&["verify", &id, "--confirmed"]);
    assert_eq!(matrix(&home), [0, 1, 0, 1], "it was quiet, and rightly so");
    write(&home, PLACE, &RETRY.replace('7', "9"));
    look(&home);
    home.json(&["verify", &id, "--refuted"]);
    assert_eq!(matrix(&home), [1, 1, 0, 1], "it saw the change coming");
    let page = home.page(&["stats"]);
    assert!(page.contains("watermarks") && page.contains("changed     held"), "{page}");
}

#[test]
fn a_change_that_the_file_did_not_show_counts_as_a_miss() {
    let home = Home::new();
    write(&home, "docs/retry.md", "The limit is told elsewhere.\n");
    let id = bound(&home, "Requests are tried 7 times", "file:docs/retry.md");
    home.json(&["correct", &id, "Requests are tried 9 times"]);
    assert_eq!(matrix(&home), [0, 0, 1, 0]);
}

#[test]
fn a_binding_that_missed_a_change_is_not_believed_again() {
    let home = Home::new();
    write(&home, "docs/retry.md", "The limit is told elsewhere.\n");
    let id = bound(&home, "Requests are tried 7 times", "file:docs/retry.md");
    home.json(&["verify", &id, "--refuted"]);
    assert_eq!(matrix(&home), [0, 0, 1, 0]);
    let again = home.json(&["remember", "Requests are tried 7 times"])["memory"].clone();
    assert_eq!((&again["id"], &again["state"]), (&json!(id), &json!("confirmed")));
    assert_eq!(again["watermarks"], json!([]), "bound to the wrong thing once is enough");
}

#[test]
fn what_a_person_says_again_of_something_that_moved_is_fresh() {
    let home = Home::new();
    let id = moved(&home);
    look(&home);
    assert!(is_stale(&home, &id));
    assert_eq!(home.json(&["remember", CLAIM])["deduped"], true);
    assert!(!is_stale(&home, &id), "they see it as it is now");
    assert_eq!(strings(&home.show(&id)["flags"]), Vec::<&str>::new());
}
