//! Moments. Always handed in; nothing in this crate asks what time it is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const MS_PER_DAY: i64 = 86_400_000;

/// A moment in UTC, in milliseconds since 1970. Written as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first moment of 1970.
    pub const EPOCH: Self = Self(0);

    /// A moment from its milliseconds, kept within the years 0001 to 9999 so that it can be written.
    pub fn from_millis(millis: i64) -> Self {
        const FIRST: i64 = -62_135_596_800_000;
        const LAST: i64 = 253_402_207_200_000;
        Self(millis.clamp(FIRST, LAST))
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The number of the UTC day, counted from 1970.
    pub fn day(self) -> i64 {
        self.0.div_euclid(MS_PER_DAY)
    }

    /// Days from `earlier` to here; negative when `earlier` is later.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of 9999 years fit in 53 bits")]
    pub fn days_since(self, earlier: Self) -> f64 {
        (self.0 - earlier.0) as f64 / MS_PER_DAY as f64
    }

    /// This moment, `days` later.
    #[expect(clippy::cast_possible_truncation, reason = "clamped by from_millis")]
    #[expect(clippy::cast_precision_loss, reason = "a constant")]
    pub fn plus_days(self, days: f64) -> Self {
        Self::from_millis(self.0.saturating_add((days * MS_PER_DAY as f64) as i64))
    }

    /// The date part, `2026-11-15`.
    pub fn date(self) -> String {
        self.to_string()[..10].to_owned()
    }

    /// Reads what a person may write for a moment: RFC 3339, a date, a date and time (UTC), or a
    /// span before `now` such as `90m`, `2d` or `3 weeks ago`.
    pub fn parse_human(text: &str, now: Self) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(moment) = text.parse() {
            return Ok(moment);
        }
        if let Some(span_ms) = parse_span(text) {
            return Ok(Self::from_millis(now.0.saturating_sub(span_ms)));
        }
        if let Ok(date) = text.parse::<jiff::civil::DateTime>()
            && let Ok(zoned) = date.to_zoned(jiff::tz::TimeZone::UTC)
        {
            return Ok(Self::from_millis(zoned.timestamp().as_millisecond()));
        }
        Err(format!("{text} is not a time; write 2026-11-15, 2026-11-15T09:30:00Z or 2d"))
    }
}

/// Reads `90m`, `2d`, `3 weeks ago` as milliseconds.
fn parse_span(text: &str) -> Option<i64> {
    let text = text.strip_suffix("ago").unwrap_or(text).trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let count: i64 = text[..digits].parse().ok()?;
    let unit_ms = match text[digits..].trim() {
        "s" | "sec" | "second" | "seconds" => 1_000,
        "m" | "min" | "minute" | "minutes" => 60_000,
        "h" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => MS_PER_DAY,
        "w" | "week" | "weeks" => 7 * MS_PER_DAY,
        _ => return None,
    };
    count.checked_mul(unit_ms)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{moment:.3}")
    }
}

impl FromStr for Timestamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let moment: jiff::Timestamp =
            text.parse().map_err(|_| format!("{text} is not an RFC 3339 time"))?;
        Ok(Self::from_millis(moment.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn people_may_write_a_moment_in_several_ways() {
        let now = at("2026-11-15T12:00:00Z");
        for (text, expected) in [
            ("2026-11-15T09:30:00Z", "2026-11-15T09:30:00.000Z"),
            ("2026-11-15T10:30:00+01:00", "2026-11-15T09:30:00.000Z"),
            ("2026-11-14", "2026-11-14T00:00:00.000Z"),
            ("2026-11-14T08:15", "2026-11-14T08:15:00.000Z"),
            ("90m", "2026-11-15T10:30:00.000Z"),
            ("2d", "2026-11-13T12:00:00.000Z"),
            ("3 weeks ago", "2026-10-25T12:00:00.000Z"),
        ] {
            assert_eq!(
                Timestamp::parse_human(text, now).map(|t| t.to_string()),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
        assert!(Timestamp::parse_human("soon", now).is_err());
    }

    proptest! {
        #[test]
        fn writing_a_moment_down_loses_nothing(millis in any::<i64>()) {
            let moment = Timestamp::from_millis(millis);
            prop_assert_eq!(moment.to_string().parse(), Ok(moment));
        }

        #[test]
        fn written_moments_sort_like_moments(a in 0_i64..4_000_000_000_000, b in 0_i64..4_000_000_000_000) {
            let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }
    }
}
