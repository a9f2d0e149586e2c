//! Capture: what an agent tells becomes episodes, and what is worth it becomes memories.
//!
//! An event lies in the journal before anything else happens to it. From there it is drained into
//! the store: every turn as an episode; the gate says when to probe; the probe's patch goes through
//! the one door with the episodes, in one batch. Draining twice changes nothing.

mod aside;
mod forget;
mod heard;
mod holds;
mod judge;
mod mind;
mod past;
mod read;
mod runs;
mod tell;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use throughline_core::event::{Event, ToolCall, What};
use throughline_core::row::Session;
use throughline_core::{
    Cause, Change, Episode, EpisodeId, MemoryId, NodeId, Row, RowKey, SessionId, SpaceId, Table,
    Timestamp,
};
use throughline_language::gate::{Fired, Flush};
use throughline_store::Reader;

use crate::apply::{Applied, PatchGround};
use crate::flows::Capturing;
use crate::journal::{Journal, JournalEntry};
use crate::reading::Bearings;
use crate::transaction::Transaction;
use crate::{Context, Project, Result, Roots};

pub use aside::{Comes, Meets, ReadAside, ReadPiece};
pub(crate) use forget::erased;
pub(crate) use heard::kept_part;
pub(crate) use holds::{Briefed, ToldApart};
use judge::Pass;
pub use mind::{Mind, Minds};
pub(crate) use read::before;
pub use tell::{Captured, turns_of};

/// What capturing did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Capture {
    /// Turns that came in.
    pub turns: usize,
    /// Episodes that are new.
    pub episodes: usize,
    /// Turns that were known.
    pub duplicates: usize,
    /// How often the probe ran.
    pub probes: usize,
    /// What the gate noticed.
    pub fired: Vec<Fired>,
    /// Memories that are new.
    pub memories: Vec<MemoryId>,
    /// Memories that gained evidence.
    pub reinforced: Vec<MemoryId>,
    /// Memories that were replaced.
    pub superseded: Vec<MemoryId>,
    /// Memories that a tool's result bore out.
    pub checked: Vec<MemoryId>,
    /// Operations that wait for a person.
    pub deferred: usize,
    /// What tools did to files, or may have done by a command.
    pub(crate) calls: Vec<ToolCall>,
}

impl Capture {
    /// The memories that were claimed, new or once more.
    pub(crate) fn claimed(&self) -> impl Iterator<Item = MemoryId> {
        self.memories.iter().chain(&self.reinforced).copied()
    }

    /// Adds what was captured besides.
    pub fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.episodes += other.episodes;
        self.duplicates += other.duplicates;
        self.probes += other.probes;
        self.fired.extend(other.fired);
        self.memories.extend(other.memories);
        self.reinforced.extend(other.reinforced);
        self.superseded.extend(other.superseded);
        self.checked.extend(other.checked);
        self.deferred += other.deferred;
        self.calls.extend(other.calls);
    }
}

/// Turns that are about to be written, and what was looked up for them before.
struct TurnsToWrite<'a> {
    context: &'a Context,
    session: &'a SessionId,
    /// `None` where the episodes are somebody else's business.
    agent: Option<&'a str>,
    turns: &'a [Captured],
    mind: &'a Mind,
    /// What was put in front of the session.
    shown: Vec<String>,
    /// How what is about to be claimed bears on what is held.
    bearings: Bearings,
}

impl Capturing<'_> {
    /// Takes in what the journal holds of a session and the store does not.
    ///
    /// `flush` probes what still waits, whatever the gate thinks of it.
    pub fn drain(
        &self,
        session: &SessionId,
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Capture> {
        let journal = Journal::new(&self.engine.home);
        let (mut done, mut entries_max) = (Capture::default(), None);
        loop {
            let after = journal.drained(session);
            entries_max = journal.entries_max(session, after).or(entries_max);
            let file =
                |source| crate::Error::File { path: self.engine.home.join("journal"), source };
            let opened = journal.open_now(session);
            let read = journal.read(session, after).map_err(file)?;
            let read = journal.first_of(session, read, entries_max.unwrap_or(usize::MAX));
            let moved = read.end > after;
            if read.entries.len() > 1 {
                journal.note_tried(session, after, read.entries.len());
            }
            let agent = read.entries.first().map(|(_, one)| one.agent.clone());
            let turns: Vec<Captured> =
                read.entries.iter().flat_map(|(_, one)| tell::turns_in(one)).collect();
            let flush = flush.or_else(|| read.entries.iter().find_map(|(_, one)| ends(one)));
            let agent = agent.unwrap_or_else(|| "agent".to_owned());
            let is_current = || journal.is_still(session, opened.as_ref());
            let taken =
                self.take_in_while(&is_current, session, Some(&agent), &turns, mind, flush)?;
            let Some(taken) = taken else { continue };
            done.add(taken);
            if moved {
                // Before the mark: what is only in mind would be lost with whoever is cut off here.
                Minds::new(&self.engine.home).save(session, mind)?;
                journal.set_drained_to(session, &read).map_err(file)?;
            }
            if !read.more {
                return Ok(done);
            }
        }
    }

    /// Takes in turns of one session, in their order: episodes, and what the probe makes of them.
    ///
    /// `agent` is `None` where the episodes are somebody else's business.
    pub(crate) fn take_in_turns(
        &self,
        session: &SessionId,
        agent: Option<&str>,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Capture> {
        let taken = self.take_in_while(&|| true, session, agent, turns, mind, flush)?;
        Ok(taken.unwrap_or_default())
    }

    /// The same for turns that may be taken in only as long as they are what their source still says: `None`
    /// where it changed before they could be written.
    fn take_in_while(
        &self,
        is_current: &dyn Fn() -> bool,
        session: &SessionId,
        agent: Option<&str>,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Option<Capture>> {
        let context = Context { session: Some(session.clone()), ..self.context.clone() };
        let here = self.engine.capturing(&context);
        here.take_in_here(is_current, session, agent, turns, mind, flush)
    }

    /// The same where the session is the context's own.
    fn take_in_here(
        &self,
        is_current: &dyn Fn() -> bool,
        session: &SessionId,
        agent: Option<&str>,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Option<Capture>> {
        let mut next = mind.clone();
        let mut pass = self.judge_turns(session, turns, &mut next, flush)?;
        if agent.is_none() {
            pass.without_episodes();
        }
        let mut done =
            Capture { turns: turns.len(), probes: pass.probed.len(), ..Capture::default() };
        done.fired = std::mem::take(&mut pass.fired);
        let ran = turns.iter().filter_map(|turn| turn.run.as_ref()).map(|run| &run.call);
        done.calls = ran.filter(|call| call.writes || call.command.is_some()).cloned().collect();
        if pass.is_empty() {
            *mind = next;
            return Ok(Some(done));
        }
        let shown = self.shown_texts(&next)?;
        let bearings = self.bearings_of_claims(pass.patches())?;
        let heard = TurnsToWrite {
            context: self.context,
            session,
            agent,
            turns,
            mind: &next,
            shown,
            bearings,
        };
        let (wrote, _) = self.engine.write(self.context, Cause::Capture, None, |tx| {
            // When it is our turn: whoever takes a secret out of a journal comes to the store after that.
            if !is_current() {
                return Ok(None);
            }
            let (wrote, _) = self.plan_turns(tx, &heard, &mut pass)?;
            Ok(Some(wrote))
        })?;
        let Some(wrote) = wrote else { return Ok(None) };
        done.add(wrote);
        *mind = next;
        Ok(Some(done))
    }

    /// Adds turns that were judged to a transaction: episodes, and what came of each patch.
    fn plan_turns(
        &self,
        tx: &mut Transaction<'_>,
        heard: &TurnsToWrite<'_>,
        pass: &mut Pass,
    ) -> Result<(Capture, Vec<Applied>)> {
        let space = heard.context.project.space();
        let mut wrote = Capture::default();
        tx.scope.space = space;
        tx.bearings = heard.bearings.clone();
        let new = unknown(&**tx, &pass.episodes)?;
        // Erased while it was being read: nothing that rests on it comes in either.
        if !erased(&**tx, space, &pass.episodes)?.is_empty() {
            pass.probed.clear();
            pass.swept.clear();
        }
        if let Some(agent) = heard.agent {
            attend(tx, heard.session, agent, heard.mind, &pass.episodes)?;
        }
        for episode in &new {
            tx.push(Change::Record((*episode).clone()));
        }
        for aside in &pass.asides {
            tx.extend(aside.links(space, tx.now).map(Change::Link));
        }
        wrote.episodes = new.len();
        wrote.duplicates = pass.episodes.len() - new.len();
        let mut applied = Vec::new();
        for one in pass.patches() {
            let ground = PatchGround {
                sources: &one.sources,
                shown: &heard.shown,
                revive: false,
                root: &heard.context.project.root,
                turns: &one.turns,
                by_model: false,
            };
            let one = self.engine.keeping(self.context).apply(tx, &one.patch, &ground)?;
            wrote.memories.extend(&one.memories);
            wrote.reinforced.extend(&one.reinforced);
            wrote.superseded.extend(&one.superseded);
            wrote.deferred += one.deferred;
            applied.push(one);
        }
        let to_check = &heard.mind.lately.to_check;
        wrote.checked =
            self.engine.watching(heard.context).confirm_by_tools(tx, heard.turns, to_check)?;
        self.engine.watching(heard.context).refute_by_tools(tx, heard.turns)?;
        let ran: Vec<_> = heard.turns.iter().filter_map(|turn| turn.run.as_ref()).collect();
        let before = heard.mind.runs();
        self.engine.watching(heard.context).note_what_works(tx, heard.session, &ran, &before)?;
        Ok((wrote, applied))
    }

    /// The texts of what was put in front of this session.
    pub(crate) fn shown_texts(&self, mind: &Mind) -> Result<Vec<String>> {
        let reader = self.engine.now_reader()?;
        let spaces = self.context.reach().spaces;
        let keys: Vec<RowKey> = mind
            .shown()
            .flat_map(|id| spaces.iter().map(move |space| RowKey::memory(*space, id)))
            .collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        Ok(rows.filter_map(|row| row.into_memory().map(|memory| memory.content)).collect())
    }
}

/// Whether an entry ends a stretch of work: what waits is probed.
fn ends(entry: &JournalEntry) -> Option<Flush> {
    match &entry.event.what {
        What::Compacting => Some(Flush::Compacting),
        What::Ended => Some(Flush::Ending),
        What::Started(_)
        | What::Prompted { .. }
        | What::ToolStarts(_)
        | What::ToolsRan(_)
        | What::Compacted { .. }
        | What::Answered { .. }
        | What::HelperAsked { .. }
        | What::HelperStarts { .. }
        | What::HelperAnswered { .. }
        | What::Nothing { .. } => None,
    }
}

/// Whether an event holds something that is kept.
pub fn is_kept(event: &Event) -> bool {
    match &event.what {
        What::Nothing { .. } | What::ToolStarts(_) | What::HelperStarts { task: None, .. } => false,
        What::Started(_)
        | What::Prompted { .. }
        | What::ToolsRan(_)
        | What::Compacting
        | What::Compacted { .. }
        | What::Answered { .. }
        | What::HelperAsked { .. }
        | What::HelperStarts { task: Some(_), .. }
        | What::HelperAnswered { .. }
        | What::Ended => true,
    }
}

/// Notes the session, and how its turns fared at the gate.
fn attend(
    tx: &mut Transaction<'_>,
    session: &SessionId,
    agent: &str,
    mind: &Mind,
    episodes: &[Episode],
) -> Result<()> {
    let space = tx.scope.space;
    let key = RowKey { space, table: Table::Session, key: session.to_string() };
    let known = match tx.rows(&[key])?.remove(0) {
        Some(Row::Session(known)) => Some(known),
        _ => None,
    };
    let started_at = episodes.first().map_or(tx.now, |one| one.at);
    let begun = || Session::new(session.clone(), space, agent, started_at);
    let mut noted = known.clone().unwrap_or_else(begun);
    // A mind that begins anew, as for a transcript, has counted less than was counted before.
    let (turns, fired, probes) = mind.counts();
    noted.turns = noted.turns.max(turns);
    noted.fired = noted.fired.max(fired);
    noted.probes = noted.probes.max(probes);
    if known.as_ref() != Some(&noted) {
        tx.push(Change::Attend(noted));
    }
    Ok(())
}

/// The episodes that are not there yet and were never erased, each once.
pub(crate) fn unknown<'a>(
    reader: &dyn Reader,
    episodes: &'a [Episode],
) -> Result<Vec<&'a Episode>> {
    let Some(space) = episodes.first().map(|one| one.space) else { return Ok(Vec::new()) };
    let erased = erased(reader, space, episodes)?;
    let keys: Vec<RowKey> =
        episodes.iter().map(|one| RowKey::node(one.space, NodeId::Episode(one.id))).collect();
    let mut met = BTreeSet::new();
    Ok(episodes
        .iter()
        .zip(reader.rows(&keys)?)
        .filter(|(one, row)| row.is_none() && !erased.contains(&one.mark()) && met.insert(one.id))
        .map(|(one, _)| one)
        .collect())
}

/// The project that an entry of a journal belongs to, if it names one: the one that it was written
/// down for, whatever its folder has become since.
pub(crate) fn project_of(home: &Path, entry: &JournalEntry) -> Option<Project> {
    let root = entry.project.as_ref().or(entry.event.folder.as_ref()).map(Path::new)?;
    Some(match &entry.key {
        Some(key) => Project::recorded(key, root),
        None => Roots::new(home).project_of(root),
    })
}

/// The episode that a turn of a journal is, or would be. `None` where its project is not to be found.
pub(crate) fn named_turn(
    home: &Path,
    reader: &dyn Reader,
    entry: &JournalEntry,
    turn: &Captured,
) -> Result<Option<Episode>> {
    let Some(project) = project_of(home, entry) else { return Ok(None) };
    let (space, session) = (project.space(), &entry.event.session);
    let apart = TOLD_TWICE_DAYS;
    let (episode, _) = name(reader, space, session, turn, &mut BTreeMap::new(), apart)?;
    Ok(Some(episode))
}

/// How far apart two captures of one turn may lie: a hook that is installed twice tells it twice.
pub(crate) const TOLD_TWICE_DAYS: f64 = 2.0 / 86_400.0;
/// The same for a transcript, which has a clock of its own.
const WRITTEN_DOWN_DAYS: f64 = 120.0 / 86_400.0;

/// The episode of a turn, named by session, speaker, words and, of several alike, which of them it
/// is: the same turn has the same name whichever way it comes in. And whether it is known.
fn name(
    reader: &dyn Reader,
    space: SpaceId,
    session: &SessionId,
    turn: &Captured,
    said: &mut BTreeMap<EpisodeId, Timestamp>,
    apart_days: f64,
) -> Result<(Episode, bool)> {
    let what = format!("{space}\n{session}\n{}\n{}", turn.speaker.as_str(), turn.text);
    for nth in 1_u32.. {
        let id = crate::ingest::id_of(&format!("{what}\nsaid {nth}"));
        let held = match said.get(&id) {
            Some(at) => Some(*at),
            None => {
                let row = reader.rows(&[RowKey::node(space, NodeId::Episode(id))])?.remove(0);
                row.and_then(Row::into_episode).map(|known| known.at)
            }
        };
        let same = |held: &Timestamp| turn.at.days_since(*held).abs() <= apart_days;
        if held.as_ref().is_none_or(same) {
            said.insert(id, held.unwrap_or(turn.at));
            let episode = Episode {
                id,
                space,
                session: session.clone(),
                position: turn.at.as_millis().unsigned_abs(),
                turn: turn.id.clone(),
                speaker: turn.speaker.as_str().to_owned(),
                at: held.unwrap_or(turn.at),
                text: turn.text.clone(),
                // Whoever writes it down knows the name.
                person: None,
            };
            return Ok((episode, held.is_some()));
        }
    }
    unreachable!("a session does not say the same four thousand million times")
}
