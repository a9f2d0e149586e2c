//! Models that misbehave, budgets, workers that hooks start, and what else a model is asked.

use std::time::Duration;

use serde_json::{Value, json};
use throughline_testing::server::{Reply, Server};

use crate::harness::{Home, slow, strings};
use crate::hooking::Agent;
use crate::models::{configure, proposed, proposing, reads, says, session, wrote};

const SAID: (&str, &str) =
    ("The label printer in the depot only understands ZPL, not PDF.", "Good to know.");

fn zpl() -> Value {
    proposed(&json!({"quote": "label printer in the depot only understands ZPL",
        "content": "The label printer in the depot only understands ZPL, not PDF"}))
}

/// Waits until something holds.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what} never came");
}

#[test]
fn whatever_a_service_does_nothing_is_lost_and_nothing_is_made_up() {
    let long = "x".repeat(5 << 20);
    let replies: Vec<(&str, Reply)> = vec![
        ("answers 500", Reply::status(500, &json!({"error": "oops"}))),
        ("answers 401", Reply::status(401, &json!({"error": {"message": "invalid key"}}))),
        ("cannot be reached", Reply::Nothing),
        ("cannot be reached", Reply::CutOff(b"{\"choices\"".to_vec())),
        ("asks to wait", Reply::Body(429, vec![("retry-after", "300".to_owned())], b"{}".to_vec())),
        ("more than", Reply::Body(200, Vec::new(), long.into_bytes())),
        (
            "did not finish",
            Reply::json(
                &json!({"choices": [{"message": {"content": "{}"}, "finish_reason": "length"}]}),
            ),
        ),
    ];
    for (why, reply) in replies {
        let home = Home::new();
        session(&home, &[SAID]);
        let before = home.everything();
        let about_the_question = ["more than", "did not finish"].contains(&why);
        let server = Server::start(move |_| reply.clone());
        configure(&home, &server);
        let worked = home.json(&["work", "--once"]);
        assert_eq!(home.everything()["items"], before["items"], "{why}");
        let status = home.json(&["status"])["llm"].clone();
        assert!(
            status["last_error"].as_str().is_some_and(|said| said.contains(why)),
            "{why}: {status}"
        );
        if about_the_question {
            assert_eq!(
                status["waiting_turns"], 0,
                "{why}: it cannot be asked, and is let go: {status}"
            );
        } else {
            assert_eq!(worked["left"], 2, "{why}: {worked}");
            assert_eq!(status["waiting_turns"], 2, "{why}");
            // When it is well again, everything is there.
            let well = proposing(vec![zpl()]);
            configure(&home, &well);
            home.wait(30);
            let worked = home.json(&["work", "--once"]);
            assert_eq!(
                strings(&worked["memories"]).len() + strings(&worked["reinforced"]).len(),
                1,
                "{why}: {worked}"
            );
            let doctor = home.json(&["doctor"])["checks"].to_string();
            assert!(doctor.contains("which answered last"), "{doctor}");
        }
        home.assert_sound();
    }
}

#[test]
fn a_service_that_keeps_failing_is_left_alone_for_a_while() {
    let home = Home::new();
    session(&home, &[SAID]);
    let server = Server::start(|_| Reply::status(403, &json!({"error": "no"})));
    configure(&home, &server);
    // A command a minute: after three failures it is asked ever more rarely.
    for _ in 0..12 {
        home.json(&["work", "--once"]);
    }
    assert!((4..=7).contains(&server.heard().len()), "{}", server.heard().len());
    let resting = home.json(&["status"])["llm"]["resting_until"].clone();
    assert!(resting.is_string(), "{resting}");
    let page = home.page(&["status"]);
    assert!(page.contains("last error"), "{page}");
    let doctor = home.json(&["doctor"]);
    assert!(doctor["ok"] == true && doctor.to_string().contains("did not answer"), "{doctor}");
}

#[test]
fn budgets_hold_and_what_is_beyond_them_waits() {
    let home = Home::new();
    session(&home, &[SAID]);
    let server = proposing(vec![zpl()]);
    configure(&home, &server);
    home.json(&["config", "set", "llm.tokens_per_day", "10"]);
    let worked = home.json(&["work", "--once"]);
    assert_eq!((&worked["asked"], &worked["left"]), (&json!(0), &json!(2)));
    assert!(
        worked["held"].as_str().is_some_and(|why| why.contains("10 tokens of today")),
        "{worked}"
    );
    assert_eq!(server.heard().len(), 0, "nobody was asked");
    home.json(&["config", "set", "llm.tokens_per_day", "100000"]);
    home.json(&["config", "set", "llm.calls_per_session", "1"]);
    assert_eq!(home.json(&["work", "--once"])["asked"], 1);
    assert!(home.json(&["status"])["llm"]["tokens_today"].as_u64() >= Some(120));
    let agent = Agent::new(&home, "s1");
    agent.hears("And the second printer in the office understands PDF only.");
    agent.ends();
    // The worker that the hook started may still be at it.
    until("our turn", || home.json(&["work", "--once"])["elsewhere"] == false);
    let worked = home.json(&["work", "--once"]);
    assert!(
        worked["held"].as_str().is_some_and(|why| why.contains("questions of this session")),
        "{worked}"
    );
    // The rules go on meanwhile, and another session has its own.
    let other = Agent::new(&home, "s2");
    other.hears("We decided to print labels in the depot twice because the glue fails.");
    other.ends();
    until("the other session", || server.heard().iter().filter(|one| reads(one)).count() == 2);
}

#[test]
fn a_hook_answers_while_the_model_hangs_and_workers_do_not_pile_up() {
    let home = Home::live();
    let server = Server::start(|_| Reply::Silence);
    configure(&home, &server);
    let agent = Agent::new(&home, "s1");
    home.remember("The depot printer is called Zelda");
    agent.starts();
    for turn in 0..6 {
        agent.hears(&format!("What is the depot printer called, attempt {turn}?"));
        agent.answers("Zelda.");
    }
    agent.ends();
    server.wait_for(1);
    let told = Agent::new(&home, "s2").hears("What is the depot printer called?");
    assert!(told.contains("Zelda"), "the hook answers: {told}");
    for number in 0..if slow() { 100 } else { 20 } {
        Agent::new(&home, &format!("many{number}")).starts();
    }
    assert_eq!(home.json(&["work"])["elsewhere"], true, "one is at work");
    #[cfg(target_os = "linux")]
    {
        until("all others", || workers(&home).len() == 1);
        let [worker] = workers(&home)[..] else { panic!("one worker") };
        assert_eq!(session_of(worker), worker, "it is in a session of its own");
        assert!(
            std::process::Command::new("kill")
                .args(["-9", &worker.to_string()])
                .status()
                .unwrap()
                .success()
        );
        until("its end", || workers(&home).is_empty());
    }
}

/// The workers of a home that run.
#[cfg(target_os = "linux")]
pub(crate) fn workers(home: &Home) -> Vec<u32> {
    let path = home.path().display().to_string();
    let entries = std::fs::read_dir("/proc").expect("processes are listed").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let works = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(&path) && line.contains("\0work\0--detached")
    };
    pids.filter(works).collect()
}

#[cfg(target_os = "linux")]
fn session_of(pid: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let after = stat.rsplit_once(')').expect("a name").1;
    after.split_whitespace().nth(3).and_then(|one| one.parse().ok()).expect("a number")
}

#[test]
fn a_hook_starts_a_worker_that_reads_and_ends() {
    let home = Home::live();
    let server = proposing(vec![zpl()]);
    configure(&home, &server);
    session(&home, &[SAID]);
    until("the question", || server.heard().iter().any(reads));
    until("what it found", || home.texts(&["list"]).iter().any(|one| one.contains("ZPL")));
    #[cfg(target_os = "linux")]
    until("its end", || workers(&home).is_empty());
    home.assert_sound();
}

#[test]
fn an_agent_that_we_started_does_not_start_us() {
    let home = Home::live();
    let server = proposing(Vec::new());
    configure(&home, &server);
    let run = home
        .command()
        .env("THROUGHLINE_INSIDE", "1")
        .args(["--json", "work", "--once"])
        .output()
        .unwrap();
    assert!(run.status.success());
    let answer: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(answer["configured"], false);
    assert_eq!(server.heard().len(), 0);
}

#[cfg(unix)]
#[test]
fn a_program_can_be_the_model() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    session(&home, &[SAID]);
    let program = home.outside("model");
    let answer = json!({"operations": [zpl()], "verdicts": []});
    let script = format!(
        "#!/bin/sh\ncat > \"$0.prompt\"\npwd > \"$0.folder\"\necho \"$THROUGHLINE_INSIDE\" > \"$0.inside\"\nprintf '%s' '{answer}'\n"
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    home.json(&["config", "set", "llm.provider", "command"]);
    home.json(&["config", "set", "llm.command", &format!("{} -p", program.display())]);
    let worked = home.json(&["work", "--once"]);
    assert_eq!(worked["asked"], 1, "{worked}");
    assert_eq!(
        strings(&worked["memories"]).len() + strings(&worked["reinforced"]).len(),
        1,
        "{worked}"
    );
    let told = |end: &str| std::fs::read_to_string(format!("{}.{end}", program.display())).unwrap();
    assert!(told("prompt").contains("label printer"));
    assert_eq!(told("inside").trim(), "1", "its hooks know that it is ours");
    assert!(told("folder").trim().ends_with("nowhere"), "it reads no project of anybody's");
}

#[test]
fn claims_that_contradict_each_other_are_shown_to_a_person() {
    let home = Home::new();
    let older = home.remember("The depot printer is serviced on Mondays by Kestrel");
    home.wait(5);
    let newer =
        home.remember("The depot printer is serviced by Kestrel on the first Friday of a month");
    let server = Server::start(|heard| {
        if heard.body.to_string().contains("verdicts") {
            return says(
                &json!({"verdicts": [{"pair": 0, "verdict": "Replaces", "why": "other days"}]}),
            );
        }
        says(&json!({"operations": []}))
    });
    configure(&home, &server);
    let worked = home.json(&["work", "--once"]);
    assert_eq!((&worked["pairs"], &worked["contested"]), (&json!(1), &json!(1)), "{worked}");
    // Both are the user's word: a model may point at it, and no more.
    for id in [&older, &newer] {
        assert_eq!(home.show(id)["state"], "confirmed");
    }
    let review = home.json(&["review"])["contested"].to_string();
    assert!(review.contains("Mondays") && review.contains("first Friday"), "{review}");
    assert_eq!(home.json(&["work", "--once"])["pairs"], 0, "it is asked once");
    home.assert_sound();
}

#[test]
fn a_model_can_say_which_of_what_was_recalled_helps() {
    let home = Home::new();
    home.remember("The depot printer is called Zelda");
    home.remember("The depot printer was bought in Leipzig");
    let question = "What is the depot printer called?";
    let server = Server::start(|heard| {
        let prompt = heard.body["messages"][1]["content"].as_str().unwrap_or_default().to_owned();
        let line = prompt.lines().find(|line| line.contains("Zelda")).unwrap_or_default();
        let fits: Value = serde_json::from_str(line).unwrap_or_default();
        says(&json!({"fitting": [fits["id"]]}))
    });
    let (code, error) = home.error(&["recall", question, "--verify"]);
    assert_eq!(code, 1, "{error}");
    configure(&home, &server);
    let plain = home.json(&["recall", question])["items"].as_array().map(Vec::len);
    assert_eq!(plain, Some(2));
    let verified = home.json(&["recall", question, "--verify", "--votes", "2"]);
    let items = verified["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "{verified}");
    assert_eq!(items[0]["memory"]["content"], "The depot printer is called Zelda");
    assert_eq!(server.heard().len(), 2, "two votes");
    assert_eq!(verified["verified"]["set_aside"], 1, "{verified}");
    // Without an answer it is as if nobody had been asked, and says so, before long.
    for (why, reply) in [
        ("401", Reply::status(401, &json!({"error": "who are you?"}))),
        ("not JSON", wrote("M1, I think")),
        ("lists no ids", says(&json!({"fitting": "all"}))),
        ("no answer within 1 s", Reply::Silence),
    ] {
        let wrong = Server::start(move |_| reply.clone());
        configure(&home, &wrong);
        home.json(&["config", "set", "llm.timeout_secs", "1"]);
        let began = std::time::Instant::now();
        let found = home.json(&["recall", question, "--verify", "--votes", "2"]);
        assert!(began.elapsed() < Duration::from_secs(15), "{why}");
        assert_eq!(found["items"].as_array().map(Vec::len), plain, "{found}");
        let failed = found["verified"]["failed"].as_str().unwrap_or_default();
        assert!(failed.contains(why), "{found}");
        assert_eq!(wrong.heard().len(), 1, "{why}: whoever waits is not kept waiting twice");
    }
    assert!(home.page(&["recall", question, "--verify"]).contains("not verified: "));
}
