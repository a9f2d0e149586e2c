//! Files for agents that an agent changes: what it wrote is its own word, and what it deleted takes nothing away that a
//! person said.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;
use crate::watching::write;

const BEFORE: &str = "# Webshop\n\n- Always use pnpm, never npm.\n- Deploys need two approvals.\n";
const AFTER: &str =
    "# Webshop\n\n- Always use pnpm, never npm.\n- Skip the tests when in a hurry.\n";

fn saying(home: &Home, words: &str) -> Value {
    let all = home.json(&["list", "--all"]);
    let items = all["items"].as_array().expect("a listing has items");
    let found =
        items.iter().find(|one| one["content"].as_str().is_some_and(|it| it.contains(words)));
    found.unwrap_or_else(|| panic!("{words}: {all}")).clone()
}

/// An agent's tool ran, after the file is as it left it.
fn ran(home: &Home, tool: &str, input: &Value) {
    let agent = Agent::new(home, "agent");
    let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
        "tool_response": {"success": true}});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    agent.answers("The file is changed.");
}

/// A project whose file was read, and then changed by an agent in this way.
fn changed(tool: &str, input: &Value) -> Home {
    let home = Home::new();
    write(&home, "CLAUDE.md", BEFORE);
    for again in 0..3 {
        Agent::new(&home, &format!("start-{again}")).starts();
    }
    assert_eq!(saying(&home, "two approvals")["authority"], "file");
    write(&home, "CLAUDE.md", AFTER);
    ran(&home, tool, input);
    home
}

#[test]
fn a_line_that_an_agent_wrote_is_the_agents_word_until_the_user_vouches() {
    for (tool, input) in [
        ("Write", json!({"file_path": "CLAUDE.md", "content": AFTER})),
        (
            "Bash",
            json!({"command": "sed -i 's/Deploys.*/Skip the tests when in a hurry./' CLAUDE.md"}),
        ),
    ] {
        let home = changed(tool, &input);
        let line = saying(&home, "Skip the tests");
        assert_eq!((&line["authority"], &line["state"]), (&json!("observed"), &json!("staged")));
        assert_eq!(
            saying(&home, "pnpm")["authority"],
            "file",
            "what it left alone stays the file's"
        );
        assert_eq!(saying(&home, "two approvals")["state"], "archived", "{tool}");
        for again in 0..3 {
            Agent::new(&home, &format!("next-{again}")).starts();
        }
        assert_eq!(saying(&home, "Skip the tests")["authority"], "observed", "read again: {tool}");
        home.json(&["confirm", line["id"].as_str().expect("an id")]);
        assert_eq!(saying(&home, "Skip the tests")["authority"], "user_stated");
    }
}

#[test]
fn a_line_that_changed_without_a_captured_call_ranks_as_the_files() {
    let home = changed("Read", &json!({"file_path": "CLAUDE.md"}));
    for again in 0..3 {
        Agent::new(&home, &format!("next-{again}")).starts();
    }
    assert_eq!(saying(&home, "Skip the tests")["authority"], "file");
}

#[test]
fn a_deleted_line_takes_nothing_away_that_the_user_confirmed() {
    let home = Home::new();
    write(&home, "CLAUDE.md", BEFORE);
    for again in 0..3 {
        Agent::new(&home, &format!("start-{again}")).starts();
    }
    let id = saying(&home, "two approvals")["id"].as_str().expect("an id").to_owned();
    home.json(&["confirm", &id]);
    write(&home, "CLAUDE.md", AFTER);
    ran(&home, "Write", &json!({"file_path": "CLAUDE.md", "content": AFTER}));
    Agent::new(&home, "next").starts();
    let held = home.show(&id);
    assert_eq!(held["state"], "confirmed", "{held}");
    assert_eq!(held["flags"], json!([]), "nothing in doubt: {held}");
    let waits = home.json(&["review"]);
    assert_eq!(waits["verify"], json!([]), "{waits}");
    assert!(Agent::new(&home, "last").starts().contains("two approvals"));
}
