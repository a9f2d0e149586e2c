//! Nearest neighbours: finds the nearest of many vectors by scanning codes of one byte a dimension,
//! and corrects for what the coding lost.
//!
//! In reading order: [`encode`] makes a [`Code`] of a vector and measures what was lost; [`Rows`]
//! are codes in the caller's bytes; [`cosines`] scores all of them approximately; [`nearest`]
//! scores them exactly, fetching as few whole vectors as it can; [`Bits`] narrow down very many
//! rows first; [`neighbours`] finds for each of many rows the nearest others. Nothing here reads a file or keeps an index.

mod among;
mod bits;
mod code;
mod scan;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::iter;

pub use among::{EXACT, neighbours};
pub use bits::{Bits, BitsIn, CANDIDATES, refresh_in};
pub use code::{CODES, Code, Rows, encode, exact_dot};
use code::{LARGEST, Wide};

/// The fewest and the most whole vectors asked for at a time.
const BATCH: (usize, usize) = (12, 4_096);

/// How far an [`exact_dot`] may lie from the true one, as a share of the two lengths' product.
///
/// A product and the sums it enters are rounded 29 times at 384 dimensions; this allows for 64.
const ROUNDING: f64 = 64.0 / 16_777_216.0;

/// What products too small for an `f32` may lose, however short the vectors.
const UNDERFLOW: f64 = 1e-40;

/// Lengths whose product is below this never leave the range of an `f32` on the way.
const FINITE: f64 = 1e38;

/// Nearest: the rows found, and how many whole vectors had to be fetched for that.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Rows and their [`exact_dot`] with the query, the highest first, ties by row.
    ///
    /// A score that is not a number counts as the lowest, negative infinity.
    pub hits: Vec<(usize, f32)>,
    /// Number of whole vectors that were fetched.
    pub fetched: usize,
}

/// Exact integer dot product of two codes. Bytes are codes as they lie in a row.
pub fn dot(a: &[i8; CODES], b: &[u8; CODES]) -> i32 {
    let rows = Rows { bytes: b, stride: CODES, codes_at: 0, scale_at: 0, residual_at: 0 };
    let mut sum = 0;
    scan::dots(&a.map(i16::from), &rows, iter::once(0), |_, dot| sum = dot);
    sum
}

/// Approximate cosine of one row: off by at most what the two residuals say, and so at times a
/// little above one.
pub fn cosine(query: &Code, rows: &Rows<'_>, row: usize) -> f32 {
    scaled(dot(&query.codes, rows.codes(row)), query.scale, rows.scale(row))
}

/// The same from a dot product of the codes that somebody else worked out.
pub fn cosine_of(query: &Code, dot: i32, row_scale: f32) -> f32 {
    scaled(dot, query.scale, row_scale)
}

/// Approximate cosines of all rows that `keep` accepts; negative infinity for the others.
///
/// `out` is emptied first. `keep` is asked before a row is read.
pub fn cosines(query: &Code, rows: &Rows<'_>, keep: impl Fn(usize) -> bool, out: &mut Vec<f32>) {
    out.clear();
    out.resize(rows.len(), f32::NEG_INFINITY);
    let wanted = (0..rows.len()).filter(|&row| keep(row));
    scan::dots(&query.codes.map(i16::from), rows, wanted, |row, dot| {
        out[row] = scaled(dot, query.scale, rows.scale(row));
    });
}

/// Approximate cosines of some rows only, such as [`Bits::candidates`].
///
/// # Panics
///
/// If a row does not exist.
pub fn cosines_among(query: &Code, rows: &Rows<'_>, among: &[usize]) -> Vec<(usize, f32)> {
    let mut found = Vec::with_capacity(among.len());
    scan::dots(&query.codes.map(i16::from), rows, among.iter().copied(), |row, dot| {
        found.push((row, scaled(dot, query.scale, rows.scale(row))));
    });
    found
}

/// The `k` rows to `keep` with the highest [`exact_dot`]: the same, to the last bit, as if every
/// vector had been fetched.
///
/// `fetch` returns the vectors of the rows it is handed, in that order: the very numbers that were
/// encoded. It is called with at most 4096 rows at a time, and again only while rows are left that
/// might belong.
///
/// # Panics
///
/// If the query has not [`CODES`] dimensions, or `fetch` returns another number of vectors than it
/// was asked for, or vectors of another length.
pub fn nearest<E>(
    query: &[f32],
    rows: &Rows<'_>,
    k: usize,
    keep: impl Fn(usize) -> bool,
    fetch: impl FnMut(&[usize]) -> Result<Vec<Vec<f32>>, E>,
) -> Result<Nearest, E> {
    let wanted = (0..rows.len()).filter(|&row| keep(row));
    settle(query, k, &contenders(query, rows, k, wanted), fetch)
}

/// The `k` nearest among some rows only, such as [`Bits::candidates`]; otherwise as [`nearest`].
///
/// No row may be named twice.
///
/// # Panics
///
/// As [`nearest`], and if a row does not exist.
pub fn nearest_among<E>(
    query: &[f32],
    rows: &Rows<'_>,
    k: usize,
    among: &[usize],
    fetch: impl FnMut(&[usize]) -> Result<Vec<Vec<f32>>, E>,
) -> Result<Nearest, E> {
    settle(query, k, &contenders(query, rows, k, among.iter().copied()), fetch)
}

/// A row that may be among the nearest, for its score is at most `upper`.
#[derive(Debug, Clone, Copy)]
struct Contender {
    row: usize,
    upper: f64,
}

/// An order of floats for heaps.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Score(f64);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The scores of the best `k` so far; what is below all of them no longer matters.
struct Best {
    k: usize,
    /// The `k`-th best score, which a row has to reach.
    bar: f64,
    scores: BinaryHeap<Reverse<Score>>,
}

impl Best {
    fn of(k: usize) -> Self {
        Self { k, bar: f64::NEG_INFINITY, scores: BinaryHeap::new() }
    }

    fn offer(&mut self, score: f64) {
        if self.scores.len() < self.k || self.bar < score {
            self.scores.push(Reverse(Score(score)));
        }
        if self.k < self.scores.len() {
            self.scores.pop();
        }
        if self.scores.len() == self.k {
            self.bar = self.scores.peek().map_or(f64::NEG_INFINITY, |lowest| lowest.0.0);
        }
    }
}

/// The rows that the codes alone cannot rule out, the most promising first.
fn contenders(
    query: &[f32],
    rows: &Rows<'_>,
    k: usize,
    picks: impl Iterator<Item = usize>,
) -> Vec<Contender> {
    let query = Wide::of(query);
    if k == 0 {
        return Vec::new();
    }
    let mut best = Best::of(k);
    let mut found = Vec::new();
    scan::dots(&query.codes, rows, picks, |row, dot| {
        let (lower, upper) = bounds(&query, dot, rows.scale(row), rows.residual(row));
        if best.bar <= upper {
            best.offer(lower);
            found.push(Contender { row, upper });
        }
    });
    found.retain(|contender| best.bar <= contender.upper);
    found.sort_unstable_by(|a, b| b.upper.total_cmp(&a.upper).then(a.row.cmp(&b.row)));
    found
}

/// Between which scores the [`exact_dot`] of a row lies, whatever the vectors' lengths.
///
/// With `q = q' + e` and `x = x' + f`, codes primed and errors `e` and `f`, the true dot product
/// is `<q',x'> + <e,x'> + <q,f>`: off by at most `|e||x'| + |q||f|`. The query is coded in sixteen
/// bits, which the scan multiplies just as fast, so nearly all of that is `|q||f|`; and for `|x'|`
/// the crude bound will do that no codes are longer than [`LARGEST`].
fn bounds(query: &Wide, dot: i32, scale: f32, residual: f32) -> (f64, f64) {
    let (scale, residual) = (f64::from(scale), f64::from(residual));
    let coded_length = scale.abs() * LARGEST;
    let reach = query.length * (coded_length + residual);
    if reach.is_nan() || FINITE < reach {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let near = query.scale * scale * f64::from(dot);
    let coding = query.residual * coded_length + query.length * residual;
    let margin = coding + reach * ROUNDING + UNDERFLOW;
    (near - margin, near + margin)
}

/// Scores the contenders exactly, from the most promising down to the first that cannot belong.
fn settle<E>(
    query: &[f32],
    k: usize,
    contenders: &[Contender],
    mut fetch: impl FnMut(&[usize]) -> Result<Vec<Vec<f32>>, E>,
) -> Result<Nearest, E> {
    let mut best = Best::of(k);
    let mut hits = Vec::new();
    for batch in contenders.chunks(k.clamp(BATCH.0, BATCH.1)) {
        let possible = batch.partition_point(|contender| best.bar <= contender.upper);
        if possible == 0 {
            break;
        }
        let mut asked: Vec<usize> = batch[..possible].iter().map(|it| it.row).collect();
        asked.sort_unstable();
        let vectors = fetch(&asked)?;
        assert_eq!(vectors.len(), asked.len(), "fetch returns one vector for every row");
        for (row, vector) in asked.into_iter().zip(&vectors) {
            let score = number(exact_dot(query, vector));
            best.offer(f64::from(score));
            hits.push((row, score));
        }
    }
    let fetched = hits.len();
    hits.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits.truncate(k);
    Ok(Nearest { hits, fetched })
}

fn scaled(dot: i32, query_scale: f32, row_scale: f32) -> f32 {
    // The dot product of two codes is below 2^23, which an `f32` holds exactly.
    number(query_scale * row_scale * dot as f32)
}

/// The score, or the lowest there is for one that is not a number.
fn number(score: f32) -> f32 {
    if score.is_nan() { f32::NEG_INFINITY } else { score }
}
