//! Text in comparable form: normalisation, fingerprints, headlines, safe display.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// The SHA-256 of a text's comparable form. Equal fingerprints are the same claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        Self(sha256_hex(normalise(text).as_bytes()))
    }

    /// What remains of a fingerprint when the text was erased.
    pub fn erased() -> Self {
        Self(String::new())
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |number: u8| char::from(DIGITS[usize::from(number)]);
    // Every row that is read is checked, so this is not left to `format!`.
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The comparable form of a text: compatibility characters unified, case folded, invisible
/// characters dropped, sentence punctuation dropped, white space collapsed.
///
/// Signs that carry meaning stay: `!=`, `C++`, `-5`, `1.5`, `what?`.
pub fn normalise(text: &str) -> String {
    let folded = if text.is_ascii() { folded_ascii(text) } else { folded(text) };
    let mut words: Vec<&str> = Vec::new();
    for chunk in folded.split(char::is_whitespace) {
        for piece in split_at_separators(chunk) {
            let word = piece.trim_start_matches(OPENING).trim_end_matches(CLOSING);
            if word.chars().any(|c| !is_dash(c)) {
                words.push(word);
            }
        }
    }
    words.join(" ")
}

/// A text with its compatibility characters unified, in small letters, without what is invisible.
fn folded(text: &str) -> String {
    text.nfkc()
        .filter(|c| !is_invisible(*c))
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .nfkc()
        .filter(|c| !is_invisible(*c))
        .collect()
}

/// The same for a text of ASCII alone, in which nothing has to be unified.
fn folded_ascii(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).map(|c| c.to_ascii_lowercase()).collect()
}

const OPENING: &[char] = &['"', '\'', '(', '[', '{', '`', '«'];
const CLOSING: &[char] =
    &['.', ',', ';', ':', '!', '"', '\'', ')', ']', '}', '`', '»', '…', '。', '、'];

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}')
}

/// Splits at commas and semicolons that separate words, not at those inside numbers.
fn split_at_separators(chunk: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut rest = chunk.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let digit_follows = rest.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        let in_number = digit_follows && before.is_some_and(|c| c.is_ascii_digit());
        if matches!(c, ',' | ';') && !in_number {
            pieces.push(&chunk[start..at]);
            start = at + c.len_utf8();
        }
        before = Some(c);
    }
    pieces.push(&chunk[start..]);
    pieces
}

/// Characters that change nothing a reader sees, or change what the reader sees into something
/// else: zero-width, direction marks, tags, controls.
pub fn is_invisible(c: char) -> bool {
    // Most characters are these, and every row that is read or shown is looked through.
    if matches!(c, ' '..='~') {
        return false;
    }
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c.is_control() && !c.is_whitespace())
}

/// At most so many bytes of a text, cut where a character ends.
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Whether the words of one text stand, one after the other, in another. No words stand nowhere.
pub fn holds(text: &str, words: &str) -> bool {
    let words = normalise(words);
    let spaced = |text: &str| format!(" {text} ");
    !words.is_empty() && spaced(&normalise(text)).contains(&spaced(&words))
}

/// Where in a text these words stand, one after the other: as they are written there, and not right
/// behind a word that denies them. No words stand nowhere.
pub fn passage<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let words = normalise(words);
    let wanted: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let mut told: Vec<(String, usize, usize)> = Vec::new();
    let mut start = 0;
    for chunk in text.split_inclusive(char::is_whitespace) {
        let end = start + chunk.trim_end().len();
        let said = normalise(chunk);
        let said = said.split(' ').filter(|word| !word.is_empty());
        told.extend(said.map(|word| (word.to_owned(), start, end)));
        start += chunk.len();
    }
    let last = wanted.len().checked_sub(1)?;
    let is_there = |at: &usize| {
        let denied = at.checked_sub(1).is_some_and(|before| denies(&told[before].0));
        !denied && told[*at..].iter().zip(&wanted).all(|((word, ..), wanted)| word == wanted)
    };
    let at = (0..told.len().saturating_sub(last)).find(is_there)?;
    Some(&text[told[at].1..told[at + last].2])
}

fn denies(word: &str) -> bool {
    matches!(word, "not" | "never" | "cannot" | "without" | "nor") || word.ends_with("n't")
}

/// The text inside JSON, broken or not: escapes undone, everything that is JSON's own a gap.
pub fn unescaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json.chars();
    while let Some(c) = rest.next() {
        let next = match c {
            '"' | '{' | '}' | '[' | ']' => ' ',
            '\\' => match rest.next() {
                Some('u') => {
                    let code: String = rest.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&code, 16).ok();
                    code.and_then(char::from_u32).unwrap_or(' ')
                }
                Some(escaped @ ('"' | '\\' | '/')) => escaped,
                _ => ' ',
            },
            other => other,
        };
        text.push(next);
    }
    text
}

/// How many of something there are, in words: `1 memory`, `5 memories`, `0 batches`.
pub fn plural<N: std::fmt::Display + Copy + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {noun}");
    }
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match stem {
        Some(stem) => format!("{count} {stem}ies"),
        None if noun.ends_with("ch") || noun.ends_with(['s', 'x']) => format!("{count} {noun}es"),
        None => format!("{count} {noun}s"),
    }
}

/// The word that goes with a number of things: `has` with one, `have` with any other number.
pub fn agree<N: Copy + PartialEq + From<u8>>(
    count: N,
    one: &'static str,
    many: &'static str,
) -> &'static str {
    if count == N::from(1) { one } else { many }
}

/// The beginning of a text on one line, cut at a word, at most `max` characters.
pub fn headline(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if max == 0 {
        return String::new();
    }
    if line.chars().count() <= max {
        return line;
    }
    let cut: String = line.chars().take(max - 1).collect();
    let end = cut.rfind(' ').filter(|at| *at > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// A text made safe to print: controls, escape sequences and direction marks become visible.
///
/// Line breaks and tabs stay. What comes out can neither move a cursor nor reverse a line.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' {
            safe.push(c);
        } else if c.is_control() || is_deceptive(c) {
            write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String cannot fail");
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Invisible characters that scripts do not need for their shape. Joiners stay: emoji and several
/// scripts are written with them.
fn is_deceptive(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// JSON made safe to print: characters that a terminal would obey are escaped, which JSON allows
/// anywhere inside a string, and they can stand nowhere else.
pub fn printable_json(json: &str) -> String {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return json.to_owned();
    }
    let mut safe = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    loop {
        // Nearly all of it is copied as it is.
        let plain = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~' | b'\n'));
        let (plain, odd) = rest.split_at(plain.unwrap_or(rest.len()));
        safe.push_str(plain);
        let mut odd = odd.chars();
        let Some(c) = odd.next() else { return safe };
        if c.is_control() || is_invisible(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(safe, "\\u{unit:04x}").expect("writing to a String cannot fail");
            }
        } else {
            safe.push(c);
        }
        rest = odd.as_str();
    }
}
/// Whether a word stands in a text by itself, as it is written, and not as a part of another.
pub fn has_token(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let joins = |edge: Option<char>, beside: Option<char>| {
                edge.is_some_and(part) && beside.is_some_and(part)
            };
            // "5" does not stand in "5.2", and "1.2" not in "1.2.3".
            let goes_on = after == Some('.')
                && word.ends_with(|c: char| c.is_ascii_digit())
                && text[at + word.len() + 1..].starts_with(|c: char| c.is_ascii_digit());
            !joins(word.chars().next(), before)
                && !joins(word.chars().next_back(), after)
                && !goes_on
        })
}
