//! Relevance: arms on one scale, added with fixed weights.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_attention::relevance::{
    Background, Parts, Signals, SpokenBy, Spread, Text, features, parts, relevance, weights,
};
use throughline_core::policy::RelevancePolicy;

const USUAL: Spread = Spread { mean: 2.0, deviation: 1.5 };

/// What all arms add together.
fn sum_of(signals: &Signals, background: &Background) -> f64 {
    parts(&features(signals, background, &policy()), signals, &policy()).sum()
}

fn policy() -> RelevancePolicy {
    RelevancePolicy::default()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs().max(other.abs()))
}

fn share() -> impl Strategy<Value = f64> {
    0.0..=1.0_f64
}

fn cosine() -> impl Strategy<Value = Option<f64>> {
    option::of(-1.0..=1.0_f64)
}

fn signals() -> impl Strategy<Value = Signals> {
    let voices = vec![SpokenBy::Other, SpokenBy::Named, SpokenBy::Asker, SpokenBy::Agent];
    let arms =
        (0.0..40.0_f64, 0.0..60.0_f64, cosine(), cosine(), option::of(0.0..90.0_f64), cosine());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let rest = (0.0..200.0_f64, option::of(0.0..60.0_f64), select(voices), share(), share());
    (arms, flags, rest).prop_map(|(arms, flags, rest)| Signals {
        words: arms.0,
        around: arms.1,
        cosine: arms.2,
        next_cosine: arms.3,
        session_words: arms.4,
        session_cosine: arms.5,
        length: rest.0,
        asked_before: rest.1,
        asks: flags.0,
        tells_time: flags.1,
        tells_number: flags.2,
        voice: rest.2,
        in_time: rest.3,
        covers: rest.4,
        named: flags.3,
    })
}

fn spread() -> impl Strategy<Value = Spread> {
    (-5.0..20.0_f64, 0.01..10.0_f64).prop_map(|(mean, deviation)| Spread { mean, deviation })
}

fn background() -> impl Strategy<Value = Background> {
    (spread(), spread(), spread(), spread()).prop_map(|(words, around, cosine, session_words)| {
        Background { words, around, cosine, session_words }
    })
}

/// The same candidate, better in one arm.
fn better_ones(signals: &Signals, by: f64) -> Vec<(&'static str, Signals)> {
    let one = *signals;
    let more = |value: Option<f64>| value.map(|value| value + by);
    let asked = one.asked_before.map_or(Some(by), |value| Some(value + by));
    let mut better = vec![
        ("around", Signals { around: one.around + by, ..one }),
        ("cosine", Signals { cosine: more(one.cosine), ..one }),
        ("next cosine", Signals { next_cosine: more(one.next_cosine), ..one }),
        ("session words", Signals { session_words: more(one.session_words), ..one }),
        ("session cosine", Signals { session_cosine: more(one.session_cosine), ..one }),
        ("asked before", Signals { asked_before: asked, ..one }),
        ("tells time", Signals { tells_time: true, ..one }),
        ("tells number", Signals { tells_number: true, ..one }),
        ("in time", Signals { in_time: (one.in_time + by).min(1.0), ..one }),
        ("named", Signals { named: true, ..one }),
        ("does not ask", Signals { asks: false, ..one }),
    ];
    if one.voice == SpokenBy::Other {
        let voices = [SpokenBy::Named, SpokenBy::Asker, SpokenBy::Agent];
        better.extend(voices.map(|voice| ("voice", Signals { voice, ..one })));
    }
    better
}

proptest! {
    #[test]
    fn what_stands_out_more_scores_higher(spread in spread(), score in -50.0..50.0_f64, more in 0.0..50.0_f64) {
        prop_assert!(spread.stands_out(score) <= spread.stands_out(score + more));
        prop_assert!(near(spread.stands_out(spread.mean), 0.0));
        prop_assert!(near(spread.stands_out(spread.mean + spread.deviation), 1.0));
    }

    #[test]
    fn a_mean_lies_between_the_scores_and_the_usual(scores in vec(0.0..50.0_f64, 1..80), usual in spread()) {
        let found = Spread::of(scores.clone(), usual, &policy());
        let low = scores.iter().copied().fold(usual.mean, f64::min);
        let high = scores.iter().copied().fold(usual.mean, f64::max);
        prop_assert!(low - 1e-9 <= found.mean && found.mean <= high + 1e-9, "{found:?}");
        prop_assert!(found.deviation > 0.0 && found.deviation.is_finite());
    }

    #[test]
    fn the_order_of_candidates_makes_no_difference(scores in vec(0.0..50.0_f64, 0..80)) {
        let mut turned = scores.clone();
        turned.reverse();
        prop_assert_eq!(Spread::of(scores, USUAL, &policy()), Spread::of(turned, USUAL, &policy()));
    }

    #[test]
    fn only_the_best_are_compared_with(best in vec(10.0..50.0_f64, 8), rest in vec(0.0..10.0_f64, 0..40)) {
        let policy = RelevancePolicy { background: 8, ..policy() };
        let all: Vec<f64> = rest.into_iter().chain(best.clone()).collect();
        prop_assert_eq!(Spread::of(all, USUAL, &policy), Spread::of(best, USUAL, &policy));
    }

    #[test]
    fn parts_add_up_to_what_the_weights_say(signals in signals(), background in background()) {
        let inputs = features(&signals, &background, &policy());
        let total: f64 = inputs.iter().zip(weights(&policy())).map(|(input, weight)| input * weight).sum();
        let sum = sum_of(&signals, &background);
        prop_assert!(near(sum, total), "{sum} {total}");
    }

    #[test]
    fn better_in_one_arm_never_ranks_lower(
        signals in signals(), background in background(), by in 0.0..5.0_f64,
    ) {
        let sum = |one: &Signals| sum_of(one, &background);
        for (arm, better) in better_ones(&signals, by) {
            prop_assert!(sum(&better) >= sum(&signals) - 1e-9, "better in {arm}: {better:?}");
        }
    }

    /// Its own words count in both arms of words: they rise together.
    #[test]
    fn a_text_with_more_of_the_words_never_ranks_lower(
        signals in signals(), background in background(), by in 0.0..5.0_f64,
    ) {
        let background = Background { around: background.words, ..background };
        let better = Signals { words: signals.words + by, around: signals.around + by, ..signals };
        let sum = |one: &Signals| sum_of(one, &background);
        prop_assert!(sum(&better) >= sum(&signals) - 1e-9);
    }

    #[test]
    fn relevance_is_a_share_and_rises_with_the_sum(
        sum in -800.0..800.0_f64, more in 0.0..50.0_f64, covers in share(),
    ) {
        for of in [Text::Memory, Text::Turn] {
            let of_sum = |sum: f64| {
                let parts = Parts { words: sum, ..Parts::default() };
                relevance(&parts, &Signals { covers, ..Signals::default() }, of, &policy())
            };
            let (low, high) = (of_sum(sum), of_sum(sum + more));
            prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high), "{low} {high}");
            prop_assert!(low <= high);
        }
    }

    #[test]
    fn holding_all_that_is_asked_lifts_a_memory_and_no_turn(
        sum in -20.0..20.0_f64, covers in share(), more in share(),
    ) {
        let parts = Parts { vector: sum, ..Parts::default() };
        let of = |covers: f64, of| {
            relevance(&parts, &Signals { covers, ..Signals::default() }, of, &policy())
        };
        let fuller = (covers + more).min(1.0);
        prop_assert!(of(covers, Text::Memory) <= of(fuller, Text::Memory));
        prop_assert!(of(0.0, Text::Memory) <= of(covers, Text::Memory));
        prop_assert!(of(1.0, Text::Memory) >= policy().covered);
        prop_assert!(near(of(covers, Text::Turn), of(0.0, Text::Turn)));
    }
}

#[test]
fn without_candidates_what_is_usual_stands() {
    let found = Spread::of(Vec::new(), USUAL, &policy());
    assert!(near(found.mean, USUAL.mean) && near(found.deviation, USUAL.deviation), "{found:?}");
}

#[test]
fn few_candidates_lean_on_the_usual_and_many_do_not() {
    let policy = RelevancePolicy { background: usize::MAX, ..policy() };
    // Scores around 10, one deviation to either side, where 2 is usual.
    let of = |count: usize| {
        let scores = (0..count).map(|at| if at % 2 == 0 { 9.0 } else { 11.0 });
        Spread::of(scores.collect(), USUAL, &policy)
    };
    assert!((of(2).mean - USUAL.mean).abs() < 0.5, "{:?}", of(2));
    let many = of(100 * policy.lean);
    assert!((many.mean - 10.0).abs() < 0.1, "{many:?}");
    assert!((many.deviation - 1.0).abs() < 0.5, "{many:?}");
    let counts = [0, 2, 10, 50, 250, 1_000, 10_000];
    let away: Vec<f64> = counts.iter().map(|count| (10.0 - of(*count).mean).abs()).collect();
    assert!(away.is_sorted_by(|few, many| few > many), "{away:?}");
}

#[test]
fn candidates_that_are_all_alike_stand_out_by_little() {
    let policy = RelevancePolicy { lean: 0, ..policy() };
    let same = Spread::of(vec![3.0; 40], USUAL, &policy);
    assert!(near(same.stands_out(3.0), 0.0));
    assert!(same.deviation > 0.0, "nothing is divided by nothing");
}

#[test]
fn the_middle_of_relevance_is_where_the_policy_says() {
    let of = |sum: f64, of| {
        relevance(&Parts { time: sum, ..Parts::default() }, &Signals::default(), of, &policy())
    };
    assert!(near(of(policy().even_at, Text::Memory), 0.5));
    assert!(near(of(policy().even_at_turn, Text::Turn), 0.5));
}

#[test]
fn neighbours_of_a_long_text_count_for_less() {
    let spread = Spread { mean: 0.0, deviation: 1.0 };
    let background =
        Background { words: spread, around: spread, cosine: spread, session_words: spread };
    let with = |length: f64, around: f64| {
        sum_of(&Signals { length, around, ..Signals::default() }, &background)
    };
    let gain = |length: f64| with(length, 5.0) - with(length, 0.0);
    assert!(gain(3.0) > gain(20.0) && gain(20.0) > gain(200.0));
    assert!(gain(200.0) < gain(3.0) / 50.0);
}
