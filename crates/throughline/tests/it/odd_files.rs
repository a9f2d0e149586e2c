//! Files for agents that are not as they should be, and more labels than anybody needs.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Home, id_of};
use crate::hooking::{Agent, diagnosis, failures};
use crate::watching::write;

const RULES: &str =
    "# Webshop\n\n- Always run `make fmt` before a commit\n- Never log customer addresses\n";

fn begin(home: &Home, session: &str) {
    for again in 0..4 {
        Agent::new(home, &format!("{session}-{again}")).starts();
    }
    assert_eq!(failures(home), "");
}

fn put(home: &Home, name: &str, bytes: &[u8]) {
    std::fs::write(home.project().join(name), bytes).expect("a file can be written");
}

fn listed(home: &Home) -> Vec<String> {
    let mut texts = home.texts(&["list"]);
    texts.sort();
    texts
}

#[test]
fn a_file_that_cannot_be_read_for_a_while_takes_nothing_back_and_doctor_says_so() {
    let home = Home::new();
    write(&home, "CLAUDE.md", RULES);
    begin(&home, "one");
    let whole = listed(&home);
    assert_eq!(whole.len(), 2, "{whole:?}");
    assert_eq!(diagnosis(&home, "files for agents"), Vec::<String>::new());
    let mut odd = RULES.as_bytes().to_vec();
    odd.extend(b"- Caf\xe9 au lait\n");
    let huge = RULES.repeat(5_000);
    for (at, bytes) in [&odd[..], b"- Use\0pnpm\n", huge.as_bytes()].into_iter().enumerate() {
        put(&home, "CLAUDE.md", bytes);
        begin(&home, &format!("odd-{at}"));
        assert_eq!(listed(&home), whole, "{at}");
        let told = diagnosis(&home, "files for agents").join(" ");
        assert!(told.contains("CLAUDE.md"), "{at}: {told}");
    }
    // Read again, it says what it says: the second line is gone.
    write(&home, "CLAUDE.md", "- Always run `make fmt` before a commit\n");
    begin(&home, "two");
    assert_eq!(listed(&home), ["Always run `make fmt` before a commit"]);
    assert_eq!(diagnosis(&home, "files for agents"), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_file_that_became_a_link_out_of_the_project_takes_nothing_back_either() {
    let home = Home::new();
    write(&home, "CLAUDE.md", RULES);
    begin(&home, "one");
    let whole = listed(&home);
    std::fs::write(home.outside("theirs.md"), "- Their rule\n").expect("written");
    std::fs::remove_file(home.project().join("CLAUDE.md")).expect("there");
    std::os::unix::fs::symlink(home.outside("theirs.md"), home.project().join("CLAUDE.md"))
        .expect("a link");
    begin(&home, "two");
    assert_eq!(listed(&home), whole);
    assert!(!diagnosis(&home, "files for agents").is_empty());
}

#[test]
fn what_a_file_imports_stays_while_the_file_cannot_be_read() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "- Use pnpm\n@docs/team.md\n");
    write(&home, "docs/team.md", "- Dana owns the billing service\n@../CLAUDE.md\n");
    begin(&home, "one");
    let whole = listed(&home);
    assert_eq!(whole, ["Dana owns the billing service", "Use pnpm"]);
    put(&home, "CLAUDE.md", b"- Use pnpm \xff\n@docs/team.md\n");
    begin(&home, "two");
    assert_eq!(listed(&home), whole);
    std::fs::remove_file(home.project().join("docs/team.md")).expect("there");
    begin(&home, "three");
    assert_eq!(listed(&home), ["Use pnpm"], "what is not there any more is gone all the same");
}

#[test]
fn a_line_of_a_file_is_titled_by_its_own_words() {
    let home = Home::new();
    write(
        &home,
        "CLAUDE.md",
        "# Style\n\n- Always run `make fmt` before a commit\n- Never log customer addresses\n",
    );
    begin(&home, "one");
    let graph = home.json(&["graph"]);
    let nodes = graph["nodes"].as_array().expect("nodes");
    let labels: Vec<&str> = nodes
        .iter()
        .filter(|one| one["type"] == "memory")
        .filter_map(|one| one["label"].as_str())
        .collect();
    assert_eq!(labels.len(), 2, "{graph}");
    assert!(labels.iter().all(|label| *label != "Style"), "{labels:?}");
}

#[test]
fn ten_thousand_labels_are_tidied_and_slow_nobody_down() {
    let home = Home::new();
    for n in 0..40 {
        let operations: Vec<Value> = (0..250)
            .map(|m| json!({"op": "know", "entity": {"name": format!("label-{n}-{m}"), "kind": "tag"}}))
            .collect();
        let patch = json!({"version": 1, "operations": operations});
        std::fs::write(home.outside("patch.json"), patch.to_string()).expect("written");
        home.json(&["patch", &home.arg("patch.json"), "--voice", "user"]);
    }
    for n in 0..12 {
        home.remember_with(&[
            &format!("The service number {n} listens on port {}", 4_000 + n),
            "--tag",
            "service",
        ]);
    }
    let slept = home.json(&["sleep", "--deep"]);
    let passes = slept["passes"].as_array().expect("passes");
    assert!(passes.iter().all(|pass| pass["failed"] == false), "{slept}");
    let tags = home.json(&["entity", "list", "--kind", "tag", "--limit", "20000"]);
    assert_eq!(tags["items"].as_array().expect("a list").len(), 1, "those on nothing were dropped");
    assert_eq!(
        home.json(&["recall", "which port has the service number 3?"])["items"][0]["memory"]["content"],
        "The service number 3 listens on port 4003"
    );
    home.assert_sound();
}

#[test]
fn ten_thousand_labels_that_memories_carry_come_in_by_import_and_slow_nobody_down() {
    let home = Home::new();
    for n in 0..40 {
        home.remember(&format!("The service number {n} listens on port {}", 4_000 + n));
    }
    let file = home.arg("all.jsonl");
    home.json(&["export", "-o", &file]);
    // Every memory gets two hundred and fifty labels, as another program may have written them.
    let mut log = std::fs::read_to_string(&file).expect("it was written");
    let batches: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).expect("a batch")).collect();
    let id = |number: usize| format!("01a00000-0000-7000-8000-{number:012x}");
    for (n, batch) in batches.iter().enumerate() {
        let all = batch["changes"].as_array().expect("changes").iter();
        let memory = all.map(|one| &one["insert"]).find(|one| one["id"].is_string());
        let memory = memory.expect("a batch holds a memory");
        let (space, at) = (&memory["space"], &batch["at"]);
        let changes: Vec<Value> = (0..250)
            .flat_map(|m| {
                let tag = id(n * 1_000 + m);
                let from = format!("m:{}", memory["id"].as_str().expect("an id"));
                let know = json!({ "id": tag, "space": space, "kind": "tag",
                    "name": format!("label-{n}-{m}"), "created_at": at });
                let link = json!({ "space": space, "from": from, "relation": "tagged",
                    "to": format!("n:{tag}"), "weight": 1.0, "confidence": 1.0,
                    "last_reinforced_at": at });
                [json!({ "know": know }), json!({ "link": link })]
            })
            .collect();
        let batch = json!({ "id": id(n * 1_000 + 999), "space": space, "at": at, "actor": "user",
            "cause": "tag", "changes": changes });
        log.push_str(&format!("{batch}\n"));
    }
    std::fs::write(&file, log).expect("a file can be written");
    home.wipe();
    let timed = |what: &str, most: Duration, args: &[&str]| {
        let began = Instant::now();
        let told = home.json(args);
        let took = began.elapsed();
        eprintln!("{what} of 10,000 labels: {took:?}");
        assert!(took < most, "{what} took {took:?}");
        told
    };
    // Many times what it takes on a machine that does nothing else.
    timed("import", Duration::from_secs(60), &["import", &file, "--trust"]);
    let slept = timed("deep sleep", Duration::from_secs(120), &["sleep", "--deep"]);
    let passes = slept["passes"].as_array().expect("passes");
    assert!(passes.iter().all(|pass| pass["failed"] == false), "{slept}");
    let all = ["entity", "list", "--kind", "tag", "--limit", "20000"];
    let tags = timed("list", Duration::from_secs(30), &all);
    assert_eq!(tags["items"].as_array().expect("a list").len(), 10_000, "each is on a memory");
    let asked = ["recall", "which port has the service number 3?"];
    let told = timed("recall", Duration::from_secs(10), &asked);
    assert_eq!(told["items"][0]["memory"]["content"], "The service number 3 listens on port 4003");
    assert_eq!(home.texts(&["list", "--tag", "label-3-200"]).len(), 1);
    home.assert_sound();
}

#[test]
fn what_lies_alone_is_in_no_topic_and_a_single_memory_is_organised_without_harm() {
    let home = Home::new();
    let only = home.json(&["remember", "Releases are cut on Thursdays"]);
    home.json(&["sleep", "--deep"]);
    assert_eq!(home.json(&["topics"])["items"], json!([]));
    home.remember("The canteen serves soup");
    let slept = home.json(&["sleep", "--deep"]);
    assert!(slept["passes"].as_array().expect("passes").iter().all(|pass| pass["failed"] == false));
    assert_eq!(home.json(&["topics"])["items"], json!([]), "a topic of one is none");
    assert_eq!(home.show(&id_of(&only["memory"]))["state"], "confirmed");
}
