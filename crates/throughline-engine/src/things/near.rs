//! Similar memories: those that lie nearest in meaning, whatever words or labels they share.

use throughline_core::{Entity, Memory, NodeId, Row, RowKey, State};
use throughline_embed::MODEL;
use throughline_embed::nearest::{cosines, encode};
use throughline_store::{Reader, TextOf};

use crate::flows::Looking;
use crate::{Card, Result};

/// What is farther is not similar.
const SIMILAR_FROM: f32 = 0.3;

/// Under this name the vectors of things are kept: each is the middle of those of the memories that speak of it.
pub(crate) const THINGS_MODEL: &str = "things/1";
/// How near a question must be to a thing that it does not name.
const MEANT_FROM: f32 = 0.35;

/// A memory and how near it is to another.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarMemory {
    /// The memory.
    pub card: Card,
    /// How near in meaning, in 0..=1.
    pub score: f64,
}

impl Looking<'_> {
    /// The current memories that are nearest in meaning to one, the nearest first.
    pub fn similar(&self, handle: &str, most: usize) -> Result<Vec<SimilarMemory>> {
        let reader = self.engine.now_reader()?;
        let memory = self.engine.resolve(&*reader, self.context, handle)?;
        let known = reader.vectors_of(memory.space, MODEL, &[memory.id.into()])?.remove(0);
        let meaning = match known {
            Some(vector) => vector,
            None => self.engine.meaning.of_query(&memory.content).to_vec(),
        };
        let near = self.near_vector(&*reader, &meaning, memory.id.into(), most)?;
        let memories: Vec<Memory> = near.iter().map(|(memory, _)| memory.clone()).collect();
        let cards = self.engine.cards(&*reader, &memories)?;
        let scored = cards.into_iter().zip(near);
        Ok(scored.map(|(card, (_, score))| SimilarMemory { card, score }).collect())
    }

    /// The thing whose memories lie nearest to a question, where sleep has worked out where they lie.
    pub(super) fn nearest_thing(&self, reader: &dyn Reader, asked: &str) -> Result<Option<Entity>> {
        let meaning = self.engine.meaning.of_query(asked);
        let mut best: Option<(f32, RowKey)> = None;
        for space in self.context.reach().spaces {
            for one in reader.vectors(space, THINGS_MODEL, 0)? {
                let near: f32 = meaning.iter().zip(&one.values).map(|(a, b)| a * b).sum();
                let better = best.as_ref().is_none_or(|(score, _)| near > *score);
                if near >= MEANT_FROM && better {
                    best = Some((near, RowKey::node(space, one.node)));
                }
            }
        }
        let Some((_, key)) = best else { return Ok(None) };
        let thing = reader.rows(&[key])?.remove(0).and_then(Row::into_entity);
        Ok(thing.filter(|entity| !entity.name.is_empty()))
    }

    /// The current memories within reach that are nearest to a vector, without one of them.
    fn near_vector(
        &self,
        reader: &dyn Reader,
        meaning: &[f32],
        without: NodeId,
        most: usize,
    ) -> Result<Vec<(Memory, f64)>> {
        let reach = self.context.reach();
        let query = encode(meaning);
        let mut found: Vec<(Memory, f64)> = Vec::new();
        for space in &reach.spaces {
            let index = self.engine.indexes.present(reader, *space, TextOf::Memories)?;
            let current = |row: usize| {
                index.is_in(row, &[State::Staged, State::Confirmed]) && index.is_embedded(row)
            };
            let mut scores = Vec::new();
            cosines(&query, &index.rows(), current, &mut scores);
            let mut best: Vec<(u32, f32)> = (0..).zip(scores).collect();
            best.retain(|(_, score)| *score >= SIMILAR_FROM);
            best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            // Some may be of other sessions.
            for (number, score) in best.into_iter().take(most * 2 + 1) {
                let Some(node) = index.node(number).filter(|node| *node != without) else {
                    continue;
                };
                let row = reader.rows(&[RowKey::node(*space, node)])?.remove(0);
                let memory = row.and_then(Row::into_memory).filter(|one| reach.sees(one));
                found.extend(memory.map(|memory| (memory, f64::from(score).min(1.0))));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.id.cmp(&b.0.id)));
        found.truncate(most);
        Ok(found)
    }
}
