//! Seeding: the flat memory files of a project are read as anchors, one memory for each rule, and what changes in them
//! is followed. Files are the user's: nothing here writes to one.
//!
//! Which lines were read is kept as leaves on one shelf, so that a line that is gone can be told from one that was never
//! there. A note beside the store says which files are as they were.

mod follow;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use throughline_core::event::ToolCall;
use throughline_core::scope::Level;
use throughline_core::{BatchId, Cause, Leaf, SpaceId, text};
use throughline_language::flat::{self, FlatFile};
use throughline_store::Reader;

use crate::doctor::Check;
use crate::flows::Keeping;
use crate::journal::file;
use crate::meaning::VectorsLater;
use crate::{Context, Result};
use places::Gathered;
pub(crate) use places::{FlatText, text_of};

/// The shelf on which lines of flat files are kept.
pub(crate) const SHELF: &str = "flat";
/// The note of a leaf whose line was written from memory, because a person said so.
pub(crate) const WRITTEN: &str = "written";
/// The note of a leaf whose line was taken out of its file, because a person said so.
pub(crate) const TAKEN_OUT: &str = "taken out";
/// The note of a leaf whose line somebody took out of its file.
pub(crate) const REMOVED: &str = "removed";
/// Rules of one batch: others wait while they are written.
const RULES_AT_ONCE: usize = 24;

/// Lines of files that are new up to which their rules get vectors at once.
const LINES_EMBEDDED: usize = 64;

/// What reading the flat files of a project came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seeded {
    /// Files that were read.
    pub files: usize,
    /// Those of them that are not as they were.
    pub changed: usize,
    /// Rules that are new.
    pub added: usize,
    /// Rules that are worded otherwise.
    pub reworded: usize,
    /// Rules that are no longer there.
    pub removed: usize,
    /// Rules that wait for a person, because they give orders to whoever reads them.
    pub waiting: usize,
    /// Files that were left alone, and why.
    pub skipped: Vec<String>,
    /// What undoes it, in order.
    pub batches: Vec<BatchId>,
}

/// Who changed a flat file, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// Nobody that we saw: its lines rank as a file's.
    Unseen,
    /// An agent, by a tool call that was captured: its lines are the agent's word until a person vouches.
    Agent,
}

/// Files as they were read last, by path: the hash of each.
type SeenFiles = BTreeMap<String, String>;

/// Files for agents that are there and cannot be read.
#[derive(Debug, Default, Serialize, Deserialize)]
struct UnreadFiles {
    /// The name of their project.
    project: String,
    /// Each with the reason.
    files: Vec<String>,
}

const UNREAD_END: &str = ".unread.json";

fn unread_path(home: &Path, space: SpaceId) -> PathBuf {
    home.join("seeded").join(format!("{}{UNREAD_END}", space.0))
}

/// What `doctor` says of files for agents: nothing, unless some could not be read when they were last looked at.
pub(crate) fn unread_checks(home: &Path) -> Vec<Check> {
    let entries = std::fs::read_dir(home.join("seeded")).into_iter().flatten().flatten();
    let noted = entries.filter(|one| one.file_name().to_string_lossy().ends_with(UNREAD_END));
    let mut checks: Vec<Check> = noted
        .filter_map(|one| {
            let note: UnreadFiles =
                serde_json::from_slice(&std::fs::read(one.path()).ok()?).ok()?;
            let detail = format!("{}: {}", note.project, note.files.join("; "));
            let hint = "what such a file said when it could be read still counts; save it as \
                plain UTF-8 text below the limit, and the next session reads it again";
            Some(Check::note("files for agents", detail, hint))
        })
        .collect();
    checks.sort_by(|one, other| one.detail.cmp(&other.detail));
    checks
}

impl Keeping<'_> {
    /// Reads the flat files of the project as far as they changed: all of them, or as many as there is time for.
    pub fn seed(&self, until: Option<Instant>) -> Result<Seeded> {
        self.seed_of(until, Author::Unseen)
    }

    /// Reads them where a captured tool call has just changed one: what is new in it is the agent's word. A project
    /// whose files were never read is left to [`Keeping::seed`], which cannot tell what was there before.
    pub(crate) fn seed_by_agent(&self, calls: &[ToolCall]) -> Result<Seeded> {
        let known = self.seen_path(self.context.project.space()).exists();
        if !known || !calls.iter().any(places::changes_flat_file) {
            return Ok(Seeded::default());
        }
        self.seed_of(None, Author::Agent)
    }

    fn seed_of(&self, until: Option<Instant>, author: Author) -> Result<Seeded> {
        let mut seeded = Seeded::default();
        let space = self.context.project.space();
        if !self.engine.policy.lifecycle.reads_files
            || space == SpaceId::GLOBAL
            || self.context.project.standing == crate::RootStanding::Unknown
        {
            return Ok(seeded);
        }
        let Gathered { texts, skipped, unread, cut_off } =
            places::gather(&self.context.project.root);
        (seeded.files, seeded.skipped) = (texts.len(), skipped);
        let mut seen = self.seen_files(space);
        // A file that cannot be read now has taken nothing back, nor has what it imports.
        let there: BTreeSet<&String> = texts.iter().map(|one| &one.path).chain(&unread).collect();
        let all_read = unread.is_empty() && !cut_off;
        let is_gone = |path: &&String| {
            !there.contains(path)
                && (all_read || !self.context.project.root.join(path.as_str()).exists())
        };
        let gone: Vec<String> = seen.keys().filter(is_gone).cloned().collect();
        self.note_unread(&seen, &unread, &seeded.skipped);
        let changed = texts
            .iter()
            .filter(|text| seen.get(&text.path) != Some(&text::sha256_hex(text.text.as_bytes())));
        let lines: usize = changed.map(|text| text.text.lines().count()).sum();
        // The vectors of many rules come later, as those of everything that comes in at once.
        let _later = (lines > LINES_EMBEDDED).then(|| VectorsLater::begin(self.engine));
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        for text in &texts {
            let hash = text::sha256_hex(text.text.as_bytes());
            if seen.get(&text.path) == Some(&hash) {
                continue;
            }
            if is_late() {
                return Ok(seeded);
            }
            seeded.changed += 1;
            let mut now = flat::read(&text.text);
            // Before anything is compared or kept.
            let words = now.rules.iter_mut().map(|rule| &mut rule.text);
            self.engine.clean_texts(self.context, words);
            self.follow_file(&text.path, &now, author, &mut seeded)?;
            seen.insert(text.path.clone(), hash);
            self.keep_seen_files(space, &seen);
        }
        if texts.is_empty() && seen.is_empty() {
            self.keep_seen_files(space, &seen);
        }
        for path in gone {
            seeded.changed += 1;
            self.follow_file(&path, &FlatFile::default(), author, &mut seeded)?;
            seen.remove(&path);
            self.keep_seen_files(space, &seen);
        }
        Ok(seeded)
    }

    /// Follows what changed in one file, a few rules at a time.
    fn follow_file(
        &self,
        path: &str,
        now: &FlatFile,
        author: Author,
        seeded: &mut Seeded,
    ) -> Result<()> {
        // What a file says holds in its project, whoever's session reads it.
        let context = Context { level: Level::Project, ..self.context.clone() };
        let held = leaves_of(&*self.engine.now_reader()?, context.project.space(), path)?;
        let steps = follow::steps(held, now);
        for some in steps.chunks(RULES_AT_ONCE) {
            let keeping = self.engine.keeping(&context);
            let reason = format!("read from {path}");
            let write = self.engine.write(&context, Cause::Capture, Some(&reason), |tx| {
                let before = seeded.clone();
                let mut counted = before;
                for step in some {
                    keeping.follow_step(tx, (path, author), step, &mut counted)?;
                }
                Ok((counted, !tx.changes().is_empty()))
            })?;
            let ((counted, wrote), batch) = write;
            *seeded = counted;
            if wrote {
                seeded.batches.push(batch);
            }
        }
        Ok(())
    }

    /// Notes which files cannot be read although they could before, for `doctor` to tell.
    fn note_unread(&self, seen: &SeenFiles, unread: &BTreeSet<String>, skipped: &[String]) {
        let path = unread_path(&self.engine.home, self.context.project.space());
        let known =
            |path: &&String| seen.contains_key(*path) || places::FILES.contains(&path.as_str());
        let of = |path: &String| {
            let begin = format!("{path}: ");
            skipped.iter().find(|why| why.starts_with(&begin))
        };
        let files: Vec<String> = unread.iter().filter(known).filter_map(of).cloned().collect();
        let note = UnreadFiles { project: self.context.project.name.clone(), files };
        if note.files.is_empty() {
            file::remove(&path).ok();
        } else if let Ok(bytes) = serde_json::to_vec(&note)
            && std::fs::read(&path).ok().as_ref() != Some(&bytes)
        {
            file::replace_lightly(&path, &bytes).ok();
        }
    }

    fn seen_path(&self, space: SpaceId) -> PathBuf {
        self.engine.home.join("seeded").join(format!("{}.json", space.0))
    }

    fn seen_files(&self, space: SpaceId) -> SeenFiles {
        let kept = std::fs::read(self.seen_path(space)).ok();
        kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Notes which files are as they were. What cannot be noted is only read again.
    fn keep_seen_files(&self, space: SpaceId, seen: &SeenFiles) {
        if let Ok(bytes) = serde_json::to_vec(seen) {
            file::replace_lightly(&self.seen_path(space), &bytes).ok();
        }
    }
}

/// The lines of one flat file that were read, in their order.
pub(crate) fn leaves_of(reader: &dyn Reader, space: SpaceId, path: &str) -> Result<Vec<Leaf>> {
    let mut leaves = reader.leaves(space, SHELF)?;
    leaves.retain(|leaf| leaf.name == path);
    leaves.sort_by_key(|leaf| (leaf.order, leaf.id));
    Ok(leaves)
}

/// Whether a leaf is a line that stands in its file, as far as is known.
pub(crate) fn is_in_file(leaf: &Leaf) -> bool {
    leaf.shelf == SHELF && !leaf.notes.iter().any(|note| note == TAKEN_OUT || note == REMOVED)
}
