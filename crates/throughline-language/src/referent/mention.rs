//! Places that a text names, found by how they are written.

use std::ops::Range;

use super::path::{self, Leads};
use super::piece::{TextPiece, pieces};
use super::{NamedPlace, TEXT_BYTES_MAX};
use throughline_core::{text, words};

/// A place with where a text names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceMention {
    /// What is named.
    pub place: NamedPlace,
    /// The bytes of the text that name it.
    pub range: Range<usize>,
}

const MENTIONS_MAX: usize = 16;

/// How far behind a name its value may end.
const LOOK_AHEAD_BYTES: usize = 80;

/// The places that a text names by their form, in the order met. None of them need exist.
pub fn mentions(text: &str) -> Vec<PlaceMention> {
    let text = text::cut(text, TEXT_BYTES_MAX);
    pieces(text)
        .filter_map(|piece| {
            let (place, range) = place(text, &piece)?;
            Some(PlaceMention { place, range })
        })
        .take(MENTIONS_MAX)
        .collect()
}

fn place(text: &str, piece: &TextPiece<'_>) -> Option<(NamedPlace, Range<usize>)> {
    if is_broken_off(piece) {
        return None;
    }
    let handle = piece.text.strip_prefix('@').filter(|rest| rest.contains(['.', '/']));
    let found = commit(piece)
        .or_else(|| flag(text, piece))
        .or_else(|| package(text, piece))
        .or_else(|| manifest_key(piece.text))
        .or_else(|| on_disk(text, piece, handle.unwrap_or(piece.text)))?;
    Some((found, piece.range()))
}

/// Whether only a part of a path is left, `app/[slug]/page.ts`, or a call: `response.json()`.
fn is_broken_off(piece: &TextPiece<'_>) -> bool {
    let bracket =
        |c: Option<char>| matches!(c, Some('[' | ']' | '{' | '}' | '(' | ')' | '<' | '>'));
    let left = matches!(piece.before, Some(']' | '}' | ')' | '>' | '*'))
        && piece.text.starts_with(['/', '.']);
    let right = bracket(piece.after) && piece.text.ends_with('/') || piece.after == Some('(');
    left || right
}

/// `4f2a91c`, or all forty digits of it.
fn commit(piece: &TextPiece<'_>) -> Option<NamedPlace> {
    let hex = piece.text;
    let long = matches!(hex.len(), 7..=12 | 40);
    if !long || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    // `1048576b` is a size and `1234e567` a number.
    let middle = hex.trim_matches(|c: char| c.is_ascii_digit());
    let counts = middle.len() == 1 && (middle == "e" || hex.ends_with(middle));
    let mixed = !middle.is_empty() && hex.bytes().any(|b| b.is_ascii_digit());
    (mixed && !counts).then(|| NamedPlace::Commit { hex: hex.to_owned() })
}

/// `DATABASE_URL`, `$HOME`, `${HOME}`, `PORT=`, `process.env.PORT`.
fn flag(text: &str, piece: &TextPiece<'_>) -> Option<NamedPlace> {
    let written = piece.text;
    let end = piece.range().end;
    let assigned = text[end..].starts_with('=') && !text[end..].starts_with("==");
    let (name, marked) = if let Some(name) = written.strip_prefix('$') {
        (name, true)
    } else if let Some((object, name)) = written.rsplit_once('.') {
        (name, object == "env" || object.ends_with(".env"))
    } else {
        (written, assigned || text[..piece.start].ends_with("${"))
    };
    (is_screaming(name) && (marked || is_compound(written)) && name != "HEAD")
        .then(|| NamedPlace::Flag { name: name.to_owned() })
}

fn is_screaming(name: &str) -> bool {
    (2..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn is_compound(name: &str) -> bool {
    let parts = name.split('_');
    parts.clone().count() >= 2 && parts.clone().all(|part| !part.is_empty())
}

/// `react@18.2`, `serde 1.0.219`, `edition = "2024"`: the key alone.
fn package(text: &str, piece: &TextPiece<'_>) -> Option<NamedPlace> {
    let key = |name: &str| NamedPlace::Flag { name: name.to_owned() };
    if let Some((name, version)) = piece.text.rsplit_once('@') {
        let version = version.trim_start_matches(['^', '~', 'v']);
        let parts = numbers_of(version)?;
        return (is_key(name) && (1..=3).contains(&parts)).then(|| key(name));
    }
    let name = piece.text;
    if !is_key(name) {
        return None;
    }
    let rest = text::cut(&text[piece.range().end..], LOOK_AHEAD_BYTES);
    let rest = rest.trim_start_matches(['`', '"']);
    let follows = rest.trim_start_matches(' ');
    if let Some(value) = follows.strip_prefix('=')
        && !value.starts_with(['=', '>'])
        && !name.contains('/')
        && piece.before != Some('=')
    {
        let value = value.trim_start_matches(' ');
        let plain = value.trim_start_matches(['"', '\'']);
        let quoted = value.len() > plain.len();
        // `href="…"` is an attribute.
        let spaced = rest.len() > follows.len();
        let settles = if quoted {
            spaced && plain.contains(['"', '\''])
        } else {
            plain.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
                || ["true", "false"].iter().any(|word| plain.starts_with(word))
        };
        return settles.then(|| key(name));
    }
    let version: &str =
        follows.split(|c: char| c.is_whitespace() || "`\"',;)".contains(c)).next()?;
    let parts = numbers_of(version.trim_end_matches('.').trim_start_matches('v'))?;
    let lower = name.trim_start_matches('@').starts_with(|c: char| c.is_ascii_lowercase());
    let bare = !name.contains('.') && !is_plain_word(name);
    (parts == 3 && rest.len() > follows.len() && lower && bare).then(|| key(name))
}

/// A word that stands before versions without being the name of anything.
fn is_plain_word(word: &str) -> bool {
    const PLAIN: &str = "version versions release released releases tag tagged build since until update updated \
        upgrade upgraded bump bumped before after require requires required need needs pin pinned published \
        minimum least currently now use uses via like";
    words::is_common(word) || PLAIN.split(' ').any(|plain| plain == word)
}

fn is_key(name: &str) -> bool {
    let bare = name.strip_prefix('@').unwrap_or(name);
    (2..=64).contains(&bare.len())
        && bare != "HEAD"
        && bare.starts_with(|c: char| c.is_ascii_alphabetic())
        && bare.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/'))
        && (name.starts_with('@') == bare.contains('/'))
}

/// How many numbers a version is made of: three in `1.0.219-rc.1`.
fn numbers_of(version: &str) -> Option<usize> {
    let (numbers, suffix) = match version.split_once(['-', '+']) {
        Some((numbers, suffix)) => (numbers, Some(suffix)),
        None => (version, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let tail = suffix.is_none_or(|tail| {
        !tail.is_empty()
            && tail.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
    });
    (version.len() <= 32 && tail && numbers.split('.').all(digits))
        .then(|| numbers.split('.').count())
}

/// `package.json#engines.node`, as it is.
fn manifest_key(written: &str) -> Option<NamedPlace> {
    let (file, key) = written.split_once('#')?;
    let lines =
        key.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let plain = !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'@'));
    let (leads, path) = path::leads(file)?;
    (leads == Leads::File && path::is_manifest(path) && plain && !lines)
        .then(|| NamedPlace::Flag { name: format!("{path}#{key}") })
}

/// A file, with its lines where they are given, or a folder.
fn on_disk(text: &str, piece: &TextPiece<'_>, written: &str) -> Option<NamedPlace> {
    let cut = written.find([':', '#']);
    let (named, suffix) = written.split_at(cut.unwrap_or(written.len()));
    let (leads, path) = path::leads(named)?;
    let path = path.to_owned();
    match leads {
        Leads::File => {
            let lines = lines(suffix).or_else(|| told_lines(&text[piece.range().end..]));
            Some(NamedPlace::File { path, lines })
        }
        Leads::Folder => suffix.is_empty().then_some(NamedPlace::Folder { path }),
    }
}

/// `:42`, `:42:7`, `:10-20`, `#L3-L9`.
fn lines(suffix: &str) -> Option<(u32, u32)> {
    let suffix = suffix.strip_prefix(':').or_else(|| suffix.strip_prefix('#'))?;
    let suffix = suffix.split(':').next()?;
    let (first, last) = suffix.split_once(['-', '–']).unwrap_or((suffix, suffix));
    let number = |part: &str| part.strip_prefix('L').unwrap_or(part).parse::<u32>().ok();
    let (first, last) = (number(first)?, number(last)?);
    (1 <= first && first <= last).then_some((first, last))
}

/// "src/a.rs, lines 10–20".
fn told_lines(rest: &str) -> Option<(u32, u32)> {
    let rest = rest.trim_start_matches(['`', '"', '\'']).trim_start_matches([',', ' ', '(']);
    let rest = rest.strip_prefix("at ").unwrap_or(rest);
    let numbers = rest.strip_prefix("lines ").or_else(|| rest.strip_prefix("line "))?;
    let end = numbers.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '–')));
    lines(&format!(":{}", numbers[..end.unwrap_or(numbers.len())].trim_end_matches(['-', '–'])))
}
