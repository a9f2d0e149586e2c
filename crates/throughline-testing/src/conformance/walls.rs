//! Walls: a reader of one space sees nothing of another, whatever it asks.

use throughline_core::row::Tombstone;
use throughline_core::{Change, EntityKind, Fingerprint, Memory, Relation, Row, SpaceId};
use throughline_store::{
    EntityName, LogQuery, MemoryQuery, Reader, SlotQuery, TextOf, TextQuery, Vector,
};

use super::text::search_for;
use super::world::{EVERYTHING, World};
use super::{Factory, Place};
use crate::sample::{
    ELSEWHERE, HERE, THERE, attended, batch, day, edge, entity, entity_id, episode, evidence, fact,
    injection, insert, memory_id, node, opening, pending, slot, watermark,
};

const SPACES: [SpaceId; 3] = [HERE, THERE, ELSEWHERE];

/// The same things in every space, under ids of their own: `base` and the numbers after it.
fn same_things(space: SpaceId, base: u64) -> Vec<Change> {
    let told = |number, content: &str| Memory {
        slot: Some(slot("staging", "runs", content)),
        ..fact(space, base + number, content)
    };
    let erased = told(3, "a secret");
    vec![
        insert(&told(1, "staging runs Postgres 14")),
        insert(&told(2, "staging runs Postgres 16")),
        insert(&erased),
        Change::Purge(Tombstone::of(&erased, day(1))),
        Change::Supersede { space, old: memory_id(base + 1), new: memory_id(base + 2), at: day(1) },
        Change::Reinforce(evidence(space, base + 2, "we moved")),
        Change::Watch(watermark(space, base + 2, "DATABASE_URL")),
        Change::Rate { space, memory: memory_id(base + 2), helpful: true },
        Change::Know(entity(space, base + 1, EntityKind::Tag, &["database", "db"])),
        Change::Link(edge(space, node(base + 2), Relation::Tagged, entity_id(base + 1).into())),
        Change::Record(episode(space, base + 1, "staging runs Postgres 16 now")),
        Change::Attend(attended(space, "morning")),
        Change::Inject(injection(space, "shown", day(1), &[base + 2])),
        insert(&fact(space, base + 4, "staging runs nothing")),
        Change::Link(edge(space, node(base + 2), Relation::Contradicts, node(base + 4))),
        Change::Defer(pending(space, base + 1, "staging")),
    ]
}

fn base_of(space: SpaceId) -> u64 {
    space.0.unsigned_abs() * 1_000
}

fn three_alike(
    factory: &dyn Factory,
) -> (Box<dyn Place>, std::sync::Arc<dyn throughline_store::Store>) {
    let place = factory.fresh();
    let store = place.open();
    store.apply(&opening(&SPACES)).expect("spaces are welcome");
    for space in SPACES {
        let base = base_of(space);
        let told = batch(base, space, day(1), same_things(space, base));
        store.apply(&told).expect("the batch is accepted");
        let vector = Vector { node: node(base + 2), seq: 1, values: vec![1.0], packed: Vec::new() };
        store.put_vectors(space, "small", &[vector]).expect("vectors are kept");
    }
    (place, store)
}

/// The spaces of everything found in `space` by what it says, with the verb that found it.
fn found_by_content(reader: &dyn Reader, space: SpaceId) -> Vec<(&'static str, Vec<SpaceId>)> {
    let of_memories = |found: &[Memory]| found.iter().map(|one| one.space).collect();
    let listing = MemoryQuery { spaces: vec![space], limit: 100, ..MemoryQuery::default() };
    let tagged = MemoryQuery { tag: Some("db".to_owned()), ..listing.clone() };
    let words = TextQuery { spaces: vec![space], ..search_for("staging") };
    let said = TextQuery { of: TextOf::Episodes, ..words.clone() };
    let name = EntityName { kind: None, name: "db".to_owned() };
    let log = LogQuery { spaces: vec![space], ..EVERYTHING };
    let claim = Fingerprint::of("staging runs Postgres 16");
    let listed = reader.memories(&listing).expect("a listing");
    assert_eq!(listed.total, listed.items.len());
    let shown = injection(space, "shown", day(1), &[]);
    let hits = |query| {
        let hits = reader.text(query).expect("a search");
        hits.iter().map(|hit| hit.space).collect()
    };
    vec![
        ("memories", of_memories(&listed.items)),
        ("memories by tag", of_memories(&reader.memories(&tagged).expect("a listing").items)),
        ("find", of_memories(&reader.find(&[space], "000").expect("memories"))),
        (
            "with_fingerprint",
            of_memories(&reader.with_fingerprint(space, &claim).expect("memories")),
        ),
        (
            "in_slot",
            of_memories(
                &reader.in_slot(space, &SlotQuery::active("staging|runs")).expect("memories"),
            ),
        ),
        ("text of memories", hits(&words)),
        ("text of episodes", hits(&said)),
        (
            "tombstones",
            reader
                .tombstones(space, &[Fingerprint::of("a secret")])
                .expect("tombstones")
                .iter()
                .map(|one| one.space)
                .collect(),
        ),
        (
            "entities",
            reader
                .entities(space, &[name])
                .expect("entities")
                .iter()
                .map(|one| one.space)
                .collect(),
        ),
        (
            "rows",
            reader
                .rows(&[
                    Row::Injection(shown).key(),
                    Row::Session(attended(space, "morning")).key(),
                ])
                .expect("rows")
                .iter()
                .flatten()
                .map(|row| row.key().space)
                .collect(),
        ),
        ("log", reader.log(&log).expect("the log").iter().map(|one| one.batch.space).collect()),
    ]
}

/// The same for what waits for a person.
fn found_waiting(reader: &dyn Reader, space: SpaceId) -> Vec<(&'static str, Vec<SpaceId>)> {
    let edges = reader.contradictions(&[space], 10).expect("edges");
    let waiting = reader.pending(&[space], 10).expect("what waits");
    let waited = reader.deferred(space).expect("what waited");
    vec![
        ("contradictions", edges.iter().map(|one| one.space).collect()),
        ("pending", waiting.iter().map(|one| one.space).collect()),
        ("deferred", waited.iter().map(|one| one.space).collect()),
    ]
}

/// How much is found in `space` about the nodes of `owner`, with the verb that found it.
fn found_by_id(reader: &dyn Reader, space: SpaceId, owner: SpaceId) -> Vec<(&'static str, usize)> {
    let base = base_of(owner);
    let (memory, thing) = (node(base + 2), entity_id(base + 1).into());
    let whole = memory_id(base + 2).to_string();
    let vectors = reader.vectors(space, "small", 0).expect("vectors");
    let own = |vector: &&Vector| vector.node == memory;
    let nodes = [memory, thing];
    vec![
        ("find", reader.find(&[space], &whole).expect("memories").len()),
        ("attached", reader.attached(space, &nodes).expect("rows").len()),
        ("neighbours", reader.neighbours(space, &nodes, &[], 10).expect("edges").len()),
        ("replaced_by", reader.replaced_by(space, memory_id(base + 2)).expect("memories").len()),
        ("history", reader.history(space, memory).expect("history").len()),
        ("history of a thing", reader.history(space, thing).expect("history").len()),
        ("injections", reader.injections(space, memory_id(base + 2), 10).expect("shown").len()),
        ("vectors", vectors.iter().filter(own).count()),
    ]
}

pub(super) fn the_same_words_in_three_spaces_never_meet(factory: &dyn Factory) {
    let (_place, store) = three_alike(factory);
    let reader = store.read().expect("a reader");
    for space in SPACES {
        let found = found_by_content(&*reader, space).into_iter();
        for (verb, found) in found.chain(found_waiting(&*reader, space)) {
            assert!(!found.is_empty(), "{verb} finds nothing in space {space}");
            assert!(found.iter().all(|one| *one == space), "{verb} in {space}: {found:?}");
        }
    }
}

pub(super) fn an_id_means_nothing_in_another_space(factory: &dyn Factory) {
    let (_place, store) = three_alike(factory);
    let reader = store.read().expect("a reader");
    for space in SPACES {
        for owner in SPACES {
            for (verb, found) in found_by_id(&*reader, space, owner) {
                assert_eq!(found > 0, space == owner, "{verb} in {space} about {owner}: {found}");
            }
        }
    }
}

pub(super) fn every_space_counts_its_own(factory: &dyn Factory) {
    let (_place, store) = three_alike(factory);
    let reader = store.read().expect("a reader");
    let one = reader.counts(&[HERE]).expect("counts");
    for space in SPACES {
        assert_eq!(reader.counts(&[space]).expect("counts"), one);
    }
    let all = reader.counts(&SPACES).expect("counts");
    assert!(all.iter().all(|(name, count)| *count == 3 * one[name]), "{all:?}");
}

pub(super) fn a_change_cannot_reach_over_the_wall(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![
        insert(&fact(HERE, 1, "here")),
        insert(&fact(THERE, 2, "there")),
        Change::Know(entity(THERE, 1, EntityKind::Tag, &["label"])),
    ]);
    let tagged = edge(HERE, node(1), Relation::Tagged, entity_id(1).into());
    for change in [
        Change::Link(edge(HERE, node(1), Relation::RelatesTo, node(2))),
        Change::Link(tagged),
        Change::Supersede { space: HERE, old: memory_id(1), new: memory_id(2), at: day(2) },
        Change::Supersede { space: THERE, old: memory_id(1), new: memory_id(2), at: day(2) },
        Change::Rate { space: HERE, memory: memory_id(2), helpful: true },
        Change::Purge(Tombstone::of(&fact(HERE, 2, "there"), day(2))),
    ] {
        world.refused(vec![change]);
    }
}
