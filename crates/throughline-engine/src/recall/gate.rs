//! The gate: what of the ranked candidates is worth saying. Nothing, quite often.
//!
//! What the prompt names is always answered. The rest must fit by itself, and must not lie far
//! behind the best or behind a gap; how many that are depends on the prompt.

use std::collections::BTreeSet;

use throughline_attention::hot::Nearness;
use throughline_core::{Evidence, Fingerprint, Kind, NodeId, Row, RowKey, State, Timestamp, form};

use throughline_attention::relevance::{self, Text};
use throughline_core::page::Detail;
use throughline_core::state::Flag;
use throughline_language::question::Question;
use throughline_store::Reader;

use super::rank::ReadCandidates;
use super::{Ask, CandidateFate, CutReason, RecallCandidate};
use crate::flows::Recalling;
use crate::{Card, Context, Result};

const MINUTES_A_DAY: f64 = 1_440.0;
/// Showings that are looked at for one memory.
const SHOWN_READ: usize = 8;

/// Places that claims which nobody has vouched for leave to what stands: an agent could fill all of them
/// with variations of one claim.
const KEPT_FREE: usize = 2;

/// The share of what is otherwise asked of relevance from which a person's word is shown beside claims.
const BESIDE_CLAIMS: f64 = 0.5;

/// The share of what is otherwise asked of relevance from which something near the focus is told.
const NEAR_FOCUS: f64 = 0.8;
/// Memories that are told because they lie near the focus.
const BESIDE_MAX: usize = 2;

/// The scores that the next candidate is held against.
#[derive(Clone, Copy, Default)]
struct GateMeasure {
    best: f64,
    last: f64,
}

impl GateMeasure {
    fn take(&mut self, score: f64) {
        *self = Self { best: self.best.max(score), last: score };
    }
}

/// What the gate remembers while it goes down the ranking.
#[derive(Default)]
struct Gate {
    /// By everything that passed.
    all: GateMeasure,
    /// By what stands: mere claims do not put it behind them.
    standing: GateMeasure,
    passed: usize,
    /// How many of those are mere claims.
    claims: usize,
    reached: usize,
    /// Shown because they lie beside the focus.
    beside: usize,
    shown: BTreeSet<NodeId>,
}

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
        let (mut memories, mut turns) = (Gate::default(), Gate::default());
        let best = best_match(ask, candidates, known);
        for candidate in candidates.iter_mut() {
            if candidate.fate != CandidateFate::Considered {
                continue;
            }
            let (gate, card) = match candidate.node.memory() {
                Some(id) => match known.cards.get(&id) {
                    Some(card) => (&mut memories, Some(card)),
                    None => continue,
                },
                None => (&mut turns, None),
            };
            let away = card.and_then(|card| {
                let told = tells_what_stands(card, known) && !ask.ungated;
                let told = told.then_some(CandidateFate::Cut(CutReason::ToldByMemory));
                told.or_else(|| out_of_view(ask, candidate, card, best))
            });
            candidate.fate = match away {
                Some(fate) => fate,
                None => {
                    let is_claim = card.is_some_and(|card| card.memory.state == State::Staged);
                    self.pass(ask, question, candidate, is_claim, gate)
                }
            };
            // What is left out here still sets the measure for what comes behind it.
            if let CandidateFate::Shown(_) = candidate.fate
                && let Some(reason) = self.heard(reader, ask, candidate, card)?
            {
                candidate.fate = CandidateFate::Cut(reason);
                gate.shown.remove(&candidate.node);
            }
        }
        if memories.claims > 0 && memories.claims == memories.passed {
            put_beside(ask, question, candidates, known);
        }
        Ok(())
    }

    /// Whether a candidate is worth saying.
    fn pass(
        &self,
        ask: &Ask<'_>,
        question: &Question,
        candidate: &RecallCandidate,
        is_claim: bool,
        gate: &mut Gate,
    ) -> CandidateFate {
        let limits = &ask.limits;
        let named = candidate.signals.named;
        if question.small_talk && !ask.ungated {
            return CandidateFate::Cut(CutReason::SmallTalk);
        }
        let policy = &self.engine.policy.relevance;
        let by_itself =
            relevance::relevance(&candidate.parts, &candidate.signals, Text::Memory, policy);
        let only_reached = !candidate.path.is_empty() && !named && by_itself < limits.worth_saying;
        if only_reached && !ask.ungated {
            let strong = candidate.path.iter().all(|step| step.prior >= limits.reached_prior);
            // What a walk came to is said only beside what it came from.
            let from = candidate.path.first().is_some_and(|step| gate.shown.contains(&step.from));
            if !from {
                return CandidateFate::Cut(CutReason::OnlyReached);
            }
            if !strong || gate.reached >= limits.reached_max {
                return CandidateFate::Counted(CutReason::WeakEdges);
            }
            gate.reached += 1;
            return CandidateFate::Shown(Detail::Line);
        }
        if !(named || ask.ungated) {
            let enough = ask.enough(question);
            let covers = candidate.signals.covers >= limits.covers_enough;
            if candidate.relevance < enough && !covers {
                return beside_focus(ask, candidate, enough, gate);
            }
            let measure = if is_claim { gate.all } else { gate.standing };
            if candidate.score < measure.best * limits.gap_to_best {
                return CandidateFate::Cut(CutReason::FarBehind);
            }
            if candidate.score < measure.last * limits.gap_to_last {
                return CandidateFate::Cut(CutReason::BehindGap);
            }
        }
        let claims_max = limits.items_max.saturating_sub(KEPT_FREE).max(1);
        let crowds = is_claim && gate.claims >= claims_max && !ask.ungated;
        if gate.passed >= limits.items_max || crowds {
            return CandidateFate::Counted(CutReason::TooMany);
        }
        gate.all.take(candidate.score);
        if is_claim {
            gate.claims += 1;
        } else {
            gate.standing.take(candidate.score);
        }
        gate.passed += 1;
        gate.shown.insert(candidate.node);
        CandidateFate::Shown(detail(ask, candidate, gate.passed == 1))
    }

    /// Why something is not told to this session that would be worth saying, if there is a reason.
    fn heard(
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

/// What becomes of something that does not fit well enough by itself: near the focus of the session it is
/// told in a line, further away it is counted.
fn beside_focus(
    ask: &Ask<'_>,
    candidate: &RecallCandidate,
    enough: f64,
    gate: &mut Gate,
) -> CandidateFate {
    let fits = |share: f64| candidate.relevance >= enough * share;
    let overlaps = fits(ask.limits.hint_share);
    match ask.focus.nearness(candidate.node) {
        Some(Nearness::Focus | Nearness::Near) if fits(NEAR_FOCUS) && gate.beside < BESIDE_MAX => {
            gate.beside += 1;
            CandidateFate::Shown(Detail::Line)
        }
        Some(Nearness::Far) if overlaps => CandidateFate::Counted(CutReason::FarFromFocus),
        _ if overlaps => CandidateFate::Cut(CutReason::Overlaps),
        _ => CandidateFate::Cut(CutReason::DoesNotFit),
    }
}

/// How much is told of what passed: all of what the prompt names, of the best, and of what is in focus; of
/// the rest a line. Without a focus, all of everything.
fn detail(ask: &Ask<'_>, candidate: &RecallCandidate, is_best: bool) -> Detail {
    let meant = candidate.signals.named;
    let focused = ask.focus.nearness(candidate.node) == Some(Nearness::Focus);
    if ask.focus.is_empty() || ask.ungated || is_best || meant || focused {
        Detail::Full
    } else {
        Detail::Line
    }
}

/// The relevance of the memory that fits best, of those that may be shown.
fn best_match(ask: &Ask<'_>, candidates: &[RecallCandidate], known: &ReadCandidates) -> f64 {
    let may_be_shown = |one: &&RecallCandidate| {
        let card = one.node.memory().and_then(|id| known.cards.get(&id));
        one.fate == CandidateFate::Considered
            && card.is_some_and(|card| ask.shows(card.memory.state))
    };
    candidates.iter().filter(may_be_shown).map(|one| one.relevance).fold(0.0, f64::max)
}

/// Mere claims are not shown alone where a person said something near: many claims of the same words make
/// those words common, and what a person said with them seems to fit less.
fn put_beside(
    ask: &Ask<'_>,
    question: &Question,
    candidates: &mut [RecallCandidate],
    known: &ReadCandidates,
) {
    let enough = ask.enough(question) * BESIDE_CLAIMS;
    let by_person = |one: &&mut RecallCandidate| {
        let card = one.node.memory().and_then(|id| known.cards.get(&id));
        let unfit = [
            CutReason::DoesNotFit,
            CutReason::OnlyReached,
            CutReason::Overlaps,
            CutReason::FarBehind,
            CutReason::BehindGap,
        ];
        let cut = unfit.iter().any(|reason| one.fate == CandidateFate::Cut(*reason));
        cut && one.relevance >= enough
            && card.is_some_and(|card| {
                card.memory.authority.is_user() && card.memory.state == State::Confirmed
            })
    };
    let nearest = candidates
        .iter_mut()
        .filter(by_person)
        .max_by(|one, other| one.relevance.total_cmp(&other.relevance));
    if let Some(nearest) = nearest {
        nearest.fate = CandidateFate::Shown(Detail::Line);
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

/// What is not in view, and what was not used for long: it is only counted, unless the prompt names
/// it, holds its words, or nothing fits the prompt better.
fn out_of_view(
    ask: &Ask<'_>,
    candidate: &RecallCandidate,
    card: &Card,
    best: f64,
) -> Option<CandidateFate> {
    if !ask.shows(card.memory.state) {
        return Some(CandidateFate::Cut(CutReason::NotInView));
    }
    let called = candidate.signals.named
        || candidate.signals.covers >= ask.limits.covers_enough
        || candidate.relevance >= best;
    let dormant = card.flags.contains(&Flag::Dormant)
        && !called
        && candidate.relevance >= ask.limits.worth_saying;
    (dormant && !ask.ungated).then_some(CandidateFate::Counted(CutReason::Dormant))
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
