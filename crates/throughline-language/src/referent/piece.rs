//! Text in pieces: words as they are glued together in paths and code, with what touches them.

use std::ops::Range;

/// One piece, without the marks around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// What it touches on the left and on the right.
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

impl TextPiece<'_> {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The pieces of a text in their order, without addresses of the web and options of commands.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = TextPiece<'_>> {
    let mut end = 0;
    text.split_inclusive(char::is_whitespace).flat_map(move |chunk| {
        let start = end;
        end += chunk.len();
        of_chunk(text, start, without_address(chunk.trim_end()))
    })
}

/// The chunk up to where an address begins.
fn without_address(chunk: &str) -> &str {
    let Some(at) = chunk.find("://") else { return chunk };
    let scheme = chunk[..at].rfind(|c: char| !c.is_ascii_alphanumeric());
    &chunk[..scheme.map_or(0, |at| chunk.ceil_char_boundary(at + 1))]
}

fn of_chunk<'a>(text: &'a str, start: usize, chunk: &'a str) -> Vec<TextPiece<'a>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for part in chunk.split_inclusive(SEPARATORS) {
        let whole = part.trim_end_matches(SEPARATORS);
        let at = from;
        from += part.len();
        // `--config=a.toml` is one option with its value.
        if whole.starts_with('-') && whole.contains(char::is_alphabetic) {
            break;
        }
        let left = whole.trim_start_matches(['*', '!']);
        let is_pattern = left.len() + 1 == whole.len() && whole.starts_with('*');
        let left = if is_pattern { whole } else { left };
        let bare = left.trim_end_matches(['.', ':', '!', '?', '*', '~']);
        if !bare.is_empty() {
            let begin = start + at + (whole.len() - left.len());
            pieces.push(TextPiece {
                text: bare,
                start: begin,
                before: text[..begin].chars().next_back(),
                after: text[begin + bare.len()..].chars().next(),
            });
        }
    }
    pieces
}

const SEPARATORS: &[char] = &[
    '`', '"', '\'', '“', '”', '‘', '’', '«', '»', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';',
    '|', '=', '—', '→', '…', '，', '。', '；', '：', '（', '）', '「', '」', '、',
];
