//! Reading: the trained reader judges turns, and how claims bear on what is held.
//!
//! Judging takes milliseconds, so it is done before the writer's turn is taken; what it came to
//! travels with the transaction, and what has changed meanwhile is not touched by it.

mod apart;
mod bearings;
mod connect;
mod judge;
mod pair;
mod pieces;

use std::cell::LazyCell;

use throughline_core::meet::{self, Beside};
use throughline_core::reading::{Bearing, Judged};
use throughline_core::{Memory, MemoryId, Row, RowKey, State, text, words};
use throughline_embed::Embedding;
use throughline_language::{probe, speech};
use throughline_reader::{TrainedReader as Trained, is_english};

pub(crate) use apart::LeftClause;
use apart::LeftStanding;
use bearings::{ABOUT_ALONE_NEAR, LINKS_FROM};
pub(crate) use bearings::{Bearings, Held};
pub(crate) use connect::{connect, questions};
use judge::{judge_all, judged};
use pair::OtherMatter;
pub(crate) use pair::{PairJudgement, judge_pair};
pub use pieces::kind_of;
pub(crate) use pieces::{only_asks, pieces_of, usable};

use crate::flows::Capturing;
use crate::recall::{Arms, Ask, Recall};
use crate::{Context, NewMemory, Result};

/// Memories that a claim is held against.
const HELD_AGAINST: usize = 6;
/// Memories in focus that words are held against besides.
const FOCUS_HELD: usize = 2;
/// From this likelihood on, what is told by hand is told as a change.
const BY_HAND_CHANGES_FROM: f32 = 0.5;
/// How near in meaning a memory must be to what is told by hand.
const BY_HAND_NEAR: f64 = 0.3;
/// How near it must be where what is told is not told as a change.
const BY_HAND_ALIKE: f64 = 0.6;
/// From this likelihood on, what is told by hand touches a memory.
const BY_HAND_TOUCHES_FROM: f32 = 0.9;
/// What is farther from a turn is not near anything that the turn says.
const FAR: f64 = 0.05;
/// From this likelihood on, words that look like a mere request or report are a change, and from this one on they
/// may be.
pub(crate) const REQUESTS_CHANGE_FROM: f32 = 0.8;
pub(crate) const PRESUPPOSES_FROM: f32 = 0.3;
/// Memories that such words are held against, and how near in meaning these must be.
const PRESUPPOSED_BY: usize = 3;
const PRESUPPOSED_NEAR: f64 = 0.2;
/// From this likelihood on, words that did not look like it are a change.
pub(crate) const NOTICES_FROM: f32 = 0.4;
/// From this likelihood on, what bears on nothing as a whole is not looked at claim by claim.
const OTHER_FROM: f32 = 0.95;
/// From this likelihood on, what counts something else than the memory changes it all the same.
const SURE_OF_UNITS_FROM: f32 = 0.9;
/// From this likelihood on, words are told as a change: less is asked for then, and nothing that is about to be said can be
/// about another matter.
const TOLD_AS_A_CHANGE_FROM: f32 = 0.05;
/// Characters of a turn that are looked up.
const LOOKED_UP_CHARS: usize = 400;

/// The memories that may be about a turn, looked up once for all that it says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Nearby {
    /// What was looked up: the turn, or what of a long one may matter.
    said: String,
    memories: Vec<NearestMemories>,
}

#[derive(Debug, Clone, PartialEq)]
struct NearestMemories {
    memory: Memory,
    /// How near in meaning it is to what was looked up.
    near: f64,
    /// How what was looked up bears on it as a whole.
    whole: Judged,
}

impl NearestMemories {
    /// Whether a claim is held against it by itself: not where it is all that was said, nor where what was said
    /// bears on something else anyway.
    fn is_asked_about(&self, nearby: &Nearby, claim: &str) -> bool {
        claim != nearby.said && self.whole.share(Bearing::Other) < OTHER_FROM
    }

    /// How what was said bears on it.
    fn held(&self, claim: &str, near: f64, plain: bool, judged: Judged) -> Held {
        let Memory { id, state, recorded_at, since, .. } = self.memory;
        let holds = state.is_active();
        let since = since.filter(|_| !holds).unwrap_or(recorded_at);
        let shares = words::share_one(&self.memory.content, claim);
        let (left, successor) = (Vec::new(), self.memory.superseded_by);
        let told_as_change = false;
        Held { id, holds, since, near, shares, plain, told_as_change, left, successor, judged }
    }
}

impl Capturing<'_> {
    /// The memories that may be about what was said after `before`.
    pub(crate) fn nearby(
        &self,
        before: Option<&str>,
        said: String,
        focus: &[MemoryId],
    ) -> Result<Nearby> {
        let Ok(trained) = Trained::builtin() else { return Ok(Nearby::default()) };
        // What a bare answer is about stands in what it answers.
        let answered = before.filter(|_| probe::is_bare_answer(&said, before));
        let answered = answered.map(|before| format!("{before} {said}"));
        let mut memories = self.nearest(answered.as_ref().unwrap_or(&said), focus)?;
        judge_whole(trained, &mut memories, before, &said);
        Ok(Nearby { said, memories })
    }

    /// The memories nearest to what was said, and some in focus. How it bears on them is not judged yet.
    fn nearest(&self, said: &str, focus: &[MemoryId]) -> Result<Vec<NearestMemories>> {
        let looked_up = text::cut(said, LOOKED_UP_CHARS);
        let arms = Arms { graph: false, time: false, ..Arms::default() };
        let ask = Ask {
            ungated: true,
            replaced: true,
            arms,
            ..Ask::new(looked_up, self.engine.policy.recall)
        };
        let space = self.context.scope().space;
        let found = self.engine.recalling(self.context).recall(&ask)?.candidates;
        let mut found: Vec<(RowKey, Option<f64>)> = found
            .iter()
            .filter(|one| one.space == space)
            .filter_map(|one| Some((RowKey::memory(space, one.node.memory()?), one.signals.cosine)))
            .take(HELD_AGAINST)
            .collect();
        // What the session is about may be meant without a word of it being said.
        let focus = focus.iter().map(|id| (RowKey::memory(space, *id), None));
        let unfound: Vec<_> =
            focus.filter(|(key, _)| !found.iter().any(|(known, _)| known == key)).collect();
        found.extend(unfound.into_iter().take(FOCUS_HELD));
        let keys: Vec<RowKey> = found.iter().map(|(key, _)| key.clone()).collect();
        let rows = self.engine.now_reader()?.rows(&keys)?.into_iter();
        let mut memories = Vec::new();
        let meaning = LazyCell::new(|| self.engine.meaning.of_query(looked_up));
        for (row, (_, cosine)) in rows.zip(found) {
            let Some(memory) = row.and_then(Row::into_memory) else { continue };
            if can_be_touched(&memory, self.context) {
                // What was kept a moment ago may have no vector yet.
                let near = || self.nearness(&meaning, &memory.content);
                let near = cosine.unwrap_or_else(near);
                memories.push(NearestMemories { memory, near, whole: Judged::other() });
            }
        }
        Ok(memories)
    }

    /// Whether a prompt that looks like a mere request or report gives something another value, by the
    /// memories that recall has found for it.
    pub(crate) fn presupposes_a_change(&self, said: &str, recall: &Recall) -> Result<bool> {
        let Ok(trained) = Trained::builtin() else { return Ok(false) };
        let own = speech::own_words(said);
        let space = self.context.scope().space;
        let near = recall.candidates.iter().filter(|one| {
            one.space == space && one.signals.cosine.is_some_and(|near| near >= PRESUPPOSED_NEAR)
        });
        let ids = near.filter_map(|one| one.node.memory()).take(PRESUPPOSED_BY);
        let keys: Vec<RowKey> = ids.map(|id| RowKey::memory(space, id)).collect();
        let rows = self.engine.now_reader()?.rows(&keys)?.into_iter().flatten();
        let held = rows.filter_map(Row::into_memory);
        let held: Vec<Memory> =
            held.filter(|one| one.state.is_active() && can_be_touched(one, self.context)).collect();
        let held: Vec<&str> = held.iter().map(|one| &*one.content).collect();
        let changes = |judged: &Judged| judged.touches() >= PRESUPPOSES_FROM;
        let judged = judge_all(trained, &held, None, &own, changes);
        Ok(judged.iter().flatten().any(changes))
    }

    /// How a claim in a turn bears on the memories near the turn. `only` where nothing else is claimed in
    /// it, so that all of it may be about the claim; `plain` where it is meant as it stands.
    pub(crate) fn bearings(
        &self,
        nearby: &Nearby,
        before: Option<&str>,
        claim: &str,
        only: bool,
        plain: bool,
    ) -> Vec<Held> {
        let Ok(trained) = Trained::builtin() else { return Vec::new() };
        let meaning = LazyCell::new(|| self.engine.meaning.of_query(claim));
        let told_as_change = LazyCell::new(|| is_told_as_a_change(before, claim));
        let alone = |one: &&NearestMemories| one.is_asked_about(nearby, claim);
        let held = nearby.memories.iter().filter(alone).map(|one| &*one.memory.content);
        // Judged together beforehand; what it came to is found again below.
        judge_all(trained, &held.collect::<Vec<_>>(), before, claim, |_| false);
        let bearing = |one: &NearestMemories| {
            let (mut near, mut judgement) = (one.near, one.whole);
            let Memory { content, pinned, .. } = &one.memory;
            if one.is_asked_about(nearby, claim) {
                let own = judged(trained, content, before, claim);
                if !only || own.touches() > one.whole.touches() {
                    judgement = own;
                }
                if near < ABOUT_ALONE_NEAR && judgement.touches() >= LINKS_FROM {
                    near = near.max(self.nearness(&meaning, &one.memory.content));
                }
            }
            judgement = apart::clearest(trained, content, before, claim, judgement);
            if let Some(why) = stands_beside(content, claim, judgement) {
                judgement = judgement.beside(why);
            }
            let told = judgement.touches() >= LINKS_FROM && *told_as_change;
            let mut held = Held { told_as_change: told, ..one.held(claim, near, plain, judgement) };
            let other = || pair::tells_other_matter(trained, content, claim, told);
            let other = held.is_touched().then(other).flatten();
            if other == Some(OtherMatter::Sure) {
                held.judged = judgement.beside(Beside::OtherQualifier);
            }
            // What is pinned is only questioned, and so is what may stand beside the claim.
            held.plain = plain && !pinned && other.is_none();
            if held.plain && held.is_touched() {
                match apart::left_standing(trained, content, before, claim) {
                    LeftStanding::Nothing => {}
                    LeftStanding::Clauses(left) => held.left = left,
                    LeftStanding::Unclear => held.plain = false,
                }
            }
            held
        };
        let mut bearings: Vec<Held> = nearby.memories.iter().map(bearing).collect();
        pair::only_one_changes(trained, &nearby.memories, &mut bearings);
        bearings
    }

    /// How what is told by hand, or by an agent's tools, bears on what is held. Whoever tells one thing after another
    /// in the same form means them to stand side by side; so what is not told as a change is held against what is most
    /// alike alone, and where both cannot hold a person decides.
    pub(crate) fn bearings_by_hand(&self, new: &NewMemory) -> Result<Bearings> {
        let mut bearings = Bearings::default();
        let Ok(trained) = Trained::builtin() else { return Ok(bearings) };
        if new.kind.can_be_replaced() && is_english(&new.content) {
            let pieces = pieces_of(None, &new.content).unwrap_or_default();
            let is_change = pieces.iter().any(|piece| piece.changes() >= BY_HAND_CHANGES_FROM);
            let mut memories = self.nearest(&new.content, &[])?;
            if !is_change {
                let alike = |one: &NearestMemories| {
                    one.near >= BY_HAND_ALIKE && has_same_digits(&one.memory.content, &new.content)
                };
                memories.retain(|one| alike(one) && one.memory.state.is_active());
                memories.truncate(1);
            }
            judge_whole(trained, &mut memories, None, &new.content);
            let nearby = Nearby { said: new.content.clone(), memories };
            let plain = new.authority.is_user() && is_change;
            let mut found = self.bearings(&nearby, None, &new.content, true, plain);
            found.retain(|one| {
                one.judged.touches() >= BY_HAND_TOUCHES_FROM && one.near >= BY_HAND_NEAR
            });
            bearings.add(&new.content, found);
            bearings.only_contest = !is_change;
        }
        Ok(bearings)
    }

    /// How near in meaning a text is to another.
    fn nearness(&self, one: &Embedding, other: &str) -> f64 {
        let other = self.engine.meaning.of_query(other);
        f64::from(one.iter().zip(&other).map(|(a, b)| a * b).sum::<f32>())
    }
}

/// Judges how words bear on memories that are not too far from them.
fn judge_whole(
    trained: &Trained,
    memories: &mut [NearestMemories],
    before: Option<&str>,
    said: &str,
) {
    let near = |one: &&NearestMemories| one.near >= FAR;
    let held: Vec<&str> = memories.iter().filter(near).map(|one| &*one.memory.content).collect();
    let mut judged = judge_all(trained, &held, before, said, |_| false).into_iter();
    for one in memories.iter_mut().filter(|one| one.near >= FAR) {
        one.whole = judged.next().flatten().unwrap_or(one.whole);
    }
}

/// Whether words are told as a change, however likely they are one of something that is held.
fn is_told_as_a_change(before: Option<&str>, said: &str) -> bool {
    let pieces = pieces_of(before, said).unwrap_or_default();
    pieces.iter().any(|piece| piece.changes() >= TOLD_AS_A_CHANGE_FROM)
}

/// Whether two texts have the same digits in the same order. Whoever counts things off tells of several.
fn has_same_digits(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    digits(one) == digits(other)
}

/// Why forms say that a claim stands beside a memory. What a number counts is told by its neighbour, which may be a word of
/// another sort ("20 gigs", "50-minute lessons"): there a reader who is sure knows better.
fn stands_beside(held: &str, claim: &str, judged: Judged) -> Option<Beside> {
    let why = meet::stands_beside(held, claim)?;
    (why != Beside::OtherUnit || judged.touches() < SURE_OF_UNITS_FROM).then_some(why)
}

fn can_be_touched(held: &Memory, context: &Context) -> bool {
    let known = match held.state {
        State::Staged | State::Confirmed | State::Superseded | State::Retracted => true,
        State::Draft | State::Archived | State::Expired => false,
    };
    known && held.kind.can_be_replaced() && held.session == context.scope().session
}
