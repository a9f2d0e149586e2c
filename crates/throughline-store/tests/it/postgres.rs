//! What only a server promises: turns, deadlines, lost connections, migrations, copies.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use throughline_core::{Batch, State};
use throughline_store::{
    CandidateQuery, Error, FrequentTerms, LogQuery, PgStore, SqliteStore, Store, TextOf, Vector,
    transfer,
};
use throughline_testing::sample::{HERE, batch, day, fact, insert, node, opening};

use crate::home::Home;
use crate::server::Server;

/// A schema that goes away with the test.
struct Schema {
    server: Server,
    name: String,
}

impl Schema {
    fn new(version: usize) -> Self {
        let server = Server::of(version);
        Self { name: server.new_schema(), server }
    }

    fn url(&self) -> String {
        self.server.url(&self.name)
    }

    fn open(&self) -> PgStore {
        PgStore::open(&self.url()).expect("the store opens")
    }

    /// Its address by way of a proxy that cuts one connection, and how often it could have.
    fn url_through(&self, cut: Cut) -> (String, Arc<AtomicUsize>) {
        let place = self.server.place();
        let (proxy, cuts) = cutting(place, cut);
        (Server::elsewhere(&self.url(), place, &format!("127.0.0.1:{proxy}")), cuts)
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.server.drop_schema(&self.name);
    }
}

fn told(number: u64, text: &str) -> Batch {
    batch(number, HERE, day(1), vec![insert(&fact(HERE, number, text))])
}

fn everything(store: &dyn Store) -> (Vec<String>, Vec<throughline_store::StoredBatch>) {
    let reader = store.read().expect("a reader");
    let log = LogQuery { limit: usize::MAX, ..LogQuery::default() };
    (reader.dump().expect("a dump"), reader.log(&log).expect("the log"))
}

#[test]
fn two_migrators_at_once_make_one_schema() {
    for version in [15, 18] {
        let schema = Schema::new(version);
        let url = schema.url();
        let all: Vec<_> = (0..4)
            .map(|_| {
                let url = url.clone();
                std::thread::spawn(move || PgStore::open(&url).map(drop))
            })
            .collect();
        for one in all {
            one.join().expect("nobody panics").expect("everybody opens it");
        }
        let steps = schema.server.run(&format!("SELECT count(*) FROM {}.migration", schema.name));
        assert_eq!(steps, ["8"]);
    }
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let schema = Schema::new(15);
    drop(schema.open());
    let name = &schema.name;
    schema.server.run(&format!("INSERT INTO {name}.migration VALUES (99, 'later', 'x')"));
    let error = PgStore::open(&schema.url()).unwrap_err();
    assert!(matches!(error, Error::Newer { found: 99, known: 8, .. }), "{error}");
}

#[test]
fn a_schema_with_a_step_that_was_changed_is_refused_with_what_to_do_and_left_alone() {
    let schema = Schema::new(18);
    drop(schema.open());
    let name = &schema.name;
    let set = |checksum: &str| {
        schema
            .server
            .run(&format!("UPDATE {name}.migration SET checksum = {checksum} WHERE number = 4"))
    };
    set("reverse(checksum)");
    let error = PgStore::open(&schema.url()).unwrap_err();
    assert!(matches!(error, Error::Unfit { .. }), "{error:?}");
    assert!(error.to_string().contains("another step 4 of its schema"), "{error}");
    assert!(error.to_string().contains("store copy --to"), "{error}");
    set("reverse(checksum)");
    let store = schema.open();
    assert_eq!(store.verify().expect("it can be checked"), []);
}

#[test]
fn a_wall_that_was_taken_down_and_an_index_that_is_gone_are_found() {
    let schema = Schema::new(15);
    let store = schema.open();
    assert_eq!(store.verify().expect("it can be checked"), []);
    let name = &schema.name;
    schema.server.run(&format!(
        "ALTER TABLE {name}.memory DISABLE ROW LEVEL SECURITY; DROP INDEX {name}.edge_src"
    ));
    let found: Vec<String> =
        store.verify().expect("it can be checked").into_iter().map(|one| one.detail).collect();
    assert_eq!(
        found,
        ["row-level security is off for table memory", "index edge_src is not there, or not valid"]
    );
}

#[test]
fn where_nobody_listens_it_is_said_at_once() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let error = PgStore::open(&format!("postgresql://anna@127.0.0.1:{port}/memory")).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains(&format!("127.0.0.1:{port}/memory")), "{error}");
}

#[test]
fn a_server_that_hangs_is_waited_for_no_longer_than_there_is_time() {
    let deaf = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = deaf.local_addr().expect("an address").port();
    let began = Instant::now();
    let until = began + Duration::from_millis(150);
    let address = format!("postgresql://anna@127.0.0.1:{port}/memory");
    let error = PgStore::open_until(&address, Some(until)).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[test]
fn an_address_that_means_nothing_is_refused_with_an_example() {
    for (address, why) in [
        ("postgresql://anna@h:port/x", "postgresql://anna@db.example.com/memory"),
        ("postgresql://anna@127.0.0.1/x?sslmode=perhaps", "sslmode=perhaps is not known"),
        ("postgresql://anna@127.0.0.1/x?schema=a;b", "is no name of a schema"),
        ("postgresql://anna@127.0.0.1/x?sslrootcert=/none.pem&sslmode=require", "/none.pem"),
    ] {
        let error = PgStore::open(address).unwrap_err();
        assert!(matches!(error, Error::BadAddress(_)), "{address}: {error:?}");
        assert!(error.to_string().contains(why), "{address}: {error}");
    }
}

#[test]
fn who_does_not_want_to_wait_is_told_that_somebody_writes() {
    let schema = Schema::new(18);
    let (first, second) = (schema.open(), schema.open());
    first.apply(&opening(&[HERE])).expect("spaces are welcome");
    second.wait_at_most(Duration::from_millis(50));
    first
        .transact(&mut |_| {
            let error = second.apply(&told(1, "one")).unwrap_err();
            assert!(matches!(error, Error::Busy { waited_ms: 50 }), "{error:?}");
            Ok(told(2, "two"))
        })
        .expect("the first one writes");
    second.apply(&told(1, "one")).expect("now it is its turn");
}

#[test]
fn who_may_only_read_is_told_so() {
    let schema = Schema::new(15);
    let store = schema.open();
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    let url = format!("{}&options=-cdefault_transaction_read_only%3Don", schema.url());
    let reads = PgStore::open(&url).expect("it can be read");
    assert!(reads.health().expect("health").read_only);
    let error = reads.apply(&told(1, "one")).unwrap_err();
    assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
    assert_eq!(everything(&reads), everything(&store));
}

/// What a proxy does to the first connection that says something.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// Cut before the server hears of a commit.
    Before,
    /// Cut after it is done, before the client hears of it.
    After,
    /// Cut before the server hears that something is read.
    Reading,
}

/// A proxy that cuts one connection when that is said. How often it was said.
fn cutting(server: &str, cut: Cut) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (target, cuts) = (server.to_owned(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&cuts);
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&target).expect("the server is there");
            let cuts = Arc::clone(&counted);
            std::thread::spawn(move || pass_on(client, server, cut, &cuts));
        }
    });
    (port, cuts)
}

fn pass_on(mut client: TcpStream, mut server: TcpStream, cut: Cut, cuts: &AtomicUsize) {
    let mut answers = server.try_clone().expect("a second handle");
    let mut back = client.try_clone().expect("a second handle");
    let (stop, stopped) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let mut bytes = [0; 65_536];
        while let Ok(count @ 1..) = answers.read(&mut bytes) {
            if stopped.try_recv().is_ok() || back.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        back.shutdown(Shutdown::Both).ok();
    });
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let said: &[u8] = if cut == Cut::Reading { b"READ ONLY" } else { b"COMMIT" };
        let is_said = bytes[..count].windows(said.len()).any(|some| some == said);
        if is_said && cuts.fetch_add(1, Ordering::SeqCst) == 0 {
            stop.send(()).ok();
            if cut == Cut::After {
                server.write_all(&bytes[..count]).ok();
                std::thread::sleep(Duration::from_millis(300));
            }
            break;
        }
        if server.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    server.shutdown(Shutdown::Both).ok();
    client.shutdown(Shutdown::Both).ok();
}

#[test]
fn a_batch_whose_connection_is_cut_at_the_commit_is_applied_once() {
    for version in [15, 18] {
        for cut in [Cut::Before, Cut::After] {
            let schema = Schema::new(version);
            schema.open().apply(&opening(&[HERE])).expect("spaces are welcome");
            let (through, cuts) = schema.url_through(cut);
            let store = PgStore::open(&through).expect("the store opens");
            let mut planned = 0;
            let commit = store.transact(&mut |_| {
                planned += 1;
                Ok(told(1, "one"))
            });
            let commit = commit.expect("it is found out, and tried again if need be");
            assert!(cuts.load(Ordering::SeqCst) >= 1, "the connection was cut");
            assert_eq!(planned, if cut == Cut::After { 1 } else { 2 });
            let (_, log) = everything(&schema.open());
            assert_eq!(log.len(), 2);
            assert_eq!((log[1].batch.id, log[1].last_seq), (commit.batch, commit.seq));
            assert_eq!(schema.open().verify().expect("it can be checked"), []);
        }
    }
}

/// Asks for the candidates of a prompt, with its meaning.
fn candidates_of(store: &PgStore) -> usize {
    let reader = store.read_soon().expect("a reader");
    let terms = ["one".to_owned()];
    let query = CandidateQuery {
        of: TextOf::Memories,
        spaces: &[HERE],
        terms: &terms,
        frequent: FrequentTerms { share: 8, least: 2_000, most: 12_000 },
        states: &[State::Staged, State::Confirmed],
        model: "small",
        nearest: 8,
        whole: 480,
    };
    let found = reader.candidates(&[query], &mut || Some(vec![1; 384]), &[]);
    found.expect("it answers").expect("it finds").iter().map(|one| one.records.len()).sum()
}

#[test]
fn what_is_read_when_the_connection_has_just_been_lost_is_asked_for_again() {
    type Look = (&'static str, fn(&PgStore) -> usize);
    let looks: [Look; 2] = [
        ("spaces", |store| store.read_soon().expect("a reader").spaces().expect("spaces").len()),
        ("candidates", candidates_of),
    ];
    for version in [15, 18] {
        let schema = Schema::new(version);
        schema.open().apply(&opening(&[HERE])).expect("spaces are welcome");
        schema.open().apply(&told(1, "one")).expect("it is new");
        for (what, look) in looks {
            let (through, cuts) = schema.url_through(Cut::Reading);
            let store = PgStore::open(&through).expect("the store opens");
            assert_eq!(look(&store), 1, "{what}");
            assert_eq!(cuts.load(Ordering::SeqCst), 2, "{what}: cut, and asked again");
        }
    }
}

#[test]
fn what_was_seen_at_one_moment_is_not_mixed_with_another_when_the_connection_is_lost() {
    let schema = Schema::new(15);
    let store = schema.open();
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    let reader = store.read_soon().expect("a reader");
    assert_eq!(reader.spaces().expect("spaces").len(), 1);
    let name = &schema.name;
    schema.server.run(&format!(
        "SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l
         WHERE l.relation = '{name}.space'::regclass AND l.pid <> pg_backend_pid()"
    ));
    let error = reader.latest().unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert_eq!(store.read_soon().expect("a reader").spaces().expect("spaces").len(), 1);
}

#[test]
fn a_connection_that_the_server_closed_is_made_anew() {
    let schema = Schema::new(18);
    let store = schema.open();
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    schema.server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'throughline' AND query LIKE '%UPDATE head%'
            OR query = 'COMMIT' AND application_name = 'throughline'",
    );
    store.apply(&told(1, "one")).expect("it connects again");
    assert_eq!(store.read().expect("a reader").spaces().expect("spaces").len(), 1);
}

#[test]
fn what_is_copied_to_a_server_and_back_is_the_same_to_the_byte() {
    for version in [15, 18] {
        let home = Home::new();
        let file = SqliteStore::open(&home.path()).expect("the store opens");
        file.apply(&opening(&[HERE])).expect("spaces are welcome");
        for number in 1..=12 {
            file.apply(&told(number, &format!("claim {number}"))).expect("it is new");
        }
        let vector = Vector { node: node(3), seq: 4, values: vec![0.25, -1.0], packed: vec![1] };
        file.put_vectors(HERE, "small", &[vector]).expect("vectors are kept");
        let schema = Schema::new(version);
        // Cut short after some batches, it goes on where it stopped.
        let server = schema.open();
        for stored in &everything(&file).1[..5] {
            server.apply(&stored.batch).expect("it is new");
        }
        let mut last = (0, 0);
        let done = transfer(&file, &server, &["small"], &mut |done, all| last = (done, all));
        let done = done.expect("it is copied");
        assert_eq!((done.known, done.applied, done.vectors, last), (5, 8, 1, (13, 13)));
        assert_eq!(everything(&server), everything(&file));
        assert_eq!(server.verify().expect("it can be checked"), []);

        let again = transfer(&file, &server, &["small"], &mut |_, _| ()).expect("nothing is new");
        assert_eq!((again.known, again.applied, again.vectors), (13, 0, 0));

        let other = Home::new();
        let back = SqliteStore::open(&other.path()).expect("the store opens");
        transfer(&server, &back, &["small"], &mut |_, _| ()).expect("it is copied back");
        assert_eq!(everything(&back), everything(&file));
        let reader = back.read().expect("a reader");
        let vectors = reader.vectors_of(HERE, "small", &[node(3)]).expect("vectors");
        assert_eq!(vectors, [Some(vec![0.25, -1.0])]);
        drop(reader);

        back.apply(&told(77, "only here")).expect("it is new");
        let error = transfer(&server, &back, &[], &mut |_, _| ()).unwrap_err();
        assert!(error.to_string().contains("holds something else"), "{error}");
    }
}

#[test]
fn a_wrong_password_is_said_to_be_one_and_never_shown() {
    // Only where the server asks for one; the newest does.
    let server = Server::of(18);
    server.run(
        "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'tl_pass') THEN
           CREATE ROLE tl_pass LOGIN PASSWORD 'right'; END IF; END $$",
    );
    let name = server.new_schema();
    let wrong = server.url_of("tl_pass", &name);
    let error = PgStore::open(&wrong).unwrap_err();
    assert!(matches!(error, Error::Denied { .. }), "{error:?}");
    assert!(!error.to_string().contains("tl_pass:"), "no password is shown: {error}");
}
