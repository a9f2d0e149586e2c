//! How present a node is in the running session.

use proptest::collection::btree_map;
use proptest::prelude::*;
use throughline_attention::activation::{Touch, activation, focus, touched};
use throughline_core::NodeId;
use throughline_core::policy::ActivationPolicy;

use crate::world::id;

fn present(weight: f64, hops: u32, turns: u32) -> f64 {
    activation(weight, hops, turns, false, &ActivationPolicy::default())
}

fn nodes() -> impl Strategy<Value = Vec<(NodeId, f64)>> {
    // Few different values, so that ties are common.
    btree_map(0..40_u128, 0..10_u32, 0..20).prop_map(|nodes| {
        let named = nodes.into_iter();
        named
            .map(|(number, tenths)| (NodeId::Memory(id(number)), f64::from(tenths) / 10.0))
            .collect()
    })
}

proptest! {
    #[test]
    fn presence_stays_between_nothing_and_one(
        weight in 0.0..=1.0_f64, hops in any::<u32>(), turns in any::<u32>(), anchor in any::<bool>(),
    ) {
        let found = activation(weight, hops, turns, anchor, &ActivationPolicy::default());
        prop_assert!((0.0..=1.0).contains(&found), "{found}");
        prop_assert!(!anchor || found >= 0.2, "anchors stay within reach");
    }

    #[test]
    fn farther_away_or_longer_ago_is_never_more_present(
        weight in 0.0..=1.0_f64, hops in 0..100_u32, turns in 0..1_000_u32, more in 0..100_u32,
    ) {
        let here = present(weight, hops, turns);
        prop_assert!(present(weight, hops + more, turns) <= here);
        prop_assert!(present(weight, hops, turns + more) <= here);
    }

    #[test]
    fn a_touch_never_lowers_the_weight_nor_lifts_it_above_one(weight in 0.0..=1.0_f64) {
        let policy = ActivationPolicy::default();
        let [mention, expand, co_use] =
            [Touch::Mention, Touch::Expand, Touch::CoUse].map(|touch| touched(weight, touch, &policy));
        prop_assert!(weight <= co_use && co_use <= expand && expand <= mention && mention <= 1.0);
    }

    #[test]
    fn focus_holds_at_most_five_and_only_what_is_present_enough(present in nodes()) {
        let found = focus(&present, &ActivationPolicy::default());
        let enough = present.iter().filter(|(_, value)| *value >= 0.3).count();
        prop_assert_eq!(found.len(), enough.min(5));
        let value = |node: &NodeId| present.iter().find(|(it, _)| it == node).unwrap().1;
        for (node, other) in present.iter().filter(|(node, _)| !found.contains(node)) {
            prop_assert!(found.iter().all(|kept| value(kept) >= *other), "{node} was left out");
        }
    }

    #[test]
    fn focus_does_not_depend_on_the_order_of_looking(
        (present, shuffled) in nodes().prop_flat_map(|nodes| (Just(nodes.clone()), Just(nodes).prop_shuffle())),
    ) {
        let policy = ActivationPolicy::default();
        prop_assert_eq!(focus(&present, &policy), focus(&shuffled, &policy));
    }
}

#[test]
fn presence_halves_every_twenty_turns_and_loses_half_at_four_hops() {
    for (hops, turns, expected) in [
        (0, 0, 0.8),
        (2, 0, 0.6),
        (4, 0, 0.4),
        (9, 0, 0.4),
        (0, 20, 0.4),
        (0, 40, 0.2),
        (4, 20, 0.2),
    ] {
        let found = present(0.8, hops, turns);
        assert!((found - expected).abs() < 1e-12, "{hops} hops, {turns} turns: {found}");
    }
}
