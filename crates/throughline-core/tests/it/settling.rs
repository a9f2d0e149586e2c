//! An open conflict, and the word that settles it.

use throughline_core::reconcile::Candidate;
use throughline_core::sleep::{self, ValueChoice};
use throughline_core::{Authority, Memory, State};

use crate::world::{Tables, day, fact, home, id};

#[test]
fn two_agents_against_the_user_stay_on_probation_until_the_user_agrees() {
    let mut tables = Tables::default();
    tables.remember(&home(1, "NYC", Authority::UserCorrected, 1)).unwrap();
    tables.remember(&home(2, "SF", Authority::File, 2)).unwrap();
    let plan = tables.remember(&home(3, "SF", Authority::Observed, 3)).unwrap();
    assert_eq!((plan.memory, plan.contested), (id(2), vec![id(1)]));
    assert_eq!([1, 2].map(|number| tables.state(number)), [State::Confirmed, State::Staged]);

    let plan = tables.remember(&home(4, "SF", Authority::UserCorrected, 4)).unwrap();
    assert_eq!((plan.memory, plan.superseded), (id(2), vec![id(1)]));
    assert_eq!([1, 2].map(|number| tables.state(number)), [State::Superseded, State::Confirmed]);
    assert_eq!(tables.memory(1).superseded_by, Some(id(2)));
    assert_eq!(tables.current(), ["SF"]);
}

#[test]
fn a_contested_value_said_again_wins_only_with_enough_authority() {
    for again in Authority::ALL {
        let mut tables = Tables::default();
        tables.remember(&home(1, "NYC", Authority::File, 1)).unwrap();
        tables.remember(&home(2, "SF", Authority::File, 2)).unwrap();
        let plan = tables.remember(&home(3, "SF", *again, 3)).unwrap();

        let settles = again.outranks(Authority::File);
        let (won, open) = if settles { (vec![id(1)], vec![]) } else { (vec![], vec![id(1)]) };
        assert_eq!((plan.superseded, plan.contested), (won, open), "{again}");
        assert_eq!(tables.state(1) == State::Superseded, settles, "{again}");
        assert!(tables.state(2).is_active(), "{again}");
    }
}

#[test]
fn a_claim_that_takes_on_a_slot_keeps_the_weight_of_whoever_said_it_first() {
    for own in Authority::ALL {
        for speaker in Authority::ALL {
            let mut tables = Tables::default();
            tables.remember(&Candidate { slot: None, ..home(1, "SF", *own, 1) }).unwrap();
            tables.remember(&home(2, "NYC", Authority::File, 1)).unwrap();
            let plan = tables.remember(&home(3, "SF", *speaker, 2)).unwrap();

            let wins = own.stronger(*speaker).outranks(Authority::File);
            let expected = if wins { vec![id(1)] } else { vec![] };
            assert_eq!(plan.memory, id(1), "{own}, then {speaker}");
            assert_eq!(plan.superseded.contains(&id(2)), wins, "{own}, then {speaker}");
            assert_eq!(tables.memory(1).authority, own.stronger(*speaker), "{own}, then {speaker}");
            let replaced_by: Vec<_> = tables.memory(2).superseded_by.into_iter().collect();
            assert_eq!(replaced_by, expected, "{own}, then {speaker}");
        }
    }
}

#[test]
fn what_says_when_it_ends_does_not_replace_what_holds_for_good() {
    let says = |number, place: &str, on| {
        let content = format!("Ana lives in {place}");
        Candidate { content, ..home(number, place, Authority::UserStated, on) }
    };
    let mut tables = Tables::default();
    tables.remember(&says(1, "NYC", 1)).unwrap();
    let plan = tables.remember(&says(2, "SF until 2030-01-01", 2)).unwrap();
    assert_eq!((plan.superseded, plan.contested), (vec![], vec![id(1)]));
    assert_eq!(tables.state(1), State::Confirmed);

    let plan = tables.remember(&says(3, "LA", 3)).unwrap();
    assert!(plan.superseded.contains(&id(1)), "without an end it does");
}

#[test]
fn a_sleep_decides_about_two_memories_as_it_would_have_been_decided_when_the_later_one_was_said() {
    let said = |number: u32, city: &str, pinned| {
        let (number, on, authority) = (u128::from(number), number, Authority::Measured);
        let slot = home(number, city, authority, 1).slot;
        let recorded_at = day(on);
        Memory { slot, pinned, recorded_at, ..fact(number, city, authority) }
    };
    let choice = |old: &Memory, new: &Memory| sleep::settle(old, new).map(|(.., choice)| choice);
    let old = said(1, "NYC", false);
    let new = said(2, "SF", false);
    assert_eq!(choice(&old, &new), Some(ValueChoice::Replace));
    assert_eq!(choice(&new, &old), Some(ValueChoice::Replace), "in either order");

    let pinned = Memory { pinned: true, ..old.clone() };
    assert_eq!(choice(&pinned, &new), Some(ValueChoice::Contest), "a person keeps it in front");
    let ends = Memory { valid_until: Some(day(30)), ..new };
    assert_eq!(choice(&old, &ends), Some(ValueChoice::Contest), "it is there again afterwards");
    let both_end = Memory { valid_until: Some(day(30)), ..old };
    assert_eq!(choice(&both_end, &ends), Some(ValueChoice::Replace));
}
