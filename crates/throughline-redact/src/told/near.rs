//! A word that no sentence has, near a keyword: `the box opens up if you say …`, `sudo? that was …, I think`.
//!
//! No link leads to it, so that its form must leave no doubt: small and large letters, digits, and a sign among them
//! that neither names nor code join words with.

use super::word::{CLOSING, OPENING, REACH};
use super::{RULE, Told, is_whole};
use crate::scan::Span;
use crate::typed::is_typed_firmly;
use crate::value::{is_placeholder, is_reference};

/// Signs that people put into passwords and that join no names.
const SIGNS: &[u8] = b"!$^&*~";

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
        | Told::Lock => is_whole(text, at, to, told),
        Told::Joined
        | Told::JoinedPin
        | Told::Account
        | Told::Slash
        | Told::Typing
        | Told::Verb
        | Told::Key
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
    first_in(text, to, behind).or_else(|| first_in(text, at - before.len(), before))
}

fn first_in(text: &str, from: usize, part: &str) -> Option<Span> {
    let mut at = from;
    for chunk in part.split(' ') {
        let start = at + chunk.len() - chunk.trim_start_matches(OPENING).len();
        at += chunk.len() + 1;
        let word = text[start..from.max(at - 1)].trim_end_matches(CLOSING);
        let word = word.trim_end_matches(['.', ',', ';', ':', '?', ')']);
        if is_unmistakable(word) {
            return Some(Span { start, end: start + word.len(), rule: RULE });
        }
    }
    None
}

fn is_unmistakable(word: &str) -> bool {
    const LENGTH: std::ops::RangeInclusive<usize> = 8..=64;
    let bytes = word.as_bytes();
    let has = |wanted: fn(&u8) -> bool| bytes.iter().any(wanted);
    let inner = bytes.windows(3).any(|three| {
        SIGNS.contains(&three[1]) && three[0].is_ascii_alphanumeric() && three[2].is_ascii_graphic()
    });
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!@#$%^&*?~_+-.".contains(byte);
    LENGTH.contains(&word.len())
        && inner
        && bytes.iter().all(plain)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && is_typed_firmly(word)
        && !is_placeholder(word)
        && !is_reference(word)
}
