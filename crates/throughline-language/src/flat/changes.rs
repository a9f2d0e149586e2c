//! What changed between two readings of a flat file.

use std::collections::BTreeSet;

use throughline_core::{text, words};

/// The share of words that two wordings of one rule have in common at least.
const SAME_RULE: f64 = 0.4;

/// What became of the rules of a file. Places are those in the lists that were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineChange {
    /// It stands there as before.
    Kept {
        /// Its place before.
        old: usize,
        /// Its place now.
        new: usize,
    },
    /// It is worded otherwise.
    Reworded {
        /// Its place before.
        old: usize,
        /// Its place now.
        new: usize,
    },
    /// It is no longer there.
    Removed {
        /// Its place before.
        old: usize,
    },
    /// It is new.
    Added {
        /// Its place now.
        new: usize,
    },
}

/// What became of the rules of a file, each of both lists told once.
pub fn line_changes(old: &[&str], new: &[&str]) -> Vec<LineChange> {
    let plain = |rules: &[&str]| rules.iter().map(|rule| text::normalise(rule)).collect::<Vec<_>>();
    let (before, now) = (plain(old), plain(new));
    let mut left: BTreeSet<usize> = (0..old.len()).collect();
    let mut changes = Vec::new();
    let mut unmatched = Vec::new();
    for (new, rule) in now.iter().enumerate() {
        match left.iter().copied().find(|at| before[*at] == *rule) {
            Some(old) => {
                left.remove(&old);
                changes.push(LineChange::Kept { old, new });
            }
            None => unmatched.push(new),
        }
    }
    for at in unmatched {
        let near = left.iter().map(|old| (*old, alike(&before[*old], &now[at])));
        let best = near.filter(|(_, share)| *share >= SAME_RULE).max_by(|a, b| {
            let apart = |place: usize| place.abs_diff(at);
            a.1.total_cmp(&b.1).then(apart(b.0).cmp(&apart(a.0)))
        });
        changes.push(match best {
            Some((old, _)) => {
                left.remove(&old);
                LineChange::Reworded { old, new: at }
            }
            None => LineChange::Added { new: at },
        });
    }
    changes.extend(left.into_iter().map(|old| LineChange::Removed { old }));
    changes
}

/// The share of words that two texts have in common.
fn alike(one: &str, other: &str) -> f64 {
    let words = |text: &str| words::terms(text).into_iter().collect::<BTreeSet<_>>();
    let (one, other) = (words(one), words(other));
    let both = one.intersection(&other).count();
    let all = one.union(&other).count();
    #[expect(clippy::cast_precision_loss, reason = "a rule has few words")]
    let share = both as f64 / all.max(1) as f64;
    share
}
