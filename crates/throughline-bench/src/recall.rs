//! How quick recall is: in a process that stays, in one that has just started, and what the parts
//! cost beside plain ways of doing the same.
//!
//! Texts are made up; the vectors of episodes are a mixture of made-up topics, because embedding a
//! million texts takes a quarter of an hour and scanning them does not depend on what they say.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{Ask, Clock, Context, Embedder, Engine, Memo, PastTurn, Project};

use crate::corpus::Corpus;
use crate::plain;
use crate::sleep::made_up;

const DIMENSIONS: usize = 384;
const TOPICS: usize = 300;
/// Turns of one session.
const SESSION: usize = 20;

pub(crate) struct Options {
    pub(crate) memories: usize,
    pub(crate) episodes: usize,
    pub(crate) runs: usize,
    pub(crate) binary: PathBuf,
}

impl Options {
    pub(crate) fn read(words: &[String]) -> anyhow::Result<Self> {
        let beside = std::env::current_exe()?.with_file_name("throughline");
        let mut options = Self { memories: 10_000, episodes: 50_000, runs: 101, binary: beside };
        for pair in words.chunks(2) {
            let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
            match name.as_str() {
                "--memories" => options.memories = value.parse()?,
                "--episodes" => options.episodes = value.parse()?,
                "--runs" => options.runs = value.parse()?,
                "--binary" => options.binary = PathBuf::from(value),
                _ => bail!(
                    "unknown option {name}; there are --memories, --episodes, --runs, --binary"
                ),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    bench(&Options::read(words)?)
}

/// Fills a home as the options say; the project it belongs to, and what its episodes say.
pub(crate) fn fill(options: &Options, folder: &Path) -> anyhow::Result<(PathBuf, PathBuf, Corpus)> {
    let (home, project, said, _) = fill_with_vectors(options, folder)?;
    Ok((home, project, said))
}

type Filled = (PathBuf, PathBuf, Corpus, Vec<[f32; DIMENSIONS]>);

fn bench(options: &Options) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, project, said, vectors) = fill_with_vectors(options, folder.path())?;
    let context = Context::user(Project::at(&project)?);

    let queries: Vec<String> = (0..options.runs).map(|n| said.question(n)).collect();
    println!("{:<44} {:>10} {:>10}", "", "median", "95 %");
    embedding(&said);
    brute_force(&vectors, options.runs.min(21));
    full_text(folder.path(), &said, &queries)?;
    warm(&home, &context, &queries)?;
    cold(options, &home, &project, &queries)
}

fn fill_with_vectors(options: &Options, folder: &Path) -> anyhow::Result<Filled> {
    let corpus = Corpus::new(options.memories.max(1));
    let home = corpus.fill(folder, &options.binary)?;
    let project = folder.join("project");
    let context = Context::user(Project::at(&project)?);
    let said = Corpus::new(options.episodes.max(1));
    let vectors = mixture(options.episodes);

    let filled = Instant::now();
    let memo = Arc::new(Memo::default());
    for (text, vector) in said.texts().iter().zip(&vectors) {
        memo.know(text, *vector);
    }
    let known = Arc::new(made_up(&corpus));
    let engine = Engine::open(&home, Clock::System)?.with_memo(known);
    engine.vectors().embed_missing(context.project.space(), usize::MAX, &mut |_| ())?;
    drop(engine);
    let engine = Engine::open(&home, Clock::System)?.with_memo(memo);
    engine.capturing(&context).ingest("bench", &turns(&said), &mut |_| ())?;
    println!(
        "{} memories and {} episodes; episodes took {:.1} s\n",
        options.memories,
        options.episodes,
        filled.elapsed().as_secs_f64()
    );
    drop(engine);
    Ok((home, project, said, vectors))
}

pub(crate) fn turns(said: &Corpus) -> Vec<PastTurn> {
    let at = Timestamp::EPOCH.plus_days(20_000.0);
    said.texts()
        .iter()
        .enumerate()
        .map(|(n, text)| PastTurn {
            session: SessionId(format!("session-{}", n / SESSION)),
            at,
            speaker: if n % 2 == 0 { "user" } else { "assistant" }.to_owned(),
            text: text.clone(),
            id: None,
        })
        .collect()
}

/// Unit vectors around made-up topics.
pub(crate) fn mixture(count: usize) -> Vec<[f32; DIMENSIONS]> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut draw = |spread: f32| -> [f32; DIMENSIONS] {
        std::array::from_fn(|_| (random.f32() + random.f32() + random.f32() - 1.5) * spread)
    };
    let topics: Vec<_> = (0..TOPICS).map(|_| draw(1.0)).collect();
    (0..count)
        .map(|n| {
            let noise = draw(0.8);
            let mixed: [f32; DIMENSIONS] =
                std::array::from_fn(|at| topics[n * 7 % TOPICS][at] + noise[at]);
            let length = mixed.iter().map(|x| x * x).sum::<f32>().sqrt();
            mixed.map(|x| x / length)
        })
        .collect()
}

/// Texts embedded in a second, by the way that ingesting takes.
fn embedding(said: &Corpus) {
    let short: Vec<String> = said.texts().iter().take(400).map(|text| short(text)).collect();
    let embedder = Embedder::builtin();
    let texts: Vec<&str> = short.iter().map(String::as_str).collect();
    embedder.embed_each(&texts[..texts.len().min(20)]);
    let started = Instant::now();
    embedder.embed_each(&texts);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let rate = texts.len() as f64 / started.elapsed().as_secs_f64();
    println!("{:<44} {rate:>7.0} texts a second", "embed short texts, all cores");
}

/// About twenty word pieces.
fn short(text: &str) -> String {
    text.split(' ').take(6).collect::<Vec<_>>().join(" ")
}

fn brute_force(vectors: &[[f32; DIMENSIONS]], runs: usize) {
    let times = measure(runs, |n| {
        let query = &vectors[n * 31 % vectors.len()];
        let mut best = (0, f32::MIN);
        for (at, vector) in vectors.iter().enumerate() {
            let dot: f32 = query.iter().zip(vector).map(|(a, b)| a * b).sum();
            if dot > best.1 {
                best = (at, dot);
            }
        }
        std::hint::black_box(best);
    });
    row("f32 brute force, best of all episodes", &times);
}

fn full_text(folder: &Path, said: &Corpus, queries: &[String]) -> anyhow::Result<()> {
    let file = folder.join("plain-episodes.db");
    plain::fill(&file, said)?;
    let connection = plain::open(&file)?;
    let times = measure(queries.len().min(41), |n| {
        plain::search(&connection, &queries[n]).expect("a plain search works");
    });
    row("plain FTS5, best ten by rank, warm", &times);
    Ok(())
}

fn warm(home: &Path, context: &Context, queries: &[String]) -> anyhow::Result<()> {
    let engine = Engine::open(home, Clock::System)?;
    let limits = engine.policy().recall;
    let ask = |n: usize| Ask { episodes: true, ..Ask::new(&queries[n], limits) };
    for n in 0..queries.len().min(3) {
        engine.recalling(context).recall(&ask(n))?;
    }
    let times = measure(queries.len(), |n| {
        engine.recalling(context).recall(&ask(n)).expect("a recall works");
    });
    row("recall, in a process that stays", &times);
    Ok(())
}

fn cold(options: &Options, home: &Path, project: &Path, queries: &[String]) -> anyhow::Result<()> {
    let run = |words: &[&str]| -> anyhow::Result<()> {
        let status = Command::new(&options.binary)
            .args(words)
            .arg("--home")
            .arg(home)
            .arg("--project")
            .arg(project)
            .env_remove("THROUGHLINE_NOW")
            .stdout(Stdio::null())
            .status()
            .with_context(|| options.binary.display().to_string())?;
        ensure!(status.success(), "{words:?} failed");
        Ok(())
    };
    let start = measure(queries.len().min(41), |_| run(&["--version"]).expect("it starts"));
    row("process start (--version)", &start);
    run(&["recall", &queries[0], "--episodes"])?;
    let times = measure(queries.len(), |n| {
        run(&["recall", &queries[n], "--episodes", "--json"]).expect("a recall works");
    });
    row("recall, in a process that has just started", &times);
    memory_of(&options.binary, |command| {
        command.args(["recall", &queries[0], "--episodes", "--home"]).arg(home);
        command.arg("--project").arg(project);
        String::new()
    });
    let bytes = std::fs::metadata(&options.binary)?.len();
    println!("{:<44} {:>7.1} MB", "the binary", f64::from(u32::try_from(bytes)?) / 1e6);
    Ok(())
}

/// Prints the most memory that a process of ours took; the system tells.
pub(crate) fn memory_of(binary: &Path, fill: impl FnOnce(&mut Command) -> String) {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(binary);
    let input = fill(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return };
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes()).ok();
    }
    if let Ok(output) = child.wait_with_output() {
        let kib: f64 = String::from_utf8_lossy(&output.stderr).trim().parse().unwrap_or(0.0);
        println!("{:<44} {:>7.1} MiB", "memory of that process at most", kib / 1_024.0);
    }
}

pub(crate) fn measure(runs: usize, work: impl FnMut(usize)) -> Vec<Duration> {
    measure_after(runs, |_| (), work)
}

/// The same with something before each run that is not measured.
pub(crate) fn measure_after(
    runs: usize,
    mut before: impl FnMut(usize),
    mut work: impl FnMut(usize),
) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..runs)
        .map(|n| {
            before(n);
            let started = Instant::now();
            work(n);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

pub(crate) fn row(name: &str, times: &[Duration]) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let tail = times[(times.len() * 95 / 100).min(times.len() - 1)];
    println!("{name:<44} {:>7.2} ms {:>7.2} ms", ms(times[times.len() / 2]), ms(tail));
}
