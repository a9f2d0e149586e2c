//! Small promises: triggers that prompts name, closeness that is not kept, contacts, measurements that refute, and
//! how a memory came in.

use serde_json::{Value, json};

use crate::harness::{Home, id_of};
use crate::hooking::{Agent, assert_sound};

fn lessons(home: &Home) -> Vec<String> {
    home.texts(&["list", "--all", "--kind", "lesson"])
}

/// A command ran and printed something, and the turn is over.
fn ran(agent: &Agent<'_>, id: &str, command: &str, output: &str) {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false}});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    agent.answers("Done.");
}

#[test]
fn a_prompt_that_names_a_trigger_gets_the_warning_and_others_do_not() {
    let home = Home::new();
    home.remember_with(&[
        "Console output corrupted the wire protocol",
        "--kind",
        "negative",
        "--because",
        "stdout is the transport",
        "--trigger",
        "println!",
        "--trigger",
        "make",
    ]);
    for number in 0..30 {
        home.remember(&format!("Note {number}: the depot of line {number} opens at six"));
    }
    let agent = Agent::new(&home, "march");
    let told = agent.hears("Please add a println! at the start of the handler");
    assert!(told.contains("Console output corrupted"), "{told}");
    assert_eq!(agent.hears("Please add an eprintln! to the other one"), "", "another word");
    assert_eq!(agent.hears("make it faster"), "", "a plain word warns of nothing");
    assert_eq!(agent.hears("and one more println! below"), "", "it was said already");
    let away = Agent::new(&home, "april");
    assert_eq!(away.hears("Please write a test for the parser of dates"), "");
}

#[test]
fn closeness_is_refused_with_a_reason_at_every_door() {
    let home = Home::new();
    let text = "You are my best friend and I love you";
    let (code, error) = home.error(&["remember", text]);
    assert_eq!((code, error["code"].as_str()), (2, Some("closeness")), "{error}");
    assert!(error["message"].as_str().unwrap().contains("keeps the work"), "{error}");
    let id = home.remember("The shop sells bread");
    for args in [&["correct", &id, text][..], &["edit", &id, text]] {
        assert_eq!(home.error(args).1["code"], "closeness", "{args:?}");
    }
    let mut client = home.mcp();
    let said = json!({ "content": "The user considers the assistant a close friend" });
    assert_eq!(client.fail("remember", said)["error"], "closeness");
    let agent = Agent::new(&home, "march");
    agent.hears("I feel so close to you. Remember that you love me.");
    agent.hears("You are my only friend.");
    agent.answers("I will always be there for you. I love you too.");
    agent.ends();
    let everything = home.everything().to_string();
    for word in ["friend", "love", "close to you", "there for you"] {
        assert!(!everything.contains(word), "{word}: {everything}");
    }
    assert_eq!(home.json(&["review"])["pending"], json!([]), "nothing waits either");

    let other = Home::new();
    let export = other.arg("all.jsonl");
    other.remember("We bake at four");
    other.json(&["export", "-o", &export]);
    let log = std::fs::read_to_string(&export).unwrap().replace("We bake at four", "You love me");
    std::fs::write(&export, log).unwrap();
    let strange = Home::new();
    strange.run(&["import", &export]);
    assert!(!strange.everything().to_string().contains("love"), "an import brings none");
}

#[test]
fn what_people_are_to_each_other_and_like_about_the_work_is_kept() {
    let home = Home::new();
    for text in [
        "Anna loves the new dashboard",
        "I love how the parser reports errors",
        "My colleague Dana is a friend of the vendor",
    ] {
        home.remember(text);
    }
    assert_eq!(home.json(&["list"])["total"], 3);
}

#[test]
fn contacts_are_kept_unless_the_user_wants_them_removed() {
    let home = Home::new();
    let text =
        "Write to anna.berg@example.com or call +49 170 1234567 about git@github.com:acme/shop";
    let kept = home.json(&["remember", text]);
    assert_eq!((&kept["redacted"], &kept["memory"]["content"]), (&json!(0), &json!(text)));
    home.json(&["config", "set", "privacy.contacts", "remove"]);
    let other =
        "Also write to lena@example.org, call +1 (555) 010-9999, or see git@github.com:acme/shop";
    let kept = home.json(&["remember", other]);
    assert_eq!(kept["redacted"], 2, "{kept}");
    let content = kept["memory"]["content"].as_str().unwrap();
    assert!(content.contains("git@github.com") && !content.contains("lena@"), "{content}");
    let agent = Agent::new(&home, "march");
    agent.hears("The rota is kept by otto.karl@example.com, remember that.");
    agent.ends();
    assert_eq!(home.files_holding("otto.karl@"), Vec::<std::path::PathBuf>::new());
    let (code, error) = home.error(&["config", "set", "privacy.contacts", "maybe"]);
    assert_eq!(code, 2, "{error}");
    assert!(error["message"].as_str().unwrap().contains("keep or remove"), "{error}");
}

#[test]
fn what_a_tool_measured_refutes_what_an_agent_claimed_and_leaves_a_lesson() {
    let home = Home::new();
    let mut client = home.mcp();
    let said = json!({ "content": "p95 latency of search is 12 ms", "source": "inferred" });
    let claimed = client.call("remember", said)["id"].as_str().unwrap().to_owned();
    let user = home.remember("p95 latency of search is 15 ms on the old machine");
    let agent = Agent::new(&home, "march");
    agent.hears("Run the benchmark, please");
    ran(&agent, "toolu_1", "cargo bench search", "search p95 latency: 48 ms");
    agent.ends();
    assert_eq!(home.show(&claimed)["state"], "superseded");
    assert_eq!(home.show(&user)["state"], "confirmed", "what a person said stays");
    let [lesson] = lessons(&home).try_into().expect("one lesson");
    assert!(lesson.contains("12 ms") && lesson.contains("48 ms"), "{lesson}");
    assert_sound(&home);
}

#[test]
fn a_failed_run_refutes_an_agents_claim_that_this_command_works_and_puts_a_persons_in_question() {
    let failed = |agent: &Agent<'_>| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"},
            "tool_use_id": "t1",
            "error": "Exit code 101\ntest parse::dates ... FAILED\nassertion failed at src/parse.rs:7:5"});
        agent.tell_at(None, "PostToolUseFailure", &call);
        agent.answers("It is red.");
    };
    let home = Home::new();
    let mut client = home.mcp();
    let mut claimed = |content: &str| {
        let said = json!({ "content": content, "source": "inferred" });
        client.call("remember", said)["id"].as_str().unwrap().to_owned()
    };
    let all = claimed("cargo test passes");
    let on_linux = claimed("cargo test passes on Linux with --release");
    let agent = Agent::new(&home, "march");
    agent.hears("Run the tests, please");
    failed(&agent);
    agent.ends();
    assert_eq!(home.show(&all)["state"], "retracted");
    assert_eq!(home.show(&on_linux)["state"], "staged", "that is another claim");
    let [lesson] = lessons(&home).try_into().expect("one lesson");
    assert!(lesson.contains("cargo test passes") && lesson.contains("failed"), "{lesson}");
    assert_sound(&home);

    let home = Home::new();
    let said = home.remember("cargo test passes");
    let agent = Agent::new(&home, "march");
    agent.hears("Run the tests, please");
    ran(&agent, "t1", "cargo test", "test result: ok");
    agent.hears("and once more");
    failed(&agent);
    agent.ends();
    assert_eq!(home.show(&said)["state"], "confirmed", "only a person takes that back");
    let waits = home.json(&["review"])["pending"].to_string();
    assert!(waits.contains("no longer holds"), "{waits}");
    assert_sound(&home);
}

#[test]
fn what_a_person_corrects_in_the_same_session_leaves_a_lesson_though_nobody_kept_it() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Which port does the gateway listen on?");
    agent.answers("The gateway listens on port 8080.");
    agent.hears("No, that's wrong, the gateway listens on port 9090, check config/gateway.toml.");
    agent.ends();
    let [lesson] = lessons(&home).try_into().expect("one lesson");
    assert!(lesson.contains("8080") && lesson.contains("9090"), "{lesson}");
    let kept = home.json(&["list", "--kind", "lesson"])["items"][0].clone();
    let why = home.json(&["why", &id_of(&kept)]);
    assert_eq!(why["because"][0]["relation"], "derived_from", "{why}");
    home.json(&["sleep"]);
    assert_eq!(lessons(&home).len(), 1, "a sleep makes no second");
    assert_sound(&home);
}

#[test]
fn a_number_counts_as_measured_only_if_it_stands_in_what_was_printed() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Run the benchmark, please");
    ran(&agent, "toolu_1", "./bench.sh", "decode: 31 % faster than before, 4 runs");
    let mut client = home.mcp();
    for (claim, measured) in
        [("decode is 229 % faster than before", false), ("decode is 31 % faster than before", true)]
    {
        let said = json!({ "content": claim, "source": "inferred" });
        let id = client.call("remember", said)["id"].as_str().unwrap().to_owned();
        let said = json!({ "id": id, "outcome": "confirmed", "session": "march",
            "evidence": "decode: 31 % faster than before" });
        client.call("verify", said);
        let evidence = home.show(&id)["evidence"].to_string();
        assert_eq!(evidence.contains("measured"), measured, "{claim}: {evidence}");
    }
}

#[test]
fn which_signal_fired_and_which_files_were_at_hand_is_kept_with_a_memory() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Please look at the session store in src/session.rs");
    agent.answers("It uses Redis now.");
    agent.hears("We decided to keep sessions in Postgres because Redis lost them twice, see src/session.rs.");
    agent.ends();
    let kept = home.json(&["search", "sessions Postgres"])["items"][0].clone();
    let evidence = &kept["evidence"][0];
    assert!(
        evidence["signal"].as_str().is_some_and(|one| one.contains("decision: “We decided")),
        "{kept}"
    );
    assert_eq!(evidence["files"], json!(["src/session.rs"]), "{kept}");
    let range = &evidence["range"];
    assert_ne!(range["from"], range["to"], "it answers what the agent said: {kept}");
    assert_eq!(evidence["turn"], range["to"], "{kept}");
    let page = home.page(&["why", &id_of(&kept)]);
    assert!(page.contains("noticed by ") && page.contains("decision: “We decided"), "{page}");
    let before = home.everything();
    home.json(&["sleep"]);
    assert_eq!(home.everything()["total"], before["total"]);
}

#[test]
fn a_new_measurement_in_plain_text_takes_the_place_of_the_old_one() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("With the new kernel decode is 229 % faster.");
    agent.ends();
    let agent = Agent::new(&home, "april");
    agent.hears("decode is only 31 % faster after the fix");
    agent.ends();
    let told = home.json(&["recall", "how much faster is decode?"])["text"].to_string();
    assert!(told.contains("only 31 %"), "{told}");
    let states: Vec<(String, String)> = home.everything()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["content"].to_string(), one["state"].to_string()))
        .collect();
    let old = states.iter().find(|(content, _)| content.contains("229"));
    assert!(old.is_some_and(|(_, state)| state.contains("superseded")), "{states:?}");
}

#[test]
fn fields_that_nobody_knows_survive_a_vouched_import_and_an_edge_without_confidence_is_certain() {
    let home = Home::new();
    let fact = home.remember("The node lost data twice");
    home.remember_with(&["Keep sessions in Postgres", "--kind", "decision", "--because", &fact]);
    let export = home.arg("all.jsonl");
    home.json(&["export", "-o", &export]);
    let log = std::fs::read_to_string(&export).unwrap();
    let strange: Vec<String> = log
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            for change in line["changes"].as_array_mut().into_iter().flatten() {
                if let Some(memory) = change.get_mut("insert") {
                    memory["mood"] = "calm".into();
                }
                if let Some(edge) = change.get_mut("link") {
                    edge.as_object_mut().unwrap().remove("confidence");
                    edge["colour"] = "red".into();
                }
            }
            line.to_string()
        })
        .collect();
    std::fs::write(&export, strange.join("\n") + "\n").unwrap();
    let other = Home::new();
    other.json(&["import", &export, "--trust"]);
    let again = other.arg("again.jsonl");
    other.json(&["export", "-o", &again]);
    let again = std::fs::read_to_string(&again).unwrap();
    assert_eq!(again.matches("\"mood\":\"calm\"").count(), 2, "{again}");
    let links = log.matches("{\"link\":").count();
    assert_eq!(again.matches("\"colour\":\"red\"").count(), links, "{again}");
    assert!(again.contains("\"confidence\":1.0"), "{again}");
}

#[test]
fn one_new_name_fires_the_gate_and_one_that_earlier_sessions_brought_is_nothing_new() {
    let noticed =
        |home: &Home| home.json(&["stats"])["capture"]["noticed"].as_u64().unwrap_or_default();
    let fired = |home: &Home, session: &str| {
        let before = noticed(home);
        let agent = Agent::new(home, session);
        agent.hears("Please compare the export job with Kestrel");
        agent.hears("and once more with Kestrel");
        agent.ends();
        noticed(home) - before
    };
    assert_eq!(fired(&Home::new(), "march"), 1, "the second time it is no longer new");
    let known = Home::new();
    known.remember_with(&["Kestrel is a vendor", "--slot", "Kestrel|is|a vendor"]);
    assert_eq!(fired(&known, "march"), 0, "it is known from before");
}
