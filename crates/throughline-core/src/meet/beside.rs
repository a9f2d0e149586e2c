//! Beside: words that by their form stand beside a statement, and never take its place.

use std::collections::BTreeSet;

use super::statement::{PlainStatement, StatementWord};

/// Why words stand beside a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// They say that something comes on top: "we also deploy on Mondays".
    Addition,
    /// They permit something on a condition, which leaves the rule as it is.
    Exception,
    /// They count in another sort of unit: "3 times", "30 seconds".
    OtherUnit,
    /// They speak of the thing under another qualifier: "nightly import", "hourly import".
    OtherQualifier,
}

/// Returns why what was said stands beside a statement that is held; `None` where its form does not tell.
pub fn stands_beside(held: &str, said: &str) -> Option<Beside> {
    let (held, said) = (PlainStatement::of(held)?, PlainStatement::of(said)?);
    if is_addition(&said.words) {
        Some(Beside::Addition)
    } else if is_exception(&said.words) {
        Some(Beside::Exception)
    } else if other_unit(&held.words, &said.words) {
        Some(Beside::OtherUnit)
    } else {
        other_qualifier(&held.words, &said.words).then_some(Beside::OtherQualifier)
    }
}

/// Whether a statement permits something on a condition: "force-push is okay if Lena signs off".
pub fn permits_if(said: &str) -> bool {
    PlainStatement::of(said).is_some_and(|said| is_exception(&said.words))
}

/// "We also …", "… too", "… as well". At its beginning "also" only goes on with the conversation, and "too many" adds nothing.
fn is_addition(words: &[StatementWord]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        let starts = at == 0 || words[at - 1].ends || words[..at].iter().all(|one| one.is(LEADING));
        let closes = word.ends || word.listed || next.is_none();
        word.is("also") && !starts
            || word.is("additionally")
            || word.is("too") && closes && !starts
            || word.is("as") && next.is_some_and(|next| next.is("well"))
            || word.is("addition") && at > 0 && words[at - 1].is("in")
    })
}

/// What may stand before a sentence.
const LEADING: &str = "and but so oh ok okay well";

fn is_exception(words: &[StatementWord]) -> bool {
    let permits = words.iter().enumerate().position(|(at, word)| {
        let said_of = at > 0 && words[at - 1].is_being();
        said_of && word.is("okay ok fine allowed permitted alright")
    });
    let Some(permits) = permits else { return false };
    let behind = &words[permits + 1..];
    let condition = behind.first().is_some_and(|word| word.is("if when unless once provided"));
    let as_long = behind.len() > 2 && behind[0].is("as") && behind[1].is("long");
    let only = behind.len() > 1 && behind[0].is("only") && behind[1].is("if when with after");
    (condition || as_long || only) && permits > 1
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CountedUnit {
    Time,
    Size,
    Share,
    Things,
}

const TIME: &str = "ms s sec secs second seconds min mins minute minutes h hr hrs hour hours day days \
                    week weeks month months year years";
const SIZE: &str = "b kb mb gb tb kib mib gib tib byte bytes";
const SHARE: &str = "% percent pct";

impl CountedUnit {
    fn of(unit: &StatementWord) -> Option<Self> {
        if unit.is(TIME) {
            Some(Self::Time)
        } else if unit.is(SIZE) {
            Some(Self::Size)
        } else if unit.is(SHARE) {
            Some(Self::Share)
        } else {
            (unit.plural && unit.tells() && !unit.is_value() || unit.is("times x"))
                .then_some(Self::Things)
        }
    }
}

/// What the numbers of a statement count. `None` where one of them does not say.
fn units(words: &[StatementWord]) -> Option<BTreeSet<CountedUnit>> {
    let mut units = BTreeSet::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.is_number()) {
        let attached = word.unit_attached().map(|unit| StatementWord::plain(&unit));
        let unit = attached.as_ref().or_else(|| words.get(at + 1));
        units.insert(unit.and_then(CountedUnit::of)?);
    }
    Some(units)
}

fn other_unit(held: &[StatementWord], said: &[StatementWord]) -> bool {
    let (Some(held), Some(said)) = (units(held), units(said)) else { return false };
    !held.is_empty() && !said.is_empty() && held.is_disjoint(&said)
}

/// Words that say which of several alike things is meant.
const QUALIFIERS: &[&str] = &[
    "hourly daily nightly weekly monthly quarterly yearly annual",
    "staging stage prod production dev development test qa uat preview sandbox canary local",
];

/// Whether both speak of one thing of several alike, and not of the same one.
fn other_qualifier(held: &[StatementWord], said: &[StatementWord]) -> bool {
    QUALIFIERS.iter().any(|class| {
        let (one, other) = (qualifiers(held, said, class), qualifiers(said, held, class));
        let named = |words: &[StatementWord], which: &BTreeSet<&str>| {
            words.iter().any(|word| which.contains(word.text.as_str()))
        };
        !one.is_empty() && !other.is_empty() && !named(said, &one) && !named(held, &other)
    })
}

/// The words of a class that say which thing a statement is about: they stand before a word that the other has
/// too, or at the head.
fn qualifiers<'a>(
    words: &'a [StatementWord],
    other: &[StatementWord],
    class: &str,
) -> BTreeSet<&'a str> {
    let told = |word: &StatementWord| word.tells() && other.iter().any(|one| one.text == word.text);
    let head = |at: usize| words[..at].iter().all(|word| !word.tells());
    let found = words
        .iter()
        .enumerate()
        .filter(|(at, word)| word.is(class) && (head(*at) || words.get(at + 1).is_some_and(told)));
    found.map(|(_, word)| word.text.as_str()).collect()
}
