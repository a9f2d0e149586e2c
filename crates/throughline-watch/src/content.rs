//! What a file says: bytes, lines, and hashes of them.

use std::cell::OnceCell;
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::manifest::Manifest;
use crate::stamp::{FileMark, LinesBeside, SpanStamp};
use crate::{Deadline, SPAN_LINES_MAX};

/// The most words to look for at once.
const WORDS_MAX: usize = 64;

/// How often a long search looks at the clock, in lines.
const LINES_BETWEEN_LOOKS: usize = 1024;

/// Hashes are cut to this many hexadecimal digits.
const HASH_DIGITS: usize = 32;

/// How many of them are shown to people.
const SHORT_DIGITS: usize = 8;

/// How many lines of a span are shown to people, and how much of each.
const SHOWN_LINES: usize = 8;
const SHOWN_CHARS: usize = 120;

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) mark: FileMark,
    bytes: Vec<u8>,
    hash: OnceCell<String>,
    lines: OnceCell<Vec<Range<usize>>>,
    traces: OnceCell<Vec<u32>>,
    manifest: OnceCell<Option<Manifest>>,
}

/// Where lines were found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinePlace {
    /// From this line on, counted from one.
    Line(u32),
    /// Nowhere.
    Nowhere,
    /// There was no time to look everywhere.
    Unknown,
}

impl Content {
    pub(crate) fn new(mark: FileMark, bytes: Vec<u8>) -> Self {
        Self {
            mark,
            bytes,
            hash: OnceCell::new(),
            lines: OnceCell::new(),
            traces: OnceCell::new(),
            manifest: OnceCell::new(),
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn hash(&self) -> &str {
        self.hash.get_or_init(|| hash_of([self.bytes.as_slice()]))
    }

    /// The file as keys and values. `None` if it cannot be made sense of.
    pub(crate) fn manifest(&self, path: &str) -> Option<&Manifest> {
        self.manifest.get_or_init(|| Manifest::parse(path, &self.bytes)).as_ref()
    }

    /// The hash of lines, the first counted from one. `None` where there are not as many.
    pub(crate) fn hash_of_lines(&self, first: u32, count: u32) -> Option<String> {
        let first = usize::try_from(first).ok()?.checked_sub(1)?;
        let end = first.checked_add(usize::try_from(count).ok()?)?;
        let lines = self.lines().get(first..end)?;
        Some(hash_of(lines.iter().flat_map(|line| [&self.bytes[line.clone()], b"\n".as_slice()])))
    }

    /// What lines say, cut to what can be shown, the first counted from one. `None` where there are
    /// not as many, or where they are no text.
    pub(crate) fn shown_lines(&self, first: u32, count: u32) -> Option<String> {
        let first = usize::try_from(first).ok()?.checked_sub(1)?;
        let count = usize::try_from(count).ok()?;
        let lines = self.lines().get(first..first.checked_add(count)?)?;
        let mut shown = Vec::new();
        for line in lines.iter().take(SHOWN_LINES) {
            let line = std::str::from_utf8(&self.bytes[line.clone()]).ok()?.trim();
            shown.push(line.chars().take(SHOWN_CHARS).collect::<String>());
        }
        let shown = shown.join("\n");
        (!shown.trim().is_empty() && !shown.contains('\0')).then_some(shown)
    }

    /// A trace of a line, to find it by.
    pub(crate) fn trace_of_line(&self, line: u32) -> Option<u32> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        Some(trace(&self.bytes[self.lines().get(at)?.clone()]))
    }

    /// Whether these lines say nothing.
    pub(crate) fn is_blank(&self, first: u32, count: u32) -> bool {
        let first = usize::try_from(first).unwrap_or(usize::MAX).saturating_sub(1);
        let lines = self.lines().iter().skip(first).take(usize::try_from(count).unwrap_or(0));
        lines.into_iter().all(|line| self.bytes[line.clone()].trim_ascii().is_empty())
    }

    /// Where the lines of a stamp are now. Others that say the same are not taken for them: a line
    /// beside them must be the same too, and as often as it was.
    pub(crate) fn find(&self, span: SpanStamp<'_>, was: u32, deadline: Deadline) -> LinePlace {
        let Some(copies) = self.copies(span.hash, span.lines, span.first, deadline) else {
            return LinePlace::Unknown;
        };
        let around: Vec<(u32, LinesBeside)> =
            copies.iter().map(|line| (*line, self.beside(*line, span.lines))).collect();
        let among = |fits: &dyn Fn(LinesBeside) -> bool, then: u32| {
            let fitting =
                || around.iter().filter(|(_, beside)| fits(*beside)).map(|(line, _)| *line);
            let enough = usize::try_from(then).is_ok_and(|then| fitting().count() >= then);
            fitting().find(|line| *line == was).or(fitting().next()).filter(|_| enough)
        };
        let found = among(&|beside| beside == span.beside, span.same)
            .or_else(|| among(&|beside| beside.meets(span.beside), span.alike));
        match found {
            Some(line) => LinePlace::Line(line),
            // Everything around was rewritten, and they stayed where they were.
            None if span.copies == 1 && copies == [was] => LinePlace::Line(was),
            None => LinePlace::Nowhere,
        }
    }

    /// The lines from which on such lines stand. `None` if there was no time to look everywhere.
    pub(crate) fn copies(
        &self,
        hash: &str,
        lines: u32,
        first: u32,
        deadline: Deadline,
    ) -> Option<Vec<u32>> {
        let mut copies = Vec::new();
        for (at, trace) in self.traces().iter().enumerate() {
            if at % LINES_BETWEEN_LOOKS == 0 && deadline.is_over() {
                return None;
            }
            let Ok(line) = u32::try_from(at + 1) else { break };
            if *trace == first && self.hash_of_lines(line, lines).as_deref() == Some(hash) {
                copies.push(line);
            }
        }
        Some(copies)
    }

    /// What stands beside lines.
    pub(crate) fn beside(&self, first: u32, lines: u32) -> LinesBeside {
        let first = usize::try_from(first).unwrap_or(usize::MAX).saturating_sub(1);
        let end = first.saturating_add(usize::try_from(lines).unwrap_or(0));
        let says = |line: &&Range<usize>| !self.bytes[(*line).clone()].trim_ascii().is_empty();
        let trace_of =
            |line: Option<&Range<usize>>| line.map_or(0, |line| trace(&self.bytes[line.clone()]));
        let all = self.lines();
        let above = all.get(..first).unwrap_or_default().iter().rev().find(says);
        let below = all.get(end..).unwrap_or_default().iter().find(says);
        LinesBeside { above: trace_of(above), below: trace_of(below) }
    }

    /// As [`World::span_with`](crate::World::span_with).
    pub(crate) fn span_with(&self, words: &[String], deadline: Deadline) -> Option<(u32, u32)> {
        if words.is_empty() || words.len() > WORDS_MAX || words.iter().any(String::is_empty) {
            return None;
        }
        let all = u64::MAX >> (64 - words.len());
        let longest = usize::try_from(SPAN_LINES_MAX).ok()?;
        let mut recent: Vec<(usize, u64)> = Vec::new();
        let mut best: Option<(usize, usize)> = None;
        let mut places = 0;
        for (at, line) in self.lines().iter().enumerate() {
            if at % LINES_BETWEEN_LOOKS == 0 && deadline.is_over() {
                return None;
            }
            let text = &self.bytes[line.clone()];
            if text.trim_ascii().is_empty() {
                // What stands on both sides of a gap does not belong together.
                recent.clear();
            }
            let here = words_in(text, words);
            if here == 0 {
                continue;
            }
            recent.push((at, here));
            recent.retain(|(line, _)| at - line < longest);
            let Some(first) = shortest_to(&recent, all) else { continue };
            let length = at - first;
            let shortest = best.map_or(usize::MAX, |(first, last)| last - first);
            if length < shortest {
                (best, places) = (Some((first, at)), 1);
            } else if length == shortest {
                places += 1;
            }
        }
        let (first, last) = best.filter(|_| places == 1)?;
        Some((u32::try_from(first + 1).ok()?, u32::try_from(last + 1).ok()?))
    }

    /// The lines without their ends. A carriage return belongs to the end.
    fn lines(&self) -> &[Range<usize>] {
        self.lines.get_or_init(|| {
            let mut start = 0;
            let pieces = self.bytes.split_inclusive(|byte| *byte == b'\n');
            let lines = pieces.map(|piece| {
                let line = piece.strip_suffix(b"\n").unwrap_or(piece);
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let range = start..start + line.len();
                start += piece.len();
                range
            });
            lines.collect()
        })
    }

    fn traces(&self) -> &[u32] {
        self.traces.get_or_init(|| {
            self.lines().iter().map(|line| trace(&self.bytes[line.clone()])).collect()
        })
    }
}

/// The hash of a text.
pub(crate) fn hash_of_text(text: &str) -> String {
    hash_of([text.as_bytes()])
}

/// As much of a hash as people look at.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..SHORT_DIGITS).unwrap_or(hash)
}

fn hash_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hasher = Sha256::new();
    for piece in pieces {
        hasher.update(piece);
    }
    let digest = hasher.finalize();
    let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.take(HASH_DIGITS).map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

/// FNV-1a: quick, and too short to tell what the line said.
fn trace(line: &[u8]) -> u32 {
    line.iter()
        .fold(0x811c_9dc5, |trace, byte| (trace ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Going back from the last of these lines, the one at which all the words are together.
fn shortest_to(recent: &[(usize, u64)], all: u64) -> Option<usize> {
    let mut found = 0;
    for (line, here) in recent.iter().rev() {
        found |= here;
        if found == all {
            return Some(*line);
        }
    }
    None
}

/// Which of the words a line holds, a bit for each.
fn words_in(line: &[u8], words: &[String]) -> u64 {
    let bits = words.iter().enumerate().filter(|(_, word)| holds(line, word.as_bytes()));
    bits.fold(0, |found, (at, _)| found | 1 << at)
}

/// Whether a line holds a word that is not part of a longer one.
fn holds(line: &[u8], word: &[u8]) -> bool {
    let inner = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    line.windows(word.len()).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        let after = line.get(at + word.len());
        window == word
            && !(inner(word.first()) && inner(before))
            && !(inner(word.last()) && inner(after))
    })
}
