//! Walls between people: each is known by their database role, and the server shows nobody what is not
//! theirs, whatever statement is sent.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::scope::Space;
use throughline_core::{Change, Memory, SpaceId};
use throughline_store::{Error, MemoryQuery, PgStore, Store};
use throughline_testing::sample::{batch, day, fact, insert};

use crate::server::{Connected, Server};

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

/// How many operations the next test does; `THROUGHLINE_TEAM_OPERATIONS` says another number.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says how long")]
fn operations() -> u64 {
    let told = std::env::var("THROUGHLINE_TEAM_OPERATIONS").ok();
    told.and_then(|number| number.parse().ok()).unwrap_or(600)
}

const PEOPLE: u64 = 8;
const SPACES: u64 = 40;
const FIRST_SPACE: i64 = 100;

/// Eight people with a connection each, to which nothing but the server's own rules applies.
struct Crowd<'t> {
    team: &'t Team,
    names: Vec<String>,
    stores: Vec<PgStore>,
    bare: Vec<Connected>,
    tables: Vec<String>,
    /// Who is in which space, and as what.
    members: BTreeMap<i64, BTreeMap<usize, &'static str>>,
    dice: u64,
    counts: BTreeMap<&'static str, u64>,
}

impl<'t> Crowd<'t> {
    fn of(team: &'t Team, names: &[String]) -> Self {
        let tables = team.server.run(&format!(
            "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
             WHERE c.relnamespace = to_regnamespace('{}') AND c.relkind = 'r'
               AND a.attname = 'space' AND c.relname <> 'member'",
            team.schema
        ));
        assert!(tables.len() >= 24, "{tables:?}");
        Self {
            names: names.to_vec(),
            stores: names.iter().map(|name| team.open(name)).collect(),
            bare: names.iter().map(|it| team.server.connected_as(it, &team.schema)).collect(),
            tables,
            members: BTreeMap::new(),
            dice: 7,
            counts: BTreeMap::new(),
            team,
        }
    }

    fn roll(&mut self, sides: u64) -> usize {
        usize::try_from(dice(&mut self.dice, sides)).expect("small")
    }

    /// One operation of somebody somewhere.
    fn act(&mut self, number: u64) {
        let person = self.roll(PEOPLE);
        let space = FIRST_SPACE + i64::try_from(self.roll(SPACES)).expect("small");
        match self.roll(10) {
            0 => self.admit(person, space),
            1 => self.dismiss(person, space),
            2..=5 => self.write(number, person, space),
            _ => self.look(person, space),
        }
    }

    fn standing(&self, person: usize, space: i64) -> Option<&'static str> {
        self.members.get(&space)?.get(&person).copied()
    }

    /// Somebody, or as often whoever owns a space: nobody else may do anything about its members.
    fn owner_or(&mut self, person: usize, space: i64) -> usize {
        let mut here = self.members.get(&space).into_iter().flatten();
        let owner = here.find(|(_, standing)| **standing == "owner").map(|(one, _)| *one);
        if self.roll(2) == 0 { owner.unwrap_or(person) } else { person }
    }

    fn admit(&mut self, person: usize, space: i64) {
        let person = self.owner_or(person, space);
        let (other, reads) = (self.roll(PEOPLE), self.roll(2) == 0);
        let as_what = if reads { "reader" } else { "member" };
        let sql = format!(
            "DO $$ BEGIN INSERT INTO member VALUES ({space}, '{}', '{as_what}');
             EXCEPTION WHEN insufficient_privilege OR unique_violation THEN NULL; END $$",
            self.names[other]
        );
        self.bare[person].run(&sql);
        let here = self.members.entry(space).or_default();
        if here.get(&person) == Some(&"owner") && !here.contains_key(&other) {
            here.insert(other, as_what);
            *self.counts.entry("admitted").or_default() += 1;
        } else {
            *self.counts.entry("admission refused").or_default() += 1;
        }
    }

    fn dismiss(&mut self, person: usize, space: i64) {
        let person = self.owner_or(person, space);
        let here: Vec<usize> =
            self.members.get(&space).into_iter().flatten().map(|one| *one.0).collect();
        let other = match here.len() {
            0 => self.roll(PEOPLE),
            all if self.roll(2) == 0 => here[self.roll(u64::try_from(all).expect("few people"))],
            _ => self.roll(PEOPLE),
        };
        let sql = format!(
            "DELETE FROM member WHERE space = {space} AND role = '{}' AND role <> current_user
             RETURNING role",
            self.names[other]
        );
        let gone = self.bare[person].run(&sql);
        let may = self.standing(person, space) == Some("owner") && other != person;
        let here = self.members.entry(space).or_default();
        let counted = if may && here.remove(&other).is_some() {
            assert_eq!(gone, [self.names[other].as_str()], "an owner dismisses");
            "dismissed"
        } else {
            assert_eq!(gone, [""; 0], "{} dismisses from {space}", self.names[person]);
            "dismissal refused"
        };
        *self.counts.entry(counted).or_default() += 1;
    }

    fn write(&mut self, number: u64, person: usize, space: i64) {
        let standing = self.standing(person, space);
        let here = self.members.entry(space).or_default();
        let (first, at) = (here.is_empty(), SpaceId(space));
        let mut changes = vec![insert(&fact(at, number, &format!("in{space}x said by p{person}")))];
        if first || standing.is_none() {
            changes.insert(0, open_space(at));
        }
        let outcome = say(&self.stores[person], number, at, changes);
        let counted = match (first, standing) {
            (true, _) => {
                outcome.expect("who comes first owns it");
                here.insert(person, "owner");
                "written"
            }
            (false, Some("owner" | "member")) => {
                outcome.expect("members write");
                "written"
            }
            (false, _) => {
                let error = outcome.expect_err("nobody else writes");
                assert!(matches!(error, Error::Denied { .. }), "{error:?}");
                "write refused"
            }
        };
        *self.counts.entry(counted).or_default() += 1;
    }

    /// Looks into a space with statements of one's own, and tries to change what is there.
    fn look(&mut self, person: usize, space: i64) {
        let at = self.roll(u64::try_from(self.tables.len()).expect("few tables"));
        let table = self.tables[at].clone();
        let mine = self.standing(person, space).is_some();
        let sql = format!("SELECT space FROM {table} WHERE space = {space} LIMIT 1");
        let seen = self.bare[person].run(&sql);
        assert!(mine || seen.is_empty(), "{} sees {table} of {space}", self.names[person]);
        if !mine {
            let sql = format!(
                "WITH gone AS (DELETE FROM {table} WHERE space = {space} RETURNING 1)
                SELECT count(*) FROM gone"
            );
            assert_eq!(self.bare[person].run(&sql), ["0"], "{} deletes", self.names[person]);
        }
        *self.counts.entry("looked").or_default() += 1;
    }

    /// Everything that everybody sees, by the server's rules alone and by the application.
    fn check(&self) {
        let all: Vec<String> =
            self.tables.iter().map(|table| format!("SELECT space FROM {table}")).collect();
        for (person, name) in self.names.iter().enumerate() {
            let own: BTreeSet<String> = self
                .members
                .iter()
                .filter(|(_, here)| here.contains_key(&person))
                .map(|(space, _)| space.to_string())
                .collect();
            let seen = self.bare[person].run(&all.join(" UNION "));
            assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), own, "{name}");
            let everywhere: Vec<SpaceId> = (0..SPACES)
                .map(|space| SpaceId(FIRST_SPACE + i64::try_from(space).expect("small")))
                .collect();
            for text in contents(&self.stores[person], &everywhere) {
                let space = text.trim_start_matches("in").split('x').next().unwrap_or_default();
                assert!(own.contains(space), "{name} sees {text}");
            }
        }
    }
}

/// Many operations by eight people in forty spaces, each looking where it must not. Every table is
/// looked at with the application's filters taken out, by the server's own rules alone.
#[test]
fn the_server_alone_shows_nobody_a_row_of_another_space() {
    let people: Vec<String> = (0..PEOPLE).map(|number| format!("tl_p{number}")).collect();
    let names: Vec<&str> = people.iter().map(String::as_str).collect();
    let team = Team::of(18, &names);
    let mut crowd = Crowd::of(&team, &people);
    let all = operations();
    for number in 1..=all {
        crowd.act(number);
        if number % (all / 10).max(1) == 0 {
            crowd.check();
        }
    }
    crowd.check();
    println!("{all} operations: {:?}", crowd.counts);
    for what in ["written", "write refused", "admitted", "dismissed", "dismissal refused", "looked"]
    {
        assert!(crowd.counts.get(what).is_some_and(|count| *count > 0), "nothing was {what}");
    }
    assert_eq!(crowd.team.sees("tl_p0", "SELECT current_user"), ["tl_p0"]);
}
