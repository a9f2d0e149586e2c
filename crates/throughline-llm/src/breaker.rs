//! When to stop asking a service that fails, and when to try again. Data and moments in, data out.

use serde::{Deserialize, Serialize};

/// Failures in a row after which it is left alone.
const FAILURES: u32 = 3;
/// Milliseconds for which it is left alone the first time; it doubles with every failed try.
const REST_MS: i64 = 60_000;
/// Milliseconds for which it is left alone at most.
const REST_MAX_MS: i64 = 3_600_000;

/// How a service fared lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    /// Failures in a row.
    pub failures: u32,
    /// Until when it is left alone, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

impl Breaker {
    /// Until when nobody asks; `None` if one may. After a rest one question is let through: the
    /// next failure makes the rest longer. A rest longer than any was noted by another clock.
    pub fn rests_until(&self, now_ms: i64) -> Option<i64> {
        let left = |until: &i64| until.saturating_sub(now_ms);
        self.until.filter(|until| (1..=REST_MAX_MS).contains(&left(until)))
    }

    /// It answered.
    pub fn worked(&mut self) {
        *self = Self::default();
    }

    /// It failed; `asked_ms` is how long it asked to be left alone, if it did.
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
