//! Quotable: what of the things that were said may be quoted. Statements that nobody has withdrawn;
//! where a memory tells the same, the memory.

use std::collections::BTreeSet;

use throughline_core::asking;
use throughline_core::document::SpeakerCode;
use throughline_core::page::Detail;
use throughline_core::{
    Authority, Episode, Fingerprint, Kind, Memory, NodeId, Relation, RowKey, State, meet, text,
    words,
};
use throughline_language::{probe, speech};
use throughline_reader::is_english;
use throughline_store::{Foreseen, Reader, TextOf, TextQuery};

use super::rank::ReadCandidates;
use super::{Ask, CandidateFate, CutReason, RecallCandidate};
use crate::Result;
use crate::flows::Recalling;

/// Memories that rest on one turn and are looked at.
const TOLD_BY: usize = 16;
/// Memories that are gone and are compared with a turn.
const GONE_READ: usize = 8;
/// Telling words that an agent's turn must have to be quoted.
const TELLING_MIN: usize = 2;
/// Sentences of a turn that are held against newer memories.
const SENTENCES: usize = 8;

impl Recalling<'_> {
    /// Why a turn is not quoted, if there is a reason: it tells nothing, or what it says was withdrawn.
    pub(crate) fn unquotable(
        &self,
        reader: &dyn Reader,
        turn: &Episode,
    ) -> Result<Option<CutReason>> {
        let speaker = SpeakerCode::of(&turn.speaker);
        let by_person = speaker == SpeakerCode::USER;
        let spoken = by_person || speaker == SpeakerCode::ASSISTANT;
        // Whether it states something is told by English words, and else by its marks.
        let states = || match is_english(&turn.text) {
            true => speech::tells(&turn.text, by_person),
            false => asking::may_settle(&turn.text),
        };
        // "I do not know." tells nothing, whatever was asked.
        let says_little =
            || speaker == SpeakerCode::ASSISTANT && telling_terms(&turn.text) < TELLING_MIN;
        if spoken && (says_little() || !states()) {
            return Ok(Some(CutReason::OnlyAsks));
        }
        let rests = resting_on(reader, turn)?;
        let gone = rests.iter().any(|one| !one.state.is_active())
            || self.was_withdrawn(reader, turn)?
            || said_otherwise_since(reader, turn)?;
        Ok(gone.then_some(CutReason::NoLongerHolds))
    }

    /// Whether a turn says what a memory said that was replaced or taken back, in the same words.
    fn was_withdrawn(&self, reader: &dyn Reader, turn: &Episode) -> Result<bool> {
        let query = gone_query(turn);
        let keys: Vec<RowKey> =
            reader.text(&query)?.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        for gone in reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()) {
            let plain = probe::as_kept(&gone.content);
            // What an agent claimed and took back says nothing about a person's words.
            let is_agents = matches!(gone.authority, Authority::Observed | Authority::Inferred);
            if !text::holds(&turn.text, &plain)
                || is_agents && SpeakerCode::of(&turn.speaker) == SpeakerCode::USER
            {
                continue;
            }
            let held = reader.with_fingerprint(turn.space, &Fingerprint::of(&gone.content))?;
            if held.iter().all(|one| !one.state.is_active()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes out the quotes of turns that must not be quoted, and lets a memory stand where the turn
    /// that it came from would be quoted instead.
    pub(super) fn settle_quotes(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &mut Vec<RecallCandidate>,
        known: &mut ReadCandidates,
    ) -> Result<()> {
        let quoted: Vec<usize> = (0..candidates.len())
            .filter(|at| {
                let one = &candidates[*at];
                matches!(one.node, NodeId::Episode(_))
                    && matches!(one.fate, CandidateFate::Shown(_))
            })
            .collect();
        let key = |at: &usize| RowKey::node(candidates[*at].space, candidates[*at].node);
        let keys: Vec<RowKey> = quoted.iter().map(key).collect();
        let turns = quoted.into_iter().zip(reader.rows(&keys)?);
        let turns: Vec<(usize, Episode)> =
            turns.filter_map(|(at, row)| Some((at, row?.into_episode()?))).collect();
        search_ahead(reader, &turns.iter().map(|(_, turn)| turn.clone()).collect::<Vec<_>>())?;
        for (at, turn) in turns {
            if let Some(reason) = self.unquotable(reader, &turn)? {
                candidates[at].fate = CandidateFate::Cut(reason);
                continue;
            }
            if ask.unheard && is_answered_since(candidates, known, at, &turn) {
                candidates[at].fate = CandidateFate::Cut(CutReason::ToldByMemory);
                continue;
            }
            let reach = self.context.reach();
            let mut told = resting_on(reader, &turn)?;
            told.retain(|one| reach.sees(one));
            let shown: BTreeSet<NodeId> = candidates
                .iter()
                .filter(|one| matches!(one.fate, CandidateFate::Shown(_)))
                .map(|one| one.node)
                .collect();
            // One on the page, or one that the session was told and still has before it.
            let is_told =
                |one: &Memory| shown.contains(&one.id.into()) || ask.already.contains(&one.id);
            if told.iter().any(is_told) {
                candidates[at].fate = CandidateFate::Cut(CutReason::ToldByMemory);
            } else if let Some(memory) = told.into_iter().find(|one| tells_as_much(ask, one, &turn))
            {
                if fits_by_its_session_alone(ask, candidates, &memory, &turn) {
                    candidates[at].fate = CandidateFate::Cut(CutReason::DoesNotFit);
                    continue;
                }
                candidates[at].fate = CandidateFate::Cut(CutReason::ToldByMemory);
                self.stand_in(reader, ask, candidates, known, (at, memory))?;
            }
        }
        Ok(())
    }

    /// Shows a memory in the place of a quote, unless the session has it before it already.
    fn stand_in(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &mut Vec<RecallCandidate>,
        known: &mut ReadCandidates,
        (at, memory): (usize, Memory),
    ) -> Result<()> {
        let node: NodeId = memory.id.into();
        let place = candidates.iter().position(|one| one.node == node);
        let heard = place.is_some_and(|place| {
            let fate = &candidates[place].fate;
            matches!(
                fate,
                CandidateFate::Cut(
                    CutReason::AlreadyShown | CutReason::SaidHere | CutReason::Unfit
                )
            )
        });
        if heard || ask.already.contains(&memory.id) {
            return Ok(());
        }
        let card = match known.cards.get(&memory.id) {
            Some(card) => card.clone(),
            None => self.engine.card(reader, &memory)?,
        };
        let shown = RecallCandidate {
            node,
            salience: Some(card.salience.value),
            trust: Some(card.trust.value()),
            fate: CandidateFate::Shown(Detail::Line),
            ..candidates[at].clone()
        };
        match place {
            Some(place) => candidates[place] = shown, // it is there for what the turn scored
            None => candidates.push(shown),
        }
        known.memories.insert(memory.id, memory.clone());
        known.cards.insert(memory.id, card);
        Ok(())
    }
}

/// Memories that are gone and may have said what a turn says.
fn gone_query(turn: &Episode) -> TextQuery {
    near_turn(turn, &turn.text, [State::Superseded, State::Retracted])
}

/// Memories that hold and may say otherwise than a sentence of a turn.
fn newer_query(turn: &Episode, sentence: &str) -> TextQuery {
    near_turn(turn, sentence, [State::Staged, State::Confirmed])
}

fn near_turn(turn: &Episode, words: &str, states: [State; 2]) -> TextQuery {
    TextQuery {
        of: TextOf::Memories,
        terms: words::query_terms(words),
        spaces: vec![turn.space],
        session: None,
        states: states.to_vec(),
        kinds: Vec::new(),
        limit: GONE_READ,
    }
}

/// The sentences of a turn that give something a value.
fn values_given(turn: &Episode) -> Vec<&str> {
    speech::sentences(&turn.text)
        .into_iter()
        .map(|sentence| sentence.text)
        .filter(|sentence| meet::gives_a_value(Kind::Fact, sentence))
        .take(SENTENCES)
        .collect()
}

/// Says which searches will be made about turns.
fn search_ahead(reader: &dyn Reader, turns: &[Episode]) -> Result<()> {
    let queries = turns.iter().flat_map(|turn| {
        let newer = values_given(turn).into_iter().map(|sentence| newer_query(turn, sentence));
        std::iter::once(gone_query(turn)).chain(newer).collect::<Vec<_>>()
    });
    let queries: Vec<TextQuery> = queries.filter(|query| !query.terms.is_empty()).collect();
    if queries.is_empty() {
        return Ok(());
    }
    Ok(reader.foresee(&[Foreseen::Texts(queries)])?)
}

/// Whether a memory that is newer than a turn gives the same thing another value, by its form: what
/// the turn says is over, whether or not it ever became a memory.
fn said_otherwise_since(reader: &dyn Reader, turn: &Episode) -> Result<bool> {
    for sentence in values_given(turn) {
        let query = newer_query(turn, sentence);
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let otherwise = |newer: Memory| {
            let met = meet::same_thing((Kind::Fact, sentence), (newer.kind, &newer.content));
            newer.recorded_at > turn.at
                && newer.authority.is_user()
                && met == Some(meet::Difference::Value)
        };
        if reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).any(otherwise) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the session is told, or still has before it, a person's word that is newer than a turn and fits no less.
fn is_answered_since(
    candidates: &[RecallCandidate],
    known: &ReadCandidates,
    at: usize,
    turn: &Episode,
) -> bool {
    let is_told = |one: &&RecallCandidate| {
        matches!(
            one.fate,
            CandidateFate::Shown(_)
                | CandidateFate::Cut(CutReason::AlreadyShown | CutReason::SaidHere)
        )
    };
    candidates.iter().filter(is_told).any(|one| {
        let memory = one.node.memory().and_then(|id| known.memories.get(&id));
        let said = |memory: &Memory| {
            memory.authority.is_user() || memory.authority == Authority::Extracted
        };
        memory.is_some_and(|memory| said(memory) && memory.recorded_at > turn.at)
            && one.relevance >= candidates[at].relevance
    })
}

/// How many telling words a text has.
fn telling_terms(text: &str) -> usize {
    let terms: BTreeSet<String> = words::query_terms(text).into_iter().collect();
    terms.iter().filter(|term| !words::is_common(term)).count()
}

/// The memories that rest on a turn.
fn resting_on(reader: &dyn Reader, turn: &Episode) -> Result<Vec<Memory>> {
    let node = NodeId::Episode(turn.id);
    let edges = reader.neighbours(turn.space, &[node], &[Relation::EvidencedBy], TOLD_BY)?;
    let keys: Vec<RowKey> = edges.iter().map(|edge| RowKey::node(turn.space, edge.from)).collect();
    Ok(reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).collect())
}

/// Whether a turn holds no word of what is asked, and the memory that says the same does not fit by
/// itself: then the turn was found for what was said around it.
fn fits_by_its_session_alone(
    ask: &Ask<'_>,
    candidates: &[RecallCandidate],
    memory: &Memory,
    turn: &Episode,
) -> bool {
    let asked = words::query_terms(ask.query);
    let has: BTreeSet<String> = words::query_terms(&turn.text).into_iter().collect();
    let held = asked.iter().any(|term| !words::is_common(term) && has.contains(term));
    let own = candidates.iter().find(|one| one.node == memory.id.into()).map(|one| one.relevance);
    let least = ask.limits.worth_saying * ask.limits.hint_share;
    !held && own.is_some_and(|fits| fits < least)
}

/// Whether a memory says as much about what is asked as the turn that it came from.
fn tells_as_much(ask: &Ask<'_>, memory: &Memory, turn: &Episode) -> bool {
    let asked = words::query_terms(ask.query);
    let count = |text: &str| {
        let has: BTreeSet<String> = words::query_terms(text).into_iter().collect();
        asked.iter().filter(|term| !words::is_common(term) && has.contains(*term)).count()
    };
    count(&memory.content) >= count(&turn.text)
}
