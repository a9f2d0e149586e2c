//! Faults on purpose: the program is ended, or its disk fails, at any of its file operations. A small
//! library is compiled and preloaded for that; where there is no C compiler, such tests say so.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::harness::{Home, Missing, skipped};
use crate::hooking;

/// The library, in a folder that goes away with the test.
pub(crate) struct Faults {
    folder: tempfile::TempDir,
}

/// One thing that the program did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    /// C create, W write, S sync, D sync of a folder, T truncate, U unlink, R rename, M mkdir.
    pub(crate) letter: char,
    pub(crate) path: PathBuf,
}

impl Faults {
    /// `None`, and a word about it, where the library cannot be made.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("faults.so"))
            .arg(source)
            .arg("-ldl")
            .output();
        if built.is_ok_and(|built| built.status.success()) {
            return Some(Self { folder });
        }
        skipped(&Missing::Program("a C compiler (cc) is needed to let file operations fail"));
        None
    }

    /// A command whose file operations are watched.
    fn command(&self, home: &Home, args: &[&str]) -> Command {
        let mut command = home.command();
        command.args(args).env("LD_PRELOAD", self.folder.path().join("faults.so"));
        let around = home.path().parent().expect("a home is in a folder").to_owned();
        command.env("FAULTS_DIR", around);
        command
    }

    fn run(&self, home: &Home, args: &[&str], faults: &[(&str, &str)]) -> Output {
        let mut command = self.command(home, args);
        command.envs(faults.iter().copied()).output().expect("the program starts")
    }

    /// What a command does to the files beside the home and in it. It must succeed.
    pub(crate) fn record(&self, home: &Home, args: &[&str]) -> Vec<Operation> {
        let log = self.folder.path().join("log");
        std::fs::remove_file(&log).ok();
        let done = self.run(home, args, &[("FAULTS_LOG", &log.to_string_lossy())]);
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        Self::recorded(&log)
    }

    /// The same for a hook that is told something.
    pub(crate) fn record_hook(&self, home: &Home, event: &str, payload: &str) -> Vec<Operation> {
        let log = self.folder.path().join("log");
        std::fs::remove_file(&log).ok();
        let mut command = self.command(home, &[]);
        command.env("FAULTS_LOG", &log);
        let run = hooking::call(command, event, payload.as_bytes(), &[hooking::PATIENT]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{event}");
        Self::recorded(&log)
    }

    fn recorded(log: &Path) -> Vec<Operation> {
        let told = std::fs::read_to_string(log).unwrap_or_default();
        let read = |line: &str| {
            let (letter, path) = line.split_once(' ')?;
            Some(Operation { letter: letter.chars().next()?, path: PathBuf::from(path) })
        };
        told.lines().filter_map(read).collect()
    }

    /// Runs a command that is killed right before one of its operations.
    pub(crate) fn kill(&self, home: &Home, args: &[&str], at: usize) {
        self.run(home, args, &[("FAULTS_KILL_AT", &at.to_string())]);
    }

    /// The same for a hook that is told something.
    pub(crate) fn kill_hook(&self, home: &Home, event: &str, payload: &str, at: usize) {
        let mut command = self.command(home, &["hook", event, "--agent", "claude-code"]);
        command.env("FAULTS_KILL_AT", at.to_string()).envs([hooking::PATIENT]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("it was asked for");
        // Whoever is killed hears nothing more.
        input.write_all(payload.as_bytes()).ok();
        drop(input);
        child.wait().expect("it ends");
    }

    /// Runs a command whose disk fails from one of its operations on.
    pub(crate) fn fail(&self, home: &Home, args: &[&str], from: usize, errno: i32) -> Output {
        let faults = [("FAULTS_FAIL_FROM", from.to_string()), ("FAULTS_ERRNO", errno.to_string())];
        let faults: Vec<_> = faults.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.run(home, args, &faults)
    }
}

/// Numbers from 1 to `last`: all of them, or `few` that are spread over the whole and the last ones.
pub(crate) fn points(last: usize, few: Option<usize>) -> Vec<usize> {
    let Some(few) = few else { return (1..=last).collect() };
    let spread = (0..few).map(|n| 1 + n * last / few);
    let mut points: Vec<usize> = spread.chain(last.saturating_sub(few).max(1)..=last).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// Copies a folder with everything in it over another, which is removed first.
pub(crate) fn put_back(from: &Path, to: &Path) {
    std::fs::remove_dir_all(to).ok();
    std::fs::create_dir_all(to).expect("a folder can be made");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(to, private).expect("a folder can be closed");
    for entry in std::fs::read_dir(from).expect("a folder can be listed").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            put_back(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}
