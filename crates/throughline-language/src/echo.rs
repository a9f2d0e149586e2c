//! Echoes: whether a text merely repeats what memory put in front of the agent.
//!
//! An agent that says back what it was shown is no second source. Who speaks is the caller's to
//! weigh: a person who says the same confirms it.

use std::collections::BTreeSet;

use throughline_core::{Timestamp, text, words};

use crate::near;

/// Words of the shorter text, below which being contained says nothing.
const WORDS_MIN: usize = 3;
/// Telling terms of each text, below which overlap says nothing.
const TERMS_MIN: usize = 2;
/// Share of all terms that two texts must have in common to say the same.
const SAME_FROM: f64 = 0.8;
/// Share of a text that must come from what it contains, or it says something of its own.
const MOSTLY_FROM: f64 = 0.6;

/// Returns which of the shown texts `text` repeats, if any: word for word, within a longer text, or
/// in almost the same words. A number, a name or a denial that differs makes it another claim.
pub fn says_what_was_shown<S: AsRef<str>>(text: &str, shown: &[S]) -> Option<usize> {
    let said = ComparedText::of(text);
    if said.words.is_empty() {
        return None;
    }
    shown.iter().position(|shown| said.repeats(&ComparedText::of(shown.as_ref())))
}

/// Something that was put in front of an agent, or that the agent answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionText<'a> {
    /// The words.
    pub text: &'a str,
    /// When.
    pub at: Timestamp,
    /// Whether it came in since the last time.
    pub new: bool,
}

/// Whether a memory that was shown stood in a later answer. What both came in before was counted then.
pub fn proved_useful(shown: &[SessionText<'_>], answers: &[SessionText<'_>]) -> bool {
    shown.iter().any(|shown| {
        answers.iter().any(|answer| {
            (shown.new || answer.new)
                && answer.at >= shown.at
                && says_what_was_shown(answer.text, &[shown.text]).is_some()
        })
    })
}

/// A text, taken apart for comparison.
struct ComparedText<'a> {
    whole: &'a str,
    words: Vec<String>,
    terms: BTreeSet<String>,
}

impl<'a> ComparedText<'a> {
    fn of(whole: &'a str) -> Self {
        let words = text::normalise(whole).split_whitespace().map(str::to_owned).collect();
        let terms = words::query_terms(whole).into_iter().collect();
        Self { whole, words, terms }
    }

    fn repeats(&self, shown: &Self) -> bool {
        if self.words == shown.words {
            return true;
        }
        let shorter = self.words.len().min(shown.words.len());
        // What costs least is asked first: most texts have nothing to do with each other.
        if shorter >= WORDS_MIN {
            if shown.holds(self) && self.denies_like(shown) {
                return true;
            }
            if self.holds(shown) && self.names_nothing_beyond(shown) && self.denies_like(shown) {
                return share(&self.terms, &shown.terms) >= MOSTLY_FROM;
            }
        }
        self.terms.len().min(shown.terms.len()) >= TERMS_MIN
            && overlap(&self.terms, &shown.terms) >= SAME_FROM
            && near::veto(self.whole, shown.whole).is_none()
    }

    /// Whether the words of the other text stand here, one after the other.
    fn holds(&self, other: &Self) -> bool {
        self.words.windows(other.words.len().max(1)).any(|span| span == other.words)
    }

    /// Whether both deny, or neither does. Numbers and names are left to others.
    fn denies_like(&self, other: &Self) -> bool {
        let plain = |said: &Self| {
            let letters = |word: &&String| word.chars().all(|c| c.is_alphabetic() || c == '\'');
            said.words.iter().filter(letters).cloned().collect::<Vec<_>>().join(" ")
        };
        near::veto(&plain(self), &plain(other)).is_none()
    }

    /// Whether every number and every name here stands in the other text too.
    fn names_nothing_beyond(&self, other: &Self) -> bool {
        let marked = |word: &&String| word.chars().any(|c| !c.is_alphabetic() && c != '\'');
        self.words.iter().filter(marked).all(|word| other.words.contains(word))
    }
}

/// Share of `part` that stands in `whole`.
#[expect(clippy::cast_precision_loss, reason = "counts of terms")]
fn share(part: &BTreeSet<String>, whole: &BTreeSet<String>) -> f64 {
    part.intersection(whole).count() as f64 / part.len().max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts of terms")]
fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::says_what_was_shown;

    #[test]
    fn an_agent_that_repeats_what_it_was_shown_is_an_echo() {
        let shown = [
            "staging runs Postgres 16",
            "never push to main on Fridays",
            "we use Redis for caching",
        ];
        for (said, expected) in [
            ("Staging runs Postgres 16.", Some(0)),
            ("As noted, staging runs Postgres 16, so I will use that", Some(0)),
            ("push to main", None),
            ("never push to main", Some(1)),
            ("Redis is used for caching", Some(2)),
            ("staging runs Postgres 17", None),
            ("staging runs Postgres 16 on port 5433", None),
            (
                "staging runs Postgres 16 because the billing team needs logical replication slots",
                None,
            ),
            ("we do not use Redis for caching", None),
            ("the deploy takes nine minutes", None),
            ("Redis", None),
            ("", None),
            ("…", None),
        ] {
            assert_eq!(says_what_was_shown(said, &shown), expected, "{said}");
        }
        let paths = ["edit src/parse_line.rs before the release"];
        assert_eq!(says_what_was_shown("edit src/parse_page.rs before the release", &paths), None);
    }

    proptest! {
        #[test]
        fn a_text_is_an_echo_of_itself_and_never_of_nothing(text in "[a-z]{3,9}( [a-z0-9]{2,9}){2,8}") {
            prop_assert_eq!(says_what_was_shown(&text, &[&text]), Some(0));
            prop_assert_eq!(says_what_was_shown::<&str>(&text, &[]), None);
            prop_assert_eq!(says_what_was_shown(&text, &[""]), None);
        }

        #[test]
        fn any_two_texts_can_be_compared(one in ".{0,200}", other in ".{0,200}") {
            says_what_was_shown(&one, &[&other]);
        }
    }
}
