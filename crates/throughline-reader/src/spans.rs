//! Spans: words put together into the pieces of a turn.

use std::ops::Range;

use crate::turn::{TurnText, TurnWord};

/// The most pieces of one turn; what comes later is not read.
pub const PIECES_MAX: usize = 200;

/// A piece before it is judged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PieceSpan {
    pub(crate) bytes: Range<usize>,
    /// Never empty.
    pub(crate) tokens: Range<usize>,
}

/// The pieces of the first `read` tokens of a turn. A piece begins where the form says so, and at
/// each other word whose first token `cuts`, which is told whether a sentence begins there.
///
/// Characters without tokens are never a piece of their own: they go with the words after them, or
/// at the end with those before.
pub(crate) fn spans(
    turn: &TurnText,
    read: usize,
    cuts: impl Fn(usize, bool) -> bool,
) -> Vec<PieceSpan> {
    let all_read = read == turn.ids.len();
    let mut spans: Vec<PieceSpan> = Vec::new();
    for word in turn.words.iter().take_while(|word| all_read || word.tokens.start < read) {
        let TurnWord { bytes, tokens, opens, joins, begins_sentence } = word;
        let end = if tokens.end <= read { bytes.end } else { turn.ends[read - 1].min(bytes.end) };
        let tokens = tokens.start..tokens.end.min(read);
        let begins =
            *opens || (!joins && !tokens.is_empty() && cuts(tokens.start, *begins_sentence));
        if let Some(last) = spans.last_mut()
            && (!begins || last.tokens.is_empty())
        {
            last.bytes.end = end;
            last.tokens.end = tokens.end;
        } else if spans.len() < PIECES_MAX {
            spans.push(PieceSpan { bytes: bytes.start..end, tokens });
        } else {
            break;
        }
    }
    if let Some(rest) = spans.pop_if(|last| last.tokens.is_empty())
        && let Some(last) = spans.last_mut()
    {
        last.bytes.end = rest.bytes.end;
    }
    spans
}
