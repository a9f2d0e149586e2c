//! Figures: the metrics that `stats` prints of a user's own home, on recorded sessions played through the program's hooks.
//!
//! One project, a day for each session. Long sessions lose their context half-way, as agents do. What sleep proposes for a
//! file is accepted, so that the figures of graduation say something.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde_json::{Value, json};
use throughline_core::Speaker;
use throughline_engine::Captured;

use crate::capture;
use crate::correction::player::{Agent, Home};
use crate::correction::program;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Coding sessions, a message a line: session, role, at, text
    #[arg(long, value_name = "FILE")]
    sessions: PathBuf,
    /// Sessions that are played; the figures look back thirty days, and each is played on a day of its own
    #[arg(long, default_value_t = 28)]
    limit: usize,
    /// Prompts of one session that are played
    #[arg(long, default_value_t = 30)]
    prompts: usize,
    /// The program [default: the one beside this one]
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// Prompts from which a session loses its context half-way.
const LONG: usize = 10;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let binary = program(options.binary.as_deref());
    let sessions = capture::read(&options.sessions, false)?;
    ensure!(!sessions.is_empty(), "there is no session in {}", options.sessions.display());
    let home = Home::new(&binary)?;
    let project = home.project("recorded")?;
    let mut played = 0;
    for (session, turns) in sessions.iter().take(options.limit) {
        play(&home, &project, &session.0, turns, options.prompts)?;
        home.wait_days(1);
        played += 1;
    }
    home.run(&project, &["sleep"])?;
    let waits = home.json(&project, &["review"])?;
    for proposal in waits["graduation"].as_array().into_iter().flatten() {
        if let Some(id) = proposal["id"].as_str() {
            // One line makes the next proposal stale; it is then shown again, and counts as not accepted.
            home.run(&project, &["review", "--accept", id]).ok();
        }
    }
    let stats = home.json(&project, &["stats"])?;
    println!("{played} sessions, {} hooks failed", home.failures());
    print(&stats["metrics"]);
    Ok(())
}

/// Plays one session as its agent would tell it.
fn play(
    home: &Home,
    project: &Path,
    session: &str,
    turns: &[Captured],
    prompts_max: usize,
) -> anyhow::Result<()> {
    let mut agent = Agent::new(home, project, session.to_owned());
    agent.starts()?;
    let said: Vec<&Captured> = turns.iter().filter(|turn| turn.speaker != Speaker::Tool).collect();
    let prompts = said.iter().filter(|turn| turn.speaker == Speaker::User).count().min(prompts_max);
    let mut heard = 0;
    for turn in said {
        if turn.speaker != Speaker::User {
            agent.answers(&turn.text)?;
            continue;
        }
        if heard == prompts {
            break;
        }
        if heard > 0 && prompts >= LONG && heard == prompts / 2 {
            home.hook(project, session, "PreCompact", &json!({"trigger": "auto"}))?;
            home.hook(project, session, "SessionStart", &json!({"source": "compact"}))?;
        }
        agent.hears(&turn.text)?;
        heard += 1;
    }
    agent.ends()
}

fn print(metrics: &Value) {
    for name in ["continuity", "cross_domain", "graduation"] {
        let figures = metrics[name].as_object().into_iter().flatten();
        let told: Vec<String> = figures.map(|(name, value)| format!("{name} {value}")).collect();
        println!("{name}: {}", told.join(", "));
    }
}
