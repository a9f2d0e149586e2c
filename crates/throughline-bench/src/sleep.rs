//! How long deep sleep takes, pass by pass, how long others wait for it, and how much memory it needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use throughline_engine::{Clock, Context, Engine, Filter, Memo, Project};

use crate::corpus::Corpus;
use crate::kept::Kept;
use crate::recall::mixture;

/// What deep sleep and its clusters may take at 100,000 memories, what a writer may wait, and how much memory it may
/// need.
const DEEP_MAX: Duration = Duration::from_secs(120);
const CLUSTERS_MAX: Duration = Duration::from_secs(30);
const TURN_MAX: Duration = Duration::from_millis(50);
const BYTES_MAX: u64 = 500 << 20;
/// Memories that are really embedded.
const EMBEDDED_MAX: usize = 20_000;

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let beside = std::env::current_exe()?.with_file_name("throughline");
    let (kept, words) = Kept::read(words)?;
    let (mut memories, mut binary) = (100_000_usize, beside);
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
        match name.as_str() {
            "--memories" => memories = value.parse()?,
            "--binary" => binary = PathBuf::from(value),
            _ => bail!("unknown option {name}; there are --memories, --binary, --keep"),
        }
    }
    ensure!(binary.exists(), "{} is not there", binary.display());
    let home = kept.home(|folder| fill(folder, memories, &binary))?;
    let context = Context::user(Project::at(&kept.project())?);
    let engine = Engine::open(&home, Clock::System)?;
    for run in ["first", "second"] {
        measure(&engine, &context, run)?;
    }
    Ok(())
}

/// Imports the memories into a new home, and makes their vectors.
fn fill(folder: &Path, memories: usize, binary: &Path) -> anyhow::Result<PathBuf> {
    let began = Instant::now();
    let corpus = Corpus::new(memories);
    let home = corpus.fill(folder, binary)?;
    println!("{memories} memories imported in {:.1} s", began.elapsed().as_secs_f64());
    let context = Context::user(Project::at(&folder.join("project"))?);
    let mut engine = Engine::open(&home, Clock::System)?;
    if memories > EMBEDDED_MAX {
        engine = engine.with_memo(Arc::new(made_up(&corpus)));
    }
    let began = Instant::now();
    engine.vectors().embed_missing(context.project.space(), usize::MAX, &mut |_| ())?;
    println!("vectors made in {:.1} s\n", began.elapsed().as_secs_f64());
    Ok(home)
}

/// Vectors around made-up topics: to embed so many texts takes ten minutes, and sleep does not depend on what they say.
pub(crate) fn made_up(corpus: &Corpus) -> Memo {
    let memo = Memo::default();
    for (text, vector) in corpus.texts().iter().zip(mixture(corpus.texts().len())) {
        memo.know(text, vector);
    }
    memo
}

/// One deep sleep, while somebody else writes beside it.
fn measure(engine: &Engine, context: &Context, run: &str) -> anyhow::Result<()> {
    let done = AtomicBool::new(false);
    let (slept, passes, longest) = std::thread::scope(|scope| -> anyhow::Result<_> {
        let waiting = scope.spawn(|| wait_for_turns(engine.home(), context, &done));
        let mut passes: Vec<(String, Duration, usize)> = Vec::new();
        let began = Instant::now();
        let mut last = began;
        let slept = engine.sleeping(context).sleep_deep(&mut |pass| {
            passes.push((pass.name.clone(), last.elapsed(), pass.changes));
            last = Instant::now();
        });
        let took = began.elapsed();
        done.store(true, Ordering::Relaxed);
        let longest = waiting.join().expect("waiting does not panic")?;
        slept?;
        Ok((took, passes, longest))
    })?;
    println!("{run} deep sleep: {:.1} s", slept.as_secs_f64());
    for (name, took, changes) in &passes {
        println!("  {name:<16} {:>8.2} s  {changes:>7} changes", took.as_secs_f64());
    }
    let clusters = passes.iter().find(|(name, ..)| name == "clusters");
    let clusters = clusters.map(|(_, took, _)| *took).unwrap_or_default();
    goal("deep sleep", slept, DEEP_MAX);
    goal("clusters", clusters, CLUSTERS_MAX);
    goal("longest wait of another writer", longest, TURN_MAX);
    let bytes = most_memory().unwrap_or(0);
    let verdict = if bytes <= BYTES_MAX { "met" } else { "NOT met" };
    println!("  memory at most {} MB (goal {} MB, {verdict})\n", bytes >> 20, BYTES_MAX >> 20);
    Ok(())
}

fn goal(what: &str, took: Duration, most: Duration) {
    let verdict = if took <= most { "met" } else { "NOT met" };
    println!("  {what} {:.3} s (goal {:.2} s, {verdict})", took.as_secs_f64(), most.as_secs_f64());
}

/// The longest that somebody who opens a memory again and again had to wait: that counts a use, and so it is written.
fn wait_for_turns(home: &Path, context: &Context, done: &AtomicBool) -> anyhow::Result<Duration> {
    let engine = Engine::open(home, Clock::System)?;
    let filter = Filter { limit: Some(1), ..Filter::default() };
    let first = engine.looking(context).list(&*engine.now_reader()?, &filter)?;
    let id = first.items.first().context("there is no memory")?.memory.id.to_string();
    let mut longest = Duration::ZERO;
    while !done.load(Ordering::Relaxed) {
        let began = Instant::now();
        engine.looking(context).expand(&id)?;
        longest = longest.max(began.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(longest)
}

/// The most memory that this process has had, where the system tells.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
