//! The same transcripts read again, late, or in other words: the past changes nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use throughline_core::reconcile::Candidate;
use throughline_core::{Authority, State};

use crate::arbitrary;
use crate::world::{Tables, candidate, home, id, put_away, retired, reworded, says};

const PLACES: &[&str] = &["NYC", "SF", "Rome"];

/// Where the user said Ana lives, day after day.
fn told(places: &[(&str, u32)]) -> Tables {
    let mut tables = Tables::default();
    for (number, (place, on)) in (1_u128..).zip(places) {
        let said = home(number, place, Authority::UserStated, *on);
        tables.remember(&said).expect("news by a person");
    }
    tables
}

/// One statement a day, each in a session of its own, some of them in other words.
fn statements(
    authority: impl Strategy<Value = Authority>,
) -> impl Strategy<Value = Vec<Candidate>> {
    vec((select(PLACES), authority, any::<bool>()), 1..10).prop_map(|said| {
        let numbered = (1_u32..).zip(said);
        let statement = |(number, (place, authority, other_words))| {
            let said = home(u128::from(number), place, authority, number);
            if other_words { reworded(said) } else { said }
        };
        numbered.map(statement).collect()
    })
}

proptest! {
    #[test]
    fn what_the_user_said_last_holds_however_often_the_past_is_read_again(
        said in statements(Just(Authority::UserStated)), again in vec(any::<Index>(), 1..12),
    ) {
        let mut tables = Tables::default();
        for one in &said {
            tables.remember(one).expect("news by a person");
        }
        let last = said.last().and_then(|one| one.slot.clone()).expect("said with a slot");
        let before = tables.states();
        prop_assert_eq!(tables.current(), [last.object.clone()]);
        for (number, at) in (100..).zip(again) {
            let reread = Candidate { id: id(number), ..at.get(&said).clone() };
            drop(tables.remember(&reread));
            prop_assert_eq!(tables.states(), before.clone(), "{:?}", reread.testimony);
            prop_assert_eq!(tables.current(), [last.object.clone()]);
        }
    }

    /// One rank throughout; `returning` has the law for places named once.
    #[test]
    fn reading_again_what_one_sort_of_source_said_moves_no_memory(
        said in arbitrary::authority().prop_flat_map(|authority| statements(Just(authority))),
        again in vec(any::<Index>(), 1..12),
    ) {
        let mut tables = Tables::default();
        for one in &said {
            drop(tables.remember(one));
        }
        let before = tables.states();
        for (number, at) in (100..).zip(again) {
            let reread = Candidate { id: id(number), ..at.get(&said).clone() };
            drop(tables.remember(&reread));
            prop_assert_eq!(tables.states(), before.clone(), "{:?}", reread.testimony);
        }
    }

    /// One rank throughout, in whatever order the transcripts arrive.
    #[test]
    fn no_value_ends_before_it_was_learnt(
        authority in arbitrary::authority(), said in vec((select(PLACES), 1..40_u32), 1..15),
    ) {
        let mut tables = Tables::default();
        for (number, (place, on)) in (1..).zip(said) {
            drop(tables.remember(&home(number, place, authority, on)));
            for memory in tables.memories() {
                let until = memory.held_until();
                prop_assert!(until.is_none_or(|until| until >= memory.recorded_at), "{:?}", memory);
            }
        }
    }
}

#[test]
fn a_value_that_came_back_once_does_not_come_back_from_the_same_transcript() {
    let mut tables = told(&[("NYC", 1), ("SF", 2), ("NYC", 3), ("Rome", 4)]);
    let before = tables.clone();
    for (place, number, on) in [("NYC", 3, 3), ("SF", 2, 2), ("NYC", 1, 1)] {
        let said = Candidate { id: id(9), ..home(number, place, Authority::UserStated, on) };
        assert!(tables.remember(&said).is_ok_and(|plan| plan.changes.is_empty()), "day {on}");
        assert_eq!(tables, before, "day {on}");
    }
    assert_eq!(tables.current(), ["Rome"]);
}

#[test]
fn a_late_transcript_does_not_replace_what_was_learnt_after_it() {
    let mut tables = told(&[("NYC", 1), ("SF", 2), ("Rome", 30)]);
    let before = tables.clone();
    for authority in Authority::ALL {
        for late in [home(4, "NYC", *authority, 10), reworded(home(4, "NYC", *authority, 10))] {
            let said = tables.remember(&late);
            assert_eq!(said, Err(retired(id(1), State::Superseded)), "{authority}");
            assert_eq!(tables, before, "{authority}");
        }
    }
}

#[test]
fn a_replaced_value_does_not_come_back_in_other_words_unless_a_person_says_it_later() {
    for authority in Authority::ALL {
        let mut tables = told(&[("NYC", 1), ("SF", 5)]);
        let before = tables.clone();
        for on in [3, 4] {
            let old = tables.remember(&reworded(home(3, "NYC", *authority, on)));
            assert_eq!(old, Err(retired(id(1), State::Superseded)), "{authority}, day {on}");
        }
        assert_eq!(tables, before, "{authority}");

        let later = tables.remember(&reworded(home(3, "NYC", *authority, 6)));
        if authority.is_user() {
            let plan = later.unwrap();
            assert_eq!((plan.memory, plan.superseded), (id(3), vec![id(2)]), "{authority}");
            assert_eq!(tables.current(), ["NYC"], "{authority}");
        } else {
            assert_eq!(later, Err(retired(id(1), State::Superseded)), "{authority}");
            assert_eq!(tables, before, "{authority}");
        }
    }
}

#[test]
fn the_very_same_words_read_again_change_nothing_whatever_became_of_the_claim() {
    use State::{Archived, Expired, Retracted};
    for authority in Authority::ALL {
        for became in [None, Some(Archived), Some(Expired), Some(Retracted)] {
            for first in ["staging runs Postgres 16", "Staging: Postgres 16"] {
                let mut tables = Tables::default();
                let opening = says(Authority::External, "monday", 1);
                tables.remember(&candidate(1, "staging runs Postgres 16", opening)).unwrap();
                let said = Candidate {
                    tags: vec!["ops".to_owned()],
                    ..candidate(2, first, says(*authority, "tuesday", 2))
                };
                let held = tables.remember(&said).unwrap().memory;
                if let Some(state) = became {
                    tables.apply(&put_away(held.0.as_u128(), state, 2)).unwrap();
                }
                let before = tables.clone();
                let plan = tables.remember(&Candidate { id: id(3), ..said }).unwrap();
                assert_eq!((plan.memory, plan.deduped), (held, true), "{authority}, {became:?}");
                assert_eq!(plan.changes, [], "{authority}, {became:?}");
                assert_eq!(tables, before, "{authority}, {became:?}");
            }
        }
    }
}
