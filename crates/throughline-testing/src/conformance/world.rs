//! A store with two known spaces, and short ways to write to it and look at it.

use std::cell::Cell;
use std::sync::Arc;

use throughline_core::undo::{self, Touched, UndoRefusal};
use throughline_core::{Batch, BatchId, Change, Commit, RowKey, SpaceId, Table, Timestamp};
use throughline_store::{Error, LogQuery, Reader, Store, StoredBatch, nodes_of_key};

use super::{Factory, Place};
use crate::sample::{HERE, THERE, batch, day, opening};

/// The whole log, in order.
pub(super) const EVERYTHING: LogQuery = LogQuery {
    after_seq: 0,
    before_seq: None,
    since: None,
    spaces: Vec::new(),
    latest_first: false,
    bare: None,
    limit: usize::MAX,
};

pub(super) struct World {
    // Before the place, so that it is closed when the place goes away.
    pub(super) store: Arc<dyn Store>,
    pub(super) place: Box<dyn Place>,
    next: Cell<u32>,
}

impl World {
    /// A fresh store that knows [`HERE`] and [`THERE`].
    pub(super) fn new(factory: &dyn Factory) -> Self {
        let place = factory.fresh();
        let store = place.open();
        store.apply(&opening(&[HERE, THERE])).expect("spaces are welcome");
        Self { store, place, next: Cell::new(1) }
    }

    pub(super) fn read(&self) -> Box<dyn Reader + '_> {
        self.store.read().expect("a reader")
    }

    /// The next batch, one day after the last one.
    pub(super) fn draft(&self, changes: Vec<Change>) -> Batch {
        let number = self.next.replace(self.next.get() + 1);
        batch(u64::from(number), HERE, day(number), changes)
    }

    /// Applies changes as the next batch.
    pub(super) fn write(&self, changes: Vec<Change>) -> Commit {
        self.keep(&self.draft(changes))
    }

    /// Applies changes as the next batch, decided elsewhere or at another time.
    pub(super) fn write_in(&self, space: SpaceId, at: Timestamp, changes: Vec<Change>) -> Commit {
        self.keep(&Batch { space, at, ..self.draft(changes) })
    }

    pub(super) fn keep(&self, batch: &Batch) -> Commit {
        self.store.apply(batch).expect("the batch is accepted")
    }

    /// Applies changes that must be refused, as a whole.
    pub(super) fn refused(&self, changes: Vec<Change>) -> Error {
        let (dump, log) = (self.dump(), self.log());
        let refusal = self.store.apply(&self.draft(changes));
        let refusal = refusal.expect_err("the batch is refused");
        assert_eq!(self.dump(), dump, "a refused batch left something behind");
        assert_eq!(self.log(), log, "a refused batch was logged");
        refusal
    }

    pub(super) fn dump(&self) -> Vec<String> {
        self.read().dump().expect("a dump")
    }

    pub(super) fn log(&self) -> Vec<StoredBatch> {
        self.read().log(&EVERYTHING).expect("the log")
    }

    /// Undoes a batch as the engine does, or says why not.
    pub(super) fn undo(&self, id: BatchId) -> Result<Commit, UndoRefusal> {
        let change = plan_undo(&*self.read(), id)?;
        Ok(self.write(vec![change]))
    }

    /// Nothing is wrong, and the log leads to the same tables.
    pub(super) fn assert_sound(&self) {
        assert_sound(&*self.store);
    }
}

pub(super) fn assert_sound(store: &dyn Store) {
    assert_eq!(store.verify().expect("verify runs"), []);
    assert_eq!(store.rebuild_check().expect("the log replays"), []);
}

/// Plans the undoing of a batch from what a store says about it.
pub(super) fn plan_undo(reader: &dyn Reader, id: BatchId) -> Result<Change, UndoRefusal> {
    let mut found = reader.find_batches(&id.to_string()).expect("the log");
    let target = found.pop().expect("the batch is in the log");
    let logged = reader.changes_of(target.batch.space, id).expect("changes");
    let images = logged.iter().flat_map(|one| &one.before);
    let touched = images.map(|image| {
        let look = look(reader, &image.key, target.last_seq);
        (image.key.clone(), look)
    });
    undo::plan(&target.batch, &logged, &touched.collect())
}

/// What became of a row since a change.
fn look(reader: &dyn Reader, key: &RowKey, seq: u64) -> Touched {
    let rows = reader.rows(std::slice::from_ref(key)).expect("a row");
    let nodes = nodes_of_key(key);
    let next = reader.next_touch(key, &nodes, seq).expect("a touch");
    let is_node = matches!(key.table, Table::Memory | Table::Entity | Table::Episode);
    Touched {
        now: rows.into_iter().next().flatten(),
        next: next.map(|logged| {
            let held = logged.before.into_iter().find(|image| image.key == *key);
            (logged.batch, held.and_then(|image| image.row))
        }),
        attached: if is_node {
            reader.attached(key.space, &nodes).expect("what hangs on it")
        } else {
            Vec::new()
        },
    }
}

/// The numbers of memories, for comparing lists of them at a glance.
pub(super) fn contents<'a>(
    memories: impl IntoIterator<Item = &'a throughline_core::Memory>,
) -> Vec<&'a str> {
    memories.into_iter().map(|memory| memory.content.as_str()).collect()
}
