//! Bodies of evidence: joined in any order, counted once for each voice.

use proptest::prelude::*;
use throughline_core::evidence::{independent, merge};
use throughline_core::{Authority, Evidence};

use crate::arbitrary;
use crate::world::{SPACE, id, says};

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
