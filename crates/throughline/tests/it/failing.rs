//! Commands that fail: kept with why, said before the same command, and put away when it works.

use serde_json::{Value, json};

use crate::harness::{Home, strings};
use crate::hooking::Agent;
use crate::settling::patch;

const WHY: &str = "nomad token expired, run vault login first";

fn bash(agent: &Agent<'_>, id: &str, command: &str, output: &str, exit: i32) {
    let input = json!({"command": command});
    let mut fields = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": id});
    if exit == 0 {
        fields["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
        agent.tell_at(None, "PostToolUse", &fields);
    } else {
        fields["error"] = json!(format!("Exit code {exit}\n{output}"));
        agent.tell_at(None, "PostToolUseFailure", &fields);
    }
}

fn about_to_run(home: &Home, session: &str, command: &str) -> String {
    let fields =
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t9"});
    Agent::new(home, session).tell_at(None, "PreToolUse", &fields)
}

fn failures(home: &Home) -> Vec<Value> {
    let all = home.json(&["list", "--kind", "negative"]);
    all["items"].as_array().expect("a listing has items").clone()
}

#[test]
fn a_failed_command_is_warned_of_before_it_runs_again_and_nowhere_else() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("deploy the web job");
    bash(&agent, "t1", "nomad job run web.nomad", WHY, 1);
    agent.answers("The deploy did not go through.");
    agent.ends();
    let held = failures(&home);
    assert_eq!(held.len(), 1, "{held:?}");
    assert_eq!(held[0]["content"], format!("`nomad job run` failed: {WHY}"));
    assert_eq!((&held[0]["state"], &held[0]["authority"]), (&json!("staged"), &json!("observed")));
    assert!(about_to_run(&home, "april", "nomad job run web.nomad").contains(WHY));
    assert_eq!(about_to_run(&home, "april", "nomad status"), "");
    assert!(!Agent::new(&home, "may").starts().contains("nomad"), "a brief is not for that");
}

#[test]
fn what_helped_is_said_with_the_warning() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("deploy the web job");
    bash(&agent, "t1", "nomad job run web.nomad", WHY, 1);
    agent.answers("It did not go through.");
    bash(&agent, "t2", "vault login -method=oidc", "Success! You are now authenticated.", 0);
    bash(&agent, "t3", "nomad job run web.nomad", "Evaluation complete", 0);
    agent.answers("It is deployed.");
    agent.ends();
    let held = failures(&home);
    assert_eq!(held.len(), 1, "one failure, one memory: {held:?}");
    let warned = about_to_run(&home, "april", "nomad job run api.nomad");
    assert!(warned.contains(WHY) && warned.contains("what helped: `vault login"), "{warned}");
}

#[test]
fn tests_that_fail_while_code_is_written_leave_nothing_behind() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("make the parser pass");
    for round in 0..3 {
        let panicked =
            format!("thread 'a' panicked at src/parse.rs:{round}:5:\nassertion failed here");
        bash(&agent, &format!("t{round}"), "cargo test", &panicked, 101);
        agent.answers("Still red.");
    }
    bash(&agent, "c1", "make lint", "the linter config is missing a section", 2);
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": "/x/lint.toml", "new_string": "a"},
        "tool_use_id": "e1", "tool_response": {"filePath": "/x/lint.toml"}});
    agent.answers("I will add it.");
    assert_eq!(failures(&home).len(), 0, "what waits is looked at later");
    agent.tell_at(None, "PostToolUse", &edit);
    bash(&agent, "c2", "make lint", "clean", 0);
    bash(&agent, "t8", "cargo test", "test result: ok", 0);
    agent.answers("All green.");
    agent.ends();
    assert_eq!(failures(&home), Vec::<Value>::new());
}

#[test]
fn a_search_without_a_hit_is_no_failure() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("where is it used?");
    bash(&agent, "t1", "grep -rn needle src", "", 1);
    bash(&agent, "t2", "rg needle src | head", "", 1);
    agent.answers("Nowhere.");
    agent.ends();
    assert_eq!(failures(&home), Vec::<Value>::new());
}

#[test]
fn the_same_failure_again_is_one_memory() {
    let home = Home::new();
    for session in ["march", "april", "may"] {
        let agent = Agent::new(&home, session);
        agent.hears("deploy it");
        bash(&agent, "t1", "nomad job run web.nomad", WHY, 1);
        agent.answers("No.");
        agent.ends();
    }
    assert_eq!(failures(&home).len(), 1);
}

/// What is held of failures, each with the cause that it tells or marked as incomplete.
fn assert_none_without_its_cause(home: &Home) {
    for one in failures(home) {
        let id = one["id"].as_str().expect("a memory has an id");
        let why = home.json(&["why", id])["because"].as_array().is_some_and(|all| !all.is_empty());
        let told = one["content"].as_str().is_some_and(|text| text.contains(": "));
        let flagged = strings(&one["flags"]).contains(&"incomplete");
        assert!(why || told || flagged, "{one}");
    }
}

#[test]
fn a_failed_command_that_says_nothing_of_its_cause_is_not_held_as_if_it_did() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("deploy the web job");
    for (n, (command, output)) in [
        ("./deploy.sh web", ""),
        ("make release", "make: *** [release] Error 2"),
        ("terraform apply", "failed"),
        ("kubectl apply -f web.yaml", "-----\n\n"),
        ("nomad job run web.nomad", WHY),
    ]
    .into_iter()
    .enumerate()
    {
        bash(&agent, &format!("t{n}"), command, output, 3);
    }
    agent.answers("The deploy did not go through.");
    agent.ends();
    let held = failures(&home);
    assert_eq!(held.len(), 1, "only what says why: {held:?}");
    assert!(held[0]["content"].as_str().is_some_and(|text| text.contains(WHY)), "{held:?}");
    assert_none_without_its_cause(&home);
}

#[test]
fn a_failure_that_comes_in_without_its_cause_is_marked_as_incomplete() {
    let home = Home::new();
    let operation = json!({"op": "remember", "kind": "negative", "confidence": 0.9,
        "content": "Redis streams failed"});
    patch(&home, "assistant", &json!([operation]));
    let held = failures(&home);
    assert_eq!(held.len(), 1, "{held:?}");
    assert!(strings(&held[0]["flags"]).contains(&"incomplete"), "{held:?}");
    let id = held[0]["id"].as_str().expect("a memory has an id");
    assert!(home.page(&["show", id]).contains("incomplete"), "{}", home.page(&["show", id]));
    assert_none_without_its_cause(&home);
}

#[test]
fn a_failure_that_lost_its_cause_is_marked_as_incomplete() {
    let home = Home::new();
    let reason = home.remember("Redis streams lose entries on restart");
    let id = home.remember_with(&[
        "Redis streams failed",
        "--kind",
        "negative",
        "--because",
        "Redis streams lose entries on restart",
    ]);
    let flags = || home.show(&id)["flags"].clone();
    assert!(!strings(&flags()).contains(&"incomplete"), "{}", flags());
    home.json(&["unlink", &id, "because", &reason]);
    assert!(strings(&flags()).contains(&"incomplete"), "{}", flags());
    assert!(home.page(&["show", &id]).contains("incomplete"), "{}", home.page(&["show", &id]));
    assert_none_without_its_cause(&home);
}

#[test]
fn what_a_person_says_was_tried_and_failed_is_kept_as_a_failure_with_its_cause() {
    for (said, cause) in [
        (
            "We tried redis streams for the queue but it failed because entries were lost on restart",
            "entries were lost on restart",
        ),
        (
            "Kafka failed for us because the brokers ran out of memory every night",
            "ran out of memory",
        ),
    ] {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears(said);
        agent.answers("Understood.");
        agent.ends();
        let held = failures(&home);
        assert_eq!(held.len(), 1, "{said}: {}", home.everything());
        assert!(held[0]["content"].as_str().is_some_and(|text| text.contains(cause)), "{held:?}");
        assert!(!strings(&held[0]["flags"]).contains(&"incomplete"), "{held:?}");
    }
}
