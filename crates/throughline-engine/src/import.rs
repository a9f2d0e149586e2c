//! Import: an export comes back. Into an empty store it is replayed as it was; into one with
//! memories of its own it goes through the same door as everything else.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use throughline_core::evidence::Testimony;
use throughline_core::{
    Batch, Cause, Change, EntityId, Evidence, Memory, MemoryId, NodeId, Row, RowKey, SpaceId, Table,
};
use throughline_store::{EntityName, LogQuery, MemoryQuery, Reader, Store, Tables};

use crate::correct::mark_rivals;
use crate::engine::Draft;
use crate::export::{FORMAT, Header, VERSION};
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
        let empty =
            self.now_reader()?.log(&LogQuery { limit: 1, ..LogQuery::default() })?.is_empty();
        let bad = |detail: String| Error::BadFile { path: file.to_owned(), line: 1, detail };
        let theirs = Tables::replay(batches.iter().cloned())
            .map_err(|error| bad(format!("its changes do not follow from each other: {error}")))?;
        let theirs = Arc::new(theirs);
        if empty {
            return self.replay(&batches, &theirs, progress);
        }
        self.merge(context, &theirs)
    }

    fn replay(
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
        self.store.finish_erasure()?;
        let memories = all_memories(theirs)?.len();
        Ok(Imported { batches: batches.len(), memories, ..Imported::default() })
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

/// Reads and checks the lines of an export.
fn read(file: &Path) -> Result<Vec<Batch>> {
    let open = std::fs::File::open(file)
        .map_err(|source| Error::File { path: file.to_owned(), source })?;
    let bad = |line: usize, detail: String| Error::BadFile { path: file.to_owned(), line, detail };
    let mut batches = Vec::new();
    for (at, line) in std::io::BufReader::new(open).lines().enumerate() {
        let number = at + 1;
        let line = line.map_err(|error| bad(number, error.to_string()))?;
        if line.len() > LINE_BYTES_MAX {
            return Err(bad(number, "the line is too long".to_owned()));
        }
        if at == 0 {
            let header: Header = serde_json::from_str(&line)
                .map_err(|_| bad(1, "this is not an export of Throughline".to_owned()))?;
            if header.format != FORMAT {
                return Err(bad(1, format!("this is {}, not {FORMAT}", header.format)));
            }
            if header.version > VERSION {
                let detail = format!(
                    "the export has version {}; this program reads up to {VERSION}",
                    header.version
                );
                return Err(bad(1, detail));
            }
        } else if !line.trim().is_empty() {
            let batch = serde_json::from_str(&line).map_err(|e| bad(number, e.to_string()))?;
            batches.push(batch);
        }
    }
    Ok(batches)
}

fn all_memories(tables: &Arc<Tables>) -> Result<Vec<Memory>> {
    let spaces = tables.spaces()?.iter().map(|space| space.space).collect();
    let query = MemoryQuery { spaces, limit: usize::MAX, ..MemoryQuery::default() };
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
    let mut new: Vec<Memory> = Vec::new();
    let query = MemoryQuery { spaces: vec![space], limit: usize::MAX, ..MemoryQuery::default() };
    for memory in theirs.memories(&query)?.items {
        if !reader.tombstones(space, std::slice::from_ref(&memory.fingerprint))?.is_empty() {
            report.blocked += 1;
        } else if reader.rows(&[RowKey::memory(space, memory.id)])?[0].is_some() {
            place.memories.insert(memory.id, memory.id);
            report.known += 1;
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
    merge_links(reader, draft, theirs, space, &mut place, &mut report)?;
    Ok(report)
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
    report: &mut Imported,
) -> Result<()> {
    let nodes: Vec<NodeId> = place.memories.keys().map(|id| (*id).into()).collect();
    for mut edge in theirs.neighbours(space, &nodes, &[], usize::MAX)? {
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
