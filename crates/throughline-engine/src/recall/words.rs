//! The words arm: which documents hold the words of a query, alone, with the turns beside them, and
//! as sessions.
//!
//! A word counts once in a document however often it stands there: on the development data counting
//! repetitions costs up to ten points, because long texts repeat everything.

use std::sync::{Mutex, PoisonError};

use throughline_core::SpaceId;
use throughline_core::policy::{RelevancePolicy, WordPolicy};
use throughline_store::{Postings, Reader, TextOf};

use crate::Result;
use crate::index::{Index, NONE};

/// Where the terms of a query occur in one index.
#[derive(Debug)]
pub(super) struct Occurrences {
    lists: Vec<Postings>,
}

/// Looks up the terms in one index.
pub(super) fn occurrences(
    reader: &dyn Reader,
    space: SpaceId,
    of: TextOf,
    index: &Index,
    terms: &[String],
    policy: &WordPolicy,
) -> Result<Occurrences> {
    let most =
        (index.documents / policy.frequent_share).clamp(policy.rare_max, policy.postings_most);
    Ok(Occurrences { lists: reader.postings(space, of, terms, most)? })
}

/// How much a term tells, over all indexes of one sort within reach.
#[derive(Debug)]
pub(super) struct Telling {
    /// For each term, how much it tells; nothing for one too frequent to look up.
    weights: Vec<f64>,
    /// What all of them tell together, also those that occur nowhere.
    pub(super) asked: f64,
}

impl Telling {
    /// Weighs the terms by how few documents hold them.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub(super) fn of(terms: usize, found: &[(&Index, Occurrences)]) -> Self {
        let documents: usize = found.iter().map(|(index, _)| index.documents).sum();
        let holding = |term: usize| -> usize {
            found.iter().map(|(_, one)| one.lists[term].documents.len()).sum()
        };
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
pub(super) struct Said {
    /// BM25 of its own words.
    pub(super) own: f32,
    /// BM25 of its words and those beside it.
    pub(super) around: f32,
    /// The share that it holds of what the query's words tell.
    pub(super) covers: f32,
    /// The latest term that was counted for it.
    round: u32,
}

/// What the words say about the documents of one index.
///
/// As long as the index, and mostly empty: whoever is done with it clears it for the next query.
#[derive(Debug, Default)]
pub(super) struct Words {
    said: Vec<Said>,
    sessions: Vec<f32>,
    session_rounds: Vec<u32>,
    /// Documents of which something is said.
    pub(super) touched: Vec<u32>,
    /// Numbers of their sessions.
    touched_sessions: Vec<u32>,
}

impl Words {
    /// What is said of a document.
    pub(super) fn of(&self, number: u32) -> Said {
        self.said.get(number as usize).copied().unwrap_or_default()
    }

    /// BM25 of all words of a session.
    pub(super) fn of_session(&self, number: u32) -> f32 {
        self.sessions.get(number as usize).copied().unwrap_or(0.0)
    }

    /// The scores of all sessions of which something is said.
    pub(super) fn session_scores(&self) -> impl Iterator<Item = f32> {
        self.touched_sessions.iter().map(|number| self.of_session(*number))
    }

    /// Forgets what was said.
    pub(super) fn clear(&mut self) {
        for number in self.touched.drain(..) {
            self.said[number as usize] = Said::default();
        }
        for number in self.touched_sessions.drain(..) {
            self.sessions[number as usize] = 0.0;
        }
    }

    fn fit(&mut self, count: usize) {
        if self.said.len() < count {
            self.said.resize(count, Said::default());
            self.sessions.resize(count, 0.0);
            self.session_rounds.resize(count, 0);
        }
    }

    /// Counts one term.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "scores need no more than single precision"
    )]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    fn count(
        &mut self,
        round: u32,
        index: &Index,
        holding: &[u32],
        weight: f64,
        relevance: &RelevancePolicy,
    ) {
        let inside =
            || holding.iter().map(|number| *number as usize).filter(|at| *at < index.len());
        let mut sessions = 0_u32;
        for at in inside() {
            self.add(at, weight as f32);
            self.said[at].own += weight as f32;
            self.said[at].round = round;
            let session = index.session[at] as usize;
            if self.session_rounds[session] != round {
                self.session_rounds[session] = round;
                sessions += 1;
            }
        }
        for (beside, share) in [(&index.next, relevance.before), (&index.before, relevance.after)] {
            for at in inside() {
                let other = beside[at] as usize;
                if beside[at] != NONE && self.said[other].round != round {
                    self.said[other].round = round;
                    self.add(other, (weight * share) as f32);
                }
            }
        }
        let telling = rarity(index.sessions as f64, f64::from(sessions)) as f32;
        for at in inside() {
            let session = index.session[at] as usize;
            if self.session_rounds[session] == round {
                self.session_rounds[session] = 0;
                if self.sessions[session] == 0.0 {
                    self.touched_sessions.push(index.session[at]);
                }
                self.sessions[session] += telling;
            }
        }
    }

    fn add(&mut self, at: usize, weight: f32) {
        if self.said[at].around == 0.0 {
            self.touched.push(u32::try_from(at).unwrap_or(NONE));
        }
        self.said[at].around += weight;
    }

    /// Counts length against documents, as BM25 does for words that occur once.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "scores need no more than single precision"
    )]
    fn damp(
        &mut self,
        index: &Index,
        asked: f64,
        policy: &WordPolicy,
        relevance: &RelevancePolicy,
    ) {
        let damped = |length: f64, mean: f64, b: f64| -> f32 {
            ((policy.k1 + 1.0) / (1.0 + policy.k1 * (1.0 - b + b * length / mean))) as f32
        };
        let length = |at: u32| if at == NONE { 0.0 } else { f64::from(index.length[at as usize]) };
        let beside = 1.0 + relevance.before + relevance.after;
        for number in &self.touched {
            let at = *number as usize;
            let own = length(*number);
            let around = own
                + relevance.before * length(index.before[at])
                + relevance.after * length(index.next[at]);
            let said = &mut self.said[at];
            said.covers = (f64::from(said.own) / asked.max(1e-9)).min(1.0) as f32;
            said.own *= damped(own, index.mean_length, policy.b);
            said.around *= damped(around, index.mean_length * beside, policy.b);
        }
        for number in &self.touched_sessions {
            let session = *number as usize;
            let length = f64::from(index.session_length[session]);
            self.sessions[session] *= damped(length, index.mean_session_length, policy.session_b);
        }
    }
}

/// Words that were used and are clear: making them anew for every query takes longer than clearing.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Vec<Words>>);

impl Pool {
    pub(super) fn take(&self) -> Words {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn keep(&self, mut words: Words) {
        words.clear();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }
}

/// Scores the documents of one index, into words that are clear.
pub(super) fn score(
    mut words: Words,
    index: &Index,
    occurrences: &Occurrences,
    telling: &Telling,
    policy: &WordPolicy,
    relevance: &RelevancePolicy,
) -> Words {
    words.fit(index.len());
    for (round, (list, weight)) in (1..).zip(occurrences.lists.iter().zip(&telling.weights)) {
        if *weight > 0.0 {
            words.count(round, index, &list.documents, *weight, relevance);
        }
    }
    words.damp(index, telling.asked, policy, relevance);
    words
}
