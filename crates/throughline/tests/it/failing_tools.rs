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

/// What is held of failures.
fn held(home: &Home) -> Vec<String> {
    home.texts(&["list", "--kind", "negative"])
}

#[test]
fn a_command_that_failed_is_kept_with_the_line_that_says_why() {
    for (command, error, kept) in [
        (
            "make build",
            "Exit code 2\nmake: *** No rule to make target 'gen'.  Stop.",
            "`make build` failed: make: *** No rule to make target 'gen'. Stop",
        ),
        (
            "go build ./...",
            "Exit code 1\nmain.go:3:8: package foo is not in std",
            "`go build` failed: main.go:3:8: package foo is not in std",
        ),
        (
            "go build ./...",
            "Exit code 1\n# shop/cmd\ncmd/main.go:5:2: undefined: foo",
            "`go build` failed: cmd/main.go:5:2: undefined: foo",
        ),
        (
            "docker build .",
            "Exit code 1\nERROR: failed to solve: process \"npm ci\" did not complete successfully: exit code: 1",
            "`docker build .` failed: failed to solve: process \"npm ci\" did not complete successfully: exit code: 1",
        ),
    ] {
        let home = Home::new();
        let agent = Agent::new(&home, "one");
        agent.hears("Build it, please.");
        fails(&agent, command, error);
        agent.answers("That did not work.");
        agent.ends();
        assert_eq!(held(&home), [kept], "{command}");
    }
}

#[test]
fn what_made_a_command_work_is_kept_with_its_failure() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Roll it out, please.");
    fails(
        &agent,
        "terraform apply",
        "Exit code 1\nError: Invalid provider configuration\n\nProvider \"aws\" wants a region.",
    );
    work(&agent, &[("export X=1 && terraform apply", "Apply complete!")]);
    fails(&agent, "git push", "Exit code 128\nfatal: The current branch x has no upstream branch.");
    work(&agent, &[("git push -u origin x", "set up to track"), ("git push", "up-to-date")]);
    agent.answers("Both are done.");
    agent.ends();
    let mut kept = held(&home);
    kept.sort();
    assert_eq!(
        kept,
        [
            "`git push` failed: The current branch x has no upstream branch; what helped: `git push -u origin x`",
            "`terraform apply` failed: Invalid provider configuration; what helped: `export X=1`",
        ]
    );
}

/// What is said before a command runs.
fn warning(agent: &Agent<'_>, command: &str) -> String {
    let call =
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_p"});
    agent.tell_at(None, "PreToolUse", &call)
}

const EXPIRED: &str = "Exit code 1\nnomad token expired, run vault login first";
const RUN: &str = "nomad job run web.nomad";

/// A home in which the command failed in a session of its own.
fn after_failure() -> Home {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, EXPIRED);
    agent.answers("That did not work.");
    agent.ends();
    home
}

/// A session in which these commands work.
fn session_in_which(home: &Home, name: &str, commands: &[(&str, &str)]) -> String {
    let agent = Agent::new(home, name);
    agent.starts();
    agent.hears("Deploy it again, please.");
    let warned = warning(&agent, RUN);
    work(&agent, commands);
    agent.answers("It is deployed.");
    agent.ends();
    warned
}

#[test]
fn what_was_run_or_changed_before_a_command_worked_is_said_with_the_warning() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, EXPIRED);
    agent.answers("That did not work.");
    agent.hears("Try again.");
    // Many calls later it is still known what failed.
    for n in 0..40 {
        work(&agent, &[(&*format!("cat notes/{n}.md"), "nothing")]);
    }
    let edit = json!({"tool_name": "Edit", "tool_use_id": "toolu_e", "tool_response": "ok",
        "tool_input": {"file_path": home.project().join("jobs/web.nomad"),
            "old_string": "a", "new_string": "b"}});
    agent.tell_at(None, "PostToolBatch", &json!({ "tool_calls": [edit] }));
    work(&agent, &[("vault login", "Success!"), (RUN, "deployed")]);
    agent.answers("Now it is done.");
    agent.ends();
    assert_eq!(
        held(&home),
        [
            "`nomad job run` failed: nomad token expired, run vault login first; what helped: a change in \
          `jobs/web.nomad`, then `vault login`"
        ]
    );
    let later = Agent::new(&home, "two");
    later.starts();
    let warned = warning(&later, RUN);
    assert!(warned.contains("what helped:") && warned.contains("vault login"), "{warned}");
}

#[test]
fn a_command_that_works_by_itself_in_the_same_session_is_no_longer_warned_of() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, EXPIRED);
    agent.answers("That did not work.");
    agent.tell_at(None, "PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
    assert_eq!(held(&home).len(), 1, "it is kept");
    agent.hears("Just try again.");
    work(&agent, &[(RUN, "deployed")]);
    agent.answers("Now it is done.");
    agent.ends();
    assert_eq!(warning(&Agent::new(&home, "two"), RUN), "");
    assert!(home.everything().to_string().contains("nomad token expired"), "it stays findable");
}

#[test]
fn a_command_that_worked_in_two_later_sessions_is_no_longer_warned_of_until_it_fails_again() {
    let home = after_failure();
    let works = [(RUN, "deployed")];
    home.travel("2026-03-03");
    assert!(session_in_which(&home, "two", &works).contains("token expired"), "it failed once");
    home.travel("2026-03-04");
    assert!(session_in_which(&home, "three", &works).contains("token expired"), "worked once");
    home.travel("2026-03-05");
    assert_eq!(session_in_which(&home, "four", &works), "", "worked in two sessions");
    let found = home.texts(&["search", "nomad token expired"]);
    assert!(found.iter().any(|one| one.contains("token expired")), "it stays findable: {found:?}");
    home.travel("2026-03-06");
    let agent = Agent::new(&home, "five");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, EXPIRED);
    agent.answers("That did not work.");
    agent.ends();
    let later = Agent::new(&home, "six");
    assert!(warning(&later, RUN).contains("token expired"), "it failed again");
    home.assert_sound();
}

#[test]
fn a_success_that_the_warning_brought_about_does_not_end_it() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Deploy it, please.");
    fails(&agent, RUN, EXPIRED);
    work(&agent, &[("vault login", "Success!"), (RUN, "deployed")]);
    agent.answers("Now it is done.");
    agent.ends();
    let remedied = [("vault login", "Success!"), (RUN, "deployed")];
    for session in ["two", "three", "four", "five"] {
        let warned = session_in_which(&home, session, &remedied);
        assert!(warned.contains("what helped: `vault login`"), "{session}: {warned}");
    }
}

#[test]
fn a_look_at_something_that_is_not_there_is_no_failure_worth_keeping() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Where are the notes?");
    fails(&agent, "ls nope", "Exit code 2\nls: cannot access 'nope': No such file or directory");
    fails(&agent, "cat docs/n.md", "Exit code 1\ncat: docs/n.md: No such file or directory");
    agent.answers("There are none.");
    agent.ends();
    assert_eq!(held(&home), Vec::<String>::new());
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
    let measured = items.iter().find(|one| one["content"].to_string().contains("34 tests passed"));
    let measured = measured.unwrap_or_else(|| panic!("{list}"));
    let shown = home.show(measured["id"].as_str().expect("an id"));
    assert_eq!(measured["authority"], "measured", "{shown}");
    assert!(!shown.to_string().contains("\"echo\":true"), "{shown}");
}
