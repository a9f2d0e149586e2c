//! Find: explicit search and listings. What recall does unasked is elsewhere.

use throughline_core::state::SearchRule;
use throughline_core::{
    Kind, Memory, MemoryId, Row, RowKey, SessionId, State, Table, Timestamp, text, words,
};
use throughline_store::{
    FromSession, FromTurn, MemoryQuery, Reader, SessionPage, TextOf, TextQuery, TurnPage,
};

use crate::flows::Looking;
use crate::{Card, Error, Result};

/// What to include.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// States to include; empty means what is seen by default.
    pub states: Vec<State>,
    /// Include every state.
    pub all: bool,
    /// Kinds to include; empty means all.
    pub kinds: Vec<Kind>,
    /// Only this area.
    pub domain: Option<String>,
    /// Only with this label.
    pub tag: Option<String>,
    /// Only those that a listing has after this one: the moment it was recorded, and its id.
    pub after: Option<(Timestamp, MemoryId)>,
    /// How many to skip.
    pub offset: usize,
    /// How many to return; `None` means as many as the limits allow.
    pub limit: Option<usize>,
}

/// Hits returned by a search that does not say how many.
const SEARCH_DEFAULT: usize = 50;

/// What was found, and how many there are. A search counts only its best candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The memories.
    pub items: Vec<Card>,
    /// How many there are without the limit.
    pub total: usize,
}

impl Looking<'_> {
    /// Everything about one memory.
    pub fn show(&self, reader: &dyn Reader, handle: &str) -> Result<Card> {
        let memory = self.engine.resolve(reader, self.context, handle)?;
        self.engine.card(reader, &memory)
    }

    /// Memories by their ids, with everything that is computed when asked; those that are within
    /// reach, in the order asked for.
    pub fn cards_of(&self, ids: &[MemoryId]) -> Result<Vec<Card>> {
        let reader = self.engine.now_reader()?;
        let spaces = self.context.reach().spaces;
        let keys: Vec<RowKey> = ids
            .iter()
            .flat_map(|id| spaces.iter().map(|space| RowKey::memory(*space, *id)))
            .collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        let memories: Vec<Memory> = rows.filter_map(Row::into_memory).collect();
        self.engine.cards(&*reader, &memories)
    }

    /// Memories that hold the words of a query, best first.
    pub fn search(&self, reader: &dyn Reader, query: &str, filter: &Filter) -> Result<Listing> {
        let terms = words::query_terms(query);
        if terms.is_empty() {
            return Err(Error::BadInput("the query has no words to look for".to_owned()));
        }
        let reach = self.context.reach();
        let wanted = filter.offset.saturating_add(filter.limit.unwrap_or(SEARCH_DEFAULT));
        let hits = reader.text(&TextQuery {
            of: TextOf::Memories,
            terms,
            spaces: reach.spaces,
            session: reach.session,
            states: states_of(filter),
            kinds: filter.kinds.clone(),
            limit: wanted
                .clamp(self.engine.policy.words.candidates_max, self.engine.policy.limits.list_max),
        })?;
        // Without a further filter only the page that is shown has to be read.
        let narrowed = filter.domain.is_some() || filter.tag.is_some();
        let read = if narrowed { hits.len() } else { wanted.min(hits.len()) };
        let keys: Vec<RowKey> =
            hits[..read].iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let found: Vec<Memory> = reader
            .rows(&keys)?
            .into_iter()
            .filter_map(|row| row.and_then(Row::into_memory))
            .filter(|memory| filter.domain.is_none() || filter.domain == memory.domain)
            .collect();
        let found = self.with_tag(reader, found, filter.tag.as_deref())?;
        let total = if narrowed { found.len() } else { hits.len() };
        let page: Vec<Memory> = found.into_iter().take(wanted).skip(filter.offset).collect();
        Ok(Listing { total, items: self.engine.cards(reader, &page)? })
    }

    /// Memories, newest first.
    pub fn list(&self, reader: &dyn Reader, filter: &Filter) -> Result<Listing> {
        let reach = self.context.reach();
        let page = reader.memories(&MemoryQuery {
            spaces: reach.spaces,
            session: reach.session,
            any_session: false,
            states: states_of(filter),
            kinds: filter.kinds.clone(),
            domain: filter.domain.clone(),
            tag: filter.tag.as_deref().map(text::normalise),
            after: filter.after,
            offset: filter.offset,
            limit: filter.limit.unwrap_or(self.engine.policy.limits.list_max),
        })?;
        Ok(Listing { total: page.total, items: self.engine.cards(reader, &page.items)? })
    }

    /// Sessions of the project, the latest first.
    pub fn sessions(
        &self,
        reader: &dyn Reader,
        from: &FromSession,
        limit: usize,
    ) -> Result<SessionPage> {
        Ok(reader.sessions(&self.context.reach().spaces, from, limit)?)
    }

    /// What was said in a session of the project, in order. `None` where there is no such session.
    pub fn turns_of(
        &self,
        reader: &dyn Reader,
        session: &SessionId,
        from: &FromTurn,
        limit: usize,
    ) -> Result<Option<TurnPage>> {
        for space in self.context.reach().spaces {
            let page = reader.turns(space, session, from, limit)?;
            let known = || {
                let key = RowKey { space, table: Table::Session, key: session.to_string() };
                reader.rows(&[key]).map(|rows| rows.into_iter().flatten().next().is_some())
            };
            if page.total > 0 || known()? {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    fn with_tag(
        &self,
        reader: &dyn Reader,
        memories: Vec<Memory>,
        tag: Option<&str>,
    ) -> Result<Vec<Memory>> {
        let Some(tag) = tag.map(text::normalise) else {
            return Ok(memories);
        };
        let cards = self.engine.cards(reader, &memories)?;
        Ok(cards
            .into_iter()
            .filter(|card| card.tags.iter().any(|one| text::normalise(one) == tag))
            .map(|card| card.memory)
            .collect())
    }
}

/// The states a filter asks for.
pub(crate) fn states_of(filter: &Filter) -> Vec<State> {
    if filter.all {
        Vec::new()
    } else if filter.states.is_empty() {
        State::ALL
            .iter()
            .copied()
            .filter(|state| state.visibility().search == SearchRule::Yes)
            .collect()
    } else {
        filter.states.clone()
    }
}
