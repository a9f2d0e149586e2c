//! Activation: how present a node is in the running session.
//!
//! A pure function of the weight at the last touch, the distance from the focus and the turns
//! since: computing it twice changes nothing.

use throughline_core::NodeId;
use throughline_core::policy::ActivationPolicy;

/// What happened to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Somebody spoke of it.
    Mention,
    /// Somebody asked to see more of it.
    Expand,
    /// It came up together with something used.
    CoUse,
}

/// The weight after a touch, in 0..=1.
pub fn touched(weight: f64, touch: Touch, policy: &ActivationPolicy) -> f64 {
    let gain = match touch {
        Touch::Mention => policy.mention,
        Touch::Expand => policy.expand,
        Touch::CoUse => policy.co_use,
    };
    (weight + gain).clamp(0.0, 1.0)
}

/// How present it is now, in 0..=1: distance from the focus sets the loss, turns the fading.
pub fn activation(
    weight: f64,
    hops: u32,
    turns: u32,
    anchor: bool,
    policy: &ActivationPolicy,
) -> f64 {
    let cap = policy.hop_cap.max(1);
    let distance = f64::from(hops.min(cap)) / f64::from(cap);
    let faded = 0.5_f64.powf(f64::from(turns) / policy.half_life_turns);
    let present = (weight * (1.0 - policy.distance_loss * distance) * faded).clamp(0.0, 1.0);
    if anchor { present.max(policy.anchor_floor) } else { present }
}

/// The nodes in focus: the most present ones, at most `policy.focus_max`, none below
/// `policy.focus_from`. Ties break by id.
pub fn focus(present: &[(NodeId, f64)], policy: &ActivationPolicy) -> Vec<NodeId> {
    let mut sorted: Vec<_> =
        present.iter().filter(|(_, value)| *value >= policy.focus_from).copied().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sorted.truncate(policy.focus_max);
    sorted.into_iter().map(|(node, _)| node).collect()
}
