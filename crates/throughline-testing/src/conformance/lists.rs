//! Listings of memories: newest first, narrowed, page by page.

use throughline_core::{Change, EntityKind, Kind, Memory, Relation, State};
use throughline_store::{MemoryPage, MemoryQuery};

use super::Factory;
use super::world::{World, contents};
use crate::sample::{
    HERE, THERE, day, edge, entity, entity_id, fact, guess, insert, memory_id, node, session,
};

/// All of one space.
fn everything() -> MemoryQuery {
    MemoryQuery { spaces: vec![HERE], limit: 100, ..MemoryQuery::default() }
}

/// Five memories here, the higher the number the newer, and one there.
fn listed(factory: &dyn Factory) -> World {
    let world = World::new(factory);
    let on = |at, memory| Memory { recorded_at: day(at), ..memory };
    let memories = [
        on(1, fact(HERE, 1, "first")),
        on(2, Memory { kind: Kind::Decision, ..guess(HERE, 2, "second") }),
        on(3, Memory { domain: Some("technical".to_owned()), ..fact(HERE, 3, "third") }),
        on(4, Memory { session: Some(session("morning")), ..guess(HERE, 4, "fourth") }),
        on(5, Memory { kind: Kind::Gap, ..fact(HERE, 5, "fifth") }),
        on(9, fact(THERE, 6, "sixth")),
    ];
    world.write(memories.iter().map(insert).collect());
    world.write(vec![Change::Move {
        space: HERE,
        id: memory_id(1),
        to: State::Archived,
        at: day(6),
    }]);
    world
}

fn list(world: &World, query: &MemoryQuery) -> MemoryPage {
    world.read().memories(query).expect("a listing")
}

fn assert_listed(world: &World, query: &MemoryQuery, expected: &[&str]) {
    let page = list(world, query);
    assert_eq!(contents(&page.items), expected, "{query:?}");
    assert_eq!(page.total, expected.len(), "{query:?}");
}

pub(super) fn a_listing_is_newest_first(factory: &dyn Factory) {
    let world = listed(factory);
    assert_listed(&world, &everything(), &["fifth", "third", "second", "first"]);
    let same_moment = [fact(HERE, 8, "eighth"), fact(HERE, 7, "seventh")];
    world.write(same_moment.iter().map(insert).collect());
    let page = list(&world, &everything());
    assert_eq!(contents(&page.items[4..]), ["eighth", "seventh"], "ties by id, highest first");
}

pub(super) fn a_listing_is_narrowed_by_state_kind_and_domain(factory: &dyn Factory) {
    let world = listed(factory);
    let states = |states: &[State]| MemoryQuery { states: states.to_vec(), ..everything() };
    let kinds = |kinds: &[Kind]| MemoryQuery { kinds: kinds.to_vec(), ..everything() };
    let domain = |domain: &str| MemoryQuery { domain: Some(domain.to_owned()), ..everything() };
    assert_listed(&world, &states(&[State::Archived]), &["first"]);
    assert_listed(&world, &states(&[State::Staged, State::Archived]), &["second", "first"]);
    assert_listed(&world, &states(&[State::Expired]), &[]);
    assert_listed(&world, &kinds(&[Kind::Gap, Kind::Decision]), &["fifth", "second"]);
    assert_listed(&world, &kinds(&[Kind::Lesson]), &[]);
    assert_listed(&world, &domain("technical"), &["third"]);
    assert_listed(&world, &domain("tech"), &[]);
    let both = MemoryQuery { kinds: vec![Kind::Fact], ..states(&[State::Archived]) };
    assert_listed(&world, &both, &["first"]);
}

pub(super) fn a_listing_is_narrowed_by_label(factory: &dyn Factory) {
    let world = listed(factory);
    let label = entity_id(1).into();
    world.write(vec![
        Change::Know(entity(HERE, 1, EntityKind::Tag, &["Deploy", "release"])),
        Change::Know(entity(HERE, 2, EntityKind::Tag, &["Other"])),
        Change::Link(edge(HERE, node(2), Relation::Tagged, label)),
        Change::Link(edge(HERE, node(5), Relation::Tagged, label)),
        Change::Link(edge(HERE, node(3), Relation::About, label)),
        Change::Link(edge(HERE, node(3), Relation::Tagged, entity_id(2).into())),
    ]);
    let tag = |tag: &str| MemoryQuery { tag: Some(tag.to_owned()), ..everything() };
    assert_listed(&world, &tag("deploy"), &["fifth", "second"]);
    assert_listed(&world, &tag("release"), &["fifth", "second"]);
    assert_listed(&world, &tag("other"), &["third"]);
    assert_listed(&world, &tag("nothing"), &[]);
    let (relation, to) = (Relation::Tagged, label);
    world.write(vec![Change::Unlink { space: HERE, from: node(5), relation, to }]);
    assert_listed(&world, &tag("deploy"), &["second"]);
}

pub(super) fn what_is_bound_to_a_session_is_listed_only_there(factory: &dyn Factory) {
    let world = listed(factory);
    let in_session = |name: &str| MemoryQuery { session: Some(session(name)), ..everything() };
    let seen = ["fifth", "fourth", "third", "second", "first"];
    assert_listed(&world, &in_session("morning"), &seen);
    assert_listed(&world, &in_session("evening"), &["fifth", "third", "second", "first"]);
}

pub(super) fn a_listing_covers_just_the_spaces_asked_for(factory: &dyn Factory) {
    let world = listed(factory);
    let in_spaces = |spaces: &[_]| MemoryQuery { spaces: spaces.to_vec(), ..everything() };
    assert_listed(&world, &in_spaces(&[THERE]), &["sixth"]);
    let both = ["sixth", "fifth", "third", "second", "first"];
    assert_listed(&world, &in_spaces(&[HERE, THERE]), &both);
    assert_listed(&world, &in_spaces(&[]), &[]);
}

pub(super) fn a_listing_comes_in_pages_that_know_the_total(factory: &dyn Factory) {
    let world = listed(factory);
    let whole = MemoryQuery { spaces: vec![HERE, THERE], limit: 100, ..everything() };
    let all = list(&world, &whole);
    assert_eq!(all.total, 5);
    for (offset, limit) in [(0, 2), (2, 2), (4, 2), (1, 0), (9, 2), (1, usize::MAX)] {
        let page = list(&world, &MemoryQuery { offset, limit, ..whole.clone() });
        let expected: Vec<Memory> = all.items.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!(page.items, expected, "{limit} after {offset}");
        assert_eq!(page.total, 5, "{limit} after {offset}");
    }
    // Of some kinds, too, and after something was written between two looks.
    let current = vec![State::Staged, State::Confirmed];
    let kinds = vec![Kind::Fact, Kind::Decision, Kind::Preference];
    let narrowed = MemoryQuery { kinds, states: current, ..whole };
    for round in 0..2 {
        let all = list(&world, &narrowed);
        assert_eq!(all.total, all.items.len());
        for offset in 0..=all.total {
            for limit in 1..3 {
                let page = list(&world, &MemoryQuery { offset, limit, ..narrowed.clone() });
                let wanted: Vec<Memory> =
                    all.items.iter().skip(offset).take(limit).cloned().collect();
                assert_eq!(page.items, wanted, "{limit} after {offset}, round {round}");
                assert_eq!(page.total, all.total);
            }
        }
        if round == 0 {
            let eighth = Memory { recorded_at: day(11), ..fact(HERE, 8, "eighth") };
            world.write(vec![insert(&eighth)]);
        }
    }
    assert_eq!(list(&world, &narrowed).items[0].content, "eighth");
}

pub(super) fn a_listing_goes_on_after_the_last_that_was_seen(factory: &dyn Factory) {
    let world = listed(factory);
    let whole = MemoryQuery { spaces: vec![HERE, THERE], limit: 2, ..everything() };
    let first = list(&world, &whole);
    let after = first.items.last().map(|one| (one.recorded_at, one.id));
    // What comes in meanwhile moves nothing.
    world.write(vec![insert(&Memory { recorded_at: day(10), ..fact(HERE, 9, "ninth") })]);
    let second = list(&world, &MemoryQuery { after, ..whole });
    assert_eq!(contents(&first.items), ["sixth", "fifth"]);
    assert_eq!(contents(&second.items), ["third", "second"]);
    assert_eq!(second.total, 6, "the total is that of the whole list");
}
