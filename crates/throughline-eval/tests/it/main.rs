//! The program from outside, on a set small enough to be read here.

mod secret_cases;
mod secrets;

use std::path::Path;
use std::process::{Command, Output};

const SESSIONS: &str = r#"{"session":"s1","at":"2024-01-02T10:00:00Z","turns":[{"id":"t1","speaker":"user","text":"The ferry to Lindholm leaves from pier seven."},{"id":"t2","speaker":"assistant","text":"Noted, pier seven it is."}]}
{"session":"s2","at":"2024-02-03T10:00:00Z","turns":[{"id":"t3","speaker":"user","text":"My cousin Odile keeps bees behind the old mill."},{"id":"t4","speaker":"assistant","text":"Bees need flowers close by."}]}
{"session":"s3","at":"2024-03-04T10:00:00Z","turns":[{"id":"t5","speaker":"user","text":"I painted the garden gate dark green on Sunday."},{"id":"t6","speaker":"assistant","text":"Dark green suits a gate."}]}
"#;
const QUESTIONS: &str = r#"{"id":"q1","type":"plain","question":"Which pier does the ferry to Lindholm leave from?","store":"a","haystack":["s1","s2"],"gold_turns":["t1"],"gold_sessions":["s1"]}
{"id":"q2","type":"multi","question":"Who keeps bees behind the mill?","store":"a","haystack":["s1","s2"],"gold_turns":["t3"],"gold_sessions":["s2"]}
{"id":"q3","type":"plain","question":"What colour is my garden gate?","store":"b","haystack":["s2","s3"],"gold_turns":["t5","t6"],"gold_sessions":["s3"]}
"#;

fn eval(home: &Path, arguments: &[&str]) -> Output {
    std::fs::write(home.join("tiny.sessions.jsonl"), SESSIONS).expect("a folder to write to");
    std::fs::write(home.join("tiny.questions.jsonl"), QUESTIONS).expect("a folder to write to");
    let program = env!("CARGO_BIN_EXE_throughline-eval");
    Command::new(program).current_dir(home).args(arguments).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("figures are text")
}

#[test]
fn retrieval_prints_figures_and_writes_rankings() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["retrieval", "--set", "tiny", "--out", "run.jsonl", "--by-type", "--ablate"];
    let said = printed(&eval(home.path(), &arguments));
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("all                          n=3     turn     any@5 1.000"),
        "{said}"
    );
    for column in ["any@10", "all@5", "all@10", "frac@5", "frac@10", "frac@25", "ndcg10"] {
        assert!(first.contains(column), "{column}: {first}");
    }
    for line in
        ["multi   ", "bm25 all", "against bm25", "page: said", "latency ms", "without graph, multi"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    let run = std::fs::read_to_string(home.path().join("run.jsonl")).unwrap();
    let ids: Vec<String> = run
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| format!("{} {}", line["id"], line["ranked"][0]))
        .collect();
    assert_eq!(ids[..2], ["\"q1\" \"t1\"", "\"q2\" \"t3\""]);
}

#[test]
fn json_has_the_shape_of_the_reference_scorer() {
    let home = tempfile::tempdir().unwrap();
    let said = printed(&eval(home.path(), &["retrieval", "--set", "tiny", "--pool", "--json"]));
    let all: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(all["all"]["n"], 3);
    assert_eq!(all["all"]["turn"]["any@10"], 1.0);
    assert!(all["bm25"]["all"]["session"]["ndcg10"].is_number());
    assert!(all["against_bm25"]["all@10"]["p"].is_number());
    assert!(all.get("plain").is_none());
}

#[test]
fn the_same_run_twice_ranks_alike() {
    let home = tempfile::tempdir().unwrap();
    let run = |out: &str| {
        printed(&eval(home.path(), &["retrieval", "--set", "tiny", "--out", out]));
        std::fs::read(home.path().join(out)).unwrap()
    };
    assert_eq!(run("one.jsonl"), run("two.jsonl"));
}

#[test]
fn fit_prints_every_weight() {
    let home = tempfile::tempdir().unwrap();
    let said = printed(&eval(home.path(), &["fit", "--sets", "tiny", "--folds", "2"]));
    for name in ["words ", "session_cosine ", "in_time ", "(kept)", "own folds"] {
        assert!(said.contains(name), "{name}: {said}");
    }
}

#[test]
fn an_unknown_arm_is_told() {
    let home = tempfile::tempdir().unwrap();
    let output = eval(home.path(), &["retrieval", "--set", "tiny", "--arms", "smell"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("smell is no arm; there are words, vectors, graph, time"), "{said}");
}

#[test]
fn what_is_played_needs_a_program_to_test_and_something_to_play() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [
        &["correction", "--binary", "nowhere"][..],
        &["correction", "--scenarios", "0"],
        &["correction", "--seed", "-1"],
        &["updates", "--binary", "nowhere"],
        &["natural", "--leave-out", "w4", "--binary", "nowhere"],
        &["natural"],
    ] {
        let output = eval(home.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
