//! Prefaces: what is said about what is said, before it is.

use super::{Cues, ProbedSentence, Word, at_any, says};

/// What stands before the statement itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Preface {
    /// The word that the statement begins with.
    pub(super) end: usize,
    /// It says that something was wrong.
    pub(super) corrects: bool,
    /// It says that something is new.
    pub(super) lately: bool,
    /// It says where it holds, or that something follows.
    pub(super) opened: bool,
}

/// Words that only talk about the talk. A clause of nothing else says nothing by itself.
const TALK: &str = "correction corrections small quick minor little important short update updates news note my our \
    your mistake mistakes fault error sorry oops apologies apology i we you me misspoke mistyped misremembered \
    mixed up confused was were am is are wrong mistaken have had has got get that thats this it its not right \
    true correct incorrect outdated need needs to want must should let lets something anything one two thing \
    things change changed changes mind new decision decisions hm hmm wait no nope nah actually heads earlier \
    before the other day last time told said say put fix clarify clear be again also done different an a \
    migration move switch upgrade rollout finished complete completed undid undo reverted decided settled background some context start started about there here heres just only for in on of all these days project repo repository codebase case wise \
    earlier today yesterday forgot mention tell again well ok okay";

/// Times and places that a statement may begin with, without a pause.
static SINCE: Cues = Cues::of(
    "as of today|now|yesterday|tomorrow|monday|tuesday|wednesday|thursday|friday|this|last (week|month|sprint|release), \
    since|from|starting (on) today|now|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday (on), \
    since|starting last|this week|month|sprint|release|year, from here on, these days, nowadays, \
    by now, meanwhile, going forward",
);
pub(super) static HERE: Cues = Cues::of(
    "(only|just) in|for|within this|our|the (one) project|repo|repository|codebase|service (only), \
    (over|only) here (only)",
);
static WRONG: Cues = Cues::of(
    "wrong, incorrect, mistake, mistaken, misspoke, mistyped, misremembered, mixed up, correction, correct, \
    no, nope, nah, actually, changed my|our mind, not right|true",
);

impl Preface {
    pub(super) fn of(it: &ProbedSentence<'_>) -> Self {
        let words = &it.words;
        let mut found =
            Self { end: 0, corrects: says(&it.lead, &WRONG), lately: false, opened: false };
        loop {
            let from = found.end;
            if let Some(end) = at_any(words, from, &SINCE).filter(|end| *end < words.len()) {
                found.lately = true;
                found.end = end;
            } else if let Some(end) = at_any(words, from, &HERE).filter(|end| *end < words.len()) {
                found.opened = true;
                found.end = end;
            } else if let Some(end) = talk(words, from) {
                found.corrects |= says(&words[from..end], &WRONG);
                found.opened = true;
                found.end = end;
            } else {
                return found;
            }
        }
    }
}

/// The end of a clause that only talks about the talk, where something follows it.
fn talk(words: &[Word<'_>], from: usize) -> Option<usize> {
    // "Decision: …" announces one.
    if words.get(from)?.is("decision") {
        return None;
    }
    let pause = (from..words.len()).find(|at| words[*at].pauses())?;
    let only = words[from..=pause].iter().all(|word| word.is(TALK));
    // "I was wrong about the port: it's …" says what it is about.
    (only && pause + 1 < words.len()).then_some(pause + 1)
}
