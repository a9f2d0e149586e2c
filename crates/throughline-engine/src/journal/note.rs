//! Small notes about hooks: which failed and why, and when each last ran.
//!
//! They are for `doctor`. A note that cannot be written is let go: nothing here may fail a hook.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::{Timestamp, text};

use super::file;
use crate::clean::{clean_name, cleaned};

/// Bytes after which the file of failures is begun anew; the one before it is kept.
const FAILURES_BYTES_MAX: u64 = 64 << 10;
/// Characters of why something failed.
const WHY_CHARS_MAX: usize = 400;
/// Characters of an event's name.
const EVENT_CHARS_MAX: usize = 64;
/// Events that are told of at most.
const EVENTS_MAX: usize = 256;
/// Bytes that are kept free for one note.
const ROOM_BYTES: usize = 4_096;

/// A hook that could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookFailure {
    /// When.
    pub at: Timestamp,
    /// At which event.
    pub event: String,
    /// What went wrong.
    pub why: String,
    /// What the agent told is lost by that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What a failure did to what the agent told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Nothing: it is in the journal, or there was nothing to keep.
    None,
    /// It could not be written down.
    Lost,
}

/// Notes that a hook could not do its work. On a full disk the note goes where room was kept for it.
pub fn note_failure(home: &Path, at: Timestamp, event: &str, why: &str, damage: Damage) {
    let failure = HookFailure {
        at,
        // Both may quote what was handed in.
        event: text::headline(&clean_name(event), EVENT_CHARS_MAX),
        why: text::headline(&cleaned(why).0, WHY_CHARS_MAX),
        lost: damage == Damage::Lost,
    };
    let Ok(mut line) = serde_json::to_vec(&failure) else { return };
    line.push(b'\n');
    let [new, old] = failure_files(home);
    // Only a file is moved: whatever else is there was not put there by us.
    let full = |data: std::fs::Metadata| data.is_file() && data.len() > FAILURES_BYTES_MAX;
    if new.symlink_metadata().is_ok_and(full) {
        std::fs::rename(&new, &old).ok();
    }
    let append = || -> std::io::Result<()> {
        let (mut file, _) = file::open_to_append(&new)?;
        let before = file.metadata()?.len();
        file.write_all(&line).inspect_err(|_| drop(file.set_len(before)))
    };
    if append().is_err() {
        write_over(&room(home), &line).ok();
    }
}

/// Keeps room for one note, for the day when the disk is full.
fn keep_room(home: &Path) {
    let path = room(home);
    if !path.exists() {
        file::replace_lightly(&path, &[b' '; ROOM_BYTES]).ok();
    }
}

/// Writes a note where there is room for it, without needing more. What says that something is lost
/// stays before everything else.
fn write_over(path: &Path, line: &[u8]) -> std::io::Result<()> {
    let mut file = file::open_regular(path, OpenOptions::new().read(true).write(true))?;
    let mut held = Vec::new();
    (&file).take(ROOM_BYTES as u64).read_to_end(&mut held)?;
    let is_lost =
        |line: &&[u8]| serde_json::from_slice(line).is_ok_and(|one: HookFailure| one.lost);
    let lines = [held.as_slice(), line].concat();
    let (lost, other): (Vec<&[u8]>, Vec<&[u8]>) =
        lines.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).partition(is_lost);
    let newest_first = lost.iter().rev().chain(other.iter().rev());
    let mut notes = Vec::new();
    for line in newest_first.filter(|line| !line.is_empty()) {
        if notes.len() + line.len() < ROOM_BYTES {
            notes.extend_from_slice(line);
            notes.push(b'\n');
        }
    }
    notes.resize(ROOM_BYTES, b' ');
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&notes)?;
    file.sync_data()
}

fn room(home: &Path) -> PathBuf {
    home.join("last-failure.jsonl")
}

/// What agents told since a moment and is lost, the newest last.
pub fn lost_since(home: &Path, since: Timestamp) -> Vec<HookFailure> {
    let mut lost = last_failures(home, usize::MAX);
    lost.retain(|failure| failure.lost && failure.at >= since);
    lost
}

/// The last `count` failures, the newest last.
pub fn last_failures(home: &Path, count: usize) -> Vec<HookFailure> {
    let [new, old] = failure_files(home);
    let mut failures: Vec<HookFailure> = Vec::new();
    for path in [old, new, room(home)] {
        let Ok(file) = file::open_to_read(&path) else { continue };
        let mut bytes = Vec::new();
        if file.take(2 * FAILURES_BYTES_MAX).read_to_end(&mut bytes).is_ok() {
            let lines = bytes.split(|byte| *byte == b'\n');
            failures.extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
        }
    }
    failures.sort_by_key(|failure| failure.at);
    failures.split_off(failures.len().saturating_sub(count))
}

/// Notes that the hook of an event ran. Names that are no plain words, or a secret, are let go.
pub fn note_fired(home: &Path, event: &str, at: Timestamp) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if event.is_empty() || event.len() > EVENT_CHARS_MAX || !event.chars().all(plain) {
        return;
    }
    if cleaned(event).1 > 0 {
        return;
    }
    // Always as many bytes, so that writing over the last moment needs no emptying first.
    let moment = at.to_string();
    let path = home.join("fired").join(event);
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    let opened = file::open_regular(&path, &mut options).or_else(|_| {
        file::private_folder(&home.join("fired"))?;
        file::open_regular(&path, &mut options)
    });
    if let Ok(mut file) = opened {
        file.write_all(moment.as_bytes()).ok();
    }
    keep_room(home);
}

/// When the hook of each event last ran.
pub fn last_fired(home: &Path) -> BTreeMap<String, Timestamp> {
    let Ok(entries) = std::fs::read_dir(home.join("fired")) else { return BTreeMap::new() };
    let moment = |path: &Path| {
        let mut written = String::new();
        file::open_to_read(path).ok()?.take(64).read_to_string(&mut written).ok()?;
        written.trim_end().parse::<Timestamp>().ok()
    };
    entries
        .flatten()
        .take(EVENTS_MAX)
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, moment(&entry.path())?)))
        .collect()
}

fn failure_files(home: &Path) -> [PathBuf; 2] {
    [home.join("hook-failures.jsonl"), home.join("hook-failures.old.jsonl")]
}
