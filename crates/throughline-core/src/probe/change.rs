//! Changes: a value takes another one's place, however it is put.
//!
//! A sentence is read in two steps. What only talks about the talk is passed over ("small
//! correction:", "as of today"); the rest must be one of a few shapes, each of which says which words
//! are the old value, which the new one, and what has it. What is wrong is named by its value alone:
//! which memory that is, is found by what the new statement is about.

mod back;
mod preface;
mod shape;
mod swap;

use std::ops::Range;

use super::content;
use super::{Said, Statement, Voice, fact, name, rule};
use crate::Kind;
use crate::patch::Operation;
use crate::speech;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::{self, Word};

use preface::Preface;

/// What a sentence says has changed.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    /// The words that no longer hold, or those that say what is spoken of.
    wrong: String,
    /// What holds, as a statement of its own: it says what memory is meant, and is not what is kept.
    right: String,
    /// Nothing takes its place.
    gone: bool,
}

/// What changed, as the sentence and those around it tell.
pub(super) fn find(
    it: &Statement<'_>,
    before: &[Statement<'_>],
    after: &[Statement<'_>],
    context: &[Said<'_>],
) -> Option<Operation> {
    if it.words.iter().any(|word| word.quoted) || withdrawn(&it.words, after) {
        return None;
    }
    let preface = Preface::of(it);
    if let Some(change) = told(it, &preface).or_else(|| followed(it, &preface, after)) {
        return put_right(it, change, it.said()?);
    }
    let change = answering(it, &preface, before, after, context)?;
    // A short answer says nothing without what it answers: that is kept, with the other value.
    let kept = change.right.clone();
    put_right(it, change, kept)
}

/// What the sentence alone says has changed.
fn told(it: &Statement<'_>, preface: &Preface) -> Option<Change> {
    back::find(it, preface).or_else(|| shape::find(it, preface))
}

/// A statement of how things are now, where nothing says how they were.
pub(super) fn lately(it: &Statement<'_>, after: &[Statement<'_>]) -> Option<Operation> {
    let told = it.words.iter().all(|word| !word.quoted) && !withdrawn(&it.words, after);
    let change = told.then(|| shape::now(it, &Preface::of(it))).flatten()?;
    put_right(it, change, it.said()?)
}

fn put_right(it: &Statement<'_>, change: Change, kept: String) -> Option<Operation> {
    let right = word::words(&change.right);
    let slot = fact::slot_of(&right).filter(|_| !change.gone);
    let kind = rule::find_rule(&right).map_or(Kind::Fact, |(kind, _)| kind);
    Some(it.correct(change.wrong, kept, kind, 0.85, slot))
}

/// What a text that tells of a change says to hold now, in a statement of its own: "we swapped Axios
/// for Ky in the web client" is "We use Ky in the web client". `None` where it tells of none.
pub fn what_holds(text: &str) -> Option<String> {
    let it = alone(text);
    let preface = Preface::of(&it);
    let change = told(&it, &preface).or_else(|| shape::now(&it, &preface))?;
    Some(change.right)
}

/// The statement behind a preface, where there is one.
pub(super) fn unprefaced<'a>(it: &Statement<'a>) -> Option<Statement<'a>> {
    let end = Preface::of(it).end;
    (end > 0).then(|| Statement { words: it.words[end..].to_vec(), ..it.clone() })
}

/// Whether a sentence says that something changed, whatever stands around it.
pub(crate) fn is_said(text: &str) -> bool {
    let it = alone(text);
    // "Not 45 seconds, 10 seconds" answers somebody.
    let answers = shape::contrast(&it.words, 0).is_some_and(|(at, old)| {
        at == 0 && it.words[old.end - 1].pauses() && value(&it.words, old.end).is_some()
    });
    answers || find(&it, &[], &[], &[]).or_else(|| lately(&it, &[])).is_some()
}

/// A sentence as it would be kept: without courtesies around it and the full stop at its end.
pub fn as_kept(sentence: &str) -> String {
    alone(sentence).said().unwrap_or_default()
}

/// Whether a statement gives its own reason.
pub fn gives_reason(sentence: &str) -> bool {
    !content::reasons(sentence, &word::words(sentence)).is_empty()
}

/// A sentence by itself.
fn alone(text: &str) -> Statement<'_> {
    const LONG: usize = 400;
    let text = &text[..text.floor_char_boundary(LONG)];
    let lead = word::words(text);
    let skip = content::courtesies(&lead);
    let (lead, words) = lead.split_at(skip);
    Statement {
        turn: 0,
        speaker: Voice::User,
        text,
        span: 0..text.len(),
        own: text,
        words: words.to_vec(),
        lead: lead.to_vec(),
        place: speech::Place::Text,
        guard: None,
    }
}

/// Words that say that it did not come to that, or that it is as it was.
static WITHDRAWN: Cues = Cues::of(
    "almost, nearly, (was|were) going to, wanted to, planned to, planning to, plan to, plans to, \
    is off, got|was|were|been cancelled|canceled|postponed|rejected, in the end we|i kept|keep|stay|stayed, \
    still here, is still|right correct|right|true, it stays, stays as|the, we|i stay|stayed|keep|kept (with), \
    i thought|believed|assumed, for a moment, as you had it, correction of the correction",
);

/// How somebody goes on who takes back what they just said.
static TAKES_BACK: Cues = Cues::of(
    "(oh|no|hm|hmm|ah|sorry) (no|sorry) (wait|sorry) scratch|strike|ignore|forget that|this|it, \
    (oh|hm|hmm|ah) no (sorry|wait), (oh|hm|ah|sorry) wait, (oh|sorry) never mind, nevermind, nvm, \
    it|that has|is|did|does|was|had not|nt, it|that hasnt|isnt|didnt|wasnt, it stays, \
    correction of the correction, i looked at the wrong, false alarm",
);

/// Whether the change is taken back, in its own sentence or right after it.
fn withdrawn(words: &[Word<'_>], after: &[Statement<'_>]) -> bool {
    const SENTENCES: usize = 2;
    let later = |next: &Statement<'_>| {
        let all: Vec<Word<'_>> = next.lead.iter().chain(&next.words).cloned().collect();
        starts(&all, &TAKES_BACK).is_some()
            || says(&all, cues!("is|was (still) right|correct, still, it stays, as you had it"))
                && all.len() <= 8
    };
    says(words, &WITHDRAWN) || after.iter().take(SENTENCES).any(later)
}

/// "The reviewer is Ada. I know I said Bob but that was wrong."
fn followed(it: &Statement<'_>, preface: &Preface, after: &[Statement<'_>]) -> Option<Change> {
    static SAID: Cues = Cues::of(
        "i know i|we said, i|we said, i know i told you, i told you, (it was|is) never, \
        (and|so) not, (it) used to be, before that it was",
    );
    let next = after.first()?;
    let end = starts(&next.words, &SAID)?;
    let old = value(&next.words, end)?;
    let wrong = next.phrase(old)?;
    let right = shape::statement(it, preface.end..it.words.len())?;
    Some(Change { wrong, right, gone: false })
}

/// An answer to what the agent just said: "no, it's 8081, not 8080", "not Luca, Ingrid".
fn answering(
    it: &Statement<'_>,
    preface: &Preface,
    before: &[Statement<'_>],
    after: &[Statement<'_>],
    context: &[Said<'_>],
) -> Option<Change> {
    let said = context.last().filter(|said| said.speaker == Voice::Assistant)?;
    let words = &it.words;
    let from =
        at_any(words, preface.end, cues!("its, it is|should|must|needs (be|to) (be), thats"))
            .unwrap_or(preface.end);
    let contrast = shape::contrast(words, from);
    let denied = before.iter().any(|one| denies(one)) || preface.corrects;
    let (old, new) = match contrast {
        Some((at, old)) if at > from => (it.phrase(old)?, value(words, from)?),
        // "Not 45 seconds, 10 seconds".
        Some((at, old)) if at == from && words[old.end - 1].pauses() => {
            (it.phrase(old.clone())?, value(words, old.end)?)
        }
        _ => {
            let asked = after.first().filter(|_| denied).and_then(where_from);
            match asked {
                Some(old) => (old, value(words, from)?),
                None => return contradicted(it, preface, said, denied),
            }
        }
    };
    let new = it.phrase(new)?;
    let stated = the_one_that_holds(said.text, &old)?;
    let place = place_of(&stated, &old)?;
    let right = format!("{}{new}{}", &stated[..place.start], &stated[place.end..]);
    Some(Change { wrong: old, right, gone: false })
}

/// "Where did you get Luca from?"
fn where_from(next: &Statement<'_>) -> Option<String> {
    let end = starts(
        &next.words,
        cues!("where did you get|find|read|see, why (do|did) you say|think|assume|use, who said"),
    )?;
    let last =
        next.words.iter().rposition(|word| !word.is("from there")).filter(|at| *at >= end)?;
    next.phrase(end..last + 1)
}

/// Whether a sentence says no more than that something is wrong.
fn denies(one: &Statement<'_>) -> bool {
    let all: Vec<Word<'_>> = one.lead.iter().chain(&one.words).cloned().collect();
    all.len() <= 6
        && says(
            &all,
            cues!("wrong, incorrect, not right|true|correct, isnt right|true|correct, no, nope"),
        )
}

/// "That's wrong. We use Selenium for browser tests": the same statement with another value.
fn contradicted(
    it: &Statement<'_>,
    preface: &Preface,
    said: &Said<'_>,
    denied: bool,
) -> Option<Change> {
    const ALIKE: usize = 2;
    let mine = it.words.get(preface.end..).filter(|mine| denied && mine.len() > ALIKE)?;
    for unit in speech::units(said.text) {
        let sentence = &said.text[unit.span];
        let theirs = word::words(sentence);
        let alike = |(a, b): &(&Word<'_>, &Word<'_>)| a.lower == b.lower;
        let head = mine.iter().zip(&theirs).take_while(alike).count();
        let tail = mine.iter().rev().zip(theirs.iter().rev()).take_while(alike).count();
        let (a, b) = (mine.len().checked_sub(head + tail), theirs.len().checked_sub(head + tail));
        let short = |left: Option<usize>| left.is_some_and(|left| (1..=4).contains(&left));
        if head >= ALIKE && short(a) && short(b) {
            let old = &theirs[head..theirs.len() - tail];
            let wrong = &sentence[old.first()?.span.start..old.last()?.span.end];
            let right = shape::statement(it, preface.end..it.words.len())?;
            return Some(Change { wrong: wrong.to_owned(), right, gone: false });
        }
    }
    None
}

/// The only sentence that holds a value, without its full stop.
fn the_one_that_holds(text: &str, value: &str) -> Option<String> {
    let mut holding = speech::units(text)
        .into_iter()
        .map(|unit| &text[unit.span])
        .filter(|sentence| place_of(sentence, value).is_some());
    let one = holding.next()?.trim_end_matches(['.', '!']);
    let turned = content::render(one, &word::words(one))?;
    holding.next().is_none().then_some(turned)
}

/// Where a value stands in a sentence, whatever its case.
fn place_of(sentence: &str, value: &str) -> Option<Range<usize>> {
    let (all, small) = (sentence.to_lowercase(), value.to_lowercase());
    // Letters whose small form is longer would move what follows.
    let at = all.find(&small).filter(|_| all.len() == sentence.len())?;
    let end = at + small.len();
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let fits = bound(all[..at].chars().next_back()) && bound(all[end..].chars().next());
    fits.then_some(at..end)
}

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
