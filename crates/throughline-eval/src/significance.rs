//! Whether two runs over the same questions differ, or only seem to.
//!
//! Both answers come from the differences question by question: the interval by drawing questions
//! again (bootstrap), the chance by giving each difference a random sign (randomisation).

use crate::metrics::{average, float};

/// How often questions are drawn, and signs are given.
const ROUNDS: usize = 10_000;
/// Where the dice start, so that figures can be had again.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// How two runs differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    /// How much better the first is, on average.
    pub(crate) mean: f64,
    /// The 95 % interval of that.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// How often chance alone does as much, either way.
    pub(crate) p: f64,
}

/// Compares two runs. Their values belong to the same questions in the same order.
pub(crate) fn paired(ours: &[f64], theirs: &[f64]) -> Difference {
    assert_eq!(ours.len(), theirs.len(), "both runs answer the same questions");
    let each: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect();
    let mean = average(&each);
    let mut dice = Dice(SEED);
    let mut drawn: Vec<f64> = (0..ROUNDS)
        .map(|_| each.iter().map(|_| each[dice.below(each.len())]).sum::<f64>())
        .map(|sum| sum / float(each.len().max(1)))
        .collect();
    let as_far = (0..ROUNDS)
        .map(|_| each.iter().map(|one| if dice.below(2) == 0 { *one } else { -one }).sum::<f64>())
        .filter(|sum| (sum / float(each.len().max(1))).abs() >= mean.abs() - 1e-12)
        .count();
    Difference {
        mean,
        low: crate::metrics::percentile(&mut drawn, 0.025),
        high: crate::metrics::percentile(&mut drawn, 0.975),
        p: float(as_far + 1) / float(ROUNDS + 1),
    }
}

/// Dice that fall alike every time.
#[derive(Debug, Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `limit`, which must be positive.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let mixed = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(mixed).expect("thirty-one bits fit") % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_is_found() {
        let ours: Vec<f64> = (0..200).map(|at| if at % 10 < 8 { 1.0 } else { 0.0 }).collect();
        let theirs: Vec<f64> = (0..200).map(|at| if at % 10 < 5 { 1.0 } else { 0.0 }).collect();
        let found = paired(&ours, &theirs);
        assert!((found.mean - 0.3).abs() < 1e-12);
        assert!(found.low > 0.2 && found.high < 0.4, "{found:?}");
        assert!(found.p < 0.001, "{found:?}");
    }

    #[test]
    fn none_is_found_in_noise() {
        let mut dice = Dice(7);
        let mut throw = || (0..200).map(|_| float(dice.below(2))).collect::<Vec<_>>();
        let found = paired(&throw(), &throw());
        assert!(found.low < 0.0 && found.high > 0.0, "{found:?}");
        assert!(found.p > 0.05, "{found:?}");
    }

    #[test]
    fn equal_runs_do_not_differ() {
        let found = paired(&[1.0, 0.0, 0.5], &[1.0, 0.0, 0.5]);
        assert!(found.mean.abs() + found.low.abs() + found.high.abs() < 1e-12);
        assert!(found.p > 0.999);
    }
}
