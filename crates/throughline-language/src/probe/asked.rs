//! What somebody asks to be remembered: it is kept as said, whatever its wording, without the asking.
//!
//! Asking has a form of its own: "remember" or "note" at the beginning of a sentence, with a colon, a
//! full stop or "that" behind it. "Do you remember", "remember when" and "I can't remember" ask for
//! something else.

use super::content::plain;
use super::{ProbedSentence, decision, fact, name, rule};
use crate::speech::cue::{Cues, starts};
use crate::speech::word::{Word, words};
use crate::speech::{Guard, SentencePlace};
use throughline_core::Kind;
use throughline_core::patch::{Operation, Remember};

/// The longest text that is kept as one statement, in characters.
const CHARS_MAX: usize = 1_000;
/// How sure it is that this is to be kept.
const CONFIDENCE: f64 = 0.95;

/// How asking begins.
static ASKING: Cues = Cues::of(
    "(ok|okay|and|also|so|but|hey|oh|btw|now) (please|pls) remember|note (this|the|that|also) (following|too) (please|that), \
    (ok|okay|and|also|so) (please|pls) keep|bear (this|that) in mind (that), \
    (ok|okay|and|also|so) (please) dont forget (that|this), for the record, for future reference, fyi, \
    (ok|and|also) (a) note to self",
);

/// The same as a polite question.
static REQUESTING: Cues = Cues::of(
    "(ok|okay|and|also|so|hey) can|could|will|would you (please|pls|also) remember|note (please) that",
);

/// Whether a sentence asks to remember something.
pub fn is_asked(sentence: &str) -> bool {
    may_ask(sentence) && end_of_asking(&words(sentence)).is_some()
}

/// Whether one of the words of asking stands near the beginning. Most sentences are done with here.
fn may_ask(sentence: &str) -> bool {
    const LOOK_BYTES: usize = 60;
    const ASKING: &[&str] = &["remember", "note", "mind", "forget", "record", "reference", "fyi"];
    let head = sentence[..sentence.floor_char_boundary(LOOK_BYTES)].to_ascii_lowercase();
    ASKING.iter().any(|word| head.contains(word))
}

/// What the first statement asks to keep, and how many statements that takes.
pub(super) fn find(statements: &[ProbedSentence<'_>]) -> Option<(Operation, usize)> {
    let it = statements.first().filter(|it| may_ask(it.text))?;
    let all = words(it.text);
    let end = end_of_asking(&all)?;
    let open = all[..end].last().is_some_and(|word| matches!(word.mark, ':' | '.' | '—' | '!'));
    let requested = starts(&all, &REQUESTING).is_some();
    if asks_or_takes_back(it) && !requested {
        return None;
    }
    let (start, least) = match all.get(end) {
        Some(word) => (it.span.start + opening(it.text, word), 1),
        None => (statements.get(1)?.span.start, 2),
    };
    let said = |count: usize| {
        let said = plain(it.own.get(start..statements.get(count - 1)?.span.end)?);
        let said = said.trim_end_matches(['.', ' ']);
        let said = if requested { said.trim_end_matches(['?', ' ']) } else { said };
        let kept = !said.is_empty() && said.chars().count() <= CHARS_MAX;
        kept.then(|| said.to_owned())
    };
    let all_of_it = if open { 1 + more(it, &statements[1..]) } else { 1 };
    // What is too long to be one statement is asked for with its first; the others are read as they stand.
    let (said, count) = match said(all_of_it) {
        Some(said) => (said, all_of_it),
        None if least < all_of_it => (said(least)?, least),
        None => return None,
    };
    let told = words(&said);
    let kind = kind_of(&said, &told);
    Some((
        Operation::Remember(Remember {
            kind,
            slot: if count == 1 { fact::slot_of(&told) } else { None },
            entities: name::named(&told),
            content: said.clone(),
            label: None,
            domain: None,
            because: Vec::new(),
            triggers: triggers(kind, &told),
            confidence: CONFIDENCE,
            quote: Some(it.text.to_owned()),
            turn: Some(it.turn),
        }),
        count,
    ))
}

/// Where what is to be kept begins. `None` where nothing is asked to be kept.
fn end_of_asking(all: &[Word<'_>]) -> Option<usize> {
    let end = starts(all, &REQUESTING).or_else(|| starts(all, &ASKING))?;
    // "Note: the port" asks with one word.
    let end = (0..end).find(|at| matches!(all[*at].mark, ':' | '.' | '!')).map_or(end, |at| at + 1);
    let marked = matches!(all[end - 1].mark, ':' | '—' | '.' | '!');
    let said = all.get(end..)?;
    let first = said.first();
    // "Remember when", "note what you found": that asks for something, and tells nothing.
    let asks = first
        .is_some_and(|word| word.is("what which who whom whose why how where when if whether"))
        && !said.iter().rev().skip(1).any(Word::pauses);
    let plain =
        all[..end].iter().any(|word| word.is("that please pls record reference fyi mind forget"))
            || all[end - 1].is("remember")
                && first.is_some_and(|word| !word.is("me you him her them it this to"));
    // "Keep that in mind for the release" points at what was said before, and tells nothing itself.
    let this = |words: &[Word<'_>]| words[0].is("this that it") && words[1].is("in");
    let points_back = all[..end].windows(2).any(this)
        && first.is_some_and(|word| word.is("for when while in on during before after next later"));
    let tells = marked || plain && !said.is_empty() && !points_back;
    tells.then_some(end).filter(|_| !asks)
}

/// Where a word begins, with the marks that open before it.
fn opening(text: &str, word: &Word<'_>) -> usize {
    let before = &text[..word.span.start];
    before.trim_end_matches(['"', '“', '(', '`', '[', '\'']).len()
}

/// How many statements behind the first belong to it: the rest of the paragraph or of the list, up to
/// a question or something that is taken back.
fn more(it: &ProbedSentence<'_>, after: &[ProbedSentence<'_>]) -> usize {
    let mut end = it.span.end;
    let mut listed = false;
    let mut count = 0;
    for next in after {
        let item = matches!(next.place, SentencePlace::Item { .. });
        let gap = it.own[end..next.span.start].matches('\n').count();
        let goes_on = gap < 2 || count == 0 && gap <= 2 || listed && item;
        if !goes_on || listed && !item || asks_or_takes_back(next) {
            break;
        }
        (end, listed) = (next.span.end, item);
        count += 1;
    }
    count
}

fn asks_or_takes_back(it: &ProbedSentence<'_>) -> bool {
    matches!(it.guard, Some(Guard::Question | Guard::SelfResolving)) || it.text.ends_with('?')
}

fn kind_of(said: &str, told: &[Word<'_>]) -> Kind {
    let decided = || decision::is_made(said, told).then_some(Kind::Decision);
    rule::find(told).or_else(decided).unwrap_or(Kind::Fact)
}

/// A rule comes up where its code is used.
fn triggers(kind: Kind, told: &[Word<'_>]) -> Vec<String> {
    let code = told.iter().filter(|word| kind == Kind::Principle && word.code);
    code.map(|word| word.text.to_owned()).take(8).collect()
}
