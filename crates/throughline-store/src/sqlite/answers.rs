//! A snapshot answers as the tables behind its connection do.

use std::collections::BTreeMap;

use rusqlite::Connection;
use throughline_core::row::{Injection, Tombstone};
use throughline_core::scope::Space;
use throughline_core::{
    BatchId, Edge, Entity, EntityKind, Fingerprint, Kind, Leaf, Logged, Memory, MemoryId, NodeId,
    Pending, Relation, Row, RowKey, SessionId, SpaceId, Trace, Watermark,
};

use super::rows::SqlTables;
use super::{Snapshot, listing, text};
use crate::Result;
use crate::document::{Postings, Shelf};
use crate::query::{
    EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage, SlotQuery,
    TextHit, TextOf, TextQuery, TurnPage, Vector,
};
use crate::store::{HeldSecrets, Reader, StoredBatch};

/// Passes every verb on to the tables behind the snapshot's connection. A listing is told what the store has counted already,
/// and a search which lists of the text index are kept.
macro_rules! pass_on {
    ($( fn $name:ident(&self $(, $arg:ident: $type:ty)*) -> $returns:ty; )+) => {
        impl Reader for Snapshot<'_> {
            fn memories(&self, query: &MemoryQuery) -> Result<MemoryPage> {
                let connection: &Connection = &self.connection;
                listing::memories(&SqlTables::new(connection), query, Some(self.counted))
            }

            fn text(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
                text::search(&self.connection, query, Some(self.postings))
            }

            fn postings(
                &self,
                space: SpaceId,
                of: TextOf,
                terms: &[String],
                most: usize,
            ) -> Result<Vec<Postings>> {
                text::postings(&self.connection, space, of, terms, most, Some(self.postings))
            }

            $( fn $name(&self $(, $arg: $type)*) -> $returns {
                let connection: &Connection = &self.connection;
                Reader::$name(&SqlTables::new(connection) $(, $arg)*)
            } )+
        }
    };
}

pass_on! {
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<Option<Row>>>;
    fn attached(&self, space: SpaceId, nodes: &[NodeId]) -> Result<Vec<Row>>;
    fn neighbours(&self, space: SpaceId, nodes: &[NodeId], relations: &[Relation], limit: usize) -> Result<Vec<Edge>>;
    fn contradictions(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Edge>>;
    fn current(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;
    fn said(&self, spaces: &[SpaceId], kinds: &[Kind], limit: usize) -> Result<Vec<Memory>>;
    fn triggered(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;
    fn unresolved(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Memory>>;
    fn watched(&self, space: SpaceId, only_active: bool) -> Result<Vec<Watermark>>;
    fn sessions(&self, spaces: &[SpaceId], from: &FromSession, limit: usize) -> Result<SessionPage>;
    fn turns(&self, space: SpaceId, session: &SessionId, from: &FromTurn, limit: usize) -> Result<TurnPage>;
    fn find(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<Memory>>;
    fn find_touched(&self, spaces: &[SpaceId], handle: &str) -> Result<Vec<(SpaceId, MemoryId)>>;
    fn with_fingerprint(&self, space: SpaceId, fingerprint: &Fingerprint) -> Result<Vec<Memory>>;
    fn in_slot(&self, space: SpaceId, query: &SlotQuery) -> Result<Vec<Memory>>;
    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>>;
    fn tombstones(&self, space: SpaceId, marks: &[Fingerprint]) -> Result<Vec<Tombstone>>;
    fn all_tombstones(&self) -> Result<Vec<Tombstone>>;
    fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>>;
    fn things(&self, space: SpaceId, kinds: &[EntityKind]) -> Result<Vec<(Entity, usize)>>;
    fn entities_of(&self, space: SpaceId, kind: EntityKind, limit: usize) -> Result<Vec<Entity>>;
    fn documents(&self, space: SpaceId, of: TextOf, model: &str, after: u64, block: &mut dyn FnMut(u32, &[u8])) -> Result<Shelf>;
    fn vectors_of(&self, space: SpaceId, model: &str, nodes: &[NodeId]) -> Result<Vec<Option<Vec<f32>>>>;
    fn vectors(&self, space: SpaceId, model: &str, after_seq: u64) -> Result<Vec<Vector>>;
    fn log(&self, query: &LogQuery) -> Result<Vec<StoredBatch>>;
    fn latest(&self) -> Result<Option<(u64, BatchId)>>;
    fn find_batches(&self, handle: &str) -> Result<Vec<StoredBatch>>;
    fn headers(&self, batches: &[BatchId]) -> Result<Vec<StoredBatch>>;
    fn changes_of(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>>;
    fn history(&self, space: SpaceId, node: NodeId) -> Result<Vec<Logged>>;
    fn next_touch(&self, row: &RowKey, nodes: &[NodeId], seq: u64) -> Result<Option<Logged>>;
    fn turns_after(&self, space: SpaceId, seq: u64) -> Result<u64>;
    fn memories_after(&self, space: SpaceId, seq: u64) -> Result<u64>;
    fn active_days(&self, space: SpaceId) -> Result<Vec<i64>>;
    fn injections(&self, space: SpaceId, memory: MemoryId, limit: usize) -> Result<Vec<Injection>>;
    fn pending(&self, spaces: &[SpaceId], limit: usize) -> Result<Vec<Pending>>;
    fn leaves(&self, space: SpaceId, shelf: &str) -> Result<Vec<Leaf>>;
    fn deferred(&self, space: SpaceId) -> Result<Vec<Pending>>;
    fn holding_secrets(&self, traces: &[Trace]) -> Result<HeldSecrets>;
    fn spaces(&self) -> Result<Vec<Space>>;
    fn counts(&self, spaces: &[SpaceId]) -> Result<BTreeMap<String, u64>>;
    fn dump(&self) -> Result<Vec<String>>;
}
