//! A word that no sentence has, near a keyword: `the box opens up if you say …`, `sudo? that was …, I think`.
//!
//! No link leads to it, so that its form must leave no doubt: small and large letters, digits, and a sign among them
//! that neither names nor code join words with.

use super::prose::is_prose;
use super::word::{CLOSING, OPENING, REACH};
use super::{RULE, Told, is_whole};
use crate::scan::Span;
use crate::typed::is_typed_firmly;
use crate::value::{is_placeholder, is_reference, is_word_like};
use crate::words;

/// Signs that people put into passwords and that join no names.
pub(super) const SIGNS: &[u8] = b"!$^&*~";

/// Finds such a word before or behind the keyword at `at..to`, on the same line.
pub(super) fn find(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    let tells = match told {
        Told::English
        | Told::Latin
        | Told::Pin
        | Told::Login
        | Told::Pair
        | Told::Access
        | Told::Gets
        | Told::Lock
        | Told::Near => is_whole(text, at, to, told),
        Told::Joined
        | Told::JoinedPin
        | Told::Account
        | Told::Slash
        | Told::Typing
        | Told::Verb
        | Told::Key
        | Told::Seed
        | Told::Sent
        | Told::Code => false,
    };
    if !tells {
        return None;
    }
    let end = text.floor_char_boundary((to + REACH).min(text.len()));
    let behind = &text[to..end];
    let behind = &behind[..behind.find('\n').unwrap_or(behind.len())];
    let start = text.ceil_char_boundary(at.saturating_sub(REACH));
    let before = &text[start..at];
    let before = &before[before.rfind('\n').map_or(0, |place| place + 1)..];
    let first = |fits: fn(&str) -> bool| {
        let behind = first_in(text, to, behind, fits);
        behind.or_else(|| first_in(text, at - before.len(), before, fits))
    };
    first(is_unmistakable).or_else(|| {
        let line = &text[at - before.len()..to + behind.len()];
        is_prose(line).then(|| first(is_scrambled))?
    })
}

fn first_in(text: &str, from: usize, part: &str, fits: fn(&str) -> bool) -> Option<Span> {
    let mut at = from;
    for chunk in part.split(' ') {
        let start = at + chunk.len() - chunk.trim_start_matches(OPENING).len();
        at += chunk.len() + 1;
        let word = text[start..from.max(at - 1)].trim_end_matches(CLOSING);
        let word = word.trim_end_matches(['.', ',', ';', ':', '?', ')']);
        if fits(word) {
            return Some(Span { start, end: start + word.len(), rule: RULE });
        }
    }
    None
}

pub(super) fn is_unmistakable(word: &str) -> bool {
    const LENGTH: std::ops::RangeInclusive<usize> = 8..=64;
    let bytes = word.as_bytes();
    let has = |wanted: fn(&u8) -> bool| bytes.iter().any(wanted);
    let inner = bytes.windows(3).any(|three| {
        SIGNS.contains(&three[1]) && three[0].is_ascii_alphanumeric() && three[2].is_ascii_graphic()
    });
    // `hunter2Xk9!`: a sign at the end may be the sentence's, so that digits must stand apart, too.
    let ends = word.strip_suffix('!').is_some_and(|word| changes(word) >= 3);
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!@#$%^&*?~_+-.".contains(byte);
    LENGTH.contains(&word.len())
        && (inner || ends)
        && bytes.iter().all(plain)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && is_typed_firmly(word)
        && !is_placeholder(word)
        && !is_reference(word)
}

/// How often digits and other signs follow each other.
fn changes(word: &str) -> usize {
    let digit = |byte: &u8| byte.is_ascii_digit();
    word.as_bytes().windows(2).filter(|pair| digit(&pair[0]) != digit(&pair[1])).count()
}

/// `Qw7pLm2xZ`, `s3cr3t-Pa55`: letters of both sizes with digits strewn among them, and no words. Only in a sentence about
/// access: ids look the same.
fn is_scrambled(word: &str) -> bool {
    const LENGTH: std::ops::RangeInclusive<usize> = 8..=64;
    let bytes = word.as_bytes();
    let has = |wanted: fn(&u8) -> bool| bytes.iter().any(wanted);
    let between = |three: &&[u8]| {
        three[1].is_ascii_digit()
            && three[0].is_ascii_alphabetic()
            && three[2].is_ascii_alphabetic()
    };
    let is_strewn = bytes.windows(3).filter(between).count() >= 2;
    LENGTH.contains(&word.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && is_strewn
        && changes(word) >= 3
        && !words::split(word).any(|part| part.len() >= 4 && is_word_like(part))
        && is_typed_firmly(word)
}
