//! Erasure: what was purged is gone from the tables and from the log, and the log still replays.

use throughline_core::row::Tombstone;
use throughline_core::{
    Batch, Change, Edge, EntityKind, Leaf, Memory, Relation, Row, RowKey, SpaceId, State, Table,
};
use throughline_store::{EntityName, Erasure};

use super::Factory;
use super::world::World;
use crate::sample::{
    HERE, THERE, day, edge, entity, entity_id, evidence, fact, full_memory, insert, leaf, leaf_id,
    memory_id, node, revise, reworded, slot, watermark,
};

/// Words that occur nowhere but in what is erased, in every place text can hide.
const SECRETS: [&str; 15] = [
    "xylophone",
    "marzipan",
    "quagmire",
    "labelword",
    "domainword",
    "slotword",
    "triggerword",
    "snippetword",
    "flagword",
    "edgeword",
    "entityword",
    "reasonword",
    "leafword",
    "leafname",
    "leafnote",
];

/// The memory that is erased, as it first was.
fn secret() -> Memory {
    Memory {
        label: Some("labelword".to_owned()),
        domain: Some("domainword".to_owned()),
        slot: Some(slot("slotword", "is", "slotword")),
        triggers: vec!["triggerword".to_owned()],
        ..full_memory(HERE, 1, "xylophone marzipan")
    }
}

/// A memory with everything that can be attached to one, beside a memory that stays.
fn with_secret(factory: &dyn Factory) -> World {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 2, "stays here")), insert(&fact(HERE, 3, "is replaced"))]);
    let told = world.draft(vec![
        insert(&secret()),
        Change::Reinforce(evidence(HERE, 1, "snippetword")),
        Change::Watch(watermark(HERE, 1, "flagword")),
        Change::Know(entity(HERE, 1, EntityKind::Concept, &["entityword", "entityword too"])),
        Change::Know(entity(HERE, 2, EntityKind::Tool, &["shared"])),
        Change::Link(edge(HERE, node(1), Relation::About, entity_id(1).into())),
        Change::Link(edge(HERE, node(1), Relation::About, entity_id(2).into())),
        Change::Link(edge(HERE, node(2), Relation::About, entity_id(2).into())),
        Change::Link(Edge {
            reason: Some("edgeword".to_owned()),
            ..edge(HERE, node(2), Relation::Because, node(1))
        }),
        Change::Rate { space: HERE, memory: memory_id(1), helpful: true },
        Change::Shelve(Leaf {
            name: "leafname".to_owned(),
            notes: vec!["leafnote".to_owned()],
            ..leaf(HERE, 1, 1, "leafword")
        }),
        Change::Shelve(leaf(HERE, 1, 2, "leafword again")),
        Change::Unshelve { space: HERE, memory: memory_id(1), leaf: leaf_id(2) },
    ]);
    world.keep(&Batch { reason: Some("reasonword".to_owned()), ..told });
    world.write(vec![Change::Supersede {
        space: HERE,
        old: memory_id(3),
        new: memory_id(1),
        at: day(3),
    }]);
    let again = world.write(vec![revise(&reworded(&secret(), "quagmire"))]);
    world.undo(again.batch).expect("it is the latest");
    world
}

fn erase(world: &World) -> Tombstone {
    let stone = Tombstone::of(&secret(), day(9));
    let draft = world.draft(vec![Change::Purge(stone.clone())]);
    world.keep(&Batch { reason: Some("reasonword".to_owned()), ..draft });
    stone
}

pub(super) fn erasing_takes_the_memory_and_all_that_hangs_on_it(factory: &dyn Factory) {
    let world = with_secret(factory);
    let stone = erase(&world);
    let reader = world.read();
    let key = RowKey::memory(HERE, memory_id(1));
    assert_eq!(reader.rows(&[key]).expect("rows"), [None]);
    assert_eq!(reader.attached(HERE, &[node(1)]).expect("rows"), []);
    assert_eq!(reader.all_tombstones().expect("tombstones"), [stone]);
    let counts = reader.counts(&[HERE]).expect("counts");
    let left = |table: Table| counts.get(table.as_str()).copied().unwrap_or(0);
    assert_eq!(left(Table::Memory), 2);
    assert_eq!(left(Table::Edge), 1);
    assert_eq!((left(Table::Evidence), left(Table::Watermark), left(Table::Usage)), (0, 0, 0));
    drop(reader);
    world.assert_sound();
}

pub(super) fn a_thing_nothing_else_speaks_of_is_erased_too(factory: &dyn Factory) {
    let world = with_secret(factory);
    erase(&world);
    let named = |name: &str| {
        let name = EntityName { kind: None, name: name.to_owned() };
        world.read().entities(HERE, &[name]).expect("entities").len()
    };
    assert_eq!(named("entityword"), 0);
    assert_eq!(named("entityword too"), 0);
    assert_eq!(named("shared"), 1);
}

pub(super) fn what_the_erased_one_replaced_stays_replaced_without_a_name(factory: &dyn Factory) {
    let world = with_secret(factory);
    erase(&world);
    let row = world.read().rows(&[RowKey::memory(HERE, memory_id(3))]).expect("rows").remove(0);
    let replaced = row.and_then(Row::into_memory).expect("it is there");
    assert_eq!((replaced.state, replaced.superseded_by), (State::Superseded, None));
    world.assert_sound();
}

pub(super) fn no_word_of_the_erased_is_left_in_any_log_or_table(factory: &dyn Factory) {
    let world = with_secret(factory);
    let everything = || {
        let reader = world.read();
        let mut told = reader.dump().expect("a dump");
        for stored in world_log(&*reader) {
            told.push(format!("{stored:?}"));
            let changes = reader.changes_of(stored.batch.space, stored.batch.id);
            told.push(format!("{:?}", changes.expect("changes")));
        }
        told.push(format!("{:?}", reader.history(HERE, node(1)).expect("history")));
        told.join("\n")
    };
    let before = everything();
    for word in SECRETS {
        assert!(before.contains(word), "{word} is not there to be erased");
    }
    erase(&world);
    let after = everything();
    for word in SECRETS {
        assert!(!after.contains(word), "{word} is still there");
    }
    assert!(after.contains("stays here") && after.contains("shared"), "erased too much");
    assert_eq!(world.store.finish_erasure().expect("erasure"), Erasure::Done);
    world.assert_sound();
}

fn world_log(reader: &dyn throughline_store::Reader) -> Vec<throughline_store::StoredBatch> {
    reader.log(&super::world::EVERYTHING).expect("the log")
}

pub(super) fn the_past_no_longer_shows_what_was_erased(factory: &dyn Factory) {
    let world = with_secret(factory);
    let then = |on| world.store.as_of(day(on)).expect("the past").dump().expect("a dump");
    assert!(then(3).join("\n").contains("xylophone"));
    erase(&world);
    let past = then(3).join("\n");
    for word in SECRETS {
        assert!(!past.contains(word), "{word} is still there");
    }
    assert!(past.contains("stays here"));
}

pub(super) fn the_same_claim_may_come_back_and_be_erased_again(factory: &dyn Factory) {
    let world = World::new(factory);
    let told = fact(HERE, 1, "xylophone");
    for on in 1..=3 {
        world.write(vec![insert(&told)]);
        world.write(vec![Change::Purge(Tombstone::of(&told, day(on)))]);
        world.assert_sound();
    }
    let stones = world.read().all_tombstones().expect("tombstones");
    assert_eq!(stones, [Tombstone::of(&told, day(3))], "the latest");
    assert!(!format!("{:?}", world.log()).contains("xylophone"));
}

pub(super) fn erasing_in_one_space_leaves_the_same_claim_in_others(factory: &dyn Factory) {
    let world = World::new(factory);
    let told = |space: SpaceId, number| fact(space, number, "xylophone");
    world.write(vec![insert(&told(HERE, 1)), insert(&told(THERE, 2))]);
    world.write(vec![Change::Purge(Tombstone::of(&told(HERE, 1), day(2)))]);
    let there = world.read().with_fingerprint(THERE, &told(THERE, 2).fingerprint);
    assert_eq!(there.expect("memories"), [told(THERE, 2)]);
    world.assert_sound();
}
