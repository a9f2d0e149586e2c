//! Values that were recognised once, to be taken out wherever they come again.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::scan::{self, Span};
use crate::text::inside_mark;
use crate::{Found, Redacted, written};

/// What a value that comes again is called where only its hash is known.
const RULE: &str = "known-secret";

/// Secrets that are known by what they are, and not by where they stand.
///
/// What was recognised in this process is known by its letters. What was recognised before is known
/// by a salted hash of 32 bits and its length: enough to find it again, and too little to say what
/// it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    salt: u64,
    values: BTreeMap<String, &'static str>,
    hashes: BTreeSet<Hash>,
}

/// What is kept of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash {
    /// How many bytes the value has.
    pub length: u16,
    /// Its salted hash.
    pub hash: u32,
}

impl Known {
    /// Adds what was recognised before, as hashes with this salt. It makes the hashes of two
    /// sessions different.
    pub fn salt(&mut self, salt: u64, hashes: impl IntoIterator<Item = Hash>) {
        self.salt = salt;
        self.hashes = hashes.into_iter().collect();
    }

    /// The salt of the hashes.
    pub fn salted_with(&self) -> u64 {
        self.salt
    }

    /// How many are known by their hashes.
    pub fn hash_count(&self) -> usize {
        self.hashes.len()
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

    /// Takes the values out of a text that were recognised anywhere.
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
        let found: Vec<Found> = spans.into_iter().map(Found::from).collect();
        written(text, found)
    }

    /// What was recognised here and was not known before.
    pub fn fresh(&self) -> BTreeSet<Hash> {
        let hashes = self.values.keys().map(|value| self.hash(value.as_bytes()));
        hashes.filter(|hash| !self.hashes.contains(hash)).collect()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.hashes.is_empty()
    }

    /// Finds what has the hash of a known value. It is looked for where a word begins, and it must
    /// end where one does, so that few stretches of a text are hashed.
    fn find_hashed(&self, text: &str, spans: &mut Vec<Span>) {
        let lengths: BTreeSet<usize> =
            self.hashes.iter().map(|hash| usize::from(hash.length)).collect();
        if lengths.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let mut start = 0;
        while start < bytes.len() {
            let within = start > 0 && is_word(start - 1) && is_word(start);
            let begins = !within && !bytes[start].is_ascii_whitespace();
            let found = lengths.iter().rev().filter(|_| begins).find_map(|length| {
                let end = start + length;
                let ends = end <= bytes.len() && !(is_word(end - 1) && is_word(end));
                let known = ends && self.hashes.contains(&self.hash(&bytes[start..end]));
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
        // FNV, begun with the salt and well mixed at the end.
        let mut hash = 0xCBF2_9CE4_8422_2325 ^ self.salt;
        for byte in value {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        hash ^= self.salt.rotate_left(32);
        hash = (hash ^ hash >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash = (hash ^ hash >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        let hash = u32::try_from(hash >> 32).expect("the upper half of a number");
        Hash { length: u16::try_from(value.len()).unwrap_or(u16::MAX), hash }
    }
}

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

impl From<Span> for Found {
    fn from(span: Span) -> Self {
        Self { rule: span.rule, at: span.start, length: span.end - span.start }
    }
}
