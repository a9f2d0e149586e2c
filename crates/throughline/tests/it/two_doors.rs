//! What a person says in a prompt does what the same words do by hand.

use crate::harness::Home;
use crate::hooking::Agent;

/// A person says this in a session of its own.
pub(crate) fn says(home: &Home, session: &str, prompt: &str) {
    let agent = Agent::new(home, session);
    agent.starts();
    agent.hears(prompt);
    agent.answers("Fine.");
    agent.ends();
}

fn states(home: &Home) -> Vec<(String, String)> {
    let all = home.everything();
    let items = all["items"].as_array().expect("a list").iter();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let mut states: Vec<_> =
        items.map(|one| (text(&one["state"]), text(&one["content"]))).collect();
    states.sort();
    states
}

#[test]
fn another_value_said_in_a_later_prompt_replaces_the_first_as_it_does_by_hand() {
    for (one, other) in [
        ("The worker uses Node 18", "The worker uses Node 20 now"),
        ("The frontend uses React 18", "The frontend uses React 19"),
        ("We use port 8080 for the api", "We use port 9090 for the api now"),
        ("We use Node 18 for the worker", "We use Node 20 for the worker"),
    ] {
        let by_hand = Home::new();
        by_hand.remember(one);
        by_hand.travel("2026-03-03");
        by_hand.remember(other);
        let by_prompt = Home::new();
        says(&by_prompt, "monday", &format!("{one}."));
        by_prompt.travel("2026-03-03");
        says(&by_prompt, "tuesday", &format!("{other}."));
        let expected =
            [("confirmed".to_owned(), other.to_owned()), ("superseded".to_owned(), one.to_owned())];
        assert_eq!(states(&by_hand), expected, "by hand");
        assert_eq!(states(&by_prompt), expected, "by prompts");
        by_prompt.travel("2026-03-04");
        let brief = Agent::new(&by_prompt, "wednesday").starts();
        assert!(brief.contains(other) && !brief.contains("contested"), "{brief}");
    }
}

#[test]
fn a_decision_for_the_same_purpose_in_a_later_prompt_never_stands_beside_the_first_unsaid() {
    let home = Home::new();
    let decided = |name: &str| format!("We decided to use {name} for the orders database");
    says(&home, "monday", &format!("{}.", decided("MySQL")));
    home.travel("2026-03-03");
    says(&home, "tuesday", &format!("{}.", decided("SQLite")));
    let kept = states(&home);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.contains(&("confirmed".to_owned(), decided("SQLite"))), "{kept:?}");
    let replaced = kept.contains(&("superseded".to_owned(), decided("MySQL")));
    let brief = Agent::new(&home, "wednesday").starts();
    assert!(replaced || brief.contains("contested by"), "{kept:?}: {brief}");
    let recall = home.json(&["recall", "which database do we use for orders?"]);
    let text = recall["text"].as_str().expect("a text");
    assert!(text.contains("SQLite"), "{text}");
    assert!(replaced != text.contains("contested"), "{text}");
}

#[test]
fn two_things_that_are_used_stand_beside_each_other_by_prompts_too() {
    let home = Home::new();
    says(&home, "monday", "The worker uses Node 18.");
    home.travel("2026-03-03");
    says(&home, "tuesday", "The worker uses Postgres 16.");
    let kept = states(&home);
    assert!(kept.len() == 2 && kept.iter().all(|(state, _)| state == "confirmed"), "{kept:?}");
}

#[test]
fn what_a_prompt_asks_to_forget_is_taken_back_where_a_memory_says_exactly_that() {
    for prompt in ["Forget that Bob is on vacation.", "please forget bob is on vacation"] {
        let home = Home::new();
        says(&home, "monday", "Remember that Bob is on vacation.");
        home.remember("Bob is on the release team");
        let agent = Agent::new(&home, "tuesday");
        for other in ["Forget that Bob is on holiday.", "Forget that.", "Forget Bob."] {
            agent.hears(other);
            agent.answers("Fine.");
        }
        assert_eq!(home.texts(&["list"]).len(), 2, "only the very words count");
        agent.hears(prompt);
        assert_eq!(home.texts(&["list"]), ["Bob is on the release team"], "{prompt}");
        agent.answers("Fine.");
        agent.ends();
        let waiting = home.json(&["review"])["pending"].clone();
        assert!(waiting.as_array().is_none_or(Vec::is_empty), "{waiting}");
    }
}

#[test]
fn a_prompt_that_orders_to_remember_leaves_no_gap_and_is_kept() {
    let home = Home::new();
    says(&home, "monday", "Can you remember that the api token expires on Mondays?");
    assert_eq!(home.texts(&["list"]), ["the api token expires on Mondays"]);
    assert_eq!(home.texts(&["list", "--kind", "gap"]), Vec::<String>::new());
}
