//! The rows that changes put, and how they are found: by key, by name, by what they say.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use throughline_core::fold::View;
use throughline_core::{
    Entity, EntityId, Fingerprint, Memory, MemoryId, NodeId, Row, RowKey, SpaceId, Write,
};

use crate::apply::Writable;
use crate::query::EntityName;
use crate::store::Reader;
use crate::tables::Tables;
use crate::{Error, Result};

/// What the first changes do to the rows.
#[derive(Default)]
pub(super) struct Folded {
    /// How many changes.
    pub(super) upto: usize,
    /// The rows that they put.
    pub(super) put: Arc<Tables>,
    /// The keys of the rows that they put or deleted: what the base has there no longer counts.
    pub(super) touched: BTreeSet<RowKey>,
    /// The entities among the rows that were put, by each name that one had: every claim asks for some, and an
    /// import makes thousands.
    named: HashMap<(SpaceId, String), BTreeSet<EntityId>>,
    /// The memories among them, by what they said.
    said: HashMap<(SpaceId, Fingerprint), BTreeSet<MemoryId>>,
}

impl Folded {
    pub(super) fn covers(&self, key: &RowKey) -> bool {
        self.touched.contains(key)
    }

    /// Folds in what one change writes.
    pub(super) fn fold_in(&mut self, writes: &[Write]) -> Result<()> {
        let tables = Arc::make_mut(&mut self.put);
        for write in writes {
            self.touched.insert(write.key());
            match write {
                Write::Put(row) => {
                    if let Row::Entity(entity) = row {
                        for name in entity.names() {
                            self.named.entry((entity.space, name)).or_default().insert(entity.id);
                        }
                    } else if let Row::Memory(memory) = row {
                        let said = (memory.space, memory.fingerprint.clone());
                        self.said.entry(said).or_default().insert(memory.id);
                    }
                    tables.put(row)?;
                }
                Write::Delete(key) => tables.delete(key)?,
            }
        }
        self.upto += 1;
        Ok(())
    }

    /// The entities that were put and answer to one of some names now.
    pub(super) fn entities(&self, space: SpaceId, names: &[EntityName]) -> Result<Vec<Entity>> {
        let wanted = names.iter().filter_map(|one| self.named.get(&(space, one.name.clone())));
        let ids: BTreeSet<EntityId> = wanted.flatten().copied().collect();
        let mut found = Vec::new();
        for id in ids {
            let row = self.put.row(&RowKey::node(space, NodeId::Entity(id)))?;
            found.extend(row.and_then(|row| row.as_entity().cloned()));
        }
        found.retain(|entity: &Entity| {
            let own = entity.names();
            names.iter().any(|wanted| {
                wanted.kind.is_none_or(|kind| kind == entity.kind) && own.contains(&wanted.name)
            })
        });
        Ok(found)
    }

    /// The memories that were put and say something now.
    pub(super) fn with_fingerprint(
        &self,
        space: SpaceId,
        wanted: &Fingerprint,
    ) -> Result<Vec<Memory>> {
        let mut found = Vec::new();
        for id in self.said.get(&(space, wanted.clone())).into_iter().flatten() {
            let row = self.put.row(&RowKey::memory(space, *id))?;
            found.extend(row.and_then(Row::into_memory));
        }
        found.retain(|memory: &Memory| memory.fingerprint == *wanted);
        Ok(found)
    }
}

/// What the fold of the next change sees: the base, and the changes before it.
pub(super) struct Laid<'a> {
    pub(super) base: &'a dyn Reader,
    pub(super) over: &'a Folded,
}

impl View for Laid<'_> {
    type Error = Error;

    fn row(&self, key: &RowKey) -> Result<Option<Row>> {
        if self.over.covers(key) {
            return self.over.put.row(key);
        }
        Ok(self.base.rows(std::slice::from_ref(key))?.remove(0))
    }

    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>> {
        let mut rows = self.base.attached(space, &[node])?;
        rows.retain(|row| !self.over.covers(&row.key()));
        rows.append(&mut View::attached(&*self.over.put, space, node)?);
        Ok(rows)
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>> {
        let mut found = self.base.replaced_by(space, id)?;
        found.retain(|memory| !self.over.covers(&RowKey::memory(space, memory.id)));
        found.append(&mut View::replaced_by(&*self.over.put, space, id)?);
        Ok(found)
    }
}
