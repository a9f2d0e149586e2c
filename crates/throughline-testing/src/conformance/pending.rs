//! What waits for a person: kept, decided, erased; and the contradictions, which wait too.

use throughline_core::fold::Refusal;
use throughline_core::undo::UndoRefusal;
use throughline_core::{Batch, Change, Pending, Relation, Ruling};
use throughline_store::{Erasure, Error};

use super::Factory;
use super::world::{EVERYTHING, World};
use crate::sample::{HERE, THERE, day, decide, edge, fact, insert, node, pending, pending_id};

fn on(at: u32, pending: Pending) -> Pending {
    Pending { at: day(at), ..pending }
}

fn defer(pending: &Pending) -> Change {
    Change::Defer(pending.clone())
}

pub(super) fn what_waits_comes_oldest_first(factory: &dyn Factory) {
    let world = World::new(factory);
    let first = on(2, pending(HERE, 3, "first"));
    let second = on(3, pending(THERE, 1, "second"));
    let third = on(3, pending(HERE, 2, "third"));
    world.write([&third, &second, &first].map(defer).to_vec());
    let waiting = |spaces: &[_], limit| world.read().pending(spaces, limit).expect("what waits");
    let all = [first.clone(), second.clone(), third.clone()];
    assert_eq!(waiting(&[THERE, HERE, HERE], 9), all, "ties by id");
    assert_eq!(waiting(&[HERE, THERE], 2), all[..2]);
    assert_eq!(waiting(&[HERE], 9), [first, third]);
    assert_eq!(waiting(&[THERE], usize::MAX), [second]);
    assert_eq!(waiting(&[], 9), []);
    world.assert_sound();
}

pub(super) fn what_is_deferred_twice_waits_once_as_it_first_came(factory: &dyn Factory) {
    let world = World::new(factory);
    let waiting = pending(HERE, 1, "xylophone");
    world.write(vec![defer(&waiting)]);
    world.write(vec![defer(&on(9, pending(HERE, 1, "marzipan")))]);
    assert_eq!(world.read().pending(&[HERE], 9).expect("what waits"), [waiting]);
    world.assert_sound();
    world.write(vec![decide(HERE, 1, Ruling::Erased)]);
    let log = format!("{:?}", world.log());
    assert!(!log.contains("xylophone") && !log.contains("marzipan"), "{log}");
}

pub(super) fn a_decision_is_made_once(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![defer(&pending(HERE, 1, "one")), defer(&pending(HERE, 2, "two"))]);
    for (number, ruling) in [(1, Ruling::Accepted), (2, Ruling::Rejected)] {
        world.write(vec![decide(HERE, number, ruling)]);
        let refusal = world.refused(vec![decide(HERE, number, ruling)]);
        let expected = Refusal::NoPending(pending_id(number));
        assert!(matches!(&refusal, Error::Refused(refusal) if *refusal == expected), "{refusal}");
    }
    assert_eq!(world.read().pending(&[HERE], 9).expect("what waits"), []);
    world.refused(vec![decide(THERE, 1, Ruling::Accepted)]);
    let nowhere = throughline_core::SpaceId(999);
    let refusal = world.refused(vec![defer(&pending(nowhere, 3, "nowhere"))]);
    assert!(matches!(refusal, Error::Refused(Refusal::NoSpace(_))), "{refusal}");
    world.assert_sound();
}

pub(super) fn the_log_tells_what_waited_after_it_was_decided(factory: &dyn Factory) {
    let world = World::new(factory);
    let (one, two) = (pending(HERE, 1, "one"), pending(HERE, 0xf000_0002, "two"));
    world.write(vec![defer(&one), defer(&two), defer(&pending(THERE, 3, "three"))]);
    let decided = world.write(vec![decide(HERE, 1, Ruling::Rejected)]);
    let told = || world.read().deferred(HERE).expect("what waited");
    assert_eq!(told(), [one.clone(), two.clone()]);
    world.undo(decided.batch).expect("it is the latest");
    assert_eq!(told(), [one, two.clone()]);
    world.write(vec![decide(HERE, 1, Ruling::Erased)]);
    assert_eq!(told(), [two]);
}

/// An operation that was rejected and came back, beside one that stays.
fn with_secret(factory: &dyn Factory) -> World {
    let world = World::new(factory);
    world
        .write(vec![defer(&pending(HERE, 1, "xylophone")), defer(&pending(HERE, 2, "stays here"))]);
    let draft = world.draft(vec![decide(HERE, 1, Ruling::Rejected)]);
    let rejected = world.keep(&Batch { reason: Some("no marzipan".to_owned()), ..draft });
    world.undo(rejected.batch).expect("it is the latest");
    world
}

pub(super) fn no_word_of_an_erased_operation_is_left_in_any_log_or_table(factory: &dyn Factory) {
    let world = with_secret(factory);
    let everything = || {
        let reader = world.read();
        let mut told = reader.dump().expect("a dump");
        for stored in reader.log(&EVERYTHING).expect("the log") {
            told.push(format!("{stored:?}"));
            let changes = reader.changes_of(stored.batch.space, stored.batch.id);
            told.push(format!("{:?}", changes.expect("changes")));
        }
        told.join("\n")
    };
    let before = everything();
    assert!(before.contains("xylophone") && before.contains("marzipan"), "{before}");
    let erased = world.write(vec![decide(HERE, 1, Ruling::Erased)]);
    let after = everything();
    assert!(!after.contains("xylophone") && !after.contains("marzipan"), "{after}");
    assert!(after.contains("stays here"), "erased too much");
    assert_eq!(world.undo(erased.batch), Err(UndoRefusal::Erased(erased.batch)));
    world.write(vec![decide(HERE, 1, Ruling::Erased)]);
    assert_eq!(world.store.finish_erasure().expect("erasure"), Erasure::Done);
    world.assert_sound();
}

pub(super) fn the_past_no_longer_shows_an_erased_operation(factory: &dyn Factory) {
    let world = with_secret(factory);
    world.write(vec![decide(HERE, 1, Ruling::Erased)]);
    let past = world.store.as_of(day(1)).expect("the past");
    let waited = past.pending(&[HERE], 9).expect("what waited");
    assert_eq!(waited, [pending(HERE, 2, "stays here")]);
}

pub(super) fn contradictions_are_found_without_the_memories(factory: &dyn Factory) {
    let world = World::new(factory);
    let contradict =
        |space, from, to| Change::Link(edge(space, node(from), Relation::Contradicts, node(to)));
    let claims = (1..=4).map(|number| insert(&fact(HERE, number, &format!("claim {number}"))));
    world.write(claims.collect());
    world.write(vec![
        insert(&fact(THERE, 5, "claim 5")),
        insert(&fact(THERE, 6, "claim 6")),
        contradict(HERE, 2, 1),
        contradict(HERE, 3, 4),
        contradict(THERE, 5, 6),
        Change::Link(edge(HERE, node(1), Relation::RelatesTo, node(3))),
    ]);
    let found = |spaces: &[_], limit| {
        let edges = world.read().contradictions(spaces, limit).expect("edges");
        edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>()
    };
    let here = [(node(1), node(2)), (node(3), node(4))];
    assert_eq!(found(&[HERE], 9), here);
    assert_eq!(found(&[HERE], 1), here[..1]);
    assert_eq!(found(&[HERE, THERE, HERE], 9).len(), 3);
    assert_eq!(found(&[], 9), []);
    let (from, to, relation) = (node(1), node(2), Relation::Contradicts);
    world.write(vec![Change::Unlink { space: HERE, from, relation, to }]);
    assert_eq!(found(&[HERE], 9), here[1..]);
}
