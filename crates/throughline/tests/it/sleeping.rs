//! Sleeping: what came in is gone over once more. It says what it had, did and left, and can be undone.

use serde_json::{Value, json};

use crate::harness::{Home, batches, id_of, strings};
use crate::hooking::{Agent, DECISION};
use crate::models_trouble::until;
use crate::settling::{patch, session};
use crate::watching::{bound, is_stale, look, write};

/// Something for a sleep to do: a memory names what is there only later.
fn leave_something(home: &Home) -> String {
    write(home, "src/retry.rs", "pub const OTHER: u32 = 1;\n");
    let id = home.remember("RETRY_LIMIT in src/retry.rs is 7");
    write(home, "src/retry.rs", "pub const RETRY_LIMIT: u32 = 7;\n");
    assert!(!is_bound(home, &id));
    id
}

fn is_bound(home: &Home, id: &str) -> bool {
    home.show(id)["watermarks"][0]["target"] == "src/retry.rs"
}

fn changes(slept: &Value) -> u64 {
    let done = slept["changes"].as_object().expect("a sleep says what it did");
    done.values().map(|count| count.as_u64().expect("a number")).sum()
}

/// Everything there is and how often anything was written, to see that nothing changed.
fn state(home: &Home) -> (Value, usize) {
    (home.everything(), batches(home).len())
}

#[test]
fn what_only_looks_alike_is_left_apart() {
    let home = Home::new();
    let texts = [
        "The webshop keeps 12 workers for mails",
        "The webshop keeps 15 workers for mails",
        "Deployments are started by the release robot",
        "Deployments are not started by the release robot",
        "The API of the shop is written in Go",
        "The API of the shop is written in Rust",
    ];
    for text in texts {
        home.remember(text);
    }
    assert_eq!(home.json(&["sleep"])["changes"]["merged"], 0);
    assert_eq!(home.texts(&["list"]).len(), texts.len());
}

/// Pairs that differ in one word and say the opposite, and one that says the same.
pub(crate) const OPPOSITES: [[&str; 2]; 8] = [
    [
        "The cache layer stores encrypted session data",
        "The cache layer stores unencrypted session data",
    ],
    [
        "Migrations run before the deployment of the shop",
        "Migrations run after the deployment of the shop",
    ],
    [
        "The billing worker reads the audit table nightly",
        "The billing worker writes the audit table nightly",
    ],
    [
        "The reporting gateway is internal to the company",
        "The reporting gateway is external to the company",
    ],
    ["The mailer talks to the queue in sync mode", "The mailer talks to the queue in async mode"],
    [
        "The staging cluster is larger than the production cluster",
        "The staging cluster is smaller than the production cluster",
    ],
    [
        "Retries increase the timeout of the importer",
        "Retries decrease the timeout of the importer",
    ],
    [
        "The webshop's deployments are started by a robot",
        "Deployments of the webshop are started by a robot",
    ],
];

#[test]
fn what_is_only_alike_stays_two_through_sleep_and_neither_gains_trust() {
    let home = Home::new();
    let ids: Vec<String> = OPPOSITES.concat().into_iter().map(|text| home.remember(text)).collect();
    let texts = home.texts(&["list"]);
    let trust =
        |id: &String| (home.json(&["why", id])["trust"].clone(), home.show(id)["evidence"].clone());
    let before: Vec<_> = ids.iter().map(trust).collect();
    for _ in 0..2 {
        let slept = home.json(&["sleep"]);
        assert_eq!(slept["changes"]["merged"], 0, "{slept}");
        home.remember("Lunch is at noon");
    }
    home.json(&["forget", &home.remember("Lunch is at noon")]);
    assert_eq!(home.texts(&["list"]), texts);
    assert_eq!(ids.iter().map(trust).collect::<Vec<_>>(), before);
}

#[test]
fn sleeping_twice_changes_nothing() {
    let home = Home::new();
    leave_something(&home);
    session(&home, "march", &[DECISION, "The staging database runs on Postgres 14."]);
    home.json(&["sleep"]);
    let before = state(&home);
    for _ in 0..3 {
        let slept = home.json(&["sleep"]);
        assert_eq!((changes(&slept), &slept["batch"]), (0, &json!(null)), "{slept}");
        assert_eq!(state(&home), before);
    }
}

#[test]
fn a_dry_run_says_what_a_sleep_does_and_writes_nothing() {
    let home = Home::new();
    leave_something(&home);
    let before = state(&home);
    let told = home.json(&["sleep", "--dry-run"]);
    assert_eq!((&told["dry_run"], &told["batch"]), (&json!(true), &json!(null)));
    assert_eq!(state(&home), before);
    assert!(home.page(&["sleep", "--dry-run"]).contains("nothing was written"));
    let slept = home.json(&["sleep"]);
    assert_eq!((&told["changes"], &told["inputs"]), (&slept["changes"], &slept["inputs"]));
    assert_eq!(changes(&slept), 1);
}

#[test]
fn a_sleep_that_does_nothing_says_why() {
    let home = Home::new();
    let nothing = home.json(&["sleep"]);
    assert_eq!(strings(&nothing["skipped"]), ["nothing came in since the last sleep"]);
    home.remember("Lunch is at noon");
    let slept = home.json(&["sleep"]);
    assert_eq!((changes(&slept), &slept["inputs"]["memories"]), (0, &json!(1)), "{slept}");
    let why = strings(&slept["skipped"]).join(" ");
    assert!(why.contains("1 memories were looked at"), "{why}");
    assert!(slept["next_due"].is_string());
    assert!(home.page(&["sleep"]).contains("since the last sleep"));
    let slot = |port: &str| format!("staging|port|{port}|one");
    for port in ["8080", "9090"] {
        home.remember_with(&[port, "--slot", &slot(port), "--authority", "observed"]);
    }
    let slept = home.json(&["sleep"]);
    let why = strings(&slept["skipped"]).join(" ");
    assert!(why.contains("1 contradictions wait for a person"), "{why}");
}

#[test]
fn a_sleep_never_says_that_nothing_contradicts_while_pairs_wait_in_review() {
    let home = Home::new();
    for port in ["8080", "9090"] {
        let slot = format!("staging|port|{port}|one");
        home.remember_with(&[port, "--slot", &slot, "--authority", "observed"]);
    }
    let waiting = home.json(&["review"])["contested"].as_array().map(Vec::len);
    assert_eq!(waiting, Some(1), "the pair waits before anybody sleeps");
    let said = |slept: &Value| strings(&slept["skipped"]).join(" ");
    let slept = home.json(&["sleep"]);
    assert_eq!((changes(&slept), &slept["inputs"]["memories"]), (0, &json!(2)), "{slept}");
    assert!(!said(&slept).contains("none contradicts"), "{slept}");
    assert!(said(&slept).contains("none repeats another"), "{slept}");
    assert!(said(&slept).contains("`review` shows"), "{slept}");
    // Also when nothing is new: the pair still waits.
    let again = home.json(&["sleep"]);
    assert!(said(&again).contains("nothing came in since the last sleep"), "{again}");
    assert!(said(&again).contains("1 contradictions wait for a person"), "{again}");
    // A person decides, and then it is true again.
    let first = id_of(&home.json(&["list"])["items"][0]);
    home.json(&["review", "--keep-a", &first]);
    let settled = home.json(&["sleep"]);
    assert!(!said(&settled).contains("wait for a person"), "{settled}");
}

#[test]
fn undo_takes_a_whole_sleep_back() {
    let home = Home::new();
    let named = leave_something(&home);
    let before = home.everything();
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["bound"], 1, "{slept}");
    assert!(is_bound(&home, &named));
    home.json(&["undo", slept["batch"].as_str().unwrap()]);
    assert_eq!(home.everything(), before);
    home.assert_sound();
}

#[test]
fn what_undo_took_back_is_not_done_again_by_the_next_sleep() {
    let home = Home::new();
    let named = leave_something(&home);
    let slept = home.json(&["sleep"]);
    home.json(&["undo", slept["batch"].as_str().unwrap()]);
    home.remember("Lunch is at noon");
    home.json(&["sleep"]);
    assert!(!is_bound(&home, &named), "a person said no");
}

#[test]
fn a_sleep_that_changed_nothing_is_nothing_to_take_back() {
    let home = Home::new();
    home.remember("Lunch is at noon");
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["batch"], json!(null));
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]), [""; 0], "undo takes back what a person did last");
    home.assert_sound();
}

#[test]
fn a_sleep_stays_in_its_project() {
    let home = Home::new();
    let named = leave_something(&home);
    home.from("blog").remember_with(&["Lunch is at noon"]);
    assert_eq!(home.from("blog").json(&["sleep"])["inputs"]["memories"], 1);
    assert!(!is_bound(&home, &named));
    assert_eq!(home.json(&["sleep"])["inputs"]["memories"], 1);
    assert!(is_bound(&home, &named));
}

#[test]
fn two_sleeps_in_a_row_with_something_new_do_not_report_the_same() {
    let home = Home::new();
    let mut reports = Vec::new();
    for day in 1..=3 {
        for n in 0..day {
            home.remember(&format!("Table {day}-{n} is kept for a year"));
        }
        let slept = home.json(&["sleep"]);
        assert_eq!(slept["inputs"]["memories"], day, "what came in since the last one: {slept}");
        assert_eq!(slept["left"], 0);
        reports.push(slept);
    }
    reports.dedup();
    assert_eq!(reports.len(), 3);
    let nothing = home.json(&["sleep"]);
    assert_eq!(nothing["inputs"]["memories"], 0, "a sleep that changed nothing left its mark");
    let next = nothing["next_due"].as_str().expect("it says when");
    assert!(next.starts_with("when something new has come in"), "{next}");
}

#[test]
fn status_says_what_waits_for_sleep() {
    let home = Home::new();
    let waits = || home.json(&["status"])["sleep_waits"].clone();
    assert_eq!(waits(), 0);
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("Lunch is late today, please go on.");
    agent.answers("I go on.");
    assert_eq!(waits(), 2);
    assert!(home.page(&["status"]).contains("2 turns wait"), "{}", home.page(&["status"]));
    let told = home.json(&["sleep", "--dry-run"]);
    assert_eq!((&told["inputs"]["episodes"], waits()), (&json!(2), json!(2)));
    assert_eq!(home.json(&["sleep"])["inputs"]["episodes"], 2);
    assert_eq!(waits(), 0);
    assert!(!home.page(&["status"]).contains("wait"));
}

#[test]
fn memories_that_wait_for_sleep_are_counted_as_a_sleep_counts_them() {
    let home = Home::new();
    let waits = || home.json(&["status"])["sleep_waits_memories"].clone();
    assert_eq!(waits(), 0);
    let known = home.remember("The warehouse scanner talks to port 7000");
    home.remember("The warehouse scanner is cleaned on Fridays");
    home.remember("The warehouse scanner is cleaned on Fridays");
    home.json(&["edit", &known, "The warehouse scanner talks to port 7001"]);
    assert_eq!(waits(), 2, "each counts once");
    let page = home.page(&["status"]);
    assert!(page.contains("2 memories wait: `throughline sleep`"), "{page}");
    assert_eq!(home.json(&["sleep", "--dry-run"])["inputs"]["memories"], 2);
    let slept = home.json(&["sleep"]);
    assert_eq!((&slept["inputs"]["memories"], &slept["left_memories"]), (&json!(2), &json!(0)));
    assert_eq!(waits(), 0, "what sleep did itself does not wait");
}

/// Whether something slept since a batch.
fn sleeps(home: &Home) -> usize {
    batches(home).iter().filter(|batch| batch["cause"] == "sleep").count()
}

#[test]
fn work_sleeps_over_what_waits_also_without_a_model() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.starts();
    let named = leave_something(&home);
    agent.hears("Lunch is late today, please go on.");
    agent.answers("I go on.");
    assert_eq!(home.json(&["work"])["slept"], 2);
    assert!(is_bound(&home, &named));
    assert_eq!(home.json(&["work"])["slept"], 0);
}

#[test]
fn a_session_that_ends_is_slept_over() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.starts();
    let named = leave_something(&home);
    agent.hears("Lunch is late today, please go on.");
    agent.answers("I go on.");
    assert!(!is_bound(&home, &named), "nobody sleeps while they work");
    agent.ends();
    assert!(is_bound(&home, &named));
    assert_eq!(home.json(&["status"])["sleep_waits"], 0);
}

#[test]
fn a_server_that_nobody_asks_sleeps_over_what_waits() {
    let home = Home::live();
    let agent = Agent::new(&home, "march");
    agent.starts();
    let named = leave_something(&home);
    agent.hears("Lunch is late today, please go on.");
    agent.answers("I go on.");
    assert_eq!(home.json(&["status"])["sleep_waits"], 2);
    let mut client = home.mcp();
    client.call("recall", json!({"query": "lunch"}));
    assert!(!is_bound(&home, &named), "who answers does not sleep");
    until("a sleep of the server", || home.json(&["status"])["sleep_waits"] == 0);
    assert!(is_bound(&home, &named));
    assert_eq!(sleeps(&home), 2, "once into boxes, once for all the rest");
    client.leave();
    home.assert_sound();
}

/// A session that never ended, and those that begin after it: one takes only a moment for what it
/// finds, and on a busy machine the next one does. Ends when something is there.
fn crash(home: &Home, prompt: &str, held: &dyn Fn() -> bool) {
    let agent = Agent::new(home, "crashed");
    agent.starts();
    leave_something(home);
    agent.hears(prompt);
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"},
        "tool_use_id": "toolu_1", "tool_response": "error: the linker was killed"});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    assert_eq!(sleeps(home), 0);
    home.travel("2026-03-03");
    let starts = |n: &u32| drop(Agent::new(home, &format!("next {n}")).starts());
    (0..10).take_while(|_| !held()).for_each(|n| starts(&n));
}

#[test]
fn what_a_crashed_session_left_in_the_journal_is_slept_over_when_the_next_begins() {
    let home = Home::new();
    let held = || home.texts(&["list"]).iter().any(|text| text.contains("Postgres 14"));
    crash(&home, "The staging database runs on Postgres 14.", &|| sleeps(&home) > 0);
    assert!(held(), "nothing was lost");
    assert!(sleeps(&home) > 0, "somebody slept over it");
}

#[test]
fn what_a_crashed_session_had_taken_in_is_slept_over_when_the_next_begins() {
    let home = Home::new();
    let decision = "We decided to use pnpm for all packages of the webshop.";
    crash(&home, decision, &|| sleeps(&home) > 0);
    assert_eq!(home.json(&["list", "--kind", "decision"])["total"], 1, "nothing was lost");
    assert!(sleeps(&home) > 0, "somebody slept over it");
}

#[test]
fn a_sleep_binds_what_names_something_that_is_there_by_now() {
    let home = Home::new();
    let id = home.remember("RETRY_LIMIT in src/retry.rs is 7");
    assert_eq!(home.show(&id)["watermarks"], json!([]));
    write(&home, "src/retry.rs", "\npub const RETRY_LIMIT: u32 = 7;\n");
    assert_eq!(home.json(&["sleep"])["changes"]["bound"], 1);
    assert_eq!(home.show(&id)["watermarks"][0]["span"], "L2-L2");
}

#[test]
fn a_sleep_raises_what_proved_useful_and_not_how_true_it_is() {
    let home = Home::new();
    let id = home.remember("Releases of the webshop are cut from the branch called harbour");
    let other = home.remember("The office has a table for chess");
    let agent = Agent::new(&home, "march");
    let mut told = agent.starts();
    told += &agent.hears("From which branch are releases of the webshop cut?");
    assert!(told.contains("harbour"), "{told}");
    agent.answers("Releases of the webshop are cut from the branch called harbour, so I use it.");
    let trust = home.json(&["why", &id])["trust"].clone();
    let uses = |id: &str| home.show(id)["uses"].as_u64().unwrap();
    let (before, beside) = (uses(&id), uses(&other));
    agent.ends();
    assert!(uses(&id) > before, "{}", home.show(&id));
    assert_eq!(uses(&other), beside);
    assert_eq!(home.json(&["why", &id])["trust"], trust);
}

#[test]
fn a_sleep_leaves_what_is_stale_to_be_checked() {
    let home = Home::new();
    write(&home, "src/retry.rs", "pub const RETRY_LIMIT: u32 = 7;\n");
    let id = bound(&home, "RETRY_LIMIT in src/retry.rs is 7", "file:src/retry.rs");
    write(&home, "src/retry.rs", "pub const RETRY_LIMIT: u32 = 9;\n");
    look(&home);
    for _ in 0..3 {
        home.remember("Lunch is at noon");
        home.json(&["sleep"]);
    }
    assert!(is_stale(&home, &id), "nobody has checked it");
    assert!(home.show(&id)["last_verified_at"].is_null());
}

#[test]
fn a_patch_that_came_in_wrong_is_learnt_from_once_however_often_is_slept() {
    let home = Home::new();
    let slot = |tool: &str| {
        json!({"subject": "webshop", "predicate": "bundled with", "object": tool,
            "cardinality": "one"})
    };
    patch(
        &home,
        "assistant",
        &json!([{"op": "remember", "kind": "fact", "confidence": 0.9,
        "content": "The webshop is bundled with webpack 5", "slot": slot("webpack 5")}]),
    );
    let old = id_of(&home.json(&["list"])["items"][0]);
    assert_eq!(home.show(&old)["authority"], "inferred");
    home.remember_with(&[
        "The webshop is bundled with Vite 6",
        "--slot",
        "webshop|bundled with|Vite 6|one",
    ]);
    for _ in 0..3 {
        home.remember("Lunch is at noon");
        home.json(&["sleep"]);
    }
    assert_eq!(home.json(&["list", "--all", "--kind", "lesson"])["total"], 1);
}

#[test]
fn sessions_that_end_over_many_memories_get_through_all_of_them_a_little_at_a_time() {
    let home = Home::new();
    let rules: String =
        (0..400).map(|n| format!("- Service number {n} is restarted by hand\n")).collect();
    write(&home, "CLAUDE.md", &rules);
    // With as much time as a hook has by itself where everybody is quick.
    let hurried = [("THROUGHLINE_DEADLINE_MS", "1000")];
    let waits = || {
        let dry = home.json(&["sleep", "--dry-run"]);
        dry["inputs"]["memories"].as_u64().unwrap_or_default() + dry["left"].as_u64().unwrap_or(0)
    };
    Agent::new(&home, "reads the file").starts();
    assert!(home.json(&["list", "--limit", "1"])["total"].as_u64() >= Some(400));
    let mut sessions = 0;
    while sessions == 0 || waits() > 0 && sessions < 12 {
        let agent = Agent::new(&home, &format!("session {sessions}"));
        for (event, fields) in [
            ("SessionStart", json!({"source": "startup"})),
            ("UserPromptSubmit", json!({"prompt": "please rename the button"})),
            ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Renamed."})),
            ("SessionEnd", json!({"reason": "exit"})),
        ] {
            assert_eq!(agent.call(event, &fields, &hurried).code, 0, "{event}");
        }
        sessions += 1;
    }
    assert_eq!(waits(), 0, "after {sessions} sessions");
    home.assert_sound();
}
