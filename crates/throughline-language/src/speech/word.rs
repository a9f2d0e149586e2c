//! Words of a sentence, with what stands around them.

use std::ops::Range;

/// One word, or one stretch of inline code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// As written, without the marks around it.
    pub(crate) text: &'a str,
    /// In small letters, without apostrophes: "let's" is `lets`.
    pub(crate) lower: String,
    /// Its bytes in the sentence, with back-ticks where it has them.
    pub(crate) span: Range<usize>,
    /// Written as code.
    pub(crate) code: bool,
    /// Between quotation marks.
    pub(crate) quoted: bool,
    /// The mark that follows it, a blank where there is none. Dashes are `—`, arrows `→`.
    pub(crate) mark: char,
    /// Whether a bracket opens before it.
    pub(crate) bracketed: bool,
}

impl Word<'_> {
    /// Whether it is said, rather than shown: neither code nor quoted.
    pub(crate) fn is_said(&self) -> bool {
        !self.code && !self.quoted
    }

    /// Whether it is said and one of these, apart by blanks.
    pub(crate) fn is(&self, words: &str) -> bool {
        self.is_said() && words.split(' ').any(|one| one == self.lower)
    }

    /// Whether a clause may end behind it.
    pub(crate) fn pauses(&self) -> bool {
        matches!(self.mark, ',' | ';' | ':' | '—' | '→' | '.' | '!' | '?')
    }
}

/// The words of a sentence.
pub(crate) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut reader = WordScanner { sentence, words: Vec::new(), quote: None, bracket: false };
    let mut at = 0;
    while let Some(c) = sentence[at..].chars().next() {
        at = if c.is_whitespace() {
            at + c.len_utf8()
        } else if c == '`' {
            reader.code(at)
        } else {
            reader.chunk(at)
        };
    }
    reader.words
}

const OPENING: &[char] = &['(', '[', '{', '<', '*', '_', '"', '\'', '“', '‘', '«', '#', '…'];
const CLOSING: &[char] = &[
    ')', ']', '}', '>', '*', '_', '~', '"', '\'', '”', '’', '»', ',', ';', ':', '.', '!', '?', '…',
    '`',
];

struct WordScanner<'a> {
    sentence: &'a str,
    words: Vec<Word<'a>>,
    /// The mark that will close a quotation.
    quote: Option<char>,
    bracket: bool,
}

impl<'a> WordScanner<'a> {
    /// Reads inline code from a back-tick on; returns where to go on.
    fn code(&mut self, at: usize) -> usize {
        let rest = &self.sentence[at..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let Some(length) = rest[ticks..].find(&rest[..ticks]) else {
            return at + ticks;
        };
        let inside = &rest[ticks..ticks + length];
        let end = at + ticks + length + ticks;
        if !inside.trim().is_empty() {
            self.push(inside.trim(), at..end, true);
        }
        self.marks(end)
    }

    /// Takes the marks that follow a word.
    fn marks(&mut self, mut at: usize) -> usize {
        while let Some(c) = self.sentence[at..].chars().next().filter(|c| CLOSING.contains(c)) {
            if c == '`' {
                break;
            }
            self.mark(c);
            at += c.len_utf8();
        }
        at
    }

    fn mark(&mut self, c: char) {
        if self.quote == Some(c) {
            self.quote = None;
        }
        if matches!(c, ',' | ';' | ':' | '—' | '→' | '.' | '!' | '?' | ')')
            && let Some(word) = self.words.last_mut()
        {
            word.mark = c;
        }
    }

    /// Reads up to the next gap; returns where to go on.
    fn chunk(&mut self, at: usize) -> usize {
        let rest = &self.sentence[at..];
        let mut end = rest.find(|c: char| c.is_whitespace() || c == '—' || c == '→');
        if end == Some(0) {
            self.mark(rest.chars().next().unwrap_or('—'));
            return at + rest.chars().next().map_or(1, char::len_utf8);
        }
        // `(`code`)` : code starts its own word.
        if let Some(tick) = rest.find('`')
            && end.is_none_or(|end| tick < end)
            && rest[..tick].chars().all(|c| OPENING.contains(&c))
        {
            end = Some(tick);
        }
        let chunk = &rest[..end.unwrap_or(rest.len())];
        if chunk.chars().all(|c| matches!(c, '-' | '–' | '>' | '=')) {
            self.mark(if chunk.ends_with('>') { '→' } else { '—' });
            return at + chunk.len();
        }
        let bare = chunk.trim_start_matches(OPENING);
        let opened = &chunk[..chunk.len() - bare.len()];
        self.bracket = opened.contains(['(', '[']);
        for c in opened.chars() {
            self.open(c, at + opened.len());
        }
        let word = bare.trim_end_matches(CLOSING);
        let start = at + opened.len();
        if !word.is_empty() {
            self.push(word, start..start + word.len(), false);
        }
        for c in bare[word.len()..].chars() {
            self.mark(c);
        }
        at + chunk.len()
    }

    /// Opens a quotation where its end is in sight.
    fn open(&mut self, c: char, at: usize) {
        let close = match c {
            '"' => '"',
            '“' => '”',
            '«' => '»',
            '\'' => '\'',
            '‘' => '’',
            _ => return,
        };
        let rest = &self.sentence[at..];
        let ends = rest.match_indices(close).any(|(place, _)| {
            let after = rest[place + close.len_utf8()..].chars().next();
            after.is_none_or(|c| !c.is_alphanumeric())
        });
        if self.quote.is_none() && ends {
            self.quote = Some(close);
        }
    }

    fn push(&mut self, text: &'a str, span: Range<usize>, code: bool) {
        let lower = text.chars().filter(|c| !matches!(c, '\'' | '’')).flat_map(char::to_lowercase);
        self.words.push(Word {
            text,
            lower: lower.collect(),
            span,
            code,
            quoted: self.quote.is_some(),
            mark: ' ',
            bracketed: std::mem::take(&mut self.bracket),
        });
    }
}
