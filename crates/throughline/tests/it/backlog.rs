//! What hooks have no time for waits in the journal, and whoever has time takes it in.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::{Agent, assert_sound};

/// No time for anything but the journal.
const NO_TIME: (&str, &str) = ("THROUGHLINE_DEADLINE_MS", "1");

#[test]
fn a_sleep_by_hand_takes_in_what_hooks_had_no_time_for() {
    let home = Home::live();
    home.json(&["status"]);
    let agent = Agent::new(&home, "busy");
    let prompts =
        ["The staging database runs on Postgres 14.", "Always run cargo fmt before committing."];
    for prompt in prompts {
        agent.call("UserPromptSubmit", &json!({"prompt": prompt}), &[NO_TIME]);
        agent.call("Stop", &json!({"last_assistant_message": "Noted."}), &[NO_TIME]);
    }
    let queue = home.json(&["status"])["queue"].as_u64();
    assert_eq!(queue, Some(4));
    assert!(home.texts(&["list"]).is_empty());

    home.json(&["sleep"]);
    let queue = home.json(&["status"])["queue"].as_u64();
    assert_eq!(queue, Some(0));
    let mut kept = home.texts(&["list"]);
    kept.sort();
    assert_eq!(
        kept,
        ["Always run cargo fmt before committing", "The staging database runs on Postgres 14"]
    );
    assert_sound(&home);
}
