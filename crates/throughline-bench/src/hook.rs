//! How quick the hooks are: whole processes, as an agent starts them, beside the bare start of one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use throughline_core::Speaker;
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{Captured, Clock, Context, Engine, Project};

use crate::corpus::Corpus;
use crate::recall::{self, Options, measure, measure_after, row};

/// Turns that are taken in to see how quick that is.
const INGESTED: usize = 2_000;
/// How many hooks are fired to see whether anything is left behind.
const MANY: usize = 1_000;

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (before, words) = older(words)?;
    let options = Options::read(&words)?;
    let folder = tempfile::tempdir()?;
    let (home, project, said) = recall::fill(&options, folder.path())?;
    if let Some(before) = before {
        return crate::before::compare(&options, &before, &home, &project, &said);
    }
    let hooks = Hooks { binary: &options.binary, home: &home, project: &project, store: None };
    println!("{:<44} {:>10} {:>10} {:>8}", "", "median", "95 %", "× start");
    let start = measure(41, |_| hooks.version().expect("it starts"));
    row("process start (--version)", &start);
    let base = start[start.len() / 2];

    let asks = |n: usize| format!("what did we say about {}?", said.question(n));
    let tells = |n: usize| format!("please change {}", said.question(n));
    hooks.fire("UserPromptSubmit", 0, &asks(0))?;
    let runs = options.runs;
    let turn = |name: &str, times: &[Duration]| ratio(name, times, base);
    let mixed = |n: usize| if n.is_multiple_of(3) { asks(n + 500) } else { tells(n + 500) };
    println!("before the first answer, when no index is kept yet:");
    turn(
        "a prompt; every third asks",
        &measure(runs, |n| {
            hooks.must("UserPromptSubmit", n, &mixed(n));
        }),
    );
    turn("prompt that asks", &measure(runs, |n| hooks.must("UserPromptSubmit", n, &asks(n))));
    turn("prompt that tells", &measure(runs, |n| hooks.must("UserPromptSubmit", n, &tells(n))));
    println!("each after an answer, as in a conversation:");
    hooks.must("Stop", 0, "Done, it is changed.");
    let answered = |name: &str, text: &dyn Fn(usize) -> String| {
        let answer = |n: usize| format!("Done, {} is changed now.", said.question(n + 2_000));
        turn(
            name,
            &measure_after(
                runs,
                |n| hooks.must("Stop", n, &answer(n)),
                |n| hooks.must("UserPromptSubmit", n, &text(n)),
            ),
        );
    };
    answered("a prompt; every third asks", &|n| mixed(n + 3_000));
    answered("prompt that asks", &|n| asks(n + 4_000));
    answered("prompt that tells", &|n| tells(n + 5_000));
    println!("besides:");
    turn("before a tool", &measure(runs, |n| hooks.must("PreToolUse", n, "")));
    turn("after a tool", &measure(runs, |n| hooks.must("PostToolBatch", n, "")));
    turn("after an answer", &measure(runs.min(41), |n| hooks.must("Stop", n, &tells(n + 7))));
    turn("a session begins", &measure(runs.min(41), |n| hooks.must("SessionStart", n, "")));
    recall::memory_of(&options.binary, |command| {
        hooks.fill(command, "UserPromptSubmit");
        hooks.payload("UserPromptSubmit", 1, &asks(1))
    });
    ingest(&home, &project, &said)?;
    let before = processes();
    for n in 0..MANY {
        hooks.fire("PostToolBatch", n, "")?;
    }
    println!("{MANY} hooks leave {} processes behind", processes().saturating_sub(before));
    Ok(())
}

/// The older program that `--before` names, and the other options.
fn older(words: &[String]) -> anyhow::Result<(Option<PathBuf>, Vec<String>)> {
    let mut rest = words.to_vec();
    let Some(at) = rest.iter().position(|word| word == "--before") else { return Ok((None, rest)) };
    ensure!(at + 1 < rest.len(), "--before needs the file of an older program");
    let program = rest.drain(at..at + 2).nth(1);
    Ok((program.map(PathBuf::from), rest))
}

/// Turns taken in within a second: episodes, gate and probe, without the vectors of turns.
fn ingest(home: &Path, project: &Path, said: &Corpus) -> anyhow::Result<()> {
    let engine = Engine::open(home, Clock::System)?;
    let context = Context::user(Project::at(project)?);
    let turns: Vec<Captured> = said
        .texts()
        .iter()
        .take(INGESTED)
        .zip(0_u32..)
        .map(|(text, n)| {
            let at = Timestamp::EPOCH.plus_days(20_000.0 + f64::from(n) / 1_440.0);
            let voice = if n % 2 == 0 { Speaker::User } else { Speaker::Assistant };
            Captured::said(at, voice, text)
        })
        .collect();
    let session = SessionId("bench-ingest".to_owned());
    let began = Instant::now();
    engine.capturing(&context).ingest_session(&session, "bench", &turns, &mut |_| ())?;
    let rate = f64::from(u32::try_from(turns.len())?) / began.elapsed().as_secs_f64();
    println!("{:<44} {rate:>7.0} turns a second", "ingest, without the vectors of turns");
    Ok(())
}

pub(crate) struct Hooks<'a> {
    pub(crate) binary: &'a Path,
    pub(crate) home: &'a Path,
    pub(crate) project: &'a Path,
    /// The server that holds the memory, where it is not in the home.
    pub(crate) store: Option<String>,
}

impl Hooks<'_> {
    fn version(&self) -> anyhow::Result<()> {
        let status = Command::new(self.binary).arg("--version").stdout(Stdio::null()).status()?;
        ensure!(status.success(), "it does not start");
        Ok(())
    }

    pub(crate) fn must(&self, event: &str, n: usize, text: &str) {
        self.fire(event, n, text).expect("a hook ends with 0");
    }

    fn fill(&self, command: &mut Command, event: &str) {
        command
            .args(["hook", event, "--agent", "claude-code", "--home"])
            .arg(self.home)
            .env_remove("THROUGHLINE_NOW")
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if let Some(store) = &self.store {
            command.env("THROUGHLINE_STORE_URL", store);
        }
    }

    /// What a hook says.
    pub(crate) fn ask(&self, event: &str, n: usize, text: &str) -> anyhow::Result<String> {
        let mut command = Command::new(self.binary);
        self.fill(&mut command, event);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let payload = self.payload(event, n, text);
        child.stdin.take().context("a pipe")?.write_all(payload.as_bytes())?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{event} failed");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub(crate) fn fire(&self, event: &str, n: usize, text: &str) -> anyhow::Result<()> {
        let mut command = Command::new(self.binary);
        self.fill(&mut command, event);
        let mut child = command.spawn().context("the program cannot be started")?;
        let payload = self.payload(event, n, text);
        child.stdin.take().context("a pipe")?.write_all(payload.as_bytes())?;
        ensure!(child.wait()?.success(), "{event} failed");
        Ok(())
    }

    /// What Claude Code would send.
    fn payload(&self, event: &str, n: usize, text: &str) -> String {
        let cwd = self.project.to_string_lossy();
        let session = format!("bench-{}", n / 20);
        let command = format!("cargo test case_{n}");
        let common =
            format!(r#"{{"session_id":"{session}","cwd":"{cwd}","hook_event_name":"{event}""#);
        let rest = match event {
            "UserPromptSubmit" => format!(r#","prompt":"{text}""#),
            "PreToolUse" => format!(
                r#","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"t{n}""#
            ),
            "PostToolBatch" => format!(
                r#","tool_calls":[{{"tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"t{n}","tool_response":"ok, {n} passed"}}]"#
            ),
            "Stop" => format!(r#","last_assistant_message":"{text}""#),
            _ => r#","source":"startup""#.to_owned(),
        };
        format!("{common}{rest}}}")
    }
}

fn ratio(name: &str, times: &[Duration], base: Duration) {
    let median = times[times.len() / 2];
    let tail = times[(times.len() * 95 / 100).min(times.len() - 1)];
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let times = median.as_secs_f64() / base.as_secs_f64();
    println!("{name:<44} {:>7.2} ms {:>7.2} ms {times:>7.1}×", ms(median), ms(tail));
}

/// Processes of ours that are alive.
fn processes() -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    entries
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("comm")).ok())
        .filter(|name| name.trim() == "throughline")
        .count()
}
