//! Referents: what a claim may be tied to, found by how it is written.
//!
//! Nothing here is believed. A proposal is something to look up: what is not there, or does not hold
//! the words of the claim, is dropped, and a claim without a referent is no worse for it.

mod mention;
mod path;
mod piece;
mod telling;

pub use mention::{PlaceMention, mentions};

use crate::probe::measure;
use crate::speech::cue::{cues, says};
use crate::speech::word::words;
use crate::speech::{self, Guard};
use throughline_core::Kind;
use throughline_core::text;

/// More of a text is not looked at.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// More of a claim is not looked at.
const CLAIM_BYTES_MAX: usize = 8 * 1024;

/// How many texts around a claim are looked at.
const AROUND_MAX: usize = 16;

const PROPOSALS_MAX: usize = 8;

/// A place that a text names by its form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedPlace {
    /// A file, or lines of it.
    File {
        /// As written, without a leading `./`.
        path: String,
        /// First and last line.
        lines: Option<(u32, u32)>,
    },
    /// A folder.
    Folder {
        /// As written, without a leading `./` and the slash at its end.
        path: String,
    },
    /// A named value: an environment variable, a key in a manifest.
    Flag {
        /// Its name.
        name: String,
    },
    /// A commit. Nothing is tied to one: a head moves with everything.
    Commit {
        /// As written, 7 to 12 or 40 digits.
        hex: String,
    },
}

/// What a claim proposes to be tied to.
#[derive(Debug, Clone, PartialEq)]
pub struct BindingProposal {
    /// Where to look.
    pub place: NamedPlace,
    /// Identifiers and values of the claim that must stand together in the file for it to be bound
    /// to lines.
    pub words: Vec<String>,
    /// Whether it is bound only if the words are found there. Otherwise the whole file may do.
    pub needs_words: bool,
    /// How fitting, in 0..=1.
    pub score: f64,
}

/// Something that was said or done around a claim.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// What was said, or what came out.
    pub text: &'a str,
    /// A file that a tool read, wrote or ran on.
    pub path: Option<&'a str>,
}

const LINES_GIVEN: f64 = 1.0;
const WORDS_GIVEN: f64 = 0.9;
const FLAG_NAMED: f64 = 0.8;
const MEASURED: f64 = 0.7;
const TOOL_TOUCHED: f64 = 0.5;
const SAID_NEARBY: f64 = 0.4;
/// A path that somebody else completed is a little less certain than one as written.
const COMPLETED: f64 = 0.01;

/// What a claim may be tied to, the most fitting first: to be looked up, not to be believed.
///
/// Only what states how things are is tied to anything. What asks, supposes or quotes proposes nothing.
pub fn proposals(claim: &str, kind: Kind, around: &[Around<'_>]) -> Vec<BindingProposal> {
    let told = told(text::cut(claim, CLAIM_BYTES_MAX));
    let named = mentions(&told);
    let names_file = named.iter().any(|one| matches!(one.place, NamedPlace::File { .. }));
    let states = match kind {
        Kind::Fact | Kind::Correction => true,
        Kind::Procedure | Kind::Negative => names_file,
        Kind::Preference
        | Kind::Principle
        | Kind::Decision
        | Kind::Commitment
        | Kind::Event
        | Kind::Lesson
        | Kind::Gap => false,
    };
    if !states {
        return Vec::new();
    }
    let telling = telling::telling(&told);
    let words: Vec<String> = telling.iter().map(|word| word.text.clone()).collect();
    let mut found = Vec::new();
    for mention in named {
        found.extend(named_in_claim(mention.place, &told, &words, around));
    }
    let has_value = telling.iter().any(|word| word.is_value);
    if !names_file && telling.len() >= 2 && has_value {
        found.extend(known_from_around(&words, around));
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<BindingProposal> = Vec::new();
    for one in found {
        if kept.len() < PROPOSALS_MAX && kept.iter().all(|known| known.place != one.place) {
            kept.push(one);
        }
    }
    kept
}

/// Whether bytes of a claim stand in a command, `python manage.py migrate`: it ran in a folder that the claim need not name.
pub fn is_in_command(claim: &str, range: &std::ops::Range<usize>) -> bool {
    let ticks = claim[..range.start].matches('`').count();
    let (open, close) = (claim[..range.start].rfind('`'), claim[range.end..].find('`'));
    let Some((open, close)) = open.zip(close).filter(|_| ticks % 2 == 1) else { return false };
    claim[open..range.end + close].contains(char::is_whitespace)
}

/// The identifiers and values of a claim, as they would stand in a file: `max_connections`, `229` of
/// "+229 %", `1.2.3` of "v1.2.3", what is quoted. Paths and commits are none.
pub fn telling_words(claim: &str) -> Vec<String> {
    telling::telling(claim).into_iter().map(|word| word.text).collect()
}

/// The claim with blanks where it asks, supposes or repeats somebody's words.
fn told(claim: &str) -> String {
    let mut blanks: Vec<std::ops::Range<usize>> = speech::units(claim)
        .into_iter()
        .filter(|unit| match unit.guard {
            None | Some(Guard::ThirdParty) => false,
            Some(Guard::Question | Guard::Hypothetical | Guard::Quoted | Guard::SelfResolving) => {
                true
            }
        })
        .map(|unit| unit.span)
        .collect();
    let mut end = 0;
    for line in claim.split_inclusive('\n') {
        if line.trim_start().starts_with('>') {
            blanks.push(end..end + line.len());
        }
        end += line.len();
    }
    let mut told = claim.to_owned();
    for range in blanks {
        told.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    told
}

/// What the claim itself names, with the whole path where a tool touched a file of that name.
fn named_in_claim(
    place: NamedPlace,
    told: &str,
    words: &[String],
    around: &[Around<'_>],
) -> Vec<BindingProposal> {
    let propose = |place, needs_words, score| BindingProposal {
        place,
        words: words.to_vec(),
        needs_words,
        score,
    };
    match place {
        NamedPlace::File { path, lines } => {
            // One digit stands everywhere.
            let tells = words.iter().any(|word| word.len() > 1);
            let (needs_words, score) = if lines.is_some() {
                (false, LINES_GIVEN)
            } else if measures(told) {
                (false, MEASURED)
            } else if tells {
                (true, WORDS_GIVEN)
            } else {
                return Vec::new();
            };
            let mut found = Vec::new();
            for whole in around.iter().take(AROUND_MAX).filter_map(|one| one.path) {
                let inner = whole.strip_suffix(path.as_str());
                if inner.is_some_and(|folder| folder.len() > 1 && folder.ends_with('/')) {
                    let place = NamedPlace::File { path: whole.to_owned(), lines };
                    found.push(propose(place, needs_words, score - COMPLETED));
                }
            }
            found.push(propose(NamedPlace::File { path, lines }, needs_words, score));
            found
        }
        NamedPlace::Flag { .. } => vec![propose(place, false, FLAG_NAMED)],
        NamedPlace::Folder { .. } | NamedPlace::Commit { .. } => Vec::new(),
    }
}

/// Whether a claim tells what was measured, rather than what is set.
fn measures(told: &str) -> bool {
    let words = words(told);
    let value = (0..words.len()).any(|at| measure::value(&words, at).is_some());
    let metric = says(
        &words,
        cues!(
            "p50|p90|p95|p99|p999, benchmark|benchmarks|benchmarked, measured|measures, \
            (test|tests|suite|build|builds) take|takes|took"
        ),
    ) || says(&words, &measure::METRICS);
    let counted = words.iter().any(|word| word.text.bytes().any(|b| b.is_ascii_digit()));
    let set = says(
        &words,
        cues!(
            "timeout|timeouts, limit|limits|limited, ttl, default|defaults, threshold, ceiling, interval, \
            retry|retries, set|sets to, configured, max|maximum|min|minimum, budget, grace, expires|expire"
        ),
    );
    (value || metric && counted) && !set
}

/// Files that the claim does not name: only where several of its words are found in them.
fn known_from_around(words: &[String], around: &[Around<'_>]) -> Vec<BindingProposal> {
    let mut found = Vec::new();
    for one in around.iter().take(AROUND_MAX) {
        let near = text::cut(one.text, TEXT_BYTES_MAX);
        let share = words.iter().filter(|word| near.contains(word.as_str())).count();
        // Of two files, the one that showed more of the words.
        let bonus = 0.09 * f64::from(u32::try_from(share).unwrap_or(0))
            / f64::from(u32::try_from(words.len().max(1)).unwrap_or(1));
        let mut propose = |path: &str, score: f64| {
            let place = NamedPlace::File { path: path.to_owned(), lines: None };
            found.push(BindingProposal { place, words: words.to_vec(), needs_words: true, score });
        };
        if let Some(path) = one.path.filter(|path| !path.is_empty()) {
            propose(path, TOOL_TOUCHED + bonus);
        }
        for mention in mentions(near) {
            if let NamedPlace::File { path, .. } = mention.place {
                propose(&path, SAID_NEARBY + bonus);
            }
        }
    }
    found
}
