//! Cues: set phrases, found in the words of a sentence.
//!
//! A cue is words with blanks between them, a list of cues has commas between them. `we|i` is either
//! word, `(have)` may be left out, `*` is any one word. Only what is said counts: code and quotations
//! match nothing but `*`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::word::Word;

/// A list of cues, taken apart when it is first used.
#[derive(Debug)]
pub(crate) struct Cues {
    text: &'static str,
    list: OnceLock<CueList>,
}

/// A list of cues in place: `cues!("we decided, let us go with")`.
macro_rules! cues {
    ($text:literal) => {{
        static CUES: $crate::speech::cue::Cues = $crate::speech::cue::Cues::of($text);
        &CUES
    }};
}
pub(crate) use cues;

#[derive(Debug, Default)]
struct CueList {
    cues: Vec<Vec<CueItem>>,
    /// Which cues may begin with a word.
    by_first: HashMap<&'static str, Vec<usize>>,
    /// Those that may begin with any word.
    open: Vec<usize>,
    /// The marks of the words that cues may begin with: most words are told apart by theirs.
    marks: [u64; 4],
}

#[derive(Debug)]
struct CueItem {
    /// Either of these; any word where there are none.
    words: Vec<&'static str>,
    optional: bool,
}

impl Cues {
    pub(crate) const fn of(text: &'static str) -> Self {
        Self { text, list: OnceLock::new() }
    }

    fn list(&self) -> &CueList {
        self.list.get_or_init(|| CueList::of(self.text))
    }
}

impl CueList {
    fn of(text: &'static str) -> Self {
        let mut list = Self::default();
        for (at, cue) in text.split(", ").enumerate() {
            let items: Vec<CueItem> = cue.split_whitespace().map(CueItem::of).collect();
            let needed = items.iter().take_while(|item| item.optional).count();
            for item in items.iter().take(needed + 1) {
                for word in &item.words {
                    let (part, bit) = mark(word);
                    list.marks[part] |= bit;
                    let known = list.by_first.entry(word).or_default();
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
                if item.words.is_empty() {
                    list.open.push(at);
                }
            }
            list.cues.push(items);
        }
        list
    }
}

/// A bit that words share only with few others.
fn mark(word: &str) -> (usize, u64) {
    let (first, last) = (word.as_bytes().first(), word.as_bytes().last());
    let sum = first.map_or(0, |b| usize::from(*b) * 7) + last.map_or(0, |b| usize::from(*b) * 31);
    let place = (sum + word.len() * 3) % 256;
    (place / 64, 1 << (place % 64))
}

impl CueItem {
    fn of(text: &'static str) -> Self {
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let words = inside.unwrap_or(text);
        let words = if words == "*" { Vec::new() } else { words.split('|').collect() };
        Self { words, optional: inside.is_some() }
    }

    fn fits(&self, word: &Word<'_>) -> bool {
        self.words.is_empty() || word.is_said() && self.words.contains(&word.lower.as_str())
    }
}

/// Where the longest of these cues that starts at `from` ends.
pub(crate) fn at_any(words: &[Word<'_>], from: usize, cues: &Cues) -> Option<usize> {
    let list = cues.list();
    let first = words.get(from)?;
    let (part, bit) = mark(&first.lower);
    let may = list.marks[part] & bit != 0 && first.is_said();
    let named = may.then(|| list.by_first.get(first.lower.as_str())).flatten();
    let candidates = named.into_iter().flatten().chain(&list.open);
    candidates.filter_map(|at| end(words, from, &list.cues[*at])).max()
}

fn end(words: &[Word<'_>], from: usize, items: &[CueItem]) -> Option<usize> {
    let Some((item, rest)) = items.split_first() else {
        return Some(from);
    };
    let taken =
        words.get(from).filter(|word| item.fits(word)).and_then(|_| end(words, from + 1, rest));
    if item.optional { taken.or_else(|| end(words, from, rest)) } else { taken }
}

/// The first place of any of these cues, the longest there.
pub(crate) fn find_any(words: &[Word<'_>], cues: &Cues) -> Option<Range<usize>> {
    (0..words.len()).find_map(|from| Some(from..at_any(words, from, cues)?))
}

/// Whether any of these cues is said.
pub(crate) fn says(words: &[Word<'_>], cues: &Cues) -> bool {
    find_any(words, cues).is_some()
}

/// Where the longest of these cues that the words begin with ends.
pub(crate) fn starts(words: &[Word<'_>], cues: &Cues) -> Option<usize> {
    at_any(words, 0, cues)
}
