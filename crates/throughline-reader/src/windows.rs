//! Windows: the parts of a long turn that are read at once.

use std::ops::Range;

/// Tokens of a turn in one window.
pub const WINDOW_TOKENS: usize = 200;

/// The most windows of one turn; what comes later is not read.
pub const WINDOWS_MAX: usize = 8;

/// Tokens at the end of a window that the next one reads again.
const OVERLAP_TOKENS: usize = 40;

/// More tokens of a turn are never read.
pub(crate) const TOKENS_MAX: usize =
    WINDOW_TOKENS + (WINDOWS_MAX - 1) * (WINDOW_TOKENS - OVERLAP_TOKENS);

/// The windows of so many tokens, in order, given where words start; none for no tokens.
///
/// A window ends between two words, unless the word that it would have to leave out is longer than
/// a window takes.
pub(crate) fn windows(word_starts: &[usize], total: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    while before < total && windows.len() < WINDOWS_MAX {
        let start = before.saturating_sub(OVERLAP_TOKENS);
        let furthest = start + WINDOW_TOKENS;
        let end = if total <= furthest {
            total
        } else {
            let starts = word_starts.partition_point(|word| *word <= furthest);
            let last = word_starts[..starts].last().copied();
            last.filter(|word| *word > before).unwrap_or(furthest)
        };
        windows.push(start..end);
        before = end;
    }
    windows
}

/// For each token that is read, the window that sees most on both sides of it; of equal ones the
/// earlier.
pub(crate) fn clearest(windows: &[Range<usize>]) -> Vec<usize> {
    let read = windows.last().map_or(0, |window| window.end);
    let margin = |window: &Range<usize>, token: usize| {
        window.contains(&token).then(|| (token - window.start).min(window.end - 1 - token))
    };
    let best = |token: usize| {
        let mut best = (0, None);
        for (at, window) in windows.iter().enumerate() {
            let found = margin(window, token);
            if found > best.1 {
                best = (at, found);
            }
        }
        best.0
    };
    (0..read).map(best).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_turn_has_one_window_until_it_is_longer_than_that() {
        let starts: Vec<usize> = (0..2_000).collect();
        assert_eq!(windows(&starts, 0), Vec::<Range<usize>>::new());
        assert_eq!(windows(&starts, 200).len(), 1);
        assert_eq!(windows(&starts, 201), [0..200, 160..201]);
        assert_eq!(windows(&starts, 2_000).last(), Some(&(1_120..TOKENS_MAX)));
    }

    #[test]
    fn a_window_ends_before_the_word_that_does_not_fit() {
        assert_eq!(windows(&[0, 190, 230], 300), [0..190, 150..300]);
        assert_eq!(windows(&[0], 300), [0..200, 160..300], "a word without an end is cut");
    }

    #[test]
    fn a_token_is_read_where_most_is_around_it() {
        let clearest = clearest(&[0..200, 160..300]);
        assert_eq!([0, 160, 179, 180, 200, 299].map(|token| clearest[token]), [0, 0, 0, 1, 1, 1]);
    }

    proptest! {
        #[test]
        fn windows_go_on_and_leave_no_token_out(
            lengths in proptest::collection::vec(1..300_usize, 0..40)
        ) {
            let starts: Vec<usize> = lengths
                .iter()
                .scan(0, |at, length| Some(std::mem::replace(at, *at + length)))
                .collect();
            let total = lengths.iter().sum();
            let windows = windows(&starts, total);
            let mut before = 0;
            for window in &windows {
                prop_assert!(window.len() <= WINDOW_TOKENS);
                prop_assert!(window.start <= before && before < window.end);
                before = window.end;
            }
            prop_assert!(before == total || windows.len() == WINDOWS_MAX);
            prop_assert!(before <= TOKENS_MAX);
            for (token, window) in clearest(&windows).into_iter().enumerate() {
                prop_assert!(windows[window].contains(&token));
            }
        }
    }
}
