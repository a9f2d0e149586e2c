//! Reviewing: what waits for a person's decision, and deciding it.

use serde_json::{Value, json};

use crate::harness::{Home, handle, id_of, strings};

fn runs_on(home: &Home, port: &str) -> String {
    let (text, slot) = (format!("Staging listens on {port}"), format!("staging|port|{port}|one"));
    home.remember_with(&[&text, "--slot", &slot, "--authority", "extracted"])
}

/// Two memories of equal rank that contradict each other.
fn contested(home: &Home) -> [String; 2] {
    [runs_on(home, "8080"), runs_on(home, "9090")]
}

fn pairs(review: &Value) -> Vec<[String; 2]> {
    let pairs = review["contested"].as_array().expect("a list");
    pairs.iter().map(|pair| [id_of(&pair["a"]), id_of(&pair["b"])]).collect()
}

#[test]
fn an_empty_queue_says_so_in_one_line() {
    let home = Home::new();
    assert_eq!(home.page(&["review"]), "nothing waits for your decision\n");
    let empty = json!({
        "verify": [], "contested": [], "questioned": [], "graduation": [], "pending": [], "gaps": [],
        "reconfirm": [], "decided": null
    });
    assert_eq!(home.json(&["review"]), empty);
}

#[test]
fn a_contradiction_waits_with_both_sides_and_the_ways_out() {
    let home = Home::new();
    let [a, b] = contested(&home);
    assert_eq!(pairs(&home.json(&["review"])), [[a, b]]);
    insta::assert_snapshot!(home.tidy(&home.page(&["review"])), @"
    Contested (1)
    a [ID]  Staging listens on 8080
                fact · 2026-03-02 · extracted · trust 0.28 · staged · contested
    b [ID]  Staging listens on 9090
                fact · 2026-03-02 · extracted · trust 0.28 · staged · contested
                review --keep-a [ID]/[ID] · --keep-b [ID]/[ID] · --both [ID]/[ID] · --merge [ID]/[ID] --text … · --later [ID]/[ID]
    ");
}

#[test]
fn the_side_that_is_kept_takes_the_place_of_the_other() {
    for (option, kept) in [("--keep-a", 0), ("--keep-b", 1)] {
        let home = Home::new();
        let both = contested(&home);
        let answer = home.json(&["review", option, &both[0]]);
        assert_eq!(strings(&answer["decided"]["ids"]), [&both[kept]], "{option}");
        assert_eq!(pairs(&answer), Vec::<[String; 2]>::new(), "{option}");
        assert_eq!(home.show(&both[1 - kept])["superseded_by"], both[kept].as_str(), "{option}");
        assert!(!strings(&home.show(&both[kept])["flags"]).contains(&"contested"), "{option}");
        home.json(&["undo"]);
        assert_eq!(pairs(&home.json(&["review"])), [both], "a decision can be undone");
        home.assert_sound();
    }
}

#[test]
fn both_sides_can_hold() {
    let home = Home::new();
    let both = contested(&home);
    let pair = format!("{}/{}", handle(&both[1]), handle(&both[0]));
    let answer = home.json(&["review", "--both", &pair]);
    assert_eq!(answer["decided"], json!({ "ids": both, "ruling": "both" }));
    for id in &both {
        let memory = home.show(id);
        assert_eq!((&memory["state"], &memory["contested_by"]), (&json!("staged"), &json!([])));
    }
    assert_eq!(home.page(&["review"]), "nothing waits for your decision\n");
}

#[test]
fn a_decision_says_what_holds_and_what_is_left() {
    let home = Home::new();
    let [a, _] = contested(&home);
    let (one, two) = (home.remember("Tabs are used"), home.remember("Spaces are used"));
    home.json(&["contradict", &one, &two]);
    insta::assert_snapshot!(home.tidy(&home.page(&["review", "--keep-a", &a])), @"
    Now current
    [ID]  Staging listens on 8080
              fact · 2026-03-02 · extracted · trust 0.55 · staged
    1 more to decide: `review` shows them
    ");
}

#[test]
fn what_the_user_said_waits_beside_what_an_agent_says_otherwise() {
    let home = Home::new();
    let said = home.remember_with(&["The port is 1", "--slot", "port|is|1|one"]);
    let other = home.remember_with(&[
        "The port is 2",
        "--slot",
        "port|is|2|one",
        "--authority",
        "inferred",
    ]);
    assert_eq!(pairs(&home.json(&["review"])), [[said, other.clone()]]);
    home.json(&["forget", &other]);
    assert_eq!(pairs(&home.json(&["review"])), Vec::<[String; 2]>::new());
}

#[test]
fn a_gap_waits_for_an_answer() {
    let home = Home::new();
    let id = home.remember_with(&["Who owns the billing service?", "--kind", "gap"]);
    assert_eq!(id_of(&home.json(&["review"])["gaps"][0]), id);
    assert!(home.page(&["review"]).contains("Asked about, not known (1)"));
}

#[test]
fn what_is_not_there_cannot_be_decided() {
    let home = Home::new();
    let calm = home.remember("Nothing contradicts this");
    for args in [
        ["review", "--reject", "0123abcd"],
        ["review", "--keep-a", "0123abcd"],
        ["review", "--keep-b", calm.as_str()],
        ["review", "--both", calm.as_str()],
    ] {
        let (code, error) = home.error(&args);
        assert_eq!((code, error["code"].as_str()), (3, Some("not_found")), "{args:?}: {error}");
    }
    let (code, error) = home.error(&["review", "--keep-b", &calm]);
    assert_eq!(code, 3);
    assert!(error["hint"].as_str().unwrap().contains("`review`"), "{error}");
    for args in [
        &["review", "--reject", "x"][..],
        &["review", "--reject", "0123abcd", "--both", "0123abcd"],
        &["review", "--reason", "because"],
        &["review", "--keep-a"],
    ] {
        assert_eq!(home.error(args).0, 2, "{args:?}");
    }
}

#[test]
fn a_contradiction_of_another_project_is_not_seen() {
    let home = Home::new();
    let [a, _] = contested(&home);
    let elsewhere = home.from("elsewhere");
    assert_eq!(pairs(&elsewhere.json(&["review"])), Vec::<[String; 2]>::new());
    assert_eq!(elsewhere.error(&["review", "--keep-a", &a]).0, 3);
}

#[test]
fn the_help_of_review_teaches_how_to_decide() {
    let help = Home::new().page(&["review", "--help"]);
    for word in ["--reject", "--keep-a", "--keep-b", "--both", "A/B", "pending", "undone"] {
        assert!(help.contains(word), "{word} is missing in\n{help}");
    }
}

/// A patch that takes back something that is not known, and one operation that is no operation.
fn unclear(home: &Home) {
    let patch = r#"{"version":1,"operations":[
        {"op":"retract","what":"the thing about the mascot"},
        {"op":"ponder","content":"the mascot is a heron"}]}"#;
    let mut command = home.command();
    let mut run = command
        .args(["patch", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::io::Write::write_all(&mut run.stdin.take().expect("a pipe"), patch.as_bytes())
        .expect("it is read");
    let run = run.wait_with_output().expect("it ends");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn waiting(home: &Home) -> Vec<Value> {
    home.json(&["review"])["pending"].as_array().expect("a list").clone()
}

#[test]
fn what_waits_is_told_in_words_and_offers_only_what_works() {
    let home = Home::new();
    unclear(&home);
    let page = home.page(&["review"]);
    for raw in ["{\"", "unknown variant", "expected"] {
        assert!(!page.contains(raw), "{raw}: {page}");
    }
    assert!(page.contains("take back “the thing about the mascot”"), "{page}");
    assert!(page.contains("the mascot is a heron"), "what it is about is shown: {page}");
    assert!(page.contains("does not understand"), "{page}");
    for one in waiting(&home) {
        let accept = format!("review --accept {}", handle(one["id"].as_str().unwrap()));
        let offered = page.lines().find(|line| line.contains(&accept)).expect("a way out");
        assert!(offered.contains("--for MEMORY") || offered.contains("--text"), "{offered}");
        let why = format!("{}{}{}", one["says"], one["why"], one["stuck"]);
        assert!(!why.contains("{\\\"") && !why.contains("unknown variant"), "{why}");
        let (code, error) = home.error(&["review", "--accept", one["id"].as_str().unwrap()]);
        assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")), "{one}");
        assert!(one["stuck"].is_string(), "a way that fails is not offered: {one}");
    }
}

#[test]
fn everything_that_waits_can_be_decided_by_naming_the_memory_or_saying_what_holds() {
    let home = Home::new();
    let mascot = home.remember("The mascot is a stork");
    unclear(&home);
    let of = |op: &str| {
        let found = waiting(&home);
        let found = found.iter().find(|one| one["operation"].as_str().unwrap().contains(op));
        id_of(found.expect("it waits"))
    };
    home.json(&["review", "--accept", &of("ponder"), "--text", "The mascot sings on Fridays"]);
    home.json(&["review", "--accept", &of("retract"), "--for", &mascot]);
    assert_eq!(home.show(&mascot)["state"], "retracted");
    assert_eq!(home.texts(&["list"]), ["The mascot sings on Fridays"]);
    assert_eq!(waiting(&home), Vec::<Value>::new());
    home.json(&["undo"]);
    assert_eq!(home.show(&mascot)["state"], "confirmed", "a decision can be undone");
}

#[test]
fn a_check_that_refutes_what_the_user_said_can_be_accepted() {
    let home = Home::new();
    let id = home.remember("The mascot is a stork");
    let op = format!(r#"{{"version":1,"operations":[{{"op":"retract","what":"{id}"}}]}}"#);
    std::fs::write(home.outside("patch.json"), op).unwrap();
    home.json(&["patch", &home.arg("patch.json")]);
    let one = waiting(&home).remove(0);
    assert_eq!(
        (&one["says"], &one["stuck"]),
        (&json!("take back “The mascot is a stork”"), &Value::Null)
    );
    home.json(&["review", "--accept", &id_of(&one)]);
    assert_eq!(home.show(&id)["state"], "retracted");
}
