//! The one place that reads the time.

use throughline_core::Timestamp;

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The machine.
    System,
    /// Always the same moment, for tests and demonstrations.
    Fixed(Timestamp),
}

impl Clock {
    /// The present moment.
    pub fn now(self) -> Timestamp {
        match self {
            Self::Fixed(moment) => moment,
            Self::System => system_now(),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the clock is read")]
fn system_now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let millis = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    Timestamp::from_millis(millis)
}
