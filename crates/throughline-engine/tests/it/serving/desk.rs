//! A memory in a file and the server that it is copied to.

use std::sync::Arc;

use throughline_core::row::Extra;
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Kind, Memory, MemoryId, Scope, SessionId,
    Timestamp,
};
use throughline_engine::{
    Clock, Context, Engine, Memo, NewMemory, PastTurn, Project, keep_memory_at,
};
use throughline_store::{SqliteStore, Store};

/// A schema on one of the servers that `tools/postgres/start.sh` started; gone with the test.
pub(super) struct Schema {
    pub(super) url: String,
    pub(super) name: String,
}

impl Schema {
    #[expect(clippy::disallowed_methods, reason = "whoever runs the tests says where they are")]
    pub(super) fn new(version: usize) -> Self {
        let told = std::env::var("THROUGHLINE_TEST_POSTGRES")
            .expect("THROUGHLINE_TEST_POSTGRES is set by: eval \"$(tools/postgres/start.sh)\"");
        let url = told.split_whitespace().nth(usize::from(version != 15)).unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy().to_lowercase();
        let name =
            format!("e{}{}", std::process::id(), name.replace(|c: char| !c.is_alphanumeric(), ""));
        Self { url, name }
    }

    pub(super) fn address(&self, more: &str) -> String {
        format!("{}?schema={}{more}", self.url, self.name)
    }

    pub(super) fn run(&self, sql: &str) {
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
pub(super) struct Desk {
    pub(super) folder: tempfile::TempDir,
    pub(super) context: Context,
    pub(super) memo: Arc<Memo>,
    pub(super) dice: Dice,
}

/// Numbers that seem random and are the same every time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    pub(super) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A unit vector around one of a few topics.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn vector(&mut self, topic: usize) -> [f32; 384] {
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
    pub(super) fn new(seed: u64) -> Self {
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

    pub(super) fn now() -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000)
    }

    pub(super) fn file(&self) -> Engine {
        let home = self.folder.path().join("home");
        Engine::open(&home, Clock::Fixed(Self::now())).unwrap().with_memo(Arc::clone(&self.memo))
    }

    /// The same memory on a server.
    pub(super) fn server(&self, address: &str) -> Engine {
        let home = self.folder.path().join(format!("home{}", address.len()));
        std::fs::create_dir_all(&home).unwrap();
        keep_memory_at(&home, Some(address));
        Engine::open(&home, Clock::Fixed(Self::now())).unwrap().with_memo(Arc::clone(&self.memo))
    }

    /// Something that somebody may have said, with a vector that others on its topic are near to.
    pub(super) fn sentence(&mut self) -> String {
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
    pub(super) fn add_memories(&mut self, count: usize) {
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
    pub(super) fn add_turns(&mut self, count: usize) {
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
    pub(super) fn live_on(&mut self, steps: usize) {
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

    pub(super) fn questions(&mut self, count: usize) -> Vec<String> {
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
