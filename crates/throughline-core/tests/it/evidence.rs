//! Bodies of evidence: joined in any order, counted once for each voice.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::evidence::{independent, merge};
use throughline_core::{Authority, Evidence};

use crate::arbitrary;
use crate::world::{SPACE, id, says};

fn ranks(counted: &[&Evidence]) -> Vec<Authority> {
    counted.iter().map(|one| one.authority).collect()
}

/// Whether these may all count: no echo, no session twice, no kind of source twice but a person.
fn may_count_together(picked: &[&Evidence]) -> bool {
    let mut sessions = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    picked.iter().all(|one| {
        let new_kind = one.authority.is_user() || kinds.insert(one.authority);
        !one.echo && sessions.insert(&one.session) && new_kind
    })
}

/// Whether `left` has at every place a source as strong as the one of `right`.
fn is_as_strong(left: &[Authority], right: &[Authority]) -> bool {
    let weaker = |(left, right): (&Authority, &Authority)| right.outranks(*left);
    left.len() >= right.len() && !left.iter().zip(right).any(weaker)
}

proptest! {
    #[test]
    fn it_makes_no_difference_who_is_merged_into_whom(
        a in arbitrary::evidence(), b in arbitrary::evidence(),
    ) {
        prop_assert_eq!(merge(&a, &b), merge(&b, &a));
    }

    #[test]
    fn it_makes_no_difference_which_merge_comes_first(
        a in arbitrary::evidence(), b in arbitrary::evidence(), c in arbitrary::evidence(),
    ) {
        prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
    }

    #[test]
    fn merging_twice_is_merging_once_and_loses_nothing(
        a in arbitrary::evidence(), b in arbitrary::evidence(),
    ) {
        let both = merge(&a, &b);
        prop_assert_eq!(&merge(&both, &b), &both);
        prop_assert_eq!(&merge(&both, &both), &both);
        prop_assert!(a.iter().chain(&b).all(|one| both.contains(one)));
    }

    #[test]
    fn no_other_choice_of_sources_would_be_stronger(evidence in arbitrary::evidence()) {
        let counted = independent(&evidence);
        prop_assert!(may_count_together(&counted), "{:?}", counted);
        for choice in 0..1_u32 << evidence.len() {
            let chosen = evidence.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
            let mut picked: Vec<_> = chosen.map(|(_, one)| one).collect();
            if may_count_together(&picked) {
                picked.sort_by_key(|one| one.authority);
                prop_assert!(is_as_strong(&ranks(&counted), &ranks(&picked)), "{:?}", picked);
            }
        }
    }

    #[test]
    fn neither_time_nor_order_decides_which_sources_count(
        (evidence, shuffled) in arbitrary::evidence()
            .prop_flat_map(|evidence| (Just(evidence.clone()), Just(evidence).prop_shuffle())),
        days in vec(-500.0..500.0_f64, 8),
    ) {
        let expected = ranks(&independent(&evidence));
        prop_assert_eq!(&ranks(&independent(&shuffled)), &expected);
        let mut redated = shuffled;
        for (at, one) in redated.iter_mut().enumerate() {
            one.at = one.at.plus_days(days[at]);
            one.id = throughline_core::EvidenceId(format!("{}", days[at]));
        }
        prop_assert_eq!(&ranks(&independent(&redated)), &expected);
    }

    #[test]
    fn counted_voices_are_no_echoes_and_share_no_session(evidence in arbitrary::evidence()) {
        let counted = independent(&evidence);
        for (at, one) in counted.iter().enumerate() {
            prop_assert!(!one.echo);
            for other in &counted[..at] {
                prop_assert_ne!(&one.session, &other.session);
                prop_assert!(!one.authority.outranks(other.authority), "strongest first");
            }
        }
        let heard = evidence.iter().any(|one| !one.echo);
        prop_assert_eq!(counted.is_empty(), !heard, "the strongest voice always counts");
    }
}

#[test]
fn a_program_repeating_itself_in_new_sessions_is_one_voice_but_a_person_is_not() {
    let twice = |authority| -> Vec<Evidence> {
        ["monday", "tuesday"]
            .map(|session| says(authority, session, 0).about(SPACE, id(1)))
            .to_vec()
    };
    for authority in Authority::ALL {
        let expected = if authority.is_user() { 2 } else { 1 };
        let counted = independent(&twice(*authority)).len();
        assert_eq!(counted, expected, "{authority}");
    }
}

#[test]
fn evidence_is_named_by_what_it_says() {
    let said = says(Authority::Observed, "a", 1);
    let same = said.about(SPACE, id(1));
    assert_eq!(same.id, said.about(SPACE, id(1)).id);
    for other in [
        said.about(SPACE, id(2)),
        says(Authority::File, "a", 1).about(SPACE, id(1)),
        says(Authority::Observed, "b", 1).about(SPACE, id(1)),
        says(Authority::Observed, "a", 2).about(SPACE, id(1)),
    ] {
        assert_ne!(same.id, other.id, "{other:?}");
    }
}

#[test]
fn a_source_makes_room_for_another_that_has_no_other_session() {
    let heard = |sources: &[(Authority, &str)]| -> Vec<Evidence> {
        let said = sources.iter();
        said.map(|(authority, session)| says(*authority, session, 0).about(SPACE, id(1))).collect()
    };
    let both = heard(&[(Authority::File, "a"), (Authority::File, "b"), (Authority::Observed, "a")]);
    let expected = [Authority::File, Authority::Observed];
    assert_eq!(ranks(&independent(&both)), expected);
    let one_room = heard(&[(Authority::File, "a"), (Authority::Observed, "a")]);
    assert_eq!(ranks(&independent(&one_room)), [Authority::File]);
}
