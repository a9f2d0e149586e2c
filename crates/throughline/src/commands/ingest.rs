//! `ingest`: turns of past sessions come in, as episodes and as what the probe makes of them.

mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_agents::transcript;
use throughline_core::SessionId;
use throughline_core::event::{Event, ToolRun, What};
use throughline_core::probe::Voice;
use throughline_engine::{Captured, Context, Engine, Error, Project, Turn, clean};

use crate::args::{self, IngestFormat};
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, Ui, paint};

#[derive(Debug, Default, Serialize)]
struct WireIngested {
    sessions: usize,
    turns: usize,
    episodes: usize,
    probes: usize,
    memories: usize,
    skipped: usize,
    duplicates: usize,
}

/// What files hold.
#[derive(Default)]
struct Sources {
    /// Turns that name their session, as anybody may write them.
    turns: Vec<Turn>,
    /// The same, from a file that was named before; and how many of those say nothing.
    repeated: usize,
    repeated_empty: usize,
    /// What an agent wrote down, by project folder and session.
    sessions: BTreeMap<(Option<String>, SessionId), Vec<Captured>>,
    /// Lines that could not be read.
    skipped: usize,
}

pub(super) fn ingest(
    args: &args::Ingest,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let files = if args.past { past(args, settings)? } else { args.files.clone() };
    let none = args.past && files.is_empty();
    let sources = read(&files, args)?;
    let done = if args.dry_run {
        plan(&sources, settings)?
    } else {
        take_in(&sources, args, settings, ui)?
    };
    ui.answer(&done, || {
        if none {
            let words = format!("{} wrote down no session of this project", args.agent.as_str());
            return paint(DIM, words);
        }
        let would = if args.dry_run { "would be" } else { "are" };
        let new = format!(
            "{} of {} turns {would} new, {} were known",
            done.episodes, done.turns, done.duplicates
        );
        let mut page = paint(GOOD, new);
        if done.memories > 0 {
            page.push_str(&format!("; {} memories came of them", done.memories));
        }
        if done.skipped > 0 {
            page.push_str(&paint(DIM, format!(" ({} say nothing)", done.skipped)));
        }
        page
    })
}

/// The transcripts of every past session of the project.
fn past(args: &args::Ingest, settings: &Settings) -> anyhow::Result<Vec<PathBuf>> {
    let folder = super::agents::config_folder(args.agent, args.config.as_ref(), settings)?;
    let root = settings.context()?.project.root;
    Ok(transcript::files(args.agent, &folder, &root))
}

fn read(files: &[PathBuf], args: &args::Ingest) -> anyhow::Result<Sources> {
    let (mut sources, mut met) = (Sources::default(), BTreeSet::new());
    for path in files {
        // The same file named twice is one file, read twice.
        let new = met.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
        let is_transcript = match args.format {
            IngestFormat::Jsonl => false,
            IngestFormat::ClaudeCode => true,
            IngestFormat::Auto => turns::is_transcript(path)?,
        };
        if is_transcript && new {
            read_transcript(path, args, &mut sources)?;
        } else if !is_transcript {
            let turns = turns::read(path)?;
            if new {
                sources.turns.extend(turns);
            } else {
                sources.repeated += turns.len();
                sources.repeated_empty +=
                    turns.iter().filter(|turn| turn.text.trim().is_empty()).count();
            }
        }
    }
    Ok(sources)
}

fn read_transcript(path: &Path, args: &args::Ingest, sources: &mut Sources) -> anyhow::Result<()> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    for line in transcript::read(args.agent, BufReader::new(file)) {
        let Ok(line) = line else {
            sources.skipped += 1;
            continue;
        };
        let turn = match (&line.tool, line.speaker) {
            (Some(run), _) => Captured::ran(line.at, &kept_of(run, line.folder.as_deref())),
            (None, "user") => Captured::said(line.at, Voice::User, &line.text),
            (None, "assistant") => Captured::said(line.at, Voice::Assistant, &line.text),
            (None, _) => Captured::said(line.at, Voice::Tool, &line.text),
        };
        sources.sessions.entry((line.folder, line.session)).or_default().push(turn);
    }
    Ok(())
}

/// A tool's run without what must not be kept, as a hook would have told it.
fn kept_of(run: &ToolRun, folder: Option<&str>) -> ToolRun {
    let root = folder.map(|folder| Project::of(Path::new(folder)).root);
    let mut event = Event {
        session: SessionId(String::new()),
        folder: folder.map(str::to_owned),
        transcript: None,
        what: What::ToolsRan(vec![run.clone()]),
    };
    clean(&mut event, root.as_deref().unwrap_or_else(|| Path::new(".")));
    let What::ToolsRan(mut runs) = event.what else {
        unreachable!("cleaning makes no other event")
    };
    runs.remove(0)
}

/// What would come in, without doing it.
fn plan(sources: &Sources, settings: &Settings) -> anyhow::Result<WireIngested> {
    let said: usize = sources.sessions.values().map(Vec::len).sum();
    let mut done = WireIngested {
        sessions: sources.sessions.len(),
        turns: said + sources.turns.len() + sources.repeated,
        episodes: said,
        duplicates: sources.repeated - sources.repeated_empty,
        skipped: sources.skipped + sources.repeated_empty,
        ..WireIngested::default()
    };
    if !settings.home.exists() {
        // Nothing is there, so everything would be new; nothing is made to find that out.
        done.episodes += sources.turns.len();
        return Ok(done);
    }
    let engine = settings.engine()?;
    let planned = engine.plan_ingest(&settings.context()?, &sources.turns)?;
    done.sessions += planned.sessions;
    done.episodes += planned.episodes;
    done.duplicates += planned.duplicates;
    done.skipped += planned.skipped;
    if said > 0 {
        let known = known(&engine, sources, settings)?;
        done.episodes -= known;
        done.duplicates += known;
    }
    Ok(done)
}

fn known(engine: &Engine, sources: &Sources, settings: &Settings) -> anyhow::Result<usize> {
    let here = settings.context()?;
    let mut known = 0;
    for ((folder, session), turns) in &sources.sessions {
        known += engine.known_turns(&there(&here, folder.as_deref()), session, turns)?;
    }
    Ok(known)
}

fn take_in(
    sources: &Sources,
    args: &args::Ingest,
    settings: &Settings,
    ui: &Ui,
) -> anyhow::Result<WireIngested> {
    let (engine, here) = (settings.engine()?, settings.context()?);
    let mut done = WireIngested { skipped: sources.skipped, ..WireIngested::default() };
    let said: usize = sources.sessions.values().map(Vec::len).sum();
    let bar = ui.progress_to("taking in turns", (said + sources.turns.len()) as u64);
    let mut spaces = BTreeSet::new();
    for ((folder, session), turns) in &sources.sessions {
        let context = there(&here, folder.as_deref());
        let captured =
            engine.ingest_session(&context, session, args.agent.as_str(), turns, &mut |n| {
                bar.inc(n as u64);
            })?;
        done.sessions += 1;
        done.turns += captured.turns;
        done.episodes += captured.episodes;
        done.duplicates += captured.duplicates;
        done.probes += captured.probes;
        done.memories += captured.memories.len();
        done.skipped += captured.turns - captured.episodes - captured.duplicates;
        spaces.insert(context.project.space());
    }
    if !sources.turns.is_empty() || sources.repeated > 0 {
        let taken = engine.ingest(&here, "ingest", &sources.turns, &mut |n| {
            bar.set_position((said + n) as u64);
        })?;
        let probed = engine.probe_ingested(&here, &sources.turns)?;
        done.sessions += taken.sessions;
        done.turns += taken.turns + sources.repeated;
        done.episodes += taken.episodes;
        done.duplicates += taken.duplicates + sources.repeated - sources.repeated_empty;
        done.skipped += taken.skipped + sources.repeated_empty;
        done.probes += probed.probes;
        done.memories += probed.memories.len();
    }
    bar.finish_and_clear();
    let bar = ui.progress("embedding texts");
    for space in spaces {
        engine.embed_missing(space, usize::MAX, &mut |n| bar.set_position(n as u64))?;
    }
    bar.finish_and_clear();
    Ok(done)
}

/// The project that a session worked in; the one at hand where its folder is gone.
fn there(here: &Context, folder: Option<&str>) -> Context {
    let project = folder.and_then(|folder| Project::at(Path::new(folder)).ok());
    let project = project.unwrap_or_else(|| here.project.clone());
    Context { project, ..here.clone() }
}

/// What is wrong with a file's line.
fn bad(path: &Path, line: usize, detail: String) -> Error {
    Error::BadFile { path: path.to_owned(), line, detail }
}
