//! Rest: what is left for when the answer has been given. Nothing slow stands between an agent and
//! its brief; what others left in journals, what was seen, and sleep come after it.

use std::fs::File;
use std::time::{Duration, Instant};

use throughline_core::SessionId;
use throughline_core::event::{Event, What};
use throughline_core::permission::Door;
use throughline_language::gate::Flush;

use crate::capture::{Capture, Mind, Minds, project_of};
use crate::flows::Listening;
use crate::journal::Journal;
use crate::journal::note::{Damage, note_failure};
use crate::watch::SeenBindings;
use crate::{Brief, Context, DEEP_BESIDE_MAX, Reply, Result, Tellings};

/// What may be spent on sessions that were never finished, when another begins.
const SWEEP: Duration = Duration::from_millis(120);
/// What may be spent on sleep when a session begins: somebody waits for the process to end.
const NAP: Duration = Duration::from_millis(30);
/// What may be spent on the project's flat memory files when a session begins; what is left is read by the next one.
const SEED: Duration = Duration::from_millis(250);
/// What a sleep leaves of the time for a slice that has begun.
const SLICE: Duration = Duration::from_millis(120);
/// What may be spent on sleep when a session has ended.
const SLEEP: Duration = Duration::from_millis(600);
/// An index is copied from a server only where there is more time than this.
const COPY: Duration = Duration::from_millis(400);
/// What may be spent on vectors after a turn.
const EMBED: Duration = Duration::from_millis(100);
/// Texts that are embedded before the time is looked at.
const EMBED_AT_ONCE: usize = 4;
/// Files of a session's mind are kept for so long.
const MINDS_DAYS: u32 = 30;

/// What is left to do.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Left {
    /// The brief that was said, to be kept for when there is no time to write one.
    pub(crate) brief: Option<Brief>,
    /// What was seen of bindings.
    pub(crate) noticed: SeenBindings,
}

/// What a session has in mind, to be kept once the agent has its answer: it may take as long as the answer itself. The
/// session's turn lasts until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct UnsavedMind {
    minds: Minds,
    session: SessionId,
    /// `None` where it is as it was.
    mind: Option<Mind>,
    _turn: File,
}

impl UnsavedMind {
    pub(crate) fn new(minds: Minds, session: &SessionId, mind: Option<Mind>, turn: File) -> Self {
        Self { minds, session: session.clone(), mind, _turn: turn }
    }

    /// Keeps it.
    pub fn save(&self) -> Result<()> {
        self.mind.as_ref().map_or(Ok(()), |mind| self.minds.save(&self.session, mind))
    }
}

impl Listening<'_> {
    /// Does what was left when an event was answered. Whatever is cut off here, the next one does.
    pub fn rest(&self, event: &Event, reply: &Reply) -> Result<Capture> {
        if !matches!(event.what, What::Started(_)) {
            return Ok(Capture::default());
        }
        self.waits_for_nobody();
        let context = Context { session: Some(event.session.clone()), ..self.context.clone() };
        self.engine.listening(&context).rest_of_start(&event.session, &reply.left)
    }

    /// The rest of the start of a session: what was shown and seen is kept, what waits is taken in, and there is a nap.
    fn rest_of_start(&self, session: &SessionId, left: &Left) -> Result<Capture> {
        let began = Instant::now();
        let mut done = Capture::default();
        if let Some(brief) = &left.brief {
            self.engine.briefing(self.context).keep_brief(brief).ok();
        }
        if !left.noticed.is_empty() {
            let space = self.context.project.space();
            self.engine.watching(self.context).note_seen(space, &left.noticed).ok();
        }
        // What cannot be forgotten now is forgotten by the next session.
        self.engine.erasing().forget_erased_elsewhere().ok();
        let minds = Minds::new(&self.engine.home);
        if let Some(_turn) = minds.lock(session) {
            let mut mind = minds.load(session);
            mind.lately.space = Some(self.context.project.space());
            let before = mind.clone();
            let drained = self.drain_now(&mut mind, None);
            if mind != before {
                minds.save(session, &mind)?;
            }
            done.add(drained?);
        }
        let in_time = Instant::now() + SEED;
        if let Err(error) = self.engine.keeping(self.context).seed(Some(in_time)) {
            // The next session reads the files again.
            note_failure(
                &self.engine.home,
                self.engine.now(),
                "read flat files",
                &error.to_string(),
                Damage::None,
            );
        }
        done.add(self.catch_up_others(began, &minds));
        self.engine.recalling(self.context).settle_recalls()?;
        self.sleep_a_little(NAP)?;
        Ok(done)
    }

    /// An answer is over: what it showed is counted, and what is new gets its vectors.
    pub(crate) fn settle(&self) -> Result<()> {
        self.engine.recalling(self.context).settle_recalls()?;
        // Last, for it may take longer than there is time.
        self.embed_within(Instant::now(), EMBED)?;
        self.engine.indexes.keep(self.engine)
    }

    /// Takes in what the journal holds of one session, whichever project it belongs to.
    pub fn catch_up_session(&self, session: &SessionId, minds: &Minds) -> Result<Capture> {
        let Some(_turn) = minds.lock(session) else { return Ok(Capture::default()) };
        let journal = Journal::new(&self.engine.home);
        let waiting = journal.read(session, journal.drained(session)).unwrap_or_default();
        let project =
            waiting.entries.iter().find_map(|(_, entry)| project_of(&self.engine.home, entry));
        let project = project.unwrap_or_else(|| self.context.project.clone());
        let there = Context { project, session: Some(session.clone()), ..self.context.clone() };
        let mut mind: Mind = minds.load(session);
        mind.lately.space = Some(there.project.space());
        let done = self.engine.capturing(&there).drain(session, &mut mind, Some(Flush::Ending))?;
        self.engine.listening(&there).take_to_mind(&mut mind)?;
        minds.save(session, &mind)?;
        Ok(done)
    }

    /// Takes in what the journals of all sessions hold, for whoever has time: hooks that were cut off left it there.
    pub fn catch_up_all(&self) -> Capture {
        let minds = Minds::new(&self.engine.home);
        let waiting = Journal::new(&self.engine.home).undrained().unwrap_or_default();
        let mut done = Capture::default();
        for session in waiting {
            // One that cannot be taken in keeps no other waiting; it stays in the journal.
            done.add(self.catch_up_session(&session, &minds).unwrap_or_default());
        }
        done
    }

    /// Gives vectors to what has none, until the time is up.
    fn embed_within(&self, began: Instant, most: Duration) -> Result<()> {
        let space = self.context.project.space();
        while began.elapsed() < most {
            if self.engine.vectors().embed_missing(space, EMBED_AT_ONCE, &mut |_| ())? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// A session has ended, and nobody waits: what the next one asks for is brought here, and there is sleep.
    pub(crate) fn last_rest(&self) -> Result<()> {
        self.copy_indexes()?;
        self.sleep_a_little(SLEEP)?;
        self.organise_a_little(SLEEP)
    }

    /// Copies what a server has of the project's indexes, where there is time: a prompt's hook has none to read them.
    fn copy_indexes(&self) -> Result<()> {
        let Some(most) = self.engine.store.hold_max() else { return Ok(()) };
        let left = self.engine.until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left < COPY) {
            return Ok(());
        }
        self.engine.indexes.copy(self.engine, &self.context.reach().spaces, most)
    }

    /// Goes over what waits, as far as there is time.
    pub(crate) fn sleep_a_little(&self, most: Duration) -> Result<()> {
        let now = Instant::now();
        let until =
            self.engine.until.and_then(|until| until.checked_sub(SLICE)).unwrap_or(now + most);
        if now < until {
            self.engine.sleeping(self.context).sleep_until(until.min(now + most))?;
        }
        Ok(())
    }

    /// Organises what is known, if that is due and the memory is small enough to do it here: as far as there is time.
    pub(crate) fn organise_a_little(&self, most: Duration) -> Result<()> {
        let now = Instant::now();
        let until =
            self.engine.until.and_then(|until| until.checked_sub(SLICE)).unwrap_or(now + most);
        if now >= until {
            return Ok(());
        }
        let context = Context { door: Door::Upkeep, session: None, ..self.context.clone() };
        let sleeping = self.engine.sleeping(&context);
        let due = sleeping.deep_due(false)?;
        if due.why.is_some() && due.corpus <= DEEP_BESIDE_MAX {
            sleeping.sleep_deep_until(until.min(now + most))?;
        }
        Ok(())
    }

    /// Takes in what sessions left behind that never ended: a little at a time, oldest first.
    fn catch_up_others(&self, began: Instant, minds: &Minds) -> Capture {
        let journal = Journal::new(&self.engine.home);
        let mut done = Capture::default();
        for session in journal.undrained().unwrap_or_default() {
            if began.elapsed() >= SWEEP {
                break;
            }
            if Some(&session) == self.context.session.as_ref() {
                continue;
            }
            // One that cannot be taken in keeps nobody else waiting; it stays in the journal.
            done.add(self.catch_up_session(&session, minds).unwrap_or_default());
        }
        minds.sweep(MINDS_DAYS, self.engine.now());
        Tellings::new(&self.engine.home).sweep(self.engine.now());
        done
    }
}
