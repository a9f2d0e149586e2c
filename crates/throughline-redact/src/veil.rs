//! Secrets under a veil: colours and invisible signs within a token, signs written as escapes, letters
//! in disguise, and tokens in base64.

use crate::fold::{self, Folded};
use crate::header::base64;
use crate::scan::{Span, Sureness, found};
use crate::text::{run_end, word_may_begin};

/// How the prefixes of well-known tokens begin in base64.
pub(crate) const ENCODED: [&str; 22] = [
    "QUl6Y",
    "QUtJQ",
    "Z2h1X",
    "Z2hvX",
    "Z2hwX",
    "Z2hyX",
    "Z2hzX",
    "Z2l0aHViX3BhdF",
    "Z2xwYXQt",
    "Z2xzYV",
    "ZG9wX3YxX",
    "aHZzL",
    "bGluX2FwaV",
    "bnBtX",
    "c2hwYXRf",
    "c2stYW50L",
    "c2stcHJvai",
    "c2tfbGl2ZV",
    "cHlwaS",
    "cmtfbGl2ZV",
    "eG94Yi",
    "eG94cC",
];

/// The token in base64 that begins at `at`.
pub(crate) fn encoded(text: &str, at: usize) -> Option<Span> {
    const LENGTH_MAX: usize = 1_024;
    let bytes = text.as_bytes();
    if !word_may_begin(bytes, at) {
        return None;
    }
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    let body = run_end(bytes, at, LENGTH_MAX, sign);
    let end = run_end(bytes, body, 2, |byte| byte == b'=');
    let plain = base64(&text[at..end])?;
    let spans = found(&plain, std::iter::once((0, plain.len())));
    let token =
        spans.iter().find(|(span, sureness)| span.start == 0 && *sureness == Sureness::Shape)?;
    Some(Span { start: at, end, rule: token.0.rule })
}

/// How far around a veil the text is looked at.
const NEAR: usize = 256;

/// Finds what only shows without its veils: each span covers them, too.
pub(crate) fn find_all(
    text: &str,
    stretches: &[(usize, usize)],
    keep: &mut impl FnMut(Span, Sureness),
) {
    let may_begin = |byte| matches!(byte, 0x1b | b'%' | b'\\' | b'&') || fold::may_begin(byte);
    if !text.bytes().any(may_begin) {
        return;
    }
    for (from, to) in stretches {
        let Some(plain) = Plain::of(&text[*from..*to]) else { continue };
        for (span, sureness) in found(&plain.text, plain.near.iter().copied()) {
            let (start, end) = (plain.places[span.start], plain.places[span.end - 1]);
            let end = end.1;
            if end - start.0 > span.end - span.start || plain.is_disguised_before(span.start) {
                keep(Span { start: from + start.0, end: from + end, ..span }, sureness);
            }
        }
    }
}

/// A text without its veils.
struct Plain {
    text: String,
    /// Where each byte stood, and where it ended.
    places: Vec<(usize, usize)>,
    /// The stretches around veils.
    near: Vec<(usize, usize)>,
    /// Where letters were in disguise, in order.
    disguised: Vec<usize>,
}

impl Plain {
    /// `None` where there is nothing to take away.
    fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut plain = Self {
            text: String::new(),
            places: Vec::new(),
            near: Vec::new(),
            disguised: Vec::new(),
        };
        let mut copied = 0;
        let mut at = 0;
        while at < bytes.len() {
            let folded = if fold::may_begin(bytes[at]) { fold::at(text, at) } else { None };
            let veiled = match folded {
                Some(Folded::Unseen(length)) => Some((length, None)),
                Some(Folded::Letter(length, sign)) => Some((length, Some(sign))),
                None => veil(&bytes[at..]).filter(|_| within_word(bytes, at)),
            };
            let Some((length, sign)) = veiled else {
                at += 1;
                continue;
            };
            plain.copy(text, copied, at);
            let here = plain.text.len();
            if folded.is_some() {
                plain.disguised.push(here);
            }
            if let Some(sign) = sign {
                plain.text.push(char::from(sign));
                plain.places.push((at, at + length));
            }
            match plain.near.last_mut() {
                Some(last) if here <= last.1 + NEAR => last.1 = here + NEAR,
                _ => plain.near.push((here.saturating_sub(NEAR), here + NEAR)),
            }
            at += length;
            copied = at;
        }
        if plain.near.is_empty() {
            return None;
        }
        plain.copy(text, copied, bytes.len());
        for (start, end) in &mut plain.near {
            *start = plain.text.floor_char_boundary(*start);
            *end = plain.text.ceil_char_boundary((*end).min(plain.text.len()));
        }
        Some(plain)
    }

    /// Whether what names a value may have been in disguise: `password is …` with a letter of
    /// another script.
    fn is_disguised_before(&self, at: usize) -> bool {
        const REACH: usize = 96;
        let before = self.disguised.partition_point(|place| *place <= at);
        before.checked_sub(1).is_some_and(|last| self.disguised[last] + REACH >= at)
    }

    fn copy(&mut self, text: &str, from: usize, to: usize) {
        self.text.push_str(&text[from..to]);
        self.places.extend((from..to).map(|at| (at, at + 1)));
    }
}

/// Whether a token may go on before `at`: another veil, or a sign that tokens are made of.
fn within_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    before.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || b"_-.;:+/=".contains(&byte) || byte >= 0x80
    })
}

/// How long the veil is that the bytes begin with, and what sign it stands for, if for any.
fn veil(bytes: &[u8]) -> Option<(usize, Option<u8>)> {
    let hex = |from: usize, to: usize| {
        let digits = std::str::from_utf8(bytes.get(from..to)?).ok()?;
        u8::from_str_radix(digits, 16).ok().filter(|sign| is_token(*sign))
    };
    match bytes[0] {
        0x1b => colour(bytes, 1),
        b'\\' => {
            let colours = [&b"\\u001b"[..], b"\\u001B", b"\\x1b", b"\\033", b"\\e"];
            if let Some(escape) = colours.iter().find(|escape| bytes.starts_with(escape)) {
                return colour(bytes, escape.len());
            }
            let sign = bytes.starts_with(b"\\u00").then(|| hex(4, 6)).flatten();
            sign.map(|sign| (6, Some(sign)))
        }
        b'%' => hex(1, 3).map(|sign| (3, Some(sign))),
        b'&' => entity(bytes),
        _ => None,
    }
}

/// `ESC [ 3 2 m`, of which `from` bytes are the escape itself.
fn colour(bytes: &[u8], from: usize) -> Option<(usize, Option<u8>)> {
    let codes = bytes.get(from..)?.strip_prefix(b"[")?;
    let digits = run_end(codes, 0, 16, |byte| byte.is_ascii_digit() || byte == b';');
    matches!(codes.get(digits), Some(b'm' | b'K')).then_some((from + 1 + digits + 1, None))
}

/// `&#45;`, `&#x2d;`.
fn entity(bytes: &[u8]) -> Option<(usize, Option<u8>)> {
    let number = bytes.strip_prefix(b"&#")?;
    let end = run_end(number, 0, 5, |byte| byte.is_ascii_alphanumeric());
    let digits = std::str::from_utf8(&number[..end]).ok()?;
    let sign = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u8::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let closed = number.get(end) == Some(&b';') && is_token(sign);
    closed.then_some((end + 3, Some(sign)))
}

/// Signs that tokens are made of.
fn is_token(sign: u8) -> bool {
    sign.is_ascii_alphanumeric() || b"_-.".contains(&sign)
}
