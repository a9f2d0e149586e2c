//! The words arm: which documents hold the words of a query, alone, with the turns beside them, and
//! as sessions.
//!
//! A word counts once in a document however often it stands there: on the development data counting
//! repetitions costs up to ten points, because long texts repeat everything.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use throughline_core::SpaceId;
use throughline_core::policy::{RelevancePolicy, WordPolicy};
use throughline_store::{FrequentTerms, Postings, Reader, TextOf};

use crate::Result;
use crate::index::{NONE, SearchIndex, SparseIndex};

/// Where the terms of a query occur in one index.
#[derive(Debug)]
pub(super) struct Occurrences {
    lists: Vec<Postings>,
    /// For each term how many documents hold it, counted as far as it may be followed.
    holding: Vec<usize>,
}

/// How many documents may hold a term that is followed.
pub(super) fn frequent(policy: &WordPolicy) -> FrequentTerms {
    FrequentTerms {
        share: policy.frequent_share,
        least: policy.rare_max,
        most: policy.postings_most,
    }
}

/// Looks up the terms in one index.
pub(super) fn occurrences(
    reader: &dyn Reader,
    space: SpaceId,
    of: TextOf,
    index: &SearchIndex,
    terms: &[String],
    policy: &WordPolicy,
) -> Result<Occurrences> {
    if let Some(found) = index.found() {
        return Ok(found_occurrences(found));
    }
    let most = frequent(policy).most_of(index.documents());
    let lists = reader.postings(space, of, terms, most)?;
    let holding = lists.iter().map(|list| list.documents.len()).collect();
    Ok(Occurrences { lists, holding })
}

/// Where the terms occur in what the store found by them.
pub(super) fn found_occurrences(found: &SparseIndex) -> Occurrences {
    let lists = found.terms.iter().map(|term| term.postings.clone()).collect();
    Occurrences { lists, holding: found.terms.iter().map(|term| term.holding).collect() }
}

/// How much a term tells, over all indexes of one sort within reach.
#[derive(Debug)]
pub(super) struct TermWeight {
    /// For each term, how much it tells; nothing for one too frequent to look up.
    weights: Vec<f64>,
    /// What all of them tell together, also those that occur nowhere.
    pub(super) asked: f64,
}

impl TermWeight {
    /// Weighs the terms by how few documents hold them.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub(super) fn of(terms: usize, found: &[(&SearchIndex, Occurrences)]) -> Self {
        let documents: usize = found.iter().map(|(index, _)| index.documents()).sum();
        let holding =
            |term: usize| -> usize { found.iter().map(|(_, one)| one.holding[term]).sum() };
        let cut = |term: usize| found.iter().any(|(_, one)| one.lists[term].cut);
        // When every word is too frequent, the newest documents that hold them are looked at.
        let all_cut = (0..terms).all(|term| cut(term) || holding(term) == 0);
        let rarity = |term: usize| rarity(documents as f64, holding(term) as f64);
        let weights =
            (0..terms).map(|term| if cut(term) && !all_cut { 0.0 } else { rarity(term) }).collect();
        Self { weights, asked: (0..terms).map(rarity).sum() }
    }
}

/// How much a term tells that `holding` of `documents` hold.
fn rarity(documents: f64, holding: f64) -> f64 {
    (1.0 + (documents - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// What the words say about one document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DocumentScore {
    /// BM25 of its own words.
    pub(super) own: f32,
    /// BM25 of its words and those beside it.
    pub(super) around: f32,
    /// The share that it holds of what the query's words tell.
    pub(super) covers: f32,
}

/// The most terms that are counted for one query, the most telling ones: each has a bit.
const COUNTED: usize = u64::BITS as usize;

/// What the words say about the documents of one index.
///
/// Mostly empty and as long as the index: whoever is done with it clears it for the next query.
#[derive(Debug, Default)]
pub(super) struct IndexWords {
    /// Documents that hold terms or stand beside the best of those, and what is said of them.
    pub(super) told: Vec<(u32, DocumentScore)>,
    /// For each document the terms that it holds.
    holds: Vec<u64>,
    /// For each session the same.
    session_holds: Vec<u64>,
    /// The sessions that hold terms.
    sessions: Vec<u32>,
    measure: WordMeasure,
}

/// How what documents and sessions hold becomes scores.
#[derive(Debug, Default)]
struct WordMeasure {
    /// What each term tells about a document.
    weights: Vec<f32>,
    /// What it tells about a session.
    session_weights: Vec<f32>,
    /// What all terms tell, also those that are not counted.
    asked: f32,
    /// What a word counts that the turn before holds.
    before: f32,
    /// What a word counts that the turn after holds.
    after: f32,
    own: Damping,
    around: Damping,
    session: Damping,
}

/// How length counts against a text, as BM25 has it for words that occur once.
#[derive(Debug, Default)]
struct Damping {
    most: f32,
    flat: f32,
    slope: f32,
}

impl Damping {
    #[expect(clippy::cast_possible_truncation, reason = "scores need no more precision")]
    fn new(k1: f64, b: f64, mean_length: f64) -> Self {
        let (flat, slope) = (1.0 + k1 * (1.0 - b), k1 * b / mean_length);
        Self { most: (k1 + 1.0) as f32, flat: flat as f32, slope: slope as f32 }
    }

    fn at(&self, length: f32) -> f32 {
        self.most / (self.flat + self.slope * length)
    }
}

impl IndexWords {
    /// What is said of a document.
    pub(super) fn of(&self, index: &SearchIndex, number: u32) -> DocumentScore {
        let (holds, length) = (|at| self.held(at), |at| index.length(at));
        let standing = index.place(number);
        let own_length = f32::from(standing.length);
        let by = &self.measure;
        let own = holds(number);
        let before = holds(standing.before) & !own;
        let after = holds(standing.next) & !own & !before;
        if own | before | after == 0 {
            return DocumentScore::default();
        }
        let told = sum(own, &by.weights);
        let told_beside = by.before * sum(before, &by.weights) + by.after * sum(after, &by.weights);
        let length_around =
            own_length + by.before * length(standing.before) + by.after * length(standing.next);
        DocumentScore {
            own: told * by.own.at(own_length),
            around: (told + told_beside) * by.around.at(length_around),
            covers: (told / by.asked).min(1.0),
        }
    }

    fn held(&self, number: u32) -> u64 {
        self.holds.get(number as usize).copied().unwrap_or(0)
    }

    /// BM25 of all words of a session.
    #[expect(clippy::cast_precision_loss, reason = "scores need no more precision")]
    pub(super) fn of_session(&self, index: &SearchIndex, number: u32) -> f32 {
        let at = number as usize;
        match self.session_holds.get(at) {
            None | Some(0) => 0.0,
            Some(held) => {
                let by = &self.measure;
                sum(*held, &by.session_weights) * by.session.at(index.session_length(number) as f32)
            }
        }
    }

    /// The scores of all sessions of which something is said.
    pub(super) fn session_scores(&self, index: &SearchIndex) -> impl Iterator<Item = f32> {
        self.sessions.iter().map(|number| self.of_session(index, *number))
    }

    /// Forgets what was said.
    fn clear(&mut self) {
        for (number, _) in self.told.drain(..) {
            self.holds[number as usize] = 0;
        }
        for number in self.sessions.drain(..) {
            self.session_holds[number as usize] = 0;
        }
    }

    /// Notes who holds the terms.
    fn count(&mut self, index: &SearchIndex, terms: &[&Postings]) {
        if self.holds.len() < index.len() {
            self.holds.resize(index.len(), 0);
            self.session_holds.resize(index.len(), 0);
        }
        for (term, list) in terms.iter().enumerate() {
            let mut sessions_holding = 0;
            for number in list.documents.iter().filter(|number| (**number as usize) < index.len()) {
                let held = &mut self.holds[*number as usize];
                if *held == 0 {
                    self.told.push((*number, DocumentScore::default()));
                }
                *held |= 1 << term;
                let session = index.place(*number).session;
                let held = &mut self.session_holds[session as usize];
                if *held == 0 {
                    self.sessions.push(session);
                }
                sessions_holding += u32::from(*held & 1 << term == 0);
                *held |= 1 << term;
            }
            self.measure.session_weights.push(session_rarity(index, sessions_holding));
        }
    }

    /// Says what every document tells that holds terms, and those beside the best of them: no other
    /// is told of better by its neighbours than the best are by themselves.
    fn tell(&mut self, index: &SearchIndex, best: usize) {
        let mut told = std::mem::take(&mut self.told);
        for (number, said) in &mut told {
            *said = self.of(index, *number);
        }
        let mut leading: Vec<(u32, f32)> =
            told.iter().map(|(number, said)| (*number, said.own)).collect();
        keep_first(&mut leading, best, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let standing = |number: &u32| index.place(*number);
        let beside = leading.iter().map(|(number, _)| standing(number));
        let mut beside: Vec<u32> = beside.flat_map(|one| [one.before, one.next]).collect();
        beside.retain(|number| *number != NONE && self.held(*number) == 0);
        beside.sort_unstable();
        beside.dedup();
        told.extend(beside.into_iter().map(|number| (number, self.of(index, number))));
        self.told = told;
    }
}

/// Keeps those that come first in an order, as they lie.
pub(super) fn keep_first<T>(all: &mut Vec<T>, most: usize, order: impl Fn(&T, &T) -> Ordering) {
    if all.len() > most {
        all.select_nth_unstable_by(most, order);
        all.truncate(most);
    }
}

/// The numbers with the highest scores.
pub(super) fn best(mut scored: Vec<(u32, f32)>, most: usize) -> impl Iterator<Item = u32> {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    keep_first(&mut scored, most, order);
    scored.into_iter().map(|(number, _)| number)
}

/// What the terms tell together whose bits are set.
fn sum(mut bits: u64, weights: &[f32]) -> f32 {
    let mut sum = 0.0;
    while bits != 0 {
        sum += weights[bits.trailing_zeros() as usize];
        bits &= bits - 1;
    }
    sum
}

/// How much a term tells about sessions.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "scores need no more than single precision"
)]
fn session_rarity(index: &SearchIndex, holding: u32) -> f32 {
    rarity(index.sessions() as f64, f64::from(holding)) as f32
}

/// Words that were used and are clear: making them anew for every query takes longer than clearing.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Vec<IndexWords>>);

impl Pool {
    pub(super) fn clear_words(&self) -> IndexWords {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn keep(&self, mut words: IndexWords) {
        words.clear();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }
}

/// Scores the documents of one index, into words that are clear.
pub(super) fn score(
    mut words: IndexWords,
    index: &SearchIndex,
    occurrences: &Occurrences,
    telling: &TermWeight,
    policy: &WordPolicy,
    relevance: &RelevancePolicy,
) -> IndexWords {
    let mut terms: Vec<(&Postings, f64)> =
        occurrences.lists.iter().zip(telling.weights.iter().copied()).collect();
    terms.retain(|(list, weight)| *weight > 0.0 && !list.documents.is_empty());
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    terms.truncate(COUNTED);
    let beside = 1.0 + relevance.before + relevance.after;
    #[expect(clippy::cast_possible_truncation, reason = "scores need no more precision")]
    let measure = WordMeasure {
        weights: terms.iter().map(|(_, weight)| *weight as f32).collect(),
        session_weights: Vec::with_capacity(terms.len()),
        asked: telling.asked.max(1e-9) as f32,
        before: relevance.before as f32,
        after: relevance.after as f32,
        own: Damping::new(policy.k1, policy.b, index.mean_length()),
        around: Damping::new(policy.k1, policy.b, index.mean_length() * beside),
        session: Damping::new(policy.k1, policy.session_b, index.mean_session_length()),
    };
    words.measure = measure;
    let lists: Vec<&Postings> = terms.into_iter().map(|(list, _)| list).collect();
    words.count(index, &lists);
    words.tell(index, relevance.background);
    words
}
