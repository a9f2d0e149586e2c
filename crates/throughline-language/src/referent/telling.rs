//! The words of a claim that would stand in the file it is about: identifiers and values.

use std::ops::Range;

use super::mention::mentions;
use super::{NamedPlace, TEXT_BYTES_MAX};
use crate::question::name::{is_cased, is_dotted, quoted};
use throughline_core::text;

/// One word, as it would stand in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TellingWord {
    pub(super) text: String,
    /// A number, a version or a quoted string, rather than a name.
    pub(super) is_value: bool,
}

const TELLING_MAX: usize = 16;
const WORD_BYTES: std::ops::RangeInclusive<usize> = 1..=64;

/// The telling words of a claim, each once, in the order met.
pub(super) fn telling(claim: &str) -> Vec<TellingWord> {
    let claim = text::cut(claim, TEXT_BYTES_MAX);
    let mut found = FoundTelling::default();
    // Where a claim is kept does not stand in the file itself.
    let mut taken: Vec<Range<usize>> = Vec::new();
    for mention in mentions(claim) {
        match mention.place {
            NamedPlace::File { .. } | NamedPlace::Folder { .. } | NamedPlace::Commit { .. } => {
                taken.push(mention.range);
            }
            NamedPlace::Flag { name } if name.contains('#') => taken.push(mention.range),
            NamedPlace::Flag { name } => found.push(mention.range.start, &name, false),
        }
    }
    for range in quoted(claim) {
        let inside = claim[range.clone()].trim();
        let holds_place =
            taken.iter().any(|place| place.start < range.end && range.start < place.end);
        let setting = inside.contains(char::is_whitespace) && inside.contains(['=', ':']);
        if !holds_place && !setting {
            let code = claim[..range.start].ends_with('`');
            let value = number(inside);
            let is_value = value.is_some() || !code;
            let shown = value.unwrap_or_else(|| inside.trim_end_matches("()").to_owned());
            found.push(range.start, &shown, is_value);
            taken.push(range);
        }
    }
    taken.sort_by_key(|range| range.start);
    loose(claim, &taken, &mut found);
    found.done()
}

#[derive(Default)]
struct FoundTelling(Vec<(usize, TellingWord)>);

impl FoundTelling {
    fn push(&mut self, at: usize, word: &str, is_value: bool) {
        if WORD_BYTES.contains(&word.len()) && word.contains(char::is_alphanumeric) {
            self.0.push((at, TellingWord { text: word.to_owned(), is_value }));
        }
    }

    fn done(mut self) -> Vec<TellingWord> {
        self.0.sort_by_key(|(at, _)| *at);
        let mut kept: Vec<TellingWord> = Vec::new();
        for (_, word) in self.0 {
            if kept.len() >= TELLING_MAX {
                break;
            }
            if kept.iter().all(|known| known.text != word.text) {
                kept.push(word);
            }
        }
        kept
    }
}

/// Words that stand in neither quotes nor back-ticks.
fn loose(claim: &str, taken: &[Range<usize>], found: &mut FoundTelling) {
    let (mut end, mut next_taken, mut counted) = (0, 0, false);
    for chunk in claim.split_inclusive(char::is_whitespace) {
        let start = end;
        end += chunk.len();
        let counts = counted;
        counted = counts_up(chunk);
        let marker = start == 0 && chunk.trim_end().ends_with(['.', ')']);
        let is_split = |c: char| "=()[]{}<>|`\"“”«»;→—".contains(c);
        let mut at = start;
        for part in chunk.split_inclusive(is_split) {
            let from = at;
            at += part.len();
            while taken.get(next_taken).is_some_and(|place| place.end <= from) {
                next_taken += 1;
            }
            let is_taken = taken.get(next_taken).is_some_and(|place| place.start < at);
            if is_taken || found.0.len() >= 4 * TELLING_MAX {
                continue;
            }
            let word = part.trim_end_matches(is_split).trim();
            let word = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '%'));
            let word =
                word.trim_start_matches(|c: char| !(c.is_alphanumeric() || "-_#".contains(c)));
            if let Some(value) = number(word) {
                let only_counts = counts || marker && from == 0;
                if !only_counts {
                    found.push(from, &value, true);
                }
            } else if is_name(word) {
                found.push(from, word, false);
            } else if part.starts_with('\'') && part[1..].contains('\'') {
                found.push(from, word.trim_matches('\''), true);
            }
        }
    }
}

/// A word after which a number only counts: "line 42".
fn counts_up(chunk: &str) -> bool {
    const COUNTING: &str = "line lines step steps issue pr page phase task item section chapter";
    let lower = chunk.trim().to_ascii_lowercase();
    COUNTING.split(' ').any(|word| word == lower)
}

/// The number of "+229%", "-5", "12ms", "v1.2.3", "$40"; nothing of dates, ranges and "2nd".
fn number(word: &str) -> Option<String> {
    let unsigned = word.trim_start_matches(['~', '≈', '+', '$', '€', '<', '>', 'v']);
    let (sign, digits) = match unsigned.strip_prefix(['-', '−']) {
        Some(rest) => ("-", rest),
        None => ("", unsigned),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || word.len() > 32 {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        return hex.bytes().all(|b| b.is_ascii_hexdigit()).then(|| digits.to_owned());
    }
    let length = digits
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
        .unwrap_or(digits.len());
    let (number, unit) = digits.split_at(length);
    let number = number.trim_end_matches(['.', ',']);
    let is_version = number.split('.').count() >= 3
        && unit.starts_with('-')
        && unit.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    if is_version {
        return Some(format!("{sign}{number}{unit}"));
    }
    let unit = unit.strip_suffix("/s").unwrap_or(unit);
    let plain = unit.chars().count() <= 6
        && (unit == "%" || unit.chars().all(char::is_alphabetic))
        && !matches!(unit, "st" | "nd" | "rd" | "th");
    plain.then(|| format!("{sign}{number}"))
}

/// `camelCase`, `snake_case`, `pkg.field`, `Type::method`; no products that are written alike.
fn is_name(word: &str) -> bool {
    const PRODUCTS: &str = "GitHub GitLab JavaScript TypeScript PostgreSQL MySQL SQLite macOS iOS iPad iPhone DevOps \
        OpenAI ChatGPT YouTube LinkedIn GraphQL WebSocket WebSockets NodeJS MongoDB DynamoDB RocksDB \
        ClickHouse RabbitMQ CircleCI WebAssembly IntelliJ VSCode";
    let path = word.split("::").count() > 1
        && word
            .split("::")
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'));
    (path || is_cased(word) || is_dotted(word))
        && !PRODUCTS.split_whitespace().any(|one| one == word)
}
