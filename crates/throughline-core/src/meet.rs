//! Meeting: whether two statements give the same thing two values, or one says the opposite of the other.
//!
//! Decided by form alone: the words agree except in one place, and what stands there is a value on
//! both sides, or a word that denies on one of them. How alike two texts are otherwise says nothing. A statement that only looks like
//! another is never evidence for it.

mod beside;
mod opposite;
mod statement;

use std::hash::{Hash as _, Hasher as _};

use crate::Kind;
pub use beside::{Beside, permits_if, stands_beside};
use opposite::Polarity;
use statement::{PlainStatement, Sort, StatementWord};

/// How two statements about the same thing differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A number, a version, a port, a date, a path: the thing has one of them at a time.
    Value,
    /// A name, a value of something that may have several, or the opposite: a person has to decide.
    Open,
}

/// Returns how two claims differ if they give the same thing two values or say the opposite; `None` if they say the
/// same, or speak of two things, or if that cannot be told by their form.
pub fn same_thing(one: (Kind, &str), other: (Kind, &str)) -> Option<Difference> {
    if !(one.0.can_be_replaced() && other.0.can_be_replaced()) {
        return None;
    }
    let (left, right) = (PlainStatement::of(one.1)?, PlainStatement::of(other.1)?);
    if is_opposite((one.0, &left), (other.0, &right)) {
        let beside = stands_beside(one.1, other.1).or_else(|| stands_beside(other.1, one.1));
        return beside.is_none().then_some(Difference::Open);
    }
    let split = Split::of(&left, &right)?;
    let (a, b) = (&left.words[split.left.clone()], &right.words[split.right.clone()]);
    let sort = statement::sort(a)?.with(statement::sort(b)?)?;
    if statement::value(a) == statement::value(b) {
        return None; // "v1.2" and "1.2"
    }
    let ends = |words: &[StatementWord]| words.last().is_some_and(|word| word.ends);
    let place = DifferencePlace {
        before: &left.words[..split.left.start],
        after: if ends(a) && ends(b) { &[] } else { &left.words[split.left.end..] },
        measured: a.len() > 1,
        rules: is_rule(one.0) || is_rule(other.0),
        decided: one.0 == Kind::Decision && other.0 == Kind::Decision,
        happened: left.happened || right.happened,
        dated: [a, b].iter().any(|words| words.iter().any(StatementWord::is_day)),
    };
    if [a, b].iter().any(|words| words.iter().any(|word| word.listed)) || place.is_listed() {
        return None;
    }
    if stands_beside(one.1, other.1).or_else(|| stands_beside(other.1, one.1)).is_some() {
        return None;
    }
    match sort {
        Sort::Number => place.number(),
        Sort::Place => place.location(),
        Sort::Name => place.name(),
        Sort::Word => place.used_for().then_some(Difference::Open),
    }
}

/// Whether a claim of this text can give something a value at all. Most cannot, and need not be
/// compared with anything.
pub fn gives_a_value(kind: Kind, content: &str) -> bool {
    kind.can_be_replaced()
        && PlainStatement::of(content).is_some_and(|it| {
            let valued = |word: &StatementWord| word.is_value() || word.is_use();
            it.words.iter().any(valued)
        })
}

/// Whether a claim of this text can be met by another one: it gives something a value, or another one may say the
/// opposite.
pub fn can_meet(kind: Kind, content: &str) -> bool {
    let opposed = || PlainStatement::of(content).is_some_and(|it| may_oppose(kind, &it));
    gives_a_value(kind, content) || kind.can_be_replaced() && opposed()
}

/// Whether a statement says that something is or is not to be: a rule does so without a word for it.
fn may_oppose(kind: Kind, statement: &PlainStatement) -> bool {
    is_rule(kind) || kind == Kind::Decision || opposite::says_whether(statement)
}

fn is_opposite(one: (Kind, &PlainStatement), other: (Kind, &PlainStatement)) -> bool {
    let may = may_oppose(one.0, one.1) && may_oppose(other.0, other.1);
    let pair = Polarity::of(one.1).zip(Polarity::of(other.1)).filter(|_| may);
    pair.is_some_and(|(left, right)| left.opposes(&right))
}

/// What a claim says around every place in which a value may stand, as numbers. Two claims that [`same_thing`]
/// finds to differ have one of them in common, so that a claim need not be compared with all others. The last one
/// is of what is left without the words that affirm or deny.
pub fn meeting_keys(content: &str) -> Vec<u64> {
    let Some(statement) = PlainStatement::of(content) else { return Vec::new() };
    let opposed = Polarity::of(&statement).map(|said| {
        let mut hasher = std::hash::DefaultHasher::new();
        ("opposite", said.rest).hash(&mut hasher);
        hasher.finish()
    });
    let words = statement.words;
    let number = |before: u64, text: &str| {
        let mut hasher = std::hash::DefaultHasher::new();
        (before, text).hash(&mut hasher);
        hasher.finish()
    };
    let mut heads = vec![0];
    for word in &words {
        heads.push(number(heads[heads.len() - 1], &word.text));
    }
    let mut tails = vec![0];
    for word in words.iter().rev() {
        tails.push(number(tails[tails.len() - 1], &word.text));
    }
    let places = (0..words.len()).flat_map(|start| {
        let ends = start + 1..=(start + statement::VALUE_WORDS).min(words.len());
        ends.map(move |end| (start, end))
    });
    places
        .map(|(start, end)| {
            let mut hasher = std::hash::DefaultHasher::new();
            (heads[start], tails[words.len() - end]).hash(&mut hasher);
            hasher.finish()
        })
        .chain(opposed)
        .collect()
}

/// Rules and ways of doing things name what they apply to: another name is another rule.
fn is_rule(kind: Kind) -> bool {
    matches!(kind, Kind::Preference | Kind::Principle | Kind::Procedure)
}

/// Where two statements differ, if that is one place.
struct Split {
    left: std::ops::Range<usize>,
    right: std::ops::Range<usize>,
}

impl Split {
    fn of(left: &PlainStatement, right: &PlainStatement) -> Option<Self> {
        let (a, b) = (&left.words, &right.words);
        let same = |(x, y): &(&StatementWord, &StatementWord)| x.text == y.text;
        let head = a.iter().zip(b).take_while(same).count();
        let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(same).count();
        let (left, right) = (head..a.len() - tail, head..b.len() - tail);
        (!left.is_empty() && !right.is_empty()).then_some(Self { left, right })
    }
}

/// What stands around the place where two statements differ.
struct DifferencePlace<'a> {
    before: &'a [StatementWord],
    after: &'a [StatementWord],
    /// The values bring their units along: "30 seconds", "2 minutes".
    measured: bool,
    rules: bool,
    decided: bool,
    /// Something that happened is told, and can happen again with another value.
    happened: bool,
    /// The values are days.
    dated: bool,
}

impl DifferencePlace<'_> {
    fn is_listed(&self) -> bool {
        self.before.last().is_some_and(|word| word.listed || word.is_joint())
            || self.after.first().is_some_and(StatementWord::is_joint)
    }

    /// Telling words before the value.
    fn told(&self) -> usize {
        telling(self.before)
    }

    /// How many words name what it says something of: those before "is" or "=". `None` where
    /// nothing is said to be something.
    fn named(&self) -> Option<usize> {
        let link = self.before.iter().position(StatementWord::is_link)?;
        Some(telling(&self.before[..link])).filter(|named| *named > 0)
    }

    /// "The checks run …": what there are several of may have several values.
    fn is_plural(&self) -> bool {
        self.before.iter().find(|word| word.tells()).is_some_and(|word| word.plural)
    }

    /// "We keep …".
    fn is_ours(&self) -> bool {
        self.before.first().is_some_and(StatementWord::is_us)
    }

    /// A number by itself, or behind what it counts or labels.
    fn number(&self) -> Option<Difference> {
        let (last, next) = (self.before.last()?, self.after.first());
        let unit = !self.dated && next.is_some_and(StatementWord::is_unit);
        let plural = next.is_some_and(|word| word.plural);
        let counted = plural
            && match self.after.get(1) {
                Some(behind) => behind.is_of(),
                None => self.is_ours() || self.told() > 2,
            };
        let sized = unit || counted || self.measured;
        let amount = sized || !last.tells();
        let ends = match self.after.len() {
            0 => true,
            1 => sized || plural && amount,
            _ => false,
        };
        // "Step 1", "note 12" and "PR 881" count things; "MySQL 8" and "port 8080" say what one has.
        if self.told() == 0 || !amount && !last.is_versioned() {
            return None;
        }
        if let Some(named) = self.named() {
            // "The latency is …" does not say which one.
            let sure = named > 1 && (amount || ends);
            return Some(if sure { Difference::Value } else { Difference::Open });
        }
        if self.happened {
            None
        } else if self.version_for() {
            Some(Difference::Value)
        } else if amount && (ends || sized) {
            // "Latency 12 ms" does not say whether it was measured once or is so.
            let told = self.told() + telling(self.after) + usize::from(self.measured);
            let sure = self.before.len() > 1;
            (told > 1).then_some(if sure { Difference::Value } else { Difference::Open })
        } else if amount {
            // "The incident on … took down checkout": when it was says which one is meant.
            (self.told() > 1 && !self.dated).then_some(Difference::Open)
        } else {
            // "Prod runs MySQL 8", "the API listens on port 8080"; not "seen on MySQL 8".
            let enough = self.told() >= if self.is_ours() { 2 } else { 3 };
            let sure = !self.is_plural();
            (ends && enough).then_some(if sure { Difference::Value } else { Difference::Open })
        }
    }

    /// A path, a host, a setting: where something is.
    fn location(&self) -> Option<Difference> {
        if self.rules {
            return None;
        }
        if let Some(named) = self.named() {
            return Some(if named > 1 { Difference::Value } else { Difference::Open });
        }
        let last = self.before.last()?;
        let stands = !last.tells() && self.after.is_empty() && self.told() >= 2;
        if !stands || self.happened {
            return None;
        }
        Some(if self.is_plural() { Difference::Open } else { Difference::Value })
    }

    /// A name in the place of another. "Uses Go" and "uses Bash" may both be so; "uses
    /// Redis for the orders" and "uses SQLite for the orders" hardly.
    fn name(&self) -> Option<Difference> {
        if self.rules {
            return None;
        }
        let link = self.before.iter().rposition(StatementWord::is_link);
        let said_of = link.is_some_and(|at| {
            let between = &self.before[at + 1..];
            telling(&self.before[..at]) > 0
                && self.after.is_empty()
                && between.len() <= 2
                && between.last().is_none_or(|word| !word.tells())
        });
        (said_of || self.used_for() || self.decided_for()).then_some(Difference::Open)
    }

    /// "… use _ for the orders database".
    fn used_for(&self) -> bool {
        !self.rules
            && self.before.last().is_some_and(StatementWord::is_use)
            && self.after.first().is_some_and(StatementWord::is_purpose)
            && telling(self.after) > 0
    }

    /// "… use port _ for the api".
    fn version_for(&self) -> bool {
        !self.rules
            && matches!(self.before, [.., verb, named] if verb.is_use() && named.is_versioned())
            && self.after.first().is_some_and(StatementWord::is_purpose)
            && telling(self.after) > 0
    }

    /// "We decided to go with _ for the orders database", "we chose _ for the orders database".
    fn decided_for(&self) -> bool {
        let behind = |word: &StatementWord| {
            let led_to = self.before.last().is_some_and(|last| !last.tells());
            word.is_purpose() || led_to && !word.tells()
        };
        self.decided && self.after.first().is_some_and(behind) && telling(self.after) > 0
    }
}

fn telling(words: &[StatementWord]) -> usize {
    words.iter().filter(|word| word.tells()).count()
}
