//! Import: an export comes back. Into an empty store it is replayed as it was; into one with
//! memories of its own it goes through the same door as everything else. What a stranger wrote is
//! nobody's word here, unless the user vouches for it.

mod foreign;
mod merge;

use std::collections::BTreeSet;
use std::io::{BufRead as _, Read as _};
use std::path::Path;
use std::sync::Arc;

use throughline_core::permission::Act;
use throughline_core::{
    Batch, BatchId, Cause, Change, Episode, Fingerprint, Memory, MemoryId, Pending, RowKey, Table,
    row::Tombstone,
};
use throughline_store::{LogQuery, MemoryQuery, Reader, StoredBatch, Tables};

use crate::export::{FORMAT, Header, VERSION};
use crate::flows::Copying;
use crate::permit::demand_act;
use crate::purge::Gone;
use crate::{Context, Error, Result};

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Batches replayed as they were.
    pub batches: usize,
    /// Memories that are new here.
    pub memories: usize,
    /// Memories that were here already.
    pub known: usize,
    /// Memories that were erased here, and stay out.
    pub blocked: usize,
    /// Links that are new here.
    pub links: usize,
    /// It is somebody else's: what it says ranks as external.
    pub foreign: bool,
    /// Memories of a stranger's that wait in `review`: rules, preferences, orders.
    pub waiting: usize,
    /// The projects in whose `review` they wait, by key, and how many in each.
    pub waiting_in: Vec<(String, usize)>,
}

/// Whose word a file is, as far as the user says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportSource {
    /// Our own is recognised by its mark; everything else is a stranger's.
    ByItsMark,
    /// The user vouches for it.
    Vouched,
}

/// A longer line is not one of ours.
const LINE_BYTES_MAX: usize = 64 << 20;

impl Copying<'_> {
    /// Reads an export. All of it is checked before anything is written.
    pub fn import(
        &self,
        context: &Context,
        file: &Path,
        source: ImportSource,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Imported> {
        let by_hand = || format!("throughline import {}", file.display());
        demand_act(context.door, Act::Transfer, by_hand)?;
        let (header, batches) = read(file)?;
        let own = header.home.as_ref().is_some_and(|mark| *mark == self.mark());
        for (at, memory) in told(&batches) {
            self.engine
                .keeping(context)
                .check_content(&memory.content)
                .map_err(|error| bad_file(file, at + 2, error.to_string()))?;
        }
        let most = self.engine.policy.limits.operation_bytes_max;
        if let Some((at, one)) = deferred(&batches).find(|(_, one)| one.operation.len() > most) {
            let detail = format!("pending operation {} has more than {most} bytes", one.id);
            return Err(bad_file(file, at + 2, detail));
        }
        let theirs = Arc::new(Tables::replay(batches.iter().cloned()).map_err(|error| {
            bad_file(file, 1, format!("its changes do not follow from each other: {error}"))
        })?);
        let (whole, rank) = foreign::is_vouched(own || source == ImportSource::Vouched);
        if !whole {
            return self.take_in_foreign(context, &theirs, rank);
        }
        let empty = self.engine.latest_change(&*self.engine.now_reader()?)? == 0;
        let done = match self.missing(&batches, &theirs)? {
            Some(missing) => self.follow(&missing, &theirs, progress),
            None => self.merge(context, &theirs),
        }?;
        if let (true, Some(mark)) = (empty, &header.home) {
            // The same memory goes on here.
            self.keep_mark(mark)?;
        }
        self.forget_erased(&theirs.all_tombstones()?);
        Ok(done)
    }

    /// Turns that were erased elsewhere leave what agents told here too. A file that cannot be
    /// cleaned stays: nobody asked for an erasure here.
    fn forget_erased(&self, stones: &[Tombstone]) {
        let mut gone = Gone::default();
        for stone in stones {
            gone.add_mark(stone.space, &stone.fingerprint);
        }
        if !stones.is_empty() {
            self.engine.erasing().forget_files(&mut gone);
        }
    }

    /// The batches of an export that are not here, if they follow from what is here: if the store is
    /// empty, or holds an earlier part of the same history, with nothing of its own that they would
    /// repeat or bring back.
    fn missing(&self, batches: &[Batch], theirs: &Arc<Tables>) -> Result<Option<Vec<Batch>>> {
        let reader = self.engine.now_reader()?;
        let ours = reader.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })?;
        let here: BTreeSet<BatchId> = ours.iter().map(|stored| stored.batch.id).collect();
        let missing: Vec<Batch> =
            batches.iter().filter(|batch| !here.contains(&batch.id)).cloned().collect();
        if !here.is_empty() && missing.len() == batches.len() {
            return Ok(None);
        }
        let stones = reader.all_tombstones()?;
        let buried: BTreeSet<&Fingerprint> =
            stones.iter().map(|stone| &stone.fingerprint).collect();
        if told(&missing).any(|(_, memory)| buried.contains(&memory.fingerprint)) {
            return Ok(None);
        }
        let turns: BTreeSet<MemoryId> = stones.iter().map(|stone| stone.memory).collect();
        let erased =
            |turn: &Episode| turns.contains(&MemoryId(turn.id.0)) || buried.contains(&turn.mark());
        if recorded(&missing).any(|turn| !turn.is_erased() && erased(turn)) {
            return Ok(None);
        }
        if deferred(&missing).any(|(_, one)| stones.iter().any(|stone| one.tells(stone, &[]))) {
            return Ok(None);
        }
        if ours.is_empty() {
            // What the file holds was replayed already, and there is nothing to add to it.
            return Ok(is_apart(theirs)?.then_some(missing));
        }
        if Self::both_changed(&*reader, &ours, &missing, theirs)? {
            return Ok(None);
        }
        let whole = ours.into_iter().map(|stored| stored.batch).chain(missing.iter().cloned());
        let Ok(together) = Tables::replay(whole) else { return Ok(None) };
        Ok(is_apart(&Arc::new(together))?.then_some(missing))
    }

    /// Whether what is missing here touches something that was changed here and not there: then
    /// neither history simply goes on.
    fn both_changed(
        reader: &dyn Reader,
        ours: &[StoredBatch],
        missing: &[Batch],
        theirs: &Arc<Tables>,
    ) -> Result<bool> {
        let touched = |reader: &dyn Reader, batch: &Batch| -> Result<BTreeSet<RowKey>> {
            let logged = reader.changes_of(batch.space, batch.id)?;
            let keys = logged.into_iter().flat_map(|one| one.before).map(|image| image.key);
            Ok(keys.filter(|key| key.table != Table::Space).collect())
        };
        let mut by_them = BTreeSet::new();
        for batch in missing {
            by_them.extend(touched(theirs, batch)?);
        }
        for stored in ours {
            let known_there = !theirs.headers(&[stored.batch.id])?.is_empty();
            if !known_there && !touched(reader, &stored.batch)?.is_disjoint(&by_them) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Replays batches as they were.
    fn follow(
        &self,
        batches: &[Batch],
        theirs: &Arc<Tables>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Imported> {
        for (done, batch) in batches.iter().enumerate() {
            self.engine.store.apply(batch)?;
            if done % 100 == 0 {
                progress(done);
            }
        }
        if !self.engine.store.erasure_due()?.is_empty() {
            self.engine.erasing().finish_erasures()?;
        }
        let inserted: BTreeSet<MemoryId> = told(batches).map(|(_, memory)| memory.id).collect();
        let held = all_memories(theirs)?;
        let memories = held.iter().filter(|memory| inserted.contains(&memory.id)).count();
        let mut report = Imported { batches: batches.len(), memories, ..Imported::default() };
        let reader = self.engine.now_reader()?;
        for memory in held.iter().filter(|memory| !inserted.contains(&memory.id)) {
            let mark = std::slice::from_ref(&memory.fingerprint);
            let erased = !reader.tombstones(memory.space, mark)?.is_empty();
            if erased { report.blocked += 1 } else { report.known += 1 }
        }
        Ok(report)
    }

    /// Takes in what another store holds. Its history stays there; what it knows comes here, in
    /// one batch for each space.
    fn merge(&self, context: &Context, theirs: &Arc<Tables>) -> Result<Imported> {
        let mut total = Imported::default();
        for space in theirs.spaces()? {
            let (part, _) = self.engine.write(context, Cause::Import, None, |tx| {
                tx.scope.space = space.space;
                let known =
                    RowKey { space: space.space, table: Table::Space, key: space.key.clone() };
                if tx.rows(&[known])?[0].is_none() {
                    tx.push(Change::AddSpace(space.clone()));
                }
                merge::merge_space(tx, theirs, space.space)
            })?;
            total.memories += part.memories;
            total.known += part.known;
            total.blocked += part.blocked;
            total.links += part.links;
        }
        Ok(total)
    }
}

fn bad_file(path: &Path, line: usize, detail: String) -> Error {
    Error::BadFile { path: path.to_owned(), line, detail }
}

/// Every memory that batches tell in words, with the number of its batch. What was erased there is
/// not told any more.
fn told(batches: &[Batch]) -> impl Iterator<Item = (usize, &Memory)> {
    let changes = batches
        .iter()
        .enumerate()
        .flat_map(|(at, batch)| batch.changes.iter().map(move |change| (at, change)));
    changes.filter_map(|(at, change)| {
        if let Change::Insert(memory) | Change::Revise(memory) = change {
            Some((at, &**memory)).filter(|(_, memory)| memory.fingerprint != Fingerprint::erased())
        } else {
            None
        }
    })
}

/// Every turn that batches tell.
fn recorded(batches: &[Batch]) -> impl Iterator<Item = &Episode> {
    let changes = batches.iter().flat_map(|batch| &batch.changes);
    changes.filter_map(
        |change| {
            if let Change::Record(episode) = change { Some(episode) } else { None }
        },
    )
}

/// Every operation that batches keep for a person, with the number of its batch.
fn deferred(batches: &[Batch]) -> impl Iterator<Item = (usize, &Pending)> {
    let changes = batches
        .iter()
        .enumerate()
        .flat_map(|(at, batch)| batch.changes.iter().map(move |change| (at, change)));
    changes.filter_map(
        |(at, change)| {
            if let Change::Defer(pending) = change { Some((at, pending)) } else { None }
        },
    )
}

/// Reads and checks the lines of an export.
fn read(file: &Path) -> Result<(Header, Vec<Batch>)> {
    let open = std::fs::File::open(file)
        .map_err(|source| Error::File { path: file.to_owned(), source })?;
    let mut lines = std::io::BufReader::new(open);
    let mut batches = Vec::new();
    let mut header = None;
    for number in 1.. {
        let mut line = Vec::new();
        let limit = LINE_BYTES_MAX as u64 + 1;
        let read = (&mut lines).take(limit).read_until(b'\n', &mut line);
        read.map_err(|error| bad_file(file, number, error.to_string()))?;
        if line.is_empty() && number > 1 {
            break;
        }
        if line.len() > LINE_BYTES_MAX {
            return Err(bad_file(file, number, "the line is too long".to_owned()));
        }
        if number == 1 {
            header = Some(check_header(file, &line)?);
        } else if !line.trim_ascii().is_empty() {
            let batch = serde_json::from_slice(&line)
                .map_err(|error| bad_file(file, number, error.to_string()))?;
            batches.push(batch);
        }
    }
    let header = header.ok_or_else(|| bad_file(file, 1, "the file is empty".to_owned()))?;
    Ok((header, batches))
}

fn check_header(file: &Path, line: &[u8]) -> Result<Header> {
    let header: Header = serde_json::from_slice(line)
        .map_err(|_| bad_file(file, 1, "this is not an export of Throughline".to_owned()))?;
    if header.format != FORMAT {
        return Err(bad_file(file, 1, format!("this is {}, not {FORMAT}", header.format)));
    }
    if header.version > VERSION {
        let newer = header.version;
        let detail = format!("the export has version {newer}; this program reads up to {VERSION}");
        return Err(bad_file(file, 1, detail));
    }
    Ok(header)
}

/// Whether no two current memories say the same in the same place.
fn is_apart(tables: &Arc<Tables>) -> Result<bool> {
    let mut active = BTreeSet::new();
    let mut current = all_memories(tables)?.into_iter().filter(|memory| memory.state.is_active());
    Ok(current.all(|memory| active.insert((memory.space, memory.session, memory.fingerprint))))
}

fn all_memories(tables: &Arc<Tables>) -> Result<Vec<Memory>> {
    let spaces = tables.spaces()?.iter().map(|space| space.space).collect();
    let query =
        MemoryQuery { spaces, limit: usize::MAX, any_session: true, ..MemoryQuery::default() };
    Ok(tables.memories(&query)?.items)
}
