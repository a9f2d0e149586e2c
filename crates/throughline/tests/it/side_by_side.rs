//! Several plain facts about one thing, or one sort of fact about several: none of them replaces another one.

use crate::harness::{Home, strings};
use crate::hooking::Agent;

/// What is held as current.
fn current(home: &Home) -> Vec<String> {
    let listed = home.json(&["list"]);
    let items = listed["items"].as_array().expect("a list").iter();
    items.map(|one| one["content"].as_str().expect("a text").to_owned()).collect()
}

/// Each is said in a session of its own, a day after the other.
fn told_on_days(home: &Home, said: &[&str]) {
    let days = ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
    for (day, said) in days.into_iter().zip(said) {
        home.travel(day);
        let agent = Agent::new(home, day);
        agent.hears(said);
        agent.answers("Noted.");
        agent.ends();
    }
}

#[test]
fn plain_facts_about_one_thing_stand_beside_each_other() {
    let home = Home::new();
    let said = [
        "cart-api is owned by Ana",
        "cart-api is deployed with helm",
        "cart-api is written in go",
        "cart-api talks to kafka",
    ];
    told_on_days(&home, &said);
    let kept = current(&home);
    for said in said {
        assert!(kept.iter().any(|one| one == said), "{said}: {kept:?}");
    }
}

#[test]
fn one_sort_of_fact_about_several_things_stays_with_each() {
    let home = Home::new();
    let said = [
        "Lou is the contact at Visa",
        "Mo is the contact at Amex",
        "zone a1 is owned by Kim",
        "zone a2 is owned by Lee",
    ];
    for said in said {
        home.json(&["remember", said]);
    }
    let kept = current(&home);
    for said in said {
        assert!(kept.iter().any(|one| one == said), "{said}: {kept:?}");
    }
}

#[test]
fn another_value_in_the_same_words_still_replaces() {
    let home = Home::new();
    for (held, said) in [
        ("cart-api is deployed with helm", "cart-api is deployed with kustomize now"),
        ("billing-api talks to kafka", "billing-api talks to nats now"),
    ] {
        let old = home.remember(held);
        let new = home.json(&["remember", said]);
        assert_eq!(strings(&new["superseded"]), [old], "{said}: {new}");
    }
}
