//! A settings file that cannot be read costs what it says and nothing else.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, DECISION, diagnosis, failures, told};
use crate::mcp_client::{Client, Era};

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
    // What takes something in says the same, and no more.
    let (code, error) = home.error(&["remember", "Something new"]);
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

/// A file that is no TOML, one that is not a text, and one with a value that cannot be.
const BROKEN: [&[u8]; 3] = [
    b"[llm\n",
    b"[llm]\nprovider = \"command\"\ncommand = \"touch ran\"\n# \xff\n",
    b"[recall]\nitems_max = \"few\"\n",
];

#[test]
fn what_a_person_reads_copies_and_erases_goes_on_with_the_defaults_and_one_line_of_warning() {
    for text in BROKEN {
        let home = Home::new();
        let id = home.remember("The staging database runs on Postgres 14");
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let (copy, export) = (home.arg("copy.db"), home.arg("all.jsonl"));
        for args in [
            &["list"][..],
            &["recall", "Which Postgres does the staging database run?"],
            &["search", "postgres"],
            &["show", &id],
            &["history", &id],
            &["status"],
            &["backup", &copy],
            &["restore", &copy],
            &["export", "--output", &export],
            &["purge", &id, "--yes"],
        ] {
            let run = home.run(args);
            assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
            let told: Vec<&str> =
                run.stderr.lines().filter(|l| l.contains("config.toml")).collect();
            assert_eq!(told.len(), 1, "{args:?}: {}", run.stderr);
        }
        let run = home.run(&["--json", "list"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found["total"], 0, "erased: {found}");
        let warning: Value = serde_json::from_str(&run.stderr).expect("one JSON document");
        assert!(warning["warning"]["message"].is_string(), "{warning}");
        let run = home.run(&["remember", "Something new"]);
        assert_ne!(run.code, 0, "what takes something in waits for the settings");
        assert!(!home.project().join("ran").exists(), "no model is asked");
    }
}

#[test]
fn tools_go_on_with_the_defaults_and_what_is_visibly_off_stays_off() {
    for (text, off) in [
        (&b"[llm\n"[..], false),
        (b"enabled = false\n[llm\n", true),
        (b"enabled = false\n# \xff\n", true),
    ] {
        let home = Home::new();
        home.remember("The staging database runs on Postgres 14");
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let mut client = Client::greet(home.command(), &["mcp"], Era::Handshake);
        let question = json!({"query": "Which Postgres does the staging database run?"});
        let told = client.try_call("recall", question).to_string();
        assert_eq!(told.contains("Postgres 14"), !off, "{off}: {told}");
    }
}

#[test]
fn setting_something_in_a_file_that_cannot_be_read_says_what_to_do_by_hand() {
    for (text, line) in
        [(&b"enabled = true\n[llm\n"[..], "line 2"), (b"enabled = true\n\n# \xff\n", "line 3")]
    {
        let home = Home::new();
        home.remember("Here I am");
        let file = home.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let (code, error) = home.error(&["config", "set", "recall.items_max", "3"]);
        assert_eq!(code, 1);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(line) && message.contains("editor"), "{message}");
        assert_eq!(std::fs::read(&file).unwrap(), text, "it is left as it is");
        let run = home.run(&["--json", "doctor"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        let checks = found["checks"].as_array().unwrap();
        let hint =
            checks.iter().find(|check| check["name"] == "settings").unwrap()["hint"].to_string();
        assert!(hint.contains("editor") && !hint.contains("config set"), "{hint}");
    }
}
