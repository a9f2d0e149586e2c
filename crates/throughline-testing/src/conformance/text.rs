//! Search by words: alike in every store, because terms and scores are made in the core.

use throughline_core::row::Tombstone;
use throughline_core::{Change, Kind, Memory, NodeId, State, words};
use throughline_store::{TextHit, TextOf, TextQuery};

use super::Factory;
use super::world::World;
use crate::sample::{
    HERE, THERE, day, episode, episode_id, fact, guess, insert, memory_id, node, revise, session,
};

/// A search of the memories here.
pub(super) fn search_for(words: &str) -> TextQuery {
    TextQuery {
        of: TextOf::Memories,
        terms: words::query_terms(words),
        spaces: vec![HERE],
        session: None,
        states: Vec::new(),
        kinds: Vec::new(),
        limit: 100,
    }
}

fn search(world: &World, query: &TextQuery) -> Vec<TextHit> {
    let hits = world.read().text(query).expect("a search");
    assert!(hits.iter().all(|hit| hit.score > 0.0));
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "best first");
    hits
}

fn found(world: &World, query: &TextQuery) -> Vec<NodeId> {
    search(world, query).iter().map(|hit| hit.node).collect()
}

/// Memories with these texts, numbered from 1.
fn telling(factory: &dyn Factory, texts: &[&str]) -> World {
    let world = World::new(factory);
    let memories = (1..).zip(texts).map(|(n, text)| insert(&fact(HERE, n, text)));
    world.write(memories.collect());
    world
}

pub(super) fn what_fits_better_is_found_first(factory: &dyn Factory) {
    let world = telling(
        factory,
        &[
            "the server is in the cellar, beside the washing machine and the old bicycle",
            "the server restarts the server",
            "the bicycle is blue",
            "restart the server at night",
        ],
    );
    assert_eq!(found(&world, &search_for("server restart")), [node(2), node(4), node(1)]);
    assert_eq!(found(&world, &search_for("cellar server")), [node(1), node(2), node(4)]);
    assert_eq!(found(&world, &search_for("night bicycle"))[0], node(4), "rare before frequent");
    assert_eq!(found(&world, &search_for("nowhere to be found")), []);
    let best = TextQuery { limit: 1, ..search_for("server restart") };
    assert_eq!(found(&world, &best), [node(2)]);
    assert_eq!(found(&world, &TextQuery { limit: 0, ..best }), []);
}

pub(super) fn equals_come_in_the_order_of_their_ids(factory: &dyn Factory) {
    let world = World::new(factory);
    for number in [5, 2, 9, 1] {
        let session = Some(session("morning"));
        world.write(vec![insert(&Memory {
            session,
            ..fact(HERE, number, &format!("tabs {number}"))
        })]);
    }
    let query = TextQuery { session: Some(session("morning")), ..search_for("tabs") };
    assert_eq!(found(&world, &query), [1, 2, 5, 9].map(node));
}

pub(super) fn words_are_found_in_other_forms_and_inside_identifiers(factory: &dyn Factory) {
    let world = telling(
        factory,
        &[
            "We deployed the migrations",
            "call parseHttpHeader first",
            "数据库在东京",
            "the naïve café",
        ],
    );
    for (words, number) in [
        ("deploying a migration", 1),
        ("header", 2),
        ("parse_http_header", 2),
        ("数据库", 3),
        ("CAFÉ", 4),
    ] {
        assert_eq!(found(&world, &search_for(words)), [node(number)], "{words}");
    }
}

pub(super) fn a_search_is_narrowed_by_state_and_kind(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![
        insert(&fact(HERE, 1, "staging one")),
        insert(&guess(HERE, 2, "staging two")),
        insert(&Memory { kind: Kind::Decision, ..fact(HERE, 3, "staging three") }),
        Change::Move { space: HERE, id: memory_id(1), to: State::Archived, at: day(1) },
    ]);
    let states = |states: &[State]| TextQuery { states: states.to_vec(), ..search_for("staging") };
    let kinds = |kinds: &[Kind]| TextQuery { kinds: kinds.to_vec(), ..search_for("staging") };
    assert_eq!(found(&world, &states(&[])), [1, 2, 3].map(node));
    assert_eq!(found(&world, &states(&[State::Staged, State::Confirmed])), [2, 3].map(node));
    assert_eq!(found(&world, &states(&[State::Archived])), [node(1)]);
    assert_eq!(found(&world, &kinds(&[Kind::Decision, Kind::Gap])), [node(3)]);
    let all = search(&world, &states(&[]));
    let narrow = search(&world, &kinds(&[Kind::Decision]));
    assert_eq!(narrow[0], all[2], "narrowing changes no score");
}

pub(super) fn what_is_bound_to_a_session_is_found_only_there(factory: &dyn Factory) {
    let world = telling(factory, &["staging for all"]);
    let bound = Memory { session: Some(session("morning")), ..fact(HERE, 2, "staging for one") };
    world.write(vec![insert(&bound)]);
    let asking = |session| found(&world, &TextQuery { session, ..search_for("staging") });
    assert_eq!(asking(Some(session("morning"))), [1, 2].map(node));
    assert_eq!(asking(Some(session("evening"))), [node(1)]);
    assert_eq!(asking(None), [node(1)]);
}

pub(super) fn a_search_covers_just_the_spaces_asked_for(factory: &dyn Factory) {
    let world = telling(factory, &["staging here"]);
    world.write(vec![insert(&fact(THERE, 2, "staging there"))]);
    let asking = |spaces: &[_]| {
        let hits = search(&world, &TextQuery { spaces: spaces.to_vec(), ..search_for("staging") });
        hits.iter().map(|hit| (hit.space, hit.node)).collect::<Vec<_>>()
    };
    assert_eq!(asking(&[HERE]), [(HERE, node(1))]);
    assert_eq!(asking(&[THERE]), [(THERE, node(2))]);
    assert_eq!(asking(&[THERE, HERE]), [(HERE, node(1)), (THERE, node(2))]);
    assert_eq!(asking(&[]), []);
}

pub(super) fn episodes_are_searched_apart_from_memories(factory: &dyn Factory) {
    let world = telling(factory, &["staging is green"]);
    world.write(vec![
        Change::Record(episode(HERE, 1, "is staging green yet?")),
        Change::Record(episode(HERE, 2, "no, still red")),
        Change::Record(episode(THERE, 3, "staging over there")),
    ]);
    let said = TextQuery { of: TextOf::Episodes, ..search_for("staging") };
    assert_eq!(found(&world, &said), [NodeId::Episode(episode_id(1))]);
    assert_eq!(found(&world, &search_for("staging")), [node(1)]);
    assert_eq!(found(&world, &search_for("red")), []);
}

pub(super) fn a_search_follows_every_change_of_the_text(factory: &dyn Factory) {
    let world = telling(factory, &["staging is green", "production is green"]);
    world.write(vec![revise(&fact(HERE, 1, "staging is red"))]);
    assert_eq!(found(&world, &search_for("green")), [node(2)]);
    assert_eq!(found(&world, &search_for("red")), [node(1)]);

    let purge = Change::Purge(Tombstone::of(&fact(HERE, 1, "staging is red"), day(2)));
    world.write(vec![purge]);
    assert_eq!(found(&world, &search_for("red staging")), []);

    let batch = world.write(vec![insert(&fact(HERE, 3, "staging is blue"))]).batch;
    assert_eq!(found(&world, &search_for("blue")), [node(3)]);
    world.undo(batch).expect("it is the latest");
    assert_eq!(found(&world, &search_for("blue")), []);
    world.assert_sound();
}
