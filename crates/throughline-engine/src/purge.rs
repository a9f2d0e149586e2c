//! Purge: erased for good. Only a person can, and it says honestly what it could not reach.

use std::collections::BTreeSet;
use std::path::PathBuf;

use throughline_core::row::Tombstone;
use throughline_core::{
    Actor, Cause, Change, EntityId, Fingerprint, Logged, Memory, MemoryId, Row, RowKey, SpaceId,
};
use throughline_store::{Erasure, Reader, SqliteStore, Store, nodes_of_key};

use crate::engine::Draft;
use crate::history::chain;
use crate::{Context, Engine, Error, Result};

/// What was erased.
#[derive(Debug, Clone, PartialEq)]
pub struct Purged {
    /// The tombstones that keep it from coming back.
    pub tombstones: Vec<Tombstone>,
    /// Something is left in a file until its reader goes away.
    pub pending: bool,
    /// Copies under the home that could not be opened.
    pub copies_left: Vec<PathBuf>,
    /// Earlier or later versions that were not asked for and still hold related text.
    pub related: Vec<Memory>,
}

impl Engine {
    /// Erases memories: text, words, vectors, versions, log content. With `whole_chain`, also
    /// everything they replaced and were replaced by.
    pub fn purge(
        &self,
        context: &Context,
        handles: &[String],
        whole_chain: bool,
    ) -> Result<Purged> {
        if context.actor != Actor::User {
            return Err(Error::BadInput("only the user can erase".to_owned()));
        }
        let ((tombstones, related), _) =
            self.write(context, Cause::Purge, None, |reader, draft| {
                let mut targets: Vec<Memory> = Vec::new();
                let mut related: Vec<Memory> = Vec::new();
                for handle in handles {
                    let memory = self.resolve_for_erasure(reader, context, handle)?;
                    related.extend(versions(reader, &memory)?);
                    targets.push(memory);
                }
                if whole_chain {
                    targets.append(&mut related);
                }
                targets.sort_by_key(|memory| memory.id);
                targets.dedup_by_key(|memory| memory.id);
                related.retain(|one| targets.iter().all(|target| target.id != one.id));
                if let Some(first) = targets.first() {
                    draft.scope.space = first.space;
                }
                let stones: Vec<Tombstone> =
                    targets.iter().map(|memory| Tombstone::of(memory, draft.now)).collect();
                for stone in &stones {
                    let key = RowKey::memory(stone.space, stone.memory);
                    let there = reader.rows(&[key])?[0].is_some();
                    let erase = if there { Change::Purge } else { Change::Expunge };
                    draft.changes.push(erase(stone.clone()));
                    // Earlier wordings must not come back either.
                    for earlier in earlier_wordings(reader, stone)? {
                        draft.changes.push(Change::Expunge(earlier));
                    }
                }
                drop_orphans(reader, draft, &stones)?;
                Ok((stones, related))
            })?;
        let (pending, copies_left) = self.finish_erasures()?;
        Ok(Purged { tombstones, pending, copies_left, related })
    }

    /// The memory a handle means, also if an undo took it away and only the log still holds it.
    pub fn resolve_for_erasure(
        &self,
        reader: &dyn Reader,
        context: &Context,
        handle: &str,
    ) -> Result<Memory> {
        let not_there = match self.resolve(reader, context, handle) {
            Err(error @ Error::NotFound { .. }) => error,
            other => return other,
        };
        let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
        let touched = reader.find_touched(&context.reach().spaces, &wanted)?;
        let mut told = Vec::new();
        for (space, id) in touched {
            let history = reader.history(space, id.into())?;
            let versions = history.iter().flat_map(|logged| versions_in(logged, id));
            told.extend(versions.last().filter(|memory| context.reach().sees(memory)));
        }
        told.retain(|memory| memory.fingerprint != Fingerprint::erased());
        if told.len() == 1 { Ok(told.remove(0)) } else { Err(not_there) }
    }

    /// Erases what is due from the copies we made ourselves, then from the store's own files. Says
    /// whether something is left there, and which copies could not be opened.
    ///
    /// Called after every write that finds something due.
    pub(crate) fn finish_erasures(&self) -> Result<(bool, Vec<PathBuf>)> {
        self.sweep();
        let stones = self.store.erasure_due()?;
        let mut left = Vec::new();
        for copy in self.copies() {
            let cleaned =
                SqliteStore::open_copy(&copy).and_then(|store| store.reapply_tombstones(&stones));
            if cleaned.is_err() {
                left.push(copy);
            }
        }
        let pending = self.store.finish_erasure()? == Erasure::Pending;
        Ok((pending, left))
    }

    /// The copies under the home, damaged ones and left-overs included.
    fn copies(&self) -> Vec<PathBuf> {
        let mut copies: Vec<PathBuf> = ["backups", "damaged"]
            .iter()
            .filter_map(|folder| std::fs::read_dir(self.home.join(folder)).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
            .collect();
        copies.sort();
        copies
    }
}

/// Drops the things that erased memories once spoke of and that nothing speaks of any more: labels
/// taken off before, names that an undo took away. Those still linked go with the memory itself.
fn drop_orphans(reader: &dyn Reader, draft: &mut Draft, stones: &[Tombstone]) -> Result<()> {
    let mut spoken_of: BTreeSet<(SpaceId, EntityId)> = BTreeSet::new();
    for stone in stones {
        for logged in reader.history(stone.space, stone.memory.into())? {
            let nodes = logged.before.iter().flat_map(|image| nodes_of_key(&image.key));
            spoken_of.extend(nodes.filter_map(|node| Some((stone.space, node.entity()?))));
        }
    }
    for (space, entity) in spoken_of {
        if reader.attached(space, &[entity.into()])?.is_empty() {
            draft.changes.push(Change::Unknow { space, entity });
        }
    }
    Ok(())
}

/// Tombstones for what a memory said before it was edited.
fn earlier_wordings(reader: &dyn Reader, stone: &Tombstone) -> Result<Vec<Tombstone>> {
    let history = reader.history(stone.space, stone.memory.into())?;
    let mut earlier: Vec<Tombstone> = history
        .iter()
        .flat_map(|logged| versions_in(logged, stone.memory))
        .filter(|memory| memory.fingerprint != Fingerprint::erased())
        .map(|memory| Tombstone::of(&memory, stone.at))
        .filter(|one| one.fingerprint != stone.fingerprint)
        .collect();
    earlier.sort_by(|a, b| (&a.fingerprint, &a.slot).cmp(&(&b.fingerprint, &b.slot)));
    earlier.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    Ok(earlier)
}

/// The versions of a memory that a change of the log holds.
fn versions_in(logged: &Logged, id: MemoryId) -> Vec<Memory> {
    let told = if let Change::Insert(memory) | Change::Revise(memory) = &logged.change {
        Some((**memory).clone())
    } else {
        None
    };
    let before = logged.before.iter().filter_map(|image| image.row.clone()?.into_memory());
    before.chain(told).filter(|memory| memory.id == id).collect()
}

/// The other members of a chain of replacements.
fn versions(reader: &dyn Reader, memory: &Memory) -> Result<Vec<Memory>> {
    let keys: Vec<RowKey> = chain(reader, memory)?
        .into_iter()
        .filter(|id| *id != memory.id)
        .map(|id| RowKey::memory(memory.space, id))
        .collect();
    let rows = reader.rows(&keys)?;
    Ok(rows.into_iter().filter_map(|row| row.and_then(Row::into_memory)).collect())
}
