//! A home that somebody else could have written is not used: its settings may name a program.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Home, Missing, Run, bare, skipped};
use crate::hooking::{Agent, PATIENT, call};

/// A home with settings that run a program, which leaves a mark.
fn planted(home: &Home, at: &str) -> (PathBuf, PathBuf) {
    let (folder, mark) = (home.outside(at), home.outside("ran"));
    std::fs::create_dir_all(&folder).expect("the disk does as it is told");
    let script = home.outside("run.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", mark.display()))
        .expect("the disk does as it is told");
    let command = format!("sh {}", script.display());
    let text = format!("[llm]\nprovider = \"command\"\ncommand = \"{command}\"\n");
    std::fs::write(folder.join("config.toml"), text).expect("the disk does as it is told");
    (folder, mark)
}

fn with_home(folder: &Path, home: &Path) -> Command {
    let mut command = bare();
    command.env("THROUGHLINE_HOME", home).current_dir(folder);
    command.env("THROUGHLINE_NOW", "2026-03-02T09:00:00Z");
    command
}

fn refused(mut command: Command, args: &[&str]) -> String {
    let run: Run = command.arg("--json").args(args).output().expect("the program starts").into();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}: {}", run.stderr);
    let told: Value = serde_json::from_str(&run.stderr).expect("one JSON document");
    assert_eq!(told["error"]["code"], "unsafe_home", "{args:?}: {told}");
    assert!(told["error"]["hint"].as_str().expect("a text").contains("--home"), "{told}");
    told["error"]["message"].as_str().expect("a text").to_owned()
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the disk does as it is told");
    let mut all: Vec<_> =
        entries.map(|entry| entry.expect("the disk does as it is told").path()).collect();
    all.sort();
    all
}

#[test]
fn a_home_that_comes_with_the_project_is_refused_and_runs_nothing() {
    for (is_repository, at) in
        [(true, "app/.throughline"), (false, "app/.throughline"), (true, "app")]
    {
        let home = Home::new();
        let (inside, mark) = planted(&home, at);
        let app = home.outside("app");
        let deep = app.join("src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        if is_repository {
            std::fs::create_dir_all(app.join(".git")).unwrap();
        }
        let before = listing(&inside);
        let here = if is_repository { &deep } else { &app };
        for args in [
            &["remember", "x"][..],
            &["recall", "x"],
            &["status"],
            &["doctor"],
            &["work"],
            &["config", "set", "enabled", "true"],
            &["project", "list"],
            &["mcp"],
        ] {
            let why = refused(with_home(here, &inside), args);
            assert!(why.contains("inside the project"), "{why}");
        }
        // Named by hand it is no better, while it has something to run.
        let mut named = with_home(here, Path::new(""));
        named.arg("--home").arg(&inside);
        refused(named, &["remember", "x"]);
        for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "NoSuchEvent"] {
            // Wherever the hook itself is started: the agent says where it works.
            for started in [here.as_path(), Path::new("/")] {
                let agent = Agent { home: &home, session: "s".to_owned(), folder: here.clone() };
                let payload = agent.payload(event, &json!({"prompt": "We decided to use Redis."}));
                let run = call(with_home(started, &inside), event, payload.as_bytes(), &[PATIENT]);
                assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
            }
            let run = call(with_home(here, &inside), event, b"{ torn", &[PATIENT]);
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
        }
        let run: Run = with_home(here, &inside).args(["hook", "--no"]).output().unwrap().into();
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
        assert_eq!(listing(&inside), before, "nothing is noted there either");
        assert!(!mark.exists(), "and nothing ran");
    }
}

#[cfg(unix)]
#[test]
fn links_and_repositories_within_repositories_do_not_hide_where_a_home_lies() {
    let home = Home::new();
    let (inside, _) = planted(&home, "app/.throughline");
    std::fs::create_dir_all(home.outside("app/.git")).unwrap();
    std::fs::create_dir_all(home.outside("app/vendor/lib/.git")).unwrap();
    std::os::unix::fs::symlink(&inside, home.outside("link")).unwrap();
    std::os::unix::fs::symlink(home.outside("app"), home.outside("app-link")).unwrap();
    refused(with_home(&home.outside("app"), &home.outside("link")), &["status"]);
    refused(with_home(&home.outside("app-link"), &inside), &["status"]);
    refused(with_home(&home.outside("app/vendor/lib"), &inside), &["status"]);
    let around = home.outside("app/../app/.throughline");
    refused(with_home(&home.outside("app"), &around), &["status"]);
    refused(with_home(&home.outside("app"), Path::new(".throughline")), &["status"]);
    let missing = home.outside("app/new/home");
    refused(with_home(&home.outside("app"), &missing), &["remember", "x"]);
    assert!(!missing.exists());
}

#[test]
fn a_scratch_folder_and_a_home_folder_are_no_project_that_could_have_written_a_home() {
    let home = Home::new();
    let scratch = home.outside("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let mut command = with_home(&scratch, Path::new(""));
    let run = command.args(["--home", "memory", "remember", "x"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // Whoever keeps their whole home folder in git has their memory in it.
    let user = home.outside("user");
    std::fs::create_dir_all(user.join(".git")).unwrap();
    let mut command = with_home(&user, &user.join(".local/share/throughline"));
    let run = command.env("HOME", &user).args(["remember", "x"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[cfg(unix)]
#[test]
fn a_home_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.remember("Here I am");
    let mode = |path: PathBuf, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let command = || home.command();
    for open in [0o777, 0o770, 0o702] {
        mode(home.path(), open);
        let why = refused(command(), &["list"]);
        assert!(why.contains("chmod go-w"), "{why}");
        let agent = Agent::new(&home, "march");
        let run = agent.call("SessionStart", &json!({"source": "startup"}), &[]);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    }
    assert!(!home.path().join("journal").exists());
    mode(home.path(), 0o755);
    assert_eq!(home.texts(&["list"]), ["Here I am"]);
    home.json(&["config", "set", "enabled", "true"]);
    mode(home.path().join("config.toml"), 0o666);
    refused(command(), &["list"]);
    mode(home.path().join("config.toml"), 0o644);
    assert_eq!(home.texts(&["list"]), ["Here I am"]);
    // Only the administrator can give a folder away.
    if std::os::unix::fs::chown(home.path(), Some(4_321), None).is_ok() {
        let why = refused(command(), &["list"]);
        assert!(why.contains("belongs to another user (uid 4321"), "{why}");
    } else {
        skipped(&Missing::Right("only an administrator can give a folder to another user"));
    }
}
