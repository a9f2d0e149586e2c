//! Applying a batch: fold each change, write its rows, log it. The same for every store.

use throughline_core::change::Erased;
use throughline_core::fold::{Refusal, Trouble, View, fold};
use throughline_core::row::Image;
use throughline_core::{
    Batch, BatchId, Change, Logged, NodeId, Relation, Row, RowKey, Ruling, SpaceId, Table, Write,
};

use crate::tables::nodes_of_key;
use crate::{Error, Result};

/// Tables that can be written to, one row at a time.
pub(crate) trait Writable: View<Error = Error> {
    /// Inserts or replaces a row.
    fn put(&mut self, row: &Row) -> Result<()>;
    /// Removes a row.
    fn delete(&mut self, key: &RowKey) -> Result<()>;
    /// Whether a batch is in the log already.
    fn knows_batch(&self, batch: BatchId) -> Result<bool>;
    /// Whether a space was opened.
    fn knows_space(&self, space: SpaceId) -> Result<bool>;
    /// The number the next change gets.
    fn next_seq(&self) -> Result<u64>;
    /// Opens a batch in the log.
    fn open_batch(&mut self, batch: &Batch, first_seq: u64, last_seq: u64) -> Result<()>;
    /// Appends a change to the log.
    fn append(&mut self, batch: &Batch, logged: &Logged) -> Result<()>;
    /// Takes what was erased out of the log.
    fn scrub(&mut self, erased: &Erased) -> Result<()>;
}

/// Applies a batch and returns the number of its last change.
pub(crate) fn apply<T: Writable>(tables: &mut T, batch: &Batch) -> Result<u64> {
    if tables.knows_batch(batch.id)? {
        return Err(Refusal::Exists(format!("batch {}", batch.id)).into());
    }
    let first_seq = tables.next_seq()?;
    let last_seq = first_seq + batch.changes.len().max(1) as u64 - 1;
    tables.open_batch(batch, first_seq, last_seq)?;
    for (seq, change) in (first_seq..).zip(&batch.changes) {
        if let Some(space) = enters(change)
            && !tables.knows_space(space)?
        {
            return Err(Refusal::NoSpace(space).into());
        }
        let writes = fold(change, tables).map_err(|trouble| match trouble {
            Trouble::Refused(refusal) => Error::Refused(refusal),
            Trouble::View(error) => error,
        })?;
        let before = write_all(tables, &writes)?;
        let erased = erased(change, &before);
        let logged = Logged { seq, batch: batch.id, change: change.clone(), before };
        tables.append(batch, &logged)?;
        if let Some(erased) = erased {
            tables.scrub(&erased)?;
        }
    }
    Ok(last_seq)
}

/// The rows that a change surely looks at.
pub(crate) fn looked_at(change: &Change) -> Vec<RowKey> {
    match change {
        Change::AddSpace(space) => vec![Row::Space(space.clone()).key()],
        Change::Insert(memory) | Change::Revise(memory) => {
            vec![RowKey::memory(memory.space, memory.id)]
        }
        Change::Reinforce(evidence) => vec![
            Row::Evidence(evidence.clone()).key(),
            RowKey::memory(evidence.space, evidence.memory),
        ],
        Change::Move { space, id, .. } => vec![RowKey::memory(*space, *id)],
        Change::Supersede { space, old, new, .. } => vec![
            RowKey::memory(*space, *old),
            RowKey::memory(*space, *new),
            RowKey::edge(*space, (*new).into(), Relation::Supersedes, (*old).into()),
        ],
        Change::Link(edge) => vec![
            Row::Edge(edge.clone()).key(),
            RowKey::node(edge.space, edge.from),
            RowKey::node(edge.space, edge.to),
        ],
        Change::Watch(mark) => {
            vec![Row::Watermark(mark.clone()).key(), RowKey::memory(mark.space, mark.memory)]
        }
        Change::Inject(injection) => vec![Row::Injection(injection.clone()).key()],
        Change::Defer(pending) => vec![Row::Pending(pending.clone()).key()],
        Change::Decide { space, id, .. } => vec![RowKey::pending(*space, *id)],
        Change::Rate { space, memory, .. } => {
            vec![RowKey::memory(*space, *memory), RowKey::usage(*space, *memory)]
        }
        Change::Shelve(leaf) => {
            vec![Row::Leaf(leaf.clone()).key(), RowKey::memory(leaf.space, leaf.memory)]
        }
        Change::Know(entity) => vec![Row::Entity(entity.clone()).key()],
        Change::Record(episode) => vec![Row::Episode(episode.clone()).key()],
        Change::Use { space, memories, .. } => memories
            .iter()
            .flat_map(|id| [RowKey::memory(*space, *id), RowKey::usage(*space, *id)])
            .collect(),
        Change::Attend(session) => vec![Row::Session(session.clone()).key()],
        Change::Restore { rows, .. } | Change::Redact { rows, .. } => {
            rows.iter().map(|image| image.key.clone()).collect()
        }
        Change::Unsupersede { .. }
        | Change::Unlink { .. }
        | Change::Unwatch { .. }
        | Change::Unknow { .. }
        | Change::Purge(_)
        | Change::Expunge(_)
        | Change::Silence { .. }
        | Change::Unshelve { .. }
        | Change::Slept { .. } => Vec::new(),
    }
}

/// The space that a change puts something new into, which must have been opened before.
fn enters(change: &Change) -> Option<SpaceId> {
    if let Change::Insert(memory) = change {
        Some(memory.space)
    } else if let Change::Record(episode) = change {
        Some(episode.space)
    } else if let Change::Defer(pending) = change {
        Some(pending.space)
    } else if let Change::Shelve(leaf) = change {
        Some(leaf.space)
    } else {
        None
    }
}

/// Carries out the writes and returns the rows as they were.
fn write_all<T: Writable>(tables: &mut T, writes: &[Write]) -> Result<Vec<Image>> {
    let mut before = Vec::with_capacity(writes.len());
    for write in writes {
        let key = write.key();
        before.push(Image { row: tables.row(&key)?, key });
        match write {
            Write::Put(row) => tables.put(row)?,
            Write::Delete(key) => tables.delete(key)?,
        }
    }
    Ok(before)
}

/// What a change erased, if that is what it was for: a memory with the entities that only it spoke
/// of, such an entity, something pending, or a turn.
fn erased(change: &Change, before: &[Image]) -> Option<Erased> {
    if let Change::Unknow { space, entity } = change {
        return Some(Erased { entities: vec![*entity], ..Erased::nothing(*space) });
    }
    if let Change::Decide { space, id, ruling: Ruling::Erased } = change {
        return Some(Erased { pending: Some(*id), ..Erased::nothing(*space) });
    }
    if let Change::Silence { stone, quoted_by } = change {
        let evidence = before.iter().filter(|image| image.key.table == Table::Evidence);
        let quoting = evidence.flat_map(|image| nodes_of_key(&image.key));
        let quoting = quoting.filter_map(NodeId::memory).chain(quoted_by.iter().copied());
        let (episode, quoting) = (Some(stone.turn()), quoting.collect());
        return Some(Erased { episode, quoting, ..Erased::nothing(stone.space) });
    }
    if let Change::Redact { stone, .. } = change {
        let secret = stone.trace.clone().map(|trace| (stone.memory, trace));
        return Some(Erased { secret, ..Erased::nothing(stone.space) });
    }
    let (Change::Purge(stone) | Change::Expunge(stone)) = change else {
        return None;
    };
    let entities = before
        .iter()
        .filter(|image| image.key.table == Table::Entity)
        .filter_map(|image| image.key.key.parse().ok())
        .collect();
    Some(Erased { memory: Some(stone.memory), entities, ..Erased::nothing(stone.space) })
}
