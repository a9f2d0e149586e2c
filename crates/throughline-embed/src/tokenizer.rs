//! Text into word pieces, exactly as BERT's uncased tokenizer does it.
//!
//! One difference: `[CLS]`, `[SEP]` and the like in a text are plain characters, so that a text
//! cannot speak to the model in its own marks.

mod characters;

use unicode_normalization::UnicodeNormalization;

use self::characters::{Kind, is_accent, is_punctuation, kind};
use crate::model::Vocabulary;

/// Stands for a word that no pieces make up.
const UNKNOWN: u16 = 100;
/// Opens every window.
pub(crate) const OPENING: u16 = 101;
/// Closes every window.
pub(crate) const CLOSING: u16 = 102;

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
    /// Where in `ids` each word starts, ascending.
    pub(crate) word_starts: Vec<usize>,
}

/// Takes a text apart, word by word, until there are more than `enough` pieces.
pub(crate) fn tokenize(vocabulary: &Vocabulary, text: &str, enough: usize) -> Pieces {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let words =
        Words { vocabulary, enough, pieces: Pieces::default(), word: String::new(), chars: 0 };
    if text.is_ascii() {
        return words.of(text.chars().filter_map(cleaned).map(|it| it.to_ascii_lowercase()));
    }
    let spaced = text.chars().filter_map(cleaned).flat_map(spaced);
    words.of(spaced.nfd().filter(|it| !is_accent(*it)).flat_map(char::to_lowercase))
}

/// Every kind of space is the same; controls are gone.
fn cleaned(character: char) -> Option<char> {
    match kind(character) {
        Kind::Dropped => None,
        Kind::Space => Some(' '),
        Kind::Ideograph | Kind::Other => Some(character),
    }
}

/// Puts spaces around a character that is a word of its own.
fn spaced(character: char) -> impl Iterator<Item = char> {
    let space = (kind(character) == Kind::Ideograph).then_some(' ');
    space.into_iter().chain([character]).chain(space)
}

/// Gathers characters into words and words into pieces.
struct Words<'a> {
    vocabulary: &'a Vocabulary,
    enough: usize,
    pieces: Pieces,
    word: String,
    /// Characters of `word`, also those that were too many to be kept.
    chars: usize,
}

impl Words<'_> {
    fn of(mut self, characters: impl Iterator<Item = char>) -> Pieces {
        for character in characters {
            let punctuation = is_punctuation(character);
            if character.is_whitespace() || punctuation {
                self.end_word();
                if self.pieces.ids.len() > self.enough {
                    return self.pieces;
                }
            }
            if !character.is_whitespace() {
                self.push(character);
            }
            if punctuation {
                self.end_word();
            }
        }
        self.end_word();
        self.pieces
    }

    fn push(&mut self, character: char) {
        self.chars += 1;
        if self.chars <= WORD_CHARS_MAX {
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
            self.pieces.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.chars = 0;
    }

    /// Takes the longest piece that fits, again and again; says whether that used up the word.
    fn split(&mut self) -> bool {
        let mut rest = self.word.as_str();
        let mut prefix: &[u8] = b"";
        while !rest.is_empty() {
            let Some((piece, bytes)) = longest(self.vocabulary, prefix, rest) else {
                return false;
            };
            self.pieces.ids.push(piece);
            rest = &rest[bytes..];
            prefix = CONTINUES;
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
