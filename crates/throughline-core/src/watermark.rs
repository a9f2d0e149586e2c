//! Watermarks: what a state fact hangs on, and what we saw there last.

use serde::{Deserialize, Serialize};

use crate::{MemoryId, SpaceId, Timestamp};

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

    /// Whether it should be checked before it is built on.
    pub fn wants_check(self) -> bool {
        matches!(self, Self::Moved | Self::Missing | Self::Unknown)
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
}
