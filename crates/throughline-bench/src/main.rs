//! Measures speed and size at a given number of memories, beside plain SQLite doing the same.
//!
//! `cargo run --release -p throughline-bench -- --help` lists what there is.
//!
//! Every figure but those of `redact` is a whole process, from start to exit, so that both sides pay the same.

/// What `--help` says.
const USAGE: &str = "\
throughline-bench [--memories N] [--runs N] [--binary FILE] [--keep DIR]     one command after the other
throughline-bench recall|hook|mcp [--memories N] [--episodes N] [--runs N] [--binary FILE]
throughline-bench hook --before FILE …                an older program and this one in turn, on copies of one home
throughline-bench life [--memories N] [--episodes N] [--runs N] [--binary FILE]
throughline-bench crowd [--hooks N] [--rounds N] [--binary FILE]
throughline-bench wake [--bindings N] [--files N] [--runs N] [--binary FILE]
throughline-bench sleep [--memories N] [--binary FILE] [--keep DIR]
throughline-bench serve [--memories N] [--episodes N] [--seconds N] [--rate N] [--keep DIR]
throughline-bench team --store URL [--part recall|hook|remember|spaces|writers] [--keep DIR]
throughline-bench redact";

/// Prints a line. Where nobody reads any more, the measurement goes on, and ends as it should.
macro_rules! println {
    ($($told:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), $($told)*).ok();
    }};
}

mod before;
mod corpus;
mod crowd;
mod hook;
mod kept;
mod life;
mod mcp;
mod plain;
mod recall;
mod redact;
mod serve;
mod sleep;
mod team;
mod wake;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use corpus::Corpus;

struct Options {
    memories: usize,
    runs: usize,
    binary: PathBuf,
    /// Where to leave what was made, for a closer look.
    keep: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    if words.first().is_some_and(|word| word == "plain") {
        return plain::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "hook") {
        return hook::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "mcp") {
        return mcp::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "serve") {
        return serve::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "recall") {
        return recall::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "team") {
        return team::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "redact") {
        redact::run();
        return Ok(());
    }
    if words.first().is_some_and(|word| word == "sleep") {
        return sleep::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "wake") {
        return wake::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "life") {
        return life::run(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "probe") {
        return life::write_on(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "crowd") {
        return crowd::run(&words[1..]);
    }
    bench(&options(&words)?)
}

fn options(words: &[String]) -> anyhow::Result<Options> {
    let beside = std::env::current_exe()?.with_file_name("throughline");
    let mut options = Options { memories: 100_000, runs: 41, binary: beside, keep: None };
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
        match name.as_str() {
            "--memories" => options.memories = value.parse()?,
            "--runs" => options.runs = value.parse()?,
            "--binary" => options.binary = PathBuf::from(value),
            "--keep" => options.keep = Some(PathBuf::from(value)),
            _ => bail!("unknown option {name}; there are --memories, --runs, --binary, --keep"),
        }
    }
    ensure!(
        options.binary.exists(),
        "{} is not there; build it with `cargo build --release`",
        options.binary.display()
    );
    Ok(options)
}

fn bench(options: &Options) -> anyhow::Result<()> {
    let folder = match &options.keep {
        Some(folder) => {
            std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
            tempfile::TempDir::new_in(folder)?
        }
        None => tempfile::tempdir()?,
    };
    let corpus = Corpus::new(options.memories);
    let seeded = Instant::now();
    let home = corpus.fill(folder.path(), &options.binary)?;
    println!("{} memories imported in {:.1} s", options.memories, seeded.elapsed().as_secs_f64());
    let plain_file = folder.path().join("plain.db");
    plain::fill(&plain_file, &corpus)?;

    let project = folder.path().join("project");
    let ours = Side { program: options.binary.clone(), runs: options.runs };
    let theirs = Side { program: std::env::current_exe()?, runs: options.runs };
    let at = |words: &[&str]| -> Vec<String> {
        let place =
            ["--json", "--home", &home.to_string_lossy(), "--project", &project.to_string_lossy()];
        words.iter().copied().chain(place).map(str::to_owned).collect()
    };
    let plain = |words: &[&str]| -> Vec<String> {
        let file = plain_file.to_string_lossy().into_owned();
        ["plain", &file].into_iter().chain(words.iter().copied()).map(str::to_owned).collect()
    };

    println!("\n{:<34} {:>10} {:>10} {:>12} {:>7}", "", "median", "95 %", "plain SQLite", "ratio");
    let start = ours.measure(&mut |_| vec!["--version".to_owned()])?;
    row("process start (--version)", &start, None);

    let id = corpus.id(options.memories / 2);
    let show = ours.measure(&mut |_| at(&["show", &id]))?;
    let key = (options.memories / 2).to_string();
    row("show one memory", &show, Some(&theirs.measure(&mut |_| plain(&["show", &key]))?));

    let remember = ours.measure(&mut |n| at(&["remember", &corpus.fresh(n)]))?;
    let insert = theirs.measure(&mut |n| plain(&["insert", &corpus.fresh(n)]))?;
    row("remember something new", &remember, Some(&insert));

    for (name, query) in corpus.queries() {
        let search = ours.measure(&mut |_| at(&["search", &query, "--limit", "10"]))?;
        let fts = theirs.measure(&mut |_| plain(&["search", &query]))?;
        row(name, &search, Some(&fts));
    }
    sizes(&home, &plain_file, &options.binary)?;
    if options.keep.is_some() {
        println!("kept in {}", folder.keep().display());
    }
    Ok(())
}

/// One of the two programs that are compared.
struct Side {
    program: PathBuf,
    runs: usize,
}

/// Times of several runs, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    fn tail(&self) -> Duration {
        self.0[(self.0.len() * 95 / 100).min(self.0.len() - 1)]
    }
}

impl Side {
    /// Runs the program again and again, each time with the words made for that run.
    fn measure(&self, words: &mut dyn FnMut(usize) -> Vec<String>) -> anyhow::Result<Times> {
        let mut times = Vec::with_capacity(self.runs);
        for run in 0..self.runs + 2 {
            let words = words(run);
            let started = Instant::now();
            let status = Command::new(&self.program)
                .args(&words)
                .env_remove("THROUGHLINE_NOW")
                .stdout(Stdio::null())
                .status()
                .with_context(|| self.program.display().to_string())?;
            let took = started.elapsed();
            ensure!(status.success(), "{} {words:?} failed", self.program.display());
            // The first two warm the file cache.
            if run >= 2 {
                times.push(took);
            }
        }
        times.sort_unstable();
        Ok(Times(times))
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn row(name: &str, ours: &Times, plain: Option<&Times>) {
    let (median, tail) = (ms(ours.median()), ms(ours.tail()));
    match plain {
        Some(plain) => {
            let base = ms(plain.median());
            println!(
                "{name:<34} {median:>7.2} ms {tail:>7.2} ms {base:>9.2} ms {:>7.2}",
                median / base
            );
        }
        None => println!("{name:<34} {median:>7.2} ms {tail:>7.2} ms {:>12} {:>7}", "", ""),
    }
}

fn sizes(home: &Path, plain: &Path, binary: &Path) -> anyhow::Result<()> {
    let bytes = |path: &Path| -> anyhow::Result<u64> {
        Ok(std::fs::metadata(path).with_context(|| path.display().to_string())?.len())
    };
    let mib = |bytes: u64| {
        let kib = u32::try_from(bytes >> 10).unwrap_or(u32::MAX);
        f64::from(kib) / 1_024.0
    };
    println!(
        "\ndatabase {:>10.1} MiB (with log, evidence and history)",
        mib(bytes(&home.join("throughline.db"))?)
    );
    println!("plain    {:>10.1} MiB (text and FTS5 only)", mib(bytes(plain)?));
    println!("binary   {:>10.1} MiB", mib(bytes(binary)?));
    Ok(())
}
