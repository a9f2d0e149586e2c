//! Contacts: e-mail addresses and telephone numbers of persons. They are taken out only where the user wants it:
//! whom to write to is often what a project needs to know.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::scan::Span;

/// Whether contacts are taken out, for the whole process.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Says whether contacts are taken out from here on, in the whole process. Set once, from the user's settings.
pub fn take_contacts(taken: bool) {
    TAKEN.store(taken, Ordering::Relaxed);
}

/// Finds every contact in `text[from..to]`, if they are to be taken out.
pub(crate) fn find_all(text: &str, from: usize, to: usize, keep: &mut impl FnMut(Span)) {
    if TAKEN.load(Ordering::Relaxed) {
        addresses(text, from, to, keep);
        telephones(text, from, to, keep);
    }
}

/// Names before the `@` that stand for a function and no person.
const ROLES: &[&str] = &[
    "git",
    "hg",
    "noreply",
    "no-reply",
    "root",
    "admin",
    "support",
    "info",
    "help",
    "security",
    "postmaster",
    "webmaster",
    "team",
    "contact",
    "hello",
    "sales",
    "ops",
    "abuse",
    "mailer-daemon",
];
/// Bytes of either half of an address.
const HALF_MAX: usize = 64;

fn addresses(text: &str, from: usize, to: usize, keep: &mut impl FnMut(Span)) {
    let bytes = text.as_bytes();
    let mut taken = from;
    for at in (from..to).filter(|at| bytes[*at] == b'@') {
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
        let before =
            bytes[taken..at].iter().rev().take(HALF_MAX).take_while(|byte| name(byte)).count();
        let host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
        let after = bytes[at + 1..].iter().take(HALF_MAX).take_while(|byte| host(byte)).count();
        let start = at - before;
        let domain = text[at + 1..at + 1 + after].trim_end_matches(['.', '-']);
        let end = at + 1 + domain.len();
        let told = domain.rsplit_once('.').is_some_and(|(first, top)| {
            !first.is_empty()
                && top.len() >= 2
                && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
        let who = text[start..at].to_ascii_lowercase();
        // `git@host:path` and `//user@host` say where something is.
        let path = bytes.get(end) == Some(&b':') || start > 0 && b"/:".contains(&bytes[start - 1]);
        if told && !who.is_empty() && !path && !ROLES.contains(&who.as_str()) {
            keep(Span { start, end, rule: "e-mail-address" });
            taken = end;
        }
    }
}

/// Digits of a telephone number with its country.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// Numbers that begin with `+` and a country: others cannot be told from what else is counted.
fn telephones(text: &str, from: usize, to: usize, keep: &mut impl FnMut(Span)) {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        let Some(next) = bytes[at..to].iter().position(|byte| *byte == b'+') else { break };
        let start = at + next;
        let (mut digits, mut end, mut groups) = (0, start + 1, 1);
        let mut place = start + 1;
        while let Some(byte) = bytes.get(place) {
            if byte.is_ascii_digit() {
                groups += usize::from(place > end);
                (digits, end) = (digits + 1, place + 1);
            } else if !(b" -()/".contains(byte) && place < end + 2) {
                break;
            }
            place += 1;
        }
        let bounded = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
        let opens = bytes.get(start + 1).is_some_and(|byte| (b'1'..=b'9').contains(byte));
        // "+12345678" alone may be a difference.
        if bounded && opens && DIGITS.contains(&digits) && groups > 1 {
            keep(Span { start, end, rule: "phone-number" });
        }
        at = end.max(start + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        addresses(text, 0, text.len(), &mut |span| found.push(&text[span.start..span.end]));
        telephones(text, 0, text.len(), &mut |span| found.push(&text[span.start..span.end]));
        found
    }

    #[test]
    fn persons_addresses_and_numbers_are_found() {
        assert_eq!(found("Write to anna.berg@example.com."), ["anna.berg@example.com"]);
        assert_eq!(found("<lena+ci@mail.acme.co.uk>"), ["lena+ci@mail.acme.co.uk"]);
        assert_eq!(
            found("call +49 170 1234567 or +1 (555) 010-9999"),
            ["+49 170 1234567", "+1 (555) 010-9999"]
        );
    }

    #[test]
    fn code_hosts_and_functions_are_left_alone() {
        for text in [
            "git@github.com:acme/shop.git",
            "ssh://deploy@host.example.com/x",
            "serde@1.0.200 and @scope/pkg",
            "noreply@acme.com",
            "a diff of +12345678 lines",
            "x = +3.14159265 * y",
            "user@localhost",
            "+1 -1",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
