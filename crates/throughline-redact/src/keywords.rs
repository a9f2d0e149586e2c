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

/// Every keyword in `text[from..to]`, in any case, also where one is part of another.
pub(crate) fn hits(text: &str, from: usize, to: usize) -> impl Iterator<Item = Hit> {
    let automaton = if to - from < LONG { &*READY_SOON } else { &*QUICK };
    automaton.find_overlapping_iter(&text[from..to]).map(move |found| Hit {
        start: from + found.start(),
        end: from + found.end(),
        looker: KEYWORDS.lookers[found.pattern().as_usize()],
    })
}

/// Bytes of text for which it pays to build the automaton that reads faster: a hook reads a few lines and ends.
const LONG: usize = 32 << 10;

/// The automaton that is built sooner, and reads slower.
static READY_SOON: LazyLock<AhoCorasick> =
    LazyLock::new(|| automaton(AhoCorasickKind::NoncontiguousNFA));

/// The automaton that reads faster, and takes longer to build.
static QUICK: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(AhoCorasickKind::ContiguousNFA));

fn automaton(kind: AhoCorasickKind) -> AhoCorasick {
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .ascii_case_insensitive(true)
        .build(&KEYWORDS.words)
        .expect("a few hundred short words fit into any automaton")
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
