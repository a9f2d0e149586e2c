//! Changes: a value takes another one's place, however it is put.
//!
//! Nothing is kept by these shapes. They say at once, before any reader has looked, that a sentence may tell of
//! a change, and what holds in a text that tells of one, so that the memory it is about is found.
//!
//! A sentence is read in two steps. What only talks about the talk is passed over ("small
//! correction:", "as of today"); the rest must be one of a few shapes, each of which says which words
//! are the new value, and what has it.

mod back;
mod preface;
mod shape;
mod swap;

use std::ops::Range;

use super::{ProbedSentence, content, fact, name, rule};
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::{self, Word};

use preface::Preface;

/// What a text that tells of a change says to hold now, in a statement of its own: "we swapped Axios
/// for Ky in the web client" is "We use Ky in the web client". `None` where it tells of none.
pub fn what_holds(text: &str) -> Option<String> {
    held_now(&ProbedSentence::alone(text))
}

/// What a sentence that tells of a change says to hold now.
fn held_now(it: &ProbedSentence<'_>) -> Option<String> {
    let preface = Preface::of(it);
    back::find(it, &preface)
        .or_else(|| shape::find(it, &preface))
        .or_else(|| shape::now(it, &preface))
}

/// Whether a sentence says that something changed, whatever stands around it.
pub(crate) fn is_said(text: &str) -> bool {
    let it = ProbedSentence::alone(text);
    // "Not 45 seconds, 10 seconds" answers somebody.
    let answers = shape::contrast(&it.words, 0).is_some_and(|(at, old)| {
        at == 0 && it.words[old.end - 1].pauses() && value(&it.words, old.end).is_some()
    });
    let told = !it.words.iter().any(|word| word.quoted) && !says(&it.words, &WITHDRAWN);
    answers || told && held_now(&it).is_some()
}

/// Words that say that it did not come to that, or that it is as it was.
static WITHDRAWN: Cues = Cues::of(
    "almost, nearly, (was|were) going to, wanted to, planned to, planning to, plan to, plans to, \
    is off, got|was|were|been cancelled|canceled|postponed|rejected, in the end we|i kept|keep|stay|stayed, \
    still here, is still|right correct|right|true, it stays, stays as|the, we|i stay|stayed|keep|kept (with), \
    i thought|believed|assumed, for a moment, as you had it, correction of the correction",
);

/// Words behind which a value is over.
const ENDS: &str = "because since so and but when if which that while where until after before last yesterday \
    today tonight please then now again over for in on as at with from to by instead rather anymore any \
    here there this we i it its though although";

/// The words of a value from a place on: up to a pause or a word that goes on.
fn value(words: &[Word<'_>], from: usize) -> Option<Range<usize>> {
    const LONG: usize = 7;
    let first = words.get(from)?;
    if first.is(
        "only just because yet sure be been have to that this so very too even really if me you \
        i we it its they them not what how why where in on at for with all any about necessarily",
    ) {
        return None;
    }
    let end = (from..words.len())
        .find(|at| {
            words[*at].pauses()
                || words[*at].mark == ')'
                || words.get(at + 1).is_some_and(|next| next.is(ENDS) || next.bracketed)
        })
        .map_or(words.len(), |at| at + 1);
    (end - from <= LONG).then_some(from..end)
}

/// Whether these words are a name, a number or a value somebody put in figures.
fn tells(words: &[Word<'_>]) -> bool {
    name::any_named(words) || words.iter().any(|word| word.text.bytes().any(|b| b.is_ascii_digit()))
}
