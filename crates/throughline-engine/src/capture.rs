//! Capture: what an agent tells becomes episodes, and what is worth it becomes memories.
//!
//! An event lies in the journal before anything else happens to it. From there it is drained into
//! the store: every turn as an episode; the gate says when to probe; the probe's patch goes through
//! the one door with the episodes, in one batch. Draining twice changes nothing.

mod forget;
mod holds;
mod mind;
mod past;
mod read;
mod tell;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use throughline_core::event::{Event, What};
use throughline_core::gate::{self, Fired, Flush, When};
use throughline_core::patch::Patch;
use throughline_core::row::Session;
use throughline_core::{
    Cause, Change, Episode, EpisodeId, MemoryId, NodeId, Row, RowKey, SessionId, SpaceId, Table,
    Timestamp, probe,
};
use throughline_store::Reader;

use crate::apply::{Ground, Source, turn_of};
use crate::engine::Draft;
use crate::journal::{Entry, Journal};
use crate::{Context, Engine, Project, Result, Roots};

pub(crate) use forget::erased;
pub(crate) use holds::{Briefed, ToldApart};
pub use mind::{Mind, Minds};
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
}

impl Capture {
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
    }
}

/// A patch, and who said what it rests on.
struct Probed {
    patch: Patch,
    sources: Vec<Source>,
    /// What was heard, as it was told.
    turns: Vec<Captured>,
}

/// Turns taken through the gate, before anything is written.
struct Pass {
    episodes: Vec<Episode>,
    probed: Vec<Probed>,
    /// What was looked through at the end without the gate's asking.
    swept: Vec<Probed>,
    fired: Vec<Fired>,
}

impl Engine {
    /// Takes in what the journal holds of a session and the store does not.
    ///
    /// `flush` probes what still waits, whatever the gate thinks of it.
    pub fn drain(
        &self,
        context: &Context,
        session: &SessionId,
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Capture> {
        let journal = Journal::new(&self.home);
        let mut done = Capture::default();
        loop {
            let after = journal.drained(session);
            let file = |source| crate::Error::File { path: self.home.join("journal"), source };
            let read = journal.read(session, after).map_err(file)?;
            let moved = read.end > after;
            let agent = read.entries.first().map(|(_, one)| one.agent.clone());
            let turns: Vec<Captured> =
                read.entries.iter().flat_map(|(_, one)| tell::turns_in(one)).collect();
            let flush = flush.or_else(|| read.entries.iter().find_map(|(_, one)| ends(one)));
            let agent = agent.unwrap_or_else(|| "agent".to_owned());
            done.add(self.take_in_turns(context, session, Some(&agent), &turns, mind, flush)?);
            if moved {
                // Before the mark: what is only in mind would be lost with whoever is cut off here.
                Minds::new(&self.home).save(session, mind)?;
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
        context: &Context,
        session: &SessionId,
        agent: Option<&str>,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Capture> {
        let context = Context { session: Some(session.clone()), ..context.clone() };
        let space = context.project.space();
        let mut next = mind.clone();
        let mut pass = self.judge_turns(&context, session, turns, &mut next, flush)?;
        if agent.is_none() {
            pass.episodes.clear();
            pass.probed
                .iter_mut()
                .chain(&mut pass.swept)
                .flat_map(|one| &mut one.sources)
                .for_each(|one| {
                    one.episode = None;
                });
        }
        let mut done =
            Capture { turns: turns.len(), probes: pass.probed.len(), ..Capture::default() };
        done.fired = pass.fired;
        if pass.episodes.is_empty() && pass.probed.is_empty() && pass.swept.is_empty() {
            *mind = next;
            return Ok(done);
        }
        let shown = self.shown_texts(&context, &next)?;
        let bearings = self.bearings_of_claims(&context, pass.probed.iter().chain(&pass.swept))?;
        let (wrote, _) = self.write(&context, Cause::Capture, None, |reader, draft| {
            let mut wrote = Capture::default();
            draft.scope.space = space;
            draft.bearings = bearings.clone();
            let new = unknown(reader, &pass.episodes)?;
            // Erased while it was being read: nothing that rests on it comes in either.
            if !erased(reader, space, &pass.episodes)?.is_empty() {
                pass.probed.clear();
                pass.swept.clear();
            }
            if let Some(agent) = agent {
                attend(reader, draft, session, agent, &next, &pass.episodes)?;
            }
            for episode in &new {
                draft.changes.push(Change::Record((*episode).clone()));
            }
            wrote.episodes = new.len();
            wrote.duplicates = pass.episodes.len() - new.len();
            for one in pass.probed.iter().chain(&pass.swept) {
                let ground = Ground {
                    sources: &one.sources,
                    shown: &shown,
                    revive: false,
                    root: &context.project.root,
                    turns: &one.turns,
                    by_model: false,
                };
                let applied = self.apply(reader, draft, &one.patch, &ground)?;
                wrote.memories.extend(applied.memories);
                wrote.reinforced.extend(applied.reinforced);
                wrote.superseded.extend(applied.superseded);
                wrote.deferred += applied.deferred;
            }
            wrote.checked =
                self.confirm_by_tools(reader, draft, &context, turns, &next.lately.to_check)?;
            Ok(wrote)
        })?;
        done.add(wrote);
        *mind = next;
        Ok(done)
    }

    /// Lets the gate judge every turn, and the probe look at what it lets through.
    fn judge_turns(
        &self,
        context: &Context,
        session: &SessionId,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Pass> {
        let space = context.project.space();
        let policy = gate::GatePolicy::default();
        let mut pass =
            Pass { episodes: Vec::new(), probed: Vec::new(), swept: Vec::new(), fired: Vec::new() };
        let mut said = BTreeMap::new();
        for turn in turns {
            if turn.text.trim().is_empty() || turn.id.as_ref().is_some_and(|id| !mind.meets(id)) {
                continue;
            }
            // Not held while the turn is read: there is one reader of the store at a time.
            let reader = self.now_reader()?;
            let (episode, known) =
                name(&*reader, space, session, turn, &mut said, mind.apart_days)?;
            if !erased(&*reader, space, std::slice::from_ref(&episode))?.is_empty() {
                continue;
            }
            drop(reader);
            if known && mind.went_through(episode.id) {
                // It went through the gate when it came in; now it is only what was said before.
                mind.hear(turn, episode.id, &self.policy.activation);
                mind.is_known();
                pass.episodes.push(episode);
                continue;
            }
            let (verdict, watch) = gate::judge(&mind.watch, &turn.for_gate(), &policy);
            mind.watch = watch;
            pass.fired.extend(verdict.fired);
            mind.hear(turn, episode.id, &self.policy.activation);
            pass.episodes.push(episode);
            let holds = self.read_last(context, mind)?;
            if holds || matches!(verdict.probe, When::Now(_)) {
                pass.probed.extend(self.probe(mind, turn.at));
            }
        }
        if let Some(why) = flush {
            let at = turns.last().map_or_else(|| self.now(), |turn| turn.at);
            if gate::flush(&mind.watch, why) {
                pass.probed.extend(self.probe(mind, at));
            } else {
                // Rules cost nothing: what the gate found nothing in is still looked through once.
                let probes = mind.watch.clone();
                pass.swept.extend(self.probe(mind, at));
                mind.watch = probes;
            }
        }
        Ok(pass)
    }

    /// Probes what was heard since the last time, with what was said before as context.
    fn probe(&self, mind: &mut Mind, at: Timestamp) -> Option<Probed> {
        mind.read_all();
        mind.watch = gate::probed(mind.watch.clone(), at);
        let heard = &mind.lately.heard;
        let said: Vec<probe::Said<'_>> = heard.iter().map(mind::Heard::for_probe).collect();
        // What was probed before is context now, and must not be taken in twice.
        let first = heard.iter().position(|one| !one.probed)?;
        let patch = probe::probe_since(&said, first, &probe::ProbePolicy::default());
        let sources = heard.iter().map(mind::Heard::source).collect();
        let turns = heard.iter().map(|one| one.turn.clone()).collect();
        let told: BTreeSet<usize> = patch.operations.iter().filter_map(turn_of).collect();
        for (at, one) in mind.lately.heard.iter_mut().enumerate() {
            one.probed = true;
            one.kept |= told.contains(&at);
        }
        Some(Probed { patch, sources, turns })
    }

    /// The texts of what was put in front of this session.
    pub(crate) fn shown_texts(&self, context: &Context, mind: &Mind) -> Result<Vec<String>> {
        let reader = self.now_reader()?;
        let spaces = context.reach().spaces;
        let keys: Vec<RowKey> = mind
            .shown()
            .flat_map(|id| spaces.iter().map(move |space| RowKey::memory(*space, id)))
            .collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        Ok(rows.filter_map(|row| row.into_memory().map(|memory| memory.content)).collect())
    }
}

/// Whether an entry ends a stretch of work: what waits is probed.
fn ends(entry: &Entry) -> Option<Flush> {
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
    reader: &dyn Reader,
    draft: &mut Draft,
    session: &SessionId,
    agent: &str,
    mind: &Mind,
    episodes: &[Episode],
) -> Result<()> {
    let space = draft.scope.space;
    let key = RowKey { space, table: Table::Session, key: session.to_string() };
    let known = match reader.rows(&[key])?.remove(0) {
        Some(Row::Session(known)) => Some(known),
        _ => None,
    };
    let started_at = episodes.first().map_or(draft.now, |one| one.at);
    let begun = || Session::new(session.clone(), space, agent, started_at);
    let mut noted = known.clone().unwrap_or_else(begun);
    // A mind that begins anew, as for a transcript, has counted less than was counted before.
    let (turns, fired, probes) = mind.counts();
    noted.turns = noted.turns.max(turns);
    noted.fired = noted.fired.max(fired);
    noted.probes = noted.probes.max(probes);
    if known.as_ref() != Some(&noted) {
        draft.changes.push(Change::Attend(noted));
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
pub(crate) fn project_of(home: &Path, entry: &Entry) -> Option<Project> {
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
    entry: &Entry,
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
    let what = format!("{space}\n{session}\n{}\n{}", turn.speaker(), turn.text);
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
                speaker: turn.speaker().to_owned(),
                at: held.unwrap_or(turn.at),
                text: turn.text.clone(),
            };
            return Ok((episode, held.is_some()));
        }
    }
    unreachable!("a session does not say the same four thousand million times")
}
