//! The four real agents with what one `init` wrote: hooks fire, what one is told another knows,
//! compactions take nothing away, transcripts bring nothing new, and all are let go to the byte.

use std::path::PathBuf;

use serde_json::json;

use crate::desk::{Desk, Said, Who};
use crate::model::Part;
use crate::page::FENCE;
use crate::sessions::{holding, is_on_record};

/// What is told in an agent, what is asked about it in the next, and what the answer must hold.
const RELAY: [(&str, &str, &[&str]); 4] = [
    (
        "We decided to keep sessions in Postgres instead of Redis because Redis lost them twice.",
        "Where do we keep sessions, and why not in Redis?",
        &["sessions", "Postgres", "Redis"],
    ),
    (
        "The staging database runs on port 6543.",
        "Which port does the staging database run on?",
        &["staging", "6543"],
    ),
    (
        "Always run cargo fmt before committing.",
        "What has to be run before committing?",
        &["cargo fmt"],
    ),
    (
        "We decided to use pnpm instead of npm in this repository because npm breaks the lockfile.",
        "Do we use pnpm or npm in this repository?",
        &["pnpm", "npm"],
    ),
];

const FAILS: &str = "Make a full backup of the shop.";
const AGAIN: &str = "Make a full backup of the shop once more.";
const COMMAND: &str = "./backup.sh --full";
const BACKUP: &str = "#!/bin/sh\n\
                      echo 'error: the option --full requires the vault key of the operator' >&2\n\
                      exit 3\n";

fn told() -> Vec<Part> {
    RELAY.iter().map(|(told, ..)| Part::says(told, "Understood.")).collect()
}

/// Whether one line of the pages holds all these words.
fn knows(said: &Said, words: &[&str]) -> bool {
    let pages = said.pages();
    let mut lines =
        pages.iter().flat_map(|page| page.lines()).filter(|line| line.starts_with("- ["));
    lines.any(|line| words.iter().all(|word| line.contains(word)))
}

fn assert_knows(said: &Said, words: &[&str], who: Who) {
    assert!(knows(said, words), "{who:?} is not told {words:?}: {:#?}", said.pages());
}

/// The settings of every agent.
fn settings(desk: &Desk) -> Vec<(PathBuf, Option<String>)> {
    let names = [
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".config/opencode/opencode.jsonc",
        ".config/opencode/plugin/throughline.js",
    ];
    let read = |name: &str| {
        let path = desk.home().join(name);
        let text = std::fs::read_to_string(&path).ok();
        (path, text)
    };
    names.iter().map(|name| read(name)).collect()
}

#[test]
fn what_one_agent_is_told_the_next_one_knows_all_around() {
    let Some(clients) = crate::clients() else { return };
    let desk = Desk::new(&clients, told());
    let before = settings(&desk);
    desk.throughline(&["init"]);

    // Claude Code is told something, Codex knows it and is told something, and so on, around.
    let round = Who::ALL;
    for (at, who) in round.iter().enumerate() {
        desk.say(*who, RELAY[at].0);
        let next = round[(at + 1) % round.len()];
        let asked = desk.say(next, RELAY[at].1);
        assert_knows(&asked, RELAY[at].2, next);
    }
    // And what came from the agent across the table.
    for (at, who) in round.iter().enumerate() {
        let (_, question, words) = RELAY[(at + 2) % RELAY.len()];
        assert_knows(&desk.say(*who, question), words, *who);
    }
    desk.assert_no_failures();

    // Everything in the transcripts came in through the hooks already.
    let held = || (desk.throughline(&["list", "--all"]), desk.json(&["stats"])["rows"].clone());
    let before_past = held();
    for who in round {
        let past = desk.json(&["ingest", "--past", "--agent", who.name()]);
        assert!(past["turns"].as_u64() > Some(4), "{who:?} writes down what was said: {past}");
        assert_eq!(past["episodes"], 0, "{who:?}: {past}");
    }
    assert_eq!(held(), before_past);

    // What we put before the models stands with the agents, and with us only on record.
    for fence in [FENCE, "&lt;memory-"] {
        let mut kept = holding(&desk.memory(), fence);
        kept.retain(|path| !is_on_record(&desk.memory(), path));
        assert_eq!(kept, [] as [PathBuf; 0]);
    }
    let health = desk.json(&["doctor", "--rebuild-check"]);
    assert_eq!(health["ok"], true, "{health}");
    let agents = desk.json(&["status"])["agents"].clone();
    for at in 0..round.len() {
        assert_eq!(agents[at]["state"], "connected", "{agents}");
    }

    desk.throughline(&["uninstall"]);
    let after = settings(&desk);
    for ((path, before), (_, after)) in before.iter().zip(&after) {
        if path.ends_with("config.toml") {
            // Codex notes of its own that it has seen the folder; ours must be gone.
            let text = after.as_deref().unwrap_or_default();
            assert!(text.starts_with(before.as_deref().unwrap_or_default()), "{text}");
            assert!(!text.contains("mcp_servers"), "{text}");
        } else {
            assert_eq!(before, after, "{}", path.display());
        }
    }
}

#[test]
fn what_failed_in_one_session_is_a_warning_in_the_next_one() {
    let Some(clients) = crate::clients() else { return };
    for who in Who::ALL {
        let (tool, field) = who.shell();
        let input = json!({field: COMMAND, "description": "what was asked for"});
        let words = "`./backup.sh --full` did not work here. I leave the backup to you.";
        let script = vec![
            Part::calls(AGAIN, tool, input.clone(), words),
            Part::calls(FAILS, tool, input, words),
        ];
        let desk = Desk::connected(&clients, script);
        let path = desk.project().join("backup.sh");
        std::fs::write(&path, BACKUP).expect("a file can be written");
        let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, runs).expect("a file can be made to run");
        let first = desk.say(who, FAILS);
        assert!(first.holds("requires the vault key"), "{who:?}: {}", first.printed);
        if who == Who::Codex {
            // Its hooks do not say how a command ended; its transcripts do.
            desk.throughline(&["ingest", "--past", "--agent", "codex"]);
        }
        let second = desk.say(who, AGAIN);
        assert_knows(&second, &["backup.sh --full", "vault key"], who);
        desk.assert_no_failures();
        let expected: &[&str] = match who {
            Who::Claude => &[
                "PostToolBatch",
                "PostToolUseFailure",
                "PreToolUse",
                "SessionEnd",
                "SessionStart",
                "Stop",
                "UserPromptSubmit",
            ],
            Who::Codex => &[
                "PostToolUse",
                "PreToolUse",
                "SessionEnd",
                "SessionStart",
                "Stop",
                "UserPromptSubmit",
            ],
            Who::Gemini => {
                &["AfterAgent", "AfterTool", "BeforeAgent", "SessionEnd", "SessionStart"]
            }
            Who::Opencode => &[
                "chat-message",
                "dispose",
                "event-session-created",
                "event-session-idle",
                "tool-execute-after",
                "tool-execute-before",
            ],
        };
        assert_eq!(desk.fired(who), expected, "{who:?}");
    }
}

#[test]
fn a_compaction_takes_nothing_away() {
    let Some(clients) = crate::clients() else { return };
    let (told, question, words) = RELAY[0];
    let long = "Look at all the files, please.";
    for who in [Who::Codex, Who::Opencode] {
        let (tool, field) = who.shell();
        let input = json!({field: "ls", "description": "what was asked for"});
        let crowded = Part {
            tokens: 99_500,
            calls: vec![(tool, input.clone()), (tool, input)],
            ..Part::says(long, "There are none.")
        };
        let script = vec![Part::says(told, "Understood."), crowded];
        let desk = Desk::connected(&clients, script);
        desk.say(who, told);
        let more: &[&str] = match who {
            Who::Codex => &["-c", "model_auto_compact_token_limit=90000"],
            Who::Claude | Who::Gemini | Who::Opencode => &[],
        };
        let crowded = desk.say_with(who, long, more);
        let fired = desk.fired(who);
        let compacted = match who {
            Who::Codex => "PreCompact",
            Who::Claude | Who::Gemini | Who::Opencode => "experimental-session-compacting",
        };
        assert!(fired.iter().any(|name| name == compacted), "{who:?}: {fired:?}");
        let last = Said {
            requests: crowded.requests.last().cloned().into_iter().collect(),
            printed: String::new(),
        };
        assert_knows(&last, words, who);
        assert_eq!(last.blocks(), 1, "{who:?}: {:#?}", last.pages());
        assert_knows(&desk.say(who, question), words, who);
        desk.assert_no_failures();
    }
}
