//! When memories leave view, change tier, graduate.

use proptest::prelude::*;
use throughline_attention::lifecycle::{
    LifecycleFacts, LifecycleMove, Tier, dormant_days, felt_idle_days, is_protected, may_graduate,
    next_move, next_tier, should_archive, should_expire, should_review_anchor, tier_value,
};
use throughline_core::policy::{LifecyclePolicy, SaliencePolicy};
use throughline_core::salience::{Salience, salience};
use throughline_core::{Authority, Kind, Memory, State, Usage};

use crate::world::{SPACE, any_memory, fact, id, session};

fn standing(age: f64, sources: usize) -> LifecycleFacts {
    LifecycleFacts {
        age_active_days: age,
        salience: Salience { raw: 0.6, value: 0.6 },
        sources,
        edges: 2,
        contested: false,
    }
}

fn used(uses: u64) -> Usage {
    Usage { uses, ..Usage::none(SPACE, id(1)) }
}

#[test]
fn only_what_is_old_unimportant_and_unused_is_put_away_by_itself() {
    let dull = Memory { importance: 0.29, ..fact(1, "the old logo was blue", Authority::Observed) };
    let archived = |memory: &Memory, uses, age| {
        should_archive(memory, &used(uses), age, &LifecyclePolicy::default())
    };
    assert!(archived(&dull, 2, 90.1), "all conditions hold");

    assert!(!archived(&dull, 2, 90.0), "not old enough");
    assert!(!archived(&dull, 3, 90.1), "used too often");
    for (kept, why) in [
        (Memory { importance: 0.3, ..dull.clone() }, "important enough"),
        (Memory { authority: Authority::UserCorrected, ..dull.clone() }, "corrected by the user"),
        (Memory { pinned: true, ..dull.clone() }, "pinned"),
    ] {
        assert!(!archived(&kept, 2, 90.1), "{why}");
    }
    for state in State::ALL {
        let memory = Memory { state: *state, ..dull.clone() };
        assert_eq!(archived(&memory, 2, 90.1), state.is_active(), "{state}");
    }
    for kind in Kind::ALL {
        let kept = matches!(
            kind,
            Kind::Commitment
                | Kind::Preference
                | Kind::Decision
                | Kind::Principle
                | Kind::Correction
        );
        let memory = Memory { kind: *kind, ..dull.clone() };
        assert_eq!(archived(&memory, 2, 90.1), !kept, "{kind}");
    }
}

#[test]
fn a_guess_runs_out_after_thirty_days_unless_somebody_backs_it() {
    let guess = Memory { confidence: 0.39, ..fact(1, "they may move to Go", Authority::Inferred) };
    let expired = |memory: &Memory, age, sources| {
        should_expire(memory, &used(0), &standing(age, sources), None, &LifecyclePolicy::default())
    };
    assert!(expired(&guess, 30.1, 1), "all conditions hold");

    assert!(!expired(&guess, 30.0, 1), "not yet");
    assert!(!expired(&guess, 30.1, 2), "two sources");
    for (kept, why) in [
        (Memory { state: State::Confirmed, ..guess.clone() }, "confirmed"),
        (Memory { confidence: 0.4, ..guess.clone() }, "no guess"),
        (Memory { pinned: true, ..guess.clone() }, "pinned"),
        (Memory { state: State::Archived, ..guess }, "already put away"),
    ] {
        assert!(!expired(&kept, 30.1, 1), "{why}");
    }
}

#[test]
fn a_commitment_runs_out_ninety_days_after_it_was_settled() {
    let promise =
        Memory { kind: Kind::Commitment, ..fact(1, "send the report", Authority::UserStated) };
    let expired = |memory: &Memory, settled| {
        should_expire(memory, &used(0), &standing(900.0, 1), settled, &LifecyclePolicy::default())
    };
    assert!(expired(&promise, Some(90.1)));
    assert!(!expired(&promise, Some(90.0)), "not yet");
    assert!(!expired(&promise, None), "an open promise never runs out");
    let pinned = Memory { pinned: true, ..promise.clone() };
    assert!(!expired(&pinned, Some(90.1)), "pinned");
    let fact = Memory { kind: Kind::Fact, ..promise };
    assert!(!expired(&fact, Some(90.1)), "only commitments are settled");
}

proptest! {
    #[test]
    fn the_worth_of_keeping_close_stays_between_nothing_and_one(
        memory in any_memory(), raw in 0.0..3.0_f64, contested in any::<bool>(),
    ) {
        let salience = Salience { raw, value: raw.min(1.0) };
        let found = tier_value(&memory, &LifecycleFacts { salience, contested, ..standing(1.0, 1) }, &LifecyclePolicy::default());
        prop_assert!((0.0..=1.0).contains(&found), "{found}");
    }

    #[test]
    fn a_memory_settles_in_one_tier_instead_of_swinging(
        value in 0.0..=1.0_f64, age in 0.0..100.0_f64, current in prop::sample::select(Tier::ALL),
    ) {
        let policy = LifecyclePolicy::default();
        let settled = next_tier(current, value, age, &policy);
        prop_assert_eq!(next_tier(settled, value, age, &policy), settled);
        if 0.35 < value && value < 0.70 {
            prop_assert_eq!(settled, current, "between the thresholds nothing moves");
        }
    }
}

#[test]
fn confirmation_brings_a_memory_closer_and_contest_pushes_it_away() {
    let policy = LifecyclePolicy::default();
    let staged = fact(1, "x", Authority::Observed);
    let confirmed = Memory { state: State::Confirmed, ..staged.clone() };
    let corrected = Memory { kind: Kind::Correction, ..staged.clone() };
    let calm = standing(1.0, 1);
    let contested = LifecycleFacts { contested: true, ..calm };
    for (memory, standing, expected) in [
        (&staged, &calm, 0.6),
        (&confirmed, &calm, 0.7),
        (&corrected, &calm, 0.7),
        (&staged, &contested, 0.45),
        (&confirmed, &contested, 0.55),
    ] {
        let found = tier_value(memory, standing, &policy);
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
}

#[test]
fn tiers_change_only_at_their_thresholds_and_not_in_the_first_two_weeks() {
    use Tier::{Cold, Hot};
    for (current, value, age, expected) in [
        (Hot, 0.35, 14.0, Cold),
        (Hot, 0.351, 14.0, Hot),
        (Hot, 0.0, 13.9, Hot),
        (Cold, 0.70, 0.0, Hot),
        (Cold, 0.699, 99.0, Cold),
        (Cold, 0.0, 99.0, Cold),
        (Hot, 1.0, 99.0, Hot),
    ] {
        let found = next_tier(current, value, age, &LifecyclePolicy::default());
        assert_eq!(found, expected, "{current} at {value} after {age} days");
    }
}

#[test]
fn graduation_needs_sessions_salience_and_connections_all_three() {
    let seen_in = |sessions: &[&str]| Usage {
        sessions: sessions.iter().map(|name| session(name)).collect(),
        ..used(9)
    };
    let ready = standing(30.0, 2);
    let may = |usage: &Usage, standing: &LifecycleFacts| {
        may_graduate(usage, standing, &LifecyclePolicy::default())
    };
    let three = seen_in(&["a", "b", "c"]);
    assert!(may(&three, &ready));

    assert!(!may(&seen_in(&["a", "b"]), &ready), "too few sessions");
    assert!(!may(&three, &LifecycleFacts { edges: 1, ..ready }), "too few connections");
    let faint = Salience { raw: 0.59, value: 0.59 };
    assert!(!may(&three, &LifecycleFacts { salience: faint, ..ready }), "not salient enough");
}

#[test]
fn an_anchor_is_reviewed_after_six_dormant_weeks() {
    for (raw, weeks, expected) in [(0.19, 6.0, true), (0.2, 6.0, false), (0.19, 5.9, false)] {
        let found = should_review_anchor(raw, weeks, &LifecyclePolicy::default());
        assert_eq!(found, expected, "{raw} for {weeks} weeks");
    }
}

proptest! {
    #[test]
    fn what_is_protected_stays_in_view_however_long_nobody_needs_it(
        memory in any_memory(), uses in 0_u64..9, age in 0.0..9_000.0_f64, raw in 0.0..1.0_f64, cold in any::<bool>(),
    ) {
        let policy = LifecyclePolicy::default();
        let memory = Memory { cold, ..memory };
        let facts = LifecycleFacts {
            salience: Salience { raw, value: raw }, ..standing(age, 1)
        };
        let found = next_move(&memory, &used(uses), &facts, None, &policy);
        if is_protected(&memory, &used(uses), &policy) {
            let back = (cold && memory.state.is_active()).then_some(LifecycleMove::Change(Tier::Hot));
            prop_assert_eq!(found, back);
        }
        if !memory.state.is_active() {
            prop_assert_eq!(found, None, "what is out of view is left alone");
        }
    }

    #[test]
    fn asking_again_after_a_move_moves_nothing_more(
        memory in any_memory(), uses in 0_u64..9, age in 0.0..900.0_f64, raw in 0.0..1.0_f64, cold in any::<bool>(),
    ) {
        let policy = LifecyclePolicy::default();
        let memory = Memory { cold, ..memory };
        let facts = LifecycleFacts { salience: Salience { raw, value: raw }, ..standing(age, 1) };
        let next = match next_move(&memory, &used(uses), &facts, None, &policy) {
            Some(LifecycleMove::Expire) => Memory { state: State::Expired, ..memory },
            Some(LifecycleMove::Archive) => Memory { state: State::Archived, ..memory },
            Some(LifecycleMove::Change(tier)) => Memory { cold: tier == Tier::Cold, ..memory },
            None => memory,
        };
        prop_assert_eq!(next_move(&next, &used(uses), &facts, None, &policy), None);
    }

    #[test]
    fn what_was_used_in_several_sessions_fades_later_and_never_sooner(
        idle in 0.0..3_000.0_f64, more in 0.0..500.0_f64, sessions in 0_usize..6,
    ) {
        let policy = SaliencePolicy::default();
        let names = ["a", "b", "c", "d", "e", "f"];
        let usage = Usage {
            sessions: names[..sessions].iter().map(|name| session(name)).collect(), ..used(9)
        };
        let felt = felt_idle_days(idle, &usage, &policy);
        prop_assert!(felt <= idle);
        prop_assert!(felt <= felt_idle_days(idle + more, &usage, &policy));
        if sessions < 3 || idle <= 7.0 {
            prop_assert_eq!(felt.to_bits(), idle.to_bits());
        } else {
            prop_assert!((felt - (7.0 + (idle - 7.0) / 4.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn how_long_a_memory_has_been_dormant_is_what_the_formula_says(
        idle in 7.0..2_000.0_f64, uses in 0_u64..9,
    ) {
        let policy = LifecyclePolicy::default();
        let memory = fact(1, "x", Authority::File);
        let raw = |days| salience(&memory, &used(uses), days, &SaliencePolicy::default()).raw;
        let days = dormant_days(&memory, raw(idle), idle, &policy);
        prop_assert!((0.0..=idle).contains(&days));
        if days > 0.0 && days < idle - 7.0 {
            let then = raw(idle - days);
            prop_assert!((then - policy.dormant_below).abs() < 1e-9, "{then} when it began");
        } else if days <= 0.0 {
            prop_assert!(raw(idle) >= policy.dormant_below);
        }
    }
}

#[test]
fn a_guess_that_was_used_often_does_not_run_out() {
    let guess = Memory { confidence: 0.39, ..fact(1, "they may move to Go", Authority::Inferred) };
    let moved = |uses| {
        next_move(&guess, &used(uses), &standing(30.1, 1), None, &LifecyclePolicy::default())
    };
    assert_eq!(moved(4), Some(LifecycleMove::Expire));
    assert_eq!(moved(5), None, "five uses protect it");
}
