//! Tokenizer: turns text into word pieces, exactly as BERT's uncased tokenizer does.
//!
//! One difference: `[CLS]`, `[SEP]` and the like in a text are plain characters, so that a text
//! cannot contain the model's own marks.

mod characters;
mod clusters;

use std::ops::Range;

use self::characters::{Kind, is_accent, is_punctuation, kind};
use self::clusters::{Clusters, Placed};
use crate::model::{Model, Vocabulary};

/// Stands for a word that no pieces make up.
const UNKNOWN: u16 = 100;
/// The mark that opens every window (`[CLS]`).
pub const OPENING: u16 = 101;
/// The mark that closes every window (`[SEP]`).
pub const CLOSING: u16 = 102;

/// Longer words are unknown.
const WORD_CHARS_MAX: usize = 100;
/// No piece in the vocabulary is longer, `##` aside.
const PIECE_BYTES_MAX: usize = 32;
/// Opens pieces that continue a word.
const CONTINUES: &[u8] = b"##";
/// Later text is never looked at, whatever it holds.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The pieces of a text, and which of them open a word.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces {
    pub(crate) ids: Vec<u16>,
    /// Which bytes of the text each piece stands for. Both ends ascend; two pieces of one
    /// character have the same.
    pub(crate) ranges: Vec<Range<usize>>,
    /// Where in `ids` each word starts, ascending.
    pub(crate) word_starts: Vec<usize>,
}

/// Tokens: the word pieces of a text, each with the bytes of the text it stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Numbers of the pieces in the vocabulary.
    pub ids: Vec<u16>,
    /// Byte ranges of the pieces, as many as `ids`. They lie on character boundaries and both ends
    /// ascend; pieces of one character have the same range, and characters that no piece stands for
    /// are in none.
    pub ranges: Vec<Range<usize>>,
}

/// Tokenizes a text: its first `most` word pieces.
pub fn tokens(text: &str, most: usize) -> Tokens {
    let Pieces { mut ids, mut ranges, .. } = tokenize(&Model::builtin().vocabulary, text, most);
    ids.truncate(most);
    ranges.truncate(most);
    Tokens { ids, ranges }
}

/// Takes a text apart, word by word, until there are more than `enough` pieces.
pub(crate) fn tokenize(vocabulary: &Vocabulary, text: &str, enough: usize) -> Pieces {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let words = Words::new(vocabulary, enough);
    if text.is_ascii() {
        let kept = text.char_indices().filter_map(|(at, it)| Some((at, cleaned(it)?)));
        return words
            .of(kept.map(|(at, it)| Placed { at: at..at + 1, it: it.to_ascii_lowercase() }));
    }
    let plain = Clusters::of(text).filter(|placed| !is_accent(placed.it));
    words.of(plain.flat_map(|Placed { at, it }| {
        it.to_lowercase().map(move |it| Placed { at: at.clone(), it })
    }))
}

/// Every kind of space is the same; controls are gone.
fn cleaned(character: char) -> Option<char> {
    match kind(character) {
        Kind::Dropped => None,
        Kind::Space => Some(' '),
        Kind::Ideograph | Kind::Other => Some(character),
    }
}

/// Gathers characters into words and words into pieces.
struct Words<'a> {
    vocabulary: &'a Vocabulary,
    enough: usize,
    pieces: Pieces,
    word: String,
    /// Per character of `word`: where in `word` it starts, and which bytes of the text it is from.
    places: Vec<(usize, Range<usize>)>,
    /// Characters of the word, also those that were too many to be kept.
    chars: usize,
    /// Which bytes of the text the word is from.
    at: Range<usize>,
}

impl<'a> Words<'a> {
    fn new(vocabulary: &'a Vocabulary, enough: usize) -> Self {
        Words {
            vocabulary,
            enough,
            pieces: Pieces::default(),
            word: String::new(),
            places: Vec::new(),
            chars: 0,
            at: 0..0,
        }
    }

    fn of(mut self, characters: impl Iterator<Item = Placed>) -> Pieces {
        for Placed { at, it } in characters {
            let punctuation = is_punctuation(it);
            if it.is_whitespace() || punctuation {
                self.end_word();
                if self.pieces.ids.len() > self.enough {
                    return self.pieces;
                }
            }
            if !it.is_whitespace() {
                self.push(at, it);
            }
            if punctuation {
                self.end_word();
            }
        }
        self.end_word();
        self.pieces
    }

    fn push(&mut self, at: Range<usize>, character: char) {
        let start = if self.chars == 0 { at.start } else { self.at.start };
        self.at = start..at.end;
        self.chars += 1;
        if self.chars <= WORD_CHARS_MAX {
            self.places.push((self.word.len(), at));
            self.word.push(character);
        }
    }

    fn end_word(&mut self) {
        if self.chars == 0 {
            return;
        }
        let start = self.pieces.ids.len();
        self.pieces.word_starts.push(start);
        if self.chars > WORD_CHARS_MAX || !self.split() {
            self.pieces.ids.truncate(start);
            self.pieces.ranges.truncate(start);
            self.pieces.ids.push(UNKNOWN);
            self.pieces.ranges.push(self.at.clone());
        }
        self.word.clear();
        self.places.clear();
        self.chars = 0;
    }

    /// Takes the longest piece that fits, again and again; says whether that used up the word.
    fn split(&mut self) -> bool {
        let mut rest = self.word.as_str();
        let mut prefix: &[u8] = b"";
        let mut places = self.places.iter().peekable();
        while !rest.is_empty() {
            let Some((piece, bytes)) = longest(self.vocabulary, prefix, rest) else {
                return false;
            };
            rest = &rest[bytes..];
            prefix = CONTINUES;
            let read = self.word.len() - rest.len();
            let mut at: Option<Range<usize>> = None;
            while let Some((_, place)) = places.next_if(|(start, _)| *start < read) {
                at = Some(at.map_or(place.start, |at| at.start)..place.end);
            }
            self.pieces.ids.push(piece);
            self.pieces.ranges.push(at.expect("a piece has a character"));
        }
        true
    }
}

/// The longest piece that `rest` starts with, and its length in bytes.
fn longest(vocabulary: &Vocabulary, prefix: &[u8], rest: &str) -> Option<(u16, usize)> {
    let bytes = rest.as_bytes();
    let length = bytes.len().min(PIECE_BYTES_MAX);
    let mut hashes = [0; PIECE_BYTES_MAX];
    let mut hash = prefix.iter().copied().fold(0x811C_9DC5, hashed);
    for (at, byte) in bytes[..length].iter().copied().enumerate() {
        hash = hashed(hash, byte);
        hashes[at] = hash;
    }
    let mut ends = (1..=length).rev().filter(|end| rest.is_char_boundary(*end));
    ends.find_map(|end| {
        let piece = vocabulary.find(hashes[end - 1], prefix, &bytes[..end])?;
        Some((piece, end))
    })
}

/// One step of FNV-1a, as the table of the vocabulary was built with.
fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}
