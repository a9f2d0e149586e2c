//! A session begins: its brief comes before everything else, whoever writes meanwhile and whatever
//! waits.

use std::fs::File;
use std::path::PathBuf;

use serde_json::json;

use crate::harness::Home;
use crate::hooking::{Agent, PATIENT, failures, told};

const RULE: &str = "Releases of the webshop are cut from the branch called harbour";

/// The writer's turn, taken and not given back until it is dropped.
fn writing(home: &Home) -> File {
    let path = home.path().join("throughline.db.lock");
    let file = File::options().read(true).write(true).open(path).expect("somebody has written");
    file.lock().expect("the turn comes");
    file
}

#[test]
fn a_session_begins_with_its_brief_while_somebody_else_writes() {
    let home = Home::new();
    home.remember_with(&[RULE, "--kind", "decision"]);
    let _turn = writing(&home);
    let agent = Agent::new(&home, "march");
    let run = agent.call("SessionStart", &json!({"source": "startup"}), &[usual()]);
    assert!(told("SessionStart", &run).contains("harbour"), "{run:?}");
}

/// The deadline that an agent has. Generous, because tests share their machine; short beside what a
/// writer would be waited for.
fn usual() -> (&'static str, &'static str) {
    ("THROUGHLINE_DEADLINE_MS", "4000")
}

#[test]
fn a_prompt_is_answered_from_what_is_there_while_somebody_else_writes_and_taken_in_later() {
    let home = Home::new();
    home.remember(RULE);
    let agent = Agent::new(&home, "march");
    let said = "We decided to release the webshop on Tuesdays because the office is full then.";
    {
        let _turn = writing(&home);
        let asks = "From which branch are releases of the webshop cut?";
        for prompt in [asks.to_owned(), format!("{said} {asks}")] {
            let run = agent.call("UserPromptSubmit", &json!({"prompt": prompt}), &[usual()]);
            let told = told("UserPromptSubmit", &run);
            assert!(told.contains("harbour") || prompt != asks, "{told}");
        }
        assert_eq!(home.json(&["list", "--kind", "decision"])["total"], 0);
    }
    assert_eq!(failures(&home), "", "others writing is no failure");
    agent.answers("I see.");
    assert_eq!(home.json(&["list", "--kind", "decision"])["total"], 1, "nothing was lost");
}

#[test]
fn what_a_file_moved_away_from_under_is_not_asserted_while_somebody_else_writes() {
    let home = Home::new();
    let file = home.project().join("retry.toml");
    std::fs::write(&file, "limit = 7\n").unwrap();
    home.remember_with(&["The retry limit is 7", "--watch", "file:retry.toml#L1"]);
    std::fs::write(&file, "limit = 9\n").unwrap();
    let turn = writing(&home);
    let agent = Agent::new(&home, "march");
    let run = agent.call("SessionStart", &json!({"source": "startup"}), &[usual()]);
    let brief = told("SessionStart", &run);
    assert!(brief.contains("check before building on it"), "{brief}");
    assert!(!brief.contains("State of play"), "{brief}");
    drop(turn);
    Agent::new(&home, "april").starts();
    assert_eq!(home.json(&["verify", "--list"])["queue"].as_array().map(Vec::len), Some(1));
}

/// The briefs that are kept.
fn kept(home: &Home) -> Vec<PathBuf> {
    let is_brief = |file: &PathBuf| {
        file.parent().is_some_and(|folder| folder.ends_with("briefs"))
            && file.extension().is_some_and(|extension| extension == "json")
    };
    home.files().into_iter().filter(is_brief).collect()
}

/// A session begins in a folder while nothing can be read.
fn starts_blind(home: &Home, folder: &str) -> String {
    let folder = home.outside(folder);
    std::fs::create_dir_all(&folder).expect("the file can be moved");
    let aside = |name: &str| (home.path().join(name), home.path().join(format!("{name}.aside")));
    let files = ["throughline.db", "throughline.db-wal", "throughline.db-shm"].map(aside);
    for (file, aside) in files.iter().filter(|(file, _)| file.exists()) {
        std::fs::rename(file, aside).expect("the file can be moved");
    }
    std::fs::write(&files[0].0, [b'?'; 4_096]).expect("the file can be moved");
    let agent = Agent { home, session: "blind".to_owned(), folder };
    let run = agent.call("SessionStart", &json!({"source": "startup"}), &[PATIENT]);
    for (file, aside) in files.iter().filter(|(_, aside)| aside.exists()) {
        std::fs::rename(aside, file).expect("the file can be moved");
    }
    assert!(failures(home).contains("not a database"), "what was wrong is noted");
    std::fs::remove_file(home.path().join("hook-failures.jsonl")).expect("the file can be moved");
    told("SessionStart", &run)
}

#[test]
fn the_brief_of_the_last_session_is_said_where_none_can_be_written() {
    let home = Home::new();
    home.remember_with(&[RULE, "--kind", "decision"]);
    assert_eq!(starts_blind(&home, "webshop"), "", "there was none yet");
    Agent::new(&home, "march").starts();
    let said = starts_blind(&home, "webshop");
    assert!(said.contains("harbour"), "{said}");
    assert!(said.contains("As of 2026-03-02 09:02 UTC, not checked since"), "{said}");
    assert_eq!(starts_blind(&home, "elsewhere"), "", "another project has another memory");
}

#[test]
fn a_kept_brief_is_for_the_users_eyes_and_goes_with_what_is_erased() {
    let home = Home::new();
    let id = home.remember_with(&[RULE, "--kind", "decision"]);
    Agent::new(&home, "march").starts();
    let files = kept(&home);
    assert_eq!(files.len(), 1, "{files:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&files[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(home.files_holding("harbour"), Vec::<PathBuf>::new());
    assert_eq!(kept(&home), Vec::<PathBuf>::new());
}

#[test]
fn what_crashed_sessions_left_is_taken_in_after_the_brief() {
    let home = Home::new();
    home.remember_with(&[RULE, "--kind", "decision"]);
    let crashed = Agent::new(&home, "crashed");
    crashed.starts();
    crashed.hears("The staging database runs on Postgres 14.");
    home.travel("2026-03-03");
    let brief = Agent::new(&home, "next").starts();
    assert!(brief.contains("harbour"), "{brief}");
    let held = home.texts(&["list"]).iter().any(|text| text.contains("Postgres 14"));
    assert!(held, "nothing was lost");
    assert_eq!(home.json(&["status"])["sleep_waits"], 0);
}

/// Keeps everybody from reading the database, as long as it is held: a brief takes as long as that.
#[cfg(unix)]
fn unreadable(home: &Home) -> File {
    let path = home.path().join("throughline.db");
    let file = File::options().read(true).write(true).open(path).expect("somebody has written");
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).expect("nobody reads");
    file
}

/// A session begins, and has no time for a brief of its own.
fn starts_in_a_hurry(agent: &Agent<'_>, milliseconds: &str) -> String {
    let hurry = [("THROUGHLINE_DEADLINE_MS", milliseconds)];
    told("SessionStart", &agent.call("SessionStart", &json!({"source": "startup"}), &hurry))
}

#[cfg(unix)]
#[test]
fn a_session_without_time_for_a_brief_is_told_the_kept_one_and_that_is_on_record() {
    let home = Home::new();
    let id = home.remember_with(&[RULE, "--kind", "decision"]);
    Agent::new(&home, "march").starts();
    let agent = Agent::new(&home, "april");
    let unreadable = unreadable(&home);
    let said = starts_in_a_hurry(&agent, "200");
    drop(unreadable);
    assert!(said.contains("harbour"), "{said}");
    assert!(said.contains("As of 2026-03-02 09:01 UTC, not checked since"), "{said}");
    let record = home.json(&["told", "--session", "april"]);
    let items = record["items"].as_array().expect("the record has items");
    assert_eq!(items.len(), 1, "{record}");
    assert_eq!((&items[0]["text"], &items[0]["event"]), (&json!(said), &json!("SessionStart")));
    assert_eq!(items[0]["memories"], json!([id]), "it names what was told");
}

#[test]
fn a_conversation_that_was_told_the_kept_brief_is_not_briefed_again() {
    let home = Home::new();
    home.remember_with(&[RULE, "--kind", "decision"]);
    Agent::new(&home, "march").starts();
    let agent = Agent::new(&home, "april");
    assert!(starts_in_a_hurry(&agent, "1").contains("harbour"));
    let resumes = || agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert_eq!(resumes(), "", "it holds what it was told");
    assert_eq!(agent.hears("From which branch are releases of the webshop cut?"), "");
    agent.answers("From harbour.");
    agent.ends();
    assert_eq!(resumes(), "");
    // The same where nothing could be read at all.
    let said = starts_blind(&home, "webshop");
    assert!(said.contains("harbour"), "{said}");
    let blind = Agent::new(&home, "blind");
    assert_eq!(blind.tell_at(None, "SessionStart", &json!({"source": "resume"})), "");
    // A window that was cleared holds nothing.
    let cleared = blind.tell_at(None, "SessionStart", &json!({"source": "clear"}));
    assert!(cleared.contains("harbour"), "{cleared}");
}

#[test]
fn what_changed_after_the_kept_brief_was_written_is_news_to_who_was_told_it() {
    let home = Home::new();
    let id = home.remember_with(&[RULE, "--kind", "decision"]);
    home.remember_with(&["Never deploy the webshop on a Friday", "--kind", "principle"]);
    Agent::new(&home, "march").starts();
    home.json(&["forget", &id]);
    home.remember_with(&["Mails are sent by the night worker", "--kind", "decision"]);
    let said = starts_blind(&home, "webshop");
    assert!(said.contains("harbour") && said.contains("not checked since"), "{said}");
    assert!(!said.contains("night worker"), "{said}");
    let agent = Agent::new(&home, "blind");
    let news = agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert!(news.contains("withdrawn: Releases of the webshop"), "{news}");
    assert!(news.contains("night worker") && !news.contains("on a Friday"), "{news}");
    assert_eq!(agent.tell_at(None, "SessionStart", &json!({"source": "resume"})), "", "once");
}

#[test]
fn what_was_retracted_is_never_said_as_if_it_held_however_little_time_there_is() {
    let home = Home::new();
    let id = home.remember_with(&[RULE, "--kind", "decision"]);
    home.remember_with(&["Never deploy the webshop on a Friday", "--kind", "principle"]);
    Agent::new(&home, "march").starts();
    home.json(&["forget", &id]);
    for milliseconds in ["1", "50", "90", "100", "110", "120", "140", "170", "250", "20000"] {
        let agent = Agent::new(&home, &format!("within {milliseconds} ms"));
        let said = starts_in_a_hurry(&agent, milliseconds);
        assert!(said.contains("on a Friday"), "{milliseconds} ms: {said}");
        let warned = said.contains("not checked since");
        assert!(warned || !said.contains("harbour"), "{milliseconds} ms: {said}");
    }
}
