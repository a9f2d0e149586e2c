//! In-memory store: small, easy to check, and gone when the process ends.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_core::row::Tombstone;
use throughline_core::{Commit, SpaceId, Timestamp};

use crate::query::Vector;
use crate::store::{Erasure, Finding, Planner, Reader, Store, compare_dumps};
use crate::tables::Tables;
use crate::{Error, Result};

/// Map store: a store made of maps, for tests and replays.
#[derive(Debug, Default)]
pub struct MapStore {
    tables: Mutex<Arc<Tables>>,
}

impl MapStore {
    fn lock(&self) -> MutexGuard<'_, Arc<Tables>> {
        // A panic while planning leaves the tables as they were, so they can still be used.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MapStore {
    fn read(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(Arc::clone(&self.lock())))
    }

    fn transact(&self, plan: Planner<'_>) -> Result<Commit> {
        let mut held = self.lock();
        let batch = plan(&*held)?;
        let mut next = Tables::clone(&held);
        let seq = next.apply(&batch)?;
        *held = Arc::new(next);
        Ok(Commit { batch: batch.id, seq })
    }

    fn as_of(&self, at: Timestamp) -> Result<Box<dyn Reader>> {
        let batches = self.lock().batches().to_vec();
        Ok(Box::new(Arc::new(Tables::as_of(batches, at)?)))
    }

    fn put_vectors(&self, space: SpaceId, model: &str, vectors: &[Vector]) -> Result<()> {
        let mut held = self.lock();
        let tables = Arc::make_mut(&mut held);
        for vector in vectors {
            if !tables.holds(&throughline_core::RowKey::node(space, vector.node)) {
                continue;
            }
            tables.vectors.insert((space, model.to_owned(), vector.node), vector.clone());
        }
        Ok(())
    }

    fn reindex(&self) -> Result<()> {
        Ok(())
    }

    fn erasure_due(&self) -> Result<Vec<Tombstone>> {
        Ok(Vec::new())
    }

    fn finish_erasure(&self) -> Result<Erasure> {
        Ok(Erasure::Done)
    }

    fn verify(&self) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    fn rebuild_check(&self) -> Result<Vec<Finding>> {
        let held = self.lock();
        let batches = held.batches().iter().map(|one| one.batch.clone());
        let rebuilt = Arc::new(Tables::replay(batches)?);
        Ok(compare_dumps(&held.dump()?, &rebuilt.dump()?))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        Err(Error::NotWritable { path: to.to_owned() })
    }
}
