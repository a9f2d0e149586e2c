//! Quotes: whether what an agent brings are the user's own words, said in this project not long ago.
//! Then they are the user's, as they stand in the turn and with it as evidence; else they are the agent's.
//! Of a quote nothing but the words counts: what sort of claim it is, is read from them.

use throughline_core::Speaker;
use throughline_core::evidence::Testimony;
use throughline_core::reconcile::Candidate;
use throughline_core::{
    Authority, Episode, Fingerprint, Kind, Row, RowKey, SpaceId, Timestamp, text, words,
};
use throughline_language::speech;
use throughline_store::{Reader, TextOf, TextQuery};

use crate::capture::{erased, named_turn, turns_of};
use crate::flows::Keeping;
use crate::journal::Journal;
use crate::reading::kind_of;
use crate::remember::candidate;
use crate::transaction::Transaction;
use crate::{Context, NewMemory, Result};

/// Older words are history: whoever means them says them again.
const RECENT_DAYS: f64 = 30.0;
/// Turns that are looked at, the nearest by their words.
const TURNS_MAX: usize = 64;
/// Sessions whose journals are looked into for what was not taken in yet.
const SESSIONS_MAX: usize = 8;
/// Characters of a quote that are kept.
const QUOTE_CHARS: usize = 240;
/// What such evidence says.
const WHY: &str = "the user's words, quoted by an agent";

impl Keeping<'_> {
    /// What the user said, if an agent's claim is that word for word. What the agent makes of it beyond
    /// that (its kind, a slot, labels, reasons, what it is tied to) is left out.
    pub(crate) fn quoted(
        &self,
        tx: &Transaction<'_>,
        new: &NewMemory,
        unread: &[Episode],
    ) -> Result<Option<Candidate>> {
        let space = self.context.project.space();
        if !may_quote(self.context, new) || self.context.scope().space != space {
            return Ok(None);
        }
        // What was put away or taken back is not brought back by an old quote.
        let known = tx.with_fingerprint(space, &Fingerprint::of(&new.content))?;
        if known.iter().any(|memory| !memory.state.is_active()) {
            return Ok(None);
        }
        let mut turns = self.turns_like(&**tx, space, &new.content)?;
        let gone = erased(&**tx, space, unread)?;
        turns.extend(unread.iter().filter(|turn| !gone.contains(&turn.mark())).cloned());
        let since = |at: Timestamp| self.engine.now().days_since(at);
        turns
            .retain(|turn| turn.speaker == Speaker::User.as_str() && since(turn.at) <= RECENT_DAYS);
        turns.sort_by_key(|turn| (std::cmp::Reverse(turn.at), turn.id));
        let said = turns.iter().find_map(|turn| {
            let quote = speech::stands_in(&turn.text, &new.content)?;
            let testimony = Testimony {
                session: Some(turn.session.clone()),
                turn: Some(turn.id.to_string()),
                snippet: Some(text::headline(quote, QUOTE_CHARS)),
                why: Some(WHY.to_owned()),
                ..Testimony::new(Authority::UserStated, turn.at)
            };
            let words = as_kept(quote);
            let kind = kind_of(&words).unwrap_or(Kind::Fact);
            let said = NewMemory { kind, ..NewMemory::new(&words) };
            Some(Candidate { testimony, ..candidate(&said, tx) })
        });
        Ok(said)
    }

    fn turns_like(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        content: &str,
    ) -> Result<Vec<Episode>> {
        let query = TextQuery {
            of: TextOf::Episodes,
            terms: words::query_terms(content),
            spaces: vec![space],
            session: None,
            states: Vec::new(),
            kinds: Vec::new(),
            limit: TURNS_MAX,
        };
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        Ok(rows.filter_map(Row::into_episode).collect())
    }

    /// The user's turns that lie in journals of the project and were not taken in yet: mostly the
    /// one that the agent is answering.
    pub(crate) fn unread_turns(&self, new: &NewMemory) -> Result<Vec<Episode>> {
        if !may_quote(self.context, new) {
            return Ok(Vec::new());
        }
        let journal = Journal::new(&self.engine.home);
        let sessions = journal.undrained().unwrap_or_default();
        let space = self.context.project.space();
        let reader = self.engine.now_reader()?;
        let mut turns = Vec::new();
        for session in sessions.iter().rev().take(SESSIONS_MAX) {
            let waiting = journal.read(session, journal.drained(session)).unwrap_or_default();
            for (_, entry) in &waiting.entries {
                for turn in turns_of(&entry.event, entry.at) {
                    if turn.speaker != Speaker::User
                        || speech::stands_in(&turn.text, &new.content).is_none()
                    {
                        continue;
                    }
                    let named = named_turn(&self.engine.home, &*reader, entry, &turn)?;
                    turns.extend(named.filter(|episode| episode.space == space));
                }
            }
        }
        Ok(turns)
    }
}

fn may_quote(context: &Context, new: &NewMemory) -> bool {
    context.door.is_agents() && new.authority == Authority::Observed
}

/// A sentence as it is kept: on one line, without the full stop at its end.
fn as_kept(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest.to_owned(),
        _ => line,
    }
}
