//! Fading: what nobody needs leaves view by itself, what is needed comes back, and `undo` takes every step back.

use serde_json::{Value, json};

use crate::harness::{Home, Run, id_of, strings};
use crate::hooking::Agent;

/// A memory that work is written on, so that days count.
pub(crate) fn diary(home: &Home) -> String {
    home.remember_with(&["The diary of the webshop", "--pin"])
}

/// Work goes on for some days: each of them is one on which something was written.
pub(crate) fn work(home: &Home, diary: &str, days: std::ops::Range<u32>) {
    for day in days {
        home.travel(date(day));
        let remove: &[&str] = if day % 2 == 0 { &[] } else { &["--remove"] };
        home.json(&[&["tag", diary], remove, &["open"]].concat());
    }
}

/// A day counted from 3 March 2026, in months of 26 days.
pub(crate) fn date(day: u32) -> &'static str {
    let (month, of_month) = (3 + day / 26, 3 + day % 26);
    let (year, month) = (2026 + (month - 1) / 12, (month - 1) % 12 + 1);
    format!("{year}-{month:02}-{of_month:02}").leak()
}

fn state(home: &Home, id: &str) -> String {
    home.show(id)["state"].as_str().expect("a state is text").to_owned()
}

fn flags(home: &Home, id: &str) -> Vec<String> {
    strings(&home.show(id)["flags"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_guess_that_nobody_bears_out_expires_and_undo_brings_it_back() {
    let home = Home::new();
    let guess = ["--authority", "inferred", "--confidence", "0.3"];
    let lone = home.remember_with(&[&["The importer may drop empty rows"], &guess[..]].concat());
    let used = home.remember_with(&[&["The exporter may sort by name"], &guess[..]].concat());
    let sure = home.remember_with(&["The loader reads gzip files", "--authority", "inferred"]);
    let backed = home.remember_with(&[&["The mailer may retry twice"], &guess[..]].concat());
    home.session("other").json(&[
        "remember",
        "The mailer may retry twice",
        "--authority",
        "measured",
    ]);
    for _ in 0..5 {
        home.json(&["expand", &used]);
    }
    let diary = diary(&home);
    work(&home, &diary, 0..31);
    home.json(&["config", "set", "lifecycle.enabled", "false"]);
    assert_eq!(home.json(&["sleep", "--dry-run"])["changes"]["expired"], 0, "switched off");
    home.json(&["config", "unset", "lifecycle.enabled"]);
    assert_eq!(home.json(&["sleep", "--dry-run"])["changes"]["expired"], 1);
    assert_eq!(state(&home, &lone), "staged", "a dry run changes nothing");

    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["expired"], 1, "{slept}");
    assert_eq!(state(&home, &lone), "expired");
    for (kept, why) in [(&used, "used five times"), (&sure, "no guess"), (&backed, "borne out")] {
        assert_ne!(state(&home, kept), "expired", "{why}");
    }
    let history = home.json(&["history", &lone]).to_string();
    assert!(history.contains("The importer may drop empty rows"), "it is still there to be read");
    assert!(home.texts(&["search", "importer", "--all"]).len() == 1);
    assert!(home.texts(&["search", "importer"]).is_empty(), "and found on request");

    let batch = slept["batches"][0].as_str().expect("a batch");
    home.json(&["undo", batch]);
    assert_eq!(state(&home, &lone), "staged");
    home.json(&["sleep"]);
    assert_eq!(state(&home, &lone), "expired");
    home.json(&["unarchive", &lone]);
    assert_eq!(state(&home, &lone), "staged", "a person brings back what has expired");
    home.assert_sound();
}

#[test]
fn after_a_season_of_work_what_is_dull_is_put_away_and_everything_that_matters_stays() {
    let home = Home::new();
    let dull = ["--importance", "0.1"];
    let with = |text: &str, more: &[&str]| home.remember_with(&[&[text], more].concat());
    let logo = with("The old logo was turquoise", &dull);
    let pinned = with("The founder's dog is called Biscuit", &["--importance", "0.1", "--pin"]);
    let chosen = with("We chose the beige carpet", &["--importance", "0.1", "--kind", "decision"]);
    let anchor = with("The canteen opens at noon", &["--importance", "0.1", "--authority", "file"]);
    let rated = with("The printer stands on the second floor", &dull);
    for _ in 0..3 {
        home.json(&["expand", &rated]);
    }
    let plain = home.remember("The staging bastion is reached through port 2222");
    let known = home.remember("The invoice worker runs on node seven");
    for session in ["one", "two", "three", "four"] {
        home.session(session).json(&["recall", "where does the invoice worker run?"]);
    }
    let before = home.show(&plain)["trust"].clone();
    let diary = diary(&home);
    work(&home, &diary, 0..91);

    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["archived"], 1, "{slept}");
    assert_eq!(state(&home, &logo), "archived");
    for (kept, why) in [
        (&pinned, "pinned"),
        (&chosen, "a decision"),
        (&anchor, "an anchor"),
        (&rated, "used three times"),
        (&plain, "important enough"),
    ] {
        assert_ne!(state(&home, kept), "archived", "{why}");
    }
    // Established: used in several sessions, it fades slowly and keeps its full weight.
    let (known, plain_now) = (home.show(&known), home.show(&plain));
    assert!(strings(&known["flags"]).contains(&"established"), "{known}");
    assert!(known["salience"].as_f64() > Some(0.3), "{known}");
    assert!(plain_now["salience"].as_f64() < Some(0.15), "{plain_now}");
    assert_eq!(plain_now["trust"], before, "time says nothing about truth");
    assert_eq!(plain_now["tier"], "cold", "{plain_now}");
    assert!(known.get("tier").is_none(), "{known}");

    // Where nothing else fits, it is said that something was put away.
    let asked = home.json(&["recall", "was the old logo turquoise?"]);
    assert!(asked["text"].as_str().expect("text").contains("1 archived match"), "{asked}");
    assert_eq!(asked["items"], json!([]));
    assert_eq!(home.json(&["recall", "thanks, well done!"])["text"], "");

    home.json(&["undo", slept["batches"][0].as_str().expect("a batch")]);
    assert_ne!(state(&home, &logo), "archived");
    home.assert_sound();
}

/// What the vectors say about a memory when something is asked.
fn cosine(home: &Home, query: &str, id: &str) -> Value {
    let explained = home.json(&["recall", query, "--explain"]);
    let all = explained["candidates"].as_array().expect("candidates").clone();
    let one = all.into_iter().find(|one| one["id"] == id);
    one.map_or(Value::Null, |one| one["cosine"].clone())
}

#[test]
fn a_cold_memory_leaves_the_scan_of_vectors_and_comes_back_by_use() {
    let home = Home::new();
    let id = home.remember("The staging bastion is reached through port 2222");
    let query = "how is the staging bastion reached?";
    assert!(cosine(&home, query, &id).is_number());
    let diary = diary(&home);
    work(&home, &diary, 0..46);
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["cooled"], 1, "{slept}");
    assert_eq!(home.show(&id)["tier"], "cold");
    assert_eq!(cosine(&home, query, &id), Value::Null, "no vector of it is scanned");
    home.assert_sound();
    home.json(&["doctor", "--reindex"]);
    assert_eq!(cosine(&home, query, &id), Value::Null, "nor made anew");
    assert_eq!(home.texts(&["search", "bastion"]).len(), 1, "its words are found");
    let asked = home.json(&["recall", query]);
    assert_eq!(asked["items"][0]["memory"]["id"], id.as_str(), "by a prompt as well: {asked}");

    for _ in 0..3 {
        home.json(&["expand", &id]);
    }
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["warmed"], 1, "{slept}");
    assert!(home.show(&id).get("tier").is_none());
    assert!(cosine(&home, query, &id).is_number(), "it has a vector again");
    home.json(&["undo", slept["batch"].as_str().expect("a batch")]);
    assert_eq!(home.show(&id)["tier"], "cold");
}

#[test]
fn a_promise_is_told_with_its_date_until_it_is_done() {
    let home = Home::new();
    let promise = ["Send Dana the audit report by 2026-03-20", "--kind", "commitment"];
    let id = home.remember_with(&promise);
    let open = home.remember_with(&["Clean up the feature flags", "--kind", "commitment"]);
    assert_eq!(home.show(&id)["due"], "2026-03-20");
    let told = |home: &Home| Agent::new(home, "a-new-session").starts();
    assert!(told(&home).contains("due 2026-03-20"));
    home.travel("2026-03-25");
    assert!(told(&home).contains("overdue since 2026-03-20"));

    let fact = home.remember("The audit is yearly");
    assert_eq!(home.error(&["done", &fact]).0, 1, "only promises are done");
    let done = home.json(&["done", &id]);
    assert!(done["memory"]["done_at"].is_string(), "{done}");
    assert!(!told(&home).contains("audit report"), "what is done is not told");
    let asked = home.json(&["recall", "did we promise Dana the audit report?"]);
    assert!(!asked["items"].to_string().contains(&id), "{asked}");
    home.json(&["undo"]);
    assert!(home.show(&id).get("done_at").is_none());
    home.json(&["done", &id]);
    let diary = diary(&home);
    work(&home, &diary, 22..114);
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["expired"], 1, "{slept}");
    assert_eq!((state(&home, &id), state(&home, &open)), ("expired".into(), "confirmed".into()));
}

#[test]
fn an_agent_does_not_settle_what_a_person_promised() {
    let home = Home::new();
    let id = home.remember_with(&["Send Dana the report", "--kind", "commitment"]);
    let mut command = home.command();
    command.env("CLAUDECODE", "1").args(["--json", "done", &id]);
    let run: Run = command.output().expect("the program starts").into();
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains(&format!("done {id}")), "{}", run.stderr);
    assert!(home.show(&id).get("done_at").is_none());
}

#[test]
fn what_nobody_confirmed_for_long_is_shown_so_and_nudged_and_no_less_true() {
    let home = Home::new();
    let id = home.remember("The backup bucket lies in Frankfurt");
    let before = home.show(&id)["trust"].clone();
    let diary = diary(&home);
    work(&home, &diary, 0..32);
    assert!(flags(&home, &id).contains(&"reconfirm_due".to_owned()));
    assert_eq!(home.show(&id)["trust"], before);
    let asked = home.json(&["recall", "where does the backup bucket lie?"]);
    let text = asked["text"].as_str().expect("text");
    assert!(text.contains("unconfirmed since 2026-03-02"), "{text}");
    for (command, list) in [(&["review"][..], "reconfirm"), (&["verify", "--list"], "reconfirm")] {
        let found = home.json(command);
        let ids: Vec<String> = found[list].as_array().expect("a list").iter().map(id_of).collect();
        assert!(ids.contains(&id), "{found}");
    }
    assert!(home.page(&["review"]).contains("unconfirmed since 2026-03-02"));
    home.json(&["confirm", &id]);
    assert!(!flags(&home, &id).contains(&"reconfirm_due".to_owned()));
    let asked = home.json(&["recall", "where does the backup bucket lie?"]);
    assert!(!asked["text"].as_str().expect("text").contains("unconfirmed since"), "{asked}");
    assert!(!home.page(&["verify", "--list"]).contains("Frankfurt"));
}

#[test]
fn a_session_that_ends_tends_what_waits_without_being_asked() {
    let home = Home::new();
    let guess =
        ["The importer may drop empty rows", "--authority", "inferred", "--confidence", "0.3"];
    let lone = home.remember_with(&guess);
    let diary = diary(&home);
    work(&home, &diary, 0..31);
    let agent = Agent::new(&home, "a-session");
    agent.starts();
    agent.hears("please rename the button on the start page");
    agent.answers("Renamed.");
    agent.ends();
    assert_eq!(state(&home, &lone), "expired");
    let log = home.json(&["log", "--limit", "50"]).to_string();
    assert!(log.contains("\"expired\""), "it is in the log: {log}");
}

#[test]
fn what_is_protected_or_too_young_is_neither_put_away_nor_expires() {
    let home = Home::new();
    let dull = |text: &str, more: &[&str]| {
        home.remember_with(&[&[text, "--importance", "0.1"], more].concat())
    };
    let logo = dull("The old logo was turquoise", &[]);
    let corrected = dull("The old mascot was a hamster", &[]);
    let corrected = home.json(&["correct", &corrected, "The old mascot was a hedgehog"]);
    let mut kept = vec![(id_of(&corrected["memory"]), "put right by a person")];
    for (kind, text) in [
        ("commitment", "Water the ficus in the lobby"),
        ("preference", "Chairs in the lobby are best in green"),
        ("principle", "Doors of the lobby stay shut"),
        ("correction", "The lobby has two doors and not three"),
    ] {
        kept.push((dull(text, &["--kind", kind]), kind));
    }
    let diary = diary(&home);
    work(&home, &diary, 0..2);
    kept.push((dull("The lobby clock is five minutes late", &[]), "not old enough"));
    work(&home, &diary, 2..70);
    let guess = ["--authority", "inferred", "--confidence", "0.3"];
    let young = home.remember_with(&[&["The importer may drop empty rows"], &guess[..]].concat());
    work(&home, &diary, 70..91);
    let slept = home.json(&["sleep"]);
    assert_eq!(state(&home, &logo), "archived", "{slept}");
    assert_eq!(slept["changes"]["archived"], 1, "{slept}");
    for (id, why) in &kept {
        assert_eq!(state(&home, id), "confirmed", "{why}");
    }
    assert_eq!(state(&home, &young), "staged", "a guess has thirty days");
}

#[test]
fn however_often_is_slept_at_one_moment_it_comes_to_the_same_as_once() {
    let home = Home::new();
    home.remember_with(&["The old logo was turquoise", "--importance", "0.1"]);
    let guess = ["--authority", "inferred", "--confidence", "0.3"];
    home.remember_with(&[&["The importer may drop empty rows"], &guess[..]].concat());
    home.remember("The staging bastion is reached through port 2222");
    let diary = diary(&home);
    work(&home, &diary, 0..92);
    let at_noon = |args: &[&str]| {
        let mut command = home.command();
        command.env("THROUGHLINE_NOW", "2026-07-30T12:00:00Z").arg("--json").args(args);
        let run: Run = command.output().expect("the program starts").into();
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).expect("one JSON document")
    };
    let once = at_noon(&["sleep", "--deep"]);
    for moved in ["expired", "archived", "cooled"] {
        assert_eq!(once["changes"][moved], 1, "{moved}: {once}");
    }
    let all = || (at_noon(&["list", "--all"]), at_noon(&["topics"]), at_noon(&["graph"]));
    let after = all();
    for n in 0..4 {
        let class: &[&str] = if n % 2 == 0 { &["sleep"] } else { &["sleep", "--deep"] };
        at_noon(class);
        assert_eq!(all(), after, "{class:?}, time {n}");
    }
}

#[test]
fn tiers_stand_still_while_they_are_switched_off() {
    let home = Home::new();
    let id = home.remember("The staging bastion is reached through port 2222");
    let diary = diary(&home);
    work(&home, &diary, 0..46);
    home.json(&["config", "set", "lifecycle.enabled", "false"]);
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["cooled"], 0, "{slept}");
    assert!(home.show(&id).get("tier").is_none());
    home.json(&["config", "unset", "lifecycle.enabled"]);
    assert_eq!(home.json(&["sleep"])["changes"]["cooled"], 1);
    assert_eq!(home.show(&id)["tier"], "cold");
    home.json(&["config", "set", "lifecycle.enabled", "false"]);
    for _ in 0..3 {
        home.json(&["expand", &id]);
    }
    assert_eq!(home.json(&["sleep"])["changes"]["warmed"], 0);
    assert_eq!(home.show(&id)["tier"], "cold");
}

#[test]
fn feedback_decides_how_long_a_memory_stays_in_the_hot_tier() {
    let home = Home::new();
    let [helped, plain, missed] = [
        "The staging bastion is reached through port 2222",
        "The invoice worker runs on node seven",
        "The label printer understands only ZPL",
    ]
    .map(|text| home.remember(text));
    for _ in 0..10 {
        home.json(&["feedback", &helped, "--helpful"]);
        home.json(&["feedback", &missed, "--unhelpful"]);
    }
    let trust = |id: &str| home.show(id)["trust"].clone();
    assert_eq!(trust(&helped), trust(&missed), "truth is another matter");
    let diary = diary(&home);
    let cold = || [&helped, &plain, &missed].map(|id| home.show(id)["tier"] == "cold");
    work(&home, &diary, 0..25);
    home.json(&["sleep"]);
    assert_eq!(cold(), [false, false, true]);
    work(&home, &diary, 25..42);
    home.json(&["sleep"]);
    assert_eq!(cold(), [false, true, true]);
    assert_eq!(trust(&helped), trust(&missed));
}

#[test]
fn a_correction_weighs_most_and_longest_and_what_was_only_inferred_fades_first() {
    let home = Home::new();
    let put_right =
        home.remember_with(&["The lobby has two doors, not three", "--kind", "correction"]);
    let old = home.remember("The mascot was a hamster");
    let corrected = home.json(&["correct", &old, "The mascot was a hedgehog"]);
    let corrected = id_of(&corrected["memory"]);
    let plain = home.remember("The invoice worker runs on node seven");
    let inferred = home.remember_with(&["The loader reads gzip files", "--authority", "inferred"]);
    let weight = |id: &str| home.show(id)["salience"].as_f64().expect("a number");
    assert!(weight(&put_right) > weight(&plain));
    let diary = diary(&home);
    work(&home, &diary, 0..60);
    home.json(&["sleep"]);
    assert!(weight(&put_right) > 0.6, "{}", weight(&put_right));
    assert!(weight(&put_right) > weight(&plain) && weight(&plain) > weight(&inferred));
    let cold = |id: &str| home.show(id)["tier"] == "cold";
    assert_eq!([&put_right, &corrected, &plain].map(|id| cold(id)), [false, false, true]);
}
