//! The desk: the engine, opened when it is first needed, and what this process has shown so far.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use throughline_core::page::Detail;
use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_core::{EpisodeId, Memory, MemoryId, SessionId, Timestamp, tokens};
use throughline_engine::{
    Audience, Because, Context, DEEP_BESIDE_MAX, Engine, Project, Recall, Roots, Said, Telling,
    clean_name,
};

use crate::answer::{ToolFailure, quoted};
use crate::clean::clean_value;
use crate::{Profile, Setup};

/// Memories that this process remembers to have shown; the oldest go first.
const SHOWN_MAX: usize = 512;

/// Days after which it is noted again that the tools are offered, when one is called.
const SERVED_DAYS: f64 = 0.1;

/// Bytes of a session's name.
const SESSION_BYTES_MAX: usize = 256;

/// What tools work with.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) setup: Setup,
    engine: Option<Arc<Engine>>,
    /// The file that is open: whoever moves it aside must not be written to behind our back.
    opened: Option<FileId>,
    shown: VecDeque<(Option<SessionId>, MemoryId)>,
    later: Option<LaterWork>,
    /// What the client calls itself.
    client: Option<String>,
    /// What was told and goes on record when nobody waits.
    told: Vec<Telling>,
    /// The latest change that was seen.
    latest: u64,
    /// When it was noted that the tools are offered.
    served: Timestamp,
}

/// What is done when nobody waits.
#[derive(Debug)]
struct LaterWork {
    context: Context,
    recall: Option<Recall>,
}

/// Who asks and from where, as far as a call says.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallerPlace {
    pub(crate) project: Option<String>,
    pub(crate) session: Option<String>,
}

impl Desk {
    pub(crate) fn new(setup: Setup) -> Self {
        Self {
            served: setup.clock.now(),
            setup,
            engine: None,
            opened: None,
            shown: VecDeque::new(),
            later: None,
            client: None,
            told: Vec::new(),
            latest: 0,
        }
    }

    /// The engine.
    pub(crate) fn engine(&mut self) -> Result<&Engine, ToolFailure> {
        if self.setup.off {
            return Err(off());
        }
        if let Some(shared) = &self.setup.engine {
            // Whoever shares it opens it anew where that is needed.
            return Ok(self.engine.insert(Arc::clone(shared)));
        }
        let found = file_id(&self.setup.home.join("throughline.db"));
        if self.engine.is_some() && found.is_some() && found != self.opened {
            self.engine = None;
        }
        if self.engine.is_none() {
            let engine = Engine::open(&self.setup.home, self.setup.clock)?;
            self.opened = file_id(&self.setup.home.join("throughline.db"));
            self.engine = Some(Arc::new(engine.with_policy(self.setup.policy)));
        }
        Ok(self.engine.as_ref().expect("it was just opened"))
    }

    /// Takes out of what a tool was given what must not be kept. Returns how much that was.
    pub(crate) fn clean(&self, given: &mut Value) -> usize {
        // Who keeps nothing needs nothing cleaned.
        if self.setup.off {
            return 0;
        }
        clean_value(&self.setup.home, self.setup.session.as_ref(), given)
    }

    /// Who asks, and from where: never by what an earlier call said.
    pub(crate) fn context(&self, place: &CallerPlace) -> Result<Context, ToolFailure> {
        let session = given(place.session.as_ref());
        if session.is_some_and(|session| session.len() > SESSION_BYTES_MAX) {
            return Err(ToolFailure::usage(format!(
                "a session id has {SESSION_BYTES_MAX} bytes at most"
            )));
        }
        let session =
            session.map(|id| SessionId(clean_name(id))).or_else(|| self.setup.session.clone());
        let level = match (self.setup.level, &session) {
            (Level::Session, None) => Level::Project,
            (level, _) => level,
        };
        let project = self.project(given(place.project.as_ref()))?;
        let door = match self.setup.profile {
            Profile::Throughline => Door::Tools,
            Profile::ServerMemory => Door::ServerMemory,
            Profile::MemoryTool => Door::MemoryTool,
        };
        Ok(Context { project, session, level, door, only_if: None })
    }

    /// The project at hand, or the one that a call names: another folder of the same, or one that is
    /// part of it. Others are behind a wall, for an agent says what it was told to say.
    fn project(&self, named: Option<&str>) -> Result<Project, ToolFailure> {
        let roots = Roots::new(&self.setup.home).joining_by_itself(self.setup.joins);
        let own = roots.project(&self.setup.folder)?;
        let Some(named) = named else { return Ok(own) };
        let other = roots.project(&self.setup.folder.join(named))?;
        if own.reaches(&other) {
            return Ok(other);
        }
        Err(ToolFailure {
            code: "other_project",
            message: format!(
                "{named} is another project than {}; its memory cannot be used from here",
                own.name
            ),
            hint: Some("leave the argument project out, and go on with this project".to_owned()),
            user_command: Some(format!("throughline --project {} mcp", quoted(named))),
        })
    }

    /// Notes what was put in front of the agent.
    pub(crate) fn show(&mut self, context: &Context, memories: impl IntoIterator<Item = MemoryId>) {
        for id in memories {
            let one = (context.session.clone(), id);
            self.shown.retain(|held| *held != one);
            self.shown.push_back(one);
        }
        while self.shown.len() > SHOWN_MAX {
            self.shown.pop_front();
        }
    }

    /// Notes who asks.
    pub(crate) fn asked_by(&mut self, client: Option<String>) {
        self.client = client;
    }

    /// Puts on record what an agent is told by a tool, a resource or a prompt, with the memories and
    /// turns in it.
    pub(crate) fn tell(&mut self, context: &Context, event: &str, said: &Said) {
        let Some(engine) = &self.engine else { return };
        if said.text.is_empty() {
            return;
        }
        let agent = self.client.clone().unwrap_or_else(|| "mcp".to_owned());
        let to = Audience { agent, helper: None, event: event.to_owned() };
        self.told.push(engine.looking(context).telling(&to, said));
    }

    /// The same of an answer of which only the text is at hand.
    pub(crate) fn tell_text(&mut self, event: &str, text: &str) {
        if let Ok(context) = self.context(&CallerPlace::default()) {
            self.tell(&context, event, &said(text, Vec::new(), Vec::new()));
        }
    }

    /// What this process has shown to the session, the latest last.
    pub(crate) fn shown(&self, context: &Context) -> Vec<MemoryId> {
        let here = self.shown.iter().filter(|(session, _)| *session == context.session);
        here.map(|(_, id)| *id).collect()
    }

    /// Whether the session has seen a memory: this process showed it, or it is on record.
    pub(crate) fn has_seen(
        &mut self,
        context: &Context,
        memory: &Memory,
    ) -> Result<bool, ToolFailure> {
        if self.shown(context).contains(&memory.id) {
            return Ok(true);
        }
        Ok(self.engine()?.keeping(context).was_shown_here(memory)?)
    }

    /// What is to be read in before the graph is used, if it was not read in yet.
    pub(crate) fn take_graph_file(&mut self) -> Option<PathBuf> {
        self.setup.graph_file.take()
    }

    /// It could not be read in: the next call tries again.
    pub(crate) fn give_back_graph_file(&mut self, file: &Path) {
        self.setup.graph_file = Some(file.to_owned());
    }

    /// Counts a recall when nobody waits.
    pub(crate) fn count_later(&mut self, context: Context, recall: Option<Recall>) {
        self.later = Some(LaterWork { context, recall });
    }

    /// Does what was left for later. That attention could not be noted is no reason to fail.
    pub(crate) fn afterwards(&mut self) {
        if self.setup.clock.now().days_since(self.served) > SERVED_DAYS {
            self.served = self.setup.clock.now();
            self.setup.note_serving();
        }
        let told = std::mem::take(&mut self.told);
        let Some(engine) = &self.engine else { return };
        for telling in told {
            throughline_engine::Tellings::new(engine.home()).append(&telling).ok();
        }
        let latest = || {
            let reader = engine.now_reader().ok()?;
            engine.latest_change(&*reader).ok()
        };
        let latest = || latest().unwrap_or_default();
        if let Some(written) = &self.setup.written
            && latest() > self.latest
        {
            (written.0)();
        }
        if let Some(later) = self.later.take() {
            if let Some(recall) = &later.recall {
                engine.recalling(&later.context).note_recall(recall).ok();
            }
            engine.recalling(&later.context).settle_recalls().ok();
            engine.vectors().catch_up(&later.context).ok();
        }
        if self.setup.written.is_some() {
            self.latest = latest();
        }
    }

    /// Goes over a slice of what waits for sleep, if memory is open anyway. Returns whether more waits.
    pub(crate) fn sleep(&mut self) -> bool {
        let Ok(context) = self.context(&CallerPlace::default()) else { return false };
        let Some(engine) = &self.engine else { return false };
        let context = Context { door: Door::Upkeep, session: None, ..context };
        // What fails here is done by whoever comes next.
        engine.erasing().take_out_late(&context).ok();
        let sleeping = engine.sleeping(&context);
        let slept = sleeping.sleep_until(Instant::now());
        if slept.as_ref().is_ok_and(|slept| slept.left.anything()) {
            return true;
        }
        if engine.vectors().catch_up(&context).is_ok_and(|made| made > 0) {
            return true;
        }
        // Whoever asks next waits for one pass at most; a large memory needs a process of its own.
        let due = sleeping.deep_due(true);
        if !due.is_ok_and(|due| due.why.is_some() && due.corpus <= DEEP_BESIDE_MAX) {
            return false;
        }
        sleeping.sleep_deep_until(Instant::now()).is_ok_and(|slept| slept.left > 0)
    }

    /// Forgets what is open, after something went wrong.
    pub(crate) fn close(&mut self) {
        self.engine = None;
        self.later = None;
        self.told.clear();
    }
}

/// An answer as it goes on record.
pub(crate) fn said(text: &str, memories: Vec<MemoryId>, turns: Vec<EpisodeId>) -> Said {
    let asked = |id: String| Because {
        id,
        reason: "the agent asked for it".to_owned(),
        detail: Detail::Full,
        score: None,
        relevance: None,
        salience: None,
        trust: None,
    };
    let why = memories.iter().map(MemoryId::handle).chain(turns.iter().map(EpisodeId::handle));
    let why = why.map(asked).collect();
    Said { text: text.to_owned(), tokens: tokens::estimate(text), memories, turns, why }
}

/// What was given, and not left empty.
fn given(said: Option<&String>) -> Option<&str> {
    said.map(|said| said.trim()).filter(|said| !said.is_empty())
}

fn off() -> ToolFailure {
    ToolFailure {
        code: "off",
        message: "Memory is switched off; nothing was read or kept. Go on without it.".to_owned(),
        hint: None,
        user_command: Some(
            "throughline config set enabled true (and unset THROUGHLINE_DISABLE)".to_owned(),
        ),
    }
}

/// Which file a path leads to.
#[cfg(unix)]
type FileId = (u64, u64);
#[cfg(not(unix))]
type FileId = ();

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    // A file that is open cannot be moved there.
    path.exists().then_some(())
}
