//! What is known of a model between two runs: what was spent, how it fared. A convenience and no
//! truth: a file that is lost or damaged begins anew.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::Timestamp;
use throughline_llm::Breaker;

use crate::journal::file;
use crate::{Error, Result};

/// Bytes of the file.
const BYTES_MAX: u64 = 1 << 20;
/// Sessions whose questions are counted.
const SESSIONS_MAX: usize = 256;

/// How often the file's lock is tried: what a question cost should not be forgotten.
const LOCK_TRIES: usize = 20;

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelState {
    /// The day that tokens are counted for.
    day: i64,
    /// Tokens of that day.
    tokens: u64,
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

    pub(super) fn spend(&mut self, day: i64, session: Option<&str>, tokens: u64) {
        if self.day != day {
            (self.day, self.tokens) = (day, 0);
        }
        self.tokens = self.tokens.saturating_add(tokens);
        if let Some(session) = session {
            let counted = self.calls.entry(session.to_owned()).or_default();
            *counted = (counted.0 + 1, day);
        }
        while self.calls.len() > SESSIONS_MAX {
            let oldest = self.calls.iter().min_by_key(|(_, (_, day))| *day);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            self.calls.remove(&oldest);
        }
    }

    /// Tokens of a day.
    pub fn tokens_on(&self, day: i64) -> u64 {
        if self.day == day { self.tokens } else { 0 }
    }

    /// Questions about a session.
    pub fn calls_of(&self, session: &str) -> u64 {
        self.calls.get(session).map_or(0, |(calls, _)| *calls)
    }
}

fn path(home: &Path) -> PathBuf {
    home.join("model.json")
}

fn wanted(home: &Path) -> PathBuf {
    home.join("work.wanted")
}

/// Notes that there is something for a worker to do, unless it is known that nothing can be done
/// yet. A note that cannot be written is let go.
pub fn want_work(home: &Path) {
    if !matches!(noted(home), Some(When::Held(_) | When::Now)) {
        file::replace(&wanted(home), b"now").ok();
    }
}

/// Notes when a worker should look again: `held` says that it cannot do anything before.
pub(super) fn want_work_at(home: &Path, at: i64, held: bool) {
    if !held && matches!(noted(home), Some(When::Now)) {
        // Somebody wants it sooner.
        return;
    }
    let how = if held { "held" } else { "later" };
    file::replace(&wanted(home), format!("{how} {at}").as_bytes()).ok();
}

/// Notes that a worker is at it: what is noted from here on is new to it.
pub(super) fn work_begun(home: &Path) {
    file::remove(&wanted(home)).ok();
}

/// Whether there is something for a worker to do now.
pub fn work_wanted(home: &Path, now: Timestamp) -> bool {
    match noted(home) {
        None => false,
        Some(When::Now) => true,
        Some(When::Held(at) | When::Later(at)) => at <= now.as_millis(),
    }
}

/// When a worker is wanted.
enum When {
    Now,
    Later(i64),
    Held(i64),
}

fn noted(home: &Path) -> Option<When> {
    let mut said = String::new();
    file::open_to_read(&wanted(home)).ok()?.take(64).read_to_string(&mut said).ok()?;
    let at = |rest: &str| rest.trim().parse().unwrap_or(0);
    Some(match said.split_once(' ') {
        Some(("held", rest)) => When::Held(at(rest)),
        Some(("later", rest)) => When::Later(at(rest)),
        _ => When::Now,
    })
}
