//! How quick memory on a PostgreSQL server is, beside the same memory in a file, in one run.
//!
//! The file is filled first and copied to a schema of its own on the server, which is dropped at the end
//! unless `--keep FOLDER` says to measure the same again later. Many spaces are made by copying one within
//! the server. What is written by many at once is counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use throughline_core::row::Extra;
use throughline_core::scope::Space;
use throughline_core::{
    Actor, Batch, BatchId, Cause, Change, Episode, EpisodeId, SessionId, SpaceId, Timestamp,
};
use throughline_engine::{Ask, Clock, Context, Engine, Memo, NewMemory, Project, keep_memory_at};
use throughline_store::{LogQuery, PgStore, Store};

use crate::corpus::Corpus;
use crate::hook::Hooks;
use crate::recall::{self, measure, mixture};

struct TeamOptions {
    store: String,
    /// The one part to measure; all without.
    part: Option<String>,
    spaces: usize,
    turns: usize,
    writers: usize,
    seconds: u64,
    /// Where what was filled is kept for the next time.
    keep: Option<PathBuf>,
    of_recall: recall::Options,
}

impl TeamOptions {
    fn read(words: &[String]) -> anyhow::Result<Self> {
        let (mut store, mut part, mut keep) = (None, None, None);
        let (mut spaces, mut turns, mut writers, mut seconds) = (200, 1_000, 64, 20);
        let mut rest = Vec::new();
        for pair in words.chunks(2) {
            let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
            match name.as_str() {
                "--store" => store = Some(value.clone()),
                "--part" => part = Some(value.clone()),
                "--keep" => keep = Some(PathBuf::from(value)),
                "--spaces" => spaces = value.parse()?,
                "--turns" => turns = value.parse()?,
                "--writers" => writers = value.parse()?,
                "--seconds" => seconds = value.parse()?,
                _ => rest.extend(pair.iter().cloned()),
            }
        }
        let store =
            store.context("--store names the server: postgresql://anna@127.0.0.1/memory")?;
        let of_recall = recall::Options::read(&rest)?;
        Ok(Self { store, part, spaces, turns, writers, seconds, keep, of_recall })
    }

    fn wants(&self, part: &str) -> bool {
        self.part.as_deref().is_none_or(|wanted| wanted == part)
    }
}

/// A schema of its own on the server, gone when it is dropped unless it is kept.
struct Schema {
    url: String,
    name: String,
    is_kept: bool,
}

impl Schema {
    fn new(options: &TeamOptions, what: &str, is_kept: bool) -> Self {
        let mark = if is_kept { "kept".to_owned() } else { std::process::id().to_string() };
        Self { url: options.store.clone(), name: format!("bench_{what}_{mark}"), is_kept }
    }

    /// Whether it was filled before, in a run that kept it.
    fn is_filled(&self) -> bool {
        let sql = format!("SELECT count(*)::text FROM {}.shelf", self.name);
        self.ask(&sql).is_ok_and(|count| count != "0")
    }

    fn address(&self) -> String {
        let joined = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{joined}schema={}", self.url, self.name)
    }

    /// The process that all processes of the server are children of; only an administrator may know.
    fn postmaster(&self) -> Option<u32> {
        let sql = "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)";
        self.ask(sql).ok()?.trim().parse().ok()
    }

    /// Runs one statement, and returns the first value of its first row.
    fn ask(&self, sql: &str) -> anyhow::Result<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            let row = client.query_one(sql, &[]).await?;
            Ok(row.get(0))
        })
    }

    /// Runs statements with our tables in view.
    fn run(&self, sql: &str) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            let view = format!(
                "SET client_min_messages = error; SET search_path = {}, public, extensions",
                self.name
            );
            client.batch_execute(&view).await?;
            client.batch_execute(sql).await?;
            Ok(())
        })
    }

    /// Builds the indexes of vectors at once, which is quicker than vector by vector.
    fn filled(&self, fill: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.run("DROP INDEX near_memories; DROP INDEX near_turns")?;
        fill()?;
        self.run(
            "SET maintenance_work_mem = '3GB';
             CREATE INDEX near_memories ON near USING hnsw (codes halfvec_cosine_ops) WHERE what = 1;
             CREATE INDEX near_turns ON near USING hnsw (codes halfvec_cosine_ops) WHERE what = 2;
             ANALYZE",
        )
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        if let Err(error) = self.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name)) {
            println!("the schema {} could not be dropped: {error}", self.name);
        }
    }
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = TeamOptions::read(words)?;
    if ["recall", "hook", "remember"].iter().any(|part| options.wants(part)) {
        beside_a_file(&options)?;
    }
    if options.wants("spaces") {
        many_spaces(&options)?;
    }
    if options.wants("writers") {
        many_writers(&options)?;
    }
    Ok(())
}

/// The same memory in a file and on a server.
fn beside_a_file(options: &TeamOptions) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = options.keep.as_deref().unwrap_or(scratch.path());
    let schema = Schema::new(options, "team", options.keep.is_some());
    let (home, project) = (folder.join("home"), folder.join("project"));
    let was_filled = schema.is_filled() && home.exists();
    let said = if was_filled {
        Corpus::new(options.of_recall.episodes.max(1))
    } else {
        recall::fill(&options.of_recall, folder)?.2
    };
    let context = Context::user(Project::at(&project)?);
    let file = Engine::open(&home, Clock::System)?;
    if !was_filled {
        drop(PgStore::open(&schema.address())?);
        let began = Instant::now();
        schema.filled(|| {
            file.copying().copy_to(&schema.address(), &mut |_, _| ())?;
            Ok(())
        })?;
        println!("copied to the server in {:.1} s", began.elapsed().as_secs_f64());
    }
    let away = folder.join("away");
    std::fs::create_dir_all(&away)?;
    keep_memory_at(&away, Some(&schema.address()));
    let server = Engine::open(&away, Clock::System)?;
    println!("{:<34} {:>19} {:>19} {:>7}", "", "server 50 / 95 %", "file 50 / 95 %", "ratio");
    let runs = options.of_recall.runs;
    if options.wants("recall") {
        let queries: Vec<String> = (0..runs).map(|n| said.question(n)).collect();
        let name = "recall in a process that stays";
        recalls(name, &schema, (&server, &file), &context, &queries);
    }
    if options.wants("remember") {
        // What was kept in an earlier run is not said again.
        let mut number = u64::from(std::process::id()) * 1_000;
        let mut keep = |engine: &Engine| {
            measure(runs, |n| {
                number += 1;
                let text = format!("{} {number}", said.question(n + 977));
                engine.keeping(&context).remember(&NewMemory::new(&text)).expect("it is kept");
            })
        };
        let trips = server.checking().round_trips();
        let there = keep(&server);
        let trips = (server.checking().round_trips() - trips) as f64 / runs as f64;
        beside("remember", &there, &keep(&file));
        println!("{:<34} {trips:>10.1}", "  round trips of one, on average");
    }
    if options.wants("hook") {
        // As a server of tools that stays beside an agent leaves it.
        let limits = server.policy().recall;
        for n in 0..4 {
            let query = said.question(n);
            let ask = Ask { episodes: true, ..Ask::new(&query, limits) };
            server.recalling(&context).recall(&ask)?;
        }
        server.vectors().catch_up(&context)?;
        hooks(options, &schema, (&home, &away), &project, &said);
    }
    Ok(())
}

fn recalls(
    name: &str,
    schema: &Schema,
    (server, file): (&Engine, &Engine),
    context: &Context,
    queries: &[String],
) {
    let limits = server.policy().recall;
    let ask = |n: usize| Ask { episodes: true, ..Ask::new(&queries[n], limits) };
    let time = |engine: &Engine| {
        for n in 0..queries.len().min(5) {
            engine.recalling(context).recall(&ask(n)).expect("a recall works");
        }
        measure(queries.len(), |n| {
            engine.recalling(context).recall(&ask(n)).expect("a recall works");
        })
    };
    let asked = f64::from(u32::try_from(queries.len() + queries.len().min(5)).unwrap_or(1));
    let (trips, spent) = (server.checking().round_trips(), Spent::now(schema));
    let there = time(server);
    let (trips, by_server) = (server.checking().round_trips() - trips, spent.since(schema, asked));
    let spent = Spent::now(schema);
    beside(name, &there, &time(file));
    let by_file = spent.since(schema, asked);
    println!("{:<34} {:>10.1}", "  round trips of one, on average", trips as f64 / asked);
    println!(
        "{:<34} {:>8.2} ms here, {:.2} ms on the server; file {:.2} ms",
        "  processor time of one", by_server.0, by_server.1, by_file.0
    );
}

/// Processor time that was spent so far: by this process, and by the server where it is on this machine.
struct Spent {
    here: Duration,
    server: Duration,
}

impl Spent {
    fn now(schema: &Schema) -> Self {
        let server = schema.postmaster().map_or(Duration::ZERO, |postmaster| {
            let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
            let children = pids.filter_map(processor).filter(|(parent, _)| *parent == postmaster);
            children.map(|(_, time)| time).sum()
        });
        let here = processor(std::process::id()).map_or(Duration::ZERO, |(_, time)| time);
        Self { here, server }
    }

    /// Milliseconds since then, for each of so many questions.
    fn since(&self, schema: &Schema, asked: f64) -> (f64, f64) {
        let now = Self::now(schema);
        let each = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() * 1e3 / asked
        };
        (each(now.here, self.here), each(now.server, self.server))
    }
}

/// The parent of a process, and the processor time that it took.
fn processor(pid: u32) -> Option<(u32, Duration)> {
    let told = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = told.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let ticks_of_both = ticks(11)? + ticks(12)?;
    Some((fields.get(1)?.parse().ok()?, Duration::from_millis(ticks_of_both * 10)))
}

/// Prompts as an agent sends them, each to a new process.
fn hooks(
    options: &TeamOptions,
    schema: &Schema,
    (home, away): (&Path, &Path),
    project: &PathBuf,
    said: &Corpus,
) {
    let binary = &options.of_recall.binary;
    let runs = options.of_recall.runs.min(61);
    let time = |home: &Path, store: Option<String>| {
        let hooks = Hooks { binary, home, project, store };
        hooks.must("UserPromptSubmit", 0, "what did we say about the weather?");
        measure(runs, |n| {
            let text = format!("what did we say about {}?", said.question(n + 311));
            hooks.must("UserPromptSubmit", n, &text);
        })
    };
    let (there, here) = (time(away, Some(schema.address())), time(home, None));
    beside("a prompt's hook, a new process", &there, &here);
}

fn beside(name: &str, server: &[Duration], file: &[Duration]) {
    let ms = |times: &[Duration], share: usize| {
        times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3
    };
    println!(
        "{name:<34} {:>8.2} / {:>5.2} ms {:>8.2} / {:>5.2} ms {:>6.1}×",
        ms(server, 50),
        ms(server, 95),
        ms(file, 50),
        ms(file, 95),
        ms(server, 50) / ms(file, 50)
    );
}

/// One space is filled, and copied to all others within the server.
fn many_spaces(options: &TeamOptions) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    keep_memory_at(folder.path(), None);
    let schema = Schema::new(options, "spaces", options.keep.is_some());
    let project = |n: usize| Project::recorded(&format!("bench-space-{n}"), folder.path());
    let first = Context::user(project(0));
    let said = Corpus::new(options.turns);
    let memo = Arc::new(Memo::default());
    for (text, vector) in said.texts().iter().zip(&mixture(options.turns)) {
        memo.know(text, *vector);
    }
    keep_memory_at(folder.path(), Some(&schema.address()));
    let server = Engine::open(folder.path(), Clock::System)?.with_memo(memo);
    let began = Instant::now();
    if !schema.is_filled() {
        schema.filled(|| {
            server.capturing(&first).ingest("bench", &recall::turns(&said), &mut |_| ())?;
            let from = first.project.space();
            for n in 1..options.spaces {
                schema.run(&copied_space(from, project(n).space()))?;
            }
            Ok(())
        })?;
    }
    println!(
        "\n{} turns in {} spaces on the server, in {:.1} s",
        options.turns * options.spaces,
        options.spaces,
        began.elapsed().as_secs_f64()
    );
    let limits = server.policy().recall;
    let times = measure(options.of_recall.runs, |n| {
        let context = Context::user(project(n * 7 % options.spaces));
        let query = said.question(n);
        let ask = Ask { episodes: true, ..Ask::new(&query, limits) };
        let found = server.recalling(&context).recall(&ask).expect("a recall works");
        assert!(!found.candidates.is_empty(), "there is something in every space");
    });
    recall::row("recall, each from another space", &times);
    Ok(())
}

/// The statements that copy everything that recall reads of one space to another.
fn copied_space(from: SpaceId, to: SpaceId) -> String {
    let (from, to) = (from.0, to.0);
    let body = format!("replace(body, '\"space\":{from}', '\"space\":{to}')");
    let hash = format!("left(encode(sha256(convert_to({body}, 'UTF8')), 'hex'), 16)");
    let row = |table: &str, more: &str| {
        format!(
            "INSERT INTO {table} (space, key, body, hash{more}) SELECT {to}, key, {body}, {hash}{more}
             FROM {table} WHERE space = {from};"
        )
    };
    let plain = |table: &str, columns: &str| {
        format!(
            "INSERT INTO {table} (space, {columns}) SELECT {to}, {columns} FROM {table}
             WHERE space = {from};"
        )
    };
    [
        plain("member", "role, standing"),
        row("space", ""),
        row("episode", ", session, position"),
        row("session", ", turns, fired, probes"),
        plain("activity", "day"),
        plain("embedding", "node, model, seq, meaning"),
        plain(
            "document",
            "what, number, stamp, key, session, position, record, terms, length, model, first, before,
             before_length, next, next_length",
        ),
        plain("posting", "what, term, number, count"),
        plain("shelf", "what, docs, terms, next, telling, sessions, stamp"),
        plain("session_size", "session, number, length"),
        plain("near", "what, number, model, state, cold, scale, residual, codes"),
    ]
    .concat()
}

/// Many write at once, one turn to a batch, and everything that was acknowledged is counted.
fn many_writers(options: &TeamOptions) -> anyhow::Result<()> {
    const SPACES: usize = 16;
    let schema = Schema::new(options, "writers", false);
    let store = PgStore::open(&schema.address())?;
    let space = |n: usize| SpaceId(i64::try_from(1_000 + n % SPACES).unwrap_or(1_000));
    let written = AtomicU64::new(0);
    for n in 0..SPACES {
        let (key, name) = (format!("space {n}"), format!("space {n}"));
        let created_at = Timestamp::EPOCH;
        let opened = Space { space: space(n), key, name, created_at, slept: None };
        store.apply(&batch(space(n), next(&written), Change::AddSpace(opened)))?;
    }
    let opened = written.load(Ordering::Relaxed);
    let until = Instant::now() + Duration::from_secs(options.seconds);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for n in 0..options.writers {
            let (written, address) = (&written, schema.address());
            scope.spawn(move || {
                let store = PgStore::open(&address).expect("the store opens");
                while Instant::now() < until {
                    let id = next(written);
                    let turn = turn(space(n), n, id);
                    store.apply(&batch(space(n), id, Change::Record(turn))).expect("it is written");
                }
            });
        }
    });
    let acknowledged = written.load(Ordering::Relaxed) - opened;
    let took = began.elapsed().as_secs_f64();
    let log = store.read()?.log(&LogQuery { limit: usize::MAX, ..LogQuery::default() })?;
    let lost = (acknowledged + opened).saturating_sub(log.len() as u64);
    println!(
        "\n{} writers in {SPACES} spaces: {:.0} commits a second together, {acknowledged} acknowledged, \
         {lost} lost",
        options.writers,
        acknowledged as f64 / took
    );
    ensure!(lost == 0, "{lost} batches that were acknowledged are not there");
    Ok(())
}

fn next(written: &AtomicU64) -> u64 {
    written.fetch_add(1, Ordering::Relaxed) + 1
}

fn uuid(kind: u64, n: u64) -> uuid::Uuid {
    uuid::Uuid::from_u64_pair(0x0199_0000_0000_7000 + kind, 0x8000_0000_0000_0000 + n)
}

fn batch(space: SpaceId, n: u64, change: Change) -> Batch {
    Batch {
        id: BatchId(uuid(1, n)),
        space,
        at: Timestamp::EPOCH,
        actor: Actor::System,
        cause: Cause::Capture,
        session: None,
        reason: None,
        changes: vec![change],
        extra: Extra::new(),
    }
}

fn turn(space: SpaceId, writer: usize, n: u64) -> Episode {
    Episode {
        id: EpisodeId(uuid(2, n)),
        space,
        session: SessionId(format!("writer-{writer}-{}", n / 2_000)),
        position: n,
        turn: None,
        speaker: "user".to_owned(),
        at: Timestamp::EPOCH,
        text: format!("writer {writer} says that job {n} is done and the queue is empty"),
        person: None,
    }
}
