//! Where something was said: the turns that a memory rests on, the turns that contain its words,
//! and the memories that quote a turn. Erasures use this, in the store and in its copies.

use std::collections::BTreeSet;

use throughline_core::change::rests_on;
use throughline_core::{
    BatchId, Change, Episode, EpisodeId, Logged, Memory, MemoryId, NodeId, Row, RowKey, SpaceId,
    text, words,
};

use crate::document::{BLOCK, Document, RECORD};
use crate::query::TextOf;
use crate::store::Reader;
use crate::{Result, nodes_of_key};

/// Words of a text by which the turns that hold it are looked for.
const WORDS_MAX: usize = 12;
/// Turns that hold one of those words and are looked at; of more, the newest.
const HOLDING_MAX: usize = 100_000;

/// Wordings of a memory: its present text, and every earlier one that the log still has.
pub fn wordings(reader: &dyn Reader, memory: &Memory) -> Result<Vec<String>> {
    let history = reader.history(memory.space, memory.id.into())?;
    let told = history.iter().flat_map(rows_in).filter_map(Row::into_memory);
    let mut said: Vec<String> = told
        .filter(|one| one.id == memory.id)
        .chain([memory.clone()])
        .map(|one| one.content)
        .filter(|content| !content.is_empty())
        .collect();
    said.sort();
    said.dedup();
    Ok(said)
}

/// Turns that a memory rests on: connected to it, or named by its evidence, now or earlier.
pub fn turns_under(reader: &dyn Reader, memory: &Memory) -> Result<Vec<Episode>> {
    let (space, node) = (memory.space, NodeId::Memory(memory.id));
    let history = reader.history(space, node)?;
    let told = history.iter().flat_map(rows_in).chain(reader.attached(space, &[node])?);
    let mut turns = BTreeSet::new();
    for row in told.filter(|row| row.nodes().contains(&node)) {
        if let Row::Evidence(evidence) = &row {
            turns.extend(evidence.turn.as_ref().and_then(|turn| turn.parse::<EpisodeId>().ok()));
        }
        turns.extend(row.nodes().into_iter().filter_map(as_turn));
    }
    let mut found = Vec::new();
    for turn in turns {
        found.extend(told_turn(reader, space, turn)?);
    }
    Ok(found)
}

/// Turns of a space that contain one of the texts word for word.
pub fn turns_holding(
    reader: &dyn Reader,
    space: SpaceId,
    texts: &[String],
) -> Result<Vec<Episode>> {
    let mut numbers: BTreeSet<u32> = BTreeSet::new();
    for one in texts {
        numbers.extend(candidates(reader, space, one)?);
    }
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let mut keys = Vec::new();
    each_turn(reader, space, &mut |number, turn| {
        if numbers.contains(&number) {
            keys.push(RowKey::node(space, NodeId::Episode(turn)));
        }
    })?;
    let turns = reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_episode());
    Ok(turns.filter(|turn| texts.iter().any(|one| text::holds(&turn.text, one))).collect())
}

/// Turns that a handle may mean: an id, the beginning of one, or its last eight characters.
pub fn find_turns(reader: &dyn Reader, spaces: &[SpaceId], handle: &str) -> Result<Vec<Episode>> {
    let mut keys = Vec::new();
    for space in spaces {
        each_turn(reader, *space, &mut |_, turn| {
            let id = turn.to_string();
            if id.starts_with(handle) || handle.len() >= 8 && id.ends_with(handle) {
                keys.push(RowKey::node(*space, NodeId::Episode(turn)));
            }
        })?;
    }
    Ok(reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_episode()).collect())
}

/// Memories whose evidence quotes a turn: those connected to it, and those that came in with it.
pub fn quoted_by(reader: &dyn Reader, space: SpaceId, turn: EpisodeId) -> Result<Vec<MemoryId>> {
    let history = reader.history(space, NodeId::Episode(turn))?;
    let batches: BTreeSet<BatchId> = history.iter().map(|logged| logged.batch).collect();
    let mut near: BTreeSet<NodeId> = BTreeSet::new();
    for batch in batches {
        for logged in reader.changes_of(space, batch)? {
            near.extend(logged.before.iter().flat_map(|image| nodes_of_key(&image.key)));
        }
    }
    near.retain(|node| node.memory().is_some());
    let near: Vec<NodeId> = near.into_iter().collect();
    // A reason is connected to what it is the reason of, and rests on the same turn.
    let beside = reader.neighbours(space, &near, &[], usize::MAX)?;
    let nodes: BTreeSet<NodeId> =
        beside.iter().flat_map(|edge| [edge.from, edge.to]).chain(near).collect();
    let nodes: Vec<NodeId> = nodes.into_iter().filter(|node| node.memory().is_some()).collect();
    let quotes = reader.attached(space, &nodes)?.into_iter().filter_map(Row::into_evidence);
    let quotes = quotes.filter(|one| rests_on(one, turn) && one.snippet.is_some());
    let quoting: BTreeSet<MemoryId> = quotes.map(|one| one.memory).collect();
    Ok(quoting.into_iter().collect())
}

/// A turn as it is stored, or as the log last had it.
pub fn told_turn(reader: &dyn Reader, space: SpaceId, turn: EpisodeId) -> Result<Option<Episode>> {
    let node = NodeId::Episode(turn);
    let row = reader.rows(&[RowKey::node(space, node)])?.remove(0);
    if let Some(held) = row.and_then(Row::into_episode) {
        return Ok(Some(held));
    }
    let history = reader.history(space, node)?;
    let mut told = history.iter().flat_map(rows_in).filter_map(Row::into_episode);
    Ok(told.rfind(|one| one.id == turn && !one.is_erased()))
}

fn as_turn(node: NodeId) -> Option<EpisodeId> {
    if let NodeId::Episode(turn) = node { Some(turn) } else { None }
}

/// Every row that a change of the log tells: what it says, and what was there before it.
fn rows_in(logged: &Logged) -> Vec<Row> {
    let (told, restored) = if let Change::Insert(memory) | Change::Revise(memory) = &logged.change {
        (Some(Row::Memory(memory.clone())), &[][..])
    } else if let Change::Reinforce(evidence) = &logged.change {
        (Some(Row::Evidence(evidence.clone())), &[][..])
    } else if let Change::Link(edge) = &logged.change {
        (Some(Row::Edge(edge.clone())), &[][..])
    } else if let Change::Record(episode) = &logged.change {
        (Some(Row::Episode(episode.clone())), &[][..])
    } else if let Change::Restore { rows, .. } = &logged.change {
        (None, &rows[..])
    } else {
        (None, &[][..])
    };
    let images = logged.before.iter().chain(restored).filter_map(|image| image.row.clone());
    images.chain(told).collect()
}

/// The numbers of the turns that have every telling word of a text, in any order.
fn candidates(reader: &dyn Reader, space: SpaceId, text: &str) -> Result<BTreeSet<u32>> {
    let said = text::normalise(text);
    let all: BTreeSet<&str> = said.split(' ').filter(|word| !word.is_empty()).collect();
    let mut terms: Vec<Vec<String>> = all.iter().map(|word| words::terms(word)).collect();
    terms.retain(|of_word| !of_word.is_empty());
    let common = |of_word: &Vec<String>| of_word.iter().all(|term| words::is_common(term));
    terms.sort_by_key(|of_word| (common(of_word), std::cmp::Reverse(of_word.concat().len())));
    terms.truncate(WORDS_MAX);
    let mut found: Option<BTreeSet<u32>> = None;
    for of_word in terms {
        // A word may be written in other cases, and then falls into other parts.
        let lists = reader.postings(space, TextOf::Episodes, &of_word, HOLDING_MAX)?;
        let here: BTreeSet<u32> = lists.into_iter().flat_map(|list| list.documents).collect();
        found = Some(match found {
            Some(before) => before.intersection(&here).copied().collect(),
            None => here,
        });
    }
    Ok(found.unwrap_or_default())
}

/// Every turn of a space with its number.
fn each_turn(
    reader: &dyn Reader,
    space: SpaceId,
    turn: &mut dyn FnMut(u32, EpisodeId),
) -> Result<()> {
    reader.documents(space, TextOf::Episodes, "", 0, &mut |block, records| {
        let first = block * u32::try_from(BLOCK).unwrap_or(u32::MAX);
        for (number, record) in (first..).zip(records.chunks_exact(RECORD)) {
            if let Some(document) = Document::read(record) {
                turn(number, EpisodeId(document.id));
            }
        }
    })?;
    Ok(())
}
