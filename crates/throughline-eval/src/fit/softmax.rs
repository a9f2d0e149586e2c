//! Listwise softmax regression: weights under which gold stands above the rest of its list.
//!
//! The loss is convex and has few weights, so Newton's method finds its minimum in a few steps.

use throughline_attention::relevance::WEIGHTS;

use crate::metrics::float;

/// Steps that are taken at most; a handful is usual.
const STEPS: usize = 60;
/// A step that gains less than this is the last.
const ENOUGH: f64 = 1e-10;

/// As many numbers as there are weights.
pub(super) type Row = [f64; WEIGHTS];
type Square = [Row; WEIGHTS];

/// A list with gold in it.
#[derive(Debug, Clone)]
pub(super) struct Lesson {
    pub(super) rows: Vec<Row>,
    /// The places of gold; at least one.
    pub(super) gold: Vec<usize>,
}

/// How to fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Where to begin.
    pub(super) start: Row,
    /// The weights that may move.
    pub(super) free: [bool; WEIGHTS],
    /// What keeps weights small where the data says little: this times the sum of their squares is
    /// added to the loss. Positive.
    pub(super) l2: f64,
}

/// The weights that fit: the loss is averaged over the lessons of a group, groups count alike.
/// Weights that are not free stay as they are at the start.
pub(super) fn fit(groups: &[Vec<&Lesson>], manner: &Manner) -> Row {
    let mut weights = manner.start;
    let mut loss = loss_at(groups, &weights, manner);
    for _ in 0..STEPS {
        let (slope, curve) = derivatives(groups, &weights, manner);
        let step = solve(&curve, &slope);
        let mut length = 1.0;
        let better = loop {
            let mut tried = weights;
            for (weight, step) in tried.iter_mut().zip(&step) {
                *weight -= length * step;
            }
            let there = loss_at(groups, &tried, manner);
            if there < loss {
                break Some((tried, there));
            }
            length *= 0.5;
            if length < 1e-6 {
                break None;
            }
        };
        let Some((tried, there)) = better else { break };
        let gain = loss - there;
        (weights, loss) = (tried, there);
        if gain < ENOUGH {
            break;
        }
    }
    weights
}

pub(super) fn dot(a: &Row, b: &Row) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The share that each row of a list gets, and the logarithm of their sum.
fn shares(lesson: &Lesson, weights: &Row) -> (Vec<f64>, f64) {
    let scores: Vec<f64> = lesson.rows.iter().map(|row| dot(row, weights)).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = raised.iter().sum();
    (raised.into_iter().map(|one| one / sum).collect(), most + sum.ln())
}

/// Each lesson with how much it counts.
fn weighed<'a>(groups: &'a [Vec<&Lesson>]) -> impl Iterator<Item = (&'a Lesson, f64)> {
    let used = groups.iter().filter(|group| !group.is_empty()).count();
    groups.iter().flat_map(move |group| {
        let counts = 1.0 / float(group.len() * used);
        group.iter().map(move |lesson| (*lesson, counts))
    })
}

fn loss_at(groups: &[Vec<&Lesson>], weights: &Row, manner: &Manner) -> f64 {
    let missed: f64 = weighed(groups)
        .map(|(lesson, counts)| {
            let (_, log_sum) = shares(lesson, weights);
            let gold: f64 = lesson.gold.iter().map(|at| dot(&lesson.rows[*at], weights)).sum();
            counts * (log_sum - gold / float(lesson.gold.len()))
        })
        .sum();
    missed + manner.l2 * dot(weights, weights)
}

/// The first and second derivative of the loss. Weights that are not free have no slope.
fn derivatives(groups: &[Vec<&Lesson>], weights: &Row, manner: &Manner) -> (Row, Box<Square>) {
    let (l2, free) = (manner.l2, manner.free);
    let mut slope: Row = weights.map(|weight| 2.0 * l2 * weight);
    let mut curve: Box<Square> = Box::new([[0.0; WEIGHTS]; WEIGHTS]);
    for (lesson, counts) in weighed(groups) {
        let (shares, _) = shares(lesson, weights);
        let mut mean: Row = [0.0; WEIGHTS];
        for (row, share) in lesson.rows.iter().zip(&shares) {
            for (mean, value) in mean.iter_mut().zip(row) {
                *mean += share * value;
            }
        }
        for at in 0..WEIGHTS {
            let gold: f64 = lesson.gold.iter().map(|place| lesson.rows[*place][at]).sum();
            slope[at] += counts * (mean[at] - gold / float(lesson.gold.len()));
        }
        for (row, share) in lesson.rows.iter().zip(&shares) {
            for at in 0..WEIGHTS {
                let off = counts * share * (row[at] - mean[at]);
                for beside in 0..=at {
                    curve[at][beside] += off * (row[beside] - mean[beside]);
                }
            }
        }
    }
    for at in 0..WEIGHTS {
        curve[at][at] += 2.0 * l2;
        for beside in 0..WEIGHTS {
            if !(free[at] && free[beside]) {
                curve[at][beside] = if at == beside { 1.0 } else { 0.0 };
            }
        }
        if !free[at] {
            slope[at] = 0.0;
        }
    }
    (slope, curve)
}

/// Solves `curve · x = slope` by Cholesky; of `curve` only the lower half is read. It is positive
/// definite because of [`Manner::l2`].
fn solve(curve: &Square, slope: &Row) -> Row {
    let mut lower: Square = [[0.0; WEIGHTS]; WEIGHTS];
    for at in 0..WEIGHTS {
        for beside in 0..=at {
            let known: f64 = (0..beside).map(|k| lower[at][k] * lower[beside][k]).sum();
            let left = curve[at][beside] - known;
            lower[at][beside] =
                if at == beside { left.max(1e-12).sqrt() } else { left / lower[beside][beside] };
        }
    }
    let mut x: Row = [0.0; WEIGHTS];
    for at in 0..WEIGHTS {
        let known: f64 = (0..at).map(|k| lower[at][k] * x[k]).sum();
        x[at] = (slope[at] - known) / lower[at][at];
    }
    for at in (0..WEIGHTS).rev() {
        let known: f64 = (at + 1..WEIGHTS).map(|k| lower[k][at] * x[k]).sum();
        x[at] = (x[at] - known) / lower[at][at];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::significance::Dice;

    /// Lists whose gold is drawn by softmax of planted weights.
    fn lessons(planted: &Row, n: usize) -> Vec<Lesson> {
        let mut dice = Dice(11);
        let mut uniform = move || float(dice.below(1_000_000)) / 1e6;
        (0..n)
            .map(|_| {
                let mut row = || std::array::from_fn(|_| 4.0 * uniform() - 2.0);
                let mut lesson =
                    Lesson { rows: (0..12).map(|_| row()).collect(), gold: Vec::new() };
                let (shares, _) = shares(&lesson, planted);
                let mut left = uniform();
                let drawn = shares.iter().position(|share| {
                    left -= share;
                    left <= 0.0
                });
                lesson.gold = vec![drawn.unwrap_or(11)];
                lesson
            })
            .collect()
    }

    const ALL_FREE: Manner = Manner { start: [0.0; WEIGHTS], free: [true; WEIGHTS], l2: 0.02 };

    #[test]
    fn planted_weights_are_found_again() {
        let mut planted: Row = [0.0; WEIGHTS];
        (planted[0], planted[2], planted[9]) = (1.0, 0.5, -0.7);
        let lessons = lessons(&planted, 3_000);
        let found = fit(&[lessons.iter().collect()], &ALL_FREE);
        for (at, (found, planted)) in found.iter().zip(&planted).enumerate() {
            assert!((found - planted).abs() < 0.12, "weight {at}: {found} for {planted}");
        }
    }

    #[test]
    fn what_is_not_free_stays() {
        let mut planted: Row = [0.0; WEIGHTS];
        planted[0] = 1.0;
        let lessons = lessons(&planted, 300);
        let mut manner = ALL_FREE;
        (manner.start[14], manner.free[14]) = (2.0, false);
        let found = fit(&[lessons.iter().collect()], &manner);
        assert!((found[14] - 2.0).abs() < 1e-12 && found[0] > 0.5);
    }

    #[test]
    fn a_large_group_does_not_outvote_a_small_one() {
        let (mut one, mut other): (Row, Row) = ([0.0; WEIGHTS], [0.0; WEIGHTS]);
        (one[0], other[0]) = (1.0, -1.0);
        let (large, small) = (lessons(&one, 900), lessons(&other, 300));
        let groups = [large.iter().collect(), small.iter().collect()];
        let found = fit(&groups, &ALL_FREE);
        assert!(found[0].abs() < 0.15, "{}", found[0]);
    }
}
