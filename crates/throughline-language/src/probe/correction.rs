//! Orders to forget, and what is to be forgotten.

use super::{ProbedSentence, content};
use crate::speech::Guard;
use crate::speech::cue::{cues, starts};
use crate::speech::word;
use throughline_core::patch::{Operation, Retract};

/// What is to be forgotten, if somebody asks for that in so many words.
pub(super) fn forgotten(it: &ProbedSentence<'_>) -> Option<Operation> {
    let subject = if it.guarded() { None } else { subject(it) };
    let taken_back = matches!(it.guard, None | Some(Guard::SelfResolving));
    let exact = subject.is_none();
    // "Forget that Bob is on vacation": where a memory says exactly that, it is meant.
    let what = match subject {
        Some(subject) => subject,
        None if taken_back => {
            it.text[forgets(it.text)?..].trim_end_matches(['.', '!', ' ']).to_owned()
        }
        None => return None,
    };
    let (quote, turn) = (Some(it.text.to_owned()), Some(it.turn));
    let confidence = if exact { 0.9 } else { 0.85 };
    Some(Operation::Retract(Retract { what, confidence, quote, turn, exact }))
}

/// What the thing to forget is about, where only that is said: "forget what I said about tabs".
fn subject(it: &ProbedSentence<'_>) -> Option<String> {
    let end = starts(
        &it.words,
        cues!(
            "forget|ignore|disregard|drop (the|my|our|that) rule|preference|decision|convention|memory (about|to|that|of), \
        forget|ignore|disregard what i|we said about, forget that we|i"
        ),
    )?;
    let what = it.words.get(end..).filter(|what| !what.is_empty() && !content::dangles(what))?;
    content::render(it.text, what)
}

/// Where a sentence says what is to be forgotten, if it asks for that.
pub(crate) fn forgets(sentence: &str) -> Option<usize> {
    const WORDS_MIN: usize = 2;
    let words = word::words(sentence);
    let end = starts(&words, cues!("(ok|okay|and|also|so) (please|pls) forget (that)"))?;
    let what = words.get(end..).filter(|what| what.len() >= WORDS_MIN)?;
    (!sentence.ends_with('?')).then(|| what[0].span.start)
}
