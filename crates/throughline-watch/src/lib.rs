//! Looks at what memories are tied to: files, commits and named values.
//!
//! [`World::stamp`] resolves what a memory is tied to and notes what is there, [`World::look`]
//! looks again and says how near a change came. It only reads, and keeps only hashes of what a file
//! holds.
//!
//! What it looks at is not under our control: a path may be invented, a link may lead outside, a
//! file may be a pipe or grow without end. It never waits on one, and in doubt the answer is
//! [`Reading::Unknown`].
//!
//! # What a look costs
//!
//! Release build, one of two cores of a server, median of 20 to 50 looks, everything in the cache
//! of the system:
//!
//! | looked at | time |
//! |---|---|
//! | 10,000 bindings on 1,000 files, nothing written to | 5 ms |
//! | the same, every file (10 KB) read again | 25 ms |
//! | the same, every file changed above the watched lines | 40 ms |
//! | a renamed file, found among 10,000 | 22 ms |
//! | git, 10,000 files, no new commit: 1 binding / 1,000 | 1.6 ms / 3 ms |
//! | git, 10,000 files, 20 commits later: 1 binding / 1,000 | 4 ms / 65 ms |
//!
//! Git is asked through its own program: one process for all bindings, up to two more where
//! something differs. A file that is gone is looked for by its content in at most 20,000 entries.

mod content;
mod file;
mod flag;
mod git;
mod ground;
mod manifest;
mod path;
mod process;
mod rename;
mod stamp;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use throughline_core::watermark::{Reading, Referent};

/// Size limit in bytes: larger files are not read.
pub const FILE_BYTES_MAX: u64 = 8 << 20;

/// The most lines that one span found by [`World::span_with`] has.
pub const SPAN_LINES_MAX: u32 = 8;

/// How long one look may take, unless told otherwise.
const BUDGET: Duration = Duration::from_millis(100);

/// How long a stamp may take at least: nobody waits for a prompt then.
const STAMP_BUDGET: Duration = Duration::from_secs(1);

/// World: the folder of one project, and the environment, as far as memories may be tied to them.
#[derive(Debug)]
pub struct World {
    root: PathBuf,
    /// `None`: those of the process.
    variables: Option<BTreeMap<String, String>>,
    budget: Duration,
    opened: AtomicU64,
}

/// Stamped referent: what a memory is tied to, and what was there at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// The referent in its canonical form.
    pub referent: Referent,
    /// The stamp, to be stored and handed back to [`World::look`]. Its form is private to this
    /// crate.
    pub stamp: String,
    /// What was there, in a few words for people; for lines, the lines themselves. It may hold
    /// secrets.
    pub then: String,
}

/// Binding: one referent with its stamp, to be looked at again.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a> {
    /// The referent, as [`World::stamp`] returned it.
    pub referent: &'a Referent,
    /// The stamp, as [`World::stamp`] returned it.
    pub stamp: &'a str,
}

/// Look: what looking again at one binding showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// How near the change came to what is watched.
    pub reading: Reading,
    /// What is there now, in a few words; for lines, the lines themselves. Empty when nothing
    /// changed. It may hold secrets.
    pub now: String,
    /// The new path of a file that was moved with its content unchanged. The reading is unchanged
    /// then.
    pub renamed: Option<String>,
    /// A fresher stamp of the same content, which makes the next look cheaper.
    pub stamp: Option<String>,
}

impl Look {
    fn unchanged() -> Self {
        Self::new(Reading::Unchanged, "")
    }

    fn unknown(why: &str) -> Self {
        Self::new(Reading::Unknown, why)
    }

    fn new(reading: Reading, now: impl Into<String>) -> Self {
        Self { reading, now: now.into(), renamed: None, stamp: None }
    }
}

/// File as it was read: its bytes, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// Its path from the root, as it was named.
    pub path: String,
    /// The same without links.
    pub real: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Unresolved referent: why something cannot be watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// The path is not below the root, or a link leads out of it.
    #[error("it lies outside of the project: name a path inside")]
    Outside,
    /// There is no such file.
    #[error("there is no such file: name one that exists, by its path from the project root")]
    Missing,
    /// It is a folder, a pipe or a device.
    #[error("it is not a plain file: name a file, or watch a folder with git:PATH")]
    NotAFile,
    /// The file is larger than [`FILE_BYTES_MAX`].
    #[error("the file is larger than 8 MiB: name a smaller one, or watch it with git:PATH")]
    TooLarge,
    /// The file cannot be read, or changes while it is read.
    #[error("it cannot be read at the moment: check its permissions and try again")]
    Unreadable,
    /// There is no git, no repository or no commit.
    #[error("there is no git repository with a commit here: commit first, or watch a file")]
    NoRepository,
    /// The path is not in the last commit.
    #[error("it is not in the last commit: commit it first, or watch it with file:PATH")]
    NotTracked,
    /// The variable is not set, or the key is not in the file.
    #[error(
        "there is no such value: name an environment variable that is set (flag:NAME), or a key of a file (flag:FILE#KEY)"
    )]
    UnknownFlag,
    /// The file ends before these lines, or they are blank.
    #[error("the file has no such lines, or they are blank: name lines that say something")]
    NoSuchLines,
    /// It is a database of Throughline, which only SQLite may open.
    #[error("it is a database of Throughline itself: name something else")]
    OwnData,
    /// It names the whole project, or nothing.
    #[error("the whole project changes with every commit: name the files or folders it is about")]
    TooBroad,
}

impl World {
    /// Makes a world of the folder `root`, with the environment of this process.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            variables: None,
            budget: BUDGET,
            opened: AtomicU64::new(0),
        }
    }

    /// Uses these environment variables instead of those of the process.
    #[must_use]
    pub fn with_environment(mut self, variables: BTreeMap<String, String>) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Sets the time for one look. What is not reached in time reads as unknown.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Resolves a referent and stamps what is there now.
    pub fn stamp(&self, referent: &Referent) -> Result<Stamped, Unresolved> {
        let deadline = Deadline::after(self.budget.max(STAMP_BUDGET));
        match referent {
            Referent::File { path, span } => file::stamp(self, path, *span, deadline),
            Referent::Git { paths } => git::stamp(self, paths, deadline),
            Referent::Flag { name } => flag::stamp(self, name, deadline),
        }
    }

    /// Looks again at all bindings: each file once, git once for all. One answer for each, in
    /// order.
    pub fn look(&self, bindings: &[Binding<'_>]) -> Vec<Look> {
        let deadline = Deadline::after(self.budget);
        let mut looks = vec![Look::unknown("not reached in time"); bindings.len()];
        // Git runs while we look at files.
        let question = git::ask(self, bindings);
        flag::look_at_variables(self, bindings, &mut looks);
        let gone = file::look(self, bindings, deadline, &mut looks);
        if let Some(question) = question {
            git::look(question, deadline, &mut looks);
        }
        rename::look(self, &gone, deadline, &mut looks);
        looks
    }

    /// The smallest span of lines of a file that holds all these words (whole tokens,
    /// case-sensitive): a line, or at most [`SPAN_LINES_MAX`] lines around each other. `None` if
    /// they are nowhere, or in more than one place.
    pub fn span_with(&self, path: &str, words: &[String]) -> Option<(u32, u32)> {
        let deadline = Deadline::after(self.budget.max(STAMP_BUDGET));
        file::read(self, path, deadline).ok()?.1.span_with(words, deadline)
    }

    /// Reads a plain file below the root, whole. A link that leads outside is not followed.
    pub fn read(&self, path: &str) -> Result<FileRead, Unresolved> {
        file::read_whole(self, path, Deadline::after(self.budget.max(STAMP_BUDGET)))
    }

    /// Number of files opened so far, for tests: looking twice at an unchanged file should open
    /// none.
    pub fn files_opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    /// A budget beyond all time is none.
    fn after(budget: Duration) -> Self {
        Self(Instant::now().checked_add(budget))
    }

    fn is_over(self) -> bool {
        self.left().is_zero()
    }

    fn left(self) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}
