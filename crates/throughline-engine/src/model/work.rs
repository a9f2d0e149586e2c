//! Work: everything that nobody waits for, one worker at a time, until there is nothing left.

use throughline_core::MemoryId;

use super::read::StretchRead;
use super::state::{want_work_at, work_begun, worker_turn};
use super::{HeldBack, Llm, SOON_MS};
use crate::flows::Working;
use crate::{Context, Result};

/// Stretches of one run: whoever goes on for ever is stopped here, and goes on the next time.
const STRETCHES_MAX: usize = 1_000;
/// How often a session is looked at anew because something in it changed.
const ANEW_MAX: usize = 3;

/// Milliseconds after which what is not due yet will be.
const LATER_MS: i64 = 15 * 60_000;

/// What is worked off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// What is due, until nothing is.
    Due,
    /// Everything that waits, once.
    Everything,
}

/// What a worker did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Worked {
    /// Somebody else is at work, and nothing was done.
    pub elsewhere: bool,
    /// Turns that were read.
    pub turns: usize,
    /// Questions that were asked about them.
    pub asked: usize,
    /// Tokens that were spent.
    pub tokens: u64,
    /// Memories that are new.
    pub memories: Vec<MemoryId>,
    /// Memories that gained evidence.
    pub reinforced: Vec<MemoryId>,
    /// Memories that were replaced.
    pub superseded: usize,
    /// Pairs that were compared.
    pub pairs: usize,
    /// Pairs that contradict each other.
    pub contested: usize,
    /// Operations that wait for a person.
    pub deferred: usize,
    /// Lines for a file that were worded.
    pub worded: usize,
    /// Texts that got a vector from the service.
    pub embedded: usize,
    /// Why something still waits.
    pub held: Option<String>,
    /// Turns that still wait.
    pub left: usize,
}

impl Working<'_> {
    /// Works off what waits. `progress` hears how many turns and texts are done.
    pub fn work(
        &self,
        llm: Option<&Llm>,
        here: &Context,
        what: Work,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Worked> {
        let mut worked = Worked::default();
        let Some(_turn) = worker_turn(&self.engine.home) else {
            return Ok(Worked { elsewhere: true, ..worked });
        };
        work_begun(&self.engine.home);
        let mut held = None;
        if let Some(llm) = llm {
            held = self.read_all(llm, here, what, &mut worked, progress)?;
            // What holds for one session holds nobody else back.
            if held.as_ref().is_none_or(|held| held.until.is_none()) {
                let compared = self.compare_new(llm, here)?;
                worked.pairs = compared.pairs;
                worked.contested = compared.contested;
                worked.superseded += compared.superseded;
                worked.tokens += compared.tokens;
                held = compared.held.or(held);
            }
            if held.as_ref().is_none_or(|held| held.until.is_none()) {
                let worded = self.word_lines(llm, here)?;
                worked.worded = worded.lines;
                worked.tokens += worded.tokens;
                held = worded.held.or(held);
            }
            worked.left = self.waiting_for_model()?.turns;
        }
        let done = worked.turns;
        let now = self.engine.now().as_millis();
        match self.engine.vectors().embed_elsewhere(&mut |made| progress(done + made)) {
            Ok(embedded) => worked.embedded = embedded,
            Err(why) => held = held.or(Some(HeldBack { why, until: Some(now + SOON_MS) })),
        }
        match &held {
            Some(held) => {
                let at = held.until.unwrap_or(now + LATER_MS);
                want_work_at(&self.engine.home, at, held.until.is_some());
            }
            None if worked.left > 0 => want_work_at(&self.engine.home, now + LATER_MS, false),
            None => {}
        }
        worked.held = held.map(|held| held.why);
        Ok(worked)
    }

    fn read_all(
        &self,
        llm: &Llm,
        here: &Context,
        what: Work,
        worked: &mut Worked,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Option<HeldBack>> {
        let mut anew = 0;
        let mut passed_over: Vec<(throughline_core::SpaceId, throughline_core::SessionId)> =
            Vec::new();
        let mut held_back = None;
        for _ in 0..STRETCHES_MAX {
            let now = self.engine.now();
            let mut unread = self.unread()?;
            unread.retain(|one| what == Work::Everything || one.is_due(now));
            unread.retain(|one| !passed_over.contains(&(one.space, one.session.clone())));
            let Some(next) = unread.first() else { break };
            match self.read_stretch(llm, next, here)? {
                StretchRead::Done { applied, turns, asked, tokens } => {
                    worked.turns += turns;
                    worked.asked += usize::from(asked);
                    worked.tokens += tokens;
                    worked.memories.extend(applied.memories);
                    worked.reinforced.extend(applied.reinforced);
                    worked.superseded += applied.superseded.len();
                    worked.deferred += applied.deferred;
                    progress(worked.turns);
                    anew = 0;
                }
                StretchRead::Changed { tokens } => {
                    worked.tokens += tokens;
                    anew += 1;
                    if anew >= ANEW_MAX {
                        passed_over.push((next.space, next.session.clone()));
                        anew = 0;
                    }
                }
                // What holds for one session need not hold for the others.
                StretchRead::Held(held) if held.until.is_none() => {
                    passed_over.push((next.space, next.session.clone()));
                    held_back = Some(held);
                }
                StretchRead::Held(held) => return Ok(Some(held)),
            }
        }
        Ok(held_back)
    }
}
