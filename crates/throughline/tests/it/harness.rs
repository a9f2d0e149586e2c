//! A throwaway home and project, and the program run against them as a user would run it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_throughline");

/// What one run of the program left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        let run = Self {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().expect("the program ends by itself"),
        };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }
}

/// A home and projects in a folder that goes away with the test.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    /// The day, and the minute of the next command; `None` follows the machine's clock.
    clock: Option<(Cell<&'static str>, Cell<u32>)>,
    /// The server that holds the memory, where it is not in the home.
    store: Option<String>,
}

/// The version of PostgreSQL that every home is kept on, where the tests are run so.
const STORE: &str = "THROUGHLINE_TEST_STORE";

/// The address of a schema on the server of a version, which `tools/postgres/start.sh` started.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says where they are")]
pub(crate) fn server_url(version: usize, schema: &str) -> String {
    let told = std::env::var("THROUGHLINE_TEST_POSTGRES")
        .expect("THROUGHLINE_TEST_POSTGRES is set by: eval \"$(tools/postgres/start.sh)\"");
    let mut urls = told.split_whitespace();
    let url = if version == 15 { urls.next() } else { urls.nth(1) };
    format!("{}?schema={schema}", url.expect("there are two addresses"))
}

/// Runs statements on the newest server as an administrator, and returns what they print.
pub(crate) fn administer(sql: &str) -> String {
    let url = server_url(18, "x");
    let (url, _) = url.split_once('?').expect("the address names a schema");
    let ran = Command::new("/usr/lib/postgresql/15/bin/psql")
        .args(["-qXAt", "-v", "ON_ERROR_STOP=1", "-c", sql, url])
        .output()
        .expect("tools/postgres/start.sh installs it");
    assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// The first command of a day runs at nine.
const MORNING: u32 = 9 * 60;

impl Home {
    /// A new home on 2 March 2026. Each command runs a minute after the one before.
    pub(crate) fn new() -> Self {
        Self { clock: Some((Cell::new("2026-03-02"), Cell::new(MORNING))), ..Self::live() }
    }

    /// A new home with the machine's own clock.
    pub(crate) fn live() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join("webshop")).expect("a folder can be made");
        let version = std::env::var_os(STORE).and_then(|version| version.to_str()?.parse().ok());
        let home = Self { folder, clock: None, store: None };
        let store = version.map(|version| home.own_schema(version));
        Self { store, ..home }
    }

    /// A new home whose memory is on the server of a version.
    pub(crate) fn on_server(version: usize) -> Self {
        let home = Self::new();
        let store = Some(home.own_schema(version));
        Self { store, ..home }
    }

    /// The same home, with the memory that another uses.
    pub(crate) fn sharing(self, other: &Self) -> Self {
        Self { store: other.store.clone(), ..self }
    }

    /// A new home whose memory is at an address.
    pub(crate) fn at(url: &str) -> Self {
        Self { store: Some(url.to_owned()), ..Self::new() }
    }

    /// A new home of another person, with the memory that this one uses. Their name is that of a role,
    /// which is made.
    pub(crate) fn of_person(&self, role: &str) -> Self {
        administer(&format!(
            "DO $$ BEGIN CREATE ROLE {role} LOGIN PASSWORD '{role}';
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        ));
        let url = self.store.as_deref().expect("it is on a server");
        let (_, rest) = url.rsplit_once('@').expect("the address names a user");
        Self::at(&format!("postgresql://{role}:{role}@{rest}"))
    }

    /// The server that holds the memory, if one does.
    pub(crate) fn store_url(&self) -> Option<&str> {
        self.store.as_deref()
    }

    /// A schema for this home alone.
    fn own_schema(&self, version: usize) -> String {
        let name = self.folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default().replace(|c: char| !c.is_ascii_alphanumeric(), "");
        server_url(version, &format!("h{}{name}", std::process::id()).to_lowercase())
    }

    /// The next command runs at nine on this day.
    pub(crate) fn travel(&self, day: &'static str) {
        let (today, minute) = self.clock.as_ref().expect("only a fixed clock can be moved");
        today.set(day);
        minute.set(MORNING);
    }

    /// Time passes.
    pub(crate) fn wait(&self, minutes: u32) {
        let (_, minute) = self.clock.as_ref().expect("only a fixed clock can be moved");
        minute.set(minute.get() + minutes);
    }

    /// Where memory is kept.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The database within it.
    pub(crate) fn database(&self) -> PathBuf {
        self.path().join("throughline.db")
    }

    /// The usual project.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("webshop")
    }

    /// A place outside the home, for files that come and go.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same, as an argument.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.outside(name).to_str().expect("temporary folders have plain names").to_owned()
    }

    /// The same home, seen from another project's folder, which is made if it is not there.
    pub(crate) fn from(&self, project: &str) -> Seen<'_> {
        let folder = self.outside(project);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Seen { home: self, project: folder, session: None }
    }

    /// The same home and project, seen from within a session.
    pub(crate) fn session(&self, session: &'static str) -> Seen<'_> {
        Seen { home: self, project: self.project(), session: Some(session) }
    }

    fn here(&self) -> Seen<'_> {
        Seen { home: self, project: self.project(), session: None }
    }

    /// The program with its home, project and clock, ready for arguments.
    pub(crate) fn command(&self) -> Command {
        self.here().command()
    }

    /// Runs a command.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.here().run(args)
    }

    /// Runs a command that must succeed and answer in JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        self.here().json(args)
    }

    /// Runs a command that must fail, and returns its exit code and its error.
    pub(crate) fn error(&self, args: &[&str]) -> (i32, Value) {
        self.here().error(args)
    }

    /// Runs a command that must succeed, and returns what it prints for people.
    pub(crate) fn page(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        run.stdout
    }

    /// Remembers a text and returns the id.
    pub(crate) fn remember(&self, text: &str) -> String {
        self.remember_with(&[text])
    }

    /// Remembers with options and returns the id.
    pub(crate) fn remember_with(&self, args: &[&str]) -> String {
        self.here().remember_with(args)
    }

    /// The texts a command finds, in its order.
    pub(crate) fn texts(&self, args: &[&str]) -> Vec<String> {
        self.here().texts(args)
    }

    /// One memory, by `show`.
    pub(crate) fn show(&self, id: &str) -> Value {
        self.json(&["show", id])
    }

    /// Everything there is, in every state, for comparing before and after.
    pub(crate) fn everything(&self) -> Value {
        self.json(&["list", "--all"])
    }

    /// The checks of `doctor --rebuild-check` must all be fine.
    pub(crate) fn assert_sound(&self) {
        let found = self.json(&["doctor", "--rebuild-check"]);
        let checks = found["checks"].as_array().expect("doctor lists its checks");
        for name in ["home", "database", "contents", "vectors", "rebuild"] {
            assert!(checks.iter().any(|check| check["name"] == name), "{name}: {found}");
        }
        // Who is killed right after a write leaves a text without a vector, which is no damage.
        let fine = |check: &Value| {
            // No agent is connected here, a model may have failed to answer, the program lies where it
            // was built, and the tests come as an administrator, before whom no wall stands.
            let notes = ["vectors", "claude-code", "extraction", "program", "walls", "bloat"];
            let noted = notes.iter().any(|name| check["name"] == *name);
            check["outcome"] == "fine" || noted && check["outcome"] == "note"
        };
        assert!(checks.iter().all(fine), "{found}");
        assert_eq!(found["ok"], true);
    }

    /// Every file under the home.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut open = vec![self.path()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("the home can be listed") {
                let path = entry.expect("the home can be listed").path();
                if path.is_dir() { open.push(path) } else { files.push(path) }
            }
        }
        files
    }

    /// The files under the home that hold a word, whatever its case.
    pub(crate) fn files_holding(&self, word: &str) -> Vec<PathBuf> {
        let word = word.to_ascii_lowercase();
        let holds = |path: &PathBuf| {
            let bytes = match std::fs::read(path) {
                // What a server that runs beside has put away since is not there to be read.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
                read => read.expect("files of the home can be read"),
            };
            String::from_utf8_lossy(&bytes.to_ascii_lowercase()).contains(&word)
        };
        self.files().into_iter().filter(holds).collect()
    }

    /// Throws the home away.
    pub(crate) fn wipe(&self) {
        std::fs::remove_dir_all(self.path()).expect("the home can be removed");
    }

    /// A page with ids and temporary paths taken out.
    pub(crate) fn tidy(&self, page: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("the folder is there");
        let page = page.replace(&folder.display().to_string(), "[TEMP]");
        let page = page.replace(&self.folder.path().display().to_string(), "[TEMP]");
        without_ids(&without_nonce(&page))
    }

    fn now(&self) -> Option<String> {
        let (day, minute) = self.clock.as_ref()?;
        let at = minute.replace(minute.get() + 1);
        Some(format!("{}T{:02}:{:02}:00Z", day.get(), at / 60, at % 60))
    }
}

/// The fence of a recall without what is different every time.
fn without_nonce(page: &str) -> String {
    let mut parts = page.split("memory-");
    let mut tidy = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let nonce = part.bytes().take_while(u8::is_ascii_hexdigit).count() == 8;
        tidy.push_str("memory-");
        tidy.push_str(if nonce { "[NONCE]" } else { "" });
        tidy.push_str(if nonce { &part[8..] } else { part });
    }
    tidy
}

/// A home as seen from a project and perhaps a session.
pub(crate) struct Seen<'a> {
    home: &'a Home,
    project: PathBuf,
    session: Option<&'static str>,
}

impl Seen<'_> {
    pub(crate) fn command(&self) -> Command {
        let mut command = bare();
        if self.project.is_dir() {
            command.current_dir(&self.project);
        }
        command.arg("--home").arg(self.home.path()).arg("--project").arg(&self.project);
        command.args(self.session.iter().flat_map(|session| ["--session", session]));
        command.envs(self.home.now().map(|now| ("THROUGHLINE_NOW", now)));
        command.envs(self.home.store.iter().map(|store| ("THROUGHLINE_STORE_URL", store)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.command().args(args).output().expect("the program starts").into()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[&["--json"], args].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr, "", "{args:?}");
        serde_json::from_str(&run.stdout).expect("the answer is one JSON document")
    }

    pub(crate) fn error(&self, args: &[&str]) -> (i32, Value) {
        let run = self.run(&[&["--json"], args].concat());
        assert_ne!(run.code, 0, "{args:?} should fail, and answered {}", run.stdout);
        assert_eq!(run.stdout, "", "{args:?}");
        let mut told: Value =
            serde_json::from_str(&run.stderr).expect("the error is one JSON document");
        let error = told["error"].take();
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        (run.code, error)
    }

    pub(crate) fn remember_with(&self, args: &[&str]) -> String {
        id_of(&self.json(&[&["remember"], args].concat())["memory"])
    }

    pub(crate) fn texts(&self, args: &[&str]) -> Vec<String> {
        let found = self.json(args);
        let items = found["items"].as_array().expect("a listing has items");
        let memory = |item: &Value| item.get("memory").unwrap_or(item)["content"].clone();
        items.iter().map(|item| memory(item).as_str().expect("content is text").into()).collect()
    }
}

/// The program without anything this machine's environment would tell it.
pub(crate) fn bare() -> Command {
    clean(Command::new(PROGRAM))
}

/// Takes our variables out of a command's environment, and the terminal away from its input.
pub(crate) fn clean(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("THROUGHLINE_") {
            command.env_remove(name);
        }
    }
    // Whoever runs the tests, the program under test is run by a person.
    for name in throughline_agents::Shell::variables() {
        command.env_remove(name);
    }
    // What agents are installed here is nobody's business.
    let nowhere = std::env::temp_dir().join("no-agents-here");
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "HOME"] {
        command.env(name, &nowhere);
    }
    command.stdin(Stdio::null());
    command
}

/// The id of a memory object.
pub(crate) fn id_of(memory: &Value) -> String {
    memory["id"].as_str().expect("a memory has an id").to_owned()
}

/// The last eight characters of an id, as pages show it.
pub(crate) fn handle(id: &str) -> &str {
    &id[id.len() - 8..]
}

/// The strings of a JSON list.
pub(crate) fn strings(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list");
    list.iter().map(|one| one.as_str().expect("a text")).collect()
}

/// The batches of the log, latest first.
pub(crate) fn batches(home: &Home) -> Vec<Value> {
    let log = home.json(&["log", "--limit", "1000"]);
    log["batches"].as_array().expect("the log lists batches").clone()
}

/// A copy of a file with some bytes written over.
pub(crate) fn overwrite(file: &Path, at: usize, with: &[u8]) {
    let mut bytes = std::fs::read(file).expect("the file can be read");
    bytes[at..at + with.len()].copy_from_slice(with);
    std::fs::write(file, bytes).expect("the file can be written");
}

/// Replaces whole ids and short ids.
fn without_ids(page: &str) -> String {
    let part_of_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut tidy = String::new();
    let mut rest = page;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !part_of_id(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(if end == 0 { c.len_utf8() } else { end });
        let hexadecimal = word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        tidy.push_str(if hexadecimal && matches!(word.len(), 8 | 36) { "[ID]" } else { word });
        rest = after;
    }
    tidy
}

/// What a test needs and does not find here.
pub(crate) enum Missing {
    /// A program that anybody can install. Where everything is checked, its absence is a failure.
    Program(&'static str),
    /// A right that this user or this machine does not have.
    Right(&'static str),
}

/// A test that cannot look says so, on standard error; with `CI=true` it fails where it could have looked.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn skipped(missing: &Missing) {
    let (Missing::Program(what) | Missing::Right(what)) = missing;
    eprintln!("skipped: {what}");
    let everything_is_checked = std::env::var_os("CI").is_some_and(|value| value == "true");
    let installable = matches!(missing, Missing::Program(_));
    assert!(!(everything_is_checked && installable), "not looked at, though CI=true: {what}");
}

/// Whether the long versions of the tests were asked for.
pub(crate) fn slow() -> bool {
    std::env::var_os("THROUGHLINE_SLOW").is_some_and(|value| value == "1")
}
