//! Hooks that are written wrongly: the agent goes on, and what was told is noted as lost.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::{Agent, DECISION, diagnosis, run};

#[test]
fn words_told_to_a_hook_that_cannot_be_understood_are_noted_as_lost() {
    let home = Home::new();
    let payload = json!({"session_id": "march", "last_assistant_message": DECISION}).to_string();
    let mut command = home.command();
    command.args(["hook", "Stop", "--agent", "nope"]).env("THROUGHLINE_DEADLINE_MS", "30000");
    let told = run(command, payload.as_bytes());
    assert_eq!((told.code, told.stdout.as_str(), told.stderr.as_str()), (0, "", ""));
    let failed = diagnosis(&home, "failed hook");
    assert!(failed[0].starts_with("Stop at ") && failed[0].contains("'nope'"), "{failed:?}");
    let lost = diagnosis(&home, "lost");
    assert!(lost[0].starts_with("1 turn is lost"), "{lost:?}");
    let page = home.page(&["doctor"]);
    assert!(!page.contains("nothing that was told is lost"), "{page}");
    assert_eq!(home.json(&["status"])["lost_turns"], 1);
}

#[test]
fn a_hook_that_cannot_be_understood_and_was_told_nothing_loses_nothing() {
    let home = Home::new();
    let mut command = home.command();
    command.args(["hook", "Stop", "--no"]).env("THROUGHLINE_DEADLINE_MS", "30000");
    assert_eq!(run(command, b"").code, 0);
    assert_eq!(diagnosis(&home, "failed hook").len(), 1);
    assert!(diagnosis(&home, "lost").is_empty());
}

#[test]
fn an_event_that_nobody_knows_is_not_listed_as_fired() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.call("Stop", &json!({"last_assistant_message": "Done."}), &[]);
    agent.call("Nonsense", &json!({"prompt": DECISION}), &[]);
    let hooks = diagnosis(&home, "hooks");
    assert!(hooks[0].starts_with("Stop fired last"), "{hooks:?}");
}
