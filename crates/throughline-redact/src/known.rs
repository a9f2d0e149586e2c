//! Known secrets: values that were recognised once, to be taken out wherever they occur again.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::scan::{self, Span};
use crate::text::{inside_mark, run_end};
use crate::value::is_word_like;
use crate::{Redacted, TakenSecret, written};

/// What a value that comes again is called where only its hash is known.
const RULE: &str = "known-secret";

/// Known secrets: values that were recognised before, to be found by their content and not by their
/// surroundings.
///
/// Values recognised in this process are kept as text. Values of earlier processes are kept as a
/// salted hash of 32 bits and their length: enough to find them again, and too little to reveal
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownSecrets {
    salt: u64,
    values: BTreeMap<String, &'static str>,
    hashes: BTreeSet<Hash>,
}

/// Fresh secret: a value that was recognised here and was not known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fresh {
    /// The hash to keep.
    pub hash: Hash,
    /// Whether it is mostly a word, such as `postgres16`, so that the same letters elsewhere may be
    /// no secret.
    pub is_common: bool,
}

/// Hash of a value: all that is kept of it for other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash {
    /// Number of bytes of the value; the highest bit says whether it contains blanks.
    pub length: u16,
    /// The salted hash.
    pub hash: u32,
}

impl KnownSecrets {
    /// Sets the salt, and the hashes of values that were recognised before. Each home has its own
    /// salt, so that their hashes differ.
    pub fn salt(&mut self, salt: u64, hashes: impl IntoIterator<Item = Hash>) {
        self.salt = salt;
        self.hashes = hashes.into_iter().collect();
    }

    /// The salt of the hashes.
    pub fn salted_with(&self) -> u64 {
        self.salt
    }

    /// Takes the secrets out of a text, as [`crate::redact`] does, and remembers them.
    pub fn redact<'a>(&mut self, text: &'a str) -> Redacted<'a> {
        let redacted = crate::redact(text);
        for found in &redacted.found {
            let value = &text[found.at..found.at + found.length];
            if is_telling(value, found.rule) && self.values.len() < VALUES_MAX {
                self.values.insert(value.to_owned(), found.rule);
            }
        }
        redacted
    }

    /// Takes known values out of a text, without looking for new secrets.
    pub fn take_out<'a>(&self, text: &'a str) -> Redacted<'a> {
        let mut spans = again(text, &self.values);
        self.find_hashed(text, &mut spans);
        spans.retain(|span| !inside_mark(text.as_bytes(), span.start));
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut until = 0;
        spans.retain(|span| {
            let free = span.start >= until;
            until = until.max(span.end);
            free
        });
        let found: Vec<TakenSecret> = spans.into_iter().map(TakenSecret::from).collect();
        written(text, found)
    }

    /// The secrets that were recognised here and were not known before.
    pub fn fresh(&self) -> BTreeSet<Fresh> {
        let fresh = self
            .values
            .keys()
            .map(|value| Fresh { hash: self.hash(value.as_bytes()), is_common: is_common(value) });
        fresh.filter(|fresh| !self.hashes.contains(&fresh.hash)).collect()
    }

    /// The secrets recognised here that may be taken out of what was kept before, each with its rule: they are so
    /// long and random that nobody means anything else by them, and nobody guesses them. Only fresh ones, unless
    /// those that were `known` are asked for, too.
    pub fn rare(&self, known: bool) -> impl Iterator<Item = (&str, &'static str)> {
        let fresh = |value: &str| !self.hashes.contains(&self.hash(value.as_bytes()));
        let values = self.values.iter().map(|(value, rule)| (value.as_str(), *rule));
        values.filter(move |(value, _)| is_rare(value) && (known || fresh(value)))
    }

    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.hashes.is_empty()
    }

    /// Finds what has the hash of a known value. It is looked for where a word begins, and it must
    /// end where one does. The hash of a stretch comes from the sums up to its two ends, so that a
    /// long value costs no more than a short one.
    fn find_hashed(&self, text: &str, spans: &mut Vec<Span>) {
        let sums = Sums { base: self.base() };
        let mut by_length: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for Hash { length, hash } in &self.hashes {
            by_length.entry(*length).or_default().push(*hash);
        }
        if by_length.is_empty() {
            return;
        }
        // The longest first; those with blanks by themselves, for the others end with their word.
        let (blank, solid): (Vec<_>, Vec<_>) = by_length
            .into_iter()
            .rev()
            .map(|(length, hashes)| (length & BLANKS != 0, usize::from(length & !BLANKS), hashes))
            .map(|(blank, length, hashes)| (blank, (length, sums.power(length), hashes)))
            .partition(|(blank, _)| *blank);
        let mut word_end = 0;
        let bytes = text.as_bytes();
        let until = sums.of(bytes);
        let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let mut start = 0;
        while start < bytes.len() {
            let within = start > 0 && is_word(start - 1) && is_word(start);
            let begins = !within && !bytes[start].is_ascii_whitespace();
            if begins && start >= word_end {
                word_end = run_end(bytes, start, usize::MAX, |byte| !byte.is_ascii_whitespace());
            }
            let room = word_end.saturating_sub(start);
            let fitting = &solid[solid.partition_point(|(_, (length, _, _))| *length > room)..];
            let wanted = blank.iter().chain(fitting).filter(|_| begins);
            let found = wanted.map(|(_, one)| one).find_map(|(length, power, hashes)| {
                let end = start + length;
                if end > bytes.len() || is_word(end - 1) && is_word(end) {
                    return None;
                }
                let sum = Sums::between(until[start], until[end], *power);
                let known = hashes.binary_search(&self.mixed(sum)).is_ok();
                (known && text.is_char_boundary(start) && text.is_char_boundary(end)).then_some(end)
            });
            match found {
                Some(end) => {
                    spans.push(Span { start, end, rule: RULE });
                    start = end;
                }
                None => start += 1,
            }
        }
    }

    fn hash(&self, value: &[u8]) -> Hash {
        let sums = Sums { base: self.base() };
        let sum = sums.of(value).last().copied().unwrap_or_default();
        let blanks = if value.iter().any(u8::is_ascii_whitespace) { BLANKS } else { 0 };
        let length = u16::try_from(value.len()).unwrap_or(u16::MAX) & !BLANKS | blanks;
        Hash { length, hash: self.mixed(sum) }
    }

    /// The base of the sums, from the salt.
    fn base(&self) -> u64 {
        256 + stirred(self.salt) % (Sums::PRIME - 512)
    }

    /// The hash of a sum.
    fn mixed(&self, sum: u64) -> u32 {
        let hash = stirred(sum ^ self.salt.rotate_left(32)) >> 32;
        u32::try_from(hash).expect("the upper half of a number")
    }
}

fn stirred(mut number: u64) -> u64 {
    number = (number ^ number >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    number = (number ^ number >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    number ^ number >> 33
}

/// Sums of the bytes of a text, each step times a base, modulo a prime.
struct Sums {
    base: u64,
}

impl Sums {
    const PRIME: u64 = (1 << 61) - 1;

    fn times(a: u64, b: u64) -> u64 {
        // What is above 61 bits counts as much as what is below: two to the 61st leaves one.
        let product = u128::from(a) * u128::from(b);
        let part = |bits: u128| u64::try_from(bits).expect("61 bits");
        let sum = part(product & u128::from(Self::PRIME)) + part(product >> 61);
        if sum >= Self::PRIME { sum - Self::PRIME } else { sum }
    }

    /// The sum before every byte, and the one behind the last.
    fn of(&self, bytes: &[u8]) -> Vec<u64> {
        let mut sum = 0;
        let mut sums = Vec::with_capacity(bytes.len() + 1);
        sums.push(sum);
        for byte in bytes {
            sum = (Self::times(sum, self.base) + u64::from(*byte) + 1) % Self::PRIME;
            sums.push(sum);
        }
        sums
    }

    fn power(&self, length: usize) -> u64 {
        (0..length).fold(1, |power, _| Self::times(power, self.base))
    }

    /// The sum of the stretch between two places, with the base to the power of its length.
    fn between(before: u64, behind: u64, power: u64) -> u64 {
        (behind + Self::PRIME - Self::times(before, power)) % Self::PRIME
    }
}

/// The bit of a length that says that there are blanks in the value.
const BLANKS: u16 = 1 << 15;

/// Values that are looked for at once.
const VALUES_MAX: usize = 512;

/// Values of a text that occur in it once more.
pub(crate) fn again_in(text: &str, spans: &[(Span, scan::Sureness)]) -> Vec<Span> {
    let values = spans.iter().filter_map(|(span, _)| {
        let value = &text[span.start..span.end];
        is_telling(value, span.rule).then(|| (value.to_owned(), span.rule))
    });
    again(text, &values.take(VALUES_MAX).collect())
}

/// Every place of a text where one of the values stands.
fn again(text: &str, values: &BTreeMap<String, &'static str>) -> Vec<Span> {
    if values.is_empty() {
        return Vec::new();
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(values.keys())
        .expect("a few hundred values fit into any automaton");
    let rules: Vec<&'static str> = values.values().copied().collect();
    let bytes = text.as_bytes();
    let is_word =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    automaton
        .find_iter(text)
        .filter(|found| {
            // A short value may be a part of a word by chance.
            found.end() - found.start() >= 12
                || !is_word(found.start().checked_sub(1)) && !is_word(Some(found.end()))
        })
        .map(|found| Span {
            start: found.start(),
            end: found.end(),
            rule: rules[found.pattern().as_usize()],
        })
        .collect()
}

/// Whether a value says by itself that it is a secret: no plain word, no small number.
fn is_telling(value: &str, rule: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| value.bytes().any(|byte| wanted(&byte));
    let (letter, digit) = (has(u8::is_ascii_alphabetic), has(u8::is_ascii_digit));
    let mixed = letter && (digit || has(u8::is_ascii_punctuation) || has(u8::is_ascii_uppercase));
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    rule != "private"
        && value.len() <= 4_096
        && distinct >= 4
        && (value.len() >= 16
            || value.len() >= 8 && mixed
            || value.len() >= 6 && letter && digit
            || value.len() >= 9 && digit)
}

/// Whether a short value is mostly a word with a number, as the name of a server or a release is.
fn is_common(value: &str) -> bool {
    value.len() < 12
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && is_word_like(value)
}

/// Bytes from which on a value may be taken out of what was kept before.
const RARE_BYTES_MIN: usize = 12;
/// Different bytes that it has at least.
const RARE_DISTINCT_MIN: usize = 8;

/// Whether a value is long and random: one stretch of letters with digits or signs between them, and
/// mostly no words.
fn is_rare(value: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| value.bytes().any(|byte| wanted(&byte));
    let mixed = has(u8::is_ascii_digit)
        || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && value.len() >= 20;
    let distinct: BTreeSet<u8> = value.bytes().collect();
    value.len() >= RARE_BYTES_MIN
        && !value.chars().any(char::is_whitespace)
        && has(u8::is_ascii_alphabetic)
        && mixed
        && distinct.len() >= RARE_DISTINCT_MIN
        && !is_word_like(value)
}

impl From<Span> for TakenSecret {
    fn from(span: Span) -> Self {
        Self { rule: span.rule, at: span.start, length: span.end - span.start }
    }
}
