//! Ingest: turns of past sessions come in as episodes. Coming in twice changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use throughline_core::row::Session;
use throughline_core::text::sha256_hex;
use throughline_core::{
    Cause, Change, Episode, EpisodeId, RowKey, SessionId, SpaceId, Speaker, Table, Timestamp,
};

use crate::capture::unknown;
use crate::clean::{Cleaner, clean_name};
use crate::flows::Capturing;
use crate::transaction::Transaction;
use crate::{Error, NamedBy, Result};

/// Turns kept in one batch, so that others may write in between.
const AT_ONCE: usize = 512;

/// One turn, as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastTurn {
    /// The session it belongs to.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub speaker: String,
    /// What.
    pub text: String,
    /// The caller's own name for it.
    pub id: Option<String>,
}

/// Turns without secrets. What one shows of a session goes from all turns of that session.
fn cleaned(turns: &[PastTurn], home: &Path) -> Vec<PastTurn> {
    let mut cleaners: BTreeMap<SessionId, Cleaner> = BTreeMap::new();
    let of = |session: &SessionId| Cleaner::of(home, Some(session));
    for turn in turns.iter().filter(|turn| turn.speaker == Speaker::User.as_str()) {
        Cleaner::note_named_by_person(home, &turn.session, std::iter::once(&turn.text));
    }
    let mut turns = turns.to_vec();
    for turn in &mut turns {
        turn.speaker = clean_name(&turn.speaker);
        turn.id = turn.id.as_deref().map(clean_name);
        let session = &turn.session;
        cleaners.entry(session.clone()).or_insert_with(|| of(session)).redact(&mut turn.text);
    }
    for turn in &mut turns {
        cleaners.entry(turn.session.clone()).or_default().take_out(&mut turn.text);
    }
    cleaners.iter_mut().for_each(|(session, cleaner)| {
        cleaner.keep(home, Some(session), NamedBy::Others);
    });
    turns
}

/// What became of the turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ingested {
    /// Sessions among them.
    pub sessions: usize,
    /// Turns that came in.
    pub turns: usize,
    /// Episodes that are new.
    pub episodes: usize,
    /// Turns that were known.
    pub duplicates: usize,
    /// Turns that say nothing.
    pub skipped: usize,
}

impl Capturing<'_> {
    /// Takes in turns, in the order they were said within each session, and gives them vectors. A
    /// session comes whole: its turns are counted from the first one given.
    pub fn ingest(
        &self,
        agent: &str,
        turns: &[PastTurn],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Ingested> {
        let space = self.context.scope().space;
        let (mut done, episodes) = self.episodes(space, turns)?;
        for (at, some) in episodes.chunks(AT_ONCE).enumerate() {
            let (new, _) = self.engine.write(self.context, Cause::Capture, None, |tx| {
                let new = unknown(&**tx, some)?;
                for episode in &new {
                    attend(tx, episode, agent)?;
                    tx.push(Change::Record((*episode).clone()));
                }
                Ok(new.len())
            })?;
            done.episodes += new;
            progress((at * AT_ONCE + some.len()).min(episodes.len()));
        }
        done.duplicates = done.turns - done.skipped - done.episodes;
        self.engine.vectors().embed_missing(space, usize::MAX, &mut |_| ())?;
        Ok(done)
    }

    /// What [`Self::ingest`] would do, without doing it.
    pub fn plan_ingest(&self, turns: &[PastTurn]) -> Result<Ingested> {
        let (mut done, episodes) = self.episodes(self.context.scope().space, turns)?;
        done.episodes = unknown(&*self.engine.now_reader()?, &episodes)?.len();
        done.duplicates = done.turns - done.skipped - done.episodes;
        Ok(done)
    }

    /// The episodes that turns become, each once, and what was counted on the way.
    fn episodes(&self, space: SpaceId, turns: &[PastTurn]) -> Result<(Ingested, Vec<Episode>)> {
        let mut done = Ingested { turns: turns.len(), ..Ingested::default() };
        let mut positions: BTreeMap<&SessionId, u64> = BTreeMap::new();
        let mut said: BTreeMap<String, u64> = BTreeMap::new();
        let mut met = BTreeSet::new();
        let mut episodes = Vec::with_capacity(turns.len());
        let cleaned = cleaned(turns, &self.engine.home);
        for (turn, clean) in turns.iter().zip(&cleaned) {
            let position = positions.entry(&turn.session).or_default();
            if turn.text.trim().is_empty() {
                done.skipped += 1;
            } else {
                self.check_turn(turn)?;
                let id = named_by_content(space, clean, &mut said);
                if met.insert(id) {
                    episodes.push(episode(id, space, clean, *position));
                }
            }
            *position += 1;
        }
        done.sessions = positions.len();
        Ok((done, episodes))
    }

    fn check_turn(&self, turn: &PastTurn) -> Result<()> {
        let max = self.engine.policy.limits.turn_bytes_max;
        if turn.text.len() > max {
            return Err(Error::BadInput(format!(
                "a turn of session {} has {} bytes; at most {max} can be kept",
                turn.session,
                turn.text.len()
            )));
        }
        self.engine.keeping(self.context).check_field(&turn.session.0)?;
        self.engine.keeping(self.context).check_field(&turn.speaker)
    }
}

/// What opencode wrote down of its sessions, as lines of JSON; `within` leaves those of one folder.
/// Its database is only looked at, also while it runs.
pub fn opencode_lines(path: &Path, within: Option<&Path>) -> Result<String> {
    throughline_store::opencode_lines(path, within)
        .map_err(|error| Error::BadInput(format!("{} cannot be read: {error}", path.display())))
}

/// Notes the session of an episode, if it is met for the first time.
fn attend(tx: &mut Transaction<'_>, episode: &Episode, agent: &str) -> Result<()> {
    let key =
        RowKey { space: episode.space, table: Table::Session, key: episode.session.to_string() };
    if tx.rows(&[key])?[0].is_none() {
        let session = episode.session.clone();
        tx.push(Change::Attend(Session::new(session, episode.space, agent, episode.at)));
    }
    Ok(())
}

fn episode(id: EpisodeId, space: SpaceId, turn: &PastTurn, position: u64) -> Episode {
    Episode {
        id,
        space,
        session: turn.session.clone(),
        position,
        turn: turn.id.clone(),
        speaker: turn.speaker.clone(),
        at: turn.at,
        text: turn.text.clone(),
        person: None,
    }
}

/// An id made of where and what, so that the same turn has the same id every time: by the caller's
/// name for it, else by when it was said and, of several alike, which of them it is.
fn named_by_content(
    space: SpaceId,
    turn: &PastTurn,
    said: &mut BTreeMap<String, u64>,
) -> EpisodeId {
    let what = format!("{space}\n{}\n{}\n{}", turn.session, turn.speaker, turn.text);
    let named = match &turn.id {
        Some(id) => format!("{what}\nturn {id}"),
        None => {
            let what = format!("{what}\n{}", turn.at);
            let before = said.entry(what.clone()).or_default();
            *before += 1;
            format!("{what}\n{before}")
        }
    };
    id_of(&named)
}

/// The id of an episode that is known by these words.
pub(crate) fn id_of(named: &str) -> EpisodeId {
    let digest = sha256_hex(named.as_bytes());
    let number = u128::from_str_radix(&digest[..32], 16).expect("thirty-two hex digits");
    EpisodeId(uuid::Builder::from_custom_bytes(number.to_be_bytes()).into_uuid())
}
