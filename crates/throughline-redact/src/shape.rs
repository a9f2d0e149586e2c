//! Tokens that are known by their face: a prefix that nothing else has, then a run of signs.

mod table;

use crate::scan::Span;
use crate::text::{is_word, run_end, run_start, word_may_begin};
use crate::value::is_mask;

pub(crate) use table::SHAPES;

/// What a token of one kind looks like.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// What the mark says.
    pub(crate) rule: &'static str,
    /// How it begins, letter for letter.
    pub(crate) prefixes: &'static [&'static str],
    /// What follows the prefix.
    pub(crate) body: Body,
    /// The fewest signs that follow the prefix.
    pub(crate) least: usize,
    /// The most signs that follow; a longer run is something else.
    pub(crate) most: usize,
}

/// The signs that the rest of a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Hex,
    Alphanumeric,
    /// Capital letters and digits.
    Capitals,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and dots.
    Dotted,
    /// The same and `=`.
    Padded,
    /// Base64 with the signs of either alphabet.
    Base64,
    /// The path of an address.
    Path,
    /// Base64 with dots.
    Signs,
}

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Word => is_word(byte),
            Self::Dotted => is_word(byte) || byte == b'.',
            Self::Padded => is_word(byte) || byte == b'.' || byte == b'=',
            Self::Base64 => is_word(byte) || b"+/=".contains(&byte),
            Self::Signs => is_word(byte) || b"+/=.".contains(&byte),
            Self::Path => is_word(byte) || b"/@.%".contains(&byte),
        }
    }
}

/// Finds tokens, and reads a run of signs that turned out to be none only once.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    none_until: Option<(&'static Shape, usize)>,
    no_jwt_until: usize,
}

impl Shapes {
    /// Finds the token whose prefix stands at `at`.
    pub(crate) fn find(&mut self, text: &str, at: usize, shape: &'static Shape) -> Option<Span> {
        let read = self.none_until.is_some_and(|(of, until)| std::ptr::eq(of, shape) && at < until);
        if read {
            return None;
        }
        let mut read_until = at;
        let found = find(text, at, shape, &mut read_until);
        if found.is_none() && read_until - at > NONE_MIN {
            self.none_until = Some((shape, read_until));
        }
        found
    }

    /// Finds the token with the keyword at `at..to` in it.
    pub(crate) fn find_odd(&mut self, text: &str, at: usize, to: usize, odd: Odd) -> Option<Span> {
        match odd {
            Odd::Jwt if at < self.no_jwt_until => None,
            Odd::Jwt => {
                let found = jwt(text, at);
                if found.is_none() {
                    self.no_jwt_until = run_end(text.as_bytes(), at, JWT_WINDOW, is_jwt);
                }
                found
            }
            Odd::Terraform
            | Odd::Azure
            | Odd::Telegram
            | Odd::AzureDevops
            | Odd::AzureKey
            | Odd::Discord
            | Odd::Mailchimp => find_odd(text, at, to, odd),
        }
    }
}

/// No token is longer than this; a longer run of the same signs is data.
const WINDOW: usize = 4_096;

/// Shorter runs cost nothing to read again.
const NONE_MIN: usize = 1_024;

fn find(text: &str, at: usize, shape: &Shape, read_until: &mut usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let prefix = shape.prefixes.iter().find(|prefix| text[at..].starts_with(**prefix))?;
    if !word_may_begin(bytes, at) {
        return None;
    }
    let body_at = at + prefix.len();
    let mut end = run_end(bytes, body_at, WINDOW, |byte| shape.body.has(byte));
    *read_until = end;
    end -= trailing_dots(&bytes[body_at..end]);
    if let Some(dashes) = text[body_at..end].find("-----") {
        end = body_at + dashes; // A block or a rule begins there.
    }
    let body = &text[body_at..end];
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let whole = end == bytes.len() || !goes_on(bytes[end]);
    if !whole {
        return None;
    }
    if body.len() < shape.least {
        let (joined, end) = broken(text, body_at, end, shape)?;
        let fits = (shape.least..=shape.most).contains(&joined.len());
        return (fits && is_body(&joined, prefix, shape)).then_some(Span {
            start: at,
            end,
            rule: shape.rule,
        });
    }
    if !(shape.least..=shape.most).contains(&body.len()) || !is_body(body, prefix, shape) {
        return None;
    }
    // For an address, the host says what it is and is no secret.
    let start = if prefix.contains('/') { body_at } else { at };
    Some(Span { start, end, rule: shape.rule })
}

/// Whether signs behind a prefix are a token's, and not a mask, a name or a path.
fn is_body(body: &str, prefix: &str, shape: &Shape) -> bool {
    // Names in style sheets and paths are lower-case words; no token is made of those alone.
    let parted = body.len() < 24 || body.bytes().any(|byte| b"-_./".contains(&byte));
    let plain =
        parted && body.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_./".contains(&byte));
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    !(is_mask(body)
        || plain
        || (["sk-", "sk.", "tk.", "pk."].contains(&prefix) && !has_random_part(body))
        || (body.len() < 20 && shape.least != shape.most && digits < 3)
        || (["test_", "live_"].contains(&prefix) && digits == 0)
        || (["sk_", "pk_"].contains(&prefix) && !has_long_part(body))
        || is_of_another(prefix, body))
}

/// Lines that a token may be broken into behind the first.
const BROKEN_MAX: usize = 12;

/// The signs of a token that is too short, with those that stand right below it, and where they end: a terminal
/// broke it at the end of its line. Each piece but the last takes its whole line, and all of them together are no
/// words. One that is long enough goes on below where its lines are full.
fn broken(text: &str, body_at: usize, end: usize, shape: &Shape) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut joined = text[body_at..end].to_owned();
    if joined.is_empty() {
        return None;
    }
    let (mut at, above, mut width) = (end, joined.len(), 0);
    for _ in 0..BROKEN_MAX {
        let rest = &text[at..];
        let Some(line) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else {
            break;
        };
        let start = text.len() - line.len();
        let to = run_end(bytes, start, WINDOW, |byte| shape.body.has(byte));
        let piece = &text[start..to - trailing_dots(&bytes[start..to])];
        let is_long_enough = joined.len() >= shape.least;
        let goes_on = piece.len() <= width && piece.bytes().any(|byte| byte.is_ascii_digit());
        if piece.is_empty() || is_long_enough && !goes_on {
            break;
        }
        joined.push_str(piece);
        at = start + piece.len();
        if piece.len() < width {
            break;
        }
        width = piece.len();
    }
    let below = &joined.as_bytes()[above..];
    let has = |wanted: fn(&u8) -> bool| below.iter().any(wanted);
    // Where the length is exact, the last piece may happen to have no digit.
    let is_word = below.iter().skip(1).all(u8::is_ascii_lowercase);
    let exact = shape.least == shape.most && !is_word && joined.bytes().any(|b| b.is_ascii_digit());
    let drawn = exact || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let ends = at == bytes.len() || !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_');
    (drawn && ends && joined.len() >= shape.least).then_some((joined, at))
}

/// The secret that belongs to an id of AWS: forty signs of base64 right behind it or before it, with
/// nothing but a sign, a line break or a short name between them.
pub(crate) fn secret_beside(text: &str, id: Span) -> Option<Span> {
    const LENGTH: usize = 40;
    const BETWEEN_MAX: usize = 48;
    if id.rule != "aws-access-key" {
        return None;
    }
    let bytes = text.as_bytes();
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    let secret = |start: usize, end: usize| {
        let has = |wanted: fn(&u8) -> bool| bytes[start..end].iter().any(wanted);
        let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
        let is_secret = end - start == LENGTH
            && is_mixed
            && (has(u8::is_ascii_digit) || has(u8::is_ascii_punctuation))
            && !is_mask(&text[start..end]);
        is_secret.then_some(Span { start, end, rule: "aws-secret-key" })
    };
    let mut at = id.end;
    let until = bytes.len().min(id.end + BETWEEN_MAX);
    while at < until {
        // The slash between the two may be taken for a part of the second.
        let from = at + usize::from(at == id.end && bytes[at] == b'/');
        let end = run_end(bytes, from, LENGTH + 1, sign);
        if let Some(span) = secret(from, end) {
            return Some(span);
        }
        at = end.max(at + 1);
    }
    let end = id.start - run_of_signs(bytes, id.start);
    let end = end.max(id.start.saturating_sub(8));
    secret(run_start(bytes, end, LENGTH + 1, sign), end)
}

/// How many blanks and signs of a list stand before `to`.
fn run_of_signs(bytes: &[u8], to: usize) -> usize {
    to - run_start(bytes, to, 8, |byte| b" \t\r\n,;:|/\"'`".contains(&byte))
}

/// `sk_X509_POLICY_NODE_num`: a name is made of short parts, or has no digit.
fn has_long_part(body: &str) -> bool {
    body.split(['-', '_']).any(|part| {
        part.len() >= 24 || part.len() >= 12 && part.bytes().any(|byte| byte.is_ascii_digit())
    })
}

/// `pk_live_…` is public and `sk_live_…` has a rule of its own, although many begin with `sk_`; of what
/// PEM holds, certificates and public keys are public.
fn is_of_another(prefix: &str, body: &str) -> bool {
    let begins = |starts: &[&str]| starts.iter().any(|start| body.starts_with(start));
    match prefix {
        "sk_" | "pk_" => begins(&["live_", "test_", "prod_", "sbox_"]),
        "LS0tLS1CRUdJTi" => begins(&["BDRVJUSUZJQ0FURS", "BQVUJMSUMg"]),
        _ => false,
    }
}

/// Tokens whose tell-tale is not at their beginning, or that have an inner structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Odd {
    /// `eyJ….eyJ….…`
    Jwt,
    /// Fourteen signs before `.atlasv1.`.
    Terraform,
    /// Three signs and a digit before `Q~`.
    Azure,
    /// The number of a bot before `:AA`.
    Telegram,
    /// Seventy-six signs before `AZDO` and four behind.
    AzureDevops,
    /// Fifty-two signs before `JQQJ99` and twenty-six behind.
    AzureKey,
    /// Three parts with dots: a user's number, a time and a signature.
    Discord,
    /// A digest before the name of a data centre.
    Mailchimp,
}

/// Each odd token with the keyword that gives it away.
pub(crate) const ODD: [(&str, Odd); 16] = [
    ("eyJ", Odd::Jwt),
    (".atlasv1.", Odd::Terraform),
    ("Q~", Odd::Azure),
    (":AA", Odd::Telegram),
    ("AZDO", Odd::AzureDevops),
    ("JQQJ99", Odd::AzureKey),
    ("-us", Odd::Mailchimp),
    // How a number begins in base64.
    ("MT", Odd::Discord),
    ("Mj", Odd::Discord),
    ("Mz", Odd::Discord),
    ("ND", Odd::Discord),
    ("NT", Odd::Discord),
    ("Nj", Odd::Discord),
    ("Nz", Odd::Discord),
    ("OD", Odd::Discord),
    ("OT", Odd::Discord),
];

fn find_odd(text: &str, at: usize, to: usize, odd: Odd) -> Option<Span> {
    let bytes = text.as_bytes();
    match odd {
        Odd::Jwt => jwt(text, at),
        Odd::Terraform => {
            let start = run_start(bytes, at, 14, |byte| byte.is_ascii_alphanumeric());
            let end = run_end(bytes, to, 128, is_word);
            let long = at - start == 14 && end - to >= 40;
            long.then_some(Span { start, end, rule: "terraform-token" })
        }
        Odd::Azure => {
            let sign = |byte: u8| is_word(byte) || byte == b'~' || byte == b'.';
            let start = run_start(bytes, at, 4, sign);
            let end = run_end(bytes, to, 64, sign);
            let end = end - trailing_dots(&bytes[to..end]);
            let fits = text[at..].starts_with("Q~")
                && at - start == 4
                && bytes[at - 1].is_ascii_digit()
                && word_may_begin(bytes, start)
                && (31..=34).contains(&(end - to));
            fits.then_some(Span { start, end, rule: "azure-client-secret" })
        }
        Odd::AzureDevops => around(text, at, to, 76, 4),
        Odd::AzureKey => around(text, at, to, 52, 26),
        Odd::Discord => discord(text, at),
        Odd::Mailchimp => {
            let start = run_start(bytes, at, 33, |byte| byte.is_ascii_hexdigit());
            let end = run_end(bytes, to, 3, |byte| byte.is_ascii_digit());
            let fits = at - start == 32 && (1..=2).contains(&(end - to));
            fits.then_some(Span { start, end, rule: "mailchimp-key" })
        }
        Odd::Telegram => {
            let start = run_start(bytes, at, 12, |byte| byte.is_ascii_digit());
            let end = run_end(bytes, to, 64, is_word);
            let fits = text[at..].starts_with(":AA")
                && (8..=10).contains(&(at - start))
                && (32..=34).contains(&(end - to));
            fits.then_some(Span { start, end, rule: "telegram-token" })
        }
    }
}

/// Letters and digits, just so many before `at` and behind `to`.
fn around(text: &str, at: usize, to: usize, before: usize, behind: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = run_start(bytes, at, before + 1, |byte| byte.is_ascii_alphanumeric());
    let end = run_end(bytes, to, behind + 1, |byte| byte.is_ascii_alphanumeric());
    let fits = at - start == before && end - to == behind;
    fits.then_some(Span { start, end, rule: "azure-key" })
}

/// The token of a bot that begins at `at`.
fn discord(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if !bytes[at].is_ascii_uppercase() || !word_may_begin(bytes, at) {
        return None;
    }
    let first = run_end(bytes, at, 29, |byte| byte.is_ascii_alphanumeric());
    let second = run_end(bytes, bytes.len().min(first + 1), 7, is_word);
    let end = run_end(bytes, bytes.len().min(second + 1), 40, is_word);
    let dots = bytes.get(first) == Some(&b'.') && bytes.get(second) == Some(&b'.');
    let fits = dots
        && (23..=28).contains(&(first - at))
        && second - first == 7
        && (27..=38).contains(&(end - second - 1));
    fits.then_some(Span { start: at, end, rule: "discord-token" })
}

/// With many claims in it a token gets long, but a header line has its limits.
const JWT_WINDOW: usize = 16 * 1_024;

fn is_jwt(byte: u8) -> bool {
    is_word(byte) || byte == b'.' || byte == b'='
}

/// A header and a payload, both JSON in base64, and mostly a signature.
fn jwt(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if !text[at..].starts_with("eyJ") || !word_may_begin(bytes, at) {
        return None;
    }
    let end = run_end(bytes, at, JWT_WINDOW, is_jwt);
    let end = end - trailing_dots(&bytes[at..end]);
    let mut parts = text[at..end].split('.');
    let (header, payload) = (parts.next()?, parts.next()?);
    let encrypted = parts.clone().count() >= 3;
    let signed = ["eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"].iter().any(|s| header.starts_with(s));
    let fits = header.len() >= 12
        && (payload.len() >= 8 && (payload.starts_with("eyJ") || signed) || encrypted);
    fits.then_some(Span { start: at, end, rule: "jwt" })
}

/// Full stops that end the sentence and not the token.
fn trailing_dots(body: &[u8]) -> usize {
    body.iter().rev().take_while(|byte| **byte == b'.').count()
}

/// `sk-` also begins names in style sheets; those are words, a key has a long part that is none.
fn has_random_part(body: &str) -> bool {
    if body.starts_with("ant-") {
        return false; // Has a rule of its own.
    }
    body.split(['-', '_']).any(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= 16 && 2 <= digits && digits < part.len()
    }) || (body.len() >= 64 && body.bytes().any(|byte| byte.is_ascii_digit()))
}
