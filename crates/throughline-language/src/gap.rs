//! Gaps: what was asked and is not known, as a few plain words, and whether something said later answers it.
//!
//! A gap keeps no sentence of the prompt, because nobody has looked at it: only plain words, and few of them.

use std::collections::BTreeSet;

use throughline_core::words;

use crate::question::{AskKind, Question};
use crate::speech;

/// Words of a gap.
const WORDS: usize = 8;
/// Words longer than this may be anything, a secret among them.
const WORD_LETTERS: usize = 20;
/// What a gap says before its words.
const BEGINS: &str = "nothing known about: ";
/// The share of a gap's words that an answer holds, as a fraction.
const HELD: (usize, usize) = (3, 4);

/// The words of a prompt that a gap may keep.
pub fn words_of(query: &str) -> Vec<String> {
    let plain = |word: &&str| {
        word.chars().count() <= WORD_LETTERS
            && word.chars().all(char::is_alphabetic)
            && !words::terms(word).iter().all(|term| words::is_common(term))
    };
    query
        .split(|c: char| c.is_whitespace() || c.is_ascii_punctuation())
        .filter(|word| !word.is_empty())
        .filter(plain)
        .take(WORDS)
        .map(str::to_lowercase)
        .collect()
}

/// A gap as it is kept.
pub fn content(about: &str) -> String {
    format!("{BEGINS}{about}")
}

/// What a gap is about, if a text is one.
pub fn about(content: &str) -> Option<&str> {
    content.strip_prefix(BEGINS)
}

/// Whether a question matters enough to note that nobody knows the answer: it speaks of past work, asks for
/// somebody, or for what only those who work here can know.
pub fn matters(query: &str, question: &Question) -> bool {
    if question.small_talk {
        return false;
    }
    if question.recalls {
        return true;
    }
    let said: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    // What should be done is not known because nobody has decided it.
    if said.iter().any(|word| matches!(*word, "should" | "could" | "can" | "would" | "shall")) {
        return false;
    }
    let ours = said.iter().any(|word| matches!(*word, "our" | "ours" | "us"))
        || said.windows(2).any(|pair| {
            matches!(pair[0], "do" | "did" | "are" | "have" | "had" | "were") && pair[1] == "we"
        });
    match question.ask {
        AskKind::Who => !said.iter().any(|word| matches!(*word, "you" | "i" | "am")),
        AskKind::Why | AskKind::What | AskKind::Which | AskKind::Where | AskKind::When => ours,
        AskKind::HowMany | AskKind::HowLong => ours,
        AskKind::How | AskKind::YesNo | AskKind::Order | AskKind::Summary | AskKind::Statement => {
            false
        }
    }
}

/// Whether a claim answers a gap: it holds most of its words, and says something besides.
pub fn is_answered_by(gap: &str, claim: &str) -> bool {
    let Some(wanted) = about(gap).map(terms) else { return false };
    let said = terms(claim);
    let held = wanted.intersection(&said).count();
    !wanted.is_empty()
        && held >= enough(wanted.len())
        && said.difference(&wanted).next().is_some()
        && !claim.trim_end().ends_with('?')
}

/// The sentence of a turn that answers a gap, if one does.
pub fn answer_in<'a>(gap: &str, turn: &'a str) -> Option<&'a str> {
    let said = speech::sentences(turn);
    let plain = said.iter().filter(|one| one.guard.is_none());
    plain.map(|one| one.text.trim()).find(|text| is_answered_by(gap, text))
}

/// How many of some words an answer must hold.
fn enough(words: usize) -> usize {
    (words * HELD.0).div_ceil(HELD.1)
}

/// The telling terms of a text.
fn terms(text: &str) -> BTreeSet<String> {
    words::terms(text).into_iter().filter(|term| !words::is_common(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question;
    use throughline_core::Timestamp;

    fn asked(query: &str) -> bool {
        matters(query, &question::understand(query, Timestamp::EPOCH))
    }

    #[test]
    fn what_only_those_who_work_here_can_know_matters() {
        for query in [
            "what did we decide about the cache eviction policy?",
            "who owns the payments gateway?",
            "why do we pin the intermediate certificate?",
            "what is our retention policy for logs?",
            "which region do we deploy to?",
        ] {
            assert!(asked(query), "{query}");
        }
    }

    #[test]
    fn orders_small_talk_and_the_future_leave_no_gap() {
        for query in [
            "thanks!",
            "write a haiku about the sea",
            "why does this test fail?",
            "how do I sort a vector in Rust?",
            "what should we do about the cache?",
            "who are you?",
            "which port does the server listen on?",
        ] {
            assert!(!asked(query), "{query}");
        }
    }

    #[test]
    fn an_answer_holds_the_words_and_says_more() {
        let gap = content(&words_of("which port does our metrics exporter use?").join(" "));
        assert!(is_answered_by(&gap, "The metrics exporter uses port 9187."));
        assert!(!is_answered_by(&gap, "The metrics exporter is written in Go."));
        assert!(!is_answered_by(&gap, "Which port does the metrics exporter use?"));
        assert!(!is_answered_by(&gap, "metrics exporter port use"));
        assert!(!is_answered_by("The metrics exporter is new", "The metrics exporter uses 9187"));
    }

    #[test]
    fn the_sentence_that_answers_is_found_in_a_turn() {
        let gap = content("retention policy logs");
        let turn = "I looked around. The retention policy for logs is 30 days. Shall I go on?";
        assert_eq!(answer_in(&gap, turn), Some("The retention policy for logs is 30 days."));
        assert_eq!(answer_in(&gap, "I found nothing."), None);
    }
}
