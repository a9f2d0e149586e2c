//! The probe of rules: reads turns and writes down what will still matter in later sessions.
//!
//! Rather nothing than something wrong: a sentence must carry a cue, be in its speaker's own voice,
//! and make sense without the conversation. Orders for the task at hand, questions and what somebody
//! else says are left alone. What a claim is worth is not decided here: the confidence says how
//! plainly it was said, the authority is the caller's.
//!
//! Content is the speaker's own sentence, whole and in their words: who "I" is says the authority, and
//! a reason stays with what it is the reason of. Two things are put together from what the agent said:
//! an option or a proposal that a person takes, and a short answer that gives another value.

mod asked;
mod assent;
mod change;
mod content;
mod correction;
mod decision;
mod fact;
mod failure;
mod fate;
mod finding;
mod future;
pub(crate) mod measure;
pub(crate) mod name;
mod need;
mod procedure;
mod ran;
mod read;
mod rule;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use asked::is_asked;
pub(crate) use change::is_said as is_change;
pub use change::{as_kept, gives_reason, what_holds};
pub(crate) use correction::forgets;
pub use failure::tells_why;
pub use fate::{Fate, Fated, is_unsure, share};
pub use read::{
    is_kept, likeliest_change, matters_at_once, may_change, needs_before, piece_of, piece_with,
};

use crate::event::ToolRun;
use crate::patch::{Correct, Operation, Patch, Remember, Retract};
use crate::reading::Piece;
use crate::speech::word::{Word, words};
use crate::speech::{self, Guard, Place};
use crate::{Kind, Slot, text};

closed_set! {
    /// Who speaks in a turn.
    pub enum Voice ("voice") {
        /// A person.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

/// One turn.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// Who speaks.
    pub speaker: Voice,
    /// In which words.
    pub text: &'a str,
    /// The tool that ran, where one did.
    pub run: Option<&'a ToolRun>,
    /// Its pieces, where a reader has read it.
    pub pieces: Option<&'a [Piece]>,
}

/// What sort of claim a text makes, by its form; `None` where it has none that tells.
pub fn kind_of(text: &str) -> Option<Kind> {
    let said = Said { speaker: Voice::User, text, run: None, pieces: None };
    let policy = ProbePolicy { content_chars_min: 0, ..ProbePolicy::default() };
    let patch = probe(&[said], &policy);
    let mut kinds = patch.operations.iter().filter_map(|one| match one {
        Operation::Remember(it) => Some(it.kind),
        Operation::Correct(_) => Some(Kind::Fact),
        Operation::Retract(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Archive(_) => None,
    });
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

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
            content_chars_min: 15,
            content_chars_max: 400,
            confidence_min: 0.4,
            operations_max: 64,
        }
    }
}

/// What is worth keeping of these turns, oldest first; each is read in the light of those before it.
pub fn probe(turns: &[Said<'_>], policy: &ProbePolicy) -> Patch {
    probe_since(turns, 0, policy)
}

/// What is worth keeping of the turns from `first` on. Those before it are only context.
pub fn probe_since(turns: &[Said<'_>], first: usize, policy: &ProbePolicy) -> Patch {
    probe_telling(turns, first, policy).0
}

/// The same, and what becomes of each piece of the turns that a reader has read.
pub fn probe_telling(
    turns: &[Said<'_>],
    first: usize,
    policy: &ProbePolicy,
) -> (Patch, Vec<Fated>) {
    let mut found = Found::new(policy);
    for (turn, said) in turns.iter().enumerate().skip(first) {
        let context = &turns[..turn];
        match (said.speaker, said.run) {
            (Voice::User, _) => match said.pieces {
                Some(pieces) => read::user_read(turn, said, pieces, context, &mut found),
                None => user(turn, said, context, &mut found),
            },
            (Voice::Assistant, _) => {
                let last = turns.get(turn + 1).is_none_or(|next| next.speaker == Voice::User);
                assistant(turn, said, last, &mut found);
            }
            (Voice::Tool, Some(run)) => {
                found.extend(measure::of_run(turn, run));
                ran::of_run(turn, run, context, &mut found);
            }
            (Voice::Tool, None) => {}
        }
    }
    (Patch { operations: found.operations, ..Patch::default() }, found.fates)
}

fn user(turn: usize, said: &Said<'_>, context: &[Said<'_>], found: &mut Found<'_>) {
    let statements = statements(turn, said, found.policy);
    // What is longer than people write was pasted; there, only plain cues count.
    let own = said.text.len() <= OWN_BYTES_MAX;
    let mut done: Range<usize> = 0..0;
    for (at, it) in statements.iter().enumerate() {
        if done.contains(&at) {
            continue;
        }
        if let Some((operation, count)) = asked::find(&statements[at..]) {
            done = at..at + count;
            found.push_asked(operation);
            continue;
        }
        correction::forget_exactly(it).into_iter().for_each(|one| found.push_asked(one));
        if is_echo(it, context) {
            continue;
        }
        if let Some((operation, count)) = procedure::find(&statements[at..]) {
            done = at..at + count;
            found.extend([operation]);
            continue;
        }
        if it.guarded() {
            let open = it.text.contains('?');
            let chosen = if open { None } else { decision::option(it, context) };
            found.extend(chosen.map(Operation::Remember).or_else(|| assent::with(it, context)));
            continue;
        }
        found.extend(name::known(it));
        let (before, after) = (&statements[..at], &statements[at + 1..]);
        let one = change::find(it, before, after, context)
            .map(|one| reasoned(one, it, context))
            .or_else(|| correction::find(it, context))
            .or_else(|| rule::find(it))
            .or_else(|| decision::find(it, context))
            .or_else(|| future::commitment(it))
            .or_else(|| failure::said(it))
            .or_else(|| measure::said(it))
            .or_else(|| change::lately(it, after).filter(|_| !fact::has_own_verb(it)))
            .or_else(|| fact::find(it))
            .or_else(|| future::event(it))
            .or_else(|| assent::with(it, context))
            .or_else(|| rule::made_sure(it))
            .or_else(|| {
                // "Some background: …", "decided, …".
                let inner = change::unprefaced(it)?;
                rule::find(&inner)
                    .or_else(|| decision::find(&inner, context))
                    .or_else(|| fact::find(&inner))
            })
            .or_else(|| need::find(it).filter(|_| own));
        found.extend(one);
        found.extend(name::related(it));
    }
}

/// A change that was decided for a reason is kept as the decision that it is, with its reason.
fn reasoned(change: Operation, it: &Statement<'_>, context: &[Said<'_>]) -> Operation {
    let (Operation::Correct(right), Some(Operation::Remember(decided))) =
        (&change, decision::find(it, context))
    else {
        return change;
    };
    if decided.kind != Kind::Decision || decided.because.is_empty() {
        return change;
    }
    let Remember { kind, content, because, .. } = decided;
    Operation::Correct(Correct { kind, right: content, because, ..right.clone() })
}

/// What the agent says: `last` where it is its answer, rather than something between two tools.
fn assistant(turn: usize, said: &Said<'_>, last: bool, found: &mut Found<'_>) {
    let statements = statements(turn, said, found.policy);
    for it in statements.iter().filter(|it| !it.guarded()) {
        let one = failure::said(it).or_else(|| measure::said(it)).or_else(|| decision::agreed(it));
        found.extend(one);
    }
    found.extend(finding::of(&statements, last));
}

/// One sentence, ready to be looked at.
#[derive(Debug, Clone)]
struct Statement<'a> {
    /// The turn it stands in.
    turn: usize,
    speaker: Voice,
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
    place: Place,
    /// Why it may not be taken at its word, if so.
    guard: Option<Guard>,
}

/// Turns longer than this are mostly not in their speaker's own words.
const OWN_BYTES_MAX: usize = 4_000;

/// Longer sentences are looked at as one that says nothing.
const SENTENCE_BYTES_MAX: usize = 700;

fn statements<'a>(turn: usize, said: &Said<'a>, policy: &ProbePolicy) -> Vec<Statement<'a>> {
    let text = &said.text[..said.text.floor_char_boundary(policy.turn_bytes_max)];
    let units = match said.speaker {
        Voice::User => speech::own_units(text),
        Voice::Assistant | Voice::Tool => speech::units(text),
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
            Statement {
                turn,
                speaker: said.speaker,
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
fn is_echo(it: &Statement<'_>, context: &[Said<'_>]) -> bool {
    const TURNS: usize = 6;
    const WORDS_MIN: usize = 6;
    if it.words.len() < WORDS_MIN {
        return false;
    }
    let line = it.text.trim_end_matches(['.', ':', '!']);
    let others = context.iter().rev().filter(|said| said.speaker != Voice::User).take(TURNS);
    others.into_iter().any(|said| said.text.contains(line))
}

impl<'a> Statement<'a> {
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

    fn correct(
        &self,
        wrong: String,
        right: String,
        kind: Kind,
        confidence: f64,
        slot: Option<Slot>,
    ) -> Operation {
        Operation::Correct(Correct {
            wrong,
            right,
            kind,
            slot,
            because: content::reasons(self.text, &self.words),
            confidence,
            quote: Some(self.text.to_owned()),
            turn: Some(self.turn),
        })
    }

    fn retract(&self, what: String, confidence: f64) -> Operation {
        let quote = Some(self.text.to_owned());
        let turn = Some(self.turn);
        Operation::Retract(Retract { what, confidence, quote, turn, exact: false })
    }
}

/// What was found so far.
struct Found<'a> {
    policy: &'a ProbePolicy,
    operations: Vec<Operation>,
    /// Which of them were asked for in so many words.
    asked: Vec<usize>,
    /// What became of the pieces that a reader made.
    fates: Vec<Fated>,
}

impl<'a> Found<'a> {
    fn new(policy: &'a ProbePolicy) -> Self {
        Self { policy, operations: Vec::new(), asked: Vec::new(), fates: Vec::new() }
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
            | Operation::Settle(_) => true,
        });
    }

    /// Takes in what somebody asks for in so many words.
    fn push_asked(&mut self, operation: Operation) {
        let at = self.operations.len();
        self.push(operation);
        self.asked.extend(at..self.operations.len());
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
        let plain = match operation {
            Operation::Remember(it) => {
                // A structured claim says enough however short it is.
                it.confidence >= self.policy.confidence_min
                    && (sized(&it.content) || it.slot.is_some() && it.content.len() <= 100)
                    && !self.knows(&it.content)
            }
            Operation::Correct(it) => {
                let short = it.slot.is_some() || it.kind != Kind::Fact;
                let fits = sized(&it.right) || short && it.right.len() <= 100;
                it.confidence >= self.policy.confidence_min && fits
            }
            Operation::Retract(it) | Operation::Archive(it) => {
                it.confidence >= self.policy.confidence_min
            }
            Operation::Know { .. } | Operation::Relate(_) | Operation::Settle(_) => true,
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
            | Operation::Settle(_) => false,
        })
    }
}

/// Puts a slot into a claim.
fn with_slot(mut claim: Remember, slot: Option<Slot>) -> Operation {
    claim.slot = slot;
    Operation::Remember(claim)
}
