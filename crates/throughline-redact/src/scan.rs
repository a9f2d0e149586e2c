//! The pass over a text: keywords in, the stretches that are secrets out.

use crate::header::Header;
use crate::keywords::{self, Hit, Looker};
use crate::text::inside_mark;
use crate::{
    TakenSecret, address, assignment, contact, header, key_block, known, layout, marked, number,
    shape, text, told, typed, value, veil,
};

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
/// near where something was taken out, until nothing more is found.
pub(crate) fn secrets(text: &str) -> Vec<TakenSecret> {
    const ROUNDS_MAX: usize = 8;
    let mut spans = merged(found_or_veiled(text, &[(0, text.len())]));
    for round in 0..ROUNDS_MAX {
        if spans.is_empty() {
            break;
        }
        let known = spans.len();
        // A value that was recognised once goes everywhere.
        let repeated = known::again_in(text, &spans);
        let repeated = repeated.into_iter().map(|span| (span, Sureness::Name));
        spans = merged(spans.iter().copied().chain(repeated).collect());

        let (clean, near) = without(text, &spans);
        let mut more = found_or_veiled(&clean, &near);
        if more.is_empty() && (spans.len() == known || round > 0) {
            break;
        }
        more.sort_by_key(|(span, _)| (span.start, span.end));
        let more = original(&more, &spans);
        spans = merged(more.into_iter().chain(spans.iter().copied()).collect());
    }
    let below: Vec<_> = spans.iter().filter_map(|found| below(text, found)).collect();
    let spans = merged(spans.into_iter().chain(below).collect());
    spans.into_iter().map(|(span, _)| TakenSecret::from(span)).collect()
}

/// The rest of a secret that was broken at the end of a line: a word of the same sort, alone on the next one.
fn below(text: &str, (found, sureness): &(Span, Sureness)) -> Option<(Span, Sureness)> {
    const PIECE_MAX: usize = 128;
    let rest = &text[found.end..];
    let line = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let line = &line[..line.floor_char_boundary(PIECE_MAX + 1)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let word = line.trim();
    let start = found.end + rest.len() - rest.trim_start_matches(['\r', '\n', ' ', '\t']).len();
    let length = 6..=PIECE_MAX;
    let signs = |byte: u8| byte.is_ascii_alphanumeric() || b"!@#$%^&*?~_+-".contains(&byte);
    let is_piece = length.contains(&word.len())
        && word.bytes().all(signs)
        && (typed::is_typed_firmly(word) || value::is_dense(word));
    is_piece.then_some((Span { start, end: start + word.len(), rule: found.rule }, *sureness))
}

/// How far from a mark the text is looked at again, before it and behind it.
const NEAR: (usize, usize) = (8 * 1_024, 1_024);

/// The text with a mark in the place of every span, and where there are marks near.
fn without(text: &str, spans: &[(Span, Sureness)]) -> (String, Vec<(usize, usize)>) {
    let mut clean = String::with_capacity(text.len());
    let mut kept_until = 0;
    let mut near: Vec<(usize, usize)> = Vec::new();
    for (span, _) in spans {
        clean.push_str(&text[kept_until..span.start]);
        let start = clean.len().saturating_sub(NEAR.0);
        text::push_mark(&mut clean, span.rule);
        let end = clean.len() + NEAR.1;
        match near.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => near.push((start, end)),
        }
        kept_until = span.end;
    }
    clean.push_str(&text[kept_until..]);
    for (start, end) in &mut near {
        *start = clean.floor_char_boundary(*start);
        *end = clean.ceil_char_boundary((*end).min(clean.len()));
    }
    (clean, near)
}

/// Where spans of the text with marks lie in the original text. Both lists are in order.
fn original(found: &[(Span, Sureness)], spans: &[(Span, Sureness)]) -> Vec<(Span, Sureness)> {
    // The marks: where each begins and ends in the text with marks, and what it stands for.
    let mut marks = Vec::with_capacity(spans.len());
    let (mut clean_at, mut kept_until) = (0, 0);
    for (taken, _) in spans {
        let mark_at = clean_at + taken.start - kept_until;
        let mark_end = mark_at + text::mark_length(taken.rule);
        marks.push((mark_at, mark_end, *taken));
        (clean_at, kept_until) = (mark_end, taken.end);
    }
    // A place before the first mark is where it was; one behind a mark counts from its end; one
    // within a mark is the beginning or the end of what the mark stands for.
    let place = |at: usize, is_start: bool| {
        let before = marks.partition_point(|(mark_at, _, _)| *mark_at < at);
        match before.checked_sub(1).map(|last| marks[last]) {
            None => at,
            Some((_, mark_end, taken)) if at < mark_end && is_start => taken.start,
            Some((_, mark_end, taken)) => taken.end + at.saturating_sub(mark_end),
        }
    };
    let map = |(span, sureness): &(Span, Sureness)| {
        let (start, end) = (place(span.start, true), place(span.end, false));
        (Span { start, end, ..*span }, *sureness)
    };
    found.iter().map(map).collect()
}

/// What these stretches show, and what they show once colours and escapes are taken away.
fn found_or_veiled(text: &str, stretches: &[(usize, usize)]) -> Vec<(Span, Sureness)> {
    let mut spans = found(text, stretches.iter().copied());
    veil::find_all(text, stretches, &mut |span, sureness| spans.push((span, sureness)));
    spans
}

/// One look at these stretches of the text.
pub(crate) fn found(
    text: &str,
    stretches: impl Iterator<Item = (usize, usize)>,
) -> Vec<(Span, Sureness)> {
    let mut look = Look { text, ..Look::default() };
    for (from, to) in stretches {
        for hit in keywords::hits(text, from, to) {
            look.at(hit);
        }
        number::find_all(text, from, to, &mut |span| look.spans.push((span, Sureness::Shape)));
        contact::find_all(text, from, to, &mut |span| look.spans.push((span, Sureness::Shape)));
        told::find_all(text, from, to, &mut |span| look.spans.push((span, Sureness::Name)));
    }
    let bytes = text.as_bytes();
    look.spans.retain(|(span, _)| !inside_mark(bytes, span.start));
    look.spans
}

/// What is kept in mind while a text is looked at.
#[derive(Default)]
struct Look<'a> {
    text: &'a str,
    spans: Vec<(Span, Sureness)>,
    /// Up to where the text is taken out already, for each degree of sureness: what lies before
    /// needs no second look, and that keeps a text of nothing but keywords linear.
    taken: [usize; 3],
    names: assignment::Names,
    shapes: shape::Shapes,
    commands: header::Commands,
    addresses: address::Addresses,
    cookies_until: usize,
    layouts: layout::Layouts,
}

impl Look<'_> {
    /// Looks closer at a keyword.
    fn at(&mut self, hit: Hit) {
        let (text, at, to) = (self.text, hit.start, hit.end);
        let sureness = hit.looker.sureness();
        if at < self.taken[sureness as usize] {
            return;
        }
        let span = match hit.looker {
            Looker::Shape(shape) => {
                let found = self.shapes.find(text, at, shape);
                let beside = found.and_then(|found| shape::secret_beside(text, found));
                self.spans.extend(beside.map(|span| (span, sureness)));
                found
            }
            Looker::Odd(odd) => self.shapes.find_odd(text, at, to, odd),
            Looker::KeyBlock => key_block::find(text, at),
            Looker::KeyBlockEnd => key_block::find_tail(text, at),
            Looker::Encoded => veil::encoded(text, at),
            Looker::Layout(layout) => {
                let spans = &mut self.spans;
                let keep = &mut |span: Span| spans.push((span, Sureness::Place));
                return self.layouts.find_all(text, at, to, layout, keep);
            }
            Looker::Marked(opens) => marked::find(text, at, to, opens),
            Looker::Address => self.addresses.find(text, at),
            Looker::Header(Header::Cookie) => return self.cookies(at, to),
            Looker::Header(header) => self.commands.find(text, at, to, header),
            Looker::Told(noun) => told::find(text, at, to, noun),
            Looker::Name => {
                let spans = &mut self.spans;
                let keep = &mut |span: Span| spans.push((span, Sureness::Place));
                self.layouts.table(text, at, to, keep);
                self.names.find(text, at, to)
            }
        };
        if let Some(span) = span {
            debug_assert!(span.start < span.end, "a secret has a length");
            self.taken[sureness as usize] = self.taken[sureness as usize].max(span.end);
            self.spans.push((span, sureness));
        }
    }

    /// A header may hold several.
    fn cookies(&mut self, at: usize, to: usize) {
        if self.cookies_until <= at {
            let spans = &mut self.spans;
            let keep = &mut |span: Span| spans.push((span, Sureness::Place));
            self.cookies_until = header::cookies(self.text, at, to, keep);
        }
    }
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
