//! Gaps: what was asked and is not known, until somebody answers it.

use serde_json::Value;

use crate::harness::{Home, id_of};
use crate::hooking::{Agent, assert_sound};

pub(crate) const QUESTION: &str = "What did we decide about the cache eviction policy?";

/// The open gaps, as `review` lists them.
fn open(home: &Home) -> Vec<Value> {
    home.json(&["review"])["gaps"].as_array().expect("a list").clone()
}

/// A question was asked in vain in a session that goes on.
pub(crate) fn asked<'a>(home: &'a Home, question: &str) -> Agent<'a> {
    home.remember("Postgres listens on port 5433");
    let agent = Agent::new(home, "march");
    assert_eq!(agent.hears(question), "");
    agent
}

#[test]
fn a_question_that_matters_leaves_a_gap_by_a_hook_and_says_whether_anything_was_found() {
    let home = Home::new();
    asked(&home, QUESTION).ends();
    let [gap] = open(&home).try_into().expect("one gap");
    assert_eq!(gap["content"], "nothing known about: decide cache eviction policy");
    assert_eq!((&gap["label"], &gap["state"]), (&"none_found".into(), &"staged".into()));

    let home = Home::new();
    asked(&home, "What did we decide about the port of Hamburg?").ends();
    let [gap] = open(&home).try_into().expect("one gap");
    assert_eq!(gap["label"], "none_relevant", "something has its words and does not fit: {gap}");
}

#[test]
fn what_anybody_can_look_up_and_what_is_only_ordered_leaves_none() {
    let home = Home::new();
    home.remember("Postgres listens on port 5433");
    let agent = Agent::new(&home, "march");
    for prompt in [
        "Why does this test fail?",
        "Refactor the cache eviction policy",
        "How do I sort a vector in Rust?",
        "What should we do about the cache?",
        "thanks!",
    ] {
        agent.hears(prompt);
    }
    agent.ends();
    assert_eq!(open(&home), Vec::<Value>::new());
}

#[test]
fn a_memory_that_answers_a_gap_closes_it_in_its_own_batch_and_undo_opens_it_again() {
    let home = Home::new();
    asked(&home, QUESTION).ends();
    let gap = id_of(&open(&home)[0]);
    home.remember("The cache is written in Go");
    assert_eq!(open(&home).len(), 1, "something else about it is no answer");
    let answer = home.remember("Cache eviction policy: we decided on LRU because it is simple");
    assert_eq!(open(&home), Vec::<Value>::new());
    assert_eq!(home.show(&gap)["state"], "expired");
    let log = home.json(&["log", "--limit", "1"]).to_string();
    assert!(log.contains(&gap) && log.contains(&answer), "the batch tells both: {log}");
    home.json(&["undo"]);
    assert_eq!(open(&home).len(), 1, "nobody has answered it");
    assert_sound(&home);
}

#[test]
fn what_a_person_says_in_a_session_closes_a_gap() {
    let home = Home::new();
    let agent = asked(&home, "Which region do we deploy the shop to?");
    agent.hears("We deploy the shop to the region eu-west-1.");
    agent.ends();
    assert_eq!(open(&home), Vec::<Value>::new());
    assert_eq!(home.json(&["review"])["pending"], Value::Array(Vec::new()), "nothing waits");
}

#[test]
fn at_the_end_of_a_session_an_answer_that_nobody_kept_waits_as_a_draft() {
    let home = Home::new();
    let agent = asked(&home, "Who owns the payments gateway here?");
    agent.answers(
        "I looked at CODEOWNERS. The payments gateway is owned by the Nimbus team. Anything else?",
    );
    agent.ends();
    let review = home.json(&["review"]);
    let [draft] = review["pending"].as_array().expect("a list").as_slice() else {
        panic!("one draft: {review}")
    };
    let says = draft["says"].as_str().expect("in words");
    assert!(says.contains("The payments gateway is owned by the Nimbus team"), "{says}");
    assert!(draft["why"].as_str().is_some_and(|why| why.contains("payments gateway")), "{draft}");
    assert_eq!(open(&home).len(), 1, "it is not known before somebody says so");

    let decided = home.json(&["review", "--accept", draft["id"].as_str().expect("an id")]);
    assert_eq!(decided["gaps"], Value::Array(Vec::new()), "{decided}");
    let [kept] = home.texts(&["search", "Nimbus"]).try_into().expect("one memory");
    assert!(kept.contains("Nimbus team"), "{kept}");
    assert_eq!(home.json(&["search", "Nimbus"])["items"][0]["authority"], "user_stated");
    assert_sound(&home);
}

#[test]
fn a_person_answers_a_gap_or_leaves_it_and_both_can_be_undone() {
    let home = Home::new();
    asked(&home, QUESTION).ends();
    let gap = id_of(&open(&home)[0]);
    let page = home.page(&["review"]);
    assert!(page.contains("Asked about, not known (1)"), "{page}");
    assert!(page.contains("--text \"…\" (the answer)"), "{page}");
    let (code, error) = home.error(&["review", "--accept", &gap]);
    assert_eq!(code, 1, "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("--text")), "{error}");

    let answer = ["review", "--accept", &gap, "--text", "We evict by LRU because it is simple"];
    let decided = home.json(&answer);
    assert_eq!(decided["decided"]["ruling"], "answered", "{decided}");
    assert_eq!(home.show(&gap)["state"], "expired");
    home.json(&["undo"]);
    assert_eq!(open(&home).len(), 1);

    let left = home.json(&["review", "--reject", &gap, "--reason", "not ours"]);
    assert_eq!(left["decided"]["ruling"], "rejected", "{left}");
    asked(&home, QUESTION).ends();
    assert_eq!(open(&home), Vec::<Value>::new(), "the same question leaves none again");
}

#[test]
fn a_gap_that_was_closed_too_soon_opens_when_the_question_is_asked_in_vain_again() {
    let home = Home::new();
    asked(&home, QUESTION).ends();
    let wrong = home.remember("Cache eviction policy: decide it after the audit of May");
    assert_eq!(open(&home), Vec::<Value>::new());
    home.json(&["forget", &wrong]);
    let agent = Agent::new(&home, "april");
    agent.hears(QUESTION);
    agent.ends();
    assert_eq!(open(&home).len(), 1);
}

#[test]
fn a_question_that_is_answered_when_it_is_asked_again_closes_its_gap() {
    let home = Home::new();
    asked(&home, "Who owns the billing service?").ends();
    assert_eq!(open(&home).len(), 1);
    home.remember("Billing belongs to Lena");
    let answered = home.json(&["recall", "Who owns the billing service?"]);
    assert!(answered["text"].as_str().is_some_and(|text| text.contains("Lena")), "{answered}");
    assert_eq!(open(&home), Vec::<Value>::new());
}
