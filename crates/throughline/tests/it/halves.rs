//! Halves: where one sentence says two things and one of them changes, the other one stays; and what is said in one
//! breath is kept to its end.

use crate::harness::Home;
use crate::hooking::Agent;

/// What is said on one day, what is said on the next, and which words of the first day must still be told.
const HALVES: [(&str, &str, &[&str], &str); 5] = [
    (
        "for prices we round half even, and for weights we round up",
        "weights get rounded down from now on, finance asked for it",
        &["for prices we round half even"],
        "how do we round prices?",
    ),
    (
        "logs go to Loki, metrics to Prometheus",
        "metrics go to Datadog now",
        &["logs go to Loki"],
        "where do logs go?",
    ),
    (
        "the api listens on 8080 and the admin ui on 9090",
        "the admin ui moved to 9191",
        &["the api listens on 8080"],
        "which port does the api listen on?",
    ),
    (
        "Nadia owns billing, Omar owns search, and Kim does the mobile apps",
        "Omar moved to platform; search is Kim's now",
        &["Nadia owns billing"],
        "who owns billing?",
    ),
    (
        "the staging box is at 10.0.3.7 and it gets wiped every sunday",
        "staging moved to 10.0.4.9",
        &["it gets wiped every sunday"],
        "when is the staging box wiped?",
    ),
];

#[test]
fn a_half_that_was_put_in_question_stays_so_when_the_other_half_changes() {
    let home = Home::new();
    let agent = Agent::new(&home, "monday");
    agent.hears("staging runs Postgres 14, and we lint with eslint");
    agent.ends();
    for (day, said) in [
        ("2026-03-03", "biome replaced eslint in #742"),
        ("2026-03-04", "staging's on 16 since yesterday"),
    ] {
        home.travel(day);
        let agent = Agent::new(&home, day);
        agent.hears(said);
        agent.ends();
    }
    home.travel("2026-03-05");
    let told = home.page(&["recall", "which linter do we use?"]);
    assert!(told.contains("biome replaced eslint"), "{told}");
    let alone = |line: &str| line.contains("user said: we lint with eslint");
    assert!(!told.lines().any(alone), "never without the later word: {told}");
}

#[test]
fn what_the_other_half_of_a_sentence_said_is_still_told() {
    for (first, later, left, question) in HALVES {
        let home = Home::new();
        let agent = Agent::new(&home, "monday");
        agent.hears(first);
        agent.ends();
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "tuesday");
        agent.hears(later);
        agent.ends();
        home.travel("2026-03-04");
        let told = home.page(&["recall", question]);
        let held = home.texts(&["list"]);
        for left in left {
            assert!(held.iter().any(|one| one.contains(left)), "{first}: {held:?}");
            assert!(told.contains(left), "{first}: {told}");
        }
        let whole = format!("user said: {first}\n");
        assert!(!told.contains(&whole), "the old value never stands alone: {told}");
    }
}

#[test]
fn what_stays_of_a_replaced_sentence_is_told_by_every_door() {
    let home = Home::new();
    home.remember("logs go to Loki, metrics to Prometheus");
    let later = "metrics go to Datadog now";
    let read = home.json(&["read", later]);
    let comes = &read["pieces"][0]["comes"][0];
    assert_eq!(comes["stays"][0]["content"], "logs go to Loki", "{read}");
    assert_eq!(comes["reasons"], serde_json::json!([]), "{read}");
    assert!(home.page(&["read", later]).contains("stays  fact “logs go to Loki”"));
    let told = home.page(&["remember", later]);
    assert!(told.contains("replaces:") && told.contains("stays:"), "{told}");
    assert!(told.contains("logs go to Loki"), "{told}");
}

#[test]
fn a_clause_without_its_subject_does_not_become_a_memory() {
    let first = "the docs site is built with mkdocs, deployed from main by netlify";
    let held = held_after(&[first, "docs moved to docusaurus"]);
    assert!(held.iter().all(|one| one != "deployed from main by netlify"), "{held:?}");
    assert!(held.iter().any(|one| one.contains("by netlify")), "{held:?}");
}

#[test]
fn the_half_that_stays_is_the_users_word_of_that_day_and_undo_takes_it_back() {
    let home = Home::new();
    let agent = Agent::new(&home, "monday");
    agent.hears("logs go to Loki, metrics to Prometheus");
    agent.ends();
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "tuesday");
    agent.hears("metrics go to Datadog now");
    let held = home.texts(&["list"]);
    assert_eq!(held.len(), 2, "{held:?}");
    let found = home.json(&["search", "logs Loki"]);
    let half = &found["items"][0];
    assert_eq!(half["content"], "logs go to Loki", "{found}");
    assert_eq!((&half["authority"], &half["state"]), (&"user_stated".into(), &"confirmed".into()));
    assert!(half["recorded_at"].as_str().is_some_and(|at| at.starts_with("2026-03-02")), "{half}");
    let log = home.json(&["log"]);
    let batches = log["batches"].as_array().expect("batches").iter();
    let mut captured = batches.filter(|one| one["cause"] == "capture");
    let batch = captured.find(|one| one.to_string().contains("Datadog")).expect("it is logged");
    home.json(&["undo", batch["id"].as_str().expect("an id")]);
    assert_eq!(home.texts(&["list"]), ["logs go to Loki, metrics to Prometheus"]);
}

/// What is said of several things on one day, of one of them on the next, and what was said of the others.
const ONE_OF_SEVERAL: [(&str, &str, &[&str]); 3] = [
    ("we deploy api, web and worker to fly", "worker moved to render", &["api", "web", "fly"]),
    ("the api and the worker run on Node 20", "the worker runs on Node 22 now", &["api", "20"]),
    ("staging uses Postgres 15 and Redis 7", "staging's on postgres 16 now", &["Redis 7"]),
];

#[test]
fn what_was_said_of_the_others_is_still_told_when_one_of_several_changes() {
    for (first, later, others) in ONE_OF_SEVERAL {
        let home = Home::new();
        let agent = Agent::new(&home, "monday");
        agent.hears(first);
        agent.ends();
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "tuesday");
        agent.hears(later);
        agent.ends();
        home.travel("2026-03-04");
        let told = home.page(&["recall", &format!("What do we know about this: {first}")]);
        assert!(others.iter().all(|one| told.contains(one)), "{first}: {told}");
        assert!(told.contains(later), "{told}");
        let whole = format!("user said: {first}\n");
        assert!(!told.contains(&whole), "the old value never stands alone: {told}");
    }
}

/// What is held in the end, after each was said in a session of its own.
fn held_after(said: &[&str]) -> Vec<String> {
    const SESSIONS: [(&str, &str); 2] = [("2026-03-02", "monday"), ("2026-03-03", "tuesday")];
    let home = Home::new();
    for (one, (day, name)) in said.iter().zip(SESSIONS) {
        home.travel(day);
        let agent = Agent::new(&home, name);
        agent.hears(one);
        agent.ends();
    }
    home.texts(&["list"])
}

#[test]
fn a_sentence_is_not_cut_behind_a_word_that_needs_the_rest() {
    let whole = "I'd rather you didn't add comments that restate the code";
    assert_eq!(held_after(&[whole]), [whole]);
}

#[test]
fn what_a_rule_or_a_fact_asks_for_besides_is_kept_with_it() {
    for whole in [
        "Changelog entries are written in the past tense please, and keep them under 80 characters",
        "the invoices table is partitioned by month, vacuum it by hand after big imports",
    ] {
        assert_eq!(held_after(&[whole]), [whole]);
    }
}

#[test]
fn a_request_before_a_change_is_left_out_of_what_is_kept() {
    let held = held_after(&[
        "staging is at 10.0.3.7",
        "fix the flaky basket test, and staging moved to 10.0.4.9",
    ]);
    assert_eq!(held, ["staging moved to 10.0.4.9"]);
}

#[test]
fn what_is_about_something_else_takes_no_decision_away() {
    let decided = "ok we go with uuid v7 for ids then";
    let later = "nice work!! you can also drop the old v1 endpoints, nobody calls them any more";
    let held = held_after(&[decided, later]);
    assert!(held.iter().any(|one| one == decided), "{held:?}");
}

#[test]
fn what_holds_until_a_month_does_not_end_what_holds_for_good() {
    let held = held_after(&[
        "Lena reviews the terraform changes",
        "Ravi reviews the terraform changes until June",
    ]);
    assert!(held.iter().any(|one| one == "Lena reviews the terraform changes"), "{held:?}");
    assert!(held.iter().any(|one| one.starts_with("Ravi reviews")), "{held:?}");
}

#[test]
fn words_that_only_lead_over_are_no_part_of_what_is_kept() {
    let said =
        "Please keep functions under 40 lines where possible. And no unwrap in library code.";
    let held = held_after(&[said]);
    assert!(held.iter().any(|one| one == "no unwrap in library code"), "{held:?}");
    assert_eq!(
        held_after(&["btw prod db is read only between 2 and 3 am for backups"]),
        ["prod db is read only between 2 and 3 am for backups"]
    );
}

#[test]
fn days_are_no_things() {
    let home = Home::new();
    home.remember("we deploy on Thursdays");
    let things = home.json(&["entity", "list"]);
    assert!(!things.to_string().contains("Thursdays"), "{things}");
}
