//! Attention: every piece mixes what all pieces have to say, in real numbers.

use crate::DIMENSIONS;
use crate::math::{LANES, exp, fold, larger, sum};
use crate::model::{HEAD, HEADS};

/// Pieces that look around at the same time.
const QUERIES: usize = 4;
/// Queries, keys and values of one piece stand side by side.
const WIDTH: usize = 3 * DIMENSIONS;

/// Room for one head at a time.
#[derive(Debug, Default)]
pub(super) struct AttentionScratch {
    /// The keys of the head, one line per dimension, filled up with zeros to whole lanes.
    keys: Vec<f32>,
    /// How much each of the four queries cares about each piece.
    shares: [Vec<f32>; QUERIES],
}

/// Writes for each piece the values of all pieces, weighted by how well key and query agree.
#[inline(always)]
pub(super) fn mix(input: &[f32], scratch: &mut AttentionScratch, out: &mut Vec<f32>) {
    let pieces = input.len() / WIDTH;
    let padded = pieces.next_multiple_of(LANES);
    out.resize(pieces * DIMENSIONS, 0.0);
    scratch.keys.clear();
    scratch.keys.resize(padded * HEAD, 0.0);
    for shares in &mut scratch.shares {
        shares.resize(padded, 0.0);
    }
    for head in 0..HEADS {
        let at = head * HEAD;
        turn(&input[DIMENSIONS + at..], &mut scratch.keys, pieces, padded);
        for first in (0..pieces).step_by(QUERIES) {
            // Where fewer than four are left, the last one is done again.
            let queries: [usize; QUERIES] =
                std::array::from_fn(|query| (first + query).min(pieces - 1));
            let scales = share(&input[at..], scratch, queries, pieces);
            gather(&input[2 * DIMENSIONS + at..], scratch, scales, queries, &mut out[at..]);
        }
    }
}

/// Writes the keys of one head with a line per dimension.
#[inline(always)]
fn turn(keys: &[f32], into: &mut [f32], pieces: usize, padded: usize) {
    for piece in 0..pieces {
        for (dimension, key) in keys[piece * WIDTH..][..HEAD].iter().enumerate() {
            into[dimension * padded + piece] = *key;
        }
    }
}

/// Sets the shares of four queries, up to the factors that are returned.
#[inline(always)]
fn share(
    input: &[f32],
    scratch: &mut AttentionScratch,
    queries: [usize; QUERIES],
    pieces: usize,
) -> [f32; QUERIES] {
    let AttentionScratch { keys, shares } = scratch;
    let padded = shares[0].len();
    let queries = queries.map(|query| &input[query * WIDTH..][..HEAD]);
    for at in (0..padded).step_by(LANES) {
        let lines = weigh(queries, |dimension| &keys[dimension * padded + at..], HEAD);
        for (shares, line) in shares.iter_mut().zip(lines) {
            shares[at..at + LANES].copy_from_slice(&line);
        }
    }
    let mut scales = [0.0; QUERIES];
    for (scale, shares) in scales.iter_mut().zip(shares) {
        // The places beyond the last piece must not be the highest.
        let one = shares[0];
        shares[pieces..].fill(one);
        let highest = highest(shares);
        for share in shares.iter_mut() {
            *share = exp(*share - highest);
        }
        shares[pieces..].fill(0.0);
        *scale = 1.0 / sum(shares);
    }
    scales
}

/// Writes the values of all pieces, weighted by the shares, for each of four queries.
#[inline(always)]
fn gather(
    values: &[f32],
    scratch: &AttentionScratch,
    scales: [f32; QUERIES],
    queries: [usize; QUERIES],
    out: &mut [f32],
) {
    let pieces = values.len().div_ceil(WIDTH);
    let shares = scratch.shares.each_ref().map(|shares| &shares[..pieces]);
    for at in (0..HEAD).step_by(LANES) {
        let lines = weigh(shares, |piece| &values[piece * WIDTH + at..], pieces);
        for ((line, query), scale) in lines.into_iter().zip(queries).zip(scales) {
            let out = &mut out[query * DIMENSIONS + at..][..LANES];
            for (out, value) in out.iter_mut().zip(line) {
                *out = value * scale;
            }
        }
    }
}

/// Adds up `count` lines, four times over with different weights.
#[inline(always)]
fn weigh<'a>(
    weights: [&[f32]; QUERIES],
    line: impl Fn(usize) -> &'a [f32],
    count: usize,
) -> [[f32; LANES]; QUERIES] {
    let [first, second, third, fourth] = weights;
    let (mut one, mut two, mut three, mut four) =
        ([0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES]);
    let weights = first[..count].iter().zip(second).zip(third).zip(fourth);
    for (at, (((first, second), third), fourth)) in weights.enumerate() {
        let line: &[f32; LANES] = line(at).first_chunk().expect("lines are filled up");
        add(&mut one, *first, line);
        add(&mut two, *second, line);
        add(&mut three, *third, line);
        add(&mut four, *fourth, line);
    }
    [one, two, three, four]
}

#[inline(always)]
fn add(sums: &mut [f32; LANES], weight: f32, line: &[f32; LANES]) {
    for (sum, value) in sums.iter_mut().zip(line) {
        *sum += weight * value;
    }
}

#[inline(always)]
fn highest(numbers: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*number, *lane);
        }
    }
    fold(lanes, larger)
}
