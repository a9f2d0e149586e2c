//! Near-duplicates: when two alike texts must not be merged.
//!
//! Two claims can be almost the same words and say different things. A number, a "not" or a name
//! that stands in one and not in the other vetoes a merge, however alike the rest is.

use std::collections::BTreeSet;

use crate::text;

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
}
