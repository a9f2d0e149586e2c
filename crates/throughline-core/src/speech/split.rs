//! Running text cut into sentences.

use std::ops::Range;

/// The sentences of a stretch of running text, trimmed, none empty.
pub(super) fn sentences(turn: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let text = &turn[span.clone()];
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if let Some(close) = closing(text, at, c) {
            let inside = &text[next..close];
            at = close + text[close..].chars().next().map_or(1, char::len_utf8);
            if inside.ends_with(['.', '!', '?']) && c != '`' && large_follows(&text[at..]) {
                push(text, start..at, &mut found);
                start = at;
            }
            continue;
        }
        at = next;
        let wide = matches!(c, '。' | '？' | '！');
        if wide || (matches!(c, '.' | '!' | '?' | '…') && ends(text, start, at)) {
            at += text[at..].len() - text[at..].trim_start_matches(CLOSERS).len();
            push(text, start..at, &mut found);
            start = at;
        }
    }
    push(text, start..text.len(), &mut found);
    found.into_iter().map(|one| span.start + one.start..span.start + one.end).collect()
}

const CLOSERS: &[char] = &['.', '!', '?', '…', ')', ']', '"', '\'', '”', '’', '»', '*', '_', '`'];

/// Quotations longer than this are no quotations: a mark was left open.
const QUOTED_BYTES_MAX: usize = 400;

/// Where what opens here closes again, if it is code or a quotation.
fn closing(text: &str, at: usize, c: char) -> Option<usize> {
    let close = match c {
        '`' => '`',
        '"' => '"',
        '“' => '”',
        _ => return None,
    };
    let inside = at + c.len_utf8();
    let end = text.floor_char_boundary(inside + QUOTED_BYTES_MAX);
    text[inside..end].find(close).map(|place| inside + place)
}

fn large_follows(rest: &str) -> bool {
    let gap = rest.starts_with(char::is_whitespace);
    gap && rest.trim_start().chars().next().is_some_and(char::is_uppercase)
}

/// Whether the mark before `at` ends a sentence.
fn ends(text: &str, start: usize, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(CLOSERS);
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let said = &text[start..at];
    let after = rest.trim_start().chars().next();
    if said.ends_with(['!', '?']) {
        return true;
    }
    if said.ends_with("..") || said.ends_with('…') || text[at..].starts_with('.') {
        return !after.is_some_and(char::is_lowercase);
    }
    let token = said[..said.len() - 1].rsplit(char::is_whitespace).next().unwrap_or_default();
    let token = token.trim_start_matches(['(', '[', '"', '\'']);
    if token.eq_ignore_ascii_case("etc") {
        return after.is_none_or(char::is_uppercase);
    }
    let initial = token.len() == 1 && token.chars().all(|c| c.is_uppercase() && c != 'I');
    let counts = said.trim().len() == token.len() + 1 && token.bytes().all(|b| b.is_ascii_digit());
    !(initial || counts || ABBREVIATIONS.iter().any(|known| token.eq_ignore_ascii_case(known)))
}

const ABBREVIATIONS: &[&str] = &[
    "e.g", "eg", "i.e", "ie", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "resp",
    "fig", "sec", "ver", "v", "jr", "sr", "al", "eq", "dept", "est", "incl", "excl", "a.k.a",
    "aka", "perf", "w.r.t", "nr", "pp", "ca",
];

fn push(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let said = &text[span.clone()];
    let lead = said.len() - said.trim_start().len();
    let kept = said.trim();
    if kept.chars().any(char::is_alphanumeric) {
        found.push(span.start + lead..span.start + lead + kept.len());
    }
}
