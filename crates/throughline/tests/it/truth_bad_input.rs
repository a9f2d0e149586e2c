//! Bad input to what is watched and patched: invented, odd, huge, moving and circular things end
//! clearly, nothing is lost, and a session still begins.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Home, strings};
use crate::hooking::{Agent, failures, told};
use crate::settling::patch;
use crate::watching::{asks_to_check, asserts, bound, brief, commit, git, is_stale, look, write};

/// What beginning a session may take on a busy machine, with a program that is not optimised.
const PATIENCE: Duration = Duration::from_secs(5);
const FACT: &str = "The parser of the webshop keeps 12 tokens ahead";

/// A session begins, says something, and does not take long.
fn begins(home: &Home, session: &str) -> String {
    let begun = Instant::now();
    let told = brief(home, session);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert!(told.starts_with("<memory-"), "{told}");
    told
}

/// A claim that stays out of trouble, so that there is always something to say.
fn standing(home: &Home) -> String {
    home.remember_with(&["Always run cargo fmt before committing", "--kind", "principle"])
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
    assert!(made.success());
}

/// A file that claims a gigabyte and takes no room.
fn sparse(path: &Path) {
    let file = File::create(path).expect("a file can be made");
    file.set_len(1 << 30).expect("a file can be made long");
}

#[test]
fn what_cannot_be_watched_is_refused_in_clear_words_and_nothing_is_kept() {
    let home = Home::new();
    let root = home.project();
    write(&home, "src/a.rs", "fn a() {}\n\n\n\nfn b() {}\n");
    write(&home, "config.toml", "[server]\nport = 8080\n");
    write(&home, ".env", "SHOP_KEY=zanzibar\n");
    std::fs::write(home.outside("neighbour.txt"), "outside\n").unwrap();
    std::os::unix::fs::symlink(home.outside("neighbour.txt"), root.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(home.outside(""), root.join("up")).unwrap();
    fifo(&root.join("pipe"));
    sparse(&root.join("huge.bin"));
    let outside = format!("file:{}", home.arg("neighbour.txt"));
    for (watch, named) in [
        ("file:src/invented.rs", "no such file"),
        ("file:src/invented/deep/er.rs", "no such file"),
        ("file:../neighbour.txt", "outside"),
        (outside.as_str(), "outside"),
        ("file:link.txt", "outside"),
        ("file:up/neighbour.txt", "outside"),
        ("file:/dev/zero", "outside"),
        ("file:src", "not a plain file"),
        ("file:pipe", "not a plain file"),
        ("file:huge.bin", "larger than"),
        ("file:src/a.rs#L40-L50", "no such lines"),
        ("file:src/a.rs#L2-L3", "blank"),
        ("git:src", "no git repository"),
        ("flag:NO_SUCH_VARIABLE_HERE", "no such value"),
        ("flag:config.toml#server.host", "no such value"),
        ("flag:invented.toml#server", "no such file"),
        ("flag:.env#SHOP_KEY", "cannot be watched"),
        ("file:.env", "secrets"),
    ] {
        let begun = Instant::now();
        let (code, error) = home.error(&["remember", FACT, "--watch", watch]);
        assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")), "{watch}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(named), "{watch}: {message}");
        assert!(begun.elapsed() < PATIENCE, "{watch}");
    }
    for senseless in [
        "",
        "src/a.rs",
        "file:",
        "file: ",
        "git:",
        "git:a,,b",
        "flag:",
        "head:main",
        "file:src/a.rs#L0",
        "file:src/a.rs#L9-L3",
        "file:src/a.rs#Lx",
    ] {
        let run = home.run(&["remember", FACT, "--watch", senseless]);
        assert_eq!(run.code, 2, "{senseless:?}: {}", run.stderr);
        assert!(run.stderr.contains("file:PATH"), "{senseless:?}: {}", run.stderr);
    }
    let (_, error) =
        home.error(&["remember", FACT, "--watch", "file:src/a.rs", "--scope", "global"]);
    assert!(error["message"].as_str().unwrap().contains("belongs to a project"), "{error}");
    assert_eq!(home.everything()["total"], 0, "nothing was kept of any of them");
    assert!(home.files_holding("zanzibar").is_empty());
}

#[test]
fn one_bad_thing_to_watch_among_good_ones_keeps_nothing() {
    let home = Home::new();
    write(&home, "src/a.rs", "fn a() {}\n");
    let args = ["remember", FACT, "--watch", "file:src/a.rs", "--watch", "file:src/no.rs"];
    assert_eq!(home.error(&args).0, 1);
    assert_eq!(home.everything()["total"], 0);
    let id = home.remember_with(&[FACT, "--watch", "file:src/a.rs", "--watch", "file:src/a.rs"]);
    assert_eq!(home.show(&id)["watermarks"].as_array().map(Vec::len), Some(1), "twice is once");
}

#[test]
fn odd_names_are_watched_like_others() {
    let home = Home::new();
    standing(&home);
    let mut ids = Vec::new();
    for name in ["a b.txt", "src/größe.rs", "日本/語.md", "a,b;c.txt", "-n", "a'\"$(x).sh"] {
        write(&home, name, "one\n");
        ids.push((name, bound(&home, &format!("It is known of {name}"), &format!("file:{name}"))));
    }
    assert_eq!(look(&home)["unchanged"], ids.len(), "{:?}", home.json(&["verify"]));
    for (name, id) in &ids {
        write(&home, name, "two\n");
        look(&home);
        assert!(is_stale(&home, id), "{name}");
        write(&home, name, "one\n");
    }
    begins(&home, "march");
}

#[test]
fn a_binary_file_is_watched_as_a_whole_and_read_by_nobody() {
    let home = Home::new();
    standing(&home);
    let bytes = |first: u8| (0..4096_u32).map(|n| (n % 251) as u8 ^ first).collect::<Vec<u8>>();
    std::fs::write(home.project().join("model.bin"), bytes(1)).unwrap();
    let id = bound(&home, FACT, "file:model.bin");
    look(&home);
    assert!(!is_stale(&home, &id));
    std::fs::write(home.project().join("model.bin"), bytes(2)).unwrap();
    let told = begins(&home, "march");
    assert!(asks_to_check(&told, FACT), "{told}");
    assert!(!told.contains('\u{fffd}'), "{told}");
    let agent = Agent::new(&home, "april");
    agent.starts();
    let call = json!({"tool_name": "Read", "tool_use_id": "toolu_1", "tool_response": "\u{0}\u{1}\u{2}",
        "tool_input": {"file_path": home.project().join("model.bin")}});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    agent.answers("It is binary.");
    assert!(is_stale(&home, &id));
}

#[test]
fn a_repository_without_commits_is_named_and_files_in_it_are_watched() {
    let home = Home::new();
    git(&home.project(), &["init", "-q"]);
    standing(&home);
    write(&home, "src/a.rs", "fn a() {}\n");
    let (code, error) = home.error(&["remember", FACT, "--watch", "git:src"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("commit first"), "{error}");
    let id = bound(&home, FACT, "file:src/a.rs");
    begins(&home, "march");
    write(&home, "src/a.rs", "fn b() {}\n");
    assert!(asks_to_check(&begins(&home, "april"), FACT));
    commit(&home, "first");
    let by_git = bound(&home, "The parser is written by hand", "git:src");
    assert_eq!(home.show(&by_git)["watermarks"][0]["type"], "git");
    for (watch, named) in [("git:docs", "last commit"), ("git:.", "whole project")] {
        let (_, error) = home.error(&["remember", "Something", "--watch", watch]);
        assert!(error["message"].as_str().unwrap().contains(named), "{watch}: {error}");
    }
    assert!(is_stale(&home, &id));
}

#[test]
fn a_repository_that_is_no_longer_one_makes_it_unknown() {
    let home = Home::new();
    git(&home.project(), &["init", "-q"]);
    write(&home, "src/a.rs", "fn a() {}\n");
    commit(&home, "first");
    standing(&home);
    let id = bound(&home, FACT, "git:src");
    // The project stays the same one: it is known by its folder.
    std::fs::write(home.project().join(".git/HEAD"), "nonsense\n").unwrap();
    let told = begins(&home, "march");
    assert!(!asserts(&told, FACT), "{told}");
    let memory = home.show(&id);
    assert_eq!(
        (&memory["watermarks"][0]["status"], &memory["trust"]),
        (&json!("unknown"), &json!(0.95))
    );
    std::fs::write(home.project().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    look(&home);
    assert!(!is_stale(&home, &id));
}

#[test]
fn a_folder_that_became_a_submodule_is_unknown_and_not_called_gone() {
    let home = Home::new();
    let root = home.project();
    let library = home.outside("library");
    std::fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q"]);
    std::fs::write(library.join("lib.rs"), "fn lib() {}\n").unwrap();
    git(&library, &["add", "-A"]);
    git(&library, &["commit", "-q", "-m", "first"]);
    git(&root, &["init", "-q"]);
    write(&home, "vendor/lib/lib.rs", "fn lib() {}\n");
    commit(&home, "first");
    standing(&home);
    let id = bound(&home, FACT, "git:vendor/lib/lib.rs");
    git(&root, &["rm", "-q", "-r", "vendor/lib"]);
    commit(&home, "without");
    git(&root, &["submodule", "add", "-q", &home.arg("library"), "vendor/lib"]);
    commit(&home, "as a submodule");
    let found = look(&home);
    assert_eq!(found["unknown"][0]["memory"], id.as_str(), "{found}");
    let told = begins(&home, "march");
    assert!(!asserts(&told, FACT), "{told}");
    let run = home.run(&["remember", "The library is ours", "--watch", "git:vendor/lib"]);
    assert!(run.code == 0 || run.stderr.contains("cannot be watched"), "{}", run.stderr);
    let inside = bound(&home, "The library has one function", "file:vendor/lib/lib.rs");
    assert!(!is_stale(&home, &inside));
}

#[test]
fn a_file_that_grew_to_a_gigabyte_is_unknown_and_holds_nobody_up() {
    let home = Home::new();
    standing(&home);
    write(&home, "data.log", "12 tokens\n");
    let id = bound(&home, FACT, "file:data.log");
    let named = home.remember("PARSER_AHEAD in data.log is 12");
    sparse(&home.project().join("data.log"));
    let told = begins(&home, "march");
    assert!(!asserts(&told, FACT), "{told}");
    let memory = home.show(&id);
    assert_eq!(memory["watermarks"][0]["status"], "unknown", "{memory}");
    assert_eq!(home.show(&named)["watermarks"], json!([]));
    write(&home, "data.log", "12 tokens\n");
    look(&home);
    assert!(!is_stale(&home, &id));
}

#[test]
fn a_pipe_or_a_link_in_the_place_of_a_file_is_not_followed_and_holds_nobody_up() {
    let home = Home::new();
    standing(&home);
    let place = home.project().join("data.log");
    let put: [(&str, &dyn Fn()); 3] = [
        ("pipe", &|| fifo(&place)),
        ("link", &|| std::os::unix::fs::symlink("/dev/zero", &place).unwrap()),
        ("folder", &|| std::fs::create_dir(&place).unwrap()),
    ];
    write(&home, "data.log", "12 tokens\n");
    let id = bound(&home, FACT, "file:data.log");
    for (what, put) in put {
        std::fs::remove_file(&place).unwrap();
        put();
        let told = begins(&home, what);
        assert!(!asserts(&told, FACT), "{what}: {told}");
        assert!(is_stale(&home, &id), "{what}");
        if place.is_dir() { std::fs::remove_dir(&place) } else { std::fs::remove_file(&place) }
            .unwrap();
        write(&home, "data.log", "12 tokens\n");
        look(&home);
        assert!(!is_stale(&home, &id), "{what}");
    }
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_never_taken_for_what_it_was_not() {
    let home = Home::new();
    standing(&home);
    let text = |n: u32| format!("12 tokens\n{}", format!("line {n}\n").repeat(20_000));
    write(&home, "data.log", &text(0));
    let id = bound(&home, FACT, "file:data.log");
    let (next, place) = (home.project().join("next"), home.project().join("data.log"));
    let done = AtomicBool::new(false);
    std::fs::write(&place, text(1)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in (1..).take_while(|_| !done.load(Ordering::Relaxed)) {
                std::fs::write(&next, text(n)).unwrap();
                std::fs::rename(&next, &place).unwrap();
                std::fs::write(&place, text(n + 1)).unwrap();
            }
        });
        for n in 0..8 {
            let told = begins(&home, &format!("session {n}"));
            assert!(!asserts(&told, FACT), "{told}");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(["moved", "unknown"].contains(&status(&home, &id).as_str()), "{}", status(&home, &id));
    write(&home, "data.log", &text(0));
    look(&home);
    assert_eq!(status(&home, &id), "unchanged");
    assert_eq!(home.show(&id)["trust"], 0.95);
}

fn status(home: &Home, id: &str) -> String {
    home.show(id)["watermarks"][0]["status"].as_str().expect("it is bound").to_owned()
}

#[test]
fn a_project_whose_folder_is_gone_keeps_its_memories_and_sessions_go_on() {
    let home = Home::new();
    standing(&home);
    write(&home, "src/a.rs", "fn a() {}\n");
    let id = bound(&home, FACT, "file:src/a.rs");
    std::fs::rename(home.project(), home.outside("elsewhere")).unwrap();
    let agent = Agent::new(&home, "march");
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "How far ahead does the parser look?"})),
        ("Stop", json!({"last_assistant_message": "Twelve tokens."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        let begun = Instant::now();
        let page = told(event, &agent.call(event, &fields, &[]));
        assert!(!asserts(&page, FACT), "{event}: {page}");
        assert!(begun.elapsed() < PATIENCE, "{event}");
    }
    std::fs::rename(home.outside("elsewhere"), home.project()).unwrap();
    look(&home);
    assert!(!is_stale(&home, &id), "and it is as it was");
    assert!(asserts(&begins(&home, "april"), FACT), "{}", failures(&home));
    home.assert_sound();
}

/// Every operation of a patch is applied, or waits: nothing vanishes.
fn waiting(home: &Home) -> usize {
    home.json(&["review"])["pending"].as_array().expect("a list").len()
}

fn slot(port: &str) -> Value {
    json!({"subject": "staging", "predicate": "port", "object": port, "cardinality": "one"})
}

fn fact(content: &str, port: &str) -> Value {
    json!({"op": "remember", "kind": "fact", "content": content, "confidence": 0.9, "turn": 0,
        "slot": slot(port)})
}

#[test]
fn a_patch_that_contradicts_itself_ends_clearly() {
    for voice in ["user", "assistant"] {
        let home = Home::new();
        standing(&home);
        patch(
            &home,
            voice,
            &json!([
                fact("Staging listens on 8080", "8080"),
                fact("Staging listens on 9090", "9090"),
                {"op": "correct", "wrong": "Staging listens on 9090", "kind": "fact", "turn": 0,
                    "right": "Staging listens on 8080", "confidence": 0.9, "slot": slot("8080")},
                {"op": "retract", "what": "Staging listens on 8080", "confidence": 0.9, "turn": 0},
                fact("Staging listens on 7070", "7070"),
            ]),
        );
        let held = home.json(&["list", "--kind", "fact"]);
        let silent = held["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| !strings(&one["flags"]).contains(&"contested"));
        assert!(silent.count() <= 1, "{voice}: never two silently: {held}");
        let known = home.everything()["total"].as_u64().unwrap();
        assert!(known + waiting(&home) as u64 >= 3, "{voice}: nothing is lost: {held}");
        begins(&home, "march");
        home.json(&["sleep"]);
        begins(&home, "april");
        home.assert_sound();
    }
}

#[test]
fn a_patch_of_nonsense_waits_whole_and_breaks_nothing() {
    let home = Home::new();
    standing(&home);
    let before = home.everything()["total"].clone();
    patch(
        &home,
        "assistant",
        &json!([
            {"op": "retract", "what": "00000000", "confidence": 1.0},
            {"op": "retract", "what": "", "confidence": 1.0},
            {"op": "relate", "from": "deadbeef", "relation": "because", "to": "deadbeef"},
            {"op": "remember", "kind": "fact", "content": " ", "confidence": 0.9},
            {"op": "remember", "kind": "nonsense", "content": "x"},
            {"op": "explode"},
            7,
            null,
        ]),
    );
    assert_eq!(home.everything()["total"], before);
    assert_eq!(waiting(&home), 8, "{}", home.json(&["review"]));
    begins(&home, "march");
}

#[test]
fn a_patch_that_ties_a_memory_to_itself_loses_nothing_else() {
    let home = Home::new();
    let id = standing(&home);
    patch(
        &home,
        "assistant",
        &json!([
        fact("Staging listens on 8080", "8080"),
        {"op": "relate", "from": id, "relation": "because", "to": id}]),
    );
    assert_eq!(home.texts(&["list", "--kind", "fact"]), ["Staging listens on 8080"]);
    assert_eq!(waiting(&home), 1);
}

#[test]
fn a_thousand_bindings_to_nothing_hold_nobody_up() {
    let home = Home::new();
    standing(&home);
    write(&home, "data.log", "12 tokens\n");
    let operations: Vec<Value> = (0..200)
        .map(|n| {
            let content = format!("PART_{n} in src/invented{n}.rs is {n}{n}");
            json!({"op": "remember", "kind": "fact", "content": content, "confidence": 0.9})
        })
        .collect();
    patch(&home, "assistant", &json!(operations));
    let held = home.json(&["list", "--limit", "500"]);
    let items = held["items"].as_array().unwrap();
    assert_eq!(items.len(), 201);
    assert!(items.iter().all(|one| one["watermarks"] == json!([])), "none is real");
    let told = begins(&home, "march");
    assert!(crate::watching::checks_in(&told) <= 3, "{told}");
    assert!(asserts(&told, "cargo fmt"), "{told}");
}

#[test]
fn an_invented_path_that_is_there_by_now_is_no_longer_called_missing() {
    let home = Home::new();
    standing(&home);
    patch(
        &home,
        "assistant",
        &json!([{"op": "remember", "kind": "fact", "confidence": 0.9,
        "content": "RETRY_LIMIT in src/retry.rs is 7"}]),
    );
    begins(&home, "march");
    assert!(home.page(&["verify"]).contains("src/retry.rs, which does not exist"));
    write(&home, "src/retry.rs", "pub const RETRY_LIMIT: u32 = 7;\n");
    home.json(&["sleep"]);
    begins(&home, "april");
    let told = home.page(&["verify"]);
    assert!(!told.contains("which is not there"), "{told}");
}

#[test]
fn a_binding_in_an_import_that_leads_outside_is_not_followed() {
    let home = || {
        let home = Home::new();
        crate::transfer::clone_of(&home.project(), "https://example.com/acme/webshop.git");
        write(&home, "src/a.rs", "fn a() {}\n");
        std::fs::write(home.outside("neighbour.rs"), "fn a() {}\n").expect("a file can be written");
        home
    };
    let there = home();
    standing(&there);
    bound(&there, FACT, "file:src/a.rs");
    let file = there.arg("theirs.jsonl");
    there.json(&["export", "-o", &file]);
    let exported = std::fs::read_to_string(&file).unwrap();
    assert!(exported.contains("\"src/a.rs\""));
    for path in
        ["../neighbour.rs", "/dev/zero", "src/../../neighbour.rs", "src//a.rs", "", "\\u0000"]
    {
        std::fs::write(&file, exported.replace("\"src/a.rs\"", &format!("\"{path}\""))).unwrap();
        let here = home();
        here.json(&["import", &file, "--trust"]);
        let told = begins(&here, "march");
        assert!(!asserts(&told, FACT), "{path}: {told}");
        let found = look(&here);
        assert_eq!(found["unknown"].as_array().map(Vec::len), Some(1), "{path}: {found}");
    }
}
