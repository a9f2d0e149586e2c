//! How claims bear on what is held, and what becomes of it.

use std::collections::BTreeMap;

use throughline_core::meet::Difference;
use throughline_core::reading::{Bearing, Judged};
use throughline_core::{MemoryId, Timestamp};

use super::NOTICES_FROM;
use super::apart::LeftClause;

/// From this likelihood on, what is said touches a memory: it takes its place where it is meant as it stands and is
/// likelier to touch it than to be about something else, and questions it elsewhere.
const TOUCHES_FROM: f32 = 0.4;
/// The same where it is told as a change of the same thing, and that is likelier than that it is about something else.
const TOLD_TOUCHES_FROM: f32 = 0.2;
/// From this likelihood on, it is that memory which is touched, and no other of those that may be meant.
pub(super) const SURE_FROM: f32 = 0.5;
/// How near in meaning the nearest memory must be to be connected with what was said later.
const LINKED_NEAR: f64 = 0.15;
/// How near it must be for that where the two share no telling word, and where they do.
pub(super) const ABOUT_ALONE_NEAR: f64 = 0.35;
const ABOUT_IN_WORDS_NEAR: f64 = 0.15;
/// How near the nearest must be, and from which likelihood on it may be touched, to be meant by what touches nothing else.
const MEANT_NEAR: f64 = 0.13;
const MEANT_FROM: f32 = 0.11;
/// From this likelihood on, the nearest memory is about something else all the same.
const NEAREST_OTHER_TO: f32 = 0.9;
/// From this likelihood on, it is connected with what it may touch.
pub(super) const LINKS_FROM: f32 = 0.15;
/// The same where it seems to be about something else.
const LINKS_FAR_FROM: f32 = 0.2;

/// A memory that a claim was held against.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) id: MemoryId,
    /// Whether it holds, and since when it does or does not.
    pub(crate) holds: bool,
    pub(super) since: Timestamp,
    /// How near in meaning it is to what was said, and whether the two share a word.
    pub(super) near: f64,
    pub(super) shares: bool,
    /// Whether what was said is meant as it stands, so that it may take the memory's place.
    pub(super) plain: bool,
    /// Whether what was said is told as a change of something.
    pub(super) told_as_change: bool,
    /// Clauses of the memory that it leaves alone, if it takes the memory's place.
    pub(super) left: Vec<LeftClause>,
    /// What took the memory's place, if something did.
    pub(super) successor: Option<MemoryId>,
    /// How what was said bears on the memory.
    pub(crate) judged: Judged,
}

/// How claims bear on memories that are held, by the words of the claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bearings {
    by_claim: BTreeMap<String, Vec<Held>>,
    /// Whether the claims take no memory's place by what they mean: they were not told as a change.
    pub(crate) only_contest: bool,
}

impl Bearings {
    /// Adds how a claim bears on what is held.
    pub(crate) fn add(&mut self, content: &str, bearings: Vec<Held>) {
        self.by_claim.insert(content.to_owned(), bearings);
    }

    /// Lets what bears on a claim bear on other words for it.
    pub(crate) fn reword(&mut self, content: &str, as_said: &str) {
        if let Some(bearings) = self.by_claim.remove(content) {
            self.by_claim.insert(as_said.to_owned(), bearings);
        }
    }

    /// How a claim differs from the memories that it does not leave as they are. Where it may take the
    /// place of several, only the clearest is replaced, and a person decides about the others.
    pub(crate) fn differences(&self, content: &str) -> Vec<(MemoryId, Difference)> {
        let mut touched: Vec<&Held> = self.touched(content).collect();
        touched.sort_by(|a, b| b.judged.touches().total_cmp(&a.judged.touches()));
        // Where it is not sure and another may be meant, a person decides.
        let is_clear = touched.len() < 2 || touched[0].judged.touches() >= SURE_FROM;
        let difference = |at: usize, one: &Held| {
            let takes_place =
                at == 0 && is_clear && one.plain && one.touches_more_likely_than_not();
            if takes_place { Difference::Value } else { Difference::Open }
        };
        touched.into_iter().enumerate().map(|(at, one)| (one.id, difference(at, one))).collect()
    }

    /// The clauses of a memory that a claim leaves alone, where it takes the memory's place.
    pub(crate) fn left_of(&self, content: &str, memory: MemoryId) -> Vec<LeftClause> {
        let held = self.of(content).find(|one| one.id == memory);
        held.map(|one| one.left.clone()).unwrap_or_default()
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
        let all = self.by_claim.get(content).into_iter().flatten();
        all.into_iter().any(|one| one.since > at && (given_up(one) || otherwise(one)))
    }

    /// The memories that a claim is told with from now on: those it adds to or may touch, those it seems to say again
    /// though it says it otherwise, and the nearest. The reader sees no change where it would have to know more than
    /// it does.
    pub(super) fn told_with(&self, content: &str) -> impl Iterator<Item = &Held> {
        let nearest = self.of(content).max_by(|a, b| a.near.total_cmp(&b.near));
        let touches_none = !self.touches(content);
        let nearest = nearest.filter(|one| one.is_likely_meant(touches_none)).map(|one| one.id);
        self.of(content).filter(move |one| {
            !one.is_touched() && (one.adds() || one.may_touch() || one.says_again())
                || nearest == Some(one.id) && one.judged.touches() < LINKS_FROM
        })
    }

    /// The memories given up after a time that a claim may say again, in whatever words.
    pub(super) fn given_up_since(
        &self,
        content: &str,
        at: Timestamp,
    ) -> impl Iterator<Item = &Held> {
        let all = self.by_claim.get(content).into_iter().flatten();
        all.filter(move |one| !one.holds && one.since > at && one.may_say_again())
    }

    /// How a claim bears on what it was held against and holds.
    pub(crate) fn of(&self, content: &str) -> impl Iterator<Item = &Held> {
        self.by_claim.get(content).into_iter().flatten().filter(|one| one.holds)
    }

    fn touched(&self, content: &str) -> impl Iterator<Item = &Held> {
        self.of(content).filter(|one| one.is_touched())
    }
}

impl Held {
    /// Whether it does not stand as it is beside what was said.
    pub(crate) fn is_touched(&self) -> bool {
        let is_told = self.told_as_change && self.is_about() && self.touches_more_likely_than_not();
        self.judged.touches() >= if is_told { TOLD_TOUCHES_FROM } else { TOUCHES_FROM }
    }

    /// Whether that is likelier than that what was said is about something else.
    fn touches_more_likely_than_not(&self) -> bool {
        self.judged.touches() >= self.judged.share(Bearing::Other)
    }

    /// Whether it most likely gains something by what was said, and still holds.
    pub(super) fn adds(&self) -> bool {
        self.judged.likeliest() == Bearing::Refines
    }

    /// Whether what was said most likely says the same in other words.
    fn says_again(&self) -> bool {
        self.judged.likeliest() == Bearing::Same && self.near >= LINKED_NEAR
    }

    /// Whether what was said may be the same in other words, or about the same.
    fn may_say_again(&self) -> bool {
        let about = self.is_about() && self.judged.share(Bearing::Other) < NEAREST_OTHER_TO;
        about || self.judged.likeliest() == Bearing::Same
    }

    /// Whether the nearest memory is the one that was meant: both are about the same, or what was said touches nothing else
    /// and does not quite leave this alone.
    fn is_likely_meant(&self, touches_none: bool) -> bool {
        let about = self.is_about() && self.judged.share(Bearing::Other) < NEAREST_OTHER_TO;
        self.near >= LINKED_NEAR && about
            || touches_none && self.near >= MEANT_NEAR && self.judged.touches() >= MEANT_FROM
    }

    /// Whether what was said is about it, and may add to it or touch it.
    pub(crate) fn may_gain_or_lose(&self) -> bool {
        self.may_touch() || self.adds() && self.is_about()
    }

    /// Whether what was said may touch it: where the two are far apart, or share no telling word, only if that is likely.
    pub(crate) fn may_touch(&self) -> bool {
        self.judged.touches() >= if self.is_about() { LINKS_FROM } else { LINKS_FAR_FROM }
    }

    /// Whether both speak of the same, as far as words and meaning tell: one word alone may stand anywhere.
    pub(crate) fn is_about(&self) -> bool {
        self.near >= ABOUT_ALONE_NEAR || self.shares && self.near >= ABOUT_IN_WORDS_NEAR
    }
}
