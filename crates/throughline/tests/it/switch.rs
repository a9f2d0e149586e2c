//! The off switch: hooks and tools touch nothing and say nothing; a person is answered.

use serde_json::json;

use crate::harness::{Home, id_of};
use crate::hooking::Agent;

/// What would take something in.
const TAKES_IN: &[&[&str]] = &[
    &["remember", "Something"],
    &["correct", "00000000", "Something else"],
    &["ingest", "nothing.jsonl"],
    &["import", "nothing.jsonl"],
    &["sleep"],
];

/// Everything in the home.
fn snapshot(home: &Home) -> Vec<(Vec<u8>, std::path::PathBuf)> {
    let read = |file: std::path::PathBuf| {
        (std::fs::read(&file).expect("the disk does as it is told"), file)
    };
    let mut files: Vec<_> = home.files().into_iter().map(read).collect();
    files.sort();
    files
}

#[test]
fn switched_off_by_the_environment_a_person_is_told_so_and_hooks_say_nothing() {
    let home = Home::new();
    for args in TAKES_IN {
        let mut command = home.command();
        let run = command.env("THROUGHLINE_DISABLE", "1").arg("--json").args(*args).output();
        let run = run.unwrap();
        assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(1), &b""[..]), "{args:?}");
        let told: serde_json::Value = serde_json::from_slice(&run.stderr).unwrap();
        assert_eq!(told["error"]["code"], "off", "{args:?}");
        let hint = told["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("THROUGHLINE_DISABLE") && hint.contains("enabled"), "{hint}");
    }
    let wrong = home.command().env("THROUGHLINE_DISABLE", "1").arg("nonsense").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let agent = Agent::new(&home, "march");
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "NoSuchEvent"] {
        let fields = json!({"prompt": "We decided to use Postgres."});
        let run = agent.call(event, &fields, &[("THROUGHLINE_DISABLE", "1")]);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{event}");
    }
    assert!(!home.path().exists(), "the home is not even made");
}

#[test]
fn zero_or_nothing_in_the_environment_does_not_switch_off() {
    let home = Home::new();
    for value in ["0", ""] {
        let mut command = home.command();
        let run = command.env("THROUGHLINE_DISABLE", value).args(["remember", "x"]).output();
        assert!(run.unwrap().status.success(), "{value:?}");
    }
}

#[test]
fn switched_off_a_person_still_sees_copies_and_erases_what_is_there() {
    let home = Home::new();
    let (kept, gone) = (home.remember("Before"), home.remember("To be erased"));
    home.json(&["config", "set", "enabled", "false"]);
    assert_eq!(home.texts(&["list"]), ["To be erased", "Before"]);
    assert_eq!(id_of(&home.show(&kept)), kept);
    assert_eq!(home.json(&["status"])["memories"], 2);
    assert_eq!(home.texts(&["search", "before"]), ["Before"]);
    assert_eq!(home.json(&["doctor"])["ok"], true);
    home.json(&["purge", &gone, "--yes"]);
    assert!(home.files_holding("To be erased").is_empty());
    home.json(&["backup", &home.arg("copy.db")]);
    home.json(&["export", "--output", &home.arg("all.jsonl")]);
    assert!(home.outside("copy.db").exists() && home.outside("all.jsonl").exists());
    assert_eq!(home.json(&["config", "get", "enabled"])["value"], false);
}

#[test]
fn switched_off_by_the_environment_a_person_still_sees_copies_and_erases_what_is_there() {
    let home = Home::new();
    let (kept, gone) = (home.remember("Before"), home.remember("To be erased"));
    let off = |args: &[&str]| {
        let mut command = home.command();
        let run = command.env("THROUGHLINE_DISABLE", "1").arg("--json").args(args).output();
        let run: crate::harness::Run = run.expect("the program starts").into();
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        run.stdout
    };
    assert!(off(&["list"]).contains("Before") && off(&["show", &kept]).contains("Before"));
    assert!(off(&["search", "before"]).contains("Before"));
    off(&["doctor"]);
    off(&["status"]);
    off(&["purge", &gone, "--yes"]);
    assert!(home.files_holding("To be erased").is_empty());
    off(&["backup", &home.arg("copy.db")]);
    off(&["export", "--output", &home.arg("all.jsonl")]);
    let exported = std::fs::read_to_string(home.outside("all.jsonl")).expect("it was written");
    assert!(exported.contains("Before") && home.outside("copy.db").exists(), "{exported}");
}

#[test]
fn switched_off_in_the_settings_nothing_is_taken_in_until_switched_on() {
    let home = Home::new();
    home.remember("Before");
    home.json(&["config", "set", "enabled", "false"]);
    let before = snapshot(&home);
    for args in TAKES_IN {
        let (code, error) = home.error(args);
        assert_eq!((code, error["code"].as_str()), (1, Some("off")), "{args:?}");
    }
    let agent = Agent::new(&home, "march");
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        let run = agent.call(event, &json!({"prompt": "We decided to use Postgres."}), &[]);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{event}");
    }
    let mut client = home.mcp();
    assert_eq!(client.fail("recall", json!({ "query": "before" }))["error"], "off");
    client.leave();
    assert!(snapshot(&home) == before, "no file changes");
    home.json(&["config", "set", "enabled", "true"]);
    home.remember("After");
    assert_eq!(home.texts(&["list"]), ["After", "Before"]);
}

#[test]
fn switched_off_before_the_first_use_only_the_setting_is_written() {
    let home = Home::new();
    home.json(&["config", "set", "enabled", "false"]);
    home.run(&["remember", "Something"]);
    assert_eq!(home.files(), [home.path().join("config.toml")]);
}

#[test]
fn comments_in_the_settings_file_survive_a_change() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).unwrap();
    let file = home.path().join("config.toml");
    std::fs::write(&file, "# mine\nenabled = false # why\n\n[recall]\n# few\nitems_max = 2\n")
        .unwrap();
    home.json(&["config", "set", "enabled", "true"]);
    home.json(&["config", "set", "recall.items_max", "3"]);
    home.json(&["config", "set", "recall.budget_tokens", "500"]);
    let text = std::fs::read_to_string(file).unwrap();
    let expected =
        "# mine\nenabled = true # why\n\n[recall]\n# few\nitems_max = 3\nbudget_tokens = 500\n";
    assert_eq!(text, expected);
}

#[test]
fn status_and_doctor_say_first_that_memory_is_switched_off_and_how_it_is_switched_on() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    assert_eq!(home.json(&["status"])["enabled"], true);
    let by_variable = |args: &[&str]| -> crate::harness::Run {
        let mut command = home.command();
        command.env("THROUGHLINE_DISABLE", "1").args(args).output().unwrap().into()
    };
    let line = |page: &str| page.lines().next().unwrap_or_default().to_owned();
    let status = line(&by_variable(&["status"]).stdout);
    assert!(status.contains("switched off by THROUGHLINE_DISABLE"), "{status}");
    assert!(status.contains("unsetting THROUGHLINE_DISABLE"), "{status}");
    let doctor = line(&by_variable(&["doctor"]).stdout);
    assert!(doctor.contains("switched off by THROUGHLINE_DISABLE"), "{doctor}");

    home.json(&["config", "set", "enabled", "false"]);
    let status = home.json(&["status"]);
    assert_eq!(status["enabled"], false);
    let hint = status["off"]["hint"].as_str().unwrap();
    assert!(hint.contains("config set enabled true"), "{hint}");
    let doctor = home.json(&["doctor"]);
    assert_eq!(doctor["checks"][0]["name"], "memory", "{doctor}");
    assert_eq!(doctor["checks"][0]["outcome"], "note", "{doctor}");
    let both: serde_json::Value =
        serde_json::from_str(&by_variable(&["--json", "status"]).stdout).unwrap();
    let hint = both["off"]["hint"].as_str().unwrap();
    assert!(hint.contains("enabled true") && hint.contains("THROUGHLINE_DISABLE"), "{hint}");
}
