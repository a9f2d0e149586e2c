//! Two values for one thing: who replaces whom, and who stands beside whom.

use throughline_core::reconcile::{Blocked, Candidate, entity};
use throughline_core::{
    Authority, Change, Entity, EntityId, EntityKind, Relation, RowKey, Slot, State,
};
use uuid::Uuid;

use crate::world::{SPACE, Tables, candidate, day, id, says, session};

/// "`number`: the slot's words, said by a source".
fn told(number: u128, slot: &str, authority: Authority, on: u32) -> Candidate {
    let slot = Slot::parse(slot).expect("three parts");
    let content = format!("{} {} {}", slot.subject, slot.predicate, slot.object);
    let said = says(authority, &format!("session {number}"), on);
    Candidate { slot: Some(slot), ..candidate(number, &content, said) }
}

fn are_contested(tables: &Tables, one: u128, other: u128) -> bool {
    let key = RowKey::edge(SPACE, id(one).into(), Relation::Contradicts, id(other).into());
    tables.0.contains_key(&key)
}

#[test]
fn between_two_values_rank_decides_and_time_only_among_people_and_measurements() {
    for old in Authority::ALL {
        for new in Authority::ALL {
            let mut tables = Tables::default();
            tables.remember(&told(1, "ana|lives in|NYC|one", *old, 1)).unwrap();
            let plan = tables.remember(&told(2, "ana|lives in|SF|one", *new, 2)).unwrap();

            let replaces =
                new.outranks(*old) || new == old && (new.is_user() || *new == Authority::Measured);
            assert_eq!(
                plan.superseded,
                if replaces { vec![id(1)] } else { vec![] },
                "{new} after {old}"
            );
            assert_eq!(
                plan.contested,
                if replaces { vec![] } else { vec![id(1)] },
                "{new} after {old}"
            );
            assert_eq!(tables.state(1) == State::Superseded, replaces, "{new} after {old}");
            assert_eq!(are_contested(&tables, 1, 2), !replaces, "{new} after {old}");
            assert!(tables.state(2).is_active(), "{new} after {old}");
        }
    }
}

#[test]
fn an_outranked_value_is_kept_on_probation() {
    let mut tables = Tables::default();
    tables.remember(&told(1, "ana|lives in|NYC|one", Authority::UserCorrected, 1)).unwrap();
    tables.remember(&told(2, "ana|lives in|SF|one", Authority::UserStated, 2)).unwrap();
    assert_eq!([tables.state(1), tables.state(2)], [State::Confirmed, State::Staged]);
}

#[test]
fn old_news_arriving_late_replaces_nothing() {
    let mut tables = Tables::default();
    tables.remember(&told(1, "ana|lives in|SF|one", Authority::UserStated, 9)).unwrap();
    let plan = tables.remember(&told(2, "ana|lives in|NYC|one", Authority::UserStated, 2)).unwrap();
    assert_eq!((plan.superseded, plan.contested), (vec![], vec![id(1)]));
}

#[test]
fn values_that_stand_side_by_side_never_replace_each_other() {
    for authority in Authority::ALL {
        let mut tables = Tables::default();
        tables.remember(&told(1, "team|uses|TypeScript", *authority, 1)).unwrap();
        let plan =
            tables.remember(&told(2, "team|uses|DuckDB", Authority::UserCorrected, 2)).unwrap();
        assert_eq!((plan.superseded, plan.contested), (vec![], vec![]), "{authority}");
        assert!(tables.state(1).is_active() && tables.state(2).is_active(), "{authority}");
    }
}

#[test]
fn one_side_declaring_a_single_value_is_enough() {
    for (first, second) in
        [("db|port|5432|one", "db|port|6432|many"), ("db|port|5432|many", "db|port|6432|one")]
    {
        let mut tables = Tables::default();
        tables.remember(&told(1, first, Authority::UserStated, 1)).unwrap();
        tables.remember(&told(2, second, Authority::UserStated, 2)).unwrap();
        assert_eq!(tables.state(1), State::Superseded, "{second} after {first}");
    }
}

#[test]
fn the_same_value_in_other_words_is_the_same_memory() {
    let mut tables = Tables::default();
    tables.remember(&told(1, "ana|lives in|NYC|one", Authority::Observed, 1)).unwrap();
    let reworded = Candidate {
        content: "Ana's home is nyc".to_owned(),
        ..told(2, "Ana|Lives in|nyc|one", Authority::File, 2)
    };
    assert!(tables.remember(&reworded).unwrap().deduped);
    assert_eq!(tables.memories().len(), 1);
}

#[test]
fn another_thing_or_another_property_is_no_conflict() {
    for other in ["bob|lives in|SF|one", "ana|works in|SF|one"] {
        let mut tables = Tables::default();
        tables.remember(&told(1, "ana|lives in|NYC|one", Authority::Inferred, 1)).unwrap();
        let plan = tables.remember(&told(2, other, Authority::UserCorrected, 2)).unwrap();
        assert_eq!((plan.superseded, plan.contested), (vec![], vec![]), "{other}");
    }
}

#[test]
fn a_bar_inside_a_name_does_not_make_two_things_one() {
    let key = |subject: &str, predicate: &str| {
        let (subject, predicate) = (subject.to_owned(), predicate.to_owned());
        let plain = Slot::parse("a|b|c").expect("three parts");
        Slot { subject, predicate, ..plain }.key()
    };
    assert_ne!(key("a|b", "c"), key("a", "b|c"));
    assert_ne!(key("a|b", "c"), key("a", "c"));
    for bar in [key("a|b", "c"), key("a", "b|c")] {
        assert_ne!(bar, key("a b", "c"), "a bar is no space");
    }
    assert_eq!(key("A|b.", "c"), key("a|b", "C"));
}

#[test]
fn what_holds_in_one_session_replaces_nothing_that_holds_everywhere() {
    let mut tables = Tables::default();
    tables.remember(&told(1, "ana|lives in|NYC|one", Authority::Inferred, 1)).unwrap();
    let mut within = told(2, "ana|lives in|SF|one", Authority::UserCorrected, 2);
    within.scope.session = Some(session("a visit"));
    let plan = tables.remember(&within).unwrap();
    assert_eq!((plan.superseded, plan.contested), (vec![], vec![]));
    assert!(tables.state(1).is_active());
}

/// NYC, replaced by SF, replaced by Rome.
fn moved_twice() -> Tables {
    let mut tables = Tables::default();
    for (number, on, place) in [(1, 1, "NYC"), (2, 2, "SF"), (3, 3, "Rome")] {
        let slot = format!("ana|lives in|{place}|one");
        tables
            .remember(&told(number, &slot, Authority::UserStated, on))
            .expect("nothing stands in its way");
    }
    tables
}

#[test]
fn going_back_to_an_old_value_replaces_the_latest_one() {
    let mut tables = moved_twice();
    let plan = tables.remember(&told(4, "ana|lives in|NYC|one", Authority::UserStated, 4)).unwrap();
    assert_eq!((plan.memory, plan.deduped), (id(4), false), "history stays a line");
    assert_eq!(plan.superseded, [id(3)]);
    assert_eq!(tables.memory(3).superseded_by, Some(id(4)));
    assert_eq!([1, 2, 3].map(|number| tables.state(number)), [State::Superseded; 3]);
    assert_eq!(tables.state(4), State::Confirmed);

    let again = told(5, "ana|lives in|NYC|one", Authority::File, 5);
    let plan = tables.remember(&again).unwrap();
    assert_eq!((plan.memory, plan.deduped), (id(4), true), "now it is no old news");
}

#[test]
fn going_back_needs_no_slot() {
    let mut tables = moved_twice();
    let plain =
        Candidate { slot: None, ..told(4, "ana|lives in|NYC|one", Authority::UserStated, 4) };
    assert_eq!(tables.remember(&plain).unwrap().superseded, [id(3)]);
}

#[test]
fn an_agent_repeating_a_replaced_value_is_not_listened_to() {
    for authority in Authority::ALL.iter().filter(|authority| !authority.is_user()) {
        let mut tables = moved_twice();
        let before = tables.clone();
        let said = tables.remember(&told(4, "ana|lives in|NYC|one", *authority, 4));
        let (id, state) = (id(1), State::Superseded);
        assert_eq!(said, Err(Blocked::Retired { id, state }), "{authority}");
        assert_eq!(tables, before, "{authority}");
    }
}

#[test]
fn two_names_of_one_thing_are_one_value_and_only_by_its_names() {
    let mut tables = Tables::default();
    tables.remember(&told(1, "ana|lives in|NYC|one", Authority::UserStated, 1)).unwrap();
    let apart =
        tables.remember(&told(2, "ana|lives in|New York City|one", Authority::UserStated, 2));
    assert_eq!(apart.unwrap().superseded, [id(1)], "nobody said that they are the same");

    let mut tables = Tables::default();
    let aliases = vec!["NYC".to_owned()];
    let known =
        entity(EntityId(Uuid::from_u128(9)), SPACE, EntityKind::Concept, "New York City", day(0));
    tables.apply(&Change::Know(Entity { aliases, ..known })).unwrap();
    tables.remember(&told(1, "ana|lives in|NYC|one", Authority::UserStated, 1)).unwrap();
    let same =
        tables.remember(&told(2, "ana|lives in|New York City|one", Authority::UserStated, 2));
    let same = same.unwrap();
    assert!(same.deduped);
    assert_eq!((same.memory, same.superseded), (id(1), vec![]));
}
