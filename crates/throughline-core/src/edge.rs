//! Edges: typed, directed, weighted, with a clock of their own.

use serde::{Deserialize, Serialize};

use crate::{NodeId, SpaceId, Timestamp, policy::EdgePolicy, row::Extra};

closed_set! {
    /// What an edge says, read from left to right.
    pub enum Relation ("relation") {
        /// Takes the place of.
        Supersedes = "supersedes",
        /// Says otherwise than.
        Contradicts = "contradicts",
        /// Was chosen because of.
        Because = "because",
        /// Is shown by.
        EvidencedBy = "evidenced_by",
        /// Was concluded from.
        DerivedFrom = "derived_from",
        /// Needs.
        DependsOn = "depends_on",
        /// Stands in the way of.
        Blocks = "blocks",
        /// Bears on.
        Informs = "informs",
        /// Adds to.
        Extends = "extends",
        /// Speaks of.
        About = "about",
        /// Carries the label.
        Tagged = "tagged",
        /// Lies in the cluster.
        InCluster = "in_cluster",
        /// Lies in the box.
        InBox = "in_box",
        /// Has something to do with.
        RelatesTo = "relates_to",
        /// Holds beside, as a person decided. Only review makes it, so that nobody else can keep two values of one
        /// thing from being held against each other.
        BothHold = "both_hold",
        /// Was said later by a person, and may bear on. Only the reader makes it, from a memory or from
        /// the turn itself, so that nobody can choose what stands beside what a person said.
        LaterSaid = "later_said",
        /// Was used together with. The only relation that co-occurrence may make.
        CoUsed = "co_used",
    }
}

impl Relation {
    /// The connections that somebody may make by hand. The others follow from something else: a
    /// replacement, a label, a thing that is spoken of, use.
    pub const BY_HAND: [Self; 9] = [
        Self::Because,
        Self::EvidencedBy,
        Self::DerivedFrom,
        Self::DependsOn,
        Self::Blocks,
        Self::Informs,
        Self::Extends,
        Self::Contradicts,
        Self::RelatesTo,
    ];

    /// How readily a walk follows it, in 0..=1.
    pub fn prior(self) -> f64 {
        match self {
            Self::Supersedes => 1.0,
            Self::Contradicts => 0.95,
            Self::Because | Self::EvidencedBy | Self::DerivedFrom => 0.8,
            Self::DependsOn | Self::Blocks => 0.7,
            Self::About => 0.6,
            Self::Informs | Self::Extends => 0.5,
            Self::Tagged => 0.4,
            Self::CoUsed => 0.35,
            Self::RelatesTo | Self::BothHold | Self::LaterSaid => 0.3,
            Self::InCluster | Self::InBox => 0.2,
        }
    }

    /// Whether it fades without use. What is a fact about facts does not.
    pub fn fades(self) -> bool {
        matches!(self, Self::RelatesTo | Self::CoUsed | Self::InCluster | Self::InBox)
    }

    /// Whether it gives a reason: followed by `why`.
    pub fn is_reason(self) -> bool {
        matches!(self, Self::Because | Self::EvidencedBy | Self::DerivedFrom | Self::DependsOn)
    }

    /// What it says in words, of its start about its end.
    pub fn in_words(self) -> String {
        let words = if self == Self::LaterSaid {
            "said later than"
        } else if self == Self::BothHold {
            "holds beside"
        } else {
            self.as_str()
        };
        words.replace('_', " ")
    }

    /// What it says in words, of its end about its start.
    pub fn in_words_backwards(self) -> String {
        match self {
            Self::Supersedes => "superseded by",
            Self::Because => "reason for",
            Self::EvidencedBy => "evidence for",
            Self::DerivedFrom => "led to",
            Self::DependsOn => "needed by",
            Self::Blocks => "blocked by",
            Self::Informs => "informed by",
            Self::Extends => "extended by",
            Self::LaterSaid => "later said",
            Self::About
            | Self::Tagged
            | Self::InCluster
            | Self::InBox
            | Self::Contradicts
            | Self::RelatesTo
            | Self::BothHold
            | Self::CoUsed => return self.in_words(),
        }
        .to_owned()
    }

    /// Whether it means the same in both directions.
    pub fn is_symmetric(self) -> bool {
        matches!(self, Self::Contradicts | Self::RelatesTo | Self::BothHold | Self::CoUsed)
    }

    /// The two ends as they are kept: those of a symmetric relation in one order, so that saying
    /// it from either side makes one edge.
    pub fn in_order(self, from: NodeId, to: NodeId) -> (NodeId, NodeId) {
        if self.is_symmetric() && to < from { (to, from) } else { (from, to) }
    }
}

/// One connection between two nodes of a space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The wall both ends live behind.
    pub space: SpaceId,
    /// Where it starts.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// Where it ends.
    pub to: NodeId,
    /// Strength when it was made, in 0..=1.
    pub weight: f64,
    /// How sure we are that it holds, in 0..=1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// Times it proved itself again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reinforcements: u32,
    /// When it last did.
    pub last_reinforced_at: Timestamp,
    /// Why it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What another version of this program wrote here and this one does not know: kept as it is.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Who says nothing about it has no doubt.
fn certain() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Edge {
    /// A new edge at full strength, its ends in order.
    pub fn new(
        space: SpaceId,
        from: NodeId,
        relation: Relation,
        to: NodeId,
        at: Timestamp,
    ) -> Self {
        let (from, to) = relation.in_order(from, to);
        Self {
            space,
            from,
            relation,
            to,
            weight: 1.0,
            confidence: 1.0,
            reinforcements: 0,
            last_reinforced_at: at,
            reason: None,
            extra: Extra::new(),
        }
    }

    /// The other end, seen from `node`.
    pub fn other(&self, node: NodeId) -> NodeId {
        if self.from == node { self.to } else { self.from }
    }
}

/// The strength of an edge, in `policy.floor`..=1, after `idle_active_days` without reinforcement.
///
/// Falls by whole windows; idempotent, because it is computed from the base and never stored.
pub fn strength(edge: &Edge, idle_active_days: f64, policy: &EdgePolicy) -> f64 {
    assert!(policy.window_days > 0.0, "an edge window must be positive");
    let gained = policy.reinforcement * f64::from(edge.reinforcements);
    let windows = (idle_active_days.max(0.0) / policy.window_days).floor();
    let lost = if edge.relation.fades() { policy.loss_per_window * windows } else { 0.0 };
    (edge.weight + gained - lost).clamp(policy.floor, 1.0)
}

/// How much of the flow a node with `degree` edges lets through: hubs are damped, in 0..=1.
pub fn hub_damping(degree: usize, policy: &EdgePolicy) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "degrees stay far below 2^52")]
    let degree = degree as f64;
    1.0 / (1.0 + degree / policy.hub_degree).sqrt()
}
