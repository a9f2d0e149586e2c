//! Orders to forget, and what is to be forgotten.

use super::{ProbedSentence, content};
use crate::speech::Guard;
use crate::speech::cue::{cues, starts};
use crate::speech::word::{self, Word};
use throughline_core::patch::{Operation, Retract};

/// What is to be forgotten, if somebody asks for that in so many words, and whether the sentence tells something
/// besides: "forget what I said about pnpm, it's bun now".
pub(super) fn forgotten(it: &ProbedSentence<'_>) -> Option<(Operation, bool)> {
    let told = told_besides(&it.words);
    let order = ProbedSentence { words: it.words[..told].to_vec(), ..it.clone() };
    let end = order.words.last().map_or(0, |word| word.span.end);
    let tells = told < it.words.len();
    let text = if tells { &it.text[..end] } else { it.text };
    let operation = order_to_forget(&ProbedSentence { text, ..order }, it.text)?;
    Some((operation, tells))
}

/// Where the order ends and a clause of its own begins: behind a pause, with a subject of its own or an order of its own.
fn told_besides(words: &[Word<'_>]) -> usize {
    const CLAUSE_MIN: usize = 2;
    let begins = (1..words.len()).find(|at| {
        words[at - 1].pauses()
            && words.len() - at >= CLAUSE_MIN
            && words[*at].is("it its we i they he she thats theres weve were ill well use lets")
    });
    begins.unwrap_or(words.len())
}

fn order_to_forget(it: &ProbedSentence<'_>, said: &str) -> Option<Operation> {
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
    let (quote, turn) = (Some(said.to_owned()), Some(it.turn));
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
