//! Plain words: numbers that are true, counts in English, and names of what is meant.

use serde_json::{Value, json};

use crate::harness::{Home, Run, strings};
use crate::hooking::Agent;

#[test]
fn shares_of_turns_are_never_more_than_one_however_many_tools_ran() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("We decided to keep sessions in Postgres because Redis lost them twice.");
    for number in 0..12 {
        let call = json!({"tool_name": "Bash", "tool_use_id": format!("toolu_{number}"),
            "tool_input": {"command": format!("cargo test part{number}")},
            "error": "Exit code 101\nerror: the feature `simd` requires the nightly compiler",
            "is_interrupt": false});
        agent.tell_at(None, "PostToolUseFailure", &call);
    }
    agent.answers("All of them failed because the feature needs the nightly compiler.");
    let stats = home.json(&["stats"]);
    let (noticed, turns) = (&stats["capture"]["noticed"], &stats["capture"]["turns"]);
    assert_eq!(turns, 2, "{stats}");
    assert!(noticed.as_u64() >= Some(1) && noticed.as_u64() <= turns.as_u64(), "{stats}");
    let share = stats["gate"]["noticed_share"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share), "{stats}");
    let page = home.page(&["stats"]);
    assert!(page.contains(" %  of turns hold something"), "{page}");
}

#[test]
fn one_is_not_written_as_many() {
    let home = Home::new();
    let id = home.remember("Staging runs Postgres 14");
    let agent = Agent::new(&home, "march");
    agent.hears("Which database does staging run?");
    for args in [&["status"][..], &["show", &id], &["doctor"], &["told"]] {
        let page = home.page(args);
        for wrong in [" 1 turns", " 1 times", " 1 sessions", " 1 memories", " 1 copies"] {
            assert!(!page.contains(wrong), "{args:?}: {wrong}:\n{page}");
        }
    }
    let export = home.arg("all.jsonl");
    let page = home.page(&["export", "-o", &export]);
    assert!(page.contains("batch"), "it says how many: {page}");
    let other = Home::new();
    let page = other.page(&["import", &export, "--trust"]);
    assert!(page.starts_with("Imported 1 memory with"), "{page}");
}

#[test]
fn what_tests_showed_is_told_in_plain_english_and_is_the_same_claim_as_before() {
    let home = Home::new();
    let before = "`cargo test` measured tests: 34 passed";
    let slot = "tests of cargo test|measures|34 passed|one";
    home.remember_with(&[before, "--slot", slot, "--authority", "observed"]);
    let agent = Agent::new(&home, "march");
    let ran = |count: usize| {
        let output = format!("test result: ok. {count} passed; 0 failed");
        let call = json!({"tool_name": "Bash", "tool_use_id": format!("toolu_{count}"),
            "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": output}});
        agent.hears("Please run the whole suite and say what came of it.");
        agent.tell_at(None, "PostToolUse", &call);
        agent.answers("Done.");
        agent.tell_at(None, "SessionEnd", &json!({"reason": "other"}));
    };
    ran(34);
    assert_eq!(home.texts(&["search", "tests"]), [before], "known in other words");
    ran(36);
    assert_eq!(home.texts(&["search", "tests"]), ["`cargo test`: 36 tests passed"]);
}

#[test]
fn a_filter_that_nothing_fits_is_not_told_as_an_empty_record() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    assert_eq!(home.page(&["told"]), "no agent has been told anything yet\n");
    Agent::new(&home, "march").hears("Which database does staging run?");
    for args in [&["told", "--session", "nope"][..], &["told", "--since", "2030-01-01"]] {
        assert_eq!(home.page(args), "nothing that agents were told matches\n", "{args:?}");
    }
}

#[test]
fn every_id_of_a_telling_is_whole_in_json() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    Agent::new(&home, "march").hears("Which database does staging run?");
    let told = home.json(&["told"]);
    let one = &told["items"][0];
    let known = [strings(&one["memories"]), strings(&one["turns"])].concat();
    let why = one["why"].as_array().unwrap();
    assert!(!why.is_empty(), "{told}");
    for because in why {
        assert!(known.contains(&because["id"].as_str().unwrap()), "{because}: {one}");
    }
}

#[test]
fn what_waits_after_an_import_is_named_with_its_project() {
    let theirs = Home::new();
    theirs.from("elsewhere").remember_with(&["Never deploy on a Friday", "--kind", "principle"]);
    let export = theirs.arg("theirs.jsonl");
    theirs.json(&["export", "-o", &export]);
    let home = Home::new();
    let page = home.page(&["import", &export]);
    assert!(page.contains("in `review` of the project ") && page.contains("elsewhere"), "{page}");
    let again = Home::new();
    let told = again.json(&["import", &export]);
    let project = told["waiting_in"][0]["project"].as_str().unwrap();
    assert!(project.ends_with("elsewhere"), "{told}");
}

#[test]
fn looking_at_the_last_look_says_what_it_saw() {
    let home = Home::new();
    std::fs::write(home.project().join("port.txt"), "8080\n").unwrap();
    home.remember_with(&["The port is 8080", "--watch", "file:port.txt"]);
    std::fs::write(home.project().join("port.txt"), "9090\n").unwrap();
    let looked = home.json(&["verify"]);
    assert_eq!(
        (&looked["checked"], &looked["moved"][0]["target"]),
        (&json!(1), &json!("file:port.txt"))
    );
    let listed = home.json(&["verify", "--list"]);
    for field in ["checked", "unchanged", "moved", "missing", "unknown"] {
        assert_eq!(listed[field], looked[field], "{field}: {listed}");
    }
    assert!(home.page(&["verify"]).contains("0 could not be checked"));
}

#[test]
fn joining_a_project_names_the_folders_that_share_its_memory() {
    let home = Home::new();
    home.remember("Staging runs Postgres 14");
    let key = home.project().canonicalize().unwrap().display().to_string();
    let page = home.from("checkout").run(&["project", "join", "--key", &key]).stdout;
    assert!(page.contains(&format!("It shares its memory with {key}")), "{page}");
    let list = home.page(&["project", "list"]);
    assert!(list.contains(&format!("\n  {key}\n")) && list.contains("checkout\n"), "{list}");
}

#[test]
fn errors_speak_of_what_the_person_wrote() {
    let home = Home::new();
    let said = |run: Run| run.stderr;
    let error = said(home.run(&["export", "-o", "/no/such/folder/all.jsonl"]));
    assert!(error.contains("/no/such/folder") && !error.contains(".tmp"), "{error}");
    let error = said(home.run(&["recall", "postgres", "--verify", "--votes", "3"]));
    assert!(error.contains("write 1 or 2") && !error.contains("1..="), "{error}");
    let bad = home.outside("bad.jsonl");
    std::fs::write(&bad, "{ident\n").unwrap();
    let error = said(home.run(&["ingest", &home.arg("bad.jsonl")]));
    assert!(error.contains("not a JSON object") && error.contains("column"), "{error}");
    std::fs::write(home.outside("plain"), "a file").unwrap();
    let mut command = crate::harness::bare();
    let run: Run = command.args(["--home", &home.arg("plain"), "list"]).output().unwrap().into();
    assert!(run.stderr.contains("it is a file"), "{run:?}");
    let long = "x".repeat(300_000);
    let mut command = home.command();
    command.args(["remember", "-"]);
    let run = crate::hooking::run(command, long.as_bytes());
    assert!(run.stderr.contains("a memory holds"), "{}", run.stderr);
}

#[test]
fn help_describes_every_argument_and_says_what_is_meant_here() {
    let home = Home::new();
    let help = |args: &[&str]| home.page(args);
    let page = help(&["contradict", "--help"]);
    assert!(page.contains("One memory") && page.contains("The other"), "{page}");
    let page = help(&["uninstall", "--help"]);
    assert!(!page.contains("Write to the settings"), "{page}");
    assert!(help(&["init", "--help"]).contains("Write to the settings"));
    let page = help(&["unlink", "--help"]);
    assert!(page.contains("Why it is removed, for the log"), "{page}");
    let (a, b) = (home.remember("Port 80 is open"), home.remember("The proxy listens"));
    home.json(&["link", &a, "because", &b]);
    home.json(&["unlink", &a, "because", &b, "--reason", "the proxy is gone"]);
    assert_eq!(home.json(&["log"])["batches"][0]["reason"], "the proxy is gone");
    let status: Value = home.json(&["status"]);
    assert_eq!(status["enabled"], true);
}
