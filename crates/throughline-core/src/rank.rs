//! The score: the one place where relevance, salience and trust meet.

use crate::policy::RankPolicy;

/// The parts of a candidate's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// How fitting to the query.
    pub relevance: f64,
    /// How retrievable, in 0..=1.
    pub salience: f64,
    /// How true, in 0..=1.
    pub trust: f64,
}

impl Ranked {
    /// The score: relevance decides, salience and trust tilt.
    pub fn score(&self, policy: &RankPolicy) -> f64 {
        self.relevance
            * (1.0 - policy.salience_share + policy.salience_share * self.salience)
            * (1.0 - policy.trust_share + policy.trust_share * self.trust)
    }
}
