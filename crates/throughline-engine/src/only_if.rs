//! Only if: what a caller read of a memory has to hold still when the change is written, after which nobody else writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use throughline_core::{BatchId, Memory, MemoryId, NodeId, Row, RowKey, SpaceId};
use throughline_store::{Reader, nodes_of_key};

use crate::{Card, Engine, Error, Result};

/// Only if: a condition on one memory. It is asked before each batch until one has changed the memory, which is another one
/// from then on.
#[derive(Clone)]
pub struct OnlyIf(Arc<ConditionAsRead>);

struct ConditionAsRead {
    space: SpaceId,
    memory: MemoryId,
    holds: Box<dyn Fn(&Card) -> bool + Send + Sync>,
    met: AtomicBool,
    failed: AtomicBool,
}

impl OnlyIf {
    /// A condition on a memory as it is when the change is written.
    pub fn new(memory: &Memory, holds: impl Fn(&Card) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(ConditionAsRead {
            space: memory.space,
            memory: memory.id,
            holds: Box::new(holds),
            met: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        }))
    }

    /// Whether nothing was written because the memory had changed.
    pub fn failed(&self) -> bool {
        self.0.failed.load(Ordering::Acquire)
    }

    /// Refuses to go on where it does not hold. `reader` sees what will be written upon.
    pub(crate) fn check(&self, engine: &Engine, reader: &dyn Reader) -> Result<()> {
        if self.0.met.load(Ordering::Acquire) {
            return Ok(());
        }
        let key = RowKey::memory(self.0.space, self.0.memory);
        let memory = reader.rows(&[key])?.into_iter().flatten().next().and_then(Row::into_memory);
        let holds = match memory {
            Some(memory) => (self.0.holds)(&engine.card(reader, &memory)?),
            None => false,
        };
        if holds {
            return Ok(());
        }
        self.0.failed.store(true, Ordering::Release);
        let why = "the memory was changed after it was read, so nothing was written; read it again";
        Err(Error::NotPossible(why.to_owned()))
    }

    /// Notes that a batch was written under it. One that leaves the memory alone does not meet it.
    pub(crate) fn note(&self, engine: &Engine, space: SpaceId, batch: BatchId) {
        let touched = || -> Result<bool> {
            let logged = engine.now_reader()?.changes_of(space, batch)?;
            let mut keys = logged.iter().flat_map(|one| one.before.iter().map(|image| &image.key));
            Ok(keys.any(|key| nodes_of_key(key).contains(&NodeId::Memory(self.0.memory))))
        };
        // Where that cannot be read it is asked again, which refuses rather too much than too little.
        if touched().unwrap_or(false) {
            self.0.met.store(true, Ordering::Release);
        }
    }
}

impl PartialEq for OnlyIf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OnlyIf {}

impl std::fmt::Debug for OnlyIf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OnlyIf({})", self.0.memory)
    }
}
