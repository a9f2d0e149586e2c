//! Characters taken apart into letters and marks, each with the bytes of the text it is from.
//!
//! Marks are put in order only among those that follow the same letter, so taking a text apart
//! cluster by cluster, a letter with its marks, gives what taking it apart as a whole does.

use std::iter::Peekable;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

use super::characters::{Kind, kind};
use super::cleaned;

/// A character and the bytes of the text it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) at: Range<usize>,
    pub(super) it: char,
}

/// The characters of a text that the tokenizer looks at, taken apart, with spaces around those
/// that are words of their own.
pub(super) struct Clusters<Source: Iterator> {
    source: Peekable<Source>,
    /// What is left of the cluster at hand, the last first.
    ready: Vec<char>,
    at: Range<usize>,
}

impl Clusters<std::iter::Empty<Placed>> {
    pub(super) fn of(text: &str) -> Clusters<impl Iterator<Item = Placed>> {
        let kept = text.char_indices().filter_map(|(at, character)| {
            Some(Placed { at: at..at + character.len_utf8(), it: cleaned(character)? })
        });
        Clusters { source: kept.flat_map(spaced).peekable(), ready: Vec::new(), at: 0..0 }
    }
}

impl<Source: Iterator<Item = Placed>> Iterator for Clusters<Source> {
    type Item = Placed;

    fn next(&mut self) -> Option<Placed> {
        if self.ready.is_empty() {
            let first = self.source.next()?;
            self.at = first.at;
            if first.it.is_ascii() && self.source.peek().is_none_or(|next| opens(next.it)) {
                return Some(Placed { at: self.at.clone(), it: first.it });
            }
            let mut cluster = vec![first.it];
            while let Some(mark) = self.source.next_if(|next| !opens(next.it)) {
                self.at.end = mark.at.end;
                cluster.push(mark.it);
            }
            self.ready.extend(cluster.into_iter().nfd());
            self.ready.reverse();
        }
        let it = self.ready.pop()?;
        Some(Placed { at: self.at.clone(), it })
    }
}

/// Whether a character opens a cluster, rather than being a mark on the one before.
fn opens(character: char) -> bool {
    if character.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_canonical(character, |part| first = first.or(Some(part)));
    first.is_none_or(|part| canonical_combining_class(part) == 0)
}

/// Puts spaces around a character that is a word of its own.
fn spaced(placed: Placed) -> impl Iterator<Item = Placed> {
    let space =
        (kind(placed.it) == Kind::Ideograph).then(|| Placed { at: placed.at.clone(), it: ' ' });
    space.clone().into_iter().chain([placed]).chain(space)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The characters of a text, taken apart as a whole.
    fn whole(text: &str) -> Vec<char> {
        let kept = text.chars().filter_map(cleaned);
        let spaced = kept.flat_map(|it| {
            let space = (kind(it) == Kind::Ideograph).then_some(' ');
            space.into_iter().chain([it]).chain(space)
        });
        spaced.nfd().collect()
    }

    fn by_cluster(text: &str) -> Vec<char> {
        Clusters::of(text).map(|placed| placed.it).collect()
    }

    #[test]
    fn every_character_there_is_comes_apart_as_in_a_whole_text() {
        for character in '\0'..=char::MAX {
            let text = format!("a{character}\u{327}\u{301}{character}b");
            assert_eq!(by_cluster(&text), whole(&text), "{character:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_apart_as_a_whole(text in any::<String>()) {
            prop_assert_eq!(by_cluster(&text), whole(&text));
        }
    }
}
