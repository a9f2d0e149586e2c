//! Finding: by id, by claim, by slot, by name, by connection.

use std::collections::BTreeSet;

use throughline_core::row::{Tombstone, slot_fingerprint};
use throughline_core::{
    Change, Edge, EntityKind, Fingerprint, Kind, Memory, NodeId, Relation, State,
};
use throughline_store::{EntityName, SlotQuery};

use super::Factory;
use super::world::{World, contents};
use crate::sample::{
    HERE, THERE, day, edge, entity, entity_id, fact, guess, injection, insert, memory_id, node,
    revise, slot, watermark,
};

pub(super) fn a_memory_is_found_by_its_id_its_beginning_or_its_tail(factory: &dyn Factory) {
    let world = World::new(factory);
    let (first, second) = (fact(HERE, 0x1a, "one"), fact(HERE, 0x1b, "two"));
    world.write(vec![insert(&first), insert(&second), insert(&fact(THERE, 0x1c, "three"))]);

    let find = |handle: &str| world.read().find(&[HERE], handle).expect("memories");
    let whole = first.id.to_string();
    for handle in [&whole, "0000001a", "0000001a-0001-7", &first.id.handle(), &whole[24..]] {
        assert_eq!(contents(&find(handle)), ["one"], "{handle}");
    }
    let mut both = find("000000");
    both.sort_by_key(|memory| memory.id);
    assert_eq!(both, [first.clone(), second]);
    assert_eq!(find(&first.id.handle()[1..]), [], "a tail has eight characters");
    assert_eq!(find("0000001c"), [], "of another space");
    assert_eq!(find("nonsense"), []);
    assert_eq!(world.read().find(&[], &whole).expect("none"), []);
    let everywhere = world.read().find(&[HERE, THERE], "000000").expect("memories");
    assert_eq!(everywhere.len(), 3);
}

pub(super) fn the_same_claim_is_found_in_any_state(factory: &dyn Factory) {
    let world = World::new(factory);
    let (kept, dropped) = (fact(HERE, 1, "Use tabs."), fact(HERE, 2, "use  TABS"));
    world.write(vec![
        insert(&dropped),
        Change::Move { space: HERE, id: dropped.id, to: State::Retracted, at: day(1) },
        insert(&kept),
        insert(&fact(HERE, 3, "Use spaces.")),
    ]);
    let mark = Fingerprint::of("use tabs");
    let found = |space| {
        let mut found = world.read().with_fingerprint(space, &mark).expect("memories");
        found.sort_by_key(|memory| memory.id);
        found.iter().map(|memory| (memory.id, memory.state)).collect::<Vec<_>>()
    };
    let expected = [(kept.id, State::Confirmed), (dropped.id, State::Retracted)];
    assert_eq!(found(HERE), expected);
    assert_eq!(found(THERE), []);
}

pub(super) fn current_memories_of_a_kind_come_newest_first(factory: &dyn Factory) {
    let world = World::new(factory);
    let of = |number: u64, kind: Kind, on: u32| Memory {
        kind,
        recorded_at: day(on),
        ..fact(HERE, number, &format!("claim {number}"))
    };
    let gone = of(4, Kind::Decision, 4);
    world.write(vec![
        insert(&of(1, Kind::Decision, 1)),
        insert(&of(2, Kind::Negative, 2)),
        insert(&of(3, Kind::Decision, 3)),
        insert(&gone),
        insert(&of(5, Kind::Fact, 5)),
        Change::Move { space: HERE, id: gone.id, to: State::Retracted, at: day(6) },
        insert(&fact(THERE, 6, "elsewhere")),
    ]);
    let find = |kinds: &[Kind], limit| {
        world.read().current(&[HERE, HERE], kinds, limit).expect("memories")
    };
    assert_eq!(contents(&find(&[Kind::Decision], 9)), ["claim 3", "claim 1"]);
    let both = find(&[Kind::Decision, Kind::Negative], 1);
    assert_eq!(contents(&both), ["claim 3", "claim 2"]);
    assert_eq!(find(&[], 9), []);
}

pub(super) fn memories_with_triggers_are_found_without_the_others(factory: &dyn Factory) {
    let world = World::new(factory);
    let with = |number: u64, trigger: &str| Memory {
        triggers: vec![trigger.to_owned()],
        recorded_at: day(u32::try_from(number).expect("small")),
        ..fact(HERE, number, &format!("claim {number}"))
    };
    let dropped = with(3, "make");
    world.write(vec![
        insert(&with(1, "cargo publish")),
        insert(&fact(HERE, 2, "no trigger")),
        insert(&dropped),
        revise(&Memory { triggers: Vec::new(), ..dropped }),
        insert(&with(4, "*.lock")),
    ]);
    let find = |limit| world.read().triggered(&[HERE], limit).expect("memories");
    assert_eq!(contents(&find(9)), ["claim 4", "claim 1"]);
    assert_eq!(contents(&find(1)), ["claim 4"]);
    assert!(world.read().triggered(&[THERE], 9).expect("memories").is_empty());
}

pub(super) fn memories_that_name_what_is_not_there_are_found(factory: &dyn Factory) {
    let world = World::new(factory);
    let naming = |number: u64| Memory {
        unresolved: Some("src/nowhere.rs".to_owned()),
        recorded_at: day(u32::try_from(number).expect("small")),
        ..fact(HERE, number, &format!("claim {number}"))
    };
    world.write(vec![
        insert(&naming(1)),
        insert(&fact(HERE, 2, "claim 2")),
        insert(&naming(3)),
        insert(&naming(4)),
        Change::Move { space: HERE, id: memory_id(3), to: State::Archived, at: day(5) },
    ]);
    let find = |limit| world.read().unresolved(&[HERE], limit).expect("memories");
    assert_eq!(contents(&find(9)), ["claim 4", "claim 1"]);
    assert_eq!(contents(&find(1)), ["claim 4"]);
    assert!(world.read().unresolved(&[THERE], 9).expect("memories").is_empty());
}

pub(super) fn what_a_space_hangs_on_is_listed_until_it_is_dropped(factory: &dyn Factory) {
    let world = World::new(factory);
    let mark = |space, memory, flag: &str| watermark(space, memory, flag);
    world.write(vec![
        insert(&fact(HERE, 1, "claim 1")),
        insert(&fact(HERE, 2, "claim 2")),
        insert(&fact(THERE, 3, "claim 3")),
        Change::Watch(mark(HERE, 1, "ONE")),
        Change::Watch(mark(HERE, 1, "OTHER")),
        Change::Watch(mark(HERE, 2, "TWO")),
        Change::Watch(mark(THERE, 3, "THREE")),
    ]);
    let names = |only_active| -> BTreeSet<String> {
        let watched = world.read().watched(HERE, only_active).expect("bindings");
        watched.iter().map(|mark| mark.referent.to_string()).collect()
    };
    let all = ["flag:ONE", "flag:OTHER", "flag:TWO"].map(str::to_owned);
    assert_eq!(names(true), BTreeSet::from(all));
    let (space, referent) = (HERE, mark(HERE, 1, "OTHER").referent);
    world.write(vec![
        Change::Move { space, id: memory_id(2), to: State::Archived, at: day(3) },
        Change::Unwatch { space, memory: memory_id(1), referent },
    ]);
    assert_eq!(names(true), BTreeSet::from(["flag:ONE".to_owned()]));
    assert_eq!(names(false), BTreeSet::from(["flag:ONE", "flag:TWO"].map(str::to_owned)));
}

pub(super) fn a_slot_holds_what_speaks_of_it_now(factory: &dyn Factory) {
    let world = World::new(factory);
    let with = |number, object: &str| Memory {
        slot: Some(slot("Staging", "runs", object)),
        ..fact(HERE, number, object)
    };
    let gone = with(3, "Oracle");
    world.write(vec![
        insert(&with(1, "Postgres 14")),
        insert(&with(2, "Postgres 16")),
        insert(&gone),
        insert(&fact(HERE, 4, "no slot")),
    ]);
    let held = |key: &str| {
        let found = world.read().in_slot(HERE, &SlotQuery::active(key)).expect("memories");
        found.into_iter().map(|memory| memory.content).collect::<Vec<_>>()
    };
    assert_eq!(held("staging|runs"), ["Postgres 14", "Postgres 16", "Oracle"]);

    world.write(vec![
        revise(&Memory {
            slot: Some(slot("production", "runs", "Postgres 14")),
            ..with(1, "Postgres 14")
        }),
        Change::Supersede { space: HERE, old: memory_id(3), new: memory_id(2), at: day(2) },
        revise(&Memory {
            slot: Some(slot("staging", "runs", "Postgres 17")),
            ..fact(HERE, 4, "no slot no more")
        }),
    ]);
    assert_eq!(held("staging|runs"), ["Postgres 16", "no slot no more"]);
    let oracle = world
        .read()
        .in_slot(
            HERE,
            &SlotQuery { value: Some("oracle".to_owned()), ..SlotQuery::active("staging|runs") },
        )
        .expect("memories");
    assert!(oracle.iter().any(|memory| memory.content == "Oracle"), "a value is known for good");
    let told = world
        .read()
        .in_slot(
            HERE,
            &SlotQuery {
                value: Some("postgres 14".to_owned()),
                ..SlotQuery::active("staging|runs")
            },
        )
        .expect("memories");
    assert_eq!(told.len(), 2, "another value brings nothing put away");
    assert_eq!(held("production|runs"), ["Postgres 14"]);
    world.write(vec![Change::Purge(Tombstone::of(&gone, day(3)))]);
    assert_eq!(held("staging|runs"), ["Postgres 16", "no slot no more"]);
    assert_eq!(world.read().in_slot(THERE, &SlotQuery::active("staging|runs")).expect("none"), []);
}

pub(super) fn a_memory_knows_what_it_replaced(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![
        insert(&fact(HERE, 1, "fourteen")),
        insert(&guess(HERE, 2, "fifteen")),
        insert(&fact(HERE, 3, "sixteen")),
    ]);
    let supersede = |old| Change::Supersede { space: HERE, old, new: memory_id(3), at: day(1) };
    world.write(vec![supersede(memory_id(1)), supersede(memory_id(2))]);
    let replaced = || {
        let found = world.read().replaced_by(HERE, memory_id(3)).expect("memories");
        found.into_iter().map(|memory| memory.content).collect::<Vec<_>>()
    };
    assert_eq!(replaced(), ["fourteen", "fifteen"]);
    world.write(vec![Change::Unsupersede { space: HERE, old: memory_id(1) }]);
    assert_eq!(replaced(), ["fifteen"]);
    assert_eq!(world.read().replaced_by(HERE, memory_id(1)).expect("none"), []);
    world.assert_sound();
}

pub(super) fn a_thing_answers_to_every_name_it_has_now(factory: &dyn Factory) {
    let world = World::new(factory);
    let tool = entity(HERE, 1, EntityKind::Tool, &["Postgres", "PG", "the database"]);
    let person = entity(HERE, 2, EntityKind::Person, &["Pg"]);
    world.write(vec![Change::Know(tool.clone()), Change::Know(person.clone())]);
    let named = |kind, name: &str| {
        let name = EntityName { kind, name: name.to_owned() };
        world.read().entities(HERE, &[name]).expect("entities")
    };
    assert_eq!(named(None, "pg"), [tool.clone(), person.clone()]);
    assert_eq!(named(Some(EntityKind::Person), "pg"), [person]);
    assert_eq!(named(None, "the database"), std::slice::from_ref(&tool));
    assert_eq!(named(None, "database"), []);

    let renamed = entity(HERE, 1, EntityKind::Tool, &["PostgreSQL", "Postgres"]);
    world.write(vec![Change::Know(renamed.clone())]);
    assert_eq!(named(None, "the database"), []);
    let names = ["postgres", "postgresql"].map(|name| EntityName { kind: None, name: name.into() });
    let found = world.read().entities(HERE, &names).expect("entities");
    assert_eq!(found, std::slice::from_ref(&renamed), "told once, whatever it is called");
    assert_eq!(world.read().entities(THERE, &names).expect("none"), []);
    assert_eq!(world.read().entities(HERE, &[]).expect("none"), []);
    let other = entity(HERE, 3, EntityKind::Tool, &["Redis"]);
    world.write(vec![Change::Know(other.clone())]);
    let tools = |most| world.read().entities_of(HERE, EntityKind::Tool, most).expect("entities");
    assert_eq!(tools(9), [other.clone(), renamed], "the newest first");
    assert_eq!(tools(1), [other]);
    assert_eq!(world.read().entities_of(THERE, EntityKind::Tool, 9).expect("none"), []);
}

pub(super) fn things_are_listed_by_kind_with_what_leads_to_them(factory: &dyn Factory) {
    let world = World::new(factory);
    let tool = entity(HERE, 1, EntityKind::Tool, &["hammer"]);
    let tag = entity(HERE, 2, EntityKind::Tag, &["loud"]);
    world.write(vec![
        insert(&fact(HERE, 1, "the hammer is loud")),
        insert(&fact(HERE, 2, "the hammer is heavy")),
        Change::Know(tool.clone()),
        Change::Know(tag.clone()),
        Change::Know(entity(THERE, 3, EntityKind::Tool, &["saw"])),
        Change::Link(edge(HERE, node(1), Relation::About, entity_id(1).into())),
        Change::Link(edge(HERE, node(2), Relation::About, entity_id(1).into())),
    ]);
    let all = world.read().things(HERE, &[]).expect("things");
    assert_eq!(all, [(tool.clone(), 2), (tag, 0)]);
    let tools = world.read().things(HERE, &[EntityKind::Tool]).expect("things");
    assert_eq!(tools, [(tool, 2)]);
    assert_eq!(world.read().things(HERE, &[EntityKind::Box]).expect("none"), []);
}

pub(super) fn neighbours_are_limited_for_each_node_and_direction(factory: &dyn Factory) {
    let world = World::new(factory);
    let mut changes: Vec<Change> =
        (1..=6).map(|n| insert(&fact(HERE, n, &format!("memory {n}")))).collect();
    changes.push(Change::Know(entity(HERE, 1, EntityKind::Tool, &["hammer"])));
    let about = entity_id(1).into();
    let edges: Vec<Edge> = [
        (node(1), Relation::About, about),
        (node(1), Relation::Because, node(2)),
        (node(1), Relation::Because, node(3)),
        (node(1), Relation::Extends, node(4)),
        (node(5), Relation::Because, node(1)),
        (node(6), Relation::Because, node(1)),
        (node(5), Relation::Because, node(6)),
    ]
    .into_iter()
    .map(|(from, relation, to)| edge(HERE, from, relation, to))
    .collect();
    changes.extend(edges.iter().cloned().map(Change::Link));
    world.write(changes);

    let around = |nodes: &[NodeId], relations: &[Relation], limit| {
        let found = world.read().neighbours(HERE, nodes, relations, limit);
        let found = found.expect("edges");
        let at = |edge: &Edge| edges.iter().position(|one| one == edge).expect("known");
        let mut found: Vec<usize> = found.iter().map(at).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(around(&[node(1)], &[], 10), [0, 1, 2, 3, 4, 5]);
    assert_eq!(around(&[node(1)], &[Relation::Because], 10), [1, 2, 4, 5]);
    assert_eq!(around(&[node(1)], &[Relation::Because, Relation::About], 10), [0, 1, 2, 4, 5]);
    assert_eq!(around(&[node(1)], &[Relation::Because], 1), [1, 4], "one each way, in key order");
    assert_eq!(around(&[node(1), node(5)], &[], 10), [0, 1, 2, 3, 4, 5, 6], "told once");
    assert_eq!(around(&[about], &[], 10), [0]);
    assert!(around(&[node(1)], &[Relation::Blocks], 10).is_empty());
    assert!(around(&[node(1)], &[], 0).is_empty());
    assert_eq!(world.read().neighbours(THERE, &[node(1)], &[], 10).expect("none"), []);
}

pub(super) fn saying_a_symmetric_link_from_either_side_makes_one_edge(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "tabs")), insert(&fact(HERE, 2, "spaces"))]);
    let backwards =
        Edge { from: node(2), to: node(1), ..edge(HERE, node(1), Relation::Contradicts, node(2)) };
    world.write(vec![Change::Link(edge(HERE, node(1), Relation::Contradicts, node(2)))]);
    world.write(vec![Change::Link(backwards)]);
    let found = world.read().neighbours(HERE, &[node(1)], &[], 10).expect("edges");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reinforcements, 1);
    world.write(vec![Change::Unlink {
        space: HERE,
        from: node(2),
        relation: Relation::Contradicts,
        to: node(1),
    }]);
    assert_eq!(world.read().neighbours(HERE, &[node(1)], &[], 10).expect("none"), []);
}

pub(super) fn the_times_a_memory_was_shown_come_latest_first(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "one")), insert(&fact(HERE, 2, "two"))]);
    for (id, on, memories) in
        [("b", 3, &[1, 2][..]), ("a", 9, &[1]), ("c", 3, &[2, 1]), ("d", 5, &[2])]
    {
        world.write(vec![Change::Inject(injection(HERE, id, day(on), memories))]);
    }
    let shown = |limit| {
        let found = world.read().injections(HERE, memory_id(1), limit).expect("injections");
        found.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(shown(10), ["a", "c", "b"]);
    assert_eq!(shown(2), ["a", "c"]);
    assert_eq!(world.read().injections(THERE, memory_id(1), 10).expect("none"), []);
}

pub(super) fn a_tombstone_is_found_by_the_claim_or_the_slot_it_marks(factory: &dyn Factory) {
    let world = World::new(factory);
    let value = slot("api", "key", "hunter2");
    let secret = Memory { slot: Some(value.clone()), ..fact(HERE, 1, "the key is hunter2") };
    let other = fact(THERE, 2, "another secret");
    world.write(vec![insert(&secret), insert(&other)]);
    let stones = [&secret, &other].map(|memory| Tombstone::of(memory, day(2)));
    world.write(stones.iter().cloned().map(Change::Purge).collect());

    let marked =
        |space, marks: &[Fingerprint]| world.read().tombstones(space, marks).expect("tombstones");
    let (claim, slot) = (secret.fingerprint, slot_fingerprint(&value));
    let found = std::slice::from_ref(&stones[0]);
    assert_eq!(marked(HERE, std::slice::from_ref(&claim)), found);
    assert_eq!(marked(HERE, std::slice::from_ref(&slot)), found);
    assert_eq!(marked(HERE, &[claim.clone(), slot, other.fingerprint]), found, "told once");
    assert_eq!(marked(THERE, &[claim]), []);
    assert_eq!(marked(HERE, &[]), []);
    assert_eq!(world.read().all_tombstones().expect("tombstones"), stones);
}
