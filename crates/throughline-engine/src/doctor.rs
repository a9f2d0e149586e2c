//! Doctor: is everything as it should be, and if not, what is the cause?

mod home;

use std::collections::BTreeMap;
use std::path::Path;

use throughline_core::SpaceId;
use throughline_core::text::{agree, plural};
use throughline_reader::Unusable;
use throughline_store::{Condition, Finding};

use crate::backup::leftovers;
use crate::engine::DATABASE;
use crate::flows::Checking;
use crate::journal::{self, Journal};
use crate::{Clock, Context, Engine, Error, Result};

pub use home::{free_bytes, unwritable};

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// As it should be.
    Fine,
    /// Works, but worth knowing.
    Note,
    /// Wrong.
    Wrong,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub name: String,
    /// How it came out.
    pub outcome: CheckOutcome,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Check {
    /// As it should be.
    pub fn fine(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            outcome: CheckOutcome::Fine,
            detail: detail.into(),
            hint: None,
        }
    }

    /// Wrong.
    pub fn wrong(name: &str, detail: impl Into<String>, hint: &str) -> Self {
        Self {
            name: name.to_owned(),
            outcome: CheckOutcome::Wrong,
            detail: detail.into(),
            hint: Some(hint.to_owned()),
        }
    }

    /// Worth knowing.
    pub fn note(name: &str, detail: impl Into<String>, hint: &str) -> Self {
        Self { outcome: CheckOutcome::Note, ..Self::wrong(name, detail, hint) }
    }
}

/// What agents told, and whether hearing it went well.
fn journal_checks(home: &Path) -> Vec<Check> {
    let mut checks = Vec::new();
    let fired = journal::note::last_fired(home);
    if let Some((event, at)) = fired.iter().max_by_key(|(_, at)| **at) {
        checks.push(Check::fine("hooks", format!("{event} fired last, at {at}")));
    }
    // What failed before the hook last worked is history.
    let worked = fired.values().max().copied();
    for failure in journal::note::last_failures(home, 3) {
        let detail = format!("{} at {}: {}", failure.event, failure.at, failure.why);
        let hint = if failure.lost {
            "what was told there is lost"
        } else {
            "nothing that was told is lost: it is processed once the cause is fixed"
        };
        let old = worked.is_some_and(|at| at.days_since(failure.at) > 1.0);
        if !old {
            checks.push(Check::note("failed hook", detail, hint));
        }
    }
    let Ok(health) = Journal::new(home).health() else { return checks };
    if health.sessions > 0 {
        let size = health.bytes.div_ceil(1_024);
        let detail = format!("{}, {size} KiB", plural(health.sessions, "session"));
        checks.push(Check::fine("journal", detail));
    }
    if health.undrained > 0 {
        let are = agree(health.undrained, "is", "are");
        let detail = format!("{} {are} not processed yet", plural(health.undrained, "session"));
        let hint = "the next session processes what waits; there is nothing to do";
        checks.push(Check::note("journal", detail, hint));
    }
    if health.torn + health.unreadable + health.refused > 0 {
        let detail = format!(
            "{}, {}, {} instead of a file",
            plural(health.torn, "torn line"),
            plural(health.unreadable, "unreadable line"),
            plural(health.refused, "other thing")
        );
        checks.push(Check::note(
            "journal",
            detail,
            "a crash can cut off a line; the others are complete",
        ));
    }
    checks
}

/// Whether what people say is understood. Where the weights cannot be used, only forms are.
fn reader_check(usable: std::result::Result<(), Unusable>) -> Check {
    match usable {
        Ok(()) => {
            Check::fine("reader", "its weights are usable; `read` shows what it makes of a text")
        }
        Err(why) => {
            let detail = format!(
                "{why}: of what people say, nothing but plain forms is understood (“remember that \
                 …”, values, decisions in set words)"
            );
            let hint = "the weights are part of the program: install it again, or build it again \
                        with a whole crates/throughline-reader/model/reader-int8.bin";
            Check::wrong("reader", detail, hint)
        }
    }
}

/// A write-ahead log beyond this has a reader that never ends.
const WAL_BYTES_MAX: u64 = 64 << 20;
/// What to do where rows are wrong, and where the log they come from is.
const MEND_HINT: &str = "`doctor --mend` rebuilds every table from the log and keeps the old \
    file; `restore --latest` brings back the last copy";
const LOG_HINT: &str =
    "`restore --latest` brings back the last copy; `export` saves what can be read of the log";
/// Findings of one check shown at most.
const SHOWN_MAX: usize = 10;

impl Checking<'_> {
    /// Looks at everything. Works, as far as it can, when the memory cannot be opened.
    pub fn doctor(home: &Path, clock: Clock, rebuild: bool) -> Vec<Check> {
        let mut checks = vec![home_check(home)];
        checks.push(reader_check(crate::reading::usable()));
        checks.extend(home::disk_checks(home));
        checks.extend(journal_checks(home));
        checks.extend(home::lost_checks(home, clock.now()));
        checks.extend(home::mind_checks(home));
        checks.extend(crate::sleep::sleep_check(home));
        checks.extend(crate::seed::unread_checks(home));
        let left = leftovers(home);
        let engine = match Engine::open(home, clock) {
            Ok(engine) => engine,
            Err(error) => {
                let hint = home::open_hint(home, &error);
                checks.push(Check::wrong("database", chain_text(&error), &hint));
                checks.extend(home::leftover_checks(home, &left));
                checks.extend(home::copy_checks(home));
                return checks;
            }
        };
        checks.extend(engine.checking().file_checks());
        checks.extend(engine.checking().server_checks());
        checks.extend(engine.checking().erasure_check());
        checks.extend(home::late_check(home));
        checks.extend(home::leftover_checks(home, &left));
        checks.extend(home::copy_checks(home));
        checks.extend(summary("contents", engine.store.verify().map_err(Error::from)));
        checks.extend(engine.checking().vector_check());
        if rebuild {
            checks.extend(summary("rebuild", engine.store.rebuild_check().map_err(Error::from)));
        }
        checks
    }

    /// Builds what search looks at anew, and gives vectors to everything that has none.
    pub fn reindex(&self, progress: &mut dyn FnMut(usize)) -> Result<usize> {
        self.engine.store.reindex()?;
        self.embed_everything(progress)
    }

    /// Gives vectors to a few texts of each project that have none, and says how many still wait.
    pub fn embed_a_few(&self, most: usize) -> Result<usize> {
        // Not while the reader is held: vectors are written by the same connection.
        let spaces = self.engine.now_reader()?.spaces()?;
        for space in spaces {
            self.engine.vectors().embed_missing(space.space, most, &mut |_| ())?;
        }
        self.engine.vectors().waiting()
    }

    /// Gives vectors to everything that has none.
    pub fn embed_everything(&self, progress: &mut dyn FnMut(usize)) -> Result<usize> {
        let spaces = self.engine.now_reader()?.spaces()?;
        let mut made = 0;
        for space in spaces {
            let before = made;
            made += self
                .engine
                .vectors()
                .embed_missing(space.space, usize::MAX, &mut |n| progress(before + n))?;
        }
        Ok(made)
    }

    /// What was erased from memory and may still be in a file.
    fn erasure_check(&self) -> Option<Check> {
        let count = self.engine.erasing().unfinished_erasures().ok().filter(|count| *count > 0)?;
        let (what, text) = if count == 1 {
            ("erasure was", "the erased text")
        } else {
            ("erasures were", "the erased texts")
        };
        let detail = format!(
            "{count} {what} interrupted: no command finds {text} any more, but {DATABASE}, its \
             write-ahead log and the copies under backups may still hold it"
        );
        let hint = "`doctor --mend` finishes it, and so does the next thing that is remembered; \
            a program that still has the old state open must end first";
        Some(Check::wrong("erasure", detail, hint))
    }

    fn vector_check(&self) -> Option<Check> {
        let missing = self.engine.vectors().waiting().ok()?;
        if missing == 0 {
            return Some(Check::fine("vectors", throughline_embed::MODEL));
        }
        let hint = "they are found by their words; sessions, a server and `sleep` give them vectors a few \
            at a time, `doctor --reindex` all of them now";
        let have = agree(missing, "has", "have");
        let detail = format!("{} {have} none yet", plural(missing, "text"));
        Some(Check::note("vectors", detail, hint))
    }

    fn file_checks(&self) -> Vec<Check> {
        let health = match self.engine.store.health() {
            Ok(health) => health,
            Err(error) => {
                return vec![Check::wrong("database", error.to_string(), "`restore FILE`")];
            }
        };
        let sqlite = || format!("SQLite {}", health.sqlite_version);
        let engine = health.server.clone().unwrap_or_else(sqlite);
        let detail = format!("schema {}, {engine}; {}", health.schema, self.space_told());
        let mut checks = vec![if health.read_only {
            let hint = "it can be read as it is, and nothing new is kept; see the disk";
            Check::note("database", format!("only for reading; {detail}"), hint)
        } else {
            Check::fine("database", detail)
        }];
        if health.wal_bytes > WAL_BYTES_MAX {
            checks.push(Check::note(
                "write-ahead log",
                format!("{} MiB", health.wal_bytes >> 20),
                "a process keeps an old state open; when it ends, the log shrinks by itself",
            ));
        }
        checks
    }

    /// How the server does, where memory is on one.
    fn server_checks(&self) -> Vec<Check> {
        let conditions = match self.engine.store.conditions() {
            Ok(conditions) => conditions,
            Err(error) => {
                let hint = "the rest is checked without it";
                return vec![Check::note("server", error.to_string(), hint)];
            }
        };
        let check = |one: Condition| match (one.hint, one.wrong) {
            (Some(hint), true) => Check::wrong(one.name, one.detail, hint),
            (Some(hint), false) => Check::note(one.name, one.detail, hint),
            (None, _) => Check::fine(one.name, one.detail),
        };
        conditions.into_iter().map(check).collect()
    }

    /// What takes the space, which copies there are, and how much room is left.
    fn space_told(&self) -> String {
        let mut taken: Vec<_> = self.engine.store.space().unwrap_or_default().into_iter().collect();
        taken.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let part = |(what, bytes): &(&str, u64)| format!("{what} {} KiB", bytes.div_ceil(1_024));
        let mut told = vec![taken.iter().map(part).collect::<Vec<_>>().join(", ")];
        told.extend(home::copies_told(&self.engine.home));
        told.extend(free_bytes(&self.engine.home).map(|free| format!("{} MiB free", free >> 20)));
        told.join("; ")
    }

    /// Bytes that the parts of the database take.
    pub fn space(&self) -> Result<BTreeMap<&'static str, u64>> {
        Ok(self.engine.store.space()?)
    }

    /// Counts for `status` and `stats`: of what is within reach, or of everything.
    pub fn counts(&self, context: &Context, everything: bool) -> Result<BTreeMap<String, u64>> {
        let reader = self.engine.now_reader()?;
        let spaces: Vec<SpaceId> = if everything {
            reader.spaces()?.iter().map(|space| space.space).collect()
        } else {
            context.reach().spaces
        };
        Ok(reader.counts(&spaces)?)
    }

    /// How often a server was asked and waited for since memory was opened; never, where it is in a file.
    pub fn round_trips(&self) -> u64 {
        self.engine.store.round_trips()
    }

    /// The state of the file.
    pub fn health(&self) -> Result<throughline_store::StoreHealth> {
        Ok(self.engine.store.health()?)
    }
}

/// The whole story of an error on one line.
fn chain_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn home_check(home: &Path) -> Check {
    let name = "home";
    if home::is_new(home) {
        return Check::fine(name, format!("{} (new)", home.display()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for path in [home.to_owned(), home.join(DATABASE)] {
            let mode = std::fs::metadata(&path).map_or(0, |data| data.permissions().mode());
            if mode & 0o077 != 0 {
                let detail = format!("{} is open to other users", path.display());
                return Check::note(name, detail, "`chmod go-rwx` stops that");
            }
        }
    }
    Check::fine(name, home.display().to_string())
}

/// Findings as checks: one line if there are none, else one for each, up to a limit.
fn summary(name: &str, findings: Result<Vec<Finding>>) -> Vec<Check> {
    let hint = MEND_HINT;
    match findings {
        Err(error) => vec![Check::wrong(name, chain_text(&error), hint)],
        Ok(findings) if findings.is_empty() => {
            let what = match name {
                "rebuild" => "the log replays to exactly what is stored",
                _ => "every row, link and index is as it should be",
            };
            vec![Check::fine(name, what)]
        }
        Ok(findings) => {
            let mut checks: Vec<Check> = findings
                .iter()
                .take(SHOWN_MAX)
                .map(|finding| {
                    let hint =
                        if matches!(finding.check, "log" | "integrity") { LOG_HINT } else { hint };
                    Check::wrong(finding.check, finding.detail.clone(), hint)
                })
                .collect();
            if findings.len() > SHOWN_MAX {
                let more = format!("and {} more", findings.len() - SHOWN_MAX);
                checks.push(Check::wrong(name, more, hint));
            }
            checks
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_cannot_be_used_are_wrong_and_it_says_what_to_do() {
        assert_eq!(reader_check(Ok(())).outcome, CheckOutcome::Fine);
        let check = reader_check(Err(Unusable::CutShort));
        assert_eq!(check.outcome, CheckOutcome::Wrong);
        insta::assert_snapshot!(format!("{}\n{}", check.detail, check.hint.unwrap()), @r"
        the file of weights ends too early: of what people say, nothing but plain forms is understood (“remember that …”, values, decisions in set words)
        the weights are part of the program: install it again, or build it again with a whole crates/throughline-reader/model/reader-int8.bin
        ");
    }
}
