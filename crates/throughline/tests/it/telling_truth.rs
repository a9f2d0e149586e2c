//! What is told holds, fits, is news to whoever hears it, and is told once.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;
use crate::settling::session;
use crate::two_doors::says;

#[test]
fn a_turn_that_was_said_otherwise_since_is_not_quoted_even_where_the_newer_value_was_told_already()
{
    let home = Home::new();
    says(&home, "monday", "The nightly import runs at 2 am.");
    home.travel("2026-03-03");
    says(&home, "tuesday", "The nightly import runs at 4 am now.");
    home.travel("2026-03-04");
    let agent = Agent::new(&home, "wednesday");
    let brief = agent.starts();
    assert!(brief.contains("4 am"), "{brief}");
    for prompt in ["nightly import time?", "When does the nightly import run?"] {
        let told = agent.hears(prompt);
        assert!(!told.contains("2 am"), "{prompt}: {told}");
    }
}

#[test]
fn what_a_prompt_says_is_not_told_back_new_or_said_again() {
    let home = Home::new();
    for (day, session) in [("2026-03-02", "monday"), ("2026-03-03", "tuesday")] {
        home.travel(day);
        let agent = Agent::new(&home, session);
        assert_eq!(agent.hears("Remember that Bob is on vacation."), "", "{day}");
        agent.answers("Noted.");
        agent.ends();
    }
    assert_eq!(home.texts(&["list"]), ["Bob is on vacation"]);
    let told = Agent::new(&home, "wednesday").hears("Is Bob on vacation?");
    assert!(told.contains("Bob is on vacation"), "another session is told: {told}");
}

#[test]
fn what_a_compacted_session_is_reminded_of_first_is_what_was_said_in_it() {
    let home = Home::new();
    let before = ["The billing service is called Ledger.", "Remember that the office is in Basel."];
    session(&home, "zero", &before);
    home.travel("2026-03-08");
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears("We decided to use Kafka for the event bus.");
    agent.answers("Fine.");
    agent.hears("Remember that Grace signs off every release.");
    agent.answers("Noted.");
    agent.tell_at(None, "PreCompact", &json!({"trigger": "manual", "custom_instructions": ""}));
    let page = agent.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    let here = page.split("# ").find(|part| part.starts_with("From this session so far"));
    let here = here.unwrap_or_else(|| panic!("{page}"));
    assert!(here.contains("Kafka") && here.contains("Grace"), "{page}");
    assert!(!here.contains("Ledger") && !here.contains("Basel"), "{page}");
    for text in ["Kafka", "Grace"] {
        assert_eq!(page.matches(text).count(), 1, "told once: {page}");
    }
}

#[test]
fn a_decision_that_replaced_what_a_conversation_was_told_is_listed_once_when_it_goes_on() {
    let home = Home::new();
    let old = home.remember_with(&["We keep sessions in Redis", "--kind", "decision"]);
    let agent = Agent::new(&home, "one");
    assert!(agent.starts().contains("Redis"));
    agent.hears("Write a test for the empty cart.");
    agent.answers("Done.");
    agent.ends();
    home.travel("2026-03-03");
    home.json(&["correct", &old, "We keep sessions in Postgres"]);
    let page = agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert_eq!(page.matches("We keep sessions in Postgres").count(), 1, "{page}");
}

#[test]
fn a_failure_that_the_agent_wrote_about_is_warned_of_once() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Run the whole suite.");
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test --all-features"},
        "tool_use_id": "toolu_1", "is_interrupt": false,
        "error": "Exit code 101\nerror: the feature `simd` requires the nightly compiler"});
    agent.tell_at(None, "PostToolUseFailure", &failed);
    agent.answers(
        "`cargo test --all-features` failed because the `simd` feature requires the nightly compiler.",
    );
    agent.ends();
    let call = json!({"tool_name": "Bash", "tool_use_id": "toolu_2",
        "tool_input": {"command": "cargo test --all-features"}});
    let warned = Agent::new(&home, "two").tell_at(None, "PreToolUse", &call);
    assert_eq!(warned.matches("nightly compiler").count(), 1, "{warned}");
    assert!(warned.contains("observed"), "{warned}");
}
