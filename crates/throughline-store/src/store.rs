//! The store: few coarse verbs, each one round trip, so that a database across a network fits too.

use std::collections::BTreeMap;
use std::path::Path;

use throughline_core::{
    Batch, BatchId, Commit, Edge, Entity, Fingerprint, Kind, Leaf, Logged, Memory, MemoryId,
    NodeId, Pending, Relation, Row, RowKey, SpaceId, Timestamp, Watermark,
    row::{Injection, Tombstone},
    scope::Space,
};

use crate::Result;
use crate::document::{Postings, Shelf};
use crate::query::{
    EntityName, LogQuery, MemoryPage, MemoryQuery, SlotQuery, TextHit, TextOf, TextQuery, Vector,
};

/// Memories returned for one handle at most: more than a few is ambiguous anyway.
pub(crate) const FOUND_MAX: usize = 20;

/// A batch with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredBatch {
    /// The number of its first change.
    pub first_seq: u64,
    /// The number of its last change.
    pub last_seq: u64,
    /// The batch.
    pub batch: Batch,
}

/// Memory as it stands at one moment: everything read through one reader belongs together.
pub trait Reader {
    /// Rows by their keys, in the order asked, `None` where there is none.
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>>;

    /// Everything that hangs on the nodes: evidence, watermarks, counters, edges at either end.
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

    /// The edges that say that two memories contradict each other, by space and key.
    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>>;

    /// Current memories of some kinds, newest first, so many of each space and kind; whatever
    /// session they are bound to.
    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;

    /// The same of those alone whose rank is a person's, however many others are newer.
    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;

    /// Memories that have triggers, in any state, newest first, so many of each space.
    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;

    /// Active memories that name something that could not be found, newest first, so many of each
    /// space.
    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;

    /// What the memories of a space hang on, by key: of those that are active, or of all.
    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>>;

    /// A listing of memories, newest first.
    fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage>;

    /// The memories an id, the beginning of an id, or the last eight characters of one may mean,
    /// the first few of them by id.
    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>>;

    /// The memories that a handle may mean and that the log has touched, whether they are still
    /// there or not.
    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>>;

    /// Memories with this fingerprint, in any state.
    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>>;

    /// The memories of a slot that bear on a claim.
    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>>;

    /// The memories whose place this one took.
    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>>;

    /// Tombstones with one of these marks.
    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>>;

    /// Every tombstone of the store.
    fn all_tombstones(&self) -> Result<Vec<Tombstone>>;

    /// Entities that answer to one of these names.
    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>>;

    /// Texts that hold the terms, best first; ties by id.
    fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>>;

    /// Hands over the documents of one index of a space, in whole blocks, as far as they changed
    /// after a stamp: the number of the block, and its records side by side.
    fn documents(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        after: u64,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<Shelf>;

    /// The documents that hold each of the terms, at most `most` of them for a term, newest first
    /// if there are more.
    fn postings(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>>;

    /// The vectors that a model made of nodes, in the order asked, `None` where there is none.
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

    /// The batches whose id begins or ends so.
    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>>;

    /// The batches with these ids, in the order of the log, without their changes.
    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>>;

    /// The changes of one batch, with the rows as they were before.
    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>>;

    /// Every change that touched a node or what hangs on it, in order.
    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>>;

    /// The first change after `seq` that touched a row.
    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>>;

    /// How many turns were recorded after a change, by batches that were decided in a space.
    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64>;

    /// The days with work in a space, sorted.
    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>>;

    /// The times a memory was put in front of an agent, latest first.
    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>>;

    /// What waits for a person's word, oldest first.
    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>>;

    /// The texts that are kept word for word on a shelf, in its order.
    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>>;

    /// Everything that ever waited in a space and that the log still tells in words, decided or
    /// not, each wording once, by id.
    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>>;

    /// Every space that was ever written to.
    fn spaces(&self) -> Result<Vec<Space>>;

    /// How many rows each table holds, and how the memories are spread, by a name.
    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>>;

    /// Every row that the log rebuilds, as sorted lines of text.
    fn dump(&self) -> Result<Vec<String>>;
}

/// What the erasure of a memory left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erasure {
    /// Nothing readable is left on disk.
    Done,
    /// Somebody is still reading an older state of the file; it goes with the next checkpoint.
    Pending,
}

/// Something `verify` found to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was checked.
    pub check: &'static str,
    /// What is wrong.
    pub detail: String,
}

/// A planner: reads, and returns what to write.
pub type Planner<'a> = &'a mut dyn FnMut(&dyn Reader) -> Result<Batch>;

/// A place where memory is kept. There is one way to write: a batch, in one transaction, logged.
pub trait Store: Send + Sync {
    /// Opens a reader on the present state.
    fn read(&self) -> Result<Box<dyn Reader + '_>>;

    /// Lets `plan` read and decide, and applies what it returns, with nobody else writing in
    /// between. Planning must be quick: others wait. When this returns, the batch is on disk.
    fn transact(&self, plan: Planner<'_>) -> Result<Commit>;

    /// Applies a batch that was decided before.
    fn apply(&self, batch: &Batch) -> Result<Commit> {
        self.transact(&mut |_| Ok(batch.clone()))
    }

    /// Memory as it was believed at a moment: the log replayed up to then.
    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>>;

    /// Keeps vectors. They are derived: not logged, not dumped, erased with their node.
    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()>;

    /// Builds the documents of every space anew from the rows and vectors.
    fn reindex(&self) -> Result<()>;

    /// What was erased while something of it may still be in a file or a copy of ours.
    fn erasure_due(&self) -> Result<Vec<Tombstone>>;

    /// Makes sure that what was deleted is gone from the store's own files; then nothing is due.
    fn finish_erasure(&self) -> Result<Erasure>;

    /// Checks everything that can be checked without the log.
    fn verify(&self) -> Result<Vec<Finding>>;

    /// Replays the whole log and compares every table with what is there.
    fn rebuild_check(&self) -> Result<Vec<Finding>>;

    /// Writes a complete copy to a new file.
    fn backup(&self, to: &Path) -> Result<()>;
}

/// Compares a dump with what it should be, and says where they differ.
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
