//! Roots: what a repository says it is opens no other project's memory. A person joins a folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, Run, bare, strings};
use crate::hooking::Agent;
use crate::mcp_client::{Client, Era};

const ORIGIN: &str = "git@example.com:acme/app.git";
const KEY: &str = "example.com/acme/app";
const SECRET: &str = "The billing export is encrypted with the zebra passphrase";
const QUESTION: &str = "What is the billing export encrypted with?";

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file lies in a folder"))
        .expect("the disk does as it is told");
    std::fs::write(path, text).expect("the disk does as it is told");
}

/// A repository that says where it comes from.
fn repository(root: &Path, origin: &str) {
    put(&root.join(".git/config"), &format!("[remote \"origin\"]\n\turl = {origin}\n"));
}

/// A project with a memory, and where it lies.
fn project(home: &Home) -> PathBuf {
    let root = home.outside("app");
    repository(&root, ORIGIN);
    home.from("app").json(&["remember", SECRET]);
    root
}

/// What a folder is told by every door, as one text.
fn told_at(home: &Home, name: &str) -> String {
    let seen = home.from(name);
    let mut told = String::new();
    for args in [
        &["list", "--all"][..],
        &["recall", QUESTION],
        &["search", "zebra", "--all"],
        &["stats"],
        &["log"],
        &["graph"],
        &["review"],
        &["export", "--format", "markdown"],
    ] {
        let run = seen.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        told += &run.stdout;
    }
    let agent = Agent { home, session: format!("in-{name}"), folder: home.outside(name) };
    told += &agent.starts();
    told += &agent.hears(QUESTION);
    agent.answers("I do not know.");
    agent.ends();
    let mut client = Client::greet(seen.command(), &["mcp"], Era::Handshake);
    for arguments in [json!({ "query": QUESTION }), json!({ "query": QUESTION, "project": "." })] {
        told += &client.call("recall", arguments).to_string();
    }
    told
}

fn is_shut(home: &Home, name: &str) {
    let told = told_at(home, name);
    assert!(!told.contains("passphrase"), "{name}: {told}");
    assert_eq!(told.matches("throughline project join").count(), 1, "{name} asks once: {told}");
    let here = home.outside(name).canonicalize().expect("the disk does as it is told");
    let status = home.from(name).json(&["status"]);
    assert_eq!(status["project_key"], json!(here), "{name}");
    assert_eq!(status["waits_for"], KEY, "{name}");
    // Nothing that is said there reaches the project.
    home.from(name).json(&["remember", &format!("Planted from {name}")]);
    let of_app = home.from("app").json(&["list", "--all"]).to_string();
    assert!(!of_app.contains("Planted"), "{name}: {of_app}");
}

#[test]
fn a_repository_that_claims_another_projects_origin_starts_empty() {
    let home = Home::new();
    let app = project(&home);
    // An archive that brings its settings along, a repository within another, a submodule, and
    // files that point out of the tree.
    repository(&home.outside("archive"), "https://example.com/acme/app");
    repository(&home.outside("mine"), "https://example.com/me/mine");
    repository(&home.outside("mine/nested"), ORIGIN);
    put(
        &home.outside("mine/.git/modules/sub/config"),
        &format!("[remote \"origin\"]\nurl={ORIGIN}\n"),
    );
    put(&home.outside("mine/sub/.git"), "gitdir: ../.git/modules/sub\n");
    put(&home.outside("pointer/.git"), &format!("gitdir: {}\n", app.join(".git").display()));
    let names = ["archive", "mine/nested", "mine/sub", "pointer"];
    for name in names {
        is_shut(&home, name);
    }
    #[cfg(unix)]
    {
        std::fs::create_dir(home.outside("linked")).unwrap();
        std::os::unix::fs::symlink(app.join(".git"), home.outside("linked/.git")).unwrap();
        is_shut(&home, "linked");
    }
}

#[test]
fn origins_that_are_paths_relative_empty_or_at_another_port_open_nothing() {
    let home = Home::new();
    let app = project(&home);
    home.from("plain").json(&["remember", SECRET]);
    let plain = home.arg("plain");
    for (n, origin) in [
        plain.clone(),
        format!("file://{plain}"),
        app.display().to_string(),
        "../plain".to_owned(),
        "../app".to_owned(),
        "app".to_owned(),
        String::new(),
        "https://example.com:8443/acme/app".to_owned(),
        "ssh://git@example.com:2222/acme/app.git".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("claims-{n}");
        repository(&home.outside(&name), origin);
        let told = told_at(&home, &name);
        assert!(!told.contains("passphrase"), "{origin}: {told}");
    }
    // Nor do two that are both empty, or both relative, share anything.
    repository(&home.outside("one"), "../base.git");
    repository(&home.outside("two"), "../base.git");
    home.from("one").json(&["remember", "Said in one"]);
    assert_eq!(home.from("two").texts(&["list"]), Vec::<String>::new());
}

#[test]
fn git_settings_that_lead_elsewhere_are_not_followed() {
    let home = Home::new();
    let app = project(&home);
    let config = app.join(".git/config");
    for (name, text) in [
        ("includes", format!("[include]\n\tpath = {}\n", config.display())),
        ("worktree", format!("[core]\n\tworktree = {}\n", app.display())),
    ] {
        put(&home.outside(name).join(".git/config"), &text);
        put(&home.outside(name).join(".git/commondir"), &app.join(".git").display().to_string());
        put(&home.outside(name).join(".git/objects/info/alternates"), &app.display().to_string());
        let told = told_at(&home, name);
        assert!(!told.contains("passphrase"), "{name}: {told}");
    }
    let mut command = home.from("elsewhere").command();
    command.env("GIT_DIR", app.join(".git")).env("GIT_WORK_TREE", &app).args(["list"]);
    let run = command.output().unwrap();
    assert!(!String::from_utf8_lossy(&run.stdout).contains("passphrase"));
}

#[test]
fn a_person_joins_a_clone_and_it_shares_the_memory_from_then_on() {
    let home = Home::new();
    let app = project(&home);
    repository(&home.outside("clone"), "https://example.com/acme/app");
    let clone = home.from("clone");
    is_shut(&home, "clone");
    let page = clone.run(&["status"]).stdout;
    assert!(page.contains("throughline project join"), "{page}");
    let doctor = clone.json(&["doctor"]).to_string();
    assert!(doctor.contains("throughline project join"), "{doctor}");

    let joined = clone.json(&["project", "join"]);
    let root = home.outside("clone").canonicalize().unwrap();
    assert_eq!((&joined["key"], &joined["root"]), (&json!(KEY), &json!(root)));
    assert_eq!(joined["beside"], json!([app.canonicalize().unwrap()]), "what it shares with");
    assert_eq!(clone.texts(&["list"]), [SECRET]);
    let agent = Agent { home: &home, session: "later".to_owned(), folder: home.outside("clone") };
    assert!(agent.hears(QUESTION).contains("zebra"));

    let listed = home.json(&["project", "list"]);
    let items = listed["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["key"] == KEY).expect("it is listed");
    assert_eq!(item["memories"], 1);
    assert_eq!(strings(&item["roots"]).len(), 2, "{item}");

    home.json(&["project", "leave", &home.arg("clone")]);
    assert_eq!(clone.texts(&["list"]), ["Planted from clone"], "what was said there before");
    assert_eq!(clone.json(&["status"])["waits_for"], Value::Null, "and nobody asks any more");
    home.json(&["project", "join", &home.arg("clone")]);
    assert_eq!(clone.texts(&["list"]), [SECRET]);
}

#[test]
fn a_repository_that_was_moved_asks_once_and_goes_on_when_it_is_joined() {
    let home = Home::new();
    let app = project(&home);
    std::fs::rename(&app, home.outside("moved")).expect("a folder can be moved");
    let agent = |session: &str| Agent {
        home: &home,
        session: session.to_owned(),
        folder: home.outside("moved"),
    };
    let asks = |told: String| told.contains("throughline project join");
    let brief = agent("one").starts();
    assert!(!brief.contains("zebra") && asks(brief));
    assert!(!asks(agent("two").starts()), "once");
    let moved = home.from("moved");
    assert_eq!(moved.json(&["status"])["waits_for"], KEY);
    let joined = moved.json(&["project", "join"]);
    assert_eq!(joined["key"], KEY);
    assert_eq!(moved.texts(&["list"]), [SECRET]);
    assert!(agent("three").hears(QUESTION).contains("zebra"));
    assert!(!asks(agent("four").starts()));
}

#[test]
fn init_in_a_second_clone_says_how_it_is_joined_though_agents_are_connected_already() {
    let home = Home::new();
    project(&home);
    repository(&home.outside("clone"), ORIGIN);
    std::fs::create_dir(home.outside("claude")).expect("the disk does as it is told");
    let init = |folder: &str| {
        let run = home.from(folder).run(&["init", "--config", &home.arg("claude")]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    assert!(!init("app").contains("project join"), "it is the project's own folder");
    let page = init("clone");
    assert!(page.contains("Nothing to change."), "connected before: {page}");
    assert!(page.contains("throughline project join"), "{page}");
    home.from("clone").json(&["project", "join"]);
    assert!(!init("clone").contains("project join"));
}

#[test]
fn an_agent_in_its_shell_joins_nothing() {
    let home = Home::new();
    project(&home);
    repository(&home.outside("clone"), ORIGIN);
    let in_shell = |args: &[&str]| {
        let mut command = home.from("clone").command();
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s1");
        let run: Run = command.args(args).output().expect("the program starts").into();
        run
    };
    let clone = home.arg("clone");
    for args in [
        &["project", "join"][..],
        &["project", "join", "--key", KEY],
        &["project", "leave"],
        &["project", "leave", &clone],
    ] {
        let run = in_shell(args);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}");
        assert!(run.stderr.contains("terminal of their own"), "{}", run.stderr);
    }
    assert_eq!(home.from("clone").texts(&["list"]), Vec::<String>::new());
    // Nor does it by being the first to look at what an older version kept.
    std::fs::remove_file(home.path().join("projects.json")).unwrap();
    let run = in_shell(&["list", "--all"]);
    assert!(!run.stdout.contains("passphrase"), "{}", run.stdout);
}

/// Runs git in a folder.
fn git(folder: &Path, args: &[&str]) {
    let done = std::process::Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_worktree_that_git_made_belongs_to_its_project_and_a_forged_one_does_not() {
    let home = Home::new();
    let app = home.outside("app");
    std::fs::create_dir(&app).unwrap();
    git(&app, &["init", "-q"]);
    git(&app, &["remote", "add", "origin", ORIGIN]);
    git(&app, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&app, &["worktree", "add", "-q", "../tree"]);
    home.from("app").json(&["remember", SECRET]);
    assert_eq!(home.from("tree").texts(&["list"]), [SECRET]);
    let agent = Agent { home: &home, session: "one".to_owned(), folder: home.outside("tree") };
    let told = agent.starts();
    assert!(told.contains("zebra") && !told.contains("project join"), "{told}");
    // The same file in another folder: the repository names the first one.
    let pointer = std::fs::read_to_string(home.outside("tree/.git")).unwrap();
    put(&home.outside("forged/.git"), &pointer);
    is_shut(&home, "forged");
}

#[test]
fn a_tool_call_names_its_own_project_or_a_part_of_it_and_nothing_else() {
    let home = Home::new();
    project(&home);
    repository(&home.outside("mine"), "https://example.com/me/mine");
    repository(&home.outside("mine/nested"), ORIGIN);
    std::fs::create_dir_all(home.outside("mine/.git/x")).unwrap();
    let mut client = Client::greet(home.from("mine").command(), &["mcp"], Era::Handshake);
    let nested = json!({ "query": QUESTION, "project": "nested" });
    let found = client.try_call("recall", nested);
    assert!(!found.to_string().contains("passphrase"), "{found}");
    // A folder in which projects lie is none of them.
    for started in ["", "mine"] {
        let mut client = Client::greet(home.from(started).command(), &["mcp"], Era::Handshake);
        for there in [home.arg("app"), "app".to_owned(), "../app".to_owned()] {
            let told = client.try_call("recall", json!({ "query": QUESTION, "project": there }));
            assert!(!told.to_string().contains("passphrase"), "{started} {there}: {told}");
        }
    }
    // Nor is a home folder, whatever lies in it.
    home.from("user/plain").json(&["remember", SECRET]);
    let mut command = home.from("user").command();
    command.env("HOME", home.outside("user"));
    let mut client = Client::greet(command, &["mcp"], Era::Handshake);
    let told = client.fail("recall", json!({ "query": QUESTION, "project": "plain" }));
    assert_eq!(told["error"], "other_project", "{told}");
}

#[test]
fn joining_without_being_asked_is_a_setting() {
    let home = Home::new();
    project(&home);
    repository(&home.outside("clone"), ORIGIN);
    assert_eq!(home.error(&["config", "set", "project.join", "always"]).0, 2);
    home.json(&["config", "set", "project.join", "auto"]);
    assert_eq!(home.from("clone").texts(&["list"]), [SECRET]);
}

#[test]
fn what_an_older_version_kept_is_found_from_the_folder_that_was_there_before_it() {
    let home = Home::live();
    let app = project(&home);
    let list = home.path().join("projects.json");
    std::fs::remove_file(&list).expect("a list was kept");
    // Unpacked after there was memory: it waits.
    repository(&home.outside("archive"), ORIGIN);
    let told = |name: &str| {
        let agent = Agent { home: &home, session: name.to_owned(), folder: home.outside(name) };
        let mut told = agent.starts();
        told += &agent.hears(QUESTION);
        told
    };
    let first = told("archive");
    assert!(!first.contains("passphrase") && first.contains("project join"), "{first}");
    // Where the file system tells when a folder was made, the old root is known by that.
    if app.join(".git").metadata().unwrap().created().is_ok() {
        assert!(told("app").contains("zebra"));
    }
    // A person at the old root needs nothing of that.
    std::fs::remove_file(&list).ok();
    assert_eq!(home.from("app").texts(&["list"]), [SECRET]);
    assert!(!told("archive").contains("passphrase"));
}

#[test]
fn what_is_told_while_a_folder_waits_is_kept_with_that_folder() {
    let home = Home::new();
    project(&home);
    repository(&home.outside("clone"), ORIGIN);
    let agent = Agent { home: &home, session: "one".to_owned(), folder: home.outside("clone") };
    agent.starts();
    agent.hears("We decided to keep sessions in Postgres because Redis lost them twice.");
    agent.answers("Noted.");
    agent.ends();
    let of = |name: &str| home.from(name).json(&["list", "--all"]).to_string();
    assert!(of("clone").contains("Postgres"), "{}", of("clone"));
    assert!(!of("app").contains("Postgres"), "{}", of("app"));
}

#[test]
fn the_list_of_folders_is_for_the_user_alone_and_is_not_exported() {
    let home = Home::new();
    project(&home);
    let file = home.path().join("projects.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let export = home.arg("all.jsonl");
    home.json(&["export", "--output", &export]);
    let root = home.outside("app").canonicalize().unwrap();
    assert!(!std::fs::read_to_string(&export).unwrap().contains(root.to_str().unwrap()));
    // On another machine the folder where a person reads it in is the project's.
    home.wipe();
    home.from("app").json(&["import", &export]);
    assert_eq!(home.from("app").texts(&["list"]), [SECRET]);
}

/// The same from two folders at once: one of them is first, and neither breaks the list.
#[test]
fn folders_that_come_at_once_leave_a_whole_list() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let folder = home.outside("");
            scope.spawn(move || {
                let name = format!("r{n}");
                repository(&folder.join(&name), &format!("https://example.com/acme/{name}"));
                let run = bare()
                    .arg("--home")
                    .arg(folder.join("home"))
                    .arg("--project")
                    .arg(folder.join(&name))
                    .args(["remember", "Said here"])
                    .output()
                    .unwrap();
                assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            });
        }
    });
    let listed = home.json(&["project", "list"]);
    let items = listed["items"].as_array().unwrap();
    let with_roots = items.iter().filter(|item| item["roots"].as_array().unwrap().len() == 1);
    assert_eq!(with_roots.count(), 6, "{listed}");
}

#[test]
fn a_folder_that_gets_an_origin_keeps_its_memory() {
    let home = Home::new();
    let root = home.outside("app");
    let app = home.from("app");
    app.json(&["remember", SECRET]);
    repository(&root, ORIGIN);
    assert_eq!(app.texts(&["list"]), [SECRET]);
    app.json(&["remember", "The release branch is called stable"]);
    assert_eq!(app.texts(&["list"]).len(), 2);
    assert_eq!(app.json(&["status"])["waits_for"], Value::Null);
    let agent = Agent { home: &home, session: "later".to_owned(), folder: root };
    assert!(agent.hears(QUESTION).contains("zebra"));

    // A clone of it asks as usual, and can be joined.
    repository(&home.outside("clone"), ORIGIN);
    let clone = home.from("clone");
    assert_eq!(clone.texts(&["list"]), Vec::<String>::new());
    clone.json(&["project", "join"]);
    assert_eq!(clone.texts(&["list"]).len(), 2);
}

#[test]
fn a_folder_whose_origin_changes_is_another_project_and_says_what_it_was() {
    for origin in ["git@example.com:acme/renamed.git", ""] {
        let home = Home::new();
        let root = project(&home);
        let app = home.from("app");
        repository(&root, origin);
        assert_eq!(app.texts(&["list"]), Vec::<String>::new());
        assert_eq!(app.json(&["status"])["was"], KEY);
        for command in ["status", "doctor"] {
            let page = app.run(&[command]).stdout;
            assert!(page.contains(KEY) && page.contains("join --key"), "{command}: {page}");
        }
        app.json(&["project", "join", &home.arg("app"), "--key", KEY]);
        assert_eq!(app.texts(&["list"]), [SECRET]);
        assert_eq!(app.json(&["status"])["was"], Value::Null);
    }
}
