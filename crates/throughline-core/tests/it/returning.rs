//! What was put away, said again: who brings it back, and what was only old news.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::reconcile::Candidate;
use throughline_core::{Authority, Change, Relation, RowKey, State};

use crate::arbitrary;
use crate::world::{
    SPACE, Tables, candidate, day, echoed, fact, home, id, put_away, retired, says,
};

const CLAIM: &str = "Staging runs Postgres 16.";

fn claim(number: u128, authority: Authority, on: u32) -> Candidate {
    candidate(number, CLAIM, says(authority, &format!("session {number}"), on))
}

#[test]
fn reading_an_old_transcript_again_brings_nothing_back_and_saying_it_anew_does() {
    for state in [State::Retracted, State::Expired, State::Archived] {
        let mut tables = Tables::default();
        tables.remember(&claim(1, Authority::UserStated, 1)).unwrap();
        tables.apply(&put_away(1, state, 5)).unwrap();
        let before = tables.memory(1);

        let reread = tables.remember(&claim(2, Authority::UserStated, 4));
        if state == State::Retracted {
            assert_eq!(reread, Err(retired(id(1), state)));
        } else {
            assert!(reread.unwrap().deduped, "{state}: one more reason, no return");
        }
        assert_eq!(tables.memory(1), before, "{state}");

        tables.remember(&claim(3, Authority::UserStated, 6)).unwrap();
        let memory = tables.memory(1);
        assert_eq!(
            (memory.state, memory.since, memory.previous),
            (State::Confirmed, None, None),
            "{state}"
        );
    }
}

#[test]
fn what_ran_out_is_not_revived_by_what_an_agent_saw_before() {
    for (on, expected) in [(4, State::Expired), (5, State::Staged), (6, State::Staged)] {
        let mut tables = Tables::holding([fact(1, CLAIM, Authority::Inferred)]);
        tables.apply(&put_away(1, State::Expired, 5)).unwrap();
        let plan = tables.remember(&claim(2, Authority::File, on)).unwrap();
        assert_eq!((plan.memory, plan.deduped), (id(1), true), "on day {on}");
        assert_eq!(tables.state(1), expected, "on day {on}");
    }
}

#[test]
fn a_replaced_value_read_again_in_an_old_transcript_stays_replaced() {
    let mut tables = Tables::default();
    for one in [home(1, "NYC", Authority::UserStated, 1), home(2, "SF", Authority::UserStated, 5)] {
        tables.remember(&one).unwrap();
    }
    let before = tables.clone();
    for authority in Authority::ALL {
        let reread = tables.remember(&home(3, "NYC", *authority, 4));
        assert_eq!(reread, Err(retired(id(1), State::Superseded)), "{authority}");
        assert_eq!(tables, before, "{authority}");
    }
    let moved_back = home(3, "NYC", Authority::UserStated, 6);
    assert_eq!(tables.remember(&moved_back).unwrap().superseded, [id(2)]);
    assert_eq!(tables.state(3), State::Confirmed);
}

#[test]
fn going_back_settles_the_matter_whoever_said_the_latest_value() {
    for latest in Authority::ALL {
        let mut tables = Tables::default();
        tables.remember(&home(1, "NYC", Authority::External, 1)).unwrap();
        tables.remember(&home(2, "SF", *latest, 2)).unwrap();
        if tables.state(1).is_active() {
            let by_hand = Change::Supersede { space: SPACE, old: id(1), new: id(2), at: day(2) };
            tables.apply(&by_hand).unwrap();
        }
        let plan = tables.remember(&home(3, "NYC", Authority::UserStated, 3)).unwrap();
        assert_eq!((plan.superseded, plan.contested), (vec![id(2)], vec![]), "{latest}");
        assert_eq!(tables.state(2), State::Superseded, "{latest}");
        assert_eq!(tables.state(3), State::Confirmed, "{latest}");
    }
}

#[test]
fn an_echo_of_a_value_replaces_nothing_and_stays_on_probation() {
    for authority in Authority::ALL {
        let mut tables = Tables::default();
        tables.remember(&echoed(claim(9, *authority, 1))).unwrap();
        assert_eq!(tables.state(9), State::Staged, "{authority}, new to us");
        tables.remember(&home(1, "NYC", Authority::External, 1)).unwrap();
        let plan = tables.remember(&echoed(home(2, "SF", *authority, 2))).unwrap();
        assert_eq!((plan.superseded, plan.contested), (vec![], vec![id(1)]), "{authority}");
        assert_eq!([1, 2].map(|number| tables.state(number)), [State::Staged; 2], "{authority}");
    }
}

#[test]
fn an_echo_brings_nothing_back() {
    for authority in Authority::ALL {
        for state in [State::Retracted, State::Expired, State::Archived] {
            let mut tables = Tables::holding([fact(1, CLAIM, Authority::UserStated)]);
            tables.apply(&put_away(1, state, 5)).unwrap();
            drop(tables.remember(&echoed(claim(2, *authority, 9))));
            assert_eq!(tables.state(1), state, "{authority}");
            assert_eq!(tables.memories().len(), 1, "{authority}");
        }
        let mut tables = Tables::default();
        for one in
            [home(1, "NYC", Authority::UserStated, 1), home(2, "SF", Authority::UserStated, 2)]
        {
            tables.remember(&one).unwrap();
        }
        let echo = tables.remember(&echoed(home(3, "NYC", *authority, 9)));
        assert_eq!(echo, Err(retired(id(1), State::Superseded)), "{authority}");
    }
}

#[test]
fn a_claim_known_in_words_takes_part_in_conflicts_once_its_slot_is_known() {
    let contradicts = RowKey::edge(SPACE, id(1).into(), Relation::Contradicts, id(2).into());
    for (held, authority, replaced) in [
        (Authority::UserStated, Authority::UserStated, true),
        (Authority::File, Authority::Measured, true),
        (Authority::UserStated, Authority::File, false),
    ] {
        let mut tables = Tables::default();
        let plain = Candidate { slot: None, ..home(1, "SF", Authority::Observed, 1) };
        tables.remember(&plain).unwrap();
        tables.remember(&home(2, "NYC", held, 2)).unwrap();
        assert!(tables.state(2).is_active(), "words alone conflict with nothing");

        let plan = tables.remember(&home(3, "SF", authority, 3)).unwrap();
        assert_eq!((plan.memory, plan.deduped), (id(1), true));
        let slot = tables.memory(1).slot.map(|slot| slot.object);
        assert_eq!(slot.as_deref(), Some("SF"), "{authority} over {held}");
        assert_eq!(tables.memory(1).authority, authority, "the best source so far");
        let expected = if replaced { vec![id(2)] } else { vec![] };
        assert_eq!(plan.superseded, expected, "{authority} over {held}");
        assert_eq!(tables.state(2) == State::Superseded, replaced, "{authority} over {held}");
        assert_eq!(tables.0.contains_key(&contradicts), !replaced, "{authority} over {held}");
    }
}

fn any_home() -> impl Strategy<Value = Candidate> {
    let place = prop::sample::select(vec!["NYC", "SF", "Rome"]);
    (place, arbitrary::testimony()).prop_map(|(place, testimony)| Candidate {
        testimony,
        ..home(0, place, Authority::External, 0)
    })
}

proptest! {
    #[test]
    fn what_a_claim_replaces_it_does_not_also_contradict(said in vec(any_home(), 1..15)) {
        let mut tables = Tables::default();
        for (number, mut one) in (1_u128..).zip(said) {
            one.id = id(number);
            let Ok(plan) = tables.remember(&one) else { continue };
            prop_assert!(plan.superseded.iter().all(|old| !plan.contested.contains(old)), "{:?}", plan);
            if one.testimony.echo {
                prop_assert_eq!(plan.superseded, vec![]);
            }
        }
    }

    #[test]
    fn an_echo_moves_no_memory(said in vec(any_home(), 1..12), again in any_home()) {
        let mut tables = Tables::default();
        for (number, mut one) in (1_u128..).zip(said) {
            one.id = id(number);
            drop(tables.remember(&one));
        }
        let before = tables.states();
        drop(tables.remember(&Candidate { id: id(99), ..echoed(again) }));
        let mut after = tables.states();
        after.retain(|(memory, state)| *memory != id(99) || *state != State::Staged);
        prop_assert_eq!(after, before);
    }

    /// One voice, and each place named once: whoever moves, moves on.
    #[test]
    fn reading_a_conversation_again_changes_nothing(
        authority in arbitrary::authority(), moves in 1..8_u32, again in vec(0..8_usize, 1..12),
    ) {
        let mut tables = Tables::default();
        let mut said = Vec::new();
        for number in 1..=moves {
            let one = home(u128::from(number), &format!("town {number}"), authority, number);
            tables.remember(&one).expect("nothing was put away");
            said.push(one);
        }
        let before = tables.states();
        for (number, at) in (100..).zip(again) {
            let reread = Candidate { id: id(number), ..said[at % said.len()].clone() };
            drop(tables.remember(&reread));
            prop_assert_eq!(tables.states(), before.clone(), "{}", reread.content);
        }
    }
}
