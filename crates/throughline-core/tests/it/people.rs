//! Several people: nobody's word ends what another said, whatever is said in which order.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::evidence::{first_speaker, speakers};
use throughline_core::reconcile::Candidate;
use throughline_core::{Authority, State};

use crate::world::{Tables, home, id, says};

/// A person says where somebody lives, of which there is one place.
fn lives(number: u128, place: &str, person: &str, on: u32) -> Candidate {
    let mut said = home(number, place, Authority::UserStated, on);
    said.testimony.person = Some(person.to_owned());
    said
}

#[test]
fn two_people_who_disagree_both_stand_and_who_agrees_later_replaces_their_own_word() {
    let mut tables = Tables::default();
    tables.remember(&lives(1, "Basel", "anna", 1)).expect("it is new");
    let plan = tables.remember(&lives(2, "Bern", "ben", 2)).expect("it is new");
    assert_eq!((plan.superseded, plan.contested), (vec![], vec![id(1)]));
    assert!(tables.state(1).is_active() && tables.state(2).is_active());
    // Anna comes round: her own word gives way.
    let plan = tables.remember(&lives(3, "Bern", "anna", 3)).expect("it is known");
    assert!(plan.deduped);
    assert_eq!(plan.superseded, [id(1)]);
    assert_eq!(tables.state(1), State::Superseded);
}

#[test]
fn one_person_replaces_their_own_word_as_ever() {
    let mut tables = Tables::default();
    tables.remember(&lives(1, "Basel", "anna", 1)).expect("it is new");
    let plan = tables.remember(&lives(2, "Bern", "anna", 2)).expect("it is new");
    assert_eq!((plan.superseded, plan.contested), (vec![id(1)], vec![]));
}

#[test]
fn who_said_it_is_who_said_it_in_person_and_the_words_are_whose_they_were_first() {
    let by = |person: &str, authority, on| {
        let mut said = says(authority, "s", on);
        said.person = Some(person.to_owned());
        said.about(crate::world::SPACE, id(1))
    };
    let evidence = [
        by("ben", Authority::UserStated, 2),
        by("anna", Authority::Inferred, 1),
        by("cara", Authority::UserCorrected, 3),
    ];
    let said: Vec<_> = speakers(&evidence, id(1)).into_iter().collect();
    assert_eq!(said, [Some("ben"), Some("cara")]);
    // Whatever the clocks said: this is the order in which they came in.
    assert_eq!(first_speaker(&evidence, id(1)), Some("ben"));
    assert_eq!(first_speaker(&evidence, id(2)), None);
}

proptest! {
    /// Whatever people say in turn, a memory is superseded only by somebody who said it, alone.
    #[test]
    fn nobody_ends_what_another_person_said(
        said in vec((0..3_usize, 0..3_usize), 1..30)
    ) {
        let (people, places) = (["anna", "ben", "cara"], ["Basel", "Bern", "Chur"]);
        let mut tables = Tables::default();
        for (at, (person, place)) in said.into_iter().enumerate() {
            let number = u128::try_from(at).expect("small") + 1;
            let on = u32::try_from(at).expect("small") + 1;
            let before = tables.evidence();
            let Ok(plan) = tables.remember(&lives(number, places[place], people[person], on)) else { continue };
            for old in plan.superseded {
                let who: Vec<_> = speakers(&before, old).into_iter().collect();
                prop_assert_eq!(who, vec![Some(people[person])]);
            }
        }
    }
}
