//! A session belongs to the project in which it started, wherever its agent goes meanwhile.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;

const HERE: &str = "Remember that the webshop charges cards through the Adyen gateway.";
const THERE: &str = "The payroll charges cards through the Stripe gateway";
const QUESTION: &str = "Which gateway charges cards?";

/// A home with something known in the project next door.
fn beside_payroll() -> Home {
    let home = Home::new();
    home.from("payroll").json(&["remember", THERE]);
    home
}

#[test]
fn an_agent_that_changes_into_another_project_still_reads_and_writes_its_own() {
    for starts in [true, false] {
        let home = beside_payroll();
        let mut agent = Agent::new(&home, "march");
        if starts {
            agent.starts();
        }
        agent.hears("Please look at the payroll next door, too.");
        agent.folder = home.outside("payroll");
        let told = agent.hears(QUESTION);
        assert!(!told.contains("Stripe"), "another project's memory was told: {told}");
        let call =
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
        let told = agent.tell_at(None, "PreToolUse", &call);
        assert!(!told.contains("Stripe"), "{told}");
        agent.hears(HERE);
        agent.answers("Noted.");
        agent.ends();
        let there = home.from("payroll").json(&["list"]).to_string();
        assert!(!there.contains("Adyen"), "written over the wall: {there}");
        assert!(home.json(&["list"]).to_string().contains("Adyen"), "{starts}");
        let turns = home.from("payroll").json(&["stats"])["rows"]["episodes"].clone();
        assert!(turns.as_u64().unwrap_or(0) == 0, "no turn either: {turns}");
    }
}

#[test]
fn a_session_that_is_started_anew_belongs_to_where_that_happens() {
    let home = beside_payroll();
    let mut agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears(HERE);
    agent.answers("Noted.");
    agent.ends();
    agent.folder = home.outside("payroll");
    let resumed = agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert!(!resumed.contains("Stripe"), "it goes on where it started: {resumed}");
    let told = agent.starts() + &agent.hears(QUESTION);
    assert!(told.contains("Stripe") && !told.contains("Adyen"), "{told}");
}

#[test]
fn a_subfolder_or_a_folder_that_is_gone_keeps_the_sessions_project() {
    let home = beside_payroll();
    let mut agent = Agent::new(&home, "march");
    agent.starts();
    let inside = home.project().join("src");
    std::fs::create_dir(&inside).expect("a folder can be made");
    agent.folder = inside.clone();
    agent.hears(HERE);
    agent.answers("Noted.");
    std::fs::remove_dir(&inside).expect("a folder can be removed");
    let told = agent.hears(QUESTION);
    agent.ends();
    assert!(!told.contains("Stripe"), "{told}");
    assert!(home.json(&["list"]).to_string().contains("Adyen"), "a part of it is the project's");
}
