//! Around the focus: how far every node lies from it, and how much of it is told for that.

use std::collections::{BTreeMap, VecDeque};

use throughline_core::NodeId;
use throughline_core::policy::ActivationPolicy;

use super::Hot;

/// Nodes whose edges are read to measure distances, at most.
pub(super) const MEASURED_MAX: usize = 24;

/// How near a node is to the focus, which says how much of it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It is in focus: told in full.
    Focus,
    /// One edge away: told in a line.
    Near,
    /// Further: only counted, by domain.
    Far,
}

/// The distances of nodes from the focus of a session. Nothing where there is no focus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FocusSurroundings {
    hops: BTreeMap<NodeId, u32>,
}

impl FocusSurroundings {
    /// How many edges lie between the focus and each node that is reached within `cap`.
    pub fn of(focus: &[NodeId], edges: &[(NodeId, NodeId)], cap: u32) -> Self {
        let mut beside: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for (one, other) in edges {
            beside.entry(*one).or_default().push(*other);
            beside.entry(*other).or_default().push(*one);
        }
        let mut hops: BTreeMap<NodeId, u32> = focus.iter().map(|node| (*node, 0)).collect();
        let mut waiting: VecDeque<(NodeId, u32)> = focus.iter().map(|node| (*node, 0)).collect();
        while let Some((node, far)) = waiting.pop_front() {
            if far >= cap {
                continue;
            }
            for next in beside.get(&node).into_iter().flatten() {
                if !hops.contains_key(next) {
                    hops.insert(*next, far + 1);
                    waiting.push_back((*next, far + 1));
                }
            }
        }
        Self { hops }
    }

    /// Whether nothing is in focus.
    pub fn is_empty(&self) -> bool {
        self.hops.is_empty()
    }

    /// Edges between the focus and a node; `None` where it was not reached.
    pub fn hops(&self, node: NodeId) -> Option<u32> {
        self.hops.get(&node).copied()
    }

    /// How near a node is; `None` where it was not reached.
    pub fn nearness(&self, node: NodeId) -> Option<Nearness> {
        Some(match self.hops(node)? {
            0 => Nearness::Focus,
            1 => Nearness::Near,
            _ => Nearness::Far,
        })
    }

    /// The nodes that are this near, by id.
    pub fn nodes(&self, nearness: Nearness) -> impl Iterator<Item = NodeId> + '_ {
        self.hops.keys().copied().filter(move |node| self.nearness(*node) == Some(nearness))
    }
}

impl Hot {
    /// The nodes whose edges tell how far everything is from the focus: the focus, then what else is
    /// most present. None where nothing is in focus, so that nothing need be read.
    pub fn to_measure(&self, policy: &ActivationPolicy) -> Vec<NodeId> {
        if self.focus(policy).is_empty() {
            return Vec::new();
        }
        self.most_present(policy)
    }

    /// The most present nodes, in focus or not.
    pub fn most_present(&self, policy: &ActivationPolicy) -> Vec<NodeId> {
        let present = self.present(None, policy).into_iter();
        present.map(|(node, _)| node).take(MEASURED_MAX).collect()
    }

    /// How far everything is from the focus, over these edges.
    pub fn around(
        &self,
        edges: &[(NodeId, NodeId)],
        policy: &ActivationPolicy,
    ) -> FocusSurroundings {
        FocusSurroundings::of(&self.focus(policy), edges, policy.hop_cap)
    }

    /// What it has in mind, by the ground it belongs to; each the most present first.
    pub fn by_domain(&self, policy: &ActivationPolicy) -> BTreeMap<&str, Vec<NodeId>> {
        let mut domains: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for (node, _) in self.present(None, policy) {
            if let Some(warmth) = self.nodes.get(&node) {
                domains.entry(warmth.domain.as_str()).or_default().push(node);
            }
        }
        domains
    }
}
