//! `hook`: an agent tells what happened, and may be told something back.
//!
//! Whatever goes wrong, the agent goes on: the exit code is 0, the deadline holds, and nothing is
//! said. What was wrong is noted for `doctor`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use throughline_agents::Host;
use throughline_core::event::{Event, What};
use throughline_core::scope::Level;
use throughline_core::{Actor, Timestamp};
use throughline_engine::{
    Context, Engine, Journal, JournalEntry, Project, Reply, clean, clean_text, is_kept,
    note_failure, note_fired,
};

use crate::args;
use crate::settings::{Environment, Settings};
use crate::worker;

/// Payloads are smaller than this; what is larger is not read to its end.
const PAYLOAD_BYTES_MAX: u64 = 16 << 20;
/// A text is cut here, so that it fits into the journal: what is longer was pasted, not said.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// An agent is kept waiting no longer than this.
const DEADLINE: Duration = Duration::from_millis(300);
/// At the end of a session nobody waits.
const LAST_DEADLINE: Duration = Duration::from_millis(1_000);

/// Carries out a hook. Never fails.
pub(crate) fn hook(
    args: &args::Hook,
    global: &args::Global,
    environment: &Environment,
) -> ExitCode {
    let began = Instant::now();
    // An agent that we started ourselves must not feed us.
    if environment.inside {
        return ExitCode::SUCCESS;
    }
    let Ok(settings) = Settings::resolve(global, environment) else { return ExitCode::SUCCESS };
    // A home that must not be used is not written to either; in which project we are is told later.
    if settings.refuses_home(&[]).is_some() {
        return ExitCode::SUCCESS;
    }
    if settings.problem.is_none() && !settings.enabled {
        return ExitCode::SUCCESS;
    }
    std::panic::set_hook(Box::new(|_| ()));
    let ends = throughline_agents::is_last(args.agent, &args.event);
    let usual = if ends { LAST_DEADLINE } else { DEADLINE };
    let deadline = environment.deadline_ms.map_or(usual, Duration::from_millis);
    let (home, now) = (settings.home.clone(), settings.clock.now());
    let (send, receive) = mpsc::channel();
    let (event, agent) = (args.event.clone(), args.agent);
    let after = settings.clone();
    let name = event.clone();
    std::thread::spawn(move || {
        let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            listen(&event, agent, &settings)
        }));
        send.send(said).ok();
    });
    let failed = |why: &str| {
        if after.refuses_home(here().as_slice()).is_none() {
            note(&home, now, &name, why);
        }
    };
    match receive.recv_timeout(deadline.saturating_sub(began.elapsed())) {
        Ok(Ok(Ok((text, is_pause)))) => {
            say(&text);
            if is_pause {
                worker::start_if_wanted(&after, now);
            }
        }
        Ok(Ok(Err(error))) => failed(&format!("{error:#}")),
        Ok(Err(_)) => failed("it panicked"),
        Err(_) => failed(&format!("it took longer than {} ms", deadline.as_millis())),
    }
    ExitCode::SUCCESS
}

/// Words that are no hook: noted like any other failure, so that an agent is never stopped by us.
pub(crate) fn unusable(why: &str, environment: &Environment) -> ExitCode {
    if !environment.inside
        && let Ok(settings) = Settings::resolve(&args::Global::default(), environment)
        && settings.enabled
        && settings.refuses_home(here().as_slice()).is_none()
    {
        note(&settings.home, settings.clock.now(), "unknown", why);
    }
    ExitCode::SUCCESS
}

/// Notes for `doctor` what was wrong. It may quote what was handed in.
fn note(home: &Path, now: Timestamp, event: &str, why: &str) {
    let mut why = why.to_owned();
    clean_text(&mut why);
    note_failure(home, now, event, &why);
}

fn say(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // An agent that no longer listens has lost nothing that it wanted.
        drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }
}

/// Journals the event, then lets memory listen. Returns what is said to the agent, and whether it
/// pauses here: it waits for neither a prompt's answer nor a tool.
fn listen(name: &str, agent: Host, settings: &Settings) -> anyhow::Result<(String, bool)> {
    let payload = payload()?;
    let event = throughline_agents::read(agent, name, &payload);
    drop(payload);
    let folder = event.as_ref().ok().and_then(folder_of).or_else(here);
    if settings.refuses_home(folder.as_slice()).is_some() {
        return Ok((String::new(), false));
    }
    let now = settings.clock.now();
    if let Some(problem) = &settings.problem {
        // What the settings say as far as they can be read holds, and no service is asked.
        note(&settings.home, now, name, problem);
    }
    if !settings.enabled {
        return Ok((String::new(), false));
    }
    note_fired(&settings.home, &fired_name(name, agent), now);
    let Some((mut event, context)) = keep(event?, agent, settings)? else {
        return Ok((String::new(), false));
    };
    // What tools did is taken in with the answer that follows: a tool is never kept waiting for it.
    if let What::ToolsRan(runs) = &mut event.what {
        if !throughline_agents::warns_late(agent) || runs.is_empty() {
            return Ok((String::new(), false));
        }
        // This host did not listen before the tool ran, so the warning comes now.
        event.what = What::ToolStarts(runs.swap_remove(0).call);
    }
    let engine = settings.engine()?;
    let reply = if settings.journal {
        engine.listen(&context, &event)?
    } else {
        engine.overhear(&context, &event)?
    };
    if let What::Started(_) = event.what {
        let journal = Journal::new(&settings.home);
        journal.sweep(settings.journal_days, settings.clock.now()).ok();
    }
    let is_over = matches!(event.what, What::Ended | What::Compacting);
    worker::note(settings, is_over || reply.capture.episodes > 0);
    if let Some(trouble) = &reply.trouble {
        note_failure(&settings.home, settings.clock.now(), name, trouble);
    }
    let mut said = reply.text;
    if let What::Started(_) = event.what
        && settings.roots().asks_now(&context.project, now).unwrap_or(false)
    {
        said = format!("{}\n{said}", question(&context.project));
    }
    let text = throughline_agents::answer(agent, name, said.trim_end()).unwrap_or_default();
    Ok((text, !matches!(event.what, What::Prompted { .. } | What::ToolStarts(_))))
}

/// What a hook is called in the list of those that fired.
fn fired_name(event: &str, agent: Host) -> String {
    match agent {
        Host::ClaudeCode => event.to_owned(),
        Host::Codex | Host::Gemini | Host::Opencode | Host::Cursor => {
            format!("{}-{}", agent.as_str(), event.replace([':', '.'], "-"))
        }
    }
}

/// The same with a memory that is open already: what happened, and what was made of it. `None`
/// where it was nothing.
pub(crate) fn take(
    name: &str,
    agent: Host,
    payload: &[u8],
    settings: &Settings,
    engine: &Engine,
) -> anyhow::Result<Option<(Event, Context, Reply)>> {
    let event = throughline_agents::read(agent, name, payload)?;
    let Some((event, context)) = keep(event, agent, settings)? else { return Ok(None) };
    let reply = engine.listen(&context, &event)?;
    Ok(Some((event, context, reply)))
}

/// Takes out of an event what must not be kept, and writes the rest down.
fn keep(
    mut event: Event,
    agent: Host,
    settings: &Settings,
) -> anyhow::Result<Option<(Event, Context)>> {
    if let What::Nothing { .. } = event.what {
        return Ok(None);
    }
    let folder = folder_of(&event).or_else(here);
    let project = folder.map(|folder| settings.roots().project_of(&folder));
    let root = project.as_ref().map(|project| project.root.clone());
    clean(&mut event, root.as_deref().unwrap_or_else(|| Path::new(".")));
    for text in event.texts_mut() {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
    }
    if is_kept(&event) && settings.journal {
        let now = settings.clock.now();
        let entry = JournalEntry::new(now, agent.as_str(), project.as_ref(), event.clone());
        Journal::new(&settings.home).append(&entry).context("the journal cannot be written")?;
    }
    let Some(project) = project else { return Ok(None) };
    let context = Context { project, session: None, level: Level::Project, actor: Actor::System };
    Ok(Some((event, context)))
}

/// What the agent hands over, up to a sensible size.
fn payload() -> anyhow::Result<Vec<u8>> {
    let mut payload = Vec::new();
    std::io::stdin()
        .take(PAYLOAD_BYTES_MAX)
        .read_to_end(&mut payload)
        .context("standard input cannot be read")?;
    anyhow::ensure!(
        payload.len() as u64 != PAYLOAD_BYTES_MAX,
        "the payload has {PAYLOAD_BYTES_MAX} bytes or more"
    );
    Ok(payload)
}

/// The folder that an agent works in, as far as it says.
fn folder_of(event: &Event) -> Option<PathBuf> {
    event.folder.as_ref().map(PathBuf::from).filter(|folder| folder.is_absolute())
}

fn here() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// What is said once in a folder that claims to be a project that is known from another folder. The
/// claim is somebody's text, so it is only quoted where it is a plain name.
fn question(project: &Project) -> String {
    let named = project.waits_for().filter(|key| key.is_plain());
    let named = named.map(|key| format!(" ({key})")).unwrap_or_default();
    format!(
        "Throughline knows this project{named} from another folder. Its memory is not used in this \
         folder until the user runs `throughline project join` here, or `throughline project \
         leave` to keep the two apart. Please tell the user once."
    )
}
