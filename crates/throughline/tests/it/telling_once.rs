//! What a conversation was told and still holds is not told again: not when it is resumed, not with
//! the next prompt. A compaction takes it away, and then it is told once more.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::{Agent, PATIENT};

const FACT: &str = "The staging database runs on Postgres 16";
const RULE: &str = "Always run cargo fmt before committing";
const DECISION: &str = "We keep sessions in Postgres because Redis lost them twice";

/// A project of which three things are known.
fn known() -> Home {
    let home = Home::new();
    home.remember_with(&[FACT, "--slot", "staging|runs|Postgres 16|one"]);
    home.remember_with(&[RULE, "--kind", "principle"]);
    home.remember_with(&[DECISION, "--kind", "decision"]);
    home
}

fn starts(agent: &Agent<'_>, source: &str) -> String {
    agent.tell_at(None, "SessionStart", &json!({ "source": source }))
}

fn compacts(agent: &Agent<'_>) -> String {
    agent.tell_at(None, "PreCompact", &json!({"trigger": "manual", "custom_instructions": ""}));
    starts(agent, "compact")
}

#[test]
fn a_session_that_is_resumed_five_times_is_briefed_once() {
    let home = known();
    let agent = Agent::new(&home, "march");
    let brief = agent.starts();
    assert!(brief.contains(FACT) && brief.contains(RULE), "{brief}");
    agent.hears("Write a test for the empty cart.");
    agent.answers("Done.");
    agent.ends();
    for day in ["2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06", "2026-04-20"] {
        home.travel(day);
        assert_eq!(starts(&agent, "resume"), "", "{day}: it holds what it was told");
        assert_eq!(agent.hears("thanks"), "", "{day}");
        agent.answers("You are welcome.");
        agent.ends();
    }
    let next = Agent::new(&home, "april").starts();
    assert!(next.contains(FACT), "another conversation was not told: {next}");
}

#[test]
fn a_prompt_does_not_repeat_what_the_brief_has_just_said() {
    let home = known();
    let agent = Agent::new(&home, "march");
    assert!(agent.starts().contains(FACT));
    for prompt in [
        "Which version of Postgres does the staging database run on?",
        "Where do we keep sessions, and why not in Redis?",
        "What has to be run before committing?",
        "Remind me of everything you know about the staging database.",
    ] {
        assert_eq!(agent.hears(prompt), "", "{prompt}");
    }
}

#[test]
fn a_turn_that_the_brief_quoted_is_not_quoted_again() {
    let home = Home::new();
    let first = Agent::new(&home, "march");
    first.starts();
    first.hears("The cart of the webshop shows a wrong total when a coupon is used twice.");
    first.answers("I look into it.");
    first.ends();
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "next");
    let brief = agent.starts();
    assert!(brief.contains("wrong total"), "{brief}");
    let told = agent.hears("When did the cart of the webshop show a wrong total?");
    assert!(!told.contains("wrong total"), "{told}");
}

#[test]
fn a_compaction_is_followed_by_one_reminder_whoever_resumes_later() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("Which version of Postgres does the staging database run on?");
    agent.answers("16.");
    let reminder = compacts(&agent);
    assert!(reminder.contains(FACT) && reminder.contains(RULE), "{reminder}");
    for line in reminder.lines().filter(|line| line.starts_with("# ")) {
        assert!(!line.ends_with('…'), "a heading is never cut off: {line}");
    }
    assert_eq!(starts(&agent, "resume"), "", "one block, not two");
    let told = agent.hears("Which Postgres does the staging database run on?");
    assert!(!told.contains(FACT), "{told}");
    assert!(compacts(&agent).contains(FACT), "each compaction takes it away again");
}

#[test]
fn what_was_replaced_since_is_said_to_a_conversation_that_still_holds_the_old() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.ends();
    home.travel("2026-03-03");
    home.remember_with(&[
        "The staging database runs on MySQL 9",
        "--slot",
        "staging|runs|MySQL 9|one",
    ]);
    let news = starts(&agent, "resume");
    let line = news.lines().find(|line| line.contains("MySQL 9")).expect("what holds now");
    assert!(line.contains("until 2026-03-03: The staging database runs on Postgres 16"), "{line}");
    assert!(!news.contains(RULE), "nothing but what changed: {news}");
    assert_eq!(starts(&agent, "resume"), "", "once");
}

#[test]
fn what_was_withdrawn_since_is_said_to_be_withdrawn() {
    let home = known();
    let agent = Agent::new(&home, "march");
    let brief = agent.starts();
    let line = brief.lines().find(|line| line.contains(RULE)).expect("the rule is told");
    let id = line.split(['[', ']']).nth(1).expect("a line has an id").to_owned();
    home.json(&["forget", &id]);
    let news = starts(&agent, "resume");
    assert!(news.contains(&format!("withdrawn: {RULE}")), "{news}");
    assert_eq!(starts(&agent, "resume"), "", "once");
}

#[test]
fn a_correction_that_the_conversation_made_itself_is_no_news_to_it() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("Actually the staging database runs on Postgres 17 now, not 16.");
    agent.answers("Understood.");
    agent.ends();
    assert_eq!(starts(&agent, "resume"), "");
}

#[test]
fn what_others_decided_meanwhile_is_told_once() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.ends();
    home.travel("2026-03-03");
    home.remember_with(&["Never deploy on a Friday", "--kind", "principle"]);
    let news = starts(&agent, "resume");
    assert!(news.contains("Never deploy on a Friday") && !news.contains(RULE), "{news}");
    assert_eq!(starts(&agent, "resume"), "", "once");
}

#[test]
fn a_cleared_window_is_a_new_conversation() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    assert!(starts(&agent, "clear").contains(FACT), "in the same session");
    let next = Agent::new(&home, "cleared");
    assert!(starts(&next, "clear").contains(FACT), "in a new one");
}

#[test]
fn a_fork_holds_what_the_conversation_was_told_that_it_comes_from() {
    let home = known();
    let agent = Agent::new(&home, "march");
    agent.starts();
    let fork = Agent::new(&home, "fork");
    assert_eq!(starts(&fork, "fork"), "");
}

#[test]
fn a_conversation_that_began_before_us_is_briefed_when_it_is_resumed() {
    let home = known();
    let agent = Agent::new(&home, "older than we are");
    assert!(starts(&agent, "resume").contains(FACT));
    assert_eq!(starts(&agent, "resume"), "");
}

/// A hook of any host. Returns what is put before the model.
pub(crate) fn hook(home: &Home, agent: &str, event: &str, payload: &Value) -> String {
    let mut command = home.command();
    command.args(["hook", event, "--agent", agent]).envs([PATIENT]);
    let run: Run = crate::hooking::run(command, payload.to_string().as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{event}");
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&run.stdout).expect("an answer is one JSON document");
    let texts = [&answer["hookSpecificOutput"]["additionalContext"], &answer["context"]];
    texts.into_iter().find_map(Value::as_str).expect("it tells a text").to_owned()
}

#[test]
fn codex_is_briefed_once() {
    let home = known();
    let told = |event: &str, fields: Value| {
        let mut payload = json!({"session_id": "one", "cwd": home.project(),
            "hook_event_name": event, "model": "scripted"});
        for (name, value) in fields.as_object().expect("fields are an object") {
            payload[name] = value.clone();
        }
        hook(&home, "codex", event, &payload)
    };
    assert!(told("SessionStart", json!({"source": "startup"})).contains(FACT));
    for _ in 0..5 {
        assert_eq!(told("SessionStart", json!({"source": "resume"})), "");
        assert_eq!(told("UserPromptSubmit", json!({"prompt": "thanks"})), "");
        assert_eq!(told("SessionEnd", json!({"reason": "other"})), "");
    }
    assert_eq!(told("PreCompact", json!({"trigger": "auto"})), "");
    assert!(told("SessionStart", json!({"source": "compact"})).contains(FACT));
    assert_eq!(told("SessionStart", json!({"source": "resume"})), "");
}

/// Gemini CLI drops what it was told at the start when it reads a conversation in again: the brief
/// comes with the next prompt that asks for something, which it keeps.
#[test]
fn gemini_is_briefed_again_only_where_it_lost_its_brief() {
    let home = known();
    let told = |event: &str, fields: Value| {
        let mut payload = json!({"session_id": "one", "cwd": home.project(),
            "hook_event_name": event, "timestamp": "2026-03-02T09:00:00Z"});
        for (name, value) in fields.as_object().expect("fields are an object") {
            payload[name] = value.clone();
        }
        hook(&home, "gemini", event, &payload)
    };
    assert!(told("SessionStart", json!({"source": "startup"})).contains(FACT));
    assert_eq!(told("SessionStart", json!({"source": "resume"})), "");
    assert_eq!(told("BeforeAgent", json!({"prompt": "thanks"})), "", "nothing for small talk");
    let brief = told("BeforeAgent", json!({"prompt": "Write a test for the empty cart."}));
    assert!(brief.contains(FACT) && brief.contains(RULE), "{brief}");
    for _ in 0..4 {
        assert_eq!(told("SessionStart", json!({"source": "resume"})), "");
        let prompt = "Which Postgres does the staging database run on?";
        assert_eq!(told("BeforeAgent", json!({ "prompt": prompt })), "", "it came with a prompt");
    }
    told("PreCompress", json!({"trigger": "manual"}));
    let brief = told("BeforeAgent", json!({"prompt": "Now write one for the full cart."}));
    assert!(brief.contains(FACT), "nothing comes after a compaction but a prompt: {brief}");
}

/// Gemini CLI makes a conversation shorter by itself and tells nobody but its transcript.
#[test]
fn gemini_is_told_once_more_after_a_compaction_that_only_its_transcript_shows() {
    let home = known();
    let transcript = home.project().join("session.jsonl");
    let told = |event: &str, fields: Value| {
        let mut payload = json!({"session_id": "one", "cwd": home.project(),
            "transcript_path": transcript, "hook_event_name": event});
        for (name, value) in fields.as_object().expect("fields are an object") {
            payload[name] = value.clone();
        }
        hook(&home, "gemini", event, &payload)
    };
    let said = |texts: &[&str]| {
        let line = |text: &&str| json!({"id": text, "type": "user", "content": [{"text": text}]});
        texts.iter().map(line).collect::<Vec<_>>()
    };
    let wrote = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(&transcript, lines.join("\n")).expect("a file can be written");
    };
    let asks = |prompt: &str| told("BeforeAgent", json!({ "prompt": prompt }));
    let answers = || told("AfterAgent", json!({"prompt_response": "Done."}));

    let brief = told("SessionStart", json!({"source": "startup"}));
    let escaped = brief.replace('<', "&lt;").replace('>', "&gt;");
    let context = format!("<hook_context>{escaped}</hook_context>");
    let before = json!({"$set": {"messages": said(&[&context, "Write a test."])}});
    wrote(std::slice::from_ref(&before));
    let question = "Which Postgres does the staging database run on?";
    answers();
    assert_eq!(asks(question), "", "it holds its brief");

    let summed_up = ["<state_snapshot>A test.", "Got it. Thanks for the additional context!"];
    let shorter = json!({"$set": {"messages": said(&summed_up)}});
    wrote(&[before.clone(), shorter.clone()]);
    answers();
    let reminder = asks(question);
    assert!(reminder.contains(FACT) && reminder.contains(RULE), "{reminder}");
    let mut lines = vec![before, shorter];
    lines.extend(said(&[&context]));
    wrote(&lines);
    answers();
    assert_eq!(asks(question), "", "once");
}

/// What opencode is told stands in its system prompt and goes with the program.
#[test]
fn opencode_is_told_once_more_when_its_program_was_started_anew() {
    let home = known();
    let told = |event: &str, text: &str| {
        let payload = json!({"hook": event, "directory": home.project(),
            "input": {"sessionID": "ses_1"}, "output": {"parts": [{"type": "text", "text": text}]}});
        hook(&home, "opencode", event, &payload)
    };
    assert!(told("event:session.created", "").contains(FACT));
    assert_eq!(told("chat.message", "Which Postgres does the staging database run on?"), "");
    told("dispose", "");
    let reminder = told("session.resumed", "");
    assert!(reminder.contains(FACT), "{reminder}");
    assert!(reminder.lines().all(|line| !line.starts_with("# ") || !line.ends_with('…')));
    assert_eq!(told("chat.message", "thanks"), "");
}

#[test]
fn a_warning_says_what_is_true_when_it_is_read() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.starts();
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "./backup.sh --full"},
        "tool_use_id": "toolu_1", "is_interrupt": false,
        "error": "Exit code 3\nerror: the option --full requires the vault key"});
    agent.tell_at(None, "PostToolUseFailure", &failed);
    agent.answers("`./backup.sh --full` did not work here.");
    agent.ends();
    let call = json!({"session_id": "two", "cwd": home.project(), "tool_name": "Bash",
        "tool_input": {"command": "./backup.sh --full"}, "tool_use_id": "toolu_2"});
    let before = hook(&home, "claude-code", "PreToolUse", &call);
    assert!(before.contains("vault key") && before.contains("# Known about this call"), "{before}");
    let mut ran = call;
    ran["session_id"] = "three".into();
    ran["tool_name"] = "run_shell_command".into();
    ran["tool_response"] = json!({"llmContent": "Output: done\nExit Code: 0"});
    let after = hook(&home, "gemini", "AfterTool", &ran);
    assert!(after.contains("# Known about what has just run"), "{after}");
    assert!(!after.contains("about to run"), "{after}");
}
