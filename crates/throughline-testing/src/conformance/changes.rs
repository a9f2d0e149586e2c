//! Changes: all of a batch or nothing of it, decided with nobody writing in between.

use std::panic::{AssertUnwindSafe, catch_unwind};

use throughline_core::fold::Refusal;
use throughline_core::row::Tombstone;
use throughline_core::{Change, EntityKind, Relation, Row, RowKey, State};
use throughline_store::Error;

use super::Factory;
use super::world::World;
use crate::sample::{
    HERE, THERE, day, edge, entity, entity_id, episode, evidence, fact, injection, insert,
    memory_id, node, revise, space, watermark,
};

pub(super) fn a_refused_change_takes_its_whole_batch_with_it(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "staging runs Postgres 14"))]);

    let refusal = world.refused(vec![
        insert(&fact(HERE, 2, "staging runs Postgres 16")),
        Change::Supersede { space: HERE, old: memory_id(1), new: memory_id(2), at: day(2) },
        insert(&fact(HERE, 1, "there already")),
    ]);
    assert!(matches!(refusal, Error::Refused(Refusal::Exists(_))), "{refusal}");
    world.assert_sound();
}

/// Changes that cannot be made to a store that holds memories 1 and 2 (which replaced 1), memory 3
/// in another space, entity 1, episode 1 and an injection.
fn impossible() -> Vec<(Change, Refusal)> {
    let (one, two, nine) = (memory_id(1), memory_id(2), memory_id(9));
    let gone = Refusal::NoMemory;
    let use_of = |id| Change::Use {
        space: HERE,
        memories: vec![memory_id(2), id],
        session: None,
        at: day(5),
    };
    let supersede = |old, new| Change::Supersede { space: HERE, old, new, at: day(5) };
    let to = |id, to| Change::Move { space: HERE, id, to, at: day(5) };
    let no_step = |id, from, to| Refusal::NoSuchStep { id, from, to };
    let thing = entity_id(9).into();
    let stranger = memory_id(3);
    vec![
        (Change::Reinforce(evidence(HERE, 9, "hm")), gone(nine)),
        (revise(&fact(HERE, 9, "hm")), gone(nine)),
        (revise(&fact(HERE, 3, "of another space")), gone(stranger)),
        (to(nine, State::Archived), gone(nine)),
        (to(one, State::Confirmed), no_step(one, State::Superseded, State::Confirmed)),
        (to(two, State::Draft), no_step(two, State::Confirmed, State::Draft)),
        (supersede(two, nine), gone(nine)),
        (supersede(two, one), Refusal::Circle { old: two, new: one }),
        (supersede(one, two), Refusal::NotCurrent { id: one, state: State::Superseded }),
        (
            Change::Unsupersede { space: HERE, old: two },
            no_step(two, State::Confirmed, State::Staged),
        ),
        (Change::Link(edge(HERE, node(2), Relation::About, thing)), Refusal::NoNode(thing)),
        (Change::Link(edge(HERE, node(2), Relation::Extends, node(2))), Refusal::SelfLink),
        (
            Change::Unlink { space: HERE, from: node(1), relation: Relation::About, to: node(2) },
            Refusal::NoEdge,
        ),
        (Change::Watch(watermark(HERE, 9, "FLAG")), gone(nine)),
        (use_of(nine), gone(nine)),
        (Change::Rate { space: HERE, memory: nine, helpful: true }, gone(nine)),
        (Change::Purge(Tombstone::of(&fact(HERE, 9, "hm"), day(5))), gone(nine)),
    ]
}

pub(super) fn what_cannot_be_done_is_refused_without_a_trace(factory: &dyn Factory) {
    let world = World::new(factory);
    let turn = episode(HERE, 1, "said once");
    let shown = injection(HERE, "shown 1", day(1), &[1]);
    world.write(vec![
        insert(&fact(HERE, 1, "staging runs Postgres 14")),
        insert(&fact(HERE, 2, "staging runs Postgres 16")),
        insert(&fact(THERE, 3, "staging runs elsewhere")),
        Change::Know(entity(HERE, 1, EntityKind::Tool, &["Postgres"])),
        Change::Record(turn.clone()),
        Change::Inject(shown.clone()),
        Change::Supersede { space: HERE, old: memory_id(1), new: memory_id(2), at: day(1) },
    ]);

    for (change, expected) in impossible() {
        let error = world.refused(vec![change.clone()]);
        let Error::Refused(refusal) = error else { panic!("{change:?}: {error}") };
        assert_eq!(refusal, expected, "{change:?}");
    }
    let id = memory_id(2);
    let itself = Change::Supersede { space: HERE, old: id, new: id, at: day(5) };
    let refusal = world.refused(vec![itself]);
    assert!(matches!(refusal, Error::Refused(_)), "{refusal}");
    for again in [
        Change::AddSpace(space(HERE)),
        insert(&fact(HERE, 1, "there already")),
        Change::Record(turn),
        Change::Inject(shown),
    ] {
        let refusal = world.refused(vec![again]);
        assert!(matches!(refusal, Error::Refused(Refusal::Exists(_))), "{refusal}");
    }
    world.assert_sound();
}

pub(super) fn a_planner_that_gives_up_writes_nothing(factory: &dyn Factory) {
    let world = World::new(factory);
    let before = (world.dump(), world.log());
    let outcome = world.store.transact(&mut |_| Err(Error::Abandoned));
    assert!(matches!(outcome, Err(Error::Abandoned)));
    assert_eq!((world.dump(), world.log()), before);
}

pub(super) fn a_planner_that_panics_leaves_the_store_as_it_was(factory: &dyn Factory) {
    let world = World::new(factory);
    let before = (world.dump(), world.log());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        world.store.transact(&mut |_| panic!("a bug in the planner"))
    }));
    assert!(outcome.is_err());
    assert_eq!((world.dump(), world.log()), before);
    world.write(vec![insert(&fact(HERE, 1, "life goes on"))]);
    world.assert_sound();
}

pub(super) fn a_planner_sees_what_is_there_and_its_batch_is_applied(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "asked once"))]);
    let draft = world.draft(Vec::new());
    let key = RowKey::memory(HERE, memory_id(1));
    let commit = world.store.transact(&mut |reader| {
        let held = reader.rows(std::slice::from_ref(&key))?.remove(0);
        let mut held = held.and_then(Row::into_memory).expect("it is there");
        held.label = Some(format!("was: {}", held.content));
        let mut batch = draft.clone();
        batch.changes = vec![revise(&held)];
        Ok(batch)
    });
    assert_eq!(commit.expect("it is accepted").batch, draft.id);
    let found = world.read().rows(&[key]).expect("rows").remove(0);
    let label = found.and_then(Row::into_memory).and_then(|memory| memory.label);
    assert_eq!(label.as_deref(), Some("was: asked once"));
}

pub(super) fn a_commit_names_its_batch_and_its_last_change(factory: &dyn Factory) {
    let world = World::new(factory);
    let start = world.log().last().expect("the opening").last_seq;
    let three = world.draft((1..=3).map(|n| insert(&fact(HERE, n, &format!("{n}")))).collect());
    let commit = world.keep(&three);
    assert_eq!((commit.batch, commit.seq), (three.id, start + 3));
    let commit = world.write(vec![Change::Know(entity(HERE, 1, EntityKind::Tag, &["x"]))]);
    assert_eq!(commit.seq, start + 4);
}

pub(super) fn a_batch_without_changes_is_kept_too(factory: &dyn Factory) {
    let world = World::new(factory);
    let (dump, commits) = (world.dump(), [world.write(Vec::new()), world.write(Vec::new())]);
    assert_eq!(commits[1].seq, commits[0].seq + 1);
    assert_eq!(world.dump(), dump);
    let log = world.log();
    assert_eq!(log[log.len() - 1].batch.id, commits[1].batch);
    assert_eq!(log[log.len() - 2].batch.changes, []);
    world.assert_sound();
}

pub(super) fn one_batch_may_touch_several_spaces(factory: &dyn Factory) {
    let world = World::new(factory);
    let (here, there) = (fact(HERE, 1, "the same"), fact(THERE, 2, "the same"));
    world.write(vec![insert(&here), insert(&there)]);
    let reader = world.read();
    for memory in [here, there] {
        let found = reader.with_fingerprint(memory.space, &memory.fingerprint);
        assert_eq!(found.expect("memories"), std::slice::from_ref(&memory));
        let told = reader.history(memory.space, memory.id.into()).expect("history");
        assert_eq!(told.len(), 1, "space {}", memory.space);
    }
    drop(reader);
    world.assert_sound();
}
