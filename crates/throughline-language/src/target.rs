//! Targets: which memory somebody means who says that something is wrong.
//!
//! Nothing is taken back on a guess. The memory must hold what is said to be wrong, word for word
//! where it tells, must be about the same thing, and must be the only one. How near two texts are in meaning, the caller
//! says: cosines come from outside.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use throughline_core::words;

use crate::probe;

/// How near in meaning is near enough to be what was replaced, said again.
const SAME_AGAIN: f64 = 0.82;
/// How near in meaning a memory must be to what is said to be right.
const NEAR: f64 = 0.45;
/// The same for one that holds the wrong value word for word.
const NEAR_NAMED: f64 = 0.3;
/// The same for one that is about the same thing and does not name the property.
const NEAR_ELSE: f64 = 0.65;
/// How near in meaning what is said must be to what held before, to say it again.
const SAID_AGAIN: f64 = 0.4;
/// How much nearer than the next it must be.
const AHEAD: f64 = 0.05;
/// The share of the wrong words that it must hold.
const HOLDS: f64 = 0.75;

/// Something that is said to be wrong, with what is right instead.
#[derive(Debug, Clone)]
pub struct SaidWrong<'a> {
    wrong: &'a str,
    right: &'a str,
    /// What is said to hold now.
    now: String,
    wanted: BTreeSet<String>,
}

impl<'a> SaidWrong<'a> {
    /// `None` where no word tells what is meant.
    pub fn new(wrong: &'a str, right: &'a str) -> Option<Self> {
        let wanted = telling_terms(wrong);
        (!wanted.is_empty()).then(|| Self { wrong, right, now: holding(right), wanted })
    }

    /// The words to look for, however they are written: `PascalCase` is "pascalcase" too.
    pub fn to_look_for(&self) -> BTreeSet<String> {
        let plain = telling_terms(&self.wrong.to_lowercase());
        self.wanted.iter().cloned().chain(plain).collect()
    }

    /// The text whose meaning the memory must be near to.
    pub fn meaning(&self) -> &str {
        if self.now.is_empty() { self.wrong } else { &self.now }
    }

    /// The places of those texts that may be meant.
    pub fn candidates(&self, texts: &[&str]) -> Vec<usize> {
        let whose = owner(self.wrong);
        let mut held: Vec<usize> = (0..texts.len()).collect();
        held.retain(|at| {
            let text = texts[*at];
            let of_it =
                || whose.as_ref().is_some_and(|it| holds(text, it)) && of_a_kind(text, self.right);
            says(text, self.wrong) || holds(text, &self.wanted) || of_it()
        });
        // What says the new value already is not what is wrong.
        let now = telling_terms(&self.now);
        let new: BTreeSet<String> = now.difference(&self.wanted).cloned().collect();
        if self.wanted.is_subset(&now) && !new.is_empty() {
            held.retain(|at| !new.is_subset(&telling_terms(&holding(texts[*at]))));
        }
        // Where one speaks of nothing but what was said, the others are about something else.
        let said: BTreeSet<String> = now.union(&self.wanted).cloned().collect();
        let of_that = |at: &usize| telling_terms(&holding(texts[*at])).is_subset(&said);
        if held.iter().any(of_that) {
            held.retain(of_that);
        }
        held
    }

    /// Which of these texts is meant, by how near each is to [`Self::meaning`]; `None` where none is near enough,
    /// or another is as near. Of two that are as near, the one that stands first.
    pub fn meant(&self, texts: &[(f64, &str)]) -> Option<usize> {
        // What is right does not say it: it is what was wrong, and not what is spoken of.
        let now = telling_terms(&self.now);
        let is_value = !self.now.is_empty() && !self.wanted.is_subset(&now);
        let topic: BTreeSet<String> = now.difference(&self.wanted).cloned().collect();
        let mut near: Vec<(f64, usize)> = Vec::new();
        for (at, (cosine, text)) in texts.iter().enumerate() {
            let names_it = says(text, self.wrong);
            let named = is_value && names_it;
            // The wrong value, of something that what is right speaks of too.
            let plain = named && !topic.is_disjoint(&telling_terms(text));
            let needed = if named {
                NEAR_NAMED
            } else if names_it || holds(text, &self.wanted) {
                NEAR
            } else {
                NEAR_ELSE
            };
            if plain || *cosine >= needed {
                near.push((*cosine, at));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        match near.as_slice() {
            [] => None,
            [(_, only)] => Some(*only),
            [first, second, ..] => (first.0 - second.0 >= AHEAD).then_some(first.1),
        }
    }
}

/// Whether what is said says again what was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidAgain {
    /// It says something else.
    No,
    /// It says what told the two apart, of the same thing or of nothing else.
    Yes,
    /// It does if both are near in meaning: [`is_said_again`].
    IfNear,
}

/// Whether what is said says again what `old` said, which `new` replaced: "we went back to npm".
pub fn said_again(said: &str, old: &str, new: &str) -> SaidAgain {
    let wanted = telling_terms(said);
    let (old, new) = (telling_terms(&holding(old)), telling_terms(&holding(new)));
    let again = wanted.iter().any(|term| old.contains(term) && !new.contains(term));
    let of_it = wanted.iter().any(|term| new.contains(term));
    let only = wanted.iter().all(|term| old.contains(term));
    match (again, of_it || only) {
        (false, _) => SaidAgain::No,
        (true, true) => SaidAgain::Yes,
        (true, false) => SaidAgain::IfNear,
    }
}

/// Whether what is said is near enough in meaning to what held before, to say it again.
pub fn is_said_again(cosine: f64) -> bool {
    cosine >= SAID_AGAIN
}

/// Whether a text that nothing sets apart from another says the same, by how near they are in meaning.
pub fn is_the_same_again(cosine: f64) -> bool {
    cosine >= SAME_AGAIN
}

/// Whether a memory is near enough in meaning to tell of the same thing.
pub fn is_near(cosine: f64) -> bool {
    cosine >= NEAR
}

/// The words that tell what is meant. That something is used, wanted or was decided is said of
/// everything.
pub fn telling_terms(text: &str) -> BTreeSet<String> {
    static OF_ALL: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let plain = "use user want like prefer decided decision chose settled agreed picked go team \
            run live kept written sent work";
        words::terms(plain).into_iter().collect()
    });
    let plain = |term: &String| words::is_common(term) || OF_ALL.contains(term);
    words::query_terms(text).into_iter().filter(|term| !plain(term)).collect()
}

/// What a text says to hold: one that tells of a change names what no longer does as well.
pub fn holding(text: &str) -> String {
    probe::what_holds(text).unwrap_or_else(|| text.to_owned())
}

/// What has a property, of "the lifetime of the login cookie".
fn owner(text: &str) -> Option<BTreeSet<String>> {
    let (_, owner) = text.split_once(" of ").or_else(|| text.split_once(" for "))?;
    Some(telling_terms(owner)).filter(|owner| !owner.is_empty())
}

/// Whether two statements give values that can stand in each other's place: two names, or two
/// amounts of the same.
fn of_a_kind(one: &str, other: &str) -> bool {
    let number = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let counted = |text: &str| -> BTreeSet<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |pair: &[&str]| number(pair[0]).then(|| telling_terms(pair[1]));
        words.windows(2).filter_map(after).flatten().collect()
    };
    match (number(one), number(other)) {
        (false, false) => true,
        (true, true) => !counted(one).is_disjoint(&counted(other)),
        (true, false) | (false, true) => false,
    }
}

/// Whether a text holds these words as they stand, whatever their case.
fn says(text: &str, value: &str) -> bool {
    let (content, value) = (holding(text).to_lowercase(), value.to_lowercase());
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    content.match_indices(&value).any(|(at, found)| {
        bound(content[..at].chars().next_back())
            && bound(content[at + found.len()..].chars().next())
    })
}

/// Whether a text holds most of the words, and all that have a digit in them.
#[expect(clippy::cast_precision_loss, reason = "a handful of words")]
fn holds(text: &str, wanted: &BTreeSet<String>) -> bool {
    let has: BTreeSet<String> = words::query_terms(&holding(text)).into_iter().collect();
    let found = wanted.iter().filter(|term| has.contains(*term)).count();
    let exact = |term: &&String| term.chars().any(|c| c.is_ascii_digit());
    found as f64 / wanted.len() as f64 >= HOLDS
        && wanted.iter().filter(exact).all(|t| has.contains(t))
}
