//! Who waits for whom on a server, and what somebody who reads meanwhile sees: writers of one space wait for
//! each other, writers of different spaces do not.

use std::cell::Cell;
use std::time::Duration;

use throughline_core::{Batch, Change, SpaceId};
use throughline_store::{Error, LogQuery, PgStore, Store, TextOf};
use throughline_testing::sample::{HERE, THERE, batch, day, fact, insert, opening};

use crate::server::Server;

/// A schema that goes away with the test.
struct Place {
    server: Server,
    schema: String,
}

impl Place {
    fn new(version: usize) -> Self {
        let server = Server::of(version);
        Self { schema: server.new_schema(), server }
    }

    fn open(&self) -> PgStore {
        PgStore::open(&self.server.url(&self.schema)).expect("the store opens")
    }

    /// Two stores with spaces that can be written to; the second one does not wait for long.
    fn two(&self) -> (PgStore, PgStore) {
        let (first, second) = (self.open(), self.open());
        first.apply(&opening(&[HERE, THERE, SpaceId::GLOBAL])).expect("spaces are welcome");
        second.wait_at_most(Duration::from_millis(50));
        (first, second)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.server.drop_schema(&self.schema);
    }
}

fn told(number: u64, space: SpaceId) -> Batch {
    batch(number, space, day(1), vec![insert(&fact(space, number, &format!("word{number}")))])
}

fn log(store: &PgStore, after_seq: u64) -> Vec<(u64, u64)> {
    let query = LogQuery { after_seq, limit: usize::MAX, ..LogQuery::default() };
    let log = store.read().expect("a reader").log(&query).expect("the log");
    log.iter().map(|stored| (stored.first_seq, stored.last_seq)).collect()
}

#[test]
fn only_who_writes_to_the_same_space_waits() {
    for version in [15, 18] {
        let place = Place::new(version);
        let (first, second) = place.two();
        let commit = first.transact_in(HERE, &mut |_| {
            let error = second.apply(&told(1, HERE)).unwrap_err();
            assert!(matches!(error, Error::Busy { waited_ms: 50 }), "{error:?}");
            // What holds everywhere was read by the plan: nobody may change it now.
            let error = second.apply(&told(2, SpaceId::GLOBAL)).unwrap_err();
            assert!(matches!(error, Error::Busy { .. }), "{error:?}");
            second.apply(&told(3, THERE)).expect("nobody writes there");
            second.transact_in(THERE, &mut |_| Ok(told(4, THERE))).expect("nor now");
            let error = second.transact(&mut |_| Ok(told(5, THERE))).unwrap_err();
            assert!(matches!(error, Error::Busy { .. }), "{error:?}");
            Ok(told(6, HERE))
        });
        assert_eq!(commit.expect("the first one writes").seq, 6);
        assert_eq!(log(&second, 0).len(), 4);
        assert_eq!(second.verify().expect("it can be checked"), []);
        assert_eq!(second.rebuild_check().expect("it can be checked"), []);
    }
}

#[test]
fn who_erases_waits_for_every_writer() {
    let place = Place::new(15);
    let (first, second) = place.two();
    let gone = throughline_core::row::Tombstone::of(&fact(THERE, 9, "word9"), day(2));
    first.apply(&told(9, THERE)).expect("the batch is accepted");
    let purge = batch(10, THERE, day(2), vec![Change::Purge(gone)]);
    let commit = first.transact_in(HERE, &mut |_| {
        let error = second.apply(&purge).unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{error:?}");
        let error = second.transact_in(THERE, &mut |_| Ok(purge.clone())).unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{error:?}");
        Ok(told(11, HERE))
    });
    commit.expect("the first one writes");
    second.transact_in(THERE, &mut |_| Ok(purge.clone())).expect("now it is its turn");
    let dump = second.read().expect("a reader").dump().expect("a dump");
    assert!(dump.iter().all(|line| !line.contains("word9")), "{dump:?}");
}

#[test]
fn a_plan_that_writes_elsewhere_is_made_again_over_what_is_there_now() {
    let place = Place::new(18);
    let (first, second) = place.two();
    let planned = Cell::new(0_u64);
    let commit = first.transact_in(HERE, &mut |reader| {
        planned.set(planned.get() + 1);
        if planned.get() == 1 {
            // The plan read that space before it held it.
            second.apply(&told(1, THERE)).expect("nobody holds that space yet");
        } else {
            let error = second.apply(&told(2, THERE)).unwrap_err();
            assert!(matches!(error, Error::Busy { .. }), "{error:?}");
        }
        let there = reader.counts(&[THERE]).expect("counts")["memory"];
        let text = format!("{there} were there");
        Ok(batch(3, HERE, day(1), vec![insert(&fact(THERE, 3, &text))]))
    });
    commit.expect("it is written");
    assert_eq!(planned.get(), 2);
    let dump = second.read().expect("a reader").dump().expect("a dump");
    assert!(dump.iter().any(|line| line.contains("1 were there")), "{dump:?}");
}

#[test]
fn what_holds_everywhere_is_written_without_planning_again() {
    let place = Place::new(15);
    let (first, second) = place.two();
    let mut planned = 0;
    let commit = first.transact_in(HERE, &mut |_| {
        planned += 1;
        Ok(batch(1, HERE, day(1), vec![insert(&fact(SpaceId::GLOBAL, 1, "everywhere"))]))
    });
    commit.expect("it is written");
    assert_eq!(planned, 1);
    assert_eq!(
        second.read().expect("a reader").counts(&[SpaceId::GLOBAL]).expect("c")["memory"],
        1
    );
}

#[test]
fn a_copy_of_documents_misses_nothing_that_is_committed_later() {
    let place = Place::new(18);
    let (first, second) = place.two();
    let stamp = |space, after| {
        let (mut blocks, reader) = (0, second.read().expect("a reader"));
        let mut count = |_, _: &[u8]| blocks += 1;
        let shelf = reader.documents(space, TextOf::Memories, "model", after, &mut count);
        (shelf.expect("documents").stamp, blocks)
    };
    let mut seen = (0, 0);
    let commit = first.transact_in(HERE, &mut |_| {
        // While one space is written, another is, and both are read.
        second.apply(&told(1, THERE)).expect("nobody writes there");
        seen = (stamp(HERE, 0).0, stamp(THERE, 0).0);
        Ok(told(2, HERE))
    });
    commit.expect("it is written");
    assert_eq!(stamp(THERE, seen.1).1, 0, "nothing is new there");
    assert_eq!(stamp(HERE, seen.0).1, 1, "what came later is handed over");
}

/// Takes the last step of the schema back, as the program before left it.
fn as_before(place: &Place) {
    let schema = &place.schema;
    place.server.run(&format!(
        "SET search_path = {schema}, public; ALTER TABLE shelf DROP COLUMN stamp;
         ALTER TABLE document DROP COLUMN head, ADD PRIMARY KEY (space, what, number);
         UPDATE head SET stamp = 40; UPDATE document SET stamp = 40;
         DROP INDEX memory_listed; CREATE INDEX memory_recorded ON memory (space, recorded_at, key);
         DELETE FROM migration WHERE number >= 7"
    ));
}

#[test]
fn a_database_of_the_program_before_is_brought_over_with_all_it_holds() {
    for version in [15, 18] {
        let place = Place::new(version);
        // Its owner is nobody special, so that walls hold for them too.
        place.server.run(
            "DO $$ BEGIN CREATE ROLE tl_keeper LOGIN PASSWORD 'tl_keeper';
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
        );
        let database = place.server.run("SELECT current_database()").remove(0);
        place.server.run(&format!(
            "CREATE EXTENSION IF NOT EXISTS vector; GRANT CREATE ON DATABASE {database} TO tl_keeper"
        ));
        let url = place.server.url_of("tl_keeper", &place.schema);
        let open = || PgStore::open(&url).expect("the store opens");
        let store = open();
        store.apply(&opening(&[HERE, THERE])).expect("spaces are welcome");
        for number in 1..6 {
            let space = if number % 2 == 0 { HERE } else { THERE };
            store.apply(&told(number, space)).expect("the batch is accepted");
        }
        let before = (log(&store, 0), store.read().expect("a reader").dump().expect("a dump"));
        drop(store);
        as_before(&place);
        let store = open();
        let after = (log(&store, 0), store.read().expect("a reader").dump().expect("a dump"));
        assert_eq!(after, before);
        let mut blocks = 0;
        let mut count = |_, _: &[u8]| blocks += 1;
        let reader = store.read().expect("a reader");
        let shelf = reader.documents(HERE, TextOf::Memories, "model", 40, &mut count);
        assert_eq!((shelf.expect("documents").stamp, blocks), (40, 0), "a copy of it stays good");
        drop(reader);
        store.apply(&told(6, HERE)).expect("it is written to as before");
        let reader = store.read().expect("a reader");
        let mut count = |_, _: &[u8]| blocks += 1;
        let shelf = reader.documents(HERE, TextOf::Memories, "model", 40, &mut count);
        assert_eq!((shelf.expect("documents").stamp, blocks), (41, 1));
        assert_eq!(store.verify().expect("it can be checked"), []);
        assert_eq!(store.rebuild_check().expect("it can be checked"), []);
    }
}
