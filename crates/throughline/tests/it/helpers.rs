//! Agents that an agent starts for a task: what they are asked is their agent's word, they are told
//! what fits their task, and none of it counts as told to their agent.

use serde_json::{Value, json};

use crate::harness::{Home, strings};
use crate::hooking::{Agent, PATIENT};

const FACT: &str = "The staging database runs on Postgres 16";
const TASK: &str = "Find out which version of Postgres the staging database runs on.";

pub(crate) fn asks_helper(agent: &Agent<'_>, task: &str) -> String {
    agent.tell_at(
        None,
        "PreToolUse",
        &json!({"tool_name": "Agent", "tool_use_id": "toolu_1",
            "tool_input": {"description": "look", "prompt": task, "subagent_type": "general-purpose"}}),
    )
}

pub(crate) fn helper_starts(agent: &Agent<'_>, id: &str) -> String {
    let fields = json!({"agent_id": id, "agent_type": "general-purpose"});
    agent.tell_at(None, "SubagentStart", &fields)
}

#[test]
fn a_helper_is_told_what_fits_its_task_and_its_agent_is_told_it_too() {
    let home = Home::new();
    home.remember(FACT);
    let agent = Agent::new(&home, "march");
    assert_eq!(asks_helper(&agent, TASK), "");
    let told = helper_starts(&agent, "a3e8");
    assert!(told.contains(FACT), "{told}");
    assert_eq!(helper_starts(&agent, "b4f9"), "", "nobody asked anything of that one");
    let own = agent.hears("Which version of Postgres does the staging database run on?");
    assert!(own.contains(FACT), "what a helper was told its agent was not: {own}");
    let told = home.json(&["told"]);
    assert_eq!(told["total"], 2);
    assert_eq!(
        (&told["items"][1]["helper"], &told["items"][1]["event"]),
        (&json!("a3e8"), &json!("SubagentStart"))
    );
    assert_eq!(told["items"][0]["helper"], Value::Null);
}

#[test]
fn a_helper_is_told_what_its_agent_was_told_before() {
    let home = Home::new();
    home.remember(FACT);
    let agent = Agent::new(&home, "march");
    assert!(agent.starts().contains(FACT));
    asks_helper(&agent, TASK);
    assert!(helper_starts(&agent, "a3e8").contains(FACT), "its context is empty");
}

#[test]
fn each_of_several_helpers_gets_its_own_task() {
    let home = Home::new();
    home.remember(FACT);
    home.remember("The billing service listens on port 7070");
    let agent = Agent::new(&home, "march");
    asks_helper(&agent, TASK);
    asks_helper(&agent, "Find out on which port the billing service listens.");
    let first = helper_starts(&agent, "one");
    let second = helper_starts(&agent, "two");
    assert!(first.contains("Postgres 16") && !first.contains("7070"), "{first}");
    assert!(second.contains("7070") && !second.contains("Postgres 16"), "{second}");
}

#[test]
fn what_a_helper_is_asked_is_its_agents_word_and_never_the_users() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("Please look into the sessions.");
    asks_helper(&agent, "We decided to keep sessions in MySQL. Always deploy on a Friday.");
    helper_starts(&agent, "a3e8");
    // Should a host ever tell a helper's prompt as a prompt, it says whose it is.
    agent.tell_at(
        None,
        "UserPromptSubmit",
        &json!({"agent_id": "a3e8", "agent_type": "general-purpose",
            "prompt": "Never use tabs in this repository."}),
    );
    agent.answers("Done.");
    agent.ends();
    for memory in home.json(&["list", "--all"])["items"].as_array().expect("a listing has items") {
        let users = memory["authority"].as_str().is_some_and(|one| one.starts_with("user_"));
        assert!(!users, "{memory}");
    }
    let all = home.run(&["export"]).stdout;
    let turns: Vec<&str> = all.split(r#""speaker":""#).skip(1).collect();
    let task = turns.iter().find(|turn| turn.contains(r#""text":"We decided to keep"#));
    assert!(task.is_some_and(|turn| turn.starts_with("assistant")), "{turns:#?}");
}

#[test]
fn a_warning_to_a_helper_does_not_silence_the_one_to_its_agent() {
    let home = Home::new();
    let first = Agent::new(&home, "march");
    first.starts();
    let command = json!({"command": "./backup.sh --full"});
    let failed = json!({"tool_name": "Bash", "tool_input": command, "tool_use_id": "toolu_1",
        "is_interrupt": false,
        "error": "Exit code 3\nerror: the option --full requires the vault key"});
    first.tell_at(None, "PostToolUseFailure", &failed);
    first.answers("`./backup.sh --full` did not work here.");
    first.ends();
    let agent = Agent::new(&home, "april");
    let call = json!({"tool_name": "Bash", "tool_input": command, "tool_use_id": "toolu_2"});
    let mut helpers = call.clone();
    helpers["agent_id"] = "a3e8".into();
    assert!(agent.tell_at(None, "PreToolUse", &helpers).contains("vault key"));
    assert_eq!(agent.tell_at(None, "PreToolUse", &helpers), "", "once to the helper");
    assert!(agent.tell_at(None, "PreToolUse", &call).contains("vault key"), "once to its agent");
}

#[test]
fn a_helper_of_opencode_is_told_what_fits_its_task() {
    let home = Home::new();
    home.remember(FACT);
    let payload = json!({"hook": "helper.message", "directory": home.project(),
        "input": {"sessionID": "ses_1", "helperID": "ses_2"},
        "output": {"parts": [{"type": "text", "text": TASK}]}});
    let mut command = home.command();
    command.args(["hook", "helper.message", "--agent", "opencode"]).envs([PATIENT]);
    let run = crate::hooking::run(command, payload.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&run.stdout).expect("an answer is JSON");
    assert!(answer["context"].as_str().is_some_and(|text| text.contains(FACT)), "{answer}");
    let told = home.json(&["told"]);
    assert_eq!(
        (&told["items"][0]["session"], &told["items"][0]["helper"]),
        (&json!("ses_1"), &json!("ses_2"))
    );
    assert_eq!(strings(&told["items"][0]["memories"]).len(), 1);
}
