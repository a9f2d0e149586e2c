//! Trust: how true. Evidence, watermarks and contradiction move it; time and reading never do.

use crate::Authority;
use crate::evidence::{self, Evidence};
use crate::policy::TrustPolicy;
use crate::watermark::Watermark;

/// Trust with its three factors, so that it can be explained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trust {
    /// How well it is supported, in 0..=1.
    pub support: f64,
    /// What the worst of its watermarks leaves, in 0..=1.
    pub watermark: f64,
    /// What a contradiction leaves, in 0..=1.
    pub contest: f64,
}

impl Trust {
    /// The product, in 0..=1.
    pub fn value(self) -> f64 {
        self.support * self.watermark * self.contest
    }
}

/// Weighs the evidence. There is no `now` among the arguments, and that is the point.
pub fn trust(
    evidence: &[Evidence],
    watermarks: &[Watermark],
    contested: bool,
    policy: &TrustPolicy,
) -> Trust {
    Trust {
        support: support(evidence, policy),
        watermark: watermarks.iter().map(|mark| mark.reading.factor()).fold(1.0, f64::min),
        contest: if contested { policy.contested } else { 1.0 },
    }
}

/// How well independent sources support a claim: the strongest counts in full, each further one
/// for a share of what is still missing. What only agents say never counts for more than one of them
/// who saw it.
fn support(evidence: &[Evidence], policy: &TrustPolicy) -> f64 {
    let counted = evidence::independent(evidence);
    let doubt = counted
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let share = if at == 0 { 1.0 } else { policy.further_source };
            1.0 - one.authority.support() * share
        })
        .product::<f64>();
    let agents_only = counted.iter().all(|one| one.by_agent);
    let most = if agents_only { Authority::Observed.support() } else { 1.0 };
    (1.0 - doubt).min(most)
}

/// How a memory of this trust may be put to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presentation {
    /// As a fact.
    Assert,
    /// With its date, as unverified.
    AsOf,
    /// Only with the request to check it first.
    VerifyFirst,
    /// As a hint that something is there.
    Hint,
}

/// Decides how to put it. `stale` is a moved watermark; `salience` decides whether checking pays.
pub fn presentation(trust: f64, salience: f64, stale: bool, policy: &TrustPolicy) -> Presentation {
    let doubtful = stale || trust < policy.doubtful_below;
    if doubtful && salience >= policy.verify_salience {
        Presentation::VerifyFirst
    } else if doubtful {
        Presentation::Hint
    } else if trust >= policy.assert_from {
        Presentation::Assert
    } else {
        Presentation::AsOf
    }
}
