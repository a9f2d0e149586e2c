//! The cheap class of sleep always gets on: whatever came in, whoever cuts it off, and whatever sleep wrote itself.

use serde_json::{Value, json};

use crate::faults::{Faults, put_back};
use crate::harness::Home;
use crate::transfer::clone_of;

const ORIGIN: &str = "https://example.com/acme/webshop.git";

/// What waits for sleep.
fn waits(home: &Home) -> u64 {
    let status = home.json(&["status"]);
    let count = |name: &str| status[name].as_u64().expect("a number");
    count("sleep_waits") + count("sleep_waits_memories")
}

/// A home into which much came in at once: one batch that is many times as large as a slice.
fn flooded() -> Home {
    let (there, here) = (Home::new(), Home::new());
    for home in [&there, &here] {
        clone_of(&home.project(), ORIGIN);
    }
    let rules: String =
        (0..500).map(|n| format!("- Service number {n} is restarted by hand\n")).collect();
    std::fs::write(there.project().join("CLAUDE.md"), rules).expect("a file");
    // A hook would read only as much as there is time for.
    let settings = there.arg("agents");
    std::fs::create_dir_all(&settings).expect("a folder can be made");
    let init = there.run(&["init", "--agent", "claude-code", "--config", &settings]);
    assert_eq!(init.code, 0, "{}", init.stderr);
    there.json(&["export", "-o", &there.arg("all.jsonl")]);
    let told = std::fs::read_to_string(there.outside("all.jsonl")).expect("an export");
    let mut lines = told.lines();
    let header = lines.next().expect("a header");
    let batches = lines.map(|line| serde_json::from_str::<Value>(line).expect("a batch"));
    let mut batches: Vec<Value> = batches.filter(|batch| batch["cause"] != "sleep").collect();
    let changes: Vec<Value> = batches
        .iter()
        .flat_map(|one| one["changes"].as_array().expect("changes").clone())
        .collect();
    assert!(changes.len() > 700, "{}", changes.len());
    let mut whole = batches.remove(0);
    whole["changes"] = json!(changes);
    std::fs::write(here.outside("one.jsonl"), format!("{header}\n{whole}\n")).expect("a file");
    here.json(&["import", &here.arg("one.jsonl"), "--trust"]);
    here
}

#[test]
fn a_sleep_that_is_always_cut_off_goes_over_less_each_time_until_nothing_waits() {
    let Some(faults) = Faults::new() else { return };
    let home = flooded();
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let all = faults.record(&home, &["sleep"]).len();
    assert_eq!(waits(&home), 0);
    put_back(&template, &home.path());
    home.travel("2026-03-03");
    let all_of_them = waits(&home);
    assert!(all_of_them >= 300, "{all_of_them}");
    let (mut left, mut runs) = (all_of_them, 0);
    while left > 0 {
        faults.kill(&home, &["sleep"], all / 4);
        let now = waits(&home);
        assert!(now < left, "run {runs} left {now} of {left}");
        (left, runs) = (now, runs + 1);
    }
    assert!(runs > 1, "it was cut off");
    let boxed = home.json(&["boxes", "--limit", "100"]);
    let boxed = boxed["items"].as_array().expect("boxes").iter();
    let memories: usize =
        boxed.map(|one| one["memories"].as_array().expect("memories").len()).sum();
    assert_eq!(memories as u64, all_of_them, "each is in one box");
    home.assert_sound();
}

#[test]
fn what_a_deep_sleep_wrote_keeps_no_later_sleep_from_what_is_new() {
    let home = flooded();
    home.json(&["sleep"]);
    let deep = home.json(&["sleep", "--deep"]);
    assert!(crate::deep_sleep::changes(&deep) > 200, "{deep}");
    assert_eq!(waits(&home), 0, "what sleep did itself does not wait");
    for n in 0..3 {
        home.remember(&format!("The warehouse scanner talks to port 70{n}0"));
        assert_eq!(waits(&home), 1);
        let slept = home.json(&["sleep"]);
        assert_eq!(slept["inputs"]["memories"], 1, "{slept}");
        assert_eq!(waits(&home), 0);
        let next = home.json(&["sleep", "--dry-run"]);
        assert_eq!(next["inputs"]["memories"], 0, "{next}");
    }
}
