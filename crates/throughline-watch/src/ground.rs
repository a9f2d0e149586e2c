//! The ground: the folder of the project, held open, and the only way in which files are read.
//!
//! Every folder on the way is opened below the one before it, and no link is followed. A path that
//! has links in it is resolved first and must stay below the root; what it resolves to is walked
//! in the same strict way. So nothing outside is read, even if a link is put in our way in between.

#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
mod other;

#[cfg(unix)]
pub(crate) use unix::Ground;

#[cfg(not(unix))]
pub(crate) use other::Ground;

use std::path::PathBuf;

use crate::Unresolved;
use crate::stamp::FileMark;

/// A plain file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainFile {
    pub(crate) mark: FileMark,
    /// Its path from the root, without links.
    pub(crate) path: PathBuf,
}

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// There is nothing.
    Gone,
    /// There is a folder.
    Folder,
    /// A pipe, a socket, a device.
    Special,
    /// A link leads outside.
    Outside,
    TooLarge,
    Unreadable,
    /// It changed while it was read, twice.
    Restless,
    OwnData,
    /// No time left.
    Late,
}

impl Obstacle {
    /// For people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Gone | Self::Folder => "gone",
            Self::Special => "not a plain file",
            Self::Outside => "leads outside of the project",
            Self::TooLarge => "too large to read",
            Self::Unreadable => "not readable",
            Self::Restless => "changes while it is read",
            Self::OwnData => "a database of Throughline itself",
            Self::Late => "not reached in time",
        }
    }
}

impl From<Obstacle> for Unresolved {
    fn from(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::Gone => Self::Missing,
            Obstacle::Folder | Obstacle::Special => Self::NotAFile,
            Obstacle::Outside => Self::Outside,
            Obstacle::TooLarge => Self::TooLarge,
            Obstacle::Unreadable | Obstacle::Restless | Obstacle::Late => Self::Unreadable,
            Obstacle::OwnData => Self::OwnData,
        }
    }
}
