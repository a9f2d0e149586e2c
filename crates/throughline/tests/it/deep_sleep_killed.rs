//! Deep sleep that is killed at its file operations: nothing is lost, nothing is half written, and the next one goes on.

use crate::deep_sleep::known;
use crate::faults::{Faults, points, put_back};
use crate::harness::slow;

#[test]
fn a_deep_sleep_that_is_killed_anywhere_loses_nothing_and_goes_on() {
    let Some(faults) = Faults::new() else { return };
    let home = known();
    home.json(&["sleep"]);
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let deep = ["sleep", "--deep"];
    let all = faults.record(&home, &deep).len();
    let known = || {
        let topics = home.json(&["topics"])["items"].clone();
        let mut texts = home.texts(&["list"]);
        texts.sort();
        (topics, texts)
    };
    let whole = known();
    for at in points(all, if slow() { None } else { Some(6) }) {
        put_back(&template, &home.path());
        faults.kill(&home, &deep, at);
        home.json(&deep);
        let (topics, texts) = known();
        assert_eq!(texts, whole.1, "killed at {at} of {all}");
        let members = |topics: &serde_json::Value| {
            let of = |one: &serde_json::Value| one["memories"].as_array().map(Vec::len);
            topics.as_array().expect("a list").iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(members(&topics), members(&whole.0), "killed at {at} of {all}");
        home.assert_sound();
    }
}
