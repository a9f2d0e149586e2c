//! Speech: a turn taken apart into what its speaker says in their own voice.
//!
//! Code, quotations and what machines printed are cut out; what is left are sentences, each with
//! what keeps it from being taken at its word.

mod block;
pub(crate) mod cue;
mod form;
mod guard;
mod machine;
mod shown;
mod source;
mod split;
mod tag;
mod telling;
#[cfg(test)]
mod tests;
mod verbatim;
pub(crate) mod word;

use std::ops::Range;

pub use guard::replaces_what_was_said;
use source::is_marked_paste;
pub(crate) use source::is_own;
pub use source::{Source, SourceSpan, spans};
pub use telling::{tells, told};
pub use verbatim::stands_in;

/// What keeps a sentence from being taken as something its speaker holds to be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// It asks.
    Question,
    /// It supposes: "if we", "suppose", "what if", "maybe", "could".
    Hypothetical,
    /// It tells what somebody else says: "my colleague thinks", "the docs say".
    ThirdParty,
    /// It repeats somebody's words.
    Quoted,
    /// It takes itself back or only declines: "no wait, it is fine", "never mind", "no, thanks".
    SelfResolving,
}

impl Guard {
    /// What keeps it, in plain words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Question => "it asks",
            Self::Hypothetical => "it supposes something",
            Self::ThirdParty => "it tells what somebody else says or does",
            Self::Quoted => "it repeats somebody's words",
            Self::SelfResolving => "it takes itself back",
        }
    }
}

/// One sentence in its speaker's own voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// Its words, without markers of lists and headings.
    pub text: &'a str,
    /// Why it may not be taken at its word, if so.
    pub guard: Option<Guard>,
}

/// The sentences of a turn in their order, without code, quotations and machine text.
///
/// Each is a slice of the turn. Code within a line stays as words of its sentence.
pub fn sentences(turn: &str) -> Vec<Sentence<'_>> {
    units(turn)
        .into_iter()
        .map(|unit| Sentence { text: &turn[unit.span], guard: unit.guard })
        .collect()
}

/// The sentences of a part of a person's turn that are in their own words: not what they pasted,
/// quoted or showed.
pub fn own_sentences(turn: &str, part: Range<usize>) -> Vec<Sentence<'_>> {
    let spans = spans(turn);
    let (start, text) = (part.start, &turn[part]);
    units(text)
        .into_iter()
        .filter(|unit| source::is_own(&spans, start + unit.span.start..start + unit.span.end))
        .map(|unit| Sentence { text: &text[unit.span], guard: unit.guard })
        .collect()
}

/// Whether words that stand in a person's turn are their own there.
pub fn is_own_words(turn: &str, words: &str) -> bool {
    let place = turn.find(words).map(|start| start..start + words.len());
    place.is_none_or(|place| source::is_own(&spans(turn), place))
}

/// Bytes of a name or a value between ticks.
const NAME_BYTES_MAX: usize = 60;

/// A person's turn without what they pasted or quoted.
pub fn own_words(turn: &str) -> String {
    // Names and values are often written as code.
    let is_name =
        |span: &SourceSpan| span.source == Source::Code && span.range.len() <= NAME_BYTES_MAX;
    let own = spans(turn).into_iter().filter(|it| it.source == Source::Own || is_name(it));
    let own: Vec<&str> = own.map(|span| turn[span.range].trim()).collect();
    own.join(" ")
}

/// The sentences of a person's turn in their own words, with their places.
pub(crate) fn own_units(turn: &str) -> Vec<Unit> {
    let spans = spans(turn);
    let mut units = units(turn);
    units.retain(|unit| source::is_own(&spans, unit.span.clone()));
    units
}

/// Where a sentence stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentencePlace {
    /// In running text.
    Text,
    /// In an item of a list.
    Item {
        /// Whether the list counts its items.
        numbered: bool,
    },
    /// A heading.
    Heading,
}

/// A sentence with its place in the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// Where it stands on the page.
    pub(crate) place: SentencePlace,
    /// Whether it is the first of its paragraph or item.
    pub(crate) first: bool,
    /// Why it may not be taken at its word, if so.
    pub(crate) guard: Option<Guard>,
}

/// The sentences of a turn with their places.
pub(crate) fn units(turn: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    for block in block::blocks(turn) {
        let spans = split::sentences(turn, block.span).into_iter();
        for (at, span) in spans.flat_map(|span| guard::apart(turn, span)).enumerate() {
            units.push(Unit { span, place: block.place, first: at == 0, guard: None });
        }
    }
    guard::set(turn, &mut units);
    units
}
