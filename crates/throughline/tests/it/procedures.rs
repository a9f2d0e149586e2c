//! Procedures: steps that are told, given and shown, and what they rest on.

use serde_json::json;

use crate::harness::{Home, id_of};
use crate::hooking::Agent;

const TOLD: &str =
    "To deploy: first run make build, then make push, then kubectl rollout restart web.";

#[test]
fn a_procedure_that_is_told_has_its_steps() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(TOLD);
    agent.hears("Releasing works like this: 1. tag the commit 2. push the tag 3. tell Dana");
    agent.ends();
    let kept = home.json(&["list", "--kind", "procedure"]);
    let steps = |at: usize| kept["items"][at]["procedure"].clone();
    assert_eq!(kept["total"], 2, "{kept}");
    let release = json!({"name": "Releasing", "trigger": null, "prerequisites": [], "warnings": [],
        "steps": ["tag the commit", "push the tag", "tell Dana"]});
    let deploy = json!({"name": "deploy", "trigger": null, "prerequisites": [], "warnings": [],
        "steps": ["run make build", "make push", "kubectl rollout restart web"]});
    assert_eq!((steps(0), steps(1)), (release, deploy), "{kept}");
}

#[test]
fn a_procedure_is_given_in_parts_shown_in_lines_and_told_with_numbers() {
    let home = Home::new();
    let id = home.remember_with(&[
        "deploy",
        "--step",
        "make build",
        "--step",
        "make push",
        "--step",
        "Needs: the VPN",
        "--step",
        "When: a release is tagged",
        "--step",
        "Warning: never on a Friday",
    ]);
    let shown = home.show(&id);
    assert_eq!(shown["kind"], "procedure");
    let parts = json!({"name": "deploy", "trigger": "a release is tagged", "steps": ["make build", "make push"],
        "prerequisites": ["the VPN"], "warnings": ["never on a Friday"]});
    assert_eq!(shown["procedure"], parts);
    insta::assert_snapshot!(
        home.tidy(&home.page(&["show", &id])).lines().take(7).collect::<Vec<_>>().join("\n")
    );
    let told = home.json(&["recall", "how do we deploy?"])["text"].as_str().unwrap().to_owned();
    assert!(told.contains("1. make build 2. make push"), "{told}");
    assert!(told.contains("never on a Friday"), "{told}");
}

#[test]
fn a_procedure_needs_two_steps() {
    let home = Home::new();
    let (code, error) = home.error(&["remember", "deploy", "--step", "make push"]);
    assert_eq!(code, 2, "{error}");
    assert!(error["message"].as_str().unwrap().contains("two steps"), "{error}");
    let mut client = home.mcp();
    let failed = client.fail("remember", json!({ "content": "deploy", "steps": ["make push"] }));
    assert!(failed.to_string().contains("two steps"), "{failed}");
}

#[test]
fn a_procedure_is_derived_from_the_facts_it_rests_on() {
    let home = Home::new();
    let fact = home.remember("The cluster pulls images from our registry");
    let id = home.remember_with(&[
        "deploy",
        "--step",
        "make build",
        "--step",
        "make push",
        "--because",
        &fact,
    ]);
    let why = home.json(&["why", &id]);
    assert_eq!(why["because"][0]["relation"], "derived_from", "{why}");
    assert_eq!(id_of(&why["because"][0]), fact);
    let decision =
        home.remember_with(&["Use our own registry", "--kind", "decision", "--because", &fact]);
    let why = home.json(&["why", &decision]);
    assert_eq!(why["because"][0]["relation"], "because", "{why}");
}

#[test]
fn an_agent_gives_steps_by_its_tool() {
    let home = Home::new();
    let mut client = home.mcp();
    let kept = client.call(
        "remember",
        json!({ "content": "rotate the key",
        "steps": ["make one", "put it into the vault", "Warning: keep the old one for a day"] }),
    );
    let shown = home.show(kept["id"].as_str().expect("an id"));
    assert_eq!(
        shown["procedure"]["steps"],
        json!(["make one", "put it into the vault"]),
        "{shown}"
    );
    assert_eq!(shown["procedure"]["warnings"], json!(["keep the old one for a day"]));
}
