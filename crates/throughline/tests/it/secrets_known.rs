//! A value that was recognised once is known to the whole home: no other door keeps it, whichever
//! session it belongs to, and what is known of it is bounded and says nothing.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;
use crate::secrets::assert_gone;
use crate::secrets_everywhere::{every_command, every_tool};

/// A value that nothing but its name gives away.
fn value() -> String {
    ["vX4q", "Lm72", "rTbz", "58Kd"].concat()
}

/// A home in which a prompt of the session `shown` has given the value a name.
fn shown(value: &str) -> Home {
    let home = Home::new();
    Agent::new(&home, "shown").hears(&format!("Staging starts with DB_PASSWORD={value} set."));
    assert_gone(&home, &[value], "the prompt itself");
    home
}

#[test]
fn a_value_that_a_prompt_showed_is_left_out_by_every_command() {
    let value = value();
    // Sessions keep their names, which hooks and commands must agree on.
    every_command(&shown(&value), &value, |case| {
        !case.contains(&"--session") && !case.contains(&"{TURNS}")
    });
}

#[test]
fn a_value_that_a_prompt_showed_is_left_out_by_every_tool() {
    let value = value();
    for profile in ["default", "server-memory"] {
        every_tool(&shown(&value), profile, &value);
    }
}

#[test]
fn a_value_that_a_prompt_showed_is_left_out_of_the_memory_tools_files() {
    let value = value();
    let home = shown(&value);
    let mut client = home.mcp_profile("memory-tool");
    let file = |text: String| json!({"command": "create", "path": "/memories/staging.md", "file_text": text});
    client.call("memory", file(format!("Staging takes {value} these days")));
    assert_gone(&home, &[&value], "the memory tool");
    assert!(!home.files_holding("these days").is_empty(), "the rest is kept");
}

#[test]
fn a_value_that_a_prompt_showed_is_left_out_of_other_sessions() {
    let value = value();
    let home = shown(&value);
    let helper = Agent::new(&home, "another");
    helper.starts();
    helper.hears(&format!("We decided to rotate {value} every month because of the audit."));
    let done = json!({"agent_type": "helper", "last_assistant_message": format!("It is {value}.")});
    helper.call("SubagentStop", &done, &[]);
    helper.ends();
    let mut shell = home.command();
    let run = shell.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "third");
    let run = run.args(["remember", &format!("Staging takes {value} since March")]).output();
    assert!(run.expect("it runs").status.success());
    let turn = json!({
        "session": "fourth", "speaker": "user", "text": format!("It takes {value} there"),
        "at": "2026-03-01T09:00:00Z",
    });
    let turns = home.outside("turns.jsonl");
    std::fs::write(&turns, format!("{turn}\n")).expect("a file can be written");
    home.json(&["ingest", &turns.display().to_string()]);
    assert_gone(&home, &[&value], "other sessions");
    assert!(!home.files_holding("since March").is_empty(), "the rest is kept");
}

#[test]
fn a_value_that_a_tool_showed_is_known_to_the_hooks() {
    let (home, value) = (Home::new(), value());
    home.mcp().call("remember", json!({"content": format!("DB_PASSWORD={value} is for staging")}));
    Agent::new(&home, "one").hears(&format!("We decided to rotate {value} every month."));
    assert_gone(&home, &[&value], "a tool and a prompt");
}

#[test]
fn a_value_that_is_mostly_a_word_is_left_out_of_its_own_session_alone() {
    let (home, word) = (Home::new(), ["sword", "fish", "7"].concat());
    let agent = Agent::new(&home, "one");
    agent.hears(&format!("Locally it is DB_PASSWORD={word} for everybody."));
    agent.hears(&format!("We decided to drop {word} as a login in May."));
    agent.ends();
    assert_gone(&home, &[&word], "its session");
    home.remember(&format!("Staging runs {word} since March"));
    assert!(!home.files_holding(&word).is_empty(), "the release has the same name");
}

#[test]
fn what_a_home_knows_of_secrets_is_bounded_and_the_oldest_go() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let nth = |n: usize| format!("q{n:05}Zk{:04}w", n * 7 % 9_973);
    let known = || std::fs::read_to_string(home.path().join("journal/home.known")).expect("lines");
    for part in 0..11 {
        let lines: Vec<String> =
            (0..450).map(|n| format!("S{n}_PASSWORD={}", nth(part * 450 + n))).collect();
        agent.hears(&lines.join("\n"));
    }
    assert!(known().lines().count() < 4_600, "{}", known().lines().count());
    let last = nth(11 * 450 - 1);
    home.remember(&format!("Staging takes {last} since March"));
    assert_gone(&home, &[&last], "many values");
}
