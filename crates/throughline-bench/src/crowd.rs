//! Many agents at once: hooks that ask and decide, and MCP servers that write, on one memory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use crate::ms;

const SERVERS: usize = 8;
const WRITES: usize = 12;
/// Enough that nobody in a session asks for what the session was told before: it would rightly be told nothing.
const SERVICES: usize = 96;
/// Agents that share a session stand so far apart.
const SHARED_BY: usize = 8;

struct Options {
    hooks: usize,
    rounds: usize,
    binary: PathBuf,
}

/// What one hook did.
struct Fired {
    took: Duration,
    told: bool,
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let beside = std::env::current_exe()?.with_file_name("throughline");
    let mut options = Options { hooks: 64, rounds: 6, binary: beside };
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
        match name.as_str() {
            "--hooks" => options.hooks = value.parse()?,
            "--rounds" => options.rounds = value.parse()?,
            "--binary" => options.binary = PathBuf::from(value),
            _ => bail!("unknown option {name}; there are --hooks, --rounds, --binary"),
        }
    }
    let folder = tempfile::tempdir()?;
    let crowd = Crowd::new(&options, folder.path())?;
    let fired = Mutex::new(Vec::new());
    let kept = Mutex::new(Vec::new());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for hook in 0..options.hooks {
            let (crowd, fired) = (&crowd, &fired);
            scope.spawn(move || {
                for round in 0..options.rounds {
                    let one = crowd.fire(hook, round).expect("a hook ends with 0");
                    fired.lock().expect("nobody panics").push(one);
                }
            });
        }
        for server in 0..SERVERS {
            let (crowd, kept) = (&crowd, &kept);
            scope.spawn(move || {
                let told = crowd.serve(server).expect("a server answers");
                kept.lock().expect("nobody panics").extend(told);
            });
        }
    });
    let took = began.elapsed();
    let fired = fired.into_inner().expect("nobody panics");
    let kept = kept.into_inner().expect("nobody panics");
    crowd.report(&options, fired, &kept, took)
}

struct Crowd {
    binary: PathBuf,
    rounds: usize,
    home: PathBuf,
    project: PathBuf,
}

impl Crowd {
    fn new(options: &Options, folder: &Path) -> anyhow::Result<Self> {
        let crowd = Self {
            binary: options.binary.clone(),
            rounds: options.rounds,
            home: folder.join("home"),
            project: folder.join("project"),
        };
        std::fs::create_dir(&crowd.project)?;
        for service in 0..SERVICES {
            let text = format!("The {} service listens on port {}", name(service), 7_000 + service);
            ensure!(crowd.command().args(["remember", &text]).output()?.status.success());
        }
        Ok(crowd)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.env("THROUGHLINE_HOME", &self.home).env_remove("THROUGHLINE_NOW");
        command.current_dir(&self.project).stderr(Stdio::null());
        command
    }

    /// A prompt that asks for something known; every second one decides something besides.
    fn fire(&self, hook: usize, round: usize) -> anyhow::Result<Fired> {
        let service = (hook / SHARED_BY * self.rounds + round) % SERVICES;
        let asks = format!("Which port does the {} service listen on?", name(service));
        let prompt =
            if hook.is_multiple_of(2) { asks } else { format!("{} {asks}", decision(hook, round)) };
        // Every other agent shares its session with some others.
        let session = if hook % 4 < 2 {
            format!("own-{hook}")
        } else {
            format!("shared-{}", hook % SHARED_BY)
        };
        let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": session,
            "cwd": self.project, "prompt": prompt});
        let began = Instant::now();
        let mut child = self
            .command()
            .args(["hook", "UserPromptSubmit", "--agent", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        child.stdin.take().context("a pipe")?.write_all(payload.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        let took = began.elapsed();
        ensure!(output.status.success(), "a hook failed");
        let port = (7_000 + service).to_string();
        Ok(Fired { took, told: String::from_utf8_lossy(&output.stdout).contains(&port) })
    }

    /// A server that is asked to remember; what it said it has kept.
    fn serve(&self, server: usize) -> anyhow::Result<Vec<String>> {
        let mut child =
            self.command().arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().context("a pipe")?;
        let mut output = BufReader::new(child.stdout.take().context("a pipe")?).lines();
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "crowd", "version": "1"}});
        writeln!(
            input,
            "{}",
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client})
        )?;
        output.next().context("it says hello")??;
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let mut kept = Vec::new();
        for write in 0..WRITES {
            let content =
                format!("Row {write} of the {} table of server {server} is frozen", name(write));
            let params = json!({"name": "remember", "arguments": {"content": content}});
            writeln!(
                input,
                "{}",
                json!({"jsonrpc": "2.0", "id": write + 1, "method": "tools/call", "params": params})
            )?;
            let answer: Value = serde_json::from_str(&output.next().context("it answers")??)?;
            if answer["result"]["isError"] != json!(true) && answer["error"].is_null() {
                kept.push(content);
            }
        }
        drop(input);
        child.wait()?;
        Ok(kept)
    }

    fn report(
        &self,
        options: &Options,
        mut fired: Vec<Fired>,
        kept: &[String],
        took: Duration,
    ) -> anyhow::Result<()> {
        fired.sort_by_key(|one| one.took);
        let told = fired.iter().filter(|one| one.told).count();
        let at = |share: usize| ms(fired[(fired.len() * share / 100).min(fired.len() - 1)].took);
        println!(
            "{} hooks in {} threads, {SERVERS} servers: {told} answered with recall ({:.1} %), in {:.1} s",
            fired.len(),
            options.hooks,
            100.0 * told as f64 / fired.len() as f64,
            took.as_secs_f64()
        );
        println!(
            "a hook: median {:.0} ms, 90 % {:.0} ms, longest {:.0} ms",
            at(50),
            at(90),
            at(100)
        );
        let mut held = String::from_utf8(self.command().arg("export").output()?.stdout)?;
        for entry in std::fs::read_dir(self.home.join("journal"))? {
            held.push_str(&std::fs::read_to_string(entry?.path()).unwrap_or_default());
        }
        let decided = (0..options.hooks).filter(|hook| !hook.is_multiple_of(2));
        let lost = decided
            .flat_map(|hook| (0..options.rounds).map(move |round| decision(hook, round)))
            .chain(kept.iter().cloned())
            .filter(|text| !held.contains(text.trim_end_matches('.')))
            .count();
        println!("servers kept {} of {}; lost: {lost}", kept.len(), SERVERS * WRITES);
        Ok(())
    }
}

fn decision(hook: usize, round: usize) -> String {
    let job = format!("{}{hook}x{round}", name(hook + round));
    format!("We decided that the {job} job uses plan {} because it is cheaper.", hook * 100 + round)
}

/// A word for a number.
fn name(number: usize) -> String {
    let parts = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    let part = |n: usize| parts[n % parts.len()];
    format!("{}{}{}", part(number), part(number / 10 + 3), part(number * 3 + 1))
}
