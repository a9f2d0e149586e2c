//! The suite that every store must pass, once for each.

use std::sync::Arc;

use throughline_store::{MapStore, SqliteStore, Store};
use throughline_testing::conformance::{Factory, Place};

use crate::home::Home;

struct MapFactory;

impl Factory for MapFactory {
    fn fresh(&self) -> Box<dyn Place> {
        Box::new(Maps(Arc::default()))
    }
}

/// Every handle is the same store: there is no other way to share it.
struct Maps(Arc<MapStore>);

impl Place for Maps {
    fn open(&self) -> Arc<dyn Store> {
        Arc::<MapStore>::clone(&self.0)
    }
}

struct SqliteFactory;

impl Factory for SqliteFactory {
    fn fresh(&self) -> Box<dyn Place> {
        Box::new(Home::new())
    }
}

impl Place for Home {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.path()).expect("the store opens"))
    }
}

mod in_memory {
    use super::MapFactory;
    throughline_testing::store_conformance!(in_memory: MapFactory);
}

mod in_sqlite {
    use super::SqliteFactory;
    throughline_testing::store_conformance!(kept: SqliteFactory);
}
