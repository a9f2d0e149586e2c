//! A turn by its form: words with their tokens, and where a piece begins whatever the words say.

use std::ops::Range;

use throughline_core::reading::marks_list;
use throughline_embed::{Tokens, tokens};

use crate::fence;
use crate::windows::{TOKENS_MAX, WINDOW_TOKENS};

/// Later bytes of a turn are never looked at.
const TURN_BYTES_MAX: usize = 1 << 20;

/// A fenced block with more tokens is represented by its first and last ones.
const FENCED_TOKENS_MAX: usize = 40;
const FENCED_TOKENS_FIRST: usize = 20;
const FENCED_TOKENS_LAST: usize = 10;

/// The end of a text is looked for in so many bytes, so that a long log costs little.
const TAIL_BYTES: usize = 16 << 10;

/// The words of a turn and the tokens that the model reads for them.
#[derive(Debug, Default)]
pub(crate) struct TurnText {
    /// A few more than are ever read, where the turn has more.
    pub(crate) ids: Vec<u16>,
    /// Where in the turn each token ends.
    pub(crate) ends: Vec<usize>,
    pub(crate) words: Vec<TurnWord>,
}

/// What stands between white space, or a whole fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TurnWord {
    pub(crate) bytes: Range<usize>,
    /// Its tokens; none where it consists of characters that the tokenizer leaves out.
    pub(crate) tokens: Range<usize>,
    /// Whether a piece begins here by form: at the start, at and after a fenced block, after a blank
    /// line, and at the mark of a list.
    pub(crate) opens: bool,
    /// Whether no piece begins here: behind the mark of a list, or behind the number of a step.
    pub(crate) joins: bool,
    /// Whether a sentence begins here, by the mark before it and its capital letter.
    pub(crate) begins_sentence: bool,
}

impl TurnText {
    pub(crate) fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(TURN_BYTES_MAX)];
        let mut turn = Self::default();
        let mut at = 0;
        for block in fence::blocks(text) {
            turn.add_prose(text, at..block.start);
            at = block.end;
            turn.add_block(text, block);
        }
        turn.add_prose(text, at..text.len());
        turn
    }

    /// How many of the first `read` tokens to take, so that a turn that goes on behind them is not cut inside a
    /// sentence. A sentence that is longer than a window is cut.
    pub(crate) fn whole(&self, read: usize) -> usize {
        if read >= self.ids.len() {
            return read;
        }
        let begun = self.words.iter().filter(|word| word.opens || word.begins_sentence);
        let ends = begun.map(|word| word.tokens.start).filter(|at| *at <= read);
        ends.max().filter(|at| *at > 0 && *at + WINDOW_TOKENS > read).unwrap_or(read)
    }

    fn is_full(&self) -> bool {
        self.ids.len() > TOKENS_MAX
    }

    fn add_prose(&mut self, text: &str, part: Range<usize>) {
        if self.is_full() {
            return;
        }
        let first = self.ids.len();
        let found = tokens(&text[part.clone()], TOKENS_MAX + 1 - first);
        self.ids.extend(found.ids);
        self.ends.extend(found.ranges.iter().map(|range| part.start + range.end));
        let mut starts = found.ranges.iter().map(|range| part.start + range.start).peekable();
        let mut at = part.start;
        let mut token = first;
        let mut marked = false;
        let mut steps = 0;
        while let Some(bytes) = next_word(text, at..part.end) {
            if self.is_full() && starts.peek().is_none() {
                return;
            }
            let first_token = token;
            while starts.next_if(|start| *start < bytes.end).is_some() {
                token += 1;
            }
            let breaks = text[at..bytes.start].matches('\n').count();
            let listed = (breaks > 0 || at == 0) && marks_list(&text[bytes.clone()]);
            let opens = at == part.start || breaks > 1 || listed;
            // Steps in a sentence: "1. bump 2. tag 3. push". A number by itself may as well end a sentence.
            let step =
                text[bytes.clone()].strip_suffix(['.', ')']) == Some(&(steps + 1).to_string());
            steps += usize::from(step);
            let begins_sentence =
                ends_sentence(&text[part.start..at]) && opens_sentence(&text[bytes.clone()]);
            at = bytes.end;
            let tokens = first_token..token;
            self.words.push(TurnWord { bytes, tokens, opens, joins: marked, begins_sentence });
            marked = listed || step && steps > 1;
        }
    }

    /// Takes a fenced block as one word.
    fn add_block(&mut self, text: &str, block: Range<usize>) {
        if self.is_full() {
            return;
        }
        let content = &text[block.clone()];
        let first = self.ids.len();
        let Tokens { mut ids, .. } = tokens(content, FENCED_TOKENS_MAX + 1);
        if ids.len() > FENCED_TOKENS_MAX {
            ids.truncate(FENCED_TOKENS_FIRST);
            ids.extend(last_tokens(content, FENCED_TOKENS_LAST));
        }
        self.ids.extend(ids);
        self.ends.resize(self.ids.len(), block.end);
        self.words.push(TurnWord {
            bytes: block,
            tokens: first..self.ids.len(),
            opens: true,
            joins: false,
            begins_sentence: false,
        });
    }
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', ')']).ends_with(['.', '!', '?'])
}

fn opens_sentence(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// The last tokens of a text, as many as are asked for or there are near its end.
pub(crate) fn last_tokens(text: &str, count: usize) -> Vec<u16> {
    let from = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES));
    let tail = &text[from..];
    // What is left of the word before would be taken apart otherwise than the whole word.
    let whole = if from == 0 { Some(0) } else { tail.find(char::is_whitespace) };
    let ids = tokens(&tail[whole.unwrap_or(0)..], TAIL_BYTES).ids;
    ids[ids.len().saturating_sub(count)..].to_vec()
}

/// The next run of characters that are no white space.
fn next_word(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[part.clone()];
    let start = rest.find(|character: char| !character.is_whitespace())?;
    let length = rest[start..].find(char::is_whitespace).unwrap_or(rest.len() - start);
    Some(part.start + start..part.start + start + length)
}
