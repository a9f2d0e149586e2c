//! What is kept: there again for whoever opens the place next.

use std::sync::Arc;

use super::Factory;
use super::world::World;
use crate::sample::{HERE, day, episode, fact, insert, revise};
use throughline_core::{Change, row::Tombstone};
use throughline_store::Erasure;

pub(super) fn everything_is_there_after_closing_and_opening_again(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "one")), insert(&fact(HERE, 2, "two"))]);
    world.write(vec![revise(&fact(HERE, 1, "one, in other words"))]);
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 2, "two"), day(3)))]);
    let (dump, log) = (world.dump(), world.log());

    let World { store, place, .. } = world;
    assert_eq!(Arc::strong_count(&store), 1, "the last handle");
    drop(store);
    let store = place.open();
    let reader = store.read().expect("a reader");
    assert_eq!(reader.dump().expect("a dump"), dump);
    assert_eq!(reader.log(&super::world::EVERYTHING).expect("the log"), log);
    drop(reader);
    super::world::assert_sound(&*store);
}

pub(super) fn an_erasure_is_due_until_it_is_finished_even_after_a_crash(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "a secret"))]);
    let stone = Tombstone::of(&fact(HERE, 1, "a secret"), day(2));
    assert_eq!(world.store.erasure_due().expect("what is due"), []);
    world.write(vec![Change::Purge(stone.clone())]);
    let World { store, place, .. } = world;
    drop(store);

    let store = place.open();
    assert_eq!(store.erasure_due().expect("what is due"), [stone]);
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Done);
    assert_eq!(store.erasure_due().expect("what is due"), []);
    super::world::assert_sound(&*store);
}

pub(super) fn the_erasure_of_a_turn_is_due_until_it_is_finished(factory: &dyn Factory) {
    let world = World::new(factory);
    let turn = episode(HERE, 1, "a secret");
    world.write(vec![Change::Record(turn.clone())]);
    let stone = Tombstone::of_turn(&turn, day(2));
    world.write(vec![Change::Silence { stone: stone.clone(), quoted_by: Vec::new() }]);
    let World { store, place, .. } = world;
    drop(store);

    let store = place.open();
    assert_eq!(store.erasure_due().expect("what is due"), [stone]);
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Done);
    assert_eq!(store.erasure_due().expect("what is due"), []);
    super::world::assert_sound(&*store);
}

pub(super) fn numbers_go_on_after_opening_again(factory: &dyn Factory) {
    let world = World::new(factory);
    let before = world.write(vec![insert(&fact(HERE, 1, "one"))]).seq;
    let next = world.draft(vec![insert(&fact(HERE, 2, "two"))]);
    let World { store, place, .. } = world;
    drop(store);
    let commit = place.open().apply(&next).expect("the batch is accepted");
    assert_eq!(commit.seq, before + 1);
}

pub(super) fn what_one_handle_writes_another_reads_at_once(factory: &dyn Factory) {
    let world = World::new(factory);
    let other = world.place.open();
    for number in 1..=5 {
        world.write(vec![insert(&fact(HERE, number, &format!("memory {number}")))]);
        let seen = other.read().expect("a reader").dump().expect("a dump");
        assert_eq!(seen, world.dump());
    }
}
