//! Words that no sentence has, in the middle of a sentence: `jenkins? bob with …`.
//!
//! Here no word around it says that a secret follows. So the line must be a sentence and no code, and the word
//! must have small and large letters, digits and a sign that joins no names.

use super::RULE;
use super::near::{SIGNS, is_unmistakable};
use crate::scan::Span;
use crate::text::{MARK, line_start};
use crate::value::is_word_like;

/// A longer line is data.
const LINE_BYTES: usize = 600;
/// Plain words that a sentence has.
const WORDS: usize = 3;

/// Hands over every such word of `text[from..to]`.
pub(crate) fn find_all(text: &str, from: usize, to: usize, keep: &mut dyn FnMut(Span)) {
    let bytes = text.as_bytes();
    // The line that was looked at last, by where it ends, and whether it is a sentence.
    let (mut line_to, mut is_sentence) = (from, false);
    let mut taken = from;
    for at in from.max(1)..to {
        let is_inner = SIGNS.contains(&bytes[at]) && bytes[at - 1].is_ascii_alphanumeric();
        if !is_inner || at < taken {
            continue;
        }
        if at >= line_to {
            let rest = &bytes[at..];
            line_to = at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            is_sentence = is_sentence_at(text, at, line_to);
        }
        if is_sentence {
            let (start, end) = word_around(bytes, at);
            taken = end;
            let word = &text[start..end];
            if is_unmistakable(word) && !is_class(word) {
                keep(Span { start, end, rule: RULE });
            }
        }
    }
}

fn is_sentence_at(text: &str, at: usize, end: usize) -> bool {
    let start = line_start(text.as_bytes(), at);
    let is_whole = start == 0 || text.as_bytes()[start - 1] == b'\n';
    is_whole && end - start <= LINE_BYTES && is_prose(&text[start..end])
}

/// `Outer$1Inner2`: a class within a class.
fn is_class(word: &str) -> bool {
    let has_other = word.bytes().any(|byte| byte != b'$' && SIGNS.contains(&byte));
    !has_other && is_word_like(word)
}

/// The word around a place, without the signs of the sentence behind it.
fn word_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !b"\"'`,;:()".contains(byte);
    let start = bytes[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |place| place + 1);
    let end = at + bytes[at..].iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len() - at);
    let word = &bytes[start..end];
    let kept = word.iter().rposition(|byte| !b".?".contains(byte)).map_or(0, |last| last + 1);
    (start, start + kept)
}

/// Whether a line is a sentence: words with blanks between them, and none of the signs of code.
pub(super) fn is_prose(line: &str) -> bool {
    // A mark of ours is no code.
    let brackets: &[u8] = if line.contains(MARK) { b"" } else { b"[]" };
    let is_sign = |byte: u8| b"{}()<>=|\\;".contains(&byte) || brackets.contains(&byte);
    let is_code = line.bytes().any(is_sign) || line.contains("::");
    let is_word = |word: &&str| {
        let word = word.trim_end_matches(['.', ',', '?', '!', ':']);
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'')
    };
    !is_code && line.split(' ').filter(is_word).take(WORDS).count() == WORDS
}
