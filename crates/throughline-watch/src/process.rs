//! Git, run so that it changes nothing, asks nothing and does not take longer than it may.

use std::io::{BufRead as _, BufReader, Read as _, Take, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Builder;

use crate::Deadline;

/// More than this is never read of an answer.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// What a hook of git hands down, and what would lead us to another repository.
const NOT_OURS: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
];

/// Nothing of the repository's settings may start a program, and nothing goes over the network.
const SETTINGS: [&str; 8] = [
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
];

/// A git that is at work.
pub(crate) struct Running {
    child: Child,
    answer: Receiver<Option<Vec<u8>>>,
}

/// Starts git in a folder, with something to read.
pub(crate) fn start(folder: &Path, arguments: &[&str], input: String) -> Option<Running> {
    run(folder, arguments, move |stdin, stdout| ask_and_listen(stdin, input, stdout, Vec::new()))
}

/// Starts git in a folder, with one line to read. What more it is asked follows from the first line
/// of its answer.
pub(crate) fn converse(
    folder: &Path,
    arguments: &[&str],
    opening: &'static str,
    more: impl FnOnce(&str) -> String + Send + 'static,
) -> Option<Running> {
    run(folder, arguments, move |mut stdin, mut stdout| {
        stdin.write_all(opening.as_bytes()).ok()?;
        let mut first = Vec::new();
        stdout.read_until(b'\n', &mut first).ok()?;
        let input = more(std::str::from_utf8(&first).ok()?.trim_end());
        ask_and_listen(stdin, input, stdout, first)
    })
}

/// What git says, as far as we listen.
type GitOutput = BufReader<Take<ChildStdout>>;

fn run(
    folder: &Path,
    arguments: &[&str],
    talk: impl FnOnce(ChildStdin, GitOutput) -> Option<Vec<u8>> + Send + 'static,
) -> Option<Running> {
    let mut child = command(folder, arguments).spawn().ok()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (send, answer) = sync_channel(1);
    let running = Running { child, answer };
    let (stdin, stdout) = (stdin?, BufReader::new(stdout?.take(ANSWER_BYTES_MAX)));
    let talk = move || {
        // Nobody listens any more when it took too long.
        send.send(talk(stdin, stdout)).ok();
    };
    drop(Builder::new().spawn(talk).ok()?);
    Some(running)
}

/// Git answers while it is still being asked, so asking is left to somebody else.
fn ask_and_listen(
    mut stdin: ChildStdin,
    input: String,
    mut stdout: GitOutput,
    mut answer: Vec<u8>,
) -> Option<Vec<u8>> {
    let ask = move || {
        // It may have given up; then its answer says so.
        stdin.write_all(input.as_bytes()).ok();
    };
    drop(Builder::new().spawn(ask).ok()?);
    stdout.read_to_end(&mut answer).ok()?;
    Some(answer)
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(SETTINGS).args(arguments).current_dir(folder);
    for name in NOT_OURS {
        command.env_remove(name);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

impl Running {
    /// Its answer, if it comes in time and git is content.
    pub(crate) fn finish(mut self, deadline: Deadline) -> Option<String> {
        let bytes = self.answer.recv_timeout(deadline.left()).ok()??;
        let status = self.child.wait().ok()?;
        status.success().then(|| String::from_utf8(bytes).ok())?
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ended already, unless it took too long.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
