//! The pass over a text: keywords in, the stretches that are secrets out.

use crate::header::Header;
use crate::keywords::{self, Looker};
use crate::text::inside_mark;
use crate::{Found, address, assignment, header, key_block, shape, text};

/// How sure the rule is of what the secret is. Where two overlap, the surer one names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sureness {
    /// The secret's own shape says what it is.
    Shape,
    /// Its place does: an address, a header, a command line.
    Place,
    /// A name before it does.
    Name,
}

/// A stretch of the text that is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rule: &'static str,
}

/// Finds every secret in `text`, in order and without overlaps.
///
/// What a neighbour hid shows once the neighbour is gone, so a text with secrets is looked at again
/// until nothing more is found.
pub(crate) fn secrets(text: &str) -> Vec<Found> {
    const ROUNDS_MAX: usize = 8;
    let mut spans = merged(found(text));
    for _ in 0..ROUNDS_MAX {
        if spans.is_empty() {
            break;
        }
        let clean = without(text, &spans);
        let more = found(&clean);
        if more.is_empty() {
            break;
        }
        let more = more.into_iter().map(|(span, sureness)| (original(span, &spans), sureness));
        spans = merged(more.chain(spans.iter().copied()).collect());
    }
    let found = |(span, _): (Span, Sureness)| Found {
        rule: span.rule,
        at: span.start,
        length: span.end - span.start,
    };
    spans.into_iter().map(found).collect()
}

/// The text with a mark in the place of every span.
fn without(text: &str, spans: &[(Span, Sureness)]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut kept_until = 0;
    for (span, _) in spans {
        clean.push_str(&text[kept_until..span.start]);
        clean.push_str(&text::mark(span.rule));
        kept_until = span.end;
    }
    clean.push_str(&text[kept_until..]);
    clean
}

/// Where a span of the text with marks lies in the original text.
fn original(mut span: Span, spans: &[(Span, Sureness)]) -> Span {
    let (mut start, mut end) = (span.start, span.end);
    // `clean_at` is where the original's `kept_until` lies in the text with marks.
    let (mut clean_at, mut kept_until) = (0, 0);
    for (taken, _) in spans {
        let mark_at = clean_at + taken.start - kept_until;
        let mark_end = mark_at + text::mark(taken.rule).len();
        if mark_at < span.start {
            start = taken.end + span.start.saturating_sub(mark_end);
        }
        if mark_at < span.end {
            end = taken.end + span.end.saturating_sub(mark_end);
        }
        if mark_at < span.start && span.start < mark_end {
            start = taken.start;
        }
        if mark_at >= span.end {
            break;
        }
        (clean_at, kept_until) = (mark_end, taken.end);
    }
    span.start = start;
    span.end = end;
    span
}

/// One look at the text.
fn found(text: &str) -> Vec<(Span, Sureness)> {
    let mut spans: Vec<(Span, Sureness)> = Vec::new();
    // Up to where the text is taken out already, for each degree of sureness: what lies before
    // needs no second look, and that keeps a text of nothing but keywords linear.
    let mut taken = [0_usize; 3];
    let mut names = assignment::Names::default();
    let mut shapes = shape::Shapes::default();
    let mut cookies_until = 0;

    for hit in keywords::hits(text) {
        let sureness = hit.looker.sureness();
        if hit.start < taken[sureness as usize] || inside_mark(text.as_bytes(), hit.start) {
            continue;
        }
        let mut keep = |span: Span| {
            debug_assert!(span.start < span.end, "a secret has a length");
            taken[sureness as usize] = taken[sureness as usize].max(span.end);
            spans.push((span, sureness));
        };
        match hit.looker {
            Looker::Shape(shape) => shapes.find(text, hit.start, shape).map(&mut keep),
            Looker::Odd(odd) => shapes.find_odd(text, hit.start, hit.end, odd).map(&mut keep),
            Looker::KeyBlock => key_block::find(text, hit.start).map(&mut keep),
            Looker::Address => address::find(text, hit.start).map(&mut keep),
            Looker::Header(Header::Cookie) => {
                if cookies_until <= hit.start {
                    cookies_until = header::cookies(text, hit.start, hit.end, &mut keep);
                }
                None
            }
            Looker::Header(header) => header::find(text, hit.start, hit.end, header).map(&mut keep),
            Looker::Name => names.find(text, hit.start, hit.end).map(&mut keep),
        };
    }
    spans
}

/// Joins stretches that overlap, so that no end of a secret is left over.
fn merged(mut spans: Vec<(Span, Sureness)>) -> Vec<(Span, Sureness)> {
    spans.sort_by_key(|(span, sureness)| (span.start, *sureness));
    let mut joined: Vec<(Span, Sureness)> = Vec::with_capacity(spans.len());
    for (span, sureness) in spans {
        match joined.last_mut() {
            Some((last, last_sureness)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if sureness < *last_sureness {
                    last.rule = span.rule;
                    *last_sureness = sureness;
                }
            }
            _ => joined.push((span, sureness)),
        }
    }
    joined
}
