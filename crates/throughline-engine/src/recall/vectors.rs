//! The vectors arm: how near in meaning the documents of an index are to a query.

use throughline_core::State;
use throughline_embed::Embedding;
use throughline_embed::nearest::{self, Code};

use crate::index::Index;

/// Rows that the sign bits hand over to the bytes.
const BITS_KEEP: usize = 4_096;

/// The cosines of the documents of one index to a query.
#[derive(Debug)]
pub(super) struct Cosines {
    query: Code,
    /// For each document its cosine, very negative where there is none; empty where only the best
    /// were looked at.
    dense: Vec<f32>,
    /// Documents and their cosines: all of them, or where there are very many the best.
    pub(super) best: Vec<(u32, f32)>,
}

/// Scans an index. What is in other states is passed over unread.
pub(super) fn scan(index: &Index, query: &Embedding, states: &[State]) -> Cosines {
    let rows = index.rows();
    let code = nearest::encode(query);
    let keep = |at: usize| index.is_embedded(at) && index.is_in(at, states);
    let number = |at: usize| u32::try_from(at).unwrap_or(crate::index::NONE);
    if let Some(bits) = index.bits() {
        let best = bits
            .candidates(query, keep, BITS_KEEP)
            .into_iter()
            .map(|at| (number(at), nearest::cosine(&code, &rows, at)))
            .collect();
        return Cosines { query: code, dense: Vec::new(), best };
    }
    let mut dense = Vec::new();
    nearest::cosines(&code, &rows, keep, &mut dense);
    let best = dense
        .iter()
        .enumerate()
        .filter(|(_, cosine)| cosine.is_finite())
        .map(|(at, cosine)| (number(at), *cosine))
        .collect();
    Cosines { query: code, dense, best }
}

impl Cosines {
    /// The cosine of a document; `None` without a vector of our model.
    pub(super) fn of(&self, index: &Index, number: u32) -> Option<f64> {
        let at = number as usize;
        if !index.is_embedded(at) {
            return None;
        }
        let cosine = match self.dense.get(at) {
            Some(cosine) => *cosine,
            None => nearest::cosine(&self.query, &index.rows(), at),
        };
        cosine.is_finite().then_some(f64::from(cosine))
    }
}
