//! Looks at the world that memories hang on: files, commits and named values.
//!
//! [`World::stamp`] resolves what a memory is bound to and notes what is there, [`World::look`]
//! looks again and says how near a change came. It reads, and never writes. Only hashes of what a
//! file says are kept.
//!
//! What it looks at is somebody else's: a path may be invented, a link may lead outside, a file may
//! be a pipe or grow without end. It never waits on one, and in doubt it says
//! [`Reading::Unknown`].

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

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 8 << 20;

/// The most lines that [`World::span_with`] puts together.
pub const SPAN_LINES_MAX: u32 = 8;

/// How long one look may take, unless told otherwise.
const BUDGET: Duration = Duration::from_millis(100);

/// How long a stamp may take at least: nobody waits for a prompt then.
const STAMP_BUDGET: Duration = Duration::from_secs(1);

/// The folder that a project lives in, as far as memories may look at it.
#[derive(Debug)]
pub struct World {
    root: PathBuf,
    /// `None`: those of the process.
    variables: Option<BTreeMap<String, String>>,
    budget: Duration,
    opened: AtomicU64,
}

/// What a memory is bound to, and what was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// The same thing in its canonical form.
    pub referent: Referent,
    /// What was there, for [`World::look`]. To be kept, not to be read.
    pub stamp: String,
    /// What was there, in a few words; of lines, what they said. It may hold secrets.
    pub then: String,
}

/// One thing to look at again.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a> {
    /// What, as [`World::stamp`] returned it.
    pub referent: &'a Referent,
    /// What was there.
    pub stamp: &'a str,
}

/// What looking again showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// How near the change came.
    pub reading: Reading,
    /// What is there now, in a few words; of lines, what they say. Empty when nothing changed. It may
    /// hold secrets.
    pub now: String,
    /// Where the file is now, if it went elsewhere with all it says. It reads as unchanged then.
    pub renamed: Option<String>,
    /// A fresher stamp of the same content: with it the next look is cheaper.
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

/// Why something cannot be watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// It is not below the root, or a link leads out.
    #[error("it lies outside of the project: name a path inside")]
    Outside,
    /// There is no such file.
    #[error("there is no such file: name one that exists, by its path from the project root")]
    Missing,
    /// A folder, a pipe, a device.
    #[error("it is not a plain file: name a file, or watch a folder with git:PATH")]
    NotAFile,
    /// More than [`FILE_BYTES_MAX`].
    #[error("the file is larger than 8 MiB: name a smaller one, or watch it with git:PATH")]
    TooLarge,
    /// It cannot be read, or changes all the time.
    #[error("it cannot be read at the moment: check its permissions and try again")]
    Unreadable,
    /// No git, no repository, no commit.
    #[error("there is no git repository with a commit here: commit first, or watch a file")]
    NoRepository,
    /// Not in the last commit.
    #[error("it is not in the last commit: commit it first, or watch it with file:PATH")]
    NotTracked,
    /// Neither set nor found.
    #[error(
        "there is no such value: name an environment variable that is set (flag:NAME), or a key of a file (flag:FILE#KEY)"
    )]
    UnknownFlag,
    /// The file ends before, or there is nothing in them.
    #[error("the file has no such lines, or they are blank: name lines that say something")]
    NoSuchLines,
    /// A database of ours: only SQLite may open it.
    #[error("it is a database of Throughline itself: name something else")]
    OwnData,
    /// The whole project, or nothing at all.
    #[error("the whole project changes with every commit: name the files or folders it is about")]
    TooBroad,
}

impl World {
    /// The world below a folder, with the environment of this process.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            variables: None,
            budget: BUDGET,
            opened: AtomicU64::new(0),
        }
    }

    /// With these environment variables, and no others.
    #[must_use]
    pub fn with_environment(mut self, variables: BTreeMap<String, String>) -> Self {
        self.variables = Some(variables);
        self
    }

    /// With that long for one look. What is not reached in time reads as unknown.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Resolves what a memory is to be bound to, and notes what is there.
    pub fn stamp(&self, referent: &Referent) -> Result<Stamped, Unresolved> {
        let deadline = Deadline::after(self.budget.max(STAMP_BUDGET));
        match referent {
            Referent::File { path, span } => file::stamp(self, path, *span, deadline),
            Referent::Git { paths } => git::stamp(self, paths, deadline),
            Referent::Flag { name } => flag::stamp(self, name, deadline),
        }
    }

    /// Looks again at all of them, each file once, and asks git once for all. One answer for each,
    /// in order.
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

    /// How many files were opened so far. Looking at the same thing twice should cost none.
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
