//! What there is to say about the home as a folder: can it be written, is there room, what lies in it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use throughline_core::Timestamp;
use throughline_core::text::{agree, plural};
use throughline_store::Error as StoreError;

use super::Check;
use crate::Error;
use crate::backup::{self, Leftover, leftovers};
use crate::journal::{file, note};
use crate::late_secrets;

/// Less room than this will not last.
const ROOM_BYTES_MIN: u64 = 64 << 20;
/// Days for which it is told that something was lost.
pub(super) const LOST_DAYS: f64 = 7.0;

/// How many bytes are free for this user on the disk of a folder, where that can be said.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let there = folder.ancestors().find(|one| one.exists())?;
        let disk = rustix::fs::statvfs(there).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Why nothing can be written to a home, if that is so. Leaves nothing behind.
pub fn unwritable(home: &Path) -> Option<std::io::Error> {
    if !home.is_dir() {
        return None;
    }
    let probe = home.join(format!("write-check-{:016x}.tmp", fastrand::u64(..)));
    let tried =
        file::open_regular(&probe, std::fs::OpenOptions::new().write(true).create_new(true))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"can this be written?\n"));
    std::fs::remove_file(&probe).ok();
    tried.err()
}

/// Whether the home can be written, and how much room there is.
pub(super) fn disk_checks(home: &Path) -> Vec<Check> {
    let mut checks = Vec::new();
    let free = free_bytes(home);
    let room = free.map(|free| format!("{} MiB free", free >> 20));
    if let Some(why) = unwritable(home) {
        let room = room.map_or(String::new(), |room| format!(" ({room})"));
        let detail = format!("nothing can be written to {}: {why}{room}", home.display());
        let hint = "what is kept can still be recalled, nothing new is kept; free some space, or \
            make the folder writable again";
        let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded].contains(&why.kind());
        checks.push(if full {
            Check::note("disk", detail, hint)
        } else {
            Check::wrong("disk", detail, hint)
        });
    } else if free.is_some_and(|free| free < ROOM_BYTES_MIN) {
        let detail = format!("only {}", room.unwrap_or_default());
        checks.push(Check::note("disk", detail, "when it is full, nothing new is kept"));
    }
    checks
}

/// What interrupted commands left: gone when the home was opened, or still there.
pub(super) fn leftover_checks(home: &Path, before: &[Leftover]) -> Vec<Check> {
    let after = leftovers(home);
    let named = |left: &Leftover| match left {
        Leftover::Copy(path) => {
            format!("{} is left over from a command that was interrupted", path.display())
        }
        Leftover::Exchange => "a restored database waits to be put in its place".to_owned(),
    };
    let mut checks: Vec<Check> = after
        .iter()
        .map(|left| {
            let hint = "the next command that opens this memory cleans it up; it may contain \
                erased text until then";
            Check::note("left over", named(left), hint)
        })
        .collect();
    let gone = before.iter().filter(|left| !after.contains(left)).count();
    if gone > 0 {
        let gone = plural(gone, "file");
        let detail = format!("cleared up: {gone} of a command that was interrupted");
        checks.push(Check::fine("left over", detail));
    }
    checks
}

/// Values that were recognised as secrets and may still stand in what was kept before.
pub(super) fn late_check(home: &Path) -> Option<Check> {
    let count = Some(late_secrets(home)).filter(|count| *count > 0)?;
    let (values, were) = (plural(count, "value"), agree(count, "was", "were"));
    let detail = format!(
        "{values} {were} recognised as a secret after being told, and may still stand in what was kept \
         before"
    );
    let hint = "the next thing that an agent tells or that is remembered takes it out of every file, and so does \
        `doctor --mend`; a program that still has the old state open must end first";
    Some(Check::wrong("secrets", detail, hint))
}

/// The copies that can be restored, in a few words.
pub(super) fn copies_told(home: &Path) -> Option<String> {
    let kept = backup::backups(home);
    let bytes: u64 = kept.iter().map(|copy| copy.bytes).sum();
    let last = kept.iter().find_map(|copy| copy.day.as_ref());
    let last = last.map_or(String::new(), |day| format!(", the last of {day}"));
    (!kept.is_empty())
        .then(|| format!("{} in {} KiB{last}", plural(kept.len(), "copy"), bytes.div_ceil(1_024)))
}

/// What to do where the database cannot be opened and the error does not say.
const OPEN_HINT: &str =
    "`restore --latest` brings back the last copy; --home DIR names another home";

/// What to do where the database does not open.
pub(super) fn open_hint(home: &Path, error: &Error) -> String {
    let holds_damage = matches!(
        error,
        Error::Store(
            StoreError::Damaged { .. } | StoreError::BadRow { .. } | StoreError::Database(_)
        )
    );
    if !holds_damage {
        return error.hint().unwrap_or_else(|| OPEN_HINT.to_owned());
    }
    let how = if backup::backups(home).is_empty() {
        "`restore FILE` brings back a copy that lies elsewhere; there is none in the home"
    } else {
        "`restore --latest` brings back the last copy, `restore` lists them all"
    };
    format!("{how}; the damaged file is kept aside")
}

/// Databases that were damaged and set aside.
pub(super) fn copy_checks(home: &Path) -> Vec<Check> {
    let named = |path: PathBuf| {
        let kib = path.metadata().map_or(0, |data| data.len()).div_ceil(1_024);
        let detail = format!(
            "{} ({kib} KiB) was set aside by a restore; remove it when nothing in it is missed",
            path.display()
        );
        Check::fine("damaged copy", detail)
    };
    backup::copies(home).into_iter().filter(|path| backup::is_aside(path)).map(named).collect()
}

/// Minds of sessions that could not be read.
pub(super) fn mind_checks(home: &Path) -> Vec<Check> {
    let aside = file::with_extension(&home.join("hot"), "damaged").unwrap_or_default();
    let named = |path: &PathBuf| {
        let detail = format!("{} could not be read and was set aside", path.display());
        let hint = "the session went on without its short-term state; no memory is lost";
        Check::note("session", detail, hint)
    };
    aside.iter().map(named).collect()
}

/// What agents told and is lost.
pub(super) fn lost_checks(home: &Path, now: Timestamp) -> Vec<Check> {
    let lost = note::lost_since(home, now.plus_days(-LOST_DAYS));
    let Some(last) = lost.last() else { return Vec::new() };
    let what = if lost.len() == 1 { "turn is" } else { "turns are" };
    let detail = format!(
        "{} {what} lost, the last one {} at {}: {}",
        lost.len(),
        last.event,
        last.at,
        last.why
    );
    let hint = "what was said in them was not kept; say it again if it matters";
    vec![Check::note("lost", detail, hint)]
}

/// Whether there is a memory in the home at all.
pub(super) fn is_new(home: &Path) -> bool {
    !crate::has_memory(home)
}
