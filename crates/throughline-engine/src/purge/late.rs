//! Secrets that were recognised too late: what was kept of them before loses the value, and keeps the
//! words around it.
//!
//! Whoever recognises a value leaves a note with its trace, from which nobody can read it, before
//! anything else is done with the event. The note goes when the value is out of every file, so that
//! whoever is cut off leaves the rest to the next one. What an agent, a tool or a page calls a secret
//! goes only where nothing but that very session told it: otherwise they could change what a person said.

mod files;

pub(super) use files::take_out as take_out_of_files;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use throughline_core::permission::Door;
use throughline_core::row::Image;
use throughline_core::trace::{self, images};
use throughline_core::{Cause, Change, NodeId, Row, SessionId, SpaceId, Trace};
use throughline_store::{HeldSecrets, Reader};

use crate::engine::QUICKLY_REWRITTEN;
use crate::flows::Erasing;
use crate::journal::file::{self, Hold};
use crate::journal::note::{Damage, note_failure};
use crate::{Context, Error, Result};

/// The file with the traces of values that may still stand somewhere.
const DUE: &str = "secrets.due";
/// The file that says that some were left where they stood, because no person had named them.
const LEFT: &str = "secrets.left";
/// The file that whoever takes values out holds.
const ALONE: &str = "secrets.lock";
/// After so long a note is left to a process that has all the time it needs.
const WHILE: Duration = Duration::from_secs(10);
/// How long somebody else who takes values out is waited for.
const TURN: Duration = Duration::from_millis(50);

/// Who made a value known as a secret, which decides how far back it is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// A person: it goes from everything that was kept.
    Person,
    /// An agent, a tool, a page or a file: it goes if only this session told it.
    Others,
}

/// One line of the note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LateSecret {
    #[serde(flatten)]
    trace: Trace,
    /// The session that alone may have told it; whichever where a person named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
}

/// Notes values that may have been kept before they were recognised.
pub(crate) fn note_late(
    home: &Path,
    traces: Vec<Trace>,
    by: NamedBy,
    session: Option<&SessionId>,
) -> io::Result<()> {
    let session = match (by, session) {
        (NamedBy::Person, _) => None,
        (NamedBy::Others, Some(session)) => Some(session),
        // Nobody can say what it told before.
        (NamedBy::Others, None) => return Ok(()),
    };
    if traces.is_empty() {
        return Ok(());
    }
    let mut lines = Vec::new();
    for trace in traces {
        serde_json::to_writer(&mut lines, &LateSecret { trace, session: session.cloned() })?;
        lines.push(b'\n');
    }
    let (mut file, _) = file::open_to_append(&home.join(DUE))?;
    file.write_all(&lines)?;
    file.sync_data()
}

/// The values that may still stand somewhere. A line that cannot be read was torn by a crash, before
/// anything was done with the event that it is about.
fn due(home: &Path) -> Vec<LateSecret> {
    let written = std::fs::read_to_string(home.join(DUE)).unwrap_or_default();
    written.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// How many values were recognised as secrets and may still stand in what was kept before.
pub fn late_secrets(home: &Path) -> usize {
    due(home).len()
}

/// Whether some values were left where they stood, because no person had named them.
pub(crate) fn some_were_left(home: &Path) -> bool {
    home.join(LEFT).exists()
}

/// Whether there is a note of such values.
pub fn has_late_secrets(home: &Path) -> bool {
    home.join(DUE).exists()
}

/// Whether such a note has been there for a while: whoever tried was cut off.
pub fn late_secrets_wait(home: &Path) -> bool {
    let age = std::fs::metadata(home.join(DUE)).and_then(|data| data.modified());
    age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > WHILE))
}

/// Takes values that may still stand somewhere out of what is about to be said.
pub fn hide_late_secrets(home: &Path, text: &mut String) {
    if has_late_secrets(home)
        && let Some(clean) = trace::take_out(&traces_of(due(home)), text)
    {
        *text = clean;
    }
}

fn traces_of(secrets: Vec<LateSecret>) -> Vec<Trace> {
    secrets.into_iter().map(|one| one.trace).collect()
}

/// Takes lines off the note.
fn done(home: &Path, secrets: &[LateSecret]) -> io::Result<()> {
    let path = home.join(DUE);
    let _held = match file::open_locked(&path, Hold::Exclusive) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        held => held?,
    };
    let left = due(home).into_iter().filter(|one| !secrets.contains(one));
    let mut lines = Vec::new();
    for one in left {
        serde_json::to_writer(&mut lines, &one)?;
        lines.push(b'\n');
    }
    if lines.is_empty() { file::remove(&path).map(drop) } else { file::replace(&path, &lines) }
}

impl Erasing<'_> {
    /// Takes the values that a note names out of everything that was kept of them. Says whether there
    /// was a note. What is in use right now is cleaned the next time.
    pub fn take_out_late(&self, context: &Context) -> Result<bool> {
        let home = &self.engine.home;
        if !has_late_secrets(home) {
            return Ok(false);
        }
        let Ok(_alone) = file::lock_file_within(&home.join(ALONE), TURN) else { return Ok(true) };
        let all = due(home);
        let traces = traces_of(self.to_take_out(&all)?);
        if traces.len() < all.len() && !some_were_left(home) {
            file::replace_lightly(&home.join(LEFT), b"")
                .map_err(|source| Error::File { path: home.join(LEFT), source })?;
        }
        // The store comes last: what lies in a journal would come into it again.
        let left = take_out_of_files(home, &traces);
        let copies_left = self.take_out_of_store(context, &traces)?;
        if !copies_left.is_empty() {
            let named: Vec<String> =
                copies_left.iter().map(|one| one.display().to_string()).collect();
            let why = format!("{} could not be opened", named.join(", "));
            note_failure(
                home,
                self.engine.now(),
                "take a secret out of copies",
                &why,
                Damage::None,
            );
        }
        if left.is_empty() {
            done(home, &all).map_err(|source| Error::File { path: home.join(DUE), source })?;
        }
        Ok(true)
    }

    /// Those of the values that go: what others than a person named stays where another session told it.
    fn to_take_out(&self, secrets: &[LateSecret]) -> Result<Vec<LateSecret>> {
        let reader = self.engine.now_reader()?;
        let mut going = Vec::new();
        for one in secrets {
            let goes = match &one.session {
                None => true,
                Some(session) => is_told_here_alone(&*reader, &one.trace, session)?,
            };
            if goes {
                going.push(one.clone());
            }
        }
        Ok(going)
    }

    /// Takes the values out of the store, its log and its copies. Returns the copies that could not be
    /// cleaned.
    fn take_out_of_store(&self, context: &Context, traces: &[Trace]) -> Result<Vec<PathBuf>> {
        if traces.is_empty() {
            return Ok(Vec::new());
        }
        let home = &self.engine.home;
        let (overwritten, _) = super::scrub::scrub_secrets(home, traces);
        // A look, while others may write: most values are told for the first time.
        let held = self.engine.now_reader()?.holding_secrets(traces)?;
        if !held.spaces.is_empty() {
            self.engine.write(context, Cause::Purge, None, |tx| {
                let held = tx.holding_secrets(traces)?;
                tx.scope.space = held.spaces.first().copied().unwrap_or(tx.scope.space);
                let at = tx.now;
                tx.extend(redactions(&held, at));
                Ok(())
            })?;
        }
        // Also where somebody else was cut off right here.
        if self.engine.store.unfinished_erasures()?.is_empty() {
            return Ok(Vec::new());
        }
        let (_, left) = self.finish_erasures()?;
        Ok(left.into_iter().filter(|copy| !overwritten.contains(copy)).collect())
    }

    /// Whether whoever comes by a door takes out at once what was recognised as a secret too late. A hook does so
    /// when its agent has its answer, and a tool leaves it to a quiet moment where it takes long.
    pub(crate) fn takes_out_at_once(&self, door: Door) -> bool {
        match door {
            Door::Terminal | Door::AgentShell | Door::Import => true,
            Door::Tools | Door::MemoryTool | Door::ServerMemory => {
                self.engine.store.health().is_ok_and(|health| health.bytes < QUICKLY_REWRITTEN)
            }
            Door::Hook | Door::Model | Door::Upkeep => false,
        }
    }
}

/// Whether nothing that holds a value was told in another session, or by hand.
fn is_told_here_alone(reader: &dyn Reader, trace: &Trace, session: &SessionId) -> Result<bool> {
    for row in reader.holding_secrets(std::slice::from_ref(trace))?.rows {
        let sessions: Vec<Option<SessionId>> = if let Row::Episode(turn) = &row {
            vec![Some(turn.session.clone())]
        } else if let Some(memory) = row.as_memory() {
            let attached = reader.attached(memory.space, &[NodeId::Memory(memory.id)])?;
            let evidence = attached.into_iter().filter_map(Row::into_evidence);
            evidence.map(|one| one.session).collect()
        } else {
            // It goes with the turn or the memory that it belongs to.
            continue;
        };
        if sessions.iter().any(|one| one.as_ref() != Some(session)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The changes that take out what was found: in each space a tombstone for each value, and with the first
/// of them the rows.
fn redactions(held: &HeldSecrets, at: throughline_core::Timestamp) -> Vec<Change> {
    let traces: Vec<Trace> = held.traces.iter().cloned().collect();
    let mut changes = Vec::new();
    for space in &held.spaces {
        let mut rows = rows_of(held, *space, &traces);
        for trace in &traces {
            let rows = std::mem::take(&mut rows);
            changes.push(Change::Redact { stone: trace.stone(*space, at), rows });
        }
    }
    changes
}

fn rows_of(held: &HeldSecrets, space: SpaceId, traces: &[Trace]) -> Vec<Image> {
    let mut seen = BTreeSet::new();
    let rows = held.rows.iter().filter(|row| row.key().space == space);
    rows.flat_map(|row| images(traces, row))
        .filter(|image| seen.insert(image.key.clone()))
        .collect()
}
