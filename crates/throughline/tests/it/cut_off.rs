//! Sleep, tending, reading files, accepting a line for a file and replacing a memory, each killed at its file operations:
//! nothing is lost, nothing is half written, and the next one goes on.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fading::{diary, work};
use crate::faults::{Faults, points, put_back};
use crate::graduating::proven;
use crate::harness::{Home, handle, id_of, slow, strings};
use crate::hook_trouble::journaled;
use crate::hooking::Agent;
use crate::watching::write;

/// How many operations are looked at, of those spread over a command and of its last ones.
fn few() -> Option<usize> {
    if slow() { None } else { Some(6) }
}

/// The home and the project as they are, to be put back.
struct Kept {
    home: PathBuf,
    project: PathBuf,
}

impl Kept {
    fn of(home: &Home) -> Self {
        let kept = Self { home: home.outside("kept-home"), project: home.outside("kept-project") };
        put_back(&home.path(), &kept.home);
        put_back(&home.project(), &kept.project);
        kept
    }

    fn put_back(&self, home: &Home) {
        put_back(&self.home, &home.path());
        put_back(&self.project, &home.project());
    }
}

fn proposals(home: &Home) -> Vec<Value> {
    home.json(&["review"])["graduation"].as_array().expect("a list").clone()
}

/// What stands in the project's folder.
fn names(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.project()).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|one| one.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Makes everything in the project's folder look as if it was left an hour ago.
fn age(home: &Home) {
    for entry in std::fs::read_dir(home.project()).expect("a folder").flatten() {
        let file = std::fs::File::options().write(true).open(entry.path()).expect("a file");
        let left = file.metadata().and_then(|data| data.modified()).expect("it has a time");
        let before = left - Duration::from_secs(3_600);
        file.set_modified(before).expect("a time can be set");
    }
}

fn accept_is_finished(file: Option<&str>) {
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    if let Some(text) = file {
        write(&home, "CLAUDE.md", text);
    }
    let name = if file.is_some() { "CLAUDE.md" } else { "AGENTS.md" };
    let memory = proven(&home);
    home.json(&["sleep"]);
    let id = proposals(&home)[0]["id"].as_str().expect("an id").to_owned();
    let kept = Kept::of(&home);
    let accept = ["review", "--accept", id.as_str()];
    let all = faults.record(&home, &accept).len();
    let read = || std::fs::read_to_string(home.project().join(name)).ok();
    let (before, after) = (file.map(str::to_owned), read());
    assert_ne!(before, after);
    for at in points(all, few()) {
        let when = format!("killed at {at} of {all}");
        kept.put_back(&home);
        faults.kill(&home, &accept, at);
        let found = read();
        assert!(found == before || found == after, "{when}: {found:?}");
        age(&home);
        let waiting = proposals(&home);
        if let Some(one) = waiting.first() {
            assert_eq!(one["stuck"], Value::Null, "{when}");
            home.json(&["review", "--accept", one["id"].as_str().expect("an id")]);
        }
        assert_eq!(read(), after, "{when}: once, and whole");
        assert_eq!(home.show(&memory)["file"], name, "{when}");
        assert!(proposals(&home).is_empty(), "{when}");
        assert_eq!(names(&home), [name], "{when}: nothing is left beside it");
        let texts = home.texts(&["search", "approvals"]);
        assert_eq!(texts.len(), 1, "{when}: {texts:?}");
        // And what was done can be taken back.
        let log = home.json(&["log", "--limit", "50"]);
        let batches = log["batches"].as_array().expect("a log");
        let batch = batches.iter().find(|one| one.to_string().contains("graduated_at"));
        home.json(&["undo", batch.expect("it was noted")["id"].as_str().expect("an id")]);
        let left = read().unwrap_or_default();
        assert!(!left.contains(handle(&memory)), "{when}: {left}");
        home.assert_sound();
    }
}

#[test]
fn an_accept_that_is_killed_anywhere_writes_its_line_once_and_is_finished_by_the_next() {
    accept_is_finished(Some("# Webshop\n\n- Use pnpm, never npm\n"));
}

#[test]
fn an_accept_that_makes_the_file_leaves_a_whole_one_or_none() {
    accept_is_finished(None);
}

#[test]
fn tending_that_is_killed_anywhere_loses_nothing_and_goes_on() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    let guess = ["--authority", "inferred", "--confidence", "0.3"];
    for n in 0..30 {
        let text = format!("Perhaps the service number {n} drops its cache at night");
        home.remember_with(&[&[text.as_str()][..], &guess].concat());
    }
    home.remember("Releases are cut on Thursdays");
    let diary = diary(&home);
    work(&home, &diary, 0..35);
    let kept = Kept::of(&home);
    let sleep = ["sleep"];
    let all = faults.record(&home, &sleep).len();
    let states = || {
        let found = home.json(&["list", "--all", "--limit", "500"]);
        let items = found["items"].as_array().expect("a list").clone();
        let mut states: Vec<(String, String)> = items
            .iter()
            .map(|one| (one["content"].to_string(), one["state"].to_string()))
            .collect();
        states.sort();
        states
    };
    let whole = states();
    let expired = whole.iter().filter(|(_, state)| state.contains("expired")).count();
    assert_eq!(expired, 30, "{whole:?}");
    for at in points(all, few()) {
        kept.put_back(&home);
        faults.kill(&home, &sleep, at);
        let between = states();
        assert_eq!(between.len(), whole.len(), "killed at {at} of {all}");
        home.json(&sleep);
        assert_eq!(states(), whole, "killed at {at} of {all}");
        home.assert_sound();
    }
}

#[test]
fn a_sleep_that_is_killed_anywhere_puts_each_memory_into_one_box() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    for n in 0..30 {
        home.remember(&format!("The Kafka consumer shard {n} reads the orders topic"));
    }
    let kept = Kept::of(&home);
    let sleep = ["sleep"];
    let all = faults.record(&home, &sleep).len();
    let boxed = || {
        let boxes = home.json(&["boxes"])["items"].as_array().expect("boxes").clone();
        let mut ids: Vec<String> = boxes
            .iter()
            .flat_map(|one| one["memories"].as_array().expect("memories").clone())
            .map(|id| id.to_string())
            .collect();
        ids.sort();
        ids
    };
    let whole = boxed();
    assert_eq!(whole.len(), 30);
    for at in points(all, few()) {
        kept.put_back(&home);
        faults.kill(&home, &sleep, at);
        home.json(&sleep);
        assert_eq!(boxed(), whole, "killed at {at} of {all}");
        home.assert_sound();
    }
}

#[test]
fn reading_files_that_is_killed_anywhere_reads_each_line_once() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    let rules: String =
        (0..30).map(|n| format!("- Service number {n} is restarted by hand\n")).collect();
    write(&home, "CLAUDE.md", &rules);
    home.remember("Releases are cut on Thursdays");
    let kept = Kept::of(&home);
    let settings = home.arg("agents");
    std::fs::create_dir_all(&settings).expect("a folder can be made");
    let init = ["init", "--agent", "claude-code", "--config", settings.as_str()];
    let all = faults.record(&home, &init).len();
    let texts = || {
        let mut texts = home.texts(&["list", "--limit", "100"]);
        texts.sort();
        texts
    };
    let whole = texts();
    assert_eq!(whole.len(), 31, "{whole:?}");
    for at in points(all, few()) {
        kept.put_back(&home);
        faults.kill(&home, &init, at);
        home.run(&init);
        assert_eq!(texts(), whole, "killed at {at} of {all}");
        home.assert_sound();
    }
}

/// The current values of what every text here is about, and whether each is told as contested.
fn heads(home: &Home) -> Vec<(String, bool)> {
    let found = home.json(&["list"]);
    let items = found["items"].as_array().expect("a list").iter();
    let mut heads: Vec<(String, bool)> =
        items.map(|one| (id_of(one), strings(&one["flags"]).contains(&"contested"))).collect();
    heads.sort();
    heads
}

#[test]
fn replacing_that_is_killed_at_any_file_operation_leaves_one_value_or_two_that_are_told_as_such() {
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    let port = |value: &str, authority: &str| {
        let (text, slot) =
            (format!("Staging listens on port {value}"), format!("staging|port|{value}|one"));
        home.remember_with(&[&text, "--slot", &slot, "--authority", authority])
    };
    let first = port("8080", "user_stated");
    let kept = Kept::of(&home);
    let correct = ["correct", first.as_str(), "Staging listens on port 9090"];
    is_all_or_nothing(&faults, &home, &kept, &correct);

    kept.put_back(&home);
    let other = home.remember("The test stage answers on port 9090");
    let kept = Kept::of(&home);
    is_all_or_nothing(&faults, &home, &kept, &["supersede", &first, &other]);
    kept.put_back(&home);
    home.json(&["supersede", &first, &other]);
    let kept = Kept::of(&home);
    is_all_or_nothing(&faults, &home, &kept, &["unsupersede", &first]);

    home.wipe();
    let one = port("8080", "observed");
    port("9090", "observed");
    assert_eq!(heads(&home).iter().filter(|(_, contested)| *contested).count(), 2);
    let kept = Kept::of(&home);
    is_all_or_nothing(&faults, &home, &kept, &["review", "--keep-a", &one]);
}

/// Kills a command at every one of its file operations: what stands is what stood before or what stands after it, and
/// the same command then does the rest.
fn is_all_or_nothing(faults: &Faults, home: &Home, kept: &Kept, command: &[&str]) {
    // A replacement gets an id of its own, so that values are compared by their words.
    let said = || {
        let told = |(id, contested): (String, bool)| (home.show(&id)["content"].clone(), contested);
        let mut said: Vec<_> = heads(home).into_iter().map(told).collect();
        said.sort_by_key(|(content, _)| content.to_string());
        said
    };
    let before = said();
    let all = faults.record(home, command).len();
    let after = said();
    assert!(all > 0 && before != after, "{command:?}");
    for at in points(all, if slow() { None } else { Some(10) }) {
        let when = format!("{command:?} killed at {at} of {all}");
        kept.put_back(home);
        home.travel("2026-03-03");
        faults.kill(home, command, at);
        let found = said();
        assert!(found == before || found == after, "{when}: {found:?}");
        if found == before {
            home.json(command);
        }
        assert_eq!(said(), after, "{when}");
        home.assert_sound();
    }
}

/// Which versions of the database are held, and whether all of them are told as contested.
fn versions(home: &Home) -> (Vec<&'static str>, bool) {
    let found = home.json(&["list"]);
    let items = found["items"].as_array().expect("a list").iter();
    let (mut versions, mut contested) = (Vec::new(), true);
    for one in items {
        let says = |version: &&&str| one["content"].to_string().contains(**version);
        versions.extend(["Postgres 14", "Postgres 16"].iter().filter(says));
        contested &= strings(&one["flags"]).contains(&"contested");
    }
    versions.sort_unstable();
    versions.dedup();
    (versions, contested)
}

#[test]
fn a_hook_that_is_killed_at_any_file_operation_leaves_one_value_and_takes_each_turn_in_once() {
    const OLD: &str = "The staging database runs on Postgres 14.";
    const FIX: &str = "Actually the staging database runs on Postgres 16 now, not 14.";
    let Some(faults) = Faults::new() else { return };
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears(OLD);
    agent.answers("Noted.");
    assert_eq!(versions(&home).0, ["Postgres 14"]);
    let kept = Kept::of(&home);
    let prompt = agent.payload("UserPromptSubmit", &json!({ "prompt": FIX }));
    let answer = agent.payload("Stop", &json!({ "last_assistant_message": "Version 16 it is." }));
    for (event, payload) in [("UserPromptSubmit", prompt), ("Stop", answer)] {
        kept.put_back(&home);
        home.travel("2026-03-03");
        if event == "Stop" {
            agent.hears(FIX);
        }
        let told = Kept::of(&home);
        let all = faults.record_hook(&home, event, &payload).len();
        assert!(all > 0, "{event}");
        for at in points(all, if slow() { None } else { Some(10) }) {
            let when = format!("{event} killed at {at} of {all}");
            told.put_back(&home);
            home.travel("2026-03-04");
            faults.kill_hook(&home, event, &payload, at);
            let heard = journaled(&home).iter().any(|said| said == FIX);
            let (found, contested) = versions(&home);
            assert!(found.len() == 1 || found.len() == 2 && contested, "{when}: {found:?}");
            agent.ends();
            let (found, _) = versions(&home);
            let expected = if heard { "Postgres 16" } else { "Postgres 14" };
            assert_eq!(found, [expected], "{when}");
            let recorded = home.page(&["export"]).matches(&format!("\"text\":\"{FIX}\"")).count();
            assert_eq!(recorded, usize::from(heard), "{when}");
            home.assert_sound();
        }
    }
}
