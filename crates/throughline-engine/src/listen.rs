//! Listen: an event comes in from an agent, and a few lines may go back.
//!
//! The event lies in the journal already. Everything here may fail or be cut off, and nothing that
//! was told is lost by that: what is not drained now is drained by the next event, or by the next
//! session.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use throughline_attention::activation;
use throughline_attention::hot::FocusSurroundings;
use throughline_core::Speaker;
use throughline_core::event::{Event, Start, What};
use throughline_core::permission::Door;
use throughline_core::row::Session;
use throughline_core::{Cause, Change, MemoryId, Row, RowKey, Table};
use throughline_language::gate::{self, Due, Flush, ProbeWhen};
use throughline_language::question::{self, Question};
use throughline_store::Error as StoreError;

use crate::capture::{Capture, Captured, Mind, Minds};
use crate::flows::Listening;
use crate::rest::{Left, UnsavedMind};
use crate::verify::QUEUED_IN_MIND;
use crate::{Ask, Brief, Context, Error, Result, Said, crowd};

/// How long whoever is waited for waits for the writer's turn, and for the session's. A correction that
/// is taken in first is not said as if it held; but nobody gets no answer because others write.
const TURN: Duration = Duration::from_millis(60);
/// An answer that was not even begun when this share of the time was gone (40 of 300 ms) is late because
/// others keep the machine busy: it is given from what is known, and what was told waits in the journal.
const HURRY: (u32, u32) = (2, 15);
/// On a machine that is crowded, so much of the time (5 of 300 ms) says the same.
const HURRY_IN_A_CROWD: u32 = 60;
/// Whoever has used up this share of the time (75 of 300 ms) looks by words alone.
const LATE: u32 = 4;

/// What is kept of a question beside what the journal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptOfPrompt {
    /// What it asked for in vain.
    WhatIsMissing,
    Nothing,
    /// Nothing is said, so there is nothing to keep of it.
    Unheard,
}

/// What goes back to the agent, and what was done on the way.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// What is put in front of the agent.
    pub said: Said,
    /// What was captured.
    pub capture: Capture,
    /// What could not be taken in, and why; it waits in the journal.
    pub trouble: Option<String>,
    /// What is left for when the answer has been given.
    pub(crate) left: Left,
}

impl Reply {
    /// Leaves a brief unkept: it was written before a secret was taken out of what it tells.
    pub fn forget_brief(&mut self) {
        self.left.brief = None;
    }

    /// What was captured, or why nothing was: saying what is known does not depend on it.
    fn after(captured: Result<Capture>) -> Self {
        let put_off = is_put_off(&captured);
        match captured {
            Ok(capture) => Self { capture, ..Self::default() },
            Err(_) if put_off => Self::default(),
            Err(error) => Self { trouble: Some(error.to_string()), ..Self::default() },
        }
    }

    /// What could not be noted is no reason to say nothing.
    pub(crate) fn note(&mut self, noted: Result<()>) {
        if let Err(error) = noted {
            self.trouble = Some(error.to_string());
        }
    }
}

impl Listening<'_> {
    /// Takes in an event, and says what the agent should know now.
    pub fn listen(&self, event: &Event) -> Result<Reply> {
        self.listen_and(event, KeptOfPrompt::WhatIsMissing).map(settled)
    }

    /// The same for who answers the agent first, and keeps what the session has in mind afterwards.
    pub fn listen_first(&self, event: &Event) -> Result<(Reply, Option<UnsavedMind>)> {
        self.listen_and(event, KeptOfPrompt::WhatIsMissing)
    }

    /// The same where the host does not hear what we would say: the event is only taken in.
    pub fn only_listen(&self, event: &Event) -> Result<Reply> {
        self.listen_and(event, KeptOfPrompt::Unheard).map(settled)
    }

    /// The same where nothing that is said may be kept: not even that something was asked in vain.
    pub fn overhear(&self, event: &Event) -> Result<Reply> {
        self.listen_and(event, KeptOfPrompt::Nothing).map(settled)
    }

    fn listen_and(
        &self,
        event: &Event,
        keep: KeptOfPrompt,
    ) -> Result<(Reply, Option<UnsavedMind>)> {
        if is_waited_for(&event.what) {
            self.engine.waited_for.store(true, Ordering::Relaxed);
            self.engine.store.wait_at_most(self.patience().min(self.time_left()));
        } else {
            self.waits_for_nobody();
        }
        let reply = self.listen_in_turn(event, keep);
        self.waits_for_nobody();
        reply
    }

    fn listen_in_turn(
        &self,
        event: &Event,
        keep: KeptOfPrompt,
    ) -> Result<(Reply, Option<UnsavedMind>)> {
        let session = Some(event.session.clone());
        let context = Context { session, door: Door::Hook, ..self.context.clone() };
        self.engine.listening(&context).answer(event, keep)
    }

    /// Takes in an event of this session, and says what fits.
    fn answer(&self, event: &Event, keep: KeptOfPrompt) -> Result<(Reply, Option<UnsavedMind>)> {
        let session = &event.session;
        let minds = Minds::new(&self.engine.home);
        // One event of a session at a time; whoever comes too early only listens. What waits in the
        // journal is taken in by whoever has the session's mind next.
        let turn = if is_waited_for(&event.what) {
            minds.lock_within(session, self.patience())
        } else {
            minds.lock(session)
        };
        let may_drain = turn.is_some();
        let mut mind: Mind = minds.load(session);
        mind.lately.space = Some(self.context.project.space());
        let before = mind.clone();
        let helper = event.helper.as_deref();
        let reply = match &event.what {
            What::Started(start) => self.begin(*start, &mut mind, &minds),
            What::Prompted { text } => self.hear_prompt(text, &mut mind, keep, may_drain),
            What::ToolStarts(call) => self.warn_of(helper, call, false, &mut mind),
            What::ToolsRan(runs) => match runs.first() {
                Some(run) => self.warn_of(helper, &run.call, true, &mut mind),
                None => Ok(Reply::default()),
            },
            What::HelperAsked { text, kind } => {
                if keep != KeptOfPrompt::Nothing {
                    mind.lately.helpers.asked(kind.as_deref(), text);
                }
                Ok(Reply::default())
            }
            What::HelperStarts { kind, task } => {
                self.brief_helper(helper, kind.as_deref(), task.as_deref(), &mut mind)
            }
            What::Answered { .. } | What::HelperAnswered { .. } if may_drain => {
                self.after_turn(&mut mind, None)
            }
            What::Compacting if may_drain => {
                let reply = self.after_turn(&mut mind, Some(Flush::Compacting));
                // Not every host says so again when it is done: then it is told with a prompt.
                mind.lose_context(self.engine.now());
                mind.lately.holds.due = true;
                reply
            }
            What::Ended if may_drain => self.end(&mut mind),
            What::Answered { .. }
            | What::HelperAnswered { .. }
            | What::Compacting
            | What::Ended
            | What::Compacted { .. }
            | What::Nothing { .. } => Ok(Reply::default()),
        };
        let changed = mind != before;
        let unsaved =
            turn.map(|turn| UnsavedMind::new(minds, session, changed.then_some(mind), turn));
        if reply.is_ok() && !nobody_waits(&event.what) {
            return Ok((reply?, unsaved));
        }
        let saved = unsaved.as_ref().map_or(Ok(()), UnsavedMind::save);
        let mut reply = reply?;
        reply.note(saved);
        if may_drain {
            self.settle()?;
        }
        Ok((reply, None))
    }

    /// A session begins: what matters is said. It is read and nothing is written before it is said,
    /// so that nobody who writes keeps it waiting; what is left is done by [`Listening::rest`].
    fn begin(&self, start: Start, mind: &mut Mind, minds: &Minds) -> Result<Reply> {
        let last = minds.latest_of(self.context.project.space(), self.context.session.as_ref());
        // What cannot be looked at now is looked at by the next session.
        let mut reply = Reply::default();
        let (woken, noticed) =
            self.engine.watching(self.context).look_without_noting().unwrap_or_default();
        let to_check =
            self.engine.watching(self.context).to_check_among(woken.stale(), QUEUED_IN_MIND)?;
        mind.lately.to_check = to_check.iter().map(|one| one.card.memory.id).collect();
        let brief = self.open_conversation(start, mind, last.as_ref(), &to_check)?;
        reply.note(self.engine.recalling(self.context).note_shown(
            &brief.memories,
            brief.tokens,
            true,
        ));
        let fresh = matches!(start, Start::Startup | Start::Clear);
        let left = Left { brief: fresh.then(|| brief.clone()), noticed };
        Ok(Reply { said: Said::by_brief(brief), left, ..reply })
    }

    /// A person asks. What the prompt means is worked out beside what comes before it is needed.
    fn hear_prompt(
        &self,
        text: &str,
        mind: &mut Mind,
        keep: KeptOfPrompt,
        may_drain: bool,
    ) -> Result<Reply> {
        std::thread::scope(|beside| {
            // Where others keep the machine busy, one after the other takes less.
            if keep != KeptOfPrompt::Unheard && !self.is_hurried() {
                beside.spawn(|| self.engine.meaning.of_query(text));
            }
            self.answer_prompt(text, mind, keep, may_drain)
        })
    }

    /// Answers a prompt. What a person decides or corrects in it is taken in first, so that nothing is said
    /// that they have just taken back.
    fn answer_prompt(
        &self,
        text: &str,
        mind: &mut Mind,
        keep: KeptOfPrompt,
        may_drain: bool,
    ) -> Result<Reply> {
        let turn = Captured::said(self.engine.now(), Speaker::User, text);
        let policy = gate::GatePolicy::default();
        let (verdict, _) = gate::judge(&mind.watch, &turn.as_turn(), &policy);
        let hurried = self.is_hurried();
        let by_words = hurried && self.spares_meaning();
        // Whatever else waits is taken in when the agent has answered, and nobody waits for that.
        let strong = matches!(verdict.probe, ProbeWhen::Now(Due::Strong));
        let wanted = || strong || mind.would_keep(text);
        let may_drain = may_drain && !hurried;
        let at_once = may_drain && wanted();
        let drained = if at_once { self.drain_now(mind, None) } else { Ok(Capture::default()) };
        if verdict.topic_changed && !mind.speaks_of_focus(text, &self.engine.policy.activation) {
            mind.hot.topic_changed();
        }
        let told = keep;
        // What is not taken in yet may be the very thing that is missing.
        let keep = match keep {
            KeptOfPrompt::WhatIsMissing if hurried || is_put_off(&drained) => KeptOfPrompt::Nothing,
            KeptOfPrompt::WhatIsMissing | KeptOfPrompt::Nothing | KeptOfPrompt::Unheard => keep,
        };
        let mut reply = Reply::after(drained);
        if keep == KeptOfPrompt::Unheard {
            return Ok(reply);
        }
        let asked = question::understand(text, self.engine.now());
        let asking = match told {
            KeptOfPrompt::Nothing | KeptOfPrompt::Unheard => Said::default(),
            KeptOfPrompt::WhatIsMissing => self.ask_to_keep(text, &asked, mind, hurried),
        };
        let mut brief = Brief::default();
        if !asked.small_talk {
            brief = self.brief_with_prompt(mind)?;
            reply.note(self.engine.recalling(self.context).note_shown(
                &brief.memories,
                brief.tokens,
                true,
            ));
        }
        let mut ask = self.ask_of(text, &asked, mind)?;
        ask.arms.vectors = !by_words;
        // What this very prompt says is not told back, new or said again.
        ask.already.extend(reply.capture.claimed());
        let mut recall = self.engine.recalling(self.context).recall(&ask)?;
        if may_drain
            && !at_once
            && mind.may_presuppose(text)
            && self.engine.capturing(self.context).presupposes_a_change(text, &recall)?
        {
            reply = Reply::after(self.drain_now(mind, None));
            ask.already.extend(reply.capture.claimed());
            recall = self.engine.recalling(self.context).recall(&ask)?;
        }
        let noted = recall.memories();
        // What this prompt is about and the session was told before counts as used, unless the prompt itself said it.
        let mut used = recall.told_before();
        used.retain(|(_, id)| mind.sees().contains(id));
        if !asked.small_talk && !used.is_empty() {
            reply.note(self.engine.recalling(self.context).note_used(used));
        }
        reply.note(match keep {
            KeptOfPrompt::WhatIsMissing => self.engine.recalling(self.context).note_recall(&recall),
            KeptOfPrompt::Nothing | KeptOfPrompt::Unheard => {
                self.engine.recalling(self.context).note_shown(&noted, recall.tokens, false)
            }
        });
        let shown: Vec<MemoryId> = noted.into_iter().map(|(_, id)| id).collect();
        self.present(mind, &shown);
        let said = Said::by_brief(brief).and(Said::by_recall(&recall)).and(asking);
        mind.hold(&Brief { turns: recall.turns(), memories: recall.hinted, ..Brief::default() });
        Ok(Reply { said, ..reply })
    }

    /// What a prompt asks of recall.
    fn ask_of<'a>(&self, text: &'a str, asked: &Question, mind: &Mind) -> Result<Ask<'a>> {
        Ok(Ask {
            question: Some(asked.clone()),
            episodes: is_asking(asked),
            shown_since: mind.lately.sees_since,
            unheard: true,
            already: mind.sees(),
            quoted: mind.lately.holds.quoted.iter().copied().collect(),
            named: mind.lately.holds.named.iter().copied().collect(),
            rules: self.engine.recalling(self.context).rules_for(text)?,
            triggered: self.engine.recalling(self.context).triggered_by(text)?,
            focus: self.focus_of(asked, mind)?,
            ..Ask::new(text, self.engine.policy.recall)
        })
    }

    /// How far everything lies from what the session is about. Nothing is read where nothing is in focus,
    /// or the prompt asks nothing of memory.
    fn focus_of(&self, asked: &Question, mind: &Mind) -> Result<FocusSurroundings> {
        if asked.small_talk || mind.hot.focus(&self.engine.policy.activation).is_empty() {
            return Ok(FocusSurroundings::default());
        }
        let reader = self.engine.now_reader()?;
        self.engine.recalling(self.context).around(&*reader, &mind.hot)
    }

    /// The agent has answered, or its context is about to be made shorter.
    fn after_turn(&self, mind: &mut Mind, flush: Option<Flush>) -> Result<Reply> {
        let capture = self.drain_now(mind, flush)?;
        if flush.is_some() {
            self.settle_mind(mind)?;
        }
        Ok(Reply { capture, ..Reply::default() })
    }

    /// The session ends.
    fn end(&self, mind: &mut Mind) -> Result<Reply> {
        let reply = self.after_turn(mind, Some(Flush::Ending))?;
        self.close()?;
        // What was asked in vain is on record before it is looked at.
        self.engine.recalling(self.context).settle_recalls()?;
        self.draft_answers(mind)?;
        if let Err(error) = self.last_rest() {
            // Nothing is lost by that: the next sleep has it before it.
            return Ok(Reply { trouble: Some(error.to_string()), ..reply });
        }
        Ok(reply)
    }

    /// How long whoever asked still waits.
    fn time_left(&self) -> Duration {
        self.engine
            .until
            .map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }

    /// How long others are waited for.
    fn patience(&self) -> Duration {
        if self.is_hurried() { Duration::ZERO } else { TURN }
    }

    /// Whether much of the time is gone before anything was done.
    fn is_hurried(&self) -> bool {
        let (Some(told), Some(until)) = (self.engine.told, self.engine.until) else { return false };
        let (gone, all) = (told.elapsed(), until.saturating_duration_since(told));
        gone >= all * HURRY.0 / HURRY.1 || crowd::is_crowded(gone >= all / HURRY_IN_A_CROWD)
    }

    /// Whether what a prompt means is not worked out: in a crowd that takes the processor from everybody else, and who is
    /// this late would have no answer.
    fn spares_meaning(&self) -> bool {
        let (Some(told), Some(until)) = (self.engine.told, self.engine.until) else { return false };
        let (gone, all) = (told.elapsed(), until.saturating_duration_since(told));
        gone >= all / LATE || crowd::is_crowded(true)
    }

    /// The answer has been given.
    pub(crate) fn waits_for_nobody(&self) {
        self.engine.waited_for.store(false, Ordering::Relaxed);
        self.engine.store.wait_at_most(self.time_left());
        self.engine.store.answer_until(None);
    }

    pub(crate) fn drain_now(&self, mind: &mut Mind, flush: Option<Flush>) -> Result<Capture> {
        let Some(session) = &self.context.session else { return Ok(Capture::default()) };
        let capture = self.engine.capturing(self.context).drain(session, mind, flush)?;
        for id in capture.memories.iter().chain(&capture.reinforced) {
            mind.hot.touch(
                (*id).into(),
                "",
                activation::Touch::Mention,
                &self.engine.policy.activation,
            );
        }
        self.take_to_mind(mind)?;
        // What an agent wrote into a file that agents read is its own word: it is read before anybody else is told.
        self.engine.keeping(self.context).seed_by_agent(&capture.calls)?;
        Ok(capture)
    }

    /// Counts what this session had in mind together, through the one door.
    fn settle_mind(&self, mind: &mut Mind) -> Result<()> {
        let settlement = mind.hot.to_settle(&self.engine.policy.activation);
        if settlement.is_empty() {
            return Ok(());
        }
        self.engine.recalling(self.context).count_in_mind(&settlement)?;
        mind.hot.settled(&settlement);
        Ok(())
    }

    /// Notes that a session has ended.
    fn close(&self) -> Result<()> {
        let Some(session) = self.context.session.clone() else { return Ok(()) };
        let space = self.context.project.space();
        self.engine
            .write(self.context, Cause::Capture, None, |tx| {
                let key = RowKey { space, table: Table::Session, key: session.to_string() };
                if let Some(Row::Session(known)) = tx.rows(&[key])?.remove(0)
                    && known.ended_at.is_none()
                {
                    let ended = Session { ended_at: Some(tx.now), ..known };
                    tx.push(Change::Attend(ended));
                }
                Ok(())
            })
            .map(drop)
    }

    /// What was put in front of the agent is in its mind.
    pub(crate) fn present(&self, mind: &mut Mind, shown: &[MemoryId]) {
        for id in shown {
            mind.hot.touch(
                (*id).into(),
                "",
                activation::Touch::CoUse,
                &self.engine.policy.activation,
            );
        }
        mind.hot.shown(shown);
    }
}

/// What was said, once what the session has in mind is kept.
fn settled((mut reply, unsaved): (Reply, Option<UnsavedMind>)) -> Reply {
    reply.note(unsaved.as_ref().map_or(Ok(()), UnsavedMind::save));
    reply
}

/// Whether others write: what waits in the journal is taken in by whoever has the turn next.
fn is_put_off(captured: &Result<Capture>) -> bool {
    matches!(captured, Err(Error::Store(StoreError::Busy { .. })))
}

/// Whether an agent waits for what is said.
fn is_waited_for(what: &What) -> bool {
    matches!(what, What::Started(_) | What::Prompted { .. } | What::ToolStarts(_))
}

/// Whether an event ends something, and no answer is waited for.
fn nobody_waits(what: &What) -> bool {
    match what {
        What::Answered { .. } | What::HelperAnswered { .. } | What::Compacting | What::Ended => {
            true
        }
        What::Started(_)
        | What::Prompted { .. }
        | What::ToolStarts(_)
        | What::ToolsRan(_)
        | What::HelperAsked { .. }
        | What::HelperStarts { .. }
        | What::Compacted { .. }
        | What::Nothing { .. } => false,
    }
}

/// Whether a prompt asks something that what was said before may answer.
pub(crate) fn is_asking(question: &Question) -> bool {
    !question.small_talk && (question.recalls || question.ask != question::AskKind::Statement)
}
