//! Words: text taken apart for search, and BM25 over the parts.
//!
//! Every store ranks alike because terms are made here and scored here; a store only finds
//! candidates and counts.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::{policy::WordPolicy, text};

/// The terms of a text, in order: stemmed words, the parts of identifiers and the identifiers
/// whole, two-letter slices of scripts that are written without spaces.
///
/// Of ASCII a term holds letters and digits only.
pub fn terms(content: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms = Vec::new();
    let clean: String = if content.is_ascii() {
        content.chars().filter(|c| !text::is_invisible(*c)).collect()
    } else {
        content.nfkc().filter(|c| !text::is_invisible(*c)).collect()
    };
    for chunk in clean.split(|c: char| !(is_letter(c) || is_joiner(c))) {
        let parts = identifier_parts(chunk);
        for part in &parts {
            push_part(part, &stemmer, &mut terms);
        }
        if parts.len() > 1 {
            let whole: String = parts.concat().to_lowercase();
            if whole.len() <= TERM_BYTES_MAX && !whole.chars().any(is_spaceless) {
                terms.push(whole);
            }
        }
    }
    terms
}

/// Longer runs are no words; they are cut so that an index stays small.
const TERM_BYTES_MAX: usize = 64;

/// Letters, digits, and the marks that some scripts write words with.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | ':' | '+' | '#' | '@')
}

/// Splits an identifier at its joiners, at its humps and where the way of writing changes:
/// `parseHTTPLine2` is parse, HTTP, Line2.
fn identifier_parts(chunk: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for piece in chunk.split(is_joiner) {
        let letters: Vec<char> = piece.chars().collect();
        let mut part = String::new();
        for (at, c) in letters.iter().enumerate() {
            let before = letters[..at].iter().rev().copied().find(|c| !is_combining_mark(*c));
            let after = letters.get(at + 1);
            let hump = c.is_uppercase()
                && (before.is_some_and(char::is_lowercase)
                    || before.is_some_and(char::is_uppercase)
                        && after.is_some_and(|after| after.is_lowercase()));
            let script_change = !is_combining_mark(*c)
                && before.is_some_and(|before| is_spaceless(before) != is_spaceless(*c));
            if (hump || script_change) && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.push(*c);
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}

fn push_part(part: &str, stemmer: &Stemmer, terms: &mut Vec<String>) {
    let lower: String = part.to_lowercase().nfkc().collect();
    if lower.chars().any(is_spaceless) {
        let letters = letters_with_marks(&lower);
        if letters.len() == 1 {
            terms.push(lower);
        } else {
            terms.extend(letters.windows(2).map(<[String]>::concat));
        }
    } else if !lower.is_empty() {
        let cut = &lower[..lower.floor_char_boundary(TERM_BYTES_MAX)];
        let word = if cut.bytes().all(|b| b.is_ascii_lowercase()) {
            stemmer.stem(cut).into_owned()
        } else {
            cut.to_owned()
        };
        terms.push(word);
    }
}

/// The letters of a word, each with the marks written on it.
fn letters_with_marks(word: &str) -> Vec<String> {
    let mut letters: Vec<String> = Vec::new();
    for c in word.chars() {
        match letters.last_mut() {
            Some(letter) if is_combining_mark(c) => letter.push(c),
            _ => letters.push(c.to_string()),
        }
    }
    letters
}

/// Letters of scripts that do not put spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Words that say nothing about a topic; asked for only when a query has no others.
const COMMON: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "could", "d", "did", "do", "does", "doing", "down", "during", "each", "few", "for",
    "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "ll", "m", "me", "might", "more",
    "most", "must", "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or",
    "other", "our", "out", "over", "own", "re", "s", "same", "shall", "she", "should", "so",
    "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "too", "under", "until", "up", "ve", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with",
    "would", "you", "your", "yours",
];

/// Whether a term is a word that says nothing about a topic.
pub fn is_common(term: &str) -> bool {
    static STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let stemmer = Stemmer::create(Algorithm::English);
        COMMON.iter().map(|word| stemmer.stem(word).into_owned()).collect()
    });
    STEMS.contains(term)
}

/// The term of one word in small letters, as [`terms`] has it: of an identifier the whole.
pub fn stem(word: &str) -> String {
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word).into_owned()
    } else {
        word.split(is_joiner).collect()
    }
}

/// The distinct terms of a query, without common words where there are others.
pub fn query_terms(query: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let distinct: Vec<String> =
        terms(query).into_iter().filter(|term| seen.insert(term.clone())).collect();
    let telling: Vec<String> = distinct.iter().filter(|term| !is_common(term)).cloned().collect();
    if telling.is_empty() { distinct } else { telling }
}

/// Whether two texts share a word that says something about a topic.
pub fn share_one(one: &str, other: &str) -> bool {
    let theirs: HashSet<String> = terms(other).into_iter().collect();
    terms(one).iter().any(|term| !is_common(term) && theirs.contains(term))
}

/// The query terms worth looking up: the rarest first, until together they occur in more documents
/// than can be scored in time. The rarest is always kept; terms that occur nowhere are dropped.
pub fn affordable(frequencies: &[(String, u64)], policy: &WordPolicy) -> Vec<(String, u64)> {
    let mut known: Vec<_> = frequencies.iter().filter(|(_, docs)| *docs > 0).cloned().collect();
    known.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    let mut kept = Vec::new();
    let mut total = 0;
    for (term, docs) in known {
        total += docs;
        if !kept.is_empty() && total > policy.postings_max {
            break;
        }
        kept.push((term, docs));
    }
    kept
}

/// What a collection must tell for its documents to be scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollectionSize {
    /// How many documents it has.
    pub docs: u64,
    /// How many terms they have together.
    pub terms: u64,
}

/// How much a word tells that so many of the documents hold.
pub fn rarity(documents: f64, holding: f64) -> f64 {
    (1.0 + (documents - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// BM25 of one document, given its terms and how many documents each query term occurs in.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
pub fn bm25(
    query: &[(String, u64)],
    document: &[&str],
    collection: CollectionSize,
    policy: &WordPolicy,
) -> f64 {
    let docs = collection.docs.max(1) as f64;
    let mean_length = (collection.terms as f64 / docs).max(1.0);
    let length = document.len() as f64 / mean_length;
    query
        .iter()
        .filter_map(|(term, holding)| {
            let count = document.iter().filter(|one| **one == term.as_str()).count();
            (count > 0).then_some((count as f64, *holding as f64))
        })
        .map(|(count, holding)| {
            let rarity = rarity(docs, holding);
            let damped = policy.k1 * (1.0 - policy.b + policy.b * length);
            rarity * count * (policy.k1 + 1.0) / (count + damped)
        })
        .sum()
}
