//! Everything that can be wrong with a server, one line each: what is told, and that nothing is lost and
//! nothing applied twice.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use throughline_core::Batch;
use throughline_store::{Error, LogQuery, PgStore, Store};
use throughline_testing::sample::{HERE, batch, day, fact, insert, opening};

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

    fn url(&self) -> String {
        self.server.url(&self.schema)
    }

    /// A store with a space that can be written to.
    fn open(&self) -> PgStore {
        let store = PgStore::open(&self.url()).expect("the store opens");
        store.apply(&opening(&[HERE])).expect("spaces are welcome");
        store
    }

    /// Lets the server refuse the first so many batches with a code of its own.
    fn refusing(&self, times: usize, code: &str) {
        let schema = &self.schema;
        self.server.run(&format!(
            "SET search_path = {schema}, public; CREATE SEQUENCE refusals;
             GRANT USAGE ON SEQUENCE refusals TO PUBLIC;
             CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = {schema} AS $$
             BEGIN IF nextval('refusals') <= {times} THEN
               RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON batch FOR EACH ROW EXECUTE FUNCTION refuse()"
        ));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.server.drop_schema(&self.schema);
    }
}

/// What is wrong, the address by which it shows, which error it is, and what that says.
type TroubleCase = (&'static str, String, fn(&Error) -> bool, &'static str);

fn told(number: u64, text: &str) -> Batch {
    batch(number, HERE, day(1), vec![insert(&fact(HERE, number, text))])
}

fn batches(store: &PgStore) -> usize {
    let reader = store.read().expect("a reader");
    reader.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() }).expect("the log").len()
}

/// A role that may connect and nothing else.
fn role(server: &Server, name: &str) {
    server.run(&format!(
        "DO $$ BEGIN CREATE ROLE {name} LOGIN PASSWORD '{name}';
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    ));
}

#[test]
fn each_thing_that_is_wrong_with_a_server_has_its_own_words_and_a_way_out() {
    let server = Server::of(18);
    role(&server, "tl_pass");
    role(&server, "tl_plain");
    server.run(
        "DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS vector;
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
    );
    let schema = server.new_schema();
    let right = server.url_of("tl_plain", &schema);
    let table: [TroubleCase; 6] = [
        (
            "a wrong password",
            Server::elsewhere(&server.url_of("tl_pass", &schema), "tl_pass:tl_pass", "tl_pass:no"),
            |error| matches!(error, Error::Denied { .. }),
            "password",
        ),
        (
            "a database that is not there",
            Server::elsewhere(&right, "/postgres?", "/none_such?"),
            |error| matches!(error, Error::Denied { .. }),
            "none_such",
        ),
        (
            "a role without the right to make the tables",
            right.clone(),
            |error| matches!(error, Error::Denied { .. }),
            "permission denied",
        ),
        (
            "a role that is not there",
            Server::elsewhere(&right, "tl_plain:tl_plain", "tl_nobody:x"),
            |error| matches!(error, Error::Denied { .. }),
            "tl_nobody",
        ),
        (
            "a server that is older than any that is tested",
            format!("postgresql://postgres:postgres@{}/postgres?schema={schema}", aged(&server)),
            |error| matches!(error, Error::Unfit { .. }),
            "PostgreSQL 13, which is too old: 15 or newer is needed",
        ),
        (
            "nobody there at all",
            Server::elsewhere(&right, server.place(), "127.0.0.1:1"),
            |error| matches!(error, Error::Unreachable { .. }),
            "127.0.0.1:1",
        ),
    ];
    for (what, url, fits, says) in table {
        let error = PgStore::open(&url).unwrap_err();
        assert!(fits(&error), "{what}: {error:?}");
        let words = error.to_string();
        assert!(words.contains(says), "{what}: {words}");
        assert!(!words.contains("tl_pass:") && !words.contains(":no@"), "{what}: {words}");
    }
}

#[test]
fn a_server_without_the_extension_says_what_to_install_and_run() {
    for version in [15, 18] {
        let server = Server::of(version);
        role(&server, "tl_plain");
        let database = format!("d{}", server.new_schema());
        server.run(&format!("CREATE DATABASE {database}"));
        let url = server.url_of("tl_plain", "throughline");
        let url = Server::elsewhere(&url, "/postgres?", &format!("/{database}?"));
        let error = PgStore::open(&url).unwrap_err();
        server.run(&format!("DROP DATABASE {database} WITH (FORCE)"));
        assert!(matches!(error, Error::Unfit { .. }), "{error:?}");
        let words = error.to_string();
        assert!(words.contains("has no pgvector"), "{words}");
        assert!(words.contains("CREATE EXTENSION vector as an administrator"), "{words}");
    }
}

#[test]
fn what_the_server_refuses_for_a_moment_is_tried_again_and_applied_once() {
    for (version, code, what) in
        [(15, "40P01", "a deadlock"), (18, "40001", "a serialisation failure")]
    {
        let place = Place::new(version);
        let store = place.open();
        place.refusing(3, code);
        let mut planned = 0;
        let commit = store.transact(&mut |_| {
            planned += 1;
            Ok(told(1, "one"))
        });
        commit.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((planned, batches(&store)), (4, 2), "{what}");
        assert_eq!(store.verify().expect("it can be checked"), [], "{what}");
    }
}

#[test]
fn what_the_server_refuses_for_longer_than_there_is_time_is_given_up_in_time() {
    let place = Place::new(18);
    let store = place.open();
    place.refusing(1_000_000, "40001");
    let began = Instant::now();
    store.answer_until(Some(began + Duration::from_millis(120)));
    let error = store.apply(&told(1, "one")).unwrap_err();
    assert!(
        matches!(error, Error::Server { again: true, .. } | Error::Unreachable { .. }),
        "{error:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    store.answer_until(None);
    assert_eq!(batches(&store), 1, "nothing of it is there");
}

#[test]
fn a_full_disk_is_said_to_be_one_and_nothing_of_the_batch_is_there() {
    let place = Place::new(15);
    let store = place.open();
    place.refusing(1, "53100");
    let error = store.apply(&told(1, "one")).unwrap_err();
    assert!(matches!(error, Error::Full), "{error:?}");
    assert_eq!(batches(&store), 1);
    store.apply(&told(1, "one")).expect("there is room again");
    assert_eq!(store.verify().expect("it can be checked"), []);
}

#[test]
fn a_server_that_becomes_read_only_keeps_what_it_has_and_says_so() {
    let place = Place::new(15);
    let store = place.open();
    place.refusing(1, "25006");
    let error = store.apply(&told(1, "one")).unwrap_err();
    assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
    store.apply(&told(1, "one")).expect("it takes writes again");
    assert_eq!(batches(&store), 2);
}

#[test]
fn a_lock_that_somebody_else_holds_is_waited_for_no_longer_than_one_wants_to() {
    let place = Place::new(18);
    let store = place.open();
    place.refusing(1, "55P03");
    store.wait_at_most(Duration::from_millis(70));
    let error = store.apply(&told(1, "one")).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error:?}");
    store.apply(&told(1, "one")).expect("it is free again");
}

#[test]
fn walls_that_are_down_indexes_that_are_broken_and_a_role_above_walls_are_told() {
    let place = Place::new(18);
    let store = place.open();
    let condition = |name: &str| {
        let all = store.conditions().expect("it can be looked at");
        all.into_iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no {name}"))
    };
    assert!(condition("server").detail.contains("PostgreSQL 18"), "{:?}", condition("server"));
    assert!(condition("server").detail.contains("pgvector"));
    assert_eq!(condition("replication").detail, "no standby");
    assert!(condition("indexes").hint.is_none());
    let walls = condition("walls");
    assert!(!walls.wrong && walls.detail.contains("the role postgres is above it"), "{walls:?}");
    let schema = &place.schema;
    place.server.run(&format!(
        "ALTER TABLE {schema}.memory DISABLE ROW LEVEL SECURITY;
         UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{schema}.edge_src'::regclass"
    ));
    assert!(condition("walls").wrong, "{:?}", condition("walls"));
    let indexes = condition("indexes");
    assert!(indexes.wrong && indexes.detail.contains("edge_src"), "{indexes:?}");
}

#[test]
fn a_person_that_a_server_may_not_act_for_is_refused_with_what_to_run() {
    let place = Place::new(18);
    drop(place.open());
    role(&place.server, "tl_plain");
    role(&place.server, "tl_anna");
    let url = place.server.url_of("tl_plain", &place.schema);
    let error = PgStore::open_as(&url, Some("tl_anna")).unwrap_err();
    assert!(matches!(error, Error::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("GRANT \"tl_anna\" TO"), "{error}");
    let missing = PgStore::open_as(&url, Some("no\"body")).unwrap_err();
    assert!(matches!(missing, Error::Denied { .. }), "{missing:?}");
}

/// The place of a proxy that makes a server look older than it is.
fn aged(server: &Server) -> String {
    let number = server.run("SELECT current_setting('server_version_num')").remove(0);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("an address").to_string();
    let target = server.place().to_owned();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&target).expect("the server is there");
            let (to, from) = (server.try_clone(), client.try_clone());
            let (mut to, mut from) = (to.expect("a handle"), from.expect("a handle"));
            std::thread::spawn(move || {
                std::io::copy(&mut from, &mut to).ok();
                to.shutdown(Shutdown::Both).ok();
            });
            let number = number.clone();
            std::thread::spawn(move || with_another_number(server, client, &number));
        }
    });
    place
}

fn with_another_number(mut server: TcpStream, mut client: TcpStream, number: &str) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        let told = &mut bytes[..count];
        let at = told.windows(number.len()).position(|some| some == number.as_bytes());
        if let Some(at) = at {
            told[at..at + number.len()].copy_from_slice(b"130021");
        }
        if client.write_all(told).is_err() {
            break;
        }
    }
    client.shutdown(Shutdown::Both).ok();
}
