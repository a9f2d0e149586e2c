//! Capture: what the gate and the probe make of real coding sessions, by the way that hooks take.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_core::Speaker;
use throughline_core::event::{ToolCall, ToolRun};
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{Captured, Card, Clock, Context, Engine, Filter, Project};

use crate::retrieval::write_lines;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Coding sessions, a message a line: session, role, at, text
    #[arg(long, value_name = "FILE")]
    sessions: PathBuf,
    /// Take every message of the agent for a turn, and not only its last before the next prompt, as
    /// agents report it
    #[arg(long)]
    every_message: bool,
    /// Where to write every memory that came of it, for somebody to judge
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Line {
    session: String,
    role: String,
    #[serde(default)]
    at: Option<String>,
    text: String,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let sessions = read(&options.sessions, options.every_message)?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("project");
    std::fs::create_dir(&root)?;
    let context = Context::user(Project::at(&root)?);
    let engine = Engine::open(&folder.path().join("home"), Clock::System)?;
    let (mut rates, mut signals) = (Vec::new(), BTreeMap::<String, usize>::new());
    let (mut said, mut probes, mut all) = (0_usize, 0_usize, 0_usize);
    let began = Instant::now();
    for (session, turns) in &sessions {
        let done =
            engine.capturing(&context).ingest_session(session, "eval", turns, &mut |_| ())?;
        let spoken = turns.iter().filter(|turn| turn.speaker != Speaker::Tool).count();
        said += spoken;
        all += turns.len();
        probes += done.probes;
        rates.push(per_sixty(done.probes, spoken));
        for fired in done.fired {
            *signals.entry(fired.signal.to_string()).or_default() += 1;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    rates.sort_by(f64::total_cmp);
    let at = |share: usize| rates[(rates.len() - 1) * share / 100];
    println!("{} sessions, {said} prompts and answers, {all} turns with tools", sessions.len());
    println!("probes in 60 turns, with the flush at the end: {:.1}", per_sixty(probes, said));
    println!("  by session: p25 {:.1}  p50 {:.1}  p75 {:.1}", at(25), at(50), at(75));
    println!("noticed: {}", listed(&signals));
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let rate = all as f64 / seconds;
    println!("{rate:.0} turns a second, without vectors of episodes");
    let filter = Filter { all: true, limit: Some(100_000), ..Filter::default() };
    let held = engine.looking(&context).list(&*engine.now_reader()?, &filter)?.items;
    let (mut kinds, mut ranks) = (BTreeMap::new(), BTreeMap::new());
    for card in &held {
        *kinds.entry(card.memory.kind.to_string()).or_default() += 1;
        *ranks.entry(card.memory.authority.to_string()).or_default() += 1;
    }
    println!("{} memories: {}", held.len(), listed(&kinds));
    println!("said by: {}", listed(&ranks));
    match &options.out {
        Some(out) => write_lines(out, held.iter().map(judged)),
        None => Ok(()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn per_sixty(probes: usize, turns: usize) -> f64 {
    probes as f64 * 60.0 / turns.max(1) as f64
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    let each: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
    each.join(", ")
}

/// A memory, for somebody to judge.
fn judged(card: &Card) -> Value {
    let memory = &card.memory;
    let first = card.evidence.first();
    json!({
        "kind": memory.kind,
        "authority": memory.authority,
        "state": memory.state,
        "content": memory.content,
        "quote": first.and_then(|one| one.snippet.clone()),
        "session": first.and_then(|one| one.session.clone()),
    })
}

/// The sessions, each turn as an adapter would hand it over.
pub(crate) fn read(
    path: &Path,
    every_message: bool,
) -> anyhow::Result<Vec<(SessionId, Vec<Captured>)>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut sessions: Vec<(SessionId, Vec<Captured>)> = Vec::new();
    for line in std::io::BufReader::new(file).lines() {
        let line: Line = serde_json::from_str(&line?)?;
        if sessions.last().is_none_or(|(session, _)| session.0 != line.session) {
            sessions.push((SessionId(line.session.clone()), Vec::new()));
        }
        let Some((_, turns)) = sessions.last_mut() else { continue };
        let before = turns.last().map_or(Timestamp::EPOCH, |turn| turn.at);
        let Some(turn) = turn(&line, before) else { continue };
        if turn.speaker == Speaker::Assistant && !every_message {
            let asked = turns.iter().rposition(|one| one.speaker == Speaker::User).unwrap_or(0);
            let earlier = turns[asked..].iter().position(|one| one.speaker == Speaker::Assistant);
            if let Some(at) = earlier {
                turns.remove(asked + at);
            }
        }
        turns.push(turn);
    }
    Ok(sessions)
}

/// What machines wrote for a person is nobody's turn.
fn turn(line: &Line, before: Timestamp) -> Option<Captured> {
    let at = line.at.as_ref().and_then(|at| at.replace(' ', "T").parse().ok()).unwrap_or(before);
    let text = line.text.trim();
    let machine = text.starts_with('<') || text.starts_with("[Request interrupted");
    let continued = text.starts_with("This session is being continued");
    match line.role.as_str() {
        "user" if machine || continued || text.starts_with('/') => None,
        "user" => Some(Captured::said(at, Speaker::User, text)),
        _ if text.starts_with("<tool-use") => Some(Captured::ran(at, &tool_run(text))),
        _ if machine || text.starts_with("API Error") => None,
        _ => Some(Captured::said(at, Speaker::Assistant, text)),
    }
}

fn tool_run(text: &str) -> ToolRun {
    let tool = text.split("data-tool-name=\"").nth(1).and_then(|rest| rest.split('"').next());
    let (before, output) = text.split_once("```").unwrap_or((text, ""));
    let command = before.split('`').nth(1).map(str::to_owned);
    let output = output.strip_prefix("text").unwrap_or(output).trim().to_owned();
    let exit = output.strip_prefix("Exit code ").and_then(|rest| {
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|code| code.parse().ok())
    });
    ToolRun {
        call: ToolCall {
            tool: tool.unwrap_or_default().to_owned(),
            command: command.filter(|_| tool == Some("Bash")),
            ..ToolCall::default()
        },
        failed: exit.is_some(),
        output,
        exit,
    }
}
