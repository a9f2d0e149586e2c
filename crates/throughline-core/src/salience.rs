//! Salience: how retrievable. Use, importance and disuse move it; truth does not.
//!
//! Its clock counts active days, days on which there was work in the space, so that a quiet
//! project does not rot.

use crate::policy::SaliencePolicy;
use crate::{Authority, Kind, Layer, Memory, Timestamp, Usage};

/// Raw and floored salience. Ranking and flags read the floored value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Salience {
    /// Before floor and ceiling.
    pub raw: f64,
    /// In 0..=1.
    pub value: f64,
}

/// Computes salience after `idle_active_days` without use or assertion.
pub fn salience(
    memory: &Memory,
    usage: &Usage,
    idle_active_days: f64,
    policy: &SaliencePolicy,
) -> Salience {
    let half_life = half_life_days(memory.kind, memory.authority);
    let idle = (idle_active_days - policy.grace_days).max(0.0);
    let faded = 0.5_f64.powf(idle / half_life);
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    let used =
        (1.0 + policy.usage_weight * (1.0 + usage.uses as f64).log10()).min(policy.usage_max);
    let raw = memory.importance * faded * used * (0.5 + usage.utility());
    Salience { raw, value: raw.min(1.0).max(floor(memory, policy)) }
}

/// Active days of disuse after which salience halves.
pub fn half_life_days(kind: Kind, authority: Authority) -> f64 {
    if authority == Authority::Inferred {
        return 7.0;
    }
    match kind {
        Kind::Correction | Kind::Negative | Kind::Principle | Kind::Lesson => 365.0,
        Kind::Preference | Kind::Decision | Kind::Commitment => 90.0,
        Kind::Procedure => 60.0,
        Kind::Fact | Kind::Event | Kind::Gap => 30.0,
    }
}

fn floor(memory: &Memory, policy: &SaliencePolicy) -> f64 {
    if memory.pinned || memory.layer() == Layer::Invariant {
        1.0
    } else if memory.authority == Authority::File {
        policy.anchor_floor
    } else {
        0.0
    }
}

/// How many of the sorted `active_days` lie after `since`, up to and including the day of `now`.
///
/// A clock that runs backwards counts as no time passing.
pub fn idle_days(active_days: &[i64], since: Timestamp, now: Timestamp) -> f64 {
    let after = active_days.partition_point(|day| *day <= since.day());
    let until = active_days.partition_point(|day| *day <= now.day());
    #[expect(clippy::cast_precision_loss, reason = "a number of days")]
    let days = until.saturating_sub(after) as f64;
    days
}
