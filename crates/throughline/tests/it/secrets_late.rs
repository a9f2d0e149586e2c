//! A value that was told before anybody could recognise it as a secret: once it is recognised, it is
//! taken out of everything that was kept of it, and what was said around it stays.

use serde_json::json;

use crate::faults::{Faults, points, put_back};
use crate::harness::{Home, id_of, slow};
use crate::hooking::{Agent, PATIENT};
use crate::secrets::assert_gone;

/// A value that nothing but its name gives away.
fn value() -> String {
    ["kV9xQ2m", "Tz7Lw4R", "bN8sYp"].concat()
}

/// What gives it away.
fn named(value: &str) -> String {
    format!("{}={value}", ["STAGING", "TOKEN"].join("_"))
}

const MARK: &str = "[redacted:";

/// What the next session is told of the deploy: when it begins, and when it asks.
fn next_session(home: &Home) -> String {
    let next = Agent::new(home, "next");
    let brief = next.starts();
    let told = brief + &next.hears("What did we say about the deploy of staging?");
    next.answers("That it is done.");
    next.ends();
    told
}

fn assert_untold(home: &Home, value: &str) {
    assert_gone(home, &[value], "it was recognised");
    let told = next_session(home);
    assert!(!told.to_lowercase().contains(&value.to_lowercase()), "{told}");
    assert_gone(home, &[value], "the next session");
    home.assert_sound();
}

#[test]
fn a_value_that_an_earlier_prompt_told_is_gone_once_a_later_one_names_it() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "first");
    agent.starts();
    agent.hears(&format!("We decided to use {value} for the deploy of staging."));
    agent.answers(&format!("I will use {value} for the deploy of staging."));
    assert!(home.files_holding(&value).len() >= 3, "nobody could know that before");
    agent.hears(&named(&value));
    assert_gone(&home, &[&value], "the prompt that names it");
    agent.answers("Noted.");
    agent.ends();
    assert_untold(&home, &value);
    assert!(home.page(&["list", "--all"]).contains(MARK), "the rest of the memory is kept");
    assert!(home.page(&["log"]).contains("was taken out"), "that it was taken out is on record");
}

#[test]
fn a_value_that_an_earlier_tool_printed_is_gone_once_it_is_named() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "first");
    agent.starts();
    agent.hears("Deploy staging.");
    let call = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": format!("deploy --with {value} staging")},
        "tool_response": {"stdout": format!("deployed staging with {value}"), "stderr": ""},
    });
    agent.tell_at(None, "PostToolUse", &call);
    agent.answers("Staging is deployed.");
    assert!(!home.files_holding(&value).is_empty(), "nobody could know that before");
    agent.hears(&named(&value));
    agent.answers("Noted.");
    agent.ends();
    assert_untold(&home, &value);
    assert!(home.files_holding("deployed staging with").len() > 1, "the rest is kept");
}

#[test]
fn a_tool_that_prints_the_name_of_a_value_is_enough() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "first");
    agent.hears(&format!("We decided to use {value} for the deploy of staging."));
    let call = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "deploy --show"},
        "tool_response": {"stdout": named(&value), "stderr": ""},
    });
    agent.tell_at(None, "PostToolUse", &call);
    assert_gone(&home, &[&value], "the tool that named it");
}

#[test]
fn a_value_that_was_remembered_is_gone_once_a_person_names_it_by_any_door() {
    let value = value();
    let text = format!("The deploy of staging takes {value} since March");
    type Door = fn(&Home, &str);
    let doors: [(&str, Door); 3] = [
        ("a prompt", |home, named| drop(Agent::new(home, "first").hears(named))),
        ("a command", |home, named| drop(home.remember(&format!("Staging has {named} set")))),
        ("a transcript", |home, named| {
            let turn = json!({
                "session": "fourth", "speaker": "user", "text": named, "at": "2026-03-01T09:00:00Z",
            });
            let turns = home.outside("turns.jsonl");
            std::fs::write(&turns, format!("{turn}\n")).expect("a file can be written");
            home.json(&["ingest", &turns.display().to_string()]);
        }),
    ];
    for (door, tell) in doors {
        let home = Home::new();
        let id = home.remember(&text);
        home.json(&["edit", &id, &text.replace("March", "April")]);
        home.json(&["recall", "deploy of staging"]);
        home.json(&["backup", &home.arg("backup.db")]);
        assert!(!home.files_holding(&value).is_empty(), "nobody could know that before");
        tell(&home, &named(&value));
        assert_gone(&home, &[&value], door);
        let kept = home.show(&id);
        assert_eq!(id_of(&kept), id, "{door}");
        let content = kept["content"].as_str().unwrap_or_default();
        assert!(content.contains(MARK) && content.contains("since April"), "{door}: {content}");
        assert_untold(&home, &value);
    }
}

#[test]
fn what_an_agent_a_tool_or_a_page_calls_a_secret_takes_nothing_out_of_what_a_person_said_elsewhere()
{
    let (home, value) = (Home::new(), value());
    let said = format!("The release is pinned to build {value}, never make another one");
    let by_hand = home.remember(&said);
    let person = Agent::new(&home, "first");
    person.hears(&format!("Remember: the mirror of the release is pinned to build {value}."));
    person.answers("Noted.");
    person.ends();
    let held = home.texts(&["list"]);
    assert_eq!(held.iter().filter(|text| text.contains(&value)).count(), 2, "{held:?}");

    let named = named(&value);
    let agent = Agent::new(&home, "second");
    agent.hears("Look at the release.");
    let page = json!({
        "tool_name": "WebFetch", "tool_use_id": "toolu_1",
        "tool_input": {"url": "https://example.com"}, "tool_response": {"result": named},
    });
    agent.tell_at(None, "PostToolUse", &page);
    agent.answers(&format!("It says {named}."));
    let mut tools = home.mcp();
    tools.call("recall", json!({"query": named}));
    tools.call("remember", json!({"content": format!("Staging has {named} set")}));
    let mut shell = home.command();
    shell.env("CLAUDECODE", "1").args(["remember", &format!("Staging has {named} set")]);
    shell.output().expect("it runs");
    agent.ends();
    home.json(&["sleep"]);

    assert_eq!(home.texts(&["list"]).iter().filter(|text| text.contains(&value)).count(), 2);
    assert_eq!(home.show(&by_hand)["content"], said, "only a person changes it");
    // A person who names it has it taken out.
    person.hears(&named);
    assert_gone(&home, &[&value], "a person named it");
    person.answers("Noted.");
    person.ends();
    home.assert_sound();
}

#[test]
fn a_value_is_gone_from_copies_too() {
    let (home, value) = (Home::new(), value());
    home.remember(&format!("The deploy of staging takes {value} since March"));
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    // What was there before is kept as a copy in the home.
    home.json(&["restore", &copy]);
    assert!(home.files_holding(&value).len() >= 2, "a copy holds it too");
    home.remember(&format!("Staging has {} set", named(&value)));
    assert_gone(&home, &[&value], "the command that names it");
    // A copy from before, from outside of the home, brings it back no more.
    home.json(&["restore", &copy]);
    assert_gone(&home, &[&value], "a restore");
    home.assert_sound();
}

#[test]
fn a_transcript_that_names_a_value_takes_it_out_of_what_hooks_kept() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "first");
    agent.hears(&format!("We decided to use {value} for the deploy of staging."));
    agent.answers("Noted.");
    agent.ends();
    let lines = [format!("We decided to use {value} for the deploy of staging."), named(&value)];
    let line = |text: &String| {
        json!({
            "type": "user", "sessionId": "second", "uuid": format!("u{}", text.len()),
            "cwd": home.project(), "timestamp": "2026-03-02T09:00:00Z",
            "message": {"role": "user", "content": text},
        })
        .to_string()
    };
    let transcript = home.outside("second.jsonl");
    std::fs::write(&transcript, lines.iter().map(line).collect::<Vec<_>>().join("\n") + "\n")
        .expect("a file can be written");
    home.json(&["ingest", &transcript.display().to_string()]);
    assert_untold(&home, &value);
}

#[test]
fn a_value_is_gone_from_a_server_and_from_the_homes_that_share_it() {
    for version in [15, 18] {
        let (first, value) = (Home::on_server(version), value());
        let second = Home::new().sharing(&first);
        let agent = Agent::new(&first, "first");
        agent.hears(&format!("We decided to use {value} for the deploy of staging."));
        agent.answers("Noted.");
        let other = Agent { home: &second, session: "second".to_owned(), folder: first.project() };
        let told = other.starts() + &other.hears("What did we decide for the deploy of staging?");
        assert!(told.contains(&value), "nobody could know that before: {told}");
        agent.hears(&named(&value));
        agent.answers("Noted.");
        assert_gone(&first, &[&value], "the prompt that names it");
        let dumped = first.page(&["export"]) + &first.page(&["log", "--json", "--limit", "1000"]);
        assert!(!dumped.contains(&value) && dumped.contains(MARK), "{dumped}");
        other.answers("Noted.");
        other.ends();
        let again = Agent { home: &second, session: "third".to_owned(), folder: first.project() };
        assert!(!again.starts().contains(&value));
        assert_gone(&second, &[&value], "the home of somebody else");
    }
}

#[test]
fn what_is_mostly_a_word_stays_where_it_was_said() {
    for word in ["staging", "postgres16", "staging-server-berlin", "the blue staging server"] {
        let home = Home::new();
        let agent = Agent::new(&home, "first");
        agent.hears(&format!("We decided to deploy {word} with the new pipeline from now on."));
        agent.answers("Noted.");
        let before = home.files_holding(word).len();
        assert!(before > 0, "{word}");
        agent.hears(&format!("password = \"{word}\""));
        agent.answers("Noted.");
        let texts = home.texts(&["list"]).join("\n");
        assert!(texts.contains(word), "{word}: {texts}");
        assert!(!home.path().join("secrets.due").exists(), "{word}");
    }
}

#[test]
fn whoever_is_killed_while_a_value_is_taken_out_leaves_it_to_the_next() {
    let Some(faults) = Faults::new() else { return };
    let (home, value) = (Home::live(), value());
    let agent = Agent::new(&home, "first");
    agent.hears(&format!("We decided to use {value} for the deploy of staging."));
    agent.answers(&format!("I will use {value} for the deploy of staging."));
    let template = home.outside("template");
    put_back(&home.path(), &template);
    let payload = agent.payload("UserPromptSubmit", &json!({"prompt": named(&value)}));
    let all = faults.record_hook(&home, "UserPromptSubmit", &payload).len();
    assert_gone(&home, &[&value], "nobody was killed");
    let mut told = 0;
    for at in points(all, if slow() { None } else { Some(24) }) {
        put_back(&template, &home.path());
        faults.kill_hook(&home, "UserPromptSubmit", &payload, at);
        let known = std::fs::read_to_string(home.path().join("journal/home.known"));
        let was_known = known.unwrap_or_default().lines().count() > 1;
        let due = std::fs::read_to_string(home.path().join("secrets.due")).unwrap_or_default();
        if due.ends_with('\n') {
            assert!(!due.to_lowercase().contains(&value.to_lowercase()), "{due}");
            let page = home.run(&["doctor"]).stdout;
            assert!(page.contains("recognised as a secret"), "killed at {at} of {all}: {page}");
            told += 1;
        }
        agent.call("UserPromptSubmit", &json!({"prompt": "And what is next?"}), &[PATIENT]);
        if was_known {
            assert_gone(&home, &[&value], &format!("killed at {at} of {all}"));
        }
        assert!(!home.path().join("secrets.due").exists(), "killed at {at} of {all}");
    }
    assert!(told > 0, "doctor says that something is left");
    agent.answers("Nothing.");
    agent.ends();
    home.assert_sound();
}
