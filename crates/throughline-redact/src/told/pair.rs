//! A user's name and a password beside it: `ann / …`, `ann:…@host`, `as ann with …`.

use super::Told;
use super::links::ADVERBS;
use super::word::{
    CLOSING, Fit, after_sign, after_stroke, clause, is_one_of, value, value_end, word_end,
    word_start,
};
use crate::scan::Span;
use crate::text::{run_end, skip_blanks};

/// `log in as NAME with VALUE`
pub(super) fn login(text: &str, to: usize) -> Option<Span> {
    let clause = clause(text, to);
    let name_at = clause.find("as ").filter(|at| clause[..*at].ends_with(' '))? + "as ".len();
    if let Some(span) = pair_at(text, to + name_at, Fit::Stated)
        .or_else(|| listed_at(text, to + name_at, Fit::Sure))
    {
        return Some(span);
    }
    let name = clause[name_at..].trim_start();
    let link = [" with ", " using "].into_iter().find_map(|link| {
        let at = name.find(link)?;
        (!name[..at].contains(' ')).then_some(at + link.len())
    })?;
    let from = to + clause.len() - name.len() + link;
    value(text, from, Told::English, Fit::Sure)
}

/// `credentials for staging: NAME/VALUE`, `creds are NAME / VALUE`
pub(super) fn credentials(text: &str, to: usize) -> Option<Span> {
    const WORDS_MAX: usize = 4;
    const LINKS: [&str; 10] =
        ["is", "are", "was", "were", "ist", "sind", "sont", "son", "sono", "são"];
    let pair =
        |from: usize| pair_at(text, from, Fit::Stated).or_else(|| listed_at(text, from, Fit::Sure));
    let mut at = to;
    for _ in 0..=WORDS_MAX {
        at = skip_blanks(text.as_bytes(), at);
        if let Some(next) = after_sign(text, at).or_else(|| after_stroke(text, at)) {
            return pair(next);
        }
        let end = word_end(text, at);
        if is_one_of(&LINKS, &text[at..end]) {
            let from = after_sign(text, end).unwrap_or(end);
            let next = skip_blanks(text.as_bytes(), from);
            let next_end = word_end(text, next);
            let from = if is_one_of(&ADVERBS, &text[next..next_end]) { next_end } else { from };
            return pair(from);
        }
        if end == at {
            return None;
        }
        at = end;
    }
    None
}

/// A name at a place of the text: where it begins, where it ends, and where the next sign stands.
fn name_at(text: &str, from: usize) -> Option<(usize, usize, usize)> {
    let bytes = text.as_bytes();
    let at = run_end(bytes, from, 8, |byte| b" *`\"'".contains(&byte));
    let end =
        run_end(bytes, at, 64, |byte| byte.is_ascii_alphanumeric() || b"._@+-".contains(&byte));
    let closed = run_end(bytes, end, 2, |byte| b"`\"'*".contains(&byte));
    let sign = skip_blanks(bytes, closed);
    (end >= at + 2 && bytes[at].is_ascii_alphabetic()).then_some((at, end, sign))
}

/// The value of `NAME/VALUE`, `NAME:VALUE`, `NAME / VALUE`, `NAME:VALUE@HOST`.
pub(super) fn pair_at(text: &str, from: usize, fit: Fit) -> Option<Span> {
    let bytes = text.as_bytes();
    let (_, end, sign) = name_at(text, from)?;
    let next = skip_blanks(bytes, sign + usize::from(sign < bytes.len()));
    let is_pair = matches!(bytes.get(sign), Some(b'/' | b':')) && (sign > end) == (next > sign + 1);
    if !is_pair {
        return None;
    }
    before_host(text, next, fit).or_else(|| value(text, next, Told::English, fit))
}

/// The value of `VALUE@db.local`.
fn before_host(text: &str, at: usize, fit: Fit) -> Option<Span> {
    let word = text[at..value_end(text, at)].trim_end_matches(CLOSING);
    let (value, host) = word.rsplit_once('@')?;
    let is_host = host.starts_with(|first: char| first.is_ascii_alphanumeric())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_/".contains(&byte));
    (is_host && fit.accepts(value)).then_some(Span {
        start: at,
        end: at + value.len(),
        rule: super::RULE,
    })
}

/// The value of `NAME and VALUE`, and of `NAME VALUE` with nothing behind it.
pub(super) fn listed_at(text: &str, from: usize, fit: Fit) -> Option<Span> {
    const AND: [&str; 10] = ["and", "und", "et", "y", "e", "i", "и", "en", "och", "with"];
    const ELSEWHERE: [&str; 8] = ["see", "ask", "use", "in", "from", "check", "are", "the"];
    let (at, end, sign) = name_at(text, from)?;
    let and = word_end(text, sign);
    // `as deploy, …`
    if text[sign..].starts_with(", ") {
        let span = value(text, sign + 1, Told::English, Fit::Firm)?;
        return Some(span);
    }
    if sign == end {
        return None;
    }
    if is_one_of(&AND, &text[sign..and]) {
        let fit = if fit == Fit::Sure { Fit::Stated } else { fit };
        return value(text, and, Told::English, fit);
    }
    let span = value(text, sign, Told::English, fit)?;
    let goes_on = text[span.end..].trim_start_matches(' ').starts_with(char::is_lowercase);
    (!goes_on && !is_one_of(&ELSEWHERE, &text[at..end])).then_some(span)
}

/// `grafana is bob / …`: a name and a value with the slash at `at` between them, and before the name
/// what says that this is how to get in.
pub(super) fn slash(text: &str, at: usize) -> Option<Span> {
    const LINKS: [&str; 10] = ["is", "are", "use", "with", "as", "was", "were", "ist", "est", "es"];
    let start = word_start(text, at);
    let before = text[..start].trim_end_matches(' ');
    let word = &before[word_start(text, before.len())..];
    let is_linked = before.len() < start && (before.ends_with(':') || is_one_of(&LINKS, word));
    is_linked.then(|| pair_at(text, start, Fit::Firm))?
}
