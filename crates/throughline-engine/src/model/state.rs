//! What is known of a model between two runs: what was spent, how it fared. A convenience and no
//! truth: a file that is lost or damaged begins anew.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::Timestamp;
use throughline_llm::Breaker;

use super::DAY_MS;
use crate::journal::file;
use crate::{Error, Result};

/// Bytes of the file.
const BYTES_MAX: u64 = 1 << 20;
/// Sessions whose questions are counted.
const SESSIONS_MAX: usize = 256;
/// Days whose tokens are counted. More than one, so that a clock that is put back wins nothing.
const DAYS_MAX: usize = 32;
/// Nothing is put off for longer: a later moment was noted by another clock.
const PUT_OFF_MAX_MS: i64 = 2 * DAY_MS;

/// How often the file's lock is tried: what a question cost should not be forgotten.
const LOCK_TRIES: usize = 20;

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelState {
    /// What was spent on each day.
    days: BTreeMap<i64, Spent>,
    /// Questions of each session, and the day of the last one.
    calls: BTreeMap<String, (u64, i64)>,
    /// Whether it is left alone.
    pub breaker: Breaker,
    /// What went wrong last.
    pub last_error: Option<(Timestamp, String)>,
    /// When it last answered.
    pub last_answer: Option<Timestamp>,
    /// Everything up to this change was read, or is too old.
    pub(super) scanned: u64,
    /// Every memory up to this change was held against those near it.
    pub(super) paired: u64,
}

/// What was spent on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Spent {
    tokens: u64,
    /// Questions about pairs, which belong to no session.
    pairs: u64,
    /// Questions for a better wording, which belong to none either.
    #[serde(skip_serializing_if = "is_none")]
    wordings: u64,
}

/// Whether a count is nought, and so not worth writing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// On whose account a question goes, beside the day's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account<'a> {
    /// A session's.
    Session(&'a str),
    /// Comparing, which has as many a day as a session has.
    Pairs,
    /// Wording lines for files, which has as many.
    Wordings,
    /// Nobody's: a person asks.
    Person,
    /// Nobody's: somebody looks whether it answers, whatever happened before.
    Trial,
}

impl ModelState {
    /// What is known.
    pub fn load(home: &Path) -> Self {
        let read = || {
            let mut bytes = Vec::new();
            file::open_to_read(&path(home)).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
            serde_json::from_slice(&bytes).ok()
        };
        read().unwrap_or_default()
    }

    /// Changes what is known; one at a time.
    pub(super) fn update(home: &Path, change: impl FnOnce(&mut Self)) -> Result<()> {
        let path = path(home);
        let failed = |source| Error::File { path: path.clone(), source };
        let lock = path.with_extension("lock");
        let mut turn = file::lock_file(&lock);
        for _ in 1..LOCK_TRIES {
            if turn.is_ok() {
                break;
            }
            turn = file::lock_file(&lock);
        }
        let _turn = turn.map_err(failed)?;
        let mut state = Self::load(home);
        change(&mut state);
        let bytes = serde_json::to_vec(&state).expect("plain data serialises");
        file::replace(&path, &bytes).map_err(failed)
    }

    pub(super) fn spend(&mut self, day: i64, account: Account<'_>, tokens: u64) {
        let spent = self.days.entry(day).or_default();
        spent.tokens = spent.tokens.saturating_add(tokens);
        match account {
            Account::Session(session) => {
                let counted = self.calls.entry(session.to_owned()).or_default();
                *counted = (counted.0 + 1, day);
            }
            Account::Pairs => spent.pairs += 1,
            Account::Wordings => spent.wordings += 1,
            Account::Person | Account::Trial => {}
        }
        while self.calls.len() > SESSIONS_MAX {
            let oldest = self.calls.iter().min_by_key(|(_, (_, day))| *day);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            self.calls.remove(&oldest);
        }
        while self.days.len() > DAYS_MAX {
            let other = self.days.keys().copied().find(|one| *one != day);
            let Some(other) = other else { break };
            self.days.remove(&other);
        }
    }

    /// Tokens of a day.
    pub fn tokens_on(&self, day: i64) -> u64 {
        self.days.get(&day).map_or(0, |spent| spent.tokens)
    }

    /// Questions on an account; those of nobody's are not counted.
    pub(super) fn calls_on(&self, day: i64, account: Account<'_>) -> u64 {
        match account {
            Account::Session(session) => self.calls.get(session).map_or(0, |(calls, _)| *calls),
            Account::Pairs => self.days.get(&day).map_or(0, |spent| spent.pairs),
            Account::Wordings => self.days.get(&day).map_or(0, |spent| spent.wordings),
            Account::Person | Account::Trial => 0,
        }
    }

    /// What went wrong last, if nothing was answered since.
    pub fn trouble(&self) -> Option<(Timestamp, &str)> {
        let (at, why) = self.last_error.as_ref()?;
        self.last_answer.is_none_or(|answered| answered < *at).then_some((*at, why))
    }

    /// Questions about pairs on a day.
    pub fn pair_calls_on(&self, day: i64) -> u64 {
        self.calls_on(day, Account::Pairs)
    }

    /// Sessions that have had so many questions.
    pub fn sessions_with(&self, calls: u64) -> usize {
        self.calls.values().filter(|(had, _)| *had >= calls).count()
    }
}

fn path(home: &Path) -> PathBuf {
    home.join("model.json")
}

fn wanted(home: &Path) -> PathBuf {
    home.join("work.wanted")
}

fn worker_lock(home: &Path) -> PathBuf {
    home.join("work.lock")
}

/// The worker's turn, until it is dropped or its process ends, however that ends.
pub(super) fn worker_turn(home: &Path) -> Option<File> {
    file::lock_file(&worker_lock(home)).ok()
}

/// Whether somebody is at work. Whoever is looks once more after letting go.
fn is_at_work(home: &Path) -> bool {
    let Ok(lock) = file::open_to_read(&worker_lock(home)) else { return false };
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Notes that there is something for a worker to do, unless it is known that nothing can be done
/// yet. A note that cannot be written is let go.
pub fn want_work(home: &Path) {
    if !matches!(noted(home), Some(WorkerWhen::Held(_) | WorkerWhen::Now)) {
        note(home, "now");
    }
}

/// Notes when a worker should look again: `held` says that it cannot do anything before.
pub(super) fn want_work_at(home: &Path, at: i64, held: bool) {
    if !held && matches!(noted(home), Some(WorkerWhen::Now)) {
        // Somebody wants it sooner.
        return;
    }
    let how = if held { "held" } else { "later" };
    note(home, &format!("{how} {at}"));
}

/// It need not outlive a crash: whatever is said next is noted again. So nobody waits for a disk.
fn note(home: &Path, when: &str) {
    file::replace_lightly(&wanted(home), when.as_bytes()).ok();
}

/// Notes that a worker is at it: what is noted from here on is new to it.
pub(super) fn work_begun(home: &Path) {
    file::remove(&wanted(home)).ok();
}

/// Whether there is something for a worker to do now.
pub fn work_wanted(home: &Path, now: Timestamp) -> bool {
    match noted(home) {
        None => false,
        Some(WorkerWhen::Now) => true,
        Some(WorkerWhen::Held(at) | WorkerWhen::Later(at)) => {
            !(1..=PUT_OFF_MAX_MS).contains(&at.saturating_sub(now.as_millis()))
        }
    }
}

/// Whether a worker is to be started: there is something to do, and nobody at it.
pub fn worker_wanted(home: &Path, now: Timestamp) -> bool {
    work_wanted(home, now) && !is_at_work(home)
}

/// When a worker is wanted.
enum WorkerWhen {
    Now,
    Later(i64),
    Held(i64),
}

fn noted(home: &Path) -> Option<WorkerWhen> {
    let mut said = String::new();
    file::open_to_read(&wanted(home)).ok()?.take(64).read_to_string(&mut said).ok()?;
    let at = |rest: &str| rest.trim().parse().unwrap_or(0);
    Some(match said.split_once(' ') {
        Some(("held", rest)) => WorkerWhen::Held(at(rest)),
        Some(("later", rest)) => WorkerWhen::Later(at(rest)),
        _ => WorkerWhen::Now,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_clock_put_off_is_not_put_off_for_ever() {
        let home = tempfile::tempdir().unwrap();
        let now = Timestamp::from_millis(1_800_000_000_000);
        let wanted = |at: i64, held: bool| {
            want_work_at(home.path(), now.as_millis() + at, held);
            work_wanted(home.path(), now)
        };
        for held in [true, false] {
            assert!(!wanted(60_000, held) && !wanted(DAY_MS, held));
            assert!(wanted(0, held) && wanted(-DAY_MS, held));
            assert!(wanted(400 * DAY_MS, held), "the clock was put back");
        }
        want_work_at(home.path(), now.as_millis() + 60_000, true);
        want_work(home.path());
        assert!(!work_wanted(home.path(), now), "what cannot be done is not wanted sooner");
    }

    #[test]
    fn nobody_is_started_while_somebody_is_at_work() {
        let home = tempfile::tempdir().unwrap();
        let now = Timestamp::from_millis(0);
        want_work(home.path());
        assert!(worker_wanted(home.path(), now));
        let turn = worker_turn(home.path()).unwrap();
        assert!(!worker_wanted(home.path(), now) && work_wanted(home.path(), now));
        assert!(worker_turn(home.path()).is_none());
        drop(turn);
        assert!(worker_wanted(home.path(), now), "looking leaves no trace");
        assert!(worker_turn(home.path()).is_some());
    }

    #[test]
    fn days_are_counted_apart_and_not_for_ever() {
        let mut state = ModelState::default();
        for day in (0..100).rev() {
            state.spend(day, Account::Pairs, 10);
            assert_eq!((state.tokens_on(day), state.pair_calls_on(day)), (10, 1));
        }
        assert!(state.days.len() <= DAYS_MAX);
        for number in 0..2 * SESSIONS_MAX {
            state.spend(0, Account::Session(&number.to_string()), 1);
        }
        assert!(state.calls.len() <= SESSIONS_MAX);
    }
}
