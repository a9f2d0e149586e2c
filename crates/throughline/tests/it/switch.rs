//! The off switch: no file touched, no output, no error.

use crate::harness::Home;

const COMMANDS: &[&[&str]] = &[
    &["remember", "Something"],
    &["list"],
    &["recall", "something"],
    &["doctor"],
    &["undo"],
    &["show", "00000000"],
    &["purge", "00000000", "--yes"],
    &["status", "--json"],
];

#[test]
fn switched_off_by_the_environment_nothing_happens() {
    let home = Home::new();
    for args in COMMANDS.iter().chain(&[&["config", "set", "enabled", "true"][..], &["nonsense"]]) {
        let run = home.command().env("THROUGHLINE_DISABLE", "1").args(*args).output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{args:?}");
        assert_eq!((run.stdout, run.stderr), (vec![], vec![]), "{args:?}");
    }
    assert!(!home.path().exists(), "the home is not even made");
}

#[test]
fn zero_or_nothing_in_the_environment_does_not_switch_off() {
    let home = Home::new();
    for value in ["0", ""] {
        let run =
            home.command().env("THROUGHLINE_DISABLE", value).args(["status"]).output().unwrap();
        assert!(!run.stdout.is_empty(), "{value:?}");
    }
}

#[test]
fn switched_off_in_the_settings_nothing_happens_until_switched_on() {
    let home = Home::new();
    home.remember("Before");
    home.json(&["config", "set", "enabled", "false"]);
    let snapshot = || {
        let mut files: Vec<_> =
            home.files().into_iter().map(|file| (std::fs::read(&file).unwrap(), file)).collect();
        files.sort();
        files
    };
    let before = snapshot();
    for args in COMMANDS {
        let run = home.run(args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{args:?}");
    }
    assert!(snapshot() == before, "no file changes");
    assert_eq!(home.json(&["config", "get", "enabled"])["value"], false);
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
