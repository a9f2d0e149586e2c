//! Claude Code with a private home, our hooks in its settings, and a scripted model.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::{Model, Part};
use crate::page::{messages, pages_of};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_throughline");
/// A turn that takes longer hangs.
const TURN: Duration = Duration::from_secs(60);

/// How long a hook may take: a machine may be busy, and this is not about how fast it is. The agent
/// itself waits no longer than five seconds.
const DEADLINE_MS: &str = "4000";

/// An agent, its model and a memory, in a folder that goes away with the test.
pub(crate) struct ClaudeCode {
    folder: tempfile::TempDir,
    clients: PathBuf,
    model: Model,
}

impl ClaudeCode {
    /// Connects an agent that has just been installed, as a person would: with `init`.
    pub(crate) fn connected(clients: &Path, script: Vec<Part>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let clients = clients
            .canonicalize()
            .expect("THROUGHLINE_CLIENTS is the full path of a folder that is there");
        let agent = Self { folder, clients, model: Model::start(script) };
        std::fs::create_dir_all(agent.project()).expect("a folder can be made");
        let config = agent.config();
        agent.throughline(&["init", "--config", config.to_str().expect("a plain name")]);
        agent
    }

    /// Where memory is kept.
    pub(crate) fn memory(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    /// The project that is worked on.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("webshop")
    }

    /// Where the agent keeps its settings.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// A script in the project that can be run.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, runs).expect("a file can be made to run");
    }

    /// Runs our program by hand. It must succeed.
    pub(crate) fn throughline(&self, args: &[&str]) -> String {
        let output = self
            .clean(PROGRAM)
            .arg("--project")
            .arg(self.project())
            .args(args)
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        String::from_utf8(output.stdout).expect("the program prints UTF-8")
    }

    /// A new session.
    pub(crate) fn begin(&self) -> Session<'_> {
        self.start(&[])
    }

    /// A session that goes on.
    pub(crate) fn resume(&self, session: &str) -> Session<'_> {
        self.start(&["--resume", session])
    }

    fn start(&self, more: &[&str]) -> Session<'_> {
        let mut child = self
            .clean(self.clients.join("node_modules/.bin/claude"))
            .args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"])
            .args(["--verbose", "--include-hook-events", "--allowedTools", "Bash"])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Claude Code starts; tools/clients/install.sh installs it");
        let (send, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("its output is ours"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or_else(|_| json!({"text": line}));
                if send.send(event).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take().expect("its input is ours");
        Session { agent: self, child, input, lines }
    }

    /// A program with nothing of this machine around it but what it needs to run.
    fn clean(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let modules = self.clients.join("node_modules");
        let mut path = vec![modules.join("node/bin"), modules.join(".bin")];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::join_paths(path).expect("plain paths"))
            .env("HOME", self.folder.path())
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("THROUGHLINE_HOME", self.memory())
            .env("THROUGHLINE_DEADLINE_MS", DEADLINE_MS)
            .env("ANTHROPIC_BASE_URL", self.model.url())
            .env("ANTHROPIC_API_KEY", "none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("IS_SANDBOX", "1")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }
}

/// An agent that is running.
pub(crate) struct Session<'a> {
    agent: &'a ClaudeCode,
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
}

impl Session<'_> {
    /// Types a prompt and waits until the agent has done with it.
    pub(crate) fn say(&mut self, prompt: &str) -> Turn {
        let before = self.agent.model.requests().len();
        let line = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        writeln!(self.input, "{line}").expect("the agent listens");
        let mut events: Vec<Value> = Vec::new();
        while events.last().is_none_or(|last| last["type"] != "result") {
            let event = self.lines.recv_timeout(TURN);
            events.push(event.unwrap_or_else(|_| panic!("{prompt:?} hangs after {events:#?}")));
        }
        let result = events.last().expect("the loop ends with one");
        assert_eq!(result["is_error"], false, "{prompt:?}: {result}");
        let requests = self.agent.model.requests().split_off(before);
        Turn { prompt: prompt.to_owned(), events, requests }
    }

    /// Ends the session.
    pub(crate) fn end(self) {
        let Self { mut child, input, lines, .. } = self;
        drop(input);
        // What it says while it leaves is of no interest, but it must be able to say it.
        while lines.recv_timeout(TURN).is_ok() {}
        assert!(child.wait().expect("the agent ends").success());
    }
}

/// A prompt, and all that happened until the agent was done with it.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) prompt: String,
    /// What the agent reported.
    pub(crate) events: Vec<Value>,
    /// What came before the model.
    pub(crate) requests: Vec<Value>,
}

impl Turn {
    /// The session that it was in.
    pub(crate) fn session(&self) -> String {
        let last = self.events.last().expect("a turn ends with its result");
        last["session_id"].as_str().expect("a result names its session").to_owned()
    }

    /// The hooks that were carried out, as the agent reports them.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(|event| event["subtype"] == "hook_response")
    }

    /// What a hook put before the model, all of it together. The name may say more than the event:
    /// `SessionStart:compact`.
    pub(crate) fn told_by(&self, name: &str) -> String {
        let hooks = self.hooks().filter(|hook| hook["hook_name"] == name);
        let said = hooks.filter_map(|hook| hook["stdout"].as_str());
        said.filter_map(|text| serde_json::from_str::<Value>(text).ok())
            .filter_map(|answer| {
                let told = &answer["hookSpecificOutput"]["additionalContext"];
                told.as_str().map(str::to_owned)
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The last thing that came before the model.
    pub(crate) fn request(&self) -> &Value {
        self.requests.last().unwrap_or_else(|| panic!("{:?}: no request", self.prompt))
    }

    /// All our pages in it.
    pub(crate) fn pages(&self) -> Vec<String> {
        pages_of(messages(self.request()))
    }
}
