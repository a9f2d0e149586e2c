//! Windows: how a long text is cut into parts that the model can read.

use std::ops::Range;

use crate::tokenizer::Pieces;

/// Word pieces in one window, without the two marks around them.
pub const WINDOW_TOKENS: usize = 254;

/// The most windows of one text; what comes later is not read.
pub const WINDOWS_MAX: usize = 8;

/// Pieces at the end of a window that the next one reads again.
const OVERLAP_TOKENS: usize = 32;

/// How a text is cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) window_tokens: usize,
    pub(crate) overlap_tokens: usize,
    pub(crate) windows_max: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            window_tokens: WINDOW_TOKENS,
            overlap_tokens: OVERLAP_TOKENS,
            windows_max: WINDOWS_MAX,
        }
    }
}

impl Cut {
    /// More pieces than this are never read.
    pub(crate) fn pieces_max(&self) -> usize {
        self.window_tokens * self.windows_max
    }
}

/// The windows of a text, in order: at least one, which is empty if the text is.
///
/// A window ends between two words, and the next one starts between two words, unless a single
/// word is longer than a window.
pub(crate) fn windows(pieces: &Pieces, cut: &Cut) -> Vec<Range<usize>> {
    assert!(cut.overlap_tokens < cut.window_tokens, "the next window must get ahead");
    let total = pieces.ids.len();
    let starts = &pieces.word_starts;
    let mut windows = Vec::new();
    let mut start = 0;
    loop {
        let end = end_of_window(starts, start, total, cut.window_tokens);
        windows.push(start..end);
        if end == total || windows.len() == cut.windows_max {
            return windows;
        }
        let again = end.saturating_sub(cut.overlap_tokens).max(start + 1);
        let next = starts[starts.partition_point(|word| *word < again)..].first();
        start = next.map_or(end, |word| (*word).min(end));
    }
}

fn end_of_window(starts: &[usize], start: usize, total: usize, window_tokens: usize) -> usize {
    let furthest = start + window_tokens;
    if total <= furthest {
        return total;
    }
    let word = starts[..starts.partition_point(|word| *word <= furthest)].last();
    word.copied().filter(|word| *word > start).unwrap_or(furthest)
}
