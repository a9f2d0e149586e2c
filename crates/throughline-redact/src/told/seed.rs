//! The words that restore a wallet: `the seed is …`, `recovery words: …`.
//!
//! Such a list has 12 to 24 words of three to eight small letters. A sentence of that length has a word of
//! two letters, a sign or an article in it, which no such list has.

use super::RULE;
use super::word::REACH;
use crate::scan::Span;
use crate::words::is_in;

/// Words that a list has at least, and that are read of one.
const LEAST: usize = 12;
const MOST: usize = 26;
/// Letters of a word.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=8;
/// Words of sentences that no such list has.
const SENTENCE: &str = "the and for are was were from with not but has had its our his been into";

/// Finds such words behind the keyword that ends at `to`.
pub(super) fn find(text: &str, to: usize) -> Option<Span> {
    let mut run: Option<(usize, usize, usize)> = None;
    let mut at = to;
    loop {
        let rest = &text[at..];
        let start = at + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', ',']).len();
        let end = start
            + text[start..]
                .find(|letter: char| !letter.is_ascii_alphabetic())
                .unwrap_or(text.len() - start);
        let word = &text[start..end];
        let next = text[end..].chars().next();
        let is_listed = is_word(word) && next.is_none_or(|next| " \t\n\r,.;)\"'`".contains(next));
        if is_listed {
            let (first, count) = run.map_or((start, 0), |(first, _, count)| (first, count));
            run = Some((first, end, count + 1));
        }
        let is_over = !is_listed || !next.is_some_and(|next| " \t\n\r,".contains(next));
        let full = run.is_some_and(|(_, _, count)| count >= MOST);
        if is_over || full {
            if let Some((start, end, _)) = run.filter(|(_, _, count)| *count >= LEAST) {
                return Some(Span { start, end, rule: RULE });
            }
            run = None;
        }
        at = end + next.map_or(0, char::len_utf8);
        if next.is_none() || run.is_none() && at > to + REACH {
            return None;
        }
    }
}

fn is_word(word: &str) -> bool {
    LETTERS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_in(SENTENCE, word)
}
