//! Copies that are made without being asked for: one a day at most, a few of the last days and weeks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use throughline_core::Timestamp;
use throughline_store::{LogQuery, SqliteStore, beside, sync_parent};

use super::{BACKUPS, RESTORING, copies, copying, folder_in, free_name};
use crate::engine::DATABASE;
use crate::flows::Copying;
use crate::{Error, Result};

/// How the name of such a copy begins.
const AUTO: &str = "auto-";
/// Of the copies that are kept, so many are the latest ones; the others are of different weeks.
const LATEST: usize = 3;
/// All of them together take at most so many times what the database takes, or this.
const TIMES_DATABASE: u64 = 3;
const BYTES_MIN: u64 = 64 << 20;

/// A copy in the home that can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupCopy {
    /// Where.
    pub path: PathBuf,
    /// Bytes of it.
    pub bytes: u64,
    /// The day it was made, if it was made without being asked for.
    pub day: Option<String>,
}

/// The sound copies in a home, the latest first: those made automatically, then the others.
pub fn backups(home: &Path) -> Vec<BackupCopy> {
    let mut found: Vec<BackupCopy> = copies(home)
        .into_iter()
        .filter(|path| !super::is_aside(path))
        .map(|path| BackupCopy {
            bytes: path.metadata().map_or(0, |data| data.len()),
            day: day_of(&path),
            path,
        })
        .collect();
    found.sort_by(|a, b| (&b.day, &b.path).cmp(&(&a.day, &a.path)));
    found
}

/// The day on which an automatic copy was made.
fn day_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let day = name.strip_prefix(AUTO)?.get(..10)?;
    moment(day).map(|_| day.to_owned())
}

fn moment(day: &str) -> Option<Timestamp> {
    format!("{day}T00:00:00Z").parse().ok()
}

impl Copying<'_> {
    /// Makes today's copy if there is none, something was written since the last one, and memory is
    /// older than a day. Keeps at most `keep` such copies. Says where it is.
    pub fn roll_backup(&self, keep: usize) -> Result<Option<PathBuf>> {
        // A server has copies of its own.
        if keep == 0 || self.engine.store.server().is_some() || !self.is_backup_due()? {
            return Ok(None);
        }
        self.make_rolling(keep).map(Some)
    }

    /// Makes a copy now, whether one is due or not.
    pub fn backup_here(&self, keep: usize) -> Result<BackupCopy> {
        let path = self.make_rolling(keep.max(1))?;
        let bytes = path.metadata().map_or(0, |data| data.len());
        Ok(BackupCopy { bytes, day: day_of(&path), path })
    }

    /// Whether a copy is to be made today.
    pub fn is_backup_due(&self) -> Result<bool> {
        let today = self.engine.now().date();
        let last = backups(&self.engine.home).into_iter().find_map(|copy| copy.day);
        if last.as_ref().is_some_and(|last| *last >= today) {
            return Ok(false);
        }
        let reader = self.engine.now_reader()?;
        let one = |latest_first| LogQuery { latest_first, limit: 1, ..LogQuery::default() };
        let written = reader.log(&one(last.is_some()))?;
        let Some(day) = written.first().map(|stored| stored.batch.at.date()) else {
            return Ok(false);
        };
        Ok(match last {
            // Of the day of the last copy it is not known what came after it.
            Some(last) => day >= last,
            None => day < today,
        })
    }

    fn make_rolling(&self, keep: usize) -> Result<PathBuf> {
        let alone = copying(&self.engine.home)?;
        let folder = folder_in(&self.engine.home, BACKUPS)?;
        let working = free_name(&folder, &format!("{RESTORING}-auto"), self.engine.clock);
        self.engine.store.backup(&working)?;
        let damage = SqliteStore::check_file(&working)?;
        if let Some(first) = damage.first() {
            // Not in the place of a sound one.
            super::sweep::sweep(&self.engine.home, &alone);
            let detail = format!("{}: {}", first.check, first.detail);
            return Err(Error::NotPossible(format!(
                "memory is damaged, so no copy of it was kept ({detail}); `doctor` says more"
            )));
        }
        let path = free_name(&folder, AUTO.trim_end_matches('-'), self.engine.clock);
        let io = |source| Error::File { path: path.clone(), source };
        std::fs::rename(&working, &path).map_err(io)?;
        sync_parent(&path).map_err(io)?;
        // Somebody may have erased something while it was made, and not have seen it.
        let stones = self.engine.now_reader()?.all_tombstones()?;
        if SqliteStore::tombstones_in(&path).0.len() < stones.len() {
            SqliteStore::open_copy(&path)?.reapply_tombstones(&stones)?;
        }
        super::sweep::sweep(&self.engine.home, &alone);
        self.note_erased().ok();
        let database = self.engine.home.join(DATABASE).metadata().map_or(0, |data| data.len());
        prune(&self.engine.home, keep, (TIMES_DATABASE * database).max(BYTES_MIN));
        Ok(path)
    }
}

/// Removes a copy and what belongs to it.
pub(super) fn remove_copy(path: &Path) {
    for part in ["-wal", "-shm", "-journal", ".lock", ""] {
        std::fs::remove_file(beside(path, part)).ok();
    }
}

/// Removes the automatic copies that are too many or too large.
fn prune(home: &Path, keep: usize, bytes_max: u64) {
    let all: Vec<BackupCopy> =
        backups(home).into_iter().filter(|copy| copy.day.is_some()).collect();
    let stays = kept(&all, keep, bytes_max);
    for copy in all.iter().filter(|copy| !stays.contains(&copy.path)) {
        remove_copy(&copy.path);
    }
}

/// The copies that stay, of a list with the latest first.
fn kept(all: &[BackupCopy], keep: usize, bytes_max: u64) -> BTreeSet<PathBuf> {
    let week = |copy: &BackupCopy| moment(copy.day.as_deref()?).map(|at| at.day().div_euclid(7));
    let mut weeks = BTreeSet::new();
    let (mut stays, mut bytes) = (BTreeSet::new(), 0);
    for copy in all {
        let new_week = weeks.insert(week(copy));
        let wanted = stays.len() < LATEST.min(keep) || (new_week && stays.len() < keep);
        let fits = stays.is_empty() || bytes + copy.bytes <= bytes_max;
        if wanted && fits {
            bytes += copy.bytes;
            stays.insert(copy.path.clone());
        }
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copies_of(days: &[&str]) -> Vec<BackupCopy> {
        let copy = |day: &&str| BackupCopy {
            path: PathBuf::from(format!("auto-{day}.1.db")),
            bytes: 10,
            day: Some((*day).to_owned()),
        };
        days.iter().map(copy).collect()
    }

    fn days(all: &[BackupCopy], keep: usize, bytes_max: u64) -> Vec<String> {
        let stays = kept(all, keep, bytes_max);
        all.iter()
            .filter(|one| stays.contains(&one.path))
            .filter_map(|one| one.day.clone())
            .collect()
    }

    #[test]
    fn the_last_three_days_stay_and_one_of_each_week_before() {
        let all = copies_of(&[
            "2026-03-20",
            "2026-03-19",
            "2026-03-18",
            "2026-03-17",
            "2026-03-11",
            "2026-03-10",
            "2026-03-03",
            "2026-02-01",
        ]);
        let expected = ["2026-03-20", "2026-03-19", "2026-03-18", "2026-03-11", "2026-03-03"];
        assert_eq!(days(&all, 5, 1_000), expected);
        assert_eq!(days(&all, 1, 1_000), ["2026-03-20"]);
        assert_eq!(days(&all, 5, 25), ["2026-03-20", "2026-03-19"], "no more than fits");
        assert_eq!(days(&all, 5, 1), ["2026-03-20"], "the latest always stays");
    }
}
