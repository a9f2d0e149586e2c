//! Expand: what recall only named, opened. Asking for more is a sign of interest, and counts as one.

use throughline_core::permission::Act;
use throughline_core::{
    Actor, BatchId, Cause, Change, Edge, Episode, EpisodeId, Logged, Memory, MemoryId, NodeId,
    Relation, Row, RowKey, SpaceId,
};
use throughline_store::{Reader, TextOf};

use crate::engine::is_handle;
use crate::flows::Looking;
use crate::index::{DocumentPlace, NONE};
use crate::permit::{demand, standing};
use crate::purge::resolve_turn;
use crate::{Card, Error, Result};

/// Connections shown of one memory.
const RELATED_MAX: usize = 30;
/// Memories that rest on one turn.
const RESTING_MAX: usize = 64;
/// Turns shown before and after one.
const AROUND: usize = 3;

/// A memory or a turn, opened.
#[derive(Debug, Clone, PartialEq)]
pub enum Expanded {
    /// A memory with what it is connected to, nearest first.
    Memory {
        /// The memory.
        card: Box<Card>,
        /// The other ends of its connections.
        related: Vec<(Edge, Memory)>,
    },
    /// A turn with those around it, in order.
    Turn {
        /// The turn that was asked for.
        id: EpisodeId,
        /// It and its neighbours.
        turns: Vec<Episode>,
    },
}

impl Looking<'_> {
    /// Opens a memory or a turn, and raises what was opened.
    pub fn expand(&self, handle: &str) -> Result<Expanded> {
        let found = {
            let reader = self.engine.now_reader()?;
            self.engine.resolve(&*reader, self.context, handle)
        };
        match found {
            Ok(memory) => self.expand_memory(&memory),
            Err(Error::NotFound { .. }) => self.expand_turn(handle),
            Err(error) => Err(error),
        }
    }

    fn expand_memory(&self, memory: &Memory) -> Result<Expanded> {
        self.engine.write(self.context, Cause::Recall, None, |tx| {
            tx.settle(memory);
            tx.push(Change::Use {
                space: memory.space,
                memories: vec![memory.id],
                session: self.context.session.clone(),
                at: tx.now,
            });
            Ok(())
        })?;
        let reader = self.engine.now_reader()?;
        let related = self.related(&*reader, memory)?;
        let ids: Vec<MemoryId> = related.iter().map(|(_, other)| other.id).collect();
        self.engine.recalling(self.context).expanded(memory.id, &ids);
        Ok(Expanded::Memory { card: Box::new(self.engine.card(&*reader, memory)?), related })
    }

    /// What a memory is connected to, the relations that a walk follows most readily first.
    fn related(&self, reader: &dyn Reader, memory: &Memory) -> Result<Vec<(Edge, Memory)>> {
        let node = NodeId::Memory(memory.id);
        let mut edges = reader.neighbours(memory.space, &[node], &[], RELATED_MAX)?;
        edges.retain(|edge| {
            edge.other(node).memory().is_some() && edge.relation != Relation::Tagged
        });
        edges.sort_by(|a, b| b.relation.prior().total_cmp(&a.relation.prior()));
        edges.truncate(RELATED_MAX);
        let keys: Vec<RowKey> =
            edges.iter().map(|edge| RowKey::node(memory.space, edge.other(node))).collect();
        let rows = reader.rows(&keys)?;
        let reach = self.context.reach();
        Ok(edges
            .into_iter()
            .zip(rows)
            .filter_map(|(edge, row)| Some((edge, row?.into_memory()?)))
            .filter(|(_, other)| reach.sees(other))
            .collect())
    }

    fn expand_turn(&self, handle: &str) -> Result<Expanded> {
        let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
        let missing = || Error::NotFound { what: "memory", handle: handle.to_owned() };
        if !is_handle(&wanted) {
            return Err(missing());
        }
        let reader = self.engine.now_reader()?;
        for space in self.context.reach().spaces {
            let index = self.engine.indexes.present(&*reader, space, TextOf::Episodes)?;
            let fits = |number: &u32| {
                index.document(*number).is_some_and(|one| {
                    let id = one.id.to_string();
                    id.starts_with(&wanted) || wanted.len() >= 8 && id.ends_with(&wanted)
                })
            };
            let all = 0..u32::try_from(index.len()).unwrap_or(NONE);
            let Some(found) = all.into_iter().find(fits) else { continue };
            let walk = |from: u32, beside: fn(&DocumentPlace) -> u32| -> Vec<u32> {
                std::iter::successors(Some(from), |at| {
                    Some(beside(&index.place(*at))).filter(|next| *next != NONE)
                })
                .skip(1)
                .take(AROUND)
                .collect()
            };
            let mut numbers = walk(found, |standing| standing.before);
            numbers.reverse();
            numbers.push(found);
            numbers.extend(walk(found, |standing| standing.next));
            return self.turns(&*reader, space, &index, found, &numbers);
        }
        Err(missing())
    }

    fn turns(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        index: &crate::index::Index,
        found: u32,
        numbers: &[u32],
    ) -> Result<Expanded> {
        let nodes: Vec<NodeId> = numbers.iter().filter_map(|number| index.node(*number)).collect();
        let keys: Vec<RowKey> = nodes.iter().map(|node| RowKey::node(space, *node)).collect();
        let turns = reader
            .rows(&keys)?
            .into_iter()
            .filter_map(|row| match row {
                Some(Row::Episode(episode)) => Some(episode),
                _ => None,
            })
            .collect();
        let id = index.document(found).map(|one| EpisodeId(one.id)).expect("it was just found");
        Ok(Expanded::Turn { id, turns })
    }

    /// A turn by its id, with the memories that rest on it. `None` when there is none.
    pub fn turn(
        &self,
        reader: &dyn Reader,
        handle: &str,
    ) -> Result<Option<(Episode, Vec<Memory>)>> {
        let Some(turn) = resolve_turn(reader, self.context, handle)? else { return Ok(None) };
        let node = NodeId::Episode(turn.id);
        let edges =
            reader.neighbours(turn.space, &[node], &[Relation::EvidencedBy], RESTING_MAX)?;
        let from = edges.iter().filter(|edge| edge.to == node);
        let keys: Vec<RowKey> = from.map(|edge| RowKey::node(turn.space, edge.from)).collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        let reach = self.context.reach();
        let resting = rows.filter_map(Row::into_memory).filter(|memory| reach.sees(memory));
        let resting = resting.collect();
        Ok(Some((turn, resting)))
    }

    /// Notes whether a memory helped. Moves its utility, and nothing else.
    pub fn rate(&self, handle: &str, helpful: bool) -> Result<Card> {
        let memory = {
            let reader = self.engine.now_reader()?;
            self.engine.resolve(&*reader, self.context, handle)?
        };
        self.engine.write(self.context, Cause::Recall, None, |tx| {
            let by_hand = || format!("throughline feedback {}", memory.id.handle());
            demand(&**tx, self.context.door, Act::Rate, Some(&memory), by_hand)?;
            tx.settle(&memory);
            // Agents find fault with what a person said once, however often they say so.
            let agents = self.context.door.is_agents() && !helpful;
            if agents && standing(&**tx, &memory)?.is_persons() && faulted(&**tx, &memory)? {
                return Ok(());
            }
            tx.push(Change::Rate { space: memory.space, memory: memory.id, helpful });
            Ok(())
        })?;
        self.engine.card_of(memory.space, memory.id)
    }
}

/// Whether an agent said before that a memory did not help.
fn faulted(reader: &dyn Reader, memory: &Memory) -> Result<bool> {
    let history = reader.history(memory.space, NodeId::Memory(memory.id))?;
    let rated = |one: &Logged| matches!(one.change, Change::Rate { memory: id, helpful: false, .. } if id == memory.id);
    let batches: Vec<BatchId> =
        history.iter().filter(|one| rated(one)).map(|one| one.batch).collect();
    Ok(reader.headers(&batches)?.iter().any(|stored| stored.batch.actor == Actor::Agent))
}
