//! The score, where relevance, salience and trust meet.

use proptest::prelude::*;
use throughline_core::policy::RankPolicy;
use throughline_core::rank::Ranked;

proptest! {
    #[test]
    fn salience_and_trust_tilt_but_relevance_decides(
        relevance in 0.0..=1.0_f64, salience in 0.0..=1.0_f64, trust in 0.0..=1.0_f64,
    ) {
        let score = Ranked { relevance, salience, trust }.score(&RankPolicy::default());
        prop_assert!((0.0..=1.0).contains(&score));
        prop_assert!(score <= relevance + 1e-12 && score >= relevance * 0.8 * 0.7 - 1e-12);
    }

    #[test]
    fn more_relevance_salience_or_trust_never_ranks_lower(
        relevance in 0.0..=1.0_f64, salience in 0.0..=1.0_f64, trust in 0.0..=1.0_f64, gain in 0.0..=1.0_f64,
    ) {
        let policy = RankPolicy::default();
        let base = Ranked { relevance, salience, trust };
        for better in [
            Ranked { relevance: (relevance + gain).min(1.0), ..base },
            Ranked { salience: (salience + gain).min(1.0), ..base },
            Ranked { trust: (trust + gain).min(1.0), ..base },
        ] {
            prop_assert!(better.score(&policy) >= base.score(&policy));
        }
    }
}
