//! Circuit breaker: when to stop asking a service that fails, and when to try again. Pure: the
//! caller hands in the time and stores the state.

use serde::{Deserialize, Serialize};

/// Failures in a row after which it is left alone.
const FAILURES: u32 = 3;
/// Milliseconds for which it is left alone the first time; it doubles with every failed try.
const REST_MS: i64 = 60_000;
/// Milliseconds for which it is left alone at most.
const REST_MAX_MS: i64 = 3_600_000;

/// Breaker: how often a service failed lately, and until when it is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    /// Number of failures since the last success.
    pub failures: u32,
    /// Until when the service is not asked, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

impl Breaker {
    /// Until when the service must not be asked; `None` if it may be asked now. After a rest one
    /// question is let through, and a further failure makes the next rest longer. A rest longer
    /// than the longest possible one was noted by another clock and is ignored.
    pub fn rests_until(&self, now_ms: i64) -> Option<i64> {
        let left = |until: &i64| until.saturating_sub(now_ms);
        self.until.filter(|until| (1..=REST_MAX_MS).contains(&left(until)))
    }

    /// Notes a success: the service may be asked freely again.
    pub fn worked(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure. `asked_ms` is how long the service itself asked not to be called, if it
    /// did.
    pub fn failed(&mut self, now_ms: i64, asked_ms: Option<i64>) {
        self.failures = self.failures.saturating_add(1);
        let rest = (self.failures >= FAILURES).then(|| {
            let doubled = (self.failures - FAILURES).min(16);
            (REST_MS << doubled).min(REST_MAX_MS)
        });
        let asked = asked_ms.map(|asked| asked.clamp(0, REST_MAX_MS));
        if let Some(rest) = rest.max(asked) {
            self.until = Some(now_ms.saturating_add(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_three_failures_and_rests_longer_each_time() {
        let mut breaker = Breaker::default();
        let mut now = 1_000_000;
        breaker.failed(now, None);
        breaker.failed(now, None);
        assert_eq!(breaker.rests_until(now), None);
        let mut last = 0;
        for _ in 0..12 {
            breaker.failed(now, None);
            let rest = breaker.rests_until(now).unwrap() - now;
            assert!(rest >= last && rest <= REST_MAX_MS, "{rest}");
            last = rest;
            now += rest;
            assert_eq!(breaker.rests_until(now), None, "one question is let through");
        }
        assert_eq!(last, REST_MAX_MS);
        assert_eq!(breaker.rests_until(now - 2 * REST_MAX_MS), None, "the clock was put back");
        breaker.worked();
        assert_eq!(breaker, Breaker::default());
    }

    #[test]
    fn what_the_service_asks_for_counts_at_once() {
        let mut breaker = Breaker::default();
        breaker.failed(0, Some(90_000));
        assert_eq!(breaker.rests_until(1), Some(90_000));
        breaker.failed(0, Some(i64::MAX));
        assert_eq!(breaker.rests_until(1), Some(REST_MAX_MS));
    }
}
