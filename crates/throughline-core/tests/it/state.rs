//! The state machine is closed: however memories are moved and replaced, nothing illegal comes out.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::fold::Refusal;
use throughline_core::row::Tombstone;
use throughline_core::{Authority, Change, Memory, Relation, RowKey, State, Table, Timestamp};

use crate::arbitrary;
use crate::world::{SPACE, Tables, day, fact, id};

const MEMORIES: u128 = 5;

fn step() -> impl Strategy<Value = Change> {
    let one = || (1..=MEMORIES).prop_map(id);
    prop_oneof![
        2 => (one(), arbitrary::state(), 0..50_u32).prop_map(|(id, to, on)| Change::Move {
            space: SPACE,
            id,
            to,
            at: day(on),
        }),
        2 => (one(), one(), 0..50_u32).prop_map(|(old, new, on)| Change::Supersede {
            space: SPACE,
            old,
            new,
            at: day(on),
        }),
        1 => one().prop_map(|old| Change::Unsupersede { space: SPACE, old }),
    ]
}

fn start() -> impl Strategy<Value = Tables> {
    let fresh = prop::sample::select(vec![State::Draft, State::Staged, State::Confirmed]);
    let until = prop::option::of((100..200_u32).prop_map(day));
    let count = usize::try_from(MEMORIES).expect("a handful");
    vec((fresh, until), count).prop_map(|states| {
        let numbered = (1_u128..).zip(states);
        Tables::holding(numbered.map(|(number, (state, valid_until))| Memory {
            state,
            valid_until,
            ..fact(number, &format!("claim {number}"), Authority::Observed)
        }))
    })
}

/// The steps the design allows, written out once more.
fn is_allowed(from: State, to: State) -> bool {
    use State::{Archived, Confirmed, Draft, Expired, Retracted, Staged, Superseded};
    let next: &[State] = match from {
        Draft => &[Staged, Confirmed, Retracted],
        Staged => &[Confirmed, Superseded, Retracted, Expired, Archived],
        Confirmed => &[Superseded, Retracted, Expired, Archived],
        Superseded | Retracted | Expired | Archived => &[Staged, Confirmed],
    };
    next.contains(&to)
}

fn check(tables: &Tables) -> Result<(), TestCaseError> {
    let replaced = |memory: &&Memory| memory.state == State::Superseded;
    let memories = tables.memories();
    for memory in &memories {
        let put_away = !memory.state.is_active() && memory.state != State::Draft;
        prop_assert_eq!(memory.state == State::Superseded, memory.superseded_by.is_some());
        prop_assert_eq!(put_away, memory.previous.is_some(), "{:?}", memory);
        prop_assert_eq!(put_away, memory.since.is_some(), "{:?}", memory);
        let mut next = memory.superseded_by;
        for _ in 0..MEMORIES {
            next = next.and_then(|id| memories.iter().find(|it| it.id == id)?.superseded_by);
        }
        prop_assert_eq!(next, None, "{} goes round in a circle", memory.id);
    }
    prop_assert_eq!(tables.count(Table::Edge), memories.iter().filter(replaced).count());
    Ok(())
}

proptest! {
    #[test]
    fn no_walk_leads_to_an_illegal_state(mut tables in start(), steps in vec(step(), 1..60)) {
        for change in &steps {
            let before = tables.memories();
            if tables.apply(change).is_ok() {
                let moved: Vec<_> = before.iter().zip(tables.memories())
                    .filter(|(old, new)| old.state != new.state)
                    .map(|(old, new)| (old.state, new.state))
                    .collect();
                prop_assert_eq!(moved.len(), 1, "one change moves one memory");
                prop_assert!(is_allowed(moved[0].0, moved[0].1), "{:?}", moved);
            }
            check(&tables)?;
        }
    }

    #[test]
    fn a_move_is_made_exactly_when_the_design_allows_it(from in arbitrary::state(), to in arbitrary::state()) {
        let by_replacing = [from, to].contains(&State::Superseded);
        let memory = Memory { state: from, ..fact(1, "x", Authority::Observed) };
        let moved = Tables::holding([memory]).apply(&Change::Move { space: SPACE, id: id(1), to, at: day(1) });
        let expected = if is_allowed(from, to) && !by_replacing {
            Ok(())
        } else {
            Err(Refusal::NoSuchStep { id: id(1), from, to })
        };
        prop_assert_eq!(moved, expected);
    }

    #[test]
    fn taking_a_replacement_back_restores_the_memory_exactly(
        state in prop::sample::select(vec![State::Staged, State::Confirmed]),
        until in prop::option::of((0..100_u32).prop_map(day)),
        on in 100..200_u32,
    ) {
        let old = Memory { state, valid_until: until, ..fact(1, "x", Authority::Observed) };
        let mut tables = Tables::holding([old, fact(2, "y", Authority::Observed)]);
        let before = tables.clone();
        tables.apply(&replace(1, 2, day(on))).unwrap();
        prop_assert_eq!(tables.memory(1).valid_until, until, "what somebody said stays as it was said");
        prop_assert_eq!(tables.memory(1).held_until(), until.or(Some(day(on))));
        tables.apply(&Change::Unsupersede { space: SPACE, old: id(1) }).unwrap();
        prop_assert_eq!(tables, before);
    }

    #[test]
    fn a_replacement_is_taken_back_whatever_became_of_the_replacing_memory(
        state in prop::sample::select(vec![State::Staged, State::Confirmed]),
        until in prop::option::of((0..100_u32).prop_map(day)),
        fate in 0..4_usize,
    ) {
        let old = Memory { state, valid_until: until, ..fact(1, "x", Authority::Observed) };
        let mut tables = Tables::holding([old.clone(), fact(2, "y", Authority::Observed), fact(3, "z", Authority::File)]);
        tables.apply(&replace(1, 2, day(3))).unwrap();
        let (from, to) = (id(2).into(), id(1).into());
        let fates = [
            Change::Unlink { space: SPACE, from, relation: Relation::Supersedes, to },
            Change::Purge(Tombstone::of(&tables.memory(2), day(4))),
            Change::Move { space: SPACE, id: id(2), to: State::Retracted, at: day(4) },
            replace(2, 3, day(4)),
        ];
        tables.apply(&fates[fate]).unwrap();
        prop_assert_eq!(tables.memory(1).held_until(), until.or(Some(day(3))));
        tables.apply(&Change::Unsupersede { space: SPACE, old: id(1) }).unwrap();
        prop_assert_eq!(tables.memory(1), old);
        let left = RowKey::edge(SPACE, from, Relation::Supersedes, to);
        prop_assert!(!tables.0.contains_key(&left));
    }
}

fn replace(old: u128, new: u128, at: Timestamp) -> Change {
    Change::Supersede { space: SPACE, old: id(old), new: id(new), at }
}

fn three() -> Tables {
    Tables::holding([1, 2, 3].map(|number| fact(number, "x", Authority::UserStated)))
}

#[test]
fn in_a_chain_of_replacements_only_the_last_is_current() {
    let mut tables = three();
    tables.apply(&replace(1, 2, day(1))).unwrap();
    tables.apply(&replace(2, 3, day(2))).unwrap();
    assert_eq!(
        [1, 2, 3].map(|number| tables.state(number)),
        [State::Superseded, State::Superseded, State::Confirmed]
    );
    assert_eq!(tables.memory(1).superseded_by, Some(id(2)));
    assert_eq!(tables.memory(2).superseded_by, Some(id(3)));

    let back = Change::Unsupersede { space: SPACE, old: id(2) };
    tables.apply(&back).unwrap();
    assert_eq!(tables.state(2), State::Confirmed);
    assert_eq!(tables.memory(1).superseded_by, Some(id(2)), "the older link holds");
}

#[test]
fn what_is_no_longer_current_cannot_be_replaced_or_replace() {
    for state in State::ALL.iter().filter(|state| !state.is_active()) {
        let retired = Memory { state: *state, ..fact(1, "x", Authority::Observed) };
        let mut tables = Tables::holding([retired, fact(2, "y", Authority::Observed)]);
        let refused = Err(Refusal::NotCurrent { id: id(1), state: *state });
        assert_eq!(tables.apply(&replace(1, 2, day(1))), refused, "{state} replaced");
        assert_eq!(tables.apply(&replace(2, 1, day(1))), refused, "{state} replacing");
    }
}

#[test]
fn no_memory_takes_its_own_place_even_by_a_detour() {
    let mut tables = three();
    tables.apply(&replace(1, 2, day(1))).unwrap();
    tables.apply(&replace(2, 3, day(2))).unwrap();
    let circle = |old, new| Err(Refusal::Circle { old: id(old), new: id(new) });
    for (old, new) in [(3, 3), (3, 2), (3, 1)] {
        assert_eq!(tables.apply(&replace(old, new, day(3))), circle(old, new));
    }
}

#[test]
fn only_a_replaced_memory_can_be_put_back_in_its_place() {
    let back = |number| Change::Unsupersede { space: SPACE, old: id(number) };
    let refused = three().apply(&back(1));
    assert!(matches!(refused, Err(Refusal::NoSuchStep { .. })), "{refused:?}");
    assert_eq!(three().apply(&back(9)), Err(Refusal::NoMemory(id(9))));
    let key = RowKey::memory(SPACE, id(9));
    assert!(!three().0.contains_key(&key), "nothing was made up");
}
