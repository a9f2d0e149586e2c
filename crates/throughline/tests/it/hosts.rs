//! Hooks of every agent, as recorded: answered in its own shape, kept, and recalled in another.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::{DECISION, PATIENT};

/// What an agent is called, and how it says what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Codex,
    Gemini,
    Opencode,
    Cursor,
}

const ALL: [Who; 4] = [Who::Codex, Who::Gemini, Who::Opencode, Who::Cursor];

impl Who {
    const fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
        }
    }

    /// The event and the payload of a moment.
    fn says(self, moment: &str, session: &str, folder: &Path, text: &str) -> (&'static str, Value) {
        let event = match (self, moment) {
            (Self::Codex | Self::Gemini, "start") => "SessionStart",
            (Self::Codex, "prompt") => "UserPromptSubmit",
            (Self::Codex, "answer") => "Stop",
            (Self::Codex | Self::Gemini, "end") => "SessionEnd",
            (Self::Gemini, "prompt") => "BeforeAgent",
            (Self::Gemini, "answer") => "AfterAgent",
            (Self::Opencode, "start") => "event:session.created",
            (Self::Opencode, "prompt") => "chat.message",
            (Self::Opencode, "answer") => "event:session.idle",
            (Self::Opencode, "end") => "dispose",
            (Self::Cursor, "start") => "sessionStart",
            (Self::Cursor, "prompt") => "beforeSubmitPrompt",
            (Self::Cursor, "answer") => "afterAgentResponse",
            (Self::Cursor, "end") => "sessionEnd",
            _ => panic!("{moment} is no moment"),
        };
        let payload = match self {
            Self::Opencode => json!({"hook": event, "directory": folder, "text": text,
                "input": {"sessionID": session},
                "output": {"parts": [{"type": "text", "text": format!("{text:?}")}]}}),
            Self::Cursor => json!({"conversation_id": session, "hook_event_name": event,
                "workspace_roots": [folder], "prompt": text, "text": text}),
            Self::Codex | Self::Gemini => json!({"session_id": session, "cwd": folder,
                "hook_event_name": event, "source": "startup", "prompt": text,
                "last_assistant_message": text, "prompt_response": text}),
        };
        (event, payload)
    }
}

fn call(home: &Home, who: &str, event: &str, payload: &[u8]) -> Run {
    let mut command = home.command();
    command.args(["hook", event, "--agent", who]).envs([PATIENT]);
    crate::hooking::run(command, payload)
}

/// What a hook put before the model, whatever the shape.
fn told(run: &Run) -> String {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&run.stdout).expect("an answer is one JSON document");
    let fields = answer.as_object().expect("an answer is an object");
    assert_eq!(fields.len(), 1, "nothing but what must be there: {answer}");
    let texts = [
        &answer["hookSpecificOutput"]["additionalContext"],
        &answer["context"],
        &answer["additional_context"],
    ];
    texts.into_iter().find_map(Value::as_str).expect("it tells a text").to_owned()
}

fn tell(home: &Home, who: Who, moment: &str, session: &str, text: &str) -> String {
    let (event, payload) = who.says(moment, session, &home.project(), text);
    let told = told(&call(home, who.name(), event, payload.to_string().as_bytes()));
    let failures = std::fs::read_to_string(home.path().join("hook-failures.jsonl"));
    assert_eq!(failures.unwrap_or_default(), "", "{who:?} {moment}");
    told
}

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../throughline-agents/tests/fixtures")
        .join(folder);
    let entries = std::fs::read_dir(&folder).expect("recordings are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    files
}

#[test]
fn every_recorded_payload_is_taken_and_the_agent_goes_on() {
    let home = Home::new();
    let folders = [
        ("codex", "codex"),
        ("codex", "codex-compact"),
        ("codex", "codex-plugin"),
        ("gemini", "gemini-cli"),
        ("gemini", "gemini-extension"),
        ("claude-code", "claude-code"),
    ];
    for (agent, folder) in folders {
        for file in fixtures(folder) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let event = name.split('.').next().unwrap();
            told(&call(&home, agent, event, &std::fs::read(&file).unwrap()));
        }
    }
    let lines = std::fs::read_to_string(&fixtures("opencode")[0]).unwrap();
    let of_use = lines.lines().filter(|line| !line.contains("\"event:plugin.added\""));
    for line in of_use {
        let payload: Value = serde_json::from_str(line).unwrap();
        told(&call(&home, "opencode", payload["hook"].as_str().unwrap(), line.as_bytes()));
    }
    let failures = std::fs::read_to_string(home.path().join("hook-failures.jsonl"));
    assert_eq!(failures.unwrap_or_default(), "");
    for payload in [&b"not json"[..], b"[]", b"{}", br#"{"hook_event_name": "Brandnew"}"#] {
        for agent in ["codex", "gemini", "opencode", "cursor"] {
            let run = call(&home, agent, "Brandnew", payload);
            assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{agent}");
        }
    }
}

#[test]
fn what_is_decided_in_one_agent_is_known_in_every_other() {
    for who in ALL {
        let home = Home::live();
        tell(&home, who, "start", "one", "");
        tell(&home, who, "prompt", "one", DECISION);
        tell(&home, who, "answer", "one", "Sessions stay in Postgres then.");
        tell(&home, who, "end", "one", "");
        for other in ALL {
            let brief = tell(&home, other, "start", "two", "");
            assert!(brief.contains("Postgres instead of Redis"), "{who:?} to {other:?}: {brief}");
            assert!(brief.contains("<memory-"), "{brief}");
        }
        assert_eq!(home.json(&["list", "--kind", "decision"])["total"], 1, "{who:?}");
    }
}

#[test]
fn our_own_page_never_comes_back_as_somebodys_words() {
    for who in ALL {
        let home = Home::live();
        tell(&home, who, "prompt", "one", DECISION);
        tell(&home, who, "end", "one", "");
        let brief = tell(&home, who, "start", "two", "");
        assert!(!brief.is_empty(), "{who:?}");
        let before = home.json(&["stats"])["rows"]["evidence"].clone();
        let escaped = brief.replace('<', "&lt;").replace('>', "&gt;");
        for page in [&brief, &escaped] {
            let words = format!("<hook_context>{page}</hook_context>\n\nGood morning!");
            tell(&home, who, "prompt", "two", &words);
            tell(&home, who, "answer", "two", &format!("As you say: {page}"));
        }
        tell(&home, who, "end", "two", "");
        assert_eq!(home.json(&["stats"])["rows"]["evidence"], before, "{who:?}");
        for entry in std::fs::read_dir(home.path().join("journal")).expect("it is kept") {
            let kept = std::fs::read_to_string(entry.expect("it can be listed").path()).unwrap();
            assert!(!kept.contains("Recalled data"), "{who:?}: {kept}");
        }
    }
}

fn turns(home: &Home) -> u64 {
    home.json(&["stats"])["rows"]["episode"].as_u64().unwrap_or(0)
}

#[test]
fn a_session_that_was_cut_off_is_taken_in_when_the_next_begins() {
    for who in ALL {
        let home = Home::live();
        let (event, payload) =
            who.says("prompt", "one", &home.project(), "Hello there, how are you?");
        told(&call(&home, who.name(), event, payload.to_string().as_bytes()));
        // What a tool did lies in the journal only; then the agent is gone.
        let (event, payload) = match who {
            Who::Codex => (
                "PostToolUse",
                json!({"session_id": "one", "cwd": home.project(),
                "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "built"}),
            ),
            Who::Gemini => (
                "AfterTool",
                json!({"session_id": "one", "cwd": home.project(),
                "tool_name": "run_shell_command", "tool_input": {"command": "make"},
                "tool_response": {"llmContent": "Output: built\nProcess Group PGID: 7"}}),
            ),
            Who::Opencode => (
                "tool.execute.after",
                json!({"hook": "tool.execute.after",
                "directory": home.project(), "input": {"sessionID": "one", "tool": "bash",
                "callID": "c", "args": {"command": "make"}}, "output": {"output": "built"}}),
            ),
            Who::Cursor => (
                "postToolUse",
                json!({"conversation_id": "one",
                "workspace_roots": [home.project()], "tool_name": "Shell",
                "tool_input": {"command": "make"}, "tool_output": "built"}),
            ),
        };
        told(&call(&home, who.name(), event, payload.to_string().as_bytes()));
        assert!(!home.database().exists() || turns(&home) < 2, "{who:?}");
        tell(&home, who, "start", "two", "");
        assert_eq!(turns(&home), 2, "{who:?}");
    }
}

#[test]
fn a_warning_comes_with_the_result_where_nobody_listens_before() {
    let home = Home::live();
    let fields = |session: &str, output: &str| {
        json!({"session_id": session, "cwd": home.project(), "hook_event_name": "AfterTool",
            "tool_name": "run_shell_command", "tool_input": {"command": "./backup.sh --full"},
            "tool_response": {"llmContent": output}})
        .to_string()
    };
    let failed = "Output: error: the option --full requires the vault key\nExit Code: 3";
    told(&call(&home, "gemini", "AfterTool", fields("one", failed).as_bytes()));
    tell(&home, Who::Gemini, "answer", "one", "`./backup.sh --full` did not work here.");
    tell(&home, Who::Gemini, "end", "one", "");
    let warning = told(&call(&home, "gemini", "AfterTool", fields("two", failed).as_bytes()));
    assert!(warning.contains("vault key"), "{warning}");
}

#[test]
fn a_compaction_that_gemini_only_thinks_about_costs_nothing() {
    let home = Home::new();
    let payload = json!({"session_id": "one", "cwd": home.project(),
        "hook_event_name": "PreCompress", "trigger": "auto"});
    for _ in 0..3 {
        let run = call(&home, "gemini", "PreCompress", payload.to_string().as_bytes());
        assert_eq!(told(&run), "");
    }
    assert!(!home.database().exists(), "the memory is not even opened");
    assert!(!home.path().join("journal").exists(), "nothing is written down");
}
