//! The gate: what the session has heard is read here; what of the ranked candidates is worth saying is decided by
//! `throughline_attention::recall_gate`.

use throughline_attention::recall_gate::{
    self, CandidateFate, CutReason, GateAsk, GateCandidate, GateMemory,
};
use throughline_attention::relevance::{self, Text};
use throughline_core::state::Flag;
use throughline_core::{Evidence, Fingerprint, Kind, NodeId, Row, RowKey, State, Timestamp, form};
use throughline_language::question::Question;
use throughline_store::Reader;

use super::rank::ReadCandidates;
use super::{Ask, RecallCandidate};
use crate::flows::Recalling;
use crate::{Card, Context, Result};

const MINUTES_A_DAY: f64 = 1_440.0;
/// Showings that are looked at for one memory.
const SHOWN_READ: usize = 8;

impl Recalling<'_> {
    /// Decides about every candidate that was read, best first.
    pub(super) fn judge(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        candidates: &mut [RecallCandidate],
        known: &ReadCandidates,
    ) -> Result<()> {
        let gate = GateAsk {
            limits: &ask.limits,
            enough: ask.enough(question),
            small_talk: question.small_talk,
            ungated: ask.ungated,
            focus: &ask.focus,
        };
        let read = candidates.iter().enumerate();
        let (places, mut judged): (Vec<usize>, Vec<GateCandidate<'_>>) =
            read.filter_map(|(at, one)| Some((at, self.as_judged(ask, one, known)?))).unzip();
        // What the session has heard is read only of what would be told.
        let fates = recall_gate::judge(&gate, &judged);
        for (at, fate) in fates.iter().enumerate() {
            if recall_gate::may_be_shown(fate) {
                let candidate = &candidates[places[at]];
                let card = candidate.node.memory().and_then(|id| known.cards.get(&id));
                judged[at].heard = self.why_not_told(reader, ask, candidate, card)?;
            }
        }
        let fates = recall_gate::judge(&gate, &judged);
        for (at, fate) in places.into_iter().zip(fates) {
            candidates[at].fate = fate;
        }
        Ok(())
    }

    /// What the gate knows of a candidate; `None` where it was decided already, or was not read.
    fn as_judged<'c>(
        &self,
        ask: &Ask<'_>,
        candidate: &'c RecallCandidate,
        known: &ReadCandidates,
    ) -> Option<GateCandidate<'c>> {
        if candidate.fate != CandidateFate::Considered {
            return None;
        }
        let memory = match candidate.node.memory() {
            Some(id) => Some(as_gate_memory(ask, known.cards.get(&id)?, known)),
            None => None,
        };
        let (parts, signals) = (&candidate.parts, &candidate.signals);
        let policy = &self.engine.policy.relevance;
        let reached = !candidate.path.is_empty();
        let by_itself = reached.then(|| relevance::relevance(parts, signals, Text::Memory, policy));
        Some(GateCandidate {
            node: candidate.node,
            named: signals.named,
            covers: signals.covers,
            relevance: candidate.relevance,
            by_itself: by_itself.unwrap_or(candidate.relevance),
            score: candidate.score,
            path: &candidate.path,
            memory,
            heard: None,
        })
    }

    /// Why something is not told to this session that would be worth saying, if there is a reason.
    fn why_not_told(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidate: &RecallCandidate,
        card: Option<&Card>,
    ) -> Result<Option<CutReason>> {
        if card.is_some_and(|card| ask.unfit.contains(&card.memory.id)) {
            return Ok(Some(CutReason::Unfit));
        }
        if said_here(reader, self.context, ask, candidate, card)? {
            return Ok(Some(CutReason::SaidHere));
        }
        if ask.unheard && card.is_none() && candidate.signals.asks {
            return Ok(Some(CutReason::OnlyAsks));
        }
        let shown = match card {
            // Whoever hears the session knows better than the log what it has before it.
            Some(card) if ask.unheard => ask.already.contains(&card.memory.id),
            Some(card) => self.was_shown(reader, ask, card)?,
            None => matches!(candidate.node, NodeId::Episode(id) if ask.quoted.contains(&id)),
        };
        Ok(shown.then_some(CutReason::AlreadyShown))
    }

    /// Whether it was put in front of this session a short while ago.
    fn was_shown(&self, reader: &dyn Reader, ask: &Ask<'_>, card: &Card) -> Result<bool> {
        let Some(session) = self.context.session.as_ref().filter(|_| !ask.ungated) else {
            return Ok(false);
        };
        let now = self.engine.now();
        let recently = |at: Timestamp| {
            now.days_since(at) * MINUTES_A_DAY < ask.limits.known_minutes
                && ask.shown_since.is_none_or(|since| at >= since)
        };
        let shown = reader.injections(card.memory.space, card.memory.id, SHOWN_READ)?;
        Ok(shown.iter().any(|one| one.session.as_ref() == Some(session) && recently(one.at)))
    }
}

/// What the gate knows of a memory.
fn as_gate_memory(ask: &Ask<'_>, card: &Card, known: &ReadCandidates) -> GateMemory {
    let (memory, state) = (&card.memory, card.memory.state);
    GateMemory {
        in_view: ask.shows(state),
        dormant: card.flags.contains(&Flag::Dormant),
        is_claim: state == State::Staged,
        by_person: memory.authority.is_user() && state == State::Confirmed,
        told_by_other: tells_what_stands(card, known),
    }
}

/// Whether a memory only tells that something was settled, and what stands since was found as well.
fn tells_what_stands(card: &Card, known: &ReadCandidates) -> bool {
    if card.memory.kind != Kind::Event {
        return false;
    }
    let Some(stands) = form::also_stands(Kind::Decision, &card.memory.content) else {
        return false;
    };
    let stands = Fingerprint::of(&stands);
    known.memories.values().any(|one| one.fingerprint == stands && one.state.is_active())
}

/// Whether this session said it itself, and still sees it: an agent is not told what it has just
/// heard.
fn said_here(
    reader: &dyn Reader,
    context: &Context,
    ask: &Ask<'_>,
    candidate: &RecallCandidate,
    card: Option<&Card>,
) -> Result<bool> {
    let Some(session) = context.session.as_ref().filter(|_| ask.unheard) else {
        return Ok(false);
    };
    let seen = |at: Timestamp| ask.shown_since.is_none_or(|since| at >= since);
    if let Some(card) = card {
        let here = |one: &Evidence| one.session.as_ref() == Some(session) && seen(one.at);
        return Ok(!card.evidence.is_empty() && card.evidence.iter().all(here));
    }
    let row = reader.rows(&[RowKey::node(candidate.space, candidate.node)])?.remove(0);
    let said = row.and_then(Row::into_episode);
    Ok(said.is_some_and(|said| said.session == *session && seen(said.at)))
}
