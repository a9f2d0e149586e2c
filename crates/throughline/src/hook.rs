//! `hook`: an agent tells what happened, and may be told something back.
//!
//! Whatever goes wrong, the agent goes on: the exit code is 0, the deadline holds, and nothing is
//! said. What was wrong is noted for `doctor`.

mod allocator;
mod caller;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use throughline_agents::{Host, Unreadable};
use throughline_core::event::{Event, Start, What};
use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_core::{Timestamp, tokens};
use throughline_engine::{
    Audience, Cleaner, Context, Damage, Engine, Journal, JournalEntry, NamedBy, Project, Reply,
    Said, Tellings, UnsavedMind, has_late_secrets, hide_late_secrets, is_kept, note_failure,
    note_fired,
};

use crate::args;
use crate::settings::{Environment, Settings};
use crate::worker;
pub(crate) use allocator::use_one_heap;
use caller::{Caller, HookAnswer, HookStep, Wait};

/// Payloads are smaller than this; what is larger is not read to its end.
const PAYLOAD_BYTES_MAX: u64 = 16 << 20;
/// A text is cut here, so that it fits into the journal: what is longer was pasted, not said.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// So much more of it is looked at for secrets: one that stands across the cut is recognised whole.
const MARGIN_BYTES: usize = 64 << 10;
/// An agent is kept waiting no longer than this for an answer, from when it has told everything.
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
    let (send, steps) = mpsc::channel();
    let (event, agent) = (args.event.clone(), args.agent);
    let started = Arc::new(OnceLock::new());
    let caller = Caller {
        settings: settings.clone(),
        agent,
        event: event.clone(),
        now: settings.clock.now(),
        started: Arc::clone(&started),
    };
    std::thread::spawn(move || {
        let heard = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            listen(&event, agent, &settings, deadline, &send, &started)
        }));
        let (said, rest) = match heard {
            Ok(Ok((said, rest))) => (Ok(Ok(said)), rest),
            Ok(Err(error)) => (Ok(Err(error)), None),
            Err(panic) => (Err(panic), None),
        };
        send.send(HookStep::Done(said)).ok();
        if let Some(rest) = rest {
            let minded = || drop(send.send(HookStep::Minded));
            let carry_out = || rest.carry_out(&settings, &minded);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(carry_out)).ok();
        }
    });
    caller.answer(&steps, Wait::new(began, deadline));
    ExitCode::SUCCESS
}

/// What is left for when the answer has been given.
enum Rest {
    /// What follows an event that memory listened to.
    Heard(Box<HeardRest>),
    /// A secret that was told before is to be taken out of what was kept.
    Secrets(Context),
}

impl Rest {
    /// `minded` is called once what the session was told is kept.
    fn carry_out(self, settings: &Settings, minded: &dyn Fn()) {
        match self {
            Self::Heard(rest) => rest.carry_out(settings, minded),
            Self::Secrets(context) => {
                minded();
                if let Ok(engine) = settings.engine() {
                    worker::take_out_secrets(settings, &engine, &context);
                }
            }
        }
    }
}

/// What is left of an event that memory listened to.
struct HeardRest {
    engine: Engine,
    context: Context,
    event: Event,
    reply: Reply,
    /// What the session has in mind, if that is to be kept.
    mind: Option<UnsavedMind>,
}

impl HeardRest {
    fn carry_out(mut self, settings: &Settings, minded: &dyn Fn()) {
        let (home, now) = (&settings.home, settings.clock.now());
        if let Some(Err(error)) = self.mind.as_ref().map(UnsavedMind::save) {
            note(home, now, "keep what a session has in mind", &error.to_string());
        }
        drop(self.mind);
        minded();
        if worker::take_out_secrets(settings, &self.engine, &self.context) {
            self.reply.forget_brief();
        }
        if !matches!(self.event.what, What::Started(_)) || !settings.journal {
            return;
        }
        // What is cut off or fails here lies in the journal, or waits for the next sleep.
        let done =
            self.engine.listening(&self.context).rest(&self.event, &self.reply).unwrap_or_default();
        worker::note(settings, done.episodes > 0);
        let journal = Journal::new(home);
        journal.sweep(settings.journal_days, now).ok();
    }
}

/// A command line that is no hook: noted like any other failure, so that an agent is never stopped
/// by us. What was told with it is lost.
pub(crate) fn unusable(
    event: Option<&str>,
    why: &str,
    global: &args::Global,
    environment: &Environment,
) -> ExitCode {
    if !environment.inside
        && let Ok(settings) = Settings::resolve(global, environment)
        && settings.enabled
        && settings.refuses_home(here().as_slice()).is_none()
    {
        let (now, event) = (settings.clock.now(), event.unwrap_or("unknown"));
        let wait = environment.deadline_ms.map_or(DEADLINE, Duration::from_millis);
        if was_told_something(wait) {
            note_lost(&settings.home, now, event, why);
        } else {
            note(&settings.home, now, event, why);
        }
    }
    ExitCode::SUCCESS
}

/// Whether the agent handed anything over. What has no end in time counts too.
fn was_told_something(wait: Duration) -> bool {
    if std::io::stdin().is_terminal() {
        return false;
    }
    let (send, told) = mpsc::channel();
    std::thread::spawn(move || send.send(payload()));
    let told = told.recv_timeout(wait);
    !matches!(told, Ok(Ok(payload)) if payload.trim_ascii().is_empty())
}

/// Notes for `doctor` and `status` that what an agent told is lost, and why.
fn note_lost(home: &Path, now: Timestamp, event: &str, why: &str) {
    note_failure(home, now, event, why, Damage::Lost);
}

/// Notes for `doctor` what was wrong. It may quote what was handed in.
fn note(home: &Path, now: Timestamp, event: &str, why: &str) {
    note_failure(home, now, event, why, Damage::None);
}

fn say(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // An agent that no longer listens has lost nothing that it wanted.
        drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }
}

/// Journals the event, then lets memory listen. Returns what is said to the agent, and what is left for
/// when that has been said. `started` hears of a session that begins with nothing in its context.
fn listen(
    name: &str,
    agent: Host,
    settings: &Settings,
    deadline: Duration,
    steps: &mpsc::Sender<HookStep>,
    started: &OnceLock<Context>,
) -> anyhow::Result<(HookAnswer, Option<Rest>)> {
    let (home, now) = (&settings.home, settings.clock.now());
    let payload = payload();
    steps.send(HookStep::Heard).ok();
    let told_at = Instant::now();
    let mut cleaner = Cleaner::default();
    let event = payload.and_then(|payload| Ok(read(name, agent, &payload, &mut cleaner)?));
    let folder = event.as_ref().ok().and_then(folder_of).or_else(here);
    if settings.refuses_home(folder.as_slice()).is_some() {
        return Ok((HookAnswer::default(), None));
    }
    if let Some(problem) = &settings.problem {
        // What the settings say as far as they can be read holds, and no service is asked.
        note(home, now, name, problem);
    }
    if !settings.enabled {
        return Ok((HookAnswer::default(), None));
    }
    if throughline_agents::knows(agent, name) {
        note_fired(home, &fired_name(name, agent), now);
    }
    let told = event.map(|event| keep(event, cleaner, agent, settings));
    // Noted before anybody stops waiting.
    note_unkept(home, now, name, &told);
    // Before anybody stops waiting, too: whoever does may have something kept to say.
    if let Ok(Some(Kept { event, context: Some(context), .. })) = &told
        && let What::Started(Start::Startup | Start::Clear | Start::Compact) = event.what
    {
        started.set(Context { session: Some(event.session.clone()), ..context.clone() }).ok();
    }
    steps.send(HookStep::Kept).ok();
    // Even where this turn is lost, what is known is said.
    let Ok(Some(Kept { event, context: Some(context), .. })) = told else {
        return Ok((HookAnswer::default(), None));
    };
    // What tools did is taken in with the answer that follows: a tool is never kept waiting for it.
    // Where the host did not listen before the tool ran, the warning comes now.
    if let What::ToolsRan(_) = event.what
        && !throughline_agents::warns_late(agent)
    {
        let rest = has_late_secrets(home).then_some(Rest::Secrets(context));
        return Ok((HookAnswer::default(), rest));
    }
    let engine = settings.engine()?.in_time(told_at, deadline);
    let (reply, mind) = if !throughline_agents::can_inject(agent, name) {
        (engine.listening(&context).only_listen(&event)?, None)
    } else if settings.journal {
        engine.listening(&context).listen_first(&event)?
    } else {
        (engine.listening(&context).overhear(&event)?, None)
    };
    note_loss(agent, &engine, &context, &event)?;
    let is_over = matches!(event.what, What::Ended | What::Compacting);
    worker::note(settings, is_over || reply.capture.episodes > 0);
    if let What::Ended = event.what {
        // Nobody waits any more. What a large memory takes is done by a process of its own.
        worker::back_up(settings, &engine);
        worker::sleep_deep(settings, &engine, &context);
    }
    if let Some(trouble) = &reply.trouble {
        note(home, now, name, trouble);
    }
    let said = to_say(settings, &context, &event, &reply);
    let text = throughline_agents::answer(agent, name, &said.text);
    let telling = text.is_some().then(|| {
        let told = Context { session: Some(event.session.clone()), ..context.clone() };
        let text = throughline_agents::fitting(agent, &said.text);
        Box::new(
            engine.looking(&told).telling(&audience(agent, name, &event), &Said { text, ..said }),
        )
    });
    let waits =
        matches!(event.what, What::Prompted { .. } | What::ToolStarts(_) | What::ToolsRan(_));
    let rest = HeardRest { engine, context, event, reply, mind };
    let rest = Some(Rest::Heard(Box::new(rest)));
    Ok((HookAnswer { text: text.unwrap_or_default(), telling, is_pause: !waits }, rest))
}

/// What is put in front of the agent.
fn to_say(settings: &Settings, context: &Context, event: &Event, reply: &Reply) -> Said {
    let mut said = reply.said.clone();
    if let What::Started(_) = event.what {
        ask_once(settings, &context.project, &mut said);
    }
    // What is still to be taken out of memory is not told once more.
    hide_late_secrets(&settings.home, &mut said.text);
    said
}

/// Notes what could not be written down. It is lost where something was said in it: that a session
/// begins or ends is no turn.
fn note_unkept(home: &Path, now: Timestamp, name: &str, told: &anyhow::Result<Option<Kept>>) {
    let (error, is_turn) = match told {
        Err(error) => (error, true),
        Ok(Some(Kept { trouble: Some(error), event, .. })) => {
            let says_nothing =
                matches!(event.what, What::Started(_) | What::Compacting | What::Ended);
            (error, !says_nothing)
        }
        Ok(_) => return,
    };
    let why = format!("{error:#}");
    if is_turn { note_lost(home, now, name, &why) } else { note(home, now, name, &why) }
}

/// Some hosts make a conversation shorter without a word. Once they have answered there is time to
/// look, and with the next prompt it is told once more.
fn note_loss(agent: Host, engine: &Engine, context: &Context, event: &Event) -> anyhow::Result<()> {
    if let What::Answered { .. } = event.what
        && throughline_agents::has_lost(agent, event)
    {
        let lost = Event { what: What::Compacting, ..event.clone() };
        engine.listening(context).only_listen(&lost)?;
    }
    Ok(())
}

fn audience(agent: Host, name: &str, event: &Event) -> Audience {
    let helper = event.helper.clone();
    Audience { agent: agent.as_str().to_owned(), helper, event: name.to_owned() }
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
pub(crate) fn answered_with(
    name: &str,
    agent: Host,
    payload: &[u8],
    settings: &Settings,
    engine: &Engine,
) -> anyhow::Result<Option<(Event, Context, Reply)>> {
    let mut cleaner = Cleaner::default();
    let event = read(name, agent, payload, &mut cleaner)?;
    let Some(kept) = keep(event, cleaner, agent, settings) else { return Ok(None) };
    let Kept { event, context: Some(context), trouble: None } = kept else {
        return kept.trouble.map_or(Ok(None), Err);
    };
    let mut reply = engine.listening(&context).listen(&event)?;
    if throughline_agents::answer(agent, name, &reply.said.text).is_some() {
        let told = Context { session: Some(event.session.clone()), ..context.clone() };
        let telling = engine.looking(&told).telling(&audience(agent, name, &event), &reply.said);
        Tellings::new(engine.home())
            .append(&telling)
            .context("what the agent was told cannot be recorded")?;
    }
    reply.capture.add(engine.listening(&context).rest(&event, &reply)?);
    Ok(Some((event, context, reply)))
}

/// Reads a payload, each text of it cleaned before anything is done with it.
fn read(
    name: &str,
    agent: Host,
    payload: &[u8],
    cleaner: &mut Cleaner,
) -> Result<Event, Unreadable> {
    let clean = &mut |field: &str, text: &mut String| cleaner.field(field, text);
    throughline_agents::read_cleaned(agent, name, payload, clean)
}

/// What an agent told, without what must not be kept.
struct Kept {
    event: Event,
    /// Where it was told; `None` where that is no folder any more.
    context: Option<Context>,
    /// Why it could not be written down.
    trouble: Option<anyhow::Error>,
}

/// Takes out of an event what must not be kept, and writes the rest down.
fn keep(mut event: Event, mut cleaner: Cleaner, agent: Host, settings: &Settings) -> Option<Kept> {
    if let What::Nothing { .. } = event.what {
        return None;
    }
    let folder = folder_of(&event).or_else(here);
    // An agent that changes into another folder takes its session's memory nowhere.
    let roots = settings.roots();
    let project = folder.map(|folder| roots.project_of(&folder));
    let project = project.map(|here| roots.project_of_event(&settings.home, &event, here));
    let root = project.as_ref().map(|project| project.root.clone());
    let long = cut_roughly(&mut event);
    cleaner.recall(&settings.home, Some(&event.session));
    cleaner.answer(&settings.home, &mut event);
    cleaner.event(&mut event, root.as_deref().unwrap_or_else(|| Path::new(".")));
    cut(&mut event, &long);
    let mut trouble = None;
    if is_kept(&event) && settings.journal {
        let is_persons = matches!(event.what, What::Prompted { .. });
        let by = if is_persons { NamedBy::Person } else { NamedBy::Others };
        cleaner.keep(&settings.home, Some(&event.session), by);
        let now = settings.clock.now();
        let entry = JournalEntry::new(now, agent.as_str(), project.as_ref(), event.clone());
        let written = Journal::new(&settings.home).append(&entry);
        trouble = written.context("the journal cannot be written").err();
    }
    let context = project.map(|project| Context {
        project,
        session: None,
        level: Level::Project,
        door: Door::Hook,
        only_if: None,
    });
    Some(Kept { event, context, trouble })
}

/// Cuts what is far too long before anybody looks for secrets in it, with a margin. Says which texts
/// those were.
fn cut_roughly(event: &mut Event) -> Vec<bool> {
    let most = TEXT_BYTES_MAX + MARGIN_BYTES;
    let cut = |text: &mut String| {
        let long = text.len() > most;
        text.truncate(text.floor_char_boundary(most));
        long
    };
    event.texts_mut().into_iter().map(cut).collect()
}

/// Cuts texts to the length that is kept. Of those that were cut before, the margin goes in any case:
/// a secret that was cut in two there cannot be recognised.
fn cut(event: &mut Event, long: &[bool]) {
    for (text, long) in event.texts_mut().into_iter().zip(long) {
        let margin = if *long { MARGIN_BYTES } else { 0 };
        let most = text.len().saturating_sub(margin).min(TEXT_BYTES_MAX);
        text.truncate(text.floor_char_boundary(most));
    }
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

/// Asks whether a folder belongs to the project that it claims to be, above everything else, once.
fn ask_once(settings: &Settings, project: &Project, said: &mut Said) {
    if settings.roots().asks_now(project, settings.clock.now()).unwrap_or(false) {
        let question = question(project);
        said.text = format!("{question}\n{}", said.text).trim_end().to_owned();
        said.tokens += tokens::estimate(&question);
    }
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
