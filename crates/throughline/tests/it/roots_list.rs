//! The list of folders outlives a flipped bit, and where it cannot be read nothing is written elsewhere.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::Home;
use crate::hooking::{Agent, DECISION, diagnosis, told};

const SECRET: &str = "The billing export is encrypted with the zebra passphrase";

/// A folder with a memory that belongs to the project of its origin, and the list that says so.
fn joined(home: &Home) -> PathBuf {
    let config = home.outside("app/.git/config");
    std::fs::create_dir_all(config.parent().expect("a file lies in a folder"))
        .expect("the disk does as it is told");
    std::fs::write(&config, "[remote \"origin\"]\n\turl = git@example.com:acme/app.git\n")
        .expect("the disk does as it is told");
    home.from("app").json(&["remember", SECRET]);
    home.path().join("projects.json")
}

/// The copy of the list.
fn copy_of(list: &Path) -> PathBuf {
    list.with_file_name("projects.copy.json")
}

/// A session in that folder with one prompt. Returns what it is told.
fn agent(home: &Home, session: &str, prompt: &str) -> String {
    let agent = Agent { home, session: session.to_owned(), folder: home.outside("app") };
    let mut all = String::new();
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": prompt})),
        ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Noted."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        all += &told(event, &agent.call(event, &fields, &[]));
    }
    all
}

#[test]
fn no_flipped_bit_in_the_list_of_folders_hides_a_project_or_goes_unnoticed() {
    let home = Home::new();
    let list = joined(&home);
    let whole = std::fs::read(&list).unwrap();
    let key = whole.windows(6).rposition(|part| part == b"\"key\":").expect("it has a key");
    // Every eleventh byte, and some of the key itself.
    let places = (0..whole.len()).step_by(11).chain(key..key + 12);
    for at in places {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        std::fs::write(&list, &flipped).unwrap();
        assert_eq!(home.from("app").texts(&["list"]), [SECRET], "byte {at}");
    }
    let key = String::from_utf8(whole.clone()).unwrap().replace("com/acme/app", "com/acmf/app");
    std::fs::write(&list, key).unwrap();
    let told = diagnosis(&home, "project");
    assert!(told.len() == 1 && told[0].contains("projects.copy.json"), "{told:?}");
    assert_eq!(home.run(&["doctor"]).code, 0, "it works, and is worth knowing");
    home.from("app").json(&["doctor", "--mend"]);
    assert_eq!(std::fs::read(&list).unwrap(), whole);
    assert_eq!(diagnosis(&home, "project"), Vec::<String>::new());
}

#[test]
fn a_list_that_an_older_version_wrote_is_read() {
    let home = Home::new();
    let list = joined(&home);
    let mut old: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&list).unwrap()).unwrap();
    old.as_object_mut().unwrap().retain(|field, _| field == "roots");
    std::fs::write(&list, old.to_string()).unwrap();
    std::fs::remove_file(copy_of(&list)).unwrap();
    assert_eq!(home.from("app").texts(&["list"]), [SECRET]);
    assert_eq!(diagnosis(&home, "project"), Vec::<String>::new());
}

#[test]
fn where_no_list_of_folders_can_be_read_a_command_fails_and_what_agents_tell_waits() {
    let home = Home::new();
    let list = joined(&home);
    let whole = std::fs::read(&list).unwrap();
    for file in [list.clone(), copy_of(&list)] {
        std::fs::write(file, &whole[..whole.len() / 2]).unwrap();
    }
    let app = home.from("app");
    let (code, error) = app.error(&["remember", "Said to nobody"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("damaged")), "{error}");
    assert!(error["message"].as_str().unwrap().contains("projects.json"), "{error}");
    assert!(error["hint"].is_string(), "{error}");
    let run = app.run(&["list"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("projects.json") && !run.stdout.contains("zebra"), "{run:?}");
    assert!(!agent(&home, "march", DECISION).contains("zebra"), "nothing is given away");
    assert_eq!(app.run(&["doctor"]).code, 1);
    let everywhere = home.page(&["export"]);
    assert!(!everywhere.contains("Redis"), "nothing was taken in: {everywhere}");
    // Put right again, what was told goes where it belongs.
    std::fs::write(&list, &whole).unwrap();
    agent(&home, "april", "Where is the total computed?");
    let found = app.texts(&["list"]);
    assert!(found.iter().any(|text| text.contains("Redis")), "{found:?}");
    assert!(found.contains(&SECRET.to_owned()), "{found:?}");
    app.json(&["remember", "Said to somebody"]);
}
