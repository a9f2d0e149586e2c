//! What its author marked as private: `<private>…</private>`, `[sensitive]…[/sensitive]`.

use crate::scan::Span;

const RULE: &str = "private";

/// The marks, and whether each opens or closes.
pub(crate) const KEYWORDS: [(&str, bool); 4] =
    [("<private>", true), ("</private>", false), ("[sensitive]", true), ("[/sensitive]", false)];

/// The stretch that the mark at `at..to` opens or closes, marks included.
///
/// One that nothing closes reaches to the end of the text, and one that nothing opened to its
/// beginning: the other half may have been cut off. A mark in quotes is only spoken of.
pub(crate) fn find(text: &str, at: usize, to: usize, opens: bool) -> Option<Span> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|before| bytes[before]);
    let quoted = before.is_some_and(|quote| b"\"'`".contains(&quote));
    if quoted && before == bytes.get(to).copied() {
        return None;
    }
    if !opens {
        return Some(Span { start: 0, end: to, rule: RULE });
    }
    let is_type = before.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    let closing = if bytes[at] == b'<' { "</private>" } else { "[/sensitive]" };
    let end = find_closing(&bytes[to..], closing.as_bytes()).map(|end| to + end);
    // `Local<Private>` is a type, unless something closes it.
    if is_type && end.is_none() {
        return None;
    }
    Some(Span { start: at, end: end.unwrap_or(text.len()), rule: RULE })
}

/// Where the closing mark ends, in any case.
fn find_closing(rest: &[u8], closing: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = rest[at..].iter().position(|byte| *byte == closing[0]) {
        at += next;
        let end = at + closing.len();
        if rest.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(closing)) {
            return Some(end);
        }
        at += 1;
    }
    None
}
