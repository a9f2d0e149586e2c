//! A session's mind between two hooks: its hot graph, what the gate watches, what was heard lately.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use throughline_attention::hot::Hot;
use throughline_core::policy::ActivationPolicy;
use throughline_core::reading::Piece;
use throughline_core::{
    Episode, EpisodeId, MemoryId, NodeId, SessionId, SpaceId, Speaker, Timestamp, text, words,
};
use throughline_language::Turn;
use throughline_language::gate::Watch;
use throughline_language::probe;

use super::Captured;
use super::heard::{HEARD_CHARS, kept_part};
use super::holds::{Holds, ToldApart};
use super::runs::let_go;
use crate::apply::TurnSource;
use crate::helper::Helpers;
use crate::reading::{Nearby, pieces_of};
use crate::sidecar::Sidecars;
use crate::{Error, Result};

/// Turns that are kept as what was said before.
const HEARD_MAX: usize = 24;
/// Characters of a prompt that its topic is taken from.
const TOPIC_CHARS: usize = 2_000;
/// What is less present than this has left its mind.
const IN_MIND_FROM: f64 = 0.05;
/// Memories that it has in mind at most.
const IN_MIND_MAX: usize = 8;
/// Turns after which something shown may be said again.
const SEEN_TURNS: u32 = 30;
/// Minds that are looked through for the last one of a project.
const LATEST_MAX: usize = 16;
/// Calls of tools that are told apart.
const MET_MAX: usize = 64;

/// What a session has in mind.
#[derive(Debug, Clone, PartialEq)]
pub struct Mind {
    /// What it is about.
    pub hot: Hot,
    /// What the gate watches.
    pub watch: Watch,
    pub(crate) lately: Lately,
    /// How far apart two captures of one turn may lie.
    pub(super) apart_days: f64,
}

impl Default for Mind {
    fn default() -> Self {
        Self {
            hot: Hot::default(),
            watch: Watch::default(),
            lately: Lately::default(),
            apart_days: super::TOLD_TWICE_DAYS,
        }
    }
}

/// What happened lately.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Lately {
    /// Where the session's project keeps its memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) space: Option<SpaceId>,
    /// What was heard.
    pub(super) heard: VecDeque<HeardTurn>,
    /// What was warned of, and at which turn.
    pub(crate) warned: BTreeMap<MemoryId, u32>,
    /// Calls of tools that were told already: some agents tell them twice.
    met: VecDeque<String>,
    /// What was to be checked before anybody builds on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) to_check: Vec<MemoryId>,
    /// Since when the agent sees what it is shown: what came before was taken from its context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sees_since: Option<Timestamp>,
    /// What the conversation was told and still holds.
    pub(crate) holds: Holds,
    /// With the last prompt the agent was asked to keep what the reader could not tell.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) asked_to_keep: bool,
    /// What is known of its helpers.
    #[serde(skip_serializing_if = "Helpers::is_empty")]
    pub(crate) helpers: Helpers,
}

/// Where a sidecar keeps what happened lately.
const LATELY: &str = "lately";

impl Mind {
    /// The mind that a sidecar holds, and whether all of it was understood. What was not begins
    /// anew.
    fn of(mut hot: Hot) -> (Self, bool) {
        let gate = Some(std::mem::take(&mut hot.gate)).filter(|gate| !gate.is_null());
        let watch = gate.map(serde_json::from_value).transpose();
        let lately = hot.extra.remove(LATELY).map(serde_json::from_value).transpose();
        let whole = watch.is_ok() && lately.is_ok();
        let (watch, lately) = (watch.unwrap_or_default(), lately.unwrap_or_default());
        let mind = Self {
            hot,
            watch: watch.unwrap_or_default(),
            lately: lately.unwrap_or_default(),
            ..Self::default()
        };
        (mind, whole)
    }

    /// The mind of somebody who reads a transcript.
    pub(super) fn reading() -> Self {
        Self { apart_days: super::WRITTEN_DOWN_DAYS, ..Self::default() }
    }

    /// The same as a sidecar holds it.
    fn to_hot(&self) -> Hot {
        let mut hot = self.hot.clone();
        hot.gate = serde_json::to_value(&self.watch).unwrap_or_default();
        let lately = serde_json::to_value(&self.lately).unwrap_or_default();
        hot.extra.insert(LATELY.to_owned(), lately);
        hot
    }
}

/// The minds of all sessions, each in a file.
#[derive(Debug, Clone)]
pub struct Minds(Sidecars);

impl Minds {
    /// The minds under `home`. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self(Sidecars::new(home))
    }

    /// The turn to change a session's mind; `None` if somebody else has it and does not let go.
    pub(crate) fn lock(&self, session: &SessionId) -> Option<std::fs::File> {
        self.0.turn(session, None).ok()
    }

    /// The same for whoever has less time.
    pub(crate) fn lock_within(&self, session: &SessionId, wait: Duration) -> Option<std::fs::File> {
        self.0.turn(session, Some(wait)).ok()
    }

    /// The sessions that have a mind.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.0.sessions().unwrap_or_default()
    }

    /// Where a session's mind is kept.
    pub(super) fn path(&self, session: &SessionId) -> PathBuf {
        self.0.path(session)
    }

    /// Removes what was set aside because it could not be read.
    pub(super) fn clear_aside(&self) -> std::io::Result<()> {
        self.0.clear_aside()
    }

    /// What a session has in mind; nothing where none was kept or it cannot be read. What cannot be
    /// read lies aside, where `doctor` finds it.
    pub fn load(&self, session: &SessionId) -> Mind {
        let Ok(loaded) = self.0.load(session) else { return Mind::default() };
        let (mut mind, whole) = Mind::of(loaded.hot);
        if !whole {
            self.0.copy_aside(session);
        }
        if let Some(told) = self.told_apart(session) {
            mind.take_apart(told);
        }
        mind
    }

    /// Keeps what a session has in mind.
    pub fn save(&self, session: &SessionId, mind: &Mind) -> Result<()> {
        let failed = |source| Error::File { path: self.0.path(session), source };
        self.0.save(session, &mind.to_hot()).map_err(failed)?;
        // It is part of the mind now.
        self.0.remove_beside(session).map_err(failed)
    }

    /// Notes what a session was told, without waiting for its turn.
    pub(crate) fn tell_apart(&self, told: &ToldApart) -> Result<()> {
        let bytes = serde_json::to_vec(told).expect("plain data serialises");
        let failed = |source| Error::File { path: self.0.path(&told.session), source };
        self.0.put_beside(&told.session, &bytes).map_err(failed)
    }

    /// What a session was told that its mind does not know of yet.
    pub(super) fn told_apart(&self, session: &SessionId) -> Option<ToldApart> {
        let told: ToldApart = serde_json::from_slice(&self.0.beside(session)?).ok()?;
        (told.session == *session).then_some(told)
    }

    /// What another session of the same project had in mind last.
    pub(crate) fn latest_of(&self, space: SpaceId, but: Option<&SessionId>) -> Option<Mind> {
        let newest = self.0.newest(LATEST_MAX).ok()?;
        newest
            .into_iter()
            .filter(|session| Some(session) != but)
            .map(|session| self.load(&session))
            .find(|mind| mind.lately.space == Some(space) && !mind.lately.heard.is_empty())
    }

    /// The project that a session works in, as far as its hooks told.
    pub fn space_of(&self, session: &SessionId) -> Option<SpaceId> {
        self.load(session).lately.space
    }

    /// The session of a project whose mind changed last.
    pub(crate) fn latest_session_of(&self, space: SpaceId) -> Option<SessionId> {
        let newest = self.0.newest(LATEST_MAX).ok()?;
        newest.into_iter().find(|session| self.load(session).lately.space == Some(space))
    }

    /// Removes what was not touched for long.
    pub(crate) fn sweep(&self, days: u32, now: Timestamp) {
        // A file that stays is no harm.
        drop(self.0.sweep(days, now));
    }
}

/// A turn that was heard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct HeardTurn {
    pub(super) turn: Captured,
    pub(super) episode: EpisodeId,
    /// Whether the probe has looked at it.
    pub(super) probed: bool,
    /// Whether memories rest on it.
    #[serde(default)]
    pub(super) kept: bool,
    /// What the reader makes of it, as long as it waits for the probe.
    #[serde(skip)]
    pieces: Option<Vec<Piece>>,
    /// The memories that may be about it, once they were looked up.
    #[serde(skip)]
    pub(super) nearby: Option<Nearby>,
    /// Whether it was not taken to mind yet.
    #[serde(skip)]
    fresh: bool,
}

/// A turn as it was read.
pub(super) struct ReadTurn<'a> {
    /// What the agent said before it.
    pub(super) before: Option<String>,
    pub(super) turn: &'a str,
    pub(super) episode: EpisodeId,
    pub(super) pieces: &'a mut Vec<Piece>,
    pub(super) nearby: &'a mut Option<Nearby>,
}

impl HeardTurn {
    pub(super) fn source(&self) -> TurnSource {
        TurnSource { speaker: self.turn.speaker, at: self.turn.at, episode: Some(self.episode) }
    }

    pub(super) fn as_turn(&self) -> Turn<'_> {
        Turn { pieces: self.pieces.as_deref(), ..self.turn.as_turn() }
    }
}

impl Mind {
    /// What was said lately, oldest first, and by whom.
    pub(crate) fn heard_words(&self) -> impl Iterator<Item = (Speaker, &str)> {
        self.lately.heard.iter().map(|one| (one.turn.speaker, one.turn.text.as_str()))
    }

    /// Whether a turn that is known went through the gate. One that this session has not heard was
    /// written by somebody who was cut off right after; a transcript tells nothing about that.
    pub(super) fn went_through(&self, episode: EpisodeId) -> bool {
        let reads = self.apart_days > super::TOLD_TWICE_DAYS;
        reads || self.lately.heard.iter().any(|one| one.episode == episode)
    }

    /// Whether a call is met for the first time.
    pub(super) fn meets(&mut self, call: &str) -> bool {
        if self.lately.met.iter().any(|met| met == call) {
            return false;
        }
        self.lately.met.push_back(call.to_owned());
        if self.lately.met.len() > MET_MAX {
            self.lately.met.pop_front();
        }
        true
    }

    /// Keeps a turn as what was said before.
    pub(super) fn hear(&mut self, turn: &Captured, episode: EpisodeId, policy: &ActivationPolicy) {
        let mut turn = turn.clone();
        turn.text.truncate(kept_part(&turn.text).len());
        if let Some(run) = &mut turn.run {
            let end = run.output.floor_char_boundary(HEARD_CHARS);
            run.output.truncate(end);
        }
        self.lately.heard.push_back(HeardTurn {
            turn,
            episode,
            probed: false,
            kept: false,
            pieces: None,
            nearby: None,
            fresh: true,
        });
        while self.lately.heard.len() > HEARD_MAX {
            self.lately.heard.remove(let_go(&self.lately.heard));
        }
        if self.lately.heard.back().is_some_and(|one| one.turn.speaker == Speaker::User) {
            let end = self.lately.heard.back().map_or("", |one| one.turn.text.as_str());
            let terms = words::query_terms(text::cut(end, TOPIC_CHARS));
            self.hot.next_turn(&terms, policy);
        }
    }

    /// Lets the reader read the turn that was heard last. `None` where nobody but a program spoke.
    pub(super) fn read_last(&mut self) -> Option<ReadTurn<'_>> {
        let last = self.lately.heard.len().checked_sub(1)?;
        self.read(last);
        let before = self.before(last, &self.lately.heard[last].turn.text).map(str::to_owned);
        let HeardTurn { turn, episode, pieces, nearby, .. } = &mut self.lately.heard[last];
        let (turn, episode) = (turn.text.as_str(), *episode);
        Some(ReadTurn { before, turn, episode, pieces: pieces.as_mut()?, nearby })
    }

    /// Whether something of what a person says now may be kept.
    pub(crate) fn would_keep(&self, said: &str) -> bool {
        let pieces =
            pieces_of(self.before(self.lately.heard.len(), said), said).unwrap_or_default();
        probe::matters_at_once(&pieces)
    }

    /// Whether what a person says now may presuppose that something changed.
    pub(crate) fn may_presuppose(&self, said: &str) -> bool {
        let pieces =
            pieces_of(self.before(self.lately.heard.len(), said), said).unwrap_or_default();
        probe::likeliest_change(&pieces).is_some()
    }

    /// Whether something of what a person says now may last, and is not kept.
    pub(crate) fn is_unsure_of(&self, said: &str) -> bool {
        let spoken = |one: &&HeardTurn| {
            one.turn.speaker == Speaker::User && said.starts_with(&one.turn.text)
        };
        let unsure = |pieces: &[Piece]| pieces.iter().any(probe::is_unsure);
        match self.lately.heard.back().filter(spoken) {
            // It was taken in already. What forms found in it is kept, however it was read.
            Some(HeardTurn { pieces: Some(pieces), kept, .. }) => {
                unsure(pieces) && (!kept || pieces.iter().any(probe::is_kept))
            }
            _ => pieces_of(self.before(self.lately.heard.len(), said), said)
                .is_some_and(|pieces| unsure(&pieces)),
        }
    }

    /// The turn that was heard last, as far as it is read, with its pieces.
    pub(super) fn last_read(&self) -> Option<(&str, Option<&[Piece]>)> {
        let last = self.lately.heard.back()?;
        Some((&last.turn.text, last.pieces.as_deref()))
    }

    /// What a turn is said to.
    fn before(&self, at: usize, said: &str) -> Option<&str> {
        let earlier = self.lately.heard.range(..at).rev();
        probe::said_to(said, earlier.map(|it| (it.turn.speaker, it.turn.text.as_str())))
    }

    /// Lets the reader read what waits for the probe.
    pub(super) fn read_all(&mut self) {
        for at in 0..self.lately.heard.len() {
            self.read(at);
        }
    }

    fn read(&mut self, at: usize) {
        let one = &self.lately.heard[at];
        if one.probed || one.pieces.is_some() || one.turn.speaker != Speaker::User {
            return;
        }
        self.lately.heard[at].pieces = pieces_of(self.before(at, &one.turn.text), &one.turn.text);
    }

    /// Notes that the turn that was heard last was known already, and is context.
    pub(super) fn is_known(&mut self) {
        if let Some(last) = self.lately.heard.back_mut() {
            last.probed = true;
        }
    }

    /// What a person said lately and no memory tells, the last first, as it was kept.
    pub(crate) fn said(&self, space: SpaceId) -> impl Iterator<Item = Episode> {
        let spoken = |one: &&HeardTurn| !one.kept && one.turn.speaker == Speaker::User;
        self.lately.heard.iter().rev().filter(spoken).map(move |one| Episode {
            id: one.episode,
            space,
            session: SessionId(String::new()),
            position: 0,
            turn: None,
            speaker: one.turn.speaker.as_str().to_owned(),
            at: one.turn.at,
            text: one.turn.text.clone(),
            person: None,
        })
    }

    /// The turns that were heard lately.
    pub(crate) fn turns(&self) -> impl Iterator<Item = EpisodeId> {
        self.lately.heard.iter().map(|one| one.episode)
    }

    /// Files that tools touched lately.
    pub(crate) fn files(&self) -> Vec<String> {
        let runs = self.lately.heard.iter().filter_map(|one| one.turn.run.as_ref());
        let mut files: Vec<String> = runs.flat_map(|run| run.call.files.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// The turns that were heard and not taken to mind yet. They are from now on.
    pub(crate) fn take_fresh(&mut self) -> Vec<Captured> {
        let fresh = self.lately.heard.iter_mut().filter(|one| one.fresh);
        fresh
            .map(|one| {
                one.fresh = false;
                one.turn.clone()
            })
            .collect()
    }

    /// Memories that were shown last and that the agent has before it, the latest first.
    pub(crate) fn shown_lately(&self, most: usize) -> Vec<MemoryId> {
        let from = self.hot.context_from;
        let mut shown: Vec<(u32, MemoryId)> = self
            .hot
            .surfaced
            .iter()
            .filter(|(_, turn)| **turn >= from)
            .map(|(id, turn)| (*turn, *id))
            .collect();
        shown.sort_unstable_by(|a, b| b.cmp(a));
        shown.into_iter().take(most).map(|(_, id)| id).collect()
    }

    /// The memories it has in mind, the most present first: in focus, and shown lately. What lies
    /// further from the focus, over these edges, is less present.
    pub(crate) fn in_mind(
        &self,
        edges: &[(NodeId, NodeId)],
        policy: &ActivationPolicy,
    ) -> Vec<MemoryId> {
        let present = self.hot.present(Some(edges), policy).into_iter();
        present
            .filter(|(_, value)| *value >= IN_MIND_FROM)
            .filter_map(|(node, _)| node.memory())
            .take(IN_MIND_MAX)
            .collect()
    }

    /// Memories that the agent was shown for the topic at hand and still has before it.
    pub(crate) fn sees(&self) -> Vec<MemoryId> {
        let hot = &self.hot;
        hot.surfaced.keys().copied().filter(|id| hot.was_shown(*id, SEEN_TURNS)).collect()
    }

    /// Whether the agent was told a memory with a prompt and still has it before it. What the brief
    /// told it at the beginning does not count: it is said again where it acts.
    pub(crate) fn was_told_with_prompt(&self, id: MemoryId) -> bool {
        let began = self.lately.holds.brief.as_ref();
        self.sees().contains(&id) && !began.is_some_and(|brief| brief.memories.contains(&id))
    }

    /// When the prompt came that the agent works on, as far as it was taken in.
    pub(crate) fn last_prompt_at(&self) -> Option<Timestamp> {
        let said = |one: &&HeardTurn| one.turn.speaker == Speaker::User;
        self.lately.heard.iter().rev().find(said).map(|one| one.turn.at)
    }

    /// Memories that were put in front of this session.
    pub fn shown(&self) -> impl Iterator<Item = MemoryId> {
        self.hot.surfaced.keys().copied()
    }

    /// Turns, turns that the gate noticed, probes.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.watch.turns, self.watch.fired, self.watch.probes)
    }
}
