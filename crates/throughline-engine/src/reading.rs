//! Reading: the trained reader judges turns, and how claims bear on what is held.
//!
//! Judging takes milliseconds, so it is done before the writer's turn is taken; what it came to
//! travels with the draft, and what has changed meanwhile is not touched by it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use throughline_core::meet::Difference;
use throughline_core::reading::{self, Bearing, Judged, Piece};
use throughline_core::relevance::Signals;
use throughline_core::{Memory, MemoryId, Row, RowKey, State, Timestamp, probe, text};
use throughline_reader::{Reader as Trained, Speaker, Unusable};

use crate::recall::{Arms, Ask};
use crate::{Context, Engine, Result};

/// Memories that a claim is held against.
const HELD_AGAINST: usize = 6;
/// From this likelihood on, what is said in passing takes the place of what it touches.
const REPLACES_FROM: f32 = 0.8;
/// How near in meaning it must be for that.
const REPLACES_NEAR: f64 = 0.4;
/// How near in meaning a memory must be to be about what was said. Nine of ten that are about something
/// else are told apart by this, and so is one of six that are not.
const ABOUT_NEAR: f64 = 0.25;
/// The same for one that shares words with it.
const ABOUT_NEAR_IN_WORDS: f64 = 0.12;
/// From this likelihood on, what it touches is not told without it any more.
const QUESTIONS_FROM: f32 = 0.35;
/// From this likelihood on, words that did not look like it are a change.
pub(crate) const NOTICES_FROM: f32 = 0.6;
/// Characters of a claim that are looked up.
const LOOKED_UP_CHARS: usize = 400;

/// A memory that a claim was held against.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) id: MemoryId,
    /// Whether it holds, and since when it does or does not.
    pub(crate) holds: bool,
    since: Timestamp,
    /// How near in meaning it is to what was said.
    near: f64,
    pub(crate) judged: Judged,
}

/// How claims bear on memories that are held, by the words of the claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bearings(BTreeMap<String, Vec<Held>>);

impl Bearings {
    /// Adds how a claim bears on what is held.
    pub(crate) fn add(&mut self, content: &str, bearings: Vec<Held>) {
        self.0.insert(content.to_owned(), bearings);
    }

    /// How a claim differs from the memories that it does not leave as they are. Where it may take the
    /// place of several, only the clearest is replaced, and a person decides about the others.
    pub(crate) fn differences(&self, content: &str) -> Vec<(MemoryId, Difference)> {
        let mut touched: Vec<&Held> = self.touched(content).collect();
        touched.sort_by(|a, b| b.judged.touches().total_cmp(&a.judged.touches()));
        let difference = |at: usize, one: &Held| {
            let sure = one.judged.touches() >= REPLACES_FROM && one.near >= REPLACES_NEAR;
            if at == 0 && sure { Difference::Value } else { Difference::Open }
        };
        touched.into_iter().enumerate().map(|(at, one)| (one.id, difference(at, one))).collect()
    }

    /// Whether a claim leaves something that is held not as it is.
    pub(crate) fn touches(&self, content: &str) -> bool {
        self.touched(content).next().is_some()
    }

    /// Whether words that were said at a time are known to have been overtaken since, in whatever
    /// wording: what they say was given up later, or something else about it was said later.
    pub(crate) fn is_overtaken(&self, content: &str, at: Timestamp) -> bool {
        let given_up = |one: &Held| {
            let same = one.judged.share(Bearing::Same) + one.judged.share(Bearing::Refines);
            !one.holds && same >= NOTICES_FROM
        };
        let otherwise = |one: &Held| one.holds && one.judged.touches() >= NOTICES_FROM;
        let all = self.0.get(content).into_iter().flatten();
        all.into_iter().any(|one| one.since > at && (given_up(one) || otherwise(one)))
    }

    /// How a claim bears on what it was held against and holds.
    pub(crate) fn of(&self, content: &str) -> impl Iterator<Item = &Held> {
        self.0.get(content).into_iter().flatten().filter(|one| one.holds)
    }

    fn touched(&self, content: &str) -> impl Iterator<Item = &Held> {
        self.of(content).filter(|one| one.judged.touches() >= QUESTIONS_FROM)
    }
}

/// Whether the reader's weights can be used, and why not.
pub(crate) fn usable() -> std::result::Result<(), Unusable> {
    Trained::builtin().map(|_| ())
}

/// What was read last, and what it came to: a prompt is looked at when it comes in, and once more when
/// it is taken in.
static READ_LAST: Mutex<Option<(u64, Vec<Piece>)>> = Mutex::new(None);

/// The pieces of what a person said after `before`. `None` where the reader's weights cannot be used.
pub(crate) fn pieces_of(before: Option<&str>, turn: &str) -> Option<Vec<Piece>> {
    if only_asks(turn) {
        return Some(Vec::new());
    }
    let mut hasher = DefaultHasher::new();
    (before, turn).hash(&mut hasher);
    let key = hasher.finish();
    let mut last = READ_LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pieces)) = last.as_ref().filter(|(known, _)| *known == key) {
        return Some(pieces.clone());
    }
    let pieces = Trained::builtin().ok()?.read(Speaker::User, before, turn);
    *last = Some((key, pieces.clone()));
    Some(pieces)
}

/// Whether a turn is one question and nothing else, by its marks.
pub(crate) fn only_asks(turn: &str) -> bool {
    let turn = turn.trim();
    let inside = turn.strip_suffix('?').unwrap_or_default();
    !inside.is_empty()
        && !inside.contains(['\n', '?', '!', ';', ':'])
        && !inside.contains(". ")
        && !inside.contains(", ")
}

impl Engine {
    /// How what was said after `before` bears on the memories that recall finds for `content`.
    pub(crate) fn bearings_of(
        &self,
        context: &Context,
        content: &str,
        before: Option<&str>,
        said: &str,
    ) -> Result<Vec<Held>> {
        let Ok(trained) = Trained::builtin() else { return Ok(Vec::new()) };
        let before = before.filter(|_| probe::needs_before(said));
        let looked_up = text::cut(content, LOOKED_UP_CHARS);
        let arms = Arms { graph: false, time: false, ..Arms::default() };
        let ask =
            Ask { ungated: true, replaced: true, arms, ..Ask::new(looked_up, self.policy.recall) };
        let space = context.scope().space;
        let found = self.recall(context, &ask)?.candidates;
        let found: Vec<(RowKey, Signals)> = found
            .iter()
            .filter(|one| one.space == space)
            .filter_map(|one| Some((RowKey::memory(space, one.node.memory()?), one.signals)))
            .take(HELD_AGAINST)
            .collect();
        let keys: Vec<RowKey> = found.iter().map(|(key, _)| key.clone()).collect();
        let rows = self.now_reader()?.rows(&keys)?.into_iter();
        let mut held: Vec<(Memory, f64)> = Vec::new();
        for (row, (_, signals)) in rows.zip(found) {
            let Some(one) = row.and_then(Row::into_memory) else { continue };
            // What was kept a moment ago may have no vector yet.
            let near = signals.cosine.unwrap_or_else(|| self.nearness(looked_up, &one.content));
            let is_about =
                near >= if signals.words > 0.0 { ABOUT_NEAR_IN_WORDS } else { ABOUT_NEAR };
            if is_about && can_be_touched(&one, context) {
                held.push((one, near));
            }
        }
        let mut judged: Vec<Held> =
            held.iter().map(|(one, near)| judged(trained, one, *near, before, said)).collect();
        only_one_changes(trained, &held, &mut judged);
        Ok(judged)
    }

    /// How near in meaning two texts are.
    fn nearness(&self, one: &str, other: &str) -> f64 {
        let (one, other) = (self.meaning.of_query(one), self.meaning.of_query(other));
        f64::from(one.iter().zip(&other).map(|(a, b)| a * b).sum::<f32>())
    }
}

fn judged(trained: &Trained, held: &Memory, near: f64, before: Option<&str>, said: &str) -> Held {
    let holds = held.state.is_active();
    let since = if holds { held.recorded_at } else { held.since.unwrap_or(held.recorded_at) };
    // Whoever names the very numbers of a memory does not give it other ones.
    let judged = if reading::repeats_numbers(&held.content, said) {
        Judged::other()
    } else {
        trained.relate(&held.content, before, said)
    };
    Held { id: held.id, holds, since, near, judged }
}

/// Words that take the place of one memory leave the others alone, unless those say the same as it.
fn only_one_changes(trained: &Trained, held: &[(Memory, f64)], judged: &mut [Held]) {
    let touches = |at: &usize| judged[*at].judged.touches();
    let holding = (0..judged.len()).filter(|at| judged[*at].holds);
    let Some(best) = holding.max_by(|a, b| touches(a).total_cmp(&touches(b))) else { return };
    if touches(&best) < REPLACES_FROM {
        return;
    }
    for at in (0..judged.len()).filter(|at| *at != best) {
        if judged[at].holds && judged[at].judged.touches() >= QUESTIONS_FROM {
            let alike = trained.relate(&held[best].0.content, None, &held[at].0.content);
            if alike.share(Bearing::Same) < NOTICES_FROM {
                judged[at].judged = Judged::other();
            }
        }
    }
}

fn can_be_touched(held: &Memory, context: &Context) -> bool {
    let known = match held.state {
        State::Staged | State::Confirmed | State::Superseded | State::Retracted => true,
        State::Draft | State::Archived | State::Expired => false,
    };
    known && held.kind.can_be_replaced() && held.session == context.scope().session
}
