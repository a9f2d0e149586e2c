//! A settings file that cannot be read costs what it says and nothing else.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, DECISION, diagnosis, failures, told};

fn write(home: &Home, text: &str) {
    std::fs::create_dir_all(home.path()).expect("the disk does as it is told");
    std::fs::write(home.path().join("config.toml"), text).expect("the disk does as it is told");
}

/// An agent decides something, and another session asks. Returns what that one is told.
fn session(home: &Home) -> String {
    let agent = Agent::new(home, "march");
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": DECISION})),
        ("Stop", json!({"last_assistant_message": "Noted."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        told(event, &agent.call(event, &fields, &[]));
    }
    let next = Agent::new(home, "april");
    let prompt = json!({"prompt": "Where do we keep sessions, in Redis or in Postgres?"});
    told("UserPromptSubmit", &next.call("UserPromptSubmit", &prompt, &[]))
}

#[test]
fn hooks_go_on_with_the_defaults_and_note_what_is_wrong() {
    for text in [
        "enabled = = true\n",
        "[recall]\nitems_max = \"few\"\n",
        "[recall\n",
        "[llm]\nprovider = \"command\"\ncommand = \"touch ran\"\n[recall]\nitems_max = -1\n",
    ] {
        let home = Home::new();
        write(&home, text);
        let said = session(&home);
        assert!(said.contains("Postgres"), "{text}: {said}");
        assert!(failures(&home).contains("config.toml"), "{text}: {}", failures(&home));
        assert!(!home.path().join("nowhere").exists(), "no model is asked: {text}");
    }
}

#[test]
fn what_a_broken_file_switches_off_stays_off() {
    for text in [
        "enabled = false\nrecall = = 5\n",
        "  enabled=false # for now\n[recall\n",
        "[journal]\nenabled = false\n[recall]\nitems_max = = 1\n",
        "journal.enabled = false\nx = = 1\n",
    ] {
        let home = Home::new();
        write(&home, text);
        session(&home);
        assert!(home.files_holding("Redis").is_empty(), "{text}");
    }
}

#[test]
fn doctor_goes_on_and_names_the_file_the_line_and_what_to_do() {
    let home = Home::new();
    home.remember("Here I am");
    write(&home, "enabled = true\n\n[recall]\nitems_max = = 3\n");
    let run = home.run(&["--json", "doctor"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let checks = found["checks"].as_array().unwrap();
    assert!(
        checks.iter().any(|check| check["name"] == "contents"),
        "it looks at the rest: {found}"
    );
    let said = &diagnosis(&home, "settings")[0];
    assert!(said.contains("config.toml, line 4"), "{said}");
    let check = checks.iter().find(|check| check["name"] == "settings").unwrap();
    assert_eq!(check["outcome"], "wrong");
    assert!(check["hint"].as_str().is_some_and(|hint| hint.contains("correct")), "{check}");
    // Everything else a person does says the same, and no more.
    let (code, error) = home.error(&["list"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("line 4"), "{error}");
    write(&home, "[recall]\nitems_max = \"few\"\n");
    assert!(diagnosis(&home, "settings")[0].contains("recall.items_max"));
}

#[test]
fn settings_that_nobody_knows_are_named() {
    let home = Home::new();
    write(&home, "colour = \"red\"\n[recall]\nitem_max = 3\n[server]\nport = 1\n");
    let said = diagnosis(&home, "settings");
    for key in ["colour", "recall.item_max", "server.port"] {
        assert!(said.iter().any(|line| line.contains(key)), "{key}: {said:?}");
    }
    assert_eq!(home.texts(&["list"]), Vec::<String>::new(), "and nothing else is stopped");
    write(&home, "enabled = true\n[recall]\nitems_max = 3\n");
    assert_eq!(diagnosis(&home, "settings"), Vec::<String>::new());
}
