//! Sentences that fire, and sentences that look as if they should and do not.

use super::*;
use throughline_core::event::{ToolCall, ToolRun};

/// None of these puts anything right.
const NO_CORRECTION: &[&str] = &[
    // Polite, or content.
    "No, thanks.",
    "No thanks, that will do for today.",
    "No thank you, I can push it myself.",
    "No problem, take your time.",
    "No worries!",
    "No need to rush.",
    "No, that's fine.",
    "No, it's fine as it is.",
    "No, go ahead.",
    "Nope, all good here.",
    "No, I'm good.",
    "No, nothing else for now.",
    "No questions from my side.",
    "Nah, that's ok.",
    "No rush on this one.",
    // "No" that denies nothing anybody said.
    "no",
    "No idea why it takes that long.",
    "There is no index on that column yet.",
    "The function takes no arguments.",
    "No one uses the old endpoint.",
    "No doubt it is faster.",
    "There were no errors in the log.",
    "Add a no-op handler for the signal.",
    "No matter which shell, the path has to be quoted.",
    "The column nullable is set to no in the schema.",
    "Set verbose to no in the config.",
    "No fewer than three replicas are running.",
    // "Actually" and "wait" that only fill.
    "It actually works now, nice.",
    "I actually like the new layout.",
    "What does this actually do?",
    "That's actually pretty good.",
    "Is the cache actually used anywhere?",
    "This is actually great.",
    "Can you check what the flag actually changes?",
    "Wait for the build to finish, then run the tests.",
    "Wait until CI is green before you merge.",
    "The worker has to wait for the lock.",
    "Add a wait of two seconds between retries.",
    // Quoted.
    "The reviewer wrote \"no, that's wrong, use a map\" on the pull request.",
    "The button says \"No, cancel\".",
    "> no, that's wrong\n\nWhat did he mean by that?",
    "Print \"that is not right\" when the checksum differs.",
    "The log has the line `wrong file, try again`.",
    "Translate \"you are wrong\" into German.",
    // Supposed.
    "If that's wrong we can still roll back.",
    "Suppose the cache is wrong, what happens?",
    "What if you misread the spec?",
    "Maybe that's not right, I would have to look.",
    "Imagine somebody says that this is wrong.",
    "If it doesn't work we switch back.",
    // Somebody else's.
    "My colleague thinks that's wrong.",
    "The docs say this is not correct on Windows.",
    "She said no, that's not how billing works.",
    "According to the linter this is wrong.",
    "The customer complained that it doesn't work.",
    "My boss told me you are wrong about tabs.",
    "They say that's not how Kafka works.",
    // Taken back.
    "Wait, that's wrong. Oh, never mind, I misread it.",
    "No wait, it's fine.",
    "That doesn't work. Never mind, my bad.",
    "Hold on, no, you're right.",
    // Questions.
    "Is that wrong?",
    "Why is this not correct in strict mode?",
    "Does it still not work on Windows?",
    // Code.
    "```\n// no, that's wrong\nreturn false;\n```",
    "Run `git revert HEAD` on the branch?",
    "```text\nerror: you are wrong\n```\nWhat does this message mean?",
];

const CORRECTION: &[&str] = &[
    "No, use pnpm.",
    "No, that's the staging database.",
    "no man, the fix is in the parser, not in the lexer",
    "Nope, it should go into utils.",
    "No! I'm still getting duplicate rows!",
    "Actually, it's Postgres 16.",
    "Actually no, keep the flag.",
    "Actually the deadline is Friday.",
    "Wait, that's not what I asked for.",
    "Wait, you deleted the migration.",
    "Hold on, that's the old schema.",
    "That's wrong.",
    "That's not right, the port is 8443.",
    "This is wrong, it is of type read.",
    "That is not correct.",
    "That's not how it works here.",
    "This isn't what we want.",
    "You misunderstood me.",
    "You forgot the index.",
    "You edited the wrong file.",
    "You are overcomplicating it.",
    "I said tabs, not spaces.",
    "I meant the other repository.",
    "I told you to leave the lock file alone.",
    "I never asked for a rewrite.",
    "It should be `user_id`, not `uid`.",
    "It was supposed to be in config.toml.",
    "Not that one, the other one.",
    "Stop adding comments everywhere.",
    "Stop.",
    "It still doesn't work.",
    "Didn't work.",
    "The tests are still failing.",
    "Same error again.",
    "Revert that.",
    "Undo your last change.",
    "Put it back.",
    "It's on port 8080, not 3000.",
    "Come on man.",
    "What the hell? You just duplicated the whole function?",
];

const DECISION: &[&str] = &[
    "Let's go with SQLite.",
    "Let's use axum for the server.",
    "Let's stick with the current schema.",
    "Let's not support Windows for now.",
    "We decided to drop Python 3.8.",
    "I've decided on the second design.",
    "The plan is to ship in March.",
    "Our plan is a single binary.",
    "Go with option B.",
    "Option 2, then move on.",
    "I'm going with Redis.",
    "We'll use Terraform for this.",
    "We will use one queue per tenant.",
    "We agreed on semantic versioning.",
    "We settled on UUIDv7.",
    "We chose Rust over Go.",
    "We moved staging to Postgres 16.",
    "We switched to pnpm last month.",
    "We've migrated the billing service.",
    "We renamed the crate to throughline-core.",
    "We now use GitHub Actions.",
    "The API is now called Atlas.",
    "Decision: no ORM.",
    "Scratch that, we take the other library.",
    "On second thought, let's keep both.",
    "I changed my mind, use the queue.",
    "Make it the default.",
    "For 3 drop the alias.",
];

const PREFERENCE: &[&str] = &[
    "Always run the linter before you commit.",
    "Never push to main.",
    "I prefer small commits.",
    "We prefer composition.",
    "From now on, write tests first.",
    "Going forward, use British spelling.",
    "Please use tabs instead of spaces.",
    "Use ripgrep instead.",
    "Don't add comments that repeat the code.",
    "Do not touch the generated files.",
    "Please don't squash.",
    "Make sure the docs are updated.",
    "Be sure to keep it DRY.",
    "Remember that the CI has no network.",
    "Keep in mind that this is open speaker.",
    "I like short functions.",
    "I hate emojis in commit messages.",
    "We don't want a new file for this.",
    "We never use default exports.",
    "I always want to see the diff first.",
    "Our convention is snake_case.",
    "Avoid unwrap in library code.",
    "Only show that with --verbose.",
    "Short output is not a goal.",
    "No more mocks.",
    "Next time ask me before you delete anything.",
    "Keep it simple.",
    "If you touch the schema, always add a migration.",
    "We want the flag to be local-time-zone, yeah?",
];

const COMMITMENT: &[&str] = &[
    "I'll do the testing.",
    "I will send you the log tomorrow.",
    "I'll review it tonight.",
    "Remind me to rotate the key.",
    "TODO: document the flag.",
    "We need to fix the flaky test before the release.",
    "We should clean this up later.",
    "The deadline is next week.",
    "It has to be done by Friday.",
    "I promise to write the docs.",
    "Let me get back to you, I owe the team an answer.",
    "I'm going to talk to the vendor.",
    "We'll release it after the demo.",
    "Follow up on the memory leak.",
    "That's on my list.",
];

const FAILING: &[&str] = &[
    "running 3 tests\ntest result: FAILED. 2 passed; 1 failed",
    "error[E0308]: mismatched types",
    "error: could not compile `core` (lib) due to 1 previous error",
    "thread 'main' panicked at src/main.rs:4:5:",
    "Traceback (most recent call last):\n  File \"a.py\", line 1",
    "--- FAIL: TestParse (0.00s)",
    "FAIL\tgithub.com/x/y\t0.3s",
    "panic: runtime error: index out of range",
    "npm ERR! code ELIFECYCLE",
    "src/app.ts(3,1): error TS2304: Cannot find name 'x'.",
    "main.c:3:5: error: expected ';'",
    "make: *** [all] Error 2",
    "===== 2 failed, 31 passed in 3.2s =====",
    "Tests: 4 failing",
    "bash: foo: command not found",
    "Segmentation fault (core dumped)",
    "fatal: not a git repository",
    "process ended with exit code 3",
];

const PASSING: &[&str] = &[
    "test result: ok. 41 passed; 0 failed; 0 ignored",
    "ok  \tgithub.com/x/y\t0.3s",
    "Finished `dev` profile in 3.1s",
    "0 issues.",
    "exit code 0",
    "Failures: 0",
    "fn handle_error(error: Error) -> Result<()>",
    "The error handling chapter explains failures.",
    "",
];

fn is_fired(speaker: Speaker, text: &str, signal: Signal) -> bool {
    fires(speaker, text).iter().any(|(fired, _)| *fired == signal)
}

#[track_caller]
fn all_fire(speaker: Speaker, texts: &[&str], signal: Signal) {
    let missed: Vec<_> = texts.iter().filter(|text| !is_fired(speaker, text, signal)).collect();
    assert!(missed.is_empty(), "no {signal} in {missed:#?}");
}

#[test]
fn what_only_looks_like_a_correction_is_none() {
    let wrongly: Vec<_> = NO_CORRECTION
        .iter()
        .filter(|text| is_fired(Speaker::User, text, Signal::Correction))
        .collect();
    assert!(NO_CORRECTION.len() >= 60 && wrongly.is_empty(), "{wrongly:#?}");
}

#[test]
fn tools_correct_nobody_whatever_they_print() {
    for text in NO_CORRECTION.iter().chain(CORRECTION) {
        assert!(!is_fired(Speaker::Tool, text, Signal::Correction), "{text}");
    }
}

#[test]
fn corrections_are_probed_at_once() {
    all_fire(Speaker::User, CORRECTION, Signal::Correction);
}

#[test]
fn decisions_are_probed_at_once() {
    all_fire(Speaker::User, DECISION, Signal::Decision);
}

#[test]
fn preferences_are_probed_at_once() {
    all_fire(Speaker::User, PREFERENCE, Signal::Preference);
}

#[test]
fn commitments_are_noticed() {
    all_fire(Speaker::User, COMMITMENT, Signal::Commitment);
}

#[test]
fn failures_in_tool_output_are_noticed() {
    all_fire(Speaker::Tool, FAILING, Signal::GroundTruth);
}

#[test]
fn output_of_what_went_well_fires_nothing() {
    for text in PASSING {
        assert_eq!(fires(Speaker::Tool, text), [], "{text}");
    }
}

#[test]
fn strong_signals_are_high() {
    for (texts, signal) in [
        (CORRECTION, Signal::Correction),
        (DECISION, Signal::Decision),
        (PREFERENCE, Signal::Preference),
    ] {
        let high = |text: &&&str| {
            fires(Speaker::User, text).contains(&(signal, Strength::High))
                || text.ends_with("yeah?")
        };
        let weak: Vec<_> = texts.iter().filter(|text| !high(text)).collect();
        assert!(weak.is_empty(), "{weak:#?}");
    }
}

fn ran(command: &str, output: &str, exit: i32) -> ToolRun {
    ToolRun {
        call: ToolCall {
            tool: "Bash".to_owned(),
            command: Some(command.to_owned()),
            ..ToolCall::default()
        },
        output: output.to_owned(),
        failed: exit != 0,
        exit: Some(exit),
    }
}

fn of_run(watch: &Watch, run: &ToolRun) -> Vec<(Signal, Strength)> {
    let turn =
        Turn { speaker: Speaker::Tool, text: &run.output, run: Some(run), at: at(0), pieces: None };
    let (verdict, _) = judge(watch, &turn, &GatePolicy::default());
    verdict.fired.iter().map(|one| (one.signal, one.strength)).collect()
}

#[test]
fn showing_a_text_about_failures_is_no_failure() {
    let fresh = Watch::default();
    assert_eq!(of_run(&fresh, &ran("cat notes.md", "error: could not compile", 0)), []);
    assert_eq!(of_run(&fresh, &ran("grep -rn FAIL src | head", "FAIL ", 0)), []);
    assert_eq!(of_run(&fresh, &ran("rg nothing", "", 1)), []);
    let failed = [(Signal::GroundTruth, Strength::Medium)];
    assert_eq!(of_run(&fresh, &ran("cargo test", "error: could not compile", 101)), failed);
    assert_eq!(of_run(&fresh, &ran("./deploy.sh", "", 3)), failed);
}

#[test]
fn a_failure_right_after_all_was_said_to_pass_is_probed_at_once() {
    let claim = said(Speaker::Assistant, "Done. All 41 tests pass and the linter is clean.");
    let policy = GatePolicy::default();
    let (_, watch) = judge(&Watch::default(), &claim, &policy);
    let failing = ran("cargo test", "test result: FAILED. 40 passed; 1 failed", 101);
    assert_eq!(of_run(&watch, &failing), [(Signal::GroundTruth, Strength::High)]);

    let (_, watch) = judge(&watch, &said(Speaker::User, "Rename the module to gate"), &policy);
    let (_, watch) = judge(&watch, &said(Speaker::Assistant, "Renamed it."), &policy);
    assert_eq!(of_run(&watch, &failing), [(Signal::GroundTruth, Strength::Medium)], "long ago");
}

#[test]
fn a_number_that_a_tool_contradicts_is_noticed() {
    let claim = said(Speaker::Assistant, "The p95 latency of search is 80 ms.");
    let (_, watch) = judge(&Watch::default(), &claim, &GatePolicy::default());
    for (output, collides) in [
        ("search latency p95: 143 ms", true),
        ("search latency p95: 80 ms", false),
        ("build took 143 ms", false),
        ("search latency p95: 143 rows", false),
    ] {
        let fired = of_run(&watch, &ran("./bench", output, 0));
        assert_eq!(!fired.is_empty(), collides, "{output}");
    }
}

#[test]
fn what_follows_a_heading_or_lies_deep_in_a_paste_is_not_the_speakers_word() {
    let document = "Review this.\n\n## Rules\n\nAlways use tabs.\n\n## Why\n\nNo, that's wrong.";
    assert_eq!(fires(Speaker::User, document), []);
    let mut pasted = "Have a look:\n".to_owned();
    pasted.push_str(&"lorem ipsum dolor sit amet\n".repeat(400));
    pasted.insert_str(6_000, "\nNever push to main.\n");
    assert!(!is_fired(Speaker::User, &pasted, Signal::Preference));
    pasted.push_str("\nNever push to main.");
    assert!(is_fired(Speaker::User, &pasted, Signal::Preference));
}

#[test]
fn other_ground_is_noticed_once() {
    let policy = GatePolicy::default();
    let (_, watch) = judge(
        &Watch::default(),
        &said(Speaker::User, "the test of this function fails to compile"),
        &policy,
    );
    assert_eq!(watch.domain, Some(Domain::Technical));
    let home = said(Speaker::User, "my dog needs a doctor and the kids are on vacation");
    let (verdict, watch) = judge(&watch, &home, &policy);
    assert!(verdict.fired.iter().any(|one| one.signal == Signal::DomainShift));
    assert_eq!(watch.domain, Some(Domain::Personal));
    let (verdict, _) = judge(&watch, &home, &policy);
    assert_eq!(verdict.fired, []);
}

#[test]
fn a_name_is_new_only_once() {
    let policy = GatePolicy::default();
    let prompt = said(Speaker::User, "open src/gate.rs, src/speech.rs and src/probe.rs");
    let (verdict, watch) = judge(&Watch::default(), &prompt, &policy);
    assert!(verdict.fired.iter().any(|one| one.signal == Signal::NewEntity));
    let (verdict, _) = judge(&watch, &prompt, &policy);
    assert_eq!(verdict.fired, []);
}
