//! The vectors arm: how near in meaning the documents of an index are to a query.

use std::collections::{BTreeMap, HashMap};

use throughline_core::{NodeId, SpaceId, State};
use throughline_embed::nearest::{self, Code};
use throughline_embed::{Embedding, MODEL};
use throughline_store::Reader;

use crate::Result;
use crate::index::SearchIndex;
use crate::meaning::Far;

/// How many of the nearest are known exactly and not only to the precision of a byte.
pub(super) const EXACT: usize = 8;

/// Of many documents, those that are kept as the best.
pub(super) const BEST_KEEP: usize = 1_024;
/// One row in so many is handed over from the sign bits to the bytes, within limits.
const BITS_SHARE: usize = 64;
const BITS_KEEP: (usize, usize) = (2_048, 4_096);

/// The cosines of the documents of one index to a query.
#[derive(Debug)]
pub(super) struct Cosines {
    meaning: Embedding,
    query: Code,
    /// Documents whose cosine was computed from the vectors themselves.
    exact: BTreeMap<u32, f32>,
    /// For each document its cosine, very negative where there is none; empty where only the best
    /// were looked at.
    dense: Vec<f32>,
    /// Documents and their cosines: all of them, or where there are many the best.
    pub(super) best: Vec<(u32, f32)>,
    /// Sessions and the best cosine in each; none for memories.
    sessions: HashMap<u32, f32>,
    /// They are of a service's vectors, and exact; those of our own model say nothing here.
    far: bool,
}

/// The same with the vectors of a service. What has none is left to its words.
pub(super) fn scan_far(
    index: &SearchIndex,
    far: &Far,
    ours: &Embedding,
    states: &[State],
) -> Cosines {
    let mut dense = vec![f32::NEG_INFINITY; index.len()];
    for (at, cosine) in dense.iter_mut().enumerate() {
        let number = u32::try_from(at).unwrap_or(crate::index::NONE);
        let vector = index.node(number).filter(|_| index.is_in(at, states) && !index.is_cold(at));
        if let Some(near) = vector.and_then(|node| far.cosine(node)) {
            *cosine = near;
        }
    }
    let numbered = dense.iter().enumerate().filter(|(_, cosine)| cosine.is_finite());
    let number = |at: usize| u32::try_from(at).unwrap_or(crate::index::NONE);
    let mut best: Vec<(u32, f32)> = numbered.map(|(at, cosine)| (number(at), *cosine)).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(BEST_KEEP);
    let sessions =
        if index.has_sessions() { best_of_sessions(index, &best) } else { HashMap::new() };
    let (meaning, query) = (*ours, nearest::encode(ours));
    Cosines { meaning, query, exact: BTreeMap::new(), dense, best, sessions, far: true }
}

/// Scans an index. What is in other states is passed over unread.
pub(super) fn scan(index: &SearchIndex, query: &Embedding, states: &[State]) -> Cosines {
    let rows = index.rows();
    let code = nearest::encode(query);
    let keep = |at: usize| index.is_embedded(at) && index.is_in(at, states);
    let number = |at: usize| u32::try_from(at).unwrap_or(crate::index::NONE);
    let mut dense = Vec::new();
    let found = index.found().and_then(|found| found.nearest.clone());
    let mut best: Vec<(u32, f32)> = if let Some(nearest) = found {
        nearest
    } else if let Some(bits) = index.bits() {
        let kept = (index.len() / BITS_SHARE).clamp(BITS_KEEP.0, BITS_KEEP.1);
        let near = bits.candidates(query, keep, kept);
        let near = nearest::cosines_among(&code, &rows, &near).into_iter();
        near.map(|(at, cosine)| (number(at), cosine)).collect()
    } else {
        nearest::cosines(&code, &rows, keep, &mut dense);
        let least = least_of_best(&dense);
        let all = dense.iter().enumerate();
        let near = all.filter(|(_, cosine)| **cosine >= least);
        near.map(|(at, cosine)| (number(at), *cosine)).collect()
    };
    if best.len() > BEST_KEEP {
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        best.select_nth_unstable_by(BEST_KEEP, order);
        best.truncate(BEST_KEEP);
    }
    let sessions =
        if index.has_sessions() { best_of_sessions(index, &best) } else { HashMap::new() };
    let exact = BTreeMap::new();
    Cosines { meaning: *query, query: code, exact, dense, best, sessions, far: false }
}

/// The best cosine of every session that has one among the best.
fn best_of_sessions(index: &SearchIndex, best: &[(u32, f32)]) -> HashMap<u32, f32> {
    let mut sessions = HashMap::with_capacity(best.len());
    for (number, cosine) in best {
        let session = sessions.entry(index.place(*number).session).or_insert(*cosine);
        *session = session.max(*cosine);
    }
    sessions
}

/// A cosine that at least [`BEST_KEEP`] reach and not many more, found by counting them into
/// shelves; the lowest there is where they are few.
fn least_of_best(cosines: &[f32]) -> f32 {
    const SHELVES: usize = 2_048;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a shelf's number")]
    #[expect(clippy::cast_precision_loss, reason = "there are two thousand shelves")]
    let shelf = |cosine: f32| {
        (((cosine + 1.0) * (SHELVES as f32 / 2.0)).max(0.0) as usize).min(SHELVES - 1)
    };
    let mut counts = [0_usize; SHELVES];
    for cosine in cosines.iter().filter(|cosine| cosine.is_finite()) {
        counts[shelf(*cosine)] += 1;
    }
    let mut above = 0;
    for at in (0..SHELVES).rev() {
        above += counts[at];
        if above >= BEST_KEEP {
            #[expect(clippy::cast_precision_loss, reason = "there are two thousand shelves")]
            // One shelf lower: rounding must leave nothing out.
            let least = (at.max(1) - 1) as f32 * 2.0 / SHELVES as f32 - 1.0;
            return least;
        }
    }
    f32::MIN
}

/// The documents whose vectors have to be compared themselves to say which are the nearest, by their cosines and
/// how far their codes lie from their vectors.
pub(super) fn contending(near: Vec<(u32, f32, f32)>) -> Vec<u32> {
    /// What the code of the prompt may lose, beside what the codes of documents lose.
    const SLACK: f32 = 0.002;
    const MOST: usize = 192;
    let mut lower: Vec<f32> = near.iter().map(|(_, cosine, lost)| cosine - lost).collect();
    lower.sort_by(|a, b| b.total_cmp(a));
    let bar = lower.get(EXACT - 1).copied().unwrap_or(f32::NEG_INFINITY);
    let mut may: Vec<(u32, f32)> =
        near.into_iter().map(|(number, cosine, lost)| (number, cosine + lost + SLACK)).collect();
    may.retain(|(_, upper)| *upper >= bar);
    may.sort_by(|a, b| b.1.total_cmp(&a.1));
    may.truncate(MOST);
    may.into_iter().map(|(number, _)| number).collect()
}

impl Cosines {
    /// The nodes whose vectors will be compared themselves.
    pub(super) fn contenders(&self, index: &SearchIndex) -> Vec<NodeId> {
        let rows = index.rows();
        let near = self.best.iter().map(|(at, cosine)| (*at, *cosine, rows.residual(*at as usize)));
        contending(near.collect()).into_iter().filter_map(|number| index.node(number)).collect()
    }

    /// Finds the nearest among some documents, provably those that a scan of the vectors themselves
    /// would find, and remembers their exact cosines.
    pub(super) fn settle(
        &mut self,
        reader: &dyn Reader,
        space: SpaceId,
        index: &SearchIndex,
        among: &[u32],
    ) -> Result<()> {
        if self.far {
            return Ok(());
        }
        let rows: Vec<usize> = among
            .iter()
            .map(|number| *number as usize)
            .filter(|at| index.is_embedded(*at))
            .collect();
        let number = |at: usize| u32::try_from(at).unwrap_or(crate::index::NONE);
        let found = nearest::nearest_among(&self.meaning, &index.rows(), EXACT, &rows, |wanted| {
            let nodes: Vec<NodeId> =
                wanted.iter().filter_map(|at| index.node(number(*at))).collect();
            let vectors = reader.vectors_of(space, MODEL, &nodes)?;
            // A vector that is gone, or of another length, is as far as can be.
            let whole = |one: Option<Vec<f32>>| {
                one.filter(|one| one.len() == nearest::CODES)
                    .unwrap_or_else(|| vec![0.0; nearest::CODES])
            };
            Ok::<_, crate::Error>(vectors.into_iter().map(whole).collect())
        })?;
        self.exact = found.hits.into_iter().map(|(at, cosine)| (number(at), cosine)).collect();
        Ok(())
    }

    /// The best cosine in a session, if one of the best is there.
    pub(super) fn best_of_session(&self, session: u32) -> Option<f64> {
        self.sessions.get(&session).map(|best| f64::from(*best))
    }

    /// The cosine of a document; `None` without a vector of our model.
    pub(super) fn of(&self, index: &SearchIndex, number: u32) -> Option<f64> {
        let at = number as usize;
        if self.far {
            return self.dense.get(at).filter(|one| one.is_finite()).map(|one| f64::from(*one));
        }
        if !index.is_embedded(at) {
            return None;
        }
        let cosine = match (self.exact.get(&number), self.dense.get(at)) {
            (Some(exact), _) => *exact,
            (None, Some(cosine)) => *cosine,
            (None, None) => nearest::cosine(&self.query, &index.rows(), at),
        };
        cosine.is_finite().then_some(f64::from(cosine))
    }
}
