//! Folding: what is known of the user grows without end, and a page about them does not. Beyond some size, claims that
//! lie close together are told by the one that counts most. Nothing is changed by it: the others are a question away.

use std::collections::BTreeMap;

use throughline_core::{MemoryId, NodeId, SpaceId};
use throughline_embed::MODEL;
use throughline_store::Reader;

use crate::{Card, Result};

/// Bytes of claims from which those that lie close together are told by one of them.
const FOLDED_FROM: usize = 8 << 10;
/// How near two claims lie that one of them stands for.
const NEAR_FROM: f32 = 0.5;

/// Some of the cards, and how many others each of them stands for.
pub(super) struct Folded {
    pub(super) cards: Vec<Card>,
    pub(super) stands_for: BTreeMap<MemoryId, usize>,
}

/// Folds cards, where there is so much that they do not fit on a page.
pub(super) fn fold(reader: &dyn Reader, mut cards: Vec<Card>) -> Result<Folded> {
    let mut stands_for: BTreeMap<MemoryId, usize> = BTreeMap::new();
    let bytes: usize = cards.iter().map(|card| card.memory.content.len()).sum();
    if bytes <= FOLDED_FROM {
        return Ok(Folded { cards, stands_for });
    }
    cards.sort_by(|a, b| {
        b.salience.value.total_cmp(&a.salience.value).then(a.memory.id.cmp(&b.memory.id))
    });
    let vectors = vectors(reader, &cards)?;
    let mut kept: Vec<Card> = Vec::new();
    for card in cards {
        let near = |one: &&Card| {
            let both = (vectors.get(&one.memory.id), vectors.get(&card.memory.id));
            let alike = |(one, other): (&Vec<f32>, &Vec<f32>)| {
                one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>() >= NEAR_FROM
            };
            one.memory.kind == card.memory.kind && both.0.zip(both.1).is_some_and(alike)
        };
        match kept.iter().find(near) {
            Some(leader) => *stands_for.entry(leader.memory.id).or_default() += 1,
            None => kept.push(card),
        }
    }
    Ok(Folded { cards: kept, stands_for })
}

/// The vectors of memories, wherever they live.
fn vectors(reader: &dyn Reader, cards: &[Card]) -> Result<BTreeMap<MemoryId, Vec<f32>>> {
    let mut of_space: BTreeMap<SpaceId, Vec<MemoryId>> = BTreeMap::new();
    for card in cards {
        of_space.entry(card.memory.space).or_default().push(card.memory.id);
    }
    let mut found = BTreeMap::new();
    for (space, ids) in of_space {
        let nodes: Vec<NodeId> = ids.iter().map(|id| (*id).into()).collect();
        let vectors = reader.vectors_of(space, MODEL, &nodes)?;
        found.extend(ids.into_iter().zip(vectors).filter_map(|(id, one)| Some((id, one?))));
    }
    Ok(found)
}
