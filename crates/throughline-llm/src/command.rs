//! A program as a model: the prompt on its input, the answer on its output, no shell in between.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::client::{ANSWER_BYTES_MAX, Asked, ModelRequest, TokenUsage};
use crate::environment::passes;
use crate::{Error, ModelSettings, Result, answer, dialect};

/// How often is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);
/// Characters of a program's complaint.
const COMPLAINT_CHARS: usize = 300;

/// Asks a program once: it may cost money, and says nothing about whether a second time would help.
pub(crate) fn ask(settings: &ModelSettings, request: &ModelRequest<'_>) -> Asked {
    let prompt = format!("{}\n\n{}\n", request.system, dialect::in_words(request));
    let said = run(settings, &prompt);
    let usage = TokenUsage::guessed(&prompt, said.as_deref().unwrap_or_default());
    Asked { usage, attempts: 1, answer: said.and_then(|said| answer::object_in(&said)) }
}

fn run(settings: &ModelSettings, prompt: &str) -> Result<String> {
    let program = settings.command.first().cloned().unwrap_or_default();
    let failed = |why: String| Error::Command { program: program.clone(), why };
    let mut command = Command::new(&program);
    command.args(settings.command.iter().skip(1));
    // A hook of one agent may have started us: this one is not part of that session, and the keys in
    // that environment are not its own.
    for (name, _) in std::env::vars_os() {
        if !passes(&name.to_string_lossy(), &settings.passed) {
            command.env_remove(name);
        }
    }
    // An agent that we start must not feed us.
    command.env("THROUGHLINE_INSIDE", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = &settings.folder {
        command.current_dir(folder);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut input = child.stdin.take().expect("its input is ours");
    let prompt = prompt.to_owned();
    // Whoever has heard enough may hang up.
    std::thread::spawn(move || drop(input.write_all(prompt.as_bytes())));
    let output = gather(child.stdout.take().expect("its output is ours"));
    let complaints = gather(child.stderr.take().expect("its errors are ours"));
    let status = wait(&mut child, settings.total).map_err(|error| failed(error.to_string()))?;
    let Some(status) = status else { return Err(Error::TooSlow(settings.total)) };
    // Something it started may still hold its output open.
    let said = output.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    if said.len() > ANSWER_BYTES_MAX {
        return Err(Error::TooLarge(ANSWER_BYTES_MAX));
    }
    if !status.success() {
        let told = complaints.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let told = String::from_utf8_lossy(&told).into_owned();
        let told: String = told.chars().filter(|c| !c.is_control()).take(COMPLAINT_CHARS).collect();
        return Err(failed(format!("{status}: {told}")));
    }
    String::from_utf8(said).map_err(|_| failed("its answer is not UTF-8".to_owned()))
}

/// Reads everything, a little more than may be, beside.
fn gather(from: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut from = from.take(ANSWER_BYTES_MAX as u64 + 1);
        from.read_to_end(&mut bytes).ok();
        tell.send(bytes).ok();
        // Whoever writes on is not kept waiting.
        std::io::copy(&mut from.into_inner(), &mut std::io::sink()).ok();
    });
    told
}

/// Waits for a program to end; ends it, and what it started, where that takes too long.
fn wait(child: &mut Child, most: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if began.elapsed() >= most {
            end(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
    }
    child.kill().ok();
}
