//! Everything that was put before an agent is on record: `told` lists it, `status` counts the same,
//! and an erasure reaches it.

use serde_json::{Value, json};

use crate::harness::{Home, handle, strings};
use crate::hooking::Agent;

const FACT: &str = "The staging database runs on Postgres 16";
const SAID: &str = "The cart of the webshop has shown a wrong total twice this morning.";

fn items(told: &Value) -> &Vec<Value> {
    told["items"].as_array().expect("a listing has items")
}

/// A session in which something was only said, so that the next one is only quoted to.
fn only_said(home: &Home) {
    let first = Agent::new(home, "march");
    first.starts();
    first.hears(SAID);
    first.answers("I look into it.");
    first.ends();
}

#[test]
fn everything_that_an_agent_was_told_is_listed_and_counted_quotes_included() {
    let home = Home::new();
    only_said(&home);
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "next session");
    let mut texts = vec![agent.starts()];
    assert!(texts[0].contains("wrong total"), "a block of quotes alone: {}", texts[0]);
    home.remember(FACT);
    texts.push(agent.hears("Which version of Postgres does the staging database run on?"));
    assert!(texts[1].contains("Postgres 16"), "{}", texts[1]);
    agent.answers("16.");

    let told = home.json(&["told"]);
    let listed: Vec<&str> = items(&told).iter().map(|one| one["text"].as_str().unwrap()).collect();
    texts.reverse();
    assert_eq!(listed, texts, "the latest first, to the letter");
    assert_eq!(told["total"], 2);
    assert_eq!(home.json(&["status"])["injections"], told["total"], "one count");
    let [asked, brief] = items(&told).as_slice() else { panic!("two tellings: {told}") };
    for one in [asked, brief] {
        assert_eq!(one["agent"], "claude-code");
        assert_eq!(one["session"], "next session");
        assert!(one["tokens"].as_u64() > Some(0), "{one}");
        assert!(one["at"].as_str().unwrap().starts_with("2026-03-03T"), "{one}");
    }
    assert_eq!(
        (&asked["event"], &brief["event"]),
        (&json!("UserPromptSubmit"), &json!("SessionStart"))
    );
    assert_eq!(strings(&brief["turns"]).len(), 1, "{brief}");
    assert_eq!(strings(&asked["memories"]).len(), 1, "{asked}");
    assert!(asked["why"][0]["score"].as_f64() > Some(0.0), "{asked}");
    assert!(
        asked["why"][0]["reason"].as_str().is_some_and(|why| why.contains("prompt")),
        "{asked}"
    );

    // What was not said is not on record.
    agent.hears("thanks");
    assert_eq!(home.json(&["told"])["total"], 2);
    assert_eq!(home.json(&["told", "--session", "next session"])["total"], 2);
    assert_eq!(home.json(&["told", "--session", "march"])["total"], 0);
    assert_eq!(items(&home.json(&["told", "--limit", "1"])).len(), 1);
    assert_eq!(home.json(&["told", "--since", "2026-03-04"])["total"], 0);
    assert_eq!(home.from("another").json(&["told"])["total"], 0, "a project is a wall");
    assert_eq!(home.from("another").json(&["told", "--all"])["total"], 2);
}

#[test]
fn a_turn_that_was_quoted_can_be_shown_and_asked_why() {
    let home = Home::new();
    only_said(&home);
    home.travel("2026-03-03");
    Agent::new(&home, "next").starts();
    let told = home.json(&["told"]);
    let turn = strings(&items(&told)[0]["turns"])[0].to_owned();
    for id in [turn.as_str(), handle(&turn)] {
        let shown = home.json(&["show", id]);
        assert_eq!((&shown["speaker"], &shown["text"]), (&json!("user"), &json!(SAID)), "{shown}");
        let why = home.json(&["why", id]);
        assert_eq!(why["episode"]["id"], turn.as_str(), "{why}");
        assert_eq!(why["told"][0]["id"], items(&told)[0]["id"], "{why}");
    }
    assert!(home.page(&["why", handle(&turn)]).contains("wrong total"));
    let (code, error) = home.error(&["show", "ffffffff"]);
    assert_eq!((code, &error["code"]), (3, &json!("not_found")), "{error}");
}

#[test]
fn one_telling_is_shown_whole_with_why_each_line_is_in_it() {
    let home = Home::new();
    let id = home.remember(FACT);
    let agent = Agent::new(&home, "march");
    agent.hears("Which version of Postgres does the staging database run on?");
    let told = home.json(&["told"]);
    let telling = items(&told)[0]["id"].as_str().expect("an id").to_owned();
    let one = home.json(&["told", handle(&telling)]);
    assert_eq!(&one, &items(&told)[0]);
    let page = home.page(&["told", handle(&telling)]);
    for words in [FACT, "Why", handle(&id), "relevance", "trust", "UserPromptSubmit"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(home.error(&["told", "ffffffff"]).0, 3);
}

#[test]
fn warnings_reminders_and_what_tools_answer_are_on_record() {
    let home = Home::new();
    home.remember(FACT);
    let agent = Agent::new(&home, "march");
    agent.starts();
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "./backup.sh --full"},
        "tool_use_id": "toolu_1", "is_interrupt": false,
        "error": "Exit code 3\nerror: the option --full requires the vault key"});
    agent.tell_at(None, "PostToolUseFailure", &failed);
    agent.answers("`./backup.sh --full` did not work here.");
    agent.ends();
    let agent = Agent::new(&home, "april");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "./backup.sh --full"},
        "tool_use_id": "toolu_2"});
    assert!(agent.tell_at(None, "PreToolUse", &call).contains("vault key"));
    agent.tell_at(None, "PreCompact", &json!({"trigger": "auto"}));
    assert!(agent.tell_at(None, "SessionStart", &json!({"source": "compact"})).contains(FACT));
    let mut client = home.mcp();
    client.call("recall", json!({"query": "Which Postgres does the staging database run on?"}));
    client.leave();
    let told = home.json(&["told"]);
    let whom = |one: &Value| {
        let text = |name: &str| one[name].as_str().expect("a text").to_owned();
        (text("agent"), text("event"))
    };
    let whom: Vec<_> = items(&told).iter().map(whom).collect();
    let agent = |event: &str| ("claude-code".to_owned(), event.to_owned());
    let expected = [
        ("test".to_owned(), "recall".to_owned()),
        agent("SessionStart"),
        agent("PreToolUse"),
        agent("SessionStart"),
    ];
    assert_eq!(whom, expected, "{told:#}");
    assert!(items(&told)[0]["text"].as_str().is_some_and(|text| text.contains(FACT)));
    assert_eq!(home.json(&["status"])["injections"], 4);
}

#[test]
fn what_is_erased_leaves_the_record() {
    let home = Home::new();
    let id = home.remember("The launch is called Quixotic Zebra");
    home.remember(FACT);
    let agent = Agent::new(&home, "march");
    assert!(agent.starts().contains("Quixotic Zebra"));
    agent.hears("What is the name of the next release?");
    assert!(!home.files_holding("Quixotic Zebra").is_empty());
    home.json(&["purge", &id, "--yes"]);
    assert!(
        home.files_holding("Quixotic Zebra").is_empty(),
        "{:?}",
        home.files_holding("Quixotic Zebra")
    );
    let told = home.json(&["told"]);
    let brief = items(&told).last().expect("that something was told stays").clone();
    assert_eq!((&brief["text"], &brief["erased"]), (&json!(""), &json!(true)), "{brief}");
    assert!(!strings(&brief["memories"]).contains(&id.as_str()), "{brief}");
    assert!(home.page(&["told"]).contains("erased"));
}

#[test]
fn a_turn_that_is_erased_leaves_the_record() {
    let home = Home::new();
    only_said(&home);
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "next");
    assert!(agent.starts().contains("wrong total"));
    let told = home.json(&["told"]);
    let turn = strings(&items(&told)[0]["turns"])[0].to_owned();
    home.json(&["purge", &turn, "--yes"]);
    assert!(
        home.files_holding("wrong total").is_empty(),
        "{:?}",
        home.files_holding("wrong total")
    );
    assert_eq!(items(&home.json(&["told"]))[0]["erased"], true);
}

#[test]
fn the_record_is_kept_for_thirty_days() {
    let home = Home::new();
    home.remember(FACT);
    Agent::new(&home, "march").starts();
    home.travel("2026-03-30");
    Agent::new(&home, "late march").starts();
    assert_eq!(home.json(&["told"])["total"], 2);
    home.travel("2026-04-15");
    Agent::new(&home, "april").starts();
    assert_eq!(home.json(&["told"])["total"], 2, "what is older went, what is new came");
}

#[test]
fn a_record_that_was_torn_costs_only_the_torn_line() {
    let home = Home::new();
    let id = home.remember("The launch is called Quixotic Zebra");
    Agent::new(&home, "march").starts();
    let day = home.path().join("told/2026-03-02.jsonl");
    let whole = std::fs::read_to_string(&day).expect("the record is there");
    std::fs::write(&day, format!("{whole}{{\"id\":\"0190 Quixotic Zebra"))
        .expect("it can be written");
    assert_eq!(home.json(&["told"])["total"], 1);
    home.json(&["purge", &id, "--yes"]);
    assert!(home.files_holding("Quixotic Zebra").is_empty(), "a torn line goes too");
    assert_eq!(home.json(&["told"])["total"], 1);
}

#[test]
fn a_list_of_what_was_told_fits_a_terminal() {
    let home = Home::new();
    for number in 0..6 {
        home.remember(&format!(
            "Fact number {number}: the service of team {number} listens on port 80{number}0"
        ));
    }
    Agent::new(&home, "a-session-with-a-very-long-name-0123456789").starts();
    let mut command = home.command();
    let run: crate::harness::Run =
        command.args(["told"]).env("COLUMNS", "80").output().expect("the program starts").into();
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(run.stdout.contains("more lines"), "{}", run.stdout);
}
