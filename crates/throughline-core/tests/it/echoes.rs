//! Our own words coming back at us: kept as a trace, and nothing more.

use proptest::prelude::*;
use throughline_core::reconcile::Candidate;
use throughline_core::{Authority, Memory, State};

use crate::arbitrary;
use crate::world::{Tables, echoed, fact, home, id, put_away};

/// Ana lives in SF, as words alone.
fn in_words(state: State, authority: Authority) -> Memory {
    Memory { state, ..fact(1, "Ana lives in SF", authority) }
}

proptest! {
    #[test]
    fn an_echo_gives_a_memory_neither_rank_nor_form_nor_standing(
        held in arbitrary::authority(), state in arbitrary::state(), said in arbitrary::authority(),
        on in 0..20_u32,
    ) {
        let mut tables = Tables::holding([in_words(state, held)]);
        let before = tables.memories();
        let echo = tables.remember(&echoed(home(2, "SF", said, on)));
        prop_assert_eq!(echo.is_ok(), !matches!(state, State::Retracted | State::Superseded));
        prop_assert_eq!(tables.memories(), before);
    }
}

#[test]
fn no_number_of_echoes_confirms_what_the_same_voices_in_earnest_would() {
    for (echo, expected) in [(true, State::Staged), (false, State::Confirmed)] {
        let mut tables = Tables::default();
        tables.remember(&home(1, "SF", Authority::Observed, 1)).unwrap();
        for (number, authority) in (2..).zip(Authority::ALL) {
            let mut said = home(number, "SF", *authority, 2);
            said.testimony.echo = echo;
            assert_eq!(tables.remember(&said).unwrap().memory, id(1), "{authority}");
        }
        assert_eq!(tables.state(1), expected, "echo {echo}");
    }
}

#[test]
fn an_echo_does_not_promote_a_draft_and_a_real_voice_does() {
    for authority in Authority::ALL {
        let mut tables = Tables::holding([in_words(State::Draft, Authority::Inferred)]);
        tables.remember(&echoed(home(2, "SF", *authority, 2))).unwrap();
        assert_eq!(tables.state(1), State::Draft, "{authority}");
        tables.remember(&home(3, "SF", *authority, 3)).unwrap();
        assert!(tables.state(1).is_active(), "{authority}");
    }
}

#[test]
fn an_echo_does_not_confirm_what_came_back_on_probation() {
    for authority in Authority::ALL {
        for (state, back_by) in
            [(State::Expired, Authority::File), (State::Archived, Authority::UserStated)]
        {
            let mut tables = Tables::default();
            tables.remember(&home(1, "SF", Authority::File, 1)).unwrap();
            tables.apply(&put_away(1, state, 2)).unwrap();
            tables.remember(&home(2, "NYC", Authority::UserCorrected, 3)).unwrap();
            tables.remember(&home(3, "SF", back_by, 4)).unwrap();
            assert_eq!(tables.state(1), State::Staged, "{state}: outranked, so on probation");

            let before = tables.memories();
            let echo = Candidate { id: id(9), ..echoed(home(4, "SF", *authority, 5)) };
            let plan = tables.remember(&echo).unwrap();
            assert_eq!((plan.memory, plan.superseded), (id(1), vec![]), "{authority}, {state}");
            assert_eq!(tables.memories(), before, "{authority}, {state}");
        }
    }
}

#[test]
fn an_echo_of_a_contested_value_settles_nothing() {
    for authority in Authority::ALL {
        let mut tables = Tables::default();
        tables.remember(&home(1, "NYC", Authority::File, 1)).unwrap();
        tables.remember(&home(2, "SF", Authority::File, 2)).unwrap();
        let before = tables.memories();
        let plan = tables.remember(&echoed(home(3, "SF", *authority, 3))).unwrap();
        assert_eq!((plan.superseded, plan.contested), (vec![], vec![]), "{authority}");
        assert_eq!(tables.memories(), before, "{authority}");
    }
}
