//! Undo: any batch, unless something later was built on it.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::fold::Refusal;
use throughline_core::permission::{self, Act, Backing, Request, Standing, Verdict};
use throughline_core::undo::{self, Touched, UndoRefusal};
use throughline_core::{Actor, BatchId, Cause, Change, Memory, Row, RowKey, Table};
use throughline_store::{LogQuery, Reader, StoredBatch, nodes_of_key};

use crate::correct::mark_rivals;
use crate::engine::{is_handle, not_an_id};
use crate::flows::Keeping;
use crate::graduate::undo_lines;
use crate::history::is_within;
use crate::permit::{not_yours, standing};
use crate::{Context, Error, Result};

/// What was undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The batch that was undone.
    pub undone: StoredBatch,
    /// The batch that undid it, and that can be undone in turn.
    pub batch: BatchId,
    /// The memories that are otherwise now.
    pub reverted: Vec<Reverted>,
    /// What it did to flat memory files, in words.
    pub files: Vec<String>,
}

/// A memory before and after an undo; `None` where there was none.
#[derive(Debug, Clone, PartialEq)]
pub struct Reverted {
    /// As it was until now.
    pub before: Option<Memory>,
    /// As it is again.
    pub after: Option<Memory>,
}

/// Batches looked at in one go when searching for something to undo.
const PAGE: LogQuery = LogQuery {
    after_seq: 0,
    before_seq: None,
    since: None,
    spaces: Vec::new(),
    latest_first: true,
    bare: None,
    limit: 32,
};

impl Keeping<'_> {
    /// Undoes a batch: the named one, or the latest one that is not undone yet.
    pub fn undo(&self, handle: Option<&str>) -> Result<Undone> {
        let ((undone, reverted, files), batch) = self
            .engine
            .write(self.context, Cause::Undo, None, |tx| {
                let target = match handle {
                    Some(handle) => find_batch(&**tx, self.context, handle)?,
                    None => latest(&**tx, self.context)?,
                };
                tx.scope.space = target.batch.space;
                let logged = tx.changes_of(target.batch.space, target.batch.id)?;
                let mut touched = BTreeMap::new();
                for image in logged.iter().flat_map(|one| &one.before) {
                    if !touched.contains_key(&image.key) {
                        let look = look(&**tx, &image.key, target.last_seq)?;
                        touched.insert(image.key.clone(), look);
                    }
                }
                may_undo(&**tx, self.context, &target, &touched)?;
                let restore = undo::plan(&target.batch, &logged, &touched)?;
                let reverted = reverted(&**tx, &restore)?;
                tx.push(restore.clone());
                for memory in back_in_view(&restore) {
                    mark_rivals(tx, memory)?;
                }
                // Last, for nothing takes a file back by itself.
                let decided = matches!(target.batch.cause, Cause::Review | Cause::Undo);
                let files =
                    if decided { self.undo_in_files(&restore, &touched)? } else { Vec::new() };
                Ok((target, reverted, files))
            })
            .map_err(|error| {
                if let Error::Refused(Refusal::NoNode(node)) = error {
                    UndoRefusal::Gone(node).into()
                } else {
                    error
                }
            })?;
        Ok(Undone { undone, batch, reverted, files })
    }

    /// Takes lines out of flat files that the batch had written, and puts back those that it had taken out.
    fn undo_in_files(
        &self,
        restore: &Change,
        touched: &BTreeMap<RowKey, Touched>,
    ) -> Result<Vec<String>> {
        let Change::Restore { rows, .. } = restore else { return Ok(Vec::new()) };
        let now: Vec<Option<Row>> =
            rows.iter().map(|image| touched.get(&image.key)?.now.clone()).collect();
        let mut told = Vec::new();
        undo_lines(&self.context.project.root, rows, &now, &mut told)?;
        Ok(told)
    }
}

/// Whether the caller may undo a batch: an agent its own, as far as nothing in it is a person's.
fn may_undo(
    reader: &dyn Reader,
    context: &Context,
    target: &StoredBatch,
    touched: &BTreeMap<RowKey, Touched>,
) -> Result<()> {
    let person = reader.person();
    let mut stands = (target.batch.actor != Actor::Agent).then(Standing::persons);
    let own = reader.authors(&[target.batch.id])?.remove(0) == person;
    let rows = touched.values().filter_map(|one| one.now.as_ref());
    for memory in rows.filter_map(Row::as_memory) {
        let found = standing(reader, memory)?;
        // What somebody did themselves they may take back, whatever it was done to.
        if found.anothers && !own {
            stands = Some(found);
        }
        stands = stands.or(Some(found.of_another(false)).filter(|one| one.is_persons()));
    }
    let (door, act, backing) = (context.door, Act::Undo, Backing::Asserted);
    match permission::judge(Request { door, act, target: stands, backing }) {
        Verdict::Allowed { .. } => Ok(()),
        Verdict::Waits(why) | Verdict::Refused(why) => {
            Err(not_yours(why, format!("throughline undo {}", target.batch.id)))
        }
    }
}

/// What an undo does to memories.
fn reverted(reader: &dyn Reader, restore: &Change) -> Result<Vec<Reverted>> {
    let Change::Restore { rows, .. } = restore else { return Ok(Vec::new()) };
    let memories: Vec<_> = rows.iter().filter(|image| image.key.table == Table::Memory).collect();
    let keys: Vec<RowKey> = memories.iter().map(|image| image.key.clone()).collect();
    let now = reader.rows(&keys)?.into_iter();
    let pairs = memories.into_iter().zip(now).map(|(image, now)| Reverted {
        before: now.and_then(Row::into_memory),
        after: image.row.clone().and_then(Row::into_memory),
    });
    Ok(pairs.filter(|one| one.before != one.after).collect())
}

/// The memories that an undo makes current. One that it takes out of view at the same time is no
/// rival of theirs, so those that it leaves alone decide.
fn back_in_view(restore: &Change) -> impl Iterator<Item = &Memory> {
    let rows = if let Change::Restore { rows, .. } = restore { rows.as_slice() } else { &[] };
    rows.iter().filter_map(|image| match &image.row {
        Some(Row::Memory(memory)) if memory.state.is_active() => Some(&**memory),
        _ => None,
    })
}

/// What became of a row since change number `seq`.
fn look(reader: &dyn Reader, key: &RowKey, seq: u64) -> Result<Touched> {
    let now = reader.rows(std::slice::from_ref(key))?.remove(0);
    let nodes = nodes_of_key(key);
    let next = reader.next_touch(key, &nodes, seq)?.map(|logged| {
        let held = logged.before.into_iter().find(|image| image.key == *key);
        (logged.batch, held.and_then(|image| image.row))
    });
    let attached = match key.table {
        Table::Memory | Table::Entity | Table::Episode => reader.attached(key.space, &nodes)?,
        Table::Space
        | Table::Evidence
        | Table::Watermark
        | Table::Usage
        | Table::Edge
        | Table::Session
        | Table::Injection
        | Table::Tombstone
        | Table::Leaf
        | Table::Pending => Vec::new(),
    };
    Ok(Touched { now, next, attached })
}

fn find_batch(reader: &dyn Reader, context: &Context, handle: &str) -> Result<StoredBatch> {
    let spaces = context.reach().spaces;
    let wanted = handle.trim().to_ascii_lowercase();
    if !is_handle(&wanted) {
        return Err(not_an_id(handle));
    }
    let mut found = reader.find_batches(&wanted)?;
    found.retain(|one| spaces.contains(&one.batch.space));
    let mut within = Vec::new();
    for stored in found {
        if is_within(reader, &stored, &context.reach())? {
            within.push(stored);
        }
    }
    let mut found = within;
    match found.len() {
        0 => Err(Error::NotFound { what: "batch", handle: handle.to_owned() }),
        1 => Ok(found.remove(0)),
        _ => Err(Error::Ambiguous {
            what: "batch",
            handle: handle.to_owned(),
            found: found.len(),
            candidates: found.iter().take(5).map(|one| one.batch.id.to_string()).collect(),
        }),
    }
}

/// The latest batch that somebody made on purpose and that is not undone yet, so that undoing
/// again and again walks back.
fn latest(reader: &dyn Reader, context: &Context) -> Result<StoredBatch> {
    let mut undone = BTreeSet::new();
    let spaces = context.reach().spaces;
    let mut before_seq = None;
    loop {
        let query = LogQuery { spaces: spaces.clone(), before_seq, ..PAGE };
        let page = reader.log(&query)?;
        let Some(oldest) = page.last() else {
            return Err(Error::NothingToUndo);
        };
        before_seq = Some(oldest.first_seq);
        for stored in page {
            if undone.contains(&stored.batch.id) {
                continue;
            }
            if stored.batch.cause == Cause::Undo {
                undone.extend(stored.batch.changes.iter().filter_map(target));
            } else if stored.batch.cause != Cause::Recall
                && stored.batch.actor != Actor::System
                && is_within(reader, &stored, &context.reach())?
            {
                return Ok(stored);
            }
        }
    }
}

/// The batch that an undo undid.
fn target(change: &Change) -> Option<BatchId> {
    if let Change::Restore { batch, .. } = change { Some(*batch) } else { None }
}
