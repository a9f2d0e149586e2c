//! A project that has gone on for long: what its sessions wait for, how sleep gets on, and how long
//! somebody else who writes waits because of it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use throughline_core::permission::Door;
use throughline_engine::{Clock, Context, Engine, NewMemory, Project};

use crate::ms;
use crate::recall::{self, Options, measure, row};

/// Sessions that begin while much waits: each goes over some of it, and most is to be left for sleep.
const STARTS: usize = 9;
/// How long the other writer writes without a sleep beside it.
const ALONE: Duration = Duration::from_secs(4);

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let folder = tempfile::tempdir()?;
    let (home, project, said) = recall::fill(&options, folder.path())?;
    let hooks =
        crate::hook::Hooks { binary: &options.binary, home: &home, project: &project, store: None };
    let context = Context::user(Project::at(&project)?);
    let engine = Engine::open(&home, Clock::System)?;
    let waits = || engine.sleeping(&context).waiting_for_sleep();
    println!("{} wait for sleep", waits()?);
    println!("{:<44} {:>10} {:>10}", "", "median", "95 %");
    let runs = options.runs.min(STARTS);
    let mut silent = 0;
    let starts = measure(runs, |n| {
        let told = hooks.ask("SessionStart", n * 20, "").expect("a hook ends with 0");
        silent += usize::from(told.is_empty());
    });
    row("a session begins, much waits", &starts);
    println!("{:<44} {silent:>10} without a brief", "");
    let before = waits()?;
    row(
        "a session ends, much waits",
        &measure(3.min(runs), |n| {
            hooks.must("UserPromptSubmit", n * 20, &format!("please change {}", said.question(n)));
            hooks.must("SessionEnd", n * 20, "");
        }),
    );
    println!("{:<44} {before} waited; left: {}", "", waits()?);

    let alone = probe(&home, &project)?;
    std::thread::sleep(ALONE);
    let alone = alone.stop()?;
    let beside = probe(&home, &project)?;
    let began = Instant::now();
    let mut slices = Vec::new();
    let mut last = Instant::now();
    let system = Context { door: Door::Upkeep, ..context.clone() };
    let done = AtomicBool::new(false);
    let (slept, waited) = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| waits_for_turns(&home, &done));
        let slept = engine.sleeping(&system).sleep(&mut |_| {
            slices.push(last.elapsed());
            last = Instant::now();
        });
        done.store(true, Ordering::Relaxed);
        (slept, waiting.join().expect("waiting does not panic"))
    });
    let (slept, waited) = (slept?, waited?);
    let took = began.elapsed();
    let beside = beside.stop()?;
    let longest = slices.iter().max().copied().unwrap_or_default();
    println!(
        "sleep: {} turns and {} memories in {:.1} s, {} slices, the longest {:.0} ms; left: {}",
        slept.inputs.episodes,
        slept.inputs.memories,
        took.as_secs_f64(),
        slices.len(),
        ms(longest),
        waits()?
    );
    println!("somebody else who writes, alone:        {alone}");
    println!("somebody else who writes, beside sleep: {beside}");
    println!("waits for the writer's turn meanwhile:  {}", told(waited, "waits"));
    row(
        "a session begins, nothing waits",
        &measure(runs, |n| hooks.must("SessionStart", n * 20 + 7, "")),
    );
    Ok(())
}

/// A process that writes without end.
struct Probe {
    child: std::process::Child,
}

fn probe(home: &Path, project: &Path) -> anyhow::Result<Probe> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("probe")
        .args([home, project])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // It says so when it has begun.
    let mut first = [0; 1];
    std::io::Read::read_exact(child.stdout.as_mut().context("a pipe")?, &mut first)?;
    Ok(Probe { child })
}

impl Probe {
    fn stop(mut self) -> anyhow::Result<String> {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output()?;
        ensure!(output.status.success(), "the other writer failed");
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// Writes until its input ends, and says how long the writes took.
pub(crate) fn write_on(words: &[String]) -> anyhow::Result<()> {
    let [home, project] = words else { anyhow::bail!("probe HOME PROJECT") };
    let engine = Engine::open(Path::new(home), Clock::System)?;
    let context = Context::user(Project::at(Path::new(project))?);
    let (send, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut Vec::new()).ok();
        send.send(()).ok();
    });
    println!("!");
    let mut times = Vec::new();
    while over.try_recv().is_err() {
        let began = Instant::now();
        let name = fastrand::u64(..);
        engine
            .keeping(&context)
            .remember(&NewMemory::new(&format!("the probe wrote {name:016x}")))?;
        times.push(began.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("{}", told(times, "writes"));
    Ok(())
}

/// The times of some writes or waits, in one line.
fn told(mut times: Vec<Duration>, what: &str) -> String {
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get((times.len() * share / 100).min(times.len().saturating_sub(1)))
            .map_or(0.0, |t| ms(*t))
    };
    format!(
        "{} {what}, median {:.1} ms, 99 % {:.1} ms, longest {:.1} ms",
        times.len(),
        at(50),
        at(99),
        at(100)
    )
}

/// How long a writer waits for its turn, again and again: it queues as the store does, and gives the turn back at once.
fn waits_for_turns(home: &Path, done: &AtomicBool) -> anyhow::Result<Vec<Duration>> {
    let open = |name: &str| {
        let path = home.join(name);
        std::fs::File::options().read(true).write(true).create(true).truncate(false).open(path)
    };
    let mut waits = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let (next, turn) = (open("throughline.db.next.lock")?, open("throughline.db.lock")?);
        let began = Instant::now();
        next.lock()?;
        turn.lock()?;
        waits.push(began.elapsed());
        drop((next, turn));
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(waits)
}
