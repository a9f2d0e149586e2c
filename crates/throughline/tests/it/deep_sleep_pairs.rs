//! Deep sleep compares memories in pairs, some in each run. No pair is lost between two runs, whatever came in at once
//! and however old it says it is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::deep_sleep::{pass, two_machines};
use crate::harness::{Home, strings};

/// What is deployed, each on a day of its own, so that many are alike and only two of each speak of the same.
const SERVICES: [&str; 24] = [
    "shop",
    "blog",
    "wiki",
    "mailer",
    "billing worker",
    "search index",
    "gateway",
    "scheduler",
    "login page",
    "video player",
    "chat server",
    "image cache",
    "map tiles",
    "data lake",
    "job queue",
    "proxy",
    "firewall",
    "report builder",
    "price engine",
    "stock feed",
    "coupon box",
    "photo album",
    "news letter",
    "game lobby",
];

/// What `there` knows comes to `home` in one import, whose word is taken.
fn bring(there: &Home, home: &Home) {
    let export = there.arg("theirs.jsonl");
    there.json(&["export", "-o", &export]);
    home.json(&["import", &export, "--trust"]);
}

/// Sleeps until no pair is left, and says how often that took.
fn sleep_until_all_are_compared(home: &Home) -> usize {
    for runs in 1..40 {
        let slept = home.json(&["sleep", "--deep"]);
        let why = &pass(&slept, "contradictions")["why"];
        if !strings(why).iter().any(|line| line.contains("compared the next time")) {
            return runs;
        }
    }
    panic!("there are always more pairs to compare");
}

/// The texts that are contested.
fn contested(home: &Home) -> BTreeSet<String> {
    let all = home.everything();
    let all = all["items"].as_array().expect("a list").iter();
    let contested = all.filter(|one| strings(&one["flags"]).contains(&"contested"));
    contested.map(|one| one["content"].as_str().expect("a text").to_owned()).collect()
}

fn yes(service: &str) -> String {
    format!("Deployments of the {service} happen on Tuesdays")
}

fn no(service: &str) -> String {
    format!("Deployments of the {service} never happen on Tuesdays")
}

/// A list that another program kept, all of which comes in at one moment.
fn list(home: &Home, of: impl Fn(&str) -> String) {
    let observations: Vec<String> = SERVICES.into_iter().map(of).collect();
    let list = json!({
        "type": "entity", "name": "Calendar", "entityType": "list", "observations": observations,
    });
    std::fs::write(home.outside("list.jsonl"), list.to_string()).expect("a file can be written");
    let file = home.arg("list.jsonl");
    home.json(&["--scope", "project", "import", &file, "--format", "server-memory"]);
}

#[test]
fn every_pair_is_compared_also_where_all_memories_came_in_at_one_moment() {
    let (home, there) = two_machines();
    list(&home, yes);
    list(&there, no);
    bring(&there, &home);
    let runs = sleep_until_all_are_compared(&home);
    assert!(runs > 1, "one run is enough, so that this proves nothing");
    let contested = contested(&home);
    let missed =
        SERVICES.iter().filter(|one| !contested.iter().any(|text| text.ends_with(&no(one))));
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&&str>::new(), "after {runs} runs");
}

#[test]
fn what_is_brought_in_later_is_compared_although_its_date_is_older() {
    let (home, there) = two_machines();
    there.remember(&no("shop"));
    home.travel("2026-03-03");
    home.remember(&yes("shop"));
    home.remember("The office coffee machine is called Bertha");
    sleep_until_all_are_compared(&home);
    bring(&there, &home);
    assert_eq!(contested(&home), BTreeSet::new(), "nobody has compared them yet");
    sleep_until_all_are_compared(&home);
    assert_eq!(contested(&home), BTreeSet::from([yes("shop"), no("shop")]));
}

#[test]
fn pairs_that_an_older_version_passed_over_are_compared() {
    let (home, there) = two_machines();
    home.remember("The office coffee machine is called Bertha");
    sleep_until_all_are_compared(&home);
    home.remember(&yes("shop"));
    there.remember(&no("shop"));
    bring(&there, &home);
    // Such a version noted a moment, and took everything up to it for compared.
    let file = home.path().join("sleep.json");
    let held = std::fs::read_to_string(&file).expect("it was written");
    let mut held: Value = serde_json::from_str(&held).expect("JSON");
    for mark in held["spaces"].as_object_mut().expect("spaces").values_mut() {
        mark["scanned_to"] = json!("2027-01-01T00:00:00Z");
    }
    std::fs::write(&file, held.to_string()).expect("a write");
    sleep_until_all_are_compared(&home);
    assert_eq!(contested(&home), BTreeSet::from([yes("shop"), no("shop")]));
}
