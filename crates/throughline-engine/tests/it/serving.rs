//! Recall from a server: the same answers as from a file, without the corpus being moved.

use std::sync::Arc;

use throughline_core::row::Extra;
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Kind, Memory, MemoryId, Scope, SessionId,
    Timestamp,
};
use throughline_engine::{
    Arms, Ask, Clock, Context, Engine, Memo, NewMemory, PastTurn, Project, Recall, keep_memory_at,
    round_trips,
};
use throughline_store::{PgStore, SqliteStore, Store};

/// A schema on one of the servers that `tools/postgres/start.sh` started; gone with the test.
struct Schema {
    url: String,
    name: String,
}

impl Schema {
    #[expect(clippy::disallowed_methods, reason = "whoever runs the tests says where they are")]
    fn new(version: usize) -> Self {
        let told = std::env::var("THROUGHLINE_TEST_POSTGRES")
            .expect("THROUGHLINE_TEST_POSTGRES is set by: eval \"$(tools/postgres/start.sh)\"");
        let url = told.split_whitespace().nth(usize::from(version != 15)).unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy().to_lowercase();
        let name =
            format!("e{}{}", std::process::id(), name.replace(|c: char| !c.is_alphanumeric(), ""));
        Self { url, name }
    }

    fn address(&self, more: &str) -> String {
        format!("{}?schema={}{more}", self.url, self.name)
    }

    fn run(&self, sql: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let connecting = tokio_postgres::connect(&self.url, tokio_postgres::NoTls);
            let (client, connection) = connecting.await.unwrap();
            tokio::spawn(connection);
            client.batch_execute("SET client_min_messages = error").await.unwrap();
            client.batch_execute(sql).await.unwrap();
        });
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name));
    }
}

/// A memory in a file, which is copied to a server.
struct Desk {
    folder: tempfile::TempDir,
    context: Context,
    memo: Arc<Memo>,
    dice: Dice,
}

/// Numbers that seem random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A unit vector around one of a few topics.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn vector(&mut self, topic: usize) -> [f32; 384] {
        let mut centre = Self(topic as u64 * 7_919 + 3);
        let draw = |dice: &mut Self| dice.below(2_001) as f32 / 1_000.0 - 1.0;
        let mixed: [f32; 384] = std::array::from_fn(|_| draw(&mut centre) + 0.8 * draw(self));
        let length = mixed.iter().map(|x| x * x).sum::<f32>().sqrt();
        mixed.map(|x| x / length)
    }
}

const PEOPLE: [&str; 8] = ["Anna", "Ben", "Cara", "Dmitri", "Elif", "Farid", "Greta", "Hugo"];
const THINGS: [&str; 16] = [
    "billing service",
    "walrus queue",
    "deploy script",
    "search index",
    "login page",
    "rate limiter",
    "backup job",
    "payment webhook",
    "cache layer",
    "mobile app",
    "invoice parser",
    "test suite",
    "staging cluster",
    "release notes",
    "audit log",
    "image resizer",
];
const DID: [&str; 10] = [
    "moved to the new region",
    "rewrote in Rust",
    "switched off for a week",
    "upgraded to version",
    "measured at",
    "blamed for the outage of",
    "documented in the handbook after",
    "split into parts on",
    "froze until",
    "reviewed with the auditors on",
];
const WHY: [&str; 8] = [
    "because it was slow under load",
    "because customers complained",
    "to save money",
    "because the certificate expired",
    "after the incident in spring",
    "so that retries are cheap",
    "because nobody owned it",
    "to satisfy the contract",
];

impl Desk {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let context = Context::user(Project::at(&root).unwrap());
        Self {
            context,
            folder,
            memo: Arc::default(),
            dice: Dice(seed * 2 + 88_172_645_463_325_252),
        }
    }

    fn now() -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000)
    }

    fn file(&self) -> Engine {
        let home = self.folder.path().join("home");
        Engine::open(&home, Clock::Fixed(Self::now())).unwrap().with_memo(Arc::clone(&self.memo))
    }

    /// The same memory on a server.
    fn server(&self, address: &str) -> Engine {
        let home = self.folder.path().join(format!("home{}", address.len()));
        std::fs::create_dir_all(&home).unwrap();
        keep_memory_at(&home, Some(address));
        Engine::open(&home, Clock::Fixed(Self::now())).unwrap().with_memo(Arc::clone(&self.memo))
    }

    /// Something that somebody may have said, with a vector that others on its topic are near to.
    fn sentence(&mut self) -> String {
        let thing = self.dice.below(THINGS.len());
        let text = format!(
            "{} and the {} was {} {} {}",
            self.dice.pick(&PEOPLE),
            THINGS[thing],
            self.dice.pick(&DID),
            self.dice.below(400),
            self.dice.pick(&WHY)
        );
        let vector = self.dice.vector(thing);
        self.memo.know(&text, vector);
        text
    }

    /// Memories, written at once.
    fn add_memories(&mut self, count: usize) {
        let space = self.context.scope().space;
        let scope = Scope { space, session: None };
        self.file()
            .keeping(&self.context)
            .remember(&NewMemory::new("Anna leads the team"))
            .unwrap();
        let changes: Vec<Change> = (0..count)
            .map(|n| {
                let id: MemoryId = format!("01990000-0000-7000-8000-{n:012x}").parse().unwrap();
                let text = self.sentence();
                let at = Self::now().plus_days(-(n as f64) / 7.0);
                let memory = Memory::new(id, &scope, Kind::Fact, &text, Authority::UserStated, at);
                Change::Insert(Box::new(memory))
            })
            .collect();
        let id: MemoryId = "01990000-0000-7000-8001-000000000000".parse().unwrap();
        let batch = Batch {
            id: BatchId(id.0),
            space,
            at: Self::now(),
            actor: Actor::System,
            cause: Cause::Import,
            session: None,
            reason: None,
            changes,
            extra: Extra::new(),
        };
        let path = self.folder.path().join("home/throughline.db");
        SqliteStore::open(&path).unwrap().apply(&batch).unwrap();
        self.file().vectors().embed_missing(space, usize::MAX, &mut |_| ()).unwrap();
    }

    /// Turns of sessions of many lengths.
    fn add_turns(&mut self, count: usize) {
        let turns: Vec<PastTurn> = (0..count)
            .map(|n| {
                let asks = self.dice.below(5) == 0;
                let mut text = self.sentence();
                if asks {
                    let thing = self.dice.below(THINGS.len());
                    text = format!("What happened to the {} {}?", THINGS[thing], n);
                    let vector = self.dice.vector(thing);
                    self.memo.know(&text, vector);
                }
                PastTurn {
                    session: SessionId(format!("session-{}", self.dice.below(count / 12 + 1))),
                    at: Self::now().plus_days(-(self.dice.below(90) as f64)),
                    speaker: if n % 2 == 0 { "user" } else { "assistant" }.to_owned(),
                    text,
                    id: None,
                }
            })
            .collect();
        self.file().capturing(&self.context).ingest("test", &turns, &mut |_| ()).unwrap();
    }

    /// Things that happen to memories over time.
    fn live_on(&mut self, steps: usize) {
        let engine = self.file();
        let context = self.context.clone();
        let keeping = engine.keeping(&context);
        let mut known: Vec<String> = Vec::new();
        for _ in 0..steps {
            let text = self.sentence();
            let handle = known.get(self.dice.below(known.len().max(1))).cloned();
            match (self.dice.below(6), handle) {
                (0, Some(handle)) => {
                    keeping.correct(&handle, &text, None).ok();
                }
                (1, Some(handle)) => {
                    keeping.archive(&handle, None).ok();
                }
                _ => {
                    let tags = vec![self.dice.pick(&["infra", "money", "people"]).to_owned()];
                    let new = NewMemory { tags, ..NewMemory::new(&text) };
                    known.push(keeping.remember(&new).unwrap().card.memory.id.to_string());
                }
            }
        }
    }

    fn questions(&mut self, count: usize) -> Vec<String> {
        let mut asked: Vec<String> = [
            "what did we do last week?",
            "Anna",
            "who leads the team?",
            "and the was",
            "weather in Lisbon",
            "tag infra: which upgrades were made to the cache layer?",
        ]
        .map(str::to_owned)
        .to_vec();
        for _ in 0..count {
            let (who, thing) = (self.dice.pick(&PEOPLE), self.dice.pick(&THINGS));
            let (did, number) = (self.dice.pick(&DID), self.dice.below(400));
            asked.push(match self.dice.below(3) {
                0 => format!("why was the {thing} {did} {number}?"),
                1 => format!("what did {who} say about the {thing}?"),
                _ => format!("{who} {thing} {number}"),
            });
        }
        asked
    }
}

/// The ways in which the same may be asked.
fn ways<'q>(engine: &Engine, query: &'q str) -> Vec<Ask<'q>> {
    let plain = Ask { episodes: true, ..Ask::new(query, engine.policy().recall) };
    let mut all = Ask { ungated: true, ..plain.clone() };
    all.limits.items_max = 40;
    let arms = |words, vectors| Arms { words, vectors, ..Arms::default() };
    vec![
        Ask { episodes: false, ..plain.clone() },
        Ask { replaced: true, ..plain.clone() },
        Ask { arms: arms(true, false), ..all.clone() },
        Ask { arms: arms(false, true), ..all.clone() },
        plain,
        all,
    ]
}

fn ask(engine: &Engine, context: &Context, ask: &Ask<'_>) -> Recall {
    engine.recalling(context).recall(ask).unwrap()
}

/// Recall gives the same from both, to the last digit of every score.
fn agree(desk: &mut Desk, file: &Engine, server: &Engine, questions: usize) {
    for question in desk.questions(questions) {
        for way in ways(file, &question) {
            let (expected, found) =
                (ask(file, &desk.context, &way), ask(server, &desk.context, &way));
            assert_eq!(found.text, expected.text, "{question}");
            assert_eq!(found.candidates.len(), expected.candidates.len(), "{question}");
            for (one, other) in found.candidates.iter().zip(&expected.candidates) {
                assert_eq!(one, other, "{question}");
            }
            assert_eq!(found, expected, "{question}");
        }
    }
}

#[test]
fn a_small_memory_is_recalled_from_a_server_as_from_a_file() {
    for version in [15, 18] {
        let mut desk = Desk::new(1);
        desk.add_memories(40);
        desk.live_on(60);
        desk.add_turns(150);
        let schema = Schema::new(version);
        let file = desk.file();
        file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
        for hold in ["", "&hold_max=0"] {
            let server = desk.server(&schema.address(hold));
            agree(&mut desk, &file, &server, 4);
        }
    }
}

#[test]
fn a_large_memory_is_recalled_from_a_server_as_from_a_file() {
    let mut desk = Desk::new(2);
    desk.add_memories(700);
    desk.live_on(40);
    desk.add_turns(1_600);
    let schema = Schema::new(15);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    for hold in ["", "&hold_max=0"] {
        let server = desk.server(&schema.address(hold));
        agree(&mut desk, &file, &server, 5);
    }
}

#[test]
fn the_index_of_vectors_finds_what_is_near_and_without_it_everything_is_looked_at() {
    let mut desk = Desk::new(3);
    desk.add_memories(700);
    desk.add_turns(900);
    let schema = Schema::new(18);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let by_index = desk.server(&schema.address("&scan_max=0&hold_max=0"));
    let questions = desk.questions(12);
    let shown = |engine: &Engine, question: &str| {
        let mut way =
            Ask { episodes: true, ungated: true, ..Ask::new(question, engine.policy().recall) };
        way.limits.items_max = 10;
        let found = ask(engine, &desk.context, &way);
        found.candidates.iter().take(10).map(|one| one.node).collect::<Vec<_>>()
    };
    let agreement = |engine: &Engine| {
        let mut same = (0, 0);
        for question in &questions {
            let (expected, found) = (shown(&file, question), shown(engine, question));
            same.0 += expected.iter().filter(|node| found.contains(node)).count();
            same.1 += expected.len();
        }
        same
    };
    let (same, of) = agreement(&by_index);
    assert!(same * 100 >= of * 97, "{same} of {of}");

    schema.run(&format!("DROP INDEX {0}.near_turns; DROP INDEX {0}.near_memories", schema.name));
    let (same, of) = agreement(&by_index);
    assert!(same * 100 >= of * 97, "{same} of {of}");
    let store = PgStore::open(&schema.address("")).unwrap();
    let found: Vec<String> = store.verify().unwrap().into_iter().map(|one| one.detail).collect();
    let missing = |name| format!("index {name} is not there, or not valid");
    assert_eq!(found, [missing("near_memories"), missing("near_turns")]);
}

#[test]
fn a_recall_of_memories_asks_the_server_four_times_and_one_with_quotes_eight_times() {
    let mut desk = Desk::new(4);
    desk.add_memories(600);
    desk.live_on(40);
    desk.add_turns(600);
    let schema = Schema::new(18);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    for hold in ["", "&hold_max=0"] {
        let server = desk.server(&schema.address(hold));
        let most = most_round_trips(&mut desk, &server);
        // Of memories; of turns as well, all of them; and with a look at whether turns may be quoted.
        assert!(most[0] <= 4 && most[1] <= 5 && most[2] <= 8, "{hold}: {most:?}");
    }
}

fn most_round_trips(desk: &mut Desk, server: &Engine) -> [u64; 3] {
    let (mut most, mut asked) = ([0; 3], 0);
    // The second time: a new connection prepares its statements when they are used again, one round trip each.
    for question in [desk.questions(20), desk.questions(20)].concat() {
        let plain = Ask { episodes: true, ..Ask::new(&question, server.policy().recall) };
        let memories = Ask { episodes: false, ..plain.clone() };
        let all = Ask { ungated: true, ..plain.clone() };
        asked += 1;
        for (most, way) in most.iter_mut().zip([memories, all, plain]) {
            let before = round_trips(server);
            ask(server, &desk.context, &way);
            let trips = round_trips(server) - before;
            if asked > 20 {
                *most = trips.max(*most);
            }
        }
    }
    most
}

/// The nodes that a question finds, all of them.
fn found_by(engine: &Engine, context: &Context, question: &str) -> Vec<String> {
    let way = Ask { episodes: true, ungated: true, ..Ask::new(question, engine.policy().recall) };
    let found = ask(engine, context, &way);
    found.candidates.iter().map(|one| one.node.to_string()).collect()
}

#[test]
fn a_process_that_stays_recalls_what_others_wrote_and_archived_meanwhile() {
    let mut desk = Desk::new(5);
    desk.add_memories(60);
    desk.add_turns(600);
    let schema = Schema::new(18);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let stays = desk.server(&schema.address(""));
    let other = desk.server(&schema.address("&hold_max=0"));
    for question in desk.questions(4) {
        ask(&stays, &desk.context, &Ask::new(&question, stays.policy().recall));
        found_by(&stays, &desk.context, &question);
    }
    let question = "who feeds the walrus of the queue?";
    let before = found_by(&stays, &desk.context, question);
    assert_eq!(before, found_by(&other, &desk.context, question));
    let said = NewMemory::new("Hugo feeds the walrus of the queue at noon");
    let kept = other.keeping(&desk.context).remember(&said).unwrap().card.memory.id;
    let after = found_by(&stays, &desk.context, question);
    assert_eq!(after, found_by(&other, &desk.context, question));
    assert!(after.iter().any(|node| node.contains(&kept.to_string())), "{after:?}");
    other.keeping(&desk.context).archive(&kept.to_string(), None).unwrap();
    let gone = found_by(&stays, &desk.context, question);
    assert_eq!(gone, found_by(&other, &desk.context, question));
    assert!(gone.iter().all(|node| !node.contains(&kept.to_string())), "{gone:?}");
}

#[test]
fn who_is_dismissed_recalls_nothing_of_what_their_process_held() {
    let mut desk = Desk::new(6);
    desk.add_memories(40);
    desk.add_turns(200);
    let schema = Schema::new(15);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let role = format!("tl_{}", schema.name);
    let (name, space) = (&schema.name, desk.context.project.space().0);
    schema.run(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD '{role}'; GRANT USAGE ON SCHEMA {name} TO {role};
         INSERT INTO {name}.member (space, role, standing) VALUES ({space}, '{role}', 'reader')"
    ));
    let (_, place) = schema.url.rsplit_once('@').unwrap();
    let reader = desk.server(&format!("postgresql://{role}:{role}@{place}?schema={name}"));
    for question in desk.questions(4) {
        assert!(!found_by(&reader, &desk.context, &question).is_empty(), "{question}");
    }
    schema.run(&format!("DELETE FROM {name}.member WHERE role = '{role}'"));
    for question in desk.questions(2) {
        assert_eq!(found_by(&reader, &desk.context, &question), [""; 0], "{question}");
    }
    drop(reader);
    schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn what_was_held_is_read_anew_when_the_tables_are_others() {
    let mut desk = Desk::new(7);
    desk.add_memories(40);
    desk.add_turns(200);
    let schema = Schema::new(15);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let server = desk.server(&schema.address(""));
    let file = desk.file();
    agree(&mut desk, &file, &server, 1);
    // Other memories in the same place, counted up to about the same number.
    schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name));
    let mut other = Desk::new(8);
    other.context = desk.context.clone();
    other.memo = Arc::clone(&desk.memo);
    other.add_memories(40);
    other.add_turns(220);
    drop(PgStore::open(&schema.address("")).unwrap());
    other.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let file = other.file();
    agree(&mut other, &file, &server, 2);
}
