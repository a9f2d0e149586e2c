//! The gate: what of the ranked candidates is worth saying. Nothing, quite often.
//!
//! What the prompt names is always answered. The rest must fit by itself, and must not lie far
//! behind the best or behind a gap; how many that are depends on the prompt.

use throughline_core::Timestamp;
use throughline_core::page::Detail;
use throughline_core::question::Question;
use throughline_core::state::Flag;
use throughline_store::Reader;

use super::rank::Known;
use super::{Ask, Candidate, Fate};
use crate::{Card, Context, Engine, Result};

const MINUTES_A_DAY: f64 = 1_440.0;
/// Showings that are looked at for one memory.
const SHOWN_READ: usize = 8;

/// What the gate remembers while it goes down the ranking.
struct Gate {
    best: f64,
    last: f64,
    passed: usize,
    reached: usize,
}

impl Engine {
    /// Decides about every candidate that was read, best first.
    pub(super) fn judge(
        &self,
        reader: &dyn Reader,
        context: &Context,
        ask: &Ask<'_>,
        question: &Question,
        candidates: &mut [Candidate],
        known: &Known,
    ) -> Result<()> {
        let mut memories = Gate { best: 0.0, last: 0.0, passed: 0, reached: 0 };
        let mut turns = Gate { best: 0.0, last: 0.0, passed: 0, reached: 0 };
        for candidate in candidates.iter_mut() {
            if candidate.fate != Fate::Considered {
                continue;
            }
            let (gate, card) = match candidate.node.memory() {
                Some(id) => match known.cards.get(&id) {
                    Some(card) => (&mut memories, Some(card)),
                    None => continue,
                },
                None => (&mut turns, None),
            };
            candidate.fate = match card.and_then(|card| self.out_of_view(ask, candidate, card)) {
                Some(fate) => fate,
                None => self.pass(ask, question, candidate, gate),
            };
            if let Fate::Shown(_) = candidate.fate
                && let Some(card) = card
                && self.was_shown(reader, context, ask, card)?
            {
                candidate.fate = Fate::Cut("shown in this session already");
            }
        }
        Ok(())
    }

    fn out_of_view(&self, ask: &Ask<'_>, candidate: &Candidate, card: &Card) -> Option<Fate> {
        if !(card.memory.state.is_active() || ask.replaced) {
            return Some(Fate::Cut("not in view"));
        }
        let dormant = card.flags.contains(&Flag::Dormant) && !candidate.signals.named;
        (dormant && !ask.ungated).then_some(Fate::Counted("dormant until it is named"))
    }

    /// Whether a candidate is worth saying.
    fn pass(
        &self,
        ask: &Ask<'_>,
        question: &Question,
        candidate: &Candidate,
        gate: &mut Gate,
    ) -> Fate {
        let limits = &ask.limits;
        let named = candidate.signals.named;
        if question.small_talk && !named && !ask.ungated {
            return Fate::Cut("the prompt asks nothing of memory");
        }
        let only_reached = candidate.signals.cosine.is_none()
            && candidate.signals.words <= 0.0
            && !candidate.path.is_empty();
        if only_reached && !ask.ungated {
            let strong = candidate.path.iter().all(|step| step.prior >= limits.reached_prior);
            if gate.passed == 0 || !strong || gate.reached >= limits.reached_max {
                return Fate::Counted("reached over weak edges only");
            }
            gate.reached += 1;
            return Fate::Shown(Detail::Line);
        }
        if !(named || ask.ungated) {
            if candidate.relevance < limits.worth_saying {
                return Fate::Cut(if candidate.relevance >= limits.hint_from {
                    "overlaps, but not enough to be said"
                } else {
                    "does not fit"
                });
            }
            if candidate.score < gate.best * limits.gap_to_best {
                return Fate::Counted("far behind the best");
            }
            if candidate.score < gate.last * limits.gap_to_last {
                return Fate::Counted("behind a gap");
            }
        }
        if gate.passed >= limits.items_max {
            return Fate::Counted("more than can be shown");
        }
        gate.best = gate.best.max(candidate.score);
        gate.last = candidate.score;
        gate.passed += 1;
        Fate::Shown(Detail::Full)
    }

    /// Whether it was put in front of this session a short while ago.
    fn was_shown(
        &self,
        reader: &dyn Reader,
        context: &Context,
        ask: &Ask<'_>,
        card: &Card,
    ) -> Result<bool> {
        let Some(session) = context.session.as_ref().filter(|_| !ask.ungated) else {
            return Ok(false);
        };
        let now = self.now();
        let recently =
            |at: Timestamp| now.days_since(at) * MINUTES_A_DAY < ask.limits.known_minutes;
        let shown = reader.injections(card.memory.space, card.memory.id, SHOWN_READ)?;
        Ok(shown.iter().any(|one| one.session.as_ref() == Some(session) && recently(one.at)))
    }
}
