//! Vectors: derived, kept beside a node for each model, gone with the node.

use throughline_core::row::Tombstone;
use throughline_core::{Change, NodeId};
use throughline_store::Vector;

use super::Factory;
use super::world::World;
use crate::sample::{HERE, THERE, day, episode, episode_id, fact, insert, node, revise};

fn vector(node: NodeId, seq: u64, first: f32) -> Vector {
    Vector {
        node,
        seq,
        values: vec![first, -0.5, f32::MIN_POSITIVE, 1.0 / 3.0],
        packed: Vec::new(),
    }
}

fn put(world: &World, model: &str, vectors: &[Vector]) {
    let put = world.store.put_vectors(HERE, model, vectors);
    put.expect("vectors are kept");
}

fn vectors(world: &World, model: &str, after_seq: u64) -> Vec<Vector> {
    world.read().vectors(HERE, model, after_seq).expect("vectors")
}

/// Two memories and an episode.
fn three_nodes(factory: &dyn Factory) -> (World, [NodeId; 3]) {
    let world = World::new(factory);
    world.write(vec![
        insert(&fact(HERE, 1, "one")),
        insert(&fact(HERE, 2, "two")),
        Change::Record(episode(HERE, 1, "three")),
    ]);
    (world, [node(1), node(2), NodeId::Episode(episode_id(1))])
}

pub(super) fn vectors_come_back_exactly_and_by_model(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    let small: Vec<Vector> = nodes.map(|node| vector(node, 3, 0.1)).to_vec();
    put(&world, "small", &small);
    put(&world, "large", &[vector(nodes[0], 3, 9.0)]);
    let mut found = vectors(&world, "small", 0);
    found.sort_by_key(|vector| vector.node);
    assert_eq!(found, small);
    assert_eq!(vectors(&world, "large", 0), [vector(nodes[0], 3, 9.0)]);
    assert_eq!(vectors(&world, "other", 0), []);
    assert_eq!(world.read().vectors(THERE, "small", 0).expect("none"), []);
}

pub(super) fn only_vectors_made_after_a_change_are_asked_for(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    put(&world, "small", &[vector(nodes[0], 3, 0.1), vector(nodes[1], 4, 0.2)]);
    assert_eq!(vectors(&world, "small", 3), [vector(nodes[1], 4, 0.2)]);
    assert_eq!(vectors(&world, "small", 4), []);
    put(&world, "small", &[vector(nodes[0], 7, 0.3)]);
    assert_eq!(vectors(&world, "small", 4), [vector(nodes[0], 7, 0.3)]);
    assert_eq!(vectors(&world, "small", 0).len(), 2, "made anew, not twice");
}

pub(super) fn vectors_are_neither_logged_nor_dumped(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    let before = (world.dump(), world.log());
    put(&world, "small", &[vector(nodes[0], 3, 0.1)]);
    assert_eq!((world.dump(), world.log()), before);
    world.assert_sound();
}

pub(super) fn a_vector_goes_with_its_node(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    let batch = world.write(vec![insert(&fact(HERE, 3, "four"))]).batch;
    let all = [nodes[0], nodes[1], nodes[2], node(3)];
    for model in ["small", "large"] {
        put(&world, model, &all.map(|node| vector(node, 5, 0.1)));
    }
    world.undo(batch).expect("it is the latest");
    let purge = Change::Purge(Tombstone::of(&fact(HERE, 1, "one"), day(3)));
    world.write(vec![purge]);
    for model in ["small", "large"] {
        let mut left: Vec<NodeId> = vectors(&world, model, 0).iter().map(|v| v.node).collect();
        left.sort();
        assert_eq!(left, [nodes[1], nodes[2]], "{model}");
    }
}

pub(super) fn a_vector_stays_while_the_text_stays(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    put(&world, "small", &[vector(nodes[0], 3, 0.1)]);
    let mut pinned = fact(HERE, 1, "one");
    pinned.pinned = true;
    world.write(vec![revise(&pinned)]);
    assert_eq!(vectors(&world, "small", 0), [vector(nodes[0], 3, 0.1)]);
}
