//! How retrievable: use and importance raise it, disuse lowers it, truth has no say.

use proptest::prelude::*;
use throughline_core::policy::SaliencePolicy;
use throughline_core::salience::{Salience, half_life_days, idle_days, salience};
use throughline_core::{Authority, Kind, Memory, Usage};

use crate::arbitrary;
use crate::world::{SPACE, day, fact, id};

fn after(memory: &Memory, usage: &Usage, idle: f64) -> Salience {
    salience(memory, usage, idle, &SaliencePolicy::default())
}

proptest! {
    #[test]
    fn salience_stays_between_nothing_and_one(
        memory in arbitrary::memory(), usage in arbitrary::usage(), idle in 0.0..20_000.0_f64,
    ) {
        let found = after(&memory, &usage, idle);
        prop_assert!((0.0..=1.0).contains(&found.value), "{found:?}");
        prop_assert!(found.raw >= 0.0);
    }

    #[test]
    fn waiting_longer_never_makes_more_salient(
        memory in arbitrary::memory(), usage in arbitrary::usage(),
        idle in 0.0..5_000.0_f64, more in 0.0..5_000.0_f64,
    ) {
        let (sooner, later) = (after(&memory, &usage, idle), after(&memory, &usage, idle + more));
        prop_assert!(later.raw <= sooner.raw);
        prop_assert!(later.value <= sooner.value);
    }

    #[test]
    fn looking_a_second_time_changes_nothing(
        memory in arbitrary::memory(), usage in arbitrary::usage(), idle in 0.0..5_000.0_f64,
    ) {
        let (once, twice) = (after(&memory, &usage, idle), after(&memory, &usage, idle));
        prop_assert_eq!(once.raw.to_bits(), twice.raw.to_bits());
        prop_assert_eq!(once.value.to_bits(), twice.value.to_bits());
    }

    #[test]
    fn the_first_seven_active_days_cost_nothing(
        memory in arbitrary::memory(), usage in arbitrary::usage(), idle in 0.0..=7.0_f64,
    ) {
        let fresh = after(&memory, &usage, 0.0);
        prop_assert_eq!(after(&memory, &usage, idle).raw.to_bits(), fresh.raw.to_bits());
        let eighth = after(&memory, &usage, 8.0).raw;
        prop_assert!(eighth < fresh.raw || fresh.raw <= 0.0, "the eighth day does");
    }

    #[test]
    fn after_the_grace_every_half_life_halves(
        memory in arbitrary::memory(), usage in arbitrary::usage(), times in 0..6_i32,
    ) {
        let half_life = half_life_days(memory.kind, memory.authority);
        let fresh = after(&memory, &usage, 0.0).raw;
        let faded = after(&memory, &usage, 7.0 + f64::from(times) * half_life).raw;
        prop_assert!((faded - fresh * 0.5_f64.powi(times)).abs() < 1e-12, "{fresh} {faded}");
    }

    #[test]
    fn using_a_memory_never_makes_it_less_salient_and_at_most_doubles_it(
        memory in arbitrary::memory(), usage in arbitrary::usage(), idle in 0.0..500.0_f64,
    ) {
        let unused = Usage { uses: 0, ..usage.clone() };
        let more = Usage { uses: usage.uses + 1, ..usage.clone() };
        let (least, some) = (after(&memory, &unused, idle).raw, after(&memory, &usage, idle).raw);
        prop_assert!(after(&memory, &more, idle).raw >= some);
        prop_assert!(least <= some && some <= 2.0 * least + 1e-12);
    }

    #[test]
    fn what_is_pinned_or_a_principle_never_fades_from_view(
        mut memory in arbitrary::memory(), usage in arbitrary::usage(), idle in 0.0..20_000.0_f64,
        pinned in any::<bool>(),
    ) {
        memory.pinned = pinned;
        if !pinned {
            memory.kind = Kind::Principle;
        }
        prop_assert_eq!(after(&memory, &usage, idle).value.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn idle_days_are_only_those_somebody_worked_on(
        worked in prop::collection::btree_set(0_u32..400, 0..60), since in 0_u32..400, now in 0_u32..400,
    ) {
        let active: Vec<i64> = worked.iter().map(|number| day(*number).day()).collect();
        let expected = worked.iter().filter(|number| since < **number && **number <= now).count();
        let found = idle_days(&active, day(since), day(now));
        prop_assert!((found - f64::from(u32::try_from(expected).unwrap())).abs() < 1e-12);
    }
}

#[test]
fn half_lives_are_as_long_as_their_kind_deserves() {
    for (kind, days) in [
        (Kind::Correction, 365.0),
        (Kind::Negative, 365.0),
        (Kind::Principle, 365.0),
        (Kind::Preference, 90.0),
        (Kind::Decision, 90.0),
        (Kind::Procedure, 60.0),
        (Kind::Fact, 30.0),
        (Kind::Event, 30.0),
    ] {
        let found = half_life_days(kind, Authority::Observed);
        assert!((found - days).abs() < 1e-12, "{kind}: {found}");
        let guessed = half_life_days(kind, Authority::Inferred);
        assert!((guessed - 7.0).abs() < 1e-12, "a guessed {kind}: {guessed}");
    }
}

#[test]
fn what_a_file_says_stays_within_reach_but_its_raw_value_fades() {
    let none = Usage::none(SPACE, id(1));
    let anchored = after(&fact(1, "x", Authority::File), &none, 5_000.0);
    assert!((anchored.value - 0.2).abs() < 1e-12, "{anchored:?}");
    assert!(anchored.raw < 1e-9, "the flags still see it fade");
    let ordinary = after(&fact(1, "x", Authority::Observed), &none, 5_000.0);
    assert!(ordinary.value < 1e-9, "{ordinary:?}");
}

#[test]
fn what_helped_is_more_salient_than_what_did_not() {
    let memory = fact(1, "x", Authority::Observed);
    let none = Usage::none(SPACE, id(1));
    let helpful = Usage { helpful: 3, ..none.clone() };
    let unhelpful = Usage { unhelpful: 3, ..none.clone() };
    let raw = |usage| after(&memory, usage, 0.0).raw;
    assert!(raw(&unhelpful) < raw(&none) && raw(&none) < raw(&helpful));
}

#[test]
fn a_quiet_project_does_not_rot_and_a_clock_set_back_counts_as_no_time() {
    let active = [day(1).day(), day(2).day(), day(900).day()];
    for (since, now, expected) in
        [(2, 899, 0.0), (2, 900, 1.0), (1, 900, 2.0), (1, 1, 0.0), (900, 1, 0.0)]
    {
        let found = idle_days(&active, day(since), day(now));
        assert!((found - expected).abs() < 1e-12, "{since} to {now}: {found}");
    }
}
