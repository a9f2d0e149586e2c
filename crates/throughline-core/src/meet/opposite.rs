//! Opposites: whether one statement denies or forbids what another says or asks for, in the same words.
//!
//! By form alone: without the words that say whether something is to be, the two are the same, and one of them
//! has a word that denies. "Always push to main" and "never push to main" cannot both be followed.

use super::statement::{PlainStatement, StatementWord};

/// Words that deny or forbid.
const DENYING: &str = "never not no don't dont doesn't doesnt mustn't mustnt shouldn't shouldnt can't cant cannot \
                       isn't isnt aren't arent won't wont forbidden prohibited disallowed banned";
/// Words that say that something is to be, may be or is so.
const AFFIRMING: &str =
    "always do does must shall should can may will allowed permitted ok okay fine please";
/// What is left of a verb when its denial is taken away.
const BEING: &str = "is are be";

/// A statement without what says whether it is to be so.
pub(super) struct Polarity {
    /// What is spoken of.
    pub(super) rest: Vec<String>,
    /// Whether it is denied or forbidden.
    denies: bool,
}

impl Polarity {
    /// `None` where the form does not tell: something is denied twice, or nothing is left to speak of.
    pub(super) fn of(statement: &PlainStatement) -> Option<Self> {
        let denials = statement.words.iter().filter(|word| word.is(DENYING)).count();
        let counts =
            |word: &&StatementWord| !word.is(DENYING) && !word.is(AFFIRMING) && !word.is(BEING);
        let left: Vec<&StatementWord> = statement.words.iter().filter(counts).collect();
        let told = left.iter().any(|word| word.tells());
        let rest = left.iter().map(|word| word.text.clone()).collect();
        (denials <= 1 && told).then_some(Self { rest, denies: denials == 1 })
    }

    /// Whether the two speak of the same, and one says the opposite.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        self.denies != other.denies && self.rest == other.rest
    }
}

/// Whether a statement has a word that affirms or denies, or says what something is.
pub(super) fn says_whether(statement: &PlainStatement) -> bool {
    let said = |word: &StatementWord| word.is(DENYING) || word.is(AFFIRMING) || word.is(BEING);
    statement.words.iter().any(said)
}
