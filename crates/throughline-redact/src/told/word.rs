//! Words of a sentence, and the value that stands at a place of one.

use super::{RULE, Told};
use crate::name::{Announced, Kind};
use crate::scan::Span;
use crate::text::{quoted, run_end, run_start, skip_blanks};
use crate::typed::{
    has_sign, is_drawn, is_drawn_or_spelt, is_typed, is_typed_firmly, is_typed_surely,
};
use crate::value::{Form, is_secret};

/// A sentence has its password this near its noun.
pub(super) const REACH: usize = 72;

/// How much a value must look like one: the less the words before it say, the more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// `the password is …`
    Likely,
    /// `the password …`
    Sure,
    /// `when it asks for the password, enter …`
    Stated,
    /// `password: …`, where only drawn words are left to judge.
    Drawn,
    /// `log in with …`
    Firm,
    /// `the router is …`: as firm, with a sign that no name has.
    Signed,
    /// `wifi is guest / …`: as firm, and three words with signs between them are one, too.
    FirmOrDrawn,
}

impl Fit {
    pub(super) fn accepts(self, word: &str) -> bool {
        match self {
            Self::Likely => is_typed(word) || is_drawn(word),
            Self::Sure => is_typed_surely(word),
            Self::Stated => is_typed_surely(word) || is_drawn(word),
            Self::Drawn => is_drawn_or_spelt(word),
            Self::Firm => is_typed_firmly(word),
            Self::Signed => is_typed_firmly(word) && has_sign(word),
            Self::FirmOrDrawn => is_typed_firmly(word) || is_drawn(word),
        }
    }

    /// Whether quotes around a plain word say that it is a value: `the password is "swordfish"`, but
    /// not `` log in with `kubectl` ``.
    fn trusts_quotes(self) -> bool {
        matches!(self, Self::Likely | Self::Sure | Self::Stated)
    }
}

/// What opens and closes a value in a sentence.
pub(super) const OPENING: [char; 12] =
    [' ', '\u{a0}', '"', '\'', '`', '„', '“', '”', '«', '‘', '「', '『'];
pub(super) const CLOSING: [char; 10] = ['"', '\'', '`', '“', '”', '»', '’', '」', '』', '*'];

/// The value at `from`, if it has the form of one.
pub(super) fn value(text: &str, from: usize, told: Told, fit: Fit) -> Option<Span> {
    const PASSWORD: Announced = Announced { kind: Kind::Password, rule: RULE, is_phrase: false };
    let bytes = text.as_bytes();
    let at = run_end(bytes, from, 8, |byte| b" \t*".contains(&byte));
    let is_pin = matches!(told, Told::Pin | Told::JoinedPin);
    if let Some((start, end)) = quoted(text, at) {
        let value = &text[start..end];
        let secret = if is_pin {
            is_number(value, 4)
        } else if value.contains([' ', '\'', '"', '`']) {
            // Several words, or a literal of code within quotes: `` `'pkcs8'` ``.
            false
        } else if let Some(end) = next_piece(text, start, end, fit) {
            return Some(Span { start, end, rule: RULE });
        } else {
            fit.accepts(value) || fit.trusts_quotes() && is_secret(value, PASSWORD, Form::Quoted)
        };
        return secret.then_some(Span { start, end, rule: RULE });
    }
    let start = at + text[at..].len() - text[at..].trim_start_matches(OPENING).len();
    let end = value_end(text, start);
    let word = text[start..end].trim_end_matches(CLOSING);
    let is_told = if word.bytes().all(|byte| byte.is_ascii_digit()) {
        // `4.7`, `12 characters`, `6位`: a number with something behind it is a count.
        let next = text[start + word.len()..].trim_start_matches(['.', '!']).chars().next();
        let is_over = next.is_none_or(|next| !next.is_alphanumeric() || is_joined(next));
        let is_firm = matches!(fit, Fit::Firm | Fit::Signed | Fit::FirmOrDrawn | Fit::Drawn);
        let least = if is_pin { 4 } else { 6 };
        is_over && !is_firm && is_number(word, least) && !is_counted(text, end)
    } else {
        !is_pin && fit.accepts(word)
    };
    let end = start + word.len();
    if is_pin {
        return is_told.then_some(Span { start, end, rule: RULE });
    }
    let piece = and_then(text, start, end, is_told, fit).map(|(_, end)| end);
    let end = piece.or(is_told.then_some(end))?;
    Some(Span { start, end, rule: RULE })
}

/// The value at `from`, or alone on the next line of text.
pub(super) fn value_or_below(text: &str, from: usize, told: Told, fit: Fit) -> Option<Span> {
    let bytes = text.as_bytes();
    let line_end = run_end(bytes, from, 8, |byte| b" \t*:".contains(&byte));
    if !matches!(bytes.get(line_end), Some(b'\n' | b'\r')) {
        return value(text, from, told, fit);
    }
    let at = run_end(bytes, line_end, 16, |byte| byte.is_ascii_whitespace());
    let fit = if fit == Fit::Likely { Fit::Stated } else { fit };
    let span = value(text, at, told, fit)?;
    let rest = text[span.end..].trim_start_matches(CLOSING).trim_start_matches([' ', '.']);
    (rest.is_empty() || rest.starts_with(['\n', '\r'])).then_some(span)
}

/// Where a value in quotes ends that another piece in quotes follows: `` `hunter` `2!` ``.
fn next_piece(text: &str, start: usize, end: usize, fit: Fit) -> Option<usize> {
    let (next, next_end) = piece_behind(text, end).filter(|_| fit.trusts_quotes())?;
    let whole = [&text[start..end], &text[next..next_end]].concat();
    fit.accepts(&whole).then_some(next_end)
}

/// The piece in quotes behind a quote that closes at `end`.
pub(super) fn piece_behind(text: &str, end: usize) -> Option<(usize, usize)> {
    const PIECE_MAX: usize = 32;
    let quote = *text.as_bytes().get(end).filter(|byte| b"\"'`".contains(byte))?;
    let next = skip_blanks(text.as_bytes(), end + 1);
    let is_next = next > end + 1 && text.as_bytes().get(next) == Some(&quote);
    let (start, end) = quoted(text, next).filter(|_| is_next)?;
    let is_piece = end - start <= PIECE_MAX && !text[start..end].contains([' ', '[']);
    is_piece.then_some((start, end))
}

/// The second piece of a value that is told in two: `hunter2 and then !xyz`, `hunter2 !xyz`.
pub(super) fn and_then(
    text: &str,
    start: usize,
    end: usize,
    is_told: bool,
    fit: Fit,
) -> Option<(usize, usize)> {
    const LINKS: [&str; 7] =
        ["and then", "then", "followed by", "plus", "und dann", "puis", "luego"];
    let rest = &text[end..];
    let word_at = rest.trim_start_matches([' ', ',', '`']);
    let link = LINKS
        .into_iter()
        .find(|link| word_at.strip_prefix(*link).is_some_and(|next| next.starts_with(' ')));
    let next = end + rest.len() - word_at.len() + link.map_or(0, str::len);
    let next = next + text[next..].len() - text[next..].trim_start_matches([' ', '`']).len();
    let next_end = value_end(text, next);
    let piece = text[next..next_end].trim_end_matches(CLOSING);
    let has_sign = piece.bytes().any(|byte| b"!@#$%^&*+?~".contains(&byte));
    let digits = piece.bytes().filter(u8::is_ascii_digit).count();
    let is_piece = match link {
        Some(_) if is_told => {
            has_sign || digits > 0 && !piece.starts_with(|first: char| first.is_ascii_lowercase())
        }
        // `hashed and then base64`: the second piece has what the first one lacks.
        Some(_) => {
            let is_number = digits >= 3 && digits == piece.len() && !is_counted(text, next_end);
            (has_sign || is_number) && fit.accepts(&[&text[start..end], piece].concat())
        }
        None => {
            let inner = piece.trim_start_matches(['!', '%', '^', '&', '*']);
            is_told
                && rest.starts_with(' ')
                && !inner.is_empty()
                && inner.len() < piece.len()
                && inner.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
    };
    is_piece.then_some((next, next + piece.len()))
}

/// A number that somebody types, and neither `1234` nor `0000`, which everybody knows.
pub(super) fn is_number(word: &str, least: usize) -> bool {
    let step = word.as_bytes().windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let same = word.as_bytes().windows(2).all(|pair| pair[0] == pair[1]);
    (least..=12).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && !(word.len() <= 4 && (step || same))
}

/// Whether a noun follows the number at once: `4000 entries`, `100000位`.
fn is_counted(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let noun = rest.trim_start_matches(' ');
    rest.starts_with(['位', '文', '字', '个', '個', '桁', '次', '回', '年', '자'])
        || rest.len() > noun.len() && noun.starts_with(|letter: char| letter.is_ascii_lowercase())
}

/// Where the word at `at` ends: at a blank, at a sign of the sentence, or where another script begins.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let end = run_of_word(text, at);
    at + text[at..end].trim_end_matches(['.', '?', '!']).len()
}

/// The same for a value, which may end with a sign of its own: `hunter2!`.
pub(super) fn value_end(text: &str, at: usize) -> usize {
    let mut end = run_of_word(text, at);
    // `x7,kQ;9`: a sign with no blank behind it is a part of the value.
    while end < at + REACH
        && matches!(text.as_bytes().get(end), Some(b',' | b';' | b'|'))
        && text.as_bytes().get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
    {
        end = run_of_word(text, end + 1);
    }
    let word = text[at..end].trim_end_matches(['.', '?']);
    let plain = word.trim_end_matches('!');
    let is_own =
        word.len() == plain.len() + 1 && plain.ends_with(|last: char| last.is_ascii_digit());
    at + if is_own { word.len() } else { plain.trim_end_matches(['.', '?', '!']).len() }
}

fn run_of_word(text: &str, at: usize) -> usize {
    text[at..]
        .char_indices()
        .find(|(offset, letter)| {
            letter.is_whitespace()
                || is_joined(*letter)
                || *offset > REACH
                || ",;:()[]{}<>|=".contains(*letter)
        })
        .map_or(text.len(), |(offset, _)| at + offset)
}

/// Where the word begins that ends at `end`.
pub(super) fn word_start(text: &str, end: usize) -> usize {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b",;:()[]{}<>|=\"'`".contains(&byte);
    run_start(text.as_bytes(), end, REACH, is_part)
}

/// The place behind a colon or an equals sign, of either script.
pub(super) fn after_sign(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let sign = ['：', ':', '='].into_iter().find(|sign| rest.starts_with(*sign))?;
    let next = rest[sign.len_utf8()..].chars().next();
    (next != Some(sign) && next != Some('/') && next != Some('>')).then_some(at + sign.len_utf8())
}

/// The place behind an arrow or a dash with a blank behind it, which stand for `is`.
pub(super) fn after_stroke(text: &str, at: usize) -> Option<usize> {
    const STROKES: [&str; 8] = ["→ ", "-> ", "=> ", "- ", "– ", "— ", "== ", "? "];
    let stroke = STROKES.into_iter().find(|stroke| text[at..].starts_with(*stroke))?;
    Some(at + stroke.len())
}

/// The rest of the sentence, as far as it counts.
pub(super) fn clause(text: &str, from: usize) -> &str {
    let to = text.floor_char_boundary((from + REACH).min(text.len()));
    let rest = &text[from..to];
    &rest[..rest.find(['\n', ';', '!', '?']).unwrap_or(rest.len())]
}

/// A letter of a script that puts no blanks between words, or a sign of one.
pub(super) fn is_joined(letter: char) -> bool {
    letter >= '\u{2E80}'
}

pub(super) fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}
