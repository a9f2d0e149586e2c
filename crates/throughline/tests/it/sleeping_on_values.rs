//! Sleeping on values: what a sleep does with two values of one thing, and what it leaves to a person.

use crate::harness::{Home, strings};

#[test]
fn a_sleep_settles_two_values_that_came_in_beside_each_other() {
    let home = Home::new();
    let slot = |port: &str| format!("staging|port|{port}|one");
    let one = home.remember_with(&["Staging listens on 8080", "--slot", &slot("8080")]);
    let two = home.remember("Staging is on 9090");
    home.json(&["edit", &two, "--slot", &slot("9090")]);
    let old = home.show(&one);
    assert!(old["superseded_by"].is_null(), "{old}");
    assert!(strings(&old["flags"]).contains(&"contested"), "never two silently: {old}");
    let slept = home.json(&["sleep"]);
    assert_eq!(home.show(&one)["superseded_by"], two.as_str(), "{slept}");
    assert_eq!(slept["changes"]["superseded"], 1, "{slept}");
    assert!(!strings(&home.show(&two)["flags"]).contains(&"contested"));
    home.assert_sound();
}

/// Two values of one thing that are contested.
fn two_ports(home: &Home) -> [String; 2] {
    let slot = |port: &str| format!("staging|port|{port}|one");
    let one = home.remember_with(&["Staging listens on 8080", "--slot", &slot("8080")]);
    let two = home.remember("Staging is on 9090");
    home.json(&["edit", &two, "--slot", &slot("9090")]);
    [one, two]
}

/// Sleeps, cheap and deep, replace neither.
fn assert_both_stay(home: &Home, both: &[String; 2]) {
    for sleep in [&["sleep"][..], &["sleep", "--deep"]] {
        let slept = home.json(sleep);
        for id in both {
            assert!(home.show(id)["superseded_by"].is_null(), "{sleep:?}: {slept}");
        }
    }
}

#[test]
fn a_sleep_keeps_to_what_a_person_decided_about_two_values() {
    let home = Home::new();
    let both = two_ports(&home);
    home.json(&["review", "--both", &both[0]]);
    assert_both_stay(&home, &both);
    let again = home.json(&["remember", "Staging listens on 8080"]);
    assert_eq!(again["contested"], serde_json::json!([]), "{again}");
    assert!(home.show(&both[1])["superseded_by"].is_null());
}

#[test]
fn a_sleep_does_not_replace_again_what_a_person_brought_back() {
    let home = Home::new();
    let slot = |port: &str| format!("staging|port|{port}|one");
    let one = home.remember_with(&["Staging listens on 8080", "--slot", &slot("8080")]);
    let two = home.remember_with(&["Staging listens on 9090", "--slot", &slot("9090")]);
    home.json(&["unsupersede", &one]);
    assert_both_stay(&home, &[one, two]);
}

#[test]
fn a_sleep_lets_nothing_that_holds_for_a_while_end_what_holds_for_good() {
    let home = Home::new();
    let slot = |name: &str| format!("billing|asks|{name}|one");
    let rule = home.remember_with(&["Ask Maria about billing", "--slot", &slot("Maria")]);
    let instead = "Ask Ben about billing until 2026-03-10";
    let instead = home.remember_with(&[instead, "--slot", &slot("Ben")]);
    assert_both_stay(&home, &[rule, instead]);
}
