//! A statement, taken apart into words and what they are by form.

use crate::{form, text, words};

/// Longer texts are no statement about one thing.
const WORDS_MAX: usize = 40;
/// Words of a value.
pub(super) const VALUE_WORDS: usize = 3;
/// Letters of a unit: "ms", "GB", "min".
const UNIT_LETTERS: usize = 3;

/// A statement's words: without articles, without "now", without the reason behind "because".
pub(super) struct PlainStatement {
    pub(super) words: Vec<StatementWord>,
    /// It tells of something that was done.
    pub(super) happened: bool,
}

/// One word.
pub(super) struct StatementWord {
    /// In comparable form.
    pub(super) text: String,
    /// As it is written, without the marks around it.
    raw: String,
    /// The first of the statement, where a capital letter says nothing.
    first: bool,
    /// A comma follows.
    pub(super) listed: bool,
    /// The sentence ends here.
    pub(super) ends: bool,
    /// There are several of it, by its ending.
    pub(super) plural: bool,
}

/// What stands in the place where two statements differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A number, a version, an amount, a date.
    Number,
    /// A path, a host, a name in code.
    Place,
    /// A name, by its capital letters.
    Name,
    /// Any other single word.
    Word,
}

impl Sort {
    /// What two values are together; `None` if one cannot stand in the other's place.
    pub(super) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, same) if one == same => Some(one),
            (Self::Name, Self::Word) | (Self::Word, Self::Name) => Some(Self::Word),
            _ => None,
        }
    }
}

impl PlainStatement {
    pub(super) fn of(content: &str) -> Option<Self> {
        let mut words: Vec<StatementWord> = Vec::new();
        for chunk in content.split_whitespace() {
            if words.len() > WORDS_MAX {
                return None;
            }
            let first = words.is_empty();
            push(&mut words, chunk, first);
        }
        if let Some(reason) = words.iter().position(|word| word.text == "because") {
            words.truncate(reason);
        }
        words.retain(|word| !word.is_filler());
        Some(Self { happened: form::tells_what_was_done(content), words })
    }
}

/// Adds the words of a chunk. `port=8080` and `port: 8080` say what something is.
fn push(words: &mut Vec<StatementWord>, chunk: &str, first: bool) {
    if let Some((name, value)) = chunk.split_once('=')
        && [name, value].iter().all(|side| side.contains(char::is_alphanumeric))
        && name.ends_with(char::is_alphanumeric)
    {
        push(words, name, first);
        words.push(StatementWord::link());
        push(words, value, false);
        return;
    }
    for piece in text::normalise(chunk).split(' ').filter(|piece| !piece.is_empty()) {
        words.push(StatementWord::of(piece, chunk, first));
    }
    if chunk.ends_with(':') && chunk.len() > 1 {
        words.push(StatementWord::link());
    }
}

impl StatementWord {
    fn of(normal: &str, chunk: &str, first: bool) -> Self {
        let raw = chunk.trim_matches(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '/' | '_' | '-' | '.' | '#' | '+' | '%')
        });
        let raw = raw.trim_end_matches(['.', '…']).to_owned();
        let text = normal.strip_suffix("'s").unwrap_or(normal).to_owned();
        let plural = raw.len() > 3 && raw.ends_with('s') && !raw.ends_with("ss");
        let listed = chunk.ends_with(',') || chunk.trim_matches(',').contains(", ");
        let ends = chunk.ends_with(['.', ';', '!']);
        Self { text, raw, first, listed, ends, plural }
    }

    /// A word by itself.
    pub(super) fn plain(text: &str) -> Self {
        Self::of(text, text, false)
    }

    /// The unit that is written together with its number: "30s", "5min", "40%".
    pub(super) fn unit_attached(&self) -> Option<String> {
        let bare = self.raw.trim_start_matches(|c: char| !c.is_ascii_digit());
        let unit = bare.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let only = unit == "%" || unit.chars().all(char::is_alphabetic);
        (!unit.is_empty() && only).then(|| unit.to_lowercase())
    }

    /// What a colon or an equals sign says.
    fn link() -> Self {
        let text = "=".to_owned();
        Self { text, raw: String::new(), first: false, listed: false, ends: false, plural: false }
    }

    pub(super) fn is(&self, list: &str) -> bool {
        list.split(' ').any(|one| one == self.text)
    }

    /// Articles, and that it is so now.
    fn is_filler(&self) -> bool {
        self.is("the a an our my now currently")
    }

    /// Whether it says something about a topic.
    pub(super) fn tells(&self) -> bool {
        !self.is_link()
            && self.text.chars().any(char::is_alphabetic)
            && !self.is_number()
            && !words::is_common(&self.text)
    }

    pub(super) fn is_link(&self) -> bool {
        self.is("is are = equals")
    }

    /// "is", "are", and "'s" at the end of a word.
    pub(super) fn is_being(&self) -> bool {
        self.is("is are be") || self.raw.ends_with("'s") || self.raw.ends_with("’s")
    }

    /// What joins the items of a list.
    pub(super) fn is_joint(&self) -> bool {
        self.is("and or & / |")
    }

    pub(super) fn is_us(&self) -> bool {
        self.is("we i")
    }

    pub(super) fn is_use(&self) -> bool {
        self.is("use uses using")
    }

    pub(super) fn is_purpose(&self) -> bool {
        self.is("for as")
    }

    pub(super) fn is_of(&self) -> bool {
        self.is("of per each")
    }

    /// "ms", "GB", "s", "%".
    pub(super) fn is_unit(&self) -> bool {
        let letters = self.text.chars().count();
        let short = letters <= UNIT_LETTERS && self.text.chars().all(char::is_alphabetic);
        self.text == "%" || short && (self.tells() || letters == 1 && !self.is("a i"))
    }

    pub(super) fn is_number(&self) -> bool {
        let bare =
            self.text.trim_start_matches(['v', '+', '-', '~', '<', '>', '≤', '≥', '$', '€', '£']);
        bare.starts_with(|c: char| c.is_ascii_digit())
    }

    /// `src/main.rs`, `db.internal`, `max_retries`, `--fast`.
    fn is_place(&self) -> bool {
        let inner = self.raw.trim_matches(['.', '/']);
        let joined = inner.contains(['/', '_', '.']) || inner.contains("::");
        let flag = self.raw.starts_with("--") && self.raw.len() > 2;
        joined || flag || self.raw.starts_with('/') && !inner.is_empty()
    }

    /// What a version or a port stands behind.
    pub(super) fn is_versioned(&self) -> bool {
        self.is_name() || self.is("port version")
    }

    /// `2026-11-15`.
    pub(super) fn is_day(&self) -> bool {
        form::is_date(&self.text)
    }

    /// By its capital letters, or put together of three words and more: `acme-prod-assets`.
    fn is_name(&self) -> bool {
        if self.raw.trim_matches('-').matches('-').count() > 1 {
            return !self.is_place();
        }
        let mut letters = self.raw.chars();
        let large = if self.first {
            letters.next();
            letters.any(char::is_uppercase)
        } else {
            letters.any(char::is_uppercase)
        };
        large && !self.is_place()
    }

    /// Whether it can be what something has, by its form.
    pub(super) fn is_value(&self) -> bool {
        self.is_number() || self.is_place() || self.is_name()
    }
}

/// What the differing words are, taken together.
pub(super) fn sort(words: &[StatementWord]) -> Option<Sort> {
    let (first, rest) = words.split_first()?;
    if words.len() > VALUE_WORDS || words.iter().any(StatementWord::is_link) {
        return None;
    }
    if first.raw.starts_with('#') {
        return None; // "#12" refers to something, it is not what something has
    }
    if first.is_number() {
        let units = rest.iter().all(|word| word.is_unit() || word.tells() && !word.is_value());
        return units.then_some(Sort::Number);
    }
    if rest.is_empty() && first.is_place() {
        return Some(Sort::Place);
    }
    if first.is_name() && words.iter().all(|word| word.is_name() || word.is_number()) {
        return Some(Sort::Name);
    }
    let plain = rest.is_empty() && first.tells() && first.text.chars().all(char::is_alphanumeric);
    plain.then_some(Sort::Word)
}

/// A value in comparable form.
pub(super) fn value(words: &[StatementWord]) -> String {
    let plain = |word: &StatementWord| {
        let text = word.text.as_str();
        let version =
            text.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        version.unwrap_or(text).to_owned()
    };
    words.iter().map(plain).collect::<Vec<_>>().join(" ")
}
