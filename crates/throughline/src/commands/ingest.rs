//! `ingest`: turns of past sessions come in.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{Error, Ingested, Turn};

use crate::args;
use crate::settings::Settings;
use crate::ui::{GOOD, Ui, paint};

/// Bytes of one line at most: a turn of the largest size, escaped.
const LINE_BYTES_MAX: u64 = 8 << 20;

/// A turn as a line of the file has it. Fields we never read are left out.
#[derive(Debug, Deserialize)]
struct WireTurn {
    session: String,
    at: Timestamp,
    speaker: String,
    text: String,
    #[serde(default)]
    id: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireIngested {
    sessions: usize,
    turns: usize,
    episodes: usize,
    probes: usize,
    memories: usize,
    skipped: usize,
    duplicates: usize,
}

pub(super) fn ingest(
    args: &args::Ingest,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let mut turns = Vec::new();
    let (mut met, mut repeated) = (BTreeSet::new(), Vec::new());
    for path in &args.files {
        // The same file named twice is one file, read twice.
        let new = met.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
        if new { &mut turns } else { &mut repeated }.extend(read(path)?);
    }
    let bar = ui.progress("taking in turns");
    let done = if args.dry_run && !settings.home.exists() {
        // Nothing is there, so everything would be new; nothing is made to find that out.
        Ingested { turns: turns.len(), episodes: turns.len(), ..Ingested::default() }
    } else if args.dry_run {
        settings.engine()?.plan_ingest(&settings.context()?, &turns)?
    } else {
        let engine = settings.engine()?;
        let context = settings.context()?;
        engine.ingest(&context, "ingest", &turns, &mut |done| bar.set_position(done as u64))?
    };
    bar.finish_and_clear();
    let empty = repeated.iter().filter(|turn: &&Turn| turn.text.trim().is_empty()).count();
    let done = Ingested {
        turns: done.turns + repeated.len(),
        skipped: done.skipped + empty,
        duplicates: done.duplicates + repeated.len() - empty,
        ..done
    };
    let wire = WireIngested {
        sessions: done.sessions,
        turns: done.turns,
        episodes: done.episodes,
        probes: 0,
        memories: 0,
        skipped: done.skipped,
        duplicates: done.duplicates,
    };
    ui.answer(&wire, || {
        let (new, turns, known) = (done.episodes, done.turns, done.duplicates);
        let would = if args.dry_run { "would be" } else { "are" };
        paint(GOOD, format!("{new} of {turns} turns {would} new, {known} were known"))
    })
}

/// Reads a file of turns; a bad line is named, and nothing of the file is taken in.
fn read(path: &Path) -> anyhow::Result<Vec<Turn>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut reader = BufReader::new(file);
    let mut turns = Vec::new();
    for line in 1.. {
        let mut text = String::new();
        let bad = |detail: String| Error::BadFile { path: path.to_owned(), line, detail };
        let read = match reader.by_ref().take(LINE_BYTES_MAX).read_line(&mut text) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(bad(error.to_string()).into());
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        if read == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let turn: WireTurn = serde_json::from_str(&text).map_err(|error| bad(told(&error)))?;
        turns.push(Turn {
            session: SessionId(turn.session),
            at: turn.at,
            speaker: turn.speaker,
            text: turn.text,
            id: turn.id,
        });
    }
    Ok(turns)
}

/// What is wrong with a line, without the line number that serde counts within it.
fn told(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match whole.strip_suffix(&place) {
        Some(what) => format!("{what}, at column {}", error.column()),
        None => whole,
    }
}
