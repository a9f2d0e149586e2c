//! Rows: what was put is what is there.

use throughline_core::row::{Session, Tombstone};
use throughline_core::{
    Change, EntityKind, Kind, Leaf, Memory, NodeId, Relation, Row, RowKey, State, Usage,
};

use super::Factory;
use super::world::World;
use crate::sample::{
    HERE, THERE, attended, day, edge, entity, entity_id, episode, evidence, fact, full_memory,
    guess, injection, insert, leaf, leaf_id, memory_id, node, pending, session, space, watermark,
};

/// One of every row, and the changes that make them.
fn one_of_each() -> (Vec<Row>, Vec<Change>) {
    let memory =
        full_memory(HERE, 1, "Staging runs Postgres 16 \u{2014} \"really\", \\ and \u{1f9e0}");
    let erased = fact(HERE, 2, "a secret");
    let stone = Tombstone::of(&erased, day(3));
    let said = evidence(HERE, 1, "we moved\nyesterday");
    let mark = watermark(HERE, 1, "DATABASE_URL");
    let thing = entity(HERE, 1, EntityKind::Tool, &["Postgres", "pg"]);
    let about = edge(HERE, node(1), Relation::About, entity_id(1).into());
    let turn = episode(HERE, 1, "we moved staging");
    let work = attended(HERE, "morning");
    let shown = injection(HERE, "shown 1", day(2), &[1]);
    let waiting = pending(HERE, 1, "staging");
    let kept = leaf(HERE, 1, 1, "we moved\n");
    let mut used = Usage::none(HERE, memory_id(1));
    used.used(Some(&session("morning")), day(2));
    let changes = vec![
        insert(&memory),
        insert(&erased),
        Change::Reinforce(said.clone()),
        Change::Watch(mark.clone()),
        Change::Know(thing.clone()),
        Change::Link(about.clone()),
        Change::Record(turn.clone()),
        Change::Attend(work.clone()),
        Change::Inject(shown.clone()),
        Change::Use {
            space: HERE,
            memories: vec![memory_id(1)],
            session: Some(session("morning")),
            at: day(2),
        },
        Change::Purge(stone.clone()),
        Change::Defer(waiting.clone()),
        Change::Shelve(kept.clone()),
    ];
    let rows = vec![
        Row::Space(space(HERE)),
        Row::Memory(Box::new(memory)),
        Row::Evidence(said),
        Row::Watermark(mark),
        Row::Usage(used),
        Row::Entity(thing),
        Row::Edge(about),
        Row::Episode(turn),
        Row::Session(work),
        Row::Injection(shown),
        Row::Tombstone(stone),
        Row::Pending(waiting),
        Row::Leaf(kept),
    ];
    (rows, changes)
}

pub(super) fn every_sort_of_row_comes_back_as_it_was_put(factory: &dyn Factory) {
    let world = World::new(factory);
    let (rows, changes) = one_of_each();
    world.write(changes);

    let keys: Vec<RowKey> = rows.iter().map(Row::key).collect();
    let tables: std::collections::BTreeSet<_> = keys.iter().map(|key| key.table).collect();
    assert_eq!(tables.len(), throughline_core::Table::ALL.len());
    let found = world.read().rows(&keys).expect("rows");
    for (found, put) in found.into_iter().zip(rows) {
        assert_eq!(found, Some(put));
    }
    world.assert_sound();
}

pub(super) fn rows_come_back_in_the_order_asked_with_gaps_where_there_is_none(
    factory: &dyn Factory,
) {
    let world = World::new(factory);
    let (first, second) = (fact(HERE, 1, "one"), fact(HERE, 2, "two"));
    world.write(vec![insert(&first), insert(&second)]);

    let key = |number| RowKey::memory(HERE, memory_id(number));
    let elsewhere = RowKey::memory(THERE, memory_id(1));
    let asked = [key(2), key(9), key(1), elsewhere, key(2)];
    let found = world.read().rows(&asked).expect("rows");
    let found: Vec<Option<Memory>> =
        found.into_iter().map(|row| row.and_then(Row::into_memory)).collect();
    let (first, second) = (Some(first), Some(second));
    assert_eq!(found, [second.clone(), None, first, None, second]);
}

pub(super) fn a_dump_is_one_sorted_line_for_each_row(factory: &dyn Factory) {
    let world = World::new(factory);
    let (rows, changes) = one_of_each();
    world.write(changes);

    let dump = world.dump();
    assert!(dump.is_sorted());
    let mut expected: Vec<String> = rows
        .iter()
        .chain([&Row::Space(space(THERE))])
        .map(|row| {
            let key = row.key();
            format!("{} {} {} {}", key.table, key.space, key.key, row.body())
        })
        .collect();
    expected.sort();
    assert_eq!(dump, expected);
}

pub(super) fn everything_that_hangs_on_a_node_is_found_together(factory: &dyn Factory) {
    let world = World::new(factory);
    let (rows, changes) = one_of_each();
    world.write(changes);
    let replaced = edge(HERE, node(3), Relation::Extends, node(1));
    world.write(vec![
        insert(&fact(HERE, 3, "more of it")),
        Change::Reinforce(evidence(HERE, 3, "not asked for")),
        Change::Link(replaced.clone()),
    ]);

    let mut expected: Vec<RowKey> = rows
        .iter()
        .filter(|row| {
            matches!(
                row,
                Row::Evidence(_) | Row::Watermark(_) | Row::Usage(_) | Row::Edge(_) | Row::Leaf(_)
            )
        })
        .map(Row::key)
        .chain([Row::Edge(replaced).key()])
        .collect();
    expected.sort();
    let attached = |nodes: &[NodeId]| {
        let found = world.read().attached(HERE, nodes).expect("attached");
        found.iter().map(Row::key).collect::<Vec<_>>()
    };
    assert_eq!(attached(&[node(1)]), expected);
    assert_eq!(attached(&[node(1), entity_id(1).into()]), expected, "an edge is told once");
    assert_eq!(attached(&[node(9)]), []);
    assert_eq!(attached(&[node(3)]).len(), 2);
}

pub(super) fn counts_say_how_many_there_are_of_each_sort(factory: &dyn Factory) {
    let world = World::new(factory);
    let (_, changes) = one_of_each();
    world.write(changes);
    world.write(vec![
        insert(&Memory { kind: Kind::Decision, ..guess(HERE, 4, "a guess") }),
        insert(&fact(THERE, 5, "of another space")),
        Change::Move { space: HERE, id: memory_id(4), to: State::Archived, at: day(2) },
    ]);

    let counts = world.read().counts(&[HERE]).expect("counts");
    let expected = [
        ("authority inferred", 1),
        ("authority user_stated", 1),
        ("edge", 1),
        ("entity", 1),
        ("episode", 1),
        ("evidence", 1),
        ("injection", 1),
        ("kind decision", 1),
        ("kind fact", 1),
        ("leaf", 1),
        ("memory", 2),
        ("pending", 1),
        ("relation about", 1),
        ("session", 1),
        ("space", 1),
        ("state archived", 1),
        ("state confirmed", 1),
        ("tombstone", 1),
        ("usage", 1),
        ("watermark", 1),
    ];
    let expected = expected.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(counts, expected.into());
    let both = world.read().counts(&[HERE, THERE]).expect("counts");
    assert_eq!((both["memory"], both["space"]), (3, 2));
    assert!(world.read().counts(&[]).expect("counts").is_empty());
}

pub(super) fn every_space_that_was_written_to_is_known(factory: &dyn Factory) {
    let world = World::new(factory);
    let known = world.read().spaces().expect("spaces");
    assert_eq!(known, [space(HERE), space(THERE)]);
}

pub(super) fn a_session_is_one_row_however_often_it_is_reported(factory: &dyn Factory) {
    let world = World::new(factory);
    let ended = Session { ended_at: Some(day(2)), ..attended(HERE, "morning") };
    world.write(vec![Change::Attend(attended(HERE, "morning"))]);
    world.write(vec![Change::Attend(ended.clone())]);

    let key = Row::Session(ended.clone()).key();
    let found = world.read().rows(&[key]).expect("rows");
    assert_eq!(found, [Some(Row::Session(ended))]);
    assert_eq!(world.read().counts(&[HERE]).expect("counts")["session"], 1);
}

pub(super) fn a_shelf_is_read_in_its_order_and_behind_its_wall(factory: &dyn Factory) {
    let world = World::new(factory);
    let on = |number: u64, order: u64| Leaf { order, ..leaf(HERE, 1, number, "a text") };
    let elsewhere = Leaf { shelf: "entity".to_owned(), ..on(4, 0) };
    world.write(vec![
        insert(&fact(HERE, 1, "one")),
        insert(&fact(THERE, 2, "two")),
        Change::Shelve(on(1, 7)),
        Change::Shelve(on(2, 3)),
        Change::Shelve(on(3, 12)),
        Change::Shelve(elsewhere.clone()),
        Change::Shelve(leaf(THERE, 2, 5, "theirs")),
        Change::Shelve(Leaf { text: "another text".to_owned(), ..on(3, 12) }),
        Change::Unshelve { space: HERE, memory: memory_id(1), leaf: leaf_id(1) },
    ]);
    let last = Leaf { text: "another text".to_owned(), ..on(3, 12) };
    let reader = world.read();
    assert_eq!(reader.leaves(HERE, "file").expect("leaves"), [on(2, 3), last]);
    assert_eq!(reader.leaves(HERE, "entity").expect("leaves"), [elsewhere]);
    assert_eq!(reader.leaves(HERE, "relation").expect("leaves"), []);
    drop(reader);
    world.assert_sound();
}
