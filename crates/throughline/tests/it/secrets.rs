//! What is secret stays out: recognised once, it is gone everywhere; marked or numbered, it never
//! comes in; and what is kept is its owner's alone.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::{Home, slow};
use crate::hooking::{Agent, run};

/// A value that nothing but its name gives away.
fn value() -> String {
    ["kQ7m", "Zx81", "dPlw", "93Rt"].concat()
}

/// Nothing under the home holds any of these, and no file is named after them.
#[track_caller]
pub(crate) fn assert_gone(home: &Home, words: &[&str], after: &str) {
    for word in words {
        assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word} after {after}");
        let lower = word.to_ascii_lowercase();
        let letters: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
        let named = home.files().into_iter().find(|path| {
            let name = path.strip_prefix(home.path()).expect("a file of the home");
            let name = name.to_string_lossy().to_ascii_lowercase();
            name.contains(&lower) || name.contains(&letters)
        });
        assert_eq!(named, None, "{word} after {after}");
    }
}

#[test]
fn a_value_recognised_once_is_gone_everywhere_in_that_turn() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears(&format!("Remember that BILLING_TOKEN={value} is for staging, and again {value}."));
    agent.hears("Which token is for staging?");
    agent.ends();
    assert_gone(&home, &[&value], "one turn");
    let exported = home.page(&["export"]);
    assert!(!exported.contains(&value), "{exported}");
    assert!(exported.contains("[redacted:token]"), "{exported}");
}

#[test]
fn a_password_that_answers_an_agent_who_asked_for_it_is_never_kept() {
    let questions = [
        "The staging database user is app. Password?",
        "What is the passphrase of the key?",
        "Please give me the API key. Which one is it?",
        "Wie lautet das Passwort?",
    ];
    for question in questions {
        let (home, value) = (Home::new(), value());
        home.remember("The staging database user is app");
        let agent = Agent::new(&home, "one");
        agent.hears("connect please");
        agent.answers(question);
        agent.hears(&value);
        agent.answers("Connected.");
        agent.ends();
        assert_gone(&home, &[&value], question);
    }
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("connect please");
    agent.answers("Shall I store the password in the keyring?");
    agent.hears("yes");
    agent.ends();
    assert!(!home.files_holding("\"yes\"").is_empty(), "an answer that is no secret stays");
}

#[test]
fn a_value_recognised_once_is_gone_from_the_rest_of_the_session() {
    let (home, value) = (Home::new(), value());
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears(&format!("The staging login is password: \"{value}\", keep it to yourself."));
    agent.hears(&format!("We decided to rotate {value} every month because of the audit."));
    agent.answers(&format!("I have noted that {value} is rotated every month."));
    let run = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": format!("./login {value}")},
        "tool_response": {"stdout": format!("welcome {value}"), "stderr": ""},
    });
    agent.tell_at(None, "PostToolUse", &run);
    let told = agent.hears("What do we rotate every month?");
    assert!(!told.contains(&value), "{told}");
    home.session("one").remember_with(&[&format!("The vault has {value} for the audit")]);
    agent.ends();
    assert_gone(&home, &[&value], "a session");
    assert!(!home.files_holding("rotate").is_empty(), "the rest of the turns is kept");
}

#[test]
fn what_is_kept_of_a_value_does_not_tell_two_homes_apart_from_chance() {
    let value = value();
    let known: Vec<String> = [Home::new(), Home::new()]
        .iter()
        .flat_map(|home| {
            Agent::new(home, "one").hears(&format!("The login is password: \"{value}\" here."));
            home.files()
        })
        .filter(|path| path.extension().is_some_and(|end| end == "known"))
        .map(|path| std::fs::read_to_string(path).expect("lines"))
        .collect();
    let hash = |lines: &str| lines.lines().nth(1).expect("a hash").to_owned();
    assert_eq!(known.len(), 2);
    assert_ne!(hash(&known[0]), hash(&known[1]), "each home has a salt of its own");
    assert!(hash(&known[0]).len() <= "999 00000000".len(), "{known:?}");
}

#[test]
fn what_is_marked_private_is_never_kept() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears(
        "We decided to move the office in May. <private>The landlord zebrawood wants out.</private> \
         [sensitive]Her number is quagmire.[/sensitive] Tell nobody before April.",
    );
    agent.hears("We use Postgres for orders. <PRIVATE>The rest is about marigold and nobody else");
    agent.hears("Say `<private>` around what should not be kept, as in the harlequin page.");
    agent.ends();
    assert_gone(&home, &["zebrawood", "quagmire", "marigold"], "marked spans");
    for kept in ["move the office", "before April", "Postgres for orders", "harlequin"] {
        assert!(!home.files_holding(kept).is_empty(), "{kept}");
    }
}

#[test]
fn numbers_with_valid_check_digits_go_and_others_stay() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let gone =
        ["4111 1111 1111 1111", "5555555555554444", "DE89 3704 0044 0532 0130 00", "219-09-9999"];
    let kept = ["4111 1111 1111 1112", "1731731731731731", "4532015112830366", "219-09-9998"];
    agent.hears(&format!(
        "The customer paid with {} and {}; refund to {}. Her SSN is {}.",
        gone[0], gone[1], gone[2], gone[3]
    ));
    agent.hears(&format!(
        "Tried {} at {}, order_id={}, and part number {}.",
        kept[0], kept[1], kept[2], kept[3]
    ));
    agent.ends();
    assert_gone(&home, &gone, "numbers");
    for number in kept {
        assert!(!home.files_holding(number).is_empty(), "{number}");
    }
}

/// Text with a marked span and numbers of people, and what must not stay of it.
const MARKED: [&str; 4] = [
    "The office moves in May. <private>The landlord zebrawood wants out.</private> Plan the plumbago move.",
    "The plumbago office is large. [sensitive]Her number is quagmire.[/sensitive]",
    "The plumbago customer paid with 4111 1111 1111 1111 and wants it back.",
    "The plumbago refund goes to DE89 3704 0044 0532 0130 00; her SSN is 219-09-9999.",
];
const UNSAID: [&str; 5] =
    ["zebrawood", "quagmire", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "219-09-9999"];

#[test]
fn marked_spans_and_numbers_of_people_come_in_by_no_other_door_either() {
    let by_hand = Home::new();
    let by_tool = Home::new();
    let ingested = Home::new();
    let mut client = by_tool.mcp();
    let mut turns = String::new();
    for (number, text) in MARKED.into_iter().enumerate() {
        by_hand.remember_with(&[text, "--label", text]);
        client.call("remember", json!({ "content": text }));
        let turn = json!({ "session": "s1", "at": format!("2026-02-23T10:0{number}:00Z"),
            "speaker": "user", "text": text, "id": format!("t{number}") });
        turns.push_str(&format!("{turn}\n"));
    }
    client.leave();
    std::fs::write(ingested.outside("talks.jsonl"), turns).expect("a file can be written");
    ingested.json(&["ingest", &ingested.arg("talks.jsonl")]);
    for (home, door) in [(by_hand, "remember"), (by_tool, "the tool"), (ingested, "ingest")] {
        assert_gone(&home, &UNSAID, door);
        assert!(!home.files_holding("plumbago").is_empty(), "the rest is kept by {door}");
    }
}

#[cfg(unix)]
#[test]
fn every_file_of_a_busy_home_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears("We decided to keep sessions in Postgres because Redis lost them twice.");
    agent.hears("The login is password: \"tr0ub4dor&3x\" for now.");
    agent.hears("Where do we keep sessions?");
    let id = home.remember("The queue runs on Kafka");
    home.json(&["recall", "what does the queue run on?"]);
    home.json(&["edit", &id, "--label", "queue"]);
    home.json(&["backup", &home.arg("copy.db")]);
    home.json(&["sleep"]);
    home.json(&["status"]);
    run(home.command(), b"no payload");
    agent.ends();
    home.mcp().call("recall", json!({"query": "queue"}));

    let mode = |path: &PathBuf| std::fs::metadata(path).expect("it is there").permissions().mode();
    let files = home.files();
    assert!(files.len() > 10, "{files:?}");
    for file in &files {
        assert_eq!(mode(file) & 0o777, 0o600, "{}", file.display());
        let folder = file.parent().expect("a folder").to_owned();
        assert_eq!(mode(&folder) & 0o777, 0o700, "{}", folder.display());
    }
}

#[test]
fn a_long_prompt_of_code_about_tokens_is_journalled() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let line = "let token = self.next_token()?; // the key of a secret is its name\n";
    let size = if slow() { 1 << 20 } else { 128 << 10 };
    let prompt = format!("What does this do?\n{}canary at the end", line.repeat(size / line.len()));
    agent.hears(&prompt);
    assert!(!home.files_holding("self.next_token()").is_empty());
}

#[test]
fn a_token_that_the_terminal_broke_into_two_lines_is_never_kept() {
    let home = Home::new();
    let [first, second] = ["Qm7xZ81dPlw93RtB", "kV5nT2yLs8Hq4Wc6Jf0G"];
    let token = format!("{}{first}\n{second}", ["gh", "p_"].concat());
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears(&format!("Remember that the deploy token is {token}\nand that it is for staging."));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "cat .token"},
        "tool_use_id": "toolu_1", "tool_response": format!("{token}\n")});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    agent.answers(&format!("It says:\n{token}\nDone."));
    agent.ends();
    home.json(&["remember", &format!("The release uses {token} everywhere")]);
    assert_gone(&home, &[first, second], "hooks and by hand");
}
