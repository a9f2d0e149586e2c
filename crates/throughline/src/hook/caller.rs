//! The agent that waits: it is answered in time, whatever memory does meanwhile in its own thread.

use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use throughline_agents::Host;
use throughline_core::Timestamp;
use throughline_engine::{
    Audience, Context, KeptBrief, Said, Telling, Tellings, hide_late_secrets,
};

use super::{here, note, note_lost, say};
use crate::settings::Settings;
use crate::worker;

/// So long before the deadline a session that begins is told the brief of the last one.
const KEPT: Duration = Duration::from_millis(90);
/// What saying it takes.
const LAST_WORDS: Duration = Duration::from_millis(25);
/// What an agent tells late, or in a long text, is still written down. Nothing takes longer than
/// this, whatever the agent does.
const KEEP_LIMIT: Duration = Duration::from_millis(4_000);
/// An answer that came at the last moment: so long it is waited for what the session was told to be
/// kept. It takes a few milliseconds.
const MIND_LIMIT: Duration = Duration::from_millis(100);

/// What comes of a hook.
#[derive(Debug, Default)]
pub(super) struct HookAnswer {
    /// What is printed, in the host's own form.
    pub(super) text: String,
    /// What goes on record once it was said.
    pub(super) telling: Option<Box<Telling>>,
    /// The agent pauses here: it waits for neither a prompt's answer nor a tool.
    pub(super) is_pause: bool,
}

/// How far a hook has come.
pub(super) enum HookStep {
    /// The agent has told everything.
    Heard,
    /// It is written down, or need not be.
    Kept,
    /// This is the answer.
    Done(Answered),
    /// What the session has been told is kept, so that it is not told twice.
    Minded,
}

/// What is said to the agent, or why nothing is.
pub(super) type Answered = std::thread::Result<anyhow::Result<HookAnswer>>;

/// How a hook came out in time.
enum HookOutcome {
    /// With an answer.
    Done(Answered),
    /// What was told is kept, and no answer came in time.
    Late,
    /// Not even that is known.
    Lost { heard: bool },
}

/// Waits for the answer, and longer than that for what was told to be written down.
pub(super) struct Wait {
    deadline: Duration,
    answer_by: Instant,
    keep_by: Instant,
    heard: bool,
    kept: bool,
}

impl Wait {
    pub(super) fn new(began: Instant, deadline: Duration) -> Self {
        let (answer_by, keep_by) = (began + deadline, began + deadline.max(KEEP_LIMIT));
        Self { deadline, answer_by, keep_by, heard: false, kept: false }
    }

    /// Waits until the answer is there, or until so long before the time is up.
    fn until(
        &mut self,
        steps: &mpsc::Receiver<HookStep>,
        before: &dyn Fn() -> Duration,
    ) -> HookOutcome {
        loop {
            let answer_by = self.answer_by.checked_sub(before()).unwrap_or(self.answer_by);
            let until = if self.kept { answer_by.min(self.keep_by) } else { self.keep_by };
            match steps.recv_timeout(left(until)) {
                Ok(HookStep::Heard) => {
                    self.heard = true;
                    // An agent that was slow to tell is not made to go without its answer.
                    self.answer_by = Instant::now() + self.deadline;
                }
                Ok(HookStep::Kept) => self.kept = true,
                Ok(HookStep::Done(done)) => return HookOutcome::Done(done),
                Ok(HookStep::Minded) => {}
                Err(_) if self.kept => return HookOutcome::Late,
                Err(_) => return HookOutcome::Lost { heard: self.heard },
            }
        }
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// The agent that waits for us, and what we know of it while memory listens in another thread.
pub(super) struct Caller {
    pub(super) settings: Settings,
    pub(super) agent: Host,
    pub(super) event: String,
    pub(super) now: Timestamp,
    /// Set once a session begins with nothing in its context.
    pub(super) started: Arc<OnceLock<Context>>,
}

impl Caller {
    /// Answers in time, whatever comes of it.
    pub(super) fn answer(&self, steps: &mpsc::Receiver<HookStep>, mut wait: Wait) {
        let begins = || if self.started.get().is_some() { KEPT } else { Duration::ZERO };
        let mut outcome = wait.until(steps, &begins);
        if matches!(outcome, HookOutcome::Late) && self.started.get().is_some() {
            if self.say_kept(wait.answer_by).is_some() {
                worker::migrate(&self.settings);
                return;
            }
            outcome = wait.until(steps, &|| Duration::ZERO);
        }
        match outcome {
            HookOutcome::Done(Ok(Ok(answer))) => {
                self.say(&answer);
                let mind_by = wait.answer_by.max(Instant::now() + MIND_LIMIT);
                if let Ok(HookStep::Minded) = steps.recv_timeout(left(mind_by)) {
                    // What else is done after the answer is over when nobody is left to send.
                    steps.recv_timeout(left(wait.answer_by)).ok();
                }
            }
            HookOutcome::Done(Ok(Err(error))) => self.fail(&format!("{error:#}"), wait.answer_by),
            HookOutcome::Done(Err(_)) => self.fail("it panicked", wait.answer_by),
            HookOutcome::Late => {
                self.note(&format!("it took longer than {} ms", wait.deadline.as_millis()));
                worker::migrate(&self.settings);
            }
            HookOutcome::Lost { heard: false } => {
                self.lose("the agent had not finished sending it when the time was up");
            }
            HookOutcome::Lost { heard: true } => self.lose("it could not be saved in time"),
        }
    }

    fn say(&self, answer: &HookAnswer) {
        say(&answer.text);
        if let Some(telling) = &answer.telling {
            // Said is said: what cannot be put on record is for `doctor`.
            if let Err(error) = Tellings::new(&self.settings.home).append(telling) {
                self.note(&format!("what the agent was told cannot be recorded: {error}"));
            }
        }
        if answer.is_pause {
            worker::start_if_wanted(&self.settings, self.now);
        }
    }

    /// The brief of the last wake, where none can be written now.
    fn say_kept(&self, until: Instant) -> Option<()> {
        let context = self.started.get()?;
        let home = &self.settings.home;
        let kept = KeptBrief::load(home, &context.project)?;
        let mut said = kept_brief(&kept, &self.settings, context, until)?;
        hide_late_secrets(home, &mut said.text);
        say(&throughline_agents::answer(self.agent, &self.event, &said.text)?);
        let agent = self.agent.as_str().to_owned();
        let to = Audience { agent, helper: None, event: self.event.clone() };
        let text = throughline_agents::fitting(self.agent, &said.text);
        let said = Said { text, ..said };
        Tellings::new(home).append(&Telling::new(self.now, context, &to, &said)).ok();
        if let Some(session) = &context.session {
            // Where that cannot be noted, it is told again when the conversation goes on.
            kept.was_told(home, session, self.now, &said).ok();
        }
        Some(())
    }

    fn fail(&self, why: &str, until: Instant) {
        self.note(why);
        self.say_kept(until);
    }

    fn note(&self, why: &str) {
        if self.may_note() {
            note(&self.settings.home, self.now, &self.event, why);
        }
    }

    fn lose(&self, why: &str) {
        if self.may_note() {
            note_lost(&self.settings.home, self.now, &self.event, why);
        }
    }

    fn may_note(&self) -> bool {
        self.settings.refuses_home(here().as_slice()).is_none()
    }
}

/// The brief of the last wake, without what no longer holds, or as it was where that cannot be looked
/// up in time.
fn kept_brief(
    kept: &KeptBrief,
    settings: &Settings,
    context: &Context,
    until: Instant,
) -> Option<Said> {
    let (send, receive) = mpsc::channel();
    let (settings, context) = (settings.clone(), context.clone());
    let held = kept.clone();
    std::thread::spawn(move || {
        let checked =
            settings.engine().and_then(|engine| Ok(engine.briefing(&context).say_kept(&held)?));
        send.send(checked).ok();
    });
    let look = left(until.checked_sub(LAST_WORDS).unwrap_or(until));
    let said = match receive.recv_timeout(look) {
        Ok(Ok(said)) => said,
        Ok(Err(_)) | Err(_) => kept.unchecked(),
    };
    (!said.text.is_empty()).then_some(said)
}
