//! A key that is sent along: `the api wants … in the header`, `calls signed with …`.
//!
//! A key in hexadecimal digits looks like any digest, so that three things must come together on one line: a
//! word for where keys are sent, a verb or a link right before the digits, and no word that says digest.

use super::word::{REACH, is_one_of, word_start};
use crate::scan::Span;

const RULE: &str = "token";
/// Digits of a key.
const DIGITS: std::ops::RangeInclusive<usize> = 32..=128;
/// What stands right before a key that is sent.
const LINKS: [&str; 22] = [
    "wants", "want", "needs", "need", "takes", "expects", "expect", "accepts", "requires", "send",
    "sends", "pass", "passes", "put", "use", "uses", "with", "is", "for", "add", "append", "as",
];
/// What says that the digits are no key.
const DIGESTS: [&str; 10] = [
    "commit",
    "sha",
    "digest",
    "checksum",
    "etag",
    "revision",
    "hash",
    "integrity",
    "trace",
    "blob",
];

/// Finds such a key on the line of the keyword at `at..to`.
pub(super) fn find(text: &str, at: usize, to: usize) -> Option<Span> {
    let start = text.ceil_char_boundary(at.saturating_sub(REACH));
    let before = &text[start..at];
    let start = start + before.rfind('\n').map_or(0, |place| place + 1);
    let end = text.floor_char_boundary((to + 2 * REACH).min(text.len()));
    let end = to + text[to..end].find('\n').unwrap_or(end - to);
    let line = text[start..end].to_ascii_lowercase();
    if DIGESTS.iter().any(|word| line.contains(word)) {
        return None;
    }
    let mut from = start;
    for word in text[start..end].split(' ') {
        let bare = word.trim_matches(['"', '\'', '`', ',', '.', ';', ')', '(']);
        let place = from + word.find(bare).unwrap_or(0);
        from += word.len() + 1;
        if is_key(bare) && is_linked(text, place) {
            return Some(Span { start: place, end: place + bare.len(), rule: RULE });
        }
    }
    None
}

fn is_key(word: &str) -> bool {
    DIGITS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !crate::value::is_mask(word)
}

/// Whether a verb or a link stands right before the word at `at`.
fn is_linked(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(['"', '\'', '`', ' ']);
    before.len() < at && is_one_of(&LINKS, &before[word_start(text, before.len())..])
}
