//! Undo: the rows of a batch put back as they were, by a change like any other.

use throughline_core::undo::UndoRefusal;
use throughline_core::{Change, EntityKind, Memory, Relation, Ruling, State, row::Tombstone};
use throughline_store::SlotQuery;

use super::Factory;
use super::world::World;
use crate::sample::{
    HERE, day, decide, edge, entity, entity_id, episode, evidence, fact, insert, memory_id, node,
    pending, revise, reworded, slot, watermark,
};

/// Batches that write to every table an undo can reach, each standing on the one before.
fn batches() -> Vec<Vec<Change>> {
    let old = Memory {
        slot: Some(slot("staging", "runs", "Postgres 14")),
        ..fact(HERE, 1, "staging runs Postgres 14")
    };
    let new = Memory {
        slot: Some(slot("staging", "runs", "Postgres 16")),
        ..fact(HERE, 2, "staging runs Postgres 16")
    };
    vec![
        vec![
            insert(&old),
            Change::Reinforce(evidence(HERE, 1, "it is 14")),
            Change::Know(entity(HERE, 1, EntityKind::Tool, &["Postgres", "pg"])),
            Change::Link(edge(HERE, node(1), Relation::About, entity_id(1).into())),
            Change::Record(episode(HERE, 1, "it is 14, she said")),
        ],
        vec![revise(&reworded(&old, "staging runs PostgreSQL 14"))],
        vec![
            insert(&new),
            Change::Supersede { space: HERE, old: memory_id(1), new: memory_id(2), at: day(3) },
        ],
        vec![
            Change::Watch(watermark(HERE, 2, "DATABASE_URL")),
            Change::Rate { space: HERE, memory: memory_id(2), helpful: true },
        ],
        vec![Change::Unlink {
            space: HERE,
            from: node(1),
            relation: Relation::About,
            to: entity_id(1).into(),
        }],
        vec![Change::Move { space: HERE, id: memory_id(2), to: State::Archived, at: day(6) }],
        vec![Change::Defer(pending(HERE, 1, "staging"))],
        vec![decide(HERE, 1, Ruling::Rejected)],
    ]
}

pub(super) fn undoing_every_batch_walks_back_to_the_beginning(factory: &dyn Factory) {
    let world = World::new(factory);
    let mut written = Vec::new();
    for changes in batches() {
        let before = world.dump();
        written.push((world.write(changes).batch, before));
    }
    for (batch, before) in written.into_iter().rev() {
        world.undo(batch).expect("nothing stands on it");
        assert_eq!(world.dump(), before);
        world.assert_sound();
    }
}

pub(super) fn an_undo_can_be_undone(factory: &dyn Factory) {
    let world = World::new(factory);
    for changes in batches() {
        let batch = world.write(changes).batch;
        let after = world.dump();
        let undone = world.undo(batch).expect("it is the latest").batch;
        assert_ne!(world.dump(), after);
        world.undo(undone).expect("it is the latest");
        assert_eq!(world.dump(), after);
        world.assert_sound();
    }
}

pub(super) fn what_was_undone_is_found_no_more(factory: &dyn Factory) {
    let world = World::new(factory);
    let memory = Memory {
        slot: Some(slot("staging", "runs", "Postgres")),
        ..fact(HERE, 1, "staging runs Postgres")
    };
    let batch = world.write(vec![insert(&memory)]).batch;
    world.undo(batch).expect("it is the latest");
    let reader = world.read();
    assert_eq!(reader.find(&[HERE], &memory.id.to_string()).expect("found"), []);
    assert_eq!(reader.in_slot(HERE, &SlotQuery::active("staging|runs")).expect("found"), []);
    let said = reader.with_fingerprint(HERE, &memory.fingerprint);
    assert_eq!(said.expect("found"), []);
    assert_eq!(reader.all_tombstones().expect("tombstones"), []);
}

pub(super) fn an_erasure_cannot_be_undone(factory: &dyn Factory) {
    let world = World::new(factory);
    let secret = fact(HERE, 1, "a secret");
    world.write(vec![insert(&secret)]);
    let purge = world.write(vec![Change::Purge(Tombstone::of(&secret, day(2)))]);
    assert_eq!(world.undo(purge.batch), Err(UndoRefusal::Erased(purge.batch)));
}
