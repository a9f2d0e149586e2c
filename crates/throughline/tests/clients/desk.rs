//! One person's desk with all agents on it, connected by one `init`: the real programs, a scripted
//! model behind every wire, and one memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model::{Model, Part};
use crate::page::pages_in;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_throughline");
/// How long a hook may take: a machine may be busy, and this is not about how fast it is.
const DEADLINE_MS: &str = "4000";
/// A prompt that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(150);

/// An agent on the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl Who {
    pub(crate) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// What we call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// Its tool for commands, and what it calls the command.
    pub(crate) const fn shell(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("Bash", "command"),
            Self::Codex => ("exec_command", "cmd"),
            Self::Gemini => ("run_shell_command", "command"),
            Self::Opencode => ("bash", "command"),
        }
    }
}

pub(crate) struct Desk {
    folder: tempfile::TempDir,
    clients: PathBuf,
    model: Model,
}

/// What came of a prompt.
pub(crate) struct Said {
    /// What came before the model.
    pub(crate) requests: Vec<Value>,
    /// What the agent printed.
    pub(crate) printed: String,
}

impl Desk {
    /// Sets up every agent as it is after its first start, without us.
    pub(crate) fn new(clients: &Path, script: Vec<Part>) -> Self {
        let clients =
            clients.canonicalize().expect("THROUGHLINE_CLIENTS is a folder that is there");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let desk = Self { folder, clients, model: Model::start(script) };
        let url = desk.model.url();
        desk.put(".claude/settings.json", "{}\n");
        desk.put(
            ".codex/config.toml",
            &format!(
                "# a scripted model\nmodel = \"scripted\"\nmodel_provider = \"local\"\n\n\
                 [model_providers.local]\nname = \"local\"\nbase_url = \"{url}/v1\"\n\
                 wire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\n"
            ),
        );
        desk.put(
            ".gemini/settings.json",
            "{\n  // a key is enough\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } }\n}\n",
        );
        desk.put(
            ".config/opencode/opencode.jsonc",
            &format!(
                r#"{{
  "$schema": "https://opencode.ai/config.json",
  // a scripted model
  "model": "local/scripted",
  "provider": {{
    "local": {{
      "npm": "@ai-sdk/openai-compatible",
      "options": {{ "baseURL": "{url}/v1", "apiKey": "none" }},
      "models": {{ "scripted": {{ "limit": {{ "context": 100000, "output": 4000 }} }} }},
    }},
  }},
}}
"#
            ),
        );
        std::fs::create_dir_all(desk.project()).expect("a folder can be made");
        desk
    }

    /// The same, connected by hand: with `init`.
    pub(crate) fn connected(clients: &Path, script: Vec<Part>) -> Self {
        let desk = Self::new(clients, script);
        desk.throughline(&["init"]);
        desk
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        let folder = path.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there")
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.home().join("memory")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("webshop")
    }

    /// Runs our program by hand. It must succeed.
    pub(crate) fn throughline(&self, args: &[&str]) -> String {
        let output = self.clean(PROGRAM).args(args).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        String::from_utf8(output.stdout).expect("the program prints UTF-8")
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let answer = self.throughline(&[&["--json"], args].concat());
        serde_json::from_str(&answer).expect("the answer is one JSON document")
    }

    /// A session of one prompt.
    pub(crate) fn say(&self, who: Who, prompt: &str) -> Said {
        self.say_with(who, prompt, &[])
    }

    pub(crate) fn say_with(&self, who: Who, prompt: &str, more: &[&str]) -> Said {
        let before = self.model.requests().len();
        let printed = finish(self.prompted(who, prompt, more), who, prompt);
        Said { requests: self.model.requests().split_off(before), printed }
    }

    /// A session of one prompt in which the agent is killed, as soon as our server runs. Nothing of
    /// the agent or of ours is left then.
    pub(crate) fn kill(&self, who: Who, prompt: &str) {
        let mut command = self.prompted(who, prompt, &[]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the agent starts; tools/clients/install.sh installs it");
        let began = Instant::now();
        let client = loop {
            let client = self.running().iter().find_map(|one| client_of(one));
            // Whoever has lost its parent has one that is none of our business.
            if let Some(client) = client.filter(|id| self.is_here(&Path::new("/proc").join(id))) {
                break client;
            }
            assert!(began.elapsed() < PATIENCE, "{who:?} does not start our server");
            std::thread::sleep(Duration::from_millis(5));
        };
        // What was started may only be a shell around what talks to us.
        for id in [client, child.id().to_string()] {
            Command::new("kill").args(["-9", &id]).stderr(Stdio::null()).status().ok();
        }
        child.wait().expect("the agent is gone");
        self.assert_nothing_runs();
    }

    fn prompted(&self, who: Who, prompt: &str, more: &[&str]) -> Command {
        let mut command = self.agent(who);
        match who {
            Who::Claude => command.args([
                "-p",
                prompt,
                "--allowedTools",
                "Bash,mcp__throughline,mcp__plugin_throughline_throughline",
            ]),
            Who::Codex => command.args(["exec", "--skip-git-repo-check", "--json"]).args([
                "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox",
            ]),
            Who::Gemini => command.args(["-y", "-o", "text", "-p", prompt]),
            Who::Opencode => command.args(["run", "--format", "json"]),
        };
        command.args(more);
        if matches!(who, Who::Codex | Who::Opencode) {
            command.arg(prompt);
        }
        command
    }

    /// Runs an agent by hand, for something else than a prompt.
    pub(crate) fn run(&self, who: Who, args: &[&str]) -> String {
        let mut command = self.agent(who);
        command.args(args);
        finish(command, who, &args.join(" "))
    }

    /// Sits down at a terminal with an agent in it. Of each step, the words are waited for and then
    /// the keys are typed.
    pub(crate) fn type_in(&self, who: Who, more: &[&str], steps: &[(&str, &str)]) -> Said {
        let before = self.model.requests().len();
        let agent = self.agent(who);
        let script = self.home().join("steps.jsonl");
        let lines: Vec<String> = steps.iter().map(|step| json!(step).to_string()).collect();
        std::fs::write(&script, lines.join("\n")).expect("a file can be written");
        let mut command = self.clean(self.clients.join("python/bin/python"));
        command
            .args(["-c", include_str!("terminal.py"), "60"])
            .arg(agent.get_program())
            .args(more)
            .stdin(std::fs::File::open(script).expect("a file can be read"));
        let printed = finish(command, who, "a terminal");
        Said { requests: self.model.requests().split_off(before), printed }
    }

    fn agent(&self, who: Who) -> Command {
        let name = match who {
            Who::Claude => "claude",
            Who::Codex => "codex",
            Who::Gemini => "gemini",
            Who::Opencode => "opencode",
        };
        self.clean(self.clients.join("node_modules/.bin").join(name))
    }

    /// A program with nothing of this machine around it but what it needs to run.
    fn clean(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let modules = self.clients.join("node_modules");
        let mut path =
            vec![modules.join("node/bin"), modules.join(".bin"), self.home().join("bin")];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::join_paths(path).expect("plain paths"))
            .env("HOME", self.home())
            .env("THROUGHLINE_HOME", self.memory())
            .env("THROUGHLINE_DEADLINE_MS", DEADLINE_MS)
            .env("ANTHROPIC_BASE_URL", self.model.url())
            .env("ANTHROPIC_API_KEY", "none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("IS_SANDBOX", "1")
            .env("LOCAL_KEY", "none")
            .env("GEMINI_API_KEY", "none")
            .env("GOOGLE_GEMINI_BASE_URL", self.model.url())
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// Puts our program where it is found by its name, as a package would.
    pub(crate) fn put_on_path(&self) {
        let folder = self.home().join("bin");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let link = std::os::unix::fs::symlink(PROGRAM, folder.join("throughline"));
        link.expect("a link can be made");
    }

    /// The hooks of an agent that were called, by name.
    pub(crate) fn fired(&self, who: Who) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.memory().join("fired")) else { return Vec::new() };
        let names = entries.map(|one| one.expect("it can be listed").file_name());
        let prefix = format!("{}-", who.name());
        let mut fired: Vec<String> = names
            .filter_map(|name| {
                let name = name.to_string_lossy().into_owned();
                match who {
                    Who::Claude => (!name.contains('-')).then_some(name),
                    Who::Codex | Who::Gemini | Who::Opencode => {
                        name.strip_prefix(&prefix).map(str::to_owned)
                    }
                }
            })
            .collect();
        fired.sort();
        fired
    }

    /// No hook has failed.
    pub(crate) fn assert_no_failures(&self) {
        let failed = std::fs::read_to_string(self.memory().join("hook-failures.jsonl"));
        assert_eq!(failed.unwrap_or_default(), "", "no hook fails");
    }

    /// Nothing of ours runs once the agents are gone.
    pub(crate) fn assert_nothing_runs(&self) {
        let began = Instant::now();
        while let Some(process) = self.running().pop() {
            assert!(began.elapsed() < Duration::from_secs(1), "{process} is left over");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The processes of our program over this memory. Only Linux tells.
    fn running(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let ours = |folder: &PathBuf| {
            let program = std::fs::read_link(folder.join("exe")).unwrap_or_default();
            program.file_name().is_some_and(|name| name == "throughline") && self.is_here(folder)
        };
        let folders = entries.flatten().map(|entry| entry.path());
        folders.filter(ours).map(|folder| folder.display().to_string()).collect()
    }

    /// Whether a process belongs to this desk. Processes come and go, and some are not ours to see.
    fn is_here(&self, process: &Path) -> bool {
        let home = format!("THROUGHLINE_HOME={}", self.memory().display());
        let around = std::fs::read(process.join("environ")).unwrap_or_default();
        around.split(|byte| *byte == 0).any(|one| one == home.as_bytes())
    }
}

/// The process that started a server of ours; `None` where a process is no server.
fn client_of(process: &str) -> Option<String> {
    let read = |name: &str| std::fs::read_to_string(Path::new(process).join(name)).ok();
    if !read("cmdline")?.split('\0').any(|word| word == "mcp") {
        return None;
    }
    let status = read("status")?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")).map(|id| id.trim().to_owned())
}

/// Lets an agent come to its end.
fn finish(mut command: Command, who: Who, what: &str) -> String {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the agent starts; tools/clients/install.sh installs it");
    let id = child.id();
    let (send, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()).ok());
    let output = match done.recv_timeout(PATIENCE) {
        Ok(output) => output.expect("the agent ends"),
        Err(_) => {
            Command::new("kill").arg(id.to_string()).status().ok();
            panic!("{who:?} hangs at {what:?}");
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{who:?} at {what:?}: {printed}");
    printed
}

impl Said {
    /// Our pages in what came before the model, wherever they stand in it.
    pub(crate) fn pages(&self) -> Vec<String> {
        let mut pages: Vec<String> = Vec::new();
        for request in &self.requests {
            texts(request, &mut |text| {
                // Gemini CLI escapes brackets.
                let plain = text.replace("&lt;", "<").replace("&gt;", ">");
                for page in pages_in(&plain) {
                    if !pages.contains(&page) {
                        pages.push(page);
                    }
                }
            });
        }
        pages
    }

    /// How many pages of ours one request holds at most, the same one twice counted twice.
    pub(crate) fn blocks(&self) -> usize {
        let count = |request: &Value| {
            let mut blocks = 0;
            texts(request, &mut |text| {
                let plain = text.replace("&lt;", "<").replace("&gt;", ">");
                blocks += pages_in(&plain).len();
            });
            blocks
        };
        self.requests.iter().map(count).max().unwrap_or(0)
    }

    /// What came before the model while no tool of this session had returned yet.
    pub(crate) fn before_tools(&self) -> Self {
        let none = |request: &&Value| {
            let mut returned = Vec::new();
            results(request, &mut returned);
            returned.is_empty()
        };
        let requests = self.requests.iter().filter(none).cloned().collect();
        Self { requests, printed: self.printed.clone() }
    }

    /// What tools returned, as it came before the model.
    pub(crate) fn returned(&self) -> Vec<String> {
        let mut returned = Vec::new();
        for request in &self.requests {
            results(request, &mut returned);
        }
        returned
    }

    /// Whether a text came before the model.
    pub(crate) fn holds(&self, wanted: &str) -> bool {
        let mut found = false;
        for request in &self.requests {
            texts(request, &mut |text| found |= text.contains(wanted));
        }
        found
    }
}

/// Every text in a value.
fn texts(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, see)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text of everything that a tool returned, on any wire.
fn results(value: &Value, found: &mut Vec<String>) {
    let kind = value["type"].as_str().unwrap_or_default();
    if kind == "tool_result"
        || kind.ends_with("_call_output")
        || value["role"] == "tool"
        || value.get("functionResponse").is_some()
    {
        let mut whole = String::new();
        texts(value, &mut |text| whole.extend([text, "\n"]));
        found.push(whole);
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| results(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| results(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
