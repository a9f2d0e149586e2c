//! Reading: a stretch of a session is shown to the model, and what it proposes goes through the one
//! door, together with the mark that it was read.

use std::collections::BTreeSet;

use throughline_core::Speaker;
use throughline_core::permission::Door;
use throughline_core::row::Session;
use throughline_core::scope::Level;
use throughline_core::{
    Cause, Change, Episode, EpisodeId, MemoryId, NodeId, Row, RowKey, SpaceId, State, Table,
    Timestamp, text, words,
};
use throughline_language::proposal::{self, ModelProposal, Window, WindowTurn};
use throughline_llm::{Error as ModelError, ModelRequest};
use throughline_store::{Reader, TextOf, TextQuery};

use super::queue::Unread;
use super::{Account, HeldBack, Llm, Replied, sendable};
use crate::apply::{Applied, PatchGround, Proposed, TurnSource};
use crate::capture::{Captured, Minds, project_of};
use crate::flows::Working;
use crate::journal::Journal;
use crate::{Context, Project, Result};

/// Turns that are shown at once.
const TURNS_MAX: usize = 24;
/// Bytes that are shown at once.
const BYTES_MAX: usize = 24_000;
/// Bytes of one turn: of what was said, and of what a tool printed.
const SAID_BYTES: usize = 4_000;
const PRINTED_BYTES: usize = 1_200;
/// Turns before them, as context.
const BEFORE: usize = 4;
/// Memories that are shown beside them.
const KNOWN: usize = 12;
/// Words that they are looked for by.
const TERMS_MAX: usize = 48;
/// Memories up to which a word is counted: one that more of them hold tells nothing.
const HOLDING_MAX: usize = 2_000;
/// Tokens of an answer.
const ANSWER_TOKENS: u32 = 4_000;

/// What came of a stretch.
#[derive(Debug)]
pub(super) enum StretchRead {
    /// It was read, and so many turns are done with.
    Done { applied: Applied, turns: usize, asked: bool, tokens: u64 },
    /// The model cannot be asked now; everything waits.
    Held(HeldBack),
    /// Something in it changed meanwhile: it is looked at anew.
    Changed { tokens: u64 },
}

/// A stretch of a session, ready to be shown.
struct Stretch {
    window: Window,
    sources: Vec<TurnSource>,
    heard: Vec<Captured>,
    episodes: Vec<Episode>,
    /// The number of the latest change when it was put together.
    seen: u64,
    /// Up to where it goes, and how many turns that is, gone or not.
    read_to: Timestamp,
    turns: usize,
}

impl Stretch {
    /// Whether a person said something in it.
    fn is_worth_a_question(&self) -> bool {
        self.window.turns.iter().any(|one| one.is_new && one.speaker == Speaker::User)
    }
}

impl Working<'_> {
    /// Lets the model read the next stretch of a session.
    pub(super) fn read_stretch(
        &self,
        llm: &Llm,
        unread: &Unread,
        here: &Context,
    ) -> Result<StretchRead> {
        let context = self.context_of(unread, here);
        let (mut most, mut least) = (TURNS_MAX, usize::MAX);
        let mut spent = 0;
        loop {
            let stretch = self.engine.working(&context).stretch(unread, most)?;
            let turns = stretch.turns;
            let empty = ModelProposal::default();
            // Nobody said anything, or it cannot be asked in smaller parts. The rules have read it.
            if !stretch.is_worth_a_question() || turns >= least {
                let applied =
                    self.engine.working(&context).settle_reading(unread, &stretch, &empty)?;
                return Ok(applied.map_or(StretchRead::Changed { tokens: spent }, |applied| {
                    StretchRead::Done { applied, turns, asked: false, tokens: spent }
                }));
            }
            least = turns;
            let prompt = proposal::reading_prompt(&stretch.window);
            let session = unread.session.to_string();
            let schema = proposal::schema();
            let request = ModelRequest {
                system: proposal::READING,
                prompt: &prompt,
                name: "memory_operations",
                schema: &schema,
                tokens_max: ANSWER_TOKENS,
            };
            let asked = match self.ask_model(llm, Account::Session(&session), &request)? {
                Replied::Asked(asked) => asked,
                Replied::Held(held) => return Ok(StretchRead::Held(held)),
            };
            spent += asked.usage.total();
            let proposal = match asked.answer {
                Ok(answer) => proposal::read(&answer, &stretch.window),
                // What it said is kept for a person; asking again would hardly help.
                Err(ModelError::Malformed { why, said }) => unreadable(&why, &said),
                Err(error) if error.is_about_the_question() => {
                    most = (turns / 2).max(1);
                    continue;
                }
                Err(error) => return Ok(StretchRead::Held(self.held_by(&error))),
            };
            let applied =
                self.engine.working(&context).settle_reading(unread, &stretch, &proposal)?;
            return Ok(applied.map_or(StretchRead::Changed { tokens: spent }, |applied| {
                StretchRead::Done { applied, turns, asked: true, tokens: spent }
            }));
        }
    }

    /// Writes what the model made of a stretch, and that it was read. `None` if somebody else read it
    /// meanwhile, or something in it was erased.
    fn settle_reading(
        &self,
        unread: &Unread,
        stretch: &Stretch,
        proposal: &ModelProposal,
    ) -> Result<Option<Applied>> {
        let mind = Minds::new(&self.engine.home).load(&unread.session);
        let shown = self.engine.capturing(self.context).shown_texts(&mind)?;
        let ground = PatchGround {
            sources: &stretch.sources,
            shown: &shown,
            revive: false,
            root: &self.context.project.root,
            turns: &stretch.heard,
            by_model: true,
        };
        let proposed = Proposed { proposal, ground, seen: stretch.seen };
        let (applied, _) = self.engine.write(self.context, Cause::Model, None, |tx| {
            tx.scope.space = unread.space;
            let session = session_of(&**tx, unread)?;
            let keys: Vec<RowKey> = stretch.episodes.iter().map(key_of).collect();
            let now = tx.rows(&keys)?;
            let whole = now.iter().zip(&stretch.episodes).all(|(now, then)| {
                now.as_ref().and_then(Row::as_episode).is_some_and(|now| now.text == then.text)
            });
            let mark = unread.row.as_ref().and_then(|row| row.read_to);
            if !whole || session.read_to != mark {
                return Ok(None);
            }
            let applied = self.engine.keeping(self.context).apply_proposal(tx, &proposed)?;
            tx.push(Change::Attend(Session { read_to: Some(stretch.read_to), ..session }));
            Ok(Some(applied))
        })?;
        Ok(applied)
    }

    /// The next turns of a session and what is known about what they speak of.
    fn stretch(&self, unread: &Unread, most: usize) -> Result<Stretch> {
        let reader = self.engine.now_reader()?;
        let seen = self.engine.latest_change(&*reader)?;
        let from = unread.before.len().saturating_sub(BEFORE);
        let before = episodes(&*reader, unread.space, &unread.before[from..])?;
        let ids: Vec<EpisodeId> = unread.turns.iter().take(most).map(|(id, _)| *id).collect();
        let mut new = episodes(&*reader, unread.space, &ids)?;
        let mut room = BYTES_MAX;
        let full = new.iter().position(|one| {
            let length = one.text.len().min(shown_bytes(speaker_of(one)));
            let full = length > room;
            room = room.saturating_sub(length);
            full
        });
        let whole = full.is_none() || full == Some(0);
        new.truncate(full.unwrap_or(new.len()).max(1));
        // What is gone is done with. The mark is a moment, so all of one moment belong together.
        let last = if whole { unread.turns.iter().take(most).next_back() } else { None };
        let read_to = last.map(|(_, at)| *at).or_else(|| new.last().map(|one| one.at));
        let read_to = read_to.unwrap_or_else(|| self.engine.now());
        let within: Vec<EpisodeId> =
            unread.turns.iter().filter(|(_, at)| *at <= read_to).map(|(id, _)| *id).collect();
        let new = episodes(&*reader, unread.space, &within)?;
        let mut stretch = Stretch {
            window: Window::default(),
            sources: Vec::new(),
            heard: Vec::new(),
            episodes: Vec::new(),
            seen,
            read_to,
            turns: within.len(),
        };
        for (episode, is_new) in
            before.into_iter().map(|one| (one, false)).chain(new.into_iter().map(|one| (one, true)))
        {
            let speaker = speaker_of(&episode);
            let text = sendable(&episode.text);
            let text = text::cut(&text, shown_bytes(speaker)).to_owned();
            stretch.heard.push(Captured::said(episode.at, speaker, &text));
            stretch.window.turns.push(WindowTurn { speaker, text, is_new });
            stretch.sources.push(TurnSource { speaker, at: episode.at, episode: Some(episode.id) });
            if is_new {
                stretch.episodes.push(episode);
            }
        }
        let hot = Minds::new(&self.engine.home).load(&unread.session).hot;
        let focus = hot.focus(&self.engine.policy.activation);
        let labels = focus.iter().filter_map(|node| hot.nodes.get(node)).map(|one| &one.label);
        let labels = labels.filter(|label| !label.is_empty());
        stretch.window.focus = labels.map(|label| sendable(label)).collect();
        let focus: Vec<MemoryId> = focus.into_iter().filter_map(NodeId::memory).collect();
        stretch.window.known =
            known(&*reader, self.context, unread.space, &stretch.window, &focus)?;
        Ok(stretch)
    }

    /// The project that a session belongs to, as far as that can be told.
    fn context_of(&self, unread: &Unread, here: &Context) -> Context {
        let journal = Journal::new(&self.engine.home);
        let read = journal.read(&unread.session, 0).ok();
        let told = read.and_then(|read| {
            read.entries.iter().find_map(|(_, one)| project_of(&self.engine.home, one))
        });
        let named = || {
            let spaces = self.engine.now_reader().ok()?.spaces().ok()?;
            let space = spaces.into_iter().find(|one| one.space == unread.space)?;
            // Where it lies is not known, so that nothing can be looked up there.
            Some(Project::recorded(&space.key, &self.engine.home.join("nowhere")))
        };
        let project = told
            .filter(|project| project.space() == unread.space)
            .or_else(|| (here.project.space() == unread.space).then(|| here.project.clone()))
            .or_else(named)
            .unwrap_or_else(|| here.project.clone());
        let session = Some(unread.session.clone());
        Context { project, session, level: Level::Project, door: Door::Model, only_if: None }
    }
}

fn episodes(reader: &dyn Reader, space: SpaceId, ids: &[EpisodeId]) -> Result<Vec<Episode>> {
    let keys: Vec<RowKey> =
        ids.iter().map(|id| RowKey::node(space, NodeId::Episode(*id))).collect();
    let rows = reader.rows(&keys)?.into_iter();
    Ok(rows.filter_map(|row| row?.into_episode()).filter(|one| !one.is_erased()).collect())
}

fn key_of(episode: &Episode) -> RowKey {
    RowKey::node(episode.space, NodeId::Episode(episode.id))
}

fn speaker_of(episode: &Episode) -> Speaker {
    match episode.speaker.as_str() {
        "user" => Speaker::User,
        "tool" => Speaker::Tool,
        _ => Speaker::Assistant,
    }
}

fn shown_bytes(speaker: Speaker) -> usize {
    if speaker == Speaker::Tool { PRINTED_BYTES } else { SAID_BYTES }
}

/// The session's row as it stands.
fn session_of(reader: &dyn Reader, unread: &Unread) -> Result<Session> {
    let key =
        RowKey { space: unread.space, table: Table::Session, key: unread.session.to_string() };
    let row = reader.rows(&[key])?.remove(0).and_then(Row::into_session);
    let began = unread.turns.first().map_or_else(|| Timestamp::from_millis(0), |(_, at)| *at);
    Ok(row.unwrap_or_else(|| Session::new(unread.session.clone(), unread.space, "agent", began)))
}

/// What the session has in focus, and what is held and shares words with what people said.
fn known(
    reader: &dyn Reader,
    context: &Context,
    space: SpaceId,
    window: &Window,
    focus: &[MemoryId],
) -> Result<Vec<(String, String)>> {
    let said = window.turns.iter().filter(|one| one.speaker == Speaker::User);
    let said: BTreeSet<String> = said.flat_map(|one| words::query_terms(&one.text)).collect();
    let terms = rarest(reader, space, said)?;
    let query = TextQuery {
        of: TextOf::Memories,
        terms,
        spaces: vec![space],
        session: context.session.clone(),
        states: vec![State::Staged, State::Confirmed],
        kinds: Vec::new(),
        limit: KNOWN,
    };
    let mut keys: Vec<RowKey> = focus.iter().map(|id| RowKey::memory(space, *id)).collect();
    let found = reader.text(&query)?;
    let found = found.iter().map(|hit| RowKey::node(hit.space, hit.node));
    keys.extend(found.filter(|key| !focus.iter().any(|id| *key == RowKey::memory(space, *id))));
    let memories = reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory());
    let reach = context.reach();
    let memories = memories.filter(|one| one.state.is_active() && reach.sees(one)).take(KNOWN);
    Ok(memories
        .map(|one| (one.id.to_string(), text::headline(&sendable(&one.content), 400)))
        .collect())
}

/// The words that the fewest memories hold, and at least one: these tell most.
fn rarest(reader: &dyn Reader, space: SpaceId, said: BTreeSet<String>) -> Result<Vec<String>> {
    let terms: Vec<String> = said.into_iter().collect();
    let held = reader.postings(space, TextOf::Memories, &terms, HOLDING_MAX)?;
    let mut counted: Vec<(usize, String)> = held
        .iter()
        .map(|postings| postings.documents.len())
        .zip(terms)
        .filter(|(count, _)| *count > 0)
        .collect();
    counted.sort();
    counted.truncate(TERMS_MAX);
    Ok(counted.into_iter().map(|(_, term)| term).collect())
}

/// An answer that is none: kept whole, for a person.
fn unreadable(why: &str, said: &str) -> ModelProposal {
    let refused = throughline_core::patch::Refused {
        operation: if said.trim().is_empty() { "(nothing)".to_owned() } else { said.to_owned() },
        why: format!("a model's answer could not be read: {why}"),
    };
    ModelProposal { sound: Vec::new(), refused: vec![refused] }
}
