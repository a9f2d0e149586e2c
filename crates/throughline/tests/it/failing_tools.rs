//! Tools that fail: each failure is kept with its remedy, and happens anew each time.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;

/// The host says that a command failed.
fn fails(agent: &Agent<'_>, command: &str, error: &str) {
    let fields = json!({"tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": format!("toolu_failed {command}"), "is_interrupt": false, "error": error});
    agent.tell_at(None, "PostToolUseFailure", &fields);
}

/// Commands that worked, with what they printed.
fn work(agent: &Agent<'_>, commands: &[(&str, &str)]) {
    let call = |(command, output): &(&str, &str)| {
        json!({"tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": format!("toolu_worked {command}"), "tool_response": output})
    };
    let calls: Vec<Value> = commands.iter().map(call).collect();
    agent.tell_at(None, "PostToolBatch", &json!({ "tool_calls": calls }));
}

#[test]
fn a_failure_that_happens_again_after_our_warning_is_no_echo_and_neither_is_its_remedy() {
    const ERROR: &str = "Exit code 1\nnomad token expired, run vault login first";
    const RUN: &str = "nomad job run web.nomad";
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, ERROR);
    agent.answers("That did not work.");
    agent.ends();
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "two");
    agent.starts();
    agent.hears("Deploy it again, please.");
    let call =
        json!({"tool_name": "Bash", "tool_input": {"command": RUN}, "tool_use_id": "toolu_p"});
    let warned = agent.tell_at(None, "PreToolUse", &call);
    assert!(warned.contains("nomad token expired"), "{warned}");
    fails(&agent, RUN, ERROR);
    work(&agent, &[("vault login", "Success!")]);
    work(&agent, &[(RUN, "deployed")]);
    agent.answers("Now it is done.");
    agent.ends();
    let list = home.json(&["list", "--kind", "negative"]);
    let [only] = &list["items"].as_array().expect("a list")[..] else { panic!("{list}") };
    assert!(
        only["content"].as_str().expect("a text").ends_with("what helped: `vault login`"),
        "{only}"
    );
    assert_eq!(only["authority"], "observed", "{only}");
    assert!(only["trust"].as_f64().expect("a number") > 0.6, "{only}");
    let shown = home.show(only["id"].as_str().expect("an id")).to_string();
    assert!(!shown.contains("\"echo\":true"), "{shown}");
}

#[test]
fn a_result_that_is_measured_again_after_it_was_told_is_measured() {
    const RESULT: &str = "running 34 tests\ntest result: ok. 34 passed; 0 failed";
    let home = Home::new();
    for (day, session) in [("2026-03-02", "one"), ("2026-03-03", "two")] {
        home.travel(day);
        let agent = Agent::new(&home, session);
        agent.starts();
        agent.hears("How many tests of cargo test passed?");
        work(&agent, &[("cargo test", RESULT)]);
        agent.answers("34 passed.");
        agent.ends();
    }
    let list = home.json(&["list", "--kind", "fact"]);
    let items = list["items"].as_array().expect("a list");
    let measured = items.iter().find(|one| one["content"].to_string().contains("measured tests"));
    let measured = measured.unwrap_or_else(|| panic!("{list}"));
    let shown = home.show(measured["id"].as_str().expect("an id"));
    assert_eq!(measured["authority"], "measured", "{shown}");
    assert!(!shown.to_string().contains("\"echo\":true"), "{shown}");
}
