//! Store: the contract of every place where memory is kept. Its operations are few and coarse, each
//! one round trip, so that a database across a network would fit too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use throughline_core::{
    Batch, BatchId, Commit, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory,
    MemoryId, NodeId, Pending, Relation, Row, RowKey, SessionId, SpaceId, Timestamp, Trace,
    Watermark,
    row::{Injection, Tombstone},
    scope::Space,
    trace,
};

use crate::Result;
use crate::candidates::{
    CandidateQuery, CandidateRecord, Candidates, Foreseen, PromptCodes, RecordQuery,
};
use crate::document::{Postings, Shelf};
use crate::member::Member;
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};

/// Memories returned for one handle at most: more than a few is ambiguous anyway.
pub(crate) const FOUND_MAX: usize = 20;

/// The field of a batch that names the person who wrote it, in a store that does not know people.
pub const PERSON: &str = "person";

/// Stored batch: a batch with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredBatch {
    /// Number of its first change.
    pub first_seq: u64,
    /// Number of its last change.
    pub last_seq: u64,
    /// The batch.
    pub batch: Batch,
}

/// Reader: a consistent view of memory at one moment. Everything read through one reader belongs
/// together.
pub trait Reader {
    /// Rows by key, in the order of the keys; `None` where there is none.
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>>;

    /// Rows that belong to the nodes: evidence, watermarks, counters, and edges at either end.
    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>>;

    /// Edges at either end of the nodes, of the given relations (none given: all), at most `limit`
    /// for each node and direction, in key order.
    fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Result<Vec<Edge>>;

    /// Edges that mark two memories as contradicting each other, by space and key.
    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>>;

    /// Current memories of some kinds, newest first, so many of each space and kind; whatever
    /// session they are bound to.
    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;

    /// Current memories of some kinds whose authority is a person's, newest first, however many
    /// others are newer.
    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;

    /// Memories that have triggers, in any state, newest first, so many of each space.
    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;

    /// Active memories that name something that could not be found, newest first, at most `limit`
    /// of each space.
    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;

    /// Watermarks of a space (what its memories are tied to), by key: those of active memories
    /// only, or of all.
    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>>;

    /// One page of a listing of memories, newest first.
    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage>;

    /// One page of the sessions of some spaces, latest first.
    fn sessions(&self, spaces: &[SpaceId], from: &FromSession, limit: usize)
    -> Result<SessionPage>;

    /// One page of the turns of a session, in order.
    fn turns(
        &self,
        space: SpaceId,
        session: &SessionId,
        from: &FromTurn,
        limit: usize,
    ) -> Result<TurnPage>;

    /// Memories that a handle may mean (an id, the beginning of one, or its last eight characters):
    /// the first few by id.
    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>>;

    /// Memories that a handle may mean and that the log ever touched, whether they still exist or
    /// not.
    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>>;

    /// Memories with this fingerprint, in any state.
    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>>;

    /// Memories of a slot that bear on a claim.
    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>>;

    /// Memories that this one superseded.
    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>>;

    /// Tombstones with one of these marks.
    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>>;

    /// All tombstones of the store.
    fn all_tombstones(&self) -> Result<Vec<Tombstone>>;

    /// Entities that have one of these names.
    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>>;

    /// Entities of some kinds (none given: all), by id, each with the number of edges that lead to
    /// it.
    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>>;

    /// Entities of one kind, the newest first, at most `limit`.
    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>>;

    /// Full-text search: texts that hold the terms, best first; ties by id.
    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>>;

    /// Documents of one index of a space that changed after a stamp, handed to `block` in whole
    /// blocks: the number of the block, and its records side by side.
    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf>;

    /// Postings: the documents that hold each of the terms, at most `most` for a term, the newest
    /// ones if there are more.
    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>>;

    /// Candidates of every index that is asked for and holds something, in the order of the queries
    /// and their spaces; `None` where the store leaves it to whoever asks to scan the documents. `next`
    /// is what will be asked for after that.
    fn candidates(
        &self,
        _queries: &[CandidateQuery<'_>],
        _codes: PromptCodes<'_>,
        _next: &[Foreseen],
    ) -> Result<Option<Vec<Candidates>>> {
        Ok(None)
    }

    /// Says what will be asked for next, so that a store across a network reads it all at once. Nothing
    /// is answered otherwise for that.
    fn foresee(&self, _next: &[Foreseen]) -> Result<()> {
        Ok(())
    }

    /// Whether every question is a round trip, so that it is worth saying what will be asked for.
    fn is_far(&self) -> bool {
        false
    }

    /// How many documents indexes have together; `None` where only reading them tells.
    fn sizes(&self, _wanted: &[(SpaceId, TextOf)]) -> Result<Option<usize>> {
        Ok(None)
    }

    /// Records of more documents of indexes whose candidates the store found, for each query.
    fn candidate_records(
        &self,
        queries: &[RecordQuery],
        _model: &str,
    ) -> Result<Vec<Vec<CandidateRecord>>> {
        Ok(vec![Vec::new(); queries.len()])
    }

    /// Nodes of an index without a vector of a model, newest first; `None` where the store leaves it
    /// to whoever asks to scan the documents.
    fn unembedded(
        &self,
        _space: SpaceId,
        _of: TextOf,
        _model: &str,
        _most: usize,
    ) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    /// Vectors of nodes made by one model, in the order of the nodes; `None` where there is none.
    fn vectors_of(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<Vec<f32>>>>;

    /// Vectors of one model, made after a change number.
    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>>;

    /// Batches of the log.
    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>>;

    /// The latest batch of the log, with the number of its last change.
    fn latest(&self) -> Result<Option<(u64, BatchId)>> {
        let latest = LogQuery { latest_first: true, limit: 1, ..LogQuery::default() };
        Ok(self.log(&latest)?.first().map(|stored| (stored.last_seq, stored.batch.id)))
    }

    /// Batches whose id begins or ends with the handle.
    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>>;

    /// Batches with these ids, in the order of the log, without their changes.
    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>>;

    /// People who wrote batches, by the names that the store knows them by, in the order of the ids;
    /// `None` where it knows only one. A server notes them itself; in a file the batch names them.
    fn authors(&self, batches: &[BatchId]) -> Result<Vec<Option<String>>> {
        let headers = self.headers(batches)?;
        let named = headers.into_iter().filter_map(|stored| {
            let person = stored.batch.extra.get(PERSON)?.as_str()?.to_owned();
            Some((stored.batch.id, person))
        });
        let named: BTreeMap<BatchId, String> = named.collect();
        Ok(batches.iter().map(|batch| named.get(batch).cloned()).collect())
    }

    /// The person who reads, by the name that the store knows them by; `None` where it knows only one.
    fn person(&self) -> Option<String> {
        None
    }

    /// People who share a space, as far as whoever reads may know them; none where memory is in a
    /// file, which has one owner.
    fn members(&self, _space: SpaceId) -> Result<Vec<Member>> {
        Ok(Vec::new())
    }

    /// Changes of one batch, with the rows as they were before.
    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>>;

    /// Every change that touched a node or a row that belongs to it, in order.
    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>>;

    /// The first change after `seq` that touched a row.
    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>>;

    /// Number of turns that batches of a space recorded after a change.
    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64>;

    /// Number of memories that batches of a space inserted, revised or said again after a change, but for
    /// open questions and for what a sleep did.
    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64>;

    /// Days on which there was work in a space, sorted.
    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>>;

    /// Times at which a memory was shown to an agent, latest first.
    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>>;

    /// Operations that wait for a person's decision, oldest first.
    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>>;

    /// Texts that are kept word for word on a shelf, in its order.
    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>>;

    /// Every operation that ever waited in a space and whose words the log still has, decided or
    /// not, each wording once, by id.
    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>>;

    /// What still holds one of these secrets: rows of any table, and the spaces of those and of the
    /// changes of the log that do.
    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets>;

    /// Every space that was ever written to.
    fn spaces(&self) -> Result<Vec<Space>>;

    /// Counts by name: rows of each table, memories by state, kind and authority, edges by relation.
    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>>;

    /// Dump: every row that the log rebuilds, as sorted lines of text. Two stores with the same log
    /// have the same dump.
    fn dump(&self) -> Result<Vec<String>>;
}

/// What a store holds of secrets that were recognised too late.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeldSecrets {
    /// The rows, whatever their table.
    pub rows: Vec<Row>,
    /// The spaces of the rows, and of what the log has of them.
    pub spaces: BTreeSet<SpaceId>,
    /// Which of the secrets were found.
    pub traces: BTreeSet<Trace>,
}

impl HeldSecrets {
    /// Notes which secrets stand in a text of a space. Says whether there was one.
    pub(crate) fn look(&mut self, space: SpaceId, traces: &[Trace], text: &str) -> bool {
        if !trace::holds(traces, text) {
            return false;
        }
        let found = traces.iter().filter(|one| trace::holds(std::slice::from_ref(*one), text));
        self.traces.extend(found.cloned());
        self.spaces.insert(space);
        true
    }
}

/// Outcome of finishing an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erasure {
    /// Nothing readable is left on disk.
    Done,
    /// Another process still reads an older state of the file; the rest is removed with the next
    /// checkpoint.
    Pending,
}

/// Finding: something that a check found to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// What is wrong.
    pub detail: String,
}

/// Condition: one thing about a server that whoever runs it should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What was looked at.
    pub name: &'static str,
    /// How it is.
    pub detail: String,
    /// What to do about it, if something is to be done.
    pub hint: Option<&'static str>,
    /// Whether it must not stay so.
    pub wrong: bool,
}

/// Store health: what can be said about a store without reading memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHealth {
    /// Version of the linked SQLite; empty where it is not used.
    pub sqlite_version: String,
    /// The server with its version, if there is one.
    pub server: Option<String>,
    /// Schema version.
    pub schema: u32,
    /// Bytes of the database.
    pub bytes: u64,
    /// Bytes of the write-ahead log.
    pub wal_bytes: u64,
    /// Whether it can only be read, because the disk, the folder or the server does not allow writing.
    pub read_only: bool,
}

/// Planner: reads memory, and returns the batch to write.
pub type Planner<'a> = &'a mut dyn FnMut(&dyn Reader) -> Result<Batch>;

/// Store: a place where memory is kept. There is one way to write: a batch, in one transaction,
/// logged.
pub trait Store: Send + Sync {
    /// Opens a reader on the present state.
    fn read(&self) -> Result<Box<dyn Reader + '_>>;

    /// Opens a reader on the state at the time of the first question that it is asked.
    fn read_soon(&self) -> Result<Box<dyn Reader + '_>> {
        self.read()
    }

    /// Writes: lets `plan` read and decide, and applies the batch that it returns; nobody else
    /// writes in between. Planning must be quick, because other writers wait. When this returns,
    /// the batch is on disk.
    fn transact(&self, plan: Planner<'_>) -> Result<Commit>;

    /// Writes as [`Store::transact`] does, for a plan that decides about one space and what holds
    /// everywhere: others may write to other spaces meanwhile. A plan that turns out to write to another
    /// one too is run again, alone.
    fn transact_in(&self, _space: SpaceId, plan: Planner<'_>) -> Result<Commit> {
        self.transact(plan)
    }

    /// Writes a batch that was decided before.
    fn apply(&self, batch: &Batch) -> Result<Commit> {
        self.transact(&mut |_| Ok(batch.clone()))
    }

    /// Opens a reader on memory as it was at a moment: the log replayed up to then.
    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>>;

    /// Stores vectors. They are derived data: not logged, not dumped, and erased with their node.
    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()>;

    /// Rebuilds the documents of every space from the rows and vectors.
    fn reindex(&self) -> Result<()>;

    /// Tombstones of erasures that are not finished: something of them may still be in a file or a
    /// copy.
    fn erasure_due(&self) -> Result<Vec<Tombstone>>;

    /// Whether an erasure may be due, as far as whoever has just written was told.
    fn may_owe_erasure(&self) -> bool {
        true
    }

    /// Finishes erasures: removes what was deleted from the store's own files, so that nothing is
    /// due any more.
    fn finish_erasure(&self) -> Result<Erasure>;

    /// Sets how long writing waits for other writers before [`Error::Busy`](crate::Error::Busy) is
    /// returned. What is not written now can be written later.
    fn wait_at_most(&self, _limit: Duration) {}

    /// Sets when whoever asks no longer waits for an answer; for stores that may not answer at all.
    fn answer_until(&self, _until: Option<Instant>) {}

    /// Tombstones of unfinished erasures, also of those where only the last step failed.
    fn unfinished_erasures(&self) -> Result<Vec<Tombstone>> {
        self.erasure_due()
    }

    /// Reports the health of the store without reading memories.
    fn health(&self) -> Result<StoreHealth> {
        Ok(StoreHealth::default())
    }

    /// Bytes of the tables and indexes, by what they hold.
    fn space(&self) -> Result<BTreeMap<&'static str, u64>> {
        Ok(BTreeMap::new())
    }

    /// Conditions of the server: versions, indexes, bloat, replication, walls. None of a file.
    fn conditions(&self) -> Result<Vec<Condition>> {
        Ok(Vec::new())
    }

    /// Checks everything that can be checked without replaying the log.
    fn verify(&self) -> Result<Vec<Finding>>;

    /// Replays the whole log and compares the result with every table.
    fn rebuild_check(&self) -> Result<Vec<Finding>>;

    /// Writes a complete copy to a new file.
    fn backup(&self, to: &Path) -> Result<()>;
}

/// Compares a dump with the expected one, and reports where they differ.
pub fn compare_dumps(found: &[String], expected: &[String]) -> Vec<Finding> {
    let found_set: std::collections::BTreeSet<_> = found.iter().collect();
    let expected_set: std::collections::BTreeSet<_> = expected.iter().collect();
    let short = |line: &String| line.chars().take(120).collect::<String>();
    let missing = expected_set
        .difference(&found_set)
        .map(|line| Finding { check: "rebuild", detail: format!("the log has {}", short(line)) });
    let extra = found_set.difference(&expected_set).map(|line| Finding {
        check: "rebuild",
        detail: format!("not from the log: {}", short(line)),
    });
    missing.chain(extra).collect()
}
