//! Quotes: statements that nobody has withdrawn, and never in the place of a memory.

use crate::harness::Home;
use crate::hooking::Agent;

/// A session in which a person said these things, one after the other.
fn session(home: &Home, name: &str, prompts: &[&str]) {
    let agent = Agent::new(home, name);
    for prompt in prompts {
        agent.hears(prompt);
        agent.answers("Got it.");
    }
    agent.ends();
}

/// What is said to a later session, at its start and when it asks, and by hand.
fn told(home: &Home, question: &str) -> String {
    let agent = Agent::new(home, "later");
    let started = agent.starts();
    let answered = agent.hears(question);
    let recalled = home.page(&["recall", question, "--episodes"]);
    format!("{started}\n{answered}\n{recalled}")
}

#[test]
fn questions_orders_suppositions_and_nods_are_not_quoted() {
    for passing in [
        "remind me, why did we go with ulids again?",
        "why did we go with ulids for the order ids",
        "ok ship the ulids, deploy the order ids to production",
        "Maybe we should move the order ids from ulids to snowflakes.",
        "what if the ulids of the order ids clash?",
        "ok",
        "ok.",
        "yes please",
    ] {
        let home = Home::new();
        session(&home, "march", &[passing, "ok"]);
        let told = told(&home, "why did we go with ulids for order ids?");
        let quoted: Vec<&str> = told.lines().filter(|line| line.starts_with('“')).collect();
        assert_eq!(quoted, Vec::<&str>::new(), "{passing}");
        assert!(!told.contains("Got it") && !told.contains("“ok"), "{told}");
    }
}

#[test]
fn a_statement_that_no_memory_tells_may_be_quoted() {
    let home = Home::new();
    session(
        &home,
        "march",
        &["The ulids migration took the box in Lyon three hours this morning."],
    );
    let told = told(&home, "how long did the ulids migration take the box in Lyon?");
    assert!(told.contains("“The ulids migration took"), "{told}");
}

#[test]
fn a_memory_stands_and_not_the_quote_of_the_turn_it_came_from() {
    let home = Home::new();
    session(&home, "march", &["We chose ulids for order ids because they sort by time."]);
    let told = told(&home, "why did we go with ulids for order ids?");
    assert!(!told.contains("Said, not verified"), "{told}");
    assert!(told.contains("user said: We chose ulids"), "{told}");
}

#[test]
fn a_rule_that_was_taken_back_is_not_quoted_back() {
    let home = Home::new();
    let rule = "Always squash commits before merging to main.";
    session(&home, "march", &[rule]);
    session(&home, "april", &["As I said: always squash commits before merging to main."]);
    for one in home.json(&["list"])["items"].as_array().unwrap() {
        home.json(&["forget", one["id"].as_str().unwrap()]);
    }
    let told = told(&home, "do we squash commits before merging?");
    assert!(!told.to_lowercase().contains("always squash commits"), "{told}");
}

#[test]
fn an_agents_claim_about_a_file_that_is_not_there_does_not_head_the_brief() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("how are the totals rounded?");
    agent.answers(
        "`round_total` in `src/money/round.rs` returns cents and is called by `Invoice::total`.",
    );
    agent.ends();
    let started = Agent::new(&home, "april").starts();
    assert!(!started.contains("First of all"), "{started}");
    assert!(!started.contains("I have “"), "{started}");
}
