//! Reading while capturing: what the reader makes of a turn, and how claims bear on what is held.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use throughline_core::Speaker;
use throughline_core::patch::{Correct, Operation, Remember};
use throughline_core::reading::Piece;
use throughline_core::{Edge, EpisodeId, MemoryId, NodeId, Relation, SpaceId, Timestamp, text};
use throughline_language::probe::{self};
use throughline_language::speech;

use super::judge::{Aside, Pass, Probed, Weighed};
use super::mind::ReadTurn;
use super::{Captured, Mind};
use crate::Result;
use crate::flows::Capturing;
use crate::reading::{
    Bearings, Held, NOTICES_FROM, Nearby, PRESUPPOSES_FROM, REQUESTS_CHANGE_FROM,
};

/// Words of a turn that is compared with a memory as a whole.
const SHORT_WORDS: usize = 60;
/// Claims that are held against what is known at once: whoever tells hundreds is pasting, and each takes
/// milliseconds of a hook's time.
const CLAIMS_MAX: usize = 8;
/// From this confidence on, a claim is meant as it stands.
const PLAIN_FROM: f64 = 0.5;
/// Characters of a turn that stand beside a memory.
const ASIDE_CHARS: usize = 200;
/// Pieces of a turn that are held against what is known although they do not look like a change.
const UNSURE_MAX: usize = 3;

impl Capturing<'_> {
    /// Lets the reader read the turn that was heard last; says whether it holds something to keep. What
    /// does not look like a change is one if it gives something that is held another value.
    /// `pass` gains what was held against what is known for that, and what may touch it though nothing
    /// of it is kept.
    pub(super) fn read_last(&self, mind: &mut Mind, pass: &mut Pass) -> Result<bool> {
        let focus = mind.hot.focus(&self.engine.policy.activation);
        let focus: Vec<MemoryId> = focus.into_iter().filter_map(NodeId::memory).collect();
        let Some(ReadTurn { before, turn, episode, pieces, nearby }) = mind.read_last() else {
            return Ok(false);
        };
        let before = before.as_deref();
        let likeliest = probe::likeliest_change(pieces);
        if likeliest.is_none() && !pieces.iter().any(probe::is_kept) {
            return Ok(false);
        }
        let nearby = nearby.insert(self.nearby(before, looked_up(turn, pieces), &focus)?);
        let own = speech::own_words(turn);
        // A word or two that answer the agent are no claim by themselves: they stand beside what they change.
        let is_bare = probe::is_bare_answer(&own, before);
        let mut weighed = Vec::new();
        if (is_bare || !pieces.iter().any(probe::is_kept))
            && is_short(turn)
            && let Some(likeliest) = likeliest
        {
            let bearings = self.bearings(nearby, before, &own, true, true);
            let (touches, touched) = (touches(&bearings), is_any_touched(&bearings));
            // "Tuesday, so ship it" gives nothing another value that it does not speak of.
            let told = |one: &Held| one.is_about() && one.judged.touches() >= REQUESTS_CHANGE_FROM;
            let is_told = bearings.iter().any(|one| one.holds && told(one));
            let own = pieces[likeliest].clone();
            weighed.push(Weighed { piece: likeliest, own, bearings, aside: None, is_bare });
            let piece = &mut pieces[likeliest];
            let may_change = probe::may_change(piece) || speech::replaces_what_was_said(turn);
            let sure = if may_change { touched } else { is_told };
            if sure {
                piece.is_change(NOTICES_FROM);
            } else if touches >= PRESUPPOSES_FROM {
                piece.presupposes_a_change(NOTICES_FROM);
            }
        }
        let unsure = pieces.iter_mut().enumerate().filter(|(_, one)| probe::may_change(one));
        for (at, piece) in unsure.take(UNSURE_MAX) {
            let bearings = self.bearings(nearby, before, &turn[piece.span.clone()], false, true);
            let touched = is_any_touched(&bearings);
            let own = piece.clone();
            weighed.push(Weighed { piece: at, own, bearings, aside: None, is_bare });
            if touched {
                piece.is_change(NOTICES_FROM);
            }
        }
        for one in &mut weighed {
            one.aside = one.aside(episode, turn);
        }
        pass.weighed.append(&mut weighed);
        Ok(pieces.iter().any(probe::is_kept))
    }

    /// How what is about to be claimed bears on what is held.
    pub(super) fn bearings_of_claims<'a>(
        &self,
        probed: impl Iterator<Item = &'a Probed>,
    ) -> Result<Bearings> {
        let mut bearings = Bearings::default();
        let mut left = CLAIMS_MAX;
        for one in probed {
            let mut looked_up: BTreeMap<usize, Nearby> = BTreeMap::new();
            for operation in &one.patch.operations {
                let Some(claim) = claimed(operation) else { continue };
                let Some(turn) = claim.turn else { continue };
                if one.sources.get(turn).is_none_or(|said| said.speaker != Speaker::User) {
                    continue;
                }
                if left == 0 {
                    return Ok(bearings);
                }
                left -= 1;
                let before = before(&one.turns, turn);
                let quote = claim.quote.unwrap_or(claim.content);
                let nearby = match (looked_up.entry(turn), one.nearby.get(turn)) {
                    (Entry::Occupied(known), _) => known.into_mut(),
                    (Entry::Vacant(new), Some(Some(known))) => new.insert(known.clone()),
                    (Entry::Vacant(new), _) => {
                        let text = one.turns.get(turn).map_or(quote, |one| &one.text);
                        let own = speech::own_words(text);
                        let said = if is_short(text) { own } else { quote.to_owned() };
                        new.insert(self.nearby(before, said, &[])?)
                    }
                };
                let only = one.claims_of(turn) == 1;
                let plain = claim.confidence >= PLAIN_FROM;
                bearings.add(claim.content, self.bearings(nearby, before, quote, only, plain));
            }
        }
        Ok(bearings)
    }
}

/// What is looked up for a turn: all of it, or the pieces of a long one that may matter.
fn looked_up(turn: &str, pieces: &[Piece]) -> String {
    if is_short(turn) {
        return speech::own_words(turn);
    }
    let matters = |piece: &&Piece| probe::is_kept(piece) || probe::may_change(piece);
    let said: Vec<&str> =
        pieces.iter().filter(matters).map(|piece| &turn[piece.span.clone()]).collect();
    said.join(" ")
}

/// How likely words leave something that is held not as it is.
fn touches(bearings: &[Held]) -> f32 {
    let touches = bearings.iter().filter(|one| one.holds).map(|one| one.judged.touches());
    touches.fold(0.0, f32::max)
}

/// Whether words leave something that is held not as it is.
fn is_any_touched(bearings: &[Held]) -> bool {
    bearings.iter().any(|one| one.holds && one.is_touched())
}

impl Weighed {
    /// The words beside what they may touch, if there is anything. What the agent said is no part of them: it would be told
    /// as the person's word.
    fn aside(&self, episode: EpisodeId, turn: &str) -> Option<Aside> {
        let may_touch = self.bearings.iter().filter(|one| one.holds && one.may_gain_or_lose());
        let may_touch: Vec<Held> = may_touch.cloned().collect();
        // Words that were weighed as a whole are told as a whole.
        let words = if is_short(turn) { turn } else { &turn[self.own.span.clone()] };
        let words = text::cut(words.trim(), ASIDE_CHARS).to_owned();
        (!may_touch.is_empty()).then_some(Aside { turn: episode, words, may_touch })
    }
}

impl Aside {
    /// The links that put the words beside the memories.
    pub(super) fn links(&self, space: SpaceId, at: Timestamp) -> impl Iterator<Item = Edge> {
        self.may_touch.iter().map(move |held| {
            let (turn, memory) = (NodeId::Episode(self.turn), held.id.into());
            let mut edge = Edge::new(space, turn, Relation::LaterSaid, memory, at);
            edge.reason = Some(self.words.clone());
            held.likely_on(edge)
        })
    }
}

impl Probed {
    /// How many claims rest on a turn.
    fn claims_of(&self, turn: usize) -> usize {
        let claims = self.patch.operations.iter().filter_map(claimed);
        claims.filter(|one| one.turn == Some(turn)).count()
    }
}

/// What an operation claims, the words that it rests on, and the turn they stand in.
struct ClaimedWords<'a> {
    content: &'a str,
    quote: Option<&'a str>,
    turn: Option<usize>,
    confidence: f64,
}

/// What an operation says that holds, if it says so.
pub(super) fn claim_of(operation: &Operation) -> Option<&str> {
    claimed(operation).map(|claim| claim.content)
}

fn claimed(operation: &Operation) -> Option<ClaimedWords<'_>> {
    match operation {
        Operation::Remember(it) => {
            let Remember { content, quote, turn, confidence, .. } = it;
            Some(ClaimedWords {
                content,
                quote: quote.as_deref(),
                turn: *turn,
                confidence: *confidence,
            })
        }
        Operation::Correct(it) => {
            let Correct { right, quote, turn, confidence, .. } = it;
            Some(ClaimedWords {
                content: right,
                quote: quote.as_deref(),
                turn: *turn,
                confidence: *confidence,
            })
        }
        Operation::Retract(_)
        | Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => None,
    }
}

/// Whether a turn is short enough to be compared with a memory as a whole.
fn is_short(turn: &str) -> bool {
    turn.split_whitespace().count() <= SHORT_WORDS
}

/// What a turn is said to.
pub(crate) fn before(turns: &[Captured], turn: usize) -> Option<&str> {
    let earlier = turns.get(..turn)?.iter().rev();
    let said = turns.get(turn).map_or("", |one| &one.text);
    probe::said_to(said, earlier.map(|one| (one.speaker, one.text.as_str())))
}
