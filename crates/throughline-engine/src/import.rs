//! Import: an export comes back. Into an empty store it is replayed as it was; into one with
//! memories of its own it goes through the same door as everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, Read as _};
use std::path::Path;
use std::sync::Arc;

use throughline_core::evidence::Testimony;
use throughline_core::row::slot_fingerprint;
use throughline_core::{
    Batch, BatchId, Cause, Change, EntityId, Evidence, Fingerprint, Memory, MemoryId, NodeId,
    Relation, Row, RowKey, SpaceId, Table,
};
use throughline_store::{EntityName, LogQuery, MemoryQuery, Reader, Store, StoredBatch, Tables};

use crate::correct::mark_rivals;
use crate::engine::Draft;
use crate::export::{FORMAT, Header, VERSION};
use crate::remember::head_of;
use crate::{Context, Engine, Error, Result};

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
}

/// A longer line is not one of ours.
const LINE_BYTES_MAX: usize = 64 << 20;

impl Engine {
    /// Reads an export. All of it is checked before anything is written.
    pub fn import(
        &self,
        context: &Context,
        file: &Path,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Imported> {
        let batches = read(file)?;
        for (at, memory) in told(&batches) {
            self.check_content(&memory.content)
                .map_err(|error| bad_file(file, at + 2, error.to_string()))?;
        }
        let theirs = Arc::new(Tables::replay(batches.iter().cloned()).map_err(|error| {
            bad_file(file, 1, format!("its changes do not follow from each other: {error}"))
        })?);
        match self.missing(&batches, &theirs)? {
            Some(missing) => self.follow(&missing, &theirs, progress),
            None => self.merge(context, &theirs),
        }
    }

    /// The batches of an export that are not here, if they follow from what is here: if the store is
    /// empty, or holds an earlier part of the same history, with nothing of its own that they would
    /// repeat or bring back.
    fn missing(&self, batches: &[Batch], theirs: &Arc<Tables>) -> Result<Option<Vec<Batch>>> {
        let reader = self.now_reader()?;
        let ours = reader.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })?;
        let here: BTreeSet<BatchId> = ours.iter().map(|stored| stored.batch.id).collect();
        let missing: Vec<Batch> =
            batches.iter().filter(|batch| !here.contains(&batch.id)).cloned().collect();
        if !here.is_empty() && missing.len() == batches.len() {
            return Ok(None);
        }
        let buried: BTreeSet<Fingerprint> =
            reader.all_tombstones()?.into_iter().map(|stone| stone.fingerprint).collect();
        if told(&missing).any(|(_, memory)| buried.contains(&memory.fingerprint)) {
            return Ok(None);
        }
        if Self::both_changed(&*reader, &ours, &missing, theirs)? {
            return Ok(None);
        }
        let whole = ours.into_iter().map(|stored| stored.batch).chain(missing.iter().cloned());
        let Ok(together) = Tables::replay(whole) else { return Ok(None) };
        let mut active = BTreeSet::new();
        let apart = all_memories(&Arc::new(together))?
            .into_iter()
            .filter(|memory| memory.state.is_active())
            .all(|memory| active.insert((memory.space, memory.session, memory.fingerprint)));
        Ok(apart.then_some(missing))
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
            self.store.apply(batch)?;
            if done % 100 == 0 {
                progress(done);
            }
        }
        if !self.store.erasure_due()?.is_empty() {
            self.finish_erasures()?;
        }
        let inserted: BTreeSet<MemoryId> = told(batches).map(|(_, memory)| memory.id).collect();
        let held = all_memories(theirs)?;
        let memories = held.iter().filter(|memory| inserted.contains(&memory.id)).count();
        let mut report = Imported { batches: batches.len(), memories, ..Imported::default() };
        let reader = self.now_reader()?;
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
            let (part, _) = self.write(context, Cause::Import, None, |reader, draft| {
                draft.scope.space = space.space;
                let known =
                    RowKey { space: space.space, table: Table::Space, key: space.key.clone() };
                if reader.rows(&[known])?[0].is_none() {
                    draft.changes.push(Change::AddSpace(space.clone()));
                }
                merge_space(reader, draft, theirs, space.space)
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

/// Reads and checks the lines of an export.
fn read(file: &Path) -> Result<Vec<Batch>> {
    let open = std::fs::File::open(file)
        .map_err(|source| Error::File { path: file.to_owned(), source })?;
    let mut lines = std::io::BufReader::new(open);
    let mut batches = Vec::new();
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
            check_header(file, &line)?;
        } else if !line.trim_ascii().is_empty() {
            let batch = serde_json::from_slice(&line)
                .map_err(|error| bad_file(file, number, error.to_string()))?;
            batches.push(batch);
        }
    }
    Ok(batches)
}

fn check_header(file: &Path, line: &[u8]) -> Result<()> {
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
    Ok(())
}

fn all_memories(tables: &Arc<Tables>) -> Result<Vec<Memory>> {
    let spaces = tables.spaces()?.iter().map(|space| space.space).collect();
    let query =
        MemoryQuery { spaces, limit: usize::MAX, any_session: true, ..MemoryQuery::default() };
    Ok(tables.memories(&query)?.items)
}

/// Plans what one space of theirs means for ours.
fn merge_space(
    reader: &dyn Reader,
    draft: &mut Draft,
    theirs: &Arc<Tables>,
    space: SpaceId,
) -> Result<Imported> {
    let mut report = Imported::default();
    let mut place = Places::default();
    let buried: BTreeSet<MemoryId> =
        reader.all_tombstones()?.into_iter().map(|stone| stone.memory).collect();
    // What was erased there is erased here too, if it is the very same memory.
    for stone in theirs.all_tombstones()?.into_iter().filter(|stone| stone.space == space) {
        if reader.rows(&[RowKey::memory(space, stone.memory)])?[0].is_some()
            && !draft
                .changes
                .iter()
                .any(|change| matches!(change, Change::Purge(one) if one.memory == stone.memory))
        {
            draft.changes.push(Change::Purge(stone));
        }
    }
    let (mut new, mut known): (Vec<Memory>, Vec<Memory>) = (Vec::new(), Vec::new());
    let query = MemoryQuery {
        spaces: vec![space],
        limit: usize::MAX,
        any_session: true,
        ..MemoryQuery::default()
    };
    for memory in theirs.memories(&query)?.items {
        let marks: Vec<Fingerprint> = std::iter::once(memory.fingerprint.clone())
            .chain(memory.slot.as_ref().map(slot_fingerprint))
            .collect();
        if buried.contains(&memory.id) || !reader.tombstones(space, &marks)?.is_empty() {
            report.blocked += 1;
        } else if reader.rows(&[RowKey::memory(space, memory.id)])?[0].is_some() {
            place.memories.insert(memory.id, memory.id);
            report.known += 1;
            known.push(memory);
        } else if let Some(twin) = twin(reader, &memory)? {
            place.memories.insert(memory.id, twin);
            report.known += 1;
            for one in evidence(theirs, &memory)? {
                let told = retold(one).about(space, twin);
                if reader.rows(&[Row::Evidence(told.clone()).key()])?[0].is_none() {
                    draft.changes.push(Change::Reinforce(told));
                }
            }
        } else {
            place.memories.insert(memory.id, memory.id);
            report.memories += 1;
            new.push(memory);
        }
    }
    let taken: BTreeSet<NodeId> = new.iter().map(|memory| memory.id.into()).collect();
    for mut memory in new {
        // What took its place may be known here under another name, or have been erased here.
        memory.superseded_by = memory.superseded_by.and_then(|id| place.memories.get(&id).copied());
        let support = evidence(theirs, &memory)?;
        draft.changes.push(Change::Insert(Box::new(memory.clone())));
        if memory.state.is_active() {
            mark_rivals(reader, draft, &memory)?;
        }
        draft.changes.extend(support.into_iter().map(Change::Reinforce));
    }
    for memory in known {
        follow_replacement(reader, draft, theirs, &memory, &place)?;
    }
    merge_links(reader, draft, theirs, space, &mut place, &taken, &mut report)?;
    Ok(report)
}

/// A memory that is current here and was replaced there is replaced here too, if what took its
/// place came along and is current.
fn follow_replacement(
    reader: &dyn Reader,
    draft: &mut Draft,
    theirs: &Arc<Tables>,
    memory: &Memory,
    place: &Places,
) -> Result<()> {
    let space = memory.space;
    let ours = reader.rows(&[RowKey::memory(space, memory.id)])?.remove(0);
    let current = ours.and_then(Row::into_memory).is_some_and(|ours| ours.state.is_active());
    let Some(head) = head_of(theirs, memory)?.filter(|head| current && head.id != memory.id) else {
        return Ok(());
    };
    let Some(new) = place.memories.get(&head.id).copied().filter(|_| head.state.is_active()) else {
        return Ok(());
    };
    let here = reader.rows(&[RowKey::memory(space, new)])?.remove(0).and_then(Row::into_memory);
    if here.is_none_or(|here| here.state.is_active()) {
        let at = memory.since.unwrap_or(draft.now);
        draft.changes.push(Change::Supersede { space, old: memory.id, new, at });
    }
    Ok(())
}

/// Where the things of another store are found in ours.
#[derive(Default)]
struct Places {
    memories: BTreeMap<MemoryId, MemoryId>,
    entities: BTreeMap<EntityId, EntityId>,
}

fn evidence(theirs: &Arc<Tables>, memory: &Memory) -> Result<Vec<Evidence>> {
    let attached = theirs.attached(memory.space, &[memory.id.into()])?;
    Ok(attached
        .into_iter()
        .filter_map(|row| if let Row::Evidence(one) = row { Some(one) } else { None })
        .collect())
}

/// The same testimony, to be given about another memory.
fn retold(evidence: Evidence) -> Testimony {
    Testimony {
        authority: evidence.authority,
        session: evidence.session,
        turn: evidence.turn,
        at: evidence.at,
        snippet: evidence.snippet,
        why: evidence.why,
        echo: evidence.echo,
    }
}

/// A memory of ours that says the same: an active one takes the evidence; one that was retired
/// here is not brought back by somebody else's copy.
fn twin(reader: &dyn Reader, memory: &Memory) -> Result<Option<MemoryId>> {
    if !memory.state.is_active() {
        return Ok(None);
    }
    let ours = reader.with_fingerprint(memory.space, &memory.fingerprint)?;
    let mut ours: Vec<Memory> =
        ours.into_iter().filter(|one| one.session == memory.session).collect();
    ours.sort_by_key(|one| (!one.state.is_active(), one.id));
    Ok(ours.first().map(|one| one.id))
}

/// Links and the things they lead to, where both ends have a place here.
fn merge_links(
    reader: &dyn Reader,
    draft: &mut Draft,
    theirs: &Arc<Tables>,
    space: SpaceId,
    place: &mut Places,
    new: &BTreeSet<NodeId>,
    report: &mut Imported,
) -> Result<()> {
    let nodes: Vec<NodeId> = place.memories.keys().map(|id| (*id).into()).collect();
    for mut edge in theirs.neighbours(space, &nodes, &[], usize::MAX)? {
        if edge.relation == Relation::Supersedes && !new.contains(&edge.to) {
            continue; // told by the replacement itself
        }
        let from = find_place(reader, draft, theirs, space, edge.from, place)?;
        let to = find_place(reader, draft, theirs, space, edge.to, place)?;
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        (edge.from, edge.to) = (from, to);
        let key = RowKey::edge(space, from, edge.relation, to);
        if from != to && reader.rows(&[key])?[0].is_none() {
            draft.changes.push(Change::Link(edge));
            report.links += 1;
        }
    }
    Ok(())
}

/// Where a node of theirs is found in ours. A thing we do not know by any of its names is taken in.
fn find_place(
    reader: &dyn Reader,
    draft: &mut Draft,
    theirs: &Arc<Tables>,
    space: SpaceId,
    node: NodeId,
    place: &mut Places,
) -> Result<Option<NodeId>> {
    let id = match node {
        NodeId::Memory(id) => return Ok(place.memories.get(&id).map(|id| NodeId::Memory(*id))),
        NodeId::Episode(_) => return Ok(None),
        NodeId::Entity(id) => id,
    };
    if let Some(known) = place.entities.get(&id) {
        return Ok(Some(NodeId::Entity(*known)));
    }
    let row = theirs.rows(&[RowKey::node(space, node)])?.remove(0);
    let Some(Row::Entity(entity)) = row else {
        return Ok(None);
    };
    let names: Vec<EntityName> = entity
        .names()
        .into_iter()
        .map(|name| EntityName { kind: Some(entity.kind), name })
        .collect();
    let ours = match reader.entities(space, &names)?.first() {
        Some(known) => known.id,
        None => {
            draft.changes.push(Change::Know(entity));
            id
        }
    };
    place.entities.insert(id, ours);
    Ok(Some(NodeId::Entity(ours)))
}
