//! The keywords, and who looks closer when one occurs.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::header::{self, Header};
use crate::layout::{self, Layout};
use crate::marked;
use crate::name;
use crate::scan::Sureness;
use crate::shape::{self, Odd, Shape};
use crate::told::{self, Told};
use crate::veil;

/// Who looks closer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Looker {
    Shape(&'static Shape),
    Odd(Odd),
    KeyBlock,
    /// The end of one, whose beginning may be missing.
    KeyBlockEnd,
    /// A token in base64.
    Encoded,
    Layout(Layout),
    /// A mark of its author's, and whether it opens.
    Marked(bool),
    Address,
    Header(Header),
    /// A noun of a sentence.
    Told(Told),
    Name,
}

impl Looker {
    pub(crate) fn sureness(self) -> Sureness {
        match self {
            Self::Shape(_)
            | Self::Odd(_)
            | Self::KeyBlock
            | Self::KeyBlockEnd
            | Self::Encoded
            | Self::Marked(_) => Sureness::Shape,
            Self::Address | Self::Header(_) | Self::Layout(_) => Sureness::Place,
            Self::Told(_) | Self::Name => Sureness::Name,
        }
    }
}

/// A keyword in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) looker: Looker,
}

/// Every keyword in `text[from..to]`, in any case, also where one is part of another: by where they end, the longer first.
pub(crate) fn hits(text: &str, from: usize, to: usize) -> Vec<Hit> {
    let read = &text.as_bytes()[from..to];
    let found = if read.len() < LONG { BY_PAIR.find(read) } else { by_automaton(read) };
    let hit = |found: Occurrence| Hit {
        start: from + found.start,
        end: from + found.end,
        looker: KEYWORDS.lookers[found.keyword],
    };
    found.into_iter().map(hit).collect()
}

/// Bytes of text for which it pays to build the automaton: a hook reads a few lines and ends, and building it takes longer
/// than reading them.
const LONG: usize = 64 << 10;

/// A keyword in a text, by its number. They are in order when sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Occurrence {
    start: usize,
    end: usize,
    keyword: usize,
}

/// The occurrences in a long text.
fn by_automaton(text: &[u8]) -> Vec<Occurrence> {
    static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .ascii_case_insensitive(true)
            .build(&KEYWORDS.words)
            .expect("a few hundred short words fit into any automaton")
    });
    let occurrence = |found: aho_corasick::Match| Occurrence {
        start: found.start(),
        end: found.end(),
        keyword: found.pattern().as_usize(),
    };
    AUTOMATON.find_overlapping_iter(text).map(occurrence).collect()
}

/// The keywords by their first two bytes, in small letters. Made in a few microseconds, unlike an automaton.
struct ByPair {
    /// One bit for each pair of bytes that begins a keyword.
    begins: Vec<u64>,
    /// (pair, number of the keyword), sorted.
    keywords: Vec<(u16, usize)>,
}

static BY_PAIR: LazyLock<ByPair> = LazyLock::new(|| {
    let mut begins = vec![0_u64; (1 << 16) / 64];
    let numbered = KEYWORDS.words.iter().enumerate();
    let mut keywords: Vec<(u16, usize)> =
        numbered.map(|(number, word)| (pair_of(word.as_bytes()), number)).collect();
    keywords.sort_unstable();
    for (pair, _) in &keywords {
        begins[usize::from(*pair) / 64] |= 1 << (pair % 64);
    }
    ByPair { begins, keywords }
});

/// The first two bytes of a text, in small letters.
fn pair_of(text: &[u8]) -> u16 {
    u16::from_be_bytes([text[0].to_ascii_lowercase(), text[1].to_ascii_lowercase()])
}

impl ByPair {
    /// The occurrences in a text, in the order in which an automaton reports them.
    fn find(&self, text: &[u8]) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for (start, two) in text.windows(2).enumerate() {
            let pair = pair_of(two);
            if self.begins[usize::from(pair) / 64] & (1 << (pair % 64)) == 0 {
                continue;
            }
            let first = self.keywords.partition_point(|(other, _)| *other < pair);
            for (_, keyword) in
                self.keywords[first..].iter().take_while(|(other, _)| *other == pair)
            {
                let end = start + KEYWORDS.words[*keyword].len();
                let here = text.get(start..end);
                if here
                    .is_some_and(|it| it.eq_ignore_ascii_case(KEYWORDS.words[*keyword].as_bytes()))
                {
                    found.push(Occurrence { start, end, keyword: *keyword });
                }
            }
        }
        found.sort_unstable_by_key(|it| (it.end, it.start, it.keyword));
        found
    }
}

struct Keywords {
    words: Vec<&'static str>,
    lookers: Vec<Looker>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words: Vec<&'static str> = Vec::new();
    let mut lookers = Vec::new();
    let mut add = |word, looker| {
        words.push(word);
        lookers.push(looker);
    };
    for shape in shape::SHAPES {
        shape.prefixes.iter().for_each(|prefix| add(prefix, Looker::Shape(shape)));
    }
    shape::ODD.iter().for_each(|(word, odd)| add(word, Looker::Odd(*odd)));
    header::KEYWORDS.iter().for_each(|(word, header)| add(word, Looker::Header(*header)));
    told::KEYWORDS.iter().for_each(|(word, told)| add(word, Looker::Told(*told)));
    name::KEYWORDS.iter().for_each(|word| add(word, Looker::Name));
    marked::KEYWORDS.iter().for_each(|(word, opens)| add(word, Looker::Marked(*opens)));
    layout::KEYWORDS.iter().for_each(|(word, layout)| add(word, Looker::Layout(*layout)));
    veil::ENCODED.iter().for_each(|word| add(word, Looker::Encoded));
    add("-----BEGIN", Looker::KeyBlock);
    add("-----END", Looker::KeyBlockEnd);
    add("://", Looker::Address);
    Keywords { words, lookers }
});

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn every_keyword_has_a_pair_of_bytes_to_be_found_by() {
        assert!(KEYWORDS.words.iter().all(|word| word.len() >= 2));
    }

    /// Texts with keywords and parts of them, run together.
    fn texts() -> impl Strategy<Value = String> {
        let part = (select(KEYWORDS.words.as_slice()), 0..40_usize, any::<bool>()).prop_map(
            |(word, cut, shout)| {
                let part = word.get(..cut).unwrap_or(word);
                if shout { part.to_ascii_uppercase() } else { part.to_owned() }
            },
        );
        vec(prop_oneof![4 => part, 1 => "[ -~ä€]{0,4}"], 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn a_short_text_is_read_like_a_long_one(text in texts()) {
            prop_assert_eq!(BY_PAIR.find(text.as_bytes()), by_automaton(text.as_bytes()));
        }
    }
}
