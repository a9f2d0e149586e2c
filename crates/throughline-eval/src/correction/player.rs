//! The program under test: its hooks, called as an agent calls them, and its commands.

use std::cell::Cell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use throughline_core::Timestamp;

/// Somewhere to keep memory, with a clock that only these calls move.
#[derive(Debug)]
pub(crate) struct Home {
    folder: tempfile::TempDir,
    binary: PathBuf,
    now_ms: Cell<i64>,
}

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 24 * 60 * 60 * SECOND_MS;
/// 2 March 2026, nine o'clock.
const BEGIN_MS: i64 = 1_772_442_000_000;

impl Home {
    pub(crate) fn new(binary: &Path) -> anyhow::Result<Self> {
        // In memory where the machine allows it: this is about words, and not about disks.
        let shared = Path::new("/dev/shm");
        let folder = if shared.is_dir() {
            tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir())?
        } else {
            tempfile::tempdir()?
        };
        Ok(Self { folder, binary: binary.to_owned(), now_ms: Cell::new(BEGIN_MS) })
    }

    /// Days go by.
    pub(crate) fn wait_days(&self, days: i64) {
        self.now_ms.set(self.now_ms.get() + days * DAY_MS);
    }

    /// A project's folder, which is made if it is not there.
    pub(crate) fn project(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A file beside the projects.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("THROUGHLINE_") {
                command.env_remove(name);
            }
        }
        command.env("CLAUDE_CONFIG_DIR", self.folder.path().join("no-agent"));
        command.env("THROUGHLINE_HOME", self.folder.path().join("home"));
        command.env("THROUGHLINE_NOW", self.tick().to_string());
        command.env("THROUGHLINE_DEADLINE_MS", "20000");
        command.stdin(Stdio::null());
        command
    }

    /// The moment, which then is over.
    fn tick(&self) -> Timestamp {
        let now = self.now_ms.replace(self.now_ms.get() + 20 * SECOND_MS);
        Timestamp::from_millis(now)
    }

    /// Calls a hook. Returns what is put before the model.
    pub(crate) fn hook(
        &self,
        project: &Path,
        session: &str,
        event: &str,
        fields: &Value,
    ) -> anyhow::Result<String> {
        let transcript = self.file(&format!("{session}.jsonl"));
        let mut payload = json!({
            "session_id": session,
            "transcript_path": transcript,
            "cwd": project,
            "permission_mode": "default",
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        let mut command = self.command();
        command.args(["hook", event, "--agent", "claude-code"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| self.binary.display().to_string())?;
        if let Some(mut input) = child.stdin.take() {
            // Whoever has heard enough may hang up.
            drop(input.write_all(payload.to_string().as_bytes()));
        }
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "the hook {event} failed");
        if output.stdout.is_empty() {
            return Ok(String::new());
        }
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let told = answer["hookSpecificOutput"]["additionalContext"].as_str();
        Ok(told.unwrap_or_default().to_owned())
    }

    /// Runs a command. Returns what it prints, if it succeeds.
    pub(crate) fn run(&self, project: &Path, args: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command();
        let output = command.arg("--project").arg(project).args(args).output()?;
        let problem = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}: {problem}", args.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a command that answers in JSON.
    pub(crate) fn json(&self, project: &Path, args: &[&str]) -> anyhow::Result<Value> {
        let printed = self.run(project, &[&["--json"], args].concat())?;
        Ok(serde_json::from_str(&printed)?)
    }

    /// Whether there is a command of this name.
    pub(crate) fn has_command(&self, name: &str) -> anyhow::Result<bool> {
        let help = self.command().arg("--help").output()?.stdout;
        let help = String::from_utf8_lossy(&help);
        Ok(help.lines().any(|line| line.split_whitespace().next() == Some(name)))
    }

    /// The hooks that could not do their work.
    pub(crate) fn failures(&self) -> usize {
        let file = self.folder.path().join("home").join("hook-failures.jsonl");
        std::fs::read_to_string(file).unwrap_or_default().lines().count()
    }
}

/// An agent in one of its sessions.
#[derive(Debug)]
pub(crate) struct Agent<'a> {
    pub(crate) home: &'a Home,
    pub(crate) project: PathBuf,
    pub(crate) session: String,
    /// What was said, as the agent's own transcript has it.
    transcript: Vec<Value>,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(home: &'a Home, project: &Path, session: String) -> Self {
        Self { home, project: project.to_owned(), session, transcript: Vec::new() }
    }

    fn hook(&self, event: &str, fields: &Value) -> anyhow::Result<String> {
        self.home.hook(&self.project, &self.session, event, fields)
    }

    pub(crate) fn starts(&self) -> anyhow::Result<String> {
        self.hook("SessionStart", &json!({"source": "startup"}))
    }

    pub(crate) fn hears(&mut self, prompt: &str) -> anyhow::Result<String> {
        self.note("user", &json!(prompt));
        self.hook("UserPromptSubmit", &json!({"prompt": prompt}))
    }

    pub(crate) fn answers(&mut self, words: &str) -> anyhow::Result<()> {
        self.note("assistant", &json!([{"type": "text", "text": words}]));
        let fields = json!({"stop_hook_active": false, "last_assistant_message": words});
        self.hook("Stop", &fields).map(drop)
    }

    pub(crate) fn runs(&self, command: &str, output: &str) -> anyhow::Result<()> {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": "toolu_1", "tool_response": output});
        self.hook("PostToolBatch", &json!({"tool_calls": [call]})).map(drop)
    }

    pub(crate) fn ends(&self) -> anyhow::Result<()> {
        self.hook("SessionEnd", &json!({"reason": "other"})).map(drop)
    }

    /// Something was said that no hook heard of: it stands in the transcript alone.
    pub(crate) fn noted(&mut self, who: &str, words: &str) {
        let blocks = json!([{"type": "text", "text": words}]);
        self.note(who, &if who == "user" { json!(words) } else { blocks });
    }

    fn note(&mut self, who: &str, content: &Value) {
        let at = Timestamp::from_millis(self.home.now_ms.get()).to_string();
        let uuid = format!("{} {}", self.session, self.transcript.len());
        self.transcript.push(json!({"parentUuid": null, "isSidechain": false, "type": who,
            "uuid": uuid, "message": {"role": who, "content": content}, "timestamp": at,
            "userType": "external", "cwd": self.project, "version": "2.1.325"}));
    }

    /// The transcript as Claude Code writes it, under the session's name or another.
    pub(crate) fn transcript(&self, session: &str) -> String {
        let line = |record: &Value| {
            let mut record = record.clone();
            record["sessionId"] = session.into();
            format!("{record}\n")
        };
        self.transcript.iter().map(line).collect()
    }
}
