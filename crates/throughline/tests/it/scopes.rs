//! Scopes: a project is a wall, what is global is seen from everywhere, a session keeps to itself.

use crate::harness::{Home, Seen};

fn finds(seen: &Seen<'_>, word: &str) -> [usize; 3] {
    [&["list"][..], &["search", word], &["recall", word]].map(|args| seen.texts(args).len())
}

#[test]
fn a_project_does_not_see_another_projects_memories() {
    let home = Home::new();
    let (a, b) = (home.from("shop"), home.from("blog"));
    let id = a.remember_with(&["Zebra crossing", "--tag", "animals", "--slot", "zoo|has|zebra"]);
    b.remember_with(&["Ordinary cow", "--tag", "animals", "--slot", "zoo|has|cow"]);
    assert_eq!(finds(&a, "zebra"), [1, 1, 1]);
    assert_eq!(finds(&b, "zebra"), [1, 0, 0], "only its own is listed");
    for args in [&["show"][..], &["why"], &["history"], &["graph", "--focus"], &["forget"]] {
        let (code, error) = b.error(&[args, &[&id]].concat());
        assert_eq!((code, error["code"].as_str()), (3, Some("not_found")), "{args:?}");
    }
    for args in [
        &["graph"][..],
        &["log"],
        &["list", "--all"],
        &["stats"],
        &["export", "--format", "markdown"],
    ] {
        let page = b.run(args).stdout.to_lowercase();
        assert!(!page.contains("zebra"), "{args:?}: {page}");
    }
    assert_eq!(b.json(&["status"])["memories"], 1);
    assert_eq!(b.json(&["stats", "--all"])["rows"]["memory"], 2);
}

#[test]
fn the_same_text_in_two_projects_is_two_memories() {
    let home = Home::new();
    let (a, b) = (home.from("shop"), home.from("blog"));
    let one = a.remember_with(&["Tests run with nextest"]);
    let two = b.remember_with(&["Tests run with nextest"]);
    assert_ne!(one, two);
    a.json(&["correct", &one, "Tests run with cargo"]);
    assert_eq!(b.texts(&["list"]), ["Tests run with nextest"], "a correction stays at home");
    b.json(&["purge", &two, "--yes"]);
    assert_eq!(a.texts(&["search", "tests", "--all"]).len(), 2);
    assert_eq!(a.run(&["remember", "Tests run with nextest"]).code, 0, "and so does an erasure");
}

#[test]
fn undo_stays_within_the_project() {
    let home = Home::new();
    let (a, b) = (home.from("shop"), home.from("blog"));
    a.remember_with(&["Of the shop"]);
    b.remember_with(&["Of the blog"]);
    a.json(&["undo"]);
    assert_eq!(a.texts(&["list"]), Vec::<String>::new());
    assert_eq!(b.texts(&["list"]), ["Of the blog"]);
    assert_eq!(a.error(&["undo"]).1["code"], "nothing_to_undo");
}

#[test]
fn what_is_global_is_seen_and_changed_from_every_project() {
    let home = Home::new();
    let (a, b) = (home.from("shop"), home.from("blog"));
    let id = a.remember_with(&["Speak plainly", "--scope", "global"]);
    assert_eq!(finds(&b, "plainly"), [1, 1, 1]);
    let memory = b.json(&["show", &id]);
    assert_eq!(
        (&memory["scope"], &memory["project"]),
        (&"global".into(), &serde_json::Value::Null)
    );
    b.json(&["correct", &id, "Speak kindly"]);
    assert_eq!(a.texts(&["list"]), ["Speak kindly"]);
    a.remember_with(&["Of the shop"]);
    assert_eq!(a.texts(&["list", "--scope", "global"]), ["Speak kindly"]);
}

#[test]
fn memories_of_different_scopes_are_not_linked() {
    let home = Home::new();
    let global = home.remember_with(&["Speak plainly", "--scope", "global"]);
    let local = home.remember("Of the shop");
    for args in [
        &["link", &local, "because", &global][..],
        &["supersede", &local, &global],
        &["contradict", &local, &global],
    ] {
        let (code, error) = home.error(args);
        assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")), "{args:?}");
    }
}

#[test]
fn a_session_keeps_its_memories_to_itself() {
    let home = Home::new();
    let one = home.session("s1");
    let id = one.remember_with(&["Zebra for now", "--scope", "session"]);
    home.remember("Of the project");
    assert_eq!(finds(&one, "zebra"), [2, 1, 1]);
    assert_eq!(one.json(&["show", &id])["scope"], "session");
    for other in [home.session("s2"), home.from("webshop")] {
        assert_eq!(finds(&other, "zebra"), [1, 0, 0]);
        assert_eq!(other.error(&["show", &id]).0, 3);
    }
    let (code, error) = home.error(&["--scope", "session", "remember", "Where to?"]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
    assert!(error["message"].as_str().unwrap().contains("session"), "{error}");
}

#[test]
fn the_session_can_come_from_the_environment() {
    let home = Home::new();
    let mut command = home.command();
    command.env("THROUGHLINE_SESSION", "s1");
    let done = command.args(["--scope", "session", "remember", "Zebra for now"]).status().unwrap();
    assert!(done.success());
    assert_eq!(home.session("s1").texts(&["list"]), ["Zebra for now"]);
    assert_eq!(home.texts(&["list"]), Vec::<String>::new());
}

#[test]
fn clones_of_one_origin_are_one_project_once_they_are_joined() {
    let home = Home::new();
    let origins = [
        ("first", "https://example.com/acme/app.git"),
        ("second", "git@example.com:acme/app.git"),
        ("other", "https://example.com/acme/lib.git"),
    ];
    for (name, origin) in origins {
        let git = home.outside(name).join(".git");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::write(git.join("config"), format!("[remote \"origin\"]\n\turl = {origin}\n"))
            .unwrap();
    }
    home.from("first").remember_with(&["Zebra crossing"]);
    assert_eq!(home.from("second").texts(&["list"]), Vec::<String>::new(), "nobody said so");
    home.from("second").json(&["project", "join"]);
    assert_eq!(home.from("second").texts(&["list"]), ["Zebra crossing"]);
    assert_eq!(home.from("second/src/deep").texts(&["list"]), ["Zebra crossing"]);
    assert_eq!(home.from("other").texts(&["list"]), Vec::<String>::new());
    assert_eq!(home.from("second").json(&["status"])["project_key"], "example.com/acme/app");
}

#[test]
fn the_project_is_that_of_the_current_folder_unless_named() {
    let home = Home::new();
    home.remember("Of the shop");
    let run = crate::harness::bare()
        .current_dir(home.project())
        .env("THROUGHLINE_HOME", home.path())
        .args(["list", "--json"])
        .output()
        .unwrap();
    assert!(String::from_utf8(run.stdout).unwrap().contains("Of the shop"));
}

#[test]
fn a_project_folder_that_is_not_there_is_an_error() {
    let home = Home::new();
    home.remember("Before");
    for args in [&["remember", "Lost?"][..], &["list"], &["search", "lost"]] {
        let run = crate::harness::bare()
            .arg("--home")
            .arg(home.path())
            .arg("--project")
            .arg(home.outside("nowhere"))
            .arg("--json")
            .args(args)
            .output()
            .unwrap();
        let error: serde_json::Value = serde_json::from_slice(&run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(1), "{args:?}");
        assert_eq!(error["error"]["code"], "no_folder");
        assert!(error["error"]["message"].as_str().unwrap().contains("nowhere"));
        assert_eq!(run.stdout, b"");
    }
    assert_eq!(home.json(&["stats", "--all"])["rows"]["memory"], 1);
}

#[test]
fn what_holds_only_in_a_session_is_told_nowhere_else() {
    let home = Home::new();
    let of_project = home.remember("The deploy is on Friday");
    let one = home.session("s1");
    let held = one.remember_with(&["The deploy needs a zebra", "--scope", "session"]);
    let (code, error) = one.error(&["supersede", &of_project, &held]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    one.json(&["link", &of_project, "relates_to", &held]);
    one.json(&["edit", &held, "The deploy needs two zebras"]);
    let pages: [&[&str]; 8] = [
        &["graph"],
        &["graph", "--focus", &of_project],
        &["log", "--limit", "1000"],
        &["why", &of_project],
        &["history", &of_project],
        &["show", &of_project],
        &["recall", "deploy needs", "--include-superseded"],
        &["search", "deploy needs", "--all"],
    ];
    for other in [home.session("s2"), home.from("webshop")] {
        for args in pages {
            for form in [&[][..], &["--json"]] {
                let run = other.run(&[args, form].concat());
                assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
                assert!(run.stdout.to_lowercase().contains("deploy"), "{args:?}: {}", run.stdout);
                assert!(!run.stdout.to_lowercase().contains("zebra"), "{args:?}: {}", run.stdout);
            }
        }
        assert_eq!(other.texts(&["recall", "deploy"]), ["The deploy is on Friday"]);
    }
    for args in pages {
        let seen = one.run(args).stdout.to_lowercase();
        let about_both = ["graph", "log", "recall", "search"].contains(&args[0]);
        assert!(!about_both || seen.contains("zebra"), "its own session sees it: {args:?}: {seen}");
    }
}

#[test]
fn labels_and_reasons_of_a_session_stay_in_it() {
    let home = Home::new();
    let of_project = home.remember("The deploy is on Friday");
    let one = home.session("s1");
    let text = "Zebra now";
    let held = one.remember_with(&[text, "--scope", "session", "--tag", "zebratag"]);
    one.json(&["link", &of_project, "relates_to", &held, "--reason", "zebra reason"]);
    let (code, error) = one.error(&["contradict", &of_project, &held]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    let pages: [&[&str]; 3] = [&["graph"], &["graph", "--focus", &of_project], &["log"]];
    for args in pages {
        assert!(!home.page(args).to_lowercase().contains("zebra"), "{args:?}");
        assert!(!home.json(args).to_string().to_lowercase().contains("zebra"), "{args:?}");
        assert!(one.run(args).stdout.to_lowercase().contains("zebra"), "{args:?}");
    }
}

#[test]
fn another_project_decides_neither_what_is_found_nor_in_which_order() {
    let home = Home::new();
    for text in ["The deploy runs nightly", "A deploy needs two people", "Kafka needs a deploy key"]
    {
        home.remember(text);
    }
    let before = home.json(&["search", "deploy needs"]);
    let other = home.from("crowd");
    for n in 0..40 {
        other.remember_with(&[&format!("The deploy needs attention, number {n}")]);
    }
    assert_eq!(home.json(&["search", "deploy needs"]), before);
}

#[test]
fn undo_does_not_reach_into_another_session() {
    let home = Home::new();
    home.remember("For everybody");
    let one = home.session("s1");
    one.remember_with(&["Zebra for now", "--scope", "session"]);
    one.remember_with(&["zebra  for now!", "--scope", "session"]);
    let undone = home.page(&["undo"]);
    assert!(
        undone.contains("For everybody") && !undone.to_lowercase().contains("zebra"),
        "{undone}"
    );
    assert_eq!(one.texts(&["search", "zebra"]), ["Zebra for now"]);
    one.run(&["undo"]);
    one.run(&["undo"]);
    assert!(!home.json(&["log"]).to_string().to_lowercase().contains("zebra"));
}
