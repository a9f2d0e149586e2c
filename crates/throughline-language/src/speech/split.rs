//! Running text cut into sentences: the one place that decides where a sentence ends.
//!
//! A statement is kept as it was said, so a cut in the wrong place is worse than none: a mark inside
//! a word that looks like code, a counted step and a clause that only limits the sentence before it
//! end nothing.

use std::ops::Range;

use super::cue::{cues, starts};
use super::word::words;

/// The sentences of a stretch of running text, trimmed, none empty.
pub(super) fn sentences(turn: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let text = &turn[span.clone()];
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut steps = CountedSteps::default();
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if let Some(close) = closing(text, at, c) {
            let inside = &text[next..close];
            at = close + text[close..].chars().next().map_or(1, char::len_utf8);
            if inside.ends_with(['.', '!', '?']) && c != '`' && large_follows(&text[at..]) {
                push(text, start..at, &mut found);
                start = at;
            }
            continue;
        }
        at = next;
        let wide = matches!(c, '。' | '？' | '！');
        let counts = matches!(c, '.' | ')') && steps.counts(text, start, at);
        let ended = matches!(c, '.' | '!' | '?' | '…') && !counts && ends(text, start, at);
        if wide || ended && !steps.go_on(&text[at..]) {
            at += text[at..].len() - text[at..].trim_start_matches(CLOSERS).len();
            push(text, start..at, &mut found);
            start = at;
        }
    }
    push(text, start..text.len(), &mut found);
    found.into_iter().map(|one| span.start + one.start..span.start + one.end).collect()
}

const CLOSERS: &[char] = &['.', '!', '?', '…', ')', ']', '"', '\'', '”', '’', '»', '*', '_', '`'];

/// Quotations longer than this are no quotations: a mark was left open.
const QUOTED_BYTES_MAX: usize = 400;

/// Where what opens here closes again, if it is code or a quotation.
fn closing(text: &str, at: usize, c: char) -> Option<usize> {
    let close = match c {
        '`' => '`',
        '"' => '"',
        '“' => '”',
        _ => return None,
    };
    let inside = at + c.len_utf8();
    let end = text.floor_char_boundary(inside + QUOTED_BYTES_MAX);
    text[inside..end].find(close).map(|place| inside + place)
}

fn large_follows(rest: &str) -> bool {
    let gap = rest.starts_with(char::is_whitespace);
    gap && rest.trim_start().chars().next().is_some_and(char::is_uppercase)
}

/// Steps counted within a line: "The release is: 1. bump the version 2. tag it".
#[derive(Default)]
struct CountedSteps {
    /// The number that the next step would have; 0 where nothing is counted.
    next: u32,
}

impl CountedSteps {
    /// Whether the full stop before `at` belongs to the number of a step.
    fn counts(&mut self, text: &str, start: usize, at: usize) -> bool {
        let said = &text[start..at - 1];
        let token = last_token(said);
        let Ok(number) = token.parse::<u32>() else { return false };
        let lead = said[..said.len() - token.len()].trim_end();
        let opens = lead.is_empty() || lead.ends_with([':', '—', '(']);
        let counted = opens && number <= 1 || self.next > 0 && number == self.next;
        // A number alone at the beginning counts whatever it is.
        let alone = lead.is_empty();
        if counted {
            self.next = number + 1;
        }
        (counted || alone) && text[at..].starts_with(char::is_whitespace)
    }

    /// Whether what follows is the next step.
    fn go_on(&self, rest: &str) -> bool {
        let rest = rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.next > 1
            && rest[..digits].parse() == Ok(self.next)
            && rest[digits..].starts_with(['.', ')'])
    }
}

/// Whether the mark before `at` ends a sentence.
fn ends(text: &str, start: usize, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(CLOSERS);
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let said = &text[start..at];
    let after = rest.trim_start().chars().next();
    if said.ends_with('!') {
        // `println!` is a word: whoever goes on in small letters goes on with the sentence.
        return !after.is_some_and(|c| c.is_lowercase() || matches!(c, '(' | '/' | '&' | '+'));
    }
    if said.ends_with('?') {
        return true;
    }
    if said.ends_with("..") || said.ends_with('…') || text[at..].starts_with('.') {
        return !after.is_some_and(char::is_lowercase);
    }
    let token = last_token(&said[..said.len() - 1]);
    if token.eq_ignore_ascii_case("etc") {
        return after.is_none_or(char::is_uppercase);
    }
    if token.eq_ignore_ascii_case("no") && after.is_some_and(|c| c.is_ascii_digit()) {
        return false;
    }
    let initial = token.len() == 1 && token.chars().all(|c| c.is_uppercase() && c != 'I');
    !(initial || ABBREVIATIONS.iter().any(|known| token.eq_ignore_ascii_case(known)))
}

/// The last word of a text, without brackets and quotation marks before it.
fn last_token(said: &str) -> &str {
    let token = said.rsplit(char::is_whitespace).next().unwrap_or_default();
    token.trim_start_matches(['(', '[', '"', '\''])
}

const ABBREVIATIONS: &[&str] = &[
    "e.g", "eg", "i.e", "ie", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "resp",
    "fig", "sec", "ver", "v", "jr", "sr", "al", "eq", "dept", "est", "incl", "excl", "a.k.a",
    "aka", "perf", "w.r.t", "nr", "pp", "ca",
];

/// Adds a sentence; one without a subject of its own stays with the one before it.
fn push(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let said = &text[span.clone()];
    let lead = said.len() - said.trim_start().len();
    let kept = said.trim();
    if !kept.chars().any(char::is_alphanumeric) {
        return;
    }
    let end = span.start + lead + kept.len();
    match found.last_mut() {
        Some(last) if only_limits(kept) && !text[last.clone()].ends_with('?') => last.end = end,
        _ => found.push(span.start + lead..end),
    }
}

/// Whether a sentence only limits or explains the one before it: "Never on a Friday.", "Except in
/// tests.", "Because it is slow."
fn only_limits(sentence: &str) -> bool {
    const LOOK_BYTES: usize = 60;
    const OPENERS: &[&str] =
        &["and", "but", "or", "never", "not", "only", "except", "unless", "because"];
    let first = sentence.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if !OPENERS.iter().any(|opener| first.eq_ignore_ascii_case(opener)) {
        return false;
    }
    let words = words(&sentence[..sentence.floor_char_boundary(LOOK_BYTES)]);
    starts(
        &words,
        cues!(
            "(and|but|or) never|not|only on|in|at|for|with|from|to|by|before|after|during|until|without|via, \
            except, unless, because"
        ),
    )
    .is_some_and(|end| words.len() > end)
        && !sentence.ends_with('?')
}
