//! Watermarks: what a state fact is tied to, and what we saw there last.

use serde::{Deserialize, Serialize};

use crate::policy::TrustPolicy;
use crate::{MemoryId, SpaceId, Timestamp, text};

/// The thing to look at again. A closed set, never prose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Referent {
    /// A file, or a span of its lines.
    File {
        /// Path from the project root.
        path: String,
        /// First and last line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        span: Option<(u32, u32)>,
    },
    /// A set of paths under version control. Never a bare head: that moves with everything.
    Git {
        /// Paths from the project root.
        paths: Vec<String>,
    },
    /// A named value: an environment variable, a key in a manifest.
    Flag {
        /// Its name.
        name: String,
    },
}

impl Referent {
    /// Where it is, without saying what sort of thing it is: `src/http.rs#L3-L9`.
    pub fn place(&self) -> String {
        match self {
            Self::File { path, span: None } => path.clone(),
            Self::File { path, span: Some((first, last)) } if first == last => {
                format!("{path}#L{first}")
            }
            Self::File { path, span: Some((first, last)) } => format!("{path}#L{first}-L{last}"),
            Self::Git { paths } => paths.join(","),
            Self::Flag { name } => name.clone(),
        }
    }
}

/// As it is written by hand: `file:PATH#L3-L9`, `git:PATH…`, `flag:NAME`.
impl std::fmt::Display for Referent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sort = match self {
            Self::File { .. } => "file",
            Self::Git { .. } => "git",
            Self::Flag { .. } => "flag",
        };
        write!(f, "{sort}:{}", self.place())
    }
}

impl std::str::FromStr for Referent {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let form = || {
            format!(
                "{written:?} cannot be watched: write file:PATH, file:PATH#L3-L9, \
                 git:PATH[,PATH…] or flag:NAME"
            )
        };
        let (sort, what) = written.split_once(':').ok_or_else(form)?;
        if what.trim().is_empty() {
            return Err(form());
        }
        match sort {
            "file" => {
                let (path, span) = match what.rsplit_once("#L") {
                    Some((path, lines)) => (path, Some(span(lines).ok_or_else(form)?)),
                    None => (what, None),
                };
                Ok(Self::File { path: path.to_owned(), span })
            }
            "git" => {
                let paths: Vec<String> =
                    what.split(',').map(|path| path.trim().to_owned()).collect();
                if paths.iter().any(String::is_empty) {
                    return Err(form());
                }
                Ok(Self::Git { paths })
            }
            "flag" => Ok(Self::Flag { name: what.trim().to_owned() }),
            _ => Err(form()),
        }
    }
}

/// `3`, `3-9` or `3-L9`: lines from one on, in order.
fn span(lines: &str) -> Option<(u32, u32)> {
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (first.parse().ok()?, last.trim_start_matches('L').parse().ok()?),
        None => (lines.parse().ok()?, lines.parse().ok()?),
    };
    (1 <= first && first <= last).then_some((first, last))
}

closed_set! {
    /// What looking again showed.
    pub enum Reading ("reading") {
        /// The same as when it was stamped.
        Unchanged = "unchanged",
        /// The repository moved, but not within the scope.
        OutsideScope = "outside_scope",
        /// The scope was touched, this file was not.
        ScopeTouched = "scope_touched",
        /// The file changed, the span did not.
        FileChanged = "file_changed",
        /// The span or value itself changed.
        Moved = "moved",
        /// It is gone.
        Missing = "missing",
        /// It could not be read: say nothing, check first.
        Unknown = "unknown",
    }
}

impl Reading {
    /// What is left of trust, in 0..=1.
    pub fn factor(self) -> f64 {
        match self {
            Self::Unchanged | Self::OutsideScope | Self::Unknown => 1.0,
            Self::ScopeTouched => 0.95,
            Self::FileChanged => 0.9,
            Self::Moved => 0.4,
            Self::Missing => 0.2,
        }
    }

    /// Whether what a claim is bound to is still as it was. Changes elsewhere, in the same file or in
    /// the same scope, are not changes of that.
    pub fn status(self) -> Status {
        match self {
            Self::Unchanged | Self::OutsideScope | Self::ScopeTouched | Self::FileChanged => {
                Status::Unchanged
            }
            Self::Moved => Status::Moved,
            Self::Missing => Status::Missing,
            Self::Unknown => Status::Unknown,
        }
    }

    /// Whether it should be checked before it is built on.
    pub fn wants_check(self) -> bool {
        self.status() != Status::Unchanged
    }
}

closed_set! {
    /// The one answer to whether a binding moved, wherever it is given.
    pub enum Status ("status") {
        /// What it is bound to is as it was.
        Unchanged = "unchanged",
        /// It is something else now.
        Moved = "moved",
        /// It is gone.
        Missing = "missing",
        /// It could not be read.
        Unknown = "unknown",
    }
}

/// One binding of a memory to something observable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watermark {
    /// The wall it lives behind.
    pub space: SpaceId,
    /// Whose binding.
    pub memory: MemoryId,
    /// What to look at.
    pub referent: Referent,
    /// What was there when the memory was stamped.
    pub stamp: String,
    /// When it was stamped.
    pub stamped_at: Timestamp,
    /// What the last look showed.
    pub reading: Reading,
    /// What was there when it was stamped, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub then: String,
    /// What is there now, in a few words, where that is something else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub now: String,
    /// How often it was right.
    #[serde(default, skip_serializing_if = "Tally::is_empty")]
    pub tally: Tally,
}

impl Watermark {
    /// A binding before it is stamped.
    pub fn new(space: SpaceId, memory: MemoryId, referent: Referent, at: Timestamp) -> Self {
        Self {
            space,
            memory,
            referent,
            stamp: String::new(),
            stamped_at: at,
            reading: Reading::Unchanged,
            then: String::new(),
            now: String::new(),
            tally: Tally::default(),
        }
    }
}

/// Characters of a line that are shown.
const LINE_CHARS: usize = 80;

/// What a claim is bound to as it was noted, and as it is now: of lines, the first that differs.
pub fn then_and_now(mark: &Watermark) -> (String, String) {
    let place = mark.referent.place();
    let of_file = matches!(mark.referent, Referent::File { .. });
    let told = |text: &str| !(text.is_empty() || of_file && is_hash(text));
    let lines = matches!(mark.referent, Referent::File { span: Some(_), .. });
    let (then, now) = first_difference(&mark.then, &mark.now);
    let quoted = |line: &str| {
        if line.is_empty() {
            return "an empty line".to_owned();
        }
        let line = line.replace(['“', '”'], "\"");
        format!("“{}”", text::headline(&line, LINE_CHARS))
    };
    let was = if !told(&mark.then) {
        format!("{place} on {}", mark.stamped_at.date())
    } else if lines {
        format!("{place} {}", quoted(then))
    } else {
        format!("{place} at {}", mark.then)
    };
    let is = match mark.reading.status() {
        Status::Missing => "gone".to_owned(),
        Status::Unknown => "unreadable".to_owned(),
        Status::Moved | Status::Unchanged if !told(&mark.now) => "something else".to_owned(),
        Status::Moved | Status::Unchanged if lines && told(&mark.then) => quoted(now),
        Status::Moved | Status::Unchanged => mark.now.clone(),
    };
    (was, is)
}

/// The first lines in which two texts differ; where one has no more lines, there is nothing.
fn first_difference<'a>(then: &'a str, now: &'a str) -> (&'a str, &'a str) {
    let (mut one, mut other) = (then.lines(), now.lines());
    loop {
        match (one.next(), other.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return (then, now),
            (a, b) => return (a.unwrap_or_default(), b.unwrap_or_default()),
        }
    }
}

/// What earlier versions kept of lines, and what is kept of a whole file.
fn is_hash(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// How often a binding moved, against how often the claim changed: whether it is bound to the right
/// thing is itself a guess that can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// It moved, and the claim had changed.
    pub hits: u32,
    /// It moved, and the claim still held: it is bound too broadly.
    pub false_alarms: u32,
    /// It did not move, and the claim had changed: it is bound to the wrong thing.
    pub misses: u32,
    /// It did not move, and the claim still held.
    pub quiet: u32,
}

/// What becomes of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingFate {
    /// It stays.
    Keep,
    /// It is bound too broadly: to less, if there is less to bind it to.
    Narrow,
    /// It is bound to the wrong thing.
    Drop,
}

impl Tally {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counts what later evidence showed about the claim.
    #[must_use]
    pub fn count(mut self, moved: bool, changed: bool) -> Self {
        let cell = match (moved, changed) {
            (true, true) => &mut self.hits,
            (true, false) => &mut self.false_alarms,
            (false, true) => &mut self.misses,
            (false, false) => &mut self.quiet,
        };
        *cell = cell.saturating_add(1);
        self
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits.saturating_add(other.hits),
            false_alarms: self.false_alarms.saturating_add(other.false_alarms),
            misses: self.misses.saturating_add(other.misses),
            quiet: self.quiet.saturating_add(other.quiet),
        }
    }

    /// What it says about the binding. Not even-handed, on purpose: a needless check costs a moment,
    /// a change that went unseen costs trust in everything.
    pub fn verdict(self, policy: &TrustPolicy) -> BindingFate {
        if self.misses > 0 {
            BindingFate::Drop
        } else if self.false_alarms >= policy.false_alarms_max && self.hits == 0 {
            BindingFate::Narrow
        } else {
            BindingFate::Keep
        }
    }
}
