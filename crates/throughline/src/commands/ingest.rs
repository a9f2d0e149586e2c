//! `ingest`: turns of past sessions come in, as episodes and as what the probe makes of them.

mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_agents::{Host, transcript};
use throughline_core::Speaker;
use throughline_core::event::{Event, ToolRun, What};
use throughline_core::{SessionId, text};
use throughline_engine::{
    Captured, Context, Engine, Error, PastTurn, Project, Roots, clean, clean_name,
};

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
    turns: Vec<PastTurn>,
    /// The same, from a file that was named before; and how many of those say nothing.
    repeated: usize,
    repeated_empty: usize,
    /// What agents wrote down, by agent, project folder and session.
    sessions: BTreeMap<(Host, Option<String>, SessionId), Vec<Captured>>,
    /// Lines that could not be read.
    skipped: usize,
}

pub(super) fn ingest(
    args: &args::Ingest,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (sources, none) = if args.past {
        let files = past(args, settings)?;
        let root = settings.context()?.project.root;
        let mut sources = Sources::default();
        for (host, path) in &files {
            read_transcript(path, *host, Some(&root), &mut sources)?;
        }
        (sources, files.is_empty())
    } else {
        (read(&args.files, args)?, false)
    };
    let done =
        if args.dry_run { plan(&sources, settings)? } else { take_in(&sources, settings, ui)? };
    ui.answer(&done, || {
        if none {
            let who = args.agent.map_or("no agent", Host::called);
            let negation = if args.agent.is_some() { "no" } else { "a" };
            return paint(DIM, format!("{who} has recorded {negation} session of this project"));
        }
        let would = if args.dry_run { "would be" } else { "are" };
        let new = format!(
            "{} of {} {would} new, {} were known",
            done.episodes,
            text::plural(done.turns, "turn"),
            done.duplicates
        );
        let mut page = paint(GOOD, new);
        if done.memories > 0 {
            let memories = text::plural(done.memories, "memory");
            page.push_str(&format!("; {memories} came from them"));
        }
        if done.skipped > 0 {
            page.push_str(&paint(DIM, format!(" ({} without content)", done.skipped)));
        }
        page
    })
}

/// The transcripts of every past session of the project, with whose they are.
fn past(args: &args::Ingest, settings: &Settings) -> anyhow::Result<Vec<(Host, PathBuf)>> {
    let root = settings.context()?.project.root;
    let hosts = match (args.agent, &args.config) {
        (Some(host), _) => vec![host],
        (None, Some(_)) => vec![Host::ClaudeCode],
        (None, None) => Host::ALL.to_vec(),
    };
    let mut files = Vec::new();
    for host in hosts {
        let folders = super::agents::folders(host, args.config.as_deref(), settings)?;
        let found = transcript::files(host, &folders, &root);
        files.extend(found.into_iter().map(|path| (host, path)));
    }
    Ok(files)
}

fn read(files: &[PathBuf], args: &args::Ingest) -> anyhow::Result<Sources> {
    let (mut sources, mut met) = (Sources::default(), BTreeSet::new());
    for path in files {
        // The same file named twice is one file, read twice.
        let new = met.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
        let host = match args.format {
            IngestFormat::Jsonl => None,
            IngestFormat::ClaudeCode => Some(Host::ClaudeCode),
            IngestFormat::Codex => Some(Host::Codex),
            IngestFormat::Gemini => Some(Host::Gemini),
            IngestFormat::Opencode => Some(Host::Opencode),
            IngestFormat::Auto => turns::host_of(path)?,
        };
        if let Some(host) = host {
            if new {
                read_transcript(path, host, None, &mut sources)?;
            }
        } else {
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

/// Reads what an agent wrote down; of a database that all projects share, what is within a folder.
fn read_transcript(
    path: &Path,
    host: Host,
    within: Option<&Path>,
    sources: &mut Sources,
) -> anyhow::Result<()> {
    if host == Host::Opencode {
        let lines = throughline_engine::opencode_lines(path, within)?;
        read_lines(lines.as_bytes(), host, sources);
        return Ok(());
    }
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    read_lines(BufReader::new(file), host, sources);
    Ok(())
}

fn read_lines(file: impl BufRead, host: Host, sources: &mut Sources) {
    for line in transcript::read(host, file) {
        let Ok(line) = line else {
            sources.skipped += 1;
            continue;
        };
        let turn = match (&line.tool, line.speaker) {
            (Some(run), _) => Captured::ran(line.at, &kept_of(run, line.folder.as_deref())),
            (None, "user") => Captured::said(line.at, Speaker::User, &line.text),
            (None, "assistant") => Captured::said(line.at, Speaker::Assistant, &line.text),
            (None, _) => Captured::said(line.at, Speaker::Tool, &line.text),
        };
        let session = SessionId(clean_name(&line.session.0));
        sources.sessions.entry((host, line.folder, session)).or_default().push(turn);
    }
}

/// A tool's run without what must not be kept, as a hook would have told it.
fn kept_of(run: &ToolRun, folder: Option<&str>) -> ToolRun {
    let root = folder.map(|folder| {
        let folder = Path::new(folder);
        Project::at(folder).map_or_else(|_| folder.to_owned(), |project| project.root)
    });
    let mut event = Event {
        session: SessionId(String::new()),
        folder: folder.map(str::to_owned),
        transcript: None,
        helper: None,
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
    let planned = engine.capturing(&settings.context()?).plan_ingest(&sources.turns)?;
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
    let (here, roots) = (settings.context()?, settings.roots());
    let mut known = 0;
    for ((host, folder, session), turns) in &sources.sessions {
        known += engine
            .capturing(&there(&here, &roots, *host, folder.as_deref()))
            .known_turns(session, turns)?;
    }
    Ok(known)
}

fn take_in(sources: &Sources, settings: &Settings, ui: &Ui) -> anyhow::Result<WireIngested> {
    let (engine, here, roots) = (settings.engine()?, settings.context()?, settings.roots());
    let mut done = WireIngested { skipped: sources.skipped, ..WireIngested::default() };
    let said: usize = sources.sessions.values().map(Vec::len).sum();
    let bar = ui.progress_to("importing turns", (said + sources.turns.len()) as u64);
    let mut spaces = BTreeSet::new();
    for ((host, folder, session), turns) in &sources.sessions {
        let context = there(&here, &roots, *host, folder.as_deref());
        let captured =
            engine.capturing(&context).ingest_session(session, host.as_str(), turns, &mut |n| {
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
        let taken = engine.capturing(&here).ingest("ingest", &sources.turns, &mut |n| {
            bar.set_position((said + n) as u64);
        })?;
        let probed = engine.capturing(&here).probe_ingested(&sources.turns)?;
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
        engine.vectors().embed_missing(space, usize::MAX, &mut |n| bar.set_position(n as u64))?;
    }
    bar.finish_and_clear();
    Ok(done)
}

/// The project that a session worked in; where its folder is gone, the one at hand, unless the
/// session comes from a database that all projects share.
fn there(here: &Context, roots: &Roots, host: Host, folder: Option<&str>) -> Context {
    let project = folder.and_then(|folder| {
        let folder = Path::new(folder);
        let shared = host == Host::Opencode && folder.is_absolute();
        roots.project(folder).ok().or_else(|| shared.then(|| roots.project_of(folder)))
    });
    let project = project.unwrap_or_else(|| here.project.clone());
    Context { project, ..here.clone() }
}

/// What is wrong with a file's line.
fn bad(path: &Path, line: usize, detail: String) -> Error {
    Error::BadFile { path: path.to_owned(), line, detail }
}
