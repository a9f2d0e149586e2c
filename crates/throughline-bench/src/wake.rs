//! How quick waking is: looking again at everything that memories are tied to, beside plain ways of looking
//! at the same files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use throughline_core::watermark::Referent;
use throughline_engine::{Clock, Context, Engine, Memo, NewMemory, Project, Woken};

use crate::recall::{measure, row};

/// Lines of a file.
const LINES: usize = 120;
/// A file that rests for so long is known by its times alone.
const REST: Duration = Duration::from_millis(2_200);
/// One file in so many is edited.
const EDITED: usize = 20;
/// How long waking and the start of a session may take.
const WAKE_MAX: Duration = Duration::from_millis(50);
const START_MAX: Duration = Duration::from_millis(150);

struct Options {
    bindings: usize,
    files: usize,
    runs: usize,
    binary: PathBuf,
}

impl Options {
    fn read(words: &[String]) -> anyhow::Result<Self> {
        let beside = std::env::current_exe()?.with_file_name("throughline");
        let mut options = Self { bindings: 10_000, files: 1_000, runs: 41, binary: beside };
        for pair in words.chunks(2) {
            let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
            match name.as_str() {
                "--bindings" => options.bindings = value.parse()?,
                "--files" => options.files = value.parse()?,
                "--runs" => options.runs = value.parse()?,
                "--binary" => options.binary = PathBuf::from(value),
                _ => {
                    bail!("unknown option {name}; there are --bindings, --files, --runs, --binary")
                }
            }
        }
        ensure!(options.bindings > 0 && options.files > 0 && options.runs > 0, "at least one each");
        ensure!(options.binary.exists(), "{} is not there", options.binary.display());
        Ok(options)
    }
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let folder = tempfile::tempdir()?;
    let (home, root) = (folder.path().join("home"), folder.path().join("project"));
    write_files(&root, options.files)?;
    let context = Context::user(Project::at(&root)?);
    let began = Instant::now();
    fill(&options, &home, &context)?;
    println!(
        "{} memories bound to lines of {} files, in {:.1} s\n",
        options.bindings,
        options.files,
        began.elapsed().as_secs_f64()
    );
    println!("{:<44} {:>10} {:>10}", "", "median", "95 %");
    let engine = Engine::open(&home, Clock::System)?;
    let wake = || engine.watching(&context).wake().expect("waking works");
    let looked = wake();
    ensure!(
        (looked.checked, looked.unchanged) == (options.bindings, options.bindings),
        "{} looked at, {} as they were",
        looked.checked,
        looked.unchanged
    );
    let warm = measure(options.runs, |_| drop(wake()));
    row("wake, nothing touched", &warm);
    let read = measure(options.runs, |_| {
        engine.watching(&context).tally().expect("reading works");
    });
    row("of that, reading what was noted, at most", &read);
    let start =
        measure(options.runs, |n| start_session(&options, &home, &root, n).expect("it starts"));
    row("a session begins (whole process)", &start);
    let version = measure(options.runs, |_| run_version(&options.binary).expect("it starts"));
    row("process start (--version)", &version);
    let hashed = measure(options.runs, |_| hash_all(&root, options.files).expect("git hashes"));
    row("git hashes all these files (whole process)", &hashed);
    let status =
        measure(options.runs, |_| git(&root, &["status", "--porcelain"]).expect("git works"));
    row("git status (whole process)", &status);
    touched(&options, &home, &root, &wake)?;
    goal("wake, nothing touched", &warm, WAKE_MAX);
    goal("a session begins", &start, START_MAX);
    Ok(())
}

/// What costs more: files with other times, and files that say something else.
fn touched(
    options: &Options,
    home: &Path,
    root: &Path,
    wake: &dyn Fn() -> Woken,
) -> anyhow::Result<()> {
    touch(root, options.files)?;
    let times = measure(options.runs.min(11), |_| drop(wake()));
    row("wake, all files touched: hashed from scratch", &times);
    std::thread::sleep(REST);
    // Once only: what is fresher is noted then.
    row("wake, and all that is fresher is noted", &measure(1, |_| drop(wake())));
    touch(root, options.files)?;
    std::thread::sleep(REST);
    let begin = |n| start_session(options, home, root, options.runs + n).expect("it starts");
    row("a session begins, all files touched", &measure(1, begin));
    for n in (0..options.files).step_by(EDITED) {
        let mut open = std::fs::File::options().append(true).open(root.join(path(n)))?;
        writeln!(open, "// One more line.")?;
    }
    std::thread::sleep(REST);
    drop(wake());
    let times = measure(options.runs, |_| drop(wake()));
    row("wake, one file in twenty edited", &times);
    Ok(())
}

/// Other times, the same content. Back in time, so that the files rest soon.
fn touch(root: &Path, files: usize) -> anyhow::Result<()> {
    for n in 0..files {
        let open = std::fs::File::options().append(true).open(root.join(path(n)))?;
        let modified = open.metadata()?.modified()?;
        open.set_modified(modified - Duration::from_secs(60))?;
    }
    Ok(())
}

fn goal(name: &str, times: &[Duration], most: Duration) {
    let median = times[times.len() / 2];
    let verdict = if median <= most { "pass" } else { "miss" };
    let (best, most) = (times[0].as_secs_f64() * 1e3, most.as_millis());
    println!("{verdict}  {name} ≤ {most} ms (the fastest took {best:.1} ms)");
}

fn path(n: usize) -> String {
    format!("src/part{}/file{n}.rs", n % 40)
}

/// The line of the n-th value of a file, counted from 1: between others, none twice.
fn line(n: usize) -> u32 {
    u32::try_from(n % LINES + 1).unwrap_or(1)
}

fn write_files(root: &Path, files: usize) -> anyhow::Result<()> {
    for n in 0..files {
        let path = root.join(path(n));
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        let lines =
            (0..LINES).map(|at| format!("pub const LIMIT_{n}_{at}: u32 = {};\n", n * 7 + at));
        std::fs::write(path, lines.collect::<String>())?;
    }
    git(root, &["init", "-q"])?;
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "-m", "All"])?;
    std::thread::sleep(REST);
    Ok(())
}

fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new("git")
        .args(["-c", "user.name=Bench", "-c", "user.email=bench@example.org"])
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(root)
        .stdout(Stdio::null())
        .status()
        .context("git is needed for this")?;
    ensure!(status.success(), "git {arguments:?} failed");
    Ok(())
}

fn hash_all(root: &Path, files: usize) -> anyhow::Result<()> {
    let mut child = Command::new("git")
        .args(["hash-object", "--stdin-paths"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let paths: String = (0..files).map(|n| path(n) + "\n").collect();
    child.stdin.take().context("a pipe")?.write_all(paths.as_bytes())?;
    ensure!(child.wait()?.success(), "git hash-object failed");
    Ok(())
}

fn fill(options: &Options, home: &Path, context: &Context) -> anyhow::Result<()> {
    let text = |n: usize| {
        let (file, at) = (n % options.files, n / options.files);
        format!("LIMIT_{file}_{at} in part {file} is {}", file * 7 + at)
    };
    // Their vectors play no part here.
    let memo = Arc::new(Memo::default());
    for n in 0..options.bindings {
        memo.know(&text(n), [0.05; 384]);
    }
    let engine = Engine::open(home, Clock::System)?.with_memo(memo);
    for n in 0..options.bindings {
        let (file, at) = (n % options.files, n / options.files);
        let span = Some((line(at), line(at)));
        let watch = vec![Referent::File { path: path(file), span }];
        engine.keeping(context).remember(&NewMemory { watch, ..NewMemory::new(&text(n)) })?;
    }
    Ok(())
}

fn run_version(binary: &Path) -> anyhow::Result<()> {
    let status = Command::new(binary).arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "it does not start");
    Ok(())
}

/// A session begins, as Claude Code tells it.
fn start_session(options: &Options, home: &Path, root: &Path, n: usize) -> anyhow::Result<()> {
    let mut child = Command::new(&options.binary)
        .args(["hook", "SessionStart", "--agent", "claude-code", "--home"])
        .arg(home)
        .env_remove("THROUGHLINE_NOW")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| options.binary.display().to_string())?;
    let payload = serde_json::json!({"session_id": format!("bench-wake-{n}"), "cwd": root,
        "hook_event_name": "SessionStart", "source": "startup"});
    child.stdin.take().context("a pipe")?.write_all(payload.to_string().as_bytes())?;
    ensure!(child.wait()?.success(), "the hook failed");
    Ok(())
}
