//! `read`: what would be kept of a text, what it would change, and that it is what capture does.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::{Home, Run, handle, id_of};
use crate::hooking::Agent;

const HELD: &str = "The staging database runs on Postgres 14";
const TURN: &str =
    "Thanks! The staging database runs on Postgres 16 now, not 14. Please fix the test.";

/// Texts of every sort: what lasts, what passes, what must not be taken at its word.
const TEXTS: &[&str] = &[
    TURN,
    "Never use println! in library code because the daemon writes its protocol to stdout.",
    "We tried bumping tokio to 1.40 and the workers deadlocked, so don't.",
    "Suppose staging ran on Postgres 17.",
    "staging still runs on 14, yes",
    "Remember that the invoices are rendered with Typst.",
    "forget that the staging database runs on Postgres 14",
    "Which version does staging run?",
    "We moved staging to Postgres 16 yesterday.",
];

fn pieces(read: &Value) -> &Vec<Value> {
    read["pieces"].as_array().expect("pieces")
}

/// What would be kept, as kind, words and state.
fn kept(read: &Value) -> Vec<(String, String, String)> {
    let own = pieces(read).iter().flat_map(|one| one["comes"].as_array().expect("a list"));
    let besides = read["comes"].as_array().expect("a list");
    let all = own.chain(besides);
    let made = all.flat_map(|one| {
        let reasons = one["reasons"].as_array().expect("a list").iter();
        std::iter::once(&one["kept"]).filter(|kept| kept.is_object()).chain(reasons)
    });
    let mut made: Vec<_> = made.map(said).collect();
    made.sort();
    made
}

fn said(memory: &Value) -> (String, String, String) {
    let field = |name: &str| memory[name].as_str().expect("a text").to_owned();
    (field("kind"), field("content"), field("state"))
}

#[test]
fn every_piece_is_told_with_what_it_is_and_what_becomes_of_it() {
    let home = Home::new();
    let held = home.remember(HELD);
    let read = home.json(&["read", TURN]);
    assert_eq!(read["usable"], true);
    let [thanks, change, request] = pieces(&read).as_slice() else { panic!("{read}") };
    assert_eq!((&thanks["text"], &thanks["role"]), (&"Thanks!".into(), &"chatter".into()));
    assert_eq!((&thanks["kept"], &thanks["why_not"]), (&false.into(), &"small talk".into()));
    assert_eq!((&request["role"], &request["why_not"]), (&"request".into(), &"a request".into()));
    assert_eq!((&change["role"], &change["kept"]), (&"change".into(), &true.into()));
    assert!(change["lasting"].as_f64().is_some_and(|share| share > 0.5), "{change}");
    let comes = &change["comes"][0];
    assert_eq!(comes["kept"]["kind"], "fact");
    assert_eq!(comes["kept"]["stated"], true);
    let met = &comes["meets"][0];
    assert_eq!((&met["id"], &met["effect"]), (&held.as_str().into(), &"replaces".into()));
    for one in pieces(&read) {
        let text = one["text"].as_str().expect("words");
        let place = |name: &str| usize::try_from(one[name].as_u64().expect("a place"));
        let [start, end] = ["start", "end"].map(|name| place(name).expect("a small number"));
        assert_eq!(&TURN[start..end], text, "a piece lies where it says");
        let sum: f64 =
            one["roles"].as_object().expect("roles").values().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-3, "the shares of all roles add up: {sum}");
    }
}

#[test]
fn what_it_says_is_what_capture_does() {
    for text in TEXTS {
        let home = Home::new();
        let held = home.remember(HELD);
        let read = home.json(&["read", text]);
        let agent = Agent::new(&home, "one");
        agent.hears(text);
        agent.ends();
        let all = home.json(&["list", "--all"]);
        let all = all["items"].as_array().expect("items");
        let mut made: Vec<_> = all.iter().filter(|one| id_of(one) != held).map(said).collect();
        made.sort();
        assert_eq!(kept(&read), made, "{text}");
        let effects: Vec<&str> = pieces(&read)
            .iter()
            .flat_map(|one| one["comes"].as_array().expect("a list"))
            .flat_map(|one| one["meets"].as_array().expect("a list"))
            .filter(|one| one["id"] == held.as_str())
            .filter_map(|one| one["effect"].as_str())
            .collect();
        let now = home.show(&held);
        let state = now["state"].as_str().expect("a state");
        assert_eq!(effects.contains(&"replaces"), state == "superseded", "{text}: {effects:?}");
        assert_eq!(effects.contains(&"withdraws"), state == "retracted", "{text}: {effects:?}");
        let contested = now["contested_by"].as_array().is_some_and(|by| !by.is_empty());
        assert_eq!(effects.contains(&"questions"), contested, "{text}: {effects:?}");
    }
}

#[test]
fn reading_writes_nothing() {
    let home = Home::new();
    home.remember(HELD);
    let files = |home: &Home| -> Vec<_> {
        let all = home.files().into_iter();
        let all = all.filter(|file| !file.to_string_lossy().ends_with("-shm"));
        all.map(|file| (file.clone(), std::fs::read(file).expect("a file"))).collect()
    };
    home.json(&["read", HELD]);
    let before = (home.everything(), files(&home));
    let token = ["gh", "p_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat();
    for text in TEXTS.iter().copied().chain([&*format!("the mirror uses {token}")]) {
        home.json(&["read", text, "--before", "I start the api on port 8080."]);
        home.page(&["read", text]);
    }
    assert_eq!(files(&home), before.1, "no file differs");
    assert_eq!(home.everything(), before.0);
}

#[test]
fn a_secret_is_taken_out_before_anything_is_read() {
    let home = Home::new();
    let token = ["gh", "p_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat();
    let text = format!("From now on the mirror is cloned with {token}.");
    let before = format!("I cloned it with {token}.");
    let Run { stdout, .. } = home.run(&["read", &text, "--before", &before, "--json"]);
    assert!(!stdout.contains(&token), "{stdout}");
    let read: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(read["redacted"], 2);
    let page = home.page(&["read", &text]);
    assert!(!page.contains(&token) && page.contains("1 secret taken out first"), "{page}");
}

#[test]
fn why_nothing_is_kept_is_said_in_plain_words() {
    let home = Home::new();
    let why = |text: &str| {
        let read = home.json(&["read", text]);
        let why = pieces(&read).iter().map(|one| one["why_not"].as_str().unwrap_or("kept"));
        why.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(why("Suppose staging ran on Postgres 17."), ["hypothetical"]);
    assert_eq!(why("Please run the tests again."), ["a request"]);
    assert_eq!(why("Which version does staging run? I forgot.")[0], "a question");
    assert_eq!(why("Never commit directly to main."), ["kept"]);
    let supposes = why("the frontend might move to bun").join("");
    assert!(supposes.ends_with("it supposes something"), "which of them it is: {supposes}");
}

#[test]
fn what_is_about_something_else_is_not_listed() {
    let home = Home::new();
    for held in ["The office is in Basel.", HELD, "Deploys need two approvals."] {
        home.remember(held);
    }
    let page = home.page(&["read", TURN]);
    assert!(page.contains("replaces"), "{page}");
    assert!(!page.contains("Basel") && !page.contains("approvals"), "{page}");
}

#[test]
fn a_ticket_a_letter_and_criteria_supersede_nothing() {
    for pasted in [
        "Can you implement this?\n\nTitle: Timeout\nReporter: Jane Doe\nDescription: The session timeout is \
         60 minutes. Users must be logged out after that.",
        "Hi team,\n\nas discussed, the session timeout is 60 minutes now. Please adapt.\n\nBest regards,\nJane",
        "Acceptance criteria:\n- The session timeout is 60 minutes\n- Users see a warning 5 minutes before",
        "Given a logged-in user\nWhen the session timeout of 60 minutes is reached\nThen the user is logged out",
    ] {
        let home = Home::new();
        let held = home.remember("The session timeout is 30 minutes.");
        let agent = Agent::new(&home, "one");
        agent.hears(pasted);
        agent.ends();
        let all = home.json(&["list", "--all"]);
        let all = all["items"].as_array().expect("items");
        let theirs = all.iter().filter(|one| id_of(one) != held);
        let theirs: Vec<_> = theirs.map(|one| one["authority"].clone()).collect();
        assert!(theirs.iter().all(|one| one == "external"), "{pasted}: {theirs:?}");
        assert_eq!(home.show(&held)["state"], "confirmed", "{pasted}");
    }
}

#[test]
fn a_question_and_nothing_else_is_not_read_in_pieces_and_it_says_so() {
    let home = Home::new();
    let read = home.json(&["read", "Which version does staging run?"]);
    assert_eq!((&read["only_asks"], pieces(&read).len()), (&true.into(), 0));
    let page = home.page(&["read", "Which version does staging run?"]);
    assert!(page.contains("only a question"), "{page}");
    assert_eq!(home.json(&["read", "Never commit directly to main."])["only_asks"], false);
}

#[test]
fn who_asks_about_a_statement_does_not_make_it() {
    let home = Home::new();
    let asks = |text: &str| home.json(&["read", text])["only_asks"].clone();
    for text in [
        "What do we know about this: The staging database runs Postgres 14.",
        "ok, how do you read this one: releases are cut on Tuesdays",
        "Did we ever settle this: tabs are four wide",
    ] {
        assert_eq!(asks(text), true, "{text}");
    }
    for text in [
        "What matters here: never push to main.",
        "What we settled: releases are cut on Tuesdays.",
        "How it works: the queue retries three times.",
        "Do this first: run the migrations.",
    ] {
        assert_eq!(asks(text), false, "{text}");
    }
}

#[test]
fn a_text_may_come_from_standard_input_and_an_empty_one_is_refused() {
    let home = Home::new();
    let mut child = home
        .command()
        .args(["read", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"Never commit directly to main.\n").expect("it listens");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(pieces(&read)[0]["kept"], true, "{read}");
    let (code, error) = home.error(&["read", "  "]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
}

#[test]
fn the_page_tells_it_piece_by_piece() {
    let home = Home::new();
    home.remember(HELD);
    // Shares change with every training; what stands around them does not.
    let page = home.tidy(&home.page(&["read", TURN]));
    insta::assert_snapshot!(without_shares(&page), @r"
    “Thanks!”
             read as  small talk .## · lasting .## · nothing against it .##
            not kept  small talk
    “The staging database runs on Postgres 16 now, not 14.”
             read as  a change .## · lasting .## · nothing against it .##
                kept  as stated: fact “The staging database runs on Postgres 16 now, not 14”
            replaces  [ID] The staging database runs on Postgres 14 (another value .##)
    “Please fix the test.”
             read as  a request .## · lasting .## · nothing against it .##
            not kept  a request
    nothing was written
    ");
    let help = home.page(&["read", "--help"]);
    assert!(help.contains("Example, with a memory that says"), "{help}");
    assert!(help.contains("Nothing is written"), "{help}");
}

/// A page with every share as `.##`, and without what a piece is next likely to be.
fn without_shares(page: &str) -> String {
    let mut parts = page.split(" .");
    let mut plain = parts.next().unwrap_or_default().replace(" 1.0", " .##");
    for part in parts {
        let behind = part.trim_start_matches(|c: char| c.is_ascii_digit());
        plain.push_str(&format!(" .##{}", behind.replace(" 1.0", " .##")));
    }
    let likeliest = |line: &str| match (line.find(" or "), line.find(" · lasting")) {
        (Some(next), Some(behind)) if next < behind => [&line[..next], &line[behind..]].concat(),
        _ => line.to_owned(),
    };
    plain.lines().map(likeliest).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_erased_text_stays_out_and_it_says_so() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    let text = "We decided to render the quarterly invoices with Typst because LaTeX took minutes.";
    agent.hears(text);
    agent.ends();
    let kept = home.json(&["list"]);
    let id = id_of(&kept["items"][0]);
    home.json(&["purge", &id, "--yes"]);
    let read = home.json(&["read", text]);
    assert_eq!((&read["erased"], pieces(&read).len()), (&true.into(), 0));
    assert!(home.page(&["read", text]).contains("so it is not kept again"));
}

#[test]
fn a_turn_that_is_held_against_what_is_known_does_not_stop_its_hook() {
    for text in ["staging still runs on 14, yes", "the staging one is slow on 14 today"] {
        let home = Home::new();
        home.remember(HELD);
        let agent = Agent::new(&home, "one");
        agent.hears(text);
        agent.ends();
        assert_eq!(home.json(&["status"])["turns"], 1, "{text}");
    }
}

#[test]
fn doctor_looks_at_the_weights_of_the_reader() {
    let checks = Home::new().json(&["doctor"]);
    let checks = checks["checks"].as_array().expect("checks");
    let reader = checks.iter().find(|one| one["name"] == "reader").expect("it is looked at");
    assert_eq!(reader["outcome"], "fine");
}

#[test]
fn why_tells_how_the_words_are_read_that_a_memory_rests_on() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Thanks a lot! We decided to keep sessions in Postgres because Redis lost them.");
    agent.ends();
    let kept = home.json(&["list", "--kind", "decision"]);
    let id = id_of(&kept["items"][0]);
    let noticed = &home.json(&["why", &id])["noticed"];
    assert_eq!(noticed["role"], "decision", "{noticed}");
    let words = noticed["words"].as_str().expect("words");
    assert!(words.contains("We decided to keep sessions in Postgres"), "{words}");
    let page = home.page(&["why", handle(&id)]);
    assert!(page.contains("read as a decision (") && page.contains("), lasting "), "{page}");
}

#[test]
fn why_says_nothing_of_it_where_no_turn_is_there() {
    let home = Home::new();
    let id = home.remember(HELD);
    assert_eq!(home.json(&["why", &id])["noticed"], Value::Null);
    assert!(!home.page(&["why", &id]).contains("read as"));
}
