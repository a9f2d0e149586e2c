//! What stands between tags: `<think>…</think>`, `<tool-use …>…`, comments.
//!
//! Hosts wrap in tags what no person said. A tag without an end cuts what follows only where it
//! stands alone on its line and looks like a machine's; `<name>` as a placeholder stays a word.

use std::collections::HashMap;
use std::ops::Range;

/// The stretches to cut out, in order, apart from each other. `code` holds places that are not
/// looked at, in order.
pub(super) fn regions(turn: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut open: HashMap<&str, Vec<Tag<'_>>> = HashMap::new();
    let mut cut = Vec::new();
    for tag in tags(turn, code) {
        match tag.sort {
            TagSort::Alone => cut.push(tag.span),
            TagSort::Open => open.entry(tag.name).or_default().push(tag),
            TagSort::Close => match open.get_mut(tag.name).and_then(Vec::pop) {
                Some(start) => cut.push(start.span.start..tag.span.end),
                None => cut.push(tag.span),
            },
        }
    }
    let unclosed = open.into_values().flatten().filter(|tag| tag.machine);
    cut.extend(unclosed.map(|tag| tag.span.start..turn.len()));
    merged(cut)
}

/// Stretches put in order, those that touch made one.
fn merged(mut stretches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    stretches.sort_by_key(|one| (one.start, one.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for one in stretches {
        match merged.last_mut() {
            Some(last) if one.start <= last.end => last.end = last.end.max(one.end),
            _ => merged.push(one),
        }
    }
    merged
}

enum TagSort {
    Open,
    Close,
    Alone,
}

struct Tag<'a> {
    name: &'a str,
    span: Range<usize>,
    sort: TagSort,
    /// At the beginning of its line and written as machines write.
    machine: bool,
}

const TAG_BYTES_MAX: usize = 300;

fn tags<'a>(turn: &'a str, code: &[Range<usize>]) -> Vec<Tag<'a>> {
    let mut tags = Vec::new();
    let mut code = code.iter().peekable();
    let mut at = 0;
    while let Some(found) = turn[at..].find('<') {
        let start = at + found;
        while code.peek().is_some_and(|one| one.end <= start) {
            code.next();
        }
        if let Some(hidden) = code.peek().filter(|one| one.contains(&start)) {
            at = turn.ceil_char_boundary(hidden.end.min(turn.len()));
        } else if let Some(tag) = tag(turn, start) {
            at = tag.span.end;
            tags.push(tag);
        } else {
            at = start + 1;
        }
    }
    tags
}

fn tag(turn: &str, start: usize) -> Option<Tag<'_>> {
    let rest = &turn[start..];
    if rest.starts_with("<!--") {
        let end = rest.find("-->").map_or(rest.len(), |place| place + 3);
        return Some(Tag {
            name: "",
            span: start..start + end,
            sort: TagSort::Alone,
            machine: true,
        });
    }
    let before = turn[..start].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '`' | '&' | '_' | ':'))
        && !rest.starts_with("</")
    {
        return None;
    }
    let window = &rest[..rest.floor_char_boundary(TAG_BYTES_MAX)];
    let end = window.find('>')?;
    let inside = window[1..end].trim_end_matches('/');
    let (closes, body) = inside.strip_prefix('/').map_or((false, inside), |body| (true, body));
    let length = body.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':')));
    let (name, attributes) = body.split_at(length.unwrap_or(body.len()));
    let attributed = attributes.contains('=') && attributes.starts_with(char::is_whitespace);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || !(attributes.trim().is_empty() || attributed)
    {
        return None;
    }
    let sort = if closes {
        TagSort::Close
    } else if window[..end].ends_with('/') {
        TagSort::Alone
    } else {
        TagSort::Open
    };
    let leads = before.is_none_or(|c| matches!(c, '\n' | '>'));
    let machine = leads && (attributed || name.contains(['-', '_']) || KNOWN.contains(&name));
    Some(Tag { name, span: start..start + end + 1, sort, machine })
}

const KNOWN: &[&str] = &["think", "thinking", "details", "analysis", "summary", "system", "result"];
