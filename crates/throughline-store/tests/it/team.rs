//! Walls between people: each is known by their database role, and the server shows nobody what is not
//! theirs, whatever statement is sent.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::scope::Space;
use throughline_core::{Change, Memory, SpaceId};
use throughline_store::{Error, MemoryQuery, PgStore, Store};
use throughline_testing::sample::{batch, day, fact, insert};

use crate::server::Server;

const PROJECT: SpaceId = SpaceId(41);
const OTHER: SpaceId = SpaceId(42);

/// A schema with people who may log in.
struct Team {
    server: Server,
    schema: String,
}

impl Team {
    fn of(version: usize, people: &[&str]) -> Self {
        let server = Server::of(version);
        let schema = server.new_schema();
        drop(PgStore::open(&server.url(&schema)).expect("an administrator makes the tables"));
        for person in people {
            // Another test may be making the same role.
            server.run(&format!(
                "DO $$ BEGIN CREATE ROLE {person} LOGIN PASSWORD '{person}';
                 EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
            ));
        }
        Self { server, schema }
    }

    fn open(&self, person: &str) -> PgStore {
        PgStore::open(&self.server.url_of(person, &self.schema)).expect("the store opens")
    }

    /// What a person sees of a table when nothing is filtered but by the server.
    fn sees(&self, person: &str, sql: &str) -> Vec<String> {
        self.server
            .run(&format!("SET search_path = {}, public; SET ROLE {person}; {sql}", self.schema))
    }

    fn give(&self, by: &str, space: SpaceId, to: &str, standing: &str) {
        self.sees(by, &format!("INSERT INTO member VALUES ({}, '{to}', '{standing}')", space.0));
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.server.drop_schema(&self.schema);
    }
}

fn open_space(space: SpaceId) -> Change {
    let (key, name) = (format!("space-{}", space.0), "a space".to_owned());
    Change::AddSpace(Space { space, key, name, created_at: day(0), slept: None })
}

fn say(store: &PgStore, number: u64, space: SpaceId, changes: Vec<Change>) -> Result<(), Error> {
    store.apply(&batch(number, space, day(1), changes)).map(drop)
}

fn contents(store: &PgStore, spaces: &[SpaceId]) -> Vec<String> {
    let query = MemoryQuery { spaces: spaces.to_vec(), limit: 100, ..MemoryQuery::default() };
    let page = store.read().expect("a reader").memories(&query).expect("a listing");
    let mut said: Vec<String> = page.items.into_iter().map(|one: Memory| one.content).collect();
    said.sort();
    said
}

#[test]
fn what_holds_everywhere_for_one_person_holds_for_nobody_else() {
    for version in [15, 18] {
        let team = Team::of(version, &["tl_anna", "tl_ben"]);
        let (anna, ben) = (team.open("tl_anna"), team.open("tl_ben"));
        let global = SpaceId::GLOBAL;
        let one = vec![open_space(global), insert(&fact(global, 1, "Anna likes tabs"))];
        say(&anna, 1, global, one).expect("it is her own space");
        // The same id and the same space, and nothing is in the way.
        let two = vec![open_space(global), insert(&fact(global, 1, "Ben likes spaces"))];
        say(&ben, 2, global, two).expect("it is his own space");
        assert_eq!(contents(&anna, &[global]), ["Anna likes tabs"]);
        assert_eq!(contents(&ben, &[global]), ["Ben likes spaces"]);
        for (store, person, other) in [(&anna, "Anna", "Ben"), (&ben, "Ben", "Anna")] {
            let reader = store.read().expect("a reader");
            let dump = reader.dump().expect("a dump").join("\n");
            assert!(dump.contains(person) && !dump.contains(other), "{dump}");
            drop(reader);
            assert_eq!(store.verify().expect("it can be checked"), []);
            assert_eq!(store.rebuild_check().expect("it can be rebuilt"), []);
        }
        let seen = team.sees("tl_anna", "SELECT body FROM change").join("\n");
        assert!(seen.contains("Anna") && !seen.contains("Ben"), "{seen}");
    }
}

#[test]
fn a_project_is_its_members_and_a_reader_only_reads() {
    for version in [15, 18] {
        let team = Team::of(version, &["tl_anna", "tl_ben", "tl_cara"]);
        let anna = team.open("tl_anna");
        let first = vec![open_space(PROJECT), insert(&fact(PROJECT, 1, "staging runs 16"))];
        say(&anna, 1, PROJECT, first).expect("who comes first owns it");

        let ben = team.open("tl_ben");
        assert_eq!(contents(&ben, &[PROJECT]), [] as [&str; 0]);
        assert!(ben.read().expect("a reader").spaces().expect("spaces").is_empty());
        let claims = vec![open_space(PROJECT), insert(&fact(PROJECT, 2, "it is mine"))];
        let error = say(&ben, 2, PROJECT, claims).unwrap_err();
        assert!(matches!(error, Error::Denied { .. }), "{error:?}");

        team.give("tl_anna", PROJECT, "tl_ben", "member");
        team.give("tl_anna", PROJECT, "tl_cara", "reader");
        say(&ben, 2, PROJECT, vec![insert(&fact(PROJECT, 2, "the port is 8080"))])
            .expect("a member writes");
        let cara = team.open("tl_cara");
        for store in [&anna, &ben, &cara] {
            assert_eq!(contents(store, &[PROJECT]), ["staging runs 16", "the port is 8080"]);
        }
        let error = say(&cara, 3, PROJECT, vec![insert(&fact(PROJECT, 3, "me too"))]).unwrap_err();
        assert!(matches!(error, Error::Denied { .. }), "{error:?}");
        assert_eq!(contents(&cara, &[PROJECT]).len(), 2, "nothing of it stays");

        let reader = cara.read().expect("a reader");
        let ids = [1, 2].map(throughline_testing::sample::batch_id);
        let authors = reader.authors(&ids).expect("authors");
        assert_eq!(authors, [Some("tl_anna".to_owned()), Some("tl_ben".to_owned())]);
        drop(reader);

        team.sees("tl_anna", "DELETE FROM member WHERE role = 'tl_ben'");
        assert_eq!(contents(&ben, &[PROJECT]), [] as [&str; 0], "he is out");
    }
}

#[test]
fn nobody_lets_themselves_in() {
    let team = Team::of(15, &["tl_anna", "tl_ben"]);
    let (anna, ben) = (team.open("tl_anna"), team.open("tl_ben"));
    say(&anna, 1, PROJECT, vec![open_space(PROJECT)]).expect("who comes first owns it");
    say(&ben, 2, OTHER, vec![open_space(OTHER)]).expect("who comes first owns it");
    let try_to = |sql: &str| {
        let statement = format!(
            "DO $$ BEGIN {sql}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
             SELECT standing FROM member WHERE space = {}",
            PROJECT.0
        );
        team.sees("tl_ben", &statement)
    };
    let space = PROJECT.0;
    for sql in [
        format!("INSERT INTO member VALUES ({space}, 'tl_ben', 'reader')"),
        format!("INSERT INTO member VALUES ({space}, 'tl_ben', 'owner')"),
        format!("UPDATE member SET space = {space} WHERE role = 'tl_ben'"),
        format!("DELETE FROM member WHERE space = {space}"),
    ] {
        assert_eq!(try_to(&sql), [] as [&str; 0], "{sql}");
    }
    let seen = team.sees("tl_anna", &format!("SELECT role FROM member WHERE space = {space}"));
    assert_eq!(seen, ["tl_anna"]);
}

#[test]
fn nobody_writes_in_the_name_of_another() {
    let team = Team::of(18, &["tl_anna", "tl_ben"]);
    let anna = team.open("tl_anna");
    say(&anna, 1, PROJECT, vec![open_space(PROJECT)]).expect("who comes first owns it");
    for sql in [
        "UPDATE batch SET author = 'tl_ben'",
        "INSERT INTO batch (space, key, body, hash, first_seq, last_seq, at, author)
         VALUES (41, 'x', '', '', 9, 9, 0, 'tl_ben')",
    ] {
        let statement = format!(
            "DO $$ BEGIN {sql}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
             SELECT DISTINCT author FROM batch"
        );
        assert_eq!(team.sees("tl_anna", &statement), ["tl_anna"], "{sql}");
    }
}

/// A number that looks random and is the same in every run.
fn dice(state: &mut u64, sides: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % sides
}

/// Many operations by eight people in forty spaces; then every table is looked at with the
/// application's filters taken out, by the server's own rules alone.
#[test]
fn the_server_alone_shows_nobody_a_row_of_another_space() {
    let people: Vec<String> = (0..8).map(|number| format!("tl_p{number}")).collect();
    let names: Vec<&str> = people.iter().map(String::as_str).collect();
    let team = Team::of(18, &names);
    let stores: Vec<PgStore> = names.iter().map(|name| team.open(name)).collect();
    let mut members: BTreeMap<SpaceId, BTreeMap<usize, &str>> = BTreeMap::new();
    let mut state = 7;
    for number in 1..=400_u64 {
        let person = usize::try_from(dice(&mut state, 8)).expect("small");
        let space = SpaceId(100 + i64::try_from(dice(&mut state, 40)).expect("small"));
        let here = members.entry(space).or_default();
        let standing = here.get(&person).copied();
        if standing == Some("owner") && dice(&mut state, 3) == 0 {
            let other = usize::try_from(dice(&mut state, 8)).expect("small");
            let standing = if dice(&mut state, 2) == 0 { "member" } else { "reader" };
            here.entry(other).or_insert_with(|| {
                team.give(names[person], space, names[other], standing);
                standing
            });
            continue;
        }
        let text = format!("in{}x said by p{person}", space.0);
        let mut changes = vec![insert(&fact(space, number, &text))];
        let first = here.is_empty();
        if first || standing.is_none() {
            changes.insert(0, open_space(space));
        }
        let outcome = say(&stores[person], number, space, changes);
        match (first, standing) {
            (true, _) => {
                outcome.expect("who comes first owns it");
                here.insert(person, "owner");
            }
            (false, Some("owner" | "member")) => outcome.expect("members write"),
            (false, _) => {
                let error = outcome.unwrap_err();
                assert!(matches!(error, Error::Denied { .. }), "{error:?}");
            }
        }
    }
    let tables = team.server.run(&format!(
        "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
         WHERE c.relnamespace = to_regnamespace('{}') AND c.relkind = 'r' AND a.attname = 'space'
           AND c.relname <> 'member'",
        team.schema
    ));
    assert!(tables.len() >= 24, "{tables:?}");
    for (person, name) in names.iter().enumerate() {
        let own: BTreeSet<String> = members
            .iter()
            .filter(|(_, here)| here.contains_key(&person))
            .map(|(space, _)| space.0.to_string())
            .collect();
        let all: Vec<String> =
            tables.iter().map(|table| format!("SELECT space FROM {table}")).collect();
        let seen = team.sees(name, &all.join(" UNION "));
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), own, "{name}");
        let everywhere: Vec<SpaceId> = (100..140).map(SpaceId).collect();
        for text in contents(&stores[person], &everywhere) {
            let space = text.trim_start_matches("in").split('x').next().unwrap_or_default();
            assert!(own.contains(space), "{name} sees {text}");
        }
    }
}
