//! Near-duplicates: when two alike texts must not be merged.
//!
//! Two claims can be almost the same words and say different things. A number, a "not" or a name
//! that stands in one and not in the other vetoes a merge, however alike the rest is.

use std::collections::BTreeSet;

use throughline_core::{text, words};

/// Why two alike texts are different claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Veto {
    /// A number stands in one and not in the other.
    Number,
    /// One denies what the other says.
    Negation,
    /// They name different things.
    Identifier,
}

/// Returns why `left` and `right` must stay apart, or `None` if nothing speaks against a merge.
pub fn veto(left: &str, right: &str) -> Option<Veto> {
    let (left, right) = (Marks::of(left), Marks::of(right));
    if left.numbers != right.numbers {
        Some(Veto::Number)
    } else if left.denials % 2 != right.denials % 2 {
        Some(Veto::Negation)
    } else if !left.names_only_what(&right) || !right.names_only_what(&left) {
        Some(Veto::Identifier)
    } else {
        None
    }
}

/// Words of time, place and direction, and of how much: one in the place of another turns a claim round.
const TURNING: &[&str] = &[
    "above", "after", "all", "any", "before", "below", "between", "both", "down", "during", "each",
    "few", "from", "in", "into", "more", "most", "off", "on", "once", "only", "out", "over",
    "some", "through", "to", "under", "until", "up", "while",
];

/// Whether each of two alike texts has a word in the place of a word of the other: "reads the queue" and
/// "writes the queue", "before the deploy" and "after the deploy". Such words may be opposites, and no
/// likeness of the rest tells whether they are.
///
/// Texts of mostly other words are no such pair, nor is one that only says more than the other.
pub fn exchanges_words(left: &str, right: &str) -> bool {
    let (left, right) = (words::terms(left), words::terms(right));
    let of = |terms: &[String], wanted: fn(&str) -> bool| -> BTreeSet<String> {
        terms.iter().filter(|term| wanted(term)).cloned().collect()
    };
    let tells = |term: &str| !words::is_common(term);
    let (told, other) = (of(&left, tells), of(&right, tells));
    let shared = told.intersection(&other).count();
    let (lost, won) = (told.len() - shared, other.len() - shared);
    let turns = |term: &str| TURNING.iter().any(|word| words::stem(word) == term);
    let (turned, back) = (of(&left, turns), of(&right, turns));
    let turned_round = !turned.is_subset(&back) && !back.is_subset(&turned);
    shared >= lost.max(won) && (lost.min(won) > 0 || turned_round)
}

/// What must agree.
struct Marks {
    numbers: BTreeSet<String>,
    denials: usize,
    identifiers: BTreeSet<String>,
    words: BTreeSet<String>,
}

const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "without",
    "cannot",
    "can't",
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "won't",
    "wouldn't",
    "shouldn't",
    "mustn't",
    "couldn't",
    "hasn't",
    "haven't",
    "neither",
    "nor",
    "stop",
    "stopped",
    "avoid",
    "disable",
    "disabled",
    "off",
];

/// Whether a word denies what stands with it, with or without its apostrophe.
pub fn denies(word: &str) -> bool {
    let bare = |c: &char| !matches!(c, '\'' | '’');
    DENIALS.iter().any(|denial| denial.chars().filter(bare).eq(word.chars().filter(bare)))
}

impl Marks {
    fn of(content: &str) -> Self {
        let mut marks = Self {
            numbers: BTreeSet::new(),
            denials: 0,
            identifiers: BTreeSet::new(),
            words: BTreeSet::new(),
        };
        for word in text::normalise(content).split(' ') {
            if DENIALS.contains(&word) {
                marks.denials += 1;
            }
            if word.chars().any(|c| c.is_ascii_digit()) {
                marks.numbers.insert(word.to_owned());
            }
        }
        for word in content.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
            if is_identifier(word) {
                marks.identifiers.insert(word.to_lowercase());
            }
            marks.words.insert(word.to_lowercase());
        }
        marks
    }

    /// Whether every identifier here stands in the other text too, in whatever case.
    fn names_only_what(&self, other: &Self) -> bool {
        self.identifiers.is_subset(&other.words)
    }
}

/// Whether a word names something in code: `snake_case`, `camelCase`, `a/path`, `pkg.mod`, `--flag`.
fn is_identifier(word: &str) -> bool {
    let inner_sign = word.chars().enumerate().any(|(at, c)| {
        at > 0 && at + 1 < word.chars().count() && matches!(c, '_' | '/' | '.' | ':' | '=')
    });
    let flag = word.starts_with("--") && word.len() > 2;
    let camel =
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner_sign || flag || camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_words_with_different_meaning_stay_apart() {
        for (left, right, expected) in [
            ("latency is 12 ms", "latency is 15 ms", Some(Veto::Number)),
            ("throughput +229 %", "throughput +31 %", Some(Veto::Number)),
            ("upgrade to v1.2", "upgrade to v1.3", Some(Veto::Number)),
            ("we use Redis", "we do not use Redis", Some(Veto::Negation)),
            ("never push to main", "push to main", Some(Veto::Negation)),
            ("call parse_line first", "call parse_page first", Some(Veto::Identifier)),
            ("edit src/a.rs", "edit src/b.rs", Some(Veto::Identifier)),
            ("run with --fast", "run with --slow", Some(Veto::Identifier)),
            ("rename fooBar", "rename fooBaz", Some(Veto::Identifier)),
            ("we use Redis for caching", "Redis is used for caching", None),
            ("Never push.", "never push", None),
        ] {
            assert_eq!(veto(left, right), expected, "{left} / {right}");
            assert_eq!(veto(right, left), expected, "{right} / {left}");
        }
    }

    #[test]
    fn words_that_stand_in_the_place_of_others_are_seen() {
        for (left, right, expected) in [
            ("The worker reads the queue", "The worker writes the queue", true),
            ("The agent pulls updates from the hub", "The agent pushes updates to the hub", true),
            ("Migrations run before the deploy", "Migrations run after the deploy", true),
            ("The cache stores encrypted data", "The cache stores unencrypted data", true),
            ("We use Redis for caching", "Redis is used for caching", false),
            (
                "The shop's robot starts deployments",
                "The robot of the shop starts deployments",
                false,
            ),
            ("We use Redis for caching", "We use Redis for caching sessions", false),
            ("The CI runs on Buildkite", "Buildkite executes continuous integration", false),
        ] {
            assert_eq!(exchanges_words(left, right), expected, "{left} / {right}");
            assert_eq!(exchanges_words(right, left), expected, "{right} / {left}");
        }
    }
}
