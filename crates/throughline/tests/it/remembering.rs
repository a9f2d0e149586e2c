//! Remembering: what comes in is kept once, with its evidence, and comes back as it was stored.

use serde_json::json;

use crate::harness::{Home, handle, id_of, strings};
use crate::watching::{KERNEL, write};

/// Every field of a memory that the interface promises.
const FIELDS: &[&str] = &[
    "id",
    "kind",
    "layer",
    "form",
    "content",
    "label",
    "state",
    "flags",
    "trust",
    "salience",
    "authority",
    "confidence",
    "importance",
    "scope",
    "project",
    "domain",
    "tags",
    "slot",
    "valid_from",
    "valid_until",
    "recorded_at",
    "last_verified_at",
    "superseded_by",
    "supersedes",
    "watermarks",
    "evidence",
    "triggers",
    "uses",
    "sessions",
    "helpful",
    "unhelpful",
];

#[test]
fn what_is_remembered_comes_back_with_every_promised_field() {
    let home = Home::new();
    let answer = home.json(&[
        "remember",
        "Staging runs Postgres 14",
        "--kind",
        "decision",
        "--tag",
        "infra",
        "--tag",
        "db",
        "--label",
        "Staging database",
        "--domain",
        "technical",
        "--slot",
        "staging|runs|Postgres 14|one",
        "--importance",
        "0.7",
        "--confidence",
        "0.6",
        "--pin",
    ]);
    let memory = &answer["memory"];
    for field in FIELDS {
        assert!(memory.get(field).is_some(), "{field} is missing from {memory}");
    }
    assert_eq!(answer["deduped"], false);
    assert_eq!(answer["superseded"], json!([]));
    assert_eq!(answer["contested"], json!([]));
    assert_eq!(memory["content"], "Staging runs Postgres 14");
    assert_eq!(memory["kind"], "decision");
    assert_eq!(memory["layer"], "D");
    assert_eq!(memory["label"], "Staging database");
    assert_eq!(memory["domain"], "technical");
    assert_eq!(memory["state"], "confirmed");
    assert_eq!(memory["authority"], "user_stated");
    assert_eq!(memory["importance"], 0.7);
    assert_eq!(memory["confidence"], 0.6);
    assert_eq!(memory["trust"], 0.95);
    assert_eq!(memory["scope"], "project");
    assert_eq!(memory["project"], "webshop");
    assert_eq!(memory["recorded_at"], "2026-03-02T09:00:00.000Z");
    assert_eq!(memory["tags"], json!(["db", "infra"]));
    let slot = json!({"subject": "staging", "predicate": "runs", "object": "Postgres 14", "cardinality": "one"});
    assert_eq!(memory["slot"], slot);
    assert!(strings(&memory["flags"]).contains(&"pinned"));
    assert_eq!(*memory, home.show(&id_of(memory)), "what is shown later is what was answered");
}

#[test]
fn saying_it_again_adds_evidence_and_no_second_memory() {
    let home = Home::new();
    let first = home.json(&["remember", "Latency is 12 ms"]);
    let again = home.json(&["remember", "Latency is 12 ms"]);
    assert_eq!(again["deduped"], true);
    assert_eq!(again["memory"]["id"], first["memory"]["id"]);
    assert_eq!(first["memory"]["evidence"].as_array().unwrap().len(), 1);
    assert_eq!(again["memory"]["evidence"].as_array().unwrap().len(), 2);
    assert_eq!(home.json(&["list"])["total"], 1);
}

#[test]
fn case_punctuation_and_spacing_do_not_make_a_new_memory() {
    for variant in ["LATENCY IS 12 MS", "latency is 12 ms.", "  Latency   is “12” ms! "] {
        let home = Home::new();
        let id = home.remember("Latency is 12 ms");
        let again = home.json(&["remember", variant]);
        assert_eq!(again["deduped"], true, "{variant}");
        assert_eq!(id_of(&again["memory"]), id, "{variant}");
        assert_eq!(again["memory"]["content"], "Latency is 12 ms", "the first wording stays");
    }
}

#[test]
fn other_numbers_and_signs_make_another_memory() {
    let home = Home::new();
    let texts = ["Latency is 12 ms", "Latency is 15 ms", "Latency is -12 ms", "Latency != 12 ms"];
    for text in texts {
        assert_eq!(home.json(&["remember", text])["deduped"], false, "{text}");
    }
    assert_eq!(home.json(&["list"])["total"], texts.len());
}

#[test]
fn a_text_can_come_from_standard_input() {
    use std::io::Write as _;
    let home = Home::new();
    let mut child = home
        .command()
        .args(["--json", "remember", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("First line\nSecond line\n".as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.texts(&["list"]), ["First line\nSecond line"]);
}

#[test]
fn a_weak_source_starts_on_probation_and_a_person_confirms_it() {
    let home = Home::new();
    let weak = home.json(&["remember", "The cache is warm", "--authority", "inferred"]);
    assert_eq!(weak["memory"]["state"], "staged");
    assert_eq!(weak["memory"]["trust"], 0.4);
    let said = home.json(&["remember", "The cache is warm"]);
    assert_eq!(said["deduped"], true);
    assert_eq!(said["memory"]["state"], "confirmed");
    assert_eq!(said["memory"]["authority"], "user_stated");
}

#[test]
fn a_memory_answers_to_its_whole_id_its_end_and_a_unique_beginning() {
    let home = Home::new();
    let id = home.remember("Latency is 12 ms");
    for name in [id.as_str(), handle(&id), &id[..6], &id.to_uppercase()] {
        assert_eq!(id_of(&home.show(name)), id, "{name}");
    }
}

#[test]
fn a_reason_in_words_becomes_a_memory_that_is_known_when_said_again() {
    let home = Home::new();
    let cause = home.remember("Redis lost sessions twice");
    let decision = home.json(&[
        "remember",
        "Sessions live in Postgres",
        "--kind",
        "decision",
        "--because",
        "redis lost sessions twice!",
    ]);
    assert_eq!(home.json(&["list"])["total"], 2);
    let why = home.json(&["why", &id_of(&decision["memory"])]);
    assert_eq!(id_of(&why["because"][0]), cause);
}

#[test]
fn a_reason_given_twice_is_one_reason() {
    let home = Home::new();
    let answer = home.json(&[
        "remember",
        "Sessions live in Postgres",
        "--because",
        "Redis lost sessions",
        "--because",
        "redis LOST sessions!",
    ]);
    let mut texts = home.texts(&["list", "--all"]);
    texts.sort();
    assert_eq!(texts, ["Redis lost sessions", "Sessions live in Postgres"]);
    let why = home.json(&["why", &id_of(&answer["memory"])]);
    assert_eq!(why["because"].as_array().unwrap().len(), 1);
    home.assert_sound();
}

#[test]
fn a_claim_given_as_its_own_reason_in_words_is_refused_and_kept_nowhere() {
    let home = Home::new();
    let (code, error) =
        home.error(&["remember", "Redis lost sessions", "--because", "redis lost SESSIONS."]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
    assert!(error["message"].as_str().unwrap().contains("own reason"), "{error}");
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
}

#[test]
fn a_tag_in_two_spellings_is_one_tag() {
    let home = Home::new();
    let id = home.remember("Redis lost sessions");
    home.json(&["tag", &id, "new", "New"]);
    assert_eq!(home.show(&id)["tags"], json!(["new"]));
    let graph = home.json(&["graph"]);
    let nodes = graph["nodes"].as_array().unwrap();
    assert_eq!(nodes.iter().filter(|node| node["type"] == "entity").count(), 1, "{graph}");
}

#[test]
fn what_is_asked_for_when_it_is_said_again_is_kept() {
    let home = Home::new();
    let id = home.remember("Tabs, not spaces");
    let args =
        ["remember", "tabs, not spaces", "--pin", "--label", "Style", "--domain", "technical"];
    assert_eq!(home.json(&args)["deduped"], true);
    let held = home.show(&id);
    assert_eq!((held["pinned"].as_bool(), held["label"].as_str()), (Some(true), Some("Style")));
    assert_eq!(held["domain"], "technical");
}

#[test]
fn a_reason_that_looks_like_an_id_and_is_none_is_an_error() {
    let home = Home::new();
    let (code, error) = home.error(&["remember", "We use Nix", "--because", "deadbeef"]);
    assert_eq!((code, error["code"].as_str()), (3, Some("not_found")));
    let global = home.remember_with(&["Builds differ", "--scope", "global"]);
    let (code, error) = home.error(&["remember", "We use Nix", "--because", &global]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")), "{error}");
    assert_eq!(home.texts(&["list"]), ["Builds differ"]);
}

#[test]
fn a_memory_that_names_a_file_which_is_not_there_is_kept_and_the_answer_says_so() {
    const CLAIM: &str = "The retry budget is set in src/nothere.rs:12";
    let home = Home::new();
    write(&home, "src/kernel.rs", KERNEL);
    let kept = home.json(&["remember", CLAIM]);
    assert_eq!(kept["not_found"], "src/nothere.rs", "{kept}");
    assert_eq!(home.show(&id_of(&kept["memory"]))["content"], CLAIM);
    let page = home.run(&["remember", CLAIM]).stdout;
    assert!(page.contains("not found:") && page.contains("src/nothere.rs"), "{page}");

    let told = home.mcp().call("remember", json!({ "content": "See lib/gone.py for the parser" }));
    assert_eq!(told["not_found"], "lib/gone.py", "{told}");

    // What is there, and what is no file, is not complained about.
    for plain in [
        "The kernel in src/kernel.rs:2 is tuned by hand",
        "We use Node.js 20 and example.com for the docs",
        "Every service logs to stdout and/or a file",
    ] {
        let kept = home.json(&["remember", plain]);
        assert_eq!(kept.get("not_found"), None, "{kept}");
    }
}
