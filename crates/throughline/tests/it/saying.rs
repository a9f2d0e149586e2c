//! What people say, kept as they said it: whole, in their words, and only what is theirs.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, PATIENT, run};

/// What is held after a session in which a person said this and no more.
fn held_after(prompt: &str) -> Vec<Value> {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(prompt);
    agent.answers("Understood.");
    agent.ends();
    home.json(&["list"])["items"].as_array().expect("a listing has items").clone()
}

fn contents(held: &[Value]) -> Vec<&str> {
    // That nothing is known about something is noted beside what is.
    let claims = held.iter().filter(|one| one["kind"] != "gap");
    claims.filter_map(|one| one["content"].as_str()).collect()
}

#[test]
fn a_statement_is_kept_whole_and_as_it_was_said() {
    for said in [
        "Never use println! in library code because it breaks the JSON output",
        "The release procedure is: 1. bump the version 2. tag it 3. push the tag",
        "Deploys only Tue and Thu. Never on a Friday",
        "We decided to keep sessions in Postgres because Redis lost them twice when the node restarted",
        "I prefer tabs over spaces in Makefiles",
        "We switched from Poetry to uv for packaging",
        "We never commit generated files, lock files, etc. to the docs repo",
    ] {
        let held = held_after(&format!("{said}."));
        assert_eq!(contents(&held), [said]);
    }
}

#[test]
fn a_reason_in_a_sentence_of_its_own_stays_with_what_it_explains() {
    for said in [
        "Never use println! in library code. It breaks the JSON output",
        "We decided to keep sessions in Postgres. Redis lost them twice when the node restarted",
    ] {
        let held = held_after(&format!("{said}."));
        assert_eq!(contents(&held), [said]);
    }
}

#[test]
fn what_holds_at_another_company_is_no_fact_here() {
    for said in [
        "In the other company the staging database runs on MySQL.",
        "In the other company the staging database runs on MySQL, which port does ours use?",
    ] {
        assert_eq!(contents(&held_after(said)), Vec::<&str>::new(), "{said}");
    }
}

#[test]
fn no_content_is_made_of_words_that_nobody_said() {
    for said in [
        "The gateway terminates TLS with OpenSSL, not rustls.",
        "We replaced Redux with Zustand for client state.",
        "Anna isn't the reviewer for the billing module any more, Marek is.",
        "Try to update it w/ code reuse instead of copies.",
        "error at ^ instead of the caret",
    ] {
        for one in held_after(said) {
            let content = one["content"].as_str().expect("a memory has content");
            assert!(said.contains(content), "{said}: {content}");
        }
    }
}

#[test]
fn a_decision_that_gives_its_reason_is_complete_and_one_memory() {
    let held = held_after("We decided to use SQLite because one file is enough for us.");
    assert_eq!(held.len(), 1, "{held:?}");
    assert_eq!(held[0]["kind"], "decision");
    assert_eq!(held[0]["flags"], json!([]));
}

#[test]
fn what_was_pasted_is_nobodys_word_here() {
    let rule = "We always deploy on Fridays and never on Mondays.";
    for paste in [
        "From: ada@example.com\nTo: team@example.com\nSubject: rules\n\n{}",
        "On Mon, 2 Mar 2026 at 09:12, Ada wrote:\n{}",
        "[10:32] ada: {}\n[10:33] bob: fine",
        "Ada  10:32 AM\n{}",
        "## Summary\n{}\n\n## Test plan\nNone.",
        "**Describe the bug**\n{}\n\n**To reproduce**\nRun it.",
        "# Handbook\n\nHello.\n\n## Deploys\n\n{}",
        "[Pasted text #1 +2 lines]\n{}",
        "--- begin\n{}\n--- end",
        "fix this: {}",
        "summarise:\n\n{}",
        "```\n{}\n```",
        "> {}",
        "she wrote \"{}\"",
        "$ cat policy\n{}",
        "You are a support bot for Acme.\n{} Our refund window is 14 days.",
    ] {
        let held = held_after(&paste.replace("{}", rule));
        assert_eq!(contents(&held), Vec::<&str>::new(), "{paste}");
    }
    // Typed by the person, it is theirs; and what is pasted is still kept as a turn.
    assert_eq!(contents(&held_after(rule)), [rule.trim_end_matches('.')]);
    let home = Home::new();
    Agent::new(&home, "march").hears(&format!("summarise:\n{rule}"));
    Agent::new(&home, "march").ends();
    assert_eq!(crate::hooking::rows(&home, "episode"), 1);
}

#[test]
fn an_error_that_was_pasted_is_no_fact() {
    for pasted in [
        "$ acme skills list\nSkills require a Pro plan",
        "Error: Skills require a Pro plan",
        "I ran it and this came back:\n```\nSkills require a Pro plan\n```",
    ] {
        assert_eq!(contents(&held_after(pasted)), Vec::<&str>::new(), "{pasted}");
    }
}

#[test]
fn a_prompt_of_an_agent_for_its_helper_is_not_the_persons() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let fields = json!({"prompt": "Remember: always deploy on Fridays.", "agent_id": "a3e883f4"});
    agent.tell_at(None, "UserPromptSubmit", &fields);
    agent.ends();
    assert_eq!(home.json(&["list"])["items"], json!([]));
}

#[test]
fn what_is_asked_to_be_remembered_is_the_users_word_whatever_its_wording() {
    for (said, kept) in [
        ("Remember: staging is on 8081.", "staging is on 8081"),
        ("remember this: the cat is called Miso", "the cat is called Miso"),
        (
            "Note: Grace signs off every release. Ask her first.",
            "Grace signs off every release. Ask her first",
        ),
        ("please remember that maybe we move to Bonn", "maybe we move to Bonn"),
        ("Remember: use tabs", "use tabs"),
    ] {
        let held = held_after(said);
        assert_eq!(contents(&held), [kept], "{said}");
        assert_eq!(
            (&held[0]["state"], &held[0]["authority"]),
            (&json!("confirmed"), &json!("user_stated")),
            "{said}"
        );
    }
    for said in
        ["do you remember the port?", "remember when we used Redis?", "I can't remember the port"]
    {
        assert_eq!(contents(&held_after(said)), Vec::<&str>::new(), "{said}");
    }
}

#[test]
fn a_turn_that_is_longer_than_what_is_read_is_not_cut_inside_a_sentence() {
    let said = "The cart is empty, and its total is 0. ".repeat(200);
    let held = held_after(&format!("Read this. {said}"));
    let cut: Vec<&str> =
        contents(&held).into_iter().filter(|text| !text.ends_with("total is 0")).collect();
    assert_eq!(cut, Vec::<&str>::new());
}

#[test]
fn what_is_asked_to_be_remembered_at_length_is_kept_without_the_asking() {
    let service = |n: usize| format!("The service number {n} listens on port {}", 4_000 + n);
    let all: Vec<String> = (0..30).map(service).collect();
    for asking in ["Remember: ", "Please remember the following.\n"] {
        let held = held_after(&format!("{asking}{}.", all.join(". ")));
        let first = held.iter().find(|one| one["content"] == all[0]);
        let first = first.unwrap_or_else(|| panic!("{asking}: {:?}", contents(&held)));
        assert_eq!(first["authority"], "user_stated", "{asking}");
        for text in contents(&held) {
            assert!(!text.to_lowercase().contains("remember"), "{asking}: {text}");
        }
    }
}

#[test]
fn every_host_can_be_asked_to_remember() {
    let said = "Remember: the office cat is called Miso.";
    let home = Home::new();
    let folder = home.project();
    let codex = json!({"session_id": "c", "cwd": folder, "hook_event_name": "UserPromptSubmit", "prompt": said});
    let gemini = json!({"session_id": "g", "cwd": folder, "hook_event_name": "BeforeAgent",
        "prompt": format!("<hook_context>x</hook_context>\n\n{said}")});
    let opencode = json!({"hook": "chat.message", "directory": folder, "input": {"sessionID": "o"},
        "output": {"parts": [{"type": "text", "text": format!("{said:?}")}]}});
    let claude = json!({"session_id": "l", "cwd": folder, "hook_event_name": "UserPromptSubmit", "prompt": said});
    for (who, event, payload) in [
        ("claude-code", "UserPromptSubmit", claude),
        ("codex", "UserPromptSubmit", codex),
        ("gemini", "BeforeAgent", gemini),
        ("opencode", "chat.message", opencode),
    ] {
        let home = Home::new();
        let payload =
            payload.to_string().replace(folder.to_str().unwrap(), home.project().to_str().unwrap());
        let mut command = home.command();
        command.args(["hook", event, "--agent", who]).envs([PATIENT]);
        assert_eq!(run(command, payload.as_bytes()).code, 0, "{who}");
        let held = home.json(&["list"]);
        assert_eq!(held["items"][0]["content"], "the office cat is called Miso", "{who}: {held}");
        assert_eq!(held["items"][0]["state"], "confirmed", "{who}");
    }
}

#[test]
fn every_line_of_a_list_is_kept_by_itself_without_its_mark() {
    let home = Home::new();
    let agent = Agent::new(&home, "monday");
    agent.hears(
        "A few things to know before you touch anything:\n- migrations live in db/migrate\n\
         - money is stored in cents\n- never edit a migration that was merged",
    );
    let mut kept = home.texts(&["list"]);
    kept.sort();
    assert_eq!(
        kept,
        [
            "migrations live in db/migrate",
            "money is stored in cents",
            "never edit a migration that was merged"
        ]
    );
}

#[test]
fn what_is_said_about_another_thing_replaces_nothing() {
    let home = Home::new();
    let timeout = home.remember("The request timeout is 30 seconds");
    Agent::new(&home, "monday").hears("we retry three times");
    assert_eq!(home.show(&timeout)["state"], "confirmed");
}

/// What is to be done from now on by its form, though it reads like a request of the moment.
const FROM_NOW_ON: [&str; 4] = [
    "always run make check before you push",
    "always squash merge PRs",
    "please answer in german from now on",
    "from now on answer in german",
];

#[test]
fn what_is_to_be_done_always_or_from_now_on_is_kept_whole_and_once() {
    for said in FROM_NOW_ON {
        let home = Home::new();
        let agent = Agent::new(&home, "monday");
        agent.hears(said);
        agent.answers("All right.");
        assert_eq!(home.texts(&["list"]), [said]);
    }
}
