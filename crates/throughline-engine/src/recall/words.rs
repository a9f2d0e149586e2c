//! The words arm: which documents hold the words of a query, alone, with the turns beside them, and
//! as sessions.
//!
//! A word counts once in a document however often it stands there: on the development data counting
//! repetitions costs up to ten points, because long texts repeat everything.

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

/// What the words say about the documents of one index.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// For each document, BM25 of its own words.
    pub(super) own: Vec<f32>,
    /// For each document, the share that it holds of what the query's words tell.
    pub(super) covers: Vec<f32>,
    /// For each document, BM25 of its words and those beside it.
    pub(super) around: Vec<f32>,
    /// For each session number, BM25 of all its words.
    pub(super) session: Vec<f32>,
    /// Documents that `around` says something about.
    pub(super) touched: Vec<u32>,
}

/// Scores the documents of one index.
#[expect(clippy::cast_possible_truncation, reason = "scores need no more than single precision")]
pub(super) fn score(
    index: &Index,
    occurrences: &Occurrences,
    telling: &Telling,
    policy: &WordPolicy,
    relevance: &RelevancePolicy,
) -> Words {
    let count = index.len();
    let mut words = Words {
        own: vec![0.0; count],
        covers: vec![0.0; count],
        around: vec![0.0; count],
        session: vec![0.0; count],
        touched: Vec::new(),
    };
    let mut tally = Tally { marks: vec![0; count], session_marks: vec![0; count], round: 0 };
    for (list, weight) in occurrences.lists.iter().zip(&telling.weights) {
        if *weight > 0.0 {
            tally.term(index, &list.documents, *weight, relevance, &mut words);
        }
    }
    for number in &words.touched {
        let at = *number as usize;
        words.covers[at] = (f64::from(words.own[at]) / telling.asked.max(1e-9)).min(1.0) as f32;
    }
    damp(index, policy, relevance, &mut words);
    words
}

/// Which documents and sessions a term was counted for.
struct Tally {
    marks: Vec<u32>,
    session_marks: Vec<u32>,
    round: u32,
}

impl Tally {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "scores need no more than single precision"
    )]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    fn term(
        &mut self,
        index: &Index,
        holding: &[u32],
        weight: f64,
        relevance: &RelevancePolicy,
        words: &mut Words,
    ) {
        self.round += 1;
        let inside =
            || holding.iter().map(|number| *number as usize).filter(|at| *at < index.len());
        let mut sessions = 0_u32;
        for at in inside() {
            self.marks[at] = self.round;
            words.own[at] += weight as f32;
            add(words, at, weight);
            let session = index.session[at] as usize;
            if self.session_marks[session] != self.round {
                self.session_marks[session] = self.round;
                sessions += 1;
            }
        }
        for (beside, share) in [(&index.next, relevance.before), (&index.before, relevance.after)] {
            for at in inside() {
                let other = beside[at];
                if other != NONE && self.marks[other as usize] != self.round {
                    self.marks[other as usize] = self.round;
                    add(words, other as usize, weight * share);
                }
            }
        }
        let telling = rarity(index.sessions as f64, f64::from(sessions)) as f32;
        for at in inside() {
            let session = index.session[at] as usize;
            if self.session_marks[session] == self.round {
                self.session_marks[session] = 0;
                words.session[session] += telling;
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "scores need no more than single precision")]
fn add(words: &mut Words, at: usize, weight: f64) {
    if words.around[at] == 0.0 {
        words.touched.push(u32::try_from(at).unwrap_or(NONE));
    }
    words.around[at] += weight as f32;
}

/// Counts length against documents, as BM25 does for words that occur once.
#[expect(clippy::cast_possible_truncation, reason = "scores need no more than single precision")]
fn damp(index: &Index, policy: &WordPolicy, relevance: &RelevancePolicy, words: &mut Words) {
    let damped = |length: f64, mean: f64, b: f64| -> f32 {
        ((policy.k1 + 1.0) / (1.0 + policy.k1 * (1.0 - b + b * length / mean))) as f32
    };
    let length = |at: u32| if at == NONE { 0.0 } else { f64::from(index.length[at as usize]) };
    let beside = 1.0 + relevance.before + relevance.after;
    for number in &words.touched {
        let at = *number as usize;
        let own = length(*number);
        let around = own
            + relevance.before * length(index.before[at])
            + relevance.after * length(index.next[at]);
        words.own[at] *= damped(own, index.mean_length, policy.b);
        words.around[at] *= damped(around, index.mean_length * beside, policy.b);
        let session = index.session[at] as usize;
        // Each session once: what is negative was damped already.
        if words.session[session] > 0.0 {
            let length = f64::from(index.session_length[session]);
            let share = damped(length, index.mean_session_length, policy.session_b);
            words.session[session] *= -share;
        }
    }
    for score in &mut words.session {
        *score = score.abs();
    }
}
