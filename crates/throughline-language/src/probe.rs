//! The probe: reads turns and writes a patch of what will still matter in later sessions.
//!
//! What a person says is noticed by a trained reader, and `read` decides what is kept of the pieces it has judged.
//! Forms, which read English, find only what a person asks for in so many words: to remember something, to forget
//! it, or an option or a proposal of the agent's. They understand no free wording, so a turn that no reader has
//! read leaves nothing else behind.
//!
//! What the agent says is read by forms alone, and believed little: what failed and why, what was measured, what
//! was agreed, and what its answer at the end of a task tells of the code. What a tool did is read from its run:
//! whether its command failed, what made it work, what it measured. Plans, offers and guesses are left alone,
//! because something wrong does more harm than something missed.
//!
//! What a claim is worth is not decided here: the confidence says how plainly it was said, the authority is the
//! caller's. Content is the speaker's own words, because the authority says who "I" is. Two things are put into
//! words here: an option or a proposal that a person takes, which is kept in the agent's words, and what a tool
//! did.

mod apart;
mod asked;
mod assent;
mod change;
mod clauses;
mod content;
mod correction;
mod decision;
mod fact;
mod failure;
mod fate;
mod finding;
mod listed;
pub(crate) mod measure;
pub(crate) mod name;
pub(crate) mod ran;
mod read;
mod rule;
#[cfg(test)]
mod tests;

use crate::Turn;
use std::ops::Range;
use throughline_core::Speaker;

pub use apart::{
    Apart, apart, is_clear, lead_over, made_whole, opens_as_rule, permits, stands_from_now_on,
};
pub use asked::is_asked;
pub(crate) use change::is_said as is_change;
pub use change::what_holds;
pub use clauses::{Clauses, clauses, named_by, names_its_thing, without_given_up};
pub use content::gives_reason;
pub(crate) use correction::forgets;
pub use failure::tells_why;
pub use fate::{Fated, PieceFate, is_unsure, share};
pub use listed::names_one_of_several;
pub use ran::{is_remedy, outcome, tells_of_failed};
pub use read::{
    hangs, is_bare_answer, is_kept, likeliest_change, matters_at_once, may_change, needs_before,
    piece_of, piece_with, said_to, says_enough, what_is_asked,
};

use crate::speech::word::{Word, words};
use crate::speech::{self, Guard, SentencePlace};
use throughline_core::patch::{Operation, Patch, Remember};
use throughline_core::{Kind, text};

/// How much is read, and what is kept of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbePolicy {
    /// Bytes of a turn that are looked at. What lies behind them is mostly pasted.
    pub turn_bytes_max: usize,
    /// Sentences of a turn that are looked at.
    pub sentences_max: usize,
    /// Shorter claims say too little.
    pub content_chars_min: usize,
    /// Longer claims say too much.
    pub content_chars_max: usize,
    /// What is found with less confidence is left out.
    pub confidence_min: f64,
    /// Operations of one patch.
    pub operations_max: usize,
}

impl Default for ProbePolicy {
    fn default() -> Self {
        Self {
            turn_bytes_max: 65_536,
            sentences_max: 600,
            content_chars_min: 10,
            content_chars_max: 400,
            confidence_min: 0.4,
            operations_max: 64,
        }
    }
}

/// What is worth keeping of these turns, oldest first; each is read in the light of those before it.
pub fn probe(turns: &[Turn<'_>], policy: &ProbePolicy) -> Patch {
    probe_telling(turns, 0, policy).0
}

/// What is worth keeping of the turns from `first` on, and what becomes of each of their pieces that a reader
/// has read. The turns before the first are only context.
pub fn probe_telling(
    turns: &[Turn<'_>],
    first: usize,
    policy: &ProbePolicy,
) -> (Patch, Vec<Fated>) {
    let mut found = PatchSoFar::new(policy);
    for (turn, said) in turns.iter().enumerate().skip(first) {
        let context = &turns[..turn];
        match (said.speaker, said.run) {
            (Speaker::User, _) => match said.pieces {
                Some(pieces) => read::user_read(turn, said, pieces, context, &mut found),
                None => {
                    asked_for(&statements(turn, said, policy), context, false, &mut found);
                }
            },
            (Speaker::Assistant, _) => {
                let last = turns.get(turn + 1).is_none_or(|next| next.speaker == Speaker::User);
                assistant(turn, said, last, &mut found);
            }
            (Speaker::Tool, Some(run)) => {
                found.extend(measure::of_run(turn, run));
                ran::of_run(turn, run, context, first, &mut found);
            }
            (Speaker::Tool, None) => {}
        }
    }
    (Patch { operations: found.operations, ..Patch::default() }, found.fates)
}

/// Takes in what a person asks for in so many words: to remember something, to forget it, or a yes to what
/// the agent has proposed. Says where that stands. Where a sentence tells something beside an order to forget
/// and a reader has `read` it, it is left to the reader.
fn asked_for(
    statements: &[ProbedSentence<'_>],
    context: &[Turn<'_>],
    read: bool,
    found: &mut PatchSoFar<'_>,
) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut done = 0;
    for (at, it) in statements.iter().enumerate() {
        if at < done {
            continue;
        }
        if let Some((operation, count)) = asked::find(&statements[at..]) {
            done = at + count;
            found.push(operation);
            places.push(it.span.start..statements[done - 1].span.end);
        } else if let Some((operation, tells)) = correction::forgotten(it) {
            if !(read && tells) {
                found.push(operation);
                places.push(it.span.clone());
            }
        } else if !it.text.contains('?') {
            let chosen = decision::option(it, context).map(Operation::Remember);
            found.extend(chosen.or_else(|| assent::with(it, context)));
        }
    }
    places
}

/// What the agent says: `last` where it is its answer, rather than something between two tools.
fn assistant(turn: usize, said: &Turn<'_>, last: bool, found: &mut PatchSoFar<'_>) {
    let statements = statements(turn, said, found.policy);
    for it in statements.iter().filter(|it| !it.guarded()) {
        let one = failure::said(it).or_else(|| measure::said(it)).or_else(|| decision::agreed(it));
        found.extend(one);
    }
    found.extend(finding::of(&statements, last));
}

/// One sentence, ready to be looked at.
#[derive(Debug, Clone)]
struct ProbedSentence<'a> {
    /// The turn it stands in.
    turn: usize,
    /// As it was said.
    text: &'a str,
    /// Where that stands in `own`.
    span: Range<usize>,
    /// What was looked at of the turn.
    own: &'a str,
    /// Its words, without courtesies at its beginning.
    words: Vec<Word<'a>>,
    /// The courtesies.
    lead: Vec<Word<'a>>,
    place: SentencePlace,
    /// Why it may not be taken at its word, if so.
    guard: Option<Guard>,
}

/// Longer sentences are looked at as one that says nothing.
const SENTENCE_BYTES_MAX: usize = 700;

fn statements<'a>(turn: usize, said: &Turn<'a>, policy: &ProbePolicy) -> Vec<ProbedSentence<'a>> {
    let text = &said.text[..said.text.floor_char_boundary(policy.turn_bytes_max)];
    let units = match said.speaker {
        Speaker::User => speech::own_units(text),
        Speaker::Assistant | Speaker::Tool => speech::units(text),
    };
    units
        .into_iter()
        .take(policy.sentences_max)
        .filter(|unit| unit.span.len() <= SENTENCE_BYTES_MAX)
        .map(|unit| {
            let sentence = &text[unit.span.clone()];
            let mut lead = words(sentence);
            let mut rest = lead.split_off(content::courtesies(&lead));
            while rest.last().is_some_and(|word| word.is("thanks thx please man dude lol ok okay"))
            {
                rest.pop();
            }
            lead.extend(rest.split_off(content::farewell(&rest)));
            ProbedSentence {
                turn,
                text: sentence,
                span: unit.span,
                own: text,
                words: rest,
                lead,
                place: unit.place,
                guard: unit.guard,
            }
        })
        .collect()
}

/// Whether a person repeats what the agent or a tool has just written.
fn is_echo(it: &ProbedSentence<'_>, context: &[Turn<'_>]) -> bool {
    const TURNS: usize = 6;
    const WORDS_MIN: usize = 6;
    if it.words.len() < WORDS_MIN {
        return false;
    }
    let line = it.text.trim_end_matches(['.', ':', '!']);
    let others = context.iter().rev().filter(|said| said.speaker != Speaker::User).take(TURNS);
    others.into_iter().any(|said| said.text.contains(line))
}

/// A sentence as it would be kept: without courtesies around it and the full stop at its end.
pub fn as_kept(sentence: &str) -> String {
    ProbedSentence::alone(sentence).said().unwrap_or_default()
}

impl<'a> ProbedSentence<'a> {
    /// A sentence by itself.
    fn alone(text: &'a str) -> Self {
        const LONG: usize = 400;
        let text = &text[..text.floor_char_boundary(LONG)];
        let lead = words(text);
        let skip = content::courtesies(&lead);
        let (lead, words) = lead.split_at(skip);
        ProbedSentence {
            turn: 0,
            text,
            span: 0..text.len(),
            own: text,
            words: words.to_vec(),
            lead: lead.to_vec(),
            place: SentencePlace::Text,
            guard: None,
        }
    }

    /// The sentence as it was said, without courtesies around it and the full stop at its end.
    fn said(&self) -> Option<String> {
        let (first, last) = (self.words.first()?, self.words.last()?);
        let opens = self.lead.iter().any(|word| word.span.start < first.span.start);
        let closes = self.lead.iter().any(|word| word.span.start > last.span.end);
        let start = if opens { first.span.start } else { 0 };
        let end = if closes || self.is_thanked() { last.span.end } else { self.text.len() };
        let said = content::plain(&self.text[start..end]);
        let said = said.trim_end_matches(['.', ',', '?', ' ']);
        let cut = said.ends_with("etc") || self.text.ends_with("..");
        Some(if cut { content::plain(&self.text[start..end]) } else { said.to_owned() })
    }

    /// Whether it may not be taken at its word.
    fn guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Whether courtesies at its end were passed over.
    fn is_thanked(&self) -> bool {
        let rest = self.words.last().map_or("", |word| &self.text[word.span.end..]);
        rest.contains(char::is_alphanumeric)
    }

    /// A claim that the sentence makes, where these of its words say it and can stand alone.
    fn claim(&self, kind: Kind, words: Range<usize>, confidence: f64) -> Option<Remember> {
        let words = &self.words[words];
        if content::dangles(words) {
            return None;
        }
        Some(Remember {
            kind,
            content: self.said()?,
            label: None,
            domain: None,
            slot: None,
            because: content::reasons(self.text, &self.words),
            triggers: Vec::new(),
            entities: name::named(words),
            confidence,
            quote: Some(self.text.to_owned()),
            turn: Some(self.turn),
        })
    }

    /// A claim made of all its words.
    fn whole(&self, kind: Kind, confidence: f64) -> Option<Remember> {
        self.claim(kind, 0..self.words.len(), confidence)
    }

    /// Some of its words, as they stand there.
    fn phrase(&self, words: Range<usize>) -> Option<String> {
        content::render(self.text, self.words.get(words)?)
    }
}

/// What was found so far.
struct PatchSoFar<'a> {
    policy: &'a ProbePolicy,
    operations: Vec<Operation>,
    /// What became of the pieces that a reader made.
    fates: Vec<Fated>,
}

impl<'a> PatchSoFar<'a> {
    fn new(policy: &'a ProbePolicy) -> Self {
        Self { policy, operations: Vec::new(), fates: Vec::new() }
    }

    fn extend(&mut self, operations: impl IntoIterator<Item = Operation>) {
        for operation in operations {
            let full = self.operations.len() >= self.policy.operations_max;
            if !full && self.fits(&operation) {
                self.push(operation);
            }
        }
    }

    /// Drops a failure that was found a moment ago: the command works by now.
    fn settle(&mut self, failed: &str) {
        self.operations.retain(|one| match one {
            Operation::Remember(it) => it.content != failed,
            Operation::Correct(_)
            | Operation::Retract(_)
            | Operation::Archive(_)
            | Operation::Know { .. }
            | Operation::Relate(_)
            | Operation::Settle(_)
            | Operation::Summarize(_)
            | Operation::Artifact(_) => true,
        });
    }

    /// Takes in what is to be kept however short or long it is.
    fn push(&mut self, operation: Operation) {
        let full = self.operations.len() >= self.policy.operations_max;
        if !full && operation.check().is_ok() && !self.operations.contains(&operation) {
            self.operations.push(operation);
        }
    }

    fn fits(&self, operation: &Operation) -> bool {
        let sized = |said: &str| {
            let range = self.policy.content_chars_min..=self.policy.content_chars_max;
            range.contains(&said.chars().count())
        };
        // Nothing else that is found has words of its own to be too short or too long.
        let plain = if let Operation::Remember(it) = operation {
            // A structured claim says enough however short it is.
            it.confidence >= self.policy.confidence_min
                && (sized(&it.content) || it.slot.is_some() && it.content.len() <= 100)
                && !self.knows(&it.content)
        } else {
            true
        };
        plain && operation.check().is_ok()
    }

    fn knows(&self, content: &str) -> bool {
        let content = text::normalise(content);
        self.operations.iter().any(|one| match one {
            Operation::Remember(it) => text::normalise(&it.content) == content,
            Operation::Correct(_)
            | Operation::Retract(_)
            | Operation::Archive(_)
            | Operation::Know { .. }
            | Operation::Relate(_)
            | Operation::Settle(_)
            | Operation::Summarize(_)
            | Operation::Artifact(_) => false,
        })
    }
}
