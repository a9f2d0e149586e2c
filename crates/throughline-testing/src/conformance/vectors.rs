//! Vectors: derived, kept beside a node for each model, gone with the node.

use throughline_core::row::Tombstone;
use throughline_core::{Change, Memory, NodeId};
use throughline_store::{Document, PACKED_AT, RECORD, TextOf, Vector};

use super::Factory;
use super::documents::documents;
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

pub(super) fn vectors_are_fetched_in_the_order_asked_with_gaps_where_there_is_none(
    factory: &dyn Factory,
) {
    let (world, nodes) = three_nodes(factory);
    put(&world, "small", &[vector(nodes[0], 3, 0.1), vector(nodes[2], 3, 0.2)]);
    put(&world, "large", &[vector(nodes[1], 3, 0.3)]);
    let asked = [nodes[2], nodes[1], nodes[0], node(77), nodes[2]];
    let reader = world.read();
    let first = |model, space| -> Vec<Option<f32>> {
        let found = reader.vectors_of(space, model, &asked).expect("vectors");
        found.into_iter().map(|values| values.map(|values| values[0])).collect()
    };
    assert_eq!(first("small", HERE), [Some(0.2), None, Some(0.1), None, Some(0.2)]);
    assert_eq!(first("large", HERE), [None, Some(0.3), None, None, None]);
    assert_eq!(first("other", HERE), [None; 5]);
    assert_eq!(first("small", THERE), [None; 5]);
    let whole = reader.vectors_of(HERE, "small", &nodes[..1]).expect("vectors");
    assert_eq!(whole, [Some(vector(nodes[0], 3, 0.1).values)]);
    assert!(reader.vectors_of(HERE, "small", &[]).expect("none asked").is_empty());
}

/// The packed vectors that documents show for a model, with the nodes they belong to.
fn packed(world: &World, of: TextOf, model: &str) -> Vec<(NodeId, Vec<u8>)> {
    let mut found = Vec::new();
    let mut bodies = Vec::new();
    let reader = world.read();
    let shelf = reader.documents(HERE, of, model, 0, &mut |_, body| bodies.push(body.to_vec()));
    let shelf = shelf.expect("documents");
    for record in bodies.iter().flat_map(|body| body.chunks_exact(RECORD)) {
        let Some(document) = Document::read(record) else { continue };
        if document.model > 0 && Some(document.model) == shelf.model {
            found.push((document.node(of), record[PACKED_AT..].to_vec()));
        }
    }
    found
}

/// A packed vector of this length, filled up as a record fills it up.
fn filled(byte: u8, length: usize) -> Vec<u8> {
    let mut packed = vec![byte; length];
    packed.resize(RECORD - PACKED_AT, 0);
    packed
}

fn packed_vector(node: NodeId, byte: u8, length: usize) -> Vector {
    Vector { packed: vec![byte; length], ..vector(node, 3, 0.1) }
}

pub(super) fn a_vector_marks_its_document_and_is_packed_into_it(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    let before = documents(&*world.read(), HERE, TextOf::Memories);
    put(&world, "small", &[packed_vector(nodes[0], 7, 392), packed_vector(nodes[2], 8, 392)]);
    assert_eq!(packed(&world, TextOf::Memories, "small"), [(nodes[0], filled(7, 392))]);
    assert_eq!(packed(&world, TextOf::Episodes, "small"), [(nodes[2], filled(8, 392))]);
    put(&world, "small", &[packed_vector(nodes[0], 9, 100)]);
    assert_eq!(packed(&world, TextOf::Memories, "small"), [(nodes[0], filled(9, 100))], "anew");
    let after = documents(&*world.read(), HERE, TextOf::Memories);
    for (node, (number, document)) in before {
        let (at, found) = after[&node];
        assert_eq!(
            (at, Document { model: 0, ..found }),
            (number, document),
            "nothing else changed"
        );
    }
    world.assert_sound();
}

pub(super) fn a_change_of_the_text_takes_the_vector_and_its_mark_away(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    let both = [packed_vector(nodes[0], 7, 392), packed_vector(nodes[1], 8, 392)];
    put(&world, "small", &both);
    world.write(vec![revise(&Memory { pinned: true, ..fact(HERE, 1, "one") })]);
    assert_eq!(packed(&world, TextOf::Memories, "small").len(), 2, "the text stayed");

    let edit = world.write(vec![revise(&fact(HERE, 1, "uno"))]).batch;
    let left = [(nodes[1], filled(8, 392))];
    assert_eq!(packed(&world, TextOf::Memories, "small"), left);
    let reader = world.read();
    assert_eq!(reader.vectors_of(HERE, "small", &nodes[..1]).expect("vectors"), [None]);
    drop(reader);
    world.undo(edit).expect("it is the latest");
    assert_eq!(packed(&world, TextOf::Memories, "small"), left, "it has to be made again");
    world.assert_sound();
}

pub(super) fn documents_tell_the_vectors_of_the_model_asked_for(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    assert_eq!(packed(&world, TextOf::Memories, "small"), []);
    put(&world, "small", &[packed_vector(nodes[0], 7, 8)]);
    put(&world, "large", &[packed_vector(nodes[1], 8, 8)]);
    assert_eq!(packed(&world, TextOf::Memories, "small"), [(nodes[0], filled(7, 8))]);
    assert_eq!(packed(&world, TextOf::Memories, "large"), [(nodes[1], filled(8, 8))]);
    assert_eq!(packed(&world, TextOf::Memories, "other"), []);
    world.store.reindex().expect("documents are built anew");
    assert_eq!(packed(&world, TextOf::Memories, "large"), [(nodes[1], filled(8, 8))]);
}

/// Vectors are made outside of any transaction: meanwhile their text may have been erased.
pub(super) fn a_vector_for_what_is_gone_is_not_kept(factory: &dyn Factory) {
    let (world, nodes) = three_nodes(factory);
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 1, "one"), day(3)))]);
    put(&world, "small", &[packed_vector(nodes[0], 7, 8), packed_vector(nodes[1], 8, 8)]);
    let found: Vec<NodeId> = vectors(&world, "small", 0).iter().map(|one| one.node).collect();
    assert_eq!(found, [nodes[1]]);
    assert_eq!(world.read().vectors_of(HERE, "small", &nodes[..1]).expect("vectors"), [None]);
}
