//! The final order, where relevance, salience and trust meet.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::policy::RankPolicy;
use throughline_core::rank::{Ranked, sort};

use crate::world::id;

fn candidates() -> impl Strategy<Value = Vec<Ranked>> {
    // Few different values, so that equal scores are common.
    let part = || (0..4_u32).prop_map(|number| f64::from(number) / 3.0);
    vec((part(), part(), part()), 0..25).prop_map(|parts| {
        let numbered = (0_u128..).zip(parts);
        numbered
            .map(|(number, (relevance, salience, trust))| Ranked {
                node: id(number).into(),
                relevance,
                salience,
                trust,
            })
            .collect()
    })
}

fn sorted(mut candidates: Vec<Ranked>) -> Vec<Ranked> {
    sort(&mut candidates, &RankPolicy::default());
    candidates
}

proptest! {
    #[test]
    fn the_order_does_not_depend_on_how_candidates_came_in(
        (as_found, shuffled) in candidates().prop_flat_map(|found| (Just(found.clone()), Just(found).prop_shuffle())),
    ) {
        prop_assert_eq!(sorted(as_found), sorted(shuffled));
    }

    #[test]
    fn the_best_come_first_and_equals_stand_by_id(found in candidates()) {
        let policy = RankPolicy::default();
        let order = sorted(found.clone());
        prop_assert_eq!(order.len(), found.len());
        for pair in order.windows(2) {
            let (ahead, behind) = (pair[0].score(&policy), pair[1].score(&policy));
            prop_assert!(ahead > behind || ahead.total_cmp(&behind).is_eq() && pair[0].node < pair[1].node);
        }
    }

    #[test]
    fn salience_and_trust_tilt_but_relevance_decides(
        relevance in 0.0..=1.0_f64, salience in 0.0..=1.0_f64, trust in 0.0..=1.0_f64,
    ) {
        let score = Ranked { node: id(1).into(), relevance, salience, trust }.score(&RankPolicy::default());
        prop_assert!((0.0..=1.0).contains(&score));
        prop_assert!(score <= relevance + 1e-12 && score >= relevance * 0.8 * 0.7 - 1e-12);
    }

    #[test]
    fn more_relevance_salience_or_trust_never_ranks_lower(
        relevance in 0.0..=1.0_f64, salience in 0.0..=1.0_f64, trust in 0.0..=1.0_f64, gain in 0.0..=1.0_f64,
    ) {
        let policy = RankPolicy::default();
        let base = Ranked { node: id(1).into(), relevance, salience, trust };
        for better in [
            Ranked { relevance: (relevance + gain).min(1.0), ..base },
            Ranked { salience: (salience + gain).min(1.0), ..base },
            Ranked { trust: (trust + gain).min(1.0), ..base },
        ] {
            prop_assert!(better.score(&policy) >= base.score(&policy));
        }
    }
}
