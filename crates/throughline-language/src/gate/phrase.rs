//! Phrases: a sentence as bare words, and small patterns over them.
//!
//! A pattern is words with a few signs. `a|b` is either, `*` any word, `*ing` any word that ends so,
//! `..` up to four words, `,` a break that must be there, `$` the end. A leading `^` wants the
//! sentence to begin there, after words that say nothing; `~` wants a clause to. Breaks that a
//! pattern does not ask for are passed over.

use std::collections::HashMap;

/// How many words `..` stands for at most.
const GAP_WORDS_MAX: usize = 4;

/// Words of one sentence that are looked at.
const WORDS_MAX: usize = 256;

/// What stands for a quotation: a word that no pattern names.
const QUOTATION: &str = "\u{201c}\u{201d}";

/// Words before the first one that says something.
const FILLERS: &[&str] = &[
    "ok", "okay", "k", "oh", "ah", "hm", "hmm", "hmmm", "mm", "mmmk", "um", "uh", "uhh", "well",
    "so", "and", "but", "yeah", "yes", "yep", "hey", "sorry", "dude", "man", "buddy", "please",
    "pls", "also", "then", "now", "look", "right", "alright", "first", "plus", "honestly",
    "anyway", "ugh", "whoa",
];

/// A sentence as lower-case words without apostrophes. What stands in quotation marks or back-ticks
/// is one word that says nothing.
#[derive(Debug)]
pub(super) struct PhraseWords {
    words: Vec<PhraseWord>,
    /// Where the first word stands that says something.
    opening: usize,
}

#[derive(Debug)]
struct PhraseWord {
    text: String,
    /// Something parts it from the word before.
    parted: bool,
}

impl PhraseWords {
    pub(super) fn of(sentence: &str) -> Self {
        let mut words = Vec::new();
        let mut parted = false;
        let mut at = 0;
        while let Some(c) = sentence[at..].chars().next() {
            if words.len() >= WORDS_MAX {
                break;
            }
            let next = at + c.len_utf8();
            if is_letter(c) {
                let end = at + word_length(&sentence[at..]);
                let text = sentence[at..end].chars().filter(|c| !is_apostrophe(*c));
                words
                    .push(PhraseWord { text: text.flat_map(char::to_lowercase).collect(), parted });
                parted = false;
                at = end;
            } else if let Some((close, length)) =
                closing(c).and_then(|close| Some((close, sentence[next..].find(close)?)))
            {
                words.push(PhraseWord { text: QUOTATION.to_owned(), parted });
                parted = false;
                at = next + length + close.len_utf8();
            } else {
                parted |= !c.is_whitespace() && c != '*';
                at = next;
            }
        }
        let opening = words.iter().position(|word| !FILLERS.contains(&word.text.as_str()));
        Self { opening: opening.unwrap_or(0), words }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// One of them.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|word| word.text.as_str())
    }

    /// Whether it ends by asking for assent to what it says: "we use tabs, yeah?"
    pub(super) fn seeks_assent(&self) -> bool {
        let tag = |word: &PhraseWord| {
            let asked = matches!(word.text.as_str(), "no" | "yeah" | "yes" | "right" | "correct");
            word.parted && asked
        };
        self.words.len() > 3 && self.words.last().is_some_and(tag)
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The bytes of the word that a text begins with. Joints belong to it, so that neither `no-op` nor
/// `index.no` says no.
fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let joint = is_apostrophe(c) || matches!(c, '-' | '.' | '/');
        let joins = joint && letters.peek().is_some_and(|(_, next)| is_letter(*next));
        if !is_letter(c) && !joins {
            return at;
        }
    }
    text.len()
}

fn closing(opening: char) -> Option<char> {
    match opening {
        '"' | '`' => Some(opening),
        '“' => Some('”'),
        '«' => Some('»'),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Anywhere,
    Sentence,
    Clause,
}

#[derive(Debug)]
enum Part {
    One(Vec<&'static str>),
    Ending(&'static str),
    Any,
    Gap,
    Break,
    End,
}

#[derive(Debug)]
struct Pattern {
    begins: Begins,
    parts: Vec<Part>,
}

impl Pattern {
    fn read(written: &'static str) -> Self {
        let (begins, written) = match written.split_at(1) {
            ("^", rest) => (Begins::Sentence, rest),
            ("~", rest) => (Begins::Clause, rest),
            _ => (Begins::Anywhere, written),
        };
        let parts = written.split_whitespace().map(|part| match part {
            "*" => Part::Any,
            ".." => Part::Gap,
            "," => Part::Break,
            "$" => Part::End,
            part => match part.strip_prefix('*') {
                Some(ending) => Part::Ending(ending),
                None => Part::One(part.split('|').collect()),
            },
        });
        Self { begins, parts: parts.collect() }
    }

    fn matches(&self, words: &PhraseWords, at: usize) -> bool {
        let begins = match self.begins {
            Begins::Anywhere => true,
            Begins::Sentence => at == 0 || at == words.opening,
            Begins::Clause => at <= words.opening || words.words[at].parted,
        };
        begins && follow(&self.parts, &words.words, at)
    }
}

fn follow(parts: &[Part], words: &[PhraseWord], at: usize) -> bool {
    let Some((part, rest)) = parts.split_first() else { return true };
    let word = words.get(at);
    match part {
        Part::One(either) => {
            word.is_some_and(|word| either.contains(&word.text.as_str()))
                && follow(rest, words, at + 1)
        }
        Part::Ending(ending) => {
            word.is_some_and(|word| word.text.ends_with(ending)) && follow(rest, words, at + 1)
        }
        Part::Any => word.is_some() && follow(rest, words, at + 1),
        Part::Gap => (0..=GAP_WORDS_MAX).any(|skipped| follow(rest, words, at + skipped)),
        Part::Break => word.is_none_or(|word| word.parted) && follow(rest, words, at),
        Part::End => word.is_none(),
    }
}

/// A set of patterns that each begin with a word, found by that word.
#[derive(Debug)]
pub(super) struct Phrases {
    by_first: HashMap<&'static str, Vec<usize>>,
    patterns: Vec<Pattern>,
}

impl Phrases {
    pub(super) fn read(written: &[&'static str]) -> Self {
        let patterns: Vec<Pattern> = written.iter().map(|one| Pattern::read(one)).collect();
        let mut by_first: HashMap<&'static str, Vec<usize>> = HashMap::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let Some(Part::One(firsts)) = pattern.parts.first() else {
                unreachable!("a pattern begins with a word: {:?}", written[number]);
            };
            for first in firsts {
                by_first.entry(first).or_default().push(number);
            }
        }
        Self { by_first, patterns }
    }

    /// Where some pattern is first met.
    pub(super) fn place(&self, words: &PhraseWords) -> Option<usize> {
        (0..words.len()).find(|at| {
            let numbers = self.by_first.get(words.words[*at].text.as_str());
            numbers.is_some_and(|numbers| {
                numbers.iter().any(|number| self.patterns[*number].matches(words, *at))
            })
        })
    }

    /// Whether some pattern is met.
    pub(super) fn met(&self, words: &PhraseWords) -> bool {
        self.place(words).is_some()
    }
}
