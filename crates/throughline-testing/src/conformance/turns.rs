//! Turns: each knows the one before it in its session, in whatever order they came and went.

use proptest::collection::vec;
use proptest::prelude::Just;
use throughline_core::row::Session;
use throughline_core::{BatchId, Change, Episode, EpisodeId, NodeId};
use throughline_store::{Begin, TextOf};

use super::Factory;
use super::documents::{assert_told, documents};
use super::random::law;
use super::world::World;
use crate::sample::{HERE, THERE, attended, day, episode, episode_id, session};

/// A turn at a place of a session.
fn turn(number: u64, named: &str, position: u64) -> Episode {
    Episode {
        session: session(named),
        position,
        ..episode(HERE, number, &format!("turn {number} of {named}"))
    }
}

fn say(world: &World, turn: Episode) -> BatchId {
    world.write(vec![Change::Record(turn)]).batch
}

/// The turn before a turn, and the number of its session.
fn before(world: &World, number: u64) -> (Option<u64>, u32) {
    let found = documents(&*world.read(), HERE, TextOf::Episodes);
    let document = found[&NodeId::Episode(episode_id(number))].1;
    let by_number = |wanted: u32| {
        let is = |id: &u64| {
            found.get(&NodeId::Episode(episode_id(*id))).is_some_and(|(at, _)| *at == wanted)
        };
        (0..100).find(is).expect("the turn before is there")
    };
    (document.before.map(by_number), document.session)
}

fn ids(count: u64) -> Vec<EpisodeId> {
    (1..=count).map(episode_id).collect()
}

pub(super) fn a_turn_knows_the_turn_before_it(factory: &dyn Factory) {
    let world = World::new(factory);
    // Two sessions, one turn after the other.
    for number in 1..=6 {
        let named = if number % 2 == 0 { "morning" } else { "evening" };
        say(&world, turn(number, named, number));
    }
    let told: Vec<_> = (1..=6).map(|number| before(&world, number)).collect();
    let (evening, morning) = (told[0].1, told[1].1);
    assert_ne!(evening, morning);
    let expected = [None, None, Some(1), Some(2), Some(3), Some(4)]
        .into_iter()
        .zip([evening, morning].repeat(3));
    assert_eq!(told, expected.collect::<Vec<_>>());
    assert_told(&*world.read(), HERE, &ids(6));
}

pub(super) fn a_turn_that_comes_late_takes_its_place(factory: &dyn Factory) {
    let world = World::new(factory);
    for (number, named, position) in [
        (1, "morning", 10),
        (2, "evening", 5),
        (3, "morning", 30),
        (4, "evening", 1),
        (5, "morning", 20),
        (6, "morning", 5),
        (7, "evening", 3),
        // The same place twice: the ids decide.
        (9, "morning", 20),
        (8, "morning", 20),
    ] {
        say(&world, turn(number, named, position));
        assert_told(&*world.read(), HERE, &ids(9));
    }
    let order = [6, 1, 5, 8, 9, 3];
    for pair in order.windows(2) {
        assert_eq!(before(&world, pair[1]).0, Some(pair[0]));
    }
    assert_eq!(before(&world, 6).0, None);
    world.assert_sound();
}

pub(super) fn a_turn_that_goes_away_leaves_no_gap(factory: &dyn Factory) {
    let world = World::new(factory);
    let said: Vec<BatchId> =
        (1..=6).map(|number| say(&world, turn(number, "morning", number))).collect();
    // From the middle, from the front, from the end, and back again.
    for gone in [3, 1, 6, 4] {
        let gone_batch = said[gone - 1];
        let undo = world.undo(gone_batch).expect("nothing was built upon it").batch;
        assert_told(&*world.read(), HERE, &ids(6));
        if gone == 4 {
            assert_eq!(before(&world, 5).0, Some(2));
            world.undo(undo).expect("it is the latest");
            assert_eq!((before(&world, 5).0, before(&world, 4).0), (Some(4), Some(2)));
            assert_told(&*world.read(), HERE, &ids(6));
        }
    }
    say(&world, turn(7, "evening", 1));
    assert_told(&*world.read(), HERE, &ids(7));
    world.assert_sound();
}

pub(super) fn a_session_of_the_same_name_in_another_space_is_another(factory: &dyn Factory) {
    let world = World::new(factory);
    say(&world, turn(1, "morning", 1));
    say(&world, Episode { space: THERE, ..turn(2, "morning", 2) });
    say(&world, turn(3, "morning", 3));
    assert_eq!(before(&world, 3).0, Some(1));
    assert_told(&*world.read(), HERE, &ids(3));
    assert_told(&*world.read(), THERE, &ids(3));
}

pub(super) fn building_anew_keeps_sessions_together(factory: &dyn Factory) {
    let world = World::new(factory);
    for (number, position) in [(1, 1), (2, 3), (3, 2)] {
        say(&world, turn(number, "morning", position));
    }
    assert_told(&*world.read(), HERE, &ids(3));
    world.store.reindex().expect("documents are built anew");
    assert_told(&*world.read(), HERE, &ids(3));
}

pub(super) fn in_whatever_order_turns_come_and_go_sessions_are_the_same(factory: &dyn Factory) {
    // Which turn of which session comes or, if it is there, goes.
    let steps = vec((0..3_usize, 0..5_u64), 1..25);
    law(factory.cases(16), (steps, Just(["morning", "noon", "evening"])), |(steps, names)| {
        let world = World::new(factory);
        let mut there = std::collections::BTreeMap::new();
        for (count, (name, position)) in (1..).zip(steps) {
            if let Some(batch) = there.remove(&(name, position)) {
                world.undo(batch).expect("nothing was built upon it");
            } else {
                let batch = say(&world, turn(count, names[name], position));
                there.insert((name, position), batch);
            }
            assert_told(&*world.read(), HERE, &ids(25));
        }
    });
}

pub(super) fn sessions_and_their_turns_come_page_by_page(factory: &dyn Factory) {
    let world = World::new(factory);
    let began = |space, name: &str, at| Session { started_at: day(at), ..attended(space, name) };
    world.write(vec![
        Change::Attend(began(HERE, "morning", 1)),
        Change::Attend(began(HERE, "noon", 2)),
        Change::Attend(began(THERE, "evening", 3)),
    ]);
    for (number, named, position) in [(1, "morning", 2), (2, "morning", 1), (3, "noon", 1)] {
        say(&world, turn(number, named, position));
    }
    let reader = world.read();
    let page_of = |spaces: &[_], from, limit| {
        let page = reader.sessions(spaces, &from, limit).expect("sessions");
        (page.items.into_iter().map(|one| one.id.0).collect::<Vec<_>>(), page.total)
    };
    let named = |spaces: &[_], offset, limit| page_of(spaces, Begin::Skip(offset), limit);
    assert_eq!(named(&[HERE], 0, 9), (vec!["noon".to_owned(), "morning".to_owned()], 2));
    assert_eq!(named(&[HERE, THERE], 0, 1), (vec!["evening".to_owned()], 3));
    assert_eq!(named(&[HERE], 1, 9), (vec!["morning".to_owned()], 2));
    // After one that was seen, also where it is gone.
    for (seen, expected) in
        [((2, "noon"), vec!["morning"]), ((2, "nobody"), vec!["morning"]), ((1, "morning"), vec![])]
    {
        let after = Begin::After((day(seen.0), session(seen.1)));
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(page_of(&[HERE], after, 9), (expected, 2), "after {seen:?}");
    }
    let page_of = |space, session_name: &str, from, limit| {
        let page = reader.turns(space, &session(session_name), &from, limit).expect("turns");
        (page.items.into_iter().map(|one| one.id).collect::<Vec<_>>(), page.total)
    };
    let turns = |space, session_name: &str, offset, limit| {
        page_of(space, session_name, Begin::Skip(offset), limit)
    };
    for (seen, expected) in [((0, 9), vec![2, 1]), ((1, 2), vec![1]), ((2, 1), vec![])] {
        let after = Begin::After((seen.0, episode_id(seen.1)));
        let expected: Vec<_> = expected.into_iter().map(episode_id).collect();
        assert_eq!(page_of(HERE, "morning", after, 9), (expected, 2), "after {seen:?}");
    }
    assert_eq!(turns(HERE, "morning", 0, 9), (vec![episode_id(2), episode_id(1)], 2));
    assert_eq!(turns(HERE, "morning", 1, 1), (vec![episode_id(1)], 2));
    assert_eq!(turns(THERE, "morning", 0, 9), (vec![], 0));
}
