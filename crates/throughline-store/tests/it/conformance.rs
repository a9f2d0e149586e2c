//! The suite that every store must pass, once for each.

use std::sync::{Arc, Mutex, PoisonError};

use throughline_store::{MapStore, PgStore, SqliteStore, Store};
use throughline_testing::conformance::{Factory, Place};

use crate::home::Home;
use crate::server::Server;

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

/// Schemas of one server, used again after they were emptied, because making one takes a while.
struct PgFactory {
    server: Server,
    emptied: Arc<Mutex<Vec<String>>>,
}

impl PgFactory {
    fn of(version: usize) -> Self {
        Self { server: Server::of(version), emptied: Arc::default() }
    }
}

impl Factory for PgFactory {
    fn fresh(&self) -> Box<dyn Place> {
        let kept = self.emptied.lock().expect("nobody panics here").pop();
        let schema = kept.unwrap_or_else(|| self.server.new_schema());
        Box::new(Schema { server: self.server.clone(), schema, emptied: Arc::clone(&self.emptied) })
    }

    /// Every question is a round trip; both versions together try as many as half of a file's.
    fn cases(&self, of: u32) -> u32 {
        of.div_ceil(4)
    }
}

impl Drop for PgFactory {
    fn drop(&mut self) {
        // After a failure somebody else may have panicked inside.
        let emptied = self.emptied.lock().unwrap_or_else(PoisonError::into_inner);
        for schema in &*emptied {
            self.server.drop_schema(schema);
        }
    }
}

struct Schema {
    server: Server,
    schema: String,
    emptied: Arc<Mutex<Vec<String>>>,
}

impl Place for Schema {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(PgStore::open(&self.server.url(&self.schema)).expect("the store opens"))
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.server.empty(&self.schema);
        let mut emptied = self.emptied.lock().unwrap_or_else(PoisonError::into_inner);
        emptied.push(std::mem::take(&mut self.schema));
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

mod in_postgres_15 {
    use super::PgFactory;
    throughline_testing::store_conformance!(kept: PgFactory::of(15));
}

mod in_postgres_18 {
    use super::PgFactory;
    throughline_testing::store_conformance!(kept: PgFactory::of(18));
}
