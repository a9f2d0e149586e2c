//! Purge: erased for good. Only a person can, and it says honestly what it could not reach.

mod elsewhere;
mod gone;
mod late;
mod outside;
mod scrub;
mod whose;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use throughline_core::permission::Act;
use throughline_core::row::Tombstone;
use throughline_core::{
    Cause, Change, Edge, EntityId, Episode, Fingerprint, Logged, Memory, MemoryId, Relation, Row,
    RowKey, SessionId, SpaceId, episode, pending,
};
use throughline_store::{
    Erasure, Reader, find_turns, nodes_of_key, quoted_by, turns_holding, turns_under, wordings,
};

use crate::brief::forget_kept;
use crate::capture::{Captured, Minds, named_turn, turns_of};
use crate::engine::{DATABASE, is_handle};
use crate::flows::Erasing;
use crate::history::chain;
use crate::journal::{Journal, JournalEntry};
use crate::permit::demand_act;
use crate::told::Tellings;
use crate::transaction::Transaction;
use crate::{Context, Error, Result, backup};

pub(crate) use gone::Gone;
pub use late::{NamedBy, has_late_secrets, hide_late_secrets, late_secrets, late_secrets_wait};
pub(crate) use late::{note_late, some_were_left};

/// What was erased.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Purged {
    /// The tombstones that keep it from coming back.
    pub tombstones: Vec<Tombstone>,
    /// Turns that went: asked for, or under a memory that was, or telling it.
    pub episodes: usize,
    /// Lines of journals that told it.
    pub journal_lines: usize,
    /// Something is left in a file until its reader goes away.
    pub pending: bool,
    /// Copies, journals and other files under the home that could not be opened.
    pub copies_left: Vec<PathBuf>,
    /// Files of damaged copies in which its words were overwritten.
    pub overwritten: Vec<PathBuf>,
    /// Earlier or later versions that were not asked for and still hold related text.
    pub related: Vec<Memory>,
    /// Files of the project out of which our own line was taken.
    pub lines_removed: Vec<String>,
    /// Files of the project that still tell it: the line there is somebody else's.
    pub files_left: Vec<String>,
    /// Sessions in which it was said or told. What an agent said there in words of its own is not recognised.
    pub sessions: Vec<SessionId>,
}

/// What an erasure takes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToErase {
    /// The memories.
    pub memories: Vec<Memory>,
    /// The turns: asked for, or under one of the memories, or telling it.
    pub turns: Vec<Episode>,
    /// Earlier or later versions of the memories that stay.
    pub related: Vec<Memory>,
}

impl Erasing<'_> {
    /// Erases memories: text, words, vectors, versions, log content, and the turns in which they
    /// were said, wherever those are kept. With `whole_chain`, also everything they replaced and
    /// were replaced by. A handle may also mean a turn.
    pub fn purge(
        &self,
        context: &Context,
        handles: &[String],
        whole_chain: bool,
    ) -> Result<Purged> {
        demand_act(context.door, Act::Purge, || {
            format!("throughline purge {}", handles.join(" "))
        })?;
        if let Some(stones) = self.half_erased(context, handles)? {
            return self.finish_purge(stones);
        }
        // What an agent told is in files. They come first: once the words are erased, nobody could
        // say any more which lines tell them.
        let (mut gone, in_files) = {
            let reader = self.engine.now_reader()?;
            let erase = self.to_erase(&*reader, context, handles, whole_chain)?;
            self.may_erase(&*reader, context, handles, &erase)?;
            (gone(&*reader, context, &erase)?, outside::told_in_files(&*reader, &erase.memories)?)
        };
        let sessions = self.sessions_of(&gone);
        let (told, mut left) = self.forget_files(&mut gone);
        let (overwritten, unwritable) = scrub::scrub_damaged(&self.engine.home, &gone.telling);
        left.extend(unwritable);
        let journal_lines = told.lines;
        let ((tombstones, episodes, related), _) = self
            .engine
            .write(context, Cause::Purge, None, |tx| {
                self.bury(tx, context, &told, (handles, whole_chain))
            })
            .map_err(|source| Error::not_erased(source, journal_lines))?;
        let purged = self.finish_purge(tombstones)?;
        // A damaged copy cannot be opened; where its words are overwritten nothing is left in it.
        left.extend(purged.copies_left.into_iter().filter(|copy| !overwritten.contains(copy)));
        let (lines_removed, files_left) = outside::take_out(context, in_files);
        let copies_left = left;
        Ok(Purged {
            episodes,
            journal_lines,
            copies_left,
            overwritten,
            related,
            lines_removed,
            files_left,
            sessions,
            ..purged
        })
    }

    /// Plans the erasure: the changes that take everything, and the tombstones that stay.
    fn bury(
        &self,
        tx: &mut Transaction<'_>,
        context: &Context,
        told: &ToldInJournals,
        (handles, whole_chain): (&[String], bool),
    ) -> Result<(Vec<Tombstone>, usize, Vec<Memory>)> {
        let erase = self.to_erase(&**tx, context, handles, whole_chain)?;
        let (targets, turns) = (&erase.memories, erase.turns.len());
        let spaces = targets.iter().map(|one| one.space);
        if let Some(first) = spaces.chain(erase.turns.iter().map(|one| one.space)).next() {
            tx.scope.space = first;
        }
        let stones: Vec<Tombstone> =
            targets.iter().map(|memory| Tombstone::of(memory, tx.now)).collect();
        // What is attached to a memory goes with it, so the turns are looked at before.
        let silenced = silenced(&self.engine.home, tx, &erase.turns, told)?;
        drop_clusters(tx, targets)?;
        for stone in &stones {
            let key = RowKey::memory(stone.space, stone.memory);
            let there = tx.rows(&[key])?[0].is_some();
            let erase = if there { Change::Purge } else { Change::Expunge };
            tx.push(erase(stone.clone()));
            // Earlier wordings must not come back either.
            for earlier in earlier_wordings(&**tx, stone)? {
                tx.push(Change::Expunge(earlier));
            }
        }
        tx.extend(silenced);
        drop_orphans(tx, &stones)?;
        drop_pending(tx, targets)?;
        Ok((stones, turns, erase.related))
    }

    /// What an earlier purge of just these erased from memory without coming to its end.
    fn half_erased(&self, context: &Context, handles: &[String]) -> Result<Option<Vec<Tombstone>>> {
        let due = self.engine.store.unfinished_erasures()?;
        let spaces = context.reach().spaces;
        let named = |handle: &String| {
            let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
            let is_it = |stone: &&Tombstone| {
                let id = stone.memory.to_string();
                spaces.contains(&stone.space)
                    && is_handle(&wanted)
                    && (id.starts_with(&wanted) || (wanted.len() >= 8 && id.ends_with(&wanted)))
            };
            due.iter().find(is_it).cloned()
        };
        Ok(handles.iter().map(named).collect())
    }

    /// What was erased from memory leaves the files too. A failure says that it is gone from memory.
    fn finish_purge(&self, tombstones: Vec<Tombstone>) -> Result<Purged> {
        let (pending, copies_left) = self.finish_erasures().map_err(|source| {
            Error::ErasedInPart { file: self.engine.home.join(DATABASE), source: Box::new(source) }
        })?;
        Ok(Purged { tombstones, pending, copies_left, ..Purged::default() })
    }

    /// What an erasure would take.
    pub fn to_erase(
        &self,
        reader: &dyn Reader,
        context: &Context,
        handles: &[String],
        whole_chain: bool,
    ) -> Result<ToErase> {
        let mut erase = ToErase::default();
        for handle in handles {
            match self.resolve_for_erasure(reader, context, handle) {
                Ok(memory) => {
                    erase.related.extend(versions(reader, &memory)?);
                    erase.memories.push(memory);
                }
                Err(error @ Error::NotFound { .. }) => {
                    erase.turns.push(resolve_turn(reader, context, handle)?.ok_or(error)?);
                }
                Err(error) => return Err(error),
            }
        }
        if whole_chain {
            erase.memories.append(&mut erase.related);
        }
        erase.memories.sort_by_key(|memory| memory.id);
        erase.memories.dedup_by_key(|memory| memory.id);
        erase.related.retain(|one| erase.memories.iter().all(|target| target.id != one.id));
        for memory in &erase.memories {
            erase.turns.extend(turns_under(reader, memory)?);
            let said = wordings(reader, memory)?;
            for space in told_in(context, memory) {
                erase.turns.extend(turns_holding(reader, space, &said)?);
            }
        }
        // What one of them says may be told again elsewhere.
        for (space, said) in telling(&erase.turns) {
            erase.turns.extend(turns_holding(reader, space, &said)?);
        }
        erase.turns.sort_by_key(|turn| (turn.space, turn.id));
        erase.turns.dedup_by_key(|turn| (turn.space, turn.id));
        Ok(erase)
    }

    /// Takes what is erased out of the journals and out of every session's mind. Returns what the
    /// journals told of it, and the files that could not be cleaned.
    pub(crate) fn forget_files(&self, gone: &mut Gone) -> (ToldInJournals, Vec<PathBuf>) {
        let forgotten = Journal::new(&self.engine.home).forget(&|line| gone.is_line(line));
        let (mut left, mut turns) = (forgotten.left, Vec::new());
        for entry in forgotten.entries {
            let session = &entry.event.session;
            for turn in turns_of(&entry.event, entry.at) {
                // A line may tell of other things too.
                if gone.is_turn(session, &turn) {
                    gone.add_said(session, turn.speaker.as_str(), &turn.text);
                    turns.push((entry.clone(), turn));
                }
            }
        }
        left.extend(Minds::new(&self.engine.home).forget(gone));
        left.extend(Tellings::new(&self.engine.home).forget(gone));
        (ToldInJournals { lines: forgotten.lines, turns }, left)
    }

    /// The memory a handle means, also if an undo took it away and only the log still holds it.
    pub fn resolve_for_erasure(
        &self,
        reader: &dyn Reader,
        context: &Context,
        handle: &str,
    ) -> Result<Memory> {
        let not_there = match self.engine.resolve(reader, context, handle) {
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

    /// Finishes an erasure that was interrupted, if there is one.
    pub(crate) fn finish_due(&self) -> Result<()> {
        if !self.engine.store.may_owe_erasure() || self.engine.store.erasure_due()?.is_empty() {
            return Ok(());
        }
        self.finish_erasures().map(drop)
    }

    /// Erases what is due from the copies we made ourselves, then from the store's own files. Says
    /// whether something is left there, and which copies could not be opened.
    ///
    /// Called after every write that finds something due.
    pub(crate) fn finish_erasures(&self) -> Result<(bool, Vec<PathBuf>)> {
        backup::sweep_if_idle(&self.engine.home);
        let stones = self.engine.store.erasure_due()?;
        // Before anything is taken off the list of what is due.
        self.engine.copying().note_erased()?;
        let mut left = forget_kept(&self.engine.home);
        left.extend(self.engine.indexes.forget_kept());
        left.extend(backup::clean_copies(&self.engine.home, &stones));
        let pending = self.engine.store.finish_erasure()? == Erasure::Pending;
        Ok((pending, left))
    }

    /// How many erasures were cut short: what they name is out of memory, and its text may still be in
    /// the files of the database and in copies.
    pub fn unfinished_erasures(&self) -> Result<usize> {
        Ok(self.engine.store.unfinished_erasures()?.len())
    }

    /// Finishes what is due before another database is put in the place of this one, whose list of what
    /// is due goes with it. Says `false` where that failed: then the copies are to be cleaned afterwards.
    pub(crate) fn finish_before_replacing(&self) -> bool {
        match self.unfinished_erasures() {
            Ok(0) => true,
            Ok(_) => self.finish_erasures().is_ok(),
            // A tombstone that cannot be read.
            Err(_) => false,
        }
    }

    /// Erases what was ever erased from the copies, where it is not known what was due.
    pub(crate) fn clean_after_replacing(&self) -> Result<()> {
        let stones = self.engine.now_reader()?.all_tombstones()?;
        self.engine.indexes.forget_kept();
        backup::clean_copies(&self.engine.home, &stones);
        Ok(())
    }
}

/// What the journals told of something erased.
pub(crate) struct ToldInJournals {
    /// Lines that went.
    lines: usize,
    /// The turns that told it, with the entries they came in.
    turns: Vec<(JournalEntry, Captured)>,
}

/// The spaces in which a memory may have been said: its own; of a global one also the one at hand.
fn told_in(context: &Context, memory: &Memory) -> Vec<SpaceId> {
    if memory.space == SpaceId::GLOBAL { context.reach().spaces } else { vec![memory.space] }
}

/// What turns say, by space, where that is enough to know it again.
fn telling(turns: &[Episode]) -> BTreeMap<SpaceId, Vec<String>> {
    let mut said: BTreeMap<SpaceId, Vec<String>> = BTreeMap::new();
    for turn in turns.iter().filter(|turn| episode::is_telling(&turn.text)) {
        said.entry(turn.space).or_default().push(turn.text.clone());
    }
    said
}

/// What must not be said anywhere any more.
fn gone(reader: &dyn Reader, context: &Context, erase: &ToErase) -> Result<Gone> {
    let mut gone = Gone::default();
    for memory in &erase.memories {
        gone.memories.insert(memory.id);
        gone.spaces.extend(told_in(context, memory));
        for wording in wordings(reader, memory)? {
            gone.add_wording(&wording);
        }
    }
    for turn in &erase.turns {
        gone.spaces.insert(turn.space);
        gone.add_turn(turn);
    }
    for said in telling(&erase.turns).values().flatten() {
        gone.add_wording(said);
    }
    Ok(gone)
}

/// The turn that a handle means, if there is just one.
pub(crate) fn resolve_turn(
    reader: &dyn Reader,
    context: &Context,
    handle: &str,
) -> Result<Option<Episode>> {
    let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
    if !is_handle(&wanted) {
        return Ok(None);
    }
    let mut found = find_turns(reader, &context.reach().spaces, &wanted)?;
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(Error::Ambiguous {
            what: "turn",
            handle: handle.to_owned(),
            found: found.len(),
            candidates: found.iter().take(5).map(|turn| turn.id.handle()).collect(),
        }),
    }
}

/// The changes that erase turns, and keep those out that a journal told and that nobody has taken in
/// yet: somebody may be about to.
fn silenced(
    home: &Path,
    tx: &Transaction<'_>,
    turns: &[Episode],
    told: &ToldInJournals,
) -> Result<Vec<Change>> {
    let mut stones: BTreeMap<(SpaceId, MemoryId), Tombstone> = BTreeMap::new();
    let mut bury = |turn: &Episode| {
        let stone = Tombstone::of_turn(turn, tx.now);
        stones.insert((stone.space, stone.memory), stone);
    };
    for (entry, turn) in &told.turns {
        named_turn(home, &**tx, entry, turn)?.iter().for_each(&mut bury);
    }
    turns.iter().for_each(bury);
    let silence = |stone: Tombstone| {
        let quoted_by = quoted_by(&**tx, stone.space, stone.turn())?;
        Ok(Change::Silence { stone, quoted_by })
    };
    stones.into_values().map(silence).collect()
}

/// Drops the clusters that erased memories lie in: their names may be words of what is erased. Sleep finds them anew.
fn drop_clusters(tx: &mut Transaction<'_>, targets: &[Memory]) -> Result<()> {
    let mut clusters: BTreeSet<(SpaceId, EntityId)> = BTreeSet::new();
    for target in targets {
        let node = target.id.into();
        let edges = tx.neighbours(target.space, &[node], &[Relation::InCluster], usize::MAX)?;
        clusters.extend(edges.iter().filter_map(|edge| Some((edge.space, edge.to.entity()?))));
    }
    for (space, entity) in clusters {
        for edge in tx.neighbours(space, &[entity.into()], &[], usize::MAX)? {
            let Edge { from, relation, to, .. } = edge;
            tx.push(Change::Unlink { space, from, relation, to });
        }
        tx.push(Change::Unknow { space, entity });
    }
    Ok(())
}

/// Drops the things that erased memories once spoke of and that nothing speaks of any more: labels
/// taken off before, names that an undo took away. Those still linked go with the memory itself.
fn drop_orphans(tx: &mut Transaction<'_>, stones: &[Tombstone]) -> Result<()> {
    let mut spoken_of: BTreeSet<(SpaceId, EntityId)> = BTreeSet::new();
    for stone in stones {
        for logged in tx.history(stone.space, stone.memory.into())? {
            let nodes = logged.before.iter().flat_map(|image| nodes_of_key(&image.key));
            spoken_of.extend(nodes.filter_map(|node| Some((stone.space, node.entity()?))));
        }
    }
    for (space, entity) in spoken_of {
        if tx.attached(space, &[entity.into()])?.is_empty() {
            tx.push(Change::Unknow { space, entity });
        }
    }
    Ok(())
}

/// Erases what waits for a person, or did, and tells what is erased in any of its wordings.
fn drop_pending(tx: &mut Transaction<'_>, targets: &[Memory]) -> Result<()> {
    let mut erased: BTreeMap<SpaceId, Vec<(Tombstone, Vec<String>)>> = BTreeMap::new();
    for target in targets {
        let history = tx.history(target.space, target.id.into())?;
        let versions = history.iter().flat_map(|logged| versions_in(logged, target.id));
        let told = versions.chain([target.clone()]).filter(|one| !one.content.is_empty());
        let told = told.map(|one| (Tombstone::of(&one, tx.now), vec![one.content]));
        erased.entry(target.space).or_default().extend(told);
    }
    for (space, erased) in erased {
        let deferred = tx.deferred(space)?;
        tx.extend(pending::erasures(&deferred, &erased));
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
