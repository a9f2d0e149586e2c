//! Scripts that put no blanks between words, where a value stands out by its letters.

use super::word::{CLOSING, Fit, is_joined, value, word_start};
use super::{RULE, Told};
use crate::scan::Span;

/// The value behind a noun in a script that joins its words, where a value stands out by its letters.
pub(super) fn after(text: &str, to: usize, told: Told) -> Option<Span> {
    const LETTERS_MAX: usize = 12;
    let mut at = to;
    for letter in text[to..].chars().take(LETTERS_MAX) {
        if "。！？\n".contains(letter) || !(is_joined(letter) || " :=*\"'`“”".contains(letter))
        {
            break;
        }
        at += letter.len_utf8();
    }
    let between = &text[to..at];
    // Another noun, and where the password lies.
    if between.starts_with(['学', '學']) || between.contains('在') {
        return None;
    }
    let span = value(text, at, told, Fit::Likely)?;
    let lies = ["にあ", "に保"].iter().any(|link| text[span.end..].starts_with(link));
    (!lies).then_some(span)
}

/// The value before such a noun: `…をパスワードに`, `用…作为密码`.
pub(super) fn before(text: &str, at: usize) -> Option<Span> {
    const LINKS: [char; 7] = ['を', 'と', '作', '当', '當', '设', '設'];
    let before = &text[..at];
    let is_between = |letter: &char| is_joined(*letter) || *letter == ' ';
    let letters = before.chars().rev().take(8).take_while(is_between);
    let end = at - letters.map(char::len_utf8).sum::<usize>();
    let between = before[end..].trim_start();
    if between.contains('的') || !between.starts_with(LINKS) {
        return None;
    }
    let inner = before[..end].trim_end_matches(CLOSING);
    let start = word_start(text, inner.len());
    Fit::Likely.accepts(&inner[start..]).then_some(Span { start, end: inner.len(), rule: RULE })
}
