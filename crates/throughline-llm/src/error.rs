//! What can go wrong, by what can be done about it.

use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The settings cannot be used.
    #[error("{0}")]
    Settings(String),
    /// Nobody answers there.
    #[error("{address} cannot be reached: {why}")]
    Unreachable {
        /// Where.
        address: String,
        /// Why.
        why: String,
    },
    /// It took too long.
    #[error("no answer within {} s", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The service asks to be left alone for a while.
    #[error("the service asks to wait {} s", .0.as_secs())]
    Busy(Duration),
    /// The service says no.
    #[error("the service answers {status}: {message}")]
    Status {
        /// Its number.
        status: u16,
        /// In its words, cut.
        message: String,
    },
    /// The answer is too large to be read.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    /// The model refuses, or was cut off or filtered.
    #[error("the model did not finish: {0}")]
    Unfinished(String),
    /// The answer is not what was asked for.
    #[error("the answer is not what was asked for: {why}")]
    Malformed {
        /// Why.
        why: String,
        /// What was said, cut.
        said: String,
    },
    /// The program failed.
    #[error("{program} failed: {why}")]
    Command {
        /// Which.
        program: String,
        /// How.
        why: String,
    },
}

impl Error {
    /// Whether asking again may help without anybody doing anything.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::TooSlow(_) | Self::Busy(_) => true,
            Self::Status { status, .. } => is_passing_status(*status),
            Self::Settings(_)
            | Self::TooLarge(_)
            | Self::Unfinished(_)
            | Self::Malformed { .. }
            | Self::Command { .. } => false,
        }
    }

    /// Whether it lies with what was asked, so that another question may be answered.
    pub fn is_about_the_question(&self) -> bool {
        match self {
            Self::TooLarge(_) | Self::Unfinished(_) | Self::Malformed { .. } => true,
            Self::Status { status, .. } => matches!(status, 400 | 413 | 422),
            Self::Settings(_)
            | Self::Unreachable { .. }
            | Self::TooSlow(_)
            | Self::Busy(_)
            | Self::Command { .. } => false,
        }
    }
}

/// Whether a status says that it may be different soon.
pub(crate) fn is_passing_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}
