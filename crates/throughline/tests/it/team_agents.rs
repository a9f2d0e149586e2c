//! Two homes share a project through PostgreSQL: what is put right in one is known with the next prompt in
//! the other, whichever agents they use. The payloads are recorded ones, with the words of the story.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::PATIENT;

const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini", "opencode"];

/// A recorded payload of a prompt, or of the answer to one, with other words in it.
fn recorded(
    agent: &str,
    moment: &str,
    session: &str,
    folder: &Path,
    words: &str,
) -> (String, Value) {
    let fixtures =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../throughline-agents/tests/fixtures");
    let event = match (agent, moment) {
        ("gemini", "prompt") => "BeforeAgent",
        ("gemini", _) => "AfterAgent",
        ("opencode", "prompt") => "chat.message",
        ("opencode", _) => "event:session.idle",
        (_, "prompt") => "UserPromptSubmit",
        (_, _) => "Stop",
    };
    let read = |file: &Path| std::fs::read_to_string(file).expect("it was recorded");
    let text = if agent == "opencode" {
        let lines = read(&fixtures.join("opencode/hooks.jsonl"));
        let wanted = format!("\"hook\":\"{event}\"");
        lines.lines().find(|line| line.contains(&wanted)).expect("it was recorded").to_owned()
    } else {
        let folder = if agent == "gemini" { "gemini-cli" } else { agent };
        read(&fixtures.join(folder).join(format!("{event}.1.json")))
    };
    let mut payload: Value = serde_json::from_str(&text).expect("it is JSON");
    if agent == "opencode" {
        payload["directory"] = json!(folder);
        payload["text"] = json!(words);
        payload["input"]["sessionID"] = json!(session);
        if moment == "prompt" {
            payload["output"]["parts"][0]["text"] = json!(format!("{words:?}"));
        }
    } else {
        payload["session_id"] = json!(session);
        payload["cwd"] = json!(folder);
        payload["prompt"] = json!(words);
        payload["last_assistant_message"] = json!("Noted.");
        payload["prompt_response"] = json!("Noted.");
    }
    (event.to_owned(), payload)
}

/// What an agent's hook puts before its model.
fn tell(
    home: &Home,
    agent: &str,
    moment: &str,
    session: &str,
    folder: &Path,
    words: &str,
) -> String {
    let (event, payload) = recorded(agent, moment, session, folder, words);
    let mut command = home.from(folder.to_str().expect("a plain name")).command();
    command.args(["hook", &event, "--agent", agent]).envs([PATIENT]);
    let run: Run = crate::hooking::run(command, payload.to_string().as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{agent} {moment}");
    let failures = std::fs::read_to_string(home.path().join("hook-failures.jsonl"));
    assert_eq!(failures.unwrap_or_default(), "", "{agent} {moment}");
    run.stdout
}

#[test]
fn a_correction_by_one_agent_is_known_to_every_other_agent_of_another_home_with_the_next_prompt() {
    for (at, agent) in AGENTS.iter().enumerate() {
        let first = Home::on_server(18);
        first.json(&["list"]);
        let (anna, ben) = (first.of_person("tl_anna"), first.of_person("tl_ben"));
        for home in [&anna, &ben] {
            home.json(&["config", "set", "project.join", "auto"]);
        }
        let folder = anna.project();
        let said = |words: &str| {
            tell(&anna, agent, "prompt", "one", &folder, words);
            tell(&anna, agent, "answer", "one", &folder, words);
        };
        said("The staging database runs on Postgres 14.");
        anna.json(&["store", "admit", "tl_ben"]);
        let asked = "Which version of Postgres does the staging database run on?";
        let other = AGENTS[(at + 1) % AGENTS.len()];
        let told = tell(&ben, other, "prompt", "two", &folder, asked);
        assert!(told.contains("Postgres 14"), "{agent} to {other}: {told}");
        said("The staging database runs on Postgres 16.");
        for other in AGENTS {
            let session = format!("later {other}");
            let told = tell(&ben, other, "prompt", &session, &folder, asked);
            assert!(told.contains("Postgres 16"), "{agent} to {other}: {told}");
            assert!(told.contains("tl_anna"), "by name, {agent} to {other}: {told}");
        }
    }
}
