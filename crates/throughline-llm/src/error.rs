//! Errors, one variant for each thing that a caller can do about it.

use std::time::Duration;

/// Error: why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The settings cannot be used; the user has to change them.
    #[error("{0}")]
    Settings(String),
    /// No connection to the service.
    #[error("{address} cannot be reached: {why}")]
    Unreachable {
        /// The address that was tried.
        address: String,
        /// Why.
        why: String,
    },
    /// The time for the question ran out.
    #[error("no answer within {} s", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The service asks not to be called for this long.
    #[error("the service asks to wait {} s", .0.as_secs())]
    Busy(Duration),
    /// The service answered with an error status.
    #[error("the service answers {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// The service's message, shortened.
        message: String,
    },
    /// The answer is larger than the limit and was not read.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    /// The model refused, or its answer was cut off or filtered.
    #[error("the model did not finish: {0}")]
    Unfinished(String),
    /// The answer does not have the requested form.
    #[error("the answer is not what was asked for: {why}")]
    Malformed {
        /// Why.
        why: String,
        /// The answer, shortened.
        said: String,
    },
    /// The local program failed.
    #[error("{program} failed: {why}")]
    Command {
        /// The program.
        program: String,
        /// How it failed.
        why: String,
    },
}

impl Error {
    /// Whether the same question may succeed later without anybody changing anything.
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

    /// Whether the question itself is the reason, so that another question may succeed at once.
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
