//! What to do with something new: known, retired, erased, or new indeed.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::reconcile::{Blocked, Candidate};
use throughline_core::row::Tombstone;
use throughline_core::{Authority, Cardinality, Change, Memory, Scope, Slot, State, Table};

use crate::arbitrary;
use crate::world::{SPACE, Tables, candidate, day, fact, id, says, session};

const CLAIM: &str = "Staging runs Postgres 16.";

fn claim(number: u128, authority: Authority, session: &str) -> Candidate {
    candidate(number, CLAIM, says(authority, session, 5))
}

fn holding(state: State, authority: Authority) -> Tables {
    Tables::holding([Memory { state, ..fact(1, CLAIM, authority) }])
}

fn any_candidate() -> impl Strategy<Value = Candidate> {
    const SLOTS: &[&str] =
        &["staging|runs|Postgres 14", "staging|runs|Postgres 16", "team|uses|Rust"];
    let slot =
        prop::option::of((prop::sample::select(SLOTS), prop::sample::select(Cardinality::ALL)));
    let flags = (any::<bool>(), arbitrary::session_name());
    (0..5_u8, slot, arbitrary::testimony(), flags).prop_map(
        |(text, slot, said, (revive, bound_to))| Candidate {
            slot: slot.map(|(text, cardinality)| Slot {
                cardinality,
                ..Slot::parse(text).expect("three parts")
            }),
            tags: vec!["Ops".to_owned(), "ops".to_owned()],
            scope: Scope { space: SPACE, session: bound_to },
            revive,
            ..candidate(0, &format!("claim {text}"), said)
        },
    )
}

proptest! {
    /// Every plan is carried out on real tables; a refusal would panic.
    #[test]
    fn whatever_is_said_can_be_written_and_no_claim_is_current_twice(said in vec(any_candidate(), 1..25)) {
        let mut tables = Tables::default();
        for (number, mut one) in (1_u128..).zip(said) {
            one.id = id(number);
            let known = tables.memories().len();
            if let Ok(plan) = tables.remember(&one) {
                prop_assert_eq!(tables.memories().len(), known + usize::from(!plan.deduped));
                let gone = plan.superseded.iter().all(|old| tables.memory(old.0.as_u128()).state == State::Superseded);
                prop_assert!(gone, "{:?}", plan);
            }
            let current: Vec<_> = tables.memories().into_iter().filter(|memory| memory.state.is_active()).collect();
            for (at, memory) in current.iter().enumerate() {
                let twin = current[..at].iter().find(|it| it.fingerprint == memory.fingerprint && it.session == memory.session);
                prop_assert_eq!(twin, None, "{:?}", memory);
            }
        }
        prop_assert!(tables.count(Table::Entity) <= 3, "one tag and two subjects");
    }
}

#[test]
fn saying_it_again_in_other_letters_adds_evidence_and_no_second_memory() {
    let mut tables = Tables::default();
    tables.remember(&claim(1, Authority::Observed, "monday")).unwrap();
    let again = candidate(2, "staging runs postgres 16", says(Authority::File, "tuesday", 6));
    let plan = tables.remember(&again).unwrap();

    assert!(plan.deduped);
    assert_eq!(plan.memory, id(1));
    assert!(!plan.changes.iter().any(|change| matches!(change, Change::Insert(_))));
    assert_eq!(tables.memories().len(), 1);
    let snippets: Vec<_> = tables.evidence().into_iter().filter_map(|one| one.snippet).collect();
    assert_eq!(snippets, ["staging runs postgres 16"], "the other wording is kept");
}

#[test]
fn a_second_independent_source_confirms_and_the_same_voice_or_an_echo_does_not() {
    let mut echo = claim(2, Authority::File, "tuesday");
    echo.testimony.echo = true;
    for (again, expected) in [
        (claim(2, Authority::File, "tuesday"), State::Confirmed),
        (claim(2, Authority::UserStated, "monday"), State::Confirmed),
        (claim(2, Authority::File, "monday"), State::Staged),
        (claim(2, Authority::Observed, "tuesday"), State::Staged),
        (echo, State::Staged),
    ] {
        let mut tables = Tables::default();
        tables.remember(&claim(1, Authority::Observed, "monday")).unwrap();
        assert_eq!(tables.state(1), State::Staged);
        tables.remember(&again).unwrap();
        assert_eq!(tables.state(1), expected, "{:?}", again.testimony);
    }
}

#[test]
fn what_was_erased_stays_out_unless_asked_for() {
    let mut tables = holding(State::Confirmed, Authority::UserStated);
    let stone = Tombstone::of(&tables.memory(1), day(3));
    tables.apply(&Change::Purge(stone)).unwrap();
    for authority in Authority::ALL {
        let said = tables.remember(&claim(2, *authority, "s"));
        assert_eq!(said, Err(Blocked::Erased(day(3))), "{authority}");
    }
    let asked = Candidate { revive: true, ..claim(2, Authority::UserStated, "s") };
    tables.remember(&asked).unwrap();
    assert_eq!(tables.state(2), State::Confirmed);
}

#[test]
fn an_erased_value_does_not_come_back_in_other_words() {
    let slot = || Some(Slot::parse("ana|lives in|Lisbon|one").unwrap());
    let mut tables = Tables::default();
    let told = Candidate {
        slot: slot(),
        ..candidate(1, "Ana lives in Lisbon", says(Authority::UserStated, "s", 1))
    };
    tables.remember(&told).unwrap();
    let stone = Tombstone::of(&tables.memory(1), day(2));
    tables.apply(&Change::Purge(stone)).unwrap();
    let reworded = Candidate {
        slot: slot(),
        ..candidate(2, "Lisbon is Ana's home", says(Authority::Extracted, "t", 3))
    };
    assert_eq!(tables.remember(&reworded), Err(Blocked::Erased(day(2))));
}

#[test]
fn what_the_user_took_back_only_the_user_brings_back() {
    for authority in Authority::ALL {
        let mut tables = holding(State::Retracted, Authority::Observed);
        let said = tables.remember(&claim(2, *authority, "s"));
        if authority.is_user() {
            assert!(said.unwrap().deduped, "{authority}");
            assert_eq!(tables.state(1), State::Confirmed, "{authority}");
        } else {
            let (id, state) = (id(1), State::Retracted);
            assert_eq!(said, Err(Blocked::Retired { id, state }), "{authority}");
            assert_eq!(tables.state(1), State::Retracted, "{authority}");
        }
    }
}

#[test]
fn an_archived_memory_returns_for_a_person_and_an_expired_one_for_any_real_voice() {
    use State::{Archived, Confirmed, Draft, Expired, Staged};
    for (held, authority, echo, expected) in [
        (Archived, Authority::UserStated, false, Confirmed),
        (Archived, Authority::File, false, Archived),
        (Expired, Authority::UserStated, false, Confirmed),
        (Expired, Authority::File, false, Staged),
        (Expired, Authority::File, true, Expired),
        (Draft, Authority::File, false, Staged),
    ] {
        let mut tables = holding(held, Authority::Observed);
        let mut said = claim(2, authority, "s");
        said.testimony.echo = echo;
        tables.remember(&said).unwrap();
        assert_eq!(tables.state(1), expected, "{held} said again by {authority}, echo {echo}");
    }
}

#[test]
fn a_tag_becomes_one_entity_however_often_it_is_written() {
    let mut tables = Tables::default();
    let tagged = |number: u128, tags: &[&str]| Candidate {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..candidate(number, &format!("claim {number}"), says(Authority::File, "s", 1))
    };
    tables.remember(&tagged(1, &["Database", "database"])).unwrap();
    tables.remember(&tagged(2, &["DATABASE."])).unwrap();
    assert_eq!((tables.count(Table::Entity), tables.count(Table::Edge)), (1, 2));
}

#[test]
fn what_holds_in_one_session_is_not_what_holds_everywhere() {
    let mut tables = Tables::default();
    let within = |number, name: &str| Candidate {
        scope: Scope { space: SPACE, session: Some(session(name)) },
        ..claim(number, Authority::Observed, name)
    };
    tables.remember(&within(1, "monday")).unwrap();
    assert!(!tables.remember(&within(2, "tuesday")).unwrap().deduped);
    assert!(!tables.remember(&claim(3, Authority::File, "wednesday")).unwrap().deduped);
    let covered = tables.remember(&within(4, "thursday")).unwrap();
    assert!(covered.deduped, "what holds everywhere holds there too");
    assert_eq!(covered.memory, id(3));
}
