//! Speech: a turn taken apart into what its speaker says in their own voice.
//!
//! Code, quotations and what machines printed are cut out; what is left are sentences, each with
//! what keeps it from being taken at its word.

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
    /// It takes itself back: "no wait, it is fine", "never mind".
    SelfResolving,
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
pub fn sentences(turn: &str) -> Vec<Sentence<'_>> {
    turn.split(['.', '\n'])
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| Sentence { text, guard: None })
        .collect()
}
