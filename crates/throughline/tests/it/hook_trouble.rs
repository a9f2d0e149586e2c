//! Hooks in trouble: whatever an agent sends and whatever the machine does, the agent goes on, and
//! what was told comes in once.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Home, slow};
use crate::hooking::{
    Agent, DECISION, PATIENT, assert_sound, call, diagnosis, failures, rows, told,
};

/// A deadline that a debug build keeps on a quiet machine, and what it may take beyond that on one
/// that is not.
const BRIEF: (&str, &str) = ("THROUGHLINE_DEADLINE_MS", "1000");
const BRIEF_AND_SLACK: Duration = Duration::from_secs(6);

/// The prompts in all journals, as they lie there.
pub(crate) fn journaled(home: &Home) -> Vec<String> {
    let folder = home.path().join("journal");
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = files.map(|file| file.expect("a folder can be listed").path());
    let journals = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut prompts = Vec::new();
    for path in journals.filter(|path| path.symlink_metadata().is_ok_and(|data| data.is_file())) {
        let bytes = std::fs::read(path).expect("a journal can be read");
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
            let text = entry.pointer("/event/what/prompted/text");
            prompts.extend(text.and_then(Value::as_str).map(str::to_owned));
        }
    }
    prompts
}

/// Files of a home's folder, by how their names end.
pub(crate) fn files_of(home: &Home, folder: &str, end: &str) -> Vec<PathBuf> {
    let fits = |path: &PathBuf| {
        path.parent().is_some_and(|above| above.ends_with(folder))
            && path.extension().is_some_and(|found| found == end)
    };
    home.files().into_iter().filter(fits).collect()
}

/// The one journal there is.
fn journal_file(home: &Home) -> PathBuf {
    files_of(home, "journal", "jsonl").pop().expect("there is a journal")
}

pub(crate) fn prompt(text: &str) -> Value {
    json!({"prompt": text})
}

#[test]
fn a_payload_that_breaks_off_anywhere_stops_nobody() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let call_of = json!({"tool_calls": [{"tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a", "stderr": ""}}]});
    for (event, fields) in [("UserPromptSubmit", prompt(DECISION)), ("PostToolBatch", call_of)] {
        let payload = agent.payload(event, &fields);
        for end in (0..payload.len()).step_by(50) {
            let run = call(home.command(), event, &payload.as_bytes()[..end], &[PATIENT]);
            assert_eq!(told(event, &run), "", "{end}");
        }
    }
    assert!(home.files_holding("Redis").is_empty(), "half a turn is none");
    assert!(diagnosis(&home, "failed hook")[0].contains("cannot be read"));
}

#[test]
fn an_odd_payload_stops_nobody() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let nested = |open: &str, close: &str| [open.repeat(100_000), close.repeat(100_000)].concat();
    let huge = agent.payload("UserPromptSubmit", &prompt(&"x".repeat(40 << 20)));
    let odd: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\0\xff\xfe\x80binary".repeat(500),
        nested("[", "]").into_bytes(),
        format!("{{\"prompt\":{}}}", nested("{\"a\":", "1}")).into_bytes(),
        format!("{{\"session_id\":\"a\",\"prompt\":{}}}", nested("[", "]")).into_bytes(),
        b"{\"prompt\": 1e999, \"session_id\": {}}".to_vec(),
        b"{} {}".to_vec(),
        huge.into_bytes(),
    ];
    for payload in odd {
        let shown = String::from_utf8_lossy(&payload[..payload.len().min(60)]).into_owned();
        for event in ["UserPromptSubmit", "SessionStart"] {
            let run = call(home.command(), event, &payload, &[PATIENT]);
            assert_eq!(told(event, &run), "", "{event} {shown}");
        }
    }
    let found = home.json(&["stats"]);
    assert_eq!(found["rows"]["episode"], Value::Null, "nobody has said anything: {found}");
}

#[test]
fn a_payload_without_end_is_not_waited_for() {
    for step in [None, Some(1), Some(65_536)] {
        let home = Home::new();
        let mut command = home.command();
        command.args(["hook", "UserPromptSubmit"]).env(BRIEF.0, BRIEF.1);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("its input is ours");
        // Ends when the hook hangs up: by itself it never does.
        let writer = std::thread::spawn(move || {
            while step.is_none() || input.write_all(&vec![b'x'; step.unwrap_or(0)]).is_ok() {
                std::thread::sleep(Duration::from_millis(if step == Some(65_536) { 0 } else { 5 }));
                if step.is_none() && begun.elapsed() > BRIEF_AND_SLACK {
                    break;
                }
            }
        });
        let run = child.wait_with_output().expect("the program ends").into();
        assert_eq!(told("UserPromptSubmit", &run), "");
        assert!(begun.elapsed() < BRIEF_AND_SLACK, "{:?}", begun.elapsed());
        assert_ne!(failures(&home), "", "doctor can tell");
        writer.join().expect("the writer ends");
    }
}

#[test]
fn a_prompt_that_is_far_too_long_is_kept_up_to_a_limit() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    // A journal takes eight mebibytes; a debug build takes its time for them.
    let size = if slow() { 9 << 20 } else { 1 << 20 };
    let long = format!("{DECISION}\n```\n{}\n```", "word ".repeat(size / 5));
    agent.call("UserPromptSubmit", &prompt(&long), &[("THROUGHLINE_DEADLINE_MS", "60000")]);
    agent.answers("I see.");
    assert_eq!(failures(&home), "");
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("Redis")));
}

#[test]
fn what_is_said_in_a_folder_that_is_gone_is_kept_and_stays_out_of_other_projects() {
    let home = Home::new();
    std::fs::write(home.outside("plain.txt"), "plain").unwrap();
    let gone = home.outside("worktree");
    std::fs::create_dir(&gone).unwrap();
    for (at, folder) in
        [gone.clone(), home.outside("never/was"), home.outside("plain.txt")].into_iter().enumerate()
    {
        let agent = Agent { folder, ..Agent::new(&home, &format!("elsewhere{at}")) };
        agent.hears(&format!("We decided to use zanzibar{at} for the queues because it lasts."));
    }
    // One that the store has not heard of when its folder goes.
    let agent = Agent { folder: gone.clone(), ..Agent::new(&home, "late") };
    let locked = Locked::new(&home);
    let said = prompt("We decided to use zanzibar9 for the queues because it lasts.");
    told("UserPromptSubmit", &agent.call("UserPromptSubmit", &said, &[BRIEF]));
    drop(locked);
    std::fs::remove_dir(&gone).unwrap();
    assert_eq!(journaled(&home).len(), 4);
    let here = Agent::new(&home, "march");
    let brief = told("SessionStart", &here.call("SessionStart", &json!({}), &[]));
    assert!(!brief.contains("zanzibar"), "{brief}");
    assert_eq!(home.texts(&["list", "--all"]), Vec::<String>::new());
    assert_eq!(home.json(&["stats", "--all"])["rows"]["episode"], 4);
}

#[test]
fn any_session_name_is_a_name() {
    let home = Home::new();
    let long = "x".repeat(10_240);
    let names = ["../../../etc/passwd", "/tmp/a", "..", "", long.as_str(), "a\0b", "\n", "CON"];
    let mut beside: Vec<_> = std::fs::read_dir(home.outside("")).unwrap().flatten().collect();
    for (at, name) in names.into_iter().enumerate() {
        let agent = Agent::new(&home, name);
        agent.hears(&format!("Where does total number {at} come from?"));
        agent.answers(&format!("From the cart, number {at}."));
        agent.ends();
    }
    assert_eq!(rows(&home, "session"), 8);
    assert_eq!(rows(&home, "episode"), 16);
    beside.retain(|entry| !entry.path().ends_with("home"));
    let now = std::fs::read_dir(home.outside("")).unwrap().count();
    assert_eq!(now, beside.len() + 1, "nothing is written beside the home");
    for file in home.files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.len() < 100 && !name.contains(".."), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_transcript_that_is_no_file_is_not_waited_for() {
    let home = Home::new();
    let pipe = home.outside("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let agent = Agent::new(&home, "march");
    for place in [pipe, home.project(), PathBuf::from("/dev/zero"), home.outside("nowhere")] {
        for event in ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"] {
            let fields = json!({"transcript_path": place, "prompt": "Where is the total?"});
            agent.tell_at(None, event, &fields);
        }
    }
}

/// Somebody who writes to the memory and does not finish.
struct Locked(std::fs::File);

impl Locked {
    fn new(home: &Home) -> Self {
        let path = home.path().join("throughline.db.lock");
        let file = std::fs::File::options().read(true).write(true).open(path);
        let file = file.expect("writers take turns by a file");
        file.lock().expect("nobody else has it");
        Self(file)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.0.unlock().expect("what is locked can be unlocked");
    }
}

#[test]
fn a_memory_that_somebody_holds_keeps_no_agent_waiting_and_loses_nothing() {
    let home = Home::new();
    home.remember("Something from before");
    let agent = Agent::new(&home, "march");
    let locked = Locked::new(&home);
    for (event, fields) in [
        ("UserPromptSubmit", prompt(DECISION)),
        ("Stop", json!({"last_assistant_message": "Postgres it is."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        let begun = Instant::now();
        assert_eq!(told(event, &agent.call(event, &fields, &[BRIEF])), "");
        assert!(begun.elapsed() < BRIEF_AND_SLACK, "{event}: {:?}", begun.elapsed());
    }
    assert_eq!(journaled(&home), [DECISION]);
    drop(locked);
    assert!(diagnosis(&home, "failed hook").iter().any(|one| one.contains("longer than 1000 ms")));
    assert_eq!(rows(&home, "episode"), 0);
    let next = Agent::new(&home, "april");
    for _ in 0..2 {
        told("SessionStart", &next.call("SessionStart", &json!({}), &[]));
        assert_eq!((rows(&home, "episode"), rows(&home, "memory")), (2, 2));
        assert_eq!(rows(&home, "evidence"), 2);
    }
    assert_sound(&home);
}

#[test]
fn a_damaged_database_keeps_no_agent_waiting_and_what_was_told_comes_in_when_it_is_whole() {
    let home = Home::new();
    home.remember("Something from before");
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    for end in ["-wal", "-shm"] {
        std::fs::remove_file(home.path().join(format!("throughline.db{end}"))).ok();
    }
    std::fs::write(home.database(), [0x5a; 8_192]).unwrap();
    let agent = Agent::new(&home, "march");
    for (event, fields) in [
        ("SessionStart", json!({})),
        ("UserPromptSubmit", prompt(DECISION)),
        ("Stop", json!({"last_assistant_message": "Postgres it is."})),
    ] {
        assert_eq!(told(event, &agent.call(event, &fields, &[])), "");
    }
    assert_eq!(journaled(&home), [DECISION]);
    for name in ["failed hook", "database"] {
        assert!(diagnosis(&home, name)[0].contains("damaged"), "{name}");
    }
    home.json(&["restore", &copy]);
    let next = Agent::new(&home, "april");
    for _ in 0..2 {
        told("SessionStart", &next.call("SessionStart", &json!({}), &[]));
        assert_eq!((rows(&home, "episode"), rows(&home, "memory")), (2, 2));
    }
}

#[test]
fn a_database_that_is_gone_is_begun_anew_with_what_was_told_since() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(DECISION);
    for end in ["", "-wal", "-shm"] {
        std::fs::remove_file(home.path().join(format!("throughline.db{end}"))).ok();
    }
    agent.hears("Always run cargo fmt before committing.");
    agent.answers("I will.");
    agent.ends();
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("cargo fmt")));
    assert_sound(&home);
}

#[test]
fn a_damaged_mind_and_damaged_lines_cost_only_themselves() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Where is the total computed?");
    agent.answers("In the cart.");
    for mind in files_of(&home, "hot", "json") {
        std::fs::write(mind, b"\0{\"garbage\":").unwrap();
    }
    let mut journal = std::fs::File::options().append(true).open(journal_file(&home)).unwrap();
    journal.write_all(b"{\"v\":1,\"at\":\"20\n\xff\xfe no text\n[1]\n{\"half\":").unwrap();
    drop(journal);
    agent.hears(DECISION);
    agent.answers("Postgres it is.");
    agent.ends();
    assert_eq!(rows(&home, "episode"), 4);
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("Redis")));
    assert!(diagnosis(&home, "journal").iter().any(|one| one.contains("unreadable")));
    assert_sound(&home);
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_pipe_or_a_link_is_neither_waited_for_nor_followed() {
    let own = "Nobody else's business\n";
    for kind in ["pipe", "link", "folder"] {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears("Where is the total computed?");
        let journal = journal_file(&home);
        std::fs::remove_file(&journal).unwrap();
        let target = home.outside("target.txt");
        std::fs::write(&target, own).unwrap();
        match kind {
            "pipe" => assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success()),
            "link" => std::os::unix::fs::symlink(&target, &journal).unwrap(),
            _ => std::fs::create_dir(&journal).unwrap(),
        }
        let begun = Instant::now();
        for event in ["UserPromptSubmit", "SessionStart", "SessionEnd"] {
            told(event, &agent.call(event, &prompt(DECISION), &[BRIEF]));
        }
        assert!(begun.elapsed() < 3 * BRIEF_AND_SLACK, "{kind}: {:?}", begun.elapsed());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), own, "{kind}");
        let told = diagnosis(&home, "failed hook");
        assert!(told.iter().any(|one| one.contains("not a regular file")), "{kind}: {told:?}");
        let other = Agent::new(&home, "april");
        told_fine(&other, DECISION);
        assert!(home.texts(&["list"]).iter().any(|text| text.contains("Redis")), "{kind}");
    }
}

/// A prompt and its answer, in a home where something failed before.
fn told_fine(agent: &Agent<'_>, words: &str) {
    told("UserPromptSubmit", &agent.call("UserPromptSubmit", &prompt(words), &[]));
    let answer = json!({"last_assistant_message": "All right."});
    told("Stop", &agent.call("Stop", &answer, &[]));
}

#[test]
fn a_clock_that_jumps_back_ten_years_loses_and_doubles_nothing() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let turn = |now: &str, words: &str| {
        agent.tell_at(Some(now), "UserPromptSubmit", &prompt(words));
        let answer = json!({"last_assistant_message": format!("Yes: {words}")});
        agent.tell_at(Some(now), "Stop", &answer);
    };
    turn("2026-03-02T10:00:00Z", DECISION);
    turn("2016-03-02T10:00:00Z", "Always run cargo fmt before committing.");
    turn("2016-03-02T10:01:00Z", "Never push to main on a Friday.");
    turn("2026-03-02T10:02:00Z", "We decided to use Kafka for events because it keeps them.");
    agent.tell_at(Some("2016-03-02T10:03:00Z"), "SessionEnd", &json!({"reason": "other"}));
    assert_eq!(rows(&home, "episode"), 8);
    let held = home.texts(&["list"]);
    for words in ["sessions in Postgres", "cargo fmt", "Friday", "Kafka"] {
        let count = held.iter().filter(|text| text.contains(words)).count();
        assert_eq!(count, 1, "{words}: {held:?}");
    }
    assert_sound(&home);
}
