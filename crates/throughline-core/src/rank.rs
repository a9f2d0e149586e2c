//! The final order: the one place where relevance, salience and trust meet.

use std::cmp::Ordering;

use crate::NodeId;
use crate::policy::RankPolicy;

/// A candidate with the parts of its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// What is ranked.
    pub node: NodeId,
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

/// Sorts by score, best first; equal scores by id, so that two processes agree.
pub fn sort(candidates: &mut [Ranked], policy: &RankPolicy) {
    candidates.sort_by(|a, b| compare((a.score(policy), a.node), (b.score(policy), b.node)));
}

fn compare(a: (f64, NodeId), b: (f64, NodeId)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
