//! History: how a memory came to be what it is.

use std::collections::BTreeSet;

use throughline_core::scope::Reach;
use throughline_core::{Change, Logged, Memory, MemoryId, NodeId, Row, RowKey, Timestamp};
use throughline_store::{LogQuery, Reader, StoredBatch, nodes_of_key};

use crate::Result;
use crate::flows::Looking;

/// One step in the life of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// What was changed.
    pub change: Change,
    /// When.
    pub at: Timestamp,
    /// Which batch, with who and why, without its changes.
    pub batch: StoredBatch,
    /// The memory before.
    pub before: Option<Memory>,
    /// The memory after.
    pub after: Option<Memory>,
}

impl Looking<'_> {
    /// Every change that touched a memory, and those it replaced or was replaced by, in order.
    pub fn history(&self, handle: &str) -> Result<(Memory, Vec<Version>)> {
        let reader = self.engine.now_reader()?;
        let memory = self.engine.resolve(&*reader, self.context, handle)?;
        let reach = self.context.reach();
        let mut steps = Vec::new();
        for id in chain(&*reader, &memory)? {
            let row = RowKey::memory(memory.space, id);
            let now = reader.rows(&[row])?.remove(0).and_then(Row::into_memory);
            if now.as_ref().is_some_and(|memory| !reach.sees(memory)) {
                continue;
            }
            let logged = reader.history(memory.space, NodeId::Memory(id))?;
            steps.extend(versions(id, logged, now));
        }
        // A change may touch several memories of the chain; it is told about the one it rewrote.
        steps.sort_by_key(|(logged, before, after)| (logged.seq, before == after));
        steps.dedup_by_key(|(logged, ..)| logged.seq);
        let mut history = Vec::new();
        for (logged, before, after) in steps {
            let Some(batch) = reader.headers(&[logged.batch])?.into_iter().next() else {
                continue;
            };
            history.push(Version {
                at: batch.batch.at,
                change: logged.change,
                batch,
                before,
                after,
            });
        }
        Ok((memory, history))
    }

    /// Batches of the log within reach, latest first.
    pub fn log(&self, since: Option<Timestamp>, limit: usize) -> Result<Vec<StoredBatch>> {
        self.batches(&LogQuery { since, latest_first: true, limit, ..LogQuery::default() })
    }

    /// Batches of the log within reach, as a query asks for them; its spaces are those within reach.
    pub fn batches(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        let reach = self.context.reach();
        let query = LogQuery { spaces: reach.spaces.clone(), ..query.clone() };
        let reader = self.engine.now_reader()?;
        let mut within = Vec::new();
        for stored in reader.log(&query)? {
            if is_within(&*reader, &stored, &reach)? {
                within.push(stored);
            }
        }
        Ok(within)
    }
}

/// The memories that a batch touched, each once.
pub fn touched_memories(reader: &dyn Reader, stored: &StoredBatch) -> Result<Vec<MemoryId>> {
    let batch = &stored.batch;
    let logged = reader.changes_of(batch.space, batch.id)?;
    let keys = logged.iter().flat_map(|one| one.before.iter().map(|image| &image.key));
    let touched: BTreeSet<MemoryId> =
        keys.flat_map(nodes_of_key).filter_map(|node| node.memory()).collect();
    Ok(touched.into_iter().collect())
}

/// Whether a batch says nothing of what holds only in somebody else's session: neither in words,
/// nor by what it touched.
pub(crate) fn is_within(reader: &dyn Reader, stored: &StoredBatch, reach: &Reach) -> Result<bool> {
    let batch = &stored.batch;
    for logged in reader.changes_of(batch.space, batch.id)? {
        let told = if let Change::Insert(memory) | Change::Revise(memory) = &logged.change {
            Some((**memory).clone())
        } else {
            None
        };
        let restored =
            if let Change::Restore { rows, .. } = &logged.change { &rows[..] } else { &[] };
        let images = logged.before.iter().chain(restored);
        let held = images.clone().filter_map(|image| image.row.clone()?.into_memory());
        if held.chain(told).any(|memory| !reach.sees_session(memory.session.as_ref())) {
            return Ok(false);
        }
        let keys: Vec<RowKey> = images
            .flat_map(|image| nodes_of_key(&image.key).into_iter().map(move |node| (image, node)))
            .filter_map(|(image, node)| Some(RowKey::memory(image.key.space, node.memory()?)))
            .collect();
        let own_session = batch.session.is_none() || batch.session == reach.session;
        for row in reader.rows(&keys)? {
            let seen = match row.and_then(Row::into_memory) {
                Some(memory) => reach.sees(&memory),
                None => own_session, // taken away since: nobody can say whose it was
            };
            if !seen {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The memory, everything it replaced, and everything that replaced it.
pub(crate) fn chain(
    reader: &dyn Reader,
    memory: &Memory,
) -> Result<Vec<throughline_core::MemoryId>> {
    let mut ids = vec![memory.id];
    let mut forward = memory.superseded_by;
    while let Some(next) = forward {
        if ids.contains(&next) {
            break;
        }
        ids.push(next);
        let key = RowKey::memory(memory.space, next);
        forward = reader
            .rows(&[key])?
            .remove(0)
            .and_then(Row::into_memory)
            .and_then(|memory| memory.superseded_by);
    }
    let mut open = ids.clone();
    while let Some(id) = open.pop() {
        for older in reader.replaced_by(memory.space, id)? {
            if !ids.contains(&older.id) {
                ids.push(older.id);
                open.push(older.id);
            }
        }
    }
    Ok(ids)
}

type ChangeStep = (Logged, Option<Memory>, Option<Memory>);

/// Puts each change beside the memory before and after it: what a row held after a change is what
/// it held before the next one that wrote it, and in the end what it holds now.
fn versions(
    id: throughline_core::MemoryId,
    logged: Vec<Logged>,
    now: Option<Memory>,
) -> Vec<ChangeStep> {
    let mut steps: Vec<ChangeStep> = Vec::new();
    let mut after = now;
    for one in logged.into_iter().rev() {
        let image = one.before.iter().find(|image| {
            image.key.table == throughline_core::Table::Memory && image.key.key == id.to_string()
        });
        let before = match image {
            Some(image) => image.row.clone().and_then(Row::into_memory),
            None => after.clone(),
        };
        steps.push((one, before.clone(), after));
        after = before;
    }
    steps.reverse();
    steps
}
