//! Boxes: stretches of work on one topic, and the traces that connect them.
//!
//! A box takes in one memory after the other until the topic changes, nothing comes for a while, or it
//! is full; then it is sealed, and another one begins. A sealed box that goes on with the topic of an
//! earlier one belongs to the same trace. Nothing here is stored: a topic follows from the words of the
//! memories in a box.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use throughline_core::policy::BoxPolicy;
use throughline_core::{EntityId, Timestamp, closed_set};

/// Terms that make up the topic of a box when it is compared with another one.
pub const TOPIC_TERMS: usize = 16;
/// Terms up to which a text counts as short when it is chosen for the core of a box.
const SHORT_TERMS: usize = 4;
/// Minutes of a day.
const MINUTES: f64 = 1_440.0;

closed_set! {
    /// Why a box was sealed.
    pub enum Seal ("seal") {
        /// What came next was about something else.
        Topic = "another topic",
        /// Nothing came for a while.
        Quiet = "quiet",
        /// It was full.
        Full = "full",
    }
}

/// Something that goes into a box: when it was said, its telling terms, each with the word as it was
/// written, and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxItem {
    /// When.
    pub at: Timestamp,
    /// Its telling terms, each once.
    pub terms: BTreeMap<String, String>,
    /// Its vector; empty where it has none.
    pub meaning: Vec<f32>,
}

/// The topic of a box: what its memories speak of, and from when to when.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxTopic {
    /// When the first of them was said.
    pub from: Timestamp,
    /// When the last of them was said.
    pub to: Timestamp,
    /// How many there are.
    pub memories: usize,
    /// By term: how many of them hold it, and the word; of several, the one with the capital letter.
    terms: BTreeMap<String, (usize, String)>,
    /// The sum of their vectors.
    meaning: Vec<f32>,
}

impl BoxTopic {
    /// The topic of a box that begins with this.
    pub fn begin(item: &BoxItem) -> Self {
        let (from, to) = (item.at, item.at);
        let mut topic = Self { from, to, memories: 0, terms: BTreeMap::new(), meaning: Vec::new() };
        topic.add(item);
        topic
    }

    /// The topic of a box that holds these, if there are any.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a BoxItem>) -> Option<Self> {
        let mut items = items.into_iter();
        let mut topic = Self::begin(items.next()?);
        items.for_each(|item| topic.add(item));
        Some(topic)
    }

    /// Adds one more.
    pub fn add(&mut self, item: &BoxItem) {
        (self.from, self.to) = (self.from.min(item.at), self.to.max(item.at));
        self.memories += 1;
        self.meaning.resize(self.meaning.len().max(item.meaning.len()), 0.0);
        self.meaning.iter_mut().zip(&item.meaning).for_each(|(sum, value)| *sum += value);
        for (term, word) in &item.terms {
            let known = self.terms.entry(term.clone()).or_insert_with(|| (0, word.clone()));
            known.0 += 1;
            if *word < known.1 {
                known.1.clone_from(word);
            }
        }
    }

    /// Why something does not belong into this box any more, if it does not.
    pub fn seals_before(&self, item: &BoxItem, policy: &BoxPolicy) -> Option<Seal> {
        if self.is_quiet_at(item.at, policy) {
            return Some(Seal::Quiet);
        }
        if self.memories >= policy.memories_max {
            return Some(Seal::Full);
        }
        let fewest = item.terms.len().min(self.terms.len());
        let held = item.terms.keys().filter(|term| self.terms.contains_key(*term)).count();
        // What goes on in other words is near in meaning.
        let overlap = share(held, fewest).max(likeness(&self.meaning, &item.meaning));
        let elsewhere = fewest >= policy.terms_min && overlap < policy.overlap_from;
        elsewhere.then_some(Seal::Topic)
    }

    /// The same where it is known what comes after: a topic is another one when two in a row agree on it. What is said in
    /// passing, once, belongs to the stretch of work in which it was said.
    pub fn seals_between(
        &self,
        item: &BoxItem,
        next: Option<&BoxItem>,
        policy: &BoxPolicy,
    ) -> Option<Seal> {
        let seal = self.seals_before(item, policy)?;
        let goes_on = |next: &BoxItem| {
            self.seals_before(next, policy) == Some(Seal::Topic)
                && Self::begin(item).seals_before(next, policy).is_none()
        };
        (seal != Seal::Topic || next.is_some_and(goes_on)).then_some(seal)
    }

    /// Whether nothing belongs into it that is said at this moment.
    pub fn is_quiet_at(&self, now: Timestamp, policy: &BoxPolicy) -> bool {
        let apart = now.days_since(self.to).max(self.from.days_since(now));
        apart * MINUTES > policy.quiet_minutes
    }

    /// The terms that tell most about it, each with its word: those that most memories hold first, then
    /// names, then longer words.
    pub fn telling(&self) -> Vec<(&str, &str)> {
        let mut terms: Vec<_> = self.terms.iter().collect();
        let is_name = |word: &str| !word.chars().all(char::is_lowercase);
        terms.sort_by_cached_key(|(term, (held, word))| {
            (Reverse(*held), !is_name(word), Reverse(word.chars().count()), (*term).clone())
        });
        terms.truncate(TOPIC_TERMS);
        terms.into_iter().map(|(term, (_, word))| (term.as_str(), word.as_str())).collect()
    }

    /// How much of two topics is the same, in 0..=1: the share of the smaller one that the other holds.
    pub fn overlap(&self, other: &Self) -> f64 {
        let (one, other) = (self.telling(), other.telling());
        let both = one.iter().filter(|(term, _)| other.iter().any(|(held, _)| held == term));
        share(both.count(), one.len().min(other.len()))
    }

    /// The trace that a box goes on: that of the earlier box with the most in common, if it is enough
    /// and not too long ago. Of equals the latest.
    pub fn goes_on(&self, earlier: &[(EntityId, Self)], policy: &BoxPolicy) -> Option<EntityId> {
        let lately = earlier.iter().filter(|(_, topic)| {
            self.from.days_since(topic.to).max(topic.from.days_since(self.to)) <= policy.trace_days
        });
        let fitting = lately.map(|(trace, topic)| (self.overlap(topic), topic.to, *trace));
        fitting
            .filter(|(overlap, ..)| *overlap >= policy.trace_from)
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)))
            .map(|(.., trace)| trace)
    }
}

/// The core of a box: the places of the items that together tell most of it, the most telling first, at most `most`.
/// Each adds the terms that many hold and none before it told; long texts have to tell more than short ones.
pub fn core(items: &[BTreeSet<String>], most: usize) -> Vec<usize> {
    let mut weights: BTreeMap<&str, usize> = BTreeMap::new();
    for term in items.iter().flatten() {
        *weights.entry(term).or_default() += 1;
    }
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < most.min(items.len()) {
        let gain = |place: &usize| {
            let told: usize =
                items[*place].iter().filter_map(|term| weights.get(term.as_str())).sum();
            share(told * told, items[*place].len().max(SHORT_TERMS))
        };
        let open = (0..items.len()).filter(|place| !chosen.contains(place));
        let best = open.max_by(|a, b| gain(a).total_cmp(&gain(b)).then(b.cmp(a)));
        let Some(best) = best else { break };
        for term in &items[best] {
            weights.remove(term.as_str());
        }
        chosen.push(best);
    }
    chosen
}

/// How near two vectors are, in 0..=1; 0 where one is missing.
fn likeness(one: &[f32], other: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let length = (dot(one, one) * dot(other, other)).sqrt();
    if length > 0.0 { (dot(one, other) / length).clamp(0.0, 1.0) } else { 0.0 }
}

/// A part of a whole; nothing is no part of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of terms")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
