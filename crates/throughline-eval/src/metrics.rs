//! What a ranking is worth, by the gold it should have found.

/// How deep a ranking is looked at.
const DEPTHS: [usize; 3] = [5, 10, 25];
/// How deep its gain is summed.
const GAIN_DEPTH: usize = 10;

/// The figures of one ranking, or their means over many.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Metrics {
    /// Some gold among the first 5, 10, 25.
    pub(crate) any: [f64; 3],
    /// All gold among them.
    pub(crate) all: [f64; 3],
    /// The share of gold among them.
    pub(crate) share: [f64; 3],
    /// Binary NDCG of the first ten.
    pub(crate) ndcg: f64,
}

impl Metrics {
    /// The figures as they are printed, by their usual names.
    pub(crate) fn columns(&self) -> [(&'static str, f64); 8] {
        [
            ("any@5", self.any[0]),
            ("any@10", self.any[1]),
            ("all@5", self.all[0]),
            ("all@10", self.all[1]),
            ("frac@5", self.share[0]),
            ("frac@10", self.share[1]),
            ("frac@25", self.share[2]),
            ("ndcg10", self.ndcg),
        ]
    }
}

/// The figures of one ranking. `gold` must not be empty.
pub(crate) fn metrics(ranked: &[&str], gold: &[String]) -> Metrics {
    let hits = ranked.iter().map(|id| gold.iter().any(|one| one == id));
    of_hits(&hits.collect::<Vec<_>>(), gold.len())
}

/// The same for a ranking of which only is known which places hold gold, out of `gold` in all.
pub(crate) fn of_hits(hits: &[bool], gold: usize) -> Metrics {
    assert!(gold > 0, "a ranking without gold is worth nothing that could be measured");
    let count = |first: usize| hits.iter().take(first).filter(|hit| **hit).count();
    let gain = |place: usize| 1.0 / (float(place) + 2.0).log2();
    let places = hits.iter().take(GAIN_DEPTH).enumerate().filter(|(_, hit)| **hit);
    let found: f64 = places.map(|(place, _)| gain(place)).sum();
    let ideal: f64 = (0..gold.min(GAIN_DEPTH)).map(gain).sum();
    let flag = |set: bool| if set { 1.0 } else { 0.0 };
    let each = DEPTHS.map(count);
    Metrics {
        any: each.map(|n| flag(n > 0)),
        all: each.map(|n| flag(n == gold)),
        share: each.map(|n| ratio(n, gold)),
        ndcg: found / ideal,
    }
}

/// The mean of many.
pub(crate) fn mean(all: &[Metrics]) -> Metrics {
    let n = float(all.len().max(1));
    let over = |of: &dyn Fn(&Metrics) -> f64| all.iter().map(of).sum::<f64>() / n;
    let each = |of: &dyn Fn(&Metrics) -> [f64; 3]| [0, 1, 2].map(|at| over(&|one| of(one)[at]));
    Metrics {
        any: each(&|one| one.any),
        all: each(&|one| one.all),
        share: each(&|one| one.share),
        ndcg: over(&|one| one.ndcg),
    }
}

/// The mean of plain numbers; 0 of none.
pub(crate) fn average(values: &[f64]) -> f64 {
    // The sum of nothing is -0.0, which would be printed so.
    (0.0 + values.iter().sum::<f64>()) / float(values.len().max(1))
}

/// `n` out of `of`; 0 of none.
pub(crate) fn ratio(n: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { float(n) / float(of) }
}

/// The share of true ones.
pub(crate) fn share(of: impl IntoIterator<Item = bool>) -> f64 {
    let (mut n, mut all) = (0, 0);
    for one in of {
        n += usize::from(one);
        all += 1;
    }
    ratio(n, all)
}

/// The value below which this share of the others lies.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
pub(crate) fn percentile(values: &mut [f64], at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (at * float(values.len().saturating_sub(1))).round() as usize;
    values.get(place).copied().unwrap_or(0.0)
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
pub(crate) fn float(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    fn all_near(a: [f64; 3], b: [f64; 3]) -> bool {
        a.into_iter().zip(b).all(|(a, b)| near(a, b))
    }

    #[test]
    fn figures_equal_those_computed_by_hand() {
        // Gold on the second and the seventh place, and a third one that is nowhere.
        let ranked = ["a", "G1", "b", "c", "d", "e", "G2", "f"];
        let gold = ["G1", "G2", "G3"].map(str::to_owned);
        let found = metrics(&ranked, &gold);
        assert!(all_near(found.any, [1.0, 1.0, 1.0]));
        assert!(all_near(found.all, [0.0, 0.0, 0.0]));
        assert!(near(found.share[0], 1.0 / 3.0) && near(found.share[1], 2.0 / 3.0));
        let gain = 1.0 / 3_f64.log2() + 1.0 / 8_f64.log2();
        let ideal = 1.0 + 1.0 / 3_f64.log2() + 0.5;
        assert!(near(found.ndcg, gain / ideal));
    }

    #[test]
    fn what_comes_after_the_tenth_place_gains_nothing() {
        let mut hits = [false; 12];
        hits[10] = true;
        let found = of_hits(&hits, 1);
        assert!(all_near(found.any, [0.0, 0.0, 1.0]) && all_near(found.all, [0.0, 0.0, 1.0]));
        assert!(near(found.ndcg, 0.0));
    }

    #[test]
    fn a_perfect_ranking_is_worth_one() {
        let found = of_hits(&[true; 12], 12);
        assert!(near(found.ndcg, 1.0));
        assert!(all_near(found.all, [0.0, 0.0, 1.0]));
    }

    #[test]
    fn means_weigh_every_ranking_alike() {
        let both = mean(&[of_hits(&[true], 1), of_hits(&[false], 1)]);
        assert!(near(both.ndcg, 0.5) && near(both.all[1], 0.5) && near(both.share[2], 0.5));
    }

    #[test]
    fn percentiles_are_values_that_were_there() {
        let mut values = [5.0, 1.0, 3.0];
        assert!(near(percentile(&mut values, 0.5), 3.0));
        assert!(near(percentile(&mut values, 0.95), 5.0));
        assert!(near(percentile(&mut [], 0.5), 0.0));
    }
}
