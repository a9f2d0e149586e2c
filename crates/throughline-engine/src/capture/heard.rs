//! Heard: how much of a turn is kept as what was said before.

/// Characters that are kept of each turn.
pub(super) const HEARD_CHARS: usize = 4_000;

/// What is kept of a turn. A longer one is cut where a sentence or a line ends: half a sentence says something else.
pub(crate) fn kept_part(text: &str) -> &str {
    let kept = &text[..text.floor_char_boundary(HEARD_CHARS)];
    if kept.len() == text.len() {
        return kept;
    }
    let ends = |(at, mark): &(usize, char)| {
        let next = text[at + mark.len_utf8()..].chars().next();
        *mark == '\n' || matches!(mark, '.' | '!' | '?') && next.is_none_or(char::is_whitespace)
    };
    let sentence = kept.char_indices().rfind(ends).map(|(at, mark)| at + mark.len_utf8());
    let word = || kept.rfind(char::is_whitespace);
    // What has no sentences is cut between two words.
    let end = sentence.filter(|end| *end > HEARD_CHARS / 2).or_else(word).unwrap_or(kept.len());
    &kept[..end]
}
